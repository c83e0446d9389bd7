#pragma once

#include <span>
#include <vector>

namespace shardy {

/// Returns a span of all elements. The range constructor of std::span is not used, because checking
/// its concepts for each type takes a tenth of the compile time of the headers.
template <class T>
std::span<const T> span_of(const std::vector<T>& vector) {
  return {vector.data(), vector.size()};
}

}  // namespace shardy
