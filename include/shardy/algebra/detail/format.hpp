#pragma once

#include <fmt/format.h>

#include <shardy/algebra/text.hpp>
#include <string>
#include <string_view>
#include <type_traits>

// fmt formatters of all values that have a text form. No other header includes this one, because
// fmt/format.h is large.

namespace shardy::detail {

template <class T, class... U>
concept OneOf = (std::is_same_v<T, U> || ...);

template <class T>
concept HasText = OneOf<T, Mesh, MeshAxis, SubAxis, UnresolvedAxisRef, UnresolvedDim,
                        UnresolvedSharding, TensorSharding, UnresolvedAllToAll, TensorMapping,
                        OpShardingRule, OpShardingRuleParts, PropagationEdges, ReductionOp>;

}  // namespace shardy::detail

template <shardy::detail::HasText T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    const std::string text(shardy::to_string(value));
    return fmt::formatter<std::string_view>::format(text, context);
  }
};
