// Programs of one op that picks elements by run-time indices, under all shardings of the tensors of
// the op.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checking/choices.hpp"

namespace shardy_test {

/// The text of a program, and the requirements on its arguments.
struct IndexedProgram {
  std::string text;
  std::vector<int64_t> bounds;  // per argument: indices are around [0, bound); 0: any elements
  int64_t num_devices = 1;
  bool moves_only = true;  // elements keep their bits; otherwise elements must be small integers
  double tolerance = 0;    // relative tolerance; 0: bit by bit
};

/// Makes a program of a kind, which a number selects. The kind gives the dims of the tensors and
/// their meaning. The choices are a size of 0 to 9 for one dim, a mesh of 2, 3, 4 or 2x2 devices,
/// and the shardings of all tensors.
IndexedProgram gather_program(Choices& choices, int64_t kind);
IndexedProgram scatter_program(Choices& choices, int64_t kind);
IndexedProgram slice_program(Choices& choices, int64_t kind);

inline constexpr int64_t kGatherKinds = 13;
inline constexpr int64_t kScatterKinds = 14;
inline constexpr int64_t kSliceKinds = 7;

}  // namespace shardy_test
