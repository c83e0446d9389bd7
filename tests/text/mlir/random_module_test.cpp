// Random programs of all that MLIR text can hold, to text and back, to JSON and back.
#include "text/random_module.hpp"

#include <cstdint>
#include <string>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "shardy/text/same_program.hpp"
#include "support/catch.hpp"

namespace shardy::text {
namespace {

ir::Module random_program(uint64_t seed) {
  return testing::random_module(seed, {.max_ops = 4, .max_depth = 2, .writable = true});
}

void check_text(const ir::Module& module, const MlirPrintOptions& options) {
  const std::string text = to_mlir(module, options);
  const auto again = parse_mlir(text);
  if (!again) FAIL(error_text("text", text, again.error()));
  const std::string difference = first_difference(module, *again).value_or("none");
  const bool is_fixed = to_mlir(*again, options) == text;
  if (difference == "none" && is_fixed) return;
  INFO(text);
  CHECK(difference == "none");
  CHECK(is_fixed);
}

TEST_CASE("20000 random programs of all parts read back from text and JSON",
          "[text][mlir][law][random]") {
  constexpr uint64_t kPrograms = 20'000;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const ir::Module module = random_program(seed);
    CAPTURE(seed);
    check_text(module, {});
    // The other texts have tests of their own, too.
    if (seed % 4 == 1) check_text(module, {.generic = true});
    if (seed % 4 == 2) check_text(module, {.generic = true, .properties = true});
    if (seed % 4 != 3) continue;
    const auto read = parse_json(to_json(module));
    REQUIRE(read);
    CHECK(to_mlir(*read) == to_mlir(module));
  }
}

TEST_CASE("random programs with locations read back with them", "[text][mlir][law][random]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ir::Module module = random_program(seed);
    CAPTURE(seed);
    check_text(module, {.locations = true});
  }
}

}  // namespace
}  // namespace shardy::text
