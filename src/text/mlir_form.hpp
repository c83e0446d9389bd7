// The custom forms of ops, one table for reader and printer. Spec: stablehlo 9 to
// 12, dialect 3, 4.
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
  Same,      // one type for operands and result, else a function type
  Func,      // a function type
  Select,    // predicate and result
  Complex,   // the result's
  Pair,      // the operands', which are the results'
  Result,    // the result's; no operands
  Operands,  // the operands'; no results
  Tuple,     // a tuple of the operands'
  Arrow,     // `T, U -> V`
  Arrows,    // `T -> (U, V)`
  One,       // one for all operands; no results
  OneSame,   // one for the operand and the result
  Value,     // the literal's is the result's
  Value0,    // the literal's is the operand's; no results
  Close      // attributes, then two types
};

enum class ItemKind : uint8_t { Text, Operand, Operands, Attribute, Dictionary, Group, EndGroup };

struct FormItem {
  ItemKind kind = ItemKind::Text;
  std::string_view text = {};  // of Text, with its blanks
  const AttributeDefinition* row =
      nullptr;  // of Attribute; of Group: the one whose presence decides
};

/// OpDefinition::form, parsed.
struct OpForm {
  const ir::OpDefinition* op = nullptr;
  TypeForm types = TypeForm::None;
  std::vector<FormItem> items;

  /// Returns true if the form shows the attribute outside of its dictionary.
  bool shows(std::string_view name) const;
};

/// Requires: a known kind.
const OpForm& form_of(ir::OpKind kind);

/// Names of attributes that text shows outside of the dictionary.
constexpr std::string_view kSuccessorsAttr = "$successors";
constexpr std::string_view kPropertiesAttr = "$properties";  // of unknown ops
constexpr std::string_view kResourcesAttr = "$resources";    // of the file, kept at the module
constexpr bool is_reserved_name(std::string_view name) {
  return name == kSuccessorsAttr || name == kPropertiesAttr || name == kResourcesAttr;
}
/// Name of `$properties` in text without `<{...}>`.
constexpr std::string_view kLegacyPropertiesAttr = "shardy.properties";

/// Names of the attributes that `row` represents in a custom form.
std::span<const std::string_view> shown_names(const AttributeDefinition& row);

// Checks of attributes by the table of forms, shared by all readers.

/// Converts an attribute to the kind of the row: `dense<[1]> : tensor<1xi64>` to an array.
/// std::nullopt for an attribute of another kind.
std::optional<ir::Attribute> wanted_attribute(const ir::Attribute& value,
                                              const AttributeDefinition& row);
/// `attribute 'dimension' must be a 64-bit integer attribute`.
std::string wanted_text(const AttributeDefinition& row);

// The type of the elements of a tensor as tensors of rank 0: the types of reducers.

/// Returns std::nullopt for other types than tensors. Quantized tensors are recognized by their
/// text: `tensor<4x!quant..>`.
inline std::optional<ir::Type> scalar_type_of(const ir::Type& type) {
  if (type.is_tensor()) return ir::Type::tensor({}, type.element());
  const auto* opaque = type.as<ir::OpaqueType>();
  if (!opaque || !opaque->text.starts_with("tensor<")) return std::nullopt;
  const std::size_t element = opaque->text.find('!');
  if (element == std::string::npos) return std::nullopt;
  return ir::Type(ir::OpaqueType{"tensor<" + opaque->text.substr(element)});
}

}  // namespace shardy::text
