// Shapes of types for checks of shardings, with the text of the type for messages.
#pragma once

#include <string>

#include "shardy/ir/detail/type_shape.hpp"

namespace shardy::ir {

/// The shape of a type for the algebra, and its text in quotes.
class ShapeForMessage {
 public:
  explicit ShapeForMessage(const Type& type)
      : shape_(type), text_("'" + std::string(shape_.view().text) + "'") {}

  /// Valid as long as this object.
  ValueShape view() const { return {shape_.kind(), shape_.dims(), text_}; }

 private:
  TypeShape shape_;
  std::string text_;
};

}  // namespace shardy::ir
