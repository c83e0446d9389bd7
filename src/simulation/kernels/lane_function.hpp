// Regions that map scalars to scalars, applied to many lanes at once. Spec: stablehlo 15.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// A region of rank-0 arguments and results.
///
/// Two forms, by the ops of its block: elementwise ops (each run once on all lanes), anything (the
/// block run once per lane).
class LaneFunction {
 public:
  /// Errors: several blocks, arguments or results that are not tensors of rank 0, ops without
  /// kernel.
  static Result<LaneFunction> make(const KernelRequest& request, std::size_t region = 0);
  /// The same with other values of the block as results. std::nullopt if some op is not
  /// elementwise.
  static Result<std::optional<LaneFunction>> make_for(const KernelRequest& request,
                                                      std::span<const ir::ValueId> returned);

  std::span<const ir::ElementType> arguments() const { return arguments_; }
  std::span<const ir::ElementType> results() const { return results_; }

  /// Maps one tensor of shape [n] per argument to one per result.
  using Lanes = std::function<Result<Tensors>(Tensors arguments)>;
  /// Returns the function for up to `max_lanes` lanes; `captured` are the outer values of the
  /// region.
  Result<Lanes> lanes(int64_t max_lanes, std::span<const Tensor> captured) const;

 private:
  struct Step {  // an elementwise op of the block
    Kernel kernel;
    std::vector<std::size_t> operands;  // places among the values
  };
  /// Values in order: arguments, captured, constants and results of the steps. The captured values
  /// are those that this block uses, all scalars; other regions of the op may use others.
  struct Body {
    std::vector<std::size_t> captured;  // places among those of the op
    std::vector<Kernel> constants;
    std::vector<Step> steps;
    std::vector<std::size_t> returned;
  };

  Status read_types(const KernelRequest& request, ir::BlockId block,
                    std::span<const ir::ValueId> returned);
  Status lift(const KernelRequest& request, ir::BlockId block,
              std::span<const ir::ValueId> returned);
  static Result<Tensors> run(const Body& body, Tensors values);

  std::vector<ir::ElementType> arguments_;
  std::vector<ir::ElementType> results_;
  std::shared_ptr<const Body> body_;  // null if not all ops are elementwise
  RegionRunner runner_;               // for those
};

/// `num_lanes` copies of a scalar.
Result<Tensor> splat(const Tensor& scalar, int64_t num_lanes);
/// The scalar at a position of a tensor; shares its buffer.
Tensor element_of(const Tensor& tensor, int64_t position);

}  // namespace shardy::simulation
