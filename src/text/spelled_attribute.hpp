// Attributes by their names alone, as text holds them.
#pragma once

#include "shardy/ir/attribute.hpp"

namespace shardy::text {

/// The same attribute with names instead of axes of a mesh, also inside of lists and dictionaries.
/// What a reader makes of the text of `attribute` before meshes give it a meaning.
ir::Attribute spelled(const ir::Attribute& attribute);

}  // namespace shardy::text
