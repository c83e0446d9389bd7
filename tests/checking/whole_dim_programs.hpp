// Programs of one op that needs all elements of a dim at once, under all shardings of its tensors.
#pragma once

#include <cstdint>

#include "checking/indexed_programs.hpp"

namespace shardy_test {

/// Makes a program of a kind, which a number selects, with the choices of indexed_programs.hpp.
IndexedProgram reduction_program(Choices& choices, int64_t kind);
IndexedProgram top_k_program(Choices& choices, int64_t kind);
IndexedProgram batch_norm_program(Choices& choices, int64_t kind);
IndexedProgram sort_program(Choices& choices, int64_t kind);
IndexedProgram sorted_end_program(Choices& choices, int64_t kind);
IndexedProgram transform_program(Choices& choices, int64_t kind);
IndexedProgram merged_top_k_program(Choices& choices, int64_t kind);
IndexedProgram ragged_dot_program(Choices& choices, int64_t kind);
IndexedProgram solver_program(Choices& choices, int64_t kind);
IndexedProgram random_bits_program(Choices& choices, int64_t kind);

inline constexpr int64_t kReductionKinds = 10;
inline constexpr int64_t kTopKKinds = 4;
inline constexpr int64_t kMergedTopKKinds = 6;
inline constexpr int64_t kBatchNormKinds = 6;
inline constexpr int64_t kSortKinds = 5;
inline constexpr int64_t kSortedEndKinds = 5;
inline constexpr int64_t kTransformKinds = 10;
inline constexpr int64_t kRaggedDotKinds = 9;
inline constexpr int64_t kSolverKinds = 5;
inline constexpr int64_t kRandomBitsKinds = 8;

}  // namespace shardy_test
