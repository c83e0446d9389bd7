// Finds the places of foreign shardings in a module, parses their texts, and reports attributes
// that resemble them. Spec: interop 1 to 4.
#include "passes/interop/sharding_attributes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
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

/// Reads a string or an identifier.
Result<std::string> read_mesh_name(Scanner& scanner) {
  if (scanner.at_string()) return scanner.string();
  SHARDY_TRY(const std::string_view ident, scanner.ident());
  return std::string(ident);
}

}  // namespace

Result<std::vector<std::pair<std::string, Mesh>>> parse_mesh_dictionary(std::string_view text) {
  std::vector<std::pair<std::string, Mesh>> meshes;
  Scanner scanner(text);
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(std::string name, read_mesh_name(scanner));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(Mesh mesh, read_mesh_entry(scanner));
    meshes.emplace_back(std::move(name), std::move(mesh));
    return {};
  }));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return meshes;
}

// ---- Unknown attributes -------------------------------------------------------------------------
// Detects attributes and custom calls that resemble shardings but have an unknown name.
//
//   {mhlo.shardings = "{replicated}"}      ->   error, note: did you mean mhlo.sharding?
//   custom_call @SPMDFullToShard(%a)       ->   error, note: did you mean @SPMDFullToShardShape?
//   {my.note = "text"}                     ->   accepted

namespace {

constexpr std::array<std::string_view, 15> kKnownKeys = {
    key::kMeshes,       key::kSharding,     key::kRule,         key::kIn,
    key::kOut,          key::kManualAxes,   key::kGroupId,      key::kDirection,
    key::kTupleArgs,    key::kTupleResults, key::kUseTupleArgs, key::kUseTupleResults,
    key::kOriginalName, key::kHasUnreduced, key::kImportMhlo};

constexpr std::array<std::string_view, 9> kKnownTargets = {
    target::kSharding,      target::kFullToShard,   target::kShardToFull,
    target::kFuncResult,    target::kGroup,         target::kBarrier,
    target::kGlobalToLocal, target::kLocalToGlobal, target::kManual};

/// The known names, for the detection of typing errors, and similar names that are valid.
constexpr std::array<std::string_view, 8> kShardingAttrs = {
    kMhloShardingAttr, kFrontendAttr,         kSpmdParametersAttr,        kSpmdOutputAttr,
    ir::kShardingAttr, ir::kShardingRuleAttr, "sdy.parameters_shardings", "sdy.output_shardings"};
constexpr std::array<std::string_view, 4> kOtherAttrs = {
    "sdy.sharding_origins", "sdy.sharding_origin_name", "sdy.block_arg_sharding_origins",
    "sdy.result_sharding_origins"};

constexpr std::array<std::string_view, 10> kTextBegins = {
    "{devices=",     "{{devices=", "{mesh[",      "{{mesh[",          "{replicated}",
    "{{replicated}", "{manual}",   "{unreduced}", "{maximal device=", "#sdy."};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns only the letters, in lower case, and the digits.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t kSize>
std::optional<std::string> meant(const std::array<std::string_view, kSize>& names,
                                 std::string_view name) {
  const std::vector<std::string_view> all(names.begin(), names.end());
  return closest(name, all);
}

/// Checks whether at most two adjacent characters of the names differ or are missing.
bool is_slip(std::string_view name, std::string_view known) {
  const std::size_t least = std::min(name.size(), known.size());
  std::size_t front = 0;
  while (front < least && name[front] == known[front]) ++front;
  std::size_t back = 0;
  while (back < least - front && name[name.size() - 1 - back] == known[known.size() - 1 - back]) {
    ++back;
  }
  return front + back + 2 >= std::max(name.size(), known.size());
}

template <std::size_t kSize>
bool is_slip_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view known) { return is_slip(name, known); });
}

bool is_text_of_sharding(const ir::Attribute& value) {
  const auto* text = value.as<std::string>();
  return text != nullptr && std::ranges::any_of(kTextBegins, [&](std::string_view begin) {
           return text->starts_with(begin);
         });
}

/// Checks whether the name has no prefix or the prefix of a dialect with shardings.
bool is_near(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return true;
  const std::string letters = plain(name);
  return letters.starts_with("mhlo") || letters.starts_with("sdy") || letters.starts_with("xla");
}

bool is_known_attr(std::string_view name) {
  return is_one_of(kShardingAttrs, name) || is_one_of(kOtherAttrs, name) ||
         name == kMhloAttributesAttr || name == key::kManualAxes || name == key::kOriginalName;
}

/// A fast check for attributes that are valid at any place except a function.
bool is_plain(const ir::NamedAttribute& entry) {
  if (entry.name == kFrontendAttr || entry.name == kMhloAttributesAttr) return false;
  if (is_known_attr(entry.name)) return true;
  return entry.name.view().find('.') == std::string_view::npos &&
         entry.value.as<std::string>() == nullptr;
}

bool looks_like_attr(std::string_view name) {
  if (name.find('.') == std::string_view::npos || !is_near(name)) return false;
  return contains(plain(name), "shard") || contains(plain(name), "xlasdy") ||
         is_slip_of(kShardingAttrs, name);
}

bool looks_like_key(std::string_view name) {
  return contains(plain(name), "sdy") || is_slip_of(kKnownKeys, name);
}

bool looks_like_target(std::string_view name) {
  const std::string letters = plain(name);
  constexpr std::array<std::string_view, 5> kParts = {ir::attr::kSharding, "fulltoshard",
                                                      "shardtofull", "xlasdy", "manualcomputation"};
  return std::ranges::any_of(kParts, [&](auto part) { return contains(letters, part); }) ||
         is_slip_of(kKnownTargets, name);
}

/// A check of the module and of all places in it.
class Checker {
 public:
  explicit Checker(const Module& module) : module_(module) {}

  Diagnostics check() {
    check_module();
    for (const AttributePlace& place : all_places(module_)) check_place(place);
    return std::move(errors_);
  }

 private:
  /// The owner of attributes, for messages.
  struct NamedOwner {
    std::string text;
    Location location = {};
    DiagnosticSubject subject = {};
  };

  void check_module() {
    const AttributeMap& attributes = module_.module_attributes();
    check_attributes(attributes, {"the module"});
    for (const std::string_view name : {kMhloShardingAttr, ir::kShardingAttr}) {
      if (attributes.contains(name)) add(std::string(name) + " of the module: it has no value", {});
    }
  }

  void check_place(const AttributePlace& place) {
    const AttributeMap& attributes = attributes_at(module_, place);
    const bool is_op = place.kind == AttributePlace::Kind::Op;
    if (is_op && module_.is(place.op, OpKind::CustomCall)) check_target(place.op);
    if (attributes.empty()) return;
    const bool is_function = is_op && module_.is(place.op, OpKind::Func);
    if (!is_function && std::ranges::all_of(attributes, &is_plain)) return;
    const NamedOwner owner{place_text(module_, place), module_.source_location(place.op),
                           subject_of(place)};
    NamedOwner outer = owner;
    if (is_function) outer.text = "function " + symbol_text(module_.symbol_name(place.op));
    check_attributes(attributes, outer);
    const auto* inner = is_op ? attributes.get<AttributeMap>(kMhloAttributesAttr) : nullptr;
    if (inner != nullptr) check_attributes(*inner, owner);
    if (is_function && mhlo_sharding(attributes) != nullptr) {
      add(std::string(kMhloShardingAttr) + " of " + outer.text +
              ": its arguments and results have shardings",
          outer);
    }
  }

  void check_attributes(const AttributeMap& attributes, const NamedOwner& owner) {
    for (const auto& [name, value] : attributes) {
      if (is_known_attr(name)) continue;
      if (looks_like_attr(name)) {
        add("unknown attribute of " + owner.text + ": " + std::string(name), owner,
            meant(kShardingAttrs, name));
      } else if (is_near(name) && is_text_of_sharding(value)) {
        add_text(name, value, owner);
      }
    }
    const ir::Attribute* keys = attributes.find(kFrontendAttr);
    if (keys != nullptr) check_keys(*keys, owner);
  }

  void check_keys(const ir::Attribute& keys, const NamedOwner& owner) {
    const auto* entries = keys.as<AttributeMap>();
    if (entries == nullptr) {
      return add(std::string(kFrontendAttr) + " of " + owner.text + " is not a dictionary", owner);
    }
    for (const auto& [name, value] : *entries) {
      if (is_one_of(kKnownKeys, name) || name == key::kOldGroupId) continue;
      if (looks_like_key(name)) {
        add("unknown frontend attribute of " + owner.text + ": " + std::string(name), owner,
            meant(kKnownKeys, name));
      } else if (is_text_of_sharding(value)) {
        add_text(name, value, owner);
      }
    }
  }

  void check_target(OpId call) {
    const std::string_view name = call_target(module_, call);
    if (is_one_of(kKnownTargets, name) || !looks_like_target(name)) return;
    // A call with a sharding rule computes a value; it does not only have a sharding.
    if (module_.attributes(call).contains(ir::kShardingRuleAttr)) return;
    if (frontend_entry(module_.attributes(call), key::kRule) != nullptr) return;
    errors_.push_back(unknown_target(module_, call, "does not carry a sharding"));
  }

  void add_text(std::string_view name, const ir::Attribute& value, const NamedOwner& owner) {
    add(std::string(name) + " of " + owner.text +
            " holds a sharding, and is not read: " + in_quotes(*value.as<std::string>()),
        owner);
  }

  void add(std::string message, const NamedOwner& owner, std::optional<std::string> other = {}) {
    Error error{
        .message = std::move(message), .location = owner.location, .subject = owner.subject};
    if (other) error.notes.push_back("did you mean " + *other + "?");
    errors_.push_back(std::move(error));
  }

  const Module& module_;
  Diagnostics errors_;
};

}  // namespace

Error unknown_target(const Module& module, OpId call, std::string_view why) {
  const std::string_view name = call_target(module, call);
  Error error{"custom call " + symbol_text(name) + " " + std::string(why),
              module.source_location(call)};
  const auto other = meant(kKnownTargets, name);
  if (other && *other != name) error.notes.push_back("did you mean " + symbol_text(*other) + "?");
  return error;
}

Diagnostics expect_known_attributes(const Module& module) { return Checker(module).check(); }

Status expect_known_keys(const Module& module, const AttributePlace& place) {
  const AttributeMap* entries = frontend(attributes_at(module, place));
  if (entries == nullptr) return {};
  for (const ir::NamedAttribute& entry : *entries) {
    const bool is_ours = std::string_view(entry.name).starts_with(key::kPrefix);
    if (!is_ours || is_one_of(kKnownKeys, entry.name)) continue;
    return fail_at_place(module, place,
                         "unknown frontend attribute of " + place_text(module, place) + ": " +
                             std::string(entry.name));
  }
  return {};
}

Diagnostics expect_none_left(const Module& module, bool with_keys) {
  Diagnostics errors;
  const auto check = [&](const AttributeMap& attributes, const std::string& where,
                         const Location& location, const DiagnosticSubject& subject) {
    const auto refuse = [&](std::string_view name) {
      errors.push_back(Error{.message = std::string(name) + " of " + where + " is not read there",
                             .location = location,
                             .subject = subject});
    };
    if (attributes.contains(key::kManualAxes)) refuse(key::kManualAxes);
    const AttributeMap* entries = with_keys ? frontend(attributes) : nullptr;
    if (entries == nullptr) return;
    for (const ir::NamedAttribute& entry : *entries) {
      const bool is_kept = entry.name == key::kUseTupleArgs || entry.name == key::kUseTupleResults;
      if (std::string_view(entry.name).starts_with(key::kPrefix) && !is_kept) refuse(entry.name);
    }
  };
  check(module.module_attributes(), "the module", {}, {});
  for (const AttributePlace& place : all_places(module)) {
    const AttributeMap& attributes = attributes_at(module, place);
    const bool has_key = !attributes.empty() &&
                         (attributes.contains(key::kManualAxes) || frontend(attributes) != nullptr);
    if (!has_key) continue;
    check(attributes, place_text(module, place), module.source_location(place.op),
          subject_of(place));
  }
  return errors;
}

}  // namespace shardy::passes
