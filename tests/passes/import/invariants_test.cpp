// Invariants of import passes, on random programs. Spec: passes 9.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/import/import_passes.hpp"
#include "passes/program.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy_test::invariants_test {
namespace {

using shardy::Diagnostics;
using namespace shardy::ir;      // NOLINT(google-build-using-namespace): the layer under test
using namespace shardy::passes;  // NOLINT(google-build-using-namespace): the layer under test

Module random_module(uint64_t seed) {
  return shardy::checking::random_program(seed, {.max_dim = 6, .max_depth = 3}).module;
}

template <class Check>
void for_random_modules(const Check& check) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    CAPTURE(seed);
    check(random_module(seed));
  }
}

std::string text(const Module& module) { return shardy::text::to_mlir(module); }

Diagnostics apply_on_edges(Module& module) {
  add_data_flow_edges(module);
  return apply_sharding_constraints(module);
}

TEST_CASE("a second run of an import pass changes nothing", "[passes][random]") {
  using Run = Diagnostics (*)(Module&);
  const auto [name, run] = GENERATE(table<std::string, Run>({
      {"inline-meshes", &inline_meshes},
      {"lift-inlined-meshes", &lift_inlined_meshes},
      {"remove-size-one-axes", &remove_size_one_axes},
      {"propagate-sharding-from-func-to-call", &propagate_sharding_from_func_to_call},
      {"propagate-unreduced-across-call-boundaries", &propagate_unreduced_across_call_boundaries},
      {"manual-axes-cleanup", &manual_axes_cleanup},
      {"add-data-flow-edges", &add_data_flow_edges},
      {"apply-sharding-constraints", &apply_on_edges},
      {"flatten-call-graph", [](Module& module) { return flatten_call_graph(module); }},
      {"symbol-dce", &symbol_dce},
  }));
  CAPTURE(name);
  const Run twice = run;
  for_random_modules([&](Module module) {
    CHECK(twice(module).empty());
    const std::string once = text(module);
    CHECK(twice(module).empty());
    CHECK(text(module) == once);
  });
}

// Otherwise n users of the parts of a computation of n steps take n * n / 2 copies.
TEST_CASE("a use of a constant makes at most a hundred copies of its ops", "[passes]") {
  const auto copies = [](int num_steps) {
    const std::string type = " : tensor<8xf32>\n";
    std::string body = "%c0 = stablehlo.constant dense<1.0>" + type;
    for (int step = 1; step <= num_steps; ++step) {
      body +=
          "%c" + std::to_string(step) + " = stablehlo.tanh %c" + std::to_string(step - 1) + type;
    }
    const std::string last = "%c" + std::to_string(num_steps);
    Module module = program("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n" + body +
                            "%v = stablehlo.add %x, " + last + type + "%w = stablehlo.add %v, " +
                            last + type + "return %w" + type + "}");
    CHECK(constant_or_scalar_splitter(module).empty());
    checked_text(module);
    int num_tanhs = 0;
    for (const OpId op : pre_order(module)) num_tanhs += module.is(op, OpKind::Tanh) ? 1 : 0;
    return num_tanhs;
  };
  CHECK(copies(99) == 2 * 99);  // and the constant
  CHECK(copies(100) == 2 * 100);
  CHECK(copies(150) == 2 * 100 + 50);
}

TEST_CASE("lifting inlined meshes and inlining them again changes nothing", "[passes][random]") {
  for_random_modules([](Module module) {
    CHECK(inline_meshes(module).empty());
    const std::string inlined = text(module);
    CHECK(lift_inlined_meshes(module).empty());
    if (inlined.find("mesh<") != std::string::npos) CHECK(text(module) != inlined);
    CHECK(inline_meshes(module).empty());
    CHECK(text(module) == inlined);
  });
}

TEST_CASE("adding and sinking edges leaves the program unchanged", "[passes][random]") {
  for_random_modules([](Module module) {
    const std::string before = text(module);
    CHECK(add_data_flow_edges(module).empty());
    sink_data_flow_edges(module);
    CHECK(text(module) == before);
    CHECK(add_func_data_flow_edges(module).empty());
    sink_func_data_flow_edges(module);
    CHECK(text(module) == before);
  });
}

TEST_CASE("each edge owner of static shape has its edge op as only user", "[passes][random]") {
  for_random_modules([](Module module) {
    CHECK(add_data_flow_edges(module).empty());
    for (const OpId op : pre_order(module)) {
      std::vector<ValueId> owners = block_arg_edge_owners(module, op);
      for (const ValueId owner : result_edge_owners(module, op)) owners.push_back(owner);
      for (const ValueId owner : owners) {
        if (has_static_shape(module.type(owner))) CHECK(edge_op_of_owner(module, owner));
      }
    }
  });
}

TEST_CASE("each function has one caller in a flat call graph", "[passes][random]") {
  for_random_modules([](Module module) {
    CHECK(flatten_call_graph(module).empty());
    std::vector<std::string> callees;
    for (const OpId op : pre_order(module)) {
      if (module.is(op, OpKind::FuncCall)) {
        callees.emplace_back(module.symbol_name(*callee_of(module, op)));
      }
    }
    std::ranges::sort(callees);
    CHECK(std::ranges::adjacent_find(callees) == callees.end());
  });
}

TEST_CASE("importing calls leaves no call and no callee", "[passes][random]") {
  for_random_modules([](Module module) {
    erase_dead_symbols(module);
    CHECK(import_func_calls(module).empty());
    CHECK(symbols(module) == std::vector<std::string>{"mesh", "main"});
    CHECK(text(module).find("call @") == std::string::npos);
  });
}

TEST_CASE("splitting constants twice gives as many copies as splitting them once",
          "[passes][random]") {
  const auto count = [](const Module& module) { return pre_order(module).size(); };
  for_random_modules([&](Module module) {
    CHECK(constant_or_scalar_splitter(module).empty());
    erase_dead_symbols(module);
    const std::size_t once = count(module);
    CHECK(constant_or_scalar_splitter(module).empty());
    erase_dead_symbols(module);
    CHECK(count(module) == once);
  });
}

// Errors that the verifier would find first, were it asked.
// ---- The whole pipeline (9.4, 9.5) --------------------------------------------------------------

Module propagated(Module module) {
  const std::vector<PassCall> calls = {{"sdy-propagation-pipeline", "inline-meshes=true"}};
  CHECK(run_pipeline(module, built_in_passes(), calls).empty());
  return module;
}

bool divides(const Type& type, const std::optional<shardy::TensorSharding>& sharding) {
  if (!sharding || sharding->mesh().is_maximal() || !has_static_shape(type)) return true;
  for (std::size_t dim = 0; dim < sharding->rank(); ++dim) {
    if (type.dim(dim) % sharding->dim(dim).sharded_size() != 0) return false;
  }
  return true;
}

TEST_CASE("the propagation pipeline removes all ops and attributes that guide propagation",
          "[passes][random]") {
  for_random_modules([](const Module& before) {
    const Module module = propagated(before);
    for (const char* gone : {"sdy.mesh @", "data_flow_edge", "sdy.sharding_group",
                             "sdy.sharding_constraint", "sdy.sharding_rule", "named_computation"}) {
      CAPTURE(gone);
      CHECK(text(module).find(gone) == std::string::npos);
    }
    for_each_sharding(module, [](const shardy::TensorSharding& sharding, ValueId) {
      CHECK(sharding.is_fully_closed());
      CHECK(sharding.replicated_axes().empty());
      CHECK_FALSE(sharding.mesh_name());
    });
  });
}

TEST_CASE("arguments, results and calls divide evenly after the pipeline", "[passes][random]") {
  for_random_modules([](const Module& before) {
    const Module module = propagated(before);
    for (const OpId function : module.functions()) {
      const std::vector<Type> args = module.arg_types(function);
      for (std::size_t index = 0; index < args.size(); ++index) {
        CHECK(divides(args[index], arg_sharding(module, function, index)));
      }
      const std::vector<Type>& results = module.function(function).result_types;
      for (std::size_t index = 0; index < results.size(); ++index) {
        CHECK(divides(results[index], result_sharding(module, function, index)));
      }
    }
    for (const OpId op : pre_order(module)) {
      if (!module.is(op, OpKind::FuncCall)) continue;
      for (const ValueId result : module.results(op)) {
        CHECK(divides(module.type(result), get_sharding(module, result)));
      }
    }
  });
}

TEST_CASE("passes reject calls of unknown functions", "[passes]") {
  using Run = Diagnostics (*)(Module&);
  const Run run = GENERATE(Run(&propagate_sharding_from_func_to_call),
                           Run(&constant_or_scalar_splitter), Run(&add_func_data_flow_edges),
                           Run([](Module& module) { return flatten_call_graph(module); }),
                           Run([](Module& module) { return import_func_calls(module); }));
  Module module =
      program("func.func @main() {\n  call @g() : () -> ()\n  return\n}", {.verify = false});
  const Diagnostics errors = run(module);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "Failed to lookup function: g");
  CHECK(errors[0].location == "2:3");
}

TEST_CASE("passes reject shardings on unknown meshes", "[passes]") {
  using Run = Diagnostics (*)(Module&);
  const Run run = GENERATE(Run(&inline_meshes), Run(&remove_size_one_axes));
  Module module = program(
      "sdy.mesh @mesh = <[\"x\"=1]>\nsdy.mesh @one = <[\"x\"=1]>\n"
      "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) { return }");
  module.erase(*module.find_symbol("mesh"));
  const Diagnostics errors = run(module);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "unknown mesh: @mesh");
}

TEST_CASE("a manual computation on two meshes is an error", "[passes]") {
  Module module = program(R"(
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@other, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})",
                          {.verify = false});
  const Diagnostics errors = manual_axes_cleanup(module);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "expected inputs and outputs to have a common mesh");
}

TEST_CASE("a predicate selects the calls to flatten, and their callees are copied", "[passes]") {
  Module module = program(R"(
func.func @main() { call @f() : () -> () call @g() : () -> () call @g() : () -> () return }
func.func private @f() { call @h() : () -> () return }
func.func private @g() { call @h() : () -> () return }
func.func private @h() { return }
)");
  FlattenCallGraphOptions options;
  options.wanted = [](const Module& of, OpId call) {
    return of.symbol_name(*callee_of(of, call)) == "g";
  };
  CHECK(flatten_call_graph(module, options).empty());
  // The kept g calls its own copy h_0; the copy of g, made after that, calls a copy of h_0.
  CHECK(symbols(module) == std::vector<std::string>{"main", "f", "g", "h", "h_0", "h_0_1", "g_2"});
  const std::string after = text(module);
  for (const char* call :
       {"call @f()", "call @g()", "call @g_2()", "call @h()", "call @h_0()", "call @h_0_1()"}) {
    CAPTURE(call);
    CHECK(after.find(call) != std::string::npos);
  }
}

// Deviation 10 of passes 8.
TEST_CASE("a new sharding of a block argument keeps the reduction op outside", "[passes]") {
  Module module = program(R"(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] out_shardings=[<@mesh, [{"x"}], unreduced=max{"z"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
)");
  const OpId op = module.defining_op(module.returned_values(*module.find_symbol("main"))[0]);
  const ValueId arg = module.args(module.block(op))[0];
  const auto mesh = *module.find_mesh("mesh");
  set_sharding(module, arg, shardy::TensorSharding::closed({mesh, "mesh"}, {{mesh.full_axis(1)}}));
  CHECK(text(module).find("in_shardings=[<@mesh, [{\"x\", \"y\"}], unreduced=max{\"z\"}>]") !=
        std::string::npos);
}

}  // namespace
}  // namespace shardy_test::invariants_test
