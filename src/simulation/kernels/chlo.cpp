// Kernels of the elementwise CHLO ops. Spec: stablehlo 29.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementary.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

using prime_field::mixed;

/// Elementwise ops that are defined on the prime field: field arithmetic, and ops that select or
/// move elements.
constexpr std::array kArithmetic = {ir::OpKind::Add,
                                    ir::OpKind::Subtract,
                                    ir::OpKind::Multiply,
                                    ir::OpKind::Divide,
                                    ir::OpKind::Negate,
                                    ir::OpKind::Maximum,
                                    ir::OpKind::Minimum,
                                    ir::OpKind::Compare,
                                    ir::OpKind::Select,
                                    ir::OpKind::Clamp,
                                    ir::OpKind::Convert,
                                    ir::OpKind::Complex,
                                    ir::OpKind::Real,
                                    ir::OpKind::Imag,
                                    ir::OpKind::ChloConj,
                                    ir::OpKind::ChloSquare,
                                    ir::OpKind::ChloConstantLike};

bool is_exact(const ir::Type& type) { return type.is_tensor() && ir::is_exact(type.element()); }

/// Returns a number that distinguishes functions by the name and the parameters of the op.
uint64_t salt_of(const ir::Module& module, ir::OpId op) {
  uint64_t salt = 0;
  for (const char letter : module.name(op)) salt = mixed(salt, static_cast<unsigned char>(letter));
  if (module.is(op, ir::OpKind::ReducePrecision)) {
    const auto view = ir::view<ir::ReducePrecisionOp>(module, op);
    salt = mixed(salt, static_cast<uint64_t>(view.exponent_bits));
    salt = mixed(salt, static_cast<uint64_t>(view.mantissa_bits));
  }
  return salt;
}

/// The hash state after the arguments read so far; std::nullopt if an argument is not a number.
using State = std::optional<uint64_t>;

/// Adds the bits of an element to `state`.
State absorb(State state, const std::byte* element, ir::ElementType type) {
  const std::size_t size = ir::size_bytes(type);
  for (std::size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, element + at, std::min(sizeof(word), size - at));
    if (ir::is_exact(type) && !prime_field::is_number(word)) state.reset();
    if (state) state = mixed(*state, word);
  }
  return state;
}

/// Writes the element that the state determines.
void squeeze(State of, ir::ElementType type, std::byte* out) {
  if (!of && ir::is_exact(type)) {
    std::memset(out, 0xFF, ir::size_bytes(type));
    return;
  }
  const uint64_t state = of.value_or(0);
  with_element(type, [&]<class T>(Tag<T>) {
    const auto write = [&](const auto& value) { std::memcpy(out, &value, sizeof(value)); };
    if constexpr (std::same_as<T, Prime>) {
      write(Prime{prime_field::reduced(state)});
    } else if constexpr (std::same_as<T, PrimePair>) {
      write(PrimePair{{prime_field::reduced(state)}, {prime_field::reduced(mixed(state, 1))}});
    } else if constexpr (std::same_as<T, Bool>) {
      write(Bool{static_cast<uint8_t>(state >> 63U)});
    } else if constexpr (Integer<T>) {
      write(wrap<T>(state));
    }
  });
}

using Long = long double;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The Bernoulli numbers B_2, B_4, ..., B_24.
constexpr std::array<Long, 12> kBernoulli = {
    1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
    5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
    43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// ---- erf_inv ---------------------------------------------------------------------------------

/// Returns Winitzki's approximation of the inverse of erf, which has 2 correct digits. Requires: 0
/// < x < 1.
Long rough_erf_inv(Long x, Long complement) {
  constexpr Long kA = 0.147L;
  const Long log = std::log(complement * (1 + x));
  const Long half = 2 / (std::numbers::pi_v<Long> * kA) + log / 2;
  return std::sqrt(std::sqrt(half * half - log / kA) - half);
}

/// Returns the inverse of erf by Halley's method: on erf near 0, on erfc where erf is close to 1.
/// Requires: 0 < x < 1.
Long positive_erf_inv(Long x) {
  const Long complement = 1 - x;  // exact for x near 1
  const Long slope = 2 * std::numbers::inv_sqrtpi_v<Long>;
  Long y = x < 0.01L ? x / slope : rough_erf_inv(x, complement);
  for (int step = 0; step < 4; ++step) {
    const Long error = x < 0.5L ? std::erf(y) - x : complement - std::erfc(y);
    const Long newton = error / (slope * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return y;
}

// ---- digamma ---------------------------------------------------------------------------------

/// Returns log x - 1/(2x) - sum of B_2k / (2k x^2k) for x >= 15. A recurrence increases smaller x
/// first.
Long positive_digamma(Long x) {
  Long shift = 0;
  while (x < 15) {
    shift += 1 / x;
    x += 1;
  }
  const Long inverse = 1 / (x * x);
  Long series = 0;
  for (std::size_t k = kBernoulli.size(); k > 0; --k) {
    series = (series + kBernoulli[k - 1] / static_cast<Long>(2 * k)) * inverse;
  }
  return std::log(x) - 1 / (2 * x) - series - shift;
}

// ---- zeta ------------------------------------------------------------------------------------

/// Returns the difference of the sum over k >= 0 of (a + k)^-x and its integral, divided by a^-x:
/// 1/2 and the Euler-Maclaurin corrections.
Long corrections(Long x, Long a) {
  Long factor = x / a;  // x (x + 1) ... (x + 2k - 2) / a^(2k - 1)
  Long factorial = 2;   // (2k)!
  Long sum = 0.5L;
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k) {
    const Long term = kBernoulli[k - 1] * factor / factorial;
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-21L) break;
    const auto twice = static_cast<Long>(2 * k);
    factor *= (x + twice - 1) * (x + twice) / (a * a);
    factorial *= (twice + 1) * (twice + 2);
  }
  return sum;
}

/// Returns zeta(x, q). Requires: x > 1, q > 0.
Long positive_zeta(Long x, Long q) {
  if (std::isinf(x)) return std::pow(q, -x);
  constexpr int kDirectTerms = 24;
  Long sum = 0;
  Long a = q;
  for (int k = 0; k < kDirectTerms; ++k, ++a) {
    const Long term = std::pow(a, -x);
    sum += term;
    if (term * (1 + a / (x - 1)) < sum * 1e-22L) return sum;
  }
  const Long power = std::pow(a, -x);
  return sum + power * (a / (x - 1)) + power * corrections(x, a);
}

/// Returns zeta(x, q) for q < 0. Up to a sign, the terms with q + k < 0 are the terms of two sums
/// with positive arguments. Requires: x > 1 is an integer, q is not.
Long reflected_zeta(Long x, Long q) {
  const Long fraction = q - std::floor(q);
  const Long num_negative = -std::floor(q);
  const Long negative =
      positive_zeta(x, 1 - fraction) - positive_zeta(x, num_negative + 1 - fraction);
  const bool is_even = std::fmod(x, 2.0L) == 0;
  return positive_zeta(x, fraction) + (is_even ? negative : -negative);
}

bool is_integer(double x) { return std::floor(x) == x; }

/// Returns zeta in long double, because factors of polygamma overflow and underflow against each
/// other in double.
Long wide_zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return std::numeric_limits<Long>::infinity();
  if (q > 0) return std::isinf(q) ? 0 : positive_zeta(x, q);
  if (is_integer(q)) return std::fmod(x, 2.0) == 0 ? kInfinity : kNan;
  return is_integer(x) && !std::isinf(x) ? reflected_zeta(x, q) : kNan;
}

// ---- bessel_i1e ------------------------------------------------------------------------------

/// Returns exp(-x) times the power series of I_1, whose terms are all positive.
Long series_i1e(Long x) {
  const Long quarter = x * x / 4;
  Long term = x / 2;
  Long sum = 0;
  for (int k = 1; term > sum * 1e-22L; ++k) {
    sum += term;
    term *= quarter / (static_cast<Long>(k) * static_cast<Long>(k + 1));
  }
  return std::exp(-x) * sum;
}

/// Returns the asymptotic series of exp(-x) I_1(x), whose terms decrease until about k = 2 x.
Long asymptotic_i1e(Long x) {
  Long term = 1;
  Long sum = 0;
  for (int k = 1; std::abs(term) > 1e-22L && k < 60; ++k) {
    sum += term;
    const auto odd = static_cast<Long>(2 * k - 1);
    term *= -(4 - odd * odd) / (8 * static_cast<Long>(k) * x);
  }
  return sum / std::sqrt(2 * std::numbers::pi_v<Long> * x);
}

struct Lgamma {
  static double of(double x) {
    // std::lgamma returns the sign in a global variable, which would be a race between threads
    int sign = 0;
    return lgamma_r(x, &sign);
  }
};
// ---- cosh, sinh: each step rounded to the type; f32 for narrower types --------------------------

template <class T>
const T kLogHalf = static_cast<T>(std::log(0.5));

template <std::floating_point T>
T stepped_exp(T x) {
  return static_cast<T>(std::exp(static_cast<double>(x)));
}

struct Cosh {
  template <Float T>
  static T apply(T x) {
    const Exact<T> wide = to_exact(x);
    return from_exact<T>(stepped_exp(wide + kLogHalf<Exact<T>>) +
                         stepped_exp(kLogHalf<Exact<T>> - wide));
  }
  template <Complex T>
  static T apply(T x) {
    return detail::round_complex<T>(std::cosh(detail::to_complex_double(x)));
  }
};

struct Sinh {
  template <Float T>
  static T apply(T x) {
    return from_exact<T>(steps(to_exact(x)));
  }
  template <Complex T>
  static T apply(T x) {
    return detail::round_complex<T>(std::sinh(detail::to_complex_double(x)));
  }

 private:
  template <std::floating_point T>
  static T steps(T x) {
    if (!(std::abs(x) < 1)) return stepped_exp(x + kLogHalf<T>) - stepped_exp(kLogHalf<T> - x);
    const auto e = static_cast<T>(std::expm1(static_cast<double>(x)));
    return static_cast<T>(0.5) * (e + e / (e + 1));
  }
};

// ---- Exact functions ----------------------------------------------------------------------------
// ------------------------------------------------------------------------------

struct Conj {
  static Prime apply(Prime x) { return x; }
  static PrimePair apply(PrimePair x) { return {x.real, {prime_field::negate(x.imag.raw)}}; }
  template <Float T>
  static T apply(T x) {
    return x;
  }
  template <Complex T>
  static T apply(T x) {
    return {x.real(), -x.imag()};
  }
};

struct Square {
  template <class T>
  requires Integer<T> || Exactly<T>
  static T apply(T x) { return Multiply::apply(x, x); }
  template <Float T>
  static T apply(T x) {
    return Multiply::apply(x, x);
  }
  /// Avoids infinity - infinity and cancellation in the real part.
  template <Complex T>
  static T apply(T x) {
    using Part = typename T::value_type;
    const Part re = x.real();
    const Part im = x.imag();
    const bool cancels = std::abs(re) == std::abs(im) && std::isfinite(re);
    return {cancels ? Part(0) : (re - im) * (re + im), 2 * (re * im)};
  }
};

Bool to_bool(bool value) { return {static_cast<uint8_t>(value ? 1 : 0)}; }

template <Float T>
bool is_infinite(T x) {
  return std::isinf(to_double(x));
}
struct IsInf {
  template <Float T>
  static Bool apply(T x) {
    return to_bool(is_infinite(x));
  }
};
struct IsPosInf {
  template <Float T>
  static Bool apply(T x) {
    return to_bool(is_infinite(x) && !is_negative(x));
  }
};
struct IsNegInf {
  template <Float T>
  static Bool apply(T x) {
    return to_bool(is_infinite(x) && is_negative(x));
  }
};

struct NextAfter {
  template <Float T>
  static T apply(T x, T y) {
    if (is_nan(x)) return x;
    if (is_nan(y)) return y;
    const double from = to_double(x);
    const double to = to_double(y);
    if (from == to) return y;
    const auto bits = std::bit_cast<BitsOf<T>>(x);
    const auto one = BitsOf<T>{1};
    if (from == 0) {
      return std::bit_cast<T>(static_cast<BitsOf<T>>(is_negative(y) ? kSignMask<T> | one : one));
    }
    const bool grows = (to > from) == (from > 0);
    return std::bit_cast<T>(static_cast<BitsOf<T>>(grows ? bits + one : bits - one));
  }
};

/// Returns the upper half of the double-width product.
struct Mulhi {
  template <Integer T>
  static T apply(T x, T y) {
    if constexpr (kBits<T> < 64) {
      return narrow_product(x, y);
    } else {
      return wrap<T>(high_word(x, y));
    }
  }

 private:
  template <Integer T>
  static T narrow_product(T x, T y) {
    const auto product = widen(x) * widen(y);
    return wrap<T>(product >> kBits<T>);
  }
  static uint64_t high_word(uint64_t x, uint64_t y) {
    constexpr uint64_t kLow = 0xFFFFFFFF;
    const uint64_t cross = (x >> 32U) * (y & kLow) + ((x & kLow) * (y & kLow) >> 32U);
    const uint64_t other = (x & kLow) * (y >> 32U) + (cross & kLow);
    return (x >> 32U) * (y >> 32U) + (cross >> 32U) + (other >> 32U);
  }
  /// Returns the upper 64 bits of an unsigned product. A negative factor represents the unsigned
  /// number that is greater by 2^64.
  static uint64_t high_word(int64_t x, int64_t y) {
    const auto left = static_cast<uint64_t>(x);
    const auto right = static_cast<uint64_t>(y);
    return high_word(left, right) - (x < 0 ? right : 0) - (y < 0 ? left : 0);
  }
};

// ---- next_after of floats of one byte --------------------------------------------------------

uint8_t next_tiny(uint8_t x, uint8_t y, const ir::FloatFormat& format) {
  const double from = ir::decode_bits(x, format);
  const double to = ir::decode_bits(y, format);
  if (std::isnan(from)) return x;
  if (std::isnan(to) || from == to) return y;
  const uint64_t magnitude = x & format.magnitude_mask();
  if (from == 0) {
    return static_cast<uint8_t>(1 | (y & format.sign_bit()));
  }
  const bool grows = (to > from) == (from > 0);
  const uint64_t next = grows ? magnitude + 1 : magnitude - 1;
  const bool to_zero = next == 0 && format.specials == ir::FloatSpecials::NanNegZero;
  return static_cast<uint8_t>(to_zero ? 0 : next | (x & format.sign_bit()));
}

Result<Kernel> make_next_after(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& result = reader.result();
  if (!is_tiny_float(reader.operand().element())) {
    return elementwise_kernel(reader, &pick_binary<NextAfter>);
  }
  return ranged_kernel(
      result, [format = ir::float_format(result.element())](const ResultRange& range) {
        const auto code = [](std::byte raw) { return std::to_integer<uint8_t>(raw); };
        std::transform(range.operand(0), range.operand(0) + range.count, range.operand(1), range.to,
                       [&](std::byte x, std::byte y) {
                         return std::byte{next_tiny(code(x), code(y), format)};
                       });
      });
}

/// Reads the attribute `value` as one element.
Result<std::vector<std::byte>> read_element(const OpReader& reader) {
  const ir::ElementType element = reader.result().element();
  const ir::Module& module = reader.module();
  if (const auto* number = module.attribute<ir::FloatAttr>(reader.op(), ir::attr::kValue)) {
    return ir::encode(number->value, element);
  }
  if (const auto* number = module.attribute<ir::IntegerAttr>(reader.op(), ir::attr::kValue)) {
    return ir::encode_int(number->value, element);
  }
  if (const auto* truth = module.attribute<bool>(reader.op(), ir::attr::kValue)) {
    return ir::encode_int(*truth ? 1 : 0, element);
  }
  return reader.fail("`value` must be a number");
}

/// Fills a tensor of the operand's shape with the value.
Result<Kernel> make_constant_like(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 1));
  const ir::Type& result = reader.result();
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), result.element()));
  SHARDY_TRY(const std::vector<std::byte> value, read_element(reader));
  return [value, result](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(result, call.operands[0].type())));
    const std::span<std::byte> bytes = out.bytes();
    for (std::size_t at = 0; at < bytes.size(); at += value.size()) {
      std::ranges::copy(value, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace

bool is_exact_function(const ir::Module& module, ir::OpId op) {
  const bool is_elementwise =
      module.has_trait(op, ir::kElementwise) || module.has_trait(op, ir::kPointwise);
  const bool has_body = !module.regions(op).empty();  // stablehlo.map
  if (!is_elementwise || has_body ||
      std::ranges::find(kArithmetic, module.kind(op)) != kArithmetic.end()) {
    return false;
  }
  return std::ranges::any_of(module.operands(op),
                             [&](ir::ValueId value) { return is_exact(module.type(value)); });
}

/// Returns the state after the elements of all operands at one position.
State absorbed(State state, std::span<const Tensor> operands, std::size_t at) {
  for (const Tensor& operand : operands) {
    const ir::ElementType element = operand.type().element();
    state = absorb(state, operand.data() + at * ir::size_bytes(element), element);
  }
  return state;
}

namespace {

/// Checks whether all operands and the result are elements of the field.
bool is_of_primes(const ir::Module& module, ir::OpId op) {
  const auto is_prime = [&](ir::ValueId value) {
    return module.type(value).element() == ir::ElementType::Exact;
  };
  return is_prime(module.result(op)) && std::ranges::all_of(module.operands(op), is_prime);
}

Kernel prime_function(const KernelRequest& request) {
  return ranged_kernel(request.module.type(request.module.result(request.op)),
                       [salt = salt_of(request.module, request.op),
                        count = request.module.num_operands(request.op)](const ResultRange& range) {
                         std::vector<const Prime*> operands;
                         for (std::size_t index = 0; index < count; ++index) {
                           operands.push_back(reinterpret_cast<const Prime*>(range.operand(index)));
                         }
                         mix_primes(salt, operands, reinterpret_cast<Prime*>(range.to),
                                    range.count);
                       });
}

}  // namespace

Kernel exact_function(const KernelRequest& request) {
  if (is_of_primes(request.module, request.op)) return prime_function(request);
  const ir::Type type = request.module.type(request.module.result(request.op));
  return ranged_kernel(
      type, [type, salt = salt_of(request.module, request.op),
             count = request.module.num_operands(request.op)](const ResultRange& range) {
        const std::size_t size = ir::size_bytes(type.element());
        for (std::size_t at = 0; at < range.count; ++at) {
          const State state = absorbed(salt, range.call.operands.first(count), range.first + at);
          squeeze(state, type.element(), range.to + at * size);
        }
      });
}

Kernel exact_matrix_function(const KernelRequest& request) {
  return [salt = salt_of(request.module, request.op)](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type()));
    const auto dims = x.type().dims();
    const auto matrix = static_cast<std::size_t>(product(dims.last(2)));
    const auto total = static_cast<std::size_t>(x.num_elements());
    const std::size_t size = ir::size_bytes(x.type().element());
    for (std::size_t first = 0; first < total; first += matrix) {
      State state = salt;
      for (std::size_t at = 0; at < matrix; ++at) {
        state = absorb(state, x.data() + (first + at) * size, x.type().element());
      }
      for (std::size_t at = 0; at < matrix; ++at) {
        const State here = state ? State(mixed(*state, at)) : state;
        squeeze(here, x.type().element(), out.data() + (first + at) * size);
      }
    }
    return Tensors{std::move(out).finish()};
  };
}

double erf_inv(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude <= 1)) return kNan;
  if (magnitude == 0) return x;
  if (magnitude == 1) return std::copysign(kInfinity, x);
  return std::copysign(static_cast<double>(positive_erf_inv(magnitude)), x);
}

double bessel_i1e(double x) {
  if (std::isnan(x) || x == 0) return x;
  const Long magnitude = std::abs(x);
  const Long value = magnitude < 40 ? series_i1e(magnitude) : asymptotic_i1e(magnitude);
  return std::copysign(static_cast<double>(value), x);
}

double digamma(double x) {
  if (std::isnan(x)) return x;
  if (x > 0) return std::isinf(x) ? x : static_cast<double>(positive_digamma(x));
  if (std::isinf(x) || is_integer(x)) return kNan;
  const Long wide = x;
  const Long past = wide - std::round(wide);  // distance from the nearest pole; exact
  const Long reflection = std::numbers::pi_v<Long> / std::tan(std::numbers::pi_v<Long> * past);
  return static_cast<double>(positive_digamma(1 - wide) - reflection);
}

double zeta(double x, double q) { return static_cast<double>(wide_zeta(x, q)); }

double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || !is_integer(n) || std::isinf(n)) return kNan;
  const Long value = std::tgamma(static_cast<Long>(n) + 1) * wide_zeta(n + 1, x);
  return static_cast<double>(std::fmod(n, 2.0) == 0 ? -value : value);
}

SHARDY_KERNEL(ChloAcos, make_unary<Elementary<WideFunction<std::acos, std::acos>>>)
SHARDY_KERNEL(ChloAcosh, make_unary<Elementary<WideFunction<std::acosh, std::acosh>>>)
SHARDY_KERNEL(ChloAsin, make_unary<Elementary<WideFunction<std::asin, std::asin>>>)
SHARDY_KERNEL(ChloAsinh, make_unary<Elementary<WideFunction<std::asinh, std::asinh>>>)
SHARDY_KERNEL(ChloAtan, make_unary<Elementary<WideFunction<std::atan, std::atan>>>)
SHARDY_KERNEL(ChloAtanh, make_unary<Elementary<WideFunction<std::atanh, std::atanh>>>)
SHARDY_KERNEL(ChloBesselI1e, make_unary<Elementary<RealFunction<bessel_i1e>>>)
SHARDY_KERNEL(ChloConj, make_unary<Conj>)
SHARDY_KERNEL(ChloConstantLike, make_constant_like)
SHARDY_KERNEL(ChloCosh, make_unary<Cosh>)
SHARDY_KERNEL(ChloDigamma, make_unary<Elementary<RealFunction<digamma>>>)
SHARDY_KERNEL(ChloErf, make_unary<Elementary<RealFunction<std::erf>>>)
SHARDY_KERNEL(ChloErfInv, make_unary<Elementary<RealFunction<erf_inv>>>)
SHARDY_KERNEL(ChloErfc, make_unary<Elementary<RealFunction<std::erfc>>>)
SHARDY_KERNEL(ChloIsInf, make_unary<IsInf>)
SHARDY_KERNEL(ChloIsNegInf, make_unary<IsNegInf>)
SHARDY_KERNEL(ChloIsPosInf, make_unary<IsPosInf>)
SHARDY_KERNEL(ChloLgamma, make_unary<Elementary<Lgamma>>)
SHARDY_KERNEL(ChloMulhi, make_binary<Mulhi>)
SHARDY_KERNEL(ChloNextAfter, make_next_after)
SHARDY_KERNEL(ChloPolygamma, make_binary<ElementaryOfTwo<polygamma>>)
SHARDY_KERNEL(ChloSinh, make_unary<Sinh>)
SHARDY_KERNEL(ChloSquare, make_unary<Square>)
SHARDY_KERNEL(ChloTan, make_unary<Elementary<WideFunction<std::tan, std::tan>>>)
SHARDY_KERNEL(ChloZeta, make_binary<ElementaryOfTwo<zeta>>)

}  // namespace shardy::simulation
