// The op that a reshard was inserted for, if no sharding of the program requires it.
#pragma once

#include <optional>
#include <string>

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Kept on the reshard, and on the collectives that it becomes. Spec: partitioning 5.10.
inline constexpr const char* kCauseAttr = "sdy.cause";

/// Stands, while a program is compiled, on the ops whose results have shardings as it was written,
/// and among the attributes of such results of a function.
inline constexpr const char* kWrittenAttr = "sdy.written";

struct ReshardCause {
  std::string op;      // "stablehlo.sort"
  std::string tensor;  // "operand 0"
  std::string reason;
};

void set_cause(ir::Module& module, ir::OpId op, const ReshardCause& cause);
std::optional<ReshardCause> cause_of(const ir::Module& module, ir::OpId op);
/// Copies the cause of `from` to `to`.
void copy_cause(ir::Module& module, ir::OpId from, ir::OpId to);

}  // namespace shardy::passes
