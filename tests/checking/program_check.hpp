// Checks programs of one op under shardings: the sharded run must equal the unsharded run.
#pragma once

#include <cstdint>
#include <string>

#include "checking/indexed_programs.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// Checks that the sharded run gives the bits of the unsharded run, or values within the tolerance
/// of the program. The padding may have any values.
void check_program(const IndexedProgram& program, uint64_t seed);

using MakeProgram = IndexedProgram (*)(Choices&, int64_t);

/// Checks `drawn` programs of a kind. The environment variable may give another number, or `all`
/// for a walk through all choices.
void check_kind(MakeProgram make, int64_t kind, uint64_t drawn, const char* variable);

/// Returns the bytes that device 0 sends, by collective, and the notes, as in "all_reduce 896, 2x
/// all_gather 42; a note". Bytes are counted as in partitioning 11.9. Checks that the results are
/// equal, and that no device holds more than `memory` times the necessary bytes (memory_use.hpp).
std::string traffic_of(const std::string& text, double memory = 1.25);

}  // namespace shardy_test
