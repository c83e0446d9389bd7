// Writing past the caches: lines that nobody reads soon need not be fetched first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardy::simulation {

inline constexpr std::ptrdiff_t kLineBytes = 64;  // of a cache

/// Bytes from the begin of the cache line to a place in it.
inline std::ptrdiff_t past_line(const std::byte* place) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(place) %
                                     static_cast<std::uintptr_t>(kLineBytes));
}

/// Requires: `to` and `bytes` are multiples of 16; finish_streams() before another thread reads.
inline void stream_bytes(const std::byte* from, std::byte* to, std::ptrdiff_t bytes) {
#if defined(__SSE2__)
  for (std::ptrdiff_t at = 0; at < bytes; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), part);
  }
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

inline void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace shardy::simulation
