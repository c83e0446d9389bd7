// The loops of a reducer, by what they fold into what.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shardy::simulation {

/// `acc := op(acc, x)`: element by element, or all x into one accumulator.
using FoldLoop = void (*)(std::byte* acc, const std::byte* x, std::size_t count, bool into_one);

/// Rows below each other; `row_step` elements from one to the next.
struct FoldRows {
  const std::byte* x;
  int64_t num_rows;
  int64_t row_size;
  int64_t row_step;
};

/// Each row into an element of its own: `acc[row] := op(acc[row], x[row][0])`, then with x[row][1],
/// ...; or each column: `acc[i] := op(acc[i], x[0][i])`, then with x[1][i], ...
using RowsFoldLoop = void (*)(std::byte* acc, const FoldRows& rows);

/// Null: rows are to be folded one by one.
struct FoldLoops {
  FoldLoop one = nullptr;
  RowsFoldLoop rows = nullptr;
  RowsFoldLoop columns = nullptr;
};

}  // namespace shardy::simulation
