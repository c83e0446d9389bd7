// Functions, symbols, terminators. Spec: dialect 1.1, 1.2; stablehlo 2, 7.
#include <algorithm>
#include <array>
#include <string>

#include "check_structure.hpp"
#include "op_facts.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

namespace {

/// Stands directly in the module, under a name of its own.
Status verify_symbol(const Module& module, OpId op) {
  const OpId parent = module.parent_op(op);
  if (parent.valid() && module.is(parent, OpKind::BuiltinModule)) return {};  // a table of its own
  if (module.parent_block(op) != module.body()) return fail("must stand directly in the module");
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

}  // namespace

/// Its name is optional, and its own symbols are out of reach of the module around it.
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

namespace {

/// Names of the ops whose regions end in this terminator.
std::string owners_text(OpKind terminator) {
  if (terminator == OpKind::FuncReturn) return "'func.func'";
  if (terminator == OpKind::SdyReturn) {
    return "'sdy.named_computation' or 'sdy.manual_computation'";
  }
  return "an op with StableHLO regions";
}

/// Regions of unknown ops may end in anything.
bool ends_regions_of(const Module& module, OpId terminator, OpId parent) {
  if (!parent.valid()) return false;
  if (module.is(parent, OpKind::Unknown)) return true;
  return may_end_region(module.kind(parent), module.kind(terminator));
}

/// The operands of what ends a function are what the function says that it returns.
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

}  // namespace

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

}  // namespace shardy::ir
