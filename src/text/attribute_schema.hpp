// The form of an attribute by op and name, so that JSON can write `"permutation": [1, 0]`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"

namespace shardy::text {

/// The forms of ir::Attribute, unresolved and resolved ones being one.
enum class AttributeForm : uint8_t {
  Any,  // no form is expected
  Unit,
  Boolean,
  Integer,
  Float,
  String,
  Symbol,
  Type,
  Enum,
  EnumList,  // a list whose elements are enums of one kind
  DenseArray,
  List,
  Dictionary,
  Literal,
  Rows,  // a literal of i64 of two dims
  Opaque,
  Dot,
  RaggedDot,
  Gather,
  Scatter,
  Convolution,
  Mesh,
  Sharding,
  ShardingList,
  Axes,
  AxesLists,
  AllToAll,
  ManualAxes,
  Rule,
  Permute
};

/// How JSON tags a form: `{"integer": 3, "type": "i32"}`.
struct AttributeTag {
  AttributeForm form;
  std::string_view name;
  std::string_view detail = {};  // a second key, or empty
};

/// All tags.
std::span<const AttributeTag> attribute_tags();
/// Requires: neither Any nor EnumList nor Rows, which have none.
const AttributeTag& tag_of(AttributeForm form);

/// The attribute that an op expects under a name.
struct AttributeSlot {
  std::string_view op;    // empty: any op
  std::string_view name;  // empty: any name
  AttributeForm form = AttributeForm::Any;
  ir::ElementType element = ir::ElementType::I64;  // of integers and arrays
  std::string_view kind = {};                      // of enums
  std::string_view words = {};                     // of enums: all of them, separated by blanks
  std::size_t columns = 0;                         // of rows; 0: any number
  bool is_foreign = false;  // a name that the op has no use for and that bears no dialect
};

/// Returns the slot of that attribute of the op; form Any if it has none.
AttributeSlot attribute_slot(std::string_view op, std::string_view name);

// Attributes by their names alone, as text holds them.

/// Returns the attribute with names instead of axes of a mesh, also inside lists and dictionaries,
/// as a reader makes it from text before meshes are known.
ir::Attribute unresolved(const ir::Attribute& attribute);

}  // namespace shardy::text
