#include "simulation/kernels/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <vector>

#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/vector_product.hpp"

namespace shardy::simulation {
namespace {

/// The number of columns that are computed together: 32 bytes, two vector registers.
template <class T>
constexpr int64_t kWidth = std::max<int64_t>(32 / static_cast<int64_t>(sizeof(T)), 1);
constexpr int64_t kHeight = 4;

/// The sums of kWidth columns. Integers wrap around.
template <class T>
class ColumnSums {
 public:
  void add_product(T factor, const T* row) {
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      sums_[c] = Add::apply(sums_[c], Multiply::apply(factor, row[c]));
    }
  }
  void store(T* out, int64_t count) const { std::copy_n(sums_.data(), count, out); }

 private:
  std::array<T, static_cast<std::size_t>(kWidth<T>)> sums_{};
};

/// Computes `kMatrixProductRows` rows of the result for the packed columns.
template <class T, int64_t kMatrixProductRows>
void multiply_tile(const T* x, const T* packed, T* out, const ProductShape& shape, int64_t count) {
  std::array<ColumnSums<T>, static_cast<std::size_t>(kMatrixProductRows)> sums;
  for (int64_t k = 0; k < shape.depth; ++k) {
    const T* row = packed + k * kWidth<T>;
    for (std::size_t r = 0; r < sums.size(); ++r) {
      sums[r].add_product(x[static_cast<int64_t>(r) * shape.depth + k], row);
    }
  }
  for (std::size_t r = 0; r < sums.size(); ++r) {
    sums[r].store(out + static_cast<int64_t>(r) * shape.columns, count);
  }
}

template <class T>
void matrix_product(const std::byte* x_bytes, const std::byte* y_bytes, std::byte* out_bytes,
                    const ProductShape& shape) {
  const auto* x = reinterpret_cast<const T*>(x_bytes);
  const auto* y = reinterpret_cast<const T*>(y_bytes);
  auto* out = reinterpret_cast<T*>(out_bytes);
  std::vector<T> packed(static_cast<std::size_t>(shape.depth * kWidth<T>));
  for (int64_t column = 0; column < shape.columns; column += kWidth<T>) {
    detail::pack_columns(y, shape, {column, kWidth<T>, 0, shape.depth}, packed.data());
    const int64_t count = std::min(kWidth<T>, shape.columns - column);
    int64_t row = 0;
    for (; row + kHeight <= shape.rows; row += kHeight) {
      multiply_tile<T, kHeight>(x + row * shape.depth, packed.data(),
                                out + row * shape.columns + column, shape, count);
    }
    for (; row < shape.rows; ++row) {
      multiply_tile<T, 1>(x + row * shape.depth, packed.data(), out + row * shape.columns + column,
                          shape, count);
    }
  }
}

}  // namespace

MatrixProduct pick_matrix_product(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> MatrixProduct {
    if constexpr (std::floating_point<T>) {
      return detail::pick_vector_product<T>();
    } else if constexpr (std::same_as<T, Prime>) {
      return prime_products().back().product;
    } else if constexpr (Element<T> && !Small<T>) {
      return &matrix_product<T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace shardy::simulation
