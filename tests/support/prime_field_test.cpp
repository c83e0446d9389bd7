// The prime field against plain remainders of 128 bit numbers.
#include "shardy/support/detail/prime_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace shardy::prime_field;

namespace prime_field_test {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kModulus = 2305843009213693951;  // 2^61 - 1

/// The remainder in [0, modulus).
uint64_t remainder_of(Int128 x) {
  const Int128 rest = x % kModulus;
  return static_cast<uint64_t>(rest < 0 ? rest + kModulus : rest);
}

/// The ends, and numbers in between.
std::vector<uint64_t> elements() {
  std::vector<uint64_t> all = {0, 1, 2, 3, kPrime - 1, kPrime - 2, kPrime / 2, kPrime / 2 + 1};
  std::mt19937_64 random(1);
  while (all.size() < 60) all.push_back(random() % kPrime);
  return all;
}

}  // namespace

TEST_CASE("sums and products in the prime field equal those modulo 2^61 - 1", "[law]") {
  for (const uint64_t x : elements()) {
    for (const uint64_t y : elements()) {
      const Int128 a = x;
      const Int128 b = y;
      CHECK(add(x, y) == remainder_of(a + b));
      CHECK(subtract(x, y) == remainder_of(a - b));
      CHECK(multiply(x, y) == remainder_of(a * b));
    }
    CHECK(negate(x) == remainder_of(-Int128{x}));
    CHECK(multiply(x, inverse(x)) == (x == 0 ? 0U : 1U));
  }
}

TEST_CASE("inverses of many elements equal the inverse of each element", "[law]") {
  std::vector<uint64_t> all = elements();
  all.insert(all.begin() + 3, {kNotANumber, 0, kNegativeNotANumber, kPrime});
  for (std::size_t count = 0; count <= all.size(); ++count) {
    std::vector<uint64_t> inverses(count);
    invert_all(all.data(), inverses.data(), count);
    for (std::size_t at = 0; at < count; ++at) {
      const uint64_t product = is_number(all[at]) ? multiply(all[at], inverses[at]) : 0;
      CHECK(inverses[at] == inverse(all[at]));
      CHECK(product == (is_number(all[at]) && all[at] != 0 ? 1U : 0U));
    }
  }
}

TEST_CASE("integers convert to the prime field modulo 2^61 - 1") {
  for (const int64_t x : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN, kModulus, -kModulus}) {
    CHECK(image(x) == remainder_of(x));
  }
  for (const uint64_t x : {uint64_t{0}, UINT64_MAX, kPrime, kPrime - 1}) {
    CHECK(image(x) == remainder_of(x));
  }
}

TEST_CASE("floats convert to the prime field without rounding", "[law]") {
  CHECK(image(3.0) == 3);
  CHECK(image(-2.5) == multiply(image(int64_t{-5}), inverse(2)));
  CHECK(image(-0.0) == 0);
  CHECK(image(0x1p-1074) == inverse(power(2, 1074)));
  CHECK(image(0x1p61) == 1);
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {  // sums and products of these fit a double
    const double x = std::ldexp(static_cast<double>(random() % 1000) - 500, round % 20 - 10);
    const double y = std::ldexp(static_cast<double>(random() % 1000) - 500, round % 7 - 3);
    CHECK(image(x + y) == add(image(x), image(y)));
    CHECK(image(x * y) == multiply(image(x), image(y)));
  }
}

TEST_CASE("NaN in the prime field absorbs all other operands") {
  for (const uint64_t nan : {kNotANumber, kNegativeNotANumber}) {
    CHECK_FALSE(is_number(nan));
    for (const uint64_t x : {uint64_t{0}, uint64_t{1}, kInfinity}) {
      CHECK_FALSE(is_number(add(x, nan)));
      CHECK_FALSE(is_number(subtract(nan, x)));
      CHECK_FALSE(is_number(multiply(nan, x)));
    }
    CHECK_FALSE(is_number(negate(nan)));
    CHECK_FALSE(is_number(inverse(nan)));
  }
  CHECK(image(std::numeric_limits<double>::quiet_NaN()) == kNotANumber);
  CHECK(image(-std::numeric_limits<double>::quiet_NaN()) == kNegativeNotANumber);
}

TEST_CASE("field elements are ordered with infinities at the ends and small integers as numbers") {
  const double infinity = std::numeric_limits<double>::infinity();
  std::set<uint64_t> keys;
  for (const uint64_t x : elements()) {
    CHECK(order_key(image(-infinity)) < order_key(x));
    CHECK(order_key(x) < order_key(image(infinity)));
    keys.insert(order_key(x));
  }
  CHECK(keys.size() == elements().size());
  CHECK(order_key(kNegativeNotANumber) < order_key(image(-infinity)));
  CHECK(order_key(kNotANumber) > order_key(image(infinity)));
  for (const int64_t x : {int64_t{-4000000000}, int64_t{-7}, int64_t{-1}, int64_t{0}, int64_t{5}}) {
    CHECK(order_key(image(x)) < order_key(image(x + 1)));
  }
  CHECK(negate(kInfinity) == image(-infinity));
  int64_t below = 0;  // zero, at random
  std::mt19937_64 random(3);
  for (int round = 0; round < 1000; ++round) {
    below += order_key(random() % kPrime) < order_key(0) ? 1 : 0;
  }
  CHECK(below > 400);
  CHECK(below < 600);
}

TEST_CASE("field elements other than small integers are ordered between any two bounds") {
  const auto number_between = [](int64_t low, int64_t high) {
    std::mt19937_64 random(9);
    int64_t count = 0;
    for (int round = 0; round < 10000; ++round) {
      const uint64_t key = order_key(random() % kPrime);
      count += order_key(image(low)) < key && key < order_key(image(high)) ? 1 : 0;
    }
    return count;
  };
  CHECK(number_between(0, 1) > 400);
  CHECK(number_between(-1, 0) > 400);
  for (int64_t bound = 1; bound < kSmall / 2; bound *= 2) {
    CAPTURE(bound);
    CHECK(number_between(bound, 2 * bound) > 20);
    CHECK(number_between(-2 * bound, -bound) > 20);
  }
  CHECK(number_between(4, 5) > 0);
}

TEST_CASE("all small integers keep their order in the prime field, also at powers of two") {
  for (int64_t bound = 1; bound < kSmall; bound *= 2) {
    for (int64_t x = std::max<int64_t>(0, bound - 3); x < std::min(bound + 3, kSmall - 1); ++x) {
      CAPTURE(x);
      CHECK(order_key(image(x)) < order_key(image(x + 1)));
      CHECK(order_key(image(-x)) > order_key(image(-x - 1)));
    }
  }
  CHECK(order_key(image(kSmall - 1)) < order_key(kInfinity));
}

}  // namespace prime_field_test
