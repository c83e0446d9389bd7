#pragma once

#include <cstdint>
#include <shardy/resharding/detail/reference_exchange.hpp>
#include <shardy/resharding/detail/reference_slice.hpp>
#include <shardy/resharding/detail/step_maker.hpp>
#include <span>
#include <vector>

namespace shardy::reference {

/// The steps between two sets of dim axes, and how many rounds of phases found them.
struct Sequence {
  std::vector<ReshardStep> steps;
  int rounds = 0;
};

/// The main loop. Spec: resharding B.5.
class Loop {
 public:
  Loop(State state, StepMaker maker) : state_(std::move(state)), maker_(std::move(maker)) {}

  bool done() const { return state_.placed() && maker_.on_target_mesh(); }
  const State& state() const { return state_; }

  void round(std::span<const int64_t> shape) {
    slice(shape);
    permute();
    exchange(TargetOrder::Required);
    exchange(TargetOrder::Any);
    gather_rest();
  }

  /// Ends the loop where it gets nowhere: gathers each dim to what it has in common with `end`,
  /// then slices. Requires: at least one round.
  void finish(const AxisLists& end);

  std::vector<ReshardStep> take_steps() { return maker_.take_steps(); }

 private:
  void slice(std::span<const int64_t> shape) {
    maker_.all_slice(SlicePhase(state_, shape).run(), state_.cur);
  }

  void permute();

  void exchange(TargetOrder order);

  void gather_rest();

  State state_;
  StepMaker maker_;
};

/// More than twice what any pair of shardings of small meshes needs. Spec: resharding B.8.
constexpr int kMaxRounds = 16;

/// The steps that change the dim axes, and the mesh, of `from` to those of `to`.
/// Requires: equal unreduced axes, meshes that differ at most in device ids, `shape` of that rank.
/// Spec: resharding B.4, B.5, B.8.
Sequence sequence(std::span<const int64_t> shape, const TensorSharding& from,
                  const TensorSharding& to);

}  // namespace shardy::reference

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/reference_inl.hpp>
#endif
