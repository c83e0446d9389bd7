// Text of attributes of the dialect of which it is not known beforehand what they are.
#pragma once

#include <shardy/algebra/text.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace shardy {

/// Any value that is an attribute of the dialect by itself.
using SdyAttribute =
    std::variant<Mesh, SpelledSharding, SpelledShardings, OpShardingRule, PropagationEdges,
                 ManualAxes, SpelledAxisList, SpelledAxisLists, SpelledAllToAlls, SpelledAllToAll,
                 MeshAxis, SubAxis, SpelledAxisRef, SpelledDim, TensorMapping, DimMapping>;

/// Reads `#sdy.mnemonic<...>` or `#sdy<mnemonic...>`, whichever value it is. No alias may come
/// next: its value is whatever its own text reads as.
Result<SdyAttribute> read_attribute(Scanner& scanner, AttributeAliases* aliases = nullptr);

/// Reads any attribute of the SDY dialect, `#sdy.NAME<..>`. Errors: unknown names, what was
/// expected, with line:column.
Result<SdyAttribute> parse_attribute(std::string_view text);

std::string attribute_text(const SdyAttribute& attribute);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <cstddef>
#include <utility>

namespace shardy::detail {

template <class... T>
Result<std::variant<T...>> read_alternative(Scanner& scanner, const AttributeHead& head,
                                            AttributeAliases* aliases, std::size_t start,
                                            std::type_identity<std::variant<T...>> /*which*/) {
  std::optional<Result<std::variant<T...>>> result;
  const auto read_if_named = [&](auto type) {
    using Value = typename decltype(type)::type;
    if (head.mnemonic != TextForm<Value>::kMnemonic) return false;
    result.emplace(read_attribute_body<Value>(scanner, head, aliases));
    return true;
  };
  if ((read_if_named(std::type_identity<T>{}) || ...)) return *std::move(result);
  return scanner.error_at(start, "unknown attribute: #sdy." + head.mnemonic);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<SdyAttribute> read_attribute(Scanner& scanner, AttributeAliases* aliases) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const AttributeHead head, read_attribute_head(scanner));
  if (!head.name.empty()) {
    return scanner.error_at(start, "expected '#sdy.', found '#" + head.name + "'");
  }
  return detail::read_alternative(scanner, head, aliases, start,
                                  std::type_identity<SdyAttribute>{});
}

SHARDY_INLINE Result<SdyAttribute> parse_attribute(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(SdyAttribute attribute, read_attribute(scanner));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return attribute;
}

SHARDY_INLINE std::string attribute_text(const SdyAttribute& attribute) {
  return std::visit([](const auto& value) { return attribute_text(value); }, attribute);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
