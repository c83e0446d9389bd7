// Laws of propagation 21 over random problems, and a comparison with a literal transcription of the
// specification.

#include <algorithm>
#include <string>
#include <vector>

#include "propagation/oracle.hpp"
#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing {
namespace {

std::vector<Options> all_options() {
  std::vector<Options> all;
  for (const Algorithm algorithm :
       {Algorithm::Basic, Algorithm::Aggressive, Algorithm::OpPriority, Algorithm::UserPriority}) {
    for (const Strategy strategy :
         {Strategy::Aggressive, Strategy::Basic, Strategy::BasicThenAggressive}) {
      all.push_back({.algorithm = algorithm, .strategy = strategy});
    }
  }
  all.push_back({.run_op_priority = false});
  return all;
}

std::vector<std::string> texts(const Problem& problem) {
  std::vector<std::string> all;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    all.push_back(to_text(problem.sharding(SlotId(slot))));
  }
  return all;
}

/// The old list is a prefix of the new one, or equal to it.
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

}  // namespace

TEST_CASE("propagation leads to what the literal specification leads to",
          "[propagation][random][differential]") {
  const std::vector<Options> all = all_options();
  for (uint64_t round = 0; round < 3000; ++round) {
    const uint64_t seed = Catch::rngSeed() * 1000003 + round;
    const RandomProblem random = random_problem(seed, {.num_ops = 1 + round % 12});
    const Options& options = all[round % all.size()];
    CAPTURE(seed, to_text(random), static_cast<int>(options.algorithm),
            static_cast<int>(options.strategy));
    Problem problem = random.problem;
    const Result<Report> report = propagate(problem, options);
    if (!report) FAIL(report.error().message);
    REQUIRE(texts(problem) == expected_shardings(random.problem, random.rules, options));
  }
}

TEST_CASE("propagation only appends axes, and only to open dims", "[propagation][random][law]") {
  for (uint64_t round = 0; round < 500; ++round) {
    const uint64_t seed = Catch::rngSeed() * 1000003 + round;
    // Members of a group get each other's sharding whole, so groups are no law of a single slot. An
    // axis of size 1 can come to a major factor, in front of other axes of the dim.
    const RandomProblem random =
        random_problem(seed, {.num_ops = 8, .has_groups = false, .has_unit_sizes = false});
    CAPTURE(seed, to_text(random));
    Problem problem = random.problem;
    REQUIRE(propagate(problem));
    check_monotone(random.problem, problem);
  }
}

// Not so for a value in several positions of an op (E16), nor for dims of several factors: there
// axes of a step can be dropped on the way back (propagation 4), while its other writes change what
// the next step of the op decides.
TEST_CASE("a second sweep changes nothing", "[propagation][random][law]") {
  for (uint64_t round = 0; round < 1000; ++round) {
    const uint64_t seed = Catch::rngSeed() * 1000003 + round;
    const RandomProblem random = random_problem(seed, {.num_ops = 8,
                                                       .with_priorities = false,
                                                       .repeats_operands = false,
                                                       .has_function_results = false,
                                                       .has_groups = false,
                                                       .has_compound_dims = false,
                                                       .has_unit_sizes = false});
    const Options options{.algorithm = round % 2 == 0 ? Algorithm::Basic : Algorithm::Aggressive};
    CAPTURE(seed, to_text(random), static_cast<int>(options.algorithm));
    Problem once = random.problem;
    REQUIRE(propagate(once, options));
    Problem twice = once;
    REQUIRE(propagate(twice, options));
    CHECK(texts(twice) == texts(once));
  }
}

}  // namespace shardy::propagation::testing
