// The input of the type rules of ops, checks that the rules share, and structural checks, which run
// before the checks of types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/detail/axis_check.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/result.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

using Types = std::vector<Type>;
using Dims = std::vector<int64_t>;

/// The facts about one op that exists or is about to be made. Type rules have no other input, so
/// inference and verification use the same rule. The members are views, valid during the call of
/// the rule only.
struct OpFacts {
  const Module& module;
  OpKind kind;
  std::span<const ValueId> operands;
  std::span<const Type> result_types;  // as written; empty if the rule must infer them
  const AttributeMap& attributes;
  std::span<const RegionId> regions;
  OpId op = {};  // invalid for an op that is about to be made

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
  kS = 2,   // signed integers
  kU = 4,   // unsigned integers
  kF = 8,   // floats
  kC = 16,  // complex numbers
  kAnyClass = kP | kS | kU | kF | kC
};

bool in_class(ElementType element, unsigned mask);
/// Returns the names of the classes, such as `floats or complex numbers`.
std::string class_text(unsigned mask);

/// Checks that the sizes are equal. A dynamic size equals any size.
bool compatible_dims(std::span<const int64_t> a, std::span<const int64_t> b);
/// Checks that the types are equal, apart from dynamic sizes and from the parts of foreign types
/// that are not modelled.
bool compatible(const Type& a, const Type& b);
/// Checks whether the type rules cannot check a type: a type of another dialect, or a tensor with
/// an encoding.
bool is_foreign(const Type& type);
/// Checks whether the type is a tensor. The elements may be of another dialect, and the rank may be
/// unknown.
bool is_any_tensor(const Type& type);
/// Merges two compatible shapes. A dim of the result is static if it is static in one of the
/// shapes.
Dims merged_dims(std::span<const int64_t> a, std::span<const int64_t> b);
/// Checks whether the type is a rank-0 tensor of the element type.
bool is_scalar(const Type& type, ElementType element);
bool is_scalar(const Type& type);

Status expect_tensor(const OpFacts& op, std::size_t index);
Status expect_class(const OpFacts& op, std::size_t index, unsigned mask);
/// Checks that all operands from `first` on have the element type of operand `reference`.
Status expect_element_of(const OpFacts& op, std::size_t index, std::size_t reference);
/// Checks that operand `index` has the element type of operand `reference` and a compatible shape.
Status expect_type_of(const OpFacts& op, std::size_t index, std::size_t reference);
Status expect_scalar(const OpFacts& op, std::size_t index);
/// Returns a list of one tensor type.
Result<Types> one_tensor(Dims dims, ElementType element);
/// Checks whether the rule of a kind takes the single result type, a tensor, from the text.
bool writes_one_tensor(OpKind kind);
/// Returns the single written result type, for which is_any_tensor holds. Errors: no or several
/// types; not a tensor.
Result<Type> written_result(const OpFacts& op);
/// Returns the single written result type, a tensor type that the rules can check. Errors: no or
/// several types; not a tensor.
Result<Type> written_tensor(const OpFacts& op);

// ---- Attributes ---------------------------------------------------------------------------------

template <typename T>
Result<const T*> required(const OpFacts& op, std::string_view name, std::string_view form) {
  return required_attribute<T>(op.attributes, name, form);
}

/// Checks that the enumerator attribute of that name, if present, is a word listed in the row of
/// the op.
Status expect_enumerator(const OpFacts& op, std::string_view name);
/// Checks that the list has one element per dim of operand 0.
Status expect_one_per_dim(const OpFacts& op, std::string_view what, std::span<const int64_t> list);

/// Checks 0 <= dim < rank.
Status expect_dim(std::string_view what, int64_t dim, std::size_t rank);
/// Checks that all dims are in range and none is repeated.
Status expect_unique_dims(std::string_view what, std::span<const int64_t> dims, std::size_t rank);

// ---- Regions ------------------------------------------------------------------------------------

/// Returns the entry block of region `index`.
BlockId region_block(const OpFacts& op, std::size_t index);
/// Returns the operand types of the terminator of the region.
Types returned_types(const OpFacts& op, std::size_t index);
/// Returns the types of the arguments of the entry block of region `index`.
Types region_arg_types(const OpFacts& op, std::size_t index);

/// Returns the kind of op that combines two partial values of the reduction.
OpKind reducer_of(ReductionOp reduction);
/// Returns the reduction that an op of that kind combines by; std::nullopt unless the op is a sum,
/// maximum or minimum.
std::optional<ReductionOp> reduction_of(OpKind reducer);

/// Returns whether a sdy collective reduces partial values: an all-reduce or a reduce-scatter.
bool completes_reduction(OpKind kind);
/// Returns whether a sdy collective accepts an operand without a sharding. Spec: dialect 4.
bool allows_missing_input_sharding(OpKind kind);

/// Returns the `reduction_op` of a verified sdy collective; Sum if the op has no such attribute.
ReductionOp collective_reduction(const Module& module, OpId collective);
/// Returns the axes over which the collective reduces, dim by dim, major to minor. Requires:
/// completes_reduction.
AxisList combined_axes(const Module& module, OpId collective);

/// Checks the rules of algebra 9.1 for one sorted list of axes. `what` names the list: "reduction",
/// "replicated", ...
Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what);
/// Checks the rules of algebra 9.1 for one sorted list, except that neighbours may be mergeable.
Status check_mergeable_axes(const Mesh& mesh, const AxisList& axes);

/// Checks whether a region of an op of kind `owner` may end in an op of kind `terminator`. A
/// function body may end in any return-like terminator. The regions of any other op need the
/// terminator of its definition.
bool may_end_region(OpKind owner, OpKind terminator);

/// Checks the numbers of operands and regions, and that each region has one block with the right
/// terminator.
Status check_structure(const OpFacts& op);
/// Checks the number of results against the row of the op in the op table.
Status check_num_results(const OpFacts& op);
/// Returns the op named `name` in the nearest symbol table around `op` that defines the name. Each
/// nested module has its own symbol table. For an invalid `op`, the search starts at the top level
/// of the module.
std::optional<OpId> nearest_symbol(const Module& module, OpId op, std::string_view name);
/// Returns the mesh named `name`, found like nearest_symbol; std::nullopt if no symbol
/// has the name, or if it is not an sdy.mesh.
std::optional<Mesh> nearest_mesh(const Module& module, OpId op, std::string_view name);

/// Adds the prefix `'stablehlo.add' op ` to the message.
Error with_op_name(std::string_view op_name, Error error);

/// The shape of a type for the checks of the algebra layer, and the text of the type in quotes.
class CheckedShape {
 public:
  explicit CheckedShape(const Type& type)
      : shape_(type), text_("'" + std::string(shape_.view().text) + "'") {}

  /// The view is valid as long as this object.
  ValueShape view() const { return {shape_.kind(), shape_.dims(), text_}; }

 private:
  TypeShape shape_;
  std::string text_;
};

/// Returns the shape of a type without the text, which only messages need; std::nullopt unless the
/// type is a tensor. The shape is valid as long as the type.
inline std::optional<ValueShape> shape_without_text(const Type& type) {
  if (!type.is_tensor()) return std::nullopt;
  return ValueShape{ValueShape::Kind::Ranked, type.dims(), {}};
}

}  // namespace shardy::ir
