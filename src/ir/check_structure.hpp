// Structural checks of an op, which run before the checks of its types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "op_facts.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/detail/axis_check.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

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
