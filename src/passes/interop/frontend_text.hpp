// The text of frontend attributes: sdy attributes as strings. Spec: interop 4.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Removes one level of escapes, if any: `\"`, `\'`, `\\`, `\n`, `\t`.
std::string unescaped_once(std::string_view text);

/// Returns the text of an entry. Requires: the entry exists. Errors: not a string.
Result<std::string> frontend_text(const ir::Module& module, const AttributePlace& place,
                                  std::string_view key);

/// Parses the text of an entry as an sdy attribute. Errors: `<key> of <place>: ... in "<text>"`.
Result<SdyAttribute> parse_frontend(const ir::Module& module, const AttributePlace& place,
                                    std::string_view key, const std::string& text);

/// Returns the entry as a `T`; `what` names the kind in errors. Errors: another kind.
template <class T>
Result<T> frontend_value(const ir::Module& module, const AttributePlace& place,
                         std::string_view key, std::string_view what) {
  SHARDY_TRY(const std::string text, frontend_text(module, place, key));
  SHARDY_TRY(SdyAttribute attribute, parse_frontend(module, place, key, text));
  if (T* value = std::get_if<T>(&attribute)) return std::move(*value);
  return fail_at_place(module, place,
                       std::string(key) + " of " + place_text(module, place) + ": expected " +
                           std::string(what) + " in \"" + text + "\"");
}

/// Parses `{mesh = #sdy.mesh<["x"=2]>, ...}`. Entries may be strings; old meshes lack brackets.
Result<std::vector<std::pair<std::string, Mesh>>> parse_mesh_dictionary(std::string_view text);

/// Parses `12 : i64` or `12`. Errors: other text.
Result<int64_t> parse_typed_integer(std::string_view text);

/// Returns the error of an entry with invalid text.
tl::unexpected<Error> bad_entry(const ir::Module& module, const AttributePlace& place,
                                std::string_view key, const Error& why, std::string_view text);

}  // namespace shardy::passes
