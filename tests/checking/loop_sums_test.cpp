// Loops that add up partial results, and branches through which shardings are propagated. Spec:
// partitioning 9.2, 9.3.
#include <string>

#include "checking/window_programs.hpp"
#include "shardy/ir/walk.hpp"

using namespace shardy;
using namespace shardy_test;

namespace loop_sums_test {
namespace {

/// Carries `%w` around a loop of `trips` steps over the rows of %xs and %gs. Each step takes a
/// slice of 8 by 4 and a slice of 8 by 5. `step` makes %a from %w, %x and %g.
std::string loop(const std::string& element, int64_t trips, const std::string& begin,
                 const std::string& step, const std::string& result = "{}, {}") {
  std::string text = R"(sdy.mesh @m = <["x"=4, "y"=2]>
func.func @main(%xs: tensor<6x8x4xT> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>},
                %gs: tensor<6x8x5xT> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>},
                %b: tensor<4x5xT>)
    -> (tensor<4x5xT> {sdy.sharding = #sdy.sharding<@m, [RESULT]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %w0 = stablehlo.BEGIN : tensor<4x5xT>
  %0:2 = stablehlo.while(%i = %c, %w = %w0) : tensor<i32>, tensor<4x5xT>
  cond {
    %n = stablehlo.constant dense<TRIPS> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %xi = stablehlo.dynamic_slice %xs, %i, %z, %z, sizes = [1, 8, 4]
      : (tensor<6x8x4xT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4xT>
    %gi = stablehlo.dynamic_slice %gs, %i, %z, %z, sizes = [1, 8, 5]
      : (tensor<6x8x5xT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x5xT>
    %x = stablehlo.reshape %xi : (tensor<1x8x4xT>) -> tensor<8x4xT>
    %g = stablehlo.reshape %gi : (tensor<1x8x5xT>) -> tensor<8x5xT>
    %d = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0]
      : (tensor<8x4xT>, tensor<8x5xT>) -> tensor<4x5xT>
    STEP
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a : tensor<i32>, tensor<4x5xT>
  }
  return %0#1 : tensor<4x5xT>
})";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  replace("STEP", step);
  replace("BEGIN", begin);
  replace("RESULT", result);
  replace("TRIPS", std::to_string(trips));
  replace("xT>", "x" + element + ">");
  return text;
}

constexpr const char* kAdds = "%a = stablehlo.add %w, %d : tensor<4x5xT>";
constexpr const char* kZeros = "constant dense<0>";

/// Returns a text such as "spmd.all_reduce: 1 with ... bytes". Compares the run with the unsharded
/// one.
std::string sent(const std::string& text) { return to_text(most_sent(run_checked(text))); }

std::string sums(int64_t count) {
  // An all-reduce of 4 by 5 numbers over 4 devices sends 2 * 80 * 3/4 bytes.
  return to_text({{kAllReduce, {count, count * 120}}});
}

}  // namespace

TEST_CASE("a loop that adds partial results reduces them once", "[loops][traffic]") {
  CHECK(sent(loop("i32", 6, kZeros, kAdds)) == sums(1));
  CHECK(sent(loop("f32", 6, "constant dense<0.0>", kAdds)) == sums(1));
  CHECK(sent(loop("i32", 6, kZeros, "%a = stablehlo.add %d, %w : tensor<4x5xT>")) == sums(1));
  // The initial value counts once. Without any step it is the result.
  CHECK(sent(loop("i32", 6, "negate %b", kAdds)) == sums(1));
  CHECK(sent(loop("i32", 0, "negate %b", kAdds)) == sums(1));
  CHECK(sent(loop("f32", 0, "constant dense<-0.0>", kAdds)) == sums(1));
}

TEST_CASE("a sum with a sharded result stays sharded in its loop", "[loops][traffic]") {
  // Each device has 4 by 3 numbers: 2 * 48 * 3/4 bytes.
  CHECK(sent(loop("i32", 6, kZeros, kAdds, R"({}, {"y"})")) == to_text({{kAllReduce, {1, 72}}}));
}

TEST_CASE("a loop reduces in each step if the carried sum has other users", "[loops][traffic]") {
  const std::string scales = R"(%h = stablehlo.multiply %w, %d : tensor<4x5xT>
    %a = stablehlo.add %w, %h : tensor<4x5xT>)";
  CHECK(sent(loop("i32", 3, kZeros, scales)) == sums(3));
  const std::string reads = R"(%m = stablehlo.multiply %d, %d : tensor<4x5xT>
    %a = stablehlo.add %w, %m : tensor<4x5xT>)";
  CHECK(sent(loop("i32", 3, kZeros, reads)) == sums(3));
  const std::string greatest = "%a = stablehlo.maximum %w, %d : tensor<4x5xT>";
  CHECK(sent(loop("i32", 3, kZeros, greatest)) == sums(3));
}

namespace {

/// Two nested loops. For each of 3 groups of 2 slices, `body` makes %v from %a. In `body`,
/// `INNER(%b)` is the loop over the slices of a group that begins with %b.
std::string nested(const std::string& body, int64_t outer_trips = 3, int64_t inner_trips = 2) {
  std::string text = R"(sdy.mesh @m = <["x"=4, "y"=2]>
func.func @main(%xs: tensor<6x8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>},
                %gs: tensor<6x8x5xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>},
                %w: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %outer = stablehlo.constant dense<OUTER_TRIPS> : tensor<i32>
  %inner = stablehlo.constant dense<INNER_TRIPS> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<4x5xi32>
  %0:2 = stablehlo.while(%i = %z, %a = %w) : tensor<i32>, tensor<4x5xi32>
  cond {
    %1 = stablehlo.compare LT, %i, %outer : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    BODY
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %v : tensor<i32>, tensor<4x5xi32>
  }
  return %0#1 : tensor<4x5xi32>
})";
  const std::string loop =
      R"(%l:2 = stablehlo.while(%j = %z, %c = BEGIN) : tensor<i32>, tensor<4x5xi32>
    cond {
      %2 = stablehlo.compare LT, %j, %inner : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %s = stablehlo.add %i, %i : tensor<i32>
      %t = stablehlo.add %s, %j : tensor<i32>
      %xi = stablehlo.dynamic_slice %xs, %t, %z, %z, sizes = [1, 8, 4]
        : (tensor<6x8x4xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4xi32>
      %gi = stablehlo.dynamic_slice %gs, %t, %z, %z, sizes = [1, 8, 5]
        : (tensor<6x8x5xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x5xi32>
      %x = stablehlo.reshape %xi : (tensor<1x8x4xi32>) -> tensor<8x4xi32>
      %g = stablehlo.reshape %gi : (tensor<1x8x5xi32>) -> tensor<8x5xi32>
      %d = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0]
        : (tensor<8x4xi32>, tensor<8x5xi32>) -> tensor<4x5xi32>
      %e = stablehlo.add %c, %d : tensor<4x5xi32>
      %n = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %n, %e : tensor<i32>, tensor<4x5xi32>
    })";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  replace("BODY", body);
  const auto at = text.find("INNER(");
  const auto end = text.find(')', at);
  const std::string begin = text.substr(at + 6, end - at - 6);
  text.replace(at, end + 1 - at, loop);
  replace("BEGIN", begin);
  replace("OUTER_TRIPS", std::to_string(outer_trips));
  replace("INNER_TRIPS", std::to_string(inner_trips));
  return text;
}

}  // namespace

TEST_CASE("nested loops that add partial results reduce them once", "[loops][traffic]") {
  const std::string through = R"(INNER(%a)
    %v = stablehlo.add %l#1, %zeros : tensor<4x5xi32>)";
  const std::string carried = R"(INNER(%a)
    %v = stablehlo.optimization_barrier %l#1 : tensor<4x5xi32>)";
  const std::string apart = R"(INNER(%zeros)
    %v = stablehlo.add %a, %l#1 : tensor<4x5xi32>)";
  CHECK(sent(nested(apart)) == sums(1));
  CHECK(sent(nested(apart, 0)) == sums(1));
  CHECK(sent(nested(apart, 3, 0)) == sums(1));
  // Other ops of the outer loop use the sums.
  CHECK(sent(nested(through)) == sums(3));
  CHECK(sent(nested(carried)) == sums(3));
  // The inner loop adds to the value that the outer loop carries.
  std::string straight = nested("INNER(%a)");
  const auto at = straight.find("stablehlo.return %k, %v");
  straight.replace(at, 23, "stablehlo.return %k, %l#1");
  CHECK(sent(straight) == sums(1));
}

TEST_CASE("a loop that adds several partial results per step reduces them once",
          "[loops][traffic]") {
  const std::string twice = R"(%f = stablehlo.add %w, %d : tensor<4x5xT>
    %e = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0], precision = [HIGH, HIGH]
      : (tensor<8x4xT>, tensor<8x5xT>) -> tensor<4x5xT>
    %a = stablehlo.add %e, %f : tensor<4x5xT>)";
  CHECK(sent(loop("i32", 6, kZeros, twice)) == sums(1));
}

TEST_CASE("shardings propagate through branches of an if", "[loops][traffic]") {
  for (const std::string predicate : {"true", "false"}) {
    const checking::CheckReport report = run_checked(R"(sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> tensor<8x4xi32> {
  %p = stablehlo.constant dense<)" + predicate + R"(> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %n = stablehlo.negate %a : tensor<8x4xi32>
    %q = stablehlo.constant dense<true> : tensor<i1>
    %1 = "stablehlo.if"(%q) ({
      stablehlo.return %n : tensor<8x4xi32>
    }, {
      %2 = stablehlo.reverse %n, dims = [1] : tensor<8x4xi32>
      stablehlo.return %2 : tensor<8x4xi32>
    }) : (tensor<i1>) -> tensor<8x4xi32>
    stablehlo.return %1 : tensor<8x4xi32>
  }, {
    stablehlo.return %a : tensor<8x4xi32>
  }) : (tensor<i1>) -> tensor<8x4xi32>
  %3 = stablehlo.abs %0 : tensor<8x4xi32>
  return %3 : tensor<8x4xi32>
})");
    CHECK(most_sent(report).empty());
    CHECK(report.compiled.diagnostics.empty());  // all ops have rules
    const ir::Module& program = report.compiled.program;
    int64_t ifs = 0;
    for (const ir::OpId op : ir::pre_order(program)) {
      CHECK_FALSE(program.is(op, ir::OpKind::Case));
      if (program.is(op, ir::OpKind::If)) ++ifs;
    }
    CHECK(ifs == 2);
  }
}

}  // namespace loop_sums_test
