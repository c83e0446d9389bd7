// Loops that fold elements into accumulators, one per op and element type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/extreme_fold.hpp"
#include "simulation/kernels/fold_forms.hpp"
#include "simulation/kernels/row_fold.hpp"
#include "simulation/kernels/wide_code.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation {

namespace detail {

/// Some rows at a time: accumulators are read and written once for all of them.
template <class Op, class T, std::size_t kRegisterBytes>
struct ColumnFoldBody {
  [[gnu::always_inline]] static void run(std::byte* acc, const FoldRows& rows) {
    auto* result = reinterpret_cast<T*>(acc);
    const auto* x = reinterpret_cast<const T*>(rows.x);
    constexpr int64_t kAtOnce = 4;
    int64_t row = 0;
    for (; row + kAtOnce <= rows.num_rows; row += kAtOnce) {
      fold<kAtOnce>(result, x + row * rows.row_step, rows);
    }
    for (; row < rows.num_rows; ++row) fold<1>(result, x + row * rows.row_step, rows);
  }

 private:
  template <int64_t kRows>
  [[gnu::always_inline]] static void fold(T* acc, const T* x, const FoldRows& rows) {
    if constexpr (FindsExtreme<Op, T>) {
      ExtremeFold<Op, T, kRegisterBytes>::template fold_columns<kRows>(acc, x, rows.row_step,
                                                                       rows.row_size);
    } else {
      for (int64_t at = 0; at < rows.row_size; ++at) {
        T total = acc[at];
        SHARDY_UNROLL
        for (int64_t row = 0; row < kRows; ++row) {
          total = Op::apply(total, x[row * rows.row_step + at]);
        }
        acc[at] = total;
      }
    }
  }
};

template <class Op, class T, std::size_t kRegisterBytes>
struct FoldBody {
  [[gnu::always_inline]] static void run(std::byte* acc, const std::byte* x, std::size_t count,
                                         bool into_one) {
    const auto size = static_cast<int64_t>(count);
    if (into_one) {
      fold_all(reinterpret_cast<T*>(acc), reinterpret_cast<const T*>(x), size);
    } else {
      ColumnFoldBody<Op, T, kRegisterBytes>::run(acc, {x, 1, size, size});
    }
  }

 private:
  [[gnu::always_inline]] static void fold_all(T* acc, const T* x, int64_t count) {
    if constexpr (FindsExtreme<Op, T>) {
      *acc = ExtremeFold<Op, T, kRegisterBytes>::fold_all(*acc, x, count);
    } else {
      T total = *acc;
      for (int64_t at = 0; at < count; ++at) total = Op::apply(total, x[at]);
      *acc = total;
    }
  }
};

template <class Op, class T>
struct FoldBodies {
  template <std::size_t kRegisterBytes>
  using One = FoldBody<Op, T, kRegisterBytes>;
  template <std::size_t kRegisterBytes>
  using Rows = RowFoldBody<Op, T, kRegisterBytes>;
  template <std::size_t kRegisterBytes>
  using Columns = ColumnFoldBody<Op, T, kRegisterBytes>;
};

}  // namespace detail

/// None if the op is not defined on the type. For rows only those of floats: the order of other
/// sums is free, so that the compiler makes vector code of the fold of a row.
template <class Op>
FoldLoops pick_folds(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> FoldLoops {
    FoldLoops loops;
    if constexpr (BinaryOn<Op, T>) {
      using Bodies = detail::FoldBodies<Op, T>;
      loops.one = pick_registers<Bodies::template One>();
      loops.columns = pick_registers<Bodies::template Columns>();
      if constexpr (Float<T>) loops.rows = pick_registers<Bodies::template Rows>();
    }
    return loops;
  });
}

}  // namespace shardy::simulation
