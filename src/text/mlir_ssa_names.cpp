#include "text/mlir_ssa_names.hpp"

#include <algorithm>
#include <array>

namespace shardy::text {

using ir::OpKind;

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

/// The names that an op chooses for its results, as many as it has; none: a number.
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

bool holds_integers(const ir::Type& type) {
  if (!type.is_tensor()) return false;
  return ir::is_integer(type.element()) || ir::is_boolean(type.element());
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
    const Pending next = pending_.back();
    pending_.pop_back();
    name_region(next);
  }
}

void MlirSsaNames::set(ir::ValueId value, Name name) { names_[value.index()] = name; }

/// Sets a chosen name, with a number after it if it is taken.
void MlirSsaNames::choose(ir::ValueId value, std::size_t base, State& state) {
  Name name{kNoNumber, static_cast<uint8_t>(base), 0};
  const uint32_t bit = uint32_t{1} << base;
  // Conflict numbers only grow along nested regions, so a name with one is never taken.
  if ((state.taken & bit) != 0) name.number = state.next_conflict++;
  state.taken |= bit;
  set(value, name);
}

void MlirSsaNames::name_arguments(ir::BlockId block, ir::OpId owner, bool is_entry, State& state) {
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

void MlirSsaNames::name_results(ir::OpId op, State& state) {
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

/// Names all ops of a region before the regions in it, each of which goes on from the end of it.
void MlirSsaNames::name_region(const Pending& pending) {
  State state = pending.state;
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
    out += chosen_->name(value);
    return;
  }
  const Name& name = names_[value.index()];
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
    out += chosen_->group_name(module_.result(op));
    out += ':';
    out += std::to_string(count);
    return;
  }
  const Name first = chosen_ ? Name() : names_[module_.result(op).index()];
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
