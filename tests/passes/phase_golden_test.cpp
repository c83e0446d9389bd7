// The passes of a phase before and after, program by program: the cases of PHASE/golden/*.mlir.
//
// A case is lines `// CASE: what is true`, `// PASS: name{options}`, the program, and one of
// `// AFTER` with the program that comes out, `// UNCHANGED`, `// ERROR: message`. A line `//
// TWICE` says that the pass does nothing to what it made. Programs are compared as their canonical
// text.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "passes/program.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy_test {
namespace {

using shardy::ir::Module;
using shardy::passes::PassCall;
using shardy::passes::PassErrors;

struct Case {
  std::string title;
  std::string pass;
  std::string before;
  std::string after;
  std::string error;
  bool is_changed = true;
  bool is_idempotent = false;
};

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

Case read_case(std::string_view text) {
  Case result;
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

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<Case> cases;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find("// -----\n", start), text.size());
    cases.push_back(read_case(std::string_view(text).substr(start, end - start)));
    start = end + std::string_view("// -----\n").size();
  }
  return cases;
}

PassErrors run(Module& module, const std::string& pass) {
  static const auto registry = shardy::passes::built_in_passes();
  const auto calls = shardy::passes::parse_pipeline(registry, "builtin.module(" + pass + ")");
  if (!calls) FAIL(calls.error().message);
  return shardy::passes::run_pipeline(module, registry, *calls);
}

void check(const Case& golden) {
  INFO(golden.title << "\n" << golden.pass);
  // What is refused may be what the verifier would refuse.
  Module module = program(golden.before, {.verify = golden.error.empty()});
  const PassErrors errors = run(module, golden.pass);
  if (!golden.error.empty()) {
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().message == golden.error);
    return;
  }
  for (const shardy::Error& error : errors) FAIL_CHECK(error.message);
  const std::string wanted = golden.is_changed ? golden.after : golden.before;
  const std::string text = checked_text(module);
  CHECK(text == shardy::text::to_mlir(program(wanted)));
  if (!golden.is_idempotent) return;
  CHECK(run(module, golden.pass).empty());
  CHECK(shardy::text::to_mlir(module) == text);
}

TEST_CASE("passes make of programs what is written down", "[passes][golden]") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SHARDY_PASS_GOLDEN)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() >= 8);
  for (const auto& path : paths) {
    for (const Case& golden : read_cases(path)) {
      DYNAMIC_SECTION(path.stem().string() << ": " << golden.title) { check(golden); }
    }
  }
}

}  // namespace
}  // namespace shardy_test
