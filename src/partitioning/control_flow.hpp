// The walk over the ops of a function and of its regions, the lowering of ops with regions, and a
// check for branches that only some devices of a collective's group take.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// A walk that returns the next op of a function to lower and sets the position for its lowering.
///
/// Loops and branches keep their regions, with local types. Named and manual computations are
/// inlined. Spec: partitioning 9.
class ControlFlow {
 public:
  explicit ControlFlow(Lowering& lowering) : lowering_(lowering) {}

  void start(ir::BlockId source, ir::BlockId target);
  /// Returns the next op in program order and sets the emitter's position; invalid after the last
  /// op.
  ir::OpId next();

  static bool owns_walked_regions(ir::OpKind kind);
  /// Creates the per-device op of an op with regions. `next` then returns the ops of its regions.
  Status enter(ir::OpId op);
  /// Lowers the terminator of a region.
  Status leave(ir::OpId terminator);
  /// Returns the blocks of created regions, outer ones first.
  const std::vector<ir::BlockId>& made_blocks() const { return made_blocks_; }

 private:
  struct BlockFrame {
    ir::OpId next;       // op of the input program
    ir::BlockId target;  // block of the per-device program
  };

  void push(ir::BlockId source, ir::BlockId target);
  void enter_regions(ir::OpId op, std::size_t num_carried);
  bool was_if(ir::OpId op) const;
  ir::OpId made_if(ir::OpId op, std::vector<ir::Type> types, std::vector<ir::RegionId> regions);
  void enter_named(ir::OpId op);
  void enter_manual(ir::OpId op);
  PartitionedValue into_manual(ir::OpId op, std::size_t index);
  PartitionedValue out_of_manual(ir::OpId op, ir::OpId terminator, std::size_t index);
  Layout outer_layout(ir::OpId op, const ir::Type& type, bool is_input, std::size_t index) const;
  Layout whole(const PartitionedValue& value) const;

  Lowering& lowering_;
  std::vector<BlockFrame> frames_;
  std::vector<ir::BlockId> made_blocks_;
};

/// The largest number of devices for which predicates are computed. For more devices, `run` reports
/// the divergence.
inline constexpr int64_t kMostComparedDevices = 4096;

/// Returns an error E_DIVERGENT for each branch with a collective that only some devices of a group
/// reach. Covers branches whose predicate depends only on the device id and on constants; the run
/// checks the other branches. Requires: a verified per-device program. Cost: linear in the program;
/// times
/// the number of devices if such a branch exists. Spec: partitioning 4.6.
Diagnostics divergent_collectives(const ir::Module& program);

}  // namespace shardy::partitioning
