#include "shardy/text/written_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "shardy/ir/walk.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/chosen_names.hpp"
#include "text/error_places.hpp"

namespace shardy::text {

using ir::OpId;
using ir::ValueId;

namespace {

/// A use `x#1`: the name of a group and the index of one of its values.
struct GroupUse {
  std::string_view name;
  std::optional<uint32_t> index = std::nullopt;
};

GroupUse use_of(std::string_view text) {
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
    const std::string name = module.value_base_name(value);
    if (!module.shares_value_name(value)) {
      names.add(name, {value, 1});
      continue;
    }
    const ir::ValueOwner owner = module.owner(value);  // all results of the op have this name
    const auto count = static_cast<uint32_t>(module.num_results(owner.op));
    if (owner.index == 0) names.add(name, {value, count});
  }
  return names;
}

void WrittenNames::reserve_values(std::size_t end) {
  constexpr std::size_t kMostValues = std::size_t{1} << 27U;
  SHARDY_EXPECTS(end <= kMostValues);
  if (entry_of_.size() < end) entry_of_.resize(end, kNone);
}

std::size_t WrittenNames::bucket_of(std::string_view name) const {
  return std::hash<std::string_view>()(name) % buckets_.size();
}

void WrittenNames::index_entry(uint32_t entry) {
  uint32_t& bucket = buckets_[bucket_of(entries_[entry].name)];
  entries_[entry].earlier = std::exchange(bucket, entry);
}

/// Adds an entry. A bucket has at most two entries on average.
void WrittenNames::add_entry(std::string_view name, ValueGroup values) {
  entries_.push_back({std::string(name), values});
  const auto last = static_cast<uint32_t>(entries_.size() - 1);
  if (entries_.size() <= 2 * buckets_.size()) return index_entry(last);
  buckets_.assign(entries_.size(), kNone);
  for (uint32_t entry = 0; entry <= last; ++entry) index_entry(entry);
}

void WrittenNames::add(std::string_view name, ValueGroup values) {
  const std::size_t end = values.first.index() + values.count;
  reserve_values(end);
  for (std::size_t index = values.first.index(); index < end; ++index) {
    entry_of_[index] = static_cast<uint32_t>(entries_.size());
  }
  add_entry(name, values);
}

void WrittenNames::add_other(std::string_view name, ValueGroup values) {
  const std::size_t end = values.first.index() + values.count;
  reserve_values(end);
  for (std::size_t index = values.first.index(); index < end; ++index) {
    if (entry_of_[index] == kNone) entry_of_[index] = static_cast<uint32_t>(entries_.size());
  }
  add_entry(name, values);
}

std::string WrittenNames::name(ir::ValueId value) const {
  if (value.index() >= entry_of_.size() || entry_of_[value.index()] == kNone) return {};
  const GroupName& entry = entries_[entry_of_[value.index()]];
  std::string name = "%" + entry.name;
  if (entry.values.count == 1) return name;
  return name + "#" + std::to_string(value.value - entry.values.first.value);
}

std::vector<WrittenNames::ValueGroup> WrittenNames::find(std::string_view name) const {
  if (name.starts_with('%')) name.remove_prefix(1);
  const GroupUse use = use_of(name);
  std::vector<ValueGroup> found;
  if (entries_.empty()) return found;
  for (uint32_t at = buckets_[bucket_of(use.name)]; at != kNone; at = entries_[at].earlier) {
    const GroupName& entry = entries_[at];
    if (entry.name != use.name) continue;
    if (!use.index) {
      found.push_back(entry.values);
    } else if (*use.index < entry.values.count) {
      found.push_back({ir::ValueId(entry.values.first.value + *use.index), 1});
    }
  }
  std::ranges::reverse(found);  // in the order of the entries
  return found;
}

namespace {

/// Returns the values that have a position in the text.
std::vector<ValueId> all_values(const ir::Module& module) {
  std::vector<ValueId> values;
  const auto add_all = [&](const auto& some) {
    values.insert(values.end(), some.begin(), some.end());
  };
  for (const OpId op : ir::pre_order(module)) {
    add_all(module.results(op));
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) add_all(module.args(block));
    }
  }
  return values;
}

WrittenNames kept_or_printed_names(const ir::Module& module) {
  WrittenNames names = WrittenNames::of(module);
  std::vector<ValueId> unnamed = all_values(module);
  std::erase_if(unnamed, [&](ValueId value) { return module.has_value_name(value); });
  if (unnamed.empty()) return names;
  const ChosenNames printed(module, ChosenNames::Characters::Mlir);
  for (const ValueId value : unnamed) {
    const ir::ValueOwner owner = module.owner(value);
    const bool is_grouped = owner.is_result() && printed.names_group(owner.op);
    const std::size_t count = is_grouped ? module.num_results(owner.op) : 1;
    if (is_grouped && owner.index > 0) continue;  // the first result has the name of all
    names.add(printed.group_name(value), {value, static_cast<uint32_t>(count)});
  }
  return names;
}

}  // namespace

struct WrittenValues::Index {
  template <class T>
  using ByText = std::map<std::string, T, std::less<>>;

  std::once_flag once;
  ByText<std::vector<ValueGroup>> printed;
  ByText<std::vector<OpId>> ops_at;  // in program order

  void add_printed(const ir::Module& module);
  void add_places(const ir::Module& module);
};

WrittenValues::WrittenValues(const ir::Module& module)
    : WrittenValues(module, kept_or_printed_names(module)) {}

WrittenValues::WrittenValues(ir::Module module, WrittenNames written)
    : module_(std::move(module)), written_(std::move(written)), index_(std::make_shared<Index>()) {
  for (const OpId op : ir::pre_order(module_)) {
    std::size_t number = 0;
    for (const ir::RegionId region : module_.regions(op)) region_numbers_[region] = number++;
  }
}

std::string WrittenValues::operator()(ValueId value) const {
  std::string name = written_.name(value);
  if (!name.empty()) return name;
  const ir::ValueOwner owner = module_.owner(value);
  const OpId op = owner.is_result() ? owner.op : module_.parent_op(owner.block);
  return (owner.is_result() ? "result " : "argument ") + std::to_string(owner.index) + " of " +
         std::string(module_.name(op)) + " at " + module_.location_text(op);
}

std::string WrittenValues::op_text(OpId op) const {
  const std::string first = module_.num_results(op) > 0 ? written_.name(module_.result(op)) : "";
  if (!first.empty()) return first.substr(0, first.rfind('#'));
  return std::string(module_.name(op)) + " at " + module_.location_text(op);
}

std::string WrittenValues::scope(ValueId value) const {
  const ir::ValueOwner owner = module_.owner(value);
  ir::BlockId block = owner.is_result() ? module_.parent_block(owner.op) : owner.block;
  std::vector<std::string> parts;  // from the inside to the outside
  while (block.valid()) {
    const ir::RegionId region = module_.parent_region(block);
    const OpId op = module_.parent_op(region);
    if (!op.valid()) break;
    if (module_.is(op, ir::OpKind::Func)) {
      parts.push_back("@" + std::string(module_.symbol_name(op)));
      break;
    }
    parts.push_back("/" + op_text(op) + "/" + std::to_string(region_numbers_.at(region)));
    block = module_.parent_block(op);
  }
  std::string scope;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) scope += *part;
  return scope;
}

std::vector<WrittenValues::ValueGroup> WrittenValues::find(std::string_view name) const {
  if (std::vector<ValueGroup> found = written_.find(name); !found.empty()) return found;
  if (std::vector<ValueGroup> found = find_argument(name); !found.empty()) return found;
  if (name.starts_with('%')) name.remove_prefix(1);
  if (name.empty()) return {};
  if (std::vector<ValueGroup> found = find_printed(name); !found.empty()) return found;
  return find_origin(name);
}

/// Returns function arguments with this name in JAX.
std::vector<WrittenValues::ValueGroup> WrittenValues::find_argument(std::string_view name) const {
  constexpr std::string_view kName = "jax.arg_info";
  std::vector<ValueGroup> found;
  for (const OpId function : module_.functions()) {
    if (module_.is_external(function)) continue;
    const auto& attributes = module_.function(function).arg_attributes;
    const auto args = module_.args(module_.entry(function));
    for (std::size_t index = 0; index < std::min(attributes.size(), args.size()); ++index) {
      const auto* const given = attributes[index].get<std::string>(kName);
      if (given != nullptr && *given == name) found.push_back({args[index], 1});
    }
  }
  return found;
}

/// Returns values without a name in the text, and values whose name is spelled differently in MLIR
/// text.
std::vector<WrittenValues::ValueGroup> WrittenValues::find_printed(std::string_view name) const {
  const auto found = index().printed.find(name);
  return found == index().printed.end() ? std::vector<ValueGroup>() : found->second;
}

/// Returns the values from which a name such as `_4_1_gathered_2` is derived: removes last words
/// until the rest is a name.
std::vector<WrittenValues::ValueGroup> WrittenValues::find_origin(std::string_view name) const {
  for (std::size_t end = name.rfind('_'); end != std::string_view::npos && end > 0;
       end = name.rfind('_', end - 1)) {
    const std::string_view whole = name.substr(0, end);
    for (const std::string_view base : {whole, whole.substr(whole.starts_with('_') ? 1 : 0)}) {
      if (base.empty()) continue;
      if (std::vector<ValueGroup> found = written_.find(base); !found.empty()) return found;
      const std::size_t mark = base.rfind('_');
      if (mark == std::string_view::npos) continue;
      const std::string member =
          std::string(base.substr(0, mark)) + "#" + std::string(base.substr(mark + 1));
      if (std::vector<ValueGroup> found = written_.find(member); !found.empty()) return found;
    }
  }
  return {};
}

namespace {

/// Calls `visit` with the text, and with each rest of the text after a `/`.
template <class Visit>
void for_each_end(std::string_view text, const Visit& visit) {
  visit(text);
  for (std::size_t mark = text.find('/'); mark != std::string_view::npos;
       mark = text.find('/', mark + 1)) {
    visit(text.substr(mark + 1));
  }
}

/// Calls `visit` with all texts that find the location: a position in the text (`12:7`, a pointer),
/// a position in another file (`model.py:31`, with any end of its path), a name in the location,
/// and the last part of the name.
template <class Visit>
void for_each_place(const Location& location, const Visit& visit) {
  visit(location.text());
  for (const SourcePlace& place : source_places(location)) {
    const std::string line = place.file + ":" + std::to_string(place.line);
    for_each_end(line, visit);
    for_each_end(line + ":" + std::to_string(place.column), visit);
  }
  for (const std::string& name : source_names(location)) for_each_end(name, visit);
}

}  // namespace

std::vector<WrittenValues::ValueGroup> WrittenValues::find_place(std::string_view place) const {
  // The form in errors and reports is `model.py:31 (embed)`.
  if (const std::size_t name = place.find(" ("); name != std::string_view::npos) {
    place = place.substr(0, name);
  }
  std::vector<ValueGroup> found;
  if (place.empty()) return found;
  const auto ops = index().ops_at.find(place);
  if (ops == index().ops_at.end()) return found;
  for (const OpId op : ops->second) {
    found.push_back({module_.result(op), static_cast<uint32_t>(module_.num_results(op))});
  }
  return found;
}

/// Adds the names that MLIR text has, then other names that JSON has.
void WrittenValues::Index::add_printed(const ir::Module& module) {
  const ChosenNames mlir(module, ChosenNames::Characters::Mlir);
  const ChosenNames any(module, ChosenNames::Characters::Any);
  for (uint32_t value = 0; value < module.num_values(); ++value) {
    const std::string name = mlir.name(ValueId(value));
    if (!name.empty()) printed[name].push_back({ValueId(value), 1});
  }
  for (uint32_t value = 0; value < module.num_values(); ++value) {
    const std::string name = any.name(ValueId(value));
    if (name.empty() || name == mlir.name(ValueId(value))) continue;
    printed[name].push_back({ValueId(value), 1});
  }
}

void WrittenValues::Index::add_places(const ir::Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.num_results(op) == 0) continue;
    for_each_place(module.source_location(op), [&](std::string_view place) {
      std::vector<OpId>& ops = ops_at[std::string(place)];
      if (ops.empty() || ops.back() != op) ops.push_back(op);
    });
  }
}

const WrittenValues::Index& WrittenValues::index() const {
  SHARDY_EXPECTS(index_ != nullptr);  // null after a move
  std::call_once(index_->once, [&] {
    index_->add_printed(module_);
    index_->add_places(module_);
  });
  return *index_;
}

OpId WrittenValues::op_around(ValueId value) const {
  const ir::ValueOwner owner = module_.owner(value);
  return owner.is_result() ? owner.op : module_.parent_op(owner.block);
}

std::string WrittenValues::function_of(ValueId value) const {
  const OpId function = ir::enclosing_function(module_, op_around(value));
  return function.valid() ? std::string(module_.symbol_name(function)) : std::string();
}

// ---- Queries ------------------------------------------------------------------------------------

namespace {

/// A name with an optional scope.
struct ScopedName {
  std::string_view scope;  // such as `@f/%3/1`; empty: any scope
  std::string_view name;
};

/// Returns all splits into scope and name. Names may contain colons, so each colon may end the
/// scope.
std::vector<ScopedName> readings(std::string_view text) {
  std::vector<ScopedName> all = {{{}, text}};
  if (!text.starts_with('@')) return all;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    all.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return all;
}

/// Returns the name without `%` or `@`, which do not matter for the similarity of names.
std::string_view bare(std::string_view name) {
  const bool is_marked = name.starts_with('%') || name.starts_with('@');
  return is_marked ? name.substr(1) : name;
}

}  // namespace

/// Returns the values with the name directly in the scope; without any, those anywhere in the
/// function.
std::vector<WrittenValues::ValueGroup> WrittenValues::find_in(std::string_view scope,
                                                              std::string_view name) const {
  std::vector<ValueGroup> groups = find(name);
  if (scope.empty()) return groups;
  std::vector<ValueGroup> exact;
  std::vector<ValueGroup> inside;
  for (const ValueGroup& group : groups) {
    if (this->scope(group.first) == scope) exact.push_back(group);
    if ("@" + function_of(group.first) == scope) inside.push_back(group);
  }
  return exact.empty() ? inside : exact;
}

std::vector<WrittenValues::ValueGroup> WrittenValues::find_meant(std::string_view question,
                                                                 std::string_view function) const {
  const auto is_elsewhere = [&](const ValueGroup& group) {
    const std::string here = function.empty() ? "" : function_of(group.first);
    return !function.empty() && here != function && "@" + here != function;
  };
  std::vector<ValueGroup> groups;
  for (const ScopedName& wanted : readings(question)) {
    for (const ValueGroup& group : find_in(wanted.scope, wanted.name)) groups.push_back(group);
  }
  std::erase_if(groups, is_elsewhere);
  if (!groups.empty()) return groups;
  groups = find_place(question);
  std::erase_if(groups, is_elsewhere);
  return groups;
}

std::string WrittenValues::full_name(const ValueGroup& group) const {
  const std::string name = (*this)(group.first);
  return scope(group.first) + ":" + (group.count > 1 ? name.substr(0, name.rfind('#')) : name);
}

std::optional<std::string> WrittenValues::directly_in_main(
    const std::vector<std::string>& full_names) const {
  const std::optional<OpId> main = module_.main_function();
  if (!main) return std::nullopt;
  const std::string scope = "@" + std::string(module_.symbol_name(*main)) + ":";
  std::optional<std::string> found;
  for (const std::string& each : full_names) {
    if (!each.starts_with(scope)) continue;
    if (found) return std::nullopt;  // several values on one line
    found = each;
  }
  return found;
}

std::vector<std::string> shortened(std::vector<std::string> all) {
  constexpr std::size_t kMaxCandidates = 20;
  const std::size_t count = all.size();
  if (count <= kMaxCandidates) return all;
  all.resize(kMaxCandidates);
  all.push_back(fmt::format("and {} more", count - kMaxCandidates));
  return all;
}

std::vector<std::string> known_names(std::string_view wanted, std::string_view noun,
                                     const std::vector<std::string>& known) {
  std::vector<std::string_view> views;
  views.reserve(known.size());
  for (const std::string& name : known) views.push_back(bare(name));
  std::vector<std::string> notes;
  constexpr std::size_t kShortest = 3;  // all shorter names are similar
  const bool is_long = bare(wanted).size() >= kShortest;
  if (const auto meant = is_long ? closest(bare(wanted), views) : std::nullopt) {
    const auto at = std::ranges::find(views, *meant) - views.begin();
    notes.push_back(fmt::format("did you mean {}?", known[static_cast<std::size_t>(at)]));
  }
  notes.push_back(fmt::format("{}: {}", noun, fmt::join(shortened(known), ", ")));
  return notes;
}

}  // namespace shardy::text
