// Any text is a sharding of GSPMD or an error. A sharding reads back, its canonical spelling has
// the same devices, and what it means on a mesh is exported as the same devices again.
#include <algorithm>
#include <cstdint>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"

namespace {

using namespace shardy;

constexpr int64_t kMostDevices = 2048;

void check_same_devices(const DeviceArray& a, const DeviceArray& b, std::string_view text) {
  fuzz::check(a.num_devices() == b.num_devices(), "as many devices", text);
  const int64_t step = std::max<int64_t>(1, a.num_devices() / 512);
  for (int64_t index = 0; index < a.num_devices(); index += step) {
    fuzz::check(a.device_at(index) == b.device_at(index), "the same devices", text);
  }
}

void check_tiled(const HloSharding& hlo, std::string_view text) {
  const DeviceArray canonical = hlo.devices().canonical();
  check_same_devices(hlo.devices(), canonical, text);
  fuzz::check(canonical.canonical() == canonical, "canonical is canonical", text);
  const bool has_only_tiles = hlo.last().empty();
  const Result<HloLayout> alone = import_hlo(hlo, hlo.tiled_rank());
  if (alone && has_only_tiles && hlo.devices().num_devices() > 1) {
    const Result<HloSharding> back = export_hlo(alone->sharding);
    fuzz::check(back.has_value() && back->kind() == HloSharding::Kind::Tiled, "export", text);
    check_same_devices(back->devices(), hlo.devices(), text);
  }
  if (hlo.devices().num_devices() > kMostDevices) return;
  const auto mesh = Mesh::make({{"d", hlo.devices().num_devices()}});
  const auto onto = import_hlo_onto(hlo, hlo.tiled_rank(), {*mesh, std::nullopt});
  if (onto && has_only_tiles && hlo.devices().num_devices() > 1) {
    check_same_devices(export_hlo(onto->sharding)->devices(), hlo.devices(), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<HloSharding> hlo = parse_hlo_sharding(text);
  if (!hlo) {
    fuzz::check(!hlo.error().message.empty() && !hlo.error().location.empty(), "a located error",
                text);
    return 0;
  }
  fuzz::check(parse_hlo_sharding(to_string(*hlo)) == *hlo, "parse(print(x)) == x", text);
  static const Mesh mesh = *Mesh::make({{"x", 2}, {"y", 4}});
  const auto imported = import_hlo_onto(*hlo, 2, {mesh, "m"});
  if (imported)
    fuzz::check(export_hlo(imported->sharding, imported->manual).has_value(), "export", text);
  const bool is_plain = !hlo->group() && !hlo->metadata();
  if (hlo->kind() == HloSharding::Kind::Tiled && is_plain) check_tiled(*hlo, text);
  return 0;
}
