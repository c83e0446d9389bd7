#include "ir/op_facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "dim_set.hpp"
#include "op_row.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy::ir {
namespace {

struct ClassName {
  ClassMask mask;
  std::string_view text;
};

constexpr std::array<ClassName, 5> kClassNames = {{{kP, "booleans"},
                                                   {kS, "signed integers"},
                                                   {kU, "unsigned integers"},
                                                   {kF, "floats"},
                                                   {kC, "complex numbers"}}};

unsigned class_of(ElementType element) {
  switch (info(element).kind) {
    case ElementClass::Boolean:
      return kP;
    case ElementClass::Signed:
      return kS;
    case ElementClass::Unsigned:
      return kU;
    case ElementClass::Float:
      return kF;
    case ElementClass::Complex:
      return kC;
    case ElementClass::Index:
      break;
  }
  return 0;
}

}  // namespace

Types OpFacts::operand_types() const {
  Types types;
  for (const ValueId operand : operands) types.push_back(module.type(operand));
  return types;
}

// ---- Types --------------------------------------------------------------------------------------

bool in_class(ElementType element, unsigned mask) { return (class_of(element) & mask) != 0; }

std::string class_text(unsigned mask) {
  std::vector<std::string> words;
  const bool integers = (mask & kS) != 0 && (mask & kU) != 0;
  for (const ClassName& each : kClassNames) {
    if ((mask & each.mask) == 0) continue;
    if (integers && each.mask == kU) continue;
    words.emplace_back(integers && each.mask == kS ? "integers" : each.text);
  }
  std::string text;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (index > 0) text += index + 1 == words.size() ? " or " : ", ";
    text += words[index];
  }
  return text;
}

bool compatible_dims(std::span<const int64_t> a, std::span<const int64_t> b) {
  return std::ranges::equal(a, b, [](int64_t left, int64_t right) {
    return left == right || left == kDynamicDim || right == kDynamicDim;
  });
}

bool is_foreign(const Type& type) {
  if (type.as<OpaqueType>()) return true;
  return type.is_tensor() && !type.tensor()->encoding.empty();
}

bool compatible(const Type& a, const Type& b) {
  if (a.is_tensor() && b.is_tensor()) {  // a type with an encoding has known element type and sizes
    return a.element() == b.element() && compatible_dims(a.dims(), b.dims());
  }
  return a == b || (is_any_tensor(a) && is_any_tensor(b));
}

bool is_any_tensor(const Type& type) {
  const auto* opaque = type.as<OpaqueType>();
  return type.is_tensor() || (opaque != nullptr && opaque->text.starts_with("tensor<"));
}

Dims merged_dims(std::span<const int64_t> a, std::span<const int64_t> b) {
  Dims dims(a.begin(), a.end());
  for (std::size_t index = 0; index < dims.size(); ++index) {
    if (dims[index] == kDynamicDim) dims[index] = b[index];
  }
  return dims;
}

bool is_scalar(const Type& type) { return type.is_tensor() && type.dims().empty(); }

bool is_scalar(const Type& type, ElementType element) {
  return is_scalar(type) && type.element() == element;
}

Status expect_tensor(const OpFacts& op, std::size_t index) {
  const Type& type = op.operand_type(index);
  if (type.is_tensor()) return {};
  return fail(operand_name(index) + " must be a tensor, got " + to_string(type));
}

Status expect_class(const OpFacts& op, std::size_t index, unsigned mask) {
  const Type& type = op.operand_type(index);
  if (type.is_tensor() && in_class(type.element(), mask)) return {};
  return fail(operand_name(index) + " must be a tensor of " + class_text(mask) + ", got " +
              to_string(type));
}

Status expect_element_of(const OpFacts& op, std::size_t index, std::size_t reference) {
  SHARDY_TRY_STATUS(expect_tensor(op, index));
  const Type& type = op.operand_type(index);
  const ElementType wanted = op.operand_type(reference).element();
  if (type.element() == wanted) return {};
  return fail(operand_name(index) + " must have the element type of " + operand_name(reference) +
              ", " + std::string(to_string(wanted)) + ", got " + to_string(type));
}

Status expect_type_of(const OpFacts& op, std::size_t index, std::size_t reference) {
  const Type& type = op.operand_type(index);
  const Type& wanted = op.operand_type(reference);
  if (compatible(type, wanted)) return {};
  return fail(operand_name(index) + " must have the type of " + operand_name(reference) + ", " +
              to_string(wanted) + ", got " + to_string(type));
}

Status expect_scalar(const OpFacts& op, std::size_t index) {
  const Type& type = op.operand_type(index);
  if (is_scalar(type)) return {};
  return fail(operand_name(index) + " must be a tensor of rank 0, got " + to_string(type));
}

Result<Types> one_tensor(Dims dims, ElementType element) {
  SHARDY_TRY(Type type, Type::make_tensor(std::move(dims), element));
  return Types{std::move(type)};
}

bool writes_one_tensor(OpKind kind) {
  return definition_of(kind).results == "result" && has_trait(kind, kPure);
}

Result<Type> written_result(const OpFacts& op) {
  if (op.result_types.size() != 1) {
    return fail("needs its one result type to be given, got " +
                std::to_string(op.result_types.size()));
  }
  const Type& type = op.result_types.front();
  if (!is_any_tensor(type)) return fail("result must be a tensor, got " + to_string(type));
  return type;
}

Result<Type> written_tensor(const OpFacts& op) {
  SHARDY_TRY(Type type, written_result(op));
  if (!type.is_tensor()) return fail("result must be a tensor, got " + to_string(type));
  return type;
}

// ---- Attributes ---------------------------------------------------------------------------------

Status expect_enumerator(const OpFacts& op, std::string_view name) {
  const Attribute* attribute = op.attributes.find(name);
  if (!attribute) return {};
  const EnumDefinition& wanted = *definition_of(op.kind).find_attribute(name)->words;
  const std::string form =
      "attribute '" + std::string(name) + "' must be one of " + std::string(wanted.words);
  const auto* value = attribute->as<EnumAttr>();
  if (!value || value->kind != wanted.kind) return fail(form + ", of " + std::string(wanted.kind));
  if (enum_number(wanted, value->value) < 0) return fail(form + ", got " + value->value);
  return {};
}

Status expect_one_per_dim(const OpFacts& op, std::string_view what, std::span<const int64_t> list) {
  const std::size_t rank = op.operand_type(0).dims().size();
  if (list.size() == rank) return {};
  return fail(std::string(what) + " must have one element for each of the " + counted(rank, "dim") +
              " of operand 0, got " + list_text(list));
}

Status expect_dim(std::string_view what, int64_t dim, std::size_t rank) {
  if (dim >= 0 && dim < static_cast<int64_t>(rank)) return {};
  return fail(std::string(what) + " must be in range [0, " + std::to_string(rank) + "), got " +
              std::to_string(dim));
}

Status expect_unique_dims(std::string_view what, std::span<const int64_t> dims, std::size_t rank) {
  DimSet seen(rank);
  for (const int64_t dim : dims) {
    SHARDY_TRY_STATUS(expect_dim(what, dim, rank));
    if (seen.add(dim)) continue;
    return fail(std::string(what) + " must not name a dim twice, got " + list_text(dims));
  }
  return {};
}

// ---- Regions ------------------------------------------------------------------------------------

BlockId region_block(const OpFacts& op, std::size_t index) {
  return op.module.blocks(op.regions[index]).front();
}

Types returned_types(const OpFacts& op, std::size_t index) {
  Types types;
  const OpId terminator = op.module.last_op(region_block(op, index));
  for (const ValueId value : op.module.operands(terminator)) {
    types.push_back(op.module.type(value));
  }
  return types;
}

Types region_arg_types(const OpFacts& op, std::size_t index) {
  Types types;
  for (const ValueId arg : op.module.args(region_block(op, index))) {
    types.push_back(op.module.type(arg));
  }
  return types;
}

OpKind reducer_of(ReductionOp reduction) {
  constexpr std::array kOfReductions = {OpKind::Add, OpKind::Maximum, OpKind::Minimum};
  return kOfReductions[static_cast<std::size_t>(reduction)];
}

std::optional<ReductionOp> reduction_of(OpKind reducer) {
  for (const ReductionOp each : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
    if (reducer_of(each) == reducer) return each;
  }
  return std::nullopt;
}

bool completes_reduction(OpKind kind) {
  return kind == OpKind::SdyAllReduce || kind == OpKind::SdyReduceScatter;
}

bool allows_missing_input_sharding(OpKind kind) {
  return kind == OpKind::SdyAllSlice || completes_reduction(kind);
}

ReductionOp collective_reduction(const Module& module, OpId collective) {
  const auto* word = module.attribute<EnumAttr>(collective, attr::kReductionOp);
  for (const ReductionOp each : {ReductionOp::Max, ReductionOp::Min}) {
    if (word != nullptr && word->value == to_string(each)) return each;
  }
  return ReductionOp::Sum;
}

AxisList combined_axes(const Module& module, OpId collective) {
  SHARDY_EXPECTS(completes_reduction(module.kind(collective)));
  if (module.is(collective, OpKind::SdyAllReduce)) {
    return module.attribute<AxesAttr>(collective, attr::kReductionAxes)->axes;
  }
  return flatten(module.attribute<AxesListsAttr>(collective, attr::kReduceScatterAxes)->lists);
}

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
