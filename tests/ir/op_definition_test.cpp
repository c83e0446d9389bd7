// Compares the rows of ops with a second source: the specification, or the traits.
#include <cstddef>
#include <shardy/ir/op_definition.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

namespace shardy_test::op_definition_test {
namespace {

using namespace shardy::ir;
using enum OpKind;

TEST_CASE("every op has the definition of its kind", "[ir][op_definition]") {
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const auto kind = static_cast<OpKind>(index);
    CAPTURE(info(kind).name);
    CHECK(definition_of(kind).kind == kind);
    CHECK(definition_of(kind).infer != nullptr);
  }
}

TEST_CASE("the op definition gives the counts of operands and regions", "[ir][op_definition]") {
  const auto [kind, least, most] = GENERATE(table<OpKind, std::size_t, std::size_t>({
      {Constant, 0, 0},
      {Tanh, 1, 1},
      {Pad, 2, 2},
      {Clamp, 3, 3},
      {BatchNormGrad, 5, 5},
      {Concatenate, 1, kAnyNumber},
      {Reduce, 2, kAnyNumber},
      {Scatter, 3, kAnyNumber},
      {DynamicUpdateSlice, 2, kAnyNumber},
      {Tuple, 0, kAnyNumber},
  }));
  CAPTURE(info(kind).name);
  CHECK(definition_of(kind).num_operands.least == least);
  CHECK(definition_of(kind).num_operands.most == most);
  CHECK(definition_of(While).num_regions.least == 2);
  CHECK(definition_of(While).num_regions.most == 2);
  CHECK(definition_of(Case).num_regions.least == 1);
  CHECK(definition_of(Case).num_regions.most == kAnyNumber);
  CHECK(definition_of(Composite).num_regions.least == 0);
}

TEST_CASE("regions end in terminators", "[ir][op_definition]") {
  for (const OpInfo& op : kOps) {
    if (op.kind == Unknown) continue;
    const OpDefinition& definition = definition_of(op.kind);
    CAPTURE(op.name);
    const bool is_terminated = definition.terminator != Unknown;
    CHECK((!is_terminated || has_trait(definition.terminator, kTerminator)));
    CHECK((!is_terminated || definition.num_regions.most > 0));
    CHECK((!has_trait(op.kind, kTerminator) || definition.results.empty()));
  }
}

TEST_CASE("op definitions have the attributes of the specification", "[ir][op_definition]") {
  const OpDefinition& pad = definition_of(Pad);
  REQUIRE(pad.attributes.size() == 3);
  for (const std::string_view name :
       {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    const AttributeDefinition* const attribute = pad.find_attribute(name);
    REQUIRE(attribute != nullptr);
    CHECK(attribute->kind == AttributeKind::I64Array);
    CHECK(attribute->required);
  }
  CHECK(pad.find_attribute("padding") == nullptr);
  const AttributeDefinition* const precision =
      definition_of(Convolution).find_attribute("precision_config");
  REQUIRE(precision != nullptr);
  CHECK(precision->kind == AttributeKind::EnumList);
  CHECK_FALSE(precision->required);
  REQUIRE(precision->words != nullptr);
  CHECK(precision->words->kind == "stablehlo.precision");
  const AttributeDefinition* const version = definition_of(Composite).find_attribute("version");
  REQUIRE(version != nullptr);
  CHECK(version->default_value == "0 : i32");
  CHECK_FALSE(version->required);
}

TEST_CASE("words of enumerations have their numbers", "[ir][op_definition]") {
  const EnumDefinition* const direction = find_enum("stablehlo.comparison_direction");
  REQUIRE(direction != nullptr);
  CHECK(enum_number(*direction, "EQ") == 0);
  CHECK(enum_number(*direction, "LT") == 5);
  CHECK(enum_number(*direction, "LESS") == -1);
  CHECK(enum_word(*direction, 2) == "GE");
  CHECK(enum_word(*direction, 6).empty());
  CHECK(enum_word(*direction, -1).empty());
  CHECK(find_enum("direction") == nullptr);
}

}  // namespace
}  // namespace shardy_test::op_definition_test
