// Functions in the order of their calls, and their shardings. Spec: dialect 6; passes 1.5, 1.10.
#include "ir/module_maker.hpp"
#include "ir/program_facts.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy_test::call_graph_test {
namespace {

using enum OpKind;

/// Functions without arguments, each with the functions that it calls.
Module program(const std::vector<std::pair<std::string, std::vector<std::string>>>& functions) {
  Module module;
  for (const auto& [name, callees] : functions) {
    const OpId function = module.add_function(name, {}, {});
    module.set_location(function, module.add_location("at " + name));
    for (const std::string& callee : callees) {
      module.append(
          module.entry(function),
          module.create(OpSpec{.kind = FuncCall,
                               .attributes = attributes({{"callee", SymbolAttr{callee}}})}));
    }
    module.append(module.entry(function), module.create(OpSpec{.kind = FuncReturn}));
  }
  return module;
}

/// A call of a function in a manual computation along these axes, at the front of `function`.
OpId call_under(Module& module, const std::string& function, const std::string& callee,
                std::vector<std::string> axes) {
  const BlockId entry = module.entry(*module.find_symbol(function));
  const RegionId region = module.new_region();
  const BlockId body = module.new_block(region);
  const OpId call = module.create(
      OpSpec{.kind = FuncCall, .attributes = attributes({{"callee", SymbolAttr{callee}}})});
  module.append(body, call);
  module.append(body, module.create(OpSpec{.kind = SdyReturn}));
  const OpId manual = module.create(
      OpSpec{.kind = SdyManualComputation,
             .attributes = attributes({{"in_shardings", ShardingList{}},
                                       {"out_shardings", ShardingList{}},
                                       {"manual_axes", ManualAxesAttr{std::move(axes)}}}),
             .regions = {region}});
  module.insert_before(module.first_op(entry), manual);
  return call;
}

std::vector<std::string> names(const Module& module, const std::vector<OpId>& functions) {
  std::vector<std::string> names;
  for (const OpId function : functions) names.emplace_back(module.symbol_name(function));
  return names;
}
using Names = std::vector<std::string>;

std::vector<std::string> bound_in(const Module& module, const std::string& function) {
  const ManualScopes scopes(module);
  std::vector<std::string> axes;
  for (const auto& [axis, binder] : scopes.of_function(*module.find_symbol(function))) {
    axes.push_back(axis);
  }
  return axes;
}

TEST_CASE("a function has the bound axes of all call sites that reach it", "[ir][call_graph]") {
  Module module = program({{"main", {"h"}}, {"f", {"g"}}, {"g", {}}, {"h", {"g"}}, {"k", {}}});
  const OpId outer = call_under(module, "main", "f", {"x"});
  const OpId inner = call_under(module, "f", "k", {"z", "y"});
  CHECK(bound_in(module, "main").empty());
  CHECK(bound_in(module, "f") == Names{"x"});
  CHECK(bound_in(module, "g") == Names{"x"});  // through f, though h binds nothing
  CHECK(bound_in(module, "h").empty());
  CHECK(bound_in(module, "k") == Names{"x", "y", "z"});
  const ManualScopes scopes(module);
  CHECK(scopes.at(outer) == shardy::BoundAxes::of(Names{"x"}));
  CHECK(scopes.at(inner) == shardy::BoundAxes::of(Names{"x", "y", "z"}));
  CHECK(scopes.at(module.parent_op(inner)) == shardy::BoundAxes::of(Names{"x"}));
  CHECK(scopes.of_function(*module.find_symbol("k")).at("x") == module.parent_op(outer));
}

TEST_CASE("bound axes propagate through recursive calls", "[ir][call_graph]") {
  Module module = program({{"main", {}}, {"f", {"g"}}, {"g", {"f"}}});
  call_under(module, "main", "g", {"x"});
  CHECK(bound_in(module, "f") == Names{"x"});
  CHECK(bound_in(module, "g") == Names{"x"});
}

TEST_CASE("callees come before callers", "[ir][call_graph]") {
  const Module module = program({{"main", {"b", "a"}}, {"a", {"b"}}, {"b", {}}});
  CHECK(names(module, functions_in_post_order(module)) == Names{"b", "a", "main"});
  CHECK(verify_bodies(module, call_graph(module)));
}

TEST_CASE("functions that do not call each other keep their order in the module",
          "[ir][call_graph]") {
  const Module module = program({{"c", {}}, {"a", {"d"}}, {"b", {}}, {"d", {}}});
  CHECK(names(module, functions_in_post_order(module)) == Names{"c", "d", "a", "b"});
}

TEST_CASE("the call graph lists calls in the order of their functions", "[ir][call_graph]") {
  const Module module = program({{"main", {"b", "a", "b"}}, {"a", {"b"}}, {"b", {}}});
  Names callees;
  for (const OpId call : call_graph(module).calls) {
    callees.emplace_back(module.symbol_name(callee_of(module, call).value()));
  }
  CHECK(callees == Names{"b", "b", "a", "b"});
}

TEST_CASE("the call graph contains calls inside regions", "[ir][call_graph]") {
  Module module = program({{"main", {}}, {"a", {}}});
  const RegionId region = module.new_region();
  module.append(module.new_block(region),
                module.create(OpSpec{.kind = FuncCall,
                                     .attributes = attributes({{"callee", SymbolAttr{"a"}}})}));
  const OpId outer = module.create(OpSpec{.name = "test.op", .regions = {region}});
  module.insert_before(module.first_op(module.entry(module.functions()[0])), outer);
  CHECK(names(module, functions_in_post_order(module)) == Names{"a", "main"});
}

TEST_CASE("a function that calls itself is an error", "[ir][call_graph]") {
  const Module module = program({{"main", {"a"}}, {"a", {"b"}}, {"b", {"c", "a"}}, {"c", {}}});
  CHECK(names(module, functions_in_post_order(module)) == Names{"c", "b", "a", "main"});
  const auto status = verify_bodies(module, call_graph(module));
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "recursive call to function a is not supported");
  CHECK(status.error().location == "at a");
}

TEST_CASE("a called function must have a body, an uncalled function may lack a body",
          "[ir][call_graph]") {
  Module module = program({{"main", {}}});
  module.declare_function("extern", {}, {});
  CHECK(names(module, functions_in_post_order(module)) == Names{"main"});
  CHECK(verify_bodies(module, call_graph(module)));

  Module calls = program({{"main", {"extern", "nobody"}}});
  calls.declare_function("extern", {}, {});
  CHECK(names(calls, functions_in_post_order(calls)) == Names{"main"});
  const auto status = verify_bodies(calls, call_graph(calls));
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "function extern has no body");
}

std::vector<std::string> texts(const std::optional<std::vector<TensorSharding>>& shardings) {
  if (!shardings) return {"none"};
  std::vector<std::string> texts;
  for (const TensorSharding& sharding : *shardings) texts.push_back(to_string(sharding));
  return texts;
}

TEST_CASE("arguments without sharding are open on the first mesh of the other arguments",
          "[ir][call_graph]") {
  ModuleMaker m;
  m.argument("tensor<8x8xf32>");
  CHECK(texts(func_arg_shardings(m.module, m.main)) == Names{"none"});
  m.argument("tensor<8xf32>", "<@max, []>");
  CHECK(texts(func_arg_shardings(m.module, m.main)) == Names{"none"});
  m.argument("tensor<8xf32>", "<@m, [{\"x\"}]>");
  m.argument("tensor<8xf32>", "<@other, [{}]>");
  m.argument("!stablehlo.token");
  CHECK(texts(func_arg_shardings(m.module, m.main)) ==
        Names{"<@m, [{?}, {?}]>", "<@max, []>", "<@m, [{\"x\"}]>", "<@other, [{}]>", "<@m, []>"});
}

TEST_CASE("each result of a function has its own sharding", "[ir][call_graph]") {
  ModuleMaker m;
  m.argument("tensor<8xf32>", "<@m, [{\"x\"}]>");
  m.module.function(m.main).result_types = types_of({"tensor<8xf32>", "tensor<4x4xf32>"});
  CHECK(texts(func_result_shardings(m.module, m.main)) == Names{"none"});
  set_result_sharding(m.module, m.main, 1, m.sharding("<@same, [{\"y\"}, {}]>"));
  CHECK(texts(func_result_shardings(m.module, m.main)) ==
        Names{"<@same, [{?}]>", "<@same, [{\"y\"}, {}]>"});
}

}  // namespace
}  // namespace shardy_test::call_graph_test
