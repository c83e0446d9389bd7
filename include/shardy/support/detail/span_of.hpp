#pragma once

#include <span>
#include <vector>

namespace shardy {

/// All elements. The constructor of std::span for ranges does the same, but makes the compiler
/// check concepts for each type in each source file that sees it: a tenth of the cost of headers.
template <class T>
std::span<const T> span_of(const std::vector<T>& vector) {
  return {vector.data(), vector.size()};
}

}  // namespace shardy
