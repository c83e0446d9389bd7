// Strategies of one op: axes for the factors of its rule, and partial sums that it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "autoshard/state_space.hpp"
#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/device_time.hpp"
#include "shardy/resharding/best_plan.hpp"

// Spec: autoshard U.2.2, U.2.4, U.3.1.

namespace shardy::autoshard {

/// Most strategies of an op; of more, those with the most shards are kept, of these the ones that
/// keep the order of the mesh first. Meshes of four and more atoms have a table of as many squared
/// per edge.
inline constexpr std::size_t kMaxStrategies = 4096;
inline constexpr std::size_t kMaxStrategiesOfManyAtoms = 1024;

/// Strategies of an op. States are numbers in the space of each tensor.
struct OpStrategies {
  std::size_t num_operands = 0;
  std::size_t num_results = 0;
  std::vector<int32_t> operands;  // state of operand o under strategy s: [s * num_operands + o]
  std::vector<int32_t> results;   // state of result r under strategy s: [s * num_results + r]
  std::vector<int64_t> prices;    // fs of one run, by strategy
  bool is_complete = true;        // false: strategies were left out

  std::size_t size() const { return prices.size(); }
  void add(const std::vector<int32_t>& in, const std::vector<int32_t>& out, int64_t price);
};

/// An op and the spaces of its tensors.
struct StrategyQuery {
  ir::OpId op;
  std::optional<OpShardingRule> rule;  // for lowering; std::nullopt: all tensors are replicated
  std::vector<StateSpace*> spaces;     // operands, then results
  std::vector<bool> may_be_partial;    // per operand
  std::vector<double> constant_flops;  // per operand: operations of its constant expression
};

/// Makes strategies for the ops of one module.
class StrategyMaker {
 public:
  /// `module` and `reshards` must outlive it.
  StrategyMaker(const ir::Module& module, const MeshAtoms& atoms, report::DeviceRates rates,
                ReshardPrices& reshards);

  /// Returns the strategies of an op of main, each distinct combination of states once. Ops that
  /// are alike, as those of repeated layers, are computed once.
  OpStrategies make(const StrategyQuery& query);

  /// Returns the strategies of an op that keeps the value and its sharding.
  static OpStrategies identity(const StateSpace& space, const std::vector<int32_t>& allowed);

 private:
  struct Draft;
  void add_assignment(const StrategyQuery& query, Draft& draft,
                      std::span<const std::vector<int32_t>> factors);
  std::vector<AxisList> unused_sets(const std::vector<TensorSharding>& used,
                                    const AxisList& reduced) const;
  std::vector<TensorSharding> shardings_of(const OpShardingRule& rule,
                                           std::span<const AxisList> axes) const;
  void add_variants(const StrategyQuery& query, Draft& draft,
                    const std::vector<TensorSharding>& used, const AxisList& reduced,
                    int64_t price);
  int64_t price(const StrategyQuery& query, const std::vector<TensorSharding>& used);
  std::optional<ReductionOp> combiner(ir::OpId op) const;
  OpStrategies compute(const StrategyQuery& query);
  bool is_alike(const StrategyQuery& one, const StrategyQuery& other) const;

  const ir::Module& module_;
  const MeshAtoms& atoms_;
  report::DeviceRates rates_;
  ReshardPrices& reshards_;
  ir::Module scratch_;  // each op has operands of its own, whose types become local ones
  std::map<ir::OpKind, std::vector<std::pair<StrategyQuery, OpStrategies>>> known_;
};

}  // namespace shardy::autoshard
