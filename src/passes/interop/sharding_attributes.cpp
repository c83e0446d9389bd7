// Finds the places of foreign shardings in a module, and parses their texts. Spec: interop 1 to 4.
#include "passes/interop/sharding_attributes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "passes/common/ir_names.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

// ---- Places -------------------------------------------------------------------------------------

std::string place_text(const Module& module, const AttributePlace& place) {
  if (place.kind == AttributePlace::Kind::Op) {
    const std::string_view target = call_target(module, place.op);
    if (!target.empty()) return "custom call " + symbol_text(target);
    return std::string(module.name(place.op));
  }
  return (place.kind == AttributePlace::Kind::Argument ? "argument " : "result ") +
         std::to_string(place.index) + " of " + symbol_text(module.symbol_name(place.op));
}

DiagnosticSubject subject_of(const AttributePlace& place) {
  using Kind = DiagnosticSubject::Kind;
  if (place.kind == AttributePlace::Kind::Op) return {};
  return {.kind = place.kind == AttributePlace::Kind::Argument ? Kind::Argument : Kind::Result,
          .is_sharding = true,
          .index = static_cast<uint32_t>(place.index)};
}

const AttributeMap& attributes_at(const Module& module, const AttributePlace& place) {
  static const AttributeMap kNone;
  if (place.kind == AttributePlace::Kind::Op) return module.attributes(place.op);
  const ir::FunctionData& function = module.function(place.op);
  const auto& all = place.kind == AttributePlace::Kind::Argument ? function.arg_attributes
                                                                 : function.result_attributes;
  return place.index < all.size() ? all[place.index] : kNone;
}

AttributeMap& attributes_at(Module& module, const AttributePlace& place) {
  if (place.kind == AttributePlace::Kind::Op) return module.attributes(place.op);
  ir::FunctionData& function = module.function(place.op);
  auto& all = place.kind == AttributePlace::Kind::Argument ? function.arg_attributes
                                                           : function.result_attributes;
  if (place.index >= all.size()) all.resize(place.index + 1);
  return all[place.index];
}

tl::unexpected<Error> fail_at_place(const Module& module, const AttributePlace& place,
                                    std::string message) {
  return tl::unexpected(Error{.message = std::move(message),
                              .location = module.source_location(place.op),
                              .subject = subject_of(place)});
}

std::vector<AttributePlace> all_places(const Module& module) {
  std::vector<AttributePlace> places;
  for (const OpId top : module.ops(module.body())) {
    if (module.is(top, OpKind::Func)) {
      const ir::FunctionData& function = module.function(top);
      for (std::size_t index = 0; index < function.arg_attributes.size(); ++index) {
        places.push_back({top, AttributePlace::Kind::Argument, index});
      }
      for (std::size_t index = 0; index < function.result_attributes.size(); ++index) {
        places.push_back({top, AttributePlace::Kind::Result, index});
      }
    }
    places.push_back({top});
    for (const ir::RegionId region : module.regions(top)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const OpId op : ir::pre_order(module, block)) places.push_back({op});
      }
    }
  }
  return places;
}

const ir::Attribute* mhlo_sharding(const AttributeMap& attributes) {
  if (attributes.empty()) return nullptr;
  if (const ir::Attribute* outer = attributes.find(kMhloShardingAttr)) return outer;
  const auto* inner = attributes.get<AttributeMap>(kMhloAttributesAttr);
  return inner != nullptr ? inner->find(kMhloShardingAttr) : nullptr;
}

void erase_mhlo_sharding(AttributeMap& attributes) {
  attributes.erase(kMhloShardingAttr);
  auto* inner = attributes.edit<AttributeMap>(kMhloAttributesAttr);
  if (inner != nullptr) inner->erase(kMhloShardingAttr);
}

const AttributeMap* frontend(const AttributeMap& attributes) {
  return attributes.empty() ? nullptr : attributes.get<AttributeMap>(kFrontendAttr);
}

const ir::Attribute* frontend_entry(const AttributeMap& attributes, std::string_view key) {
  const AttributeMap* entries = frontend(attributes);
  return entries != nullptr ? entries->find(key) : nullptr;
}

void erase_frontend(AttributeMap& attributes, std::string_view key) {
  if (frontend_entry(attributes, key) == nullptr) return;
  auto* entries = attributes.edit<AttributeMap>(kFrontendAttr);
  entries->erase(key);
  if (entries->empty()) attributes.erase(kFrontendAttr);
}

void set_frontend(AttributeMap& attributes, std::string_view key, std::string value) {
  if (frontend(attributes) == nullptr) attributes.set(kFrontendAttr, AttributeMap());
  attributes.edit<AttributeMap>(kFrontendAttr)->set(key, std::move(value));
}

std::string_view call_target(const Module& module, OpId op) {
  if (!module.is(op, OpKind::CustomCall)) return {};
  const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
  return target != nullptr ? std::string_view(*target) : std::string_view();
}

bool is_callback(std::string_view target) {
  constexpr std::array<std::string_view, 4> kCallbacks = {
      "xla_python_cpu_callback", "xla_python_gpu_callback", "xla_ffi_python_cpu_callback",
      "xla_ffi_python_gpu_callback"};
  return std::ranges::find(kCallbacks, target) != kCallbacks.end();
}

bool is_mhlo_copy(const Module& module, OpId op) {
  return module.is(op, OpKind::Unknown) && module.name(op) == kMhloCopy &&
         module.num_operands(op) == 1 && module.num_results(op) == 1;
}

std::vector<std::string> manual_axes_around(const Module& module, OpId op) {
  std::vector<std::string> axes;
  for (OpId parent = module.parent_op(op); parent.valid(); parent = module.parent_op(parent)) {
    if (!module.is(parent, OpKind::SdyManualComputation)) continue;
    const auto* own = module.attribute<ir::ManualAxesAttr>(parent, ir::attr::kManualAxes);
    if (own != nullptr) axes.insert(axes.begin(), own->names.begin(), own->names.end());
  }
  return axes;
}

// ---- The text of frontend attributes ------------------------------------------------------------

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
  const std::string at = why.location.empty() ? "" : " at " + why.location.text();
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

/// Adds the brackets that the old form `#sdy.mesh<"x"=2>` does not have.
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
