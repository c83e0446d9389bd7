// Removes equal blocks from a program, and maps its annotations.
#include "autoshard/program_folding.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "passes/common/functions.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::ValueId;

std::unique_ptr<FoldedProgram> FoldedProgram::make(const ProgramModel& model,
                                                   const Module& searched, int32_t before,
                                                   int32_t after) {
  std::unique_ptr<FoldedProgram> program(new FoldedProgram(model, searched, before, after));
  if (!program->find_blocks() || !program->remove_blocks()) return nullptr;
  return program;
}

/// Finds the ops of the blocks. Returns false if blocks differ, contain inlined ops, or are few.
bool FoldedProgram::find_blocks() {
  const std::vector<BlockPlace>& blocks = model_.network().blocks;
  if (blocks.empty()) return false;
  const ir::BlockId body = searched_.entry(*searched_.main_function());
  int32_t count = 0;
  for (std::size_t node = 0; node < blocks.size(); ++node) {
    count = std::max(count, blocks[node].block + 1);
    const ModelNode& each = model_.nodes()[node];
    if (each.kind != ModelNode::Kind::Op || blocks[node].block < 0) continue;
    const bool is_known = each.op.index() < searched_.num_ops() && !searched_.is_erased(each.op) &&
                          searched_.parent_block(each.op) == body;
    if (!is_known) return false;
    places_.emplace(each.op, blocks[node]);
    ops_.emplace(std::pair(blocks[node].block, blocks[node].member), each.op);
  }
  last_ = count - after_;
  if (last_ - kept_ < 2) return false;
  std::map<int32_t, std::vector<int32_t>> members;
  for (const auto& [place, op] : ops_) members[place.first].push_back(place.second);
  for (int32_t block = kept_ - 1; block <= last_; ++block) {
    if (members[block] != members[kept_ - 1]) return false;
  }
  return true;
}

BlockPlace FoldedProgram::place_of(OpId op) const {
  const auto found = places_.find(op);
  return found == places_.end() ? BlockPlace() : found->second;
}

/// Returns the op of a kept block that a user in a kept block reads in place of an op of a removed
/// block; invalid if the user and the removed op are not in neighbouring blocks.
OpId FoldedProgram::replacement(OpId removed, int32_t user_block) const {
  const BlockPlace place = place_of(removed);
  const bool is_before = user_block == last_ && place.block == last_ - 1;
  const bool is_after = user_block == kept_ - 1 && place.block == kept_;
  if (!is_before && !is_after) return {};
  const auto found = ops_.find({is_before ? kept_ - 1 : last_, place.member});
  return found == ops_.end() ? OpId() : found->second;
}

/// Replaces operands from removed blocks. Returns false if an operand has no replacement.
bool FoldedProgram::set_operands(OpId op) {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    const ValueId value = module_.operand(op, index);
    const OpId maker = module_.defining_op(value);
    if (!maker.valid() || !is_removed(place_of(maker).block)) continue;
    const OpId other = replacement(maker, place_of(op).block);
    if (!other.valid()) return false;
    const ValueId result = module_.result(other, module_.owner(value).index);
    if (!(module_.type(result) == module_.type(value))) return false;
    module_.set_operand(op, index, result);
  }
  return true;
}

/// Erases the results of main that removed blocks compute.
void FoldedProgram::erase_results(OpId end) {
  ir::FunctionData& main = module_.function(*module_.main_function());
  std::vector<ValueId> returned;
  std::vector<ir::Type> types;
  std::vector<ir::AttributeMap> attributes;
  for (std::size_t index = 0; index < module_.num_operands(end); ++index) {
    const OpId maker = module_.defining_op(module_.operand(end, index));
    if (maker.valid() && is_removed(place_of(maker).block)) {
      result_at_.push_back(-1);
      continue;
    }
    result_at_.push_back(static_cast<int32_t>(returned.size()));
    returned.push_back(module_.operand(end, index));
    types.push_back(main.result_types[index]);
    if (index < main.result_attributes.size()) attributes.push_back(main.result_attributes[index]);
  }
  module_.set_operands(end, returned);
  main.result_types = std::move(types);
  main.result_attributes = std::move(attributes);
}

/// Erases the arguments that only removed blocks used.
void FoldedProgram::erase_arguments() {
  const OpId main = *module_.main_function();
  const ir::BlockId entry = module_.entry(main);
  const std::span<const ValueId> args = searched_.args(searched_.entry(main));
  for (std::size_t index = 0; index < args.size(); ++index) {
    const bool is_erased =
        searched_.num_uses(args[index]) > 0 && module_.num_uses(args[index]) == 0;
    const std::vector<int32_t>& at = argument_at_;
    const auto kept =
        static_cast<int32_t>(std::ranges::count_if(at, [](int32_t each) { return each >= 0; }));
    argument_at_.push_back(is_erased ? -1 : kept);
    if (!is_erased) continue;
    module_.erase_argument(entry, static_cast<std::size_t>(kept));
    auto& attributes = module_.function(main).arg_attributes;
    const bool has_attributes = static_cast<std::size_t>(kept) < attributes.size();
    if (has_attributes) attributes.erase(attributes.begin() + kept);
  }
}

bool FoldedProgram::remove_blocks() {
  const OpId main = *module_.main_function();
  const OpId end = module_.last_op(module_.entry(main));
  std::vector<OpId> removed;
  for (const OpId op : ir::pre_order(module_, module_.entry(main))) {
    if (op == end) continue;
    if (is_removed(place_of(op).block)) {
      removed.push_back(op);
    } else if (!set_operands(op)) {
      return false;
    }
  }
  erase_results(end);
  std::ranges::reverse(removed);
  for (const OpId op : removed) module_.erase(op);
  erase_arguments();
  renumber();
  return true;
}

/// Copies the program without the storage of erased ops, because it is copied for each list of
/// changes.
void FoldedProgram::renumber() {
  Module program;
  program.module_attributes() = module_.module_attributes();
  passes::ValueMap values;
  for (const OpId op : module_.ops(module_.body())) {
    program.append(program.body(), passes::clone_op_into(program, module_, op, values));
  }
  const std::vector<OpId> from = ir::pre_order(module_);
  const std::vector<OpId> to = ir::pre_order(program);
  for (std::size_t at = 0; at < from.size(); ++at) new_op_.emplace(from[at], to[at]);
  module_ = std::move(program);
}

std::vector<ModelTie> FoldedProgram::ties(std::span<const ModelTie> all) const {
  std::vector<ModelTie> kept;
  for (const ModelTie& tie : all) {
    const int32_t argument = argument_at_[tie.argument];
    const int32_t result = result_at_[tie.result];
    if (argument < 0 || result < 0) continue;
    kept.push_back({static_cast<uint32_t>(argument), static_cast<uint32_t>(result)});
  }
  return kept;
}

// ---- Changes ------------------------------------------------------------------------------------

BlockPlace FoldedProgram::place_of(const SourceChange& change) const {
  return model_.network().blocks[static_cast<std::size_t>(change.node)];
}

FoldedProgram::ChangeKey FoldedProgram::key_of(const SourceChange& change,
                                               const BlockPlace& place) {
  return {place.member, change.kind, change.port, change.is_input};
}

/// Returns the remaining uses of a copy, in the folded program. A use in a removed block becomes
/// the use in the block that reads the value in its place.
std::vector<ir::Use> FoldedProgram::folded_uses(const SourceChange& change) const {
  std::vector<ir::Use> uses;
  for (ir::Use use : change.uses) {
    if (is_removed(place_of(use.op).block)) use.op = replacement(use.op, place_of(change).block);
    if (!use.op.valid()) continue;
    use.op = new_op_.at(use.op);
    if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
  }
  // Ids are in program order, because the ops were created in this order.
  std::ranges::sort(uses, {},
                    [](const ir::Use& use) { return std::pair(use.op.index(), use.operand); });
  return uses;
}

std::optional<SourceChange> FoldedProgram::folded(const SourceChange& change) const {
  SourceChange folded = change;
  switch (change.kind) {
    case SourceChange::Kind::Argument:
    case SourceChange::Kind::Result: {
      const bool is_argument = change.kind == SourceChange::Kind::Argument;
      if (change.op.valid()) {
        folded.op = new_op_.at(change.op);
        return folded;
      }
      const int32_t index = (is_argument ? argument_at_ : result_at_)[change.index];
      folded.index = static_cast<uint32_t>(index);
      return index < 0 ? std::nullopt : std::optional(std::move(folded));
    }
    case SourceChange::Kind::Constraint:
    case SourceChange::Kind::Manual:
    case SourceChange::Kind::OpResults: {
      const auto op = new_op_.find(change.op);
      if (op == new_op_.end()) return std::nullopt;
      folded.op = op->second;
      return folded;
    }
    case SourceChange::Kind::Copy:
      break;
  }
  if (is_removed(place_of(change).block)) return std::nullopt;
  folded.uses = folded_uses(change);
  if (folded.uses.empty()) return std::nullopt;
  const ir::Use& first = folded.uses.front();
  folded.value = module_.operand(first.op, first.operand);
  return folded;
}

std::optional<FoldedChanges> FoldedProgram::fold(std::span<const SourceChange> all) const {
  std::map<int32_t, std::map<ChangeKey, std::vector<TensorSharding>>> by_block;
  for (const SourceChange& change : all) {
    const BlockPlace place = place_of(change);
    const bool is_middle = place.block >= kept_ - 1 && place.block < last_;
    if (is_middle) by_block[place.block][key_of(change, place)] = change.shardings;
  }
  for (int32_t block = kept_; block < last_; ++block) {
    if (by_block[block] != by_block[kept_ - 1]) return std::nullopt;
  }
  /// A remaining change, in the order of its group.
  struct Member {
    std::size_t group;
    int32_t rank;  // of the block: 0 for the model
    std::size_t whole;
    SourceChange change;
  };
  std::vector<Member> members;
  std::map<ChangeKey, std::size_t> groups;
  for (std::size_t at = 0; at < all.size(); ++at) {
    auto change = folded(all[at]);
    if (!change) continue;
    const BlockPlace place = place_of(all[at]);
    std::size_t group = at;
    if (place.block >= 0) group = groups.try_emplace(key_of(all[at], place), at).first->second;
    const int32_t rank = place.block == kept_ - 1 ? 0 : last_ + after_ - place.block;
    members.push_back({group, rank, at, *std::move(change)});
  }
  std::ranges::stable_sort(members, {},
                           [](const Member& each) { return std::pair(each.group, each.rank); });
  FoldedChanges found;
  for (Member& each : members) {
    found.folded.changes.push_back(std::move(each.change));
    found.folded.groups.push_back(each.group);
    found.whole.push_back(each.whole);
  }
  return found;
}

std::vector<SourceChange> FoldedProgram::unfold(std::span<const SourceChange> all,
                                                const FoldedChanges& folded,
                                                std::span<const SourceChange> kept) const {
  std::set<std::size_t> is_whole;         // indices of changes that remain in the folded program
  std::set<std::size_t> is_kept;          // those of them that are kept
  std::set<ChangeKey> is_kept_in_blocks;  // keys of the kept changes of the model
  std::size_t next = 0;
  for (std::size_t at = 0; at < folded.whole.size(); ++at) {
    is_whole.insert(folded.whole[at]);
    if (next == kept.size() || !(kept[next] == folded.folded.changes[at])) continue;
    ++next;
    is_kept.insert(folded.whole[at]);
    const SourceChange& change = all[folded.whole[at]];
    const BlockPlace place = place_of(change);
    if (place.block == kept_ - 1) is_kept_in_blocks.insert(key_of(change, place));
  }
  std::vector<SourceChange> changes;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const BlockPlace place = place_of(all[at]);
    const bool is_in_block = !is_whole.contains(at) && is_removed(place.block);
    const bool stays = is_in_block ? is_kept_in_blocks.contains(key_of(all[at], place))
                                   : !is_whole.contains(at) || is_kept.contains(at);
    if (stays) changes.push_back(all[at]);
  }
  return changes;
}

}  // namespace shardy::autoshard
