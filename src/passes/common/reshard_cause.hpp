// The op for which a reshard was inserted although no sharding of the program requires it.
#pragma once

#include <optional>
#include <string>

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Attribute of the reshard and of the collectives it becomes. Spec: partitioning 5.10.
inline constexpr const char* kCauseAttr = "sdy.cause";

/// Attribute, during compilation, of ops whose results have the shardings of the source program,
/// and of such results of functions.
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
