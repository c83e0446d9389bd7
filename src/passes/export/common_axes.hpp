// The axes on which an op's tensors meet: one list per factor of its rule.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <span>
#include <vector>

namespace shardy::passes {

/// The shardings of an op's tensors, factor by factor. Tensors are operands, then results.
struct FactorAxes {
  Mesh mesh;
  OpShardingRule rule;
  std::vector<int64_t> tensor_sizes;  // elements of the global types, 0 where unknown
  std::vector<std::vector<std::optional<AxisList>>> lists;  // [tensor][factor]; none: not mapped
  std::vector<std::vector<AxisList>> overflow;              // [tensor][factor]
  bool is_lowered = false;  // axes of need-replication factors may go where they do not divide

  std::size_t num_tensors() const { return lists.size(); }
  std::size_t num_factors() const { return static_cast<std::size_t>(rule.num_factors()); }
  bool has_overflow() const;
};

/// The lists if no tensor has to be resharded: every factor has the same axes wherever it occurs,
/// need-replication factors have none, no axis is used by two factors. Spec: resharding A.3.
std::optional<std::vector<AxisList>> compatible_axes(const FactorAxes& factors);

/// The lists to which the tensors are to be resharded. Ties are broken as Shardy breaks them.
/// Spec: resharding A.5.
std::vector<AxisList> common_axes(const FactorAxes& factors);

}  // namespace shardy::passes
