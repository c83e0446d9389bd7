// Planes that are contiguous along one loop where they are read and along the other where they are
// written: blocks of them, turned in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simulation/carried_blocks.hpp"
#include "simulation/pipelined_blocks.hpp"
#include "simulation/plane_copy.hpp"
#include "simulation/stream.hpp"
#include "simulation/streamed_blocks.hpp"
#include "simulation/striped_blocks.hpp"

namespace shardy::simulation::detail {

/// Columns are contiguous in `from`, rows in `to`: the blocks that are fastest for them.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class TurnedBlocks {
 public:
  static bool fits(const Plane& plane) { return Striped::fits(plane); }

  /// Requires: fits.
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    const bool lines = writes_lines(to, plane, plane.row.size * kStep);
    if (stays_in_caches(plane, lines)) return Striped::run(from, to, plane);
    if (lines && Lines::fits(plane)) return Lines::run(from, to, plane);
    if (Carried::fits(plane) && Carried::run(from, to, plane)) return;
    Striped::run(from, to, plane);
  }

 private:
  using Striped = StripedBlocks<kBytes, kRegisterBytes>;
  using Carried = CarriedBlocks<kBytes, kRegisterBytes>;
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  /// What is faster on the machines that have such registers.
  static constexpr bool kIsSmall = kBytes <= 4 && kRegisterBytes < 64;
  using Lines = std::conditional_t<kIsSmall, PipelinedBlocks<kBytes, kRegisterBytes>,
                                   StreamedBlocks<kBytes, kRegisterBytes>>;

  static bool stays_in_caches(const Plane& plane, bool writes_lines) {
    if (plane.room == Room::NearCache) return true;
    if (plane.room == Room::Memory || !kIsSmall) return false;
    return !(writes_lines && crowds_cache(plane.column.to_step, plane.column.size));
  }
};

}  // namespace shardy::simulation::detail
