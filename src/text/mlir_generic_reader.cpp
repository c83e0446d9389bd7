// Ops of MLIR text in the generic form. Spec: stablehlo 6, 11.
#include <algorithm>
#include <utility>

#include "shardy/support/quote.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::OpKind;

/// Returns true if the dialect of the op is neither one of ours nor one of the tools around Shardy.
bool MlirReader::is_of_foreign_dialect(const OpDraft& draft) {
  static constexpr std::string_view kDialects[] = {
      "arith", "builtin", "check", "chlo", "func",      "interpreter", "mpmd",
      "quant", "sdy",     "shape", "spmd", "stablehlo", "tensor",      "vhlo"};
  if (draft.kind != OpKind::Unknown) return false;
  const std::string_view dialect = draft.name.substr(0, draft.name.find('.'));
  return std::ranges::find(kDialects, dialect) == std::end(kDialects);
}

/// The quoted name of the op.
bool MlirReader::read_generic_name(OpDraft& draft) {
  const std::size_t close = cursor_.text().find_first_of("\"\\\n", draft.name_begin + 1);
  if (close != std::string_view::npos && cursor_.text()[close] == '"') {
    draft.name = cursor_.text().substr(draft.name_begin + 1, close - draft.name_begin - 1);
    cursor_.seek(close + 1);
  } else {
    std::optional<std::string> name = cursor_.string();
    if (!name) return false;
    draft.name = odd_names_.emplace_back(*std::move(name));
  }
  if (draft.name.empty()) return cursor_.fail(draft.name_begin, "empty operation name is invalid");
  return true;
}

/// `[^bb0, ^bb1]`.
bool MlirReader::read_successors(OpDraft& draft) {
  cursor_.eat('[');
  do {
    if (!cursor_.expect('^')) return false;
    draft.successors.push_back(cursor_.suffix());
  } while (cursor_.eat(','));
  return cursor_.expect(']');
}

/// `<{..}>`.
bool MlirReader::read_properties(OpDraft& draft) {
  const std::size_t position = cursor_.position();
  cursor_.eat('<');
  std::optional<ir::AttributeMap> properties = read_.dictionary();
  if (!properties || !cursor_.expect('>')) return false;
  if (draft.kind == OpKind::Unknown) return set(draft, kPropertiesAttr, *std::move(properties));
  return settle_inherent(draft, *std::move(properties), true, position);
}

bool MlirReader::read_generic(OpDraft& draft) {
  if (!read_generic_name(draft)) return false;
  draft.kind = find_op(draft.name);
  if (!options_.allow_unregistered && is_of_foreign_dialect(draft)) {
    return cursor_.fail(
        "operation being parsed with an unregistered dialect. If this is intended, please use "
        "-allow-unregistered-dialect with the MLIR tool used");
  }
  if (!cursor_.expect('(') || !read_operand_list(draft, ')')) return false;
  if (cursor_.peek() == '[' && !read_successors(draft)) return false;
  if (cursor_.starts_with("<{") && !read_properties(draft)) return false;
  if (!cursor_.eat('(')) return finish_generic(draft);
  if (!cursor_.expect('{')) return false;
  return open_region(draft, Step::Generic, {});
}

/// Behind the regions.
bool MlirReader::finish_generic(OpDraft& draft) {
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  if (!cursor_.expect(':') || !read_function_type(draft)) return false;
  return finish(draft);
}

bool MlirReader::read_function_type(OpDraft& draft) {
  return read_.function_type(draft.operand_types, draft.result_types);
}

namespace {

/// Returns notes with the closest attribute name and with all names of the op.
std::vector<std::string> notes_on_attribute(const ir::OpDefinition& definition,
                                            std::string_view name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const AttributeDefinition& row : definition.attributes) {
    known.push_back(row.name);
    list += (list.empty() ? "" : ", ") + std::string(row.name);
  }
  if (list.empty()) return {"it has none"};
  std::vector<std::string> notes;
  if (const auto meant = closest(name, known)) notes.push_back("did you mean " + *meant + "?");
  notes.push_back("it has: " + list);
  return notes;
}

}  // namespace

/// Puts attributes where they belong: inherent ones in the form that the op wants.
bool MlirReader::settle_inherent(OpDraft& draft, ir::AttributeMap attributes, bool from_properties,
                                 std::size_t position) {
  const ir::OpDefinition* definition = nullptr;
  if (draft.kind != OpKind::Unknown) definition = &ir::definition_of(draft.kind);
  const bool is_function = draft.kind == OpKind::Func || draft.kind == OpKind::BuiltinModule;
  std::vector<ir::NamedAttribute> entries = std::move(attributes).take();
  for (ir::NamedAttribute& entry : entries) {
    const AttributeDefinition* row = definition ? definition->find_attribute(entry.name) : nullptr;
    const bool is_segments =
        entry.name.ends_with("egmentSizes") || entry.name.ends_with("_segment_sizes");
    if (definition && from_properties && !row && !is_function && !is_segments &&
        draft.kind != OpKind::ChloScan) {
      return cursor_.fail(position, op_text(draft.name) + "has no attribute '" + entry.name + "'",
                          notes_on_attribute(*definition, entry.name));
    }
    if (draft.attributes.contains(entry.name)) {
      return cursor_.fail(position,
                          "found conflicting definitions of attribute '" + entry.name + "'");
    }
    if (!row) continue;
    std::optional<Attribute> wanted = read_.as_wanted(entry.value, *row, position);
    if (!wanted) return false;
    entry.value = *std::move(wanted);
  }
  for (const ir::NamedAttribute& entry : draft.attributes) entries.push_back(entry);  // few
  std::ranges::sort(entries, {}, &ir::NamedAttribute::name);
  draft.attributes = ir::AttributeMap::from_sorted(std::move(entries));
  return true;
}

/// `{a = 1, b}`, of inherent and other attributes.
bool MlirReader::read_dictionary(OpDraft& draft) {
  const std::size_t position = cursor_.position();
  std::optional<ir::AttributeMap> attributes = read_.dictionary();
  if (!attributes) return false;
  const auto* properties = attributes->get<ir::AttributeMap>(kLegacyPropertiesAttr);
  if (properties && draft.kind == OpKind::Unknown) {
    if (draft.attributes.contains(kPropertiesAttr)) {
      return cursor_.fail(position, "found two sets of properties");
    }
    set(draft, kPropertiesAttr, *properties);
    attributes->erase(kLegacyPropertiesAttr);
  }
  return settle_inherent(draft, *std::move(attributes), false, position);
}

}  // namespace shardy::text
