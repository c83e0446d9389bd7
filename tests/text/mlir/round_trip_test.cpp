// Programs that are made, printed and read again.
#include <cstdint>
#include <random>
#include <string>

#include "shardy/checking/sweep.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::text::round_trip_test {
namespace {

TEST_CASE("random programs read back from all their text forms", "[text][mlir][random]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const ir::Module module = checking::random_program(seed).module;
    for (const bool generic : {false, true}) {
      const std::string text = to_mlir(module, {.generic = generic});
      CAPTURE(seed, text);
      const auto again = parse_mlir(text);
      if (!again) FAIL(error_text("text", text, again.error()));
      CHECK(first_difference(module, *again).value_or("") == "");
      CHECK(to_mlir(*again, {.generic = generic}) == text);
    }
  }
}

TEST_CASE("literals of all types read back", "[text][mlir][random]") {
  std::mt19937_64 random(7);
  for (const ir::ElementInfo& info : ir::kElementTypes) {
    const ir::ElementType element = *ir::parse_element_type(info.name);
    if (element == ir::ElementType::Index) continue;
    for (const int64_t count : {0, 1, 3, 100, 101}) {
      const ir::Type type = ir::Type::tensor({count}, element);
      std::vector<std::byte> bytes;
      for (int64_t index = 0; index < count; ++index) {
        const auto value = static_cast<double>(random() % 5) - 2;
        const auto one = ir::encode(value, element);
        bytes.insert(bytes.end(), one.begin(), one.end());
      }
      ir::Module module;
      const ir::OpId function = module.add_function("f", {}, {type});
      ir::OpSpec spec{.kind = ir::OpKind::Constant, .result_types = {type}};
      spec.attributes.set("value", *ir::Literal::make(type, std::move(bytes)));
      const ir::OpId constant = module.create(std::move(spec));
      module.append(module.entry(function), constant);
      module.append(module.entry(function), module.create({.kind = ir::OpKind::FuncReturn,
                                                           .operands = {module.result(constant)}}));
      for (const bool generic : {false, true}) {
        const std::string text = to_mlir(module, {.generic = generic});
        CAPTURE(text);
        const auto again = parse_mlir(text);
        if (!again) FAIL(error_text("text", text, again.error()));
        CHECK(first_difference(module, *again).value_or("") == "");
      }
    }
  }
}

}  // namespace
}  // namespace shardy::text::round_trip_test
