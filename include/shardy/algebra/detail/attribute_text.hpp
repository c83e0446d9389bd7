// Reading and printing of one attribute of any type, including aliases.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardy {

/// Aliases defined by `#name = ...` at the top of a text: names without `#`, and attribute texts.
/// Does not own these texts.
class AttributeAliases {
 public:
  struct Alias {
    std::string_view text;
    std::optional<Mesh> mesh;  // value of `text` after the first use, which all uses share
  };

  AttributeAliases() = default;
  AttributeAliases(std::initializer_list<std::pair<std::string_view, std::string_view>> texts);

  /// Adds an alias. A later alias of the same name is ignored.
  void add(std::string_view name, std::string_view text, std::optional<Mesh> mesh = std::nullopt);
  /// Returns the alias named `name`, or null.
  const Alias* find(std::string_view name) const;
  std::size_t size() const { return aliases_.size(); }

  /// Limits the bytes of alias texts that are read from now on. Each use of an alias reads its text
  /// again, so a short text with many uses of a long alias could otherwise exhaust the memory.
  void limit_uses(std::size_t bytes) { bytes_left_ = bytes; }
  /// Counts a use of `bytes` bytes. Returns false if the limit is exceeded.
  bool use(std::size_t bytes) {
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

 private:
  std::map<std::string_view, Alias> aliases_;
  std::size_t bytes_left_ = std::numeric_limits<std::size_t>::max();
};

/// The text form of values of type T. A specialization for T has:
///   kMnemonic    name of the attribute: `sharding` in `#sdy.sharding<...>`;
///   kBracketed   whether the text is enclosed in `<...>`;
///   read(scanner, aliases) -> Result<T>, print(value) -> std::string, both without mnemonic.
/// Spec: algebra 10.2, 10.3.
template <class T>
struct TextForm;

template <class T>
Result<T> read_value(Scanner& scanner, AttributeAliases* aliases = nullptr);

/// The head of an attribute or alias, after `#`. `sdy.mesh` and `sdy<mesh` are attributes with
/// mnemonic `mesh`; a name without a dot is an alias.
struct AttributeHead {
  std::string name;         // name of the alias; empty for an attribute
  std::string mnemonic;     // mnemonic of the attribute; empty for an alias
  bool is_wrapped = false;  // true for `sdy<mnemonic ...>`, whose body ends with `>`
};

/// Reads `#` and the head.
Result<AttributeHead> read_attribute_head(Scanner& scanner);

namespace detail {

using Alias = AttributeAliases::Alias;

/// Returns the alias named `name`. If its text is another alias, returns that alias, and so on.
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
    return scanner.error_at(start, "the expanded attribute aliases of this text are too large");
  }
  Scanner inner(alias->text);
  return read_value<T>(inner, aliases).map_error([&](Error error) {
    error.notes.push_back("at " + error.location.text() + " of attribute alias #" +
                          std::string(name));
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

/// Reads a value in one of its forms: the plain text, `#sdy.mesh<...>`, or an alias of either.
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

/// Parses a text with exactly one value.
template <class T>
Result<T> parse_value(std::string_view text, AttributeAliases* aliases = nullptr) {
  Scanner scanner(text);
  SHARDY_TRY(T value, read_value<T>(scanner, aliases));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return value;
}

/// Returns the full text of an attribute: `#sdy.mesh<["a"=2]>`, `#sdy<axis_ref"a":(2)4>`.
/// Spec: algebra 10.3.
template <class T>
std::string attribute_text(const T& value) {
  const std::string mnemonic(TextForm<T>::kMnemonic);
  const std::string body = TextForm<T>::print(value);
  return TextForm<T>::kBracketed ? "#sdy." + mnemonic + body : "#sdy<" + mnemonic + body + ">";
}

}  // namespace shardy

#ifdef SHARDY_BODIES
namespace shardy {

SHARDY_INLINE AttributeAliases::AttributeAliases(
    std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  for (const auto& [name, text] : texts) add(name, text);
}

SHARDY_INLINE void AttributeAliases::add(std::string_view name, std::string_view text,
                                         std::optional<Mesh> mesh) {
  aliases_.try_emplace(name, Alias{text, std::move(mesh)});
}

SHARDY_INLINE const AttributeAliases::Alias* AttributeAliases::find(std::string_view name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? nullptr : &found->second;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
