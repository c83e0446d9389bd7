// Texts in files: what they must print as, and which errors they must have.
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace shardy::text::golden_test {
namespace {

using shardy_test::read_text;
using Path = std::filesystem::path;

/// The `.mlir` files of a folder; none is a defect of the test.
std::vector<Path> texts_in(const std::string& folder) {
  std::vector<Path> paths = shardy_test::files_in(Path(MLIR_TEST_DATA) / folder, ".mlir");
  REQUIRE(!paths.empty());
  return paths;
}

Path expected_path(Path text) { return text.replace_extension(".out"); }

/// Printed form of the text, or its errors.
std::string printed(const std::string& text, const MlirPrintOptions& options = {}) {
  const auto module = parse_mlir(text);
  return module ? to_mlir(*module, options) : error_text("text", text, module.error());
}

TEST_CASE("canonical text prints unchanged", "[text][mlir]") {
  for (const Path& path : texts_in("canonical")) {
    CAPTURE(path);
    const std::string text = read_text(path);
    CHECK(printed(text) == text);
  }
}

TEST_CASE("other spellings print in the canonical form", "[text][mlir]") {
  for (const Path& path : texts_in("forms")) {
    CAPTURE(path);
    CHECK(printed(read_text(path)) == read_text(expected_path(path)));
  }
}

/// Texts of the programs that other tests read, print and compare.
std::string all_programs() {
  std::string all;
  for (const std::string folder : {"corpus/custom", "canonical", "forms"}) {
    for (const Path& path : texts_in(folder)) all += read_text(path);
  }
  return all;
}

TEST_CASE("each form listed in the specification occurs in a test program", "[text][mlir]") {
  const std::string programs = all_programs();
  std::istringstream list(read_text(Path(MLIR_TEST_DATA) / "listed_forms.txt"));
  std::size_t forms = 0;
  for (std::string line; std::getline(list, line); ++forms) {
    CAPTURE(line);  // SECTION, a tab, the text
    const std::string form = line.substr(line.find('\t') + 1);
    CHECK(programs.find(form) != std::string::npos);
  }
  CHECK(forms > 250);
}

TEST_CASE("the generic form of a text reads as the same program", "[text][mlir]") {
  for (const Path& path : texts_in("canonical")) {
    CAPTURE(path);
    const auto module = parse_mlir(read_text(path));
    REQUIRE(module);
    const std::string generic = to_mlir(*module, {.generic = true});
    CHECK(generic.find("stablehlo.return %") == std::string::npos);
    const auto again = parse_mlir(generic);
    if (!again) FAIL(error_text("generic", generic, again.error()));
    CHECK(to_mlir(*again, {.generic = true}) == generic);
    CHECK(to_mlir(*again) == read_text(path));
  }
}

TEST_CASE("errors have location and reason, in the order of the text", "[text][mlir]") {
  for (const Path& path : texts_in("errors")) {
    CAPTURE(path);
    std::string errors;
    for (const std::string& program : split_programs(read_text(path))) {
      const auto module = parse_mlir(program);
      CHECK(!module);
      if (!module) errors += error_text(path.filename().string(), program, module.error());
    }
    // SHARDY_APPROVE=1 writes the output as the expected one.
    if (std::getenv("SHARDY_APPROVE") != nullptr) std::ofstream(expected_path(path)) << errors;
    CHECK(errors == read_text(expected_path(path)));
  }
}

}  // namespace
}  // namespace shardy::text::golden_test
