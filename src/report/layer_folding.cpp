// Finds the repeated blocks of a sequence, and removes equal blocks from a program.
//
//   sequence  a b c d | x y z | x y z | x y z | x y z | e | z' x' | z' x' | z' x' | z' x' | f
//   blocks                0       1       2       3           3       2       1       0
//
// The second run uses values of the first run in reversed order, as a backward pass does.
#include "report/layer_folding.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "passes/common/functions.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

constexpr int32_t kLeastBlocks = 4;
constexpr std::size_t kMostPeriod = 4096;  // limit of elements per block

/// A run of equal pieces of a sequence.
struct PeriodicRun {
  std::size_t begin = 0;
  std::size_t period = 0;
  std::size_t count = 0;  // number of pieces
  std::size_t length() const { return period * count; }
};

/// Returns the length of the longest part whose elements occur often enough to be in a run.
std::size_t longest_frequent_part(std::span<const int32_t> sequence) {
  std::unordered_map<int32_t, int32_t> counts;  // never iterated
  for (const int32_t element : sequence) ++counts[element];
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const int32_t element : sequence) {
    length = counts[element] < kLeastBlocks ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  return longest;
}

/// Returns the run that covers the most elements of a sequence; on ties, the one with the shortest
/// period. Cost: the length of the sequence times the number of periods with which a run may cover
/// more elements than with a shorter one; at most kMostPeriod.
PeriodicRun longest_periodic_run(std::span<const int32_t> sequence) {
  PeriodicRun best;
  const std::size_t longest = longest_frequent_part(sequence);
  const std::size_t most = std::min(kMostPeriod, longest / kLeastBlocks);
  for (std::size_t period = 1; period <= most && best.length() < longest; ++period) {
    if (longest / period * period <= best.length()) continue;
    // Number of elements, up to here, that equal the element one period before.
    std::size_t equal = 0;
    for (std::size_t at = period; at < sequence.size(); ++at) {
      equal = sequence[at] == sequence[at - period] ? equal + 1 : 0;
      const std::size_t count = equal / period + 1;
      if (count < kLeastBlocks || count * period <= best.length()) continue;
      best = {at + 1 - equal - period, period, count};
    }
  }
  return best;
}

/// Assigns positions in blocks to the elements of a sequence.
class BlockFinder {
 public:
  BlockFinder(std::span<const int32_t> sequence,
              const std::function<std::vector<std::size_t>(std::size_t)>& linked,
              std::size_t most_runs)
      : sequence_(sequence), linked_(linked), most_runs_(most_runs) {
    found_.positions.resize(sequence.size());
  }

  RepeatedBlocks run() {
    place_runs(0, sequence_.size());
    return std::move(found_);
  }

 private:
  /// Assigns positions to the longest run of a range, then to the runs before and after it.
  void place_runs(std::size_t begin, std::size_t end) {
    if (found_.num_runs == most_runs_) return;
    const PeriodicRun run = longest_periodic_run(sequence_.subspan(begin, end - begin));
    if (run.count < kLeastBlocks) return;
    const std::size_t first = begin + run.begin;
    place_run({first, run.period, run.count});
    place_runs(begin, first);
    place_runs(first + run.length(), end);
  }

  void place_run(const PeriodicRun& run) {
    const Numbering numbering = numbering_of(run);
    for (std::size_t at = 0; at < run.length(); ++at) {
      const int32_t block = numbering.of(static_cast<int32_t>(at / run.period));
      const auto member = static_cast<int32_t>(found_.num_members + at % run.period);
      if (block >= 0) found_.positions[run.begin + at] = {block, member};
    }
    found_.num_members += run.period;
    ++found_.num_runs;
  }

  /// Block numbers for the pieces of a run.
  struct Numbering {
    bool is_reversed = false;
    int32_t offset = 0;
    int32_t of(int32_t piece) const { return is_reversed ? offset - piece : offset + piece; }
    auto operator<=>(const Numbering&) const = default;
  };

  /// Returns the numbering with which most links of placed blocks stay within a block. Reversed
  /// numbers join a backward pass with its forward pass.
  Numbering numbering_of(const PeriodicRun& run) const {
    std::map<Numbering, std::size_t> votes;
    for (std::size_t at = 0; at < run.length(); ++at) {
      const auto piece = static_cast<int32_t>(at / run.period);
      for (const std::size_t other : linked_(run.begin + at)) {
        const int32_t block = found_.positions[other].block;
        if (block < 0) continue;
        ++votes[{false, block - piece}];
        ++votes[{true, block + piece}];
      }
    }
    Numbering best;
    std::size_t most = 0;
    for (const auto& [numbering, count] : votes) {
      if (count > most) best = numbering;
      most = std::max(most, count);
    }
    return best;
  }

  std::span<const int32_t> sequence_;
  const std::function<std::vector<std::size_t>(std::size_t)>& linked_;
  std::size_t most_runs_;
  RepeatedBlocks found_;
};

/// Returns a hash of an op without its annotation and its operands.
std::size_t hash_of_op(const Module& module, OpId op) {
  std::size_t hash = std::hash<std::string_view>()(module.name(op));
  for (const ValueId value : module.operands(op)) {
    hash = hash_combine(hash, ir::hash_of_type(module.type(value)));
  }
  for (const ValueId value : module.results(op)) {
    hash = hash_combine(hash, ir::hash_of_type(module.type(value)));
  }
  for (const ir::NamedAttribute& each : module.attributes(op)) {
    if (each.name == ir::kShardingAttr) continue;
    hash = hash_combine(hash, std::hash<std::string_view>()(each.name));
    hash = hash_combine(hash, ir::hash_of_attribute(each.value));
  }
  return hash;
}

/// Returns the hash of an op with the ops in its regions.
std::size_t hash_with_regions(const Module& module, OpId op) {
  std::size_t hash = hash_of_op(module, op);
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) {
        hash = hash_combine(hash, hash_of_op(module, inner));
      }
    }
  }
  return hash;
}

}  // namespace

std::vector<int32_t> numbers_of(const Module& module, std::span<const OpId> ops) {
  std::unordered_map<std::size_t, int32_t> numbers;  // never iterated
  std::vector<int32_t> sequence;
  for (const OpId op : ops) {
    const auto next = static_cast<int32_t>(numbers.size());
    sequence.push_back(numbers.try_emplace(hash_with_regions(module, op), next).first->second);
  }
  return sequence;
}

RepeatedBlocks repeated_blocks(std::span<const int32_t> sequence,
                               const std::function<std::vector<std::size_t>(std::size_t)>& linked,
                               std::size_t most_runs) {
  return BlockFinder(sequence, linked, most_runs).run();
}

// ---- The folded module --------------------------------------------------------------------------

FoldedModule::FoldedModule(Module whole, std::span<const PlacedOp> ops, std::vector<bool> is_kept)
    : module_(std::move(whole)), is_kept_(std::move(is_kept)) {
  for (const auto& [op, position] : ops) {
    positions_.emplace(op, position);
    ops_.emplace(std::pair(position.block, position.member), op);
  }
}

std::optional<FoldedModule> FoldedModule::make(const Module& whole, std::span<const PlacedOp> ops,
                                               std::vector<bool> is_kept) {
  FoldedModule folded(whole, ops, std::move(is_kept));
  if (!folded.remove_blocks(whole)) return std::nullopt;
  return folded;
}

BlockPosition FoldedModule::position(OpId op) const {
  const auto found = positions_.find(op);
  return found == positions_.end() ? BlockPosition() : found->second;
}

OpId FoldedModule::op_at(BlockPosition position) const {
  const auto found = ops_.find({position.block, position.member});
  return found == ops_.end() ? OpId() : found->second;
}

OpId FoldedModule::replacement(OpId removed, int32_t user_block) const {
  const BlockPosition from = position(removed);
  const bool is_after = user_block == from.block + 1;
  const bool is_before = user_block >= 0 && user_block == from.block - 1;
  if (!is_before && !is_after) return {};
  int32_t block = from.block;
  while (is_removed(block)) block += is_after ? -1 : 1;
  return op_at({block, from.member});
}

/// Replaces operands from removed blocks. Returns false if an operand has no replacement.
bool FoldedModule::set_operands(OpId op) {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    const ValueId value = module_.operand(op, index);
    const OpId maker = module_.defining_op(value);
    if (!maker.valid() || !is_removed(position(maker).block)) continue;
    const OpId other = replacement(maker, position(op).block);
    if (!other.valid()) return false;
    const ValueId result = module_.result(other, module_.owner(value).index);
    if (!(module_.type(result) == module_.type(value))) return false;
    module_.set_operand(op, index, result);
  }
  return true;
}

/// Erases the results of main that removed blocks compute.
void FoldedModule::erase_results(OpId end) {
  ir::FunctionData& main = module_.function(*module_.main_function());
  std::vector<ValueId> returned;
  std::vector<ir::Type> types;
  std::vector<ir::AttributeMap> attributes;
  for (std::size_t index = 0; index < module_.num_operands(end); ++index) {
    const OpId maker = module_.defining_op(module_.operand(end, index));
    if (maker.valid() && is_removed(position(maker).block)) {
      result_at_.emplace_back();
      continue;
    }
    result_at_.emplace_back(static_cast<uint32_t>(returned.size()));
    returned.push_back(module_.operand(end, index));
    types.push_back(main.result_types[index]);
    if (index < main.result_attributes.size()) attributes.push_back(main.result_attributes[index]);
  }
  module_.set_operands(end, returned);
  main.result_types = std::move(types);
  main.result_attributes = std::move(attributes);
}

/// Erases the arguments that only removed blocks used.
void FoldedModule::erase_arguments(const Module& whole) {
  const OpId main = *module_.main_function();
  const ir::BlockId entry = module_.entry(main);
  uint32_t kept = 0;
  for (const ValueId arg : whole.args(whole.entry(main))) {
    const bool is_erased = whole.num_uses(arg) > 0 && module_.num_uses(arg) == 0;
    argument_at_.push_back(is_erased ? std::nullopt : std::optional(kept));
    if (!is_erased) {
      ++kept;
      continue;
    }
    module_.erase_argument(entry, kept);
    auto& attributes = module_.function(main).arg_attributes;
    if (kept < attributes.size()) attributes.erase(attributes.begin() + kept);
  }
}

bool FoldedModule::remove_blocks(const Module& whole) {
  const OpId main = *module_.main_function();
  const OpId end = module_.last_op(module_.entry(main));
  std::vector<OpId> removed;
  for (const OpId op : ir::pre_order(module_, module_.entry(main))) {
    if (op == end) continue;
    if (is_removed(position(op).block)) {
      removed.push_back(op);
    } else if (!set_operands(op)) {
      return false;
    }
  }
  erase_results(end);
  std::ranges::reverse(removed);
  for (const OpId op : removed) module_.erase(op);
  erase_arguments(whole);
  renumber();
  return true;
}

Module renumbered(const Module& module) {
  Module program;
  program.module_attributes() = module.module_attributes();
  passes::ValueMap values;
  for (const OpId op : module.ops(module.body())) {
    program.append(program.body(), passes::clone_op_into(program, module, op, values));
  }
  return program;
}

/// Copies the program without the storage of erased ops, because it is copied for each change.
void FoldedModule::renumber() {
  Module program = renumbered(module_);
  const std::vector<OpId> from = ir::pre_order(module_);
  const std::vector<OpId> to = ir::pre_order(program);
  for (std::size_t at = 0; at < from.size(); ++at) new_op_.emplace(from[at], to[at]);
  module_ = std::move(program);
}

OpId FoldedModule::folded_op(OpId op) const {
  const auto found = new_op_.find(op);
  return found == new_op_.end() ? OpId() : found->second;
}

std::optional<uint32_t> FoldedModule::folded_argument(std::size_t index) const {
  return argument_at_[index];
}

std::optional<uint32_t> FoldedModule::folded_result(std::size_t index) const {
  return result_at_[index];
}

ValueId FoldedModule::folded_value(const Module& whole, ValueId value) const {
  const ir::ValueOwner owner = whole.owner(value);
  if (owner.is_result()) {
    const OpId op = folded_op(owner.op);
    return op.valid() ? module_.result(op, owner.index) : ValueId();
  }
  const OpId around = whole.parent_op(owner.block);
  const OpId op = folded_op(around);
  if (!op.valid()) return {};
  const bool is_main = around == *whole.main_function();
  const auto index = is_main ? folded_argument(owner.index) : std::optional(owner.index);
  if (!index) return {};
  const auto from = whole.regions(around);
  for (std::size_t region = 0; region < from.size(); ++region) {
    const auto& blocks = whole.blocks(from[region]);
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      if (blocks[at] != owner.block) continue;
      return module_.args(module_.blocks(module_.regions(op)[region])[at])[*index];
    }
  }
  return {};
}

}  // namespace shardy::report
