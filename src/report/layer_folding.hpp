// A program without most of its equal blocks, such as the layers of a model. Changes of the program
// are compared in it.
//
//   blocks  0 - 1 - 2 - 3 - 4 - 5
//   kept    0 - 1 - - - - - - - 5   users of 4 read the values of 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::report {

/// Position of an element in a sequence of repeated blocks. Elements of different blocks with equal
/// `member` correspond.
struct BlockPosition {
  int32_t block = -1;   // number of the block, starting at 0; -1: the element is in no block
  int32_t member = -1;  // number of the element within the block
};

/// The repeated blocks of a sequence.
struct RepeatedBlocks {
  std::vector<BlockPosition> positions;  // per element of the sequence
  std::size_t num_members = 0;           // members of a block
  std::size_t num_runs = 0;              // runs of equal pieces; 0: no blocks
};

/// Returns equal numbers for ops with equal names, types, attributes except annotations, and
/// regions. Cost: linear in the ops.
std::vector<int32_t> numbers_of(const ir::Module& module, std::span<const ir::OpId> ops);

/// Finds the longest run of at least 4 equal pieces of a sequence, then runs before and after it,
/// at most `most_runs`. Piece k of a run belongs to the block k, or counted from an offset,
/// forwards or backwards, so that most linked elements are in one block. `linked` returns the
/// elements that are linked with an element. Cost: the length of the sequence times the longest
/// period (at most 4096), times the number of runs.
RepeatedBlocks repeated_blocks(std::span<const int32_t> sequence,
                               const std::function<std::vector<std::size_t>(std::size_t)>& linked,
                               std::size_t most_runs);

/// Returns a copy whose ids are in program order. Requires: each region has one block.
ir::Module renumbered(const ir::Module& module);

/// An op of main, and its block.
using PlacedOp = std::pair<ir::OpId, BlockPosition>;

/// A program without some of its blocks. Requires a main function with a body.
class FoldedModule {
 public:
  /// Removes the blocks b with !is_kept[b]. Users in the nearest kept blocks read the corresponding
  /// values of the kept block on the other side. std::nullopt if other ops read values of a removed
  /// block. Requires: `ops` are in the body of main; the first and the last block are kept. Cost:
  /// linear in the module.
  static std::optional<FoldedModule> make(const ir::Module& whole, std::span<const PlacedOp> ops,
                                          std::vector<bool> is_kept);

  const ir::Module& module() const { return module_; }
  /// Returns the position of an op of the whole program.
  BlockPosition position(ir::OpId op) const;
  /// Returns the op of the whole program at a position; invalid without one.
  ir::OpId op_at(BlockPosition position) const;
  bool is_removed(int32_t block) const {
    return block >= 0 && !is_kept_[static_cast<std::size_t>(block)];
  }
  /// Returns the op of a kept block that a user in `user_block` reads in place of an op of a
  /// removed block; invalid if the blocks are not next to each other.
  ir::OpId replacement(ir::OpId removed, int32_t user_block) const;

  // Ids and indices in the folded program; invalid or std::nullopt if removed.
  ir::OpId folded_op(ir::OpId op) const;
  ir::ValueId folded_value(const ir::Module& whole, ir::ValueId value) const;
  std::optional<uint32_t> folded_argument(std::size_t index) const;
  std::optional<uint32_t> folded_result(std::size_t index) const;

 private:
  FoldedModule(ir::Module whole, std::span<const PlacedOp> ops, std::vector<bool> is_kept);

  bool remove_blocks(const ir::Module& whole);
  bool set_operands(ir::OpId op);
  void erase_results(ir::OpId end);
  void erase_arguments(const ir::Module& whole);
  void renumber();

  ir::Module module_;
  std::vector<bool> is_kept_;                              // per block
  std::unordered_map<ir::OpId, BlockPosition> positions_;  // never iterated
  std::map<std::pair<int32_t, int32_t>, ir::OpId> ops_;    // by block and member
  std::vector<std::optional<uint32_t>> argument_at_;       // by index in the whole program
  std::vector<std::optional<uint32_t>> result_at_;         // by index in the whole program
  std::unordered_map<ir::OpId, ir::OpId> new_op_;          // remaining ops; never iterated
};

}  // namespace shardy::report
