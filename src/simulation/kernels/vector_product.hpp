// Products of row-major matrices of f32 and f64 in vector registers. The same code is compiled for
// the machine that the library is built for and, chosen at run time, for x86-64-v3.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simulation/kernels/matrix_product.hpp"
#include "simulation/kernels/wide_code.hpp"

// The sums stay in registers only if the loops over them are gone before that is decided; clang
// does so by itself.
#if defined(__GNUC__) && !defined(__clang__)
#define SHARDY_UNROLL _Pragma("GCC unroll 8")
#else
#define SHARDY_UNROLL
#endif

namespace shardy::simulation::detail {

inline constexpr std::size_t kVectorBytes = 32;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using)
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr auto kLanes = static_cast<int64_t>(kVectorBytes / sizeof(T));

/// Columns [first, first + width) of y, one row after the other; 0 past its end.
template <class T>
void pack_columns(const T* y, const ProductShape& shape, int64_t first, int64_t width,
                  std::vector<T>& scratch) {
  const int64_t count = std::min(width, shape.columns - first);
  for (int64_t k = 0; k < shape.depth; ++k) {
    std::copy_n(y + k * shape.columns + first, count, scratch.data() + k * width);
  }
}

/// `kRows` rows of the result in `kVectors` vectors of packed columns, of which `count` are stored.
/// Each product and each sum is rounded by itself. Requires: no fused multiply-add.
template <class T, std::size_t kRows, std::size_t kVectors>
[[gnu::always_inline]] inline void vector_tile(const T* x, const T* packed, T* out,
                                               const ProductShape& shape, int64_t count) {
  using Columns = std::array<Vector<T>, kVectors>;
  std::array<Columns, kRows> sums{};
  for (int64_t k = 0; k < shape.depth; ++k) {
    Columns row;
    SHARDY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) {  // one by one: a copy of all goes through memory
      std::memcpy(&row[v], packed + kLanes<T> * static_cast<int64_t>(v), kVectorBytes);
    }
    packed += kLanes<T> * static_cast<int64_t>(kVectors);
    SHARDY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const T factor = x[static_cast<int64_t>(r) * shape.depth + k];
      SHARDY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += factor * row[v];
    }
  }
  SHARDY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    std::array<T, sizeof(Columns) / sizeof(T)> numbers;
    std::memcpy(numbers.data(), sums[r].data(), sizeof(Columns));
    std::copy_n(numbers.data(), count, out + static_cast<int64_t>(r) * shape.columns);
  }
}

template <class T, std::size_t kRows, std::size_t kVectors>
[[gnu::always_inline]] inline void vector_product(const T* x, const T* y, T* out,
                                                  const ProductShape& shape) {
  constexpr int64_t kWidth = kLanes<T> * static_cast<int64_t>(kVectors);
  constexpr auto kHeight = static_cast<int64_t>(kRows);
  std::vector<T> packed(static_cast<std::size_t>(shape.depth * kWidth));
  for (int64_t column = 0; column < shape.columns; column += kWidth) {
    pack_columns(y, shape, column, kWidth, packed);
    const int64_t count = std::min(kWidth, shape.columns - column);
    int64_t row = 0;
    for (; row + kHeight <= shape.rows; row += kHeight) {
      vector_tile<T, kRows, kVectors>(x + row * shape.depth, packed.data(),
                                      out + row * shape.columns + column, shape, count);
    }
    for (; row < shape.rows; ++row) {
      vector_tile<T, 1, kVectors>(x + row * shape.depth, packed.data(),
                                  out + row * shape.columns + column, shape, count);
    }
  }
}

// What the registers of the machine hold.
#if defined(__AVX2__)
inline constexpr std::size_t kPlainRows = 6;
inline constexpr std::size_t kPlainVectors = 2;
#else
inline constexpr std::size_t kPlainRows = 4;
inline constexpr std::size_t kPlainVectors = 1;
#endif

template <class T>
void plain_product(const std::byte* x, const std::byte* y, std::byte* out,
                   const ProductShape& shape) {
  vector_product<T, kPlainRows, kPlainVectors>(reinterpret_cast<const T*>(x),
                                               reinterpret_cast<const T*>(y),
                                               reinterpret_cast<T*>(out), shape);
}

#if defined(SHARDY_WIDE_CODE)
template <class T>
SHARDY_WIDE_CODE void wide_product(const std::byte* x, const std::byte* y, std::byte* out,
                                   const ProductShape& shape) {
  vector_product<T, 6, 2>(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y),
                          reinterpret_cast<T*>(out), shape);
}
#endif

/// The widest that this machine runs.
template <class T>
MatrixProduct pick_vector_product() {
#if defined(SHARDY_WIDE_CODE)
  if (runs_wide_code()) return &wide_product<T>;
#endif
  return &plain_product<T>;
}

}  // namespace shardy::simulation::detail

#undef SHARDY_UNROLL
