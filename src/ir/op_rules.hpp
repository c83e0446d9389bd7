// One row per op: how many operands and regions it has, what follows for its results, what else is
// checked.
#pragma once

#include <cstddef>
#include <limits>

#include "op_facts.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

struct Count {
  std::size_t least = 0;
  std::size_t most = 0;

  bool holds(std::size_t count) const { return count >= least && count <= most; }
};

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr Count exactly(std::size_t count) { return {count, count}; }
constexpr Count at_least(std::size_t count) { return {count, kAnyNumber}; }

/// What a kind demands beyond the types: of what stands around it, of its shardings. Called for ops
/// whose counts, blocks and types are right.
using VerifyFunction = Status (*)(const VerifyContext&, OpId);

struct OpRule {
  OpKind kind;
  Count operands;
  Count regions;
  OpKind terminator;  // of the blocks of its regions; Unknown if they have none
  InferFunction infer;
  VerifyFunction verify = nullptr;
  // After the attributes that any op may have: looks at shardings of other values.
  VerifyFunction verify_uses = nullptr;
};

/// Requires: a kind of the table, not Unknown.
const OpRule& rule_of(OpKind kind);

/// Whether a region of such an op may end in this terminator: that of a function in any that
/// returns.
bool may_end_region(OpKind owner, OpKind terminator);

/// Operand and region counts, one block per region that ends in the right terminator.
Status check_structure(const OpFacts& op);
/// Adds `'stablehlo.add' op ` in front.
Error named(std::string_view op_name, Error error);

}  // namespace shardy::ir
