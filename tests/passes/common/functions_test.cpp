// Names, copies and removal of functions. Spec: passes 1.3 to 1.6, 2.
#include "passes/common/functions.hpp"

#include "passes/import/import_passes.hpp"
#include "passes/program.hpp"

namespace shardy_test::functions_test {
namespace {

using namespace shardy::ir;      // NOLINT(google-build-using-namespace): the layer under test
using namespace shardy::passes;  // NOLINT(google-build-using-namespace): the layer under test
using Names = std::vector<std::string>;

OpId empty_function(Module& module, const std::string& name) {
  const OpId function = module.declare_function(name, {}, {});
  module.remove(function);
  return function;
}

TEST_CASE("one counter numbers the symbols of all base names", "[passes][symbols]") {
  Module module;
  module.declare_function("foo", {}, {});
  module.declare_function("bar", {}, {});
  SymbolTable table(module);
  for (const char* name : {"bar", "foo", "bar", "new"}) table.insert(empty_function(module, name));
  CHECK(symbols(module) == Names{"foo", "bar", "bar_0", "foo_1", "bar_2", "new"});
}

TEST_CASE("the counter skips names that exist", "[passes][symbols]") {
  Module module;
  for (const char* name : {"f", "f_0", "f_1"}) module.declare_function(name, {}, {});
  SymbolTable table(module);
  CHECK(table.unique_name("f") == "f_2");
  CHECK(table.unique_name("f") == "f_3");  // the name was not taken, the count went on
}

TEST_CASE("erasing a symbol frees its name and keeps the counter", "[passes][symbols]") {
  Module module;
  module.declare_function("f", {}, {});
  SymbolTable table(module);
  table.insert(empty_function(module, "f"));
  module.erase(*module.find_symbol("f_0"));
  table.insert(empty_function(module, "f"));
  module.erase(*module.find_symbol("f"));
  table.insert(empty_function(module, "f"));
  CHECK(symbols(module) == Names{"f_1", "f"});
}

const std::string kCalls = R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @foo(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @bar(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @bar(%a: tensor<8xf32>) -> tensor<8xf32> attributes {note = 7 : i64} {
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
)";

TEST_CASE("cloning a function clones its callees once per call", "[passes][symbols]") {
  Module module = program(kCalls);
  SymbolTable table(module);
  const auto copy = table.clone_function(*module.find_symbol("foo"));
  REQUIRE(copy);
  CHECK(symbols(module) == Names{"main", "foo", "bar", "bar_0", "bar_1"});
  table.insert(*copy);
  CHECK(symbols(module).back() == "foo_2");
  const std::string text = checked_text(module);
  CHECK(text.find("@foo_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes "
                  "{sdy.original_func_name = \"foo\"}") != std::string::npos);
  CHECK(text.find("call @bar_0(%arg0)") != std::string::npos);
  CHECK(text.find("call @bar_1(") != std::string::npos);
  const OpId bar = *module.find_symbol("bar_0");
  CHECK(module.attributes(bar).contains("note"));
  CHECK(original_name(module, bar) == "bar");
  CHECK(original_name(module, *module.find_symbol("bar")) == "bar");
  CHECK_FALSE(module.attributes(*module.find_symbol("bar")).contains(kOriginalFuncNameAttr));
}

TEST_CASE("the clone of a clone keeps the original name", "[passes][symbols]") {
  Module module = program(kCalls);
  SymbolTable table(module);
  for (const char* name : {"bar", "bar_0"}) {
    const auto copy = table.clone_function(*module.find_symbol(name));
    REQUIRE(copy);
    table.insert(*copy);
  }
  CHECK(symbols(module).back() == "bar_0_1");
  CHECK(original_name(module, *module.find_symbol("bar_0_1")) == "bar");
}

/// `depth` functions, each of which calls the next one twice, and main, which calls the first.
Module diamond(int depth) {
  std::string text =
      "func.func @main() { call @f" + std::to_string(depth) + "() : () -> () return }\n";
  for (int level = depth; level > 0; --level) {
    const std::string call = "call @f" + std::to_string(level - 1) + "() : () -> () ";
    text += "func.func private @f" + std::to_string(level) + "() { " + call + call + "return }\n";
  }
  return program(text + "func.func private @f0() { return }\n");
}

TEST_CASE("the number of clones per call is checked before cloning (1.6, 4.9, 4.10)",
          "[passes][symbols]") {
  const auto [depth, message] = GENERATE(table<int, std::string>({
      // 2^(n+1) - 1 functions less the n + 1 that are there; each but the last has 3 ops.
      {19,
       "copies of functions for each of their calls: 1048555 with 3145646 ops, more than 1048576"},
      {70,
       "copies of functions for each of their calls: more than 9223372036854775806 with more than "
       "9223372036854775806 ops, more than 1048576"},
  }));
  Module module = diamond(depth);
  const Names before = symbols(module);
  for (const auto& errors : {flatten_call_graph(module), import_func_calls(module)}) {
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == message);
    CHECK(errors[0].location == module.location_text(*module.find_symbol("main")));
  }
  CHECK(symbols(module) == before);
  Module small = diamond(4);
  CHECK(flatten_call_graph(small).empty());
  CHECK(symbols(small).size() == 1 + 31);
}

TEST_CASE("the clones of one symbol table have a limit (1.6)", "[passes][symbols]") {
  Module module = diamond(19);
  SymbolTable table(module);
  const auto copy = table.clone_function(*module.find_symbol("f19"));
  REQUIRE_FALSE(copy);
  CHECK(copy.error().message ==
        "copies of functions for each of their calls: 1048575 with 3145724 ops, more than 1048576");
  CHECK(symbols(module).size() == 1 + 20);
  CHECK(table.clone_function(*module.find_symbol("f4")).error().message ==
        "copies of functions for each of their calls: 1048606 with 3145816 ops, more than 1048576");
  CHECK(SymbolTable(module).clone_function(*module.find_symbol("f4")));
}

TEST_CASE("unused private functions are removed", "[passes][symbols]") {
  Module module = program(R"(
func.func private @lonely() { call @also_lonely() : () -> () return }
func.func private @also_lonely() { return }
func.func private @circle() { call @circle() : () -> () return }
func.func @public() { call @reached() : () -> () return }
func.func private @reached() { call @reached_twice() : () -> () return }
func.func private @reached_twice() { return }
func.func private @called_by_name() { return }
func.func private @in_foreign() { return }
func.func @uses(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @target(%a) {called_computations = [@called_by_name]} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "other.op"(%0) {how = #other.ref<@in_foreign, 3>} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
sdy.mesh @mesh = <["x"=2]>
)");
  erase_dead_symbols(module);
  CHECK(symbols(module) == Names{"public", "reached", "reached_twice", "called_by_name",
                                 "in_foreign", "uses", "mesh"});
}

TEST_CASE("a function is found by its name, main also as the only function", "[passes][symbols]") {
  Module module = program("func.func @f() { return }");
  CHECK(require_main_function(module) == *module.find_symbol("f"));
  module.declare_function("g", {}, {});
  CHECK(require_main_function(module).error().message == "Failed to lookup function: main");
  CHECK(lookup_function(module, "h").error().message == "Failed to lookup function: h");
  const OpId main = module.declare_function("main", {}, {});
  CHECK(require_main_function(module) == main);
  module.erase(main);
  module.add_mesh("main", shardy::Mesh());
  CHECK(require_main_function(module).error().message == "Failed to lookup function: main");
}

// Deviation 21 of passes 8: the reference crashes.
TEST_CASE("recursion, missing functions and missing bodies are errors of cloning",
          "[passes][symbols]") {
  const auto [text, message, is_wrong_without_bodies] =
      GENERATE(table<std::string, std::string, bool>({
          {"func.func @f() { call @g() : () -> () return }\n"
           "func.func @g() { call @f() : () -> () return }",
           "recursive call to function f is not supported", true},
          {"func.func @f() { call @f() : () -> () return }",
           "recursive call to function f is not supported", true},
          {"func.func @f() { call @g() : () -> () return }", "Failed to lookup function: g", true},
          {"func.func @f() { call @g() : () -> () return }\nfunc.func private @g()",
           "function g has no body", false},
      }));
  CAPTURE(text);
  const Module module = program(text, {.verify = false});
  CHECK(verified_calls_with_bodies(module).error().message == message);
  const auto status = verified_calls(module);
  CHECK(status.has_value() != is_wrong_without_bodies);
}

}  // namespace
}  // namespace shardy_test::functions_test
