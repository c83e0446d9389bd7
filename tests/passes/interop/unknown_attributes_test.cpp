// Attributes that look like a sharding and are not understood are errors. Spec: interop 10.
#include <string>
#include <vector>

#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace unknown_attributes_test {
namespace {

const std::string kText = R"("{devices=[4,1]<=[4]}")";

/// Attributes of the module, an argument, and a result; the op, and the functions beside main.
struct Program {
  std::string module = {}, argument = {}, result = {};
  std::string op = "stablehlo.add %arg0, %arg0 : tensor<8x4xf32>";
  std::string beside = {};
};

std::string braced(const std::string& attributes) {
  return attributes.empty() ? "" : " {" + attributes + "}";
}

std::string with(const std::string& attributes) {
  return "stablehlo.add %arg0, %arg0 {" + attributes + "} : tensor<8x4xf32>";
}

std::string call(const std::string& target) {
  return "stablehlo.custom_call @" + target + "(%arg0) {mhlo.sharding = " + kText +
         "} : (tensor<8x4xf32>) -> tensor<8x4xf32>";
}

std::string text_of(const Program& program) {
  return "module attributes {mhlo.num_partitions = 4 : i32" +
         (program.module.empty() ? "" : ", " + program.module) +
         "} {\nfunc.func @main(%arg0: tensor<8x4xf32>" + braced(program.argument) +
         ") -> (tensor<8x4xf32>" + braced(program.result) + ") {\n  %0 = " + program.op +
         "\n  return %0 : tensor<8x4xf32>\n}\n" + program.beside + "}\n";
}

Diagnostics diagnostics_of(const Program& program) {
  auto module = text::parse_mlir(text_of(program));
  INFO(text_of(program));
  REQUIRE(module.has_value());
  const auto counts = passes::import_shardings(*module);
  return counts ? Diagnostics() : counts.error();
}

/// The messages, each with its notes.
std::string messages(const Program& program) {
  std::string all;
  for (const Diagnostic& each : diagnostics_of(program)) {
    all += (all.empty() ? "" : "\n") + each.message;
    for (const std::string& note : each.notes) all += " - " + note;
  }
  return all;
}

struct Case {
  Program program;
  std::string message;
};

}  // namespace

TEST_CASE("misspelled attribute names of shardings are errors", "[interop]") {
  const std::string arg = "argument 0 of @main: ";
  const std::vector<Case> cases = {
      {{.argument = "mhlo.shardings = " + kText},
       "unknown attribute of " + arg + "mhlo.shardings - did you mean mhlo.sharding?"},
      {{.argument = "mhlo.Sharding = " + kText},
       "unknown attribute of " + arg + "mhlo.Sharding - did you mean mhlo.sharding?"},
      {{.argument = "mhlo.shard = 1 : i32"},
       "unknown attribute of " + arg + "mhlo.shard - did you mean mhlo.sharding?"},
      {{.argument = "sdy.shardin = 1 : i32"},
       "unknown attribute of " + arg + "sdy.shardin - did you mean sdy.sharding?"},
      {{.argument = R"(mhlo.frontend_attribute = {xla.sdy.sharding = "x"})"},
       "unknown attribute of " + arg +
           "mhlo.frontend_attribute - did you mean mhlo.frontend_attributes?"},
      {{.result = "mhlo.shardingg = " + kText},
       "unknown attribute of result 0 of @main: mhlo.shardingg - did you mean mhlo.sharding?"},
      {{.module = "mhlo.spmd_parameter_shardings = []"},
       "unknown attribute of the module: mhlo.spmd_parameter_shardings - did you mean "
       "mhlo.spmd_parameters_shardings?"},
      {{.op = with("sdy.shardings = 1 : i32")},
       "unknown attribute of stablehlo.add: sdy.shardings - did you mean sdy.sharding?"},
      {{.op = with(R"(xla.sdy.sharding = "x")")},
       "unknown attribute of stablehlo.add: xla.sdy.sharding - did you mean sdy.sharding?"},
      {{.op =
            R"(stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {mhlo.shardings = 1 : i32}} : (tensor<8x4xf32>) -> tensor<8x4xf32>)"},
       "unknown attribute of custom call @mhlo.erf: mhlo.shardings - did you mean mhlo.sharding?"},
  };
  for (const Case& each : cases) CHECK(messages(each.program) == each.message);
}

TEST_CASE("misspelled attribute names of sdy are errors", "[interop]") {
  const std::string arg = "unknown frontend attribute of argument 0 of @main: ";
  const auto keys = [](const std::string& entries) {
    return "mhlo.frontend_attributes = {" + entries + "}";
  };
  const std::vector<Case> cases = {
      {{.argument = keys(R"(xla.sdy.shardings = "x")")},
       arg + "xla.sdy.shardings - did you mean xla.sdy.sharding?"},
      {{.argument = keys(R"(xla_sdy_sharding = "x")")},
       arg + "xla_sdy_sharding - did you mean xla.sdy.sharding?"},
      {{.argument = keys(R"(sdy.sharding = "x")")},
       arg + "sdy.sharding - did you mean xla.sdy.sharding?"},
      {{.argument = keys(R"(XLA.SDY.SHARDING = "x")")}, arg + "XLA.SDY.SHARDING"},
      {{.module = keys(R"(xla.sdy.meshez = "{}")")},
       "unknown frontend attribute of the module: xla.sdy.meshez - did you mean xla.sdy.meshes?"},
      {{.argument = R"(mhlo.frontend_attributes = "xla.sdy.sharding")"},
       "mhlo.frontend_attributes of argument 0 of @main is not a dictionary"},
      {{.op = with(keys(R"(xla.sdy.in_shardings = "x")"))},
       "xla.sdy.in_shardings of stablehlo.add is not read there"},
      {{.op = with(keys(R"(xla.sdy.sharding_group_id = "1 : i64")"))},
       "xla.sdy.sharding_group_id of stablehlo.add is not read there"},
      {{.op =
            R"(call @body(%arg0) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{}>"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>)",
        .beside = "func.func private @body(%a: tensor<8x4xf32>) -> tensor<8x4xf32> { return %a : "
                  "tensor<8x4xf32> }\n"},
       "xla.sdy.manual_axes of func.call is not read there"},
  };
  for (const Case& each : cases) CHECK(messages(each.program) == each.message);
}

TEST_CASE("misspelled custom call targets of shardings are errors", "[interop]") {
  const std::string none = " does not carry a sharding";
  const std::vector<std::pair<std::string, std::string>> targets = {
      {"sharding", "@Sharding"},
      {"Shardings", "@Sharding"},
      {"SPMDFullToShard", "@SPMDFullToShardShape"},
      {"SPMDShardToFullShapes", "@SPMDShardToFullShape"},
      {"xla.sdy.Sharding", "@xla.sdy.ShardingGroup"},
      {"sdy.FuncResultSharding", "@xla.sdy.FuncResultSharding"},
      {"local_xla.sdy.FuncResultSharding", "@xla.sdy.FuncResultSharding"},
      {"xla.sdy.GlobalToLocal", "@xla.sdy.GlobalToLocalShape"},
  };
  for (const auto& [target, meant] : targets) {
    CHECK(messages({.op = call(target)}) ==
          "custom call @" + target + none + " - did you mean " + meant + "?");
  }
  // With a rule it computes something.
  CHECK(
      messages(
          {.op =
               R"(stablehlo.custom_call @HashSharding(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>)"})
          .empty());
}

TEST_CASE("sharding text in attributes that are not read is an error", "[interop]") {
  const std::vector<Case> cases = {
      {{.op = with("sharding = " + kText)},
       "sharding of stablehlo.add holds a sharding, and is not read: " + kText},
      {{.op = with("mhlo.sharding = 3 : i32")}, "mhlo.sharding of stablehlo.add is not a string"},
      {{.op = with("mhlo.sharding = #sdy.sharding<@mesh, [{}, {}]>")},
       "mhlo.sharding of stablehlo.add is not a string"},
      {{.argument = R"(mhlo.frontend_attributes = {place = "{replicated}"})"},
       R"(place of argument 0 of @main holds a sharding, and is not read: "{replicated}")"},
      {{.module = "mhlo.sharding = " + kText}, "mhlo.sharding of the module: it has no value"},
      {{.beside = "func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> attributes "
                  "{mhlo.sharding = " +
                  kText + "} { return %a : tensor<2xf32> }\n"},
       "mhlo.sharding of function @f: its arguments and results have shardings"},
      {{.op =
            R"(stablehlo.custom_call @Sharding(%arg0) {backend_config = {unspecified_dims = [0]}, mhlo.sharding = "{replicated}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>)"},
       "backend_config of @Sharding is not a string"},
  };
  for (const Case& each : cases) CHECK(messages(each.program) == each.message);
}

TEST_CASE("all unknown attributes are reported together, with their locations", "[interop]") {
  const Diagnostics found = diagnostics_of({.argument = "mhlo.shardings = " + kText,
                                            .result = "sdy.shardin = 1 : i32",
                                            .op = with("sdy.shardings = 1 : i32")});
  REQUIRE(found.size() == 3);
  CHECK(found[0].location == "2:1");
  CHECK(found[2].location == "3:8");
}

TEST_CASE("attributes whose names only resemble sharding attributes are kept", "[interop]") {
  CHECK(
      messages(
          {.module = "jax.uses_shape_polymorphism = false",
           .argument =
               R"(jax.buffer_donor = true, my.sharding_hint = "rows", mhlo.layout_mode = "default", mhlo.frontend_attributes = {_xla_buffer_placement = "arg", inlineable = "false"})",
           .result = R"(jax.result_info = "result", mhlo.memory_kind = "device")",
           .op = with(R"(sdy.sharding_origins = {c0 = "self"}, note = "shard me")")})
          .empty());
}

}  // namespace unknown_attributes_test
