// Products of row-major matrices of f32 and f64 in vector registers. The code is compiled for the
// machine type of the library build and, selected at run time, for x86-64-v3 and AVX-512.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simulation/kernels/matrix_product.hpp"
#include "simulation/kernels/wide_code.hpp"

// Arrays of vectors stay in registers only if loops over them are unrolled before register
// allocation. clang does so by default.
#if defined(__GNUC__) && !defined(__clang__)
#define SHARDY_UNROLL _Pragma("GCC unroll 16")
#else
#define SHARDY_UNROLL
#endif

namespace shardy::simulation::detail {

/// A tile of `kRows` x `kVectors` sums in registers.
template <std::size_t kBytes, std::size_t kTileRows, std::size_t kTileVectors>
struct Registers {
  static constexpr std::size_t kRegisterBytes = kBytes;
  static constexpr auto kRows = kTileRows;
  static constexpr auto kVectors = kTileVectors;
};
using NarrowRegisters = Registers<32, 4, 1>;  // registers of 16 bytes, in pairs
using WideRegisters = Registers<32, 6, 2>;
using WidestRegisters = Registers<64, 12, 2>;

template <class T, class Machine>
struct VectorOf {
  // NOLINTNEXTLINE(modernize-use-using)
  typedef T type __attribute__((vector_size(Machine::kRegisterBytes)));
};
template <class T, class Machine>
using Vector = typename VectorOf<T, Machine>::type;
template <class T, class Machine>
inline constexpr auto kLanes = static_cast<int64_t>(Machine::kRegisterBytes / sizeof(T));

/// The columns [first, first + width) and the rows [begin, end).
struct Panel {
  int64_t first;
  int64_t width;
  int64_t begin;
  int64_t end;
};

/// Packs a panel of y, row by row. Columns after the last one are 0.
template <class T>
void pack_columns(const T* y, const ProductShape& shape, const Panel& panel, T* scratch) {
  const int64_t count = std::min(panel.width, shape.columns - panel.first);
  for (int64_t k = panel.begin; k < panel.end; ++k) {
    std::copy_n(y + k * shape.columns + panel.first, count,
                scratch + (k - panel.begin) * panel.width);
  }
}

/// A part of the sums: the terms [begin, end) of `count` columns.
struct Terms {
  int64_t begin;
  int64_t end;
  int64_t count;
};

/// Computes `kRows` rows of the result in vectors of packed columns and stores the first
/// `terms.count` columns. Sums whose first term is not 0 continue from `out`. Each product and each
/// sum is rounded. Requires: no fused multiply-add.
template <class T, class Machine, std::size_t kRows>
[[gnu::always_inline]] inline void vector_tile(const T* x, const T* packed, T* out,
                                               const ProductShape& shape, const Terms& terms) {
  using Columns = std::array<Vector<T, Machine>, Machine::kVectors>;
  using Numbers = std::array<T, sizeof(Columns) / sizeof(T)>;
  std::array<Columns, kRows> sums{};
  if (terms.begin > 0) {
    SHARDY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      Numbers numbers{};
      std::copy_n(out + static_cast<int64_t>(r) * shape.columns, terms.count, numbers.data());
      std::memcpy(sums[r].data(), numbers.data(), sizeof(Columns));
    }
  }
  for (int64_t k = terms.begin; k < terms.end; ++k) {
    Columns row;
    SHARDY_UNROLL
    // A copy of the whole array would go through memory.
    for (std::size_t v = 0; v < Machine::kVectors; ++v) {
      std::memcpy(&row[v], packed + kLanes<T, Machine> * static_cast<int64_t>(v), sizeof(row[v]));
    }
    packed += kLanes<T, Machine> * static_cast<int64_t>(Machine::kVectors);
    SHARDY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const T factor = x[static_cast<int64_t>(r) * shape.depth + k];
      SHARDY_UNROLL
      for (std::size_t v = 0; v < Machine::kVectors; ++v) sums[r][v] += factor * row[v];
    }
  }
  SHARDY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    Numbers numbers;
    std::memcpy(numbers.data(), sums[r].data(), sizeof(Columns));
    std::copy_n(numbers.data(), terms.count, out + static_cast<int64_t>(r) * shape.columns);
  }
}

/// A product in blocks that stay in caches while they are used: one panel of y in the L1 cache, the
/// rows of some tiles in L2, all panels of a block in the last level.
template <class T, class Machine>
class BlockedProduct {
 public:
  /// Requires: no fused multiply-add.
  [[gnu::always_inline]] static void run(const T* x, const T* y, T* out,
                                         const ProductShape& shape) {
    BlockedProduct product(x, y, out, shape);
    int64_t begin = 0;
    do {  // runs once for depth 0, whose sums are 0
      const int64_t end = std::min(begin + kTerms, shape.depth);
      for (int64_t column = 0; column < shape.columns; column += kColumns) {
        product.run_block({column, std::min(kColumns, shape.columns - column), begin, end});
      }
      begin = end;
    } while (begin < shape.depth);
  }

 private:
  static constexpr int64_t kWidth = kLanes<T, Machine> * static_cast<int64_t>(Machine::kVectors);
  static constexpr auto kHeight = static_cast<int64_t>(Machine::kRows);
  static constexpr int64_t kTerms = 256;
  static constexpr int64_t kRows = 16 * kHeight;
  static constexpr int64_t kColumns = 1024;
  static_assert(kColumns % kWidth == 0);

  BlockedProduct(const T* x, const T* y, T* out, const ProductShape& shape)
      : x_(x), y_(y), out_(out), shape_(shape) {
    const int64_t columns = std::min((shape.columns + kWidth - 1) / kWidth * kWidth, kColumns);
    packed_.resize(static_cast<std::size_t>(std::min(shape.depth, kTerms) * columns));
  }

  [[gnu::always_inline]] void run_block(const Panel& block) {
    const int64_t depth = block.end - block.begin;
    for (int64_t column = 0; column < block.width; column += kWidth) {
      pack_columns(y_, shape_, {block.first + column, kWidth, block.begin, block.end},
                   packed_.data() + column * depth);
    }
    for (int64_t row = 0; row < shape_.rows; row += kRows) {
      const int64_t end = std::min(row + kRows, shape_.rows);
      for (int64_t column = 0; column < block.width; column += kWidth) {
        const Terms terms{block.begin, block.end, std::min(kWidth, block.width - column)};
        run_tiles(row, end, packed_.data() + column * depth, block.first + column, terms);
      }
    }
  }

  /// Computes the rows [row, end) for the columns of a panel.
  [[gnu::always_inline]] void run_tiles(int64_t row, int64_t end, const T* panel, int64_t column,
                                        const Terms& terms) {
    for (; row + kHeight <= end; row += kHeight) {
      vector_tile<T, Machine, Machine::kRows>(x_ + row * shape_.depth, panel,
                                              out_ + row * shape_.columns + column, shape_, terms);
    }
    for (; row < end; ++row) {
      vector_tile<T, Machine, 1>(x_ + row * shape_.depth, panel,
                                 out_ + row * shape_.columns + column, shape_, terms);
    }
  }

  const T* x_;
  const T* y_;
  T* out_;
  const ProductShape& shape_;
  std::vector<T> packed_;  // the panels of a block
};

#if defined(__AVX2__)
using PlainRegisters = WideRegisters;
#else
using PlainRegisters = NarrowRegisters;
#endif

template <class T>
void plain_product(const std::byte* x, const std::byte* y, std::byte* out,
                   const ProductShape& shape) {
  BlockedProduct<T, PlainRegisters>::run(reinterpret_cast<const T*>(x),
                                         reinterpret_cast<const T*>(y), reinterpret_cast<T*>(out),
                                         shape);
}

#if defined(SHARDY_WIDE_CODE)
template <class T>
SHARDY_WIDE_CODE void wide_product(const std::byte* x, const std::byte* y, std::byte* out,
                                   const ProductShape& shape) {
  BlockedProduct<T, WideRegisters>::run(reinterpret_cast<const T*>(x),
                                        reinterpret_cast<const T*>(y), reinterpret_cast<T*>(out),
                                        shape);
}

/// Requires compilation with -ffp-contract=off, because AVX-512 includes fused multiply-add.
template <class T>
SHARDY_WIDEST_CODE void widest_product(const std::byte* x, const std::byte* y, std::byte* out,
                                       const ProductShape& shape) {
  BlockedProduct<T, WidestRegisters>::run(reinterpret_cast<const T*>(x),
                                          reinterpret_cast<const T*>(y), reinterpret_cast<T*>(out),
                                          shape);
}
#endif

/// Returns the widest version that this machine runs.
template <class T>
MatrixProduct pick_vector_product() {
#if defined(SHARDY_WIDE_CODE)
  if (runs_widest_code()) return &widest_product<T>;
  if (runs_wide_code()) return &wide_product<T>;
#endif
  return &plain_product<T>;
}

}  // namespace shardy::simulation::detail
