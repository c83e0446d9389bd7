// Detects attributes and custom calls that resemble shardings but have an unknown name.
//
//   {mhlo.shardings = "{replicated}"}      ->   error, note: did you mean mhlo.sharding?
//   custom_call @SPMDFullToShard(%a)       ->   error, note: did you mean @SPMDFullToShardShape?
//   {my.note = "text"}                     ->   accepted
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

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
