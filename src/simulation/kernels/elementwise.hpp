// Loops over contiguous operands, one per op and element type, and the kernels made of them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "shardy/ir/element_type.hpp"
#include "simulation/crew.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/half_loops.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/wide_code.hpp"
#include "simulation/stream.hpp"

namespace shardy::simulation {

using UnaryLoop = void (*)(const std::byte* x, std::byte* out, std::size_t count);
using BinaryLoop = void (*)(const std::byte* x, const std::byte* y, std::byte* out,
                            std::size_t count);

/// An op is a type with static functions `apply`, one per class of elements it is defined on.
template <class Op, class T>
concept UnaryOn = !std::is_void_v<T> && requires(T x) {
  Op::apply(x);
};
template <class Op, class T>
concept BinaryOn = !std::is_void_v<T> && requires(T x) {
  Op::apply(x, x);
};

/// An elementary function of T that is computed without calls, many at a time.
template <class Op, class T>
concept IsVectorCode = requires {
  requires Op::template kIsVectorCode<T>;
};

/// An op that calls functions of the C library has loops of one version: that
/// of the calls.
template <class Op, class T>
concept CallsLibrary = !IsVectorCode<Op, T> && requires {
  typename Op::CallsLibrary;
};

/// An op on f16 that is one operation of f32, rounded; and that one on vectors.
template <class Op>
concept RoundsOnce = requires(float x) {
  Op::combine(x, x);
};

namespace detail {

template <class Op, class T>
struct UnaryBody {
  [[gnu::always_inline]] static void run(const std::byte* x, std::byte* out, std::size_t count) {
    const auto* in = reinterpret_cast<const T*>(x);
    auto* result = reinterpret_cast<decltype(Op::apply(*in))*>(out);
    for (std::size_t at = 0; at < count; ++at) result[at] = Op::apply(in[at]);
  }
};

template <class Op, class T>
struct BinaryBody {
  [[gnu::always_inline]] static void run(const std::byte* x, const std::byte* y, std::byte* out,
                                         std::size_t count) {
    const auto* left = reinterpret_cast<const T*>(x);
    const auto* right = reinterpret_cast<const T*>(y);
    auto* result = reinterpret_cast<decltype(Op::apply(*left, *right))*>(out);
    for (std::size_t at = 0; at < count; ++at) result[at] = Op::apply(left[at], right[at]);
  }
};

template <class Op, class T, class Body>
auto pick_loop() -> decltype(&Body::run) {
  if constexpr (CallsLibrary<Op, T>) {
    return &Versions<Body>::plain;
  } else if constexpr (IsVectorCode<Op, T>) {
    return pick_widest_version<Body>();
  } else {
    return pick_version<Body>();
  }
}

template <class Op, class T>
BinaryLoop pick_binary_loop() {
  if constexpr (RoundsOnce<Op> && std::same_as<T, F16>) {
    if (const BinaryLoop loop = pick_half_binary<Op>()) return loop;
  }
  return pick_loop<Op, T, BinaryBody<Op, T>>();
}

/// The size of one result element says which element type `T -> R` makes.
template <class R>
constexpr bool is_type_of(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) { return std::same_as<T, R>; });
}

}  // namespace detail

/// The loop from `from` elements to `to` elements, null if the op has none.
template <class Op>
UnaryLoop pick_unary(ir::ElementType from, ir::ElementType to) {
  return with_element(from, [&]<class T>(Tag<T>) -> UnaryLoop {
    if constexpr (UnaryOn<Op, T>) {
      using R = decltype(Op::apply(std::declval<T>()));
      return detail::is_type_of<R>(to) ? detail::pick_loop<Op, T, detail::UnaryBody<Op, T>>()
                                       : nullptr;
    } else {
      return nullptr;
    }
  });
}

template <class Op>
BinaryLoop pick_binary(ir::ElementType from, ir::ElementType to) {
  return with_element(from, [&]<class T>(Tag<T>) -> BinaryLoop {
    if constexpr (BinaryOn<Op, T>) {
      using R = decltype(Op::apply(std::declval<T>(), std::declval<T>()));
      return detail::is_type_of<R>(to) ? detail::pick_binary_loop<Op, T>() : nullptr;
    } else {
      return nullptr;
    }
  });
}

/// `declared` with the shape that the operand has in this call: inside a lifted reducer (fold.hpp)
/// rank-0 values stand for many lanes.
inline ir::Type shaped_like(const ir::Type& declared, const ir::Type& operand) {
  if (std::ranges::equal(declared.dims(), operand.dims())) return declared;
  return declared.with_dims({operand.dims().begin(), operand.dims().end()});
}

/// Elements that a thread computes at least.
inline constexpr int64_t kElementGrain = int64_t{1} << 15;

/// Calls `loop(first, count)` for ranges of elements, on as many threads as
/// that pays for.
template <class Loop>
void for_elements(const KernelCall& call, std::size_t count, const Loop& loop) {
  for_ranges(call.crew, static_cast<int64_t>(count), kElementGrain,
             [&](int64_t begin, int64_t end) {
               loop(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
             });
}

/// Results of so many bytes find no room in the caches.
inline constexpr std::size_t kStreamedBytes = std::size_t{1} << 25;

namespace detail {

/// Calls `loop(first, count, to)` for chunks, which then go past the caches. Requires: `to` is a
/// multiple of the size of an element, a power of 2.
template <class Loop>
void stream_elements(std::byte* to, std::size_t count, std::size_t element_bytes,
                     const Loop& loop) {
  constexpr std::size_t kLine = 64;
  alignas(kLine) std::array<std::byte, 128 * kLine> chunk;
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % kLine;
  std::size_t done = std::min(count, (kLine - past) % kLine / element_bytes);
  if (done > 0) loop(0, done, to);
  const std::size_t step = chunk.size() / element_bytes;
  for (; done + step <= count; done += step) {
    loop(done, step, chunk.data());
    stream_bytes(chunk.data(), to + done * element_bytes, std::ssize(chunk));
  }
  if (done < count) loop(done, count - done, to + done * element_bytes);
  finish_streams();
}

}  // namespace detail

/// Calls `loop(first, count, to)` for ranges of the elements of `out`, on as many threads as that
/// pays for; it writes them to `to`.
template <class Loop>
void for_results(const KernelCall& call, TensorWriter& out, const Loop& loop) {
  const auto count = static_cast<std::size_t>(out.type().num_elements());
  const std::size_t bytes = ir::size_bytes(out.type().element());
  const bool streams = count * bytes > kStreamedBytes;
  for_elements(call, count, [&](std::size_t first, std::size_t num_elements) {
    std::byte* to = out.data() + first * bytes;
    if (!streams) return loop(first, num_elements, to);
    detail::stream_elements(
        to, num_elements, bytes,
        [&](std::size_t at, std::size_t size, std::byte* place) { loop(first + at, size, place); });
  });
}

using UnaryPick = UnaryLoop (*)(ir::ElementType from, ir::ElementType to);
using BinaryPick = BinaryLoop (*)(ir::ElementType from, ir::ElementType to);

/// A kernel of one operand. Floats of one byte are computed with in f64 and rounded once.
/// Errors: no loop, shapes that differ.
Result<Kernel> elementwise_kernel(const OpReader& reader, UnaryPick pick);
/// A kernel of two operands of one type. Errors: no loop, shapes that differ.
Result<Kernel> elementwise_kernel(const OpReader& reader, BinaryPick pick);

/// What an op makes of each of the 256 values of an element type of one byte.
using ByteTable = std::array<std::byte, 256>;
Kernel table_kernel(const ir::Type& result, const ByteTable& table);
/// An op on floats of one byte that is done in steps, each of which rounds its result.
Result<Kernel> tiny_kernel(const OpReader& reader, std::span<const UnaryPick> steps);

template <class Op>
Result<Kernel> make_unary(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request, 1));
  return elementwise_kernel(reader, &pick_unary<Op>);
}

template <class Op>
Result<Kernel> make_binary(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request, 2));
  return elementwise_kernel(reader, &pick_binary<Op>);
}

}  // namespace shardy::simulation
