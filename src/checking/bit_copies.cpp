#include "checking/bit_copies.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// An op that keeps the bits of elements of these operands.
struct MoverRow {
  OpKind kind;
  uint32_t operands = ~uint32_t{0};
};
constexpr std::array kMovers = {
    MoverRow{OpKind::Broadcast},         MoverRow{OpKind::BroadcastInDim},
    MoverRow{OpKind::Concatenate},       MoverRow{OpKind::Constant, 0},
    MoverRow{OpKind::DynamicSlice, 0b1}, MoverRow{OpKind::DynamicUpdateSlice, 0b11},
    MoverRow{OpKind::Gather, 0b1},       MoverRow{OpKind::Or},
    MoverRow{OpKind::Pad, 0b11},         MoverRow{OpKind::Reshape},
    MoverRow{OpKind::Reverse, 0b1},      MoverRow{OpKind::Select, 0b110},
    MoverRow{OpKind::Slice, 0b1},        MoverRow{OpKind::SpmdUndef, 0},
    MoverRow{OpKind::Transpose},
};

/// Ops with as many results as operands, each of which goes its own way.
bool is_exchange(const Module& module, OpId op) {
  return module.has_trait(op, ir::kCollective) && module.num_operands(op) == module.num_results(op);
}

bool moves_operand(const Module& module, OpId op, std::size_t index) {
  const auto row = std::ranges::find(kMovers, module.kind(op), &MoverRow::kind);
  return row != kMovers.end() && index < 32 && (row->operands >> index & 1U) != 0;
}

bool is_integer(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_tensor() && ir::is_integer(type.element());
}

bool is_float_tensor(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_tensor() && (ir::is_float(type.element()) || ir::is_complex(type.element()));
}

/// A terminator of the region with which an exchange combines.
bool ends_combiner(const Module& module, OpId op) {
  if (!module.has_trait(op, ir::kReturnLike)) return false;
  const OpId around = module.parent_op(op);
  return around.valid() && is_exchange(module, around);
}

/// The value gets bits that its op was given.
bool holds_moved(const Module& module, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  if (!owner.is_result()) {
    const OpId around = module.parent_op(owner.block);
    return around.valid() && is_exchange(module, around);
  }
  const OpId op = owner.op;
  const bool is_mover =
      std::ranges::find(kMovers, module.kind(op), &MoverRow::kind) != kMovers.end();
  return is_mover || is_exchange(module, op) ||
         (module.is(op, OpKind::BitcastConvert) && is_float_tensor(module, module.operand(op, 0)));
}

/// The use hands the bits on.
bool hands_on(const Module& module, const ir::Use& use) {
  if (module.is(use.op, OpKind::BitcastConvert)) {
    return is_float_tensor(module, module.result(use.op));
  }
  return moves_operand(module, use.op, use.operand) || is_exchange(module, use.op) ||
         ends_combiner(module, use.op);
}

bool is_content(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  return op.valid() && (module.is(op, OpKind::Constant) || module.is(op, OpKind::SpmdUndef));
}

ir::Literal widened(const ir::Literal& literal) {
  const Type type = literal.type().with_element(ElementType::UI64);
  const ElementType from = literal.type().element();
  const int unused = 64 - ir::info(from).bits;
  std::vector<uint64_t> values;
  const std::size_t size = ir::size_bytes(from);
  for (std::size_t at = 0; at < literal.stored().size(); at += size) {
    const auto value =
        static_cast<uint64_t>(ir::decode_int(literal.stored().subspan(at, size), from));
    values.push_back(value << static_cast<unsigned>(unused) >> static_cast<unsigned>(unused));
  }
  if (literal.is_splat()) return ir::int_splat_literal(type, static_cast<int64_t>(values.front()));
  return ir::literal_from<uint64_t>(type, values);
}

/// Converts the value to another element type, after its definition.
ValueId converted(Module& module, ValueId value, ElementType to) {
  const OpId op = module.create({.kind = OpKind::Convert,
                                 .operands = {value},
                                 .result_types = {module.type(value).with_element(to)}});
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) {
    module.insert_after(owner.op, op);
  } else {
    module.insert_before(module.first_op(owner.block), op);
  }
  return module.result(op);
}

}  // namespace

BitCopies::BitCopies(const Module& module) : parent_(module.num_values()) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  const std::vector<OpId> ops = ir::pre_order(module);
  for (const OpId op : ops) join_moved(module, op);
  is_copy_.resize(parent_.size());
  for (const OpId op : ops) {
    if (!module.is(op, OpKind::BitcastConvert)) continue;
    const ValueId result = module.result(op);
    if (is_integer(module, result) && is_float_tensor(module, module.operand(op, 0))) {
      is_copy_[find(result.index())] = true;
    }
  }
  for (uint32_t index = 0; index < parent_.size(); ++index) {
    const ValueId value(index);
    if (!is_copy(value) || !holds_moved(module, value) || is_content(module, value)) continue;
    for (const ir::Use& use : module.uses(value)) {
      looks_at_bits_ = looks_at_bits_ || !hands_on(module, use);
    }
  }
}

std::size_t BitCopies::find(std::size_t value) const {
  while (parent_[value] != value) {
    parent_[value] = parent_[parent_[value]];
    value = parent_[value];
  }
  return value;
}

void BitCopies::join(ValueId a, ValueId b) { parent_[find(a.index())] = find(b.index()); }

void BitCopies::join_exchanged(const Module& module, OpId op) {
  const std::size_t count = module.num_operands(op);
  for (std::size_t index = 0; index < count; ++index) {
    join(module.operand(op, index), module.result(op, index));
    for (const ir::RegionId region : module.regions(op)) {  // it may be one for all operands
      const ir::BlockId block = module.blocks(region).front();
      const std::size_t pairs = std::min(count, module.args(block).size() / 2);
      for (std::size_t side = 0; side < 2; ++side) {
        join(module.args(block)[side * pairs + index % pairs], module.result(op, index));
      }
      join(module.operand(module.last_op(block), index % pairs), module.result(op, index));
    }
  }
}

void BitCopies::join_moved(const Module& module, OpId op) {
  if (is_exchange(module, op)) return join_exchanged(module, op);
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (moves_operand(module, op, index)) join(module.operand(op, index), module.result(op));
  }
}

void BitCopies::apply(Module& module) const {
  for (uint32_t index = 0; index < parent_.size(); ++index) {
    const ValueId value(index);
    const OpId op = module.defining_op(value);
    if (!is_copy(value) || (op.valid() && module.is_erased(op))) continue;
    const ElementType from = module.type(value).element();
    const bool is_wide = holds_moved(module, value);
    if (is_wide) module.set_type(value, module.type(value).with_element(ElementType::UI64));
    const auto* literal =
        op.valid() ? module.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
    if (is_wide && literal != nullptr) {
      module.attributes(op).set(ir::attr::kValue, widened(*literal));
    }
    std::vector<ir::Use> others = module.uses(value);
    std::erase_if(others, [&](const ir::Use& use) { return hands_on(module, use) == is_wide; });
    if (others.empty()) continue;
    const ValueId other = converted(module, value, is_wide ? from : ElementType::UI64);
    for (const ir::Use& use : others) module.set_operand(use.op, use.operand, other);
  }
}

}  // namespace shardy::checking
