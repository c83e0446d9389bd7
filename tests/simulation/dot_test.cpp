// dot_general against the sum of stablehlo 22, term by term.
#include <cmath>

#include "simulation/random_values.hpp"

namespace shardy_test::dot_test {
namespace {

using shardy::ir::DotDims;

Tensor dot(const Tensor& lhs, const Tensor& rhs, const DotDims& dims,
           std::optional<ElementType> element = std::nullopt) {
  return evaluate_graph({lhs, rhs}, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{graph.dot_general(arguments[0], arguments[1], dims, element)};
  })[0];
}

/// Index of an operand, given the batch, free and contracted positions.
Dims operand_index(const Dims& batch_dims, const Dims& contracting_dims, const Dims& batch,
                   const Dims& free, const Dims& contracted) {
  Dims index(batch.size() + free.size() + contracted.size(), -1);
  for (std::size_t at = 0; at < batch.size(); ++at) {
    index[static_cast<std::size_t>(batch_dims[at])] = batch[at];
  }
  for (std::size_t at = 0; at < contracted.size(); ++at) {
    index[static_cast<std::size_t>(contracting_dims[at])] = contracted[at];
  }
  auto next = free.begin();
  for (int64_t& position : index) {
    if (position < 0) position = *next++;
  }
  return index;
}

struct DotCase {
  Tensor lhs, rhs;
  DotDims dims;
  Dims batch, contracted, lhs_free, rhs_free;  // sizes
};

DotCase random_case(Random& random, ElementType element) {
  DotCase made;
  const auto sizes = [&](int64_t max) {
    Dims list(static_cast<std::size_t>(random.between(0, max)));
    for (int64_t& size : list) size = random.chance(5) ? 0 : random.between(1, 6);
    return list;
  };
  made.batch = sizes(2);
  made.contracted = sizes(2);
  made.lhs_free = sizes(2);
  made.rhs_free = sizes(2);
  const auto operand = [&](const Dims& free, Dims& batch_dims, Dims& contracting_dims) {
    Dims order(made.batch.size() + made.contracted.size() + free.size());
    std::iota(order.begin(), order.end(), 0);
    order = random.shuffled(order);
    batch_dims.assign(order.begin(), order.begin() + std::ssize(made.batch));
    contracting_dims.assign(order.begin() + std::ssize(made.batch),
                            order.begin() + std::ssize(made.batch) + std::ssize(made.contracted));
    return random.numbers(
        element, operand_index(batch_dims, contracting_dims, made.batch, free, made.contracted));
  };
  made.lhs = operand(made.lhs_free, made.dims.lhs_batch, made.dims.lhs_contracting);
  made.rhs = operand(made.rhs_free, made.dims.rhs_batch, made.dims.rhs_contracting);
  return made;
}

Grid naive_dot(const DotCase& c) {
  const Grid lhs(c.lhs);
  const Grid rhs(c.rhs);
  Dims result = c.batch;
  result.insert(result.end(), c.lhs_free.begin(), c.lhs_free.end());
  result.insert(result.end(), c.rhs_free.begin(), c.rhs_free.end());
  return grid_of(result, [&](const Dims& index) {
    const auto lhs_begin = index.begin() + std::ssize(c.batch);
    const auto rhs_begin = lhs_begin + std::ssize(c.lhs_free);
    const Dims batch(index.begin(), lhs_begin);
    const Dims lhs_free(lhs_begin, rhs_begin);
    const Dims rhs_free(rhs_begin, index.end());
    double sum = 0;
    for_each_index(c.contracted, [&](const Dims& k) {
      sum += lhs.at(operand_index(c.dims.lhs_batch, c.dims.lhs_contracting, batch, lhs_free, k)) *
             rhs.at(operand_index(c.dims.rhs_batch, c.dims.rhs_contracting, batch, rhs_free, k));
    });
    return sum;
  });
}

TEST_CASE("dot_general is the sum of its products for any dims", "[simulation][dot][random]") {
  Random random;
  for (const ElementType element : {ElementType::F32, ElementType::F64, ElementType::I32,
                                    ElementType::F16, ElementType::Complex64}) {
    for (int round = 0; round < 25; ++round) {
      const DotCase c = random_case(random, element);
      CAPTURE(to_string(element), c.lhs.type(), c.rhs.type());
      CHECK(dot(c.lhs, c.rhs, c.dims) == naive_dot(c).as(element));
    }
  }
}

TEST_CASE("matrix products around the tile size are correct", "[simulation][dot]") {
  Random random;
  for (const int64_t rows : {1, 3, 4, 5, 9}) {
    for (const int64_t columns : {1, 7, 8, 9, 17}) {
      DotCase c;
      c.lhs_free = {rows};
      c.rhs_free = {columns};
      c.contracted = {11};
      c.dims = {.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {1}, .rhs_contracting = {0}};
      c.lhs = random.numbers(ElementType::F32, {rows, 11});
      c.rhs = random.numbers(ElementType::F32, {11, columns});
      CAPTURE(rows, columns);
      CHECK(dot(c.lhs, c.rhs, c.dims) == naive_dot(c).as(ElementType::F32));
    }
  }
}

/// Numbers that rounding errors show in.
template <class T>
std::vector<T> fractions(int64_t count, int64_t seed) {
  std::vector<T> values;
  for (int64_t at = 0; at < count; ++at) {
    values.push_back(static_cast<T>((at * 7919 + seed) % 10007) / T(997) - T(5));
  }
  return values;
}

template <class T>
bool rounds_in_order(ElementType element, int64_t rows, int64_t columns, int64_t depth) {
  const std::vector<T> x = fractions<T>(rows * depth, 1);
  const std::vector<T> y = fractions<T>(depth * columns, 2);
  const auto tensor_of = [&](Dims dims, const std::vector<T>& values) {
    return Tensor::make(Type::tensor(std::move(dims), element), std::as_bytes(std::span(values)))
        .value();
  };
  const DotDims dims = {
      .lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {1}, .rhs_contracting = {0}};
  const Tensor got = dot(tensor_of({rows, depth}, x), tensor_of({depth, columns}, y), dims);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      T sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const T product = x[static_cast<std::size_t>(row * depth + k)] *
                          y[static_cast<std::size_t>(k * columns + column)];
        sum = sum + product;
      }
      if (got.elements<T>()[static_cast<std::size_t>(row * columns + column)] != sum) return false;
    }
  }
  return true;
}

// Around the tiles of all machines, and around the blocks of long sums.
TEST_CASE("each product and each sum is rounded separately, in order", "[simulation][dot]") {
  for (const int64_t rows : {1, 5, 6, 11, 12, 25}) {
    for (const int64_t columns : {1, 15, 16, 31, 32, 33, 70}) {
      for (const int64_t depth : {0, 9, 255, 256, 257, 600}) {
        CAPTURE(rows, columns, depth);
        CHECK(rounds_in_order<float>(ElementType::F32, rows, columns, depth));
        CHECK(rounds_in_order<double>(ElementType::F64, rows, columns, depth));
      }
    }
  }
}

TEST_CASE("matrix products of several blocks are correct", "[simulation][dot]") {
  struct Sizes {
    int64_t rows, columns, depth;
  };
  // Rows are split at 64, 96 or 192, columns at 1024, terms at 256.
  for (const Sizes& sizes : std::vector<Sizes>{
           {64, 1024, 257}, {65, 1041, 3}, {97, 1025, 258}, {193, 2065, 2}, {200, 1040, 257}}) {
    CAPTURE(sizes.rows, sizes.columns, sizes.depth);
    CHECK(rounds_in_order<float>(ElementType::F32, sizes.rows, sizes.columns, sizes.depth));
    CHECK(rounds_in_order<double>(ElementType::F64, sizes.rows, sizes.columns, sizes.depth));
  }
}

const DotDims kInner = {
    .lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {0}, .rhs_contracting = {0}};

TEST_CASE("f32 sums are accumulated in f32, in order", "[simulation][dot]") {
  // 2^24 + 1 - 2^24: the 1 is lost, in this order and in f32 only.
  CHECK(dot(vector_of(ElementType::F32, {0x1p24, 1, -0x1p24}),
            vector_of(ElementType::F32, {1, 1, 1}), kInner) == scalar(ElementType::F32, 0));
  CHECK(dot(vector_of(ElementType::F32, {0x1p24, -0x1p24, 1}),
            vector_of(ElementType::F32, {1, 1, 1}), kInner) == scalar(ElementType::F32, 1));
}

TEST_CASE("f16 and bf16 sums are accumulated in f32 and rounded at the end", "[simulation][dot]") {
  CHECK(dot(vector_of(ElementType::F16, {2048, 1, 1}), vector_of(ElementType::F16, {1, 1, 1}),
            kInner) == scalar(ElementType::F16, 2050));
  CHECK(dot(vector_of(ElementType::BF16, {256, 1, 1}), vector_of(ElementType::BF16, {1, 1, 1}),
            kInner) == scalar(ElementType::BF16, 258));
  // Into f32 nothing is rounded.
  CHECK(dot(vector_of(ElementType::BF16, {256, 1}), vector_of(ElementType::BF16, {1, 1}), kInner,
            ElementType::F32) == scalar(ElementType::F32, 257));
}

TEST_CASE("dot operands are first converted to the result type", "[simulation][dot]") {
  CHECK(dot(vector_of(ElementType::I8, {100, 100}), vector_of(ElementType::I8, {2, 3}), kInner,
            ElementType::I32) == scalar(ElementType::I32, 500));
  CHECK(dot(vector_of(ElementType::I8, {100, 100}), vector_of(ElementType::I8, {2, 3}), kInner) ==
        scalar(ElementType::I8, -12));
}

TEST_CASE("integer dots wrap, i1 dots are or of and", "[simulation][dot]") {
  CHECK(dot(vector_of(ElementType::UI8, {200, 100}), vector_of(ElementType::UI8, {2, 3}), kInner) ==
        scalar(ElementType::UI8, 188));
  CHECK(dot(vector_of(ElementType::I1, {1, 1, 0}), vector_of(ElementType::I1, {0, 1, 1}), kInner) ==
        scalar(ElementType::I1, 1));
  CHECK(dot(vector_of(ElementType::I1, {1, 0}), vector_of(ElementType::I1, {0, 1}), kInner) ==
        scalar(ElementType::I1, 0));
}

TEST_CASE("a sum without terms is +0", "[simulation][dot]") {
  const DotDims dims = {
      .lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {1}, .rhs_contracting = {0}};
  CHECK(dot(tensor(ElementType::F32, {2, 0}, {}), tensor(ElementType::F32, {0, 1}, {}), dims) ==
        tensor(ElementType::F32, {2, 1}, {0, 0}));
  CHECK(dot(vector_of(ElementType::F32, {-0.0}), vector_of(ElementType::F32, {1}), kInner) ==
        scalar(ElementType::F32, 0));
}

TEST_CASE("an element does not depend on the number of elements computed with it",
          "[simulation][dot]") {
  // Random fractions: other orders of summation would give other bits.
  Random random;
  const auto fractions = [&](const Dims& dims) {
    return grid_of(dims,
                   [&](const Dims&) {
                     return static_cast<double>(random.between(-1000000, 1000000)) / 977.0;
                   })
        .as(ElementType::F32);
  };
  const Tensor lhs = fractions({13, 37});
  const Tensor rhs = fractions({37, 21});
  const DotDims dims = {
      .lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {1}, .rhs_contracting = {0}};
  const Tensor whole = dot(lhs, rhs, dims);
  for (int64_t row = 0; row < 13; ++row) {
    const Tensor part = lhs.part(Type::tensor({1, 37}, ElementType::F32), row * 37);
    CHECK(dot(part, rhs, dims) == whole.part(Type::tensor({1, 21}, ElementType::F32), row * 21));
  }
}

}  // namespace
}  // namespace shardy_test::dot_test
