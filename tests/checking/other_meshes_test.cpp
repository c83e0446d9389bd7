// Programs with other meshes besides their own: empty meshes, and larger meshes that nothing or
// another function uses. Also a single partition, and calls that place values. Spec: dialect 1.1,
// interop 3.4, 5.4, 5.7.
#include <string>

#include "checking/window_programs.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"

using namespace shardy;
using namespace shardy_test;

namespace other_meshes_test {
namespace {

ir::Module imported(const std::string& text) {
  auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  passes::enter_module(*module);
  REQUIRE(passes::import_shardings(*module, passes::ImportForm::Auto).has_value());
  return *std::move(module);
}

/// Runs the program on its devices with both forms of its collectives, and compares the results.
checking::CheckReport check_both_forms(const std::string& text) {
  INFO(text);
  const ir::Module module = imported(text);
  const auto inputs = checking::random_inputs(module, 1);
  REQUIRE(inputs.has_value());
  checking::CheckOptions options;
  options.compile.partition.stablehlo = partitioning::StablehloForm{};
  const auto stablehlo = checking::check(module, *inputs, options);
  REQUIRE(stablehlo.has_value());
  CHECK(stablehlo->equal());
  options.compile.partition.stablehlo.reset();
  auto report = checking::check(module, *inputs, options);
  REQUIRE(report.has_value());
  CHECK(report->equal());
  CHECK(report->sharded.devices.size() == stablehlo->sharded.devices.size());
  checking::CaseSweepOptions sweep;
  sweep.cases = 20;
  const auto swept = checking::sweep(module, *inputs, sweep);
  REQUIRE(swept.has_value());
  CHECK(swept->passed());
  return *std::move(report);
}

std::size_t devices_of(const std::string& text) {
  return check_both_forms(text).sharded.devices.size();
}

constexpr const char* kDot = R"(
func.func @main(%p: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@small, [{}, {"a"}]>},
                %q: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@small, [{"a"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
)";
constexpr const char* kInside = R"(
func.func @main(%p: tensor<4x4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.sharding_constraint %p <@small, [{"a"}, {}]> : tensor<4x4xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
)";
constexpr const char* kSmall = "sdy.mesh @small = <[\"a\"=2]>\n";
constexpr const char* kLarge = "sdy.mesh @large = <[\"x\"=4]>\n";

}  // namespace

TEST_CASE("a larger unused mesh adds no devices", "[meshes]") {
  for (const char* main : {kDot, kInside}) {
    CHECK(devices_of(std::string(kSmall) + kLarge + main) == 2);
    CHECK(devices_of(std::string(kLarge) + kSmall + main) == 2);
  }
}

TEST_CASE("a mesh that only another function uses adds no devices to main", "[meshes]") {
  const std::string other = R"(
func.func @other(%p: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@large, [{}, {"x"}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.negate %p : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
)";
  for (const char* main : {kDot, kInside}) {
    CHECK(devices_of(std::string(kSmall) + kLarge + main + other) == 2);
    CHECK(devices_of(std::string(kLarge) + kSmall + other + main) == 2);
  }
}

TEST_CASE("a program with only unused meshes runs on the first mesh", "[meshes]") {
  const std::string main = R"(
func.func @main(%p: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %p : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
  CHECK(devices_of(std::string(kSmall) + kLarge + main) == 2);
  CHECK(devices_of(std::string(kLarge) + kSmall + main) == 4);
}

TEST_CASE("a callee with collectives on more devices than main has is an error", "[meshes]") {
  const auto module = text::parse_mlir(std::string(kSmall) + kLarge + R"(
func.func @main(%p: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@small, [{"a"}, {}]>}) -> tensor<4x4xf32> {
  %0 = call @other(%p) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @other(%p: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@large, [{}, {"x"}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.negate %p : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
)");
  REQUIRE(module.has_value());
  CHECK_FALSE(checking::compile(*module).has_value());
}

TEST_CASE(
    "a sum over sharded elements with a result on an empty mesh is reduced on the operand mesh",
    "[meshes]") {
  CHECK(devices_of(R"(
sdy.mesh @m = <["i"=2]>
sdy.mesh @empty_mesh = <[]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"i"}]>}) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = sdy.sharding_constraint %0 <@empty_mesh, []> : tensor<f32>
  return %1 : tensor<f32>
}
)") == 2);
}

TEST_CASE("values on an empty mesh are replicated on any mesh", "[meshes]") {
  const std::string meshes = "sdy.mesh @m = <[\"i\"=2]>\nsdy.mesh @empty_mesh = <[]>\n";
  const std::string on = " {sdy.sharding = #sdy.sharding<@m, [{\"i\"}]>}";
  const std::string empty = " {sdy.sharding = #sdy.sharding<@empty_mesh, [{}]>}";
  const std::string t = "tensor<4xf32>";
  const std::string negate = "  %0 = stablehlo.negate %y : " + t + "\n  return %0 : " + t + "\n}\n";
  // An argument with a sharded one, an argument to a sharded result, an op, a result.
  CHECK(devices_of(meshes + "func.func @main(%x: " + t + on + ", %y: " + t + empty + ") -> " + t +
                   " {\n  %0 = stablehlo.add %x, %y : " + t + "\n  return %0 : " + t + "\n}\n") ==
        2);
  CHECK(devices_of(meshes + "func.func @main(%y: " + t + empty + ") -> (" + t + on + ") {\n" +
                   negate) == 2);
  CHECK(devices_of(meshes + "func.func @main(%y: " + t + ") -> (" + t + on +
                   ") {\n  %0 = stablehlo.negate %y {sdy.sharding = "
                   "#sdy.sharding_per_value<[<@empty_mesh, [{}]>]>} : " +
                   t + "\n  return %0 : " + t + "\n}\n") == 2);
  CHECK(devices_of(meshes + "func.func @main(%y: " + t + on + ") -> (" + t + empty + ") {\n" +
                   negate) == 2);
  // A callee, and a loop.
  CHECK(devices_of(meshes + "func.func @main(%y: " + t + on + ") -> (" + t + on +
                   ") {\n  %0 = call @f(%y) : (" + t + ") -> " + t + "\n  return %0 : " + t +
                   "\n}\nfunc.func private @f(%y: " + t + empty + ") -> (" + t + empty + ") {\n" +
                   negate) == 2);
  CHECK(devices_of(meshes + "func.func @main(%x: " + t + on + ") -> (" + t + on + R"() {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %k = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>, <@empty_mesh, [{}]>]>}
   cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %k : tensor<i32>
    %2 = stablehlo.add %y, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
)") == 2);
}

TEST_CASE("device 0 of a program with one partition holds all values", "[meshes]") {
  const std::string one = "module attributes {mhlo.num_partitions = 1 : i32} ";
  for (const std::string& module : {one, std::string("module ")}) {
    for (const std::string text : {"{maximal device=0}", "{single_device[device_id=0]}"}) {
      CHECK(devices_of(module + R"({
  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = ")" +
                       text + R"("}) -> (tensor<4xf32> {mhlo.sharding = ")" + text + R"("}) {
    %0 = stablehlo.negate %x {mhlo.sharding = ")" +
                       text + R"("} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)") == 1);
    }
  }
}

TEST_CASE("a maximal mesh of device 0 runs as one partition", "[meshes]") {
  for (const std::string mesh : {"@one", "mesh<[], device_ids=[0]>"}) {
    CHECK(devices_of(
              R"(sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<)" +
              mesh +
              R"(, []>}, %y: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<)" +
              mesh + R"(, []>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<)" +
              mesh + R"(, []>]>} : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
)") == 1);
  }
}

TEST_CASE("an argument on one of several devices is an error", "[meshes]") {
  const std::string tail =
      R"(%x: tensor<4xf32> {mhlo.sharding = "{maximal device=1}"}) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
  for (const std::string& text :
       {"func.func @main(" + tail,
        "func.func @main(%y: tensor<4xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}, " + tail}) {
    INFO(text);
    const auto compiled = checking::compile(imported(text));
    REQUIRE_FALSE(compiled.has_value());
    CHECK(compiled.error()[0].message.find("single-device (maximal)") != std::string::npos);
  }
}

TEST_CASE("the first nested module with functions is the program", "[meshes]") {
  const std::string inner = R"(module @a attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @entry(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";
  const std::string other = R"(module @b {
  sdy.mesh @mesh = <["x"=8]>
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
)";
  for (const std::string& text : {inner, inner + other, "module @outer {\n" + inner + "}\n"}) {
    CHECK(devices_of(text) == 2);
  }
  auto module = text::parse_mlir(other + inner);
  REQUIRE(module.has_value());
  const auto note = passes::enter_module(*module);
  REQUIRE(note.has_value());
  CHECK(note->message == "the program is the module @b, the first of 2 that have functions");
  CHECK_FALSE(passes::enter_module(*module).has_value());
}

TEST_CASE("placement calls are the identity, remain in the program and are reported", "[meshes]") {
  for (const std::string target :
       {"annotate_device_placement", "MoveToHost", "MoveToDevice", "LayoutConstraint"}) {
    const bool is_jax = target == "annotate_device_placement";
    const std::string placement =
        is_jax ? ", mhlo.frontend_attributes = {_xla_buffer_placement = \"pinned_host\"}" : "";
    for (const char* sizes : {"4x5", "3x5"}) {
      const std::string type = "tensor<" + std::string(sizes) + "xf32>";
      const checking::CheckReport report = check_both_forms(
          "sdy.mesh @m = <[\"a\"=2]>\nfunc.func @main(%x: " + type +
          " {sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>}) -> " + type +
          " {\n  %0 = stablehlo.custom_call @" + target + "(%x) {has_side_effect = true" +
          placement + "} : (" + type + ") -> " + type + "\n  return %0 : " + type + "\n}\n");
      const std::string program = text::to_mlir(report.compiled.program);
      CHECK(program.find("@" + target + "(") != std::string::npos);
      CHECK(program.find("(tensor<2x5xf32>) -> tensor<2x5xf32>") != std::string::npos);
      if (is_jax) CHECK(program.find("pinned_host") != std::string::npos);
      const auto note =
          std::ranges::find(report.compiled.diagnostics, "N_PLACEMENT", &Diagnostic::code);
      const bool is_noted = note != report.compiled.diagnostics.end();
      REQUIRE(is_noted == (target != "LayoutConstraint"));
      if (!is_noted) continue;
      const std::string memory = is_jax                   ? "pinned_host"
                                 : target == "MoveToHost" ? "host"
                                                          : "device";
      CHECK(note->message == "stablehlo.custom_call: @" + target +
                                 " places tensor<2x5xf32> of each device in " + memory +
                                 " memory; runs and the peak count it as device memory");
    }
  }
}

namespace {

std::string gspmd_region(const std::string& between, const std::string& functions = "") {
  return R"(module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%c: tensor<f32> {mhlo.sharding = "{replicated}"}, %w: tensor<2xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]0,1}"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
)" + between +
         R"(    %8 = stablehlo.custom_call @Sharding(%7) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
    %9 = stablehlo.custom_call @SPMDShardToFullShape(%8) {mhlo.sharding = "{devices=[2]0,1}"} : (tensor<2xf32>) -> tensor<4xf32>
    return %9 : tensor<4xf32>
  }
)" + functions +
         "}\n";
}

constexpr const char* kBody = R"(
  func.func private @f(%a: tensor<2xf32>, %b: tensor<f32>, %w: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.add %a, %0 : tensor<2xf32>
    %2 = stablehlo.multiply %1, %w : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
)";

}  // namespace

TEST_CASE("a manual computation reads replicated values from outside", "[meshes]") {
  const std::string call =
      "    %7 = call @f(%1, %c, %w) : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> "
      "tensor<2xf32>\n";
  const std::string local = "    %2 = stablehlo.negate %1 : tensor<2xf32>\n";
  const std::string local_call =
      "    %7 = call @f(%2, %c, %w) : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> "
      "tensor<2xf32>\n";
  const std::string computed =
      "    %3 = stablehlo.negate %c : tensor<f32>\n"
      "    %7 = call @f(%2, %3, %w) : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> "
      "tensor<2xf32>\n";
  const std::string inlined =
      R"(    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.add %1, %2 : tensor<2xf32>
)";
  for (const std::string& between : {call, local + local_call, local + computed}) {
    CHECK(devices_of(gspmd_region(between, kBody)) == 2);
  }
  CHECK(devices_of(gspmd_region(inlined)) == 2);
  const std::string text = text::to_mlir(imported(gspmd_region(call, kBody)));
  CHECK(text.find("in_shardings=[<@mesh, [{\"_axis_0\"}]>, <@mesh, []>, <@mesh, [{}]>]") !=
        std::string::npos);
}

}  // namespace other_meshes_test
