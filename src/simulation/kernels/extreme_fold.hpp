// Maxima and minima of floats, in vectors. Bit for bit what a fold in order gives: the first NaN if
// there is one, else the farthest number; -0 < +0. Spec: stablehlo 17.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "simulation/kernels/binary_ops.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation::detail {

/// Folds whose order shows only where a NaN or a zero comes out.
template <class Op, class T>
concept FindsExtreme = (std::same_as<Op, Maximum> ||
                        std::same_as<Op, Minimum>)&&std::floating_point<T>;

template <class T, std::size_t kRegisterBytes>
struct FloatVector {
  typedef T type __attribute__((vector_size(kRegisterBytes)));  // NOLINT(modernize-use-using)
};

/// Requires: FindsExtreme<Op, T>.
template <class Op, class T, std::size_t kRegisterBytes>
class ExtremeFold {
 public:
  /// `acc[i] := op(acc[i], x[0][i])`, then with the other rows, `row_step` elements apart.
  template <int64_t kRows>
  [[gnu::always_inline]] static void fold_columns(T* acc, const T* x, int64_t row_step,
                                                  int64_t count) {
    int64_t at = 0;
    for (; at + kColumnStep <= count; at += kColumnStep) {
      if (fold_vectors<kRows>(acc + at, x + at, row_step)) continue;
      fold_in_order<kRows>(acc + at, x + at, row_step, kColumnStep);
    }
    fold_in_order<kRows>(acc + at, x + at, row_step, count - at);
  }

  /// `op(.. op(op(acc, x[0]), x[1]) ..)`.
  [[gnu::always_inline]] static T fold_all(T acc, const T* x, int64_t count) {
    std::array<Vector, kParts> best;
    Seen seen{kIsMaximum ? ~Mask{} : Mask{}, Mask{}};
    for (Vector& part : best) part = Vector{} + acc;
    int64_t at = 0;
    for (; at + kStep <= count; at += kStep) {
      SHARDY_UNROLL
      for (std::size_t part = 0; part < kParts; ++part) {
        Vector next;
        load(x + at, part, next);
        note_nans(seen.is_nan, next);
        see(seen.signs, reinterpret_cast<Mask>(next));
        take_farther(best[part], next);
      }
    }
    take_farther(best[0], best[1]);
    take_farther(best[2], best[3]);
    take_farther(best[0], best[2]);
    return finish(acc, best[0], seen, std::span(x, static_cast<std::size_t>(count)), at);
  }

 private:
  static constexpr bool kIsMaximum = std::same_as<Op, Maximum>;
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Vector = typename FloatVector<T, kRegisterBytes>::type;
  using Mask = decltype(Vector{} != Vector{});
  static constexpr std::size_t kParts = 4;
  static constexpr std::size_t kLanes = kRegisterBytes / sizeof(T);
  static constexpr auto kStep = static_cast<int64_t>(kParts * kLanes);
  /// Of columns, so that all rows of a step find room in registers.
  static constexpr std::size_t kColumnParts = 2;
  static constexpr auto kColumnStep = static_cast<int64_t>(kColumnParts * kLanes);

  /// Whether there was a NaN, and which signs there were: they say which zero is the extreme if
  /// all numbers are on one side of it.
  struct Seen {
    Mask signs;
    Mask is_nan;
  };
  template <class Word>
  [[gnu::always_inline]] static void see(Word& signs, const Word& next) {
    if constexpr (kIsMaximum) {
      signs &= next;
    } else {
      signs |= next;
    }
  }

  template <class Number>
  [[gnu::always_inline]] static void take_farther(Number& best, const Number& x) {
    if constexpr (kIsMaximum) {
      best = x > best ? x : best;
    } else {
      best = x < best ? x : best;
    }
  }

  [[gnu::always_inline]] static void load(const T* from, std::size_t part, Vector& vector) {
    std::memcpy(&vector, from + part * kLanes, kRegisterBytes);
  }

  [[gnu::always_inline]] static void note_nans(Mask& is_nan, const Vector& x) {
    is_nan |= x != x;  // NOLINT(misc-redundant-expression)
  }

  [[gnu::always_inline]] static bool has_any(const Mask& mask) {
    std::array<uint64_t, kRegisterBytes / sizeof(uint64_t)> words;
    std::memcpy(words.data(), &mask, kRegisterBytes);
    uint64_t any = 0;
    for (const uint64_t word : words) any |= word;
    return any != 0;
  }

  template <int64_t kRows>
  [[gnu::always_inline]] static void fold_in_order(T* acc, const T* x, int64_t row_step,
                                                   int64_t count) {
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t at = 0; at < count; ++at) acc[at] = Op::apply(acc[at], x[at]);
      x += row_step;
    }
  }

  /// False, and nothing is done, if there is a NaN.
  template <int64_t kRows>
  [[gnu::always_inline]] static bool fold_vectors(T* acc, const T* x, int64_t row_step) {
    std::array<Vector, kColumnParts> best;
    Mask is_nan{};
    SHARDY_UNROLL
    for (std::size_t part = 0; part < kColumnParts; ++part) {
      load(acc, part, best[part]);
      note_nans(is_nan, best[part]);
      SHARDY_UNROLL
      for (int64_t row = 0; row < kRows; ++row) {
        Vector next;
        load(x + row * row_step, part, next);
        note_nans(is_nan, next);
        take_one(best[part], next);
      }
    }
    if (has_any(is_nan)) return false;
    SHARDY_UNROLL
    for (std::size_t part = 0; part < kColumnParts; ++part) {
      std::memcpy(acc + part * kLanes, &best[part], kRegisterBytes);
    }
    return true;
  }

  /// Of equal numbers each if they are zeros, so that both signs are seen.
  [[gnu::always_inline]] static void take_one(Vector& best, const Vector& next) {
    Vector first = best;
    Vector second = next;
    take_farther(first, next);
    take_farther(second, best);
    Mask bits = reinterpret_cast<Mask>(first);
    see(bits, reinterpret_cast<Mask>(second));
    best = reinterpret_cast<Vector>(bits);
  }

  /// With the lanes of all vectors put together, and the elements from `at` on.
  [[gnu::always_inline]] static T finish(T acc, const Vector& best, const Seen& seen,
                                         std::span<const T> x, int64_t at) {
    Bits signs = std::bit_cast<Bits>(acc);
    bool is_nan = std::isnan(acc) || has_any(seen.is_nan);
    T found = acc;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      take_farther(found, T{best[lane]});
      see(signs, Bits{seen.signs[lane]});
    }
    for (const T next : x.subspan(static_cast<std::size_t>(at))) {
      take_farther(found, next);
      see(signs, std::bit_cast<Bits>(next));
      is_nan = is_nan || std::isnan(next);
    }
    if (is_nan) return first_nan(acc, x);
    constexpr Bits kSign = std::numeric_limits<Bits>::min();
    return found == 0 ? std::bit_cast<T>(static_cast<Bits>(signs & kSign)) : found;
  }

  static T first_nan(T acc, std::span<const T> x) {
    if (std::isnan(acc)) return acc;
    const auto found = std::ranges::find_if(x, [](T each) { return std::isnan(each); });
    return found == x.end() ? acc : *found;
  }
};

}  // namespace shardy::simulation::detail
