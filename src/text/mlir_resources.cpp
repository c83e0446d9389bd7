// Values that a file keeps in its resource section, `{-# dialect_resources: ... #-}`.
// Spec: stablehlo 1, 5.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

namespace {

/// Hex text of each key, with `0x`.
using Resources = std::map<std::string, std::string, std::less<>>;

/// `name` or `"name"`.
std::optional<std::string> resource_key(MlirCursor& cursor) {
  if (cursor.peek() == '"') return cursor.string();
  const std::string_view name = cursor.ident();
  return name.empty() ? std::nullopt : std::optional(std::string(name));
}

/// Reads `{a: .., b: ..}`: `read_value(key)` reads each value after its colon.
template <class ReadValue>
bool read_group(MlirCursor& cursor, ReadValue&& read_value) {
  if (!cursor.expect('{')) return false;
  if (cursor.eat('}')) return true;
  do {
    const std::optional<std::string> key = resource_key(cursor);
    if (!key || !cursor.expect(':') || !read_value(*key)) return false;
  } while (cursor.eat(','));
  return cursor.expect('}');
}

/// `{-# SECTION: { DIALECT: { key: "0x.." } } #-}`; what is not written so holds nothing.
Resources read_resources(std::string_view text) {
  Resources resources;
  MlirCursor cursor(text);
  const auto read_blob = [&](const std::string& key) {
    std::optional<std::string> blob = cursor.string();
    if (!blob) return false;
    resources.insert_or_assign(key, *std::move(blob));
    return true;
  };
  const auto read_dialect = [&](const std::string&) { return read_group(cursor, read_blob); };
  if (!cursor.eat("{-#")) return resources;
  do {
    const std::optional<std::string> section = resource_key(cursor);
    if (!section || !cursor.expect(':') || !read_group(cursor, read_dialect)) break;
  } while (cursor.eat(','));
  return resources;
}

/// Returns the value of `dense_resource<key> : T`; std::nullopt if the file does not hold it.
Result<std::optional<ir::Literal>> resource_value(const Resources& resources,
                                                  std::string_view spelled) {
  MlirCursor cursor(spelled);
  if (!cursor.eat_word("dense_resource") || !cursor.eat('<')) return std::nullopt;
  const std::optional<std::string> key = resource_key(cursor);
  const auto found = key ? resources.find(*key) : resources.end();
  if (found == resources.end() || !cursor.eat('>')) return std::nullopt;
  // Four bytes of alignment precede the elements.
  constexpr std::size_t kHeader = std::string_view("0x04000000").size();
  const std::string& blob = found->second;
  if (!blob.starts_with("0x") || blob.size() < kHeader) {
    return fail("the resource '" + *key + "' is no hex string with an alignment");
  }
  const std::string dense =
      "dense<\"0x" + blob.substr(kHeader) + "\">" + std::string(spelled.substr(cursor.position()));
  MlirCursor value_cursor(dense);
  const std::optional<ir::Attribute> value = MlirAttributeReader(value_cursor).attribute();
  if (!value) return fail(value_cursor.failure().message);
  const auto* literal = value->as<ir::Literal>();
  return literal ? std::optional(*literal) : std::nullopt;
}

}  // namespace

Status load_resources(ir::Module& module) {
  const auto* text = module.module_attributes().get<ir::OpaqueAttr>(kResourcesAttr);
  if (!text) return {};
  const Resources resources = read_resources(text->text);
  for (const ir::OpId op : ir::pre_order(module)) {
    const auto* spelled = module.attribute<ir::OpaqueAttr>(op, ir::attr::kValue);
    if (!spelled) continue;
    Result<std::optional<ir::Literal>> value = resource_value(resources, spelled->text);
    if (!value) {
      Error error = std::move(value).error();
      error.location = module.location_text(op);
      return tl::unexpected(std::move(error));
    }
    if (*value) module.attributes(op).set(ir::attr::kValue, **std::move(value));
  }
  return {};
}

}  // namespace shardy::text
