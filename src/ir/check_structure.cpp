#include "check_structure.hpp"

#include <string>
#include <utility>

#include "op_row.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy::ir {
namespace {

Status check_count(const Count& count, std::size_t actual, std::string_view noun) {
  if (count.holds(actual)) return {};
  const bool at_least_so_many = count.most == kAnyNumber;
  return fail((at_least_so_many ? "expects at least " : "expects ") + counted(count.least, noun) +
              ", got " + std::to_string(actual));
}

Status check_region(const OpFacts& op, std::size_t index, OpKind terminator) {
  const std::string name = "region " + std::to_string(index);
  const auto blocks = op.module.blocks(op.regions[index]);
  if (blocks.size() != 1) {
    return fail(name + " must have one block, got " + std::to_string(blocks.size()));
  }
  if (terminator == OpKind::Unknown) return {};
  const OpId last = op.module.last_op(blocks.front());
  if (last.valid() && may_end_region(op.kind, op.module.kind(last))) return {};
  return fail("block of " + name + " must end in '" + std::string(info(terminator).name) + "'");
}

}  // namespace

Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what) {
  SHARDY_TRY_STATUS(check_axis_indices(mesh, axes));
  AxisChecker checker(mesh);
  SHARDY_TRY_STATUS(checker.add_sorted(loosen(mesh, AxisSpan(axes)), what));
  return checker.finish();
}

Status check_mergeable_axes(const Mesh& mesh, const AxisList& axes) {
  SHARDY_TRY_STATUS(check_axis_indices(mesh, axes));
  AxisChecker checker(mesh);
  for (const AxisRef& ref : axes) {
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, AxisSpan(&ref, 1))));
  }
  return checker.finish();
}

bool may_end_region(OpKind owner, OpKind terminator) {
  const OpDefinition& definition = definition_of(owner);
  if (definition.num_regions.most == 0) return false;
  return owner == OpKind::Func ? has_trait(terminator, kReturnLike)
                               : terminator == definition.terminator;
}

Error with_op_name(std::string_view op_name, Error error) {
  return with_prefix("'" + std::string(op_name) + "' op ", std::move(error));
}

Status check_num_results(const OpFacts& op) {
  return check_count(count_names(definition_of(op.kind).results), op.result_types.size(), "result");
}

Status check_structure(const OpFacts& op) {
  const OpDefinition& definition = definition_of(op.kind);
  SHARDY_TRY_STATUS(check_count(definition.num_operands, op.num_operands(), "operand"));
  SHARDY_TRY_STATUS(check_count(definition.num_regions, op.regions.size(), "region"));
  for (std::size_t index = 0; index < op.regions.size(); ++index) {
    const bool is_declaration =
        op.kind == OpKind::Func && op.module.blocks(op.regions[index]).empty();
    if (is_declaration) continue;
    SHARDY_TRY_STATUS(check_region(op, index, definition.terminator));
  }
  return {};
}

std::optional<OpId> nearest_symbol(const Module& module, OpId op, std::string_view name) {
  for (OpId at = op; at.valid(); at = module.parent_op(at)) {
    const OpId table = module.parent_op(at);
    if (!table.valid() || !module.is(table, OpKind::BuiltinModule)) continue;
    for (const OpId symbol : module.ops(module.block(table))) {
      if (module.symbol_name(symbol) == name) return symbol;
    }
  }
  return module.find_symbol(name);
}

std::optional<Mesh> nearest_mesh(const Module& module, OpId op, std::string_view name) {
  const std::optional<OpId> symbol = nearest_symbol(module, op, name);
  if (!symbol || !module.is(*symbol, OpKind::SdyMesh)) return std::nullopt;
  const auto* mesh = module.attribute<Mesh>(*symbol, attr::kMesh);
  return mesh != nullptr ? std::optional(*mesh) : std::nullopt;
}

Result<std::vector<Type>> infer_result_types(const Module& module, const OpSpec& spec) {
  if (spec.kind == OpKind::Unknown) return spec.result_types;
  const OpFacts op{module,          spec.kind,   spec.operands, spec.result_types,
                   spec.attributes, spec.regions};
  Result<Types> types =
      check_structure(op).and_then([&] { return definition_of(op.kind).infer(op); });
  if (!types) return tl::unexpected(with_op_name(info(spec.kind).name, std::move(types).error()));
  return types;
}

}  // namespace shardy::ir
