// Access to op attributes. The verifier and the typed views use them, so both report the same
// errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// Returns `3 operands` or `1 operand`.
std::string counted(std::size_t count, std::string_view noun);
/// Returns `[1, 2]`; dynamic sizes are printed as `?`.
std::string list_text(std::span<const int64_t> numbers);

/// Returns the attribute `name`. `form` describes T in errors. Errors: the attribute is missing or
/// is not a T.
template <typename T>
Result<const T*> required_attribute(const AttributeMap& attributes, std::string_view name,
                                    std::string_view form) {
  const Attribute* attribute = attributes.find(name);
  if (!attribute) return fail("requires attribute '" + std::string(name) + "'");
  if (const T* value = attribute->as<T>()) return value;
  return fail("attribute '" + std::string(name) + "' must be " + std::string(form));
}

Result<int64_t> required_integer(const AttributeMap& attributes, std::string_view name);
Result<std::span<const int64_t>> required_array(const AttributeMap& attributes,
                                                std::string_view name);
/// Returns the list attribute `name`. Errors: the attribute is missing, or its length is not
/// `rank`.
Result<std::span<const int64_t>> required_array(const AttributeMap& attributes,
                                                std::string_view name, std::size_t rank);
/// Returns the list attribute `name`; `count` ones if it is absent. Errors: another length, or a
/// number that is not positive.
Result<std::vector<int64_t>> positive_array(const AttributeMap& attributes, std::string_view name,
                                            std::size_t count);
/// Returns the bool attribute `name`; false if the attribute is absent or not a bool.
bool is_true(const AttributeMap& attributes, std::string_view name);

/// Returns an `array<i64: ...>` attribute of `values`.
Attribute array_attribute(std::span<const int64_t> values);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/ir/type.hpp>

namespace shardy::ir {

SHARDY_INLINE std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

SHARDY_INLINE std::string list_text(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (const int64_t number : numbers) {
    if (text.size() > 1) text += ", ";
    text += number == kDynamicDim ? "?" : std::to_string(number);
  }
  return text + "]";
}

SHARDY_INLINE Result<int64_t> required_integer(const AttributeMap& attributes,
                                               std::string_view name) {
  SHARDY_TRY(const auto* integer, required_attribute<IntegerAttr>(attributes, name, "an integer"));
  return integer->value;
}

SHARDY_INLINE Result<std::span<const int64_t>> required_array(const AttributeMap& attributes,
                                                              std::string_view name) {
  constexpr std::string_view kForm = "an array of i64";
  SHARDY_TRY(const auto* array, required_attribute<DenseArrayAttr>(attributes, name, kForm));
  if (array->element != ElementType::I64) {
    return fail("attribute '" + std::string(name) + "' must be " + std::string(kForm));
  }
  return std::span<const int64_t>(array->values);
}

SHARDY_INLINE Result<std::span<const int64_t>> required_array(const AttributeMap& attributes,
                                                              std::string_view name,
                                                              std::size_t rank) {
  SHARDY_TRY(const std::span<const int64_t> array, required_array(attributes, name));
  if (array.size() == rank) return array;
  return fail(std::string(name) + " must have one element for each of the " + counted(rank, "dim") +
              " of operand 0, got " + list_text(array));
}

SHARDY_INLINE Result<std::vector<int64_t>> positive_array(const AttributeMap& attributes,
                                                          std::string_view name,
                                                          std::size_t count) {
  if (!attributes.contains(name)) return std::vector<int64_t>(count, 1);
  SHARDY_TRY(const std::span<const int64_t> list, required_array(attributes, name));
  if (list.size() == count && std::ranges::all_of(list, [](int64_t each) { return each > 0; })) {
    return std::vector<int64_t>(list.begin(), list.end());
  }
  return fail(std::string(name) + " must hold " + std::to_string(count) +
              " positive numbers, got " + list_text(list));
}

SHARDY_INLINE bool is_true(const AttributeMap& attributes, std::string_view name) {
  const bool* value = attributes.get<bool>(name);
  return value != nullptr && *value;
}

SHARDY_INLINE Attribute array_attribute(std::span<const int64_t> values) {
  return DenseArrayAttr{ElementType::I64, {values.begin(), values.end()}};
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
