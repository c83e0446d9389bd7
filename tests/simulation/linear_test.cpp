// Fourier transforms against the defining sum, factorizations by reconstruction, random bits
// against published vectors. Spec: stablehlo 26, 27.
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "simulation/text_programs.hpp"

namespace shardy_test {
namespace {

using Long = std::complex<long double>;
using Signal = std::vector<Long>;

std::string type_text(ElementType element, const Dims& dims) {
  return shardy::ir::to_string(Type::tensor(dims, element));
}

ElementType complex_of(ElementType element) {
  return element == ElementType::F32 ? ElementType::Complex64 : ElementType::Complex128;
}

/// Elements as f64 pairs or singles, rounded to the element type.
Tensor tensor_from(ElementType element, const Dims& dims, const Signal& values) {
  const bool is_complex = shardy::ir::is_complex(element);
  std::vector<std::byte> bytes;
  const auto append = [&](long double value) {
    const ElementType part = element == ElementType::Complex64    ? ElementType::F32
                             : element == ElementType::Complex128 ? ElementType::F64
                                                                  : element;
    const auto encoded = shardy::ir::encode(static_cast<double>(value), part);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  };
  for (const Long& value : values) {
    append(value.real());
    if (is_complex) append(value.imag());
  }
  const Result<Tensor> made = Tensor::make(Type::tensor(dims, element), bytes);
  REQUIRE(made);
  return *made;
}

Signal signal_of(const Tensor& tensor) {
  Signal values;
  const ElementType element = tensor.type().element();
  if (element == ElementType::Complex64) {
    for (const auto& x : tensor.elements<std::complex<float>>()) values.push_back(Long(x));
  } else if (element == ElementType::Complex128) {
    for (const auto& x : tensor.elements<std::complex<double>>()) values.push_back(Long(x));
  } else {
    for (const double x : tensor.to_doubles()) values.push_back(static_cast<long double>(x));
  }
  return values;
}

Signal random_signal(std::mt19937& random, int64_t count, bool is_complex) {
  std::normal_distribution<float> normal;
  Signal values;
  for (int64_t at = 0; at < count; ++at) {
    const float re = normal(random);
    values.push_back(Long(re, is_complex ? normal(random) : 0.0F));
  }
  return values;
}

/// Requires: equal sizes. Relative to the largest element.
long double distance(const Signal& x, const Signal& y) {
  REQUIRE(x.size() == y.size());
  long double largest = 0;
  long double error = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    largest = std::max(largest, std::abs(y[at]));
    error = std::max(error, std::abs(x[at] - y[at]));
  }
  return largest == 0 ? error : error / largest;
}

// ---- fft ---------------------------------------------------------------------------------------

/// The defining sum along one dim, without scale. sign: -1 forward, +1 inverse.
Signal dft(const Signal& x, const Dims& dims, std::size_t dim, int sign) {
  int64_t inner = 1;
  for (std::size_t at = dim + 1; at < dims.size(); ++at) inner *= dims[at];
  const int64_t size = dims[dim];
  Signal result(x.size());
  for (int64_t at = 0; at < static_cast<int64_t>(x.size()); ++at) {
    const int64_t k = at / inner % size;
    const int64_t first = at - k * inner;
    for (int64_t n = 0; n < size; ++n) {
      const long double angle = 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(n * k % size) /
                                static_cast<long double>(size);
      result[static_cast<std::size_t>(at)] +=
          x[static_cast<std::size_t>(first + n * inner)] *
          std::polar(1.0L, static_cast<long double>(sign) * angle);
    }
  }
  return result;
}

Signal full_dft(Signal x, const Dims& dims, std::size_t num_dims, int sign) {
  long double scale = 1;
  for (std::size_t dim = dims.size() - num_dims; dim < dims.size(); ++dim) {
    x = dft(x, dims, dim, sign);
    scale *= static_cast<long double>(dims[dim]);
  }
  if (sign > 0) {
    for (Long& value : x) value /= scale;
  }
  return x;
}

std::string length_text(const Dims& dims, std::size_t num_dims) {
  std::string text;
  for (std::size_t dim = dims.size() - num_dims; dim < dims.size(); ++dim) {
    text += (text.empty() ? "" : ", ") + std::to_string(dims[dim]);
  }
  return "[" + text + "]";
}

/// The first `half` of each last dim.
Signal first_half(const Signal& x, int64_t size, int64_t half) {
  Signal kept;
  for (std::size_t at = 0; at < x.size(); ++at) {
    if (static_cast<int64_t>(at) % size < half) kept.push_back(x[at]);
  }
  return kept;
}

struct FftCase {
  Dims dims;
  std::size_t num_dims;
};

const std::vector<FftCase> kFftCases = [] {
  std::vector<FftCase> cases = {{{3, 8}, 1},    {{2, 4, 6}, 2}, {{2, 3, 4, 5}, 3}, {{5, 7}, 2},
                                {{2, 2, 2}, 3}, {{1, 1}, 2},    {{4, 3, 2}, 2},    {{64}, 1},
                                {{60}, 1},      {{97}, 1},      {{128}, 1},        {{2, 211}, 1},
                                {{3, 1, 5}, 3}, {{9, 15}, 2},   {{2, 7, 9}, 3}};
  for (int64_t size = 1; size <= 20; ++size) cases.push_back({{size}, 1});
  return cases;
}();

TEST_CASE("fft is the defining sum", "[simulation][kernels][fft]") {
  std::mt19937 random(1);
  for (const ElementType part : {ElementType::F32, ElementType::F64}) {
    const long double tolerance = part == ElementType::F32 ? 1e-7L : 1e-15L;
    const ElementType element = complex_of(part);
    for (const FftCase& each : kFftCases) {
      const Signal x = random_signal(random, shardy::product(each.dims), true);
      const Tensor input = tensor_from(element, each.dims, x);
      const std::string length = length_text(each.dims, each.num_dims);
      CAPTURE(length, to_string(part));
      for (const int sign : {-1, 1}) {
        const std::string type = sign < 0 ? "FFT" : "IFFT";
        const Tensor got = run_op("stablehlo.fft %a, type = " + type + ", length = " + length,
                                  {input}, type_text(element, each.dims));
        CHECK(distance(signal_of(got), full_dft(x, each.dims, each.num_dims, sign)) < tolerance);
      }
    }
  }
}

TEST_CASE("rfft is half of the sum, irfft its inverse", "[simulation][kernels][fft]") {
  std::mt19937 random(2);
  for (const ElementType part : {ElementType::F32, ElementType::F64}) {
    const long double tolerance = part == ElementType::F32 ? 4e-7L : 2e-15L;
    const ElementType element = complex_of(part);
    for (const FftCase& each : kFftCases) {
      const Signal x = random_signal(random, shardy::product(each.dims), false);
      const int64_t half = each.dims.back() / 2 + 1;
      Dims half_dims = each.dims;
      half_dims.back() = half;
      const std::string length = length_text(each.dims, each.num_dims);
      CAPTURE(length, to_string(part));
      const Tensor spectrum =
          run_op("stablehlo.fft %a, type = RFFT, length = " + length,
                 {tensor_from(part, each.dims, x)}, type_text(element, half_dims));
      const Signal expected =
          first_half(full_dft(x, each.dims, each.num_dims, -1), each.dims.back(), half);
      CHECK(distance(signal_of(spectrum), expected) < tolerance);
      const Tensor back = run_op("stablehlo.fft %a, type = IRFFT, length = " + length, {spectrum},
                                 type_text(part, each.dims));
      CHECK(distance(signal_of(back), x) < tolerance);
    }
  }
}

TEST_CASE("irfft ignores the imaginary parts of the bins that are their own mirror",
          "[simulation][kernels][fft]") {
  const Signal x = {Long(3, 7), Long(1, -1), Long(2, 5)};
  const Signal clean = {Long(3, 0), Long(1, -1), Long(2, 0)};
  const auto inverse = [](const Signal& spectrum, const std::string& size) {
    return run_op("stablehlo.fft %a, type = IRFFT, length = [" + size + "]",
                  {tensor_from(ElementType::Complex128, {3}, spectrum)},
                  "tensor<" + size + "xf64>");
  };
  CHECK(inverse(x, "4") == inverse(clean, "4"));
  CHECK(inverse(x, "4").to_doubles() == std::vector<double>{1.75, 0.75, 0.75, -0.25});
  // For an odd length the last bin has a mirror, and counts with its imaginary part.
  CHECK_FALSE(inverse(x, "5") == inverse(clean, "5"));
}

TEST_CASE("transforms of nothing", "[simulation][kernels][fft]") {
  const Tensor nothing = tensor_from(ElementType::Complex64, {0}, {});
  CHECK(run_op("stablehlo.fft %a, type = FFT, length = [0]", {nothing}, "tensor<0xcomplex<f32>>")
            .num_elements() == 0);
  CHECK(run_op("stablehlo.fft %a, type = RFFT, length = [0]",
               {tensor(ElementType::F32, {2, 0}, {})}, "tensor<2x0xcomplex<f32>>")
            .num_elements() == 0);
  CHECK(run_op("stablehlo.fft %a, type = FFT, length = [4]",
               {tensor_from(ElementType::Complex64, {0, 4}, {})}, "tensor<0x4xcomplex<f32>>")
            .num_elements() == 0);
}

// ---- cholesky ----------------------------------------------------------------------------------

struct Matrix {
  std::size_t rows;
  std::size_t columns;
  Signal values;

  Long& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  Long at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

Matrix product(const Matrix& x, const Matrix& y) {
  Matrix result{x.rows, y.columns, Signal(x.rows * y.columns)};
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t column = 0; column < y.columns; ++column) {
      for (std::size_t k = 0; k < x.columns; ++k) {
        result.at(row, column) += x.at(row, k) * y.at(k, column);
      }
    }
  }
  return result;
}

Matrix transposed(const Matrix& x, bool conjugated) {
  Matrix result{x.columns, x.rows, Signal(x.values.size())};
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t column = 0; column < x.columns; ++column) {
      result.at(column, row) = conjugated ? std::conj(x.at(row, column)) : x.at(row, column);
    }
  }
  return result;
}

const std::vector<ElementType> kFloating = {ElementType::F16,       ElementType::BF16,
                                            ElementType::F32,       ElementType::F64,
                                            ElementType::Complex64, ElementType::Complex128};

long double tolerance_of(ElementType element) {
  switch (element) {
    case ElementType::F16:
      return 2e-2L;
    case ElementType::BF16:
      return 1e-1L;
    case ElementType::F32:
    case ElementType::Complex64:
      return 1e-5L;
    default:
      return 1e-13L;
  }
}

TEST_CASE("cholesky factors what it factors", "[simulation][kernels][cholesky]") {
  std::mt19937 random(3);
  for (const ElementType element : kFloating) {
    for (std::size_t size = 0; size <= 6; ++size) {
      for (const bool lower : {true, false}) {
        Matrix x{size, size,
                 random_signal(random, static_cast<int64_t>(size * size),
                               shardy::ir::is_complex(element))};
        Matrix a = product(x, transposed(x, true));
        for (std::size_t at = 0; at < size; ++at) a.at(at, at) += 1.0L;
        Matrix read = a;  // the other triangle is garbage
        for (std::size_t row = 0; row < size; ++row) {
          for (std::size_t column = 0; column < size; ++column) {
            if (lower ? column > row : column < row) read.at(row, column) = 1e4L;
          }
        }
        const auto n = static_cast<int64_t>(size);
        const Tensor factor =
            run_op(std::string("\"stablehlo.cholesky\"(%a) <{lower = ") +
                       (lower ? "true" : "false") + "}>",
                   {tensor_from(element, {n, n}, read.values)}, type_text(element, {n, n}));
        const Matrix l{size, size, signal_of(factor)};
        const Matrix back =
            lower ? product(l, transposed(l, true)) : product(transposed(l, true), l);
        CAPTURE(to_string(element), size, lower);
        CHECK(distance(back.values, a.values) < tolerance_of(element));
        for (std::size_t at = 0; at < size; ++at) CHECK(l.at(at, at).real() > 0);
      }
    }
  }
}

TEST_CASE("cholesky of a batch, and of what is not positive", "[simulation][kernels][cholesky]") {
  const Tensor factors =
      run_op("\"stablehlo.cholesky\"(%a) <{lower = true}>",
             {tensor(ElementType::F32, {3, 2, 2}, {4, 9, 2, 5, 1, 0, 0, -1, 0, 0, 1, 1})},
             "tensor<3x2x2xf32>");
  const std::vector<double> values = factors.to_doubles();
  CHECK(std::vector<double>(values.begin(), values.begin() + 7) ==
        std::vector<double>{2, 0, 1, 2, 1, 0, 0});
  for (const std::size_t at : {7U, 8U, 10U, 11U}) CHECK(std::isnan(values[at]));
  CHECK(values[9] == 0);
}

// ---- triangular_solve --------------------------------------------------------------------------

struct SolveCase {
  bool left_side, lower, unit_diagonal;
  std::string transpose;
};

std::vector<SolveCase> solve_cases() {
  std::vector<SolveCase> cases;
  for (int bits = 0; bits < 8; ++bits) {
    for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      cases.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, transpose});
    }
  }
  return cases;
}

std::string solve_op(const SolveCase& each) {
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  return "\"stablehlo.triangular_solve\"(%a, %b) <{left_side = " + flag(each.left_side) +
         ", lower = " + flag(each.lower) + ", transpose_a = #stablehlo<transpose " +
         each.transpose + ">, unit_diagonal = " + flag(each.unit_diagonal) + "}>";
}

/// What the op reads of `a`: one triangle, the diagonal of which may count as 1.
Matrix triangle(const Matrix& a, const SolveCase& each) {
  Matrix result = a;
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t column = 0; column < a.columns; ++column) {
      if (each.lower ? column > row : column < row) result.at(row, column) = 0;
    }
    if (each.unit_diagonal) result.at(row, row) = 1;
  }
  if (each.transpose == "NO_TRANSPOSE") return result;
  return transposed(result, each.transpose == "ADJOINT");
}

TEST_CASE("triangular_solve solves", "[simulation][kernels][triangular_solve]") {
  std::mt19937 random(4);
  for (const ElementType element : kFloating) {
    const bool is_complex = shardy::ir::is_complex(element);
    for (const SolveCase& each : solve_cases()) {
      Matrix a{4, 4, random_signal(random, 16, is_complex)};
      for (std::size_t at = 0; at < 4; ++at) a.at(at, at) += 5.0L;
      const Dims b_dims = each.left_side ? Dims{4, 3} : Dims{3, 4};
      const Tensor left = tensor_from(element, {4, 4}, a.values);
      const Tensor right = tensor_from(element, b_dims, random_signal(random, 12, is_complex));
      const Tensor got = run_op(solve_op(each), {left, right}, type_text(element, b_dims));
      const Matrix solution{static_cast<std::size_t>(b_dims[0]),
                            static_cast<std::size_t>(b_dims[1]), signal_of(got)};
      const Matrix op = triangle({4, 4, signal_of(left)}, each);
      const Matrix back = each.left_side ? product(op, solution) : product(solution, op);
      CAPTURE(to_string(element), solve_op(each));
      CHECK(distance(back.values, signal_of(right)) < tolerance_of(element) * 2);
    }
  }
}

TEST_CASE("triangular_solve rounds every step in the element type",
          "[simulation][kernels][triangular_solve]") {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> a(25);
  std::vector<float> b(5);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  std::vector<float> x = b;
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      const volatile float term = a[row * 5 + column] * x[column];
      const volatile float rest = x[row] - term;
      x[row] = rest;
    }
    x[row] /= a[row * 5 + row];
  }
  const Tensor left =
      bits<float>(ElementType::F32, a).reshaped(Type::tensor({5, 5}, ElementType::F32));
  const Tensor right =
      bits<float>(ElementType::F32, b).reshaped(Type::tensor({5, 1}, ElementType::F32));
  const Tensor got =
      run_op(solve_op({true, true, false, "NO_TRANSPOSE"}), {left, right}, "tensor<5x1xf32>");
  CHECK(std::ranges::equal(got.elements<float>(), x));
}

TEST_CASE("triangular_solve of floats of one byte rounds every step",
          "[simulation][kernels][triangular_solve]") {
  const std::string op = solve_op({true, true, false, "NO_TRANSPOSE"});
  for (const ElementType element : {ElementType::F8E5M2, ElementType::F8E4M3FN}) {
    CAPTURE(element);
    const Tensor exact =
        run_op(op, {tensor(element, {2, 2}, {2, 7, 1, 4}), tensor(element, {2, 1}, {2, 7})},
               type_text(element, {2, 1}));
    CHECK(exact == tensor(element, {2, 1}, {1, 1.5}));
  }
  // 1/3 is 0.3125 with two bits of mantissa; 2 - 3 * 0.3125 = 2 - 0.9375 -> 2 - 1, so 1 / 1.
  const Tensor rounded = run_op(op,
                                {tensor(ElementType::F8E5M2, {2, 2}, {3, 0, 3, 1}),
                                 tensor(ElementType::F8E5M2, {2, 1}, {1, 2})},
                                type_text(ElementType::F8E5M2, {2, 1}));
  CHECK(rounded == tensor(ElementType::F8E5M2, {2, 1}, {0.3125, 1}));
}

TEST_CASE("triangular_solve of batches and singular matrices",
          "[simulation][kernels][triangular_solve]") {
  const Tensor got = run_op(solve_op({true, true, false, "NO_TRANSPOSE"}),
                            {tensor(ElementType::F32, {2, 2, 2}, {2, 0, 1, 4, 0, 0, 1, 1}),
                             tensor(ElementType::F32, {2, 2, 1}, {2, 9, 1, 1})},
                            "tensor<2x2x1xf32>");
  CHECK(got == tensor(ElementType::F32, {2, 2, 1}, {1, 2, INFINITY, -INFINITY}));
}

// ---- rng_bit_generator -------------------------------------------------------------------------

struct Bits {
  Tensor state;
  Tensor output;
};

Bits random_bits(const std::string& algorithm, const std::vector<uint64_t>& state,
                 const std::string& type) {
  const std::string state_type = "tensor<" + std::to_string(state.size()) + "xui64>";
  const Tensors got = run_line("%0:2 = stablehlo.rng_bit_generator %a, algorithm = " + algorithm +
                                   " : (" + state_type + ") -> (" + state_type + ", " + type + ")",
                               {bits<uint64_t>(ElementType::UI64, state)}, {state_type, type});
  return {got[0], got[1]};
}

template <typename T>
std::vector<T> elements(const Tensor& tensor) {
  const auto values = tensor.elements<T>();
  return {values.begin(), values.end()};
}

TEST_CASE("THREE_FRY gives the published words", "[simulation][kernels][rng]") {
  struct Vector {
    uint64_t key, counter;
    std::vector<uint32_t> words;
  };
  const std::vector<Vector> vectors = {
      {0, 0, {0x6b200159, 0x99ba4efe}},
      {~uint64_t{0}, ~uint64_t{0}, {0x1cb996fc, 0xbb002be7}},
      {0x0370734413198a2e, 0x85a308d3243f6a88, {0xc4923a9c, 0x483df7a0}}};
  for (const Vector& each : vectors) {
    const Bits got = random_bits("THREE_FRY", {each.key, each.counter}, "tensor<2xui32>");
    CHECK(elements<uint32_t>(got.output) == each.words);
    CHECK(elements<uint64_t>(got.state) == std::vector<uint64_t>{each.key, each.counter + 1});
  }
}

TEST_CASE("THREE_FRY by element width and shape", "[simulation][kernels][rng]") {
  const Bits one = random_bits("THREE_FRY", {3, 3}, "tensor<1xui64>");
  CHECK(elements<uint64_t>(one.output) == std::vector<uint64_t>{3349939604322698703U});
  CHECK(elements<uint64_t>(one.state) == std::vector<uint64_t>{3, 4});
  CHECK(elements<uint64_t>(random_bits("THREE_FRY", {1, 2}, "tensor<2x2xui64>").output) ==
        std::vector<uint64_t>{9236835810183407956U, 16087790271692313299U, 18212823393184779219U,
                              2658481902456610144U});
  const Bits words = random_bits("THREE_FRY", {3, 3}, "tensor<2x3xui32>");
  const std::vector<uint32_t> expected = {1185596879, 555017538,  1109507171,
                                          779968594,  3728210106, 3604763515};
  CHECK(elements<uint32_t>(words.output) == expected);
  CHECK(elements<uint64_t>(words.state) == std::vector<uint64_t>{3, 6});
  // Narrow elements take the low bits of the same words; floats take them as they are.
  std::vector<uint8_t> bytes;
  for (const uint32_t word : expected) bytes.push_back(static_cast<uint8_t>(word));
  CHECK(elements<uint8_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xui8>").output) == bytes);
  CHECK(elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xf32>").output) == expected);
  CHECK(elements<uint16_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xi16>").output)[0] ==
        static_cast<uint16_t>(expected[0]));
  // The first even dim is the one that is split: here the second.
  const auto wide = elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<3x2xui32>").output);
  CHECK(wide == std::vector<uint32_t>{1185596879, 779968594, 555017538, 3728210106, 1109507171,
                                      3604763515});
  // No even dim: the first of the largest ones, and the last word is dropped.
  const Bits odd = random_bits("THREE_FRY", {3, 3}, "tensor<3xui32>");
  CHECK(elements<uint32_t>(odd.output) == std::vector<uint32_t>{1185596879, 779968594, 555017538});
  CHECK(elements<uint64_t>(odd.state) == std::vector<uint64_t>{3, 5});
  CHECK(elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<ui32>").output) ==
        std::vector<uint32_t>{1185596879});
  const Bits none = random_bits("THREE_FRY", {3, 3}, "tensor<0xui32>");
  CHECK(elements<uint64_t>(none.state) == std::vector<uint64_t>{3, 3});
}

TEST_CASE("PHILOX gives the published words", "[simulation][kernels][rng]") {
  CHECK(elements<uint32_t>(random_bits("PHILOX", {0, 0, 0}, "tensor<4xui32>").output) ==
        std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint64_t ones = ~uint64_t{0};
  const Bits all_ones = random_bits("PHILOX", {ones, ones, ones}, "tensor<4xui32>");
  CHECK(elements<uint32_t>(all_ones.output) ==
        std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(elements<uint64_t>(all_ones.state) == std::vector<uint64_t>{ones, 0, 0});  // carries
  CHECK(elements<uint32_t>(
            random_bits("PHILOX", {0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e},
                        "tensor<4xui32>")
                .output) == std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("PHILOX by element width and size of the state", "[simulation][kernels][rng]") {
  const std::vector<uint32_t> words = {0x74a851f1, 0xc4a35ba8, 0x82800aa7,
                                       0xaf5f7739, 0xf093503c, 0xcdb47eb1};
  for (const std::string algorithm : {"PHILOX", "DEFAULT"}) {
    const Bits got = random_bits(algorithm, {5, 7}, "tensor<6xui32>");
    CHECK(elements<uint32_t>(got.output) == words);
    CHECK(elements<uint64_t>(got.state) == std::vector<uint64_t>{5, 9});
  }
  const Bits wide = random_bits("PHILOX", {5, 7}, "tensor<3xui64>");
  CHECK(elements<uint64_t>(wide.output) ==
        std::vector<uint64_t>{0xc4a35ba874a851f1, 0xaf5f773982800aa7, 0xcdb47eb1f093503c});
  CHECK(elements<uint64_t>(wide.state) == std::vector<uint64_t>{5, 9});
  CHECK(elements<uint16_t>(random_bits("PHILOX", {5, 7}, "tensor<2xbf16>").output) ==
        std::vector<uint16_t>{0x51f1, 0x5ba8});
  CHECK(elements<uint8_t>(random_bits("PHILOX", {5, 7}, "tensor<2x1xui8>").output) ==
        std::vector<uint8_t>{0xf1, 0xa8});
}

}  // namespace
}  // namespace shardy_test
