#include "partitioning/operand_roles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "shardy/ir/reducer.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr auto kAll = ~uint32_t{0};

/// Operands of a role as a bit mask: operand 0 is bit 0.
struct RoleRow {
  OpKind kind;
  uint32_t operands = kAll;
};

// Ops that only move elements, so they commute with any elementwise reduction.
constexpr std::array kMovers = {
    RoleRow{OpKind::Broadcast},   RoleRow{OpKind::BroadcastInDim},
    RoleRow{OpKind::Concatenate}, RoleRow{OpKind::DynamicSlice, 0b1},
    RoleRow{OpKind::Gather, 0b1}, RoleRow{OpKind::DynamicUpdateSlice, 0b11},
    RoleRow{OpKind::Pad},         RoleRow{OpKind::Reshape},
    RoleRow{OpKind::Reverse},     RoleRow{OpKind::Select, 0b110},
    RoleRow{OpKind::Slice},       RoleRow{OpKind::TorchIndexSelect, 0b1},
    RoleRow{OpKind::Transpose},
};

// Ops that are linear in all these operands together.
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

/// Checks whether sums of `from` convert to sums of `to`: integers wrap modulo a power of two,
/// wider floats represent narrower ones exactly.
/// floats hold narrower ones.
bool keeps_sums(ElementType from, ElementType to) {
  if (from == to) return true;
  if (ir::is_boolean(from) || ir::is_boolean(to)) return false;
  const int from_bits = ir::info(from).bits;
  const int to_bits = ir::info(to).bits;
  if (ir::is_integer(from) && ir::is_integer(to)) return to_bits <= from_bits;
  return ir::is_float(from) && ir::is_float(to) && to_bits > from_bits;
}

bool keeps_sums(const Module& module, OpId op) {
  const ir::Type& result = module.type(module.result(op));
  const OpKind kind = module.kind(op);
  if (kind == OpKind::Complex || kind == OpKind::Real || kind == OpKind::Imag) return true;
  return std::ranges::all_of(module.operands(op), [&](ir::ValueId operand) {
    const ir::Type& type = module.type(operand);
    return type.is_tensor() && keeps_sums(type.element(), result.element());
  });
}

/// Returns data and initial values of ops whose region is the reducer of the partial operands.
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
  const auto reducers = ir::recognized_reducers(module, op, num_results);
  const bool same =
      reducers && std::ranges::all_of(*reducers, [&](OpKind kind) { return kind == reducer; });
  if (!same) return 0;
  if (!module.is(op, OpKind::Scatter)) return kAll;
  return num_results == 1 ? 0b101 : 0;  // operand and updates, not indices
}

uint32_t summand_operands(const Module& module, OpId op, OpKind reducer) {
  const OpKind kind = module.kind(op);
  if (const auto row = find_row(kMovers, kind)) return *row;
  if (const uint32_t row = combining_operands(module, op, reducer); row != 0) return row;
  if (kind == reducer && reducer != OpKind::Add) return kAll;  // such as a maximum of maxima
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

}  // namespace shardy::partitioning
