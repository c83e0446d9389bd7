// The types of an op's results, from its operands, attributes and regions.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// The types of the results that an op made from `spec` has to have.
///
/// Checks all that StableHLO and the dialects demand of operands, attributes and region types. Ops
/// whose results are free to choose (convert, reshape, broadcast_in_dim, iota, undef, and the
/// element type of dot_general) take them from spec.result_types, which is not looked at otherwise.
/// An unknown op has the result types of the spec. Requires: operands and regions are of `module`.
/// Errors: `'stablehlo.add' op operand 1 must have the type of operand 0, ...`.
/// Spec: stablehlo 15.1, dialect 3, partitioning 4.2.
Result<std::vector<Type>> infer_result_types(const Module& module, const OpSpec& spec);

}  // namespace shardy::ir
