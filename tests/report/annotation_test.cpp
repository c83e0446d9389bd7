// Annotations are found by the names of the source, changed, inserted and removed.
#include <string>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using report::AnnotationPlace;

namespace annotation_test {
namespace {

const std::string kProgram = R"(sdy.mesh @mesh = <["x"=2, "yes"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = stablehlo.dot_general %arg0, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
  %tanh = stablehlo.tanh %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"yes"}]>]>}
      : tensor<8x4xf32>
  %4:2 = stablehlo.optimization_barrier %tanh, %w : tensor<8x4xf32>, tensor<4x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%4#0 init: %zero) across dimensions = [0]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
      reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %inside = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %inside : tensor<f32>
  }
  return %4#0, %sum : tensor<8x4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
)";

ir::Module read(const std::string& text) {
  auto module = text.starts_with('{') ? text::parse_json(text) : text::parse_mlir(text);
  INFO((module ? std::string() : module.error().front().message));
  REQUIRE(module.has_value());
  return *std::move(module);
}

Result<AnnotationPlace> find(const ir::Module& module, const std::string& name) {
  return report::find_annotation_place(text::WrittenValues(module), name);
}

std::string annotation_of(const ir::Module& module, const std::string& name) {
  const auto place = find(module, name);
  INFO((place ? std::string() : place.error().message));
  REQUIRE(place.has_value());
  const auto sharding = report::annotation(module, *place);
  return sharding ? to_string(*sharding) : "none";
}

/// Returns the program once the value has the sharding of that text.
ir::Module set(const ir::Module& module, const std::string& name, const std::string& text) {
  const auto place = find(module, name);
  INFO((place ? std::string() : place.error().message));
  REQUIRE(place.has_value());
  const auto sharding = report::parse_annotation(module, *place, text);
  INFO((sharding ? std::string() : sharding.error().message));
  REQUIRE(sharding.has_value());
  ir::Module changed = module;
  REQUIRE(report::annotate(changed, *place, *sharding).has_value());
  CHECK(ir::verify(changed).empty());
  CHECK(checking::compile(changed).has_value());
  return changed;
}

std::string changed_text(const std::string& name, const std::string& text) {
  return text::to_mlir(set(read(kProgram), name, text), {.names = true});
}

std::string error_of(const std::string& name) {
  const auto place = find(read(kProgram), name);
  REQUIRE(!place.has_value());
  std::string text = place.error().message;
  for (const std::string& note : place.error().notes) text += "; " + note;
  return text;
}

std::string parse_error(const std::string& name, const std::string& text) {
  const ir::Module module = read(kProgram);
  const auto sharding = report::parse_annotation(module, *find(module, name), text);
  REQUIRE(!sharding.has_value());
  std::string error_text = sharding.error().message;
  for (const std::string& note : sharding.error().notes) error_text += "; " + note;
  return error_text;
}

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text, part);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("annotations are read from their values", "[annotation]") {
  const ir::Module module = read(kProgram);
  CHECK(annotation_of(module, "%arg0") == R"(<@mesh, [{"x"}, {}]>)");
  CHECK(annotation_of(module, "@main:%arg0") == R"(<@mesh, [{"x"}, {}]>)");
  CHECK(annotation_of(module, "w") == "none");
  CHECK(annotation_of(module, "%0") == R"(<@mesh, [{"x"}, {?}]>)");
  CHECK(annotation_of(module, "%1") == R"(<@mesh, [{"x"}, {?}]>)");
  CHECK(annotation_of(module, "%tanh") == R"(<@mesh, [{?}, {"yes"}]>)");
  CHECK(annotation_of(module, "%4#1") == "none");
  CHECK(annotation_of(module, "@main result 1") == "none");
}

TEST_CASE("annotations are changed in the text, or inserted after the value", "[annotation]") {
  CHECK(contains(changed_text("%arg0", R"([{}, {"x"}])"),
                 R"(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})"));
  CHECK(contains(changed_text("%w", R"([{}, {"x"}])"),
                 R"(%w: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})"));
  CHECK(contains(changed_text("%0", "[{?}, {}]"), "sdy.sharding_constraint %0 <@mesh, [{?}, {}]>"));
  CHECK(contains(changed_text("%tanh", R"(<@mesh, [{"x"}, {}]>)"),
                 R"(#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>)"));
  CHECK(contains(changed_text("result 1", R"(#sdy.sharding<@mesh, [{"x"}]>)"),
                 R"(tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}))"));
  const ir::Module inserted = set(read(kProgram), "%4#0", R"([{"x"}, {"yes"}])");
  const std::string text = text::to_mlir(inserted, {.names = true});
  CHECK(contains(text, R"(sdy.sharding_constraint %4#0 <@mesh, [{"x"}, {"yes"}]>)"));
  CHECK_FALSE(text.find("return %4#0") != std::string::npos);
  CHECK_FALSE(text.find("reduce(%4#0") != std::string::npos);
}

TEST_CASE("an annotation of a use is a constraint before the user, with the uses of that user",
          "[annotation]") {
  const auto printed = [](const std::string& name) {
    return text::to_mlir(set(read(kProgram), name, R"([{"x"}, {"yes"}])"), {.names = true});
  };
  const std::string constraint = R"( = sdy.sharding_constraint %4#0 <@mesh, [{"x"}, {"yes"}]>)";
  const std::string one = printed("%4#0 before %sum");
  CHECK(contains(one, constraint));
  CHECK(contains(one, "return %4#0"));
  CHECK_FALSE(contains(one, "reduce(%4#0"));
  const std::string other = printed("%4#0 before func.return");
  CHECK(contains(other, constraint));
  CHECK_FALSE(contains(other, "return %4#0"));
  CHECK(contains(other, "reduce(%4#0"));
  const std::string all = printed("%4#0 before users");
  CHECK(contains(all, constraint));
  CHECK_FALSE(contains(all, "return %4#0"));
  CHECK_FALSE(contains(all, "reduce(%4#0"));
  CHECK(contains(printed("%0 attribute"), R"(<[<@mesh, [{"x"}, {"yes"}]>]>)"));
  CHECK(contains(printed("%0 attribute"), R"(sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]>)"));
  const ir::Module module = read(kProgram);
  const text::WrittenValues names(module);
  for (const char* name : {"%4#0 before %sum", "%4#0 before func.return", "%4#0 before users",
                           "%0 attribute", "%0 before %tanh"}) {
    const auto place = find(module, name);
    INFO(name << (place ? std::string() : place.error().message));
    REQUIRE(place.has_value());
    CHECK(report::place_name(names, *place) == name);
  }
  CHECK(find(module, "%4#0 before %tanh").error().message == "%4#0 is not an operand of %tanh");
  CHECK(find(module, "%arg0 attribute").error().message ==
        "%arg0 is not a result of an op; name the argument itself");
}

TEST_CASE("setting an annotation to none removes it", "[annotation]") {
  const ir::Module module = read(kProgram);
  for (const std::string name : {"%arg0", "%tanh", "%0"}) {
    CAPTURE(name);
    const ir::Module changed = set(module, name, "none");
    CHECK(annotation_of(changed, name) == "none");
    CHECK(text::to_mlir(changed).size() < text::to_mlir(module).size());
  }
  CHECK(text::to_mlir(set(module, "%w", "none")) == text::to_mlir(module));
  CHECK_FALSE(contains(changed_text("%1", "none"), "sharding_constraint"));
}

TEST_CASE("adding and removing an annotation leaves the program unchanged", "[annotation]") {
  const ir::Module module = read(kProgram);
  for (const std::string name : {"%w", "%4#0", "%4#1", "result 0", "@f:%x"}) {
    CAPTURE(name);
    const auto place = find(module, name);
    REQUIRE(place.has_value());
    const std::string text = name == "@f:%x" ? "[{\"x\"}]" : "[{\"x\"}, {}]";
    ir::Module changed = set(module, name, text);
    CHECK(text::to_mlir(changed) != text::to_mlir(module));
    REQUIRE(report::annotate(changed, *place, std::nullopt).has_value());
    CHECK(text::to_mlir(changed) == text::to_mlir(module));
  }
}

TEST_CASE("values of a JSON program keep their JSON names", "[annotation]") {
  const ir::Module module = read(R"({"shardy": 1, "meshes": {"m": {"data": 4}}, "functions": [{
    "name": "main", "args": [{"name": "x", "type": "f32[8]", "sharding": ["data"]}],
    "body": [{"name": "h", "op": "tanh", "operands": ["x"]}], "return": ["h"]}]})");
  CHECK(annotation_of(module, "x") == R"(<@m, [{"data"}]>)");
  CHECK(annotation_of(set(module, "h", "[{}]"), "h") == "<@m, [{}]>");
}

TEST_CASE("unknown names are errors that list the known names", "[annotation]") {
  CHECK(contains(error_of("%tanj"), "no such value: %tanj; did you mean %tanh?; values: %arg0"));
  CHECK(error_of("%4") == "%4 is 2 values: name one of them; %4#0; %4#1");
  CHECK(error_of("result 2") == "@main has 2 results, no result 2");
  CHECK(contains(error_of("@mian result 0"), "no such function: @mian; did you mean @main?"));
  CHECK(contains(error_of("%inside"),
                 "values in the regions of stablehlo.reduce cannot be annotated; each device "
                 "executes these regions unpartitioned"));
  CHECK(contains(error_of(""), "no such value"));
}

TEST_CASE("shardings that do not fit their value are errors with a suggestion", "[annotation]") {
  CHECK(contains(parse_error("%w", R"([{"yse"}, {}])"), "did you mean \"yes\"?"));
  CHECK(contains(parse_error("%w", R"([{"x"}])"), "rank"));
  CHECK(contains(parse_error("%w", R"(<@mash, [{}, {}]>)"), "the meshes of the program: @mesh"));
  CHECK_FALSE(parse_error("%w", "[{x").empty());
  CHECK_FALSE(parse_error("%w", "").empty());
  ir::Module module = read(kProgram);
  const auto x = find(module, "@f:%x");
  const auto w = find(module, "%w");
  const auto fits_x = report::parse_annotation(module, *x, "[{\"x\"}]");
  const std::string before = text::to_mlir(module);
  CHECK_FALSE(report::annotate(module, *w, *fits_x).has_value());
  CHECK(text::to_mlir(module) == before);
}

}  // namespace annotation_test
