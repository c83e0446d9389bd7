// The laws of propagation 21 hold for random problems. A run checks a few problems,
// `propagation_test "[full]"` checks 100,000.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "shardy/propagation/log.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::laws_test {
namespace {

std::vector<std::string> texts(const Problem& problem) {
  std::vector<std::string> all;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    all.push_back(to_text(problem.sharding(SlotId(slot))));
  }
  return all;
}

/// Checks whether the old list is a prefix of the new one, or equal to it.
bool extends(const AxisList& now, const AxisList& before) {
  return prefix_status(before, now) != PrefixStatus::NotAPrefix;
}

void check_monotone(const Problem& before, const Problem& now) {
  for (uint32_t index = 0; index < before.num_slots(); ++index) {
    const auto& old = before.sharding(SlotId(index));
    const auto& fresh = now.sharding(SlotId(index));
    if (!old) continue;
    CAPTURE(index, to_text(old), to_text(fresh));
    REQUIRE(fresh.has_value());
    CHECK(fresh->replicated_axes() == old->replicated_axes());
    CHECK(fresh->unreduced_axes() == old->unreduced_axes());
    CHECK(fresh->reduction_op() == old->reduction_op());
    for (std::size_t dim = 0; dim < old->rank(); ++dim) {
      CHECK(fresh->is_closed(dim) == old->is_closed(dim));
      CHECK(extends(fresh->dim(dim).axes, old->dim(dim).axes));
      if (old->is_closed(dim)) CHECK(fresh->dim(dim).axes == old->dim(dim).axes);
    }
  }
}

// The problems have no groups, because a member of a group gets the full sharding of another
// member. They have no axes of size 1, because such an axis may get to a major factor, in front of
// other axes of the dim. User priorities are part of the law: axes of an annotation stay, even if
// other axes were added before.
void check_that_axes_are_only_appended(uint64_t seed) {
  const RandomProblem random = random_problem(
      seed,
      {.num_ops = 8, .has_groups = false, .has_unit_sizes = false, .has_dead_ops = seed % 2 == 0});
  CAPTURE(seed, to_text(random));
  Problem problem = random.problem;
  REQUIRE(propagate(problem));
  check_monotone(random.problem, problem);
}

// A second propagation changes nothing. Three kinds of problems are left out, because the law does
// not hold for them:
//  - an op uses a value in several positions (E16), or a dim has several factors. Then a step may
//    drop axes when it writes shardings back (propagation 4), while its other writes change the
//    decisions of the op's next step.
//  - a sub-axis grows into one that it does not divide (E48). An axis that conflicts with the old
//    sub-axis may coexist with the new one.
void check_that_again_changes_nothing(uint64_t seed) {
  const RandomProblem random = random_problem(seed, {.num_ops = 8,
                                                     .with_priorities = false,
                                                     .repeats_operands = false,
                                                     .has_function_results = false,
                                                     .has_groups = false,
                                                     .has_compound_dims = false,
                                                     .has_unit_sizes = false,
                                                     .has_mixed_splits = false});
  const ProblemOptions options{.algorithm =
                                   seed % 2 == 0 ? Algorithm::Basic : Algorithm::Aggressive};
  CAPTURE(seed, to_text(random), static_cast<int>(options.algorithm));
  Problem once = random.problem;
  REQUIRE(propagate(once, options));
  Problem twice = once;
  REQUIRE(propagate(twice, options));
  CHECK(texts(twice) == texts(once));
}

/// Checks for shardings that the start of a group ignores: no sharding, and open dims without axes.
bool is_empty(const std::optional<TensorSharding>& sharding) {
  return !sharding || sharding->is_fully_replicated_and_open();
}

/// Returns the replicated axes, the unreduced axes, and the axes of each dim.
std::vector<AxisList> axes_of(const TensorSharding& sharding) {
  std::vector<AxisList> axes = {sharding.replicated_axes(), sharding.unreduced_axes()};
  for (const DimSharding& dim : sharding.dims()) axes.push_back(dim.axes);
  return axes;
}

/// Checks whether a member shares its storage with another target of its edge. A write to the other
/// target is not a write to the member, and a group only follows its members (propagation 7.5).
bool shares_storage(const Problem& problem, GroupId group) {
  for (uint32_t index = 0; index < problem.num_slots(); ++index) {
    const Slot& slot = problem.slot(SlotId(index));
    if (!slot.storage.valid() || slot.storage.value == index) continue;
    if (slot.group == group || problem.slot(slot.storage).group == group) return true;
  }
  return false;
}

/// Checks that members of a group have the same axes if the group had no conflict at the start. A
/// member without a sharding equals one whose dims are open and have no axes, because the first
/// write to a sibling gives a member such dims.
void check_groups(const Problem& problem, const ProblemReport& report) {
  for (uint32_t group = 0; group < problem.num_groups(); ++group) {
    const auto members = problem.members(GroupId(group));
    const bool has_conflict = std::ranges::any_of(
        report.conflicts, [&](const GroupConflict& each) { return each.group == GroupId(group); });
    if (has_conflict || shares_storage(problem, GroupId(group))) continue;
    for (std::size_t index = 1; index < members.size(); ++index) {
      const auto& first = problem.sharding(members[0]);
      const auto& other = problem.sharding(members[index]);
      if (is_empty(first) && is_empty(other)) continue;
      REQUIRE((first && other));
      CHECK(axes_of(*first) == axes_of(*other));
    }
  }
}

/// Checks that nodes with one direction move axes only in this direction, and that nodes without a
/// direction have no steps.
void check_directions(const Problem& problem, const DecisionLog& log) {
  for (const LoggedStep& step : log.steps()) {
    const Node& node = problem.node(step.node);
    CHECK(node.direction != Direction::None);
    for (const AxisMove& move : step.moves) {
      const bool from_operand = move.source < node.num_operands;
      if (node.direction == Direction::Forward) CHECK(from_operand);
      if (node.direction == Direction::Backward) CHECK_FALSE(from_operand);
      CHECK_FALSE(problem.rule(node.rule).is_blocked(move.factor));
    }
  }
}

/// Checks the number of visits. A sweep visits each node once and function results twice. Each
/// write that wakes a node causes one more visit.
void check_visits(const Problem& problem, const DecisionLog& log, const ProblemReport& report) {
  std::size_t bound = 2 * log.sweeps().size() * problem.num_nodes();
  const auto add_wakes = [&](SlotId slot) {
    bound += problem.wakes(problem.slot(slot).storage).size();
  };
  for (const LoggedStep& step : log.steps()) {
    for (const std::size_t target : step.targets) {
      add_wakes(problem.tensors(step.node)[target].slot);
    }
  }
  for (const GroupCopy& copy : log.group_copies()) add_wakes(copy.member);
  CHECK(report.num_steps <= static_cast<int64_t>(bound));
}

/// Checks whether an op that is not erased, or a group, uses the slot.
bool is_used(const Problem& problem, SlotId slot, const std::set<uint32_t>& erased) {
  for (uint32_t node = 0; node < problem.num_nodes(); ++node) {
    if (erased.contains(node) || !problem.node(NodeId(node)).operands_are_uses) continue;
    const auto operands = problem.operands(NodeId(node));
    if (std::ranges::count(operands, slot, &TensorUse::slot) > 0) return true;
  }
  return problem.slot(slot).group.valid();
}

/// Checks that exactly the dead ops are erased, each once. Dead ops are removable, and only dead
/// ops use their results. Users are erased before their operands' ops. The oracle checks up to
/// which step dead ops count as users.
void check_dead_ops(const Problem& problem, const ProblemReport& report) {
  const auto is_dead = [&](uint32_t node, const std::set<uint32_t>& erased) {
    const auto results = problem.results(NodeId(node));
    return problem.node(NodeId(node)).is_removable &&
           std::ranges::none_of(results, [&](const TensorUse& result) {
             return is_used(problem, result.slot, erased);
           });
  };
  std::set<uint32_t> erased;
  for (const NodeId node : report.erased) {
    CAPTURE(node.value);
    CHECK(is_dead(node.value, erased));
    CHECK(erased.insert(node.value).second);
  }
  for (uint32_t node = 0; node < problem.num_nodes(); ++node) {
    CAPTURE(node);
    if (!erased.contains(node)) CHECK_FALSE(is_dead(node, erased));
  }
}

/// The same problem with its slots in another order. Slots that share a storage keep their order.
class Renumbering {
 public:
  Renumbering(const RandomProblem& random, uint64_t seed) : random_(random) {
    Random shuffle(seed);
    const Problem& old = random.problem;
    std::vector<SlotId> storages;
    std::vector<SlotId> sharers;
    for (uint32_t slot = 0; slot < old.num_slots(); ++slot) {
      const bool shares = old.slot(SlotId(slot)).storage != SlotId(slot);
      (shares ? sharers : storages).emplace_back(slot);
    }
    shuffle.shuffle(storages);
    order_ = storages;
    order_.insert(order_.end(), sharers.begin(), sharers.end());
  }

  Problem build() {
    for (const SlotId slot : order_) add_slot(slot);
    for (uint32_t node = 0; node < old().num_nodes(); ++node) add_node(NodeId(node));
    for (uint32_t group = 0; group < old().num_groups(); ++group) {
      builder_.add_group(renamed(old().members(GroupId(group)))).value();
    }
    return std::move(builder_).build().value();
  }
  SlotId operator()(SlotId slot) const { return new_ids_.at(slot); }

 private:
  const Problem& old() const { return random_.problem; }

  void add_slot(SlotId slot) {
    const auto shape = old().shape(slot);
    SlotSpec spec{.shape = {shape.begin(), shape.end()}};
    const SlotId storage = old().slot(slot).storage;
    if (storage == slot) {
      spec.sharding = old().sharding(slot);
    } else {
      spec.shares = new_ids_.at(storage);
    }
    new_ids_[slot] = builder_.add_slot(spec).value();
  }

  std::vector<SlotId> renamed(std::span<const SlotId> slots) const {
    std::vector<SlotId> all;
    for (const SlotId slot : slots) all.push_back(new_ids_.at(slot));
    return all;
  }
  std::vector<TensorUse> renamed(std::span<const TensorUse> uses) const {
    std::vector<TensorUse> all;
    for (const TensorUse& use : uses) all.push_back({new_ids_.at(use.slot), use.view});
    return all;
  }

  void add_node(NodeId id) {
    const Node& node = old().node(id);
    const std::vector<TensorUse> operands = renamed(old().operands(id));
    const std::vector<TensorUse> results = renamed(old().results(id));
    if (node.is_function_result) {
      REQUIRE(builder_.add_function_result(operands[0].slot, results[0].slot));
      return;
    }
    NodeSpec spec{.rule = builder_.add_rule(random_.rules[node.rule.index()]).value(),
                  .operands = operands,
                  .results = results,
                  .direction = node.direction,
                  .priority = node.priority,
                  .is_elementwise = node.is_elementwise,
                  .is_conservative = node.is_conservative,
                  .is_removable = node.is_removable,
                  .operands_are_uses = node.operands_are_uses};
    REQUIRE(builder_.add_node(spec));
    const auto siblings = old().siblings(old().results(id)[0].slot);
    if (siblings.size() > 1) REQUIRE(builder_.add_siblings(renamed(siblings)));
  }

  const RandomProblem& random_;
  std::vector<SlotId> order_;
  std::map<SlotId, SlotId> new_ids_;
  ProblemBuilder builder_;
};

void check_that_numbers_do_not_matter(const RandomProblem& random, const Problem& solved,
                                      const ProblemOptions& options, uint64_t seed) {
  Renumbering renumber(random, seed);
  Problem other = renumber.build();
  REQUIRE(propagate(other, options));
  for (uint32_t slot = 0; slot < solved.num_slots(); ++slot) {
    CAPTURE(slot);
    CHECK(to_text(other.sharding(renumber(SlotId(slot)))) ==
          to_text(solved.sharding(SlotId(slot))));
  }
}

void check_one_run(uint64_t seed) {
  const RandomProblem random = random_problem(seed, {.num_ops = 8, .has_dead_ops = seed % 2 == 0});
  // With a single sweep, propagation must visit the operands of dead ops again.
  const ProblemOptions options{.algorithm =
                                   seed % 4 == 0 ? Algorithm::Basic : Algorithm::UserPriority};
  CAPTURE(seed, to_text(random), static_cast<int>(options.algorithm));
  Problem problem = random.problem;
  DecisionLog log;
  const Result<ProblemReport> report = propagate(problem, options, log);
  REQUIRE(report);
  check_groups(problem, *report);
  check_directions(problem, log);
  check_visits(problem, log, *report);
  check_dead_ops(problem, *report);
  check_that_numbers_do_not_matter(random, problem, options, seed);
}

template <class Check>
void for_seeds(uint64_t count, Check check) {
  for (uint64_t round = 0; round < count; ++round) check(Catch::rngSeed() * 1000003 + round);
}

constexpr uint64_t kFull = 100000;

}  // namespace

TEST_CASE("propagation only appends axes, and only to open dims", "[propagation][random][law]") {
  for_seeds(500, check_that_axes_are_only_appended);
}

TEST_CASE("a second sweep changes nothing", "[propagation][random][law]") {
  for_seeds(1000, check_that_again_changes_nothing);
}

TEST_CASE("groups, directions, visit counts, dead ops and numbering satisfy the laws",
          "[propagation][random][law]") {
  for_seeds(500, check_one_run);
}

TEST_CASE("the laws hold on 100,000 graphs", "[.][full]") {
  for_seeds(kFull, check_that_axes_are_only_appended);
  for_seeds(kFull, check_that_again_changes_nothing);
  for_seeds(kFull, check_one_run);
}

}  // namespace shardy::propagation::testing::laws_test
