#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/support/math.hpp>
#include <span>
#include <vector>

namespace shardy::detail {

/// Adds up what the exchanges of one step cost.
class StepMeter {
 public:
  StepMeter(const TensorSize& tensor, const TensorSharding& from, const CostModel& model)
      : tensor_(tensor),
        from_(from),
        links_(from.mesh(), model),
        local_(from.local_shape(tensor.shape)) {
    for (const DimSharding& dim : from.dims()) shards_.push_back(dim.sharded_size());
  }

  /// The cost of the exchanges, without what goes along each mesh axis. Cost: constant in the
  /// number of devices where Links::permute is.
  const links::Exchange& exchanges(const ReshardStep& step) { return exchanges(step, nullptr); }
  StepCost measure(const ReshardStep& step);

 private:
  double bytes() const {
    return static_cast<double>(product(local_)) * static_cast<double>(tensor_.element_bytes);
  }
  void split(std::size_t dim, AxisSpan axes) {
    SHARDY_EXPECTS(dim < shards_.size());
    set_shards(dim, shards_[dim] * sharding_size(axes));
  }
  void join(std::size_t dim, AxisSpan axes) {
    SHARDY_EXPECTS(dim < shards_.size());
    set_shards(dim, shards_[dim] / sharding_size(axes));
  }
  void set_shards(std::size_t dim, int64_t shards) {
    SHARDY_EXPECTS(dim < shards_.size());
    shards_[dim] = shards;
    local_[dim] = ceil_div(tensor_.shape[dim], shards);
  }
  /// Returns the bytes of the dim padded to equal blocks along `axes`.
  double padded_bytes(std::size_t dim, AxisSpan axes) const {
    SHARDY_EXPECTS(dim < shards_.size());
    const int64_t parts = sharding_size(axes);
    const int64_t block = ceil_div(tensor_.shape[dim], shards_[dim] * parts);
    std::vector<int64_t> padded = local_;
    padded[dim] = std::max(local_[dim], parts * block);
    return static_cast<double>(product(padded)) * static_cast<double>(tensor_.element_bytes);
  }
  const links::Exchange& exchanges(const ReshardStep& step, std::vector<double>* loads);
  void lists(const ReshardStep& step, std::vector<double>* loads);
  void exchange(const AllToAllMove& move, std::vector<double>* loads) {
    const auto target = static_cast<std::size_t>(move.target);
    cost_.add(links_.all_to_all(padded_bytes(target, move.axes), move.axes, loads));
    join(static_cast<std::size_t>(move.source), move.axes);
    split(target, move.axes);
  }

  TensorSize tensor_;
  const TensorSharding& from_;
  links::Links links_;
  std::vector<int64_t> local_;
  std::vector<int64_t> shards_;
  links::Exchange cost_;
};

/// An exchange and what it loads each axis with, in the units of a user.
StepCost priced(const links::Exchange& exchange, std::span<const double> loads);

/// The loads of all steps of a plan.
links::Exchange plan_exchanges(const TensorSize& tensor, const TensorSharding& from,
                               std::span<const ReshardStep> steps, const CostModel& model);

}  // namespace shardy::detail

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/step_meter_inl.hpp>
#endif
