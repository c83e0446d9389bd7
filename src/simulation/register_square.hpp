// Squares of elements that change lines and lanes in vector registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

// Arrays of vectors stay in registers only if the loops over them are gone early; clang does so by
// itself.
#if defined(__GNUC__) && !defined(__clang__)
#define SHARDY_UNROLL _Pragma("GCC unroll 16")
#else
#define SHARDY_UNROLL
#endif

namespace shardy::simulation::detail {

inline constexpr std::size_t kRegisterBytes = 16;

template <std::size_t kBytes>
struct Register {
  using Lane =
      std::conditional_t<kBytes == 1, uint8_t,
                         std::conditional_t<kBytes == 2, uint16_t,
                                            std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
  typedef Lane type __attribute__((vector_size(kRegisterBytes)));  // NOLINT(modernize-use-using)
};

/// As many registers as one has lanes.
template <std::size_t kBytes>
struct Square {
  static constexpr std::size_t kSide = kRegisterBytes / kBytes;
  std::array<typename Register<kBytes>::type, kSide> lines;
};

/// Lanes of both in turns, from lane `kFirst` on.
template <int kFirst, class Vector, int... kAt>
[[gnu::always_inline]] inline Vector interleaved(const Vector& a, const Vector& b,
                                                 std::integer_sequence<int, kAt...> /*lanes*/) {
  constexpr int kLanes = sizeof...(kAt);
  return __builtin_shufflevector(a, b, (kFirst + kAt / 2 + kAt % 2 * kLanes)...);
}

/// After log2(kSide) of these steps lines and lanes have changed places.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void interleave(const Square<kBytes>& in, Square<kBytes>& out) {
  constexpr std::size_t kHalf = Square<kBytes>::kSide / 2;
  constexpr std::make_integer_sequence<int, static_cast<int>(2 * kHalf)> kLanes;
  SHARDY_UNROLL
  for (std::size_t line = 0; line < kHalf; ++line) {
    out.lines[2 * line] = interleaved<0>(in.lines[line], in.lines[line + kHalf], kLanes);
    out.lines[2 * line + 1] =
        interleaved<static_cast<int>(kHalf)>(in.lines[line], in.lines[line + kHalf], kLanes);
  }
}

template <std::size_t kBytes>
[[gnu::always_inline]] inline void load(Square<kBytes>& square, const std::byte* from,
                                        std::ptrdiff_t step) {
  SHARDY_UNROLL
  for (std::size_t line = 0; line < Square<kBytes>::kSide; ++line) {
    std::memcpy(&square.lines[line], from + static_cast<std::ptrdiff_t>(line) * step,
                kRegisterBytes);
  }
}

template <std::size_t kBytes>
[[gnu::always_inline]] inline void store(const Square<kBytes>& square, std::byte* to,
                                         std::ptrdiff_t step) {
  SHARDY_UNROLL
  for (std::size_t line = 0; line < Square<kBytes>::kSide; ++line) {
    std::memcpy(to + static_cast<std::ptrdiff_t>(line) * step, &square.lines[line], kRegisterBytes);
  }
}

/// `now` is interleaved log2(kDone) times.
template <std::size_t kDone, std::size_t kBytes>
[[gnu::always_inline]] inline void finish_turn(const Square<kBytes>& now, std::byte* to,
                                               std::ptrdiff_t step) {
  if constexpr (kDone == Square<kBytes>::kSide) {
    store(now, to, step);
  } else {
    Square<kBytes> next;
    interleave(now, next);
    finish_turn<2 * kDone>(next, to, step);
  }
}

/// Line i, element j of `to` is line j, element i of `from`; lines are so many bytes apart.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void turn_square(const std::byte* from, std::ptrdiff_t from_step,
                                               std::byte* to, std::ptrdiff_t to_step) {
  Square<kBytes> square;
  load(square, from, from_step);
  finish_turn<1>(square, to, to_step);
}

}  // namespace shardy::simulation::detail

#undef SHARDY_UNROLL
