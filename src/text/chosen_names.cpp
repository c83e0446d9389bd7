#include "text/chosen_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "shardy/ir/walk.hpp"

namespace shardy::text {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr uint32_t kNoRoot = UINT32_MAX;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), &is_digit);
}

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '.' || c == '-';
}

struct Word {
  OpKind kind;
  std::string_view word;
};

/// What ops that lowering inserts do to a value. Others are called by their own names.
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
      roots_(module.num_values(), kNoRoot) {
  reserve(OpId());
  name_function(OpId());
  const auto is_outside = [&](OpId op) { return !module.is(op, OpKind::Func); };
  for (const OpId op : ir::pre_order(module, module.body(), is_outside)) {
    if (is_outside(op) || module.regions(op).empty()) continue;
    reserve(op);
    name_function(op);
  }
}

// ---- What the source says
// ------------------------------------------------------------------------

/// Takes note of all names of a function, or of what stands beside the functions, which no new
/// value may get.
void ChosenNames::reserve(OpId function) {
  reserved_.clear();
  next_copy_.clear();
  next_number_ = 0;
  const auto enters = [&](OpId op) { return function.valid() || !module_.is(op, OpKind::Func); };
  const ir::BlockId start = function.valid() ? module_.parent_block(function) : module_.body();
  std::vector<OpId> ops;
  if (function.valid()) {
    for (const ir::RegionId region : module_.regions(function)) {
      for (const ir::BlockId block : module_.blocks(region)) {
        for (const ValueId arg : module_.args(block)) reserve_name(arg);
        const std::vector<OpId> inside = ir::pre_order(module_, block);
        ops.insert(ops.end(), inside.begin(), inside.end());
      }
    }
  } else {
    ops = ir::pre_order(module_, start, enters);
  }
  for (const OpId op : ops) {
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      reserve_name(module_.result(op, index));
    }
    if (!enters(op)) continue;
    for (const ir::RegionId region : module_.regions(op)) {
      for (const ir::BlockId block : module_.blocks(region)) {
        for (const ValueId arg : module_.args(block)) reserve_name(arg);
      }
    }
  }
}

void ChosenNames::reserve_name(ValueId value) {
  if (!module_.has_value_name(value)) return;
  std::string name = module_.value_name(value);
  if (module_.shares_value_name(value)) name.resize(name.rfind('#'));
  name = spelled(name);
  uint64_t number = 0;
  if (is_number(name) && name.size() < 18) {
    std::from_chars(name.data(), name.data() + name.size(), number);
    next_number_ = std::max(next_number_, number + 1);
  }
  reserved_.insert(std::move(name));
}

/// The name with what may not stand in it replaced. What is no name of the source as it is, but
/// made of one, is spelled as MLIR does in both formats.
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

/// All results have one name that stands for them all.
bool ChosenNames::shares_one_name(OpId op) const {
  const std::size_t count = module_.num_results(op);
  if (count < 2) return false;
  const auto base = [&](std::size_t index) {
    const ValueId value = module_.result(op, index);
    const std::string name = module_.value_name(value);
    return module_.shares_value_name(value) ? name.substr(0, name.rfind('#')) : std::string();
  };
  const std::string first = base(0);
  for (std::size_t index = 1; index < count; ++index) {
    if (base(index) != first) return false;
  }
  return !first.empty();
}

// ---- Ways through the regions
// --------------------------------------------------------------------

/// Names all values of a region before those of the regions in it.
void ChosenNames::name_function(OpId function) {
  visible_.clear();
  scopes_.clear();
  const auto is_walked = [&](OpId op) { return function.valid() || !module_.is(op, OpKind::Func); };
  if (function.valid()) {
    for (const ir::RegionId region : module_.regions(function)) {
      pending_.push_back({region, function});
    }
  } else {
    pending_.push_back({module_.parent_region(module_.body()), OpId()});
  }
  while (!pending_.empty()) {
    const Pending next = pending_.back();
    pending_.pop_back();
    if (next.closes) {
      for (const std::string& name : scopes_.back()) visible_.erase(name);
      scopes_.pop_back();
      continue;
    }
    pending_.push_back({next.region, next.owner, true});
    scopes_.emplace_back();
    name_source_values(next.region);
    name_new_values(next);
    for (const ir::BlockId block : module_.blocks(next.region)) {
      for (const OpId op : module_.ops(block)) {
        if (!is_walked(op)) continue;
        for (const ir::RegionId region : module_.regions(op)) pending_.push_back({region, op});
      }
    }
  }
}

void ChosenNames::name_source_values(ir::RegionId region) {
  for (const ir::BlockId block : module_.blocks(region)) {
    for (const ValueId arg : module_.args(block)) {
      if (module_.has_value_name(arg)) set(arg, visible(spelled(module_.value_name(arg))));
    }
    for (const OpId op : module_.ops(block)) name_source_results(op);
  }
}

void ChosenNames::name_source_results(OpId op) {
  if (shares_one_name(op)) {
    const std::string name = module_.value_name(module_.result(op));
    return set_group(op, visible(spelled(name.substr(0, name.rfind('#')))));
  }
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    const ValueId value = module_.result(op, index);
    if (module_.has_value_name(value)) set(value, visible(spelled(module_.value_name(value))));
  }
}

void ChosenNames::name_new_values(const Pending& pending) {
  const bool is_loop = pending.owner.valid() && module_.is(pending.owner, OpKind::While);
  for (const ir::BlockId block : module_.blocks(pending.region)) {
    for (const ValueId arg : module_.args(block)) {
      if (names_[arg.index()].size == 0) set(arg, unheard(is_loop ? "iterArg" : "arg"));
    }
    for (const OpId op : module_.ops(block)) name_new_results(op);
  }
}

void ChosenNames::name_new_results(OpId op) {
  const std::size_t count = module_.num_results(op);
  bool all = count > 1;
  for (std::size_t index = 0; index < count; ++index) {
    all = all && names_[module_.result(op, index).index()].size == 0;
  }
  if (all) return set_group(op, derived_name(op));
  for (std::size_t index = 0; index < count; ++index) {
    const ValueId value = module_.result(op, index);
    if (names_[value.index()].size == 0) set(value, derived_name(op));
  }
}

// ---- New names
// -----------------------------------------------------------------------------------

/// What the op is made of: the first operand that has a name of the source, or is made of one.
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

/// `x_gathered`. A name that begins with a digit is a number in MLIR: `_16_gathered`, in JSON as
/// well.
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

/// A name of the source as it can be told from others that are visible here.
std::string ChosenNames::visible(std::string name) {
  if (visible_.contains(name)) name = unheard(made_of(name, "copy"));
  visible_.insert(name);
  scopes_.back().push_back(name);
  return name;
}

/// A name that nothing in the function has.
std::string ChosenNames::unheard(std::string name) {
  if (reserved_.insert(name).second) return name;
  uint32_t& next = next_copy_[name];
  std::string other;
  do {
    other = name + "_" + std::to_string(next++);
  } while (!reserved_.insert(other).second);
  return other;
}

// ---- The table
// -----------------------------------------------------------------------------------

void ChosenNames::set(ValueId value, std::string_view name) {
  if (module_.has_value_name(value)) roots_[value.index()] = value.value;
  names_[value.index()] = {static_cast<uint32_t>(characters_.size()),
                           static_cast<uint32_t>(name.size()), false};
  characters_ += name;
}

void ChosenNames::set_group(OpId op, std::string_view name) {
  const Name entry{static_cast<uint32_t>(characters_.size()), static_cast<uint32_t>(name.size()),
                   true};
  characters_ += name;
  for (const ValueId value : module_.results(op)) {
    if (module_.has_value_name(value)) roots_[value.index()] = value.value;
    names_[value.index()] = entry;
  }
}

std::string_view ChosenNames::group_name(ValueId value) const {
  const Name& name = names_[value.index()];
  return std::string_view(characters_).substr(name.begin, name.size);
}

bool ChosenNames::names_group(OpId op) const {
  return module_.num_results(op) > 0 && names_[module_.result(op).index()].in_group;
}

std::string ChosenNames::name(ValueId value) const {
  const Name& name = names_[value.index()];
  std::string text(group_name(value));
  return name.in_group ? text + "#" + std::to_string(module_.owner(value).index) : text;
}

}  // namespace shardy::text
