// Reads the attributes of ops with the errors of the verifier: for it and for the typed views of
// ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// `3 operands`, `1 operand`.
std::string counted(std::size_t count, std::string_view noun);
/// `[1, 2]`, dynamic sizes as `?`.
std::string list_text(std::span<const int64_t> numbers);

/// The attribute of that name, which must be there and of that form.
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
/// The same, of one element for each dim of operand 0.
Result<std::span<const int64_t>> required_array(const AttributeMap& attributes,
                                                std::string_view name, std::size_t rank);
/// Ones if it is absent. Errors: not so many, or not positive.
Result<std::vector<int64_t>> positive_array(const AttributeMap& attributes, std::string_view name,
                                            std::size_t count);
/// False if it is absent or something else.
bool is_true(const AttributeMap& attributes, std::string_view name);

/// A list as an attribute.
Attribute array_attribute(std::span<const int64_t> values);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/op_attributes_inl.hpp>
#endif
