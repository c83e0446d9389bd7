#include "shardy/text/written_names.hpp"

#include <charconv>
#include <cstddef>
#include <optional>

namespace shardy::text {

namespace {

/// `x#1`: the name of a group and the number of one of its values.
struct Use {
  std::string_view name;
  std::optional<uint32_t> index = std::nullopt;
};

Use use_of(std::string_view text) {
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return {text};
  uint32_t index = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data() + mark + 1, end, index);
  if (failure != std::errc() || rest != end) return {text};
  return {text.substr(0, mark), index};
}

}  // namespace

WrittenNames WrittenNames::of(const ir::Module& module) {
  WrittenNames names;
  for (uint32_t index = 0; index < module.num_values(); ++index) {
    const ir::ValueId value(index);
    if (!module.has_value_name(value)) continue;
    const std::string name = module.value_name(value);
    if (!module.shares_value_name(value)) {
      names.add(name, {value, 1});
      continue;
    }
    const ir::ValueOwner owner = module.owner(value);  // all results of the op have the name
    const auto count = static_cast<uint32_t>(module.num_results(owner.op));
    if (owner.index == 0) names.add(name.substr(0, name.rfind('#')), {value, count});
  }
  return names;
}

void WrittenNames::reserve_values(std::size_t end) {
  constexpr std::size_t kMostValues = std::size_t{1} << 27U;
  SHARDY_EXPECTS(end <= kMostValues);
  if (entry_of_.size() < end) entry_of_.resize(end, kNone);
}

void WrittenNames::add(std::string_view name, Group values) {
  const std::size_t end = values.first.index() + values.count;
  reserve_values(end);
  for (std::size_t index = values.first.index(); index < end; ++index) {
    entry_of_[index] = static_cast<uint32_t>(entries_.size());
  }
  entries_.push_back({std::string(name), values});
}

void WrittenNames::add_other(std::string_view name, Group values) {
  const std::size_t end = values.first.index() + values.count;
  reserve_values(end);
  for (std::size_t index = values.first.index(); index < end; ++index) {
    if (entry_of_[index] == kNone) entry_of_[index] = static_cast<uint32_t>(entries_.size());
  }
  entries_.push_back({std::string(name), values});
}

std::string WrittenNames::name(ir::ValueId value) const {
  if (value.index() >= entry_of_.size() || entry_of_[value.index()] == kNone) return {};
  const Entry& entry = entries_[entry_of_[value.index()]];
  std::string name = "%" + entry.name;
  if (entry.values.count == 1) return name;
  return name + "#" + std::to_string(value.value - entry.values.first.value);
}

std::vector<WrittenNames::Group> WrittenNames::find(std::string_view name) const {
  if (name.starts_with('%')) name.remove_prefix(1);
  const Use use = use_of(name);
  std::vector<Group> found;
  for (const Entry& entry : entries_) {
    if (entry.name != use.name) continue;
    if (!use.index) {
      found.push_back(entry.values);
    } else if (*use.index < entry.values.count) {
      found.push_back({ir::ValueId(entry.values.first.value + *use.index), 1});
    }
  }
  return found;
}

}  // namespace shardy::text
