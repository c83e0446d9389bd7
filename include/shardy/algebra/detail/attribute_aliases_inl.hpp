// Bodies of attribute_aliases.hpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <shardy/algebra/detail/attribute_aliases.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>
#include <utility>

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
