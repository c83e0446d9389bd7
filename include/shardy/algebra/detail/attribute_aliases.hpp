// Names that texts of attributes use for other texts.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>
#include <utility>

namespace shardy {

/// Aliases that `#name = ...` at the top of a text defined: names without `#`, attribute texts.
/// Views both.
class AttributeAliases {
 public:
  struct Alias {
    std::string_view text;
    std::optional<Mesh> mesh;  // what the text is, if it has been read: all uses share it
  };

  AttributeAliases() = default;
  AttributeAliases(std::initializer_list<std::pair<std::string_view, std::string_view>> texts);

  /// The first of several of one name counts.
  void add(std::string_view name, std::string_view text, std::optional<Mesh> mesh = std::nullopt);
  /// Null if there is none.
  const Alias* find(std::string_view name) const;
  std::size_t size() const { return aliases_.size(); }

  /// Each use of an alias is read from its text: a short text with many uses of a long one may
  /// stand for more than there is memory. From now on so many bytes may be read.
  void limit_uses(std::size_t bytes) { bytes_left_ = bytes; }
  /// Counts a use; false if there is nothing left for it.
  bool use(std::size_t bytes) {
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

 private:
  std::map<std::string_view, Alias> aliases_;
  std::size_t bytes_left_ = std::numeric_limits<std::size_t>::max();
};

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
