// Loops that fold elements into accumulators, one per op and element type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/extreme_fold.hpp"
#include "simulation/kernels/row_fold.hpp"
#include "simulation/kernels/wide_code.hpp"

namespace shardy::simulation {

namespace detail {

template <class Op, class T, std::size_t kRegisterBytes>
struct FoldBody {
  [[gnu::always_inline]] static void run(std::byte* acc, const std::byte* x, std::size_t count,
                                         bool into_one) {
    auto* result = reinterpret_cast<T*>(acc);
    const auto* in = reinterpret_cast<const T*>(x);
    if (into_one) {
      fold_all(result, in, static_cast<int64_t>(count));
    } else {
      fold_each(result, in, static_cast<int64_t>(count));
    }
  }

 private:
  [[gnu::always_inline]] static void fold_each(T* acc, const T* x, int64_t count) {
    if constexpr (FindsExtreme<Op, T>) {
      ExtremeFold<Op, T, kRegisterBytes>::fold_each(acc, x, count);
    } else {
      for (int64_t at = 0; at < count; ++at) acc[at] = Op::apply(acc[at], x[at]);
    }
  }

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
};

}  // namespace detail

/// Null if the op is not defined on the type.
template <class Op>
FoldLoop pick_fold(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> FoldLoop {
    if constexpr (BinaryOn<Op, T>) {
      return pick_registers<detail::FoldBodies<Op, T>::template One>();
    } else {
      return nullptr;
    }
  });
}

/// Null but for floats: the order of other sums is free, so that the compiler makes vector code of
/// the fold of a row.
template <class Op>
RowFoldLoop pick_row_fold(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> RowFoldLoop {
    if constexpr (Float<T> && BinaryOn<Op, T>) {
      return pick_registers<detail::FoldBodies<Op, T>::template Rows>();
    } else {
      return nullptr;
    }
  });
}

}  // namespace shardy::simulation
