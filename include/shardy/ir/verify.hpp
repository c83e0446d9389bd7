// The verifier of modules.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// The first error of every op that has one; none if the module is well formed. Order: structure,
/// types and attached attributes, nested ops before those around them; then what the sdy ops say of
/// symbols, in program order.
///
/// Checks structure (operands visible and defined before their use, counts, regions, terminators),
/// types against infer_result_types, attributes, functions and symbols, shardings and rules, the
/// sdy ops. Takes any module that can be built, however broken. Shardings must be resolved before
/// (resolve.hpp): a spelled one where a sharding has a meaning is an error. Error::location is the
/// location of the op. Looks no further once it has `max_errors`.
/// Spec: dialect 10, algebra 9, stablehlo 15.1, partitioning 4.6.
std::vector<Error> verify(const Module& module, std::size_t max_errors = SIZE_MAX);

/// Verifies one op by itself: its operands, attributes, regions and types, but not
/// its parent, shardings and symbols.
Status verify_types(const Module& module, OpId op);

}  // namespace shardy::ir
