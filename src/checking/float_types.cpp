#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/ir_names.hpp"
#include "checking/substituted_runs.hpp"
#include "passes/common/ops.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/prime_field.hpp"

namespace shardy::checking {

// Integers that have the bits of floats.

namespace {

/// Results of bitcast_convert of floats, and the values that are moved or combined bitwise with
/// them. Partitioned programs contain them if one device has a value and the others have zeros. If
/// numbers of 64 bits replace floats, these integers must have 64 bits, too.
class BitCopies {
 public:
  explicit BitCopies(const ir::Module& module);

  /// Checks whether the value has the bits of floats. Requires: a value of the original module.
  bool is_copy(ir::ValueId value) const { return is_copy_[find(value.index())]; }
  /// Returns true if an op computes with such a value.
  bool looks_at_bits() const { return looks_at_bits_; }
  /// Changes these values to ui64, with conversions before and after other ops.
  void apply(ir::Module& module) const;

 private:
  std::size_t find(std::size_t value) const;
  void join(ir::ValueId a, ir::ValueId b);
  void join_exchanged(const ir::Module& module, ir::OpId op);
  void join_moved(const ir::Module& module, ir::OpId op);

  mutable std::vector<std::size_t> parent_;
  std::vector<bool> is_copy_;  // per representative of a class
  bool looks_at_bits_ = false;
};

/// An op that forwards the bits of the listed operands.
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

/// Returns true for ops with as many results as operands in which result i depends only on operand
/// i.
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

/// Returns true for the terminator of a region with which a collective combines values.
bool ends_combiner(const Module& module, OpId op) {
  if (!module.has_trait(op, ir::kReturnLike)) return false;
  const OpId around = module.parent_op(op);
  return around.valid() && is_exchange(module, around);
}

/// Checks whether the value consists of bits of its op's operands.
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

/// Checks whether the user forwards the bits.
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

/// Inserts a conversion of the value to another element type after the value's definition.
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
    for (const ir::RegionId region : module.regions(op)) {  // one region may combine all operands
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

bool is_inexact(ElementType element) { return ir::is_float(element) || ir::is_complex(element); }
bool is_inexact(const Type& type) { return type.is_tensor() && is_inexact(type.element()); }

ElementType element_with(NumberDomain numbers, ElementType element) {
  const bool exact = numbers == NumberDomain::Exact;
  if (ir::is_float(element)) return exact ? ElementType::Exact : ElementType::F64;
  if (ir::is_complex(element)) return exact ? ElementType::ExactComplex : ElementType::Complex128;
  return element;
}

Type type_with(NumberDomain numbers, const Type& type) {
  if (is_inexact(type)) return type.with_element(element_with(numbers, type.element()));
  const auto* tuple = type.as<ir::TupleType>();
  if (tuple == nullptr) return type;
  ir::TupleType parts;
  for (const Type& part : tuple->elements) parts.elements.push_back(type_with(numbers, part));
  return Type(std::move(parts));
}

// ---- Values ------------------------------------------------------------------------------------

/// Replaces the largest number of a type without infinity by infinity, and the smallest number by
/// -infinity. The initial value of a maximum must be less than all values.
double unbounded(double value, ElementType element) {
  if (value == ir::greatest_value(element)) return std::numeric_limits<double>::infinity();
  if (value == ir::least_value(element)) return -std::numeric_limits<double>::infinity();
  return value;
}

/// Returns the bytes of all elements in order.
std::vector<std::byte> elements_with(NumberDomain numbers, std::span<const std::byte> bytes,
                                     ElementType element) {
  const ElementType from = ir::is_complex(element) ? ir::part_of(element) : element;
  const ElementType to = element_with(numbers, from);
  const std::size_t size = ir::size_bytes(from);
  std::vector<std::byte> out;
  out.reserve(bytes.size() / size * ir::size_bytes(to));
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const double value = unbounded(ir::decode_double(bytes.subspan(at, size), from), from);
    const std::vector<std::byte> made = ir::encode(value, to);
    out.insert(out.end(), made.begin(), made.end());
  }
  return out;
}

Result<ir::Literal> literal_with(NumberDomain numbers, const ir::Literal& literal) {
  const Type type = type_with(numbers, literal.type());
  std::vector<std::byte> bytes = elements_with(numbers, literal.stored(), literal.type().element());
  return literal.is_splat() ? ir::Literal::make_splat(type, std::move(bytes))
                            : ir::Literal::make(type, std::move(bytes));
}

// ---- Unsupported ops ----------------------------------------------------------------------------

constexpr std::array<std::string_view, 10> kPlainTargets = {"Sharding",
                                                            "SPMDFullToShardShape",
                                                            "SPMDShardToFullShape",
                                                            "annotate_device_placement",
                                                            "MoveToHost",
                                                            "MoveToDevice",
                                                            "LayoutConstraint",
                                                            "xla.sdy.FuncResultSharding",
                                                            "mhlo.erf",
                                                            "mhlo.topk"};

bool touches_floats(const Module& module, OpId op) {
  const auto any = [&](const std::vector<ValueId>& values) {
    return std::ranges::any_of(values,
                               [&](ValueId value) { return is_inexact(module.type(value)); });
  };
  return any(module.operands(op)) || any(module.results(op));
}

bool is_foreign(const Module& module, OpId op) {
  if (module.is(op, OpKind::Unknown)) return true;
  if (!module.is(op, OpKind::CustomCall)) return false;
  const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
  return target == nullptr || std::ranges::find(kPlainTargets, *target) == kPlainTargets.end();
}

/// Returns true for ops that split or join elements, or parts of complex numbers.
bool changes_widths(const Module& module, OpId op) {
  if (!module.is(op, OpKind::BitcastConvert)) return false;
  const ElementType from = module.type(module.operand(op, 0)).element();
  const ElementType to = module.type(module.result(op)).element();
  const bool has_complex = ir::is_complex(from) || ir::is_complex(to);
  return from != to && (has_complex || ir::info(from).bits != ir::info(to).bits);
}

bool draws_bits_of_floats(const Module& module, OpId op) {
  return module.is(op, OpKind::RngBitGenerator) && touches_floats(module, op);
}

bool is_check_call(const Module& module, OpId op) {
  if (!module.is(op, OpKind::CustomCall)) return false;
  const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
  return target != nullptr && target->starts_with("check.");
}

/// Checks whether the op compares values with values of the float run.
bool is_check(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::CheckExpectEq:
    case OpKind::CheckExpectEqConst:
    case OpKind::CheckExpectAlmostEq:
    case OpKind::CheckExpectAlmostEqConst:
    case OpKind::CheckExpectClose:
    case OpKind::CheckExpectSerializedEq:
      return true;
    default:
      return is_check_call(module, op);
  }
}

Status expect_meaning(const Module& module, OpId op) {
  if (!touches_floats(module, op)) return {};
  const bool has_one =
      !is_foreign(module, op) && !changes_widths(module, op) && !draws_bits_of_floats(module, op);
  if (has_one) return {};
  return fail_at(module.source_location(op),
                 std::string(module.name(op)) + " has no meaning for numbers other than floats");
}

// ---- The program
// ---------------------------------------------------------------------------------

class Rewriter {
 public:
  Rewriter(Module module, NumberDomain numbers) : module_(std::move(module)), numbers_(numbers) {}

  Result<Module> run() {
    for (const OpId op : ir::pre_order(module_)) {
      if (is_check(module_, op)) {
        print_instead(op);
        continue;
      }
      SHARDY_TRY_STATUS(expect_meaning(module_, op));
    }
    const BitCopies copies(module_);
    if (numbers_ == NumberDomain::Wide && copies.looks_at_bits()) {
      return fail("the program computes with the bits of floats");
    }
    for (const OpId op : ir::pre_order(module_)) {
      SHARDY_TRY_STATUS(rewrite(op, copies));
    }
    retype_values();
    copies.apply(module_);
    for (const OpId function : module_.functions()) retype(module_.function(function));
    return std::move(module_);
  }

 private:
  void print_instead(OpId op) {
    for (const ValueId operand : module_.operands(op)) {
      if (!module_.type(operand).is_tensor()) continue;
      module_.insert_before(op, module_.create({.kind = OpKind::InterpreterPrint,
                                                .operands = {operand},
                                                .location = module_.location(op)}));
    }
    for (const ValueId result : module_.results(op)) {  // i1: the check passed
      ir::OpSpec spec{.kind = OpKind::Constant, .result_types = {module_.type(result)}};
      spec.attributes.set(ir::attr::kValue, ir::int_splat_literal(module_.type(result), 1));
      const OpId holds = module_.create(std::move(spec));
      module_.insert_before(op, holds);
      module_.replace_all_uses(result, module_.result(holds));
    }
    module_.erase(op);
  }

  Status rewrite(OpId op, const BitCopies& copies) {
    SHARDY_TRY_STATUS(rewrite_literals(op));
    round_epsilon(op);
    if (module_.is(op, OpKind::Convert)) round(op);
    if (module_.is(op, OpKind::ReducePrecision) && numbers_ == NumberDomain::Wide) pass_by(op);
    if (module_.is(op, OpKind::BitcastConvert)) return rewrite_bitcast(op, copies);
    // Products and sums in the dot use the new types, so the algorithm does not apply.
    if (module_.is(op, OpKind::DotGeneral)) module_.attributes(op).erase(ir::attr::kAlgorithm);
    return {};
  }

  Status rewrite_literals(OpId op) {
    std::vector<std::pair<std::string, ir::Literal>> changed;
    for (const ir::NamedAttribute& each : module_.attributes(op)) {
      const auto* literal = each.value.as<ir::Literal>();
      if (literal == nullptr || !is_inexact(literal->type())) continue;
      SHARDY_TRY(ir::Literal with, literal_with(numbers_, *literal));
      changed.emplace_back(each.name, std::move(with));
    }
    for (auto& [name, literal] : changed) module_.attributes(op).set(name, std::move(literal));
    return {};
  }

  /// Rounds the epsilon of a batch norm to the original element type, because the attribute then
  /// has a wider type. Spec: stablehlo 30, 37.
  void round_epsilon(OpId op) {
    auto* epsilon = module_.attributes(op).edit<ir::FloatAttr>(ir::attr::kEpsilon);
    if (epsilon == nullptr || module_.num_operands(op) == 0) return;
    const Type& type = module_.type(module_.operand(op, 0));
    if (!type.is_tensor() || !ir::is_float(type.element())) return;
    epsilon->value = ir::decode_double(ir::encode(epsilon->value, type.element()), type.element());
  }

  /// Rounds the result of a conversion to a float type that cannot represent all values of the
  /// operand.
  void round(OpId op) {
    const ElementType from = module_.type(module_.operand(op, 0)).element();
    const ElementType to = module_.type(module_.result(op)).element();
    const bool narrows = numbers_ == NumberDomain::Exact && ir::is_float(from) &&
                         ir::is_float(to) && from != to && ir::info(to).bits <= ir::info(from).bits;
    if (!narrows) return;
    const bool is_single = to == ElementType::F32;
    const ir::FloatFormat format =
        is_single ? ir::FloatFormat{8, 23, 127, ir::FloatSpecials::Ieee} : ir::float_format(to);
    passes::replace_op(module_, op,
                       {.kind = OpKind::ReducePrecision,
                        .operands = module_.operands(op),
                        .result_types = {module_.type(module_.result(op))},
                        .attributes = ir::attributes_of(
                            ir::ReducePrecisionOp{format.exponent_bits, format.mantissa_bits})});
  }

  void pass_by(OpId op) {
    module_.replace_all_uses(module_.result(op), module_.operand(op, 0));
    module_.erase(op);
  }

  /// Rewrites a bitcast of integers that do not have the bits of floats. Wide numbers convert the
  /// value that the bits represent; exact numbers convert the integer.
  Status rewrite_bitcast(OpId op, const BitCopies& copies) {
    const ValueId operand = module_.operand(op, 0);
    const Type to = module_.type(module_.result(op));  // a copy, because the module grows
    if (!is_inexact(to) || is_inexact(module_.type(operand)) || copies.is_copy(operand)) return {};
    ValueId from = operand;
    if (numbers_ == NumberDomain::Wide && to.element() != ElementType::F64) {
      const OpId narrow = module_.create(
          {.kind = OpKind::BitcastConvert, .operands = {operand}, .result_types = {to}});
      module_.insert_before(op, narrow);
      from = module_.result(narrow);
      kept_.push_back(from);
    }
    if (numbers_ == NumberDomain::Wide && from == operand) return {};
    passes::replace_op(module_, op,
                       {.kind = OpKind::Convert, .operands = {from}, .result_types = {to}});
    return {};
  }

  void retype_values() {
    for (uint32_t index = 0; index < module_.num_values(); ++index) {
      const ValueId value(index);
      const bool stays = std::ranges::find(kept_, value) != kept_.end();
      if (!stays) module_.set_type(value, type_with(numbers_, module_.type(value)));
    }
  }

  void retype(ir::FunctionData& function) const {
    const auto retype_attributes = [&](std::vector<ir::AttributeMap>& lists) {
      for (ir::AttributeMap& attributes : lists) {
        auto* type = attributes.edit<ir::TypeAttr>("spmd.global_type");
        if (type != nullptr) type->type = type_with(numbers_, type->type);
      }
    };
    for (Type& type : function.result_types) type = type_with(numbers_, type);
    for (Type& type : function.declared_arg_types) type = type_with(numbers_, type);
    retype_attributes(function.arg_attributes);
    retype_attributes(function.result_attributes);
  }

  Module module_;
  NumberDomain numbers_;
  std::vector<ValueId> kept_;  // narrow floats computed from bits
};

}  // namespace

Result<Module> with_numbers(const Module& module, NumberDomain numbers) {
  return Rewriter(module, numbers).run();
}

bool gains_by_width(const Module& module) {
  const std::optional<OpId> main = module.main_function();
  const bool returns =
      main && std::ranges::any_of(module.function(*main).result_types,
                                  [](const Type& type) { return is_inexact(type); });
  if (!returns) return false;
  for (uint32_t index = 0; index < module.num_values(); ++index) {
    const Type& type = module.type(ValueId(index));
    if (is_inexact(type) && element_with(NumberDomain::Wide, type.element()) != type.element()) {
      return true;
    }
  }
  return false;
}

Result<simulation::Tensor> with_numbers(const simulation::Tensor& value, NumberDomain numbers) {
  if (!is_inexact(value.type())) return value;
  return simulation::Tensor::make(type_with(numbers, value.type()),
                                  elements_with(numbers, value.bytes(), value.type().element()));
}

Result<simulation::Tensor> exact_input(const simulation::Tensor& value, uint64_t seed) {
  if (!is_inexact(value.type())) return value;
  SHARDY_TRY(simulation::TensorWriter out,
             simulation::TensorWriter::make(type_with(NumberDomain::Exact, value.type())));
  const std::span<std::byte> bytes = out.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    const uint64_t element = prime_field::reduced(prime_field::mixed(seed, at));
    std::memcpy(&bytes[at], &element, sizeof(element));
  }
  return std::move(out).finish();
}

}  // namespace shardy::checking
