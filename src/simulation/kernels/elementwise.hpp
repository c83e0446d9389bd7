// Loops over contiguous operands, one per op and element type, and the kernels that use these
// loops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "shardy/ir/type.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/wide_code.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

using UnaryLoop = void (*)(const std::byte* x, std::byte* out, std::size_t count);
using BinaryLoop = void (*)(const std::byte* x, const std::byte* y, std::byte* out,
                            std::size_t count);

/// An op: a type with static functions `apply`, one per class of elements on which the op is
/// defined.
template <class Op, class T>
concept UnaryOn = !std::is_void_v<T> && requires(T x) {
  Op::apply(x);
};
template <class Op, class T>
concept BinaryOn = !std::is_void_v<T> && requires(T x) {
  Op::apply(x, x);
};

/// An op with a static function `apply_all` for many elements of T, which is faster than `apply`
/// for each element.
template <class Op, class T>
concept AppliesToAll = requires(const T* x, T* out) {
  Op::apply_all(x, x, out, std::size_t{});
};

/// An elementary function of T that is computed without calls, so that wide vector registers make
/// it faster.
template <class Op, class T>
concept IsVectorCode = requires {
  requires Op::template kIsVectorCode<T>;
};

namespace detail {

template <class Op, class T>
struct UnaryLoopOf {
  [[gnu::always_inline]] static void run(const std::byte* x, std::byte* out, std::size_t count) {
    const auto* in = reinterpret_cast<const T*>(x);
    auto* result = reinterpret_cast<decltype(Op::apply(*in))*>(out);
    for (std::size_t at = 0; at < count; ++at) result[at] = Op::apply(in[at]);
  }
};

template <class Op, class T>
UnaryLoop pick_unary_loop() {
  if constexpr (IsVectorCode<Op, T>) return pick_widest_version<UnaryLoopOf<Op, T>>();
  return &UnaryLoopOf<Op, T>::run;
}

template <class Op, class T, class R>
[[gnu::always_inline]] inline void apply_to_all(const T* x, const T* y, R* out, std::size_t count) {
  if constexpr (AppliesToAll<Op, T>) {
    Op::apply_all(x, y, out, count);
  } else {
    for (std::size_t at = 0; at < count; ++at) out[at] = Op::apply(x[at], y[at]);
  }
}

template <class Op, class T>
void binary_loop(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) {
  const auto* left = reinterpret_cast<const T*>(x);
  const auto* right = reinterpret_cast<const T*>(y);
  auto* result = reinterpret_cast<decltype(Op::apply(*left, *right))*>(out);
  apply_to_all<Op, T>(left, right, result, count);
}

/// The result type of an op on T. The size of a result element determines its element type.
template <class R>
constexpr bool is_type_of(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) { return std::same_as<T, R>; });
}

}  // namespace detail

/// Returns the loop from `from` elements to `to` elements; null if the op has none.
template <class Op>
UnaryLoop pick_unary(ir::ElementType from, ir::ElementType to) {
  return with_element(from, [&]<class T>(Tag<T>) -> UnaryLoop {
    if constexpr (UnaryOn<Op, T>) {
      using R = decltype(Op::apply(std::declval<T>()));
      return detail::is_type_of<R>(to) ? detail::pick_unary_loop<Op, T>() : nullptr;
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
      return detail::is_type_of<R>(to) ? &detail::binary_loop<Op, T> : nullptr;
    } else {
      return nullptr;
    }
  });
}

/// Returns `declared` with the shape of the operand in this call. Inside a lifted reducer
/// (fold.hpp), values of rank 0 have many lanes.
inline ir::Type shaped_like(const ir::Type& declared, const ir::Type& operand) {
  if (std::ranges::equal(declared.dims(), operand.dims())) return declared;
  return declared.with_dims({operand.dims().begin(), operand.dims().end()});
}

/// The smallest number of elements that is worth a separate thread.
inline constexpr int64_t kElementGrain = int64_t{1} << 15;

/// Calls `loop(first, count, to)` for ranges of the elements of `out`, on as many threads as are
/// worthwhile. The loop writes the range to `to`.
template <class Loop>
void for_results(const KernelCall& call, TensorWriter& out, const Loop& loop) {
  const std::size_t bytes = ir::size_bytes(out.type().element());
  for_ranges(call.pool, out.type().num_elements(), kElementGrain, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<std::size_t>(begin);
    loop(first, static_cast<std::size_t>(end - begin), out.data() + first * bytes);
  });
}

/// A range of the elements of a result, and the address to which they are written.
struct ResultRange {
  const KernelCall& call;
  std::size_t first;
  std::size_t count;
  std::byte* to;

  /// Returns the elements of an operand at the positions of the range.
  const std::byte* operand(std::size_t index) const {
    const Tensor& tensor = call.operands[index];
    return tensor.data() + first * ir::size_bytes(tensor.type().element());
  }
};

/// Calls `write(range)` for ranges of the elements of a result with the shape of `model`.
template <class Write>
Kernel ranged_kernel(const ir::Type& result, Write write, std::size_t model = 0) {
  return
      [type = result, write = std::move(write), model](const KernelCall& call) -> Result<Tensors> {
        SHARDY_TRY(TensorWriter out,
                   TensorWriter::make(shaped_like(type, call.operands[model].type())));
        for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
          write(ResultRange{call, first, count, to});
        });
        return Tensors{std::move(out).finish()};
      };
}

using UnaryPick = UnaryLoop (*)(ir::ElementType from, ir::ElementType to);
using BinaryPick = BinaryLoop (*)(ir::ElementType from, ir::ElementType to);

/// Returns a kernel of one operand. Floats of one byte are computed in f64 and rounded once. Error:
/// no loop exists.
Result<Kernel> elementwise_kernel(const OpReader& reader, UnaryPick pick);
/// Returns a kernel of two operands of equal type. Error: no loop exists.
Result<Kernel> elementwise_kernel(const OpReader& reader, BinaryPick pick);

/// The results of an op for the 256 values of an element type of one byte.
using ByteTable = std::array<std::byte, 256>;
Kernel table_kernel(const ir::Type& result, const ByteTable& table);
/// Returns a kernel of an op on floats of one byte that has several steps. Each step rounds its
/// result.
Result<Kernel> tiny_kernel(const OpReader& reader, std::span<const UnaryPick> steps);

template <class Op>
Result<Kernel> make_unary(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return elementwise_kernel(reader, &pick_unary<Op>);
}

template <class Op>
Result<Kernel> make_binary(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return elementwise_kernel(reader, &pick_binary<Op>);
}

}  // namespace shardy::simulation
