#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardy/propagation/detail/step.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::propagation;

namespace step_memo_test {
namespace {

/// Updates of the memo for a key of these words.
std::optional<std::span<const StepUpdate>> look(StepMemo& memo, std::vector<uint32_t> words) {
  memo.key() = std::move(words);
  return memo.find();
}

StepUpdate update_of(uint32_t number) { return {number % 7, ShardingId(number)}; }

}  // namespace

TEST_CASE("a step memo returns the updates of each stored step and of no other step",
          "[propagation][memo]") {
  constexpr uint32_t kSteps = 1000;
  StepMemo memo;
  for (uint32_t step = 0; step < kSteps; ++step) {
    REQUIRE_FALSE(look(memo, {step, 2 * step}));
    memo.add(std::vector(step % 3, update_of(step)));
  }
  CHECK(memo.size() == kSteps);
  for (uint32_t step = 0; step < kSteps; ++step) {
    const auto known = look(memo, {step, 2 * step});
    REQUIRE(known);
    CHECK(std::vector(known->begin(), known->end()) == std::vector(step % 3, update_of(step)));
    CHECK_FALSE(look(memo, {step}));
    CHECK_FALSE(look(memo, {2 * step + 1, step}));
    CHECK_FALSE(look(memo, {step, 2 * step, 0}));
  }
}

TEST_CASE("a full step memo keeps its steps and stores no more", "[propagation][memo]") {
  StepMemo memo;
  const auto num_steps = static_cast<uint32_t>(StepMemo::kMaxSize + 10);
  for (uint32_t step = 0; step < num_steps; ++step) {
    REQUIRE_FALSE(look(memo, {step}));
    memo.add(std::vector{update_of(step)});
  }
  CHECK(memo.size() == StepMemo::kMaxSize);
  CHECK(look(memo, {0}));
  CHECK(look(memo, {num_steps - 11}));
  CHECK_FALSE(look(memo, {num_steps - 1}));
}

}  // namespace step_memo_test
