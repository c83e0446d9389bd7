// Types for checks of shardings whose messages quote them.
#pragma once

#include <optional>
#include <string>

#include "shardy/ir/detail/type_shape.hpp"

namespace shardy::ir {

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
