// Programs before and after passes: every case of every file golden/PASS/CASE.mlir.
//
// How to write one:
//
//   // shardy opt --sdy-foo='a=b c=d' --sdy-bar
//   // CASE: what is true                        the title, by which docs/spec/coverage.md names it
//   sdy.mesh @mesh = <["a"=2]>
//   func.func @main(...) ...                     the program; lines count from that of the command
//   // ---- becomes
//   module {                                     all that `shardy opt` prints, exactly
//   ...
//   // ----------
//   // shardy opt --sdy-foo
//   ...                                          the next case of the file
//   // ---- fails
//   3:5: some message                            all errors: LINE:COLUMN: message
//
// After `// ---- says`, in front of `becomes` or `fails`: all warnings and remarks, as
// `3:5: warning: message`. Without it there must be none. A file begins with its first case; the
// first case of a folder is also the example of docs/passes.md. Expected text comes from
// docs/spec/passes.md, not from the output of the pass.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/partitioning/passes.hpp"
#include "support/catch.hpp"
#include "tools/opt_options.hpp"
#include "tools/opt_run.hpp"

namespace shardy_test {
namespace {

using namespace shardy::tools;  // NOLINT(google-build-using-namespace): the code under test

constexpr std::string_view kCommand = "// shardy opt";
constexpr std::string_view kNextCase = "// ----------\n";

struct Case {
  std::string file;
  std::size_t line = 0;  // of its command in the file
  std::string input;     // from the command on
  std::string says, becomes, fails;
  bool has_end = false;  // it has a section `becomes` or `fails`
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Lines with their ends.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::vector<Case> cases_of(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::string* section = nullptr;
  std::size_t number = 0;
  for (const std::string& line : lines_of(read_text(path))) {
    ++number;
    if (cases.empty() || line == kNextCase) {
      cases.push_back({path.filename(), number + (line == kNextCase ? 1 : 0), {}, {}, {}, {}, {}});
      section = &cases.back().input;
      if (line == kNextCase) continue;
    }
    Case& current = cases.back();
    if (line == "// ---- says\n") {
      section = &current.says;
    } else if (line == "// ---- becomes\n") {
      section = &current.becomes;
      current.has_end = true;
    } else if (line == "// ---- fails\n") {
      section = &current.fails;
      current.has_end = true;
    } else {
      *section += line;
    }
  }
  return cases;
}

/// The words of the first line behind `// shardy opt`, without their quotes.
std::vector<std::string> arguments_of(const Case& each) {
  std::vector<std::string> words;
  char quote = '\0';
  bool is_inside = false;
  const std::string line = each.input.substr(0, each.input.find('\n'));
  for (const char c : line.substr(std::min(line.size(), kCommand.size()))) {
    if (c == quote || (quote == '\0' && (c == '\'' || c == '"'))) {
      quote = quote == '\0' ? c : '\0';
    } else if (c == ' ' && quote == '\0') {
      is_inside = false;
    } else {
      if (!is_inside) words.emplace_back();
      is_inside = true;
      words.back() += c;
    }
  }
  return words;
}

/// `LINE:COLUMN: message` for what was said; the severity in front of the message if wanted.
std::string said_text(const OptResult& result, bool wants_errors) {
  std::string text;
  for (const Said& said : result.said) {
    if ((said.severity == "error") != wants_errors) continue;
    text +=
        said.what.at + ": " + (wants_errors ? "" : said.severity + ": ") + said.what.message + "\n";
  }
  return text;
}

/// Compares line by line, so that a failure says where the texts part.
void check_same(const Case& each, const std::string& what, const std::string& have,
                const std::string& want) {
  if (have == want) return;
  const std::vector<std::string> have_lines = lines_of(have);
  const std::vector<std::string> want_lines = lines_of(want);
  std::size_t line = 0;
  while (line < have_lines.size() && line < want_lines.size() &&
         have_lines[line] == want_lines[line]) {
    ++line;
  }
  const auto at = [&](const std::vector<std::string>& lines) {
    return line < lines.size() ? lines[line] : std::string("(the end)\n");
  };
  FAIL_CHECK(each.file << ":" << each.line << ": line " << line + 1 << " of " << what
                       << " differs\n  expected: " << at(want_lines)
                       << "  is:       " << at(have_lines) << "all of it:\n"
                       << have);
}

void check_case(const Case& each, const shardy::passes::PassRegistry& registry) {
  INFO(each.file << ":" << each.line);
  REQUIRE(each.input.starts_with(kCommand));
  REQUIRE(each.has_end);
  const std::vector<std::string> arguments = arguments_of(each);
  const auto options = parse_opt_arguments(registry, arguments);
  if (!options) FAIL(options.error().message);
  CHECK_FALSE(options->passes.empty());
  const OptResult result = OptRun(registry, *options).run(each.input, Format::Mlir);
  check_same(each, "the errors", said_text(result, true), each.fails);
  check_same(each, "what is said", said_text(result, false), each.says);
  check_same(each, "the output", result.output, each.becomes);
}

/// Files of each folder below golden/, all sorted.
std::map<std::string, std::vector<std::filesystem::path>> golden_files() {
  std::map<std::string, std::vector<std::filesystem::path>> folders;
  for (const auto& folder : std::filesystem::directory_iterator(SHARDY_PASS_GOLDEN)) {
    std::vector<std::filesystem::path>& files = folders[folder.path().filename()];
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
      if (file.path().extension() == ".mlir") files.push_back(file.path());
    }
    std::ranges::sort(files);
  }
  return folders;
}

TEST_CASE("passes turn the golden programs into what stands below them", "[passes][golden]") {
  const shardy::passes::PassRegistry registry = shardy::partitioning::all_passes();
  const auto folders = golden_files();
  REQUIRE_FALSE(folders.empty());
  for (const auto& entry : folders) {
    DYNAMIC_SECTION(entry.first) {
      std::size_t count = 0;
      for (const auto& file : entry.second) {
        for (const Case& each : cases_of(file)) {
          check_case(each, registry);
          ++count;
        }
      }
      CHECK(count > 0);
    }
  }
}

TEST_CASE("a golden file is split into its cases", "[passes][golden]") {
  const auto path = std::filesystem::temp_directory_path() / "shardy_golden_test.mlir";
  std::ofstream(path) << "// shardy opt -a --b='c=d e=\"f\"' \"g h\"\nin\n// ---- says\nx\n"
                         "// ---- becomes\nout\n// ----------\n// shardy opt\n// ---- fails\ny\n";
  const std::vector<Case> cases = cases_of(path);
  std::filesystem::remove(path);
  REQUIRE(cases.size() == 2);
  CHECK(arguments_of(cases[0]) == std::vector<std::string>{"-a", "--b=c=d e=\"f\"", "g h"});
  CHECK(cases[0].says == "x\n");
  CHECK(cases[0].becomes == "out\n");
  CHECK(cases[1].line == 8);
  CHECK(cases[1].input == "// shardy opt\n");
  CHECK(cases[1].fails == "y\n");
}

}  // namespace
}  // namespace shardy_test
