// compare, select, clamp. Spec: stablehlo 20.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/tiny_float.hpp"

namespace shardy::simulation {
namespace {

Bool truth(bool value) { return {static_cast<uint8_t>(value ? 1 : 0)}; }

/// IEEE and natural order; complex numbers lexicographic.
template <class Relation>
struct Compare {
  static Bool apply(Bool x, Bool y) { return truth(Relation()(x.raw, y.raw)); }
  template <Exactly T>
  static Bool apply(T x, T y) {
    return truth(Relation()(detail::exact_order(x, y), 0));
  }
  template <Integer T>
  static Bool apply(T x, T y) {
    return truth(Relation()(widen(x), widen(y)));
  }
  template <Float T>
  static Bool apply(T x, T y) {
    return truth(Relation()(to_exact(x), to_exact(y)));
  }
  template <Complex T>
  static Bool apply(T x, T y) {
    return x.real() == y.real() ? apply(x.imag(), y.imag()) : apply(x.real(), y.real());
  }
};

/// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <class Relation>
struct CompareTotal {
  template <Exactly T>
  static Bool apply(T x, T y) {
    return Compare<Relation>::apply(x, y);
  }
  template <Float T>
  static Bool apply(T x, T y) {
    return truth(Relation()(key(x), key(y)));
  }
  template <Complex T>
  static Bool apply(T x, T y) {
    return key(x.real()) == key(y.real()) ? apply(x.imag(), y.imag()) : apply(x.real(), y.real());
  }

 private:
  template <Float T>
  static int64_t key(T x) {
    const auto magnitude = static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & ~kSignMask<T>);
    return is_negative(x) ? -static_cast<int64_t>(magnitude) - 1 : static_cast<int64_t>(magnitude);
  }
};

struct CompareRow {
  std::string_view direction;
  BinaryPick natural;
  BinaryPick total;
};
constexpr CompareRow kCompareRows[] = {
    {"EQ", &pick_binary<Compare<std::equal_to<>>>, &pick_binary<CompareTotal<std::equal_to<>>>},
    {"NE", &pick_binary<Compare<std::not_equal_to<>>>,
     &pick_binary<CompareTotal<std::not_equal_to<>>>},
    {"GE", &pick_binary<Compare<std::greater_equal<>>>,
     &pick_binary<CompareTotal<std::greater_equal<>>>},
    {"GT", &pick_binary<Compare<std::greater<>>>, &pick_binary<CompareTotal<std::greater<>>>},
    {"LE", &pick_binary<Compare<std::less_equal<>>>, &pick_binary<CompareTotal<std::less_equal<>>>},
    {"LT", &pick_binary<Compare<std::less<>>>, &pick_binary<CompareTotal<std::less<>>>},
};

/// The keys of floats of one byte, chunk by chunk. As f64 they would lose which NaN they were.
struct CodeComparison {
  ir::ElementType element;
  BinaryLoop loop;  // of i8

  void run(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) const {
    std::array<int8_t, 256> left;
    std::array<int8_t, 256> right;
    const auto key = [&](std::byte code) {
      return code_rank(element, std::to_integer<uint8_t>(code));
    };
    for (std::size_t done = 0; done < count; done += left.size()) {
      const std::size_t size = std::min(left.size(), count - done);
      std::transform(x + done, x + done + size, left.begin(), key);
      std::transform(y + done, y + done + size, right.begin(), key);
      loop(std::as_bytes(std::span(left)).data(), std::as_bytes(std::span(right)).data(),
           out + done, size);
    }
  }
};

Kernel code_comparison_kernel(const OpReader& reader, BinaryPick natural) {
  const CodeComparison plan{reader.operand().element(),
                            natural(ir::ElementType::I8, ir::ElementType::I1)};
  return [plan, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, call.operands[0].type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* place) {
      plan.run(call.operands[0].data() + first, call.operands[1].data() + first, place, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> make_compare(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::CompareOp>();
  const auto* const row = std::ranges::find(kCompareRows, view.direction, &CompareRow::direction);
  SHARDY_ASSERT(row != std::end(kCompareRows));
  const ir::ElementType element = reader.operand().element();
  const bool total =
      view.type == "TOTALORDER" && (ir::is_float(element) || ir::is_complex(element));
  if (total && is_tiny_float(element)) return code_comparison_kernel(reader, row->natural);
  return elementwise_kernel(reader, total ? row->total : row->natural);
}

// ---- select ----------------------------------------------------------------------------------

using SelectLoop = void (*)(const Bool* choice, const std::byte* x, const std::byte* y,
                            std::byte* out, std::size_t count);

/// Selects elements as integers with the same bits.
template <class Bits>
void select_elements(const Bool* choice, const std::byte* x, const std::byte* y, std::byte* out,
                     std::size_t count) {
  const auto* yes = reinterpret_cast<const Bits*>(x);
  const auto* no = reinterpret_cast<const Bits*>(y);
  auto* result = reinterpret_cast<Bits*>(out);
  for (std::size_t at = 0; at < count; ++at) {
    const auto mask = static_cast<Bits>(Bits{0} - static_cast<Bits>(choice[at].raw));
    result[at] = static_cast<Bits>(no[at] ^ ((yes[at] ^ no[at]) & mask));
  }
}

/// Selects elements that are wider than every integer type.
void select_pairs(const Bool* choice, const std::byte* x, const std::byte* y, std::byte* out,
                  std::size_t count) {
  constexpr std::size_t kBytes = 16;
  for (std::size_t at = 0; at < count; ++at) {
    const std::byte* from = choice[at].raw != 0 ? x : y;
    std::memcpy(out + at * kBytes, from + at * kBytes, kBytes);
  }
}

SelectLoop pick_select(std::size_t element_bytes) {
  static constexpr std::array<SelectLoop, 5> kLoops = {
      &select_elements<uint8_t>, &select_elements<uint16_t>, &select_elements<uint32_t>,
      &select_elements<uint64_t>, &select_pairs};
  return kLoops[static_cast<std::size_t>(std::countr_zero(element_bytes))];
}

Result<Kernel> make_select(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const std::size_t bytes = ir::size_bytes(reader.result().element());
  return [loop = pick_select(bytes), bytes,
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& choice = call.operands[0];
    const Tensor& x = call.operands[1];
    if (choice.type().rank() == 0) {
      return Tensors{call.operands[choice.elements<Bool>()[0].raw != 0 ? 1 : 2]};
    }
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
      loop(choice.elements<Bool>().data() + first, x.data() + first * bytes,
           call.operands[2].data() + first * bytes, to, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

// ---- clamp -----------------------------------------------------------------------------------

/// One bound: a value per element, or one for all.
struct Bound {
  const std::byte* values;
  std::size_t step;  // 0 or 1 elements
};
using ClampLoop = void (*)(const Bound& low, const std::byte* x, const Bound& high, std::byte* out,
                           std::size_t count);

template <class T>
void clamp_elements(const Bound& low, const std::byte* x, const Bound& high, std::byte* out,
                    std::size_t count) {
  const auto* lows = reinterpret_cast<const T*>(low.values);
  const auto* highs = reinterpret_cast<const T*>(high.values);
  const auto* in = reinterpret_cast<const T*>(x);
  auto* result = reinterpret_cast<T*>(out);
  for (std::size_t at = 0; at < count; ++at) {
    result[at] = Minimum::apply(Maximum::apply(in[at], lows[at * low.step]), highs[at * high.step]);
  }
}

ClampLoop pick_clamp(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> ClampLoop {
    if constexpr (BinaryOn<Maximum, T>) {
      return &clamp_elements<T>;
    } else {
      return nullptr;
    }
  });
}

/// From element `first` on.
Bound bound_of(const Tensor& tensor, std::size_t first, std::size_t element_bytes) {
  if (tensor.type().rank() == 0) return {tensor.data(), 0};
  return {tensor.data() + first * element_bytes, 1};
}

using ClampChunk = std::array<double, 256>;

/// Floats of one byte are clamped as f64, which changes no value.
struct TinyClamp {
  Conversion widen;
  Conversion narrow;
  ClampLoop loop;

  void run(const Bound& low, const std::byte* x, const Bound& high, std::byte* out,
           std::size_t count) const {
    ClampChunk lows;
    ClampChunk values;
    ClampChunk highs;
    for (std::size_t done = 0; done < count; done += values.size()) {
      const std::size_t size = std::min(values.size(), count - done);
      widen.run(x + done, bytes_of(values), size);
      loop(widened(low, done, size, lows), bytes_of(values), widened(high, done, size, highs),
           bytes_of(values), size);
      narrow.run(bytes_of(values), out + done, size);
    }
  }

 private:
  static std::byte* bytes_of(ClampChunk& chunk) {
    return reinterpret_cast<std::byte*>(chunk.data());
  }
  Bound widened(const Bound& bound, std::size_t first, std::size_t count,
                ClampChunk& scratch) const {
    widen.run(bound.values + first * bound.step, bytes_of(scratch), bound.step == 0 ? 1 : count);
    return {bytes_of(scratch), bound.step};
  }
};

/// `clamp(low, x, high, to, count)` for ranges of elements.
template <class Clamp>
Kernel clamp_kernel(const ir::Type& result, const Clamp& clamp) {
  return [clamp, type = result](const KernelCall& call) -> Result<Tensors> {
    const Tensor& value = call.operands[1];
    const std::size_t bytes = ir::size_bytes(type.element());
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, value.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
      clamp(bound_of(call.operands[0], first, bytes), value.data() + first * bytes,
            bound_of(call.operands[2], first, bytes), to, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

Kernel tiny_clamp(const ir::Type& result) {
  const TinyClamp plan{*Conversion::pick(result.element(), ir::ElementType::F64),
                       *Conversion::pick(ir::ElementType::F64, result.element()),
                       pick_clamp(ir::ElementType::F64)};
  return clamp_kernel(
      result, [plan](const Bound& low, const std::byte* x, const Bound& high, std::byte* out,
                     std::size_t count) { plan.run(low, x, high, out, count); });
}

Result<Kernel> make_clamp(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(1);
  if (is_tiny_float(x.element())) return tiny_clamp(reader.result());
  const ClampLoop loop = pick_clamp(x.element());
  if (loop == nullptr) return reader.unsupported_element(x.element());
  return clamp_kernel(reader.result(), loop);
}

}  // namespace

SHARDY_KERNEL(Compare, make_compare)
SHARDY_KERNEL(Select, make_select)
SHARDY_KERNEL(Clamp, make_clamp)

}  // namespace shardy::simulation
