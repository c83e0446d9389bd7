// Bodies of module.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/ids.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE bool FunctionData::operator==(const FunctionData&) const = default;

SHARDY_INLINE Module::Module() {
  const RegionId top = new_region();
  new_block(top);
}

// ---- Reading ------------------------------------------------------------------------------------

SHARDY_INLINE std::vector<ValueId> Module::operands(OpId op) const {
  std::vector<ValueId> values;
  values.reserve(num_operands(op));
  for (std::size_t index = 0; index < num_operands(op); ++index) {
    values.push_back(operand(op, index));
  }
  return values;
}

SHARDY_INLINE std::vector<ValueId> Module::results(OpId op) const {
  std::vector<ValueId> values;
  values.reserve(num_results(op));
  for (std::size_t index = 0; index < num_results(op); ++index) {
    values.push_back(result(op, index));
  }
  return values;
}

SHARDY_INLINE std::vector<Use> Module::uses(ValueId value) const {
  std::vector<Use> found;
  found.reserve(num_uses(value));
  for (uint32_t slot = at(value).first_use; slot != kNone; slot = slots_[slot].next) {
    const OpId op = slots_[slot].op;
    found.push_back(Use{op, slot - at(op).first_operand});
  }
  return found;
}

// ---- Functions and symbols ----------------------------------------------------------------------

SHARDY_INLINE std::string_view Module::symbol_name(OpId op) const {
  const auto* name = attribute<std::string>(op, attr::kSymName);
  return name ? std::string_view(*name) : std::string_view();
}

SHARDY_INLINE std::optional<OpId> Module::find_symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found != symbols_.end() ? std::optional(found->second.front()) : std::nullopt;
}

SHARDY_INLINE void Module::set_symbol_name(OpId op, std::string name) {
  if (names_symbol(op)) drop_symbol(op);
  attributes(op).set(attr::kSymName, std::move(name));
  if (names_symbol(op)) add_symbol(op);
}

SHARDY_INLINE void Module::add_symbol(OpId op) {
  symbols_[std::string(symbol_name(op))].push_back(op);
}

SHARDY_INLINE void Module::drop_symbol(OpId op) {
  const auto found = symbols_.find(symbol_name(op));
  if (found == symbols_.end()) return;
  std::erase(found->second, op);
  if (found->second.empty()) symbols_.erase(found);
}

SHARDY_INLINE std::optional<Mesh> Module::find_mesh(std::string_view name) const {
  const std::optional<OpId> op = find_symbol(name);
  if (!op || !is(*op, OpKind::SdyMesh)) return std::nullopt;
  const Mesh* mesh = attribute<Mesh>(*op, attr::kMesh);
  return mesh ? std::optional(*mesh) : std::nullopt;
}

SHARDY_INLINE std::vector<OpId> Module::functions() const {
  std::vector<OpId> found;
  for (const OpId op : ops(body())) {
    if (is(op, OpKind::Func)) found.push_back(op);
  }
  return found;
}

SHARDY_INLINE std::vector<OpId> Module::meshes() const {
  std::vector<OpId> found;
  for (const OpId op : ops(body())) {
    if (is(op, OpKind::SdyMesh)) found.push_back(op);
  }
  return found;
}

SHARDY_INLINE std::optional<OpId> Module::main_function() const {
  const std::optional<OpId> named = find_symbol("main");
  if (named && is(*named, OpKind::Func)) return named;
  std::vector<OpId> all = functions();
  if (all.size() == 1) return all.front();
  std::erase_if(all, [&](OpId function) {
    const auto* visibility = attribute<std::string>(function, "sym_visibility");
    return visibility != nullptr && *visibility == "private";
  });
  return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

SHARDY_INLINE OpId Module::add_mesh(std::string name, Mesh mesh) {
  OpSpec spec{.kind = OpKind::SdyMesh};
  spec.attributes.set(attr::kSymName, std::move(name));
  spec.attributes.set(attr::kMesh, std::move(mesh));
  const OpId op = create(std::move(spec));
  append(body(), op);
  return op;
}

SHARDY_INLINE OpId Module::add_function(std::string name, std::span<const Type> args,
                                        std::vector<Type> results) {
  OpSpec spec{.kind = OpKind::Func, .regions = {new_region()}};
  new_block(spec.regions.front(), args);
  spec.attributes.set(attr::kSymName, std::move(name));
  const OpId op = create(std::move(spec));
  FunctionData& data = function(op);
  data.arg_attributes.resize(args.size());
  data.result_attributes.resize(results.size());
  data.result_types = std::move(results);
  append(body(), op);
  return op;
}

SHARDY_INLINE OpId Module::declare_function(std::string name, std::vector<Type> args,
                                            std::vector<Type> results) {
  OpSpec spec{.kind = OpKind::Func, .regions = {new_region()}};
  spec.attributes.set(attr::kSymName, std::move(name));
  const OpId op = create(std::move(spec));
  FunctionData& data = function(op);
  data.arg_attributes.resize(args.size());
  data.declared_arg_types = std::move(args);
  data.result_attributes.resize(results.size());
  data.result_types = std::move(results);
  append(body(), op);
  return op;
}

SHARDY_INLINE std::vector<Type> Module::arg_types(OpId function) const {
  if (is_external(function)) return this->function(function).declared_arg_types;
  std::vector<Type> types;
  for (const ValueId arg : args(entry(function))) types.push_back(type(arg));
  return types;
}

// ---- Making parts -------------------------------------------------------------------------------

SHARDY_INLINE RegionId Module::new_region() {
  regions_.emplace_back();
  return RegionId(static_cast<uint32_t>(regions_.size() - 1));
}

SHARDY_INLINE BlockId Module::new_block(RegionId region, std::span<const Type> args) {
  SHARDY_EXPECTS(region.index() < regions_.size());
  const BlockId block(static_cast<uint32_t>(blocks_.size()));
  blocks_.emplace_back();
  at(block).parent = region;
  at(region).blocks.push_back(block);
  for (const Type& type : args) add_argument(block, type);
  return block;
}

SHARDY_INLINE ValueId Module::add_argument(BlockId block, Type type) {
  const auto index = static_cast<uint32_t>(at(block).args.size());
  const ValueId value =
      new_value({.type = std::move(type), .owner = block.value | kArgument, .index = index});
  at(block).args.push_back(value);
  return value;
}

SHARDY_INLINE void Module::erase_argument(BlockId block, std::size_t index) {
  std::vector<ValueId>& args = at(block).args;
  SHARDY_EXPECTS(index < args.size() && num_uses(args[index]) == 0);
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(index));
  for (; index < args.size(); ++index) at(args[index]).index = static_cast<uint32_t>(index);
}

SHARDY_INLINE ValueId Module::new_value(ValueData data) {
  values_.push_back(std::move(data));
  return ValueId(static_cast<uint32_t>(values_.size() - 1));
}

SHARDY_INLINE OpId Module::create(OpSpec spec) {
  // Before anything is made: a handler may go on with the module.
  for (const ValueId value : spec.operands) SHARDY_EXPECTS(value.index() < values_.size());
  for (const RegionId region : spec.regions) SHARDY_EXPECTS(!at(region).parent.valid());
  const OpId op(static_cast<uint32_t>(ops_.size()));
  ops_.emplace_back();
  const auto first_result = static_cast<uint32_t>(values_.size());
  for (std::size_t index = 0; index < spec.result_types.size(); ++index) {
    new_value({.type = std::move(spec.result_types[index]),
               .owner = op.value,
               .index = static_cast<uint32_t>(index)});
  }
  for (const RegionId region : spec.regions) at(region).parent = op;
  OpData& data = at(op);
  data.kind = spec.kind;
  data.has_regions = !spec.regions.empty();
  data.first_result = first_result;
  data.num_results = static_cast<uint32_t>(spec.result_types.size());
  data.first_operand = add_slots(op, spec.operands);
  data.num_operands = static_cast<uint32_t>(spec.operands.size());
  const uint32_t side = add_side(spec);
  details_.push_back({std::move(spec.attributes), std::move(spec.regions), spec.location, side});
  return op;
}

/// Makes what only ops of its kind have.
SHARDY_INLINE uint32_t Module::add_side(OpSpec& spec) {
  if (spec.kind == OpKind::Func) {
    functions_.emplace_back();
    return static_cast<uint32_t>(functions_.size() - 1);
  }
  if (spec.kind != OpKind::Unknown) return 0;
  names_.push_back(std::move(spec.name));
  return static_cast<uint32_t>(names_.size() - 1);
}

SHARDY_INLINE void Module::add_region(OpId op, RegionId region) {
  SHARDY_EXPECTS(op.index() < ops_.size() && !at(region).parent.valid());
  at(region).parent = op;
  at(op).has_regions = true;
  details(op).regions.push_back(region);
}

// ---- Order --------------------------------------------------------------------------------------

SHARDY_INLINE void Module::append(BlockId block, OpId op) {
  link_between(op, block, at(block).last, OpId());
}

SHARDY_INLINE void Module::insert_before(OpId anchor, OpId op) {
  link_between(op, at(anchor).parent, at(anchor).prev, anchor);
}

SHARDY_INLINE void Module::insert_after(OpId anchor, OpId op) {
  link_between(op, at(anchor).parent, anchor, at(anchor).next);
}

SHARDY_INLINE void Module::link_between(OpId op, BlockId block, OpId prev, OpId next) {
  SHARDY_EXPECTS(!at(op).parent.valid() && !at(op).erased && block.index() < blocks_.size());
  at(op).parent = block;
  at(op).prev = prev;
  at(op).next = next;
  (prev.valid() ? at(prev).next : at(block).first) = op;
  (next.valid() ? at(next).prev : at(block).last) = op;
  number(op);
  if (names_symbol(op)) add_symbol(op);
}

/// Gives a linked op an order number between those of its neighbours.
SHARDY_INLINE void Module::number(OpId op) {
  const OpId prev = at(op).prev;
  const OpId next = at(op).next;
  const int64_t low = prev.valid() ? at(prev).order : 0;
  const int64_t high = next.valid() ? at(next).order : low + 2 * kOrderGap;
  at(op).order = low + (high - low) / 2;
  if (at(op).order == low && (prev.valid() || low == high)) make_room(op);
}

/// Spreads the numbers around an op that has the one of its neighbour over the smallest aligned
/// range of numbers that is thinly filled. Larger ranges must be thinner, so that n insertions in
/// one place take O(n log n) (labels of an ordered list after Bender and others, ESA 2002).
SHARDY_INLINE void Module::make_room(OpId op) {
  OpId first = op;
  OpId last = op;
  int64_t count = 1;
  for (int bits = 2;; ++bits) {
    const int64_t size = int64_t{1} << bits;
    const int64_t begin = at(op).order / size * size;
    for (OpId prev = at(first).prev; prev.valid() && at(prev).order >= begin; ++count) {
      first = std::exchange(prev, at(prev).prev);
    }
    for (OpId next = at(last).next; next.valid() && at(next).order < begin + size; ++count) {
      last = std::exchange(next, at(next).next);
    }
    if (count > int64_t{1} << (3 * bits / 4)) continue;
    const int64_t gap = size / count;
    int64_t order = begin + gap / 2;
    for (OpId each = first;; each = at(each).next, order += gap) {
      at(each).order = order;
      if (each == last) return;
    }
  }
}

SHARDY_INLINE void Module::remove(OpId op) {
  OpData& data = at(op);
  if (!data.parent.valid()) return;
  (data.prev.valid() ? at(data.prev).next : at(data.parent).first) = data.next;
  (data.next.valid() ? at(data.next).prev : at(data.parent).last) = data.prev;
  if (names_symbol(op)) drop_symbol(op);
  data.parent = BlockId();
  data.prev = data.next = OpId();
}

SHARDY_INLINE void Module::erase(OpId op) {
  remove(op);
  std::vector<OpId> pending = {op};
  std::vector<OpId> doomed;
  while (!pending.empty()) {
    const OpId current = pending.back();
    pending.pop_back();
    doomed.push_back(current);
    for (const RegionId region : regions(current)) {
      for (const BlockId block : at(region).blocks) {
        for (const OpId inner : ops(block)) pending.push_back(inner);
      }
    }
  }
  for (const OpId each : doomed) {
    const OpData& data = at(each);
    for (uint32_t slot = 0; slot < data.num_operands; ++slot) {
      unlink_use(data.first_operand + slot);
    }
    at(each).num_operands = 0;
    at(each).erased = true;
    if (!names_of_values_.empty()) pass_names_on(each);
  }
}

SHARDY_INLINE void Module::splice(BlockId from, BlockId to) {
  SHARDY_EXPECTS(from != to);
  while (at(from).first.valid()) {
    const OpId op = at(from).first;
    remove(op);
    append(to, op);
  }
}

// ---- Uses ---------------------------------------------------------------------------------------

SHARDY_INLINE uint32_t Module::add_slots(OpId op, std::span<const ValueId> values) {
  const auto first = static_cast<uint32_t>(slots_.size());
  for (const ValueId value : values) {
    slots_.push_back(OperandSlot{ValueId(), op, kNone, kNone});
    link_use(static_cast<uint32_t>(slots_.size() - 1), value);
  }
  return first;
}

SHARDY_INLINE void Module::link_use(uint32_t slot, ValueId value) {
  SHARDY_EXPECTS(value.index() < values_.size());
  ValueData& data = at(value);
  slots_[slot].value = value;
  slots_[slot].prev = kNone;
  slots_[slot].next = data.first_use;
  if (data.first_use != kNone) slots_[data.first_use].prev = slot;
  data.first_use = slot;
  ++data.num_uses;
}

SHARDY_INLINE void Module::unlink_use(uint32_t slot) {
  const OperandSlot link = slots_[slot];
  ValueData& data = at(link.value);
  (link.prev != kNone ? slots_[link.prev].next : data.first_use) = link.next;
  if (link.next != kNone) slots_[link.next].prev = link.prev;
  --data.num_uses;
}

SHARDY_INLINE void Module::set_operand(OpId op, std::size_t index, ValueId value) {
  SHARDY_EXPECTS(index < at(op).num_operands && value.index() < values_.size());
  const uint32_t slot = at(op).first_operand + static_cast<uint32_t>(index);
  if (slots_[slot].value == value) return;
  unlink_use(slot);
  link_use(slot, value);
}

SHARDY_INLINE void Module::set_operands(OpId op, std::span<const ValueId> values) {
  const std::vector<ValueId> copy(values.begin(), values.end());
  for (uint32_t slot = 0; slot < at(op).num_operands; ++slot) {
    unlink_use(at(op).first_operand + slot);
  }
  const uint32_t first = add_slots(op, copy);
  at(op).first_operand = first;
  at(op).num_operands = static_cast<uint32_t>(copy.size());
}

/// Passes the names of replaced values on to their replacements. A replacement of another type
/// holds something else, such as a shard, and gets a derived name.
SHARDY_INLINE void Module::pass_names_on(OpId erased) {
  const auto pass_on = [&](ValueId from) {
    const ValueId heir = names_of_values_.take_heir(from);
    if (!heir.valid() || !names_of_values_.has(from) || names_of_values_.has(heir)) return;
    if (type(from) == type(heir)) copy_value_name(heir, *this, from);
  };
  for (std::size_t index = 0; index < num_results(erased); ++index) pass_on(result(erased, index));
  for (const RegionId region : regions(erased)) {
    for (const BlockId block : at(region).blocks) {
      for (const ValueId arg : at(block).args) pass_on(arg);
    }
  }
}
SHARDY_INLINE void Module::copy_value_name(ValueId value, const Module& from, ValueId source) {
  SHARDY_EXPECTS(value.index() < values_.size() && source.index() < from.values_.size());
  if (!from.has_value_name(source) || has_value_name(value)) return;
  std::string name = from.value_name(source);
  const bool shared = from.shares_value_name(source) && owner(value).is_result() &&
                      at(value).index == from.at(source).index &&
                      num_results(owner(value).op) == from.num_results(from.owner(source).op);
  if (shared) name.resize(name.rfind('#'));
  names_of_values_.set(value, name, shared);
}
SHARDY_INLINE void Module::replace_all_uses(ValueId from, ValueId to) {
  if (from == to) return;
  if (!names_of_values_.empty()) names_of_values_.note_heir(from, to);
  while (at(from).first_use != kNone) {
    const uint32_t slot = at(from).first_use;
    unlink_use(slot);
    link_use(slot, to);
  }
}

SHARDY_INLINE std::string_view Module::name(OpId op) const {
  return at(op).kind == OpKind::Unknown ? std::string_view(names_[details(op).side])
                                        : info(at(op).kind).name;
}

SHARDY_INLINE bool Module::names_symbol(OpId op) const {
  return at(op).parent == body() && ir::has_trait(at(op).kind, kSymbol) &&
         attribute<std::string>(op, attr::kSymName);
}

}  // namespace shardy::ir
