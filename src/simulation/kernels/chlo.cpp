// The elementwise ops of CHLO, executed directly. Spec: stablehlo 29.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/prime_field.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/chlo_functions.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/elementary.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/tiny_float.hpp"

namespace shardy::simulation {
namespace {

using Wide = WideComplex;

struct Acos {
  static double of(double x) { return std::acos(x); }
  static Wide of(Wide x) { return std::acos(x); }
};
struct Acosh {
  static double of(double x) { return std::acosh(x); }
  static Wide of(Wide x) { return std::acosh(x); }
};
struct Asin {
  static double of(double x) { return std::asin(x); }
  static Wide of(Wide x) { return std::asin(x); }
};
struct Asinh {
  static double of(double x) { return std::asinh(x); }
  static Wide of(Wide x) { return std::asinh(x); }
};
struct Atan {
  static double of(double x) { return std::atan(x); }
  static Wide of(Wide x) { return std::atan(x); }
};
struct Atanh {
  static double of(double x) { return std::atanh(x); }
  static Wide of(Wide x) { return std::atanh(x); }
};
struct Tan {
  static double of(double x) { return std::tan(x); }
  static Wide of(Wide x) { return std::tan(x); }
};
struct Erf {
  static double of(double x) { return std::erf(x); }
};
struct Erfc {
  static double of(double x) { return std::erfc(x); }
};
struct ErfInv {
  static double of(double x) { return erf_inv(x); }
};
struct Lgamma {
  static double of(double x) {
    int sign = 0;  // std::lgamma would leave it in a global variable: a race between workers
    return lgamma_r(x, &sign);
  }
};
struct Digamma {
  static double of(double x) { return digamma(x); }
};
struct BesselI1e {
  static double of(double x) { return bessel_i1e(x); }
};
struct Zeta {
  static double of(double x, double q) { return zeta(x, q); }
};
struct Polygamma {
  static double of(double n, double x) { return polygamma(n, x); }
};

// ---- cosh, sinh: in steps of the type, f32 for narrower ones ---------------------------------

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

// ---- Exact ones ------------------------------------------------------------------------------

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
  /// Keeps infinity - infinity and cancellation out of the real part.
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

/// The upper half of the product of twice the width.
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
  /// A negative factor represents the unsigned number that is 2^64 larger.
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
  return [format = ir::float_format(result.element()),
          result](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(result, x.type())));
    std::ranges::transform(x.elements<uint8_t>(), call.operands[1].elements<uint8_t>(),
                           out.elements<uint8_t>().begin(), [&](uint8_t left, uint8_t right) {
                             return next_tiny(left, right, format);
                           });
    return Tensors{std::move(out).finish()};
  };
}

/// The attribute `value` as one element.
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

/// A value in all places of the operand's shape.
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

SHARDY_KERNEL(ChloAcos, make_unary<Elementary<Acos>>)
SHARDY_KERNEL(ChloAcosh, make_unary<Elementary<Acosh>>)
SHARDY_KERNEL(ChloAsin, make_unary<Elementary<Asin>>)
SHARDY_KERNEL(ChloAsinh, make_unary<Elementary<Asinh>>)
SHARDY_KERNEL(ChloAtan, make_unary<Elementary<Atan>>)
SHARDY_KERNEL(ChloAtanh, make_unary<Elementary<Atanh>>)
SHARDY_KERNEL(ChloBesselI1e, make_unary<Elementary<BesselI1e>>)
SHARDY_KERNEL(ChloConj, make_unary<Conj>)
SHARDY_KERNEL(ChloConstantLike, make_constant_like)
SHARDY_KERNEL(ChloCosh, make_unary<Cosh>)
SHARDY_KERNEL(ChloDigamma, make_unary<Elementary<Digamma>>)
SHARDY_KERNEL(ChloErf, make_unary<Elementary<Erf>>)
SHARDY_KERNEL(ChloErfInv, make_unary<Elementary<ErfInv>>)
SHARDY_KERNEL(ChloErfc, make_unary<Elementary<Erfc>>)
SHARDY_KERNEL(ChloIsInf, make_unary<IsInf>)
SHARDY_KERNEL(ChloIsNegInf, make_unary<IsNegInf>)
SHARDY_KERNEL(ChloIsPosInf, make_unary<IsPosInf>)
SHARDY_KERNEL(ChloLgamma, make_unary<Elementary<Lgamma>>)
SHARDY_KERNEL(ChloMulhi, make_binary<Mulhi>)
SHARDY_KERNEL(ChloNextAfter, make_next_after)
SHARDY_KERNEL(ChloPolygamma, make_binary<ElementaryOfTwo<Polygamma>>)
SHARDY_KERNEL(ChloSinh, make_unary<Sinh>)
SHARDY_KERNEL(ChloSquare, make_unary<Square>)
SHARDY_KERNEL(ChloTan, make_unary<Elementary<Tan>>)
SHARDY_KERNEL(ChloZeta, make_binary<ElementaryOfTwo<Zeta>>)

}  // namespace shardy::simulation
