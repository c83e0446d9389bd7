// The propagation passes on programs in files: cases with what must become of them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "passes/program.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"
#include "support/catch.hpp"

namespace shardy::passes {
namespace {

namespace fs = std::filesystem;

/// `// CASE name`, `// PASSES pipeline`, a program, `// EXPECT`, what it becomes.
struct Case {
  std::string file, name, passes, program, expected;
};

/// What stands in `text` between `begin` and `end`, or the end of the text.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t start = from + begin.size();
  const std::size_t stop = text.find(end, start);
  return text.substr(start, stop == std::string::npos ? stop : stop - start);
}

void add_cases(const fs::path& path, std::vector<Case>& cases) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string mark = "\n// CASE ";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::string all = text.substr(at, text.find(mark, at + 1) - at);
    const std::string passes = between(all, "// PASSES ", "\n");
    cases.push_back({path.filename().string(), between(all, mark, "\n"), passes,
                     between(all, "// PASSES " + passes + "\n", "// EXPECT\n"),
                     between(all, "// EXPECT\n", mark)});
  }
}

std::vector<Case> all_cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(SHARDY_PROPAGATION_GOLDEN)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Case> cases;
  for (const fs::path& path : paths) add_cases(path, cases);
  return cases;
}

TEST_CASE("propagation passes do what the golden files say", "[passes][propagation]") {
  const PassRegistry registry = built_in_passes();
  for (const Case& each : all_cases()) {
    CAPTURE(each.file, each.name, each.passes);
    const auto calls = parse_pipeline(registry, "builtin.module(" + each.passes + ")");
    REQUIRE(shardy_test::message_of(calls) == "(no error)");
    ir::Module module = shardy_test::program(each.program);
    const PassErrors errors = run_pipeline(module, registry, *calls);
    CHECK(errors.empty());
    // Written by hand, the expectation is compared as the program that it is.
    CHECK(shardy_test::checked_text(module) == text::to_mlir(shardy_test::program(each.expected)));
  }
}

TEST_CASE("every propagation pass has at least ten cases", "[passes][propagation]") {
  const std::vector<Case> cases = all_cases();
  const PassRegistry registry = built_in_passes();
  for (const Pass& pass : registry.passes()) {
    if (pass.phase != PassPhase::Propagation) continue;
    CAPTURE(pass.name);
    CHECK(std::ranges::count_if(
              cases, [&](const Case& each) { return each.passes.starts_with(pass.name); }) >= 10);
  }
}

}  // namespace
}  // namespace shardy::passes
