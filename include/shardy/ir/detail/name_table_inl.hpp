// Bodies of name_table.hpp.
#pragma once

#include <cstddef>
#include <shardy/ir/detail/name_table.hpp>
#include <shardy/ir/ids.hpp>
#include <shardy/support/inline.hpp>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE void NameTable::drop_of_several(OpId op, std::size_t place,
                                              std::vector<OpId>& later) {
  const OpId first = places_[place];
  std::vector<OpId> left = std::move(later);
  if (first == op) {
    places_[place] = left.front();
    left.erase(left.begin());
  } else {
    std::erase(left, op);
  }
  later_.erase(first);
  if (!left.empty()) later_.emplace(places_[place], std::move(left));
}

}  // namespace shardy::ir
