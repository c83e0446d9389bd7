// Random programs of all that MLIR text can hold, to text and back, to JSON and back.
#include "text/random_module.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "text/random_parts.hpp"

namespace shardy::text::random_module_test {
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

TEST_CASE("20000 random programs with ops of all kinds read back from text and JSON",
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

TEST_CASE("random programs with locations read back with their locations",
          "[text][mlir][law][random]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ir::Module module = random_program(seed);
    CAPTURE(seed);
    check_text(module, {.locations = true});
  }
}

/// A program whose ops have locations as frameworks print them: aliases of frames, of names, of
/// call sites and of fused locations, whose parts are earlier aliases.
struct LocatedProgram {
  std::string text;
  std::vector<std::string> locations;  // of the ops, without aliases
};

LocatedProgram located_program(testing::Random& random) {
  LocatedProgram program{"func.func @main(%x: tensor<2xf32>) {\n", {}};
  std::vector<std::string> aliases;   // text of each definition
  std::vector<std::string> expanded;  // expansion of each
  const auto add = [&](const std::string& text, const std::string& whole) {
    aliases.push_back("#loc" + std::to_string(aliases.size()) + " = loc(" + text + ")\n");
    expanded.push_back(whole);
  };
  const std::size_t count = 1 + random.below(60);
  for (std::size_t index = 0; index < count; ++index) {
    const std::string place = "\"f" + std::to_string(random.below(9)) +
                              ".py\":" + std::to_string(1 + random.below(99)) + ":4 to :9";
    const std::size_t a = index == 0 ? 0 : random.below(index);
    const std::size_t b = index == 0 ? 0 : random.below(index);
    const std::string first = "#loc" + std::to_string(a);
    const std::string second = "#loc" + std::to_string(b);
    const std::size_t kind = index == 0 ? 0 : random.below(4);
    // Chains are long, but their expansion stays below the limit of 64 KiB.
    const bool is_small = index > 0 && expanded[a].size() + expanded[b].size() < 20'000;
    if (kind == 1) add("\"jit(f)/op\"(" + first + ")", "\"jit(f)/op\"(" + expanded[a] + ")");
    if (kind == 2 && is_small) {
      add("callsite(" + first + " at " + second + ")",
          "callsite(" + expanded[a] + " at " + expanded[b] + ")");
    }
    if (kind == 3 && is_small) {
      add("fused[" + first + ", " + second + "]",
          "fused[" + expanded[a] + ", " + expanded[b] + "]");
    }
    if (aliases.size() == index) add(place, place);
  }
  for (std::size_t op = 0; op < count; ++op) {
    const std::size_t alias = random.below(count);
    program.text += "  %" + std::to_string(op) + " = stablehlo.negate %x : tensor<2xf32> loc(#loc" +
                    std::to_string(alias) + ")\n";
    program.locations.push_back("loc(" + expanded[alias] + ")");
  }
  program.text += "  return\n}\n";
  // Before or after their uses, in any order.
  const bool is_shuffled = random.below(2) == 0;
  for (std::size_t index = aliases.size(); is_shuffled && index > 1; --index) {
    std::swap(aliases[index - 1], aliases[random.below(index)]);
  }
  const bool are_first = random.below(3) == 0;
  std::string lines;
  for (const std::string& alias : aliases) lines += alias;
  program.text = are_first ? lines + program.text : program.text + lines;
  return program;
}

TEST_CASE("random location aliases are replaced by their definitions",
          "[text][mlir][law][random]") {
  constexpr uint64_t kPrograms = 20'000;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    testing::Random random(seed);
    const LocatedProgram program = located_program(random);
    CAPTURE(seed);
    const auto module = parse_mlir(program.text);
    if (!module) FAIL(error_text("text", program.text, module.error()));
    std::size_t next = 0;
    for (const ir::OpId op : module->ops(module->entry(module->functions().front()))) {
      if (module->num_results(op) == 0) continue;
      CHECK(module->location_text(op) == program.locations[next++]);
    }
    CHECK(next == program.locations.size());
    check_text(*module, {.locations = true});
  }
}

}  // namespace
}  // namespace shardy::text::random_module_test
