#include "text/op_draft.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

namespace {

/// Returns a name, or a use of a name, without `%`; std::nullopt if the node is not a name.
std::optional<std::string> name_text(JsonNode node) {
  if (const auto number = node.integer(); number && *number >= 0) return std::to_string(*number);
  if (!node.is_string()) return std::nullopt;
  std::string_view text = node.string();
  if (text.starts_with('%')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace

Result<std::string> read_value_name(JsonNode node) {
  std::optional<std::string> name = name_text(node);
  if (!name) {
    return fail_at(node,
                   "a name is a string such as \"x\" or a number, found " + node.description());
  }
  if (name->find('#') != std::string::npos) {
    return fail_at(node, "a name must not contain '#', found " + node.description(),
                   "the results of an op named \"x\" are \"x#0\", \"x#1\", ...");
  }
  return *std::move(name);
}

Result<ValueUse> read_value_use(JsonNode node) {
  std::optional<std::string> name = name_text(node);
  if (!name) {
    return fail_at(node, "an operand is the name of a value, found " + node.description());
  }
  const std::size_t mark = name->find('#');
  if (mark == std::string::npos) return ValueUse{*std::move(name), 0};
  ValueUse use{name->substr(0, mark), 0};
  const char* const end = name->data() + name->size();
  const auto [rest, failure] = std::from_chars(name->data() + mark + 1, end, use.index);
  if (failure == std::errc() && rest == end) return use;
  return fail_at(node, "expected a number after '#', found " + node.description());
}

Status ValueNames::define(const std::string& name, NamedValues values) {
  if (!names_.define(name, values)) {
    return fail_at(values.node, "duplicate value name " + quoted_json("%" + name),
                   "the name belongs to " + find(name)->node.pointer() + " already");
  }
  if (values.is_broken()) return {};
  module_.set_value_name(values.first, name, values.count);
  if (written_ != nullptr) written_->add(name, {values.first, values.count});
  return {};
}

namespace {

constexpr std::string_view kDefaultDialect = "stablehlo.";

/// Returns all op names; names of StableHLO ops also without their dialect.
std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const std::string_view name = ir::kOps[index].name;
    names.push_back(name);
    if (name.starts_with(kDefaultDialect)) {
      names.push_back(name.substr(kDefaultDialect.size()));
    }
  }
  return names;
}

// ---- Results ---------------------------------------------------------------------------------

Result<ResultDraft> read_result(JsonNode node) {
  ResultDraft result{node};
  if (node.is_string()) {
    SHARDY_TRY(result.type, read_type(node));
    return result;
  }
  SHARDY_TRY_STATUS(expect_object(node, "a result", {"name", "type", "sharding"}));
  if (const auto name = node.find("name")) {
    SHARDY_TRY(result.name, read_value_name(*name));
  }
  if (const auto type = node.find("type")) {
    SHARDY_TRY(result.type, read_type(*type));
  }
  result.sharding = node.find("sharding");
  return result;
}

Status read_results(OpDraft& draft) {
  const auto list = draft.node.find("results");
  const auto type = draft.node.find("type");
  if (list && type) {
    return fail_at(*type, R"("type" and "results" exclude each other)",
                   R"("type" is for the only result, "results" for any number)");
  }
  if (list) {
    SHARDY_TRY(draft.results, read_list_of<ResultDraft>(*list, "\"results\"", read_result));
  } else if (type) {
    ResultDraft result{*type};
    SHARDY_TRY(result.type, read_type(*type));
    draft.results = {std::move(result)};
  } else if (draft.spec.kind == ir::OpKind::Unknown) {
    return fail_at(
        draft.node,
        "the result types of the unknown op " + quoted_json(draft.op_name) + " cannot be inferred",
        R"(give a "type", or "results": [] if it has none)");
  }
  return {};
}

/// Returns the type of the only result. Literals that are written without a type have this type.
std::optional<ir::Type> only_result_type(const OpDraft& draft) {
  if (!draft.results || draft.results->size() != 1) return std::nullopt;
  return draft.results->front().type;
}

bool all_types_given(const OpDraft& draft) {
  return draft.results && std::ranges::all_of(*draft.results, [](const ResultDraft& result) {
           return result.type.has_value();
         });
}

/// Resolves the axes in the attributes, because type inference of spmd ops needs the sizes of
/// groups.
Result<ir::OpSpec> with_resolved_axes(const OpDraft& draft, const NamedMeshes& meshes) {
  ir::OpSpec spec = draft.spec;
  const auto* symbol = spec.attributes.get<ir::SymbolAttr>(ir::attr::kMesh);
  const auto* axes = spec.attributes.get<ir::UnresolvedAxesAttr>(ir::attr::kAxes);
  if (!symbol || !axes) return spec;
  const auto found = std::ranges::find(meshes, symbol->name, &NamedMeshes::value_type::first);
  if (found == meshes.end()) return spec;
  Result<AxisList> resolved = resolve_axis_list(axes->axes, found->second);
  if (!resolved) {
    const JsonNode attributes = draft.node.find("attributes").value_or(draft.node);
    return fail_at(attributes.find(ir::attr::kAxes).value_or(draft.node),
                   std::move(resolved).error(), "the axes are those of the mesh @" + symbol->name);
  }
  spec.attributes.set(ir::attr::kAxes, ir::AxesAttr{found->second, *std::move(resolved)});
  return spec;
}

Result<std::vector<ir::Type>> inferred_types(const OpDraft& draft, const ir::Module& module,
                                             const NamedMeshes& meshes) {
  if (draft.spec.kind == ir::OpKind::SdyManualComputation) {
    // The global types depend on shardings, which are resolved after the whole program is read.
    return fail_at(draft.node, "the result types of a manual computation cannot be inferred",
                   R"(give its global types: a "type", or "results": [])");
  }
  SHARDY_TRY(const ir::OpSpec spec, with_resolved_axes(draft, meshes));
  Result<std::vector<ir::Type>> types = ir::infer_result_types(module, spec);
  if (!types) {
    return fail_at(draft.node, std::move(types).error(),
                   R"(the op gives no "type", so it has to follow from the operands)");
  }
  if (draft.results && draft.results->size() != types->size()) {
    return fail_at(draft.node, "the op has " + std::to_string(types->size()) +
                                   " results, \"results\" lists " +
                                   std::to_string(draft.results->size()));
  }
  return types;
}

// ---- Shardings -------------------------------------------------------------------------------

/// Returns the sharding node of each result. Error: a single "sharding" on an op with no or several
/// results.
Result<std::vector<std::optional<JsonNode>>> sharding_nodes(const OpDraft& draft) {
  std::vector<std::optional<JsonNode>> nodes(draft.spec.result_types.size());
  if (draft.results) {
    for (std::size_t index = 0; index < nodes.size(); ++index) {
      nodes[index] = (*draft.results)[index].sharding;
    }
  }
  if (!draft.sharding) return nodes;
  if (nodes.size() != 1) {
    return fail_at(
        *draft.sharding,
        "\"sharding\" is for an op of one result, this one has " + std::to_string(nodes.size()),
        nodes.empty() ? R"(write "attributes": {"sdy.sharding": [..]})"
                      : R"(give each of the "results" its "sharding")");
  }
  if (nodes[0]) return fail_at(*draft.sharding, "the result has two shardings");
  nodes[0] = draft.sharding;
  return nodes;
}

UnresolvedSharding open_like(const UnresolvedSharding& sharding, std::size_t rank) {
  return {sharding.mesh, std::vector<UnresolvedDim>(rank)};
}

/// Reads one sharding per result. Missing shardings are open on the mesh of the first existing one.
/// Spec: algebra 6.1.
Result<ir::UnresolvedShardingList> read_result_shardings(
    const std::vector<std::optional<JsonNode>>& nodes, const std::vector<ir::Type>& types,
    const NamedMeshes& meshes) {
  std::vector<std::optional<UnresolvedSharding>> given(nodes.size());
  const UnresolvedSharding* first = nullptr;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (!nodes[index]) continue;
    SHARDY_TRY(given[index], read_sharding(*nodes[index], meshes, ir::sharding_rank(types[index])));
    if (!first) first = &*given[index];
  }
  ir::UnresolvedShardingList list;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    list.shardings.push_back(given[index] ? *given[index]
                                          : open_like(*first, ir::sharding_rank(types[index])));
  }
  return list;
}

}  // namespace

Result<ir::OpKind> read_op_kind(JsonNode node, std::string& full_name) {
  SHARDY_TRY(full_name, read_string(node, "\"op\""));
  if (full_name.starts_with('.')) {  // the text after the point is the name
    full_name.erase(0, 1);
    return ir::OpKind::Unknown;
  }
  if (full_name.find('.') == std::string::npos) {
    const std::string short_name = std::exchange(full_name, {});
    full_name = std::string(kDefaultDialect) + short_name;
    if (ir::find_op(full_name) == ir::OpKind::Unknown) {
      return fail_at(node, "unknown op " + quoted_json(short_name),
                     suggestion(short_name, op_names()));
    }
  }
  return ir::find_op(full_name);
}

std::string op_name_text(ir::OpKind kind, std::string_view name) {
  const bool literal = kind == ir::OpKind::Unknown &&
                       (name.find('.') == std::string_view::npos || name.starts_with('.') ||
                        ir::find_op(name) != ir::OpKind::Unknown);
  if (literal) return "." + std::string(name);
  if (kind != ir::OpKind::Unknown && name.starts_with(kDefaultDialect)) {
    name.remove_prefix(kDefaultDialect.size());
  }
  return std::string(name);
}

Result<OpDraft> read_op_draft(JsonNode node, const NamedMeshes& meshes) {
  SHARDY_TRY_STATUS(expect_object(node, "an op",
                                  {"op", "name", "operands", "type", "results", "sharding",
                                   "attributes", "regions", "reducer", "location", "comment"}));
  OpDraft draft{.node = node};
  SHARDY_TRY(const JsonNode op, required(node, "op"));
  SHARDY_TRY(draft.spec.kind, read_op_kind(op, draft.op_name));
  if (draft.spec.kind == ir::OpKind::Func) {
    return fail_at(op, "a function is not an op here", R"(write {"function": {"name": ..}})");
  }
  if (draft.spec.kind == ir::OpKind::Unknown) draft.spec.name = draft.op_name;
  if (const auto name = node.find("name")) {
    SHARDY_TRY(draft.name, read_value_name(*name));
  }
  SHARDY_TRY_STATUS(read_results(draft));
  if (const auto attributes = node.find("attributes")) {
    SHARDY_TRY(draft.spec.attributes,
               read_attributes(*attributes, draft.op_name,
                               {.meshes = &meshes, .result_type = only_result_type(draft)}));
  }
  if (const auto location = node.find("location")) {
    SHARDY_TRY(draft.location, read_string(*location, "\"location\""));
  }
  draft.sharding = node.find("sharding");
  return draft;
}

Status resolve_types(OpDraft& draft, const ir::Module& module, const NamedMeshes& meshes) {
  if (draft.results) {
    for (const ResultDraft& result : *draft.results) {
      if (result.type) draft.spec.result_types.push_back(*result.type);
    }
  }
  if (all_types_given(draft)) return {};
  SHARDY_TRY(draft.spec.result_types, inferred_types(draft, module, meshes));
  for (std::size_t index = 0; draft.results && index < draft.results->size(); ++index) {
    const ResultDraft& result = (*draft.results)[index];
    if (result.type) draft.spec.result_types[index] = *result.type;
  }
  return {};
}

Status set_result_shardings(OpDraft& draft, const NamedMeshes& meshes) {
  SHARDY_TRY(const auto nodes, sharding_nodes(draft));
  const auto any = std::ranges::find_if(nodes, [](const auto& node) { return node.has_value(); });
  if (any == nodes.end()) return {};
  const std::string_view own = own_sharding_attribute(draft.op_name);
  const std::string_view name = own.empty() ? ir::kShardingAttr : own;
  if (draft.spec.attributes.contains(name)) {
    return fail_at(**any,
                   "the sharding is given twice, also as the attribute " + quoted_json(name));
  }
  const std::vector<ir::Type>& types = draft.spec.result_types;
  SHARDY_TRY(ir::UnresolvedShardingList list, read_result_shardings(nodes, types, meshes));
  if (own.empty()) {
    draft.spec.attributes.set(name, std::move(list));
  } else {
    draft.spec.attributes.set(name, std::move(list.shardings.front()));
  }
  return {};
}

Status convert_attributes(OpDraft& draft) {
  if (draft.spec.kind == ir::OpKind::Unknown) return {};
  ir::AttributeMap& attributes = draft.spec.attributes;
  const JsonNode given = draft.node.find("attributes").value_or(draft.node);
  const std::string op = "'" + draft.op_name + "' op ";
  for (const AttributeDefinition& row : ir::definition_of(draft.spec.kind).attributes) {
    const ir::Attribute* const value = attributes.find(row.name);
    if (value == nullptr) {
      if (row.required)
        return fail_at(draft.node, op + "requires attribute '" + std::string(row.name) + "'");
      if (row.always) attributes.set(row.name, std::string());
      continue;
    }
    std::optional<ir::Attribute> wanted = wanted_attribute(*value, row);
    if (!wanted) return fail_at(given.find(row.name).value_or(draft.node), op + wanted_text(row));
    attributes.set(row.name, *std::move(wanted));
  }
  return {};
}

std::string_view own_sharding_attribute(std::string_view op_name) {
  for (const std::string_view name : {ir::attr::kSharding, ir::attr::kOutSharding}) {
    if (attribute_slot(op_name, name).kind == ir::AttributeKind::Sharding) return name;
  }
  return {};
}

std::optional<ir::OpKind> implied_terminator(std::string_view op_name) {
  const ir::OpKind kind = ir::find_op(op_name);
  if (kind == ir::OpKind::Unknown) return std::nullopt;
  const ir::OpKind terminator = ir::definition_of(kind).terminator;
  return terminator == ir::OpKind::Unknown ? std::nullopt : std::optional(terminator);
}

}  // namespace shardy::text
