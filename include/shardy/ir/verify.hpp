// The verifier of modules, inference of result types, and the resolution of shardings.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

namespace shardy::ir {

/// Inference of the result types of an op.
///
/// Checks all constraints of StableHLO and the dialects on operands, attributes and region types.
/// Ops with a choice of result types (convert, reshape, broadcast_in_dim, iota, undef, and the
/// element type of dot_general) take them from spec.result_types, which is otherwise ignored. An
/// unknown op has the result types of the spec. Requires: operands and regions are of `module`.
/// Errors: `'stablehlo.add' op operand 1 must have the type of operand 0, ...`. Spec: stablehlo
/// 15.1, dialect 3, partitioning 4.2.
Result<std::vector<Type>> infer_result_types(const Module& module, const OpSpec& spec);

/// Replaces unresolved shardings and axes by resolved ones wherever the dialect gives them a
/// meaning: `sdy.sharding` of ops, arguments and results, the attributes of the sdy and spmd ops.
/// Others stay as written. A sharding with an error stays unresolved.
///
/// Errors, in program order, all errors of an op: algebra 9.1 to 9.3 except step 9, with the
/// prefixes of dialect 1 and 3 after the op's name; `location` is that of the op.
Diagnostics resolve(Module& module);

/// The first error of every op that has one; none if the module is well formed. Order: structure,
/// types and attached attributes, nested ops before those around them; then symbols that sdy ops
/// refer to, in program order.
///
/// Checks structure (operands visible and defined before their use, counts, regions, terminators),
/// types against infer_result_types, attributes, functions and symbols, shardings and rules, the
/// sdy ops. Accepts any module that can be built, however invalid. Requires resolved shardings (see
/// resolve): an unresolved one is an error. Error::location is the location of the op. Looks no
/// further once it has `max_errors`. Spec: dialect 10, algebra 9, stablehlo 15.1, partitioning 4.6.
Diagnostics verify(const Module& module, std::size_t max_errors = SIZE_MAX);

/// Verifies one op by itself: its operands, attributes, regions and types, but not
/// its parent, shardings and symbols.
Status verify_types(const Module& module, OpId op);

/// Warnings, in program order: collectives whose unreduced axes change other than by the axes that
/// they reduce; meshes with different numbers of devices (maximal and empty ones aside).
/// Error::location is the location of the op. Requires: verify accepts the module.
/// Spec: dialect 10 (option `strict`), D3, 11; algebra 1.5.
Diagnostics verify_strict(const Module& module);

/// The error of a module without a main function: `message` at the first function, with a list of
/// all functions. Requires: module.main_function() is std::nullopt, or has no body.
Error no_main_function(const Module& module, std::string message);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <utility>

namespace shardy::ir {

SHARDY_INLINE Error no_main_function(const Module& module, std::string message) {
  constexpr std::size_t kMaxNames = 10;
  std::vector<OpId> functions = module.functions();
  std::ranges::sort(functions, {},
                    &OpId::value);  // in source order, independent of moves by passes
  Error error{std::move(message), {}, {}};
  if (functions.empty()) {
    error.notes.emplace_back("the module has no function");
    return error;
  }
  error.location = module.source_location(functions.front());
  if (module.main_function()) {
    error.location = module.source_location(*module.main_function());
    error.notes.emplace_back("it is declared, but has no body");
    return error;
  }
  std::string names;
  for (std::size_t index = 0; index < functions.size() && index < kMaxNames; ++index) {
    names += (index == 0 ? "@" : ", @") + std::string(module.symbol_name(functions[index]));
  }
  if (functions.size() > kMaxNames) {
    names += " and " + std::to_string(functions.size() - kMaxNames) + " more";
  }
  error.notes.push_back(
      "of several functions the one that starts the program is called @main; "
      "the module has " +
      names);
  return error;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
