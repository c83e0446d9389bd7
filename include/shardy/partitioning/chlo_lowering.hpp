// Lowering of CHLO ops to StableHLO ops, for compilers that support only StableHLO.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

namespace shardy::partitioning {

/// An op kind outside of StableHLO, with the number of its ops in a program.
struct OtherDialectOp {
  std::string name;   // name of the op kind: `chlo.top_k`, `check.expect_eq`
  int64_t count = 0;  // number of ops
  Location location;  // location of the first op; empty if unknown
  bool operator==(const OtherDialectOp&) const = default;
};

/// Returns the ops of dialects other than stablehlo, func and sdy meshes, by name. Cost: linear in
/// the program.
std::vector<OtherDialectOp> other_dialect_ops(const ir::Module& module);

/// Returns a note per op kind that a compiler for only StableHLO rejects.
Diagnostics notes_of_other_dialects(const ir::Module& module);

/// Replaces CHLO ops by StableHLO ops. `top_k` becomes a stable sort. Constants and predicates are
/// replaced. Functions of real numbers (erf, erfc, erf_inv, lgamma, digamma, square, tan, sinh,
/// cosh and the inverse functions) become expansions with relative errors of some units in the last
/// place of f32 or f64; narrower floats are computed in f32. Near their zeros, lgamma and digamma
/// have errors of this size relative to 1. Other ops, and ops on complex numbers or dynamic shapes,
/// stay unchanged. Spec: partitioning 4.8. Cost: linear in the program.
void lower_chlo(ir::Module& module);

}  // namespace shardy::partitioning
