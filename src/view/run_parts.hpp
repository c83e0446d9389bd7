// Time and memory of the per-device program as parts of a document.
#pragma once

#include <string>

#include "shardy/view/program.hpp"
#include "view/outline.hpp"
#include "view/part_writer.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

/// Returns the events of the modelled timeline as columns, in microseconds.
std::string timeline_part(const ProgramData& data, const ProgramIndex& index,
                          const Outline& outline, StringTable& strings);

/// Returns the curve of live memory, and the live ranges of values.
std::string memory_part(const ProgramData& data, const ProgramIndex& index, const Outline& outline,
                        StringTable& strings);

}  // namespace shardy::view
