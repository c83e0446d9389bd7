// Propagation of random problems against a literal transcription of the specification.

#include <algorithm>
#include <string>
#include <vector>

#include "propagation/oracle.hpp"
#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::random_test {
namespace {

std::vector<ProblemOptions> all_options() {
  std::vector<ProblemOptions> all;
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

void check_against_the_oracle(uint64_t rounds) {
  const std::vector<ProblemOptions> all = all_options();
  for (uint64_t round = 0; round < rounds; ++round) {
    const uint64_t seed = Catch::rngSeed() * 1000003 + round;
    const RandomProblem random =
        random_problem(seed, {.num_ops = 1 + round % 12, .has_dead_ops = round % 4 == 0});
    const ProblemOptions& options = all[round % all.size()];
    CAPTURE(seed, to_text(random), static_cast<int>(options.algorithm),
            static_cast<int>(options.strategy));
    Problem problem = random.problem;
    const Result<ProblemReport> report = propagate(problem, options);
    if (!report) FAIL(report.error().message);
    REQUIRE(texts(problem) == expected_shardings(random.problem, random.rules, options));
  }
}

}  // namespace

TEST_CASE("propagation gives the result of a literal model of the specification",
          "[propagation][random][differential]") {
  check_against_the_oracle(4000);
}

TEST_CASE("propagation gives the result of the literal model on 100,000 graphs", "[.][full]") {
  check_against_the_oracle(100000);
}

}  // namespace shardy::propagation::testing::random_test
