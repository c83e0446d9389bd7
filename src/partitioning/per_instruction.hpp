// sdy-per-instruction-partitioning. Spec: passes 5.19, partitioning 10.5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/partitioning/foreign.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// Filter of the candidates: `dot,selectLow=3,selectHigh=7`.
struct InstructionFilter {
  std::optional<int64_t> low, high;  // inclusive bounds of op numbers
  std::vector<std::string>
      parts;  // substrings, one of which the op name must contain; empty: any name

  bool takes(int64_t number, std::string_view name) const;
};

/// Parses a filter; invalid numbers are ignored.
InstructionFilter read_instruction_filter(std::string_view text);

struct InstructionOptions {
  InstructionFilter filter = {};
  bool by_reference = false;  // by Shardy's passes; the other options are for these
  bool enable_halo_exchange = true;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
};

/// Wraps each chosen op, partitioned, in a manual computation. Ops that cannot be partitioned alone
/// stay, with a warning. Errors: an op whose shardings have no common mesh.
passes::PassErrors partition_instructions(ir::Module& module, const InstructionOptions& options,
                                          const ForeignLowerings& lowerings,
                                          passes::PassContext& context);
/// Runs as a pass whose options choose the ops. Errors: also replicas and partitions both above 1.
passes::PassErrors partition_instructions(ir::Module& module, const ForeignLowerings& lowerings,
                                          passes::PassContext& context);

}  // namespace shardy::partitioning
