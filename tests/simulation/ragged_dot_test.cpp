// ragged_dot against its definition, term by term. Spec: stablehlo 29.
#include <algorithm>
#include <limits>

#include "shardy/ir/window_ops.hpp"
#include "simulation/random_values.hpp"

namespace shardy_test::ragged_dot_test {
namespace {

using shardy::ir::RaggedDotDims;

Tensor ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                  const RaggedDotDims& dims) {
  return evaluate_graph({lhs, rhs, sizes}, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{
        graph.value_of({.kind = OpKind::ChloRaggedDot,
                        .operands = arguments,
                        .attributes = shardy::ir::attributes_of(shardy::ir::RaggedDotOp{&dims})})};
  })[0];
}

Tensor group_sizes(Random& random, const Dims& dims) {
  return random.numbers(ElementType::I32, dims, -1, 4);
}

/// The group in `sizes[first, first + count)` that an element is in; -1: none.
int64_t group_of(const std::vector<double>& sizes, int64_t first, int64_t count, int64_t element) {
  for (int64_t group = 0; group < count; ++group) {
    element -=
        std::max<int64_t>(0, static_cast<int64_t>(sizes[static_cast<std::size_t>(first + group)]));
    if (element < 0) return group;
  }
  return -1;
}

double at(const std::vector<double>& values, const Dims& dims, const Dims& index) {
  int64_t place = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) place = place * dims[dim] + index[dim];
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

TEST_CASE("ragged_dot multiplies rows by the slice of their group", "[simulation][ragged_dot]") {
  const Tensor lhs = tensor(ElementType::F32, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // The second group is empty: its part is never read.
  const Tensor rhs = tensor(ElementType::F32, {3, 2, 1}, {1, 10, nan, nan, 100, 1000});
  const RaggedDotDims dims{{}, {}, {1}, {1}, {0}, {0}};
  CHECK(ragged_dot(lhs, rhs, tensor(ElementType::I64, {3}, {1, 0, 2}), dims) ==
        tensor(ElementType::F32, {4, 1}, {21, 4300, 6500, 0}));
  CHECK(ragged_dot(lhs, rhs, tensor(ElementType::UI8, {3}, {3, 0, 255}), dims) ==
        tensor(ElementType::F32, {4, 1}, {21, 43, 65, 8700}));
}

TEST_CASE("ragged_dot sums contracted elements by group", "[simulation][ragged_dot]") {
  const Tensor lhs = tensor(ElementType::F32, {1, 4}, {1, 2, 3, 4});
  const Tensor rhs = tensor(ElementType::F32, {4, 2}, {1, 10, 1, 10, 1, 10, 1, 10});
  const RaggedDotDims dims{{}, {}, {1}, {0}, {1}, {}};
  CHECK(ragged_dot(lhs, rhs, tensor(ElementType::I32, {3}, {2, 0, 1}), dims) ==
        tensor(ElementType::F32, {3, 1, 2}, {3, 30, 0, 0, 3, 30}));
}

TEST_CASE("groups in a batch dim of ragged_dot have no effect", "[simulation][ragged_dot]") {
  const Tensor lhs = tensor(ElementType::F32, {2, 1, 1}, {2, 3});
  const Tensor rhs = tensor(ElementType::F32, {2, 1, 1}, {5, 7});
  const RaggedDotDims dims{{0}, {0}, {2}, {1}, {0}, {}};
  CHECK(ragged_dot(lhs, rhs, tensor(ElementType::I32, {2}, {1, 0}), dims) ==
        tensor(ElementType::F32, {2, 1, 1}, {10, 21}));
}

TEST_CASE("ragged_dot of rows in random shapes equals the definition",
          "[simulation][ragged_dot][random]") {
  Random random;
  for (int64_t round = 0; round < 200; ++round) {
    CAPTURE(round);
    const int64_t b = random.between(0, 2), f = random.between(1, 2), m = random.between(0, 6);
    const int64_t k = random.between(0, 3), g = random.between(0, 4), n = random.between(1, 3);
    const bool own = random.chance(50);
    // lhs [f, k, b, m], rhs [g, n, b, k] -> [b, f, m, n]
    const Tensor lhs = random.numbers(ElementType::F32, {f, k, b, m});
    const Tensor rhs = random.numbers(ElementType::F32, {g, n, b, k});
    const Tensor sizes = group_sizes(random, own ? Dims{b, f, g} : Dims{g});
    const Tensor made = ragged_dot(lhs, rhs, sizes, {{2}, {2}, {1}, {3}, {3}, {0}});
    const auto x = lhs.to_doubles(), y = rhs.to_doubles(), s = sizes.to_doubles();
    std::vector<double> wanted;
    for (int64_t row = 0; row < b * f * m * n; ++row) {
      const int64_t column = row % n, line = row / n % m, free = row / n / m % f;
      const int64_t batch = row / n / m / f;
      const int64_t group = group_of(s, own ? (batch * f + free) * g : 0, g, line);
      double sum = 0;
      for (int64_t at_k = 0; group >= 0 && at_k < k; ++at_k) {
        sum += at(x, {f, k, b, m}, {free, at_k, batch, line}) *
               at(y, {g, n, b, k}, {group, column, batch, at_k});
      }
      wanted.push_back(sum);
    }
    CHECK(made == tensor(ElementType::F32, {b, f, m, n}, wanted));
  }
}

TEST_CASE("ragged_dot of contracted dims in random shapes equals the definition",
          "[simulation][ragged_dot][random]") {
  Random random;
  for (int64_t round = 0; round < 200; ++round) {
    CAPTURE(round);
    const int64_t b = random.between(0, 2), m = random.between(1, 3), x = random.between(0, 2);
    const int64_t k = random.between(0, 6), g = random.between(0, 4), n = random.between(1, 3);
    const bool own = random.chance(50);
    // lhs [k, m, x, b], rhs [x, b, n, k], contracting x, then k -> [g, b, m, n]
    const Tensor lhs = random.numbers(ElementType::F32, {k, m, x, b});
    const Tensor rhs = random.numbers(ElementType::F32, {x, b, n, k});
    const Tensor sizes = group_sizes(random, own ? Dims{b, x, g} : Dims{g});
    const Tensor made = ragged_dot(lhs, rhs, sizes, {{3}, {1}, {2, 0}, {0, 3}, {0}, {}});
    const auto left = lhs.to_doubles(), right = rhs.to_doubles(), s = sizes.to_doubles();
    std::vector<double> wanted;
    for (int64_t place = 0; place < g * b * m * n; ++place) {
      const int64_t column = place % n, line = place / n % m, batch = place / n / m % b;
      const int64_t group = place / n / m / b;
      double sum = 0;
      for (int64_t term = 0; term < x * k; ++term) {
        const int64_t outer = term / k, inner = term % k;
        if (group_of(s, own ? (batch * x + outer) * g : 0, g, inner) != group) continue;
        sum += at(left, {k, m, x, b}, {inner, line, outer, batch}) *
               at(right, {x, b, n, k}, {outer, batch, column, inner});
      }
      wanted.push_back(sum);
    }
    CHECK(made == tensor(ElementType::F32, {g, b, m, n}, wanted));
  }
}

}  // namespace shardy_test::ragged_dot_test
