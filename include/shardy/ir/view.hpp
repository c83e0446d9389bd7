// Conversion between the attributes of an op and its typed view: the base of the views in
// *_ops.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/op_attributes.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace shardy::ir {

/// One attribute of a typed view: the attribute's name, the member of the view that gets the value,
/// and a description for messages. The description of an enumerator is its kind.
template <typename View, typename T>
struct Field {
  std::string_view name;       // name in the text of the op
  T View::*member;             // member of the view with the value
  std::string_view form = {};  // value as the custom form prints it; empty: as its kind is printed
};
/// Deduces a field without a form.
template <typename View, typename T>
Field(std::string_view, T View::*) -> Field<View, T>;
/// Deduces a field with a form.
template <typename View, typename T>
Field(std::string_view, T View::*, std::string_view) -> Field<View, T>;

namespace detail {

// Attributes of members that are numbers, lists or enumerators are required. `optional` members may
// be missing. A missing bool is false unless the field has a form. Pointer members refer to
// attributes of other types.

inline Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view,
                         int64_t& into) {
  SHARDY_TRY(into, required_integer(attributes, name));
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view,
                         std::optional<int64_t>& into) {
  if (!attributes.contains(name)) return {};
  SHARDY_TRY(into, required_integer(attributes, name));
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view,
                         std::span<const int64_t>& into) {
  SHARDY_TRY(into, required_array(attributes, name));
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view,
                         std::optional<std::span<const int64_t>>& into) {
  if (!attributes.contains(name)) return {};
  SHARDY_TRY(into, required_array(attributes, name));
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view,
                         std::string_view& into) {
  SHARDY_TRY(const auto* word, required_attribute<EnumAttr>(attributes, name, "an enumerator"));
  into = word->value;
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name,
                         std::string_view form, std::optional<std::string_view>& into) {
  if (!attributes.contains(name)) return {};
  std::string_view word;
  SHARDY_TRY_STATUS(read_field(attributes, name, form, word));
  into = word;
  return {};
}
inline Status read_field(const AttributeMap& attributes, std::string_view name,
                         std::string_view form, bool& into) {
  if (form.empty()) {
    into = is_true(attributes, name);
    return {};
  }
  SHARDY_TRY(const bool* value, required_attribute<bool>(attributes, name, form));
  into = *value;
  return {};
}
template <typename T>
Status read_field(const AttributeMap& attributes, std::string_view name, std::string_view form,
                  const T*& into) {
  SHARDY_TRY(into, required_attribute<T>(attributes, name, form));
  return {};
}

inline void write_field(AttributeMap& attributes, std::string_view name, std::string_view,
                        int64_t value) {
  attributes.set(name, IntegerAttr{value, ElementType::I64});
}
inline void write_field(AttributeMap& attributes, std::string_view name, std::string_view,
                        std::span<const int64_t> value) {
  attributes.set(name, array_attribute(value));
}
inline void write_field(AttributeMap& attributes, std::string_view name, std::string_view kind,
                        std::string_view word) {
  attributes.set(name, EnumAttr{std::string(kind), std::string(word)});
}
inline void write_field(AttributeMap& attributes, std::string_view name, std::string_view,
                        bool value) {
  attributes.set(name, value);
}
template <typename T>
void write_field(AttributeMap& attributes, std::string_view name, std::string_view form,
                 const std::optional<T>& value) {
  if (value) write_field(attributes, name, form, *value);
}
template <typename T>
void write_field(AttributeMap& attributes, std::string_view name, std::string_view,
                 const T* value) {
  attributes.set(name, *value);
}

}  // namespace detail

/// Reads a view from attributes. Errors: those of the verifier for the op.
template <typename View>
Result<View> read_view(const AttributeMap& attributes) {
  View view;
  Status status;
  const auto read = [&](const auto& field) {
    if (status) status = detail::read_field(attributes, field.name, field.form, view.*field.member);
  };
  std::apply([&](const auto&... field) { (read(field), ...); }, View::fields());
  if (!status) return tl::unexpected(std::move(status).error());
  return view;
}

/// Returns the view of the attributes of a verified op. Requires: attributes that ir::verify
/// accepts.
template <typename View>
View view(const AttributeMap& attributes) {
  Result<View> read = read_view<View>(attributes);
  SHARDY_EXPECTS(read.has_value());
  return *std::move(read);
}
/// Returns the view of an op. Requires: an op that ir::verify accepts.
template <typename View>
View view(const Module& module, OpId op) {
  if constexpr (requires { View::of(module, op); }) {
    Result<View> read = View::of(module, op);
    SHARDY_EXPECTS(read.has_value());
    return *std::move(read);
  } else {
    return view<View>(module.attributes(op));
  }
}

/// Returns attributes that read back as `view`.
template <typename View>
AttributeMap attributes_of(const View& view) {
  AttributeMap attributes;
  const auto write = [&](const auto& field) {
    detail::write_field(attributes, field.name, field.form, view.*field.member);
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, View::fields());
  return attributes;
}

}  // namespace shardy::ir
