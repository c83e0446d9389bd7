// Kernels of convert and reduce_precision. Spec: stablehlo 19.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

// ---- To the widest type of the class ---------------------------------------------------------

int64_t to_wide(Bool x) { return x.raw; }
template <Integer T>
simulation::Wide<T> to_wide(T x) {
  return widen(x);
}
template <Float T>
double to_wide(T x) {
  return to_double(x);
}
template <TinyFloat T>
double to_wide(T x) {
  return ir::decode_bits(x.raw, ir::float_format(T::kElement));
}
template <Complex T>
std::complex<double> to_wide(T x) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}

template <Exactly T>
T to_wide(T x) {
  return x;
}

template <class T>
concept Convertible = Element<T> || TinyFloat<T>;

template <class T>
using WideOf = decltype(to_wide(std::declval<T>()));

// ---- From the widest type to any type -----------------------------------------------------------
// ------------------------------------------------------------------

template <class To, class From>
To narrow(From x);

/// Rounds towards zero. NaN becomes 0; numbers out of range become the nearest limit.
template <Integer To>
To truncate(double x) {
  const double limit = std::ldexp(1.0, kBits<To> - (kSigned<To> ? 1 : 0));
  if (std::isnan(x)) return wrap<To>(uint64_t{0});
  if (x >= limit) return wrap<To>(max_value<To>());
  if (x <= static_cast<double>(min_value<To>())) return wrap<To>(min_value<To>());
  return wrap<To>(static_cast<simulation::Wide<To>>(x));
}

/// This function is not inlined, because the type has many formats, and all of them are rare.
[[gnu::noinline]] uint8_t encode_tiny(double x, ir::ElementType type) {
  return static_cast<uint8_t>(ir::encode_bits(x, ir::float_format(type)));
}

template <TinyFloat To, class From>
To narrow_to_tiny(From x) {
  if constexpr (std::same_as<From, double>) {
    return {encode_tiny(x, To::kElement)};
  } else {
    return {encode_tiny(to_sticky_double(x), To::kElement)};
  }
}

template <Float To, class From>
To narrow_to_float(From x) {
  if constexpr (std::same_as<From, double>) {
    return round_to<To>(x);
  } else if constexpr (Small<To>) {
    return round_to<To>(to_sticky_double(x));
  } else {
    return static_cast<To>(x);
  }
}

// ---- The prime field: numbers become equal elements ------------------------------

Prime to_prime(Prime x) { return x; }
Prime to_prime(PrimePair x) { return x.real; }
Prime to_prime(std::complex<double> x) { return {prime_field::image(x.real())}; }
template <class From>
Prime to_prime(From x) {
  return {prime_field::image(x)};
}

/// Converts an element of the field: small integers keep their value, other elements become
/// pseudo-random bits.
template <class To>
To from_prime(Prime x) {
  if constexpr (std::same_as<To, Bool>) {
    return {static_cast<uint8_t>(x.raw != 0 ? 1 : 0)};
  } else {
    return prime_field::is_small(x.raw) ? wrap<To>(prime_field::centered(x.raw))
                                        : wrap<To>(prime_field::mixed(x.raw));
  }
}

template <class To, class From>
To narrow_exactly(From x) {
  if constexpr (std::same_as<To, Prime>) {
    return to_prime(x);
  } else if constexpr (std::same_as<To, PrimePair> && std::same_as<From, PrimePair>) {
    return x;
  } else if constexpr (std::same_as<To, PrimePair> && std::same_as<From, std::complex<double>>) {
    return {to_prime(x.real()), to_prime(x.imag())};
  } else if constexpr (std::same_as<To, PrimePair>) {
    return {to_prime(x), Prime{}};
  } else {
    return from_prime<To>(to_prime(x));
  }
}

/// Converts field elements to field elements without floats in between, because they are exact.
template <class From, class To>
concept Storable =
    Convertible<To> && !(Exactly<From> && (Float<To> || Complex<To> || TinyFloat<To>));

template <class To, class From>
To narrow(From x) {
  if constexpr (Exactly<From> || Exactly<To>) {
    return narrow_exactly<To>(x);
  } else if constexpr (Complex<From> && Complex<To>) {
    using Part = typename To::value_type;
    return {static_cast<Part>(x.real()), static_cast<Part>(x.imag())};
  } else if constexpr (Complex<From>) {
    return narrow<To>(x.real());
  } else if constexpr (Complex<To>) {
    return {narrow_to_float<typename To::value_type>(x), 0};
  } else if constexpr (std::same_as<To, Bool>) {
    return {static_cast<uint8_t>(x != 0 ? 1 : 0)};
  } else if constexpr (TinyFloat<To>) {
    return narrow_to_tiny<To>(x);
  } else if constexpr (Float<To>) {
    return narrow_to_float<To>(x);
  } else if constexpr (std::same_as<From, double>) {
    return truncate<To>(x);
  } else {
    return wrap<To>(x);
  }
}

// ---- Loops -----------------------------------------------------------------------------------

using Loop = void (*)(const std::byte* from, std::byte* to, std::size_t count);

template <class T>
void load_loop(const std::byte* from, std::byte* wide, std::size_t count) {
  const auto* in = reinterpret_cast<const T*>(from);
  auto* out = reinterpret_cast<WideOf<T>*>(wide);
  for (std::size_t at = 0; at < count; ++at) out[at] = to_wide(in[at]);
}

template <class From, class To>
void store_loop(const std::byte* wide, std::byte* to, std::size_t count) {
  const auto* in = reinterpret_cast<const From*>(wide);
  auto* out = reinterpret_cast<To*>(to);
  for (std::size_t at = 0; at < count; ++at) out[at] = narrow<To>(in[at]);
}

Loop pick_load(ir::ElementType from) {
  return with_any_element(from, []<class T>(Tag<T>) -> Loop {
    if constexpr (Convertible<T>) {
      return &load_loop<T>;
    } else {
      return nullptr;
    }
  });
}

template <class From>
Loop pick_store_from(ir::ElementType to) {
  return with_any_element(to, []<class T>(Tag<T>) -> Loop {
    if constexpr (Storable<From, T>) {
      return &store_loop<From, T>;
    } else {
      return nullptr;
    }
  });
}

Loop pick_store(ir::ElementType from, ir::ElementType to) {
  return with_any_element(from, [&]<class T>(Tag<T>) -> Loop {
    if constexpr (Convertible<T>) {
      return pick_store_from<WideOf<T>>(to);
    } else {
      return nullptr;
    }
  });
}

// ---- Common pairs ----------------------------------------------------------------------------

template <class From, class To>
void convert_directly(const std::byte* from, std::byte* to, std::size_t count) {
  const auto* in = reinterpret_cast<const From*>(from);
  auto* out = reinterpret_cast<To*>(to);
  for (std::size_t at = 0; at < count; ++at) {
    if constexpr (std::same_as<From, float> && Small<To>) {
      out[at] = round_to<To>(in[at]);
    } else if constexpr (Small<From> && std::same_as<To, float>) {
      out[at] = to_exact(in[at]);
    } else {
      out[at] = narrow<To>(to_wide(in[at]));
    }
  }
}

struct DirectRow {
  ir::ElementType from;
  ir::ElementType to;
  Loop loop;
};
constexpr DirectRow kDirect[] = {
    {ir::ElementType::F32, ir::ElementType::BF16, &convert_directly<float, BF16>},
    {ir::ElementType::F32, ir::ElementType::F16, &convert_directly<float, F16>},
    {ir::ElementType::F32, ir::ElementType::F64, &convert_directly<float, double>},
    {ir::ElementType::BF16, ir::ElementType::F32, &convert_directly<BF16, float>},
    {ir::ElementType::F16, ir::ElementType::F32, &convert_directly<F16, float>},
    {ir::ElementType::F64, ir::ElementType::F32, &convert_directly<double, float>},
    {ir::ElementType::I32, ir::ElementType::F32, &convert_directly<int32_t, float>},
    {ir::ElementType::I32, ir::ElementType::I64, &convert_directly<int32_t, int64_t>},
    {ir::ElementType::I64, ir::ElementType::I32, &convert_directly<int64_t, int32_t>},
    {ir::ElementType::I1, ir::ElementType::F32, &convert_directly<Bool, float>},
    {ir::ElementType::I1, ir::ElementType::I32, &convert_directly<Bool, int32_t>},
};

Result<Kernel> make_convert(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::ElementType from = reader.operand().element();
  const ir::ElementType to = reader.result().element();
  if (from == to) {
    return [](const KernelCall& call) -> Result<Tensors> { return Tensors{call.operands[0]}; };
  }
  const std::optional<Conversion> conversion = Conversion::pick(from, to);
  if (!conversion) return reader.unsupported_element(pick_load(from) == nullptr ? from : to);
  return ranged_kernel(reader.result(), [conversion = *conversion](const ResultRange& range) {
    conversion.run(range.operand(0), range.to, range.count);
  });
}

// ---- reduce_precision ------------------------------------------------------------------------

struct Precision {
  int64_t exponent_bits;
  int64_t mantissa_bits;
};

/// Rounds the mantissa to `kept` bits, ties to even. The carry of the addition moves into the
/// exponent.
template <Float T>
BitsOf<T> round_mantissa(BitsOf<T> bits, int64_t kept) {
  if (kept >= kMantissaBits<T>) return bits;
  const uint64_t last = uint64_t{1} << (kMantissaBits<T> - kept);
  const uint64_t bias = last / 2 - 1 + ((bits & last) != 0 ? 1 : 0);
  return static_cast<BitsOf<T>>((bits + bias) & ~(last - 1));
}

template <Float T>
T reduce_precision(T x, const Precision& precision) {
  if (is_nan(x)) return precision.mantissa_bits > 0 ? x : std::bit_cast<T>(kInfinityOf<T>);
  const auto bits = round_mantissa<T>(std::bit_cast<BitsOf<T>>(x), precision.mantissa_bits);
  if (precision.exponent_bits >= kExponentBits<T>) return std::bit_cast<T>(bits);
  const int64_t bias = (int64_t{1} << (kExponentBits<T> - 1)) - 1;
  const int64_t range = (int64_t{1} << (precision.exponent_bits - 1)) - 1;
  const auto sign = static_cast<BitsOf<T>>(bits & kSignMask<T>);
  const auto field = static_cast<int64_t>((bits & ~kSignMask<T>) >> kMantissaBits<T>);
  if (field > bias + range) return std::bit_cast<T>(static_cast<BitsOf<T>>(sign | kInfinityOf<T>));
  return std::bit_cast<T>(field <= bias - range ? sign : bits);
}

using PrecisionLoop = void (*)(const std::byte* x, std::byte* out, std::size_t count,
                               const Precision& precision);

template <Float T>
void precision_loop(const std::byte* x, std::byte* out, std::size_t count,
                    const Precision& precision) {
  const auto* in = reinterpret_cast<const T*>(x);
  auto* result = reinterpret_cast<T*>(out);
  for (std::size_t at = 0; at < count; ++at) result[at] = reduce_precision(in[at], precision);
}

/// Reduces the precision of the bits of a format without a C++ type.
std::byte reduce_tiny(uint64_t raw, const ir::FloatFormat& format, const Precision& precision) {
  const auto byte_of = [](uint64_t bits) { return std::byte{static_cast<uint8_t>(bits)}; };
  const uint64_t infinity = ir::detail::overflow_bits(format, false);
  if (std::isnan(ir::decode_bits(raw, format))) {
    return byte_of(precision.mantissa_bits > 0 ? raw : infinity);
  }
  uint64_t bits = raw;
  if (precision.mantissa_bits < format.mantissa_bits) {
    const uint64_t last = uint64_t{1} << (format.mantissa_bits - precision.mantissa_bits);
    bits = (bits + last / 2 - 1 + ((bits & last) != 0 ? 1 : 0)) & ~(last - 1);
  }
  const uint64_t sign = raw & format.sign_bit();
  const auto magnitude = static_cast<int64_t>(bits - sign);
  const bool overflows = magnitude > static_cast<int64_t>(format.max_finite());
  const int64_t bias = (int64_t{1} << (format.exponent_bits - 1)) - 1;
  const int64_t range = (int64_t{1} << (precision.exponent_bits - 1)) - 1;
  const bool narrows = precision.exponent_bits < format.exponent_bits;
  const int64_t field = magnitude >> format.mantissa_bits;
  if (overflows || (narrows && field > bias + range)) {
    return byte_of(ir::detail::overflow_bits(format, sign != 0));
  }
  const bool to_zero = narrows && field <= bias - range;
  if (!to_zero) return byte_of(bits);
  return byte_of(ir::encode_bits(sign != 0 ? -0.0 : 0.0, format));
}

PrecisionLoop pick_precision(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> PrecisionLoop {
    if constexpr (Float<T>) {
      return &precision_loop<T>;
    } else {
      return nullptr;
    }
  });
}

Result<Kernel> make_reduce_precision(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::ReducePrecisionOp>();
  const Precision precision{view.exponent_bits, std::min<int64_t>(view.mantissa_bits, 52)};
  if (is_tiny_float(reader.operand().element())) {
    const ir::FloatFormat format = ir::float_format(reader.operand().element());
    ByteTable table;
    for (uint64_t raw = 0; raw < table.size(); ++raw) {
      table[raw] = reduce_tiny(raw, format, precision);
    }
    return table_kernel(reader.result(), table);
  }
  const PrecisionLoop loop = pick_precision(reader.operand().element());
  if (loop == nullptr) return reader.unsupported_element(reader.operand().element());
  return ranged_kernel(reader.result(), [loop, precision](const ResultRange& range) {
    loop(range.operand(0), range.to, range.count, precision);
  });
}

}  // namespace

std::optional<Conversion> Conversion::pick(ir::ElementType from, ir::ElementType to) {
  const auto* const direct = std::ranges::find_if(
      kDirect, [&](const DirectRow& row) { return row.from == from && row.to == to; });
  if (direct != std::end(kDirect)) {
    return Conversion{nullptr, direct->loop, ir::size_bytes(from), ir::size_bytes(to)};
  }
  const Loop load = pick_load(from);
  const Loop store = load == nullptr ? nullptr : pick_store(from, to);
  if (store == nullptr) return std::nullopt;
  return Conversion{load, store, ir::size_bytes(from), ir::size_bytes(to)};
}

void Conversion::run(const std::byte* from, std::byte* to, std::size_t count) const {
  if (load == nullptr) return store(from, to, count);
  constexpr std::size_t kChunk = 256;
  alignas(16) std::array<std::byte, kChunk * sizeof(std::complex<double>)> wide;
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::size_t size = std::min(kChunk, count - done);
    load(from + done * from_bytes, wide.data(), size);
    store(wide.data(), to + done * to_bytes, size);
  }
}

Status expect_conversion(const OpReader& reader, const ir::Type& from, ir::ElementType to) {
  if (from.element() == to || Conversion::pick(from.element(), to)) return {};
  return reader.unsupported_element(from.element());
}

Result<Tensor> converted(const Tensor& x, ir::ElementType to) {
  if (x.type().element() == to) return x;
  const std::optional<Conversion> conversion = Conversion::pick(x.type().element(), to);
  if (!conversion) return fail("element type has no arithmetic");
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type().with_element(to)));
  conversion->run(x.data(), out.data(), static_cast<std::size_t>(x.num_elements()));
  return std::move(out).finish();
}

SHARDY_KERNEL(Convert, make_convert)
SHARDY_KERNEL(ReducePrecision, make_reduce_precision)

}  // namespace shardy::simulation
