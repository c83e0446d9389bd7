// Reducer regions applied to many lanes at once. Spec: stablehlo 24.1, partitioning 5.8, 11.4.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/fold_forms.hpp"
#include "simulation/kernels/lane_function.hpp"

namespace shardy::simulation {

/// Accumulators and operands, lane by lane: `acc := body(acc.., x..)`.
using LaneFold = std::function<Result<Tensors>(const Tensors& acc, const Tensors& x)>;

/// The loop of a recognized reducer: add, multiply, maximum, minimum, and, or, xor. Null for other
/// ops and for element types that it is not defined on.
FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type);

/// A region of an op that takes n accumulators and n elements, all rank 0.
///
/// Three forms, by what the body holds: one common op per pair, or one of the two values (loops),
/// elementwise ops (each run once on all lanes), anything (the body run once per lane).
class Fold {
 public:
  /// Errors: another form of region, ops without kernel.
  static Result<Fold> make(const KernelRequest& request, std::size_t num_pairs,
                           std::size_t region = 0);

  /// Element types of accumulators, and of the values that are folded in.
  std::span<const ir::ElementType> accumulators() const { return function_.results(); }
  std::span<const ir::ElementType> inputs() const {
    return function_.arguments().subspan(function_.results().size());
  }
  /// Those of each pair if each result combines just its own pair; else empty.
  std::span<const FoldLoops> loops() const { return loops_; }
  /// Returns true if each result depends on its own pair only: then a pair may have more
  /// lanes than another, and unused lanes may hold any value.
  bool keeps_pairs_apart() const { return keeps_pairs_apart_; }
  /// For up to `max_lanes` lanes: tensors of shape [n].
  Result<LaneFold> lanes(int64_t max_lanes, std::span<const Tensor> captured) const;

 private:
  explicit Fold(LaneFunction function) : function_(std::move(function)) {}
  void pick_loops(const KernelRequest& request, std::size_t region);

  LaneFunction function_;
  std::vector<FoldLoops> loops_;
  bool keeps_pairs_apart_ = false;
};

}  // namespace shardy::simulation
