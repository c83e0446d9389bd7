// Roles of operands by the kind of the op, and by its region for reductions and scatters.
//
//   negate %p, dot %p, %b     linear: a sum of partial values may follow the op
//   reduce add %p             the region combines as the sum does
//   scatter %a, %i, %p        without a reduction: each update replaces one element
//   tanh %p                   needs the complete value
#include "ir/operand_roles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

constexpr auto kAll = ~uint32_t{0};
constexpr uint32_t kInputAndUpdates = 0b101;  // of a scatter with one result

/// The operands of a role as a bit mask: bit 0 is operand 0.
struct RoleRow {
  OpKind kind;
  uint32_t operands = kAll;
};

// Ops that only move elements. They commute with any elementwise reduction.
constexpr std::array kMovers = {
    RoleRow{OpKind::Broadcast},   RoleRow{OpKind::BroadcastInDim},
    RoleRow{OpKind::Concatenate}, RoleRow{OpKind::DynamicSlice, 0b1},
    RoleRow{OpKind::Gather, 0b1}, RoleRow{OpKind::DynamicUpdateSlice, 0b11},
    RoleRow{OpKind::Pad},         RoleRow{OpKind::Reshape},
    RoleRow{OpKind::Reverse},     RoleRow{OpKind::Select, 0b110},
    RoleRow{OpKind::Slice},       RoleRow{OpKind::TorchIndexSelect, 0b1},
    RoleRow{OpKind::Transpose},
};

// Ops that are linear in all listed operands together.
constexpr std::array kLinear = {
    RoleRow{OpKind::Add},      RoleRow{OpKind::Complex}, RoleRow{OpKind::Convert},
    RoleRow{OpKind::Imag},     RoleRow{OpKind::Negate},  RoleRow{OpKind::Real},
    RoleRow{OpKind::Subtract},
};

// Ops that are linear in each of their two operands separately.
constexpr std::array kBilinear = {OpKind::Convolution, OpKind::Dot, OpKind::DotGeneral,
                                  OpKind::Multiply};

std::optional<uint32_t> find_row(std::span<const RoleRow> rows, OpKind kind) {
  const auto row = std::ranges::find(rows, kind, &RoleRow::kind);
  return row == rows.end() ? std::nullopt : std::optional(row->operands);
}

/// Checks whether a converted sum equals the sum of converted numbers. True for integers that do
/// not become wider, because sums wrap modulo a power of two, and for floats that become wider,
/// because the wider type represents them exactly.
bool keeps_sums(ElementType from, ElementType to) {
  if (from == to) return true;
  if (is_boolean(from) || is_boolean(to)) return false;
  const int from_bits = info(from).bits;
  const int to_bits = info(to).bits;
  if (is_integer(from) && is_integer(to)) return to_bits <= from_bits;
  return is_float(from) && is_float(to) && to_bits > from_bits;
}

bool keeps_sums(const Module& module, OpId op) {
  const Type& result = module.type(module.result(op));
  const OpKind kind = module.kind(op);
  if (kind == OpKind::Complex || kind == OpKind::Real || kind == OpKind::Imag) return true;
  return std::ranges::all_of(module.operands(op), [&](ValueId operand) {
    const Type& type = module.type(operand);
    return type.is_tensor() && keeps_sums(type.element(), result.element());
  });
}

/// Checks whether the scatter stores each update at an element that no other update has. Then the
/// scatter moves elements only.
bool replaces_elements(const Module& module, OpId op) {
  if (module.num_results(op) != 1 || !view<ScatterOp>(module, op).unique_indices) return false;
  const BlockId body = module.block(op);
  const OpId last = module.last_op(body);
  return last.valid() && module.operand(last, 0) == module.args(body)[1];
}

/// Returns the mask of the data and initial-value operands, for ops whose region is the reducer of
/// the partial operands.
uint32_t combining_operands(const Module& module, OpId op, OpKind reducer) {
  const std::size_t num_results = module.num_results(op);
  switch (module.kind(op)) {
    case OpKind::Reduce:
    case OpKind::ReduceWindow:
    case OpKind::Scatter:
      break;
    default:
      return 0;
  }
  const auto reducers = recognized_reducers(module, op, num_results);
  const bool same =
      reducers && std::ranges::all_of(*reducers, [&](OpKind kind) { return kind == reducer; });
  if (!same) return 0;
  if (!module.is(op, OpKind::Scatter)) return kAll;
  return num_results == 1 ? kInputAndUpdates : 0;
}

uint32_t summand_operands(const Module& module, OpId op, OpKind reducer) {
  const OpKind kind = module.kind(op);
  if (const auto row = find_row(kMovers, kind)) return *row;
  if (kind == OpKind::Scatter && replaces_elements(module, op)) return kInputAndUpdates;
  if (const uint32_t row = combining_operands(module, op, reducer); row != 0) return row;
  if (kind == reducer && reducer != OpKind::Add) return kAll;  // for example, a maximum of maxima
  if (reducer != OpKind::Add) return 0;
  const auto row = find_row(kLinear, kind);
  return row && keeps_sums(module, op) ? *row : 0;
}

}  // namespace

std::vector<OperandRole> operand_roles(const Module& module, OpId op, OpKind reducer) {
  std::vector<OperandRole> roles(module.num_operands(op), OperandRole::Whole);
  if (module.num_results(op) == 0) return roles;
  const bool bilinear = reducer == OpKind::Add && roles.size() == 2 &&
                        std::ranges::find(kBilinear, module.kind(op)) != kBilinear.end() &&
                        keeps_sums(module, op);
  if (bilinear) return {OperandRole::Factor, OperandRole::Factor};
  const uint32_t summands = summand_operands(module, op, reducer);
  for (std::size_t index = 0; index < roles.size(); ++index) {
    if ((summands >> std::min<std::size_t>(index, 31) & 1U) != 0) {
      roles[index] = OperandRole::Summand;
    }
  }
  return roles;
}

}  // namespace shardy::ir
