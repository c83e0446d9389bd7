#include "simulation/device_group.hpp"

#include <optional>
#include <string>
#include <utility>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/support/detail/math.hpp"

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
              " is not a sub-axis of axis " + mesh.axis_name(ref.axis));
}

Status verify_disjoint(const Mesh& mesh, std::span<const AxisRef> axes) {
  for (std::size_t index = 0; index < axes.size(); ++index) {
    for (const AxisRef& before : axes.first(index)) {
      if (before.axis != axes[index].axis) continue;
      if (!can_coexist(before, axes[index]) || overlaps(before, axes[index])) {
        return fail(to_string(mesh, before) + " and " + to_string(mesh, axes[index]) +
                    " overlap; the axis refs must be disjoint");
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
  for (const GroupAxis& part : parts_) rank = rank * part.size + position / part.stride % part.size;
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

ReplicaGroups::ReplicaGroups(std::vector<std::vector<int64_t>> groups) : groups_(Listed{}) {
  auto& listed = std::get<Listed>(groups_);
  listed.groups = std::move(groups);
  for (std::size_t leader = 0; leader < listed.groups.size(); ++leader) {
    for (std::size_t rank = 0; rank < listed.groups[leader].size(); ++rank) {
      const GroupMember place{static_cast<int64_t>(leader), static_cast<int64_t>(rank)};
      const bool is_new = listed.places.emplace(listed.groups[leader][rank], place).second;
      SHARDY_ASSERT(is_new);
      static_cast<void>(is_new);
    }
  }
}

std::optional<ReplicaGroups::GroupMember> ReplicaGroups::place_of(int64_t device) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    const auto found = listed->places.find(device);
    if (found == listed->places.end()) return std::nullopt;
    return found->second;
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  const std::optional<int64_t> position = groups.mesh().position_of(device);
  if (!position) return std::nullopt;
  return GroupMember{groups.leader(*position), groups.rank(*position)};
}

bool ReplicaGroups::has_leader(int64_t leader) const {
  if (leader < 0) return false;
  if (const auto* listed = std::get_if<Listed>(&groups_))
    return leader < std::ssize(listed->groups);
  const auto& groups = std::get<DeviceGroups>(groups_);
  return leader < groups.mesh().num_devices() && groups.leader(leader) == leader;
}

std::vector<int64_t> ReplicaGroups::members(int64_t leader) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    return listed->groups[static_cast<std::size_t>(leader)];
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  std::vector<int64_t> devices;
  for (int64_t rank = 0; rank < groups.size(); ++rank) {
    devices.push_back(groups.device(leader, rank));
  }
  return devices;
}

}  // namespace shardy::simulation
