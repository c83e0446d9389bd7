// The custom forms of ops as one table for the reader and the printer. Spec: stablehlo 9 to 12,
// dialect 3, 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/type.hpp"

namespace shardy::text {

using ir::AttributeDefinition;
using ir::AttributeKind;
using ir::EnumDefinition;
using ir::Syntax;

/// The types after the last `:` of a custom form. Spec: stablehlo 9.
enum class TypeForm : uint8_t {
  None,
  Same,      // one type for operands and result, or a function type
  Func,      // a function type
  Select,    // types of predicate and result
  Complex,   // result type
  Pair,      // operand types, which are the result types
  Result,    // result type; the op has no operands
  Operands,  // operand types; the op has no results
  Tuple,     // a tuple of the operand types
  Arrow,     // `T, U -> V`
  Arrows,    // `T -> (U, V)`
  One,       // one type for all operands; the op has no results
  OneSame,   // one type for the operand and the result
  Value,     // the literal's type is the result type
  Value0,    // the literal's type is the operand type; the op has no results
  Close      // attributes, then the operand types (check.expect_close)
};

enum class ItemKind : uint8_t { Text, Operand, Operands, Attribute, Dictionary, Group, EndGroup };

struct FormItem {
  ItemKind kind = ItemKind::Text;
  std::string_view text = {};  // for Text: the text with its blanks
  /// For Attribute: its definition. For Group: the attribute whose presence makes the parser and
  /// printer use the group.
  const AttributeDefinition* row = nullptr;
};

/// The parsed OpDefinition::form.
struct OpForm {
  const ir::OpDefinition* op = nullptr;
  TypeForm types = TypeForm::None;
  std::vector<FormItem> items;

  /// Returns true if the form shows the attribute outside of the dictionary.
  bool shows(std::string_view name) const;
};

/// Returns the form of a kind. Requires: the kind is known.
const OpForm& form_of(ir::OpKind kind);

/// Names of attributes that text shows outside of the dictionary.
constexpr std::string_view kSuccessorsAttr = "$successors";
constexpr std::string_view kPropertiesAttr = "$properties";  // properties of unregistered ops
constexpr std::string_view kResourcesAttr = "$resources";    // of the file; stored at the module
constexpr bool is_reserved_name(std::string_view name) {
  return name == kSuccessorsAttr || name == kPropertiesAttr || name == kResourcesAttr;
}
/// In the old generic form, without `<{...}>`: the attribute that holds the properties.
constexpr std::string_view kLegacyPropertiesAttr = "shardy.properties";

/// Returns the names of the attributes that `row` represents in a custom form.
std::span<const std::string_view> shown_names(const AttributeDefinition& row);

// Attribute checks shared by all parsers.

/// Converts an attribute to the kind of the row, such as `dense<[1]> : tensor<1xi64>` to an array.
/// std::nullopt for an attribute of another kind.
std::optional<ir::Attribute> wanted_attribute(const ir::Attribute& value,
                                              const AttributeDefinition& row);
/// Returns the message `attribute 'dimension' must be a 64-bit integer attribute`.
std::string wanted_text(const AttributeDefinition& row);

// Element types as tensors of rank 0, the types of reducer arguments.

/// Returns the tensor of rank 0 with the element type; std::nullopt for other types than tensors.
/// Quantized tensors are recognized by their text, `tensor<4x!quant..>`.
inline std::optional<ir::Type> scalar_type_of(const ir::Type& type) {
  if (type.is_tensor()) return ir::Type::tensor({}, type.element());
  const auto* opaque = type.as<ir::OpaqueType>();
  if (!opaque || !opaque->text.starts_with("tensor<")) return std::nullopt;
  const std::size_t element = opaque->text.find('!');
  if (element == std::string::npos) return std::nullopt;
  return ir::Type(ir::OpaqueType{"tensor<" + opaque->text.substr(element)});
}

}  // namespace shardy::text
