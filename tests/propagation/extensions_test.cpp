// Extensions of the propagator: the library's own answers given back change nothing, any others
// end in shardings, and those that are none in errors.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "propagation/random_problem.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/propagation/problem.hpp"
#include "shardy/propagation/propagate.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::propagation::extensions_test {
namespace {

using testing::Random;
using testing::random_problem;
using testing::RandomProblem;

PropagationExtensions own_answers() {
  PropagationExtensions extensions;
  extensions.compatible_axes = [](const FactorQuery& query) {
    return default_compatible_axes(query);
  };
  extensions.resolve_conflicts = [](const ConflictQuery& query) {
    return default_conflict_order(query);
  };
  extensions.op_priorities.direction = [](const LevelQuery& query) {
    return default_direction(query);
  };
  extensions.user_priorities = [](std::span<const int64_t> ascending) {
    return std::vector<int64_t>(ascending.begin(), ascending.end());
  };
  return extensions;
}

/// All hierarchies in turn.
ProblemOptions options_of(uint64_t round) {
  return {.algorithm = static_cast<Algorithm>(round % 4),
          .strategy = static_cast<Strategy>(round / 4 % 3),
          .run_op_priority = round % 5 != 0};
}

std::string shardings_of(const Problem& problem) {
  std::string text;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    const auto& sharding = problem.sharding(SlotId(slot));
    text += (sharding ? to_string(*sharding) : "none") + "\n";
  }
  return text;
}

TEST_CASE("extensions that return the default answers do not change propagation",
          "[propagation][extensions][differential]") {
  for (uint64_t round = 0; round < 600; ++round) {
    const RandomProblem given =
        random_problem(Catch::rngSeed() * 1000003 + round, {.num_ops = 1 + round % 12});
    CAPTURE(round, to_text(given));
    ProblemOptions options = options_of(round);
    Problem plain = given.problem;
    const ProblemReport expected = propagate(plain, options).value();
    options.extensions = own_answers();
    Problem asked = given.problem;
    const ProblemReport report = propagate(asked, options).value();
    CHECK(report.num_updates == expected.num_updates);
    CHECK(report.erased == expected.erased);
    CHECK(shardings_of(asked) == shardings_of(plain));
  }
}

/// Answers that follow from the question, and from nothing that propagation wants.
PropagationExtensions random_answers(uint64_t seed) {
  PropagationExtensions extensions;
  extensions.compatible_axes = [seed](const FactorQuery& query) {
    std::size_t hash = hash_of(seed, query.factor, static_cast<int>(query.direction));
    for (const uint32_t entry : query.layout.factor_entries(query.factor)) {
      hash = hash_of(hash, hash_range(query.projection.entries[entry].axes));
    }
    Random random(hash);
    if (random.chance(50)) return default_compatible_axes(query);
    std::vector<int32_t> order;
    for (int32_t axis = 0; axis < query.mesh.num_axes(); ++axis) order.push_back(axis);
    random.shuffle(order);
    AxisList axes;
    for (std::size_t count = random.below(order.size() + 1); count > 0; --count) {
      axes.push_back(query.mesh.full_axis(order[count - 1]));
    }
    return axes;
  };
  extensions.resolve_conflicts = [seed](const ConflictQuery& query) {
    Random random(hash_of(seed, query.candidates.size()));
    std::vector<std::size_t> order;
    for (std::size_t factor = 0; factor < query.candidates.size(); ++factor) {
      order.push_back(factor);
    }
    random.shuffle(order);
    return order;
  };
  extensions.op_priorities.num_levels = 1 + static_cast<int>(seed % kMaxLevels);
  extensions.op_priorities.direction = [seed](const LevelQuery& query) {
    Random random(hash_of(seed, query.node.value, query.factor, query.level));
    return static_cast<Direction>(random.below(4));
  };
  extensions.user_priorities = [](std::span<const int64_t> ascending) {
    return std::vector<int64_t>(ascending.rbegin(), ascending.rend());
  };
  return extensions;
}

TEST_CASE("random answers of extensions end in valid shardings",
          "[propagation][extensions][random]") {
  int64_t num_different = 0;
  for (uint64_t round = 0; round < 600; ++round) {
    const RandomProblem given =
        random_problem(Catch::rngSeed() * 1000003 + round, {.num_ops = 1 + round % 12});
    CAPTURE(round, to_text(given));
    ProblemOptions options = options_of(round);
    Problem plain = given.problem;
    REQUIRE(propagate(plain, options));
    options.extensions = random_answers(round);
    Problem changed = given.problem;
    const auto report = propagate(changed, options);
    REQUIRE(report);
    num_different += shardings_of(changed) != shardings_of(plain) ? 1 : 0;
    for (uint32_t slot = 0; slot < changed.num_slots(); ++slot) {
      const auto& sharding = changed.sharding(SlotId(slot));
      if (!sharding) continue;
      const std::vector<DimSharding> dims(sharding->dims().begin(), sharding->dims().end());
      CHECK(TensorSharding::make(sharding->mesh(), sharding->mesh_name(), dims,
                                 sharding->replicated_axes(), sharding->unreduced_axes()));
    }
  }
  CHECK(num_different > 100);
}

/// The error that the extensions end in, in one of some problems; the others are not asked.
std::string error_of(const PropagationExtensions& extensions) {
  for (uint64_t round = 0; round < 100; ++round) {
    const RandomProblem given = random_problem(round, {.num_ops = 8, .has_groups = false});
    Problem problem = given.problem;
    const auto report = propagate(problem, {.extensions = extensions});
    if (report) continue;
    CHECK(shardings_of(problem) == shardings_of(given.problem));
    return report.error().message;
  }
  return "no error";
}

std::string error_of_axes(const AxisList& axes) {
  PropagationExtensions extensions;
  extensions.compatible_axes = [axes](const FactorQuery&) { return axes; };
  return error_of(extensions);
}

TEST_CASE("invalid answers of extensions are errors", "[propagation][extensions]") {
  const std::string none =
      "extension 'compatible_axes' of propagation returned an invalid list of axes: ";
  CHECK(error_of_axes({{7, 1, 2}}).starts_with(none + "axis index out of range: 7, num_axes: "));
  CHECK(error_of_axes({{-1, 1, 2}}).starts_with(none + "axis index out of range: -1"));
  CHECK(error_of_axes({{0, 1, 11}}).starts_with(none));
  CHECK(error_of_axes({{0, 0, 1}}).starts_with(none));
  CHECK(error_of_axes({{0, 1, 1}, {0, 1, 1}}).starts_with(none));

  PropagationExtensions extensions;
  extensions.resolve_conflicts = [](const ConflictQuery& query) {
    return std::vector<std::size_t>(query.candidates.size(), 1);
  };
  CHECK(error_of(extensions) ==
        "extension 'resolve_conflicts' of propagation returned a list that does not have each "
        "factor of the rule once");
  extensions = {};
  extensions.op_priorities.direction = [](const LevelQuery&) { return static_cast<Direction>(9); };
  CHECK(error_of(extensions) ==
        "extension 'op_priorities' of propagation returned an invalid direction: 9");
  extensions = own_answers();
  extensions.op_priorities.num_levels = kMaxLevels + 1;
  CHECK(error_of(extensions) == "op priorities have from 1 to 8 levels, not 9");
  extensions = {};
  extensions.user_priorities = [](std::span<const int64_t>) { return std::vector<int64_t>{0, 0}; };
  CHECK(error_of(extensions) ==
        "extension 'user_priorities' of propagation returned a list that does not have each "
        "priority once");
}

}  // namespace
}  // namespace shardy::propagation::extensions_test
