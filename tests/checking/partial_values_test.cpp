// Programs in which devices hold partial values, or hold values in another order of devices. The
// sharded run must equal the unsharded run.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::small_integers;
using shardy_test::text_of;

namespace partial_values_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text::error_text("program", text, module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

checking::CheckReport checked(const std::string& text) {
  const ir::Module module = parsed(text);
  INFO(text);
  auto report = checking::check(module, small_integers(module, 7));
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  INFO(text::to_mlir(report->compiled.program));
  CHECK(report->equal());
  CHECK(ir::verify(report->compiled.program).empty());
  return *std::move(report);
}

std::string first_error(const std::string& text) {
  const ir::Module module = parsed(text);
  const auto report = checking::check(module, small_integers(module, 7));
  REQUIRE_FALSE(report.has_value());
  return report.error().front().headline();
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

}  // namespace

// ---- Barriers -----------------------------------------------------------------------------------

TEST_CASE("a reduction after a barrier adds each partial value once", "[partial][differential]") {
  const auto [direction, sharded] = GENERATE(table<std::string, std::string>(
      {{"NONE", "%a"}, {"BACKWARD", "%a"}, {"FORWARD", "%a"}, {"NONE", "%b"}, {"FORWARD", "%b"}}));
  const std::string ops = GENERATE(
      R"(%0 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x3xi32>, tensor<i32>) -> tensor<3xi32>)",
      R"(%0 = stablehlo.dot %c, %b : (tensor<8xi32>, tensor<8x3xi32>) -> tensor<3xi32>)");
  CAPTURE(direction, sharded);
  const std::string here = R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})";
  std::string text = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x3xi32> ARG, %c: tensor<8xi32>) -> tensor<3xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %b = sdy.propagation_barrier %a allowed_direction=)" +
                     direction + R"( LIST : tensor<8x3xi32>
  )" + ops + R"(
  return %0 : tensor<3xi32>
})";
  text = replaced(text, "ARG", sharded == "%a" ? here : "");
  text = replaced(
      text, "LIST",
      sharded == "%b" ? R"({sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>})" : "");
  checked(text);
}

// ---- Orders of devices --------------------------------------------------------------------------

TEST_CASE("each value is masked and gathered in its own device order", "[partial][differential]") {
  const std::string head = R"(sdy.mesh @mesh = <["x"=2]>
sdy.mesh @mesh2 = <["x"=2], device_ids=[1, 0]>
)";
  SECTION("a reduction of an uneven dim") {
    checked(head + R"(
func.func @main(%p: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh2, [{"x"}]>},
                %a: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh2, [{}]>]>} : (tensor<5x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
})");
  }
  SECTION("a gather") {
    checked(head + R"(
func.func @main(%p: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh2, [{"x"}]>},
                %a: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
})");
  }
  SECTION("results of one op on two meshes") {
    checked(head + R"(
func.func @main(%a: tensor<4x3xi32>) -> (tensor<4x3xi32>, tensor<4x3xi32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh2, [{"x"}, {}]>]>} %a, %a : tensor<4x3xi32>, tensor<4x3xi32>
  %1:2 = "stablehlo.sort"(%0#0, %0#1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh2, [{"x"}, {}]>]>} : (tensor<4x3xi32>, tensor<4x3xi32>) -> (tensor<4x3xi32>, tensor<4x3xi32>)
  return %1#0, %1#1 : tensor<4x3xi32>, tensor<4x3xi32>
})");
  }
}

// ---- Floats without infinities ------------------------------------------------------------------

TEST_CASE("maximum and minimum over a sharded dim start from a value of the type",
          "[partial][differential]") {
  const std::string type =
      GENERATE("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E4M3",
               "f8E3M4", "f6E2M3FN", "f4E2M1FN", "bf16", "f32");
  const std::string op = GENERATE("maximum", "minimum");
  CAPTURE(type, op);
  const std::string start = op == "maximum" ? "-2.0" : "2.0";
  checked(replaced(
      R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<6x3xTYPE> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3xTYPE> {
  %z = stablehlo.constant dense<)" +
          start + R"(> : tensor<TYPE>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.)" +
          op + R"( across dimensions = [0] : (tensor<6x3xTYPE>, tensor<TYPE>) -> tensor<3xTYPE>
  return %0 : tensor<3xTYPE>
})",
      "TYPE", type));
}

TEST_CASE("partial maxima and minima are reduced for types without infinities",
          "[partial][differential]") {
  const std::string type = GENERATE("f8E4M3FN", "f8E4M3FNUZ", "f32", "i32", "ui8", "i1");
  const std::string kind = GENERATE("max", "min");
  CAPTURE(type, kind);
  checked(replaced(
      R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<6x3xTYPE> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=)" +
          kind + R"({"x"}>}) -> tensor<6x3xTYPE> {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<6x3xTYPE>
  return %0 : tensor<6x3xTYPE>
})",
      "TYPE", type));
}

// ---- Unreduced results --------------------------------------------------------------------------

namespace {

/// `ops` compute %r of a type from the replicated values %a and %b, and from the partial sums %p
/// and %q.
std::string with_sums(const std::string& ops, const std::string& type) {
  const std::string program = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %k: tensor<4x4xi1>, %i: tensor<i32>) -> tensor<TYPE> {
  %p = stablehlo.dot %a, %b LIST : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %q = stablehlo.add %a, %a LIST : tensor<4x4xi32>
  )" + ops + R"(
  %t = sdy.reshard %r <@mesh, [{}, {}]> : tensor<TYPE>
  return %t : tensor<TYPE>
})";
  const std::string list =
      R"({sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>})";
  return replaced(replaced(program, "LIST", list), "TYPE", type);
}

struct Unreduced {
  std::string ops;
  std::size_t all_reduces;  // the partial values of %r are always combined at the end
};

}  // namespace

TEST_CASE("unreduced results give the results of the unsharded program",
          "[partial][differential]") {
  const std::vector<Unreduced> cases = {
      // These results are not partial: in each group, one device has the whole value.
      {"%r = stablehlo.dot %a, %a LIST : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>", 1},
      {"%r = stablehlo.negate %a LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.constant LIST dense<3> : tensor<4x4xi32>", 1},
      {"%r = stablehlo.add %a, %a LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.iota dim = 0 LIST : tensor<4x4xi32>", 1},
      // Linear ops take partial values and give partial values.
      {"%r = stablehlo.negate %p LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.add %p, %q LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.add %p, %a LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.subtract %a, %p LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.multiply %p, %a LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.multiply %a, %q LIST : tensor<4x4xi32>", 1},
      {"%r = stablehlo.dot %a, %p LIST : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>", 1},
      {"%r = stablehlo.select %k, %p, %a LIST : tensor<4x4xi1>, tensor<4x4xi32>", 1},
      {"%r = stablehlo.transpose %p, dims = [1, 0] LIST : (tensor<4x4xi32>) -> tensor<4x4xi32>", 1},
      {"%r = stablehlo.reverse %p, dims = [1] LIST : tensor<4x4xi32>", 1},
      {"%z = stablehlo.constant dense<5> : tensor<i32>\n"
       "  %r = stablehlo.pad %p, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] LIST : "
       "(tensor<4x4xi32>, tensor<i32>) -> tensor<4x4xi32>",
       1},
      {"%r = stablehlo.dynamic_update_slice %p, %a, %i, %i LIST : (tensor<4x4xi32>, "
       "tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> tensor<4x4xi32>",
       1},
      // Other ops need the complete sum.
      {"%r = stablehlo.abs %p LIST : tensor<4x4xi32>", 2},
      {"%r = stablehlo.multiply %p, %q LIST : tensor<4x4xi32>", 2},
      {"%r = stablehlo.multiply %p, %p LIST : tensor<4x4xi32>", 2},
      {"%r = stablehlo.dot %p, %q LIST : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>", 2},
      {"%r = stablehlo.maximum %p, %a LIST : tensor<4x4xi32>", 2},
      {"%r = stablehlo.divide %p, %a LIST : tensor<4x4xi32>", 2},
  };
  for (const Unreduced& example : cases) {
    const auto report = checked(with_sums(example.ops, "4x4xi32"));
    CAPTURE(example.ops);
    CHECK(count(text::to_mlir(report.compiled.program), "\"spmd.all_reduce\"") ==
          example.all_reduces);
  }
}

// The constant is made for the function, whose mesh is @other. The pad is on @mesh.
TEST_CASE("a pad of partial sums adds its padding value once per group",
          "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>
func.func @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<4xi32>, tensor<6xi32>) {
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a"}>]>} : tensor<4xi32>
  %c = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.pad %0, %c, low = [1], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a"}>]>} : (tensor<4xi32>, tensor<i32>) -> tensor<6xi32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<6xi32>
  return %a, %2 : tensor<4xi32>, tensor<6xi32>
})");
}

TEST_CASE("a conversion keeps sums partial only if it commutes with addition",
          "[partial][differential]") {
  const auto convert = [](const std::string& to) {
    const std::string ops =
        "%r = stablehlo.convert %p LIST : (tensor<4x4xi32>) -> tensor<4x4x" + to + ">";
    const auto report = checked(with_sums(ops, "4x4x" + to));
    return count(text::to_mlir(report.compiled.program), "\"spmd.all_reduce\"");
  };
  CHECK(convert("i16") == 1);  // modulo 2^16
  CHECK(convert("i64") == 2);  // values wrap in 32 bits but not in 64 bits
  CHECK(convert("f32") == 2);
}

TEST_CASE("a loop adds complete values to a partial sum", "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %p = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %0:2 = stablehlo.while(%i = %c, %s = %p) : tensor<i32>, tensor<4x4xi32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}], unreduced={"x"}>]>}
  cond {
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.add %s, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x4xi32>
    stablehlo.return %j, %t : tensor<i32>, tensor<4x4xi32>
  }
  %r = sdy.reshard %0#1 <@mesh, [{}, {}]> : tensor<4x4xi32>
  return %r : tensor<4x4xi32>
})");
}

TEST_CASE("partial maxima are reduced before ops that do not commute with maximum",
          "[partial][differential]") {
  const std::string ops = GENERATE("%r = stablehlo.negate %m LIST : tensor<4xi32>",
                                   "%r = stablehlo.maximum %m, %v LIST : tensor<4xi32>",
                                   "%r = stablehlo.add %m, %v LIST : tensor<4xi32>",
                                   "%r = stablehlo.reverse %m, dims = [0] LIST : tensor<4xi32>");
  checked(
      replaced(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %v: tensor<4xi32>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<-9> : tensor<i32>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] LIST : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  )" + ops + R"(
  %t = sdy.reshard %r <@mesh, [{}]> : tensor<4xi32>
  return %t : tensor<4xi32>
})",
               "LIST",
               R"({sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>})"));
}

TEST_CASE("a reshape does not shard along the unreduced axes of its operand",
          "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x5x2xi32>) -> tensor<2x10x2xi32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {}], unreduced={"x"}>]>} : tensor<4x5x2xi32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {}], unreduced={"x"}>]>} : (tensor<4x5x2xi32>) -> tensor<2x10x2xi32>
  %2 = sdy.reshard %1 <@mesh, [{"x"}, {}, {}]> : tensor<2x10x2xi32>
  return %2 : tensor<2x10x2xi32>
})");
}

TEST_CASE("a manual computation takes and returns partial values", "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xi32> {
  %p = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %0 = sdy.manual_computation(%p) in_shardings=[<@mesh, [{"y"}, {}], unreduced={"x"}>] out_shardings=[<@mesh, [{"y"}, {}], unreduced={"x"}>] manual_axes={"y"} (%l: tensor<2x4xi32>) {
    %1 = stablehlo.negate %l {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<2x4xi32>
    sdy.return %1 : tensor<2x4xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  %r = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<4x4xi32>
  return %r : tensor<4x4xi32>
})");
}

// ---- Collectives of the program -----------------------------------------------------------------

TEST_CASE("an all_reduce of a complete value changes nothing", "[partial][differential]") {
  const auto report = checked(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<4x4xi32> {
  %1 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
})");
  CHECK(count(text::to_mlir(report.compiled.program), "all_reduce") == 0);
}

TEST_CASE("a reduce_scatter of a complete value shards the value", "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<5x4xi32> {
  %1 = sdy.reduce_scatter [{"x"}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<5x4xi32>
  return %1 : tensor<5x4xi32>
})");
}

TEST_CASE("an all_reduce after an inserted reshard reduces once", "[partial][differential]") {
  const auto report = checked(R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xi32> {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
  return %2 : tensor<4x4xi32>
})");
}

// The reshard to the result of the branch reads #0 on @other. The reshard to the all_reduce moves
// #1 to @mesh.
TEST_CASE("collectives on two device orders read results of one op", "[partial][differential]") {
  checked(R"(sdy.mesh @mesh = <["x"=3]>
sdy.mesh @other = <["x"=3], device_ids=[2, 0, 1]>
func.func @main(%p: tensor<i1>, %a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0:2 = call @f(%a) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %1:2 = "stablehlo.if"(%p) ({
    stablehlo.return %a, %a : tensor<4xi32>, tensor<4xi32>
  }, {
    stablehlo.return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}]>, <@other, [{}]>]>} : (tensor<i1>) -> (tensor<4xi32>, tensor<4xi32>)
  %2 = sdy.all_gather [{"x"}] %1#0 out_sharding=<@other, [{}]> : tensor<4xi32>
  %3 = sdy.sharding_constraint %0#1 <@mesh, [{}]> : tensor<4xi32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}]> : tensor<4xi32>
  return %2, %4 : tensor<4xi32>, tensor<4xi32>
}
func.func private @f(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = stablehlo.add %a, %a : tensor<4xi32>
  return %a, %0 : tensor<4xi32>, tensor<4xi32>
})");
}

TEST_CASE("propagation does not change the in_sharding of the operand of a collective",
          "[partial][differential]") {
  const std::string op = GENERATE(
      as<std::string>(), R"(sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]>)",
      R"(sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]>)");
  const std::string sharded = GENERATE("%a", "%b");
  const std::string program = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = stablehlo.add %a, %b : tensor<4x4xi32>
  %1 = OP : tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
})";
  checked(replaced(
      replaced(program, "OP", op), sharded + ": tensor<4x4xi32>",
      sharded + R"(: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})"));
}

// ---- StableHLO collectives outside of manual computations ---------------------------------------

namespace {

std::string collective(const std::string& op) {
  return R"(sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<5xi32> {
  %0 = )" +
         op + R"( : (tensor<5xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
})";
}

const std::string kBody = R"( ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %s = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %s : tensor<i32>
  }))";

const std::string kChannel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

}  // namespace

TEST_CASE("a stablehlo collective outside of manual computations has groups of one process",
          "[partial][differential]") {
  const std::string alone = "replica_groups = dense<0> : tensor<1x1xi64>";
  const std::string op = GENERATE_COPY(
      "\"stablehlo.all_reduce\"(%a) <{" + alone + "}>" + kBody,
      "\"stablehlo.all_reduce\"(%a) <{" + kChannel + ", " + alone + "}>" + kBody,
      "\"stablehlo.all_reduce\"(%a) <{" + kChannel + ", " + alone + ", use_global_device_ids}>" +
          kBody,
      "\"stablehlo.reduce_scatter\"(%a) <{" + kChannel + ", scatter_dimension = 0 : i64, " + alone +
          "}>" + kBody,
      "\"stablehlo.all_gather\"(%a) <{" + kChannel + ", all_gather_dim = 0 : i64, " + alone + "}>",
      "\"stablehlo.all_to_all\"(%a) <{" + kChannel +
          ", split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, " +
          alone + "}>",
      "\"stablehlo.collective_broadcast\"(%a) <{" + kChannel + ", " + alone + "}>",
      "\"stablehlo.collective_permute\"(%a) <{" + kChannel +
          ", source_target_pairs = dense<0> : tensor<1x2xi64>}>",
      "\"stablehlo.collective_permute\"(%a) <{" + kChannel +
          ", source_target_pairs = dense<> : tensor<0x2xi64>}>");
  const auto report = checked(collective(op));
  for (const auto& note : report.compiled.notes)
    CHECK(note.reason == "the op needs the dim replicated");
}

TEST_CASE("a collective with processes that the unsharded program lacks is an error") {
  CHECK(
      first_error(collective("\"stablehlo.all_reduce\"(%a) <{" + kChannel +
                             ", replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}>" +
                             kBody)) ==
      "E_DEVICE_ID: stablehlo.all_reduce: refers to process 1, but outside of a manual computation "
      "the program is one process, number 0; put the op into a manual computation");
}

// Spec: passes 2, 4.3, 5.12.
TEST_CASE("collectives on several device orders may read one replicated value",
          "[checking][partitioning]") {
  const std::string main = R"(sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  VALUE
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@other, [{"a"}]> : tensor<8xi32>
  %2 = sdy.all_slice [{"b"}] %0 out_sharding=<@mesh, [{"b"}]> : tensor<8xi32>
  %3 = sdy.reshard %0 <@mesh, [{}], unreduced={"a"}> : tensor<8xi32>
  %4 = sdy.reshard %3 <@mesh, [{"b"}]> : tensor<8xi32>
  return %1, %2, %4 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}
)";
  const std::string callee = R"(func.func private @f(%arg0: tensor<8xi32>) -> RESULT {
  %0 = stablehlo.negate %arg0 : tensor<8xi32>
  return %0 : tensor<8xi32>
}
)";
  checked(replaced(main, "VALUE", "%0 = stablehlo.negate %arg0 : tensor<8xi32>"));
  const std::string with_call =
      replaced(main, "VALUE", "%0 = call @f(%arg0) : (tensor<8xi32>) -> tensor<8xi32>") + callee;
  for (const char* sharding : {R"([{"b"}])", "[{}]", "[{?}]"}) {
    CAPTURE(sharding);
    checked(replaced(
        with_call, "RESULT",
        "(tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, " + std::string(sharding) + ">})"));
  }
  checked(replaced(with_call, "RESULT", "tensor<8xi32>"));
}

// Spec: passes 1.7, 4.10.
TEST_CASE("a collective decides the device order of a value without sharding",
          "[checking][partitioning]") {
  const std::string meshes = R"(sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
)";
  checked(
      meshes +
      R"(func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0:2 = call @f(%arg0, %arg1) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xi32>, tensor<8xi32>
}
func.func private @f(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = sdy.all_slice [{"a"}] %arg1 out_sharding=<@other, [{"a"}]> : tensor<8xi32>
  return %arg0, %0 : tensor<8xi32>, tensor<8xi32>
})");
  checked(
      meshes +
      R"(func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<i32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0:2 = "stablehlo.case"(%arg1) ({
    %3 = stablehlo.negate %arg0 : tensor<8xi32>
    stablehlo.return %3, %arg0 : tensor<8xi32>, tensor<8xi32>
  }) : (tensor<i32>) -> (tensor<8xi32>, tensor<8xi32>)
  %1 = sdy.sharding_constraint %0#0 <@mesh, [{"a"}]> : tensor<8xi32>
  %2 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@other, [{"a"}]> : tensor<8xi32>
  return %1, %2 : tensor<8xi32>, tensor<8xi32>
})");
}

// Spec: resharding A.6, A.11.4.
TEST_CASE("a collective after a barrier or a reduction may use another device order",
          "[checking][partitioning]") {
  for (const char* direction : {"NONE", "FORWARD", "BACKWARD"}) {
    CAPTURE(direction);
    checked(replaced(R"(sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=DIRECTION : tensor<8xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
  %2 = sdy.all_slice [{"a"}] %1 out_sharding=<@other, [{"a"}]> : tensor<8xi32>
  %3 = sdy.all_slice [{"a"}] %0 out_sharding=<@other, [{"a"}]> : tensor<8xi32>
  return %2, %3 : tensor<8xi32>, tensor<8xi32>
})",
                     "DIRECTION", direction));
  }
}

// Spec: partitioning 3.1, 8.22.
TEST_CASE("a sum over one device order is scattered to another device order",
          "[checking][partitioning]") {
  for (const char* dim : {"1", "2", "3", "4"}) {
    CAPTURE(dim);
    checked(replaced(R"(sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<3xDIMxi32> {sdy.sharding = #sdy.sharding<@other, [{"x"}, {?}]>}, %arg1: tensor<3xi32>) -> (tensor<DIMxi32> {sdy.sharding = #sdy.sharding<@other, [{"x", ?}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xDIMxi32>, tensor<3xi32>) -> tensor<DIMxi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}]> : tensor<DIMxi32>
  return %1 : tensor<DIMxi32>
})",
                     "DIM", dim));
  }
}

// Spec: partitioning 3.1. A value reduced on @other stays in the device order of @other until the
// permute, even if another order is declared. The permute must use the actual order.
TEST_CASE("a permute relabels a value in its actual device order", "[checking][partitioning]") {
  const checking::CheckReport report = checked(R"(sdy.mesh @mesh = <["m"=6]>
sdy.mesh @other = <["m"=6], device_ids=[3, 1, 4, 0, 5, 2]>
func.func @main(%arg0: tensor<9x9xi64> {sdy.sharding = #sdy.sharding<@other, [{}, {"m"}]>},
                %arg1: tensor<9xi64>)
    -> (tensor<9xi64>, tensor<9xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
    {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
    : (tensor<9x9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"m":(3)2}]> : tensor<9xi64>
  return %1, %1 : tensor<9xi64>, tensor<9xi64>
})");
  CHECK(text::to_mlir(report.compiled.collectives).find("sdy.collective_permute") !=
        std::string::npos);
  const std::string relabelled = R"(relabel, [], <["m"=6], device_ids=[3, 1, 4, 0, 5, 2]>)";
  CHECK(text::to_mlir(report.compiled.program).find(relabelled) != std::string::npos);
}

// The argument is a quarter as wide, but all devices along "y" hold the whole argument.
TEST_CASE("a concatenate of partial values reads these values, not their operands",
          "[checking][partitioning]") {
  const checking::CheckReport report = checked(R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.convert %arg0
    {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}], unreduced={"y"}>]>}
    : (tensor<4xui8>) -> tensor<4xi32>
  %1 = stablehlo.concatenate %0, %0, dim = 0
    {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}], unreduced={"y"}>]>}
    : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xi32>
  return %2 : tensor<8xi32>
})");
  CHECK(count(text::to_mlir(report.compiled.program), "spmd.all_reduce") == 1);
}

}  // namespace partial_values_test
