#include "simulation/kernels/collective_grid.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/replica_group_mesh.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::simulation {

Result<GroupList> read_groups(const KernelRequest& request, const OpReader& op) {
  return op.at_op(ir::process_groups(request.module, request.op, counts_of(request.grid)));
}

Collective on_groups(const KernelRequest& request, GroupList groups, Exchange exchange) {
  return {request.module.kind(request.op), ir::channel_of(request.module, request.op),
          ReplicaGroups(std::move(groups)), std::move(exchange)};
}

void add_outsiders(GroupList& groups, int64_t num_devices) {
  std::vector<bool> is_inside(static_cast<std::size_t>(num_devices), false);
  for (const auto& group : groups) {
    for (const int64_t device : group) is_inside[static_cast<std::size_t>(device)] = true;
  }
  for (int64_t device = 0; device < num_devices; ++device) {
    if (!is_inside[static_cast<std::size_t>(device)]) groups.push_back({device});
  }
}

Status expect_group_sizes(const OpReader& op, const GroupList& groups, int64_t size) {
  const bool fits =
      std::ranges::all_of(groups, [&](const auto& group) { return std::ssize(group) == size; });
  return op.expect(
      fits, "the groups do not have the size that the result types need, " + std::to_string(size));
}

std::optional<int64_t> times(int64_t whole, int64_t part) {
  if (part == 0 || whole % part != 0) return std::nullopt;
  return whole / part;
}

// ---- Roots -------------------------------------------------------------------------------------

Result<std::vector<std::size_t>> roots_of(ByRank by_rank, std::size_t num_data, bool is_dynamic) {
  std::vector<std::size_t> roots(num_data, 0);
  if (!is_dynamic) return roots;
  const Tensor& positions = by_rank[0].back();
  const std::size_t size = ir::size_bytes(positions.type().element());
  for (std::size_t index = 0; index < num_data; ++index) {
    const int64_t root =
        ir::decode_int(positions.bytes().subspan(index * size, size), positions.type().element());
    if (root < 0 || root >= std::ssize(by_rank)) {
      return fail("root " + std::to_string(root) + " is no position in a group of " +
                  std::to_string(by_rank.size()));
    }
    roots[index] = static_cast<std::size_t>(root);
  }
  return roots;
}

std::size_t num_data_operands(const OpReader& op, bool is_dynamic) {
  return op.num_operands() - (is_dynamic ? 1 : 0);
}

}  // namespace shardy::simulation
