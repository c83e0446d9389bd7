#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/detail/search_problem.hpp>
#include <shardy/resharding/step.hpp>
#include <span>
#include <vector>

namespace shardy::search {

/// Cost of a path: time first, then bytes sent, then messages. The steps, also those that
/// send nothing, break ties.
struct Cost {
  double time = 0;
  double bytes = 0;
  int64_t messages = 0;
  int64_t steps = 0;

  Cost operator+(const Cost& other) const {
    return {time + other.time, bytes + other.bytes, messages + other.messages, steps + other.steps};
  }
  friend std::partial_ordering operator<=>(const Cost&, const Cost&) = default;
  friend bool operator==(const Cost&, const Cost&) = default;
};

inline Cost cost_of(const links::Exchange& exchange) {
  return {exchange.time, exchange.bytes, exchange.messages, 0};
}

struct Limits {
  double live_bytes = 0;      // in and out of a step, at most; 0: any
  int64_t max_ways = 100000;  // from a state to another, to look at
};

struct Found {
  std::vector<ReshardStep> steps = {};
  bool ended = false;  // no better path exists
  bool any = false;    // a path exists
};

/// Numbers of states by their places.
class StateIndex {
 public:
  /// That of `places`, or `next`, which it then has.
  int32_t find_or_add(uint64_t places, int32_t next);
  std::optional<int32_t> find(uint64_t places) const;

 private:
  struct Slot {
    uint64_t places = 0;
    int32_t number = -1;
  };
  std::size_t slot_of(uint64_t places) const;
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t used_ = 0;
};

/// A* from the start of the problem to its goal. Spec: resharding C.2, C.3.
class Search {
 public:
  Search(const Problem& problem, const links::Links& links, const Limits& limits)
      : problem_(problem), links_(links), limits_(limits) {}

  /// The best path that costs less than `bound`.
  Found run(const Cost& bound);

 private:
  struct Node {
    State state = {};
    int32_t hub = -1;  // of which permutes this is the middle: they have sent, and not arrived
    int32_t parent = -1;
    StepKind kind = StepKind::CollectivePermute;  // the step that leads here
    Cost cost = {};
    bool closed = false;
  };
  /// States that a permute can reach from one another all cost it the same.
  struct Hub {
    std::array<int64_t, kMaxDims> shards = {};
    uint32_t partial = 0;
    bool on_target = false;

    friend bool operator==(const Hub&, const Hub&) = default;
  };
  struct Entry {
    Cost estimate;
    int32_t node = 0;
    Cost cost;

    /// The last one in a queue is taken first: small estimates, then what has come far.
    bool operator<(const Entry& other) const {
      if (estimate != other.estimate) return estimate > other.estimate;
      if (cost != other.cost) return cost < other.cost;
      return node > other.node;
    }
  };

  double bytes(const Lists& lists) const;
  double bytes_with(const Lists& lists, std::size_t dim, int64_t extent) const;
  Cost estimate(const Lists& lists, bool on_target) const;
  Cost estimate(const Hub& hub) const;
  Cost remaining(double wanted, double kept) const;

  void expand(int32_t node);
  void gathers(const Lists& from);
  void slices(const Lists& from, std::size_t dim, Lists& sliced);
  void exchanges(const Lists& from, std::size_t source, std::size_t count);
  void exchange(const Lists& from, const Lists& rest, std::size_t target,
                std::span<const uint8_t> moved);
  void reductions(const Lists& from);
  void scatters(const Lists& from, std::size_t dim, Lists& scattered);
  void permutes(const Lists& from);
  void send_to_hub(const Lists& from, bool on_target);
  template <class Visit>
  void arrangements(Lists& lists, const Hub& hub, std::size_t dim, int64_t rest, Visit visit);
  void leave_hub(int32_t node);

  /// Another way to a state, or the first one. `live` is what its step holds, in and out.
  void add(const Lists& to, bool on_target, StepKind kind, const links::Exchange& exchange,
           double live);
  void push(int32_t node, const Cost& cost, const Cost& left, StepKind kind);
  AxisList axes(std::span<const uint8_t> atoms) const;
  /// The step costs the same wherever its axes are.
  AxisList axes_if_needed(std::span<const uint8_t> atoms) const {
    return links_.is_uniform() ? AxisList{{0, 1, product_of(atoms)}} : axes(atoms);
  }
  int64_t product_of(std::span<const uint8_t> atoms) const {
    int64_t size = 1;
    for (const uint8_t atom : atoms) size *= problem_.atoms[atom].size;
    return size;
  }
  bool is_exact(std::size_t dim, int64_t shards, int64_t factor) const;
  std::vector<ReshardStep> path(int32_t node) const;

  const Problem& problem_;
  const links::Links& links_;
  Limits limits_;
  Cost bound_;
  double whole_ = 1;   // bytes of the tensor, where other dims are split as they stay
  double wanted_ = 0;  // at the goal, on a device
  bool is_even_ = true;
  std::array<int64_t, kMaxDims> goal_shards_ = {};
  std::vector<Node> nodes_;
  StateIndex index_[2];  // on the devices of the start, of the end
  std::vector<Hub> hubs_;
  std::vector<int32_t> hub_nodes_;
  std::priority_queue<Entry> queue_;
  int32_t here_ = 0;
  int64_t ways_ = 0;  // looked at
};

/// The step between two states; what it does is what changes. Requires: there is one of that kind.
ReshardStep make_step(const Problem& problem, const Lists& before, const Lists& after,
                      StepKind kind, bool on_target);

/// Slices that follow one another as one step; with `all_kinds` also gathers and reduce-scatters.
std::vector<ReshardStep> joined(std::vector<ReshardStep> steps, bool all_kinds);

}  // namespace shardy::search

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/search_inl.hpp>
#endif
