#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace shardy {

/// Combines `seed` and `value` into a hash, with the finalizer of splitmix64.
constexpr std::size_t hash_combine(std::size_t seed, std::size_t value) {
  // The factor makes the result depend on the order: (1, 2) and (2, 1) differ.
  uint64_t mixed = static_cast<uint64_t>(seed) * 0xff51afd7ed558ccdULL + 0x9e3779b97f4a7c15ULL +
                   static_cast<uint64_t>(value);
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<std::size_t>(mixed ^ (mixed >> 31U));
}

/// Returns a hash of several values, in order, by std::hash.
template <class... T>
std::size_t hash_of(const T&... values) {
  std::size_t seed = sizeof...(T);
  ((seed = hash_combine(seed, std::hash<T>{}(values))), ...);
  return seed;
}

/// Returns a hash of the elements of `range`, in order, and of their number.
template <class Range>
std::size_t hash_range(const Range& range) {
  std::size_t seed = 0;
  std::size_t count = 0;
  for (const auto& element : range) {
    seed = hash_combine(seed, std::hash<std::remove_cvref_t<decltype(element)>>{}(element));
    ++count;
  }
  return hash_combine(seed, count);
}

}  // namespace shardy
