// One program is one module, in whatever generation of text it is written. Spec: interop 3.3, 4.2.
#include <string>
#include <utility>
#include <vector>

#include "passes/program.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace generations_test {
namespace {

std::string imported(const std::string& text) {
  ir::Module module = shardy_test::program(text);
  const auto counts = passes::import_shardings(module);
  INFO(text);
  INFO((counts ? std::string() : counts.error().front().message));
  REQUIRE(counts.has_value());
  return shardy_test::checked_text(module);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// ---- Manual computations ------------------------------------------------------------------------

/// Sizes that no two axes share, so that shapes identify the axes of the fourth generation.
const std::string kHead = R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x5xf32>) -> tensor<4x5xf32> {
)";
const std::string kNative = kHead + R"(
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x2xf32>, %arg3: tensor<2x5xf32>) {
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    sdy.return %1 : tensor<2x5xf32>
  } : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
)";
const std::string kBody = R"(
func.func private @NAME(%arg0: tensor<2x2xf32>, %arg1: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
)";
const std::string kManualBody = replaced(kBody, "NAME", "xla.sdy.manual_computation_body");

const std::string kIn =
    R"(xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {\22y\22}]>, <@mesh, [{\22y\22}, {}], replicated={\22x\22}>]>")";
const std::string kOut =
    R"(xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>")";
const std::string kAxes = R"(xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22, \22y\22}>")";

std::string keys(const std::string& entries) {
  return " {mhlo.frontend_attributes = {" + entries + "}}";
}

/// A call between the custom calls of the round trip, with what is written on each.
std::string between(const std::string& enter, const std::string& call, const std::string& leave) {
  return kHead + "  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0, %arg1)" +
         enter +
         " : (tensor<4x6xf32>, tensor<6x5xf32>) -> (tensor<2x2xf32>, tensor<2x5xf32>)\n  %1 = call "
         "@xla.sdy.manual_computation_body(%0#0, %0#1)" +
         call +
         " : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>\n  %2 = stablehlo.custom_call "
         "@xla.sdy.LocalToGlobalShape(%1)" +
         leave + " : (tensor<2x5xf32>) -> tensor<4x5xf32>\n  return %2 : tensor<4x5xf32>\n}\n" +
         kManualBody;
}

std::string first_generation() {
  return kHead +
         "  %0 = stablehlo.custom_call @xla.sdy.ManualComputation(%arg0, %arg1) "
         "{called_computations = [@xla.sdy.manual_computation_body], mhlo.frontend_attributes = {" +
         replaced(kIn + ", " + kAxes + ", " + kOut, R"(\22)", R"(\\\22)") +
         "}} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>\n  return %0 : "
         "tensor<4x5xf32>\n}\n" +
         kManualBody;
}

std::string fourth_generation() {
  const std::string mesh = "{mesh['x'=2,'y'=3], ";
  return between(" {mhlo.sharding = \"{" + mesh + "[{}, {}], manual={'x', 'y'}}, " + mesh +
                     "[{}, {}], manual={'x', 'y'}}}\"}",
                 "", " {mhlo.sharding = \"" + mesh + "[{'x'}, {}]}\"}");
}

std::string fifth_generation() {
  const auto sharding = [](const std::string& target, const std::string& operand,
                           const std::string& text) {
    return "stablehlo.custom_call @" + target + "(" + operand + ") {mhlo.sharding = \"" + text +
           "\"} : ";
  };
  const std::string rows = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}";
  return kHead + "  %0 = " + sharding("Sharding", "%arg0", "{devices=[2,3]<=[6]}") +
         "(tensor<4x6xf32>) -> tensor<4x6xf32>\n  %1 = " +
         sharding("SPMDFullToShardShape", "%0", "{manual}") +
         "(tensor<4x6xf32>) -> tensor<2x2xf32>\n  %2 = " + sharding("Sharding", "%arg1", rows) +
         "(tensor<6x5xf32>) -> tensor<6x5xf32>\n  %3 = " +
         sharding("SPMDFullToShardShape", "%2", "{manual}") +
         "(tensor<6x5xf32>) -> tensor<2x5xf32>\n  %4 = call @shmap_body(%1, %3) : "
         "(tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>\n  %5 = " +
         sharding("Sharding", "%4", "{manual}") + "(tensor<2x5xf32>) -> tensor<2x5xf32>\n  %6 = " +
         sharding("SPMDShardToFullShape", "%5", "{devices=[2,1,3]<=[6] last_tile_dim_replicate}") +
         "(tensor<2x5xf32>) -> tensor<4x5xf32>\n  return %6 : tensor<4x5xf32>\n}\n" +
         replaced(kBody, "NAME", "shmap_body");
}

/// Axes that a dim does not have are listed or omitted: all manual axes are known.
std::string without_replicated(const std::string& text) {
  return replaced(text, R"(, replicated={"x"})", "");
}

}  // namespace

TEST_CASE("five historic forms of a manual computation import as the same program", "[interop]") {
  const std::string native = without_replicated(imported(kNative));
  const std::vector<std::pair<std::string, std::string>> generations = {
      {"M1", first_generation()},
      {"M2", between("", keys(kIn + ", " + kAxes + ", " + kOut), "")},
      {"M3", between(keys(kIn + ", " + kAxes), keys(R"(inlineable = "false")"),
                     keys(kOut + ", " + kAxes))},
      {"M4", fourth_generation()},
      {"M5", fifth_generation()},
  };
  for (const auto& [name, text] : generations) {
    CAPTURE(name);
    CHECK(without_replicated(imported(text)) == native);
  }
}

TEST_CASE("three ways of escaping attribute text import as the same program", "[interop]") {
  const std::string program = R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "MESHES"}} {
  func.func @main(%arg0: tensor<8x4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}p1, {\22y\22, ?}]>"}}) -> tensor<8x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22x\22}]>]>"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
)";
  const std::string now =
      replaced(program, "MESHES", R"({mesh = #sdy.mesh<[\22x\22=2, \22y\22=4]>})");
  const std::string early = replaced(replaced(program, R"(\22)", R"(\\\22)"), "MESHES",
                                     R"({mesh = #sdy.mesh<[\\\22x\\\22=2, \\\22y\\\22=4]>})");
  const std::string first =
      replaced(program, "MESHES", R"({mesh = \22#sdy.mesh<\\22x\\22=2, \\22y\\22=4>\22})");
  const std::string want = imported(now);
  CHECK(want.find(R"([{"x"}p1, {"y", ?}])") != std::string::npos);
  CHECK(imported(early) == want);
  CHECK(imported(first) == want);
}

}  // namespace generations_test
