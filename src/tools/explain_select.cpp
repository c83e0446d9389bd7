#include "tools/explain_select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "shardy/support/closest.hpp"

namespace shardy::tools {

namespace {

using propagation::ExplainedValue;
using Values = std::vector<const ExplainedValue*>;
using Group = ExplainNames::Group;

constexpr std::size_t kMaxCandidates = 20;

/// `@f`, however it was written.
std::string function_name(const std::string& text) {
  return text.starts_with('@') ? text : "@" + text;
}

/// A name that may say where the value stands.
struct WantedName {
  std::string_view scope;  // `@f/%3/1`; empty: anywhere
  std::string_view name;
};

/// Names may have a colon in them, so each of them may be the one behind the scope.
std::vector<WantedName> readings(std::string_view text) {
  std::vector<WantedName> all = {{{}, text}};
  if (!text.starts_with('@')) return all;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    all.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return all;
}

/// The values of that name that stand directly there, else those anywhere in that function.
std::vector<Group> find_groups(const WantedName& wanted, const ExplainNames& names) {
  std::vector<Group> groups = names.find(wanted.name);
  if (wanted.scope.empty()) return groups;
  std::vector<Group> exact;
  std::vector<Group> inside;
  for (const Group& group : groups) {
    if (names.scope(group.first) == wanted.scope) exact.push_back(group);
    if ("@" + names.function_of(group.first) == wanted.scope) inside.push_back(group);
  }
  return exact.empty() ? inside : exact;
}

/// What the name of a question stands for in the program.
class Meaning {
 public:
  Meaning(const ExplainQuestion& question, const ExplainNames& names)
      : question_(question), names_(names) {
    for (const WantedName& wanted : readings(question.value)) {
      for (const Group& group : find_groups(wanted, names)) {
        if (is_in_function(group)) groups_.push_back(group);
      }
    }
    if (groups_.empty()) {
      for (const Group& group : names.find_place(question.value)) {
        if (is_in_function(group)) groups_.push_back(group);
      }
    }
    for (uint32_t index = 0; index < groups_.size(); ++index) {
      for (uint32_t value = 0; value < groups_[index].count; ++value) {
        group_of_.emplace(ir::ValueId(groups_[index].first.value + value), index);
      }
    }
  }

  bool exists() const { return !groups_.empty(); }
  /// The full name that the value has where it is meant; nothing if it is not.
  std::optional<std::string> match(const ExplainedValue& value) const {
    if (value.value.valid()) {
      if (value.name == question_.value) return names_.scope(value.value) + ":" + value.name;
      const auto found = group_of_.find(value.value);
      return found != group_of_.end() ? std::optional(full_name(groups_[found->second]))
                                      : std::nullopt;
    }
    const std::string full = "@" + value.function + ":" + value.name;
    const bool is_it = question_.value == value.name || question_.value == full;
    return is_it ? std::optional(full) : std::nullopt;
  }

 private:
  bool is_in_function(const Group& group) const {
    return question_.function.empty() ||
           "@" + names_.function_of(group.first) == function_name(question_.function);
  }
  std::string full_name(const Group& group) const {
    const std::string name = names_(group.first);
    return names_.scope(group.first) + ":" +
           (group.count > 1 ? name.substr(0, name.rfind('#')) : name);
  }

  const ExplainQuestion& question_;
  const ExplainNames& names_;
  std::vector<Group> groups_;
  std::unordered_map<ir::ValueId, uint32_t> group_of_;
};

/// The first of them, and how many more there are.
std::vector<std::string> shortened(std::vector<std::string> all) {
  const std::size_t count = all.size();
  if (count <= kMaxCandidates) return all;
  all.resize(kMaxCandidates);
  all.push_back(fmt::format("and {} more", count - kMaxCandidates));
  return all;
}

/// Without `%` or `@`, which say nothing of how alike two names are.
std::string_view bare(std::string_view name) {
  const bool is_marked = name.starts_with('%') || name.starts_with('@');
  return is_marked ? name.substr(1) : name;
}

/// `did you mean %4?`, and what there is.
std::vector<std::string> candidates(std::string_view wanted, std::string_view noun,
                                    const std::vector<std::string>& known) {
  std::vector<std::string_view> views;
  views.reserve(known.size());
  for (const std::string& name : known) views.push_back(bare(name));
  std::vector<std::string> notes;
  constexpr std::size_t kShortest = 3;  // shorter names are all alike
  const bool is_long = bare(wanted).size() >= kShortest;
  if (const auto meant = is_long ? closest(bare(wanted), views) : std::nullopt) {
    const auto at = std::ranges::find(views, *meant) - views.begin();
    notes.push_back(fmt::format("did you mean {}?", known[static_cast<std::size_t>(at)]));
  }
  notes.push_back(fmt::format("{}: {}", noun, fmt::join(shortened(known), ", ")));
  return notes;
}

Error no_function(const ExplainQuestion& question, const ExplainNames& names) {
  const std::string wanted = function_name(question.function);
  std::vector<std::string> known;
  for (const ir::OpId function : names.module().functions()) {
    known.push_back("@" + std::string(names.module().symbol_name(function)));
  }
  if (std::ranges::find(known, wanted) != known.end()) {
    return {"propagation sees no value of " + wanted,
            {},
            {"it has no body, no tensors, or nothing calls it"}};
  }
  return {"no such function: " + wanted, {}, candidates(wanted, "functions", known)};
}

Error no_value(const ExplainQuestion& question, const Values& values, bool exists) {
  if (exists) {
    return {
        "propagation does not see " + question.value,
        {},
        {"it is no tensor, nothing uses it, it was replaced before propagation, or it is inside "
         "of an op like a reduction, whose regions have no shardings"}};
  }
  std::vector<std::string> known;
  std::set<std::string_view> seen;
  for (const ExplainedValue* value : values) {
    const bool is_named = value->name.starts_with('%') || !value->value.valid();
    if (is_named && seen.insert(value->name).second) known.push_back(value->name);
  }
  return {"no such value: " + question.value, {}, candidates(question.value, "values", known)};
}

Values of_function(const std::vector<ExplainedValue>& values, const std::string& function) {
  Values found;
  for (const ExplainedValue& value : values) {
    if (function.empty() || "@" + value.function == function_name(function)) {
      found.push_back(&value);
    }
  }
  return found;
}

/// Who does not say where a value is means the one of the main function.
std::optional<std::string> directly_in_main(const std::vector<std::string>& meanings,
                                            const ExplainQuestion& question,
                                            const ExplainNames& names) {
  const std::optional<ir::OpId> main = names.module().main_function();
  if (!question.function.empty() || question.value.starts_with('@') || !main) return std::nullopt;
  const std::string scope = "@" + std::string(names.module().symbol_name(*main)) + ":";
  std::optional<std::string> found;
  for (const std::string& each : meanings) {
    if (!each.starts_with(scope)) continue;
    if (found) return std::nullopt;  // several values of one line
    found = each;
  }
  return found;
}

}  // namespace

Result<Values> select_values(const std::vector<ExplainedValue>& values,
                             const ExplainQuestion& question, const ExplainNames& names) {
  if (question.value.empty() && question.function.empty() && !question.all) return Values();
  const Values here = of_function(values, question.function);
  if (here.empty() && !question.function.empty()) {
    return tl::unexpected(no_function(question, names));
  }
  if (question.value.empty()) return here;
  const Meaning meaning(question, names);
  Values selected;
  std::vector<std::string> meanings;  // copies of one value, one for each call, are one value
  std::set<std::string> seen;
  for (const ExplainedValue* value : here) {
    const std::optional<std::string> match = meaning.match(*value);
    if (!match) continue;
    selected.push_back(value);
    if (seen.insert(*match).second) meanings.push_back(*match);
  }
  if (selected.empty()) {
    return tl::unexpected(no_value(question, here, meaning.exists()));
  }
  if (question.all || meanings.size() == 1) return selected;
  if (const std::optional<std::string> in_main = directly_in_main(meanings, question, names)) {
    std::erase_if(selected, [&](const ExplainedValue* value) {
      return meaning.match(*value).value_or("") != *in_main;
    });
    return selected;
  }
  std::vector<std::string> notes = shortened(std::move(meanings));
  notes.emplace_back("--all explains each of them");
  return tl::unexpected(Error{"several values are called " + question.value, {}, std::move(notes)});
}

}  // namespace shardy::tools
