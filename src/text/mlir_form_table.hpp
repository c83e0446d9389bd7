// The rows of the table of forms.
#pragma once

#include <span>
#include <string_view>

#include "text/mlir_form.hpp"

namespace shardy::text {

/// `format`: `%` is an operand, `*` all that are left, `$name` an attribute, `{...}` what is
/// written if the attribute in it is set to something else than its default, `A` the dictionary;
/// what follows the last ` : ` names a TypeForm. Empty: the generic form only.
///
/// `attributes`: `name:kind`, `?` behind optional ones, `=` and the default, or `!=` and the
/// default that is always written; separated by `;`.
struct FormRow {
  ir::OpKind kind;
  std::string_view format;
  std::string_view attributes = {};
  SpecialForm special = SpecialForm::None;
  std::size_t min_operands = 0;
};

std::span<const FormRow> form_rows();

}  // namespace shardy::text
