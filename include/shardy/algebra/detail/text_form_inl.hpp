// Bodies of text_form.hpp.
#pragma once

#include <shardy/algebra/detail/attribute_aliases.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>

namespace shardy {

SHARDY_INLINE Result<AttributeHead> read_attribute_head(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("#"));
  SHARDY_TRY(const std::string_view name, scanner.ident());
  if (name == "sdy" && scanner.eat('<')) {
    SHARDY_TRY(const std::string_view mnemonic, scanner.ident());
    return AttributeHead{{}, std::string(mnemonic), true};
  }
  if (name.starts_with("sdy.")) return AttributeHead{{}, std::string(name.substr(4)), false};
  if (name.find('.') == std::string_view::npos) return AttributeHead{std::string(name), {}, false};
  return scanner.error_at(
      start, "expected an attribute of the dialect sdy, found '#" + std::string(name) + "'");
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<const Alias*> find_alias(std::string_view name,
                                              const AttributeAliases* aliases) {
  const auto unknown = [&] { return fail("unknown attribute alias: #" + std::string(name)); };
  if (aliases == nullptr) return unknown();
  const Alias* found = aliases->find(name);
  for (std::size_t hops = 0; hops <= aliases->size(); ++hops) {
    if (found == nullptr) return unknown();
    Scanner scanner(found->text);
    const Result<AttributeHead> head = read_attribute_head(scanner);
    if (!head || head->name.empty()) return found;
    found = aliases->find(head->name);
  }
  return fail("attribute alias refers to itself: #" + std::string(name));
}

}  // namespace shardy::detail
