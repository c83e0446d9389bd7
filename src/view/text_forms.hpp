// The text of a program in MLIR and JSON, with the lines of its ops.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shardy/view/program.hpp"
#include "view/outline.hpp"
#include "view/part_writer.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

/// A chip: a position in a text at which the page shows the sharding of a value.
struct TextChip {
  int64_t line = 0;    // from 1
  int64_t column = 0;  // from 0, in UTF-16 units
  ir::ValueId value = {};
};

/// A text of a program.
struct ProgramText {
  bool is_json = false;
  bool is_source = false;  // the text is the unchanged file
  std::string text = {};
  std::vector<int64_t> lines;  // by op id; lines count from 1; 0: none
  std::vector<TextChip> chips = {};
};

/// Returns the texts of the program, the one in the format of its file first. Omits JSON if it is
/// large.
std::vector<ProgramText> text_forms(const ProgramIndex& index, const ProgramData& data,
                                    const ProgramTexts& texts);

/// Returns the first line and the number of lines of each outline node; zeros without lines.
std::pair<Column, Column> node_lines(const Outline& outline, const ProgramText& form);

/// Returns the texts as a part of a document.
std::string text_part(const std::vector<ProgramText>& forms, const Outline& outline,
                      const ProgramIndex& index);

}  // namespace shardy::view
