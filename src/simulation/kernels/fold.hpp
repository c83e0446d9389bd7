// Reducer regions applied to many lanes at once. Spec: stablehlo 24.1, partitioning 5.8, 11.4.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "simulation/kernels/elementwise.hpp"

namespace shardy::simulation {

/// Accumulators and operands, lane by lane: `acc := body(acc.., x..)`.
using LaneFold = std::function<Result<Tensors>(const Tensors& acc, const Tensors& x)>;

/// The loop of a recognized reducer: add, multiply, maximum, minimum, and, or, xor. Null for other
/// ops and for element types that it is not defined on.
FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type);

/// The only region of an op, which takes n accumulators and n elements, all rank 0.
///
/// Three forms, by what the body holds: one common op per pair (loops), elementwise ops (each run
/// once on all lanes), anything (the body run once per lane).
class Fold {
 public:
  /// Errors: another form of region, ops without kernel.
  static Result<Fold> make(const KernelRequest& request, std::size_t num_pairs);

  /// Element types of accumulators, and of the values that are folded in.
  std::span<const ir::ElementType> accumulators() const { return accumulators_; }
  std::span<const ir::ElementType> inputs() const { return inputs_; }
  /// One loop per pair if each result combines just its own pair; else empty.
  std::span<const FoldLoop> loops() const { return loops_; }
  /// For `num_lanes` lanes: tensors of shape [num_lanes].
  Result<LaneFold> lanes(int64_t num_lanes, std::span<const Tensor> captured) const;

 private:
  struct Step {  // an elementwise op of the body
    Kernel kernel;
    std::vector<std::size_t> operands;  // places among the values
  };
  /// Values in order: accumulators, inputs, captured, constants and results of the steps.
  struct Body {
    std::vector<Kernel> constants;
    std::vector<Step> steps;
    std::vector<std::size_t> returned;
  };

  Status read_types(const KernelRequest& request, std::size_t num_pairs);
  void pick_loops(const KernelRequest& request);
  Status lift(const KernelRequest& request);
  static Result<Tensors> run(const Body& body, std::vector<Tensor> values);

  std::vector<ir::ElementType> accumulators_;
  std::vector<ir::ElementType> inputs_;
  std::vector<FoldLoop> loops_;
  std::shared_ptr<const Body> body_;  // null if not all ops are elementwise
  RegionRunner runner_;               // for those
};

}  // namespace shardy::simulation
