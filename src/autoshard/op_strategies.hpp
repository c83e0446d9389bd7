// The strategies of one op: axes for the factors of its rule, and partial sums that the op
// forwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "autoshard/reshard_prices.hpp"
#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/best_plan.hpp"

// Spec: autoshard U.2.2, U.2.4, U.3.1.

namespace shardy::autoshard {

/// The largest number of strategies of an op. If it has more, the strategies with the most shards
/// are kept, in mesh order first. On a mesh of kManyAtoms or more the strategies have this order.
inline constexpr std::size_t kMaxStrategies = 16384;
inline constexpr std::size_t kManyAtoms = 4;

/// The strategies of an op. States are numbers in the space of each tensor.
struct OpStrategies {
  std::size_t num_operands = 0;
  std::size_t num_results = 0;
  std::vector<int32_t> operands;  // state of operand o under strategy s: [s * num_operands + o]
  std::vector<int32_t> results;   // state of result r under strategy s: [s * num_results + r]
  std::vector<int64_t> prices;    // fs of one run, per strategy
  bool is_complete = true;        // false: some strategies were dropped

  std::size_t size() const { return prices.size(); }
  /// Keeps the first strategies. Requires: count <= size().
  void keep_first(std::size_t count);
  void add(const std::vector<int32_t>& in, const std::vector<int32_t>& out, int64_t price);
};

/// An op and the spaces of its tensors.
struct StrategyQuery {
  ir::OpId op;
  std::optional<OpShardingRule>
      rule;                          // rule for lowering; std::nullopt: all tensors are replicated
  std::vector<StateSpace*> spaces;   // spaces of operands, then of results
  std::vector<bool> may_be_partial;  // per operand
  std::vector<bool> is_constant;     // per operand
  // Per operand: number of operations of its constant expression.
  std::vector<double> constant_flops;
};

/// Returns the seconds of a program according to its report; std::nullopt if the program does not
/// compile.
using SecondsOfProgram = std::function<std::optional<double>(const ir::Module&)>;

/// Computes strategies for the ops of one module.
class StrategyMaker {
 public:
  /// `module` and `reshards` must outlive this object. After a stop, strategies are missing.
  /// `seconds_of` prices the ops whose devices exchange data with neighbors; if it is empty, these
  /// exchanges are not in the strategies.
  StrategyMaker(const ir::Module& module, const MeshAtoms& atoms, report::DeviceRates rates,
                ReshardPrices& reshards, SecondsOfProgram seconds_of, std::stop_token stop = {});

  /// Returns the strategies of an op of main; each combination of states occurs once. Ops with
  /// equal data, as in repeated layers, are computed once.
  OpStrategies make(const StrategyQuery& query);

  /// Returns the strategies of an op that returns its operand with the operand's sharding.
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
  int64_t exchange_price(const StrategyQuery& query, Draft& draft,
                         const std::vector<TensorSharding>& used,
                         std::span<const std::vector<int32_t>> factors);
  int64_t reduction_price(const StrategyQuery& query, const std::vector<TensorSharding>& used,
                          const AxisList& reduced, ReductionOp reduction);
  bool needs_exchange(const StrategyQuery& query,
                      std::span<const std::vector<int32_t>> factors) const;
  std::optional<ReductionOp> combiner(ir::OpId op) const;
  OpStrategies compute(const StrategyQuery& query);
  bool is_alike(const StrategyQuery& one, const StrategyQuery& other) const;

  const ir::Module& module_;
  const MeshAtoms& atoms_;
  report::DeviceRates rates_;
  ReshardPrices& reshards_;
  SecondsOfProgram seconds_of_;
  std::stop_token stop_;
  ir::Module scratch_;  // each op has separate operands, whose types become local types
  std::map<ir::OpKind, std::vector<std::pair<StrategyQuery, OpStrategies>>> known_;
};

/// Returns a program whose main function contains only `op`. Its arguments and results have the
/// given shardings, one per operand and result. Scalar constants are copied instead.
ir::Module program_of_op(const ir::Module& module, ir::OpId op,
                         std::span<const TensorSharding> operands,
                         std::span<const TensorSharding> results);

}  // namespace shardy::autoshard
