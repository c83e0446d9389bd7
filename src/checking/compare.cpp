#include "shardy/checking/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "shardy/ir/number.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// What is known of the rounding of a value: how long its chain of float sums is, how coarse.
struct Rounding {
  double length = 0;
  double epsilon = 0;

  void join(const Rounding& other) {
    length = std::max(length, other.length);
    epsilon = std::max(epsilon, other.epsilon);
  }
};

double epsilon_of(ElementType element) {
  switch (element) {
    case ElementType::F64:
    case ElementType::Complex128:
      return 0x1p-52;
    case ElementType::F32:
    case ElementType::Complex64:
      return 0x1p-23;
    case ElementType::F16:
      return 0x1p-10;
    case ElementType::BF16:
      return 0x1p-7;
    default:
      return ir::is_float(element) ? 0x1p-2 : 0;
  }
}

/// Elements of an operand that go into one element of the result.
double reduced_length(const Module& module, OpId op) {
  double length = 1;
  const ir::Type& type = module.type(module.operand(op, 0));
  if (const auto* dims = module.attribute<ir::DotDims>(op, "dot_dimension_numbers")) {
    for (const int64_t dim : dims->lhs_contracting) {
      length *= static_cast<double>(type.dim(static_cast<std::size_t>(dim)));
    }
  } else if (const auto* list = module.attribute<ir::DenseArrayAttr>(op, "dimensions")) {
    for (const int64_t dim : list->values) {
      length *= static_cast<double>(type.dim(static_cast<std::size_t>(dim)));
    }
  }
  return length;
}

bool reassociates(const Module& module, OpId op) {
  const OpKind kind = module.kind(op);
  if (kind != OpKind::DotGeneral && kind != OpKind::Reduce) return false;
  return epsilon_of(module.type(module.operand(op, 0)).element()) != 0;
}

Rounding rounding_of(const Module& module, OpId op, std::span<const Rounding> known) {
  Rounding rounding;
  for (const ValueId operand : module.operands(op)) rounding.join(known[operand.index()]);
  if (reassociates(module, op)) {
    rounding.length += reduced_length(module, op);
    rounding.join({0, epsilon_of(module.type(module.operand(op, 0)).element())});
  }
  if (rounding.length == 0) return rounding;
  // Whatever is computed from an inexact value is as coarse as its own type.
  for (const ValueId result : module.results(op)) {
    const ir::Type& type = module.type(result);
    if (type.is_tensor()) rounding.join({0, epsilon_of(type.element())});
  }
  return rounding;
}

}  // namespace

std::vector<Tolerance> result_tolerances(const Module& module, OpId function) {
  std::vector<Rounding> known(module.num_values());
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    const Rounding rounding = rounding_of(module, op, known);
    for (const ValueId result : module.results(op)) known[result.index()].join(rounding);
    // Regions and callees are not looked into: what they return is as inexact as what they get.
  }
  std::vector<Tolerance> tolerances;
  for (const ValueId value : module.returned_values(function)) {
    const ir::Type& type = module.type(value);
    const bool is_float = type.is_tensor() && epsilon_of(type.element()) != 0;
    const Rounding& rounding = known[value.index()];
    const bool inexact = is_float && rounding.length > 0;
    tolerances.push_back({inexact ? rounding.epsilon * (8 + rounding.length) : 0});
  }
  return tolerances;
}

namespace {

/// The parts of an element as doubles: one, or two for complex numbers.
struct Parts {
  double values[2] = {0, 0};
  int count = 1;
};

Parts parts_of(std::span<const std::byte> bytes, ElementType element) {
  if (!ir::is_complex(element)) return {{ir::decode_double(bytes, element), 0}, 1};
  const ElementType part = element == ElementType::Complex64 ? ElementType::F32 : ElementType::F64;
  const std::size_t half = bytes.size() / 2;
  return {
      {ir::decode_double(bytes.first(half), part), ir::decode_double(bytes.subspan(half), part)},
      2};
}

bool same_part(double got, double want, double bound) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return got == want;
  return std::abs(got - want) <= bound;
}

double distance(double got, double want) {
  if (same_part(got, want, 0)) return 0;
  const double difference = std::abs(got - want);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

std::span<const std::byte> element_at(const simulation::Tensor& tensor, int64_t index) {
  const std::size_t size = ir::size_bytes(tensor.type().element());
  return tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
}

bool equal_bits(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Difference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                   const Tolerance& tolerance) {
  const ElementType element = want.type().element();
  Difference difference;
  for (int64_t index = 0; index < want.num_elements(); ++index) {
    const Parts parts = parts_of(element_at(want, index), element);
    for (int part = 0; part < parts.count; ++part) {
      const double magnitude = std::abs(parts.values[part]);
      if (std::isfinite(magnitude))
        difference.magnitude = std::max(difference.magnitude, magnitude);
    }
  }
  const double bound = tolerance.relative * difference.magnitude;
  for (int64_t index = 0; index < want.num_elements(); ++index) {
    const auto got_bytes = element_at(got, index);
    const auto want_bytes = element_at(want, index);
    if (equal_bits(got_bytes, want_bytes)) continue;
    const Parts a = parts_of(got_bytes, element);
    const Parts b = parts_of(want_bytes, element);
    bool same = true;
    for (int part = 0; part < a.count; ++part) {
      difference.largest = std::max(difference.largest, distance(a.values[part], b.values[part]));
      const bool both_nan = std::isnan(a.values[part]) && std::isnan(b.values[part]);
      const bool close = tolerance.relative > 0 && same_part(a.values[part], b.values[part], bound);
      same = same && (both_nan || close);
    }
    if (same) continue;
    ++difference.mismatches;
    if (!difference.first_mismatch) difference.first_mismatch = index;
  }
  return difference;
}

}  // namespace shardy::checking
