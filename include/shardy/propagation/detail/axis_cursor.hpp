// Reads the axes of a dim, a part at a time.
#pragma once

#include <cstdint>
#include <shardy/algebra/axis_ref.hpp>
#include <span>

namespace shardy::propagation::detail {

/// The axes of a dim that are not distributed yet, major first; the first one may be a sub-axis.
class AxisCursor {
 public:
  explicit AxisCursor(std::span<const AxisRef> axes) : rest_(axes) {
    if (!done()) current_ = rest_.front();
  }

  bool done() const { return rest_.empty(); }
  const AxisRef& current() const { return current_; }
  AxisRef take() {
    const AxisRef taken = current_;
    rest_ = rest_.subspan(1);
    if (!done()) current_ = rest_.front();
    return taken;
  }
  /// The major part of the current axis that has `size` shards; the rest stays.
  AxisRef take_part(int64_t size) {
    const AxisRef taken{current_.axis, current_.pre, size};
    current_ = {current_.axis, current_.pre * size, current_.size / size};
    return taken;
  }

 private:
  std::span<const AxisRef> rest_;
  AxisRef current_;
};

}  // namespace shardy::propagation::detail
