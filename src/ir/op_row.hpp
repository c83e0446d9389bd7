// The format of the op rows in include/shardy/ir/ops/. docs/mlir.md describes the format for users.
#pragma once

#include <cstddef>
#include <string_view>

#include "infer_families.hpp"
#include "shardy/ir/op_definition.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

/// The members of a row after the name and the traits. op_definition.cpp converts a row to an
/// OpDefinition.
struct OpRow {
  std::string_view operands;
  std::string_view results = "result";
  bool types_given = false;
  unsigned classes = 0;
  ResultElement result_element = ResultElement::Same;
  std::string_view regions = {};
  OpKind terminator = OpKind::Unknown;
  InferFunction infer = nullptr;
  VerifyFunction verify = nullptr;
  VerifyFunction verify_uses = nullptr;
  // A list of `name:kind`, sorted by name and separated by `;`. `?` follows an optional attribute.
  // `=` precedes a default; `!=` precedes a default that is always written.
  std::string_view attributes = {};
  // The custom text form. `%` is an operand, `*` all remaining operands, `$name` an attribute, `A`
  // the attribute dictionary. A part in `{...}` is written if the attribute in it differs from its
  // default. The part after the last ` : ` gives the form of the types. Empty: the op has only the
  // generic form.
  std::string_view form = {};
  Syntax syntax = Syntax::Form;
  std::size_t min_operands = 0;
};

inline constexpr std::string_view kAccuracy =
    "result_accuracy:opaque=#stablehlo.result_accuracy<mode = "
    "#stablehlo.result_accuracy_mode<DEFAULT>>";
inline constexpr std::string_view kNormalization = "epsilon:f32;feature_index:i64";
inline constexpr std::string_view kConvolution =
    "batch_group_count:i64;dimension_numbers:conv;feature_group_count:i64;lhs_dilation:array?;"
    "padding:pairs?;precision_config:words precision?;rhs_dilation:array?;window_reversal:bools?;"
    "window_strides:array?";

// Classes of operand elements. Spec: stablehlo 17.
inline constexpr unsigned kSU = kS | kU;
inline constexpr unsigned kPSU = kP | kSU;
inline constexpr unsigned kFC = kF | kC;
inline constexpr unsigned kSUFC = kSU | kFC;

constexpr OpRow elementwise(std::string_view operands, std::string_view form, unsigned classes,
                            ResultElement result = ResultElement::Same) {
  return {.operands = operands,
          .classes = classes,
          .result_element = result,
          .infer = &infer_elementwise,
          .form = form};
}
constexpr OpRow unary(unsigned classes, ResultElement result = ResultElement::Same) {
  return elementwise("operand", " % A : SAME", classes, result);
}
constexpr OpRow binary(unsigned classes) {
  return elementwise("lhs rhs", " %, % A : SAME", classes);
}
constexpr OpRow chlo_unary(unsigned classes, ResultElement result = ResultElement::Same) {
  return elementwise("operand", " % A : ARROW", classes, result);
}
constexpr OpRow chlo_binary(unsigned classes) {
  return elementwise("lhs rhs", " %, % A : ARROW", classes);
}
/// A unary op with an attribute for the accuracy of its result.
constexpr OpRow accurate(unsigned classes) {
  OpRow row = unary(classes);
  row.attributes = kAccuracy;
  return row;
}
/// A binary op that broadcasts its operands; its type is not modelled.
constexpr OpRow chlo_broadcast() {
  return {.operands = "lhs rhs",
          .types_given = true,
          .infer = &infer_written,
          .attributes = "broadcast_dimensions:array?",
          .form = " %, % A : FUNC"};
}
/// A collective of the sdy dialect, whose result is its operand with another sharding.
constexpr OpRow sdy_collective(std::string_view attributes, std::string_view form) {
  return {.operands = "operand",
          .infer = &infer_same_tensor,
          .verify = &verify_collective_interface,
          .verify_uses = &verify_collective,
          .attributes = attributes,
          .form = form};
}

/// Removes the text before a separator, and the separator, from the front of `text`. Returns the
/// removed text without the separator.
constexpr std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// Counts the names of a row. For example, `operand start_indices*` is a count of at least one.
constexpr Count count_names(std::string_view names) {
  Count count;
  bool any_number = false;
  while (!names.empty()) {
    const std::string_view name = take_until(names, ' ');
    if (!name.ends_with('*')) ++count.least;
    if (name.ends_with('*') || name.ends_with('+')) any_number = true;
  }
  count.most = any_number ? kAnyNumber : count.least;
  return count;
}

using enum OpKind;

}  // namespace shardy::ir
