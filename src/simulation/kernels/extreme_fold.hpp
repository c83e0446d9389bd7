// The maximum or minimum of a row of floats, in vectors.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulation/kernels/binary_ops.hpp"

namespace shardy::simulation::detail {

/// Folds whose order shows only where a NaN or a zero comes out.
template <class Op, class T>
concept FindsExtreme = (std::same_as<Op, Maximum> ||
                        std::same_as<Op, Minimum>)&&std::floating_point<T>;

template <class T>
struct ExtremeVector {
  static constexpr std::size_t kBytes = 32;
  typedef T type __attribute__((vector_size(kBytes)));  // NOLINT(modernize-use-using)
};

template <class Op, class Vector>
[[gnu::always_inline]] inline void take_farther(Vector& best, const Vector& x) {
  if constexpr (std::same_as<Op, Maximum>) {
    best = x > best ? x : best;
  } else {
    best = x < best ? x : best;
  }
}

/// The next vector of a row.
template <class Op, class T, class Vector, class Mask>
[[gnu::always_inline]] inline void take_next(const T* from, Vector& best, Mask& is_nan) {
  Vector next;
  std::memcpy(&next, from, sizeof(Vector));
  is_nan |= next != next;
  take_farther<Op>(best, next);
}

/// `op(.. op(op(acc, x[0]), x[1]) ..)`.
template <class Op, class T>
[[gnu::always_inline]] inline T fold_in_order(T acc, const T* x, int64_t count) {
  for (int64_t at = 0; at < count; ++at) acc = Op::apply(acc, x[at]);
  return acc;
}

/// fold_in_order, bit for bit: a row with a NaN, or whose extreme is a zero, is folded again in
/// order, which says which of them comes out. Requires: FindsExtreme.
template <class Op, class T>
[[gnu::always_inline]] inline T fold_extreme(T acc, const T* x, int64_t count) {
  using Vector = typename ExtremeVector<T>::type;
  constexpr auto kLanes = static_cast<int64_t>(sizeof(Vector) / sizeof(T));
  constexpr int64_t kStep = 4 * kLanes;
  const Vector first = Vector{} + acc;
  Vector best = first;
  Vector best1 = first;
  Vector best2 = first;
  Vector best3 = first;
  auto is_nan = first != first;
  int64_t at = 0;
  for (; at + kStep <= count; at += kStep) {
    take_next<Op>(x + at, best, is_nan);
    take_next<Op>(x + at + kLanes, best1, is_nan);
    take_next<Op>(x + at + 2 * kLanes, best2, is_nan);
    take_next<Op>(x + at + 3 * kLanes, best3, is_nan);
  }
  take_farther<Op>(best, best1);
  take_farther<Op>(best2, best3);
  take_farther<Op>(best, best2);
  T found = acc;
  bool is_ordered = false;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(kLanes); ++lane) {
    is_ordered = is_ordered || is_nan[lane] != 0;
    found = Op::apply(found, best[lane]);
  }
  found = fold_in_order<Op>(found, x + at, count - at);
  return is_ordered || found == 0 ? fold_in_order<Op>(acc, x, count) : found;
}

}  // namespace shardy::simulation::detail
