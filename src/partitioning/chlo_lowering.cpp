// chlo-to-stablehlo: CHLO ops become StableHLO ops. Spec: partitioning 4.8.
//
//   %v, %i = chlo.top_k(%x, k = 2)   ->   %c = stablehlo.iota dim = 0
//                                         %s:2 = "stablehlo.sort"(%x, %c) stable, descending
//                                         %v = stablehlo.slice %s#0 [0:2]
//                                         %i = stablehlo.slice %s#1 [0:2]
//   %y = chlo.erf %x                 ->   %y = stablehlo.select |x| < 1, power series of x,
//                                         sign(x) * (1 - erfc(|x|)); erfc by a Chebyshev series
//                                         in (|x| - 3.75) / (|x| + 3.75)
#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "partitioning/float_expansion.hpp"
#include "partitioning/ir_names.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"

namespace shardy::partitioning {

using ir::Builder;

namespace {

// ---- top_k --------------------------------------------------------------------------------------

/// Returns a region that compares two (value, index) pairs by value, for a descending sort.
ir::RegionId descending_region(Module& module, ElementType element, ElementType index) {
  const Type value = Type::tensor({}, element);
  const Type place = Type::tensor({}, index);
  const std::vector<Type> args = {value, value, place, place};
  const ir::RegionId region = module.new_region();
  const BlockId block = module.new_block(region, args);
  Builder body(module, block);
  ir::CompareOp compare{.direction = "GT"};
  if (ir::is_float(element)) compare.type = "TOTALORDER";
  const ValueId first = module.args(block)[0];
  const ValueId second = module.args(block)[1];
  const ValueId is_before =
      body.create_value(OpKind::Compare, {first, second}, Type::tensor({}, ElementType::I1),
                        ir::attributes_of(compare));
  body.create({.kind = OpKind::StablehloReturn, .operands = {is_before}});
  return region;
}

/// Returns the first `size` elements of the last dim.
ValueId first_of_rows(Builder& builder, ValueId value, const Type& type) {
  const std::vector<int64_t> starts(type.dims().size(), 0);
  const std::vector<int64_t> strides(type.dims().size(), 1);
  const ir::SliceOp slice{.starts = starts, .limits = type.dims(), .strides = strides};
  return builder.create_value(OpKind::Slice, {value}, type, slice.attributes());
}

bool replace_top_k(Module& module, OpId op) {
  const ValueId operand = module.operand(op, 0);
  const Type type = module.type(operand);
  const Type indices = module.type(module.result(op, 1));
  if (!type.is_static_tensor() || ir::is_complex(type.element())) return false;
  Builder builder = Builder::before(module, op);
  builder.set_location(module.location(op));
  const int64_t last = type.rank() - 1;
  const Type places = type.with_element(indices.element());
  const ValueId iota =
      builder.create_value(OpKind::Iota, {}, places, ir::attributes_of(ir::IotaOp{.dim = last}));
  ir::OpSpec sort{.kind = OpKind::Sort};
  sort.operands = {operand, iota};
  sort.result_types = {type, places};
  sort.attributes = ir::attributes_of(ir::SortOp{.dim = last, .is_stable = true});
  sort.regions = {descending_region(module, type.element(), indices.element())};
  const OpId sorted = builder.create(std::move(sort));
  for (std::size_t index = 0; index < 2; ++index) {
    const ValueId result = module.result(op, index);
    module.replace_all_uses(
        result, first_of_rows(builder, module.result(sorted, index), module.type(result)));
  }
  return true;
}

// ---- Error functions ----------------------------------------------------------------------------

/// Returns the number of series terms that reach the precision of the type: `wide` terms for f64,
/// else `narrow`.
std::size_t terms_for(const FloatExpansion& e, std::size_t narrow, std::size_t wide) {
  return e.is_wide() ? wide : narrow;
}

/// Returns erf(x) for |x| <= 1 by a power series, which is accurate near 0, too.
Real erf_series(FloatExpansion& e, Real x) {
  std::vector<double> coefficients;
  double factorial = 1;
  for (std::size_t n = 0; n < terms_for(e, 12, 19); ++n) {
    if (n > 0) factorial *= -static_cast<double>(n);
    coefficients.push_back(2 * std::numbers::inv_sqrtpi /
                           (factorial * static_cast<double>(2 * n + 1)));
  }
  return x * e.polynomial(x * x, coefficients);
}

/// Returns exp(-x x); the rounding error of x x does not reach the result.
Real exp_of_minus_square(FloatExpansion& e, Real x) {
  const Real high = e.rounded_to(x, e.is_wide() ? 25 : 10);
  return e.exp(-(high * high)) * e.exp(-((x - high) * (x + high)));
}

/// Returns erfc(x) for x >= 0: exp(-x x) / (1 + 2 x) times a series. The coefficients of the series
/// interpolate (1 + 2 x) exp(x x) erfc(x) at 64 Chebyshev nodes.
Real erfc_of_positive(FloatExpansion& e, Real x) {
  static constexpr std::array kSeries = {
      1.1775789345674017,      -0.004590054580646319, -0.08424913336651813,
      0.05920993999819203,     -0.026658668435305895, 0.009074997670705465,
      -0.0024131635404177525,  0.0004907758365257642, -6.916973302503824e-05,
      4.1390279863773305e-06,  7.740383063670198e-07, -2.1886401026238733e-07,
      1.07650005142651e-08,    4.521960028647243e-09, -7.75440732458943e-10,
      -6.318034984076348e-11,  2.868749682249927e-11, 1.9484414082171497e-13,
      -9.6561647566773e-13,    3.269606807521086e-14, 3.332750742046642e-14,
      -1.6514567491299204e-15, -1.259409243559162e-15};
  const Real bounded = e.minimum(x, e.real(30));  // erfc(30) is 0 in f64
  const Real place = (bounded - 3.75) / (bounded + 3.75);
  const std::span<const double> series =
      std::span<const double>(kSeries).first(terms_for(e, 13, kSeries.size()));
  return exp_of_minus_square(e, bounded) * e.chebyshev(place, series) / (bounded * 2.0 + 1.0);
}

Real erf(FloatExpansion& e, Real x) {
  const Real magnitude = e.abs(x);
  const Real far = e.sign(x) * (e.real(1) - erfc_of_positive(e, magnitude));
  return e.select(e.less(magnitude, e.real(1)), erf_series(e, x), far);
}

Real erfc(FloatExpansion& e, Real x) {
  const Real far = erfc_of_positive(e, e.abs(x));
  const Real tail = e.select(e.less(x, e.real(0)), e.real(2) - far, far);
  return e.select(e.less(e.abs(x), e.real(0.5)), e.real(1) - erf_series(e, x), tail);
}

/// Returns the inverse of erf: Winitzki's approximation, then two steps of Halley's method. The
/// steps use erfc where erf is close to 1.
Real erf_inv(FloatExpansion& e, Real x) {
  constexpr double kWinitzki = 0.147;
  const Real magnitude = e.abs(x);
  const Real complement = e.real(1) - magnitude;
  const Real logarithm = e.log(complement * (magnitude + 1.0));
  const Real shifted = logarithm * 0.5 + 2 / (std::numbers::pi * kWinitzki);
  const Real rough = e.sqrt(e.sqrt(shifted * shifted - logarithm * (1 / kWinitzki)) - shifted);
  const double slope = 1 / (2 * std::numbers::inv_sqrtpi);
  Real y = e.select(e.less(magnitude, e.real(0.01)), magnitude * slope, rough);
  for (int step = 0; step < 2; ++step) {
    const Real near = erf(e, y) - magnitude;
    const Real far = complement - erfc_of_positive(e, y);
    const Real error = e.select(e.less(magnitude, e.real(0.5)), near, far);
    const Real newton = error * slope / exp_of_minus_square(e, y);
    y = y - newton / (y * newton + 1.0);
  }
  const Real bounded = e.select(e.equal(magnitude, e.real(1)), e.infinity(), y);
  return e.select(e.less(e.real(1), magnitude), e.nan(), e.copy_sign(bounded, x));
}

// ---- Gamma functions ----------------------------------------------------------------------------

/// The Bernoulli numbers B(2k), which occur in the asymptotic series of log gamma and digamma.
constexpr std::array kBernoulli = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                   5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
constexpr int kShift = 8;  // the asymptotic series are used for arguments of at least 8

/// Returns x minus the nearest integer; the difference is exact.
Real past_integer(FloatExpansion& e, Real x) { return x - e.round(x); }

/// Returns log gamma(x) for x > 0: log gamma(x + 8) - log(x (x + 1) ... (x + 7)).
Real lgamma_of_positive(FloatExpansion& e, Real x) {
  const Real is_small = e.less(x, e.real(kShift));
  Real product = x;
  for (int k = 1; k < kShift; ++k) product = product * (x + k);
  const Real z = e.select(is_small, x + kShift, x);
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < terms_for(e, 3, kBernoulli.size()); ++k) {
    const auto n = static_cast<double>(2 * (k + 1));
    coefficients.push_back(kBernoulli[k] / (n * (n - 1)));
  }
  const Real inverse = e.real(1) / z;
  const Real series = inverse * e.polynomial(inverse * inverse, coefficients);
  const double half_log_two_pi = 0.91893853320467274178;
  const Real value = (z - 0.5) * (e.log(z) - 1.0) + (half_log_two_pi - 0.5) + series;
  const Real shifted = value - e.log(e.select(is_small, product, e.real(1)));
  return e.select(e.equal(x, e.infinity()), x, shifted);
}

Real lgamma(FloatExpansion& e, Real x) {
  const Real reflects = e.less(x, e.real(0.5));
  const Real value = lgamma_of_positive(e, e.select(reflects, e.real(1) - x, x));
  const Real sine = e.abs(e.sin(past_integer(e, x) * std::numbers::pi));
  const Real reflected = e.log(e.real(std::numbers::pi) / sine) - value;
  const Real any = e.select(reflects, reflected, value);
  return e.select(e.equal(e.abs(x), e.infinity()), e.infinity(), any);
}

/// Returns digamma(x) for x > 0: digamma(x + 8) - (1 / x + ... + 1 / (x + 7)).
Real digamma_of_positive(FloatExpansion& e, Real x) {
  const Real is_small = e.less(x, e.real(kShift));
  Real sum = e.real(1) / x;
  for (int k = 1; k < kShift; ++k) sum = sum + e.real(1) / (x + k);
  const Real z = e.select(is_small, x + kShift, x);
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < terms_for(e, 3, kBernoulli.size()); ++k) {
    coefficients.push_back(kBernoulli[k] / static_cast<double>(2 * (k + 1)));
  }
  const Real inverse = e.real(1) / z;
  const Real square = inverse * inverse;
  const Real value = e.log(z) - inverse * 0.5 - square * e.polynomial(square, coefficients);
  return value - e.select(is_small, sum, e.real(0));
}

Real digamma(FloatExpansion& e, Real x) {
  const Real reflects = e.less(x, e.real(0));
  const Real value = digamma_of_positive(e, e.select(reflects, e.real(1) - x, x));
  const Real past = past_integer(e, x);
  const Real angle = past * std::numbers::pi;
  const Real reflected = value - e.cos(angle) * std::numbers::pi / e.sin(angle);
  const Real any = e.select(reflects, reflected, value);
  const Real is_pole = e.both(e.equal(past, e.real(0)), e.less(x, e.real(0.5)));
  return e.select(is_pole, e.nan(), any);
}

// ---- Elementary functions -----------------------------------------------------------------------

Real sinh(FloatExpansion& e, Real x) {
  const Real small = e.expm1(x);
  const Real near = (small + small / (small + 1.0)) * 0.5;
  const Real far = e.exp(x - std::numbers::ln2) - e.exp(-x - std::numbers::ln2);
  return e.select(e.less(e.abs(x), e.real(1)), near, far);
}
Real cosh(FloatExpansion& e, Real x) {
  return e.exp(x - std::numbers::ln2) + e.exp(-x - std::numbers::ln2);
}
Real tan(FloatExpansion& e, Real x) { return e.sin(x) / e.cos(x); }
Real asin(FloatExpansion& e, Real x) {
  const Real cosine = e.sqrt((e.real(1) - x) * (x + 1.0));
  return e.atan2(x, cosine);
}
Real acos(FloatExpansion& e, Real x) { return e.atan2(e.sqrt((e.real(1) - x) * (x + 1.0)), x); }
Real atan(FloatExpansion& e, Real x) { return e.atan2(x, e.real(1)); }
/// Returns log(2 x), for x so large that x x overflows or that x x + 1 rounds to x x.
Real log_of_double(FloatExpansion& e, Real x) { return e.log(x) + std::numbers::ln2; }
Real asinh(FloatExpansion& e, Real x) {
  const Real magnitude = e.abs(x);
  const Real square = magnitude * magnitude;
  const Real near = e.log1p(magnitude + square / (e.sqrt(square + 1.0) + 1.0));
  const Real is_near = e.less(magnitude, e.real(1e9));
  return e.copy_sign(e.select(is_near, near, log_of_double(e, magnitude)), x);
}
Real acosh(FloatExpansion& e, Real x) {
  const Real past = x - 1.0;
  const Real near = e.log1p(past + e.sqrt(past * (x + 1.0)));
  return e.select(e.less(x, e.real(1e9)), near, log_of_double(e, x));
}
Real atanh(FloatExpansion& e, Real x) { return (e.log1p(x) - e.log1p(-x)) * 0.5; }
Real square(FloatExpansion& /*e*/, Real x) { return x * x; }

using Expansion = Real (*)(FloatExpansion& e, Real x);

/// Returns the expansion of an op with one real operand; null if the op has none.
Expansion expansion_of(OpKind kind) {
  switch (kind) {
    case OpKind::ChloAcos:
      return &acos;
    case OpKind::ChloAcosh:
      return &acosh;
    case OpKind::ChloAsin:
      return &asin;
    case OpKind::ChloAsinh:
      return &asinh;
    case OpKind::ChloAtan:
      return &atan;
    case OpKind::ChloAtanh:
      return &atanh;
    case OpKind::ChloCosh:
      return &cosh;
    case OpKind::ChloDigamma:
      return &digamma;
    case OpKind::ChloErf:
      return &erf;
    case OpKind::ChloErfInv:
      return &erf_inv;
    case OpKind::ChloErfc:
      return &erfc;
    case OpKind::ChloLgamma:
      return &lgamma;
    case OpKind::ChloSinh:
      return &sinh;
    case OpKind::ChloTan:
      return &tan;
    case OpKind::ChloSquare:
      return &square;
    default:
      return nullptr;
  }
}

bool replace_function(Module& module, OpId op) {
  const Expansion expansion = expansion_of(module.kind(op));
  const Type type = module.type(module.operand(op, 0));
  if (expansion == nullptr || !type.is_static_tensor() || !ir::is_float(type.element())) {
    return false;
  }
  Builder builder = Builder::before(module, op);
  builder.set_location(module.location(op));
  FloatExpansion expanded(builder, type);
  const Real result = expansion(expanded, expanded.read(module.operand(op, 0)));
  module.replace_all_uses(module.result(op), expanded.write(result));
  return true;
}

// ---- Predicates and constants -------------------------------------------------------------------

bool replace_predicate(Module& module, OpId op) {
  const ValueId operand = module.operand(op, 0);
  const Type type = module.type(operand);
  if (!type.is_static_tensor() || !ir::is_float(type.element())) return false;
  Builder builder = Builder::before(module, op);
  builder.set_location(module.location(op));
  FloatExpansion e(builder, type);
  const Real x = e.read(operand);
  const bool is_negative = module.is(op, OpKind::ChloIsNegInf);
  const Real compared = module.is(op, OpKind::ChloIsInf) ? e.abs(x) : is_negative ? -x : x;
  module.replace_all_uses(module.result(op), e.equal(compared, e.infinity()).value());
  return true;
}

bool replace_constant(Module& module, OpId op) {
  Builder builder = Builder::before(module, op);
  builder.set_location(module.location(op));
  module.replace_all_uses(module.result(op),
                          builder.create_value(OpKind::Constant, {}, module.type(module.result(op)),
                                               module.attributes(op)));
  return true;
}

/// Replaces the op by StableHLO ops. Returns false if the op has no expansion.
bool replace(Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::ChloTopK:
      return replace_top_k(module, op);
    case OpKind::ChloIsInf:
    case OpKind::ChloIsNegInf:
    case OpKind::ChloIsPosInf:
      return replace_predicate(module, op);
    case OpKind::ChloConstant:
      return replace_constant(module, op);
    default:
      return replace_function(module, op);
  }
}

bool is_of_other_dialect(const Module& module, OpId op) {
  const std::string_view name = module.name(op);
  return !name.starts_with("stablehlo.") && !name.starts_with("func.") &&
         !module.is(op, OpKind::SdyMesh);
}

}  // namespace

void lower_chlo(Module& module) {
  std::vector<OpId> ops;
  for (const OpId op : ir::pre_order(module)) {
    if (module.name(op).starts_with("chlo.")) ops.push_back(op);
  }
  for (const OpId op : ops) {
    if (replace(module, op)) module.erase(op);
  }
}

std::vector<OtherDialectOp> other_dialect_ops(const Module& module) {
  std::map<std::string, OtherDialectOp, std::less<>> by_name;
  for (const OpId op : ir::pre_order(module)) {
    if (!is_of_other_dialect(module, op)) continue;
    OtherDialectOp& row = by_name[std::string(module.name(op))];
    if (row.count++ == 0) row.location = module.source_location(op);
  }
  std::vector<OtherDialectOp> ops;
  for (auto& [name, row] : by_name) {
    row.name = name;
    ops.push_back(std::move(row));
  }
  return ops;
}

Diagnostics notes_of_other_dialects(const Module& module) {
  Diagnostics notes;
  for (const OtherDialectOp& row : other_dialect_ops(module)) {
    const std::string times = row.count == 1 ? "" : ", " + std::to_string(row.count) + " times";
    Diagnostic note{
        .message = "the program has " + row.name + times + ", which StableHLO does not have",
        .location = row.location,
        .severity = Severity::Note};
    if (row.name.starts_with("chlo.")) {
      note.notes.emplace_back("--chlo=lower writes most CHLO ops in StableHLO");
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace shardy::partitioning
