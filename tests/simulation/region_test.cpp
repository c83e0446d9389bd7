// Regions that kernels run: the values that they capture, and the functions that they call.
#include <string>

#include "simulation/run_text.hpp"

namespace shardy_test::region_test {
namespace {

/// Returns a select_and_scatter with windows of two over [1, 5, 2]. Padding makes more windows than
/// elements.
std::string select_and_scatter(const std::string& before, const std::string& select,
                               const std::string& scatter, const std::string& expected) {
  return main_of(R"(
  %x = stablehlo.constant dense<[1.0, 5.0, 2.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  )" + before + R"(
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{
    padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    )" + select + R"(
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    )" + scatter +
                 R"(
    stablehlo.return %p : tensor<f32>
  }) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<)" +
                 expected + "> : tensor<3xf32>\n");
}

const std::string kGreater =
    "%p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>";
const std::string kAdd = "%p = stablehlo.add %a, %b : tensor<f32>";
/// Ops that multiply the first operand by %q and add the second one.
const std::string kAddProduct = R"(
    %m = stablehlo.multiply %a, %q : tensor<f32>
    %p = stablehlo.add %m, %b : tensor<f32>)";

TEST_CASE("a region may use outer values that the other region of the op does not use",
          "[simulation][region]") {
  // Element 1 gets the source 10, element 5 gets 20 and 30, and element 2 gets 40. The scatter
  // multiplies by 2 in each step.
  const std::string outer = "%c = stablehlo.constant dense<2.0> : tensor<1xf32>";
  const std::string inside = "%q = stablehlo.reshape %c : (tensor<1xf32>) -> tensor<f32>";
  check_passes(select_and_scatter(outer, kGreater, inside + kAddProduct, "[20.0, 100.0, 80.0]"), 1);
  check_passes(select_and_scatter(outer, inside + R"(
    %n = stablehlo.multiply %b, %q : tensor<f32>
    %o = stablehlo.multiply %a, %q : tensor<f32>
    %p = stablehlo.compare GE, %o, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>)",
                                  kAdd, "[10.0, 50.0, 40.0]"),
               1);
  check_passes(select_and_scatter("%c = stablehlo.constant dense<-3.0> : tensor<f32>\n"
                                  "  %q = stablehlo.constant dense<2.0> : tensor<f32>",
                                  R"(
    %n = stablehlo.multiply %b, %c : tensor<f32>
    %o = stablehlo.multiply %a, %c : tensor<f32>
    %p = stablehlo.compare LE, %o, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>)",
                                  kAddProduct, "[20.0, 100.0, 80.0]"),
               1);
}

TEST_CASE("regions may use tuples and tokens from outside", "[simulation][region]") {
  check_passes(
      select_and_scatter("%c = stablehlo.constant dense<2.0> : tensor<f32>\n"
                         "  %t = stablehlo.tuple %c : tuple<tensor<f32>>",
                         kGreater,
                         "%q = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>>) -> "
                         "tensor<f32>" +
                             kAddProduct,
                         "[20.0, 100.0, 80.0]"),
      1);
  check_passes(select_and_scatter("%t = stablehlo.create_token : !stablehlo.token", kGreater,
                                  "%u = stablehlo.after_all %t : !stablehlo.token\n    " + kAdd,
                                  "[10.0, 50.0, 40.0]"),
               1);
}

/// Returns the functions @f0 to @fN. Each has `body`, which calls the following function as
/// `@next`, and returns `%0`; @fN returns its argument.
std::string functions(int num_functions, const std::string& body) {
  const std::string type = "tensor<1xi32>";
  const auto function = [&](int at, std::string inside) {
    for (auto found = inside.find("@next"); found != std::string::npos;
         found = inside.find("@next")) {
      inside.replace(found, 5, "@f" + std::to_string(at + 1));
    }
    return "func.func private @f" + std::to_string(at) + "(%a: " + type + ") -> " + type + " {" +
           inside + "}\n";
  };
  std::string text;
  for (int at = 0; at < num_functions; ++at) text += function(at, body);
  return text + function(num_functions, "\n  return %a : tensor<1xi32>\n");
}

/// Returns a @main that calls @f0, followed by `more`.
std::string main_function(const std::string& more) {
  return R"(
func.func @main() {
  %x = stablehlo.constant dense<[1]> : tensor<1xi32>
  %0 = call @f0(%x) : (tensor<1xi32>) -> tensor<1xi32>
)" + more +
         R"(
  check.expect_eq_const %0, dense<[1]> : tensor<1xi32>
  return
}
)";
}

std::string chain(int num_functions, const std::string& body) {
  return main_function("") + functions(num_functions, body);
}

const std::string kTooDeep = "regions that ops run are nested more than 128 deep";
/// Returns a map over `operand` whose region calls @next.
std::string map_over(const std::string& operand, const std::string& result,
                     const std::string& type) {
  return "  " + result + " = \"stablehlo.map\"(" + operand + R"() <{dimensions = array<i64: 0>}> ({
  ^bb0(%m: tensor<i32>):
    %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %q = func.call @next(%b) : (tensor<1xi32>) -> tensor<1xi32>
    %r = stablehlo.reshape %q : (tensor<1xi32>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : ()" +
         type + ") -> " + type + "\n";
}

const std::string kReturn = "  return %0 : tensor<1xi32>\n";
const std::string kMaps = "\n" + map_over("%a", "%0", "tensor<1xi32>") + kReturn;

TEST_CASE("regions may call functions whose regions call functions", "[simulation][region]") {
  check_passes(chain(128, kMaps), 1);
  CHECK(error_of(chain(129, kMaps)).ends_with(kTooDeep));
  CHECK(error_of(chain(2000, kMaps)).ends_with(kTooDeep));
}

TEST_CASE("the depth limit counts calls in regions of functions that are already prepared",
          "[simulation][region]") {
  // 64 regions, and others around the same 64.
  const auto program = [](int others) {
    std::string around = functions(others, kMaps);
    const std::string last = "@f" + std::to_string(others) + "(%a: ";
    around.resize(around.find("func.func private " + last));
    for (auto found = around.find("@f"); found != std::string::npos; found = around.find("@f")) {
      around.replace(found, 2, "@g");
    }
    const std::string link = "@g" + std::to_string(others) + "(";
    around.replace(around.rfind(link), link.size(), "@f0(");
    return main_function("  %1 = call @g0(%x) : (tensor<1xi32>) -> tensor<1xi32>") +
           functions(64, kMaps) + around;
  };
  check_passes(program(64), 1);
  CHECK(error_of(program(65)).ends_with(kTooDeep));
}

TEST_CASE("a function reached by many call paths from regions is prepared once",
          "[simulation][region]") {
  // The region of each function is prepared but never run. The last function has 2^100 call chains.
  const std::string body = R"(
  %0 = call @next(%a) : (tensor<1xi32>) -> tensor<1xi32>
  %e = stablehlo.constant dense<> : tensor<0xi32>
)" + map_over("%e", "%1", "tensor<0xi32>") +
                           kReturn;
  check_passes(chain(100, body), 1);
  CHECK(error_of(chain(200, body)).ends_with("regions that ops run are nested more than 128 deep"));
}

}  // namespace
}  // namespace shardy_test::region_test
