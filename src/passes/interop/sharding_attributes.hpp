// The attributes, custom calls and places of foreign shardings in a module. Spec: interop 1 to 4,
// 10.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/text.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::passes {

// ---- Names, targets, keys and places ------------------------------------------------------------

inline constexpr std::string_view kMhloShardingAttr = "mhlo.sharding";
inline constexpr std::string_view kMhloAttributesAttr = "mhlo.attributes";
inline constexpr std::string_view kFrontendAttr = "mhlo.frontend_attributes";
inline constexpr std::string_view kNumPartitionsAttr = "mhlo.num_partitions";
/// The attributes of a module whose main is partitioned: one text per argument, and one text for
/// all results.
inline constexpr std::string_view kSpmdParametersAttr = "mhlo.spmd_parameters_shardings";
inline constexpr std::string_view kSpmdOutputAttr = "mhlo.spmd_output_sharding";

/// The attribute with the global type of a local value in per-device programs.
inline constexpr std::string_view kGlobalTypeAttr = "spmd.global_type";
inline constexpr std::string_view kPerDeviceAttr = "spmd.per_device";

/// The name of XLA's op that copies a value to a sharding.
inline constexpr std::string_view kMhloCopy = "mhlo.copy";

/// The targets of custom calls.
namespace target {
inline constexpr std::string_view kSharding = "Sharding";
inline constexpr std::string_view kFullToShard = "SPMDFullToShardShape";
inline constexpr std::string_view kShardToFull = "SPMDShardToFullShape";
inline constexpr std::string_view kFuncResult = "xla.sdy.FuncResultSharding";
inline constexpr std::string_view kGroup = "xla.sdy.ShardingGroup";
inline constexpr std::string_view kBarrier = "xla.sdy.PropagationBarrier";
inline constexpr std::string_view kGlobalToLocal = "xla.sdy.GlobalToLocalShape";
inline constexpr std::string_view kLocalToGlobal = "xla.sdy.LocalToGlobalShape";
inline constexpr std::string_view kManual = "xla.sdy.ManualComputation";
}  // namespace target

/// A substring of the names of functions that are bodies of manual computations.
inline constexpr std::string_view kManualBody = "xla.sdy.manual_computation_body";

/// The prefix of the names of bodies whose calls may be inlined.
inline constexpr std::string_view kInlinableBody = "xla.sdy.inlinable_manual_computation_body";

/// The keys of frontend attributes.
namespace key {
inline constexpr std::string_view kPrefix = "xla.sdy.";
inline constexpr std::string_view kMeshes = "xla.sdy.meshes";
inline constexpr std::string_view kSharding = "xla.sdy.sharding";
inline constexpr std::string_view kRule = "xla.sdy.sharding_rule";
inline constexpr std::string_view kIn = "xla.sdy.in_shardings";
inline constexpr std::string_view kOut = "xla.sdy.out_shardings";
inline constexpr std::string_view kManualAxes = "xla.sdy.manual_axes";
inline constexpr std::string_view kGroupId = "xla.sdy.sharding_group_id";
inline constexpr std::string_view kOldGroupId = "sdy.sharding_group_id";
inline constexpr std::string_view kDirection = "xla.sdy.allowed_direction";
inline constexpr std::string_view kTupleArgs = "xla.sdy.tuple_args_shardings";
inline constexpr std::string_view kTupleResults = "xla.sdy.tuple_results_shardings";
inline constexpr std::string_view kUseTupleArgs = "xla.sdy.use_tuple_args";
inline constexpr std::string_view kUseTupleResults = "xla.sdy.use_tuple_results";
inline constexpr std::string_view kOriginalName = "xla.sdy.original_func_name";
inline constexpr std::string_view kHasUnreduced = "xla.sdy.has_unreduced_axes";
inline constexpr std::string_view kImportMhlo = "xla.sdy.import_mhlo_shardings";
}  // namespace key

/// A function argument, a function result, or an op.
struct AttributePlace {
  enum class Kind : uint8_t { Argument, Result, Op };

  ir::OpId op;  // the op, or the function of an argument or a result
  Kind kind = Kind::Op;
  std::size_t index = 0;
};

/// Returns a text such as `argument 0 of @main`, `stablehlo.add` or `custom call @Sharding`.
std::string place_text(const ir::Module& module, const AttributePlace& place);
/// Returns the subject of diagnostics about the sharding at the place.
DiagnosticSubject subject_of(const AttributePlace& place);
const ir::AttributeMap& attributes_at(const ir::Module& module, const AttributePlace& place);
ir::AttributeMap& attributes_at(ir::Module& module, const AttributePlace& place);
/// Returns an error at the location of the place.
tl::unexpected<Error> fail_at_place(const ir::Module& module, const AttributePlace& place,
                                    std::string message);

/// Returns all functions with their arguments, results and ops, and all other top-level ops, in the
/// order of the import. Spec: interop 5.1.
std::vector<AttributePlace> all_places(const ir::Module& module);

/// Returns the `mhlo.sharding` of a place, which may be inside of `mhlo.attributes`; null if it has
/// none.
const ir::Attribute* mhlo_sharding(const ir::AttributeMap& attributes);
void erase_mhlo_sharding(ir::AttributeMap& attributes);

/// Returns the dictionary of frontend attributes; null if none exists.
const ir::AttributeMap* frontend(const ir::AttributeMap& attributes);
/// Returns an entry of the frontend attributes; null if none exists.
const ir::Attribute* frontend_entry(const ir::AttributeMap& attributes, std::string_view key);
void erase_frontend(ir::AttributeMap& attributes, std::string_view key);
void set_frontend(ir::AttributeMap& attributes, std::string_view key, std::string value);

/// Returns the target of a custom call; empty for other ops.
std::string_view call_target(const ir::Module& module, ir::OpId op);
inline bool calls_target(const ir::Module& module, ir::OpId op, std::string_view target) {
  return call_target(module, op) == target;
}

/// Checks whether the target is a Python callback.
bool is_callback(std::string_view target);

/// Returns true for an mhlo.copy with one operand.
bool is_mhlo_copy(const ir::Module& module, ir::OpId op);

/// Returns the manual axes of all manual computations around an op, outermost first.
std::vector<std::string> manual_axes_around(const ir::Module& module, ir::OpId op);

// ---- Attributes of arguments that donate their buffers to results -------------------------------

/// The attribute of an argument that has the number of the result that reuses its buffer, such as
/// `0 : i32`.
inline constexpr std::string_view kAliasingOutputAttr = "tf.aliasing_output";
/// The attribute of an argument that is true if any result of equal type may reuse its buffer.
inline constexpr std::string_view kBufferDonorAttr = "jax.buffer_donor";

// ---- The text of frontend attributes: sdy attributes as strings. Spec: interop 4 ----------------

/// Removes one level of escapes: `\"`, `\'`, `\\`, `\n`, `\t`.
std::string unescaped_once(std::string_view text);

/// Returns the text of an entry. Requires: the entry exists. Error: the entry is not a string.
Result<std::string> frontend_text(const ir::Module& module, const AttributePlace& place,
                                  std::string_view key);

/// Parses the text of an entry as an sdy attribute. Error: `<key> of <place>: ... in "<text>"`.
Result<SdyAttribute> parse_frontend(const ir::Module& module, const AttributePlace& place,
                                    std::string_view key, const std::string& text);

/// Returns the entry as a `T`. Error: another kind of attribute; `what` is the name of the expected
/// kind.
template <class T>
Result<T> frontend_value(const ir::Module& module, const AttributePlace& place,
                         std::string_view key, std::string_view what) {
  SHARDY_TRY(const std::string text, frontend_text(module, place, key));
  SHARDY_TRY(SdyAttribute attribute, parse_frontend(module, place, key, text));
  if (T* value = std::get_if<T>(&attribute)) return std::move(*value);
  return fail_at_place(module, place,
                       std::string(key) + " of " + place_text(module, place) + ": expected " +
                           std::string(what) + " in \"" + text + "\"");
}

/// Parses `{mesh = #sdy.mesh<["x"=2]>, ...}`. Entries may be strings. Old meshes have no brackets.
Result<std::vector<std::pair<std::string, Mesh>>> parse_mesh_dictionary(std::string_view text);

/// Parses `12 : i64` or `12`. Error: other text.
Result<int64_t> parse_typed_integer(std::string_view text);

/// Returns the error for an entry with invalid text.
tl::unexpected<Error> bad_entry(const ir::Module& module, const AttributePlace& place,
                                std::string_view key, const Error& why, std::string_view text);

// ---- Attributes that resemble shardings but that no import reads. Spec: interop 10 --------------

/// Checks a module before an import. Reports one error for each misspelled name of a sharding
/// attribute, frontend attribute or custom call, each sharding text under another name, and each
/// sharding of a value that cannot have one.
Diagnostics expect_known_attributes(const ir::Module& module);

/// Returns an error for an unknown key with the prefix of sdy keys.
Status expect_known_keys(const ir::Module& module, const AttributePlace& place);

/// Returns an error for each sharding that no import read. `with_keys` includes frontend attributes
/// of sdy.
Diagnostics expect_none_left(const ir::Module& module, bool with_keys);

/// Returns an error for a custom call with an unknown target. The error has the most similar known
/// target.
Error unknown_target(const ir::Module& module, ir::OpId call, std::string_view why);

}  // namespace shardy::passes
