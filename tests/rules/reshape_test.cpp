#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "rules/rule_text.hpp"
#include "shardy/rules/shape.hpp"
#include "support/catch.hpp"

namespace shardy::rules::reshape_test {
namespace {

using Sizes = std::vector<int64_t>;

TEST_CASE("reshape rules share the greatest common factors", "[rules][reshape]") {
  const auto [from, to, rule] = GENERATE(table<Sizes, Sizes, std::string>({
      {{12}, {3, 4}, "([ij])->([i, j]) {i=3, j=4}"},
      {{2, 3, 4}, {6, 4}, "([i, j, k])->([ij, k]) {i=2, j=3, k=4}"},
      {{30}, {2, 3, 5}, "([ijk])->([i, j, k]) {i=2, j=3, k=5}"},
      {{4, 6, 5}, {8, 15}, "([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=5}"},
      {{7, 6}, {6, 7}, "([i, l])->([j, k]) {i=7, j=6, k=7, l=6}"},
      {{6, 10}, {4, 15}, "([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=5}"},
      {{9, 4}, {6, 6}, "([ij, mn])->([ik, ln]) {i=3, j=3, k=2, l=3, m=2, n=2}"},
      {{8, 9}, {12, 6}, "([ij, ln])->([ik, mn]) {i=4, j=2, k=3, l=3, m=2, n=3}"},
      {{1, 12, 1}, {3, 1, 4}, "([i, jl, m])->([j, k, l]) {i=1, j=3, k=1, l=4, m=1}"},
      {{1, 1}, {}, "([i, j])->([]) {i=1, j=1}"},
      {{}, {}, "([])->([])"},
      {{}, {1}, "([])->([i]) {i=1}"},
      {{4, 0}, {0, 5}, "null"},
      {{4, 3}, {5}, "error: reshape: numbers of elements must match: 12 != 5"},
      {{int64_t{1} << 62, 4},
       {int64_t{1} << 62, 4},
       "error: reshape: the number of elements does not fit 64 bits"},
      {{int64_t{1} << 31, int64_t{1} << 31},
       {int64_t{1} << 62},
       "([i, j])->([ij]) {i=2147483648, j=2147483648}"},
  }));
  CAPTURE(from, to);
  CHECK(text_of(reshape_rule(from, to)) == rule);
}

/// Splits `factors` into random dims; each dim is the product of neighbours.
Sizes random_shape(std::vector<int64_t> primes, std::mt19937& random) {
  std::ranges::shuffle(primes, random);
  Sizes shape = {1};
  for (const int64_t prime : primes) {
    if (random() % 2 == 0) shape.push_back(1);
    shape.back() *= prime;
  }
  return shape;
}

/// The sizes of the factors of each dim multiply to its size, and a dim of several has none of 1.
void check_dims(const OpShardingRule& rule, const TensorMapping& tensor, const Sizes& shape) {
  REQUIRE(tensor.dims.size() == shape.size());
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t size = 1;
    for (const int32_t factor : tensor.dims[dim]) {
      size *= rule.factor_size(factor);
      CHECK((tensor.dims[dim].size() == 1 || rule.factor_size(factor) != 1));
    }
    CHECK(size == shape[dim]);
  }
}

std::vector<int32_t> factors_of(const TensorMapping& tensor) {
  std::vector<int32_t> factors;
  for (const DimMapping& dim : tensor.dims) {
    factors.insert(factors.end(), dim.begin(), dim.end());
  }
  return factors;
}

/// Stride, in elements, that each factor has in a row-major tensor.
std::map<int32_t, int64_t> strides(const OpShardingRule& rule, const TensorMapping& tensor) {
  std::map<int32_t, int64_t> found;
  std::vector<int32_t> factors = factors_of(tensor);
  int64_t stride = 1;
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    found[*factor] = stride;
    stride *= rule.factor_size(*factor);
  }
  return found;
}

TEST_CASE("a shared reshape factor means the same elements on both sides",
          "[rules][reshape][random]") {
  std::mt19937 random(Catch::rngSeed());
  const std::vector<int64_t> kPrimes = {2, 2, 2, 3, 3, 5};
  for (int round = 0; round < 500; ++round) {
    const Sizes from = random_shape(kPrimes, random);
    const Sizes to = random_shape(kPrimes, random);
    CAPTURE(Catch::rngSeed(), from, to);
    const auto rule = reshape_rule(from, to);
    REQUIRE(rule);
    REQUIRE(*rule);
    const OpShardingRule& found = **rule;
    check_dims(found, found.operands()[0], from);
    check_dims(found, found.results()[0], to);

    const auto in = strides(found, found.operands()[0]);
    const auto out = strides(found, found.results()[0]);
    int64_t last_stride = 0;
    for (int32_t factor = found.num_factors(); factor-- > 0;) {
      CHECK((in.contains(factor) || out.contains(factor)));
      if (!in.contains(factor) || !out.contains(factor) || found.factor_size(factor) == 1) continue;
      // Factors are numbered major to minor, so strides grow on the way back.
      CHECK(in.at(factor) == out.at(factor));
      CHECK(in.at(factor) > last_stride);
      last_stride = in.at(factor);
    }
  }
}

}  // namespace
}  // namespace shardy::rules::reshape_test
