// Programs of one op under shardings: the sharded run gives what the unsharded one does.
#pragma once

#include <cstdint>
#include <string>

#include "checking/indexed_programs.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// Checks whether the sharded run gives the bits of the unsharded one, or values as close as the
/// tolerance of the program, for any values of padding.
void check_program(const IndexedProgram& program, uint64_t seed);

using MakeProgram = IndexedProgram (*)(Choices&, int64_t);

/// Checks `drawn` programs of a kind, or the number in the environment variable: a number, or
/// `all` for a walk through all choices.
void check_kind(MakeProgram make, int64_t kind, uint64_t drawn, const char* variable);

/// "all_reduce 896, 2x all_gather 42; a note": bytes that device 0 sends, by collective, and the
/// notes. Bytes are those of partitioning 11.9. The results must be equal, and no device holds more
/// than `memory` times what it has to (memory_use.hpp).
std::string traffic_of(const std::string& text, double memory = 1.25);

}  // namespace shardy_test
