// Lists whose memory must stay in proportion to the text they are read from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

namespace detail {

inline constexpr std::size_t kLargeList = 256;  // elements

template <class T>
bool is_large_and_full(const std::vector<T>& list) {
  return list.size() >= kLargeList && list.size() == list.capacity();
}

}  // namespace detail

/// What stands of a list between a place inside of it and the bracket that closes it.
struct ListAhead {
  std::size_t elements = 0;  // as many as there are commas
  std::size_t bytes = 0;
};

ListAhead list_ahead(std::string_view text, std::size_t begin);

/// Adds an element. Large lists grow by a quarter, where std::vector would double: while the
/// elements move, old and new memory are held together, 2.25 times their size in place of 3 times.
template <class T, class... Args>
T& append_tightly(std::vector<T>& list, Args&&... args) {
  if (detail::is_large_and_full(list)) list.reserve(list.size() + list.size() / 4);
  return list.emplace_back(std::forward<Args>(args)...);
}

/// Adds an element that was read from `text` up to `position`. Once the list is large it gets room
/// for all elements that the text still has, in no more than 19 bytes for each byte of it.
template <class T>
T& append_read(std::vector<T>& list, T element, std::string_view text, std::size_t position) {
  if (detail::is_large_and_full(list)) {
    const ListAhead ahead = list_ahead(text, position);
    const std::size_t most = ahead.bytes * 19 / sizeof(T);
    list.reserve(list.size() + std::max(std::min(ahead.elements, most) + 1, list.size() / 4));
  }
  list.push_back(std::move(element));
  return list.back();
}

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/support/detail/tight_list_inl.hpp>
#endif
