// Compares maxima and minima of floats with the specification's fold in order, and checks that sums
// keep their order. Tests whole ops, then the loops that compute them. Spec: stablehlo 17, 24.1.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>

#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/text_programs.hpp"

namespace shardy_test::extremes_test {
namespace {

/// Returns the larger or smaller number. A NaN wins, the left one of two; -0 < +0 (stablehlo 17).
template <class T>
T farther(bool is_maximum, T acc, T x) {
  const bool is_farther = is_maximum ? x > acc : x < acc;
  const bool is_farther_zero = x == acc && std::signbit(acc) == is_maximum;
  return !std::isnan(acc) && (std::isnan(x) || is_farther || is_farther_zero) ? x : acc;
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

/// A NaN whose payload is its position.
template <class T>
T marked_nan(int64_t at) {
  const auto quiet = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN());
  const T nan = std::bit_cast<T>(static_cast<BitsOf<T>>(quiet | static_cast<BitsOf<T>>(at + 1)));
  return at % 2 == 0 ? -nan : nan;
}

/// Returns lines of numbers with zeros of both signs. Every fourth line also has NaNs. All nonzero
/// numbers of a line have one sign, so that a zero may be its extreme.
template <class T>
std::vector<std::vector<T>> lines_with_corners(int64_t num_lines, int64_t size) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<std::vector<T>> lines;
  for (int64_t line = 0; line < num_lines; ++line) {
    const uint64_t strangest = line % 4 == 3 ? 40 : 0;
    std::vector<T> values;
    for (int64_t at = 0; at < size; ++at) {
      const uint64_t draw = random() % (static_cast<uint64_t>(size) * 2);
      T value = static_cast<T>(draw % 1000) * (line % 2 == 0 ? T(-1) : T(1));
      if (draw % 11 < 4) value = draw % 2 == 0 ? T(0) : -T(0);
      if (draw < strangest) value = marked_nan<T>(at);
      values.push_back(value);
    }
    lines.push_back(std::move(values));
  }
  return lines;
}

template <class T>
Tensor tensor_of(ElementType element, const Dims& dims, const std::vector<T>& values) {
  return Tensor::make(Type::tensor(dims, element), std::as_bytes(std::span(values))).value();
}

/// The lines are rows of the operand, or its columns.
template <class T>
void check_extremes(ElementType element, bool is_maximum, const Dims& dims, bool of_rows) {
  CAPTURE(element, is_maximum, dims, of_rows, Catch::rngSeed());
  const auto num_lines = static_cast<std::size_t>(dims[of_rows ? 0 : 1]);
  const auto size = static_cast<std::size_t>(dims[of_rows ? 1 : 0]);
  const auto lines =
      lines_with_corners<T>(static_cast<int64_t>(num_lines), static_cast<int64_t>(size));
  const T init = std::numeric_limits<T>::infinity() * (is_maximum ? T(-1) : T(1));
  std::vector<T> values(num_lines * size);
  std::vector<T> expected(num_lines, init);
  for (std::size_t line = 0; line < num_lines; ++line) {
    for (std::size_t at = 0; at < size; ++at) {
      values[of_rows ? line * size + at : at * num_lines + line] = lines[line][at];
      expected[line] = farther(is_maximum, expected[line], lines[line][at]);
    }
  }
  const Tensor folded =
      run_op("stablehlo.reduce(%a init: %b) applies stablehlo." +
                 std::string(is_maximum ? "maximum" : "minimum") + " across dimensions = [" +
                 (of_rows ? "1]" : "0]"),
             {tensor_of(element, dims, values), tensor_of<T>(element, {}, {init})},
             shardy::ir::to_string(Type::tensor({static_cast<int64_t>(num_lines)}, element)));
  CHECK(std::ranges::equal(folded.bytes(), std::as_bytes(std::span(expected))));
}

TEST_CASE("row and column extremes equal those of a sequential reduction",
          "[simulation][large][reduce][random]") {
  for (const bool is_maximum : {true, false}) {
    for (const int64_t size : {7, 64, 127, 128, 133, 1000}) {
      for (const int64_t num_lines : {1, 3, 40, 67}) {
        for (const bool of_rows : {true, false}) {
          const Dims dims = of_rows ? Dims{num_lines, size} : Dims{size, num_lines};
          check_extremes<float>(ElementType::F32, is_maximum, dims, of_rows);
          check_extremes<double>(ElementType::F64, is_maximum, dims, of_rows);
        }
      }
    }
  }
}

// ---- Loops -------------------------------------------------------------------------------------

/// Returns values drawn from seven special numbers and a few NaNs, so that ties are frequent.
template <class T>
std::vector<T> corners(std::size_t count, std::mt19937_64& random) {
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> kinds = {
      T(0), -T(0), T(1), T(-1), infinity, -infinity, std::numeric_limits<T>::denorm_min()};
  std::vector<T> values;
  for (std::size_t at = 0; at < count; ++at) {
    const uint64_t draw = random() % 60;
    values.push_back(draw == 59 ? marked_nan<T>(static_cast<int64_t>(at)) : kinds[draw % 7]);
  }
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

template <class T>
shardy::simulation::FoldRows rows_of(const std::vector<T>& x, std::size_t num_rows,
                                     std::size_t size, std::size_t step) {
  return {reinterpret_cast<const std::byte*>(x.data()), static_cast<int64_t>(num_rows),
          static_cast<int64_t>(size), static_cast<int64_t>(step)};
}

template <class T>
constexpr ElementType kElement = ElementType::F32;
template <>
constexpr ElementType kElement<double> = ElementType::F64;
template <>
constexpr ElementType kElement<uint8_t> = ElementType::UI8;
template <>
constexpr ElementType kElement<uint32_t> = ElementType::UI32;

template <class Op, class T>
shardy::simulation::FoldLoops loops_of() {
  return shardy::simulation::pick_folds<Op>(kElement<T>);
}

template <class Op, class T>
void check_loops(bool is_maximum) {
  std::mt19937_64 random(Catch::rngSeed());
  const auto loop = loops_of<Op, T>().one;
  for (std::size_t size = 0; size < 140; ++size) {
    CAPTURE(is_maximum, size, sizeof(T), Catch::rngSeed());
    const std::vector<T> x = corners<T>(size, random);
    std::vector<T> each = corners<T>(size, random);
    std::vector<T> all = corners<T>(1, random);
    std::vector<T> expected_each;
    std::vector<T> expected_all = all;
    for (std::size_t at = 0; at < size; ++at) {
      expected_each.push_back(farther(is_maximum, each[at], x[at]));
      expected_all[0] = farther(is_maximum, expected_all[0], x[at]);
    }
    const auto* from = reinterpret_cast<const std::byte*>(x.data());
    loop(reinterpret_cast<std::byte*>(each.data()), from, size, false);
    loop(reinterpret_cast<std::byte*>(all.data()), from, size, true);
    REQUIRE(same_bits(each, expected_each));
    REQUIRE(same_bits(all, expected_all));
  }
}

TEST_CASE("vectorized loops over elements find the same extremes", "[simulation][reduce][random]") {
  using shardy::simulation::Maximum;
  using shardy::simulation::Minimum;
  check_loops<Maximum, float>(true);
  check_loops<Maximum, double>(true);
  check_loops<Minimum, float>(false);
  check_loops<Minimum, double>(false);
}

/// Checks the fold over columns. Rows are `step` elements apart. The first `size` elements of each
/// row are folded, each column into its own element. `numbers(count)` returns elements,
/// `apply(acc, x)` is the op.
template <class Op, class T, class Numbers, class Apply>
void check_columns(const Numbers& numbers, const Apply& apply) {
  const auto loop = loops_of<Op, T>().columns;
  for (std::size_t num_rows = 0; num_rows < 10; ++num_rows) {
    std::vector<std::size_t> sizes(70);
    std::iota(sizes.begin(), sizes.end(), 0);
    for (const std::size_t size : {1023U, 1024U, 1025U, 2050U}) sizes.push_back(size);
    for (const std::size_t size : sizes) {
      const std::size_t step = size + num_rows % 3;
      CAPTURE(num_rows, size, sizeof(T), Catch::rngSeed());
      const std::vector<T> x = numbers(num_rows * step);
      std::vector<T> folded = numbers(size);
      std::vector<T> expected = folded;
      for (std::size_t row = 0; row < num_rows; ++row) {
        for (std::size_t at = 0; at < size; ++at) {
          expected[at] = apply(expected[at], x[row * step + at]);
        }
      }
      loop(reinterpret_cast<std::byte*>(folded.data()), rows_of(x, num_rows, size, step));
      REQUIRE(same_bits(folded, expected));
    }
  }
}

template <class Op, class T>
void check_column_extremes(bool is_maximum) {
  CAPTURE(is_maximum);
  std::mt19937_64 random(Catch::rngSeed());
  check_columns<Op, T>([&](std::size_t count) { return corners<T>(count, random); },
                       [&](T acc, T x) { return farther(is_maximum, acc, x); });
}

TEST_CASE("vectorized loops over columns find the same extremes", "[simulation][reduce][random]") {
  using shardy::simulation::Maximum;
  using shardy::simulation::Minimum;
  check_column_extremes<Maximum, float>(true);
  check_column_extremes<Maximum, double>(true);
  check_column_extremes<Minimum, float>(false);
  check_column_extremes<Minimum, double>(false);
}

/// Checks sums and products of numbers whose rounded result depends on the order of the terms.
template <class Op, class T>
void check_column_sums() {
  const auto numbers = [](std::size_t count) {
    std::vector<T> values;
    for (std::size_t at = 0; at < count; ++at) {
      values.push_back(static_cast<T>(static_cast<T>(at * 17 % 101 + 1) / T(7)));
    }
    return values;
  };
  check_columns<Op, T>(numbers, [](T acc, T x) {
    return static_cast<T>(std::same_as<Op, shardy::simulation::Add> ? acc + x : acc * x);
  });
}

TEST_CASE("loops over columns keep the order of sums", "[simulation][reduce]") {
  using shardy::simulation::Add;
  using shardy::simulation::Multiply;
  check_column_sums<Add, float>();
  check_column_sums<Add, double>();
  check_column_sums<Multiply, float>();
  check_column_sums<Add, uint8_t>();
  check_column_sums<Multiply, uint32_t>();
}

template <class Op, class T>
void check_sums() {
  std::vector<std::size_t> sizes(70);
  std::iota(sizes.begin(), sizes.end(), 1);
  for (const std::size_t size : {127U, 128U, 129U, 160U, 300U, 515U}) sizes.push_back(size);
  const auto loop = loops_of<Op, T>().rows;
  for (const std::size_t num_rows : {1U, 15U, 16U, 17U, 40U}) {
    for (const std::size_t size : sizes) {
      CAPTURE(num_rows, size, sizeof(T));
      std::vector<T> x;
      std::vector<T> sums;
      std::vector<T> expected;
      for (std::size_t row = 0; row < num_rows; ++row) {
        sums.push_back(static_cast<T>(row) / 7);
        expected.push_back(sums.back());
        for (std::size_t at = 0; at < size; ++at) {
          x.push_back(static_cast<T>((row * 31 + at * 17) % 101) / 97 + T(0.5));
          T& total = expected.back();
          if constexpr (std::same_as<Op, shardy::simulation::Add>) {
            total = total + x.back();
          } else {
            total = total * x.back();
          }
        }
      }
      loop(reinterpret_cast<std::byte*>(sums.data()), rows_of(x, num_rows, size, size));
      REQUIRE(same_bits(sums, expected));
    }
  }
}

TEST_CASE("loops over rows keep the order of sums", "[simulation][reduce]") {
  check_sums<shardy::simulation::Add, float>();
  check_sums<shardy::simulation::Add, double>();
  check_sums<shardy::simulation::Multiply, float>();
}

}  // namespace
}  // namespace shardy_test::extremes_test
