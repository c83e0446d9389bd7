// The files of this folder and what errors look like in them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

namespace shardy::text::testing {

inline std::string path_of(const std::string& name) {
  return std::string(SHARDY_TEXT_TESTS) + "/" + name;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The programs that documents and tools are tried with, in the order of their names.
inline std::vector<std::string> example_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(path_of("examples"))) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// `at: message`, and each note on a line of its own.
inline std::string text_of(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) {
    text += error.at + ": " + error.message + "\n";
    for (const std::string& note : error.notes) text += "    " + note + "\n";
  }
  return text;
}

}  // namespace shardy::text::testing
