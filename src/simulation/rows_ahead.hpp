// What is read next, asked for in time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulation/stream.hpp"

namespace shardy::simulation::detail {

/// Asks for the cache lines of neighbouring rows, one after the other, a few at a time.
class RowsAhead {
 public:
  RowsAhead() = default;
  RowsAhead(const std::byte* first, int64_t num_rows, std::ptrdiff_t row_step,
            std::ptrdiff_t row_bytes)
      : row_(first), num_rows_(num_rows), row_step_(row_step), row_bytes_(row_bytes) {}

  [[gnu::always_inline]] void fetch(int64_t num_lines) {
    for (; num_lines > 0 && num_rows_ > 0; --num_lines) {
      __builtin_prefetch(row_ + at_);
      at_ += kLineBytes;
      if (at_ < row_bytes_) continue;
      at_ = 0;
      row_ += row_step_;
      --num_rows_;
    }
  }

 private:
  const std::byte* row_ = nullptr;
  std::ptrdiff_t at_ = 0;
  int64_t num_rows_ = 0;
  std::ptrdiff_t row_step_ = 0;
  std::ptrdiff_t row_bytes_ = 0;
};

}  // namespace shardy::simulation::detail
