// Elementwise kernels against rows: corner cases of the tables of stablehlo 17 to 20 and 29, and
// values of the elementary functions that another program computed with 60 digits.
#include "simulation/rows.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <shardy/ir/detail/number.hpp>

namespace shardy_test::rows_test {
namespace {

const std::string kRows = SHARDY_KERNEL_ROWS;

std::span<const std::byte> element_at(const Tensor& tensor, std::size_t index) {
  const std::size_t size = shardy::ir::size_bytes(tensor.type().element());
  return tensor.bytes().subspan(index * size, size);
}

/// Real and imaginary part, if it is complex.
std::vector<double> numbers_at(const Tensor& tensor, std::size_t index) {
  const auto bytes = element_at(tensor, index);
  const ElementType part = real_part_type(tensor.type().element());
  std::vector<double> numbers;
  for (std::size_t at = 0; at < bytes.size(); at += shardy::ir::size_bytes(part)) {
    numbers.push_back(
        shardy::ir::decode_double(bytes.subspan(at, shardy::ir::size_bytes(part)), part));
  }
  return numbers;
}

/// Any NaN is as good as another.
bool same_element(const Tensor& got, const Tensor& expected, std::size_t index) {
  if (std::ranges::equal(element_at(got, index), element_at(expected, index))) return true;
  const std::vector<double> left = numbers_at(got, index);
  const std::vector<double> right = numbers_at(expected, index);
  return std::ranges::equal(left, right,
                            [](double x, double y) {
                              return (std::isnan(x) && std::isnan(y)) ||
                                     (x == y && std::signbit(x) == std::signbit(y));
                            }) &&
         !shardy::ir::is_integer(got.type().element());
}

TEST_CASE("corner cases of elementwise ops give the listed results",
          "[simulation][kernels][rows]") {
  int num_rows = 0;
  for (const RowGroup& group : read_rows(kRows + "/corners.rows")) {
    for (const ElementType element : group.types) {
      const Tensor got = run_rows(group, element);
      const Tensor expected = results_of(group, group.result.value_or(element));
      REQUIRE(got.type() == expected.type());
      for (std::size_t index = 0; index < group.rows.size(); ++index, ++num_rows) {
        if (same_element(got, expected, index)) continue;
        UNSCOPED_INFO("corners.rows:" << group.rows[index].line << ": " << group.op << " of "
                                      << to_string(element) << " gives "
                                      << to_string(got.part(got.type().with_dims({1}),
                                                            static_cast<int64_t>(index))));
        CHECK(false);
      }
    }
  }
  std::cout << "corner cases: " << num_rows << " rows\n";
  CHECK(num_rows >= 1000);
}

// ---- Accuracy ----------------------------------------------------------------------------------

struct Format {
  int mantissa_bits;
  int least_exponent;
};
Format format_of(ElementType element) {
  switch (real_part_type(element)) {
    case ElementType::F16:
      return {10, -14};
    case ElementType::BF16:
      return {7, -126};
    case ElementType::F32:
      return {23, -126};
    default:
      return {52, -1022};
  }
}

/// Distance from the exact value in units of its last place; of complex numbers, of the larger
/// part.
long double error_in_ulp(const std::vector<double>& got, const ElementText& exact,
                         const Format& format) {
  long double size = 0;
  long double error = 0;
  for (std::size_t part = 0; part < got.size(); ++part) {
    const long double value = std::strtold(exact[part].c_str(), nullptr);
    size = std::max(size, std::abs(value));
    error = std::max(error, std::abs(static_cast<long double>(got[part]) - value));
  }
  const int exponent = size == 0 ? format.least_exponent : std::ilogb(size);
  return std::ldexp(error, format.mantissa_bits - std::max(exponent, format.least_exponent));
}

/// Largest error of rounding once from f64, plus the error of the function itself.
struct Bound {
  double f64;
  double narrow;
};
Bound bound_of(const std::string& op, bool complex) {
  static const std::map<std::string, Bound> kReal = {
      {"logistic", {2.5, 2.5}},   // three rounded steps
      {"chlo.cosh", {7.0, 7.0}},  // exp(x + log 0.5) of a rounded sum
      {"chlo.sinh", {7.0, 7.0}}, {"rsqrt", {1.5, 0.501}},     {"cbrt", {2.0, 0.501}},
      {"tanh", {2.0, 0.501}},    {"chlo.erfc", {2.0, 0.501}}, {"chlo.lgamma", {3.0, 0.501}},
  };
  static const std::map<std::string, Bound> kComplex = {
      {"logistic", {6.0, 6.0}},
      {"log_plus_one", {2.0, 0.75}},
      {"exponential_minus_one", {4.0, 0.75}},
      {"power", {8.0, 0.75}},
      {"atan2", {8.0, 0.75}},
  };
  const auto& table = complex ? kComplex : kReal;
  const auto found = table.find(op);
  if (found != table.end()) return found->second;
  return complex ? Bound{3.0, 0.75} : Bound{1.0, 0.501};
}

using Accuracy = std::map<std::string, std::map<std::string, long double>>;  // by op, type

/// Keeps the larger error; NaN is the largest.
void take_worse(long double& worst, long double error) {
  if (!std::isnan(worst) && !(error <= worst)) worst = error;
}

long double worst_of(const RowGroup& group, ElementType element) {
  const Tensor got = run_rows(group, element);
  long double worst = 0;
  for (std::size_t index = 0; index < group.rows.size(); ++index) {
    take_worse(worst,
               error_in_ulp(numbers_at(got, index), group.rows[index].result, format_of(element)));
  }
  return worst;
}

std::pair<Accuracy, std::size_t> measure() {
  Accuracy accuracy;
  std::size_t num_rows = 0;
  for (const RowGroup& group : read_rows(kRows + "/functions.rows")) {
    const ElementType element = group.types.front();
    long double& worst = accuracy[group.op][std::string(to_string(element))];
    take_worse(worst, worst_of(group, element));
    num_rows += group.rows.size();
  }
  return {accuracy, num_rows};
}

TEST_CASE("elementary functions have the documented accuracy", "[simulation][kernels][rows]") {
  const auto [accuracy, num_rows] = measure();
  for (const auto& [op, by_type] : accuracy) {
    for (const auto& [type, worst] : by_type) {
      const bool complex = type.starts_with("complex");
      const Bound bound = bound_of(op, complex);
      CAPTURE(op, type, static_cast<double>(worst));
      CHECK(static_cast<double>(worst) <=
            (type.find("f64") < type.size() ? bound.f64 : bound.narrow));
    }
  }
  std::cout << "elementary functions: " << num_rows << " rows\n";
  CHECK(num_rows >= 3000);
}

TEST_CASE("the accuracy of the elementary functions is printed", "[.][accuracy]") {
  const auto [accuracy, num_rows] = measure();
  const std::vector<std::string> types = {"f64",  "f32",          "f16",
                                          "bf16", "complex<f64>", "complex<f32>"};
  std::cout << "| op |";
  for (const std::string& type : types) std::cout << " " << type << " |";
  std::cout << "\n|---|---|---|---|---|---|---|\n";
  for (const auto& [op, by_type] : accuracy) {
    std::cout << "| " << op << " |";
    for (const std::string& type : types) {
      const auto found = by_type.find(type);
      std::ostringstream cell;
      cell.precision(3);
      if (found != by_type.end()) cell << std::fixed << found->second;
      std::cout << " " << cell.str() << " |";
    }
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace shardy_test::rows_test
