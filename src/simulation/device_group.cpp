#include "simulation/device_group.hpp"

#include <optional>
#include <string>
#include <utility>

#include "shardy/support/math.hpp"

namespace shardy::simulation {

namespace {

Status verify_axis(const Mesh& mesh, const AxisRef& ref) {
  if (ref.axis < 0 || ref.axis >= mesh.num_axes()) {
    return fail("axis index out of range: " + std::to_string(ref.axis));
  }
  const std::optional<int64_t> next = checked_mul(ref.pre, ref.size);
  const bool divides =
      ref.pre >= 1 && ref.size >= 1 && next && mesh.axis_size(ref.axis) % *next == 0;
  if (divides) return {};
  return fail("(" + std::to_string(ref.pre) + ")" + std::to_string(ref.size) +
              " is no part of axis " + mesh.axis_name(ref.axis));
}

Status verify_disjoint(const Mesh& mesh, std::span<const AxisRef> axes) {
  for (std::size_t index = 0; index < axes.size(); ++index) {
    for (const AxisRef& before : axes.first(index)) {
      if (before.axis != axes[index].axis) continue;
      if (!can_coexist(before, axes[index]) || overlaps(before, axes[index])) {
        return fail("parts of axis " + mesh.axis_name(before.axis) + " overlap");
      }
    }
  }
  return {};
}

}  // namespace

Result<DeviceGroups> DeviceGroups::make(Mesh mesh, std::span<const AxisRef> axes) {
  for (const AxisRef& ref : axes) {
    SHARDY_TRY_STATUS(verify_axis(mesh, ref));
  }
  SHARDY_TRY_STATUS(verify_disjoint(mesh, axes));
  DeviceGroups groups(std::move(mesh));
  std::vector<int64_t> strides(groups.mesh_.axes().size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * groups.mesh_.axes()[axis].size;
  }
  for (const AxisRef& ref : axes) {
    const int64_t minor = groups.mesh_.axis_size(ref.axis) / ref.next();
    groups.parts_.push_back({ref.size, strides[static_cast<std::size_t>(ref.axis)] * minor});
    groups.size_ *= ref.size;
  }
  return groups;
}

int64_t DeviceGroups::rank(int64_t position) const {
  int64_t rank = 0;
  for (const Part& part : parts_) rank = rank * part.size + position / part.stride % part.size;
  return rank;
}

int64_t DeviceGroups::offset(int64_t rank) const {
  int64_t offset = 0;
  for (std::size_t index = parts_.size(); index-- > 0;) {
    offset += rank % parts_[index].size * parts_[index].stride;
    rank /= parts_[index].size;
  }
  return offset;
}

}  // namespace shardy::simulation
