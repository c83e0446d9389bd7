// The inputs of the type rules of ops, and shared checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/result.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

using Types = std::vector<Type>;
using Dims = std::vector<int64_t>;

/// One op, made or about to be made. Rules have no other input, so inference and verification use
/// the same rule. Views; valid during the call only.
struct OpFacts {
  const Module& module;
  OpKind kind;
  std::span<const ValueId> operands;
  std::span<const Type> result_types;  // as written; empty if they are to be inferred
  const AttributeMap& attributes;
  std::span<const RegionId> regions;
  OpId op = {};  // invalid for one that is about to be made

  std::size_t num_operands() const { return operands.size(); }
  const Type& operand_type(std::size_t index) const { return module.type(operands[index]); }
  Types operand_types() const;
};

// ---- Words for messages -------------------------------------------------------------------------

inline std::string operand_name(std::size_t index) { return "operand " + std::to_string(index); }

// ---- Types --------------------------------------------------------------------------------------

/// Element classes as a bit set, named by the letters of stablehlo 17.
enum ClassMask : uint8_t {
  kP = 1,   // i1
  kS = 2,   // signed
  kU = 4,   // unsigned
  kF = 8,   // float
  kC = 16,  // complex
  kAnyClass = kP | kS | kU | kF | kC
};

bool in_class(ElementType element, unsigned mask);
/// `floats or complex numbers`.
std::string class_text(unsigned mask);

/// Checks for equal sizes; a dynamic size equals any.
bool compatible_dims(std::span<const int64_t> a, std::span<const int64_t> b);
/// Returns true if the types are equal, except dynamic sizes and the unknown parts of foreign
/// types.
bool compatible(const Type& a, const Type& b);
/// Checks for a type that rules cannot check: of another dialect, or with an encoding.
bool is_foreign(const Type& type);
/// Checks for a tensor, also with elements of another dialect or of unknown rank.
bool is_any_tensor(const Type& type);
/// Merges two compatible shapes: each dim is static if one of the two is.
Dims merged_dims(std::span<const int64_t> a, std::span<const int64_t> b);
/// A rank-0 tensor of that element type.
bool is_scalar(const Type& type, ElementType element);
bool is_scalar(const Type& type);

Status expect_tensor(const OpFacts& op, std::size_t index);
Status expect_class(const OpFacts& op, std::size_t index, unsigned mask);
/// Checks that all operands from `first` on have the element type of operand `reference`.
Status expect_element_of(const OpFacts& op, std::size_t index, std::size_t reference);
/// Checks for the same element type and compatible shapes.
Status expect_type_of(const OpFacts& op, std::size_t index, std::size_t reference);
Status expect_scalar(const OpFacts& op, std::size_t index);
/// A tensor of one type, as one result.
Result<Types> one_tensor(Dims dims, ElementType element);
/// Checks whether the rule of a kind takes its one result type, a tensor, from the text.
bool writes_one_tensor(OpKind kind);
/// The only written result type, which is_any_tensor. Errors: no or several types; not a tensor.
Result<Type> written_result(const OpFacts& op);
/// Returns the only result type of the text. Errors: no or several result types; not a tensor.
Result<Type> written_tensor(const OpFacts& op);

// ---- Attributes ---------------------------------------------------------------------------------

template <typename T>
Result<const T*> required(const OpFacts& op, std::string_view name, std::string_view form) {
  return required_attribute<T>(op.attributes, name, form);
}

/// Checks that the enumerator of that name, if present, is a word listed in the row of the op.
Status expect_enumerator(const OpFacts& op, std::string_view name);
/// Checks for one element per dim of operand 0.
Status expect_one_per_dim(const OpFacts& op, std::string_view what, std::span<const int64_t> list);

/// Checks 0 <= dim < rank.
Status expect_dim(std::string_view what, int64_t dim, std::size_t rank);
/// Checks that all dims are in range and none is repeated.
Status expect_unique_dims(std::string_view what, std::span<const int64_t> dims, std::size_t rank);

// ---- Regions ------------------------------------------------------------------------------------

/// The entry block of region `index`.
BlockId region_block(const OpFacts& op, std::size_t index);
/// Returns the operand types of the terminator of the region.
Types returned_types(const OpFacts& op, std::size_t index);
/// The types of the arguments of the region's entry block.
Types region_arg_types(const OpFacts& op, std::size_t index);

/// The op that combines two partial values.
OpKind reducer_of(ReductionOp reduction);
/// The reduction that this op combines by; std::nullopt except for sums, maxima and minima.
std::optional<ReductionOp> reduction_of(OpKind reducer);

/// Returns whether a collective of sdy reduces partial values: an all-reduce or a reduce-scatter.
bool completes_reduction(OpKind kind);
/// Returns whether a collective of sdy takes an operand without sharding. Spec: dialect 4.
bool allows_missing_input_sharding(OpKind kind);

/// Returns `reduction_op` of a verified collective of sdy; Sum if the op does not have it.
ReductionOp collective_reduction(const Module& module, OpId collective);
/// The axes over which the collective reduces, major to minor, dim by dim. Requires:
/// completes_reduction.
AxisList combined_axes(const Module& module, OpId collective);

}  // namespace shardy::ir
