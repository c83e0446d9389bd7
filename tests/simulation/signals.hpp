// Tensors as complex numbers of high precision.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <shardy/ir/detail/number.hpp>
#include <string>
#include <vector>

#include "simulation/text_programs.hpp"

namespace shardy_test {

using Long = std::complex<long double>;
using Signal = std::vector<Long>;

inline std::string type_text(ElementType element, const Dims& dims) {
  return shardy::ir::to_string(Type::tensor(dims, element));
}

inline ElementType complex_of(ElementType element) {
  return element == ElementType::F32 ? ElementType::Complex64 : ElementType::Complex128;
}

/// Elements as f64 pairs or singles, rounded to the element type.
inline Tensor tensor_from(ElementType element, const Dims& dims, const Signal& values) {
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

inline Signal signal_of(const Tensor& tensor) {
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

inline Signal random_signal(std::mt19937& random, int64_t count, bool is_complex) {
  std::normal_distribution<float> normal;
  Signal values;
  for (int64_t at = 0; at < count; ++at) {
    const float re = normal(random);
    values.push_back(Long(re, is_complex ? normal(random) : 0.0F));
  }
  return values;
}

/// Requires: equal sizes. Relative to the largest element.
inline long double distance(const Signal& x, const Signal& y) {
  REQUIRE(x.size() == y.size());
  long double largest = 0;
  long double error = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    largest = std::max(largest, std::abs(y[at]));
    error = std::max(error, std::abs(x[at] - y[at]));
  }
  return largest == 0 ? error : error / largest;
}

}  // namespace shardy_test
