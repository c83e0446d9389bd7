// The verifier of modules. It checks functions, symbols and terminators, then each op, and warns of
// suspicious modules. Spec: dialect 1.1, 1.2; stablehlo 2, 7.
#include "shardy/ir/verify.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "infer_families.hpp"
#include "ir/program_facts.hpp"
#include "op_facts.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "verify_context.hpp"

namespace shardy::ir {
namespace {

/// Checks that the op is directly in the module and has a unique name.
Status verify_symbol(const Module& module, OpId op) {
  const OpId parent = module.parent_op(op);
  // A nested module has its own symbol table.
  if (parent.valid() && module.is(parent, OpKind::BuiltinModule)) return {};
  if (module.parent_block(op) != module.body()) return fail("must be directly in the module");
  SHARDY_TRY(const auto* name,
             required_attribute<std::string>(module.attributes(op), attr::kSymName, "a string"));
  if (name->empty()) return fail("attribute 'sym_name' must not be empty");
  const std::optional<OpId> first = module.find_symbol(*name);
  if (!first || *first == op) return {};
  return tl::unexpected(Error{.message = "redefinition of symbol named '" + *name + "'",
                              .notes = {"previous definition at " + module.location_text(*first)}});
}

std::string function_text(const Module& module, OpId function) {
  return "@" + std::string(module.symbol_name(function));
}

/// Returns the names of the ops whose regions end in this terminator.
std::string owners_text(OpKind terminator) {
  if (terminator == OpKind::FuncReturn) return "'func.func'";
  if (terminator == OpKind::SdyReturn) {
    return "'sdy.named_computation' or 'sdy.manual_computation'";
  }
  return "an op with StableHLO regions";
}

/// Returns whether a region of `parent` may end in `terminator`. The regions of unknown ops may end
/// in any terminator.
bool ends_regions_of(const Module& module, OpId terminator, OpId parent) {
  if (!parent.valid()) return false;
  if (module.is(parent, OpKind::Unknown)) return true;
  return may_end_region(module.kind(parent), module.kind(terminator));
}

/// Checks that the operands of the return op have the result types of the function.
Status verify_returned(const Module& module, OpId op, OpId function) {
  const std::vector<Type>& wanted = module.function(function).result_types;
  if (module.num_operands(op) != wanted.size()) {
    return fail("has " + counted(module.num_operands(op), "operand") +
                ", but enclosing function (" + function_text(module, function) + ") returns " +
                std::to_string(wanted.size()));
  }
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    const Type& type = module.type(module.operand(op, index));
    if (type == wanted[index]) continue;
    return fail("type of return operand " + std::to_string(index) + " ('" + to_string(type) +
                "') doesn't match function result type ('" + to_string(wanted[index]) +
                "') in function " + function_text(module, function));
  }
  return {};
}

/// Returns the axes that a collective removes from the unreduced axes; std::nullopt if another
/// check covers the unreduced axes of the op.
std::optional<AxisList> reduced_axes(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
      return AxisList();
    case OpKind::SdyAllReduce: {
      const auto* axes = module.attribute<AxesAttr>(op, attr::kReductionAxes);
      return axes ? std::optional(axes->axes) : std::nullopt;
    }
    case OpKind::SdyReduceScatter: {
      const auto* lists = module.attribute<AxesListsAttr>(op, attr::kReduceScatterAxes);
      if (!lists) return std::nullopt;
      AxisList all;
      for (const AxisList& list : lists->lists) all.insert(all.end(), list.begin(), list.end());
      return all;
    }
    default:
      return std::nullopt;
  }
}

std::string axes_text(const Mesh& mesh, AxisSpan axes) {
  std::string joined;
  for (const AxisRef& ref : axes) joined += (joined.empty() ? "" : ", ") + to_string(mesh, ref);
  return "{" + joined + "}";
}

/// Checks rule D3, and the row of dialect section 11 on collectives without a reduction.
Status expect_reduced(const Module& module, OpId op) {
  const std::optional<AxisList> reduced = reduced_axes(module, op);
  const auto* out = module.attribute<TensorSharding>(op, attr::kOutSharding);
  if (!reduced || !out) return {};
  const auto in = get_sharding(module, module.operand(op, 0));
  AxisList expected;
  // The meshes before and after a permute may differ in their device ids, but not in their axes.
  if (in) expected = sort_and_merge(set_difference(in->unreduced_axes(), *reduced));
  if (out->unreduced_axes() == expected) return {};
  return fail("expected result unreduced axes " + axes_text(out->mesh(), expected) + ", got " +
              axes_text(out->mesh(), out->unreduced_axes()));
}

/// Compares the mesh with `first`, the first mesh that has axes, in the number of devices. Sets
/// `first` if it is not set.
Status expect_devices(const Module& module, OpId op, OpId& first) {
  const auto* mesh = module.attribute<Mesh>(op, attr::kMesh);
  if (!mesh || mesh->is_maximal() || mesh->empty()) return {};
  if (!first.valid()) first = op;
  const Mesh& other = *module.attribute<Mesh>(first, attr::kMesh);
  if (mesh->num_devices() == other.num_devices()) return {};
  return fail("mesh " + symbol_text(std::string(module.symbol_name(op))) + " has " +
              std::to_string(mesh->num_devices()) + " devices, but mesh " +
              symbol_text(std::string(module.symbol_name(first))) + " has " +
              std::to_string(other.num_devices()));
}

/// Returns whether the op has a type of another dialect, to which the rules of StableHLO cannot be
/// applied. A tensor with an encoding is not opaque: its sizes and elements are known.
bool has_opaque_types(const OpFacts& op) {
  const auto is_opaque = [](const Type& type) { return type.as<OpaqueType>() != nullptr; };
  return std::ranges::any_of(op.operands,
                             [&](ValueId value) { return is_opaque(op.module.type(value)); }) ||
         std::ranges::any_of(op.result_types, is_opaque);
}

/// Returns whether the rule of a kind supports only tensors. Control flow, sdy ops, tuples and
/// custom calls accept any type.
bool takes_tensors(OpKind kind) {
  constexpr std::array<InferFunction, 5> kAnyType = {
      &infer_tuple, &infer_get_tuple_element, &infer_token, &infer_operand_types, &infer_nothing};
  const OpDefinition& definition = definition_of(kind);
  if (definition.infer == &infer_written) {
    return writes_one_tensor(kind) || kind == OpKind::Rng || kind == OpKind::RngBitGenerator;
  }
  return definition.family != "control_flow" && definition.family != "sdy" &&
         definition.family != "spmd" &&
         std::ranges::find(kAnyType, definition.infer) == kAnyType.end();
}

/// Checks that all operands and results are tensors. Their elements may have any type.
Status check_tensors(const OpFacts& op) {
  const auto check = [](const std::string& name, const Type& type) -> Status {
    if (is_any_tensor(type)) return {};
    return fail(name + " must be a tensor, got " + to_string(type));
  };
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(check(operand_name(index), op.operand_type(index)));
  }
  for (std::size_t index = 0; index < op.result_types.size(); ++index) {
    SHARDY_TRY_STATUS(check("result " + std::to_string(index), op.result_types[index]));
  }
  return {};
}

/// Checks whether the result types match. A call must have the result types of the callee. So must
/// a named computation, which may become a call. For other ops, foreign types and unknown dims
/// match any type.
bool fits(const OpFacts& op, const Types& inferred) {
  const bool is_exact = op.kind == OpKind::FuncCall || op.kind == OpKind::SdyNamedComputation;
  return is_exact ? std::ranges::equal(inferred, op.result_types)
                  : std::ranges::equal(inferred, op.result_types, &compatible);
}

Status check_results(const OpFacts& op, const Types& inferred) {
  if (inferred.size() != op.result_types.size()) {
    return fail("expects " + counted(inferred.size(), "result") + ", got " +
                std::to_string(op.result_types.size()));
  }
  if (fits(op, inferred)) return {};
  return fail("inferred type(s) '" + to_string(inferred) +
              "' are incompatible with return type(s) '" +
              to_string(Types(op.result_types.begin(), op.result_types.end())) + "'");
}

Status check_types(const OpFacts& op) {
  SHARDY_TRY_STATUS(check_structure(op));
  SHARDY_TRY_STATUS(check_num_results(op));
  if (takes_tensors(op.kind) && has_opaque_types(op)) return check_tensors(op);
  SHARDY_TRY(const Types inferred, definition_of(op.kind).infer(op));
  return check_results(op, inferred);
}

Status call_if_any(VerifyFunction verify, const VerifyContext& context, OpId op) {
  return verify ? verify(context, op) : Status();
}

/// Checks whether the types and the attributes of an op alone determine whether its types are
/// valid.
bool depends_on_types_alone(OpKind kind) {
  const InferFunction infer = definition_of(kind).infer;
  return infer == &infer_elementwise || infer == &infer_dot_general;
}

/// Ops with one result whose types are valid, the last ones of each kind. Programs repeat their
/// ops, and a comparison costs less than type inference.
class ValidOps {
 public:
  /// Returns whether an op like `op` was added.
  bool contains(const Module& module, OpId op) const {
    const auto row = rows_.find(module.kind(op));
    return row != rows_.end() && std::ranges::any_of(row->second.ops, [&](OpId known) {
             return known.valid() && are_alike(module, known, op);
           });
  }
  void add(const Module& module, OpId op) {
    Row& row = rows_[module.kind(op)];
    row.ops[row.next] = op;
    row.next = (row.next + 1) % row.ops.size();
  }

 private:
  struct Row {
    std::array<OpId, 4> ops = {};
    std::size_t next = 0;
  };

  static bool are_alike(const Module& module, OpId a, OpId b) {
    if (module.num_operands(a) != module.num_operands(b) || module.num_results(b) != 1 ||
        module.num_results(a) != 1 ||
        module.type(module.result(a)) != module.type(module.result(b)))
      return false;
    for (std::size_t index = 0; index < module.num_operands(a); ++index) {
      if (module.type(module.operand(a, index)) != module.type(module.operand(b, index))) {
        return false;
      }
    }
    return module.attributes(a) == module.attributes(b);
  }

  std::unordered_map<OpKind, Row> rows_;  // never iterated
};

/// The operands and result types of the op that is being checked. All ops reuse the same memory.
struct OpValues {
  std::vector<ValueId> operands;
  Types result_types;
  ValidOps valid_ops = {};

  void read(const Module& module, OpId op) {
    operands.clear();
    result_types.clear();
    for (std::size_t index = 0; index < module.num_operands(op); ++index) {
      operands.push_back(module.operand(op, index));
    }
    for (std::size_t index = 0; index < module.num_results(op); ++index) {
      result_types.push_back(module.type(module.result(op, index)));
    }
  }
};

/// Requires: the kind is in the op table.
Status check_types(const Module& module, OpId op, OpValues& values) {
  const bool is_plain = module.regions(op).empty() && depends_on_types_alone(module.kind(op));
  if (is_plain && values.valid_ops.contains(module, op)) return {};
  values.read(module, op);
  SHARDY_TRY_STATUS(check_types({module, module.kind(op), values.operands, values.result_types,
                                 module.attributes(op), module.regions(op), op}));
  if (is_plain) values.valid_ops.add(module, op);
  return {};
}

Error error_of(const Module& module, OpId op, Error error) {
  error = with_op_name(module.name(op), std::move(error));
  error.location = module.source_location(op);
  return error;
}

/// Verifies an op, except its regions and its uses of symbols.
Status verify_op(const VerifyContext& context, OpId op, OpValues& values) {
  const Module& module = context.module;
  if (module.is(op, OpKind::Unknown)) return verify_attached(context, op);
  SHARDY_TRY_STATUS(check_types(module, op, values));
  SHARDY_TRY_STATUS(call_if_any(definition_of(module.kind(op)).verify, context, op));
  return verify_attached(context, op);
}

/// Verifies the uses of symbols of an op that verify_op has accepted.
Status verify_uses(const VerifyContext& context, OpId op) {
  const OpKind kind = context.module.kind(op);
  return kind == OpKind::Unknown ? Status()
                                 : call_if_any(definition_of(kind).verify_uses, context, op);
}

// ---- Uses of values -----------------------------------------------------------------------------

/// The values that an op may use: those defined before the op in its block, or in a block around
/// it. The walk over a module in program order keeps this set up to date, in constant time per
/// value.
///
/// In a region with several blocks, which only unknown ops have, the values of earlier blocks stay
/// visible, because the control flow between the blocks is not known.
class VisibleValues {
 public:
  explicit VisibleValues(const Module& module) : module_(module), values_(module.num_values()) {}

  void define_arguments(BlockId block) {
    for (const ValueId arg : module_.args(block)) define(arg);
  }
  void define_results(OpId op) {
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      define(module_.result(op, index));
    }
  }
  void enter_regions(OpId op) {
    if (module_.has_trait(op, kIsolated)) isolated_.push_back(op);
  }
  /// Removes the values that the regions define.
  void leave_regions(OpId op);

  Status check_operands(OpId op) const;

 private:
  enum class State : uint8_t { Undefined, Visible, Gone };
  struct ValueState {
    State state = State::Undefined;
    OpId isolated;  // the innermost isolated op around the definition of the value
  };

  OpId innermost() const { return isolated_.empty() ? OpId() : isolated_.back(); }
  void define(ValueId value) { values_[value.index()] = ValueState{State::Visible, innermost()}; }
  void forget(ValueId value) { values_[value.index()].state = State::Gone; }
  void forget_results(OpId op);
  Status check(std::size_t operand, ValueId value) const;

  const Module& module_;
  std::vector<ValueState> values_;
  std::vector<OpId> isolated_;
};

void VisibleValues::forget_results(OpId op) {
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    forget(module_.result(op, index));
  }
}

void VisibleValues::leave_regions(OpId op) {
  for (const RegionId region : module_.regions(op)) {
    for (const BlockId block : module_.blocks(region)) {
      for (const ValueId arg : module_.args(block)) forget(arg);
      for (const OpId inner : module_.ops(block)) forget_results(inner);
    }
  }
  if (innermost() == op) isolated_.pop_back();
}

Status VisibleValues::check(std::size_t operand, ValueId value) const {
  const ValueState& entry = values_[value.index()];
  switch (entry.state) {
    case State::Undefined:
      return fail(operand_name(operand) + " is used before it is defined");
    case State::Gone:
      return fail(operand_name(operand) + " is used outside of the region that defines it");
    case State::Visible:
      break;
  }
  if (entry.isolated == innermost()) return {};
  return fail(operand_name(operand) + " is defined outside of the isolated regions of '" +
              std::string(module_.name(innermost())) + "'");
}

Status VisibleValues::check_operands(OpId op) const {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    SHARDY_TRY_STATUS(check(index, module_.operand(op, index)));
  }
  return {};
}

// ---- The walk -----------------------------------------------------------------------------------

/// Walks the module with an explicit stack, because modules may nest deeply. Each op is checked
/// when the walk enters it, since the visible values and the manual axes depend on the position.
/// The errors are then put in the order of dialect 10.
class Verifier {
 public:
  Verifier(const Module& module, std::size_t max_errors)
      : module_(module), visible_(module), max_errors_(max_errors), scopes_(module) {}

  Diagnostics run() {
    enter_block(module_.body());
    while (!pending_.empty() && errors_.size() < max_errors_) {
      const Step step = pending_.back();
      pending_.pop_back();
      step.leaves ? leave(step.op) : enter(step.op);
    }
    const std::size_t room = std::min(max_errors_ - errors_.size(), errors_of_uses_.size());
    std::move(errors_of_uses_.begin(), errors_of_uses_.begin() + static_cast<std::ptrdiff_t>(room),
              std::back_inserter(errors_));
    return std::move(errors_);
  }

 private:
  struct Step {
    OpId op;
    bool leaves;
  };
  struct OpError {
    OpId op;
    Error error;
  };

  void enter_block(BlockId block) {
    visible_.define_arguments(block);
    push(module_.first_op(block));
  }

  void push(OpId op) {
    if (op.valid()) pending_.push_back(Step{op, false});
  }

  void enter(OpId op) {
    // The callers of a function may be in manual computations.
    if (module_.is(op, OpKind::Func)) scope_ = scopes_.of_function(op);
    check(op);
    pending_.push_back(Step{op, true});
    if (module_.regions(op).empty()) return;
    visible_.enter_regions(op);
    bind_manual_axes(op);
    if (module_.is(op, OpKind::BuiltinModule)) ++num_modules_;
    const auto regions = module_.regions(op);
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const auto blocks = module_.blocks(*region);
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) enter_block(*block);
    }
  }

  void check(OpId op) {
    Status status = visible_.check_operands(op);
    const VerifyContext context{module_, scope_, op, num_modules_ > 0};
    if (status) status = verify_op(context, op, values_);
    if (!status) {
      return open_errors_.push_back({op, error_of(module_, op, std::move(status).error())});
    }
    if (errors_of_uses_.size() == max_errors_) return;
    Status uses = verify_uses(context, op);
    if (!uses) errors_of_uses_.push_back(error_of(module_, op, std::move(uses).error()));
  }

  void leave(OpId op) {
    if (!open_errors_.empty() && open_errors_.back().op == op) {
      errors_.push_back(std::move(open_errors_.back().error));
      open_errors_.pop_back();
    }
    if (!module_.regions(op).empty()) {
      visible_.leave_regions(op);
      free_manual_axes(op);
      if (module_.is(op, OpKind::BuiltinModule)) --num_modules_;
    }
    if (module_.is(op, OpKind::Func)) scope_.clear();
    visible_.define_results(op);
    push(module_.next(op));
  }

  void bind_manual_axes(OpId op) {
    if (!module_.is(op, OpKind::SdyManualComputation)) return;
    for (const std::string& axis : detail::manual_axes_of(module_, op)) {
      scope_.try_emplace(axis, op);
    }
  }

  void free_manual_axes(OpId op) {
    if (!module_.is(op, OpKind::SdyManualComputation)) return;
    for (const std::string& axis : detail::manual_axes_of(module_, op)) {
      const auto bound = scope_.find(axis);
      if (bound != scope_.end() && bound->second == op) scope_.erase(bound);
    }
  }

  const Module& module_;
  VisibleValues visible_;
  std::size_t max_errors_;
  ManualScopes scopes_;
  ManualScope scope_;
  int64_t num_modules_ = 0;  // nested modules around the op
  OpValues values_;          // values of the op that is being checked
  std::vector<Step> pending_;
  std::vector<OpError> open_errors_;  // errors of the ops around, outermost op first
  Diagnostics errors_;                // errors of nested ops first
  Diagnostics errors_of_uses_;        // in program order
};

}  // namespace

/// The name of a nested module is optional. Its symbols are not visible outside.
Status verify_nested_module(const VerifyContext& context, OpId op) {
  if (!context.module.attributes(op).contains(attr::kSymName)) return {};
  return verify_symbol(context.module, op);
}

Status verify_mesh(const VerifyContext& context, OpId op) {
  SHARDY_TRY_STATUS(verify_symbol(context.module, op));
  SHARDY_TRY_STATUS(required_attribute<Mesh>(context.module.attributes(op), attr::kMesh, "a mesh"));
  return {};
}

Status verify_function(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(verify_symbol(module, op));
  constexpr std::array<std::string_view, 3> kVisibilities = {"public", "private", "nested"};
  if (!module.attributes(op).contains("sym_visibility")) return {};
  SHARDY_TRY(const auto* visibility,
             required_attribute<std::string>(module.attributes(op), "sym_visibility", "a string"));
  if (std::ranges::find(kVisibilities, *visibility) != kVisibilities.end()) return {};
  return fail("attribute 'sym_visibility' must be one of public private nested, got " +
              *visibility);
}

// ---- Terminators --------------------------------------------------------------------------------

Status verify_terminator(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  if (module.next(op).valid()) return fail("must be the last op of its block");
  const OpId parent = module.parent_op(op);
  if (!ends_regions_of(module, op, parent)) {
    return fail("expects parent op " + owners_text(module.kind(op)));
  }
  if (!module.is(parent, OpKind::Func)) return {};
  return verify_returned(module, op, parent);
}

Diagnostics verify_strict(const Module& module) {
  Diagnostics warnings;
  OpId first_mesh;
  for (const OpId op : pre_order(module)) {
    const Status status = module.is(op, OpKind::SdyMesh) ? expect_devices(module, op, first_mesh)
                                                         : expect_reduced(module, op);
    if (status) continue;
    Error warning = with_op_name(module.name(op), status.error());
    warning.location = module.source_location(op);
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

Diagnostics verify(const Module& module, std::size_t max_errors) {
  return Verifier(module, max_errors).run();
}

Status verify_types(const Module& module, OpId op) {
  if (module.is(op, OpKind::Unknown)) return {};
  OpValues values;
  return check_types(module, op, values).map_error([&](Error error) {
    return error_of(module, op, std::move(error));
  });
}

}  // namespace shardy::ir
