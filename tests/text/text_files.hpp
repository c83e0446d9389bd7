// The files of this folder and what errors look like in them.
#pragma once

#include <filesystem>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace shardy::text::testing {

inline std::string path_of(const std::string& name) {
  return std::string(SHARDY_TEXT_TESTS) + "/" + name;
}

using shardy_test::read_text;

/// The programs that documents and tools are tried with, in the order of their names.
inline std::vector<std::filesystem::path> example_files() {
  return shardy_test::files_in(path_of("examples"), ".json");
}

/// `at: message`, and each note on a line of its own.
inline std::string text_of(const Diagnostics& errors) {
  std::string text;
  for (const Error& error : errors) {
    text += error.location.text() + ": " + error.message + "\n";
    for (const std::string& note : error.notes) text += "    " + note + "\n";
  }
  return text;
}

}  // namespace shardy::text::testing
