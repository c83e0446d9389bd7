// The verifier, inference of result types, and resolution of shardings.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

namespace shardy::ir {

/// Infers the result types of an op.
///
/// Checks all constraints of StableHLO and the dialects on operands, attributes and region types.
/// spec.result_types provides the types that operands and attributes do not determine: the result
/// types of unknown ops, and of convert, reshape, broadcast_in_dim, iota, undef, custom_call, the
/// dynamic ops and other ops that docs/mlir.md (Verification) lists; the element type of
/// dot_general and convolution. Other ops ignore spec.result_types. Requires: operands and regions
/// are of `module`. Errors:
/// `'stablehlo.add' op operand 1 must have the type of operand 0, ...`. Spec: stablehlo 15.1,
/// dialect 3, partitioning 4.2.
Result<std::vector<Type>> infer_result_types(const Module& module, const OpSpec& spec);

/// Replaces unresolved shardings and axes by resolved ones: `sdy.sharding` of ops, arguments and
/// results, and the attributes of the sdy and spmd ops. Other attributes are unchanged. A sharding
/// with an error stays unresolved.
///
/// Returns all errors of algebra 9.1 to 9.3 except step 9, in program order. After the op's name,
/// messages have the prefixes of dialect 1 and 3. Error::location is the location of the op.
Diagnostics resolve(Module& module);

/// Returns the first error of each invalid op; empty if the module is valid. Order: first errors of
/// structure, types and attached attributes, where nested ops precede their parents; then errors of
/// symbols that sdy ops refer to, in program order.
///
/// Checks structure (dominance of operands, counts, regions, terminators), types against
/// infer_result_types, attributes, functions and symbols, shardings and rules, and the sdy ops.
/// Accepts any module that can be built, however invalid. Unresolved shardings are errors; resolve
/// replaces them. Error::location is the location of the op. Stops after `max_errors` errors. Spec:
/// dialect 10, algebra 9, stablehlo 15.1, partitioning 4.6.
Diagnostics verify(const Module& module, std::size_t max_errors = SIZE_MAX);

/// Verifies operands, attributes, regions and types of one op, but not its parent, shardings and
/// symbols.
Status verify_types(const Module& module, OpId op);

/// Returns warnings, in program order. A collective: the unreduced axes of the result are not the
/// unreduced axes of the operand without the axes that the op reduces. A mesh, not maximal or
/// empty: its number of devices differs from the first such mesh. Error::location is the location
/// of the op. Requires: verify accepts the module. Spec: dialect 10 (option `strict`), D3, 11;
/// algebra 1.5.
Diagnostics verify_strict(const Module& module);

/// Returns the error `message` for a module without a main function. The error is located at the
/// first function, and a note lists the names of up to 10 functions. If main has no body, the error
/// is located at main, and the note reports this. Requires: module.main_function() is std::nullopt,
/// or has no body.
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
                    &OpId::value);  // source order, which passes do not change
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
