// Loops over the prime field next to remainders of 128-bit integers. Spec: stablehlo 37.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "shardy/support/detail/prime_field.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/fold.hpp"
#include "support/catch.hpp"

using namespace shardy::simulation;
using shardy::prime_field::kNegativeNotANumber;
using shardy::prime_field::kNotANumber;
using shardy::prime_field::kPrime;

namespace shardy_test::prime_kernels_test {
namespace {

__extension__ using UInt128 = unsigned __int128;

/// Ends of the field and of the limbs of products, then random numbers.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  uint64_t operator()() {
    constexpr uint64_t kOne = 1;
    constexpr uint64_t kEdges[] = {0,
                                   1,
                                   2,
                                   kPrime - 1,
                                   kPrime - 2,
                                   kPrime / 2,
                                   (kOne << 30U) - 1,
                                   kOne << 30U,
                                   (kOne << 31U) - 1,
                                   kOne << 31U,
                                   (kOne << 32U) - 1,
                                   kOne << 32U,
                                   kPrime - (kOne << 31U)};
    const uint64_t draw = random_();
    return draw % 4 == 0 ? kEdges[random_() % std::size(kEdges)] : draw % kPrime;
  }
  std::vector<uint64_t> many(std::size_t count) {
    std::vector<uint64_t> all(count);
    std::ranges::generate(all, *this);
    return all;
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::mt19937_64 random_;
};

struct Matrices {
  ProductShape shape;
  std::vector<uint64_t> x;
  std::vector<uint64_t> y;

  std::size_t depth() const { return static_cast<std::size_t>(shape.depth); }
  std::size_t columns() const { return static_cast<std::size_t>(shape.columns); }

  /// One remainder per term; std::nullopt for NaN.
  std::optional<uint64_t> sum(std::size_t row, std::size_t column) const {
    UInt128 sum = 0;
    for (std::size_t k = 0; k < depth(); ++k) {
      const uint64_t a = x[row * depth() + k];
      const uint64_t b = y[k * columns() + column];
      if (a >= kPrime || b >= kPrime) return std::nullopt;
      sum = (sum + static_cast<UInt128>(a) * b) % kPrime;
    }
    return static_cast<uint64_t>(sum);
  }
};

Matrices matrices(Draw& draw, const ProductShape& shape) {
  return {shape, draw.many(static_cast<std::size_t>(shape.rows * shape.depth)),
          draw.many(static_cast<std::size_t>(shape.depth * shape.columns))};
}

void check_products(const Matrices& of) {
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)).data(); };
  for (const PrimeProductVersion& version : prime_products()) {
    CAPTURE(version.name, of.shape.rows, of.shape.columns, of.shape.depth);
    std::vector<uint64_t> out(static_cast<std::size_t>(of.shape.rows * of.shape.columns), 77);
    version.product(bytes(of.x), bytes(of.y), std::as_writable_bytes(std::span(out)).data(),
                    of.shape);
    int64_t wrong = 0;
    for (std::size_t at = 0; at < out.size(); ++at) {
      const auto sum = of.sum(at / of.columns(), at % of.columns());
      wrong += out[at] == sum.value_or(kNotANumber) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

using Loop = void (*)(const Prime* x, const Prime* y, Prime* out, std::size_t count);

std::vector<Prime> primes(const std::vector<uint64_t>& values) {
  std::vector<Prime> all;
  for (const uint64_t value : values) all.push_back({value});
  return all;
}

/// Elements of which one in eight is NaN.
std::vector<Prime> with_nans(Draw& draw, std::size_t count) {
  std::vector<Prime> all = primes(draw.many(count));
  for (Prime& each : all) {
    if (draw.below(8) == 0) each.raw = draw.below(2) == 0 ? kNotANumber : kNegativeNotANumber;
  }
  return all;
}

/// Counts positions at which the loop differs from the function.
template <class Function>
int64_t differences(Loop loop, const std::vector<Prime>& x, const std::vector<Prime>& y,
                    Function function) {
  std::vector<Prime> out(x.size());
  loop(x.data(), y.data(), out.data(), x.size());
  int64_t count = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    count += out[at] == function(x[at], y[at]) ? 0 : 1;
  }
  return count;
}

bool is_nan(Prime x) { return x.raw >= kPrime; }

/// NaN if one of them is; else the remainder of the 128-bit number that `function` computes.
template <class Function>
auto modulo(Function function) {
  return [function](Prime x, Prime y) -> Prime {
    if (is_nan(x) || is_nan(y)) return {kNotANumber};
    return {static_cast<uint64_t>(function(UInt128{x.raw}, UInt128{y.raw}) % kPrime)};
  };
}

}  // namespace

TEST_CASE("products over the prime field are sums of 128-bit products modulo 2^61 - 1", "[law]") {
  Draw draw(Catch::rngSeed());
  for (const int64_t depth : {0, 1, 2, 3, 4, 11, 12, 13, 62, 63, 64, 65, 126, 127}) {
    for (int64_t rows = 1; rows <= 13; rows += 2) {
      for (const int64_t columns : {1, 3, 4, 5, 7, 8, 9, 16, 17}) {
        check_products(matrices(draw, {rows, columns, depth}));
      }
    }
  }
}

TEST_CASE("products over the prime field are exact beyond blocks of terms and columns", "[law]") {
  Draw draw(Catch::rngSeed());
  for (const int64_t depth : {503, 504, 505, 1008, 1009}) {
    check_products(matrices(draw, {7, 9, depth}));
  }
  for (const int64_t columns : {1023, 1024, 1025, 2049}) {
    check_products(matrices(draw, {7, columns, 5}));
  }
  check_products(matrices(draw, {0, 3, 4}));
  check_products(matrices(draw, {3, 0, 4}));
}

TEST_CASE("products of the largest field elements do not overflow", "[law]") {
  for (const int64_t depth : {3, 12, 63, 64, 504, 1009}) {
    Draw draw(1);
    Matrices greatest = matrices(draw, {7, 9, depth});
    std::ranges::fill(greatest.x, kPrime - 1);
    std::ranges::fill(greatest.y, kPrime - 1);
    check_products(greatest);
    // Limbs of ones only: the greatest sums of limbs.
    std::ranges::fill(greatest.y, kPrime - 2);
    check_products(greatest);
  }
}

TEST_CASE("a NaN operand makes its row or column of the product NaN and nothing else", "[law]") {
  Draw draw(Catch::rngSeed());
  for (int round = 0; round < 40; ++round) {
    Matrices some = matrices(
        draw, {1 + static_cast<int64_t>(draw.below(9)), 1 + static_cast<int64_t>(draw.below(19)),
               1 + static_cast<int64_t>(draw.below(14))});
    some.x[draw.below(some.x.size())] = kNotANumber;
    some.y[draw.below(some.y.size())] = round % 2 == 0 ? kNegativeNotANumber : kPrime;
    check_products(some);
  }
}

TEST_CASE("elementwise loops over the prime field are remainders of 128-bit numbers", "[law]") {
  Draw draw(Catch::rngSeed());
  for (const std::size_t count : {0U, 1U, 5U, 255U, 256U, 257U, 700U}) {
    CAPTURE(count);
    const std::vector<Prime> x = with_nans(draw, count);
    const std::vector<Prime> y = with_nans(draw, count);
    CHECK(differences(&add_primes, x, y, modulo([](UInt128 a, UInt128 b) { return a + b; })) == 0);
    CHECK(differences(&subtract_primes, x, y,
                      modulo([](UInt128 a, UInt128 b) { return a + kPrime - b; })) == 0);
    CHECK(differences(&multiply_primes, x, y, modulo([](UInt128 a, UInt128 b) { return a * b; })) ==
          0);
  }
}

TEST_CASE("a quotient times its divisor is the dividend, and a quotient by 0 is 0", "[law]") {
  Draw draw(Catch::rngSeed());
  for (const std::size_t count : {1U, 255U, 256U, 257U, 700U}) {
    CAPTURE(count);
    const std::vector<Prime> x = with_nans(draw, count);
    const std::vector<Prime> y = with_nans(draw, count);
    std::vector<Prime> quotients(count);
    divide_primes(x.data(), y.data(), quotients.data(), count);
    int64_t wrong = 0;
    for (std::size_t at = 0; at < count; ++at) {
      const auto back =
          static_cast<uint64_t>(static_cast<UInt128>(quotients[at].raw) * y[at].raw % kPrime);
      const uint64_t quotient = quotients[at].raw;
      const bool is_right = is_nan(x[at]) || is_nan(y[at]) ? quotient == kNotANumber
                            : y[at].raw == 0               ? quotient == 0
                                                           : back == x[at].raw && quotient < kPrime;
      wrong += is_right ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("loops for maxima and minima over the prime field follow its order", "[law]") {
  Draw draw(Catch::rngSeed());
  const std::vector<Prime> x = with_nans(draw, 2000);
  std::vector<Prime> y = with_nans(draw, 2000);
  for (std::size_t at = 0; at < y.size(); at += 10) y[at] = x[at];
  const auto key = [](Prime each) { return shardy::prime_field::order_key(each.raw); };
  const auto maximum = [&](Prime a, Prime b) {
    return !is_nan(a) && (is_nan(b) || key(a) < key(b)) ? b : a;
  };
  const auto minimum = [&](Prime a, Prime b) {
    return !is_nan(a) && (is_nan(b) || key(b) < key(a)) ? b : a;
  };
  CHECK(differences(&larger_primes, x, y, maximum) == 0);
  CHECK(differences(&smaller_primes, x, y, minimum) == 0);
  for (std::size_t first = 0; first + 10 < x.size(); first += 10) {
    const auto* others = x.data() + first + 1;
    const auto count = first / 10 % 10;
    CHECK(largest_prime(x[first], others, count) ==
          std::accumulate(others, others + count, x[first], maximum));
    CHECK(smallest_prime(x[first], others, count) ==
          std::accumulate(others, others + count, x[first], minimum));
  }
}

TEST_CASE("a sum of many elements equals the sequential sum", "[law]") {
  Draw draw(Catch::rngSeed());
  const std::vector<Prime> greatest(5000, Prime{kPrime - 1});
  CHECK(sum_of_primes({3}, greatest.data(), greatest.size()).raw == (kPrime + 3 - 5000));
  for (const std::size_t count : {0U, 1U, 2U, 9U}) {
    for (int round = 0; round < 30; ++round) {
      const std::vector<Prime> x = with_nans(draw, count + 1);
      CHECK(sum_of_primes(x[0], x.data() + 1, count) ==
            std::accumulate(x.begin() + 1, x.end(), x[0],
                            modulo([](UInt128 a, UInt128 b) { return a + b; })));
    }
  }
}

TEST_CASE("hashed functions of field elements combine their operands in order", "[law]") {
  Draw draw(Catch::rngSeed());
  constexpr std::size_t kCount = 600;
  const std::vector<Prime> x = with_nans(draw, kCount);
  const std::vector<Prime> y = with_nans(draw, kCount);
  const std::vector<Prime> z = with_nans(draw, kCount);
  const Prime* operands[] = {x.data(), y.data(), z.data()};
  for (std::size_t arity = 1; arity <= 3; ++arity) {
    std::vector<Prime> mixes(kCount);
    mix_primes(5, std::span(operands).first(arity), mixes.data(), kCount);
    int64_t wrong = 0;
    for (std::size_t at = 0; at < kCount; ++at) {
      uint64_t state = 5;
      bool any_nan = false;
      for (std::size_t operand = 0; operand < arity; ++operand) {
        state = shardy::prime_field::mixed(state, operands[operand][at].raw);
        any_nan = any_nan || is_nan(operands[operand][at]);
      }
      wrong += mixes[at].raw == (any_nan ? kNotANumber : state % kPrime) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ops over the prime field use vectorized loops") {
  STATIC_REQUIRE(AppliesToAll<Add, Prime>);
  STATIC_REQUIRE(AppliesToAll<Divide, Prime>);
  STATIC_REQUIRE(AppliesToAll<Maximum, Prime>);
  STATIC_REQUIRE(FoldsAll<Add, Prime>);
  STATIC_REQUIRE(FoldsAll<Minimum, Prime>);
  STATIC_REQUIRE_FALSE(AppliesToAll<Add, float>);
  STATIC_REQUIRE_FALSE(AppliesToAll<Divide, PrimePair>);
}

}  // namespace shardy_test::prime_kernels_test
