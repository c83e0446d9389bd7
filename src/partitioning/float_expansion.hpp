// A builder of real-valued expressions as ops on tensors, for the expansions of special functions.
#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "partitioning/ir_names.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"

namespace shardy::partitioning {

class FloatExpansion;

/// A tensor of real numbers, or of the truth values of a comparison.
class Real {
 public:
  Real(FloatExpansion& expansion, ValueId value) : expansion_(&expansion), value_(value) {}

  ValueId value() const { return value_; }
  FloatExpansion& expansion() const { return *expansion_; }

 private:
  FloatExpansion* expansion_;
  ValueId value_;
};

/// A builder of the ops of an expansion. Computes in f32 or f64.
class FloatExpansion {
 public:
  /// `type` is the type of the function's operand. Floats narrower than f32 are computed in f32.
  FloatExpansion(ir::Builder& builder, const Type& type)
      : builder_(builder),
        given_(type),
        type_(type.with_element(type.element() == ElementType::F64 ? ElementType::F64
                                                                   : ElementType::F32)) {}

  /// Returns true if the expansion computes in f64.
  bool is_wide() const { return type_.element() == ElementType::F64; }
  Real read(ValueId operand) { return converted(operand, type_); }
  /// Converts the result to the type of the operand.
  ValueId write(Real result) { return converted(result.value(), given_).value(); }

  Real real(double number) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::splat_literal(type_, number));
    return {*this, builder_.create_value(OpKind::Constant, {}, type_, std::move(attributes))};
  }
  Real infinity() { return real(std::numeric_limits<double>::infinity()); }
  Real nan() { return real(std::numeric_limits<double>::quiet_NaN()); }

  Real op(OpKind kind, std::initializer_list<Real> operands) {
    std::vector<ValueId> values;
    for (const Real& each : operands) values.push_back(each.value());
    return {*this, builder_.create_value(kind, std::move(values), type_)};
  }
  Real abs(Real x) { return op(OpKind::Abs, {x}); }
  Real sign(Real x) { return op(OpKind::Sign, {x}); }
  Real exp(Real x) { return op(OpKind::Exponential, {x}); }
  Real expm1(Real x) { return op(OpKind::ExponentialMinusOne, {x}); }
  Real log(Real x) { return op(OpKind::Log, {x}); }
  Real log1p(Real x) { return op(OpKind::LogPlusOne, {x}); }
  Real sqrt(Real x) { return op(OpKind::Sqrt, {x}); }
  Real sin(Real x) { return op(OpKind::Sine, {x}); }
  Real cos(Real x) { return op(OpKind::Cosine, {x}); }
  Real round(Real x) { return op(OpKind::RoundNearestEven, {x}); }
  Real atan2(Real y, Real x) { return op(OpKind::Atan2, {y, x}); }
  Real minimum(Real a, Real b) { return op(OpKind::Minimum, {a, b}); }
  /// Returns x rounded to `bits` bits after the leading bit.
  Real rounded_to(Real x, int64_t bits) {
    ir::AttributeMap attributes;  // numbers as i32, as the dialect requires
    attributes.set(ir::attr::kExponentBits, ir::IntegerAttr{is_wide() ? 11 : 8, ElementType::I32});
    attributes.set(ir::attr::kMantissaBits, ir::IntegerAttr{bits, ElementType::I32});
    return {*this, builder_.create_value(OpKind::ReducePrecision, {x.value()}, type_,
                                         std::move(attributes))};
  }

  Real less(Real a, Real b) { return compare("LT", a, b); }
  Real equal(Real a, Real b) { return compare("EQ", a, b); }
  Real both(Real a, Real b) {
    return {*this, builder_.create_value(OpKind::And, {a.value(), b.value()}, truth())};
  }
  Real select(Real condition, Real on_true, Real on_false) {
    return op(OpKind::Select, {condition, on_true, on_false});
  }
  /// Returns `magnitude` with the sign of `sign_of`, which may be -0.
  Real copy_sign(Real magnitude, Real sign_of);

  /// Returns c0 + c1 x + c2 x x + ..., computed by Horner's scheme.
  Real polynomial(Real x, std::span<const double> coefficients);
  /// Returns c0 T0(x) + c1 T1(x) + ..., with Chebyshev polynomials Tn, computed by Clenshaw's
  /// recurrence. Requires: at least two coefficients.
  Real chebyshev(Real x, std::span<const double> coefficients);

 private:
  Type truth() const { return type_.with_element(ElementType::I1); }
  Real converted(ValueId value, const Type& type) {
    if (builder_.module().type(value) == type) return {*this, value};
    return {*this, builder_.create_value(OpKind::Convert, {value}, type)};
  }
  Real compare(std::string_view direction, Real a, Real b) {
    const ir::CompareOp compare{.direction = direction, .type = "FLOAT"};
    return {*this, builder_.create_value(OpKind::Compare, {a.value(), b.value()}, truth(),
                                         ir::attributes_of(compare))};
  }

  ir::Builder& builder_;
  Type given_;
  Type type_;
};

inline Real operator+(Real a, Real b) { return a.expansion().op(OpKind::Add, {a, b}); }
inline Real operator-(Real a, Real b) { return a.expansion().op(OpKind::Subtract, {a, b}); }
inline Real operator*(Real a, Real b) { return a.expansion().op(OpKind::Multiply, {a, b}); }
inline Real operator/(Real a, Real b) { return a.expansion().op(OpKind::Divide, {a, b}); }
inline Real operator-(Real a) { return a.expansion().op(OpKind::Negate, {a}); }
inline Real operator+(Real a, double b) { return a + a.expansion().real(b); }
inline Real operator-(Real a, double b) { return a - a.expansion().real(b); }
inline Real operator*(Real a, double b) { return a * a.expansion().real(b); }

inline Real FloatExpansion::copy_sign(Real magnitude, Real sign_of) {
  const Real is_negative = less(sign_of, real(0));
  const Real is_zero = equal(sign_of, real(0));
  return select(is_zero, sign_of, select(is_negative, -magnitude, magnitude));
}

inline Real FloatExpansion::polynomial(Real x, std::span<const double> coefficients) {
  Real sum = real(coefficients.back());
  for (std::size_t index = coefficients.size() - 1; index-- > 0;) {
    sum = sum * x + coefficients[index];
  }
  return sum;
}

inline Real FloatExpansion::chebyshev(Real x, std::span<const double> coefficients) {
  const Real twice = x * 2.0;
  Real last = real(0);
  Real sum = real(coefficients.back());
  for (std::size_t index = coefficients.size() - 1; index-- > 1;) {
    const Real next = twice * sum - last + coefficients[index];
    last = sum;
    sum = next;
  }
  return x * sum - last + coefficients[0];
}

}  // namespace shardy::partitioning
