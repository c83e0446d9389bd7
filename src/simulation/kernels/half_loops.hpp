// Buffers of f16 to f32 and back, by the instructions that x86-64-v3 has for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "simulation/element.hpp"

namespace shardy::simulation {

struct HalfConversions {
  void (*widen)(const F16* from, float* to, std::size_t count);
  /// The nearest f16, ties to even.
  void (*narrow)(const float* from, F16* to, std::size_t count);
};

/// Null on machines without them.
const HalfConversions* half_conversions();

/// An op on f16 as `kLoop` on chunks of f32. Requires: half_conversions(); the op rounds an f32
/// result once.
template <class PickLoop>
void half_binary_loop(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) {
  using Chunk = std::array<float, 512>;
  static const auto kLoop = PickLoop()();
  const HalfConversions& halves = *half_conversions();
  const auto* left = reinterpret_cast<const F16*>(x);
  const auto* right = reinterpret_cast<const F16*>(y);
  auto* result = reinterpret_cast<F16*>(out);
  Chunk a;
  Chunk b;
  for (std::size_t done = 0; done < count; done += a.size()) {
    const std::size_t size = std::min(a.size(), count - done);
    halves.widen(left + done, a.data(), size);
    halves.widen(right + done, b.data(), size);
    kLoop(reinterpret_cast<const std::byte*>(a.data()),
          reinterpret_cast<const std::byte*>(b.data()), reinterpret_cast<std::byte*>(a.data()),
          size);
    halves.narrow(a.data(), result + done, size);
  }
}

}  // namespace shardy::simulation
