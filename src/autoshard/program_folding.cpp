// Maps the annotations of a program to the program without most of its equal blocks.
#include "autoshard/program_folding.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace shardy::autoshard {

using ir::Module;

namespace {

/// Returns the ops of the blocks. Empty if an op is inlined or not in the body of main.
std::vector<report::PlacedOp> placed_ops(const ProgramModel& model, const Module& searched) {
  const std::vector<BlockPlace>& blocks = model.network().blocks;
  const ir::BlockId body = searched.entry(*searched.main_function());
  std::vector<report::PlacedOp> ops;
  for (std::size_t node = 0; node < blocks.size(); ++node) {
    const ModelNode& each = model.nodes()[node];
    if (each.kind != ModelNode::Kind::Op || blocks[node].block < 0) continue;
    const bool is_known = each.op.index() < searched.num_ops() && !searched.is_erased(each.op) &&
                          searched.parent_block(each.op) == body;
    if (!is_known) return {};
    ops.push_back({each.op, {blocks[node].block, blocks[node].member}});
  }
  return ops;
}

/// Checks whether the blocks from `first` to `last` have ops of equal members.
bool are_equal_blocks(std::span<const report::PlacedOp> ops, int32_t first, int32_t last) {
  std::map<int32_t, std::set<int32_t>> members;
  for (const auto& [op, position] : ops) members[position.block].insert(position.member);
  for (int32_t block = first; block <= last; ++block) {
    if (members[block] != members[first]) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<FoldedProgram> FoldedProgram::make(const ProgramModel& model,
                                                   const Module& searched, int32_t before,
                                                   int32_t after) {
  int32_t count = 0;
  for (const BlockPlace& place : model.network().blocks) count = std::max(count, place.block + 1);
  const int32_t last = count - after;
  const std::vector<report::PlacedOp> ops = placed_ops(model, searched);
  if (ops.empty() || last - before < 2 || !are_equal_blocks(ops, before - 1, last)) return nullptr;
  std::vector<bool> is_kept(static_cast<std::size_t>(count), true);
  for (int32_t block = before; block < last; ++block) {
    is_kept[static_cast<std::size_t>(block)] = false;
  }
  auto folded = report::FoldedModule::make(searched, ops, std::move(is_kept));
  if (!folded) return nullptr;
  return std::unique_ptr<FoldedProgram>(
      new FoldedProgram(model, *std::move(folded), before, after, last));
}

std::vector<ModelTie> FoldedProgram::ties(std::span<const ModelTie> all) const {
  std::vector<ModelTie> kept;
  for (const ModelTie& tie : all) {
    const auto argument = folded_.folded_argument(tie.argument);
    const auto result = folded_.folded_result(tie.result);
    if (argument && result) kept.push_back({*argument, *result});
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
    if (is_removed(folded_.position(use.op).block)) {
      use.op = folded_.replacement(use.op, place_of(change).block);
    }
    if (!use.op.valid()) continue;
    use.op = folded_.folded_op(use.op);
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
        folded.op = folded_.folded_op(change.op);
        if (!folded.op.valid()) return std::nullopt;
        return folded;
      }
      const auto index =
          is_argument ? folded_.folded_argument(change.index) : folded_.folded_result(change.index);
      if (!index) return std::nullopt;
      folded.index = *index;
      return folded;
    }
    case SourceChange::Kind::Constraint:
    case SourceChange::Kind::Manual:
    case SourceChange::Kind::OpResults: {
      folded.op = folded_.folded_op(change.op);
      if (!folded.op.valid()) return std::nullopt;
      return folded;
    }
    case SourceChange::Kind::Copy:
      break;
  }
  if (is_removed(place_of(change).block)) return std::nullopt;
  folded.uses = folded_uses(change);
  if (folded.uses.empty()) return std::nullopt;
  const ir::Use& first = folded.uses.front();
  folded.value = module().operand(first.op, first.operand);
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
