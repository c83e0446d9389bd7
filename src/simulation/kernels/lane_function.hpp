// Regions that map scalars to scalars, applied to many lanes at once. Spec: stablehlo 15.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/run.hpp"

namespace shardy::simulation {

/// A region of rank-0 arguments and results.
///
/// The ops of the block select one of two forms. Elementwise ops: each op runs once on all lanes.
/// Other ops: the block runs once per lane.
class LaneFunction {
 public:
  /// Errors: several blocks, arguments or results that are not tensors of rank 0, ops without a
  /// kernel.
  static Result<LaneFunction> make(const KernelRequest& request, std::size_t region = 0);
  /// Makes a function that returns other values of the block. Errors: as `make`. Returns
  /// std::nullopt if an op is not elementwise.
  static Result<std::optional<LaneFunction>> make_for(const KernelRequest& request,
                                                      std::span<const ir::ValueId> returned);

  std::span<const ir::ElementType> arguments() const { return arguments_; }
  std::span<const ir::ElementType> results() const { return results_; }

  /// Maps one tensor of shape [n] per argument to one tensor per result.
  using Lanes = std::function<Result<Tensors>(Tensors arguments)>;
  /// Returns the function for up to `max_lanes` lanes. `captured` are the outer values of the
  /// region.
  Result<Lanes> lanes(int64_t max_lanes, std::span<const Tensor> captured) const;

 private:
  struct LaneStep {  // one elementwise op of the block
    Kernel kernel;
    std::vector<std::size_t> operands;  // indices among the values
  };
  /// The values in order: arguments, captured values, constants, results of the steps. The captured
  /// values are scalars that this block uses; other regions of the op may use other values.
  struct LaneBlock {
    std::vector<std::size_t> captured;  // indices among the captured values of the op
    std::vector<Kernel> constants;
    std::vector<LaneStep> steps;
    std::vector<std::size_t> returned;
  };

  Status read_types(const KernelRequest& request, ir::BlockId block,
                    std::span<const ir::ValueId> returned);
  Status lift(const KernelRequest& request, ir::BlockId block,
              std::span<const ir::ValueId> returned);
  static Result<Tensors> run(const LaneBlock& body, Tensors values);

  std::vector<ir::ElementType> arguments_;
  std::vector<ir::ElementType> results_;
  std::shared_ptr<const LaneBlock> body_;  // null if an op is not elementwise
  RegionRunner runner_;                    // used if body_ is null
};

/// Returns `num_lanes` copies of a scalar.
Result<Tensor> splat(const Tensor& scalar, int64_t num_lanes);
/// Returns the element at a position of a tensor as a scalar that shares the tensor's buffer.
Tensor element_of(const Tensor& tensor, int64_t position);

}  // namespace shardy::simulation
