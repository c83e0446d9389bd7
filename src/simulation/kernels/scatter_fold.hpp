// Folding elements into places of a buffer, in order: what scatter and select_and_scatter share.
// Spec: stablehlo 24.3, 25.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "simulation/kernels/lane_function.hpp"

namespace shardy::simulation {

/// One element that is folded in: where it is, and where it goes.
struct ScatterWrite {
  int64_t target;
  int64_t source;
};

/// Elements at these places, one after the other.
Result<Tensor> take(const std::byte* from, ir::ElementType element,
                    std::span<const int64_t> places);

/// Applies a region to one write after the other, many at once where no two meet: each run of
/// writes with different targets is one call on lanes.
class ScatterWriteBatches {
 public:
  /// From the values at `targets` and `sources` to those that replace the targets.
  using Apply = std::function<Result<Tensors>(std::span<const int64_t> targets,
                                              std::span<const int64_t> sources)>;
  static constexpr int64_t kMaxLanes = 4096;

  /// `targets` are the buffers that are written; all have one shape.
  ScatterWriteBatches(std::vector<TensorWriter>& targets, Apply apply);

  Status add(ScatterWrite write);
  /// Applies what is left.
  Status finish();

 private:
  std::vector<TensorWriter>& targets_;
  Apply apply_;
  std::vector<int64_t> waiting_targets_;
  std::vector<int64_t> waiting_sources_;
  std::vector<uint32_t> batch_of_;  // per target element: the batch it was last in
  uint32_t batch_ = 1;
};

}  // namespace shardy::simulation
