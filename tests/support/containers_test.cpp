// What keeps programs small: boxes, shared values, lists of ids, packed lists, arrays in chunks,
// lists read from text.
#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <shardy/support/number_set.hpp>
#include <shardy/support/shared.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace shardy {
namespace {

TEST_CASE("a set of numbers holds what a sorted set holds", "[support][number_set][random]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint32_t bound : {1U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 300'000U}) {
    CAPTURE(bound);
    NumberSet numbers(bound);
    std::set<uint32_t> expected;
    for (uint32_t number = 0; number < bound; ++number) expected.insert(number);
    const auto check_from = [&](uint32_t from) {
      const auto found = expected.lower_bound(from);
      CHECK(numbers.first_from(from) ==
            (found == expected.end() ? std::nullopt : std::optional(*found)));
    };
    const auto change = [&](uint32_t number, bool is_in) {
      is_in ? numbers.insert(number) : numbers.erase(number);
      is_in ? void(expected.insert(number)) : void(expected.erase(number));
    };
    // All but a few go: then words of all levels are empty.
    for (uint32_t number = 0; number < bound; ++number) change(number, random() % 5000 == 0);
    for (int round = 0; round < 1000; ++round) {
      const auto number = static_cast<uint32_t>(random() % bound);
      change(number, random() % 2 == 0);
      CHECK(numbers.contains(number) == expected.contains(number));
      check_from(static_cast<uint32_t>(random() % (bound + 100)));
    }
    check_from(0);
    check_from(bound - 1);
    check_from(bound);
  }
}

struct Tracked : OwnerCount {
  explicit Tracked(int& ends) : num_ends(&ends) {}
  static void destroy(const Tracked* tracked) {
    ++*tracked->num_ends;
    delete tracked;
  }
  int* num_ends;
};

static_assert(sizeof(Shared<Tracked>) == sizeof(void*));

TEST_CASE("a shared value ends with the last of its owners", "[support][shared]") {
  int ends = 0;
  {
    Shared<Tracked> first = Shared<Tracked>::make(ends);
    Shared<Tracked> second = first;
    CHECK(first == second);
    CHECK_FALSE(first == Shared<Tracked>());
    Shared<Tracked> third = std::move(second);
    CHECK_FALSE(second);  // NOLINT(bugprone-use-after-move): null is what is left
    CHECK(third == first);
    const Shared<Tracked>& same = third;
    third = same;
    first = Shared<Tracked>();
    CHECK(ends == 0);
    third = Shared<Tracked>::make(ends);
    CHECK(ends == 1);
  }
  CHECK(ends == 2);
}

TEST_CASE("owners of a shared value may be on several threads", "[support][shared]") {
  int ends = 0;
  {
    const Shared<Tracked> value = Shared<Tracked>::make(ends);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int each = 0; each < 4; ++each) {
      threads.emplace_back([value] {
        for (int round = 0; round < 10'000; ++round) {
          const Shared<Tracked> copy = value;  // NOLINT(performance-*): it comes and goes
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(ends == 0);
  }
  CHECK(ends == 1);
}

}  // namespace
}  // namespace shardy
