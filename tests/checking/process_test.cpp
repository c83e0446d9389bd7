// Manual computations whose bodies contain StableHLO collectives. The sharded run must equal the
// unsharded run, also if free axes shard the values in the body. Spec: partitioning 8.22, 9.4;
// stablehlo 28.1, 31.
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::small_integers;
using shardy_test::text_of;

namespace process_test {
namespace {

struct Example {
  std::string title;
  std::string mesh;
  std::string in;      // sharding of the argument of the computation
  std::string out;     // sharding of the result of the computation
  std::string manual;  // manual axes
  std::string local;   // type of the block argument %a
  std::string body;    // computes %r from %a
  std::string result;  // type of %r
  std::string type;    // global type of the argument
  std::string whole;   // global type of the result
};

const std::string kSum = R"(({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }))";

std::string groups(const std::string& rows, const std::string& type) {
  return "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = "
         "dense<" +
         rows + "> : tensor<" + type + "xi64>";
}

/// Returns the replica groups along an axis of the mesh, not as a list of devices.
std::string groups_along(const std::string& axis) {
  return "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = "
         "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"" +
         axis + "\">]>";
}

const std::string kBoth = R"(["x"=2, "y"=3])";
const std::string kOther = R"(["x"=2, "y"=3], device_ids=[5, 3, 1, 0, 2, 4])";
const std::string kRows = "[[0, 1, 2], [3, 4, 5]]";  // groups along y
const std::string kColumns = "[[0, 3], [1, 4], [2, 5]]";

const std::vector<Example> kExamples = {
    {"sum over one of two manual axes", kBoth, R"([{"x"}, {"y"}])", R"([{"x"}, {}])", R"("x", "y")",
     "tensor<2x2xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups(kRows, "2x3") + ", use_global_device_ids}> " +
         kSum + " : (tensor<2x2xi32>) -> tensor<2x2xi32>",
     "tensor<2x2xi32>", "tensor<4x6xi32>", "tensor<4x2xi32>"},
    {"sum over the only manual axis, each part sharded by a free one", kBoth, R"([{"x"}, {"y"}])",
     R"([{}, {"y"}])", R"("x")", "tensor<2x6xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups(kColumns, "3x2") +
         ", use_global_device_ids}> " + kSum + " : (tensor<2x6xi32>) -> tensor<2x6xi32>",
     "tensor<2x6xi32>", "tensor<4x6xi32>", "tensor<2x6xi32>"},
    {"a free axis that does not divide", kBoth, R"([{"x"}, {"y"}])", R"([{}, {"y"}])", R"("x")",
     "tensor<2x7xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups(kColumns, "3x2") +
         ", use_global_device_ids}> " + kSum + " : (tensor<2x7xi32>) -> tensor<2x7xi32>",
     "tensor<2x7xi32>", "tensor<4x7xi32>", "tensor<2x7xi32>"},
    {"groups that cross a free axis", kBoth, R"([{"x"}, {"y"}])", R"([{}, {"y"}])", R"("x")",
     "tensor<2x6xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups("[[0, 4], [1, 5], [2, 3]]", "3x2") +
         ", use_global_device_ids}> " + kSum + " : (tensor<2x6xi32>) -> tensor<2x6xi32>",
     "tensor<2x6xi32>", "tensor<4x6xi32>", "tensor<2x6xi32>"},
    {"sum along an axis by its name, the other one free", kBoth, R"([{"x"}, {"y"}])",
     R"([{}, {"y"}])", R"("x")", "tensor<2x6xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups_along("x") + ", use_global_device_ids}> " +
         kSum + " : (tensor<2x6xi32>) -> tensor<2x6xi32>",
     "tensor<2x6xi32>", "tensor<4x6xi32>", "tensor<2x6xi32>"},
    {"sum along an axis by its name, devices in another order", kOther, R"([{"x"}, {"y"}])",
     R"([{}, {"y"}])", R"("x")", "tensor<2x6xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups_along("x") + ", use_global_device_ids}> " +
         kSum + " : (tensor<2x6xi32>) -> tensor<2x6xi32>",
     "tensor<2x6xi32>", "tensor<4x6xi32>", "tensor<2x6xi32>"},
    {"all devices sum, without global numbers", kBoth, R"([{"x", "y"}])", "[{}]", R"("x", "y")",
     "tensor<2xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups("0", "1x1") + "}> " + kSum +
         " : (tensor<2xi32>) -> tensor<2xi32>",
     "tensor<2xi32>", "tensor<12xi32>", "tensor<2xi32>"},
    {"gather along a dim that a free axis shards, too", kBoth, R"([{"x", "y"}])", R"([{"y"}])",
     R"("x")", "tensor<6xi32>",
     R"(%r = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, )" + groups(kColumns, "3x2") +
         ", use_global_device_ids}> : (tensor<6xi32>) -> tensor<12xi32>",
     "tensor<12xi32>", "tensor<12xi32>", "tensor<12xi32>"},
    {"reduce and scatter", kBoth, R"([{"y"}, {"x"}])", R"([{"y"}, {"x"}])", R"("y")",
     "tensor<3x4xi32>",
     R"(%r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, )" +
         groups(kRows, "2x3") + ", use_global_device_ids}> " + kSum +
         " : (tensor<3x4xi32>) -> tensor<1x4xi32>",
     "tensor<1x4xi32>", "tensor<9x4xi32>", "tensor<3x4xi32>"},
    {"all to all", kBoth, R"([{"y"}, {}])", R"([{}, {"y"}])", R"("x", "y")", "tensor<2x6xi32>",
     R"(%r = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, )" +
         groups(kRows, "2x3") + "}> : (tensor<2x6xi32>) -> tensor<6x2xi32>",
     "tensor<6x2xi32>", "tensor<6x6xi32>", "tensor<6x6xi32>"},
    {"shift along an axis, the other one free", kBoth, R"([{"y"}, {"x"}])", R"([{"y"}, {"x"}])",
     R"("y")", "tensor<2x4xi32>",
     R"(%r = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [3, 4], [4, 5]]> : tensor<4x2xi64>}> : (tensor<2x4xi32>) -> tensor<2x4xi32>)",
     "tensor<2x4xi32>", "tensor<6x4xi32>", "tensor<6x4xi32>"},
    {"broadcast from the first of a group", kBoth, R"([{"y"}, {"x"}])", R"([{}, {"x"}])", R"("y")",
     "tensor<2x4xi32>",
     R"(%r = "stablehlo.collective_broadcast"(%a) <{)" + groups(kRows, "2x3") +
         "}> : (tensor<2x4xi32>) -> tensor<2x4xi32>",
     "tensor<2x4xi32>", "tensor<6x4xi32>", "tensor<2x4xi32>"},
    {"the own number, devices in another order", kOther, R"([{"x", "y"}])", R"([{"x", "y"}])",
     R"("x", "y")", "tensor<2xi32>", R"(%i = stablehlo.partition_id : tensor<ui32>
      %c = stablehlo.convert %i : (tensor<ui32>) -> tensor<i32>
      %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %r = stablehlo.multiply %a, %b : tensor<2xi32>)",
     "tensor<2xi32>", "tensor<12xi32>", "tensor<12xi32>"},
    {"sum, devices in another order", kOther, R"([{"x"}, {"y"}])", R"([{"x"}, {}])", R"("x", "y")",
     "tensor<2x2xi32>",
     R"(%r = "stablehlo.all_reduce"(%a) <{)" + groups("[[5, 3, 1], [0, 2, 4]]", "2x3") +
         ", use_global_device_ids}> " + kSum + " : (tensor<2x2xi32>) -> tensor<2x2xi32>",
     "tensor<2x2xi32>", "tensor<4x6xi32>", "tensor<4x2xi32>"},
};

std::string program_of(const Example& e) {
  return "sdy.mesh @m = <" + e.mesh + ">\nfunc.func @main(%arg0: " + e.type + ") -> " + e.whole +
         " {\n  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, " + e.in +
         ">] out_shardings=[<@m, " + e.out + ">] manual_axes={" + e.manual + "} (%a: " + e.local +
         ") {\n      " + e.body + "\n      sdy.return %r : " + e.result + "\n  } : (" + e.type +
         ") -> " + e.whole + "\n  return %0 : " + e.whole + "\n}\n";
}

DiagnosedResult<checking::CheckReport> check_text(const std::string& text) {
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text::error_text("program", text, module.error())));
  REQUIRE(module.has_value());
  return checking::check(*module, small_integers(*module, 7));
}

}  // namespace

TEST_CASE("collectives of a manual computation give the same results on devices",
          "[differential]") {
  for (const Example& example : kExamples) {
    DYNAMIC_SECTION(example.title) {
      const auto report = check_text(program_of(example));
      INFO((report ? std::string() : text_of(report.error())));
      REQUIRE(report.has_value());
      INFO(text::to_mlir(report->compiled.program));
      CHECK(report->equal());
      CHECK(ir::verify(report->compiled.program).empty());
    }
  }
}

TEST_CASE("free axes stay sharded if the groups of a collective allow it", "[differential]") {
  const auto gathers = [](const std::string& title) {
    const auto example = std::ranges::find(kExamples, title, &Example::title);
    REQUIRE(example != kExamples.end());
    const auto report = check_text(program_of(*example));
    REQUIRE(report.has_value());
    return report->compiled.notes.size();
  };
  CHECK(gathers("sum over the only manual axis, each part sharded by a free one") == 0);
  CHECK(gathers("shift along an axis, the other one free") == 0);
  CHECK(gathers("sum along an axis by its name, the other one free") == 0);
  CHECK(gathers("sum along an axis by its name, devices in another order") == 0);
  CHECK(gathers("groups that cross a free axis") > 0);
}

TEST_CASE("the device id outside of a manual computation is an error") {
  const auto report = check_text(R"(sdy.mesh @m = <["x"=2]>
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
})");
  REQUIRE_FALSE(report.has_value());
  REQUIRE(report.error().size() == 1);
  CHECK(report.error()[0].headline() ==
        "E_DEVICE_ID: stablehlo.partition_id: differs by device; use it inside of a manual "
        "computation");
}

TEST_CASE("custom calls without a lowering are handled", "[differential]") {
  const std::string head = R"(sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<5x4xi32> {
  )";
  const std::string tail = "\n  return %0 : tensor<5x4xi32>\n}\n";
  SECTION("an annotation of GSPMD is a sharding") {
    const auto report = check_text(
        head +
        R"(%0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : )" +
        "(tensor<5x4xi32>) -> tensor<5x4xi32>" + tail);
    REQUIRE(report.has_value());
    CHECK(report->equal());
  }
  SECTION("a check compares the whole value on every device") {
    const std::string text = head + R"(%0 = stablehlo.add %arg0, %arg0 : tensor<5x4xi32>
  check.expect_eq %0, %arg0 : tensor<5x4xi32>)" +
                             tail;
    const auto report = check_text(text);
    INFO((report ? std::string() : text_of(report.error())));
    REQUIRE(report.has_value());
    CHECK(report->equal());
    CHECK(report->sharded.checks.failed.size() == 4);  // one failed check for each device
  }
  SECTION("a side effect that would run on every device is an error") {
    const auto report =
        check_text(head + R"(%0 = stablehlo.custom_call @tell(%arg0) {has_side_effect = true} : )" +
                   "(tensor<5x4xi32>) -> tensor<5x4xi32>" + tail);
    REQUIRE_FALSE(report.has_value());
    CHECK(report.error()[0].headline() ==
          "E_SIDE_EFFECT: stablehlo.custom_call: every device would execute its side effects; only "
          "a call without side effects can be replicated");
    REQUIRE_FALSE(report.error()[0].notes.empty());
    CHECK(report.error()[0].notes[0] ==
          "mhlo.sharding = \"{maximal device=0}\" on the call lets only device 0 execute it");
  }
}

}  // namespace process_test
