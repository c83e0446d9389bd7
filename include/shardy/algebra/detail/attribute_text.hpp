// How the text of one attribute is read and printed, whatever its type.
#pragma once

#include <shardy/algebra/detail/attribute_aliases.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardy {

/// How values of type T are written. Each specialization has
///   kMnemonic    its name as an attribute: `sharding` of `#sdy.sharding<...>`;
///   kBracketed   whether its text is enclosed in `<...>`;
///   read(scanner, aliases) -> Result<T>, print(value) -> std::string, both without mnemonic.
/// Spec: algebra 10.2, 10.3.
template <class T>
struct TextForm;

template <class T>
Result<T> read_value(Scanner& scanner, AttributeAliases* aliases = nullptr);

/// The name after `#`: `sdy.mesh` and `sdy<mesh` are attributes of mnemonic `mesh`, other names
/// without a dot are aliases.
struct AttributeHead {
  std::string name;         // of an alias; empty if it is an attribute
  std::string mnemonic;     // of an attribute
  bool is_wrapped = false;  // `sdy<mnemonic`: a `>` follows the body
};

/// Reads `#` and what belongs to the head.
Result<AttributeHead> read_attribute_head(Scanner& scanner);

namespace detail {

using Alias = AttributeAliases::Alias;

/// Returns the alias that `name` refers to, through aliases of aliases.
Result<const Alias*> find_alias(std::string_view name, const AttributeAliases* aliases);

template <class T>
Result<T> read_alias(Scanner& scanner, std::size_t start, std::string_view name,
                     AttributeAliases* aliases) {
  const auto at_use = [&](Error error) {
    error.location = scanner.location(start);
    return error;
  };
  SHARDY_TRY(const Alias* const alias, find_alias(name, aliases).map_error(at_use));
  if constexpr (std::is_same_v<T, Mesh>) {
    if (alias->mesh) return *alias->mesh;
  }
  if (!aliases->use(alias->text.size())) {
    return scanner.error_at(start, "the attribute aliases of this text stand for too much");
  }
  Scanner inner(alias->text);
  return read_value<T>(inner, aliases).map_error([&](Error error) {
    error.notes.push_back("at " + error.location + " of attribute alias #" + std::string(name));
    return at_use(std::move(error));
  });
}

template <class T>
Result<T> read_attribute_body(Scanner& scanner, const AttributeHead& head,
                              AttributeAliases* aliases) {
  const bool has_brackets = head.is_wrapped || !TextForm<T>::kBracketed;
  if (has_brackets && !head.is_wrapped) {
    SHARDY_TRY_STATUS(scanner.expect("<"));
  }
  SHARDY_TRY(T value, TextForm<T>::read(scanner, aliases));
  if (has_brackets) {
    SHARDY_TRY_STATUS(scanner.expect(">"));
  }
  return value;
}

}  // namespace detail

/// Reads a value: its plain text, its long form `#sdy.mesh<...>`, or an alias of one.
template <class T>
Result<T> read_value(Scanner& scanner, AttributeAliases* aliases) {
  if (scanner.peek() != '#') return TextForm<T>::read(scanner, aliases);
  const std::size_t start = scanner.position();
  SHARDY_TRY(const AttributeHead head, read_attribute_head(scanner));
  if (!head.name.empty()) return detail::read_alias<T>(scanner, start, head.name, aliases);
  if (head.mnemonic == TextForm<T>::kMnemonic) {
    return detail::read_attribute_body<T>(scanner, head, aliases);
  }
  return scanner.error_at(start, "expected #sdy." + std::string(TextForm<T>::kMnemonic) +
                                     ", found #sdy." + head.mnemonic);
}

/// A text that is one value and nothing else.
template <class T>
Result<T> parse_value(std::string_view text, AttributeAliases* aliases = nullptr) {
  Scanner scanner(text);
  SHARDY_TRY(T value, read_value<T>(scanner, aliases));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return value;
}

/// Returns the text as an attribute by itself: `#sdy.mesh<["a"=2]>`, `#sdy<axis_ref"a":(2)4>`.
/// Spec: algebra 10.3.
template <class T>
std::string attribute_text(const T& value) {
  const std::string mnemonic(TextForm<T>::kMnemonic);
  const std::string body = TextForm<T>::print(value);
  return TextForm<T>::kBracketed ? "#sdy." + mnemonic + body : "#sdy<" + mnemonic + body + ">";
}

}  // namespace shardy
