#include "partitioning/bit_patterns.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

std::optional<ElementType> integer_of_width(ElementType element) {
  switch (ir::info(element).bits) {
    case 4:
      return ElementType::UI4;
    case 8:
      return ElementType::UI8;
    case 16:
      return ElementType::UI16;
    case 32:
      return ElementType::UI32;
    case 64:
      return ElementType::UI64;
    default:
      return std::nullopt;
  }
}

namespace {

ValueId unary(Emitter& emit, OpKind kind, ValueId value, ElementType to) {
  const Type type = emit.module().type(value).with_element(to);
  return emit.builder().create_value(kind, {value}, type);
}

/// Adds a leading dim of size 1.
ValueId stacked(Emitter& emit, ValueId value) {
  std::vector<int64_t> dims = {1};
  dims.insert(dims.end(), emit.dims(value).begin(), emit.dims(value).end());
  return emit.reshape(value, std::move(dims));
}

/// Returns row `index` of the first dim, without that dim.
ValueId unstacked(Emitter& emit, ValueId value, int64_t index) {
  const std::vector<int64_t> dims(emit.dims(value).begin() + 1, emit.dims(value).end());
  return emit.reshape(emit.slice(value, 0, index, index + 1), dims);
}

}  // namespace

OpKind exact_combiner(ElementType element) {
  const bool has_bits = ir::is_integer(element) || ir::is_boolean(element) ||
                        ir::is_complex(element) || integer_of_width(element).has_value();
  return has_bits && element != ElementType::Index ? OpKind::Or : OpKind::Add;
}

ir::Literal nothing_beside(ElementType element) {
  if (exact_combiner(element) != OpKind::Or) return reducer_identity(OpKind::Add, element);
  const Type type = Type::tensor({}, element);
  const Result<ir::Literal> zeros =
      ir::Literal::make_splat(type, std::vector<std::byte>(ir::size_bytes(element)));
  return zeros ? *zeros : ir::splat_literal(type, 0);
}

ir::Literal neutral_to(OpKind reducer, ElementType element) {
  const bool is_of_bits = reducer == OpKind::Or && has_hidden_bits(element);
  return is_of_bits ? nothing_beside(element) : reducer_identity(reducer, element);
}

bool has_hidden_bits(ElementType element) {
  return ir::is_float(element) || ir::is_complex(element);
}

ValueId to_bits(Emitter& emit, ValueId value) {
  const ElementType element = emit.module().type(value).element();
  if (!ir::is_complex(element)) {
    const ElementType to = integer_of_width(element).value_or(ElementType::UI8);
    return unary(emit, OpKind::BitcastConvert, value, to);
  }
  const ElementType part = ir::part_of(element);
  const ValueId real = stacked(emit, unary(emit, OpKind::Real, value, part));
  const ValueId imag = stacked(emit, unary(emit, OpKind::Imag, value, part));
  const ElementType to = integer_of_width(part).value_or(ElementType::UI64);
  return unary(emit, OpKind::BitcastConvert, emit.concatenate({real, imag}, 0), to);
}

ValueId from_bits(Emitter& emit, ValueId bits, ElementType element) {
  if (!ir::is_complex(element)) {
    return unary(emit, OpKind::BitcastConvert, bits, element);
  }
  const ValueId parts = unary(emit, OpKind::BitcastConvert, bits, ir::part_of(element));
  const ValueId real = unstacked(emit, parts, 0);
  const ValueId imag = unstacked(emit, parts, 1);
  const Type type = emit.module().type(real).with_element(element);
  return emit.builder().create_value(OpKind::Complex, {real, imag}, type);
}

}  // namespace shardy::partitioning
