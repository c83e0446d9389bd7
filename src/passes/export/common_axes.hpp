// Common axes for the tensors of an op: one list per factor of its rule.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <span>
#include <vector>

namespace shardy::passes {

/// The shardings of an op's tensors by factor. Tensors are operands, then results.
struct FactorAxes {
  Mesh mesh;
  OpShardingRule rule;
  std::vector<int64_t> tensor_sizes;  // number of elements of the global tensor; 0 if unknown
  std::vector<std::vector<std::optional<AxisList>>>
      lists;  // [tensor][factor]; std::nullopt: the tensor does not have the factor
  std::vector<std::vector<AxisList>> overflow;  // [tensor][factor]
  bool is_lowered =
      false;  // axes of need-replication factors may move to factors they do not divide

  std::size_t num_tensors() const { return lists.size(); }
  std::size_t num_factors() const { return static_cast<std::size_t>(rule.num_factors()); }
  bool has_overflow() const;
};

/// Returns the axes if no tensor needs a reshard: each factor has equal axes in all tensors,
/// need-replication factors have none, and no two factors share an axis. Spec: resharding A.3.
std::optional<std::vector<AxisList>> compatible_axes(const FactorAxes& factors);

/// Returns the axes to reshard the tensors to. Ties are broken as in Shardy. Spec: resharding A.5.
std::vector<AxisList> common_axes(const FactorAxes& factors);

}  // namespace shardy::passes
