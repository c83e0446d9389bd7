#include <array>
#include <limits>
#include <shardy/support/detail/math.hpp>
#include <vector>

#include "support/catch.hpp"

namespace shardy::math_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

static_assert(floor_div(7, 2) == 3 && ceil_div(7, 2) == 4 && floor_mod(7, 2) == 1);

TEST_CASE("floor and ceil division equal counting, also for negative numbers",
          "[support][math][law]") {
  for (int64_t b = 1; b <= 7; ++b) {
    for (int64_t a = -20; a <= 20; ++a) {
      CAPTURE(a, b);
      int64_t quotient = -100;
      while ((quotient + 1) * b <= a) ++quotient;
      CHECK(floor_div(a, b) == quotient);
      CHECK(floor_mod(a, b) == a - quotient * b);
      CHECK(ceil_div(a, b) == (quotient * b == a ? quotient : quotient + 1));
    }
  }
}

TEST_CASE("gcd is the largest number that divides both", "[support][math][law]") {
  for (int64_t a = 1; a <= 30; ++a) {
    CHECK(gcd(a, 0) == a);
    for (int64_t b = 1; b <= 30; ++b) {
      CAPTURE(a, b);
      int64_t largest = 1;
      for (int64_t d = 1; d <= a; ++d) {
        if (a % d == 0 && b % d == 0) largest = d;
      }
      CHECK(gcd(a, b) == largest);
    }
  }
}

TEST_CASE("checked arithmetic rejects results that overflow", "[support][math]") {
  CHECK(checked_mul(kMax, 1) == kMax);
  CHECK(checked_mul(kMax / 2, 2) == kMax - 1);
  CHECK_FALSE(checked_mul(kMax / 2 + 1, 2));
  CHECK_FALSE(checked_mul(kMin, -1));
  CHECK(checked_add(kMax, -1) == kMax - 1);
  CHECK_FALSE(checked_add(kMax, 1));
  CHECK_FALSE(checked_add(kMin, -1));
}

TEST_CASE("saturating products end at the limits", "[support][math]") {
  CHECK(saturating_mul(kMax / 2, 2) == kMax - 1);
  CHECK(saturating_mul(kMax / 2 + 1, 2) == kMax);
  CHECK(saturating_mul(kMin, -1) == kMax);
  CHECK(saturating_mul(kMin, 2) == kMin);
  CHECK(saturating_mul(-2, kMax) == kMin);
  CHECK(saturating_mul(kMin, 0) == 0);
}

TEST_CASE("a product with a zero is zero, however large the other factors", "[support][math]") {
  CHECK(product(std::vector<int64_t>{}) == 1);
  CHECK(product(std::array<int64_t, 3>{2, 3, 5}) == 30);
  CHECK(checked_product(std::vector<int64_t>{kMax, 2, 0}) == 0);
  CHECK(checked_product(std::vector<int64_t>{0, kMax, 2}) == 0);
  CHECK_FALSE(checked_product(std::vector<int64_t>{kMax, 2}));
}

}  // namespace
}  // namespace shardy::math_test
