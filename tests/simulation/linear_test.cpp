// Factorizations and triangular systems by reconstruction. Spec: stablehlo 26.
#include <cmath>
#include <random>

#include "simulation/signals.hpp"

namespace shardy_test::linear_test {
namespace {

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

TEST_CASE("the product of a cholesky factor and its transpose is the operand",
          "[simulation][kernels][cholesky]") {
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

TEST_CASE("cholesky supports batches and gives NaN for matrices that are not positive definite",
          "[simulation][kernels][cholesky]") {
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

/// The elements of `a` that the op reads: one triangle, the diagonal of which may count as 1.
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

TEST_CASE("triangular_solve returns the solution", "[simulation][kernels][triangular_solve]") {
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

TEST_CASE("triangular_solve supports batches and singular matrices",
          "[simulation][kernels][triangular_solve]") {
  const Tensor got = run_op(solve_op({true, true, false, "NO_TRANSPOSE"}),
                            {tensor(ElementType::F32, {2, 2, 2}, {2, 0, 1, 4, 0, 0, 1, 1}),
                             tensor(ElementType::F32, {2, 2, 1}, {2, 9, 1, 1})},
                            "tensor<2x2x1xf32>");
  CHECK(got == tensor(ElementType::F32, {2, 2, 1}, {1, 2, INFINITY, -INFINITY}));
}

}  // namespace
}  // namespace shardy_test::linear_test
