// Sets of small numbers.
#include <optional>
#include <random>
#include <set>
#include <shardy/support/detail/number_set.hpp>

#include "support/catch.hpp"

namespace shardy::number_set_test {
namespace {

TEST_CASE("a number set has the elements of a sorted set", "[support][number_set][random]") {
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

}  // namespace
}  // namespace shardy::number_set_test
