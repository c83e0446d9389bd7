// Elementwise ops of one operand, except elementary functions. Spec: stablehlo 17, 18.
#include <bit>
#include <cmath>
#include <complex>

#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

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

struct Floor {
  template <Float T>
  static T apply(T x) {
    return round_to<T>(std::floor(to_double(x)));
  }
};
struct Ceil {
  template <Float T>
  static T apply(T x) {
    return round_to<T>(std::ceil(to_double(x)));
  }
};
/// Half away from zero.
struct RoundNearestAfz {
  template <Float T>
  static T apply(T x) {
    return round_to<T>(std::round(to_double(x)));
  }
};
struct RoundNearestEven {
  template <Float T>
  static T apply(T x) {
    return round_to<T>(std::nearbyint(to_double(x)));
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

}  // namespace

SHARDY_KERNEL(Abs, make_unary<Abs>)
SHARDY_KERNEL(Ceil, make_unary<Ceil>)
SHARDY_KERNEL(CountLeadingZeros, make_unary<CountLeadingZeros>)
SHARDY_KERNEL(Floor, make_unary<Floor>)
SHARDY_KERNEL(Imag, make_unary<Imag>)
SHARDY_KERNEL(IsFinite, make_unary<IsFinite>)
SHARDY_KERNEL(Negate, make_unary<Negate>)
SHARDY_KERNEL(Not, make_unary<Not>)
SHARDY_KERNEL(PopulationCount, make_unary<PopulationCount>)
SHARDY_KERNEL(Real, make_unary<Real>)
SHARDY_KERNEL(RoundNearestAfz, make_unary<RoundNearestAfz>)
SHARDY_KERNEL(RoundNearestEven, make_unary<RoundNearestEven>)
SHARDY_KERNEL(Sign, make_unary<Sign>)

}  // namespace shardy::simulation
