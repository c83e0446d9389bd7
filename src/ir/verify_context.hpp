// The context of an op that is being verified, and the checks that take it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/detail/op_attributes.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The manual axes of the enclosing manual computations by name. Each axis has the outermost op
/// that binds it.
using ManualScope = std::map<std::string, OpId, std::less<>>;

struct VerifyContext {
  const Module& module;
  const ManualScope& scope;
  OpId op = {};  // the op whose symbols are looked up
  // False if no nested module, whose symbols come first, is around the op.
  bool in_nested_module = true;
};

// ---- verify_sharding.cpp: shardings on values ---------------------------------------------------

/// Returns the error as one about the sharding of its op, argument or result.
inline Error about_sharding(Error error) {
  error.subject.is_sharding = true;
  return error;
}
/// Returns the error as one about an argument or result of a function, with `arg 3 - ` or
/// `result 0 - ` before its message. Requires: a kind other than Op.
inline Error about_function_value(DiagnosticSubject::Kind kind, std::size_t index, Error error) {
  error.subject.kind = kind;
  error.subject.index = static_cast<uint32_t>(index);
  const std::string side = kind == DiagnosticSubject::Kind::Argument ? "arg " : "result ";
  return with_prefix(side + std::to_string(index) + " - ", std::move(error));
}
/// Returns an error with a note that has the location of the enclosing manual computation `parent`.
Status fail_of_parent(const VerifyContext& context, std::string message, OpId parent);
/// Errors: a manual computation around the op, at any depth, has already bound the axis.
Status expect_free_axis(const VerifyContext& context, std::string_view axis);
/// Checks a resolved sharding for a value of this type by algebra 9.2. The mesh must equal the mesh
/// of that name in the module.
Status verify_sharding(const VerifyContext& context, const TensorSharding& sharding,
                       const Type& type);
/// Checks one sharding per value by algebra 9.3. `prefix`, such as `result `, starts the error
/// messages.
Status verify_per_value(const VerifyContext& context, std::span<const TensorSharding> shardings,
                        std::span<const Type> types, std::string_view prefix);
/// Checks `sdy.sharding` and `sdy.sharding_rule` of any op, and the shardings of a function's
/// arguments and results. Spec: dialect 1.2, 1.3.
Status verify_attached(const VerifyContext& context, OpId op);

// ---- verify_sharding.cpp ------------------------------------------------------------------------
// ---------------------------------------------------------------------------

/// Checks `sdy.propagation_edges` of any op, and the attributes that hold arrays of edges. Spec:
/// dialect 8.2.
Status verify_debug(const VerifyContext& context, OpId op);

// ---- verify.cpp: functions, symbols, terminators ------------------------------------------------

Status verify_nested_module(const VerifyContext& context, OpId op);
Status verify_function(const VerifyContext& context, OpId op);
Status verify_mesh(const VerifyContext& context, OpId op);
Status verify_terminator(const VerifyContext& context, OpId op);

// ---- verify_sharding.cpp: ops that carry shardings ----------------------------------------------

Status verify_reshard(const VerifyContext& context, OpId op);
Status verify_named_computation(const VerifyContext& context, OpId op);
/// Checks that no surrounding op binds the manual axes of the op.
Status verify_manual_scope(const VerifyContext& context, OpId op);
Status verify_manual_computation(const VerifyContext& context, OpId op);
Status verify_data_flow_edge(const VerifyContext& context, OpId op);
Status verify_func_data_flow_edge(const VerifyContext& context, OpId op);

// ---- verify_collective.cpp ----------------------------------------------------------------------

/// Verifies the rules of all sdy collectives. Spec: dialect 4.1.
Status verify_collective_interface(const VerifyContext& context, OpId op);
/// Verifies the rules of the kind of collective. Spec: dialect 4.3 to 4.6.
Status verify_collective(const VerifyContext& context, OpId op);

}  // namespace shardy::ir
