// Cases of golden files of passes, and what they say.
//
// A case is lines `// CASE: what is true`, `// PASS: name{options}`, the program, and one of
// `// AFTER` with the program that comes out, `// UNCHANGED`, `// ERROR: message`. A line `//
// TWICE` says that the pass does nothing to what it made. `// -----` stands between two cases.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace shardy_test {

struct PassCase {
  std::string file;  // without its extension
  std::string title;
  std::string pass;
  std::string before;
  std::string after;
  std::string error;
  bool is_changed = true;
  bool is_idempotent = false;
};

namespace detail {

inline bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

inline PassCase read_case(std::string_view text) {
  PassCase result;
  std::string* part = &result.before;
  std::istringstream lines{std::string(text)};
  for (std::string owned; std::getline(lines, owned);) {
    std::string_view line = owned;
    if (take(line, "// CASE: ")) {
      result.title = line;
    } else if (take(line, "// PASS: ")) {
      result.pass = line;
    } else if (take(line, "// ERROR: ")) {
      result.error = line;
    } else if (line == "// UNCHANGED") {
      result.is_changed = false;
    } else if (line == "// TWICE") {
      result.is_idempotent = true;
    } else if (line == "// AFTER") {
      part = &result.after;
    } else {
      *part += owned + "\n";
    }
  }
  return result;
}

inline void add_pass_cases(const std::filesystem::path& path, std::vector<PassCase>& cases) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find("// -----\n", start), text.size());
    cases.push_back(read_case(std::string_view(text).substr(start, end - start)));
    cases.back().file = path.stem().string();
    start = end + std::string_view("// -----\n").size();
  }
}

}  // namespace detail

/// Those of all files of a folder, in the order of their names.
inline std::vector<PassCase> pass_cases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<PassCase> cases;
  for (const auto& path : paths) detail::add_pass_cases(path, cases);
  return cases;
}

}  // namespace shardy_test
