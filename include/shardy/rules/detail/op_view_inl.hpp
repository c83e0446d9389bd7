// Bodies of op_view.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE std::vector<std::size_t> OpView::operand_ranks() const {
  std::vector<std::size_t> ranks;
  ranks.reserve(num_operands());
  for (std::size_t index = 0; index < num_operands(); ++index) {
    ranks.push_back(operand_shape(index).size());
  }
  return ranks;
}

SHARDY_INLINE std::vector<std::size_t> OpView::result_ranks() const {
  std::vector<std::size_t> ranks;
  ranks.reserve(num_results());
  for (std::size_t index = 0; index < num_results(); ++index) {
    ranks.push_back(result_shape(index).size());
  }
  return ranks;
}

SHARDY_INLINE bool OpView::has_static_types() const {
  const auto is_static = [&](ir::ValueId value) {
    const ir::Type& type = module_->type(value);
    return type.is_static_tensor() || type.is_token();
  };
  for (std::size_t index = 0; index < num_operands(); ++index) {
    if (!is_static(operand(index))) return false;
  }
  for (std::size_t index = 0; index < num_results(); ++index) {
    if (!is_static(result(index))) return false;
  }
  return true;
}

SHARDY_INLINE Result<std::span<const int64_t>> OpView::integers(std::string_view name) const {
  const auto* list = attribute<ir::DenseArrayAttr>(name);
  if (list == nullptr) return fail("expected an integer array attribute: " + std::string(name));
  return std::span<const int64_t>(list->values);
}

SHARDY_INLINE Result<int64_t> OpView::integer(std::string_view name) const {
  const auto* number = attribute<ir::IntegerAttr>(name);
  if (number == nullptr) return fail("expected an integer attribute: " + std::string(name));
  return number->value;
}

}  // namespace shardy::rules
