// Any text is a mesh or an error; a mesh reads back, and each device is at its position.
#include <cstdint>
#include <shardy/algebra/text.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const shardy::Result<shardy::Mesh> mesh = shardy::parse_mesh(text);
  if (!mesh) {
    fuzz::check(!mesh.error().message.empty() && !mesh.error().location.empty(), "a located error",
                text);
    return 0;
  }
  const std::string printed = to_string(*mesh);
  fuzz::check(shardy::parse_mesh(printed) == *mesh, "parse(print(x)) == x", text);
  fuzz::check(mesh->num_devices() >= 1, "a device", text);
  const auto last = mesh->num_devices() - 1;
  for (const int64_t position : {int64_t{0}, last / 2, last}) {
    fuzz::check(mesh->position_of(mesh->device_at(position)) == position, "device -> position",
                text);
  }
  for (int32_t axis = 0; axis < mesh->num_axes(); ++axis) {
    fuzz::check(mesh->find_axis(mesh->axis_name(axis)) == axis, "name -> axis", text);
  }
  return 0;
}
