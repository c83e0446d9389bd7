// Squares of elements that change lines and lanes in vector registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simulation/unroll.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace shardy::simulation::detail {

/// What shuffles reach across: a register of two or four times as many bytes holds as many squares.
inline constexpr std::size_t kSquareBytes = 16;

template <std::size_t kBytes, std::size_t kRegisterBytes>
struct Register {
  static_assert(kRegisterBytes == kSquareBytes || kRegisterBytes == 2 * kSquareBytes ||
                kRegisterBytes == 4 * kSquareBytes);
  using Lane =
      std::conditional_t<kBytes == 1, uint8_t,
                         std::conditional_t<kBytes == 2, uint16_t,
                                            std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
  typedef Lane type __attribute__((vector_size(kRegisterBytes)));  // NOLINT(modernize-use-using)
};

/// As many registers as a line of the square has elements.
template <std::size_t kBytes, std::size_t kRegisterBytes = kSquareBytes>
struct Square {
  static constexpr std::size_t kSide = kSquareBytes / kBytes;
  std::array<typename Register<kBytes, kRegisterBytes>::type, kSide> lines;
};

/// Lanes of both in turns, from lane `kFirst` of each square on.
template <int kFirst, int kSide, class Vector, int... kAt>
[[gnu::always_inline]] inline void take_turns(const Vector& a, const Vector& b, Vector& out,
                                              std::integer_sequence<int, kAt...> /*lanes*/) {
  constexpr int kLanes = sizeof...(kAt);
  out = __builtin_shufflevector(
      a, b, (kAt / kSide * kSide + kFirst + kAt % kSide / 2 + kAt % 2 * kLanes)...);
}

/// After log2(kSide) of these steps lines and lanes have changed places.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void interleave(const Square<kBytes, kRegisterBytes>& in,
                                              Square<kBytes, kRegisterBytes>& out) {
  constexpr auto kSide = static_cast<int>(Square<kBytes>::kSide);
  constexpr std::size_t kHalf = Square<kBytes>::kSide / 2;
  constexpr std::make_integer_sequence<int, static_cast<int>(kRegisterBytes / kBytes)> kLanes;
  SHARDY_UNROLL
  for (std::size_t line = 0; line < kHalf; ++line) {
    const auto& upper = in.lines[line];
    const auto& lower = in.lines[line + kHalf];
    take_turns<0, kSide>(upper, lower, out.lines[2 * line], kLanes);
    take_turns<kSide / 2, kSide>(upper, lower, out.lines[2 * line + 1], kLanes);
  }
}

/// Lines of squares, those of two registers in one.
template <class Wide, class Line, int... kAt>
[[gnu::always_inline]] inline void join(const Line& first, const Line& second, Wide& both,
                                        std::integer_sequence<int, kAt...> /*lanes*/) {
  both = __builtin_shufflevector(first, second, kAt...);
}

template <int kShift, int kSide, class Vector, int... kAt>
[[gnu::always_inline]] inline void move_lanes(const Vector& upper, const Vector& lower, Vector& out,
                                              std::integer_sequence<int, kAt...> /*lanes*/) {
  constexpr int kLanes = sizeof...(kAt);
  out = __builtin_shufflevector(
      upper, lower, (kAt % kSide < kShift ? kAt + kSide - kShift : kLanes + kAt - kShift)...);
}

/// The last `kShift` lanes of each square of `upper`, at least one, come before those of `lower`,
/// the last of which are gone.
template <int kShift, class Vector>
[[gnu::always_inline]] inline void move_up(const Vector& upper, Vector& lower) {
  constexpr auto kLaneBytes = static_cast<int>(sizeof(lower[0]));
  constexpr int kSide = static_cast<int>(kSquareBytes) / kLaneBytes;
#if defined(__SSE2__) && !defined(__SSSE3__)
  // Compilers would move lane by lane.
  if constexpr (sizeof(Vector) == kSquareBytes) {
    constexpr int kShiftBytes = kShift * kLaneBytes;
    const __m128i last = _mm_srli_si128(reinterpret_cast<__m128i>(upper), 16 - kShiftBytes);
    const __m128i first = _mm_slli_si128(reinterpret_cast<__m128i>(lower), kShiftBytes);
    lower = reinterpret_cast<Vector>(_mm_or_si128(last, first));
    return;
  }
#endif
  constexpr auto kLanes = static_cast<int>(sizeof(Vector)) / kLaneBytes;
  const Vector before = lower;
  move_lanes<kShift, kSide>(upper, before, lower, std::make_integer_sequence<int, kLanes>());
}

/// Lines of squares that are `step` bytes apart.
struct SpacedLines {
  const std::byte* first;
  std::ptrdiff_t step;

  [[gnu::always_inline]] const std::byte* operator[](std::size_t at) const {
    return first + static_cast<std::ptrdiff_t>(at) * step;
  }
};

/// As many lines as a register holds, from line `kFirst` on.
template <std::size_t kBytes, std::size_t kFirst = 0, class Vector, class Lines>
[[gnu::always_inline]] inline void load_lines(Vector& all, const Lines& lines) {
  if constexpr (sizeof(Vector) == kSquareBytes) {
    std::memcpy(&all, lines[kFirst], kSquareBytes);
  } else {
    using Half = typename Register<kBytes, sizeof(Vector) / 2>::type;
    Half upper;
    Half lower;
    load_lines<kBytes, kFirst>(upper, lines);
    load_lines<kBytes, kFirst + sizeof(Half) / kSquareBytes>(lower, lines);
    constexpr std::size_t kLanes = sizeof(Vector) / sizeof(all[0]);
    join(upper, lower, all, std::make_integer_sequence<int, static_cast<int>(kLanes)>());
  }
}

/// The squares of a register are below each other in `from`.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void load_column(Square<kBytes, kRegisterBytes>& square,
                                               const std::byte* from, std::ptrdiff_t step) {
  constexpr auto kSide = static_cast<std::ptrdiff_t>(Square<kBytes>::kSide);
  SHARDY_UNROLL
  for (std::size_t line = 0; line < Square<kBytes>::kSide; ++line) {
    load_lines<kBytes>(square.lines[line], SpacedLines{from, kSide * step});
    from += step;
  }
}

/// They are side by side in `from`.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void load_row(Square<kBytes, kRegisterBytes>& square,
                                            const std::byte* from, std::ptrdiff_t step) {
  SHARDY_UNROLL
  for (std::size_t line = 0; line < Square<kBytes>::kSide; ++line) {
    std::memcpy(&square.lines[line], from + static_cast<std::ptrdiff_t>(line) * step,
                kRegisterBytes);
  }
}

/// They are below each other in `to`.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void store_column(const Square<kBytes, kRegisterBytes>& square,
                                                std::byte* to, std::ptrdiff_t step) {
  constexpr std::size_t kSide = Square<kBytes>::kSide;
  SHARDY_UNROLL
  for (std::size_t line = 0; line < kSide; ++line) {
    const auto* from = reinterpret_cast<const std::byte*>(&square.lines[line]);
    SHARDY_UNROLL
    for (std::size_t part = 0; part < kRegisterBytes / kSquareBytes; ++part) {
      std::memcpy(to + static_cast<std::ptrdiff_t>(line + part * kSide) * step,
                  from + part * kSquareBytes, kSquareBytes);
    }
  }
}

/// Each register as it is.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void store_registers(const Square<kBytes, kRegisterBytes>& square,
                                                   std::byte* to, std::ptrdiff_t step) {
  SHARDY_UNROLL
  for (std::size_t line = 0; line < Square<kBytes>::kSide; ++line) {
    std::memcpy(to + static_cast<std::ptrdiff_t>(line) * step, &square.lines[line], kRegisterBytes);
  }
}

/// Lines and lanes of each square change places; `now` is interleaved log2(kDone) times.
template <std::size_t kDone = 1, std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void turn(const Square<kBytes, kRegisterBytes>& now,
                                        Square<kBytes, kRegisterBytes>& turned) {
  if constexpr (kDone == Square<kBytes>::kSide) {
    turned = now;
  } else if constexpr (2 * kDone == Square<kBytes>::kSide) {
    interleave(now, turned);
  } else {
    Square<kBytes, kRegisterBytes> next;
    interleave(now, next);
    turn<2 * kDone>(next, turned);
  }
}

/// Line i, element j of `to` is line j, element i of `from`, for a line of `from` of
/// `kRegisterBytes` and one of `to` of `kSquareBytes`; lines are so many bytes apart.
template <std::size_t kBytes, std::size_t kRegisterBytes = kSquareBytes>
[[gnu::always_inline]] inline void turn_square(const std::byte* from, std::ptrdiff_t from_step,
                                               std::byte* to, std::ptrdiff_t to_step) {
  Square<kBytes, kRegisterBytes> square;
  Square<kBytes, kRegisterBytes> turned;
  load_row(square, from, from_step);
  turn(square, turned);
  store_column(turned, to, to_step);
}

/// Like turn_square, but line i of each square is in register i of those at `to`.
template <std::size_t kBytes, std::size_t kRegisterBytes>
[[gnu::always_inline]] inline void turn_registers(const std::byte* from, std::ptrdiff_t from_step,
                                                  std::byte* to) {
  Square<kBytes, kRegisterBytes> square;
  Square<kBytes, kRegisterBytes> turned;
  load_row(square, from, from_step);
  turn(square, turned);
  store_registers(turned, to, kRegisterBytes);
}

}  // namespace shardy::simulation::detail
