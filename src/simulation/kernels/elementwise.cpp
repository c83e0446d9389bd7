// Kernels of elementwise ops with one or two operands, except elementary functions, and of compare,
// select and clamp. Spec: stablehlo 17, 18, 20.
#include "simulation/kernels/elementwise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementary.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

using ir::ElementType;

Status verify_loop(const OpReader& reader, bool has_loop) {
  const ElementType from = reader.operand().element();
  const ElementType to = reader.result().element();
  if (!has_loop && from == to) return reader.unsupported_element(from);
  if (has_loop) return {};
  return reader.fail("no kernel from " + std::string(to_string(from)) + " to " +
                     std::string(to_string(to)));
}

/// Calls `loop(x, y, to, count)` for ranges of elements.
template <class Loop>
Kernel binary_kernel(const OpReader& reader, Loop loop) {
  return ranged_kernel(reader.result(), [loop](const ResultRange& range) {
    loop(range.operand(0), range.operand(1), range.to, range.count);
  });
}

// ---- Floats of one byte ----------------------------------------------------------------------

/// Returns the result type of the loop over f64: f64, or i1 for predicates.
ElementType wide_result(const OpReader& reader) {
  const bool is_predicate = reader.result().element() == ElementType::I1;
  return is_predicate ? ElementType::I1 : ElementType::F64;
}

Status verify_tiny(const OpReader& reader, bool has_loop) {
  const ElementType to = reader.result().element();
  const bool fits = to == ElementType::I1 || to == reader.operand().element();
  return verify_loop(reader, has_loop && fits);
}

using WideChunk = std::array<double, 256>;

std::byte* bytes_of(WideChunk& chunk) { return reinterpret_cast<std::byte*>(chunk.data()); }

/// A loop over f64 between two conversions, chunk by chunk.
struct TinyBinary {
  Conversion widen;
  BinaryLoop loop;
  std::optional<Conversion> narrow;  // std::nullopt if the loop writes bytes

  void operator()(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) const {
    WideChunk left;
    WideChunk right;
    for (std::size_t done = 0; done < count; done += left.size()) {
      const std::size_t size = std::min(left.size(), count - done);
      widen.run(x + done, bytes_of(left), size);
      widen.run(y + done, bytes_of(right), size);
      loop(bytes_of(left), bytes_of(right), narrow ? bytes_of(left) : out + done, size);
      if (narrow) narrow->run(bytes_of(left), out + done, size);
    }
  }
};

Result<Kernel> tiny_binary_kernel(const OpReader& reader, BinaryPick pick) {
  const ElementType from = reader.operand().element();
  const ElementType to = wide_result(reader);
  const BinaryLoop loop = pick(ElementType::F64, to);
  SHARDY_TRY_STATUS(verify_tiny(reader, loop != nullptr));
  TinyBinary plan{*Conversion::pick(from, ElementType::F64), loop, std::nullopt};
  if (to == ElementType::F64) plan.narrow = Conversion::pick(ElementType::F64, from);
  return binary_kernel(reader, plan);
}

struct Abs {
  template <Integer T>
  requires kSigned<T>
  static T apply(T x) {
    return widen(x) < 0 ? wrap<T>(uint64_t{0} - static_cast<uint64_t>(widen(x))) : x;
  }
  template <Float T>
  static T apply(T x) {
    const auto bits = std::bit_cast<BitsOf<T>>(x);
    return std::bit_cast<T>(static_cast<BitsOf<T>>(bits & ~kSignMask<T>));
  }
  template <Complex T>
  static typename T::value_type apply(T x) {
    return static_cast<typename T::value_type>(
        std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag())));
  }
};

struct Negate {
  static Prime apply(Prime x) { return {prime_field::negate(x.raw)}; }
  static PrimePair apply(PrimePair x) { return {apply(x.real), apply(x.imag)}; }
  template <Integer T>
  static T apply(T x) {
    return wrap<T>(uint64_t{0} - static_cast<uint64_t>(widen(x)));
  }
  template <Float T>
  static T apply(T x) {
    const auto bits = std::bit_cast<BitsOf<T>>(x);
    return std::bit_cast<T>(static_cast<BitsOf<T>>(bits ^ kSignMask<T>));
  }
  template <Complex T>
  static T apply(T x) {
    return {-x.real(), -x.imag()};
  }
};

struct Sign {
  template <Integer T>
  requires kSigned<T>
  static T apply(T x) {
    return wrap<T>(static_cast<int64_t>(widen(x) > 0 ? 1 : widen(x) < 0 ? -1 : 0));
  }
  template <Float T>
  static T apply(T x) {
    const bool keeps = is_nan(x) || to_exact(x) == 0;
    return keeps ? x : round_to<T>(is_negative(x) ? -1.0 : 1.0);
  }
  template <Complex T>
  static T apply(T x) {
    using Part = typename T::value_type;
    if (is_nan(x.real()) || is_nan(x.imag())) {
      return {std::numeric_limits<Part>::quiet_NaN(), std::numeric_limits<Part>::quiet_NaN()};
    }
    return x == T(0) ? T(0) : Divide::apply(x, T(Abs::apply(x)));
  }
};

struct Not {
  static Bool apply(Bool x) { return {static_cast<uint8_t>(x.raw ^ 1)}; }
  template <Integer T>
  static T apply(T x) {
    return wrap<T>(~pattern(x));
  }
};

struct PopulationCount {
  template <Integer T>
  static T apply(T x) {
    return wrap<T>(static_cast<int64_t>(std::popcount(pattern(x))));
  }
};

struct CountLeadingZeros {
  template <Integer T>
  static T apply(T x) {
    return wrap<T>(static_cast<int64_t>(std::countl_zero(pattern(x)) - (64 - kBits<T>)));
  }
};

struct IsFinite {
  template <Float T>
  static Bool apply(T x) {
    const auto magnitude = static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & ~kSignMask<T>);
    return {static_cast<uint8_t>(magnitude < kInfinityOf<T> ? 1 : 0)};
  }
};

struct Real {
  static Prime apply(Prime x) { return x; }
  static Prime apply(PrimePair x) { return x.real; }
  template <Float T>
  static T apply(T x) {
    return x;
  }
  template <Complex T>
  static typename T::value_type apply(T x) {
    return x.real();
  }
};
struct Imag {
  static Prime apply(Prime) { return {}; }
  static Prime apply(PrimePair x) { return x.imag; }
  template <Float T>
  static T apply(T) {
    return T{};
  }
  template <Complex T>
  static typename T::value_type apply(T x) {
    return x.imag();
  }
};

Bool truth(bool value) { return {static_cast<uint8_t>(value ? 1 : 0)}; }

/// Compares floats as IEEE 754 does, integers by their order, complex numbers lexicographically.
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

/// Compares floats in the total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
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

/// Compares floats of one byte by integer keys, chunk by chunk. Their NaNs would be
/// indistinguishable as f64.
struct CodeComparison {
  ir::ElementType element;
  BinaryLoop loop;  // loop over i8 keys

  void operator()(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) const {
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

Result<Kernel> make_compare(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::CompareOp>();
  const auto* const row = std::ranges::find(kCompareRows, view.direction, &CompareRow::direction);
  SHARDY_ASSERT(row != std::end(kCompareRows));
  const ir::ElementType element = reader.operand().element();
  const bool total =
      view.type == "TOTALORDER" && (ir::is_float(element) || ir::is_complex(element));
  if (total && is_tiny_float(element)) {
    return binary_kernel(reader,
                         CodeComparison{element, row->natural(ElementType::I8, ElementType::I1)});
  }
  return elementwise_kernel(reader, total ? row->total : row->natural);
}

// ---- select ----------------------------------------------------------------------------------

using SelectLoop = void (*)(const Bool* choice, const std::byte* x, const std::byte* y,
                            std::byte* out, std::size_t count);

/// Selects elements, which are copied as integers of equal size.
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

/// Selects elements that are larger than every integer type.
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
  const SelectLoop loop = pick_select(ir::size_bytes(reader.result().element()));
  Kernel by_element = ranged_kernel(
      reader.result(),
      [loop](const ResultRange& range) {
        loop(reinterpret_cast<const Bool*>(range.operand(0)), range.operand(1), range.operand(2),
             range.to, range.count);
      },
      1);
  return [by_element = std::move(by_element)](const KernelCall& call) -> Result<Tensors> {
    const Tensor& choice = call.operands[0];
    if (choice.type().rank() > 0) return by_element(call);
    return Tensors{call.operands[choice.elements<Bool>()[0].raw != 0 ? 1 : 2]};
  };
}

// ---- clamp -----------------------------------------------------------------------------------

/// A bound of clamp: one value per element, or one value for all.
struct Bound {
  const std::byte* values;
  std::size_t step;  // 0 for one value, else 1
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

Bound bound_of(const ResultRange& range, std::size_t operand) {
  const Tensor& tensor = range.call.operands[operand];
  if (tensor.type().rank() == 0) return {tensor.data(), 0};
  return {range.operand(operand), 1};
}

/// Clamps floats of one byte as f64, which changes no value.
struct TinyClamp {
  Conversion widen;
  Conversion narrow;
  ClampLoop loop;

  void operator()(const Bound& low, const std::byte* x, const Bound& high, std::byte* out,
                  std::size_t count) const {
    WideChunk lows;
    WideChunk values;
    WideChunk highs;
    for (std::size_t done = 0; done < count; done += values.size()) {
      const std::size_t size = std::min(values.size(), count - done);
      widen.run(x + done, bytes_of(values), size);
      loop(widened(low, done, size, lows), bytes_of(values), widened(high, done, size, highs),
           bytes_of(values), size);
      narrow.run(bytes_of(values), out + done, size);
    }
  }

 private:
  Bound widened(const Bound& bound, std::size_t first, std::size_t count,
                WideChunk& scratch) const {
    widen.run(bound.values + first * bound.step, bytes_of(scratch), bound.step == 0 ? 1 : count);
    return {bytes_of(scratch), bound.step};
  }
};

/// Calls `clamp(low, x, high, to, count)` for ranges of elements.
template <class Clamp>
Kernel clamp_kernel(const ir::Type& result, const Clamp& clamp) {
  return ranged_kernel(
      result,
      [clamp](const ResultRange& range) {
        clamp(bound_of(range, 0), range.operand(1), bound_of(range, 2), range.to, range.count);
      },
      1);
}

Kernel tiny_clamp(const ir::Type& result) {
  return clamp_kernel(result, TinyClamp{*Conversion::pick(result.element(), ElementType::F64),
                                        *Conversion::pick(ElementType::F64, result.element()),
                                        pick_clamp(ElementType::F64)});
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

Kernel table_kernel(const ir::Type& result, const ByteTable& table) {
  return ranged_kernel(result, [table](const ResultRange& range) {
    const std::byte* x = range.operand(0);
    std::transform(x, x + range.count, range.to,
                   [&](std::byte raw) { return table[std::to_integer<uint8_t>(raw)]; });
  });
}

Result<Kernel> tiny_kernel(const OpReader& reader, std::span<const UnaryPick> steps) {
  const ElementType from = reader.operand().element();
  const ElementType to = wide_result(reader);
  ByteTable table;
  for (std::size_t raw = 0; raw < table.size(); ++raw) {
    table[raw] = std::byte{static_cast<uint8_t>(raw)};
  }
  WideChunk wide;
  for (const UnaryPick step : steps) {
    Conversion::pick(from, ElementType::F64)->run(table.data(), bytes_of(wide), wide.size());
    const UnaryLoop loop = step(ElementType::F64, to);
    SHARDY_TRY_STATUS(verify_tiny(reader, loop != nullptr));
    loop(bytes_of(wide), to == ElementType::F64 ? bytes_of(wide) : table.data(), wide.size());
    if (to != ElementType::F64) continue;
    Conversion::pick(ElementType::F64, from)->run(bytes_of(wide), table.data(), wide.size());
  }
  return table_kernel(reader.result(), table);
}

Result<Kernel> elementwise_kernel(const OpReader& reader, UnaryPick pick) {
  const ElementType from = reader.operand().element();
  if (is_tiny_float(from)) return tiny_kernel(reader, {&pick, 1});
  const UnaryLoop loop = pick(from, reader.result().element());
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return ranged_kernel(reader.result(), [loop](const ResultRange& range) {
    loop(range.operand(0), range.to, range.count);
  });
}

Result<Kernel> elementwise_kernel(const OpReader& reader, BinaryPick pick) {
  const ElementType from = reader.operand().element();
  if (is_tiny_float(from)) return tiny_binary_kernel(reader, pick);
  const BinaryLoop loop = pick(from, reader.result().element());
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return binary_kernel(reader, loop);
}

SHARDY_KERNEL(Abs, make_unary<Abs>)
SHARDY_KERNEL(Ceil, make_unary<Elementary<RealFunction<std::ceil>>>)
SHARDY_KERNEL(CountLeadingZeros, make_unary<CountLeadingZeros>)
SHARDY_KERNEL(Floor, make_unary<Elementary<RealFunction<std::floor>>>)
SHARDY_KERNEL(Imag, make_unary<Imag>)
SHARDY_KERNEL(IsFinite, make_unary<IsFinite>)
SHARDY_KERNEL(Negate, make_unary<Negate>)
SHARDY_KERNEL(Not, make_unary<Not>)
SHARDY_KERNEL(PopulationCount, make_unary<PopulationCount>)
SHARDY_KERNEL(Real, make_unary<Real>)
SHARDY_KERNEL(RoundNearestAfz, make_unary<Elementary<RealFunction<std::round>>>)
SHARDY_KERNEL(RoundNearestEven, make_unary<Elementary<RealFunction<std::nearbyint>>>)
SHARDY_KERNEL(Sign, make_unary<Sign>)

SHARDY_KERNEL(Add, make_binary<Add>)
SHARDY_KERNEL(And, make_binary<And>)
SHARDY_KERNEL(Atan2, make_binary<Atan2>)
SHARDY_KERNEL(Complex, make_binary<MakeComplex>)
SHARDY_KERNEL(Divide, make_binary<Divide>)
SHARDY_KERNEL(Maximum, make_binary<Maximum>)
SHARDY_KERNEL(Minimum, make_binary<Minimum>)
SHARDY_KERNEL(Multiply, make_binary<Multiply>)
SHARDY_KERNEL(Or, make_binary<Or>)
SHARDY_KERNEL(Power, make_binary<Power>)
SHARDY_KERNEL(Remainder, make_binary<Remainder>)
SHARDY_KERNEL(ShiftLeft, make_binary<ShiftLeft>)
SHARDY_KERNEL(ShiftRightArithmetic, make_binary<ShiftRightArithmetic>)
SHARDY_KERNEL(ShiftRightLogical, make_binary<ShiftRightLogical>)
SHARDY_KERNEL(Subtract, make_binary<Subtract>)
SHARDY_KERNEL(Xor, make_binary<Xor>)
SHARDY_KERNEL(SpmdFloorDiv, make_binary<FloorDivide>)
SHARDY_KERNEL(SpmdFloorMod, make_binary<FloorModulo>)

SHARDY_KERNEL(Compare, make_compare)
SHARDY_KERNEL(Select, make_select)
SHARDY_KERNEL(Clamp, make_clamp)

}  // namespace shardy::simulation
