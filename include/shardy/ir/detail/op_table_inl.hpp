// Bodies of op_table.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>

namespace shardy::ir {

namespace detail {

/// Table positions in the byte order of the names.
constexpr auto ops_by_name() {
  std::array<uint16_t, kNumKnownOps> order{};
  for (std::size_t index = 0; index < order.size(); ++index) {
    order[index] = static_cast<uint16_t>(index);
  }
  std::ranges::sort(order, {}, [](uint16_t index) { return kOps[index].name; });
  return order;
}
inline constexpr auto kOpsByName = ops_by_name();

}  // namespace detail

SHARDY_INLINE OpKind find_op(std::string_view name) {
  const auto* const at = std::ranges::lower_bound(detail::kOpsByName, name, {},
                                                  [](uint16_t index) { return kOps[index].name; });
  if (at == detail::kOpsByName.end() || kOps[*at].name != name) return OpKind::Unknown;
  return kOps[*at].kind;
}

}  // namespace shardy::ir
