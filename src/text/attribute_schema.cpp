#include "text/attribute_schema.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "shardy/algebra/spelled.hpp"
#include "shardy/support/result.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

using ir::ElementType;

namespace {

using enum AttributeForm;

// Where the table of forms does not say it all: attributes of any op, of arguments and results, and
// literals that have the type of the op's result.
constexpr AttributeSlot kSlots[] = {
    {"stablehlo.constant", "value", Literal}, {"chlo.constant", "value", Literal},
    {"sdy.constant", "value", Literal},       {"func.arg", "sdy.sharding", Sharding},
    {"func.arg", "spmd.global_type", Type},   {"", "sdy.sharding", ShardingList},
    {"", "sdy.sharding_rule", Rule},
};

struct PlainForm {
  AttributeKind kind;
  AttributeForm form;
};

// Kinds that plain JSON can stand for, besides numbers and lists of them. Not dictionaries, which
// look like tagged attributes, nor literals whose type nothing else tells.
constexpr PlainForm kPlainForms[] = {
    {AttributeKind::Bool, Boolean},
    {AttributeKind::Unit, Unit},
    {AttributeKind::String, String},
    {AttributeKind::StringSymbol, String},
    {AttributeKind::Symbol, Symbol},
    {AttributeKind::Enum, Enum},
    {AttributeKind::I32Enum, Enum},
    {AttributeKind::EnumList, EnumList},
    {AttributeKind::Array, List},
    {AttributeKind::Pairs, Rows},
    {AttributeKind::Groups, Rows},
    {AttributeKind::DotDims, Dot},
    {AttributeKind::RaggedDotDims, RaggedDot},
    {AttributeKind::GatherDims, Gather},
    {AttributeKind::ScatterDims, Scatter},
    {AttributeKind::ConvolutionDims, Convolution},
    {AttributeKind::Mesh, Mesh},
    {AttributeKind::Sharding, Sharding},
    {AttributeKind::ShardingList, ShardingList},
    {AttributeKind::Axes, Axes},
    {AttributeKind::AxesLists, AxesLists},
    {AttributeKind::AllToAll, AllToAll},
    {AttributeKind::ManualAxes, ManualAxes},
    {AttributeKind::Permute, Permute},
};

/// Any: plain JSON does not say enough.
AttributeForm plain_form(const ir::KindDefinition& kind) {
  switch (kind.base) {
    case ir::AttributeBase::Integer:
      return Integer;
    case ir::AttributeBase::Float:
      return Float;
    case ir::AttributeBase::Array:
      return DenseArray;
    case ir::AttributeBase::Other:
      break;
  }
  const auto* const row = std::ranges::find(kPlainForms, kind.kind, &PlainForm::kind);
  return row == std::end(kPlainForms) ? Any : row->form;
}

constexpr AttributeSlot kAny = {"", "", Any};

// sdy values bear the names of algebra 10.3.
constexpr AttributeTag kTags[] = {
    {Unit, "unit"},
    {Boolean, "boolean"},
    {Integer, "integer", "type"},
    {Float, "float", "type"},
    {String, "string"},
    {Symbol, "symbol"},
    {Type, "type"},
    {Enum, "enum", "kind"},
    {DenseArray, "array", "type"},
    {List, "list"},
    {Dictionary, "dict"},
    {Literal, "dense", "type"},
    {Opaque, "opaque"},
    {Dot, "dot"},
    {RaggedDot, "ragged_dot"},
    {Gather, "gather"},
    {Scatter, "scatter"},
    {Convolution, "convolution"},
    {Mesh, "mesh"},
    {Sharding, "sharding"},
    {ShardingList, "sharding_per_value"},
    {Axes, "axis_ref_list"},
    {AxesLists, "list_of_axis_ref_lists"},
    {AllToAll, "all_to_all_param_list"},
    {ManualAxes, "manual_axes"},
    {Rule, "op_sharding_rule"},
    {Permute, "permute_map"},
};

/// Ops whose attributes the definitions do not list.
bool has_open_names(ir::OpKind kind) {
  return kind == ir::OpKind::Func || kind == ir::OpKind::BuiltinModule ||
         kind == ir::OpKind::ChloScan;
}

/// The slot of a name that the op does not list: foreign, as a misspelled key is, unless the name
/// has a dialect or is one of ours.
AttributeSlot unlisted(ir::OpKind kind, std::string_view name) {
  const bool is_ours =
      name.starts_with('$') || name.ends_with("egmentSizes") || name.ends_with("_segment_sizes");
  const bool has_dialect = name.find('.', 1) != std::string_view::npos && !name.starts_with('.');
  AttributeSlot slot = kAny;
  slot.is_foreign = !is_ours && !has_dialect && !has_open_names(kind);
  return slot;
}

}  // namespace

std::span<const AttributeTag> attribute_tags() { return kTags; }

const AttributeTag& tag_of(AttributeForm form) {
  const AttributeTag* const found = std::ranges::find(kTags, form, &AttributeTag::form);
  SHARDY_ASSERT(found != std::end(kTags));
  return *found;
}

AttributeSlot attribute_slot(std::string_view op, std::string_view name) {
  for (const AttributeSlot& slot : kSlots) {
    if (slot.name == name && (slot.op.empty() || slot.op == op)) return slot;
  }
  const ir::OpKind kind = ir::find_op(op);
  if (kind == ir::OpKind::Unknown) return kAny;
  const AttributeDefinition* const row = ir::definition_of(kind).find_attribute(name);
  if (row == nullptr) return unlisted(kind, name);
  const ir::KindDefinition& held = ir::definition_of(row->kind);
  const AttributeForm form = plain_form(held);
  if (form == Any) return kAny;
  AttributeSlot slot{info(kind).name, row->name, form, held.element};
  if (row->kind == AttributeKind::Pairs) slot.columns = 2;
  if (row->words != nullptr) {
    slot.kind = row->words->kind;
    slot.words = row->words->words;
  }
  return slot;
}

namespace {

struct Speller {
  template <class T>
  ir::Attribute operator()(const T& other) const {
    return other;
  }
  ir::Attribute operator()(const TensorSharding& sharding) const { return spell(sharding); }
  ir::Attribute operator()(const ir::ShardingList& list) const {
    ir::UnresolvedShardingList result;
    for (const TensorSharding& sharding : list.shardings) {
      result.shardings.push_back(spell(sharding));
    }
    return result;
  }
  ir::Attribute operator()(const ir::AxesAttr& attr) const {
    return ir::UnresolvedAxesAttr{spell(attr.mesh, attr.axes)};
  }
  ir::Attribute operator()(const ir::AxesListsAttr& attr) const {
    ir::UnresolvedAxesListsAttr result;
    for (const AxisList& axes : attr.lists) result.lists.push_back(spell(attr.mesh, axes));
    return result;
  }
  ir::Attribute operator()(const ir::AllToAllAttr& attr) const {
    ir::UnresolvedAllToAllAttr result;
    for (const ir::AllToAllParam& param : attr.params) {
      result.params.push_back({spell(attr.mesh, param.axes), param.source_dim, param.target_dim});
    }
    return result;
  }
  ir::Attribute operator()(const ir::ArrayAttr& list) const {
    ir::ArrayAttr result;
    for (const ir::Attribute& element : list.elements)
      result.elements.push_back(unresolved(element));
    return result;
  }
  ir::Attribute operator()(const ir::AttributeMap& map) const {
    ir::AttributeMap result;
    for (const ir::NamedAttribute& entry : map) result.set(entry.name, unresolved(entry.value));
    return result;
  }
};

}  // namespace

ir::Attribute unresolved(const ir::Attribute& attribute) { return attribute.visit(Speller{}); }

}  // namespace shardy::text
