#include "text/chosen_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::text {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr uint32_t kNoRoot = UINT32_MAX;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), &is_digit);
}

bool is_name_character(char c) { return is_ident_char(c) || c == '-'; }

struct Word {
  OpKind kind;
  std::string_view word;
};

/// Name suffixes for values of ops that lowering inserts. Values of other ops get the name of their
/// op.
constexpr std::array kWords = {
    Word{OpKind::SpmdAllGather, "gathered"},
    Word{OpKind::SpmdAllReduce, "reduced"},
    Word{OpKind::SpmdReduceScatter, "scattered"},
    Word{OpKind::SpmdAllToAll, "exchanged"},
    Word{OpKind::SpmdPermute, "permuted"},
    Word{OpKind::SpmdBroadcastFrom, "sent"},
    Word{OpKind::SdyAllGather, "gathered"},
    Word{OpKind::SdyAllReduce, "reduced"},
    Word{OpKind::SdyReduceScatter, "scattered"},
    Word{OpKind::SdyAllToAll, "exchanged"},
    Word{OpKind::SdyCollectivePermute, "permuted"},
    Word{OpKind::SdyAllSlice, "sliced"},
    Word{OpKind::SdyReshard, "resharded"},
    Word{OpKind::SdyShardingConstraint, "constrained"},
    Word{OpKind::AllGather, "gathered"},
    Word{OpKind::AllReduce, "reduced"},
    Word{OpKind::ReduceScatter, "scattered"},
    Word{OpKind::AllToAll, "exchanged"},
    Word{OpKind::CollectivePermute, "permuted"},
    Word{OpKind::Slice, "sliced"},
    Word{OpKind::DynamicSlice, "sliced"},
    Word{OpKind::Pad, "padded"},
    Word{OpKind::Select, "masked"},
    Word{OpKind::Concatenate, "joined"},
    Word{OpKind::Reshape, "reshaped"},
    Word{OpKind::Transpose, "transposed"},
    Word{OpKind::BroadcastInDim, "spread"},
    Word{OpKind::Convert, "converted"},
};

std::string word_of(const ir::Module& module, OpId op) {
  const auto* const found = std::ranges::find(kWords, module.kind(op), &Word::kind);
  if (found != kWords.end()) return std::string(found->word);
  const std::string_view name = module.name(op);
  return std::string(name.substr(name.rfind('.') + 1));
}

bool holds_integers(const ir::Type& type) {
  return type.is_tensor() && (ir::is_integer(type.element()) || ir::is_boolean(type.element()));
}

}  // namespace

ChosenNames::ChosenNames(const ir::Module& module, Characters characters)
    : module_(module),
      characters_kind_(characters),
      names_(module.num_values()),
      roots_(module.num_values(), kNoRoot),
      is_plain_(module.num_values()) {
  reserve(OpId());
  name_function(OpId());
  const auto is_outside = [&](OpId op) { return !module.is(op, OpKind::Func); };
  for (const OpId op : ir::pre_order(module, module.body(), is_outside)) {
    if (is_outside(op) || module.regions(op).empty()) continue;
    reserve(op);
    name_function(op);
  }
  reserved_ = {};
  roots_ = {};
  is_plain_ = {};
  pending_ = {};
}

// ---- Sets of names ------------------------------------------------------------------------------

bool ChosenNames::NameSet::insert(std::string_view name) {
  const std::optional<uint32_t> number = small_number(name);
  if (!number) return hashes_.insert(std::hash<std::string_view>()(name)).second;
  if (*number >= numbers_.size()) numbers_.resize(*number + 1 + *number / 2);
  const bool is_new = !numbers_[*number];
  numbers_[*number] = true;
  return is_new;
}

// ---- Names in the source -----------------------------------------------------------------------

/// Reserves all names of a function, or of the ops outside of functions, so that no new value gets
/// one of them.
void ChosenNames::reserve(OpId function) {
  reserved_ = {};
  repeated_.clear();
  next_copy_.clear();
  next_number_ = 0;
  const auto enters = [&](OpId op) { return function.valid() || !module_.is(op, OpKind::Func); };
  std::vector<ir::BlockId> blocks = {module_.body()};
  if (function.valid()) {
    reserve_arguments(function);
    const auto own = module_.blocks(module_.regions(function).front());
    blocks.assign(own.begin(), own.end());
  }
  for (const ir::BlockId block : blocks) {
    for (const OpId op : ir::pre_order(module_, block, enters)) {
      reserve_results(op);
      if (enters(op)) reserve_arguments(op);
    }
  }
}

void ChosenNames::reserve_arguments(OpId op) {
  for (const ir::RegionId region : module_.regions(op)) {
    for (const ir::BlockId block : module_.blocks(region)) {
      for (const ValueId arg : module_.args(block)) reserve_value(arg);
    }
  }
}

void ChosenNames::reserve_results(OpId op) {
  if (shares_one_name(op)) {
    return reserve_name(spelled(module_.value_base_name(module_.result(op))));
  }
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    reserve_value(module_.result(op, index));
  }
}

void ChosenNames::reserve_value(ValueId value) {
  if (!module_.has_value_name(value)) return;
  is_plain_[value.index()] = reads_plain_name(value);
  if (is_plain_[value.index()]) return reserve_name(read_);
  reserve_name(spelled(module_.value_name(value)));
}

/// Reads the name of a value into `read_`. Returns true if the text may have the name as it is,
/// which is the case of most names. Requires: the value has a name.
bool ChosenNames::reads_plain_name(ValueId value) {
  if (module_.shares_value_name(value)) return false;
  read_ = module_.value_base_name(value);
  if (is_digit(read_.front())) return is_number(read_);
  return !read_.ends_with("_partial") && std::ranges::all_of(read_, &is_name_character);
}

void ChosenNames::reserve_name(std::string_view name) {
  constexpr std::size_t kMostDigits = 18;
  uint64_t number = 0;
  if (is_number(name) && name.size() <= kMostDigits) {
    std::from_chars(name.data(), name.data() + name.size(), number);
    next_number_ = std::max(next_number_, number + 1);
  }
  if (!reserved_.insert(name)) repeated_.emplace(name);
}

/// Returns the name with invalid characters replaced. In a derived name, `#` and a leading digit
/// are replaced in both formats; other characters are replaced only in MLIR text.
std::string ChosenNames::spelled(std::string_view name) const {
  std::string text(name);
  const bool is_made = text.find('#') != std::string::npos || text.ends_with("_partial");
  std::ranges::replace(text, '#', '_');
  if (is_number(text)) return text;
  if (is_digit(text.front()) && (is_made || characters_kind_ == Characters::Mlir)) {
    text.insert(text.begin(), '_');
  }
  if (characters_kind_ == Characters::Any) return text;
  for (char& c : text) {
    if (!is_name_character(c)) c = '_';
  }
  return text;
}

/// Returns true if one name with an index denotes all results of the op.
bool ChosenNames::shares_one_name(OpId op) const {
  const std::size_t count = module_.num_results(op);
  if (count < 2) return false;
  const auto base = [&](std::size_t index) {
    const ValueId value = module_.result(op, index);
    return module_.shares_value_name(value) ? module_.value_base_name(value) : std::string();
  };
  const std::string first = base(0);
  for (std::size_t index = 1; index < count; ++index) {
    if (base(index) != first) return false;
  }
  return !first.empty();
}

// ---- Ways through the regions ------------------------------------------------------------------

/// Names all values of a region before the values of nested regions.
void ChosenNames::name_function(OpId function) {
  visible_ = {};
  if (function.valid()) {
    for (const ir::RegionId region : module_.regions(function)) {
      pending_.push_back({region, function});
    }
  } else {
    pending_.push_back({module_.parent_region(module_.body()), OpId()});
  }
  while (!pending_.empty()) {
    const PendingRegion next = pending_.back();
    pending_.pop_back();
    if (next.closes) {
      visible_.close_scope();
      continue;
    }
    pending_.push_back({next.region, next.owner, true});
    visible_.open_scope(false);
    share_loop_names(next);
    name_source_values(next.region);
    name_new_values(next);
    visit_regions_in(next.region, function.valid());
  }
}

/// Visits nested regions. Functions are named separately, so the module's own region skips them.
void ChosenNames::visit_regions_in(ir::RegionId outer, bool with_functions) {
  for (const ir::BlockId block : module_.blocks(outer)) {
    for (const OpId op : module_.ops(block)) {
      if (!with_functions && module_.is(op, OpKind::Func)) continue;
      for (const ir::RegionId region : module_.regions(op)) pending_.push_back({region, op});
    }
  }
}

/// Gives the arguments of a loop's region the names of the arguments in its other region, after
/// these are named. The custom form of a loop lists its arguments once for both regions.
void ChosenNames::share_loop_names(const PendingRegion& pending) {
  if (!pending.owner.valid() || !module_.is(pending.owner, OpKind::While)) return;
  const auto arguments_of = [&](ir::RegionId region) {
    const auto blocks = module_.blocks(region);
    return blocks.empty() ? std::span<const ValueId>() : module_.args(blocks.front());
  };
  const std::span<const ValueId> own = arguments_of(pending.region);
  for (const ir::RegionId region : module_.regions(pending.owner)) {
    const std::span<const ValueId> others = arguments_of(region);
    if (region == pending.region || others.size() != own.size()) continue;
    for (std::size_t index = 0; index < own.size(); ++index) {
      if (!is_named(others[index])) continue;
      const std::string shared = name(others[index]);
      set(own[index], shared);
      visible_.define(shared, {});
    }
  }
}

void ChosenNames::name_source_values(ir::RegionId region) {
  for (const ir::BlockId block : module_.blocks(region)) {
    for (const ValueId arg : module_.args(block)) {
      if (!is_named(arg)) name_source_value(arg);
    }
    for (const OpId op : module_.ops(block)) name_source_results(op);
  }
}

void ChosenNames::name_source_results(OpId op) {
  if (shares_one_name(op)) {
    return set_group(op, visible(spelled(module_.value_base_name(module_.result(op)))));
  }
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    name_source_value(module_.result(op, index));
  }
}

void ChosenNames::name_source_value(ValueId value) {
  if (!module_.has_value_name(value)) return;
  const bool is_kept = repeated_.empty() && is_plain_[value.index()];
  if (!is_kept) return set(value, visible(spelled(module_.value_name(value))));
  roots_[value.index()] = value.value;
  names_[value.index()].kind = static_cast<uint32_t>(NameOrigin::Source);
}

void ChosenNames::name_new_values(const PendingRegion& pending) {
  const bool is_loop = pending.owner.valid() && module_.is(pending.owner, OpKind::While);
  for (const ir::BlockId block : module_.blocks(pending.region)) {
    for (const ValueId arg : module_.args(block)) {
      if (!is_named(arg)) set(arg, unheard(is_loop ? "iterArg" : "arg"));
    }
    for (const OpId op : module_.ops(block)) name_new_results(op);
  }
}

void ChosenNames::name_new_results(OpId op) {
  const std::size_t count = module_.num_results(op);
  bool all = count > 1;
  for (std::size_t index = 0; index < count; ++index) {
    all = all && !is_named(module_.result(op, index));
  }
  if (all) return set_group(op, derived_name(op));
  for (std::size_t index = 0; index < count; ++index) {
    const ValueId value = module_.result(op, index);
    if (!is_named(value)) set(value, derived_name(op));
  }
}

// ---- New names ---------------------------------------------------------------------------------

/// Returns the source name of the first operand that has a source name or is derived from a value
/// with one.
std::string ChosenNames::base_of(OpId op) const {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    const ValueId operand = module_.operand(op, index);
    if (roots_[operand.index()] == kNoRoot) continue;
    std::string name = module_.value_name(ValueId(roots_[operand.index()]));
    std::ranges::replace(name, '#', '_');
    return name;
  }
  return {};
}

/// Returns a name such as `x_gathered`. In MLIR text, a name that begins with a digit must be a
/// number, so `16` gives `_16_gathered`, in JSON, too.
std::string ChosenNames::made_of(const std::string& base, std::string_view word) const {
  return spelled((is_digit(base.front()) ? "_" : "") + base + "_" + std::string(word));
}

std::string ChosenNames::derived_name(OpId op) {
  const std::string base = base_of(op);
  if (!base.empty()) {
    for (const ValueId result : module_.results(op)) {
      if (roots_[result.index()] != kNoRoot) continue;
      for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
        const uint32_t root = roots_[module_.operand(op, index).index()];
        if (root == kNoRoot) continue;
        roots_[result.index()] = root;
        break;
      }
    }
    return unheard(made_of(base, word_of(module_, op)));
  }
  if (module_.is(op, OpKind::Constant)) {
    return unheard(holds_integers(module_.type(module_.result(op))) ? "c" : "cst");
  }
  return next_number();
}

/// Returns a source name, made unique among the visible names.
std::string ChosenNames::visible(std::string name) {
  if (!repeated_.contains(name)) return name;
  if (!visible_.define(name, {})) {
    name = unheard(made_of(name, "copy"));
    visible_.define(name, {});
  }
  return name;
}

/// Returns a name that the function does not use.
std::string ChosenNames::unheard(std::string name) {
  if (reserved_.insert(name)) return name;
  uint32_t& next = next_copy_[name];
  std::string other;
  do {
    other = name + "_" + std::to_string(next++);
  } while (!reserved_.insert(other));
  return other;
}

// ---- The table ---------------------------------------------------------------------------------

ChosenNames::ChosenName ChosenNames::entry_of(ValueId value, std::string_view name) {
  const std::string held = module_.value_base_name(value);
  ChosenName entry;
  if (held == name) {
    entry.kind = static_cast<uint32_t>(NameOrigin::Source);
    return entry;
  }
  entry.kind = static_cast<uint32_t>(NameOrigin::Own);
  entry.size = static_cast<uint32_t>(name.size()) & ((1U << 29U) - 1);
  entry.begin = static_cast<uint32_t>(characters_.size());
  characters_ += name;
  return entry;
}

void ChosenNames::set(ValueId value, std::string_view name) {
  if (module_.has_value_name(value)) roots_[value.index()] = value.value;
  names_[value.index()] = entry_of(value, name);
}

void ChosenNames::set_group(OpId op, std::string_view name) {
  ChosenName entry = entry_of(module_.result(op), name);
  entry.in_group = 1;
  for (const ValueId value : module_.results(op)) {
    if (module_.has_value_name(value)) roots_[value.index()] = value.value;
    names_[value.index()] = entry;
  }
}

void ChosenNames::append_group_name(std::string& out, ValueId value) const {
  const ChosenName& name = names_[value.index()];
  if (name.kind != static_cast<uint32_t>(NameOrigin::Source)) {
    out.append(characters_, name.begin, name.size);
  } else {
    out += module_.value_base_name(value);
  }
}

bool ChosenNames::names_group(OpId op) const {
  return module_.num_results(op) > 0 && names_[module_.result(op).index()].in_group != 0;
}

void ChosenNames::append_name(std::string& out, ValueId value) const {
  append_group_name(out, value);
  if (names_[value.index()].in_group == 0) return;
  out += '#';
  out += std::to_string(module_.owner(value).index);
}

namespace {

enum Base : std::size_t {
  kNumber,
  kArg,
  kIterArg,
  kInteger,
  kOther,
  kOutputState,
  kOutput,
  kValues,
  kIndices,
  kBatchMean,
  kBatchVar,
  kGradOperand,
  kGradScale,
  kGradOffset
};
constexpr std::array<std::string_view, 14> kBases = {
    "",       "arg",     "iterArg",    "c",         "cst",          "output_state", "output",
    "values", "indices", "batch_mean", "batch_var", "grad_operand", "grad_scale",   "grad_offset"};

constexpr std::array kRandom = {kOutputState, kOutput};
constexpr std::array kTopK = {kValues, kIndices};
constexpr std::array kTraining = {kOutput, kBatchMean, kBatchVar};
constexpr std::array kGrad = {kGradOperand, kGradScale, kGradOffset};

/// Returns the names that an op chooses for its results; empty if the op uses numbers.
std::span<const Base> chosen_names(OpKind kind) {
  switch (kind) {
    case OpKind::RngBitGenerator:
      return kRandom;
    case OpKind::ChloTopK:
      return kTopK;
    case OpKind::BatchNormTraining:
      return kTraining;
    case OpKind::BatchNormGrad:
      return kGrad;
    default:
      return {};
  }
}

}  // namespace

MlirSsaNames::MlirSsaNames(const ir::Module& module, bool keeps_names) : module_(module) {
  if (keeps_names && module.has_value_names()) {
    chosen_.emplace(module, ChosenNames::Characters::Mlir);
    return;
  }
  names_.resize(module.num_values());
  pending_.push_back({module.parent_region(module.body()), ir::OpId(), {}});
  while (!pending_.empty()) {
    const PendingSsaRegion next = pending_.back();
    pending_.pop_back();
    name_region(next);
  }
}

void MlirSsaNames::set(ir::ValueId value, SsaName name) { names_[value.index()] = name; }

/// Sets a chosen name. Appends a number if the name is in use.
void MlirSsaNames::choose(ir::ValueId value, std::size_t base, SsaCounters& state) {
  SsaName name{kNoNumber, static_cast<uint8_t>(base), 0};
  const uint32_t bit = uint32_t{1} << base;
  // The numbers after names only increase in nested regions, so a name with a number is never in
  // use.
  if ((state.taken & bit) != 0) name.number = state.next_conflict++;
  state.taken |= bit;
  set(value, name);
}

void MlirSsaNames::name_arguments(ir::BlockId block, ir::OpId owner, bool is_entry,
                                  SsaCounters& state) {
  for (const ir::ValueId arg : module_.args(block)) {
    if (!is_entry) {
      set(arg, {state.next++, kNumber, 0});
    } else if (owner.valid() && module_.is(owner, OpKind::While)) {
      choose(arg, kIterArg, state);
    } else {
      set(arg, {state.next_arg++, kArg, 0});
    }
  }
}

void MlirSsaNames::name_results(ir::OpId op, SsaCounters& state) {
  const std::size_t count = module_.num_results(op);
  if (count == 0) return;
  if (module_.is(op, OpKind::Constant) && count == 1) {
    const ir::ValueId result = module_.result(op);
    return choose(result, holds_integers(module_.type(result)) ? kInteger : kOther, state);
  }
  const std::span<const Base> chosen = chosen_names(module_.kind(op));
  if (!chosen.empty() && chosen.size() == count) {
    for (std::size_t index = 0; index < count; ++index) {
      choose(module_.result(op, index), chosen[index], state);
    }
    return;
  }
  const uint32_t number = state.next++;
  for (std::size_t index = 0; index < count; ++index) {
    set(module_.result(op, index), {number, kNumber, static_cast<uint8_t>(count > 1 ? 1 : 0)});
  }
}

/// Names all ops of a region before nested regions, which continue its numbering.
void MlirSsaNames::name_region(const PendingSsaRegion& pending) {
  SsaCounters state = pending.state;
  bool is_entry = true;
  for (const ir::BlockId block : module_.blocks(pending.region)) {
    name_arguments(block, pending.owner, is_entry, state);
    is_entry = false;
    for (const ir::OpId op : module_.ops(block)) name_results(op, state);
  }
  for (const ir::BlockId block : module_.blocks(pending.region)) {
    for (const ir::OpId op : module_.ops(block)) {
      for (const ir::RegionId region : module_.regions(op)) {
        pending_.push_back({region, op, state});
      }
    }
  }
}

void MlirSsaNames::append(std::string& out, ir::ValueId value) const {
  if (chosen_) {
    out += '%';
    return chosen_->append_name(out, value);
  }
  const SsaName& name = names_[value.index()];
  out += '%';
  out += kBases[name.base];
  if (name.number != kNoNumber) {
    if (name.base > kArg) out += '_';
    out += std::to_string(name.number);
  }
  if (name.in_group != 0) {
    out += '#';
    out += std::to_string(module_.owner(value).index);
  }
}

void MlirSsaNames::append_results(std::string& out, ir::OpId op) const {
  const std::size_t count = module_.num_results(op);
  if (chosen_ && chosen_->names_group(op)) {
    out += '%';
    chosen_->append_group_name(out, module_.result(op));
    out += ':';
    out += std::to_string(count);
    return;
  }
  const SsaName first = chosen_ ? SsaName() : names_[module_.result(op).index()];
  if (first.in_group != 0) {
    out += '%';
    out += std::to_string(first.number);
    out += ':';
    out += std::to_string(count);
    return;
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (index > 0) out += ", ";
    append(out, module_.result(op, index));
  }
}

}  // namespace shardy::text
