#include "passes/interop/frontend_text.hpp"

#include "shardy/algebra/text.hpp"
#include "shardy/support/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

std::string unescaped_once(std::string_view text) {
  constexpr std::string_view kNames = "\"'\\nt";
  constexpr std::string_view kValues = "\"'\\\n\t";
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool may_escape = text[at] == '\\' && at + 1 < text.size();
    const std::size_t name = may_escape ? kNames.find(text[at + 1]) : std::string_view::npos;
    plain += name == std::string_view::npos ? text[at] : kValues[name];
    if (name != std::string_view::npos) ++at;
  }
  return plain;
}

tl::unexpected<Error> bad_entry(const ir::Module& module, const AttributePlace& place,
                                std::string_view key, const Error& why, std::string_view text) {
  const std::string at = why.location.empty() ? "" : " at " + why.location;
  return fail_at_place(module, place,
                       std::string(key) + " of " + place_text(module, place) + ": " + why.message +
                           at + " in \"" + std::string(text) + "\"");
}

Result<std::string> frontend_text(const ir::Module& module, const AttributePlace& place,
                                  std::string_view key) {
  const ir::Attribute* entry = frontend_entry(attributes_at(module, place), key);
  const auto* text = entry != nullptr ? entry->as<std::string>() : nullptr;
  if (text != nullptr) return unescaped_once(*text);
  return fail_at_place(module, place,
                       std::string(key) + " of " + place_text(module, place) + " is not a string");
}

Result<SdyAttribute> parse_frontend(const ir::Module& module, const AttributePlace& place,
                                    std::string_view key, const std::string& text) {
  Result<SdyAttribute> attribute = parse_attribute(text);
  if (attribute) return attribute;
  return bad_entry(module, place, key, attribute.error(), text);
}

Result<int64_t> parse_typed_integer(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(const int64_t value, scanner.int64());
  if (scanner.eat(':')) {
    SHARDY_TRY(const std::string_view type, scanner.ident());
    if (type != "i64" && type != "i32") return fail("expected i64 or i32");
  }
  SHARDY_TRY_STATUS(scanner.expect_end());
  return value;
}

// ---- Meshes -------------------------------------------------------------------------------------

namespace {

/// Adds the brackets that the old form `#sdy.mesh<"x"=2>` lacks.
std::string with_brackets(const std::string& text) {
  constexpr std::string_view kBegin = "#sdy.mesh<";
  const std::size_t begin = kBegin.size();
  if (!text.starts_with(kBegin) || text.size() <= begin + 1 || text[begin] == '[') return text;
  if (text[begin] != '"') return text;
  const std::size_t ids = text.find(", device_ids", begin);
  const std::size_t end = ids != std::string::npos ? ids : text.rfind('>');
  if (end == std::string::npos || end < begin) return text;
  return std::string(kBegin) + "[" + text.substr(begin, end - begin) + "]" + text.substr(end);
}

Result<Mesh> mesh_of_text(const std::string& text) {
  SHARDY_TRY(const SdyAttribute attribute, parse_attribute(with_brackets(text)));
  if (const auto* mesh = std::get_if<Mesh>(&attribute)) return *mesh;
  return fail("expected a mesh, found " + text);
}

Result<Mesh> read_mesh_entry(Scanner& scanner) {
  if (scanner.at_string()) {
    SHARDY_TRY(const std::string text, scanner.string());
    return mesh_of_text(text);
  }
  const std::size_t start = scanner.position();
  const std::size_t end = scanner.text().find('>', start);
  const std::string_view first = scanner.text().substr(start, end - start + 1);
  if (first.starts_with("#sdy.mesh<\"") && end != std::string_view::npos) {
    scanner.seek(end + 1);
    return mesh_of_text(std::string(first));
  }
  SHARDY_TRY(const SdyAttribute attribute, read_attribute(scanner));
  if (const auto* mesh = std::get_if<Mesh>(&attribute)) return *mesh;
  return scanner.error_at(start, "expected a mesh");
}

}  // namespace

Result<std::vector<std::pair<std::string, Mesh>>> parse_mesh_dictionary(std::string_view text) {
  std::vector<std::pair<std::string, Mesh>> meshes;
  Scanner scanner(text);
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    std::string name;
    if (scanner.at_string()) {
      SHARDY_TRY(name, scanner.string());
    } else {
      SHARDY_TRY(const std::string_view ident, scanner.ident());
      name = std::string(ident);
    }
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(Mesh mesh, read_mesh_entry(scanner));
    meshes.emplace_back(std::move(name), std::move(mesh));
    return {};
  }));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return meshes;
}

}  // namespace shardy::passes
