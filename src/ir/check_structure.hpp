// Checks of an op that precede those of its types.
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

/// The rules of algebra 9.1 for one list that is a set; `what` is "reduction", "replicated", ...
Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what);
/// The same for a list that may contain mergeable neighbours.
Status check_axis_parts(const Mesh& mesh, const AxisList& axes);

/// Returns whether a region of such an op may end in this terminator; one of a function may be in
/// any region that returns.
bool may_end_region(OpKind owner, OpKind terminator);

/// Operand and region counts, one block per region that ends in the right terminator.
Status check_structure(const OpFacts& op);
/// Checks the number of results against the row of the op.
Status check_num_results(const OpFacts& op);
/// Returns the op of that name in the nearest symbol table around `op` that has one: nested modules
/// have tables of their own. An invalid op is an op at the top level of the module.
std::optional<OpId> nearest_symbol(const Module& module, OpId op, std::string_view name);
/// The same for a mesh; std::nullopt if the name belongs to another op.
std::optional<Mesh> nearest_mesh(const Module& module, OpId op, std::string_view name);

/// Prefixes `'stablehlo.add' op `.
Error named(std::string_view op_name, Error error);

/// A type as the algebra sees it, its text in quotes.
class ShapeForMessage {
 public:
  explicit ShapeForMessage(const Type& type)
      : shape_(type), text_("'" + std::string(shape_.view().text) + "'") {}

  /// Valid as long as this.
  ValueShape view() const { return {shape_.kind(), shape_.dims(), text_}; }

 private:
  TypeShape shape_;
  std::string text_;
};

/// A type without its text, which messages alone need; std::nullopt for other types than tensors.
/// Valid as long as the type.
inline std::optional<ValueShape> shape_without_text(const Type& type) {
  if (!type.is_tensor()) return std::nullopt;
  return ValueShape{ValueShape::Kind::Ranked, type.dims(), {}};
}

}  // namespace shardy::ir
