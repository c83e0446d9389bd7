// Inside of a manual computation, plans must not use its bound axes. The tests cover ops in the
// body, in functions that bodies call, in loops, and both planners. Spec: resharding C.9.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "checking/all_shardings.hpp"
#include "checking/manual_programs.hpp"
#include "checking/programs.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::CheckOptions;
using checking::Context;
using ir::Module;
using shardy_test::check_all_planners;
using shardy_test::mesh_of;
using shardy_test::outcome;
using shardy_test::parsed;
using shardy_test::planned;
using shardy_test::text_of;

namespace manual_context_test {
namespace {

// ---- All reshards -------------------------------------------------------------------------------

enum class Where { Inline, Called, InLoop };

/// Returns `sharding` with "i" in front of dim 0, which is the sharding outside of the manual
/// computation.
std::string outside(const TensorSharding& sharding) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  dims[0].axes.insert(dims[0].axes.begin(), sharding.mesh().full_axis(0));
  return to_string(TensorSharding::make(sharding.mesh(), "mesh", dims).value());
}

/// A sum of %a with itself. The devices along the unreduced axes of `from` hold the parts of the
/// sum.
std::string partial_sum(const TensorSharding& from, const std::vector<int64_t>& local) {
  const std::string local_shape = std::to_string(local[0]) + "x" + std::to_string(local[1]);
  const std::string parts = "tensor<" + local_shape + "x" +
                            std::to_string(sharding_size(from.unreduced_axes())) + "xi32>";
  std::vector<DimSharding> dims(from.dims().begin(), from.dims().end());
  dims.push_back({from.unreduced_axes(), true});
  const TensorSharding spread = TensorSharding::make(from.mesh(), "mesh", dims).value();
  return "%b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<" + local_shape +
         "xi32>) -> " + parts + "\n%c = sdy.reshard %b " + to_string(spread) + " : " + parts +
         "\n%q = stablehlo.constant dense<0> : tensor<i32>\n" +
         "%f = stablehlo.reduce(%c init: %q) applies stablehlo.add across dimensions = [2] " +
         "{sdy.sharding = #sdy.sharding_per_value<[" + to_string(from) + "]>} : (" + parts +
         ", tensor<i32>) -> tensor<" + local_shape + "xi32>\n";
}

/// A manual computation over "i" that shards dim 0 and reshards its argument from `from` to `to`.
/// The argument has the sharding `from`, or the body makes a sum with that sharding. (A reshard to
/// `from` would be joined with the second reshard.)
std::string reshard_program(const Mesh& mesh, const std::vector<int64_t>& local,
                            const TensorSharding& from, const TensorSharding& to, Where where) {
  const auto type = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xi32>";
  };
  const std::string outer = type(local[0] * mesh.axis_size(0), local[1]);
  const std::string inner = type(local[0], local[1]);
  const bool sums = !from.unreduced_axes().empty();
  const std::string moves =
      (sums ? partial_sum(from, local) + "%t = sdy.reshard %f " : "%t = sdy.reshard %a ") +
      to_string(to) + " : " + inner + "\n";
  std::string body = moves;
  std::string function;
  if (where == Where::Called) {
    body = "%t = func.call @f(%a) : (" + inner + ") -> " + inner + "\n";
    function =
        "func.func private @f(%a: " + inner + " {sdy.sharding = #sdy.sharding" +
        to_string(
            TensorSharding::make(mesh, "mesh", {from.dims().begin(), from.dims().end()}).value()) +
        "}) -> " + inner + " {\n" + moves + "return %t : " + inner + "\n}\n";
  } else if (where == Where::InLoop) {
    body = R"(%z = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<2> : tensor<i32>
      %o = stablehlo.constant dense<1> : tensor<i32>
      %w:2 = stablehlo.while(%k = %z, %a = %p) : tensor<i32>, )" +
           inner + R"( cond {
        %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %k1 = stablehlo.add %k, %o : tensor<i32>
        )" +
           moves + "stablehlo.return %k1, %t : tensor<i32>, " + inner +
           "\n}\n%t = stablehlo.add %w#1, %p : " + inner + "\n";
  }
  const std::string arg = where == Where::InLoop ? "%p" : "%a";
  return "sdy.mesh @mesh = " + to_string(mesh) + "\nfunc.func @main(%x: " + outer + ") -> " +
         outer + " {\n%0 = sdy.manual_computation(%x) in_shardings=[" + outside(from) +
         "] out_shardings=[<@mesh, [{\"i\"}, {}]>] manual_axes={\"i\"} (" + arg + ": " + inner +
         ") {\n" + body + "sdy.return %t : " + inner + "\n} : (" + outer + ") -> " + outer +
         "\nreturn %0 : " + outer + "\n}\n" + function;
}

struct ManualMesh {
  Mesh mesh;  // the first axis is manual
  std::vector<int64_t> local;
};

/// If "i" divides a dim that the free axes do not divide, plans along "i" are cheaper, and wrong.
const std::vector<ManualMesh> kManualMeshes = {{mesh_of({{"i", 2}, {"j", 3}}), {2, 2}},
                                               {mesh_of({{"i", 3}, {"j", 2}}), {3, 3}},
                                               {mesh_of({{"i", 2}, {"j", 4}}), {2, 2}},
                                               {mesh_of({{"i", 2}, {"j", 2}, {"k", 3}}), {2, 2}},
                                               {mesh_of({{"i", 4}, {"j", 3}, {"k", 2}}), {4, 4}}};

/// Returns sub-axes of prime size of all axes but the first, which is manual.
AxisList free_parts(const Mesh& mesh) {
  AxisList parts;
  for (int32_t axis = 1; axis < mesh.num_axes(); ++axis) {
    const int64_t size = mesh.axis_size(axis);
    if (size == 4) parts.push_back({axis, 1, 2});
    parts.push_back({axis, size == 4 ? 2 : 1, size == 4 ? 2 : size});
  }
  return parts;
}

/// Checks every pair, or one of every `one_in` pairs. Returns the number of checks.
int64_t check_reshards(const Mesh& mesh, const std::vector<int64_t>& local, Where where,
                       uint64_t one_in) {
  const std::vector<TensorSharding> all =
      shardy_test::AllShardings(mesh, free_parts(mesh), local.size()).all();
  int64_t checked = 0;
  uint64_t pair = 0;
  for (const TensorSharding& from : all) {
    for (const TensorSharding& to : all) {
      if (pair++ % one_in != 0) continue;
      check_all_planners(reshard_program(mesh, local, from, to, where));
      ++checked;
    }
  }
  return checked;
}

}  // namespace

// SHARDY_RESHARD_CASES=all checks all pairs. A test run checks one in eleven pairs on the larger
// meshes.
TEST_CASE("each reshard inside a manual computation keeps its tensor", "[checking][manual]") {
  const char* cases = std::getenv("SHARDY_RESHARD_CASES");
  const bool takes_all = cases != nullptr && std::string(cases) == "all";
  for (const Where where : {Where::Inline, Where::Called, Where::InLoop}) {
    CAPTURE(static_cast<int>(where));
    for (const ManualMesh& manual : kManualMeshes) {
      const uint64_t one_in = takes_all || free_parts(manual.mesh).size() == 1 ? 1 : 11;
      CHECK(check_reshards(manual.mesh, manual.local, where, one_in) >= 16);
    }
  }
}

// ---- Planners that forget -----------------------------------------------------------------------

namespace {

/// A planner that plans as if all axes were free.
Context forgetful() {
  Context context;
  context.extensions.plan_reshard = [](const TensorSize& tensor, const TensorSharding& from,
                                       const TensorSharding& to, const BoundAxes&) {
    return plan_best_reshard(tensor, from, to, BoundAxes::none()).map([](const BestPlan& plan) {
      return plan.steps;
    });
  };
  return context;
}

/// Returns how many programs with a reshard show that forgetful() planned along a bound axis or
/// planned wrongly.
int64_t caught_by_reshards(const Mesh& mesh, const std::vector<int64_t>& local, Where where) {
  const std::vector<TensorSharding> all =
      shardy_test::AllShardings(mesh, free_parts(mesh), local.size()).all();
  const CheckOptions options = planned(PlanKind::Best, PlanKind::Best);
  int64_t caught = 0;
  uint64_t pair = 0;
  for (const TensorSharding& from : all) {
    for (const TensorSharding& to : all) {
      if (all.size() > 4 && pair++ % 5 != 0) continue;
      const Module module = parsed(reshard_program(mesh, local, from, to, where));
      if (!outcome(module, options, forgetful()).empty()) ++caught;
    }
  }
  return caught;
}

/// Returns whether a plan along a bound axis may be cheaper. That is impossible if the only free
/// axis has size 2. A step along a free axis of size 2 sends at most as many bytes as its result
/// has. A slice along a bound axis of size s saves 1 - 1/s of the bytes sent, but the gather after
/// the slice sends 1 - 1/s of the result.
bool may_profit(const Mesh& mesh) {
  const AxisList parts = free_parts(mesh);
  return parts.size() > 1 || parts[0].size > 2;
}

}  // namespace

TEST_CASE("reshards in a manual computation expose a planner that ignores bound axes",
          "[checking][manual][mutants]") {
  for (const Where where : {Where::Inline, Where::Called, Where::InLoop}) {
    CAPTURE(static_cast<int>(where));
    for (const ManualMesh& manual : kManualMeshes) {
      CAPTURE(to_string(manual.mesh));
      const int64_t caught = caught_by_reshards(manual.mesh, manual.local, where);
      CHECK((caught > 0) == may_profit(manual.mesh));
    }
  }
}

// Random programs with free axes found this fault, which none of the examples shows.
TEST_CASE("random programs expose a planner that ignores bound axes",
          "[checking][manual][mutants]") {
  int64_t caught = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto random = checking::random_program(seed, {.max_depth = 3, .free_axes = true});
    const auto compiled = checking::compile(random.module, {}, forgetful());
    if (compiled) continue;
    const std::string& message = compiled.error().front().message;
    CAPTURE(seed, message);
    CHECK(message.find("which a manual computation around binds") != std::string::npos);
    ++caught;
  }
  CHECK(caught > 0);
}

namespace {

// The program that forgetful() makes for a sum over "j" that is needed replicated. The sum is
// sharded along "i" and then gathered.
constexpr const char* kMixing = R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>]
      manual_axes={"i"} (%a: tensor<2xi32>) {
    %1 = func.call @g(%a) : (tensor<2xi32>) -> tensor<2xi32>
    sdy.return %1 : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func private @g(%a: tensor<2xi32>) -> tensor<2xi32> {
  return %a : tensor<2xi32>
}
func.func private @f(%a: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<2xi32> {
  %1 = sdy.all_slice [{"i"}] %a out_sharding=<@mesh, [{"i"}]> : tensor<2xi32>
  %2 = sdy.all_gather [{"i"}] %1 out_sharding=<@mesh, [{}]> : tensor<2xi32>
  return %2 : tensor<2xi32>
})";

}  // namespace

TEST_CASE("a collective along a bound axis in a callee is an error, and mixes data if run",
          "[checking][manual][mutants]") {
  Module module = parsed(kMixing);
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::FuncCall)) {
      module.attributes(op).set(ir::attr::kCallee, ir::SymbolAttr{"f"});
    }
  }
  const Diagnostics errors = ir::verify(module);
  REQUIRE(!errors.empty());
  CHECK(errors[0].message.find("operates on axis \"i\" which is already bound") !=
        std::string::npos);
  REQUIRE(errors[0].notes.size() == 1);
  CHECK(errors[0].notes[0].starts_with("the parent is "));
  const auto partitioned = partitioning::partition(module);
  REQUIRE(partitioned.has_value());
  const simulation::Tensors inputs = {
      simulation::Tensor::from_integers(ir::Type::tensor({4}, ir::ElementType::I32),
                                        std::vector<int64_t>{1, 2, 3, 4})
          .value()};
  const auto made = simulation::run_global(partitioned->module, "main", inputs);
  const auto wanted = simulation::run_global(module, "main", inputs);
  REQUIRE(made.has_value());
  REQUIRE(wanted.has_value());
  CHECK(wanted->outputs == inputs);
  CHECK(made->outputs != inputs);
}

TEST_CASE("a sum along a bound axis is an error", "[checking][manual]") {
  const auto reducing = [](const std::string& axis) {
    const auto module = text::parse_mlir(R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>]
      manual_axes={"i"} (%a: tensor<2xi32>) {
    %1 = sdy.all_reduce {")" + axis + R"("} %a out_sharding=<@mesh, [{}]> : tensor<2xi32>
    sdy.return %1 : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
})");
    return module ? std::string() : text_of(module.error());
  };
  CHECK(reducing("i").find("operates on axis \"i\" which is already bound") != std::string::npos);
  CHECK(reducing("j").empty());
}

// ---- Programs -----------------------------------------------------------------------------------

TEST_CASE("a callee of a manual computation reduces sums correctly", "[checking][manual]") {
  check_all_planners(R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%arg0: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>]
      out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%a: tensor<2x3xf32>) {
    %1 = func.call @f(%a) : (tensor<2x3xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4x3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %x = sdy.sharding_constraint %a <@mesh, [{}, {"j"}]> : tensor<2x3xf32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] :
      (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = sdy.sharding_constraint %s <@mesh, [{}]> : tensor<2xf32>
  return %2 : tensor<2xf32>
})");
}

namespace {

/// Two layers over "model" in a stage of "pipe". The body is inline or in a function.
std::string pipeline_stage(bool is_called) {
  const std::string layers = R"(
    %1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] :
        (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.tanh %1 : tensor<8x16xf32>
    %3 = stablehlo.dot_general %2, %w2, contracting_dims = [1] x [0] :
        (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}, {}]> : tensor<8x8xf32>
  )";
  const std::string call = R"(
    %4 = func.call @stage(%x, %w1, %w2) :
        (tensor<8x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  )";
  const std::string args = "(%x: tensor<8x8xf32>, %w1: tensor<8x16xf32>, %w2: tensor<16x8xf32>)";
  return R"(
sdy.mesh @mesh = <["pipe"=2, "model"=4]>
func.func @main(
    %arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}]>},
    %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}]>}) {
  %0 = sdy.manual_computation(%arg0, %arg1, %arg2)
      in_shardings=[<@mesh, [{"pipe", ?}, {?}]>, <@mesh, [{?}, {?}]>, <@mesh, [{?}, {?}]>]
      out_shardings=[<@mesh, [{"pipe", ?}, {?}]>] manual_axes={"pipe"} )" +
         args + " {" + (is_called ? call : layers) + R"(
    sdy.return %4 : tensor<8x8xf32>
  } : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
)" +
         (is_called ? "func.func private @stage" + args + " -> tensor<8x8xf32> {" + layers +
                          "  return %4 : tensor<8x8xf32>\n}\n"
                    : "");
}

}  // namespace

TEST_CASE("layers over free axes of a manual computation are correct inline and called",
          "[checking][manual]") {
  check_all_planners(pipeline_stage(false));
  check_all_planners(pipeline_stage(true));
}

TEST_CASE("an op in a manual computation is planned on the free axes", "[checking][manual]") {
  check_all_planners(R"(
sdy.mesh @mesh = <["i"=2, "j"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {"j"}]>},
                %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"j"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {"j"}]>}) {
  %0 = sdy.manual_computation(%arg0, %arg1)
      in_shardings=[<@mesh, [{"i", ?}, {?}]>, <@mesh, [{?}, {?}]>]
      out_shardings=[<@mesh, [{"i", ?}, {?}]>] manual_axes={"i"}
      (%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] :
        (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.add %1, %a : tensor<8x8xf32>
    sdy.return %2 : tensor<8x8xf32>
  } : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
})");
  check_all_planners(R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>]
      out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%a: tensor<2x5xf32>) {
    %x = sdy.sharding_constraint %a <@mesh, [{}, {}], unreduced={"j"}> : tensor<2x5xf32>
    %2 = sdy.sharding_constraint %x <@mesh, [{}, {"j"}]> : tensor<2x5xf32>
    sdy.return %2 : tensor<2x5xf32>
  } : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
})");
}

namespace {

// @f runs under "i", and also outside of any manual computation with an argument sharded along "i".
constexpr const char* kTwoContexts = R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {"j"}]>})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}, {?}]>]
      out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%a: tensor<2x6xf32>) {
    %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    %1 = func.call @f(%b) : (tensor<4x6xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %1 [1:3] : (tensor<4xf32>) -> tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<4x6xf32>) -> tensor<4xf32>
  %3 = func.call @f(%x) : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] :
      (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.negate %s : tensor<4xf32>
  return %n : tensor<4xf32>
})";

}  // namespace

TEST_CASE("a function called under several sets of bound axes is copied for each set",
          "[checking][manual]") {
  check_all_planners(kTwoContexts);
  const Module module = parsed(kTwoContexts);
  for (const bool dedup : {false, true}) {
    CheckOptions options = planned(PlanKind::Best, PlanKind::Best);
    options.compile.pipeline.importing.dedup_functions_fully = dedup;
    CAPTURE(dedup);
    CHECK(outcome(module, options).empty());
    const auto compiled = checking::compile(module, options.compile);
    REQUIRE(compiled.has_value());
    CHECK(compiled->collectives.functions().size() == 3);
  }
}

// ---- Random shardings ---------------------------------------------------------------------------

TEST_CASE("random shardings never use bound axes in callees", "[checking][manual][sweep]") {
  const Module module = parsed(R"(
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a"}]>]
      manual_axes={"a"} (%p: tensor<2xf32>) {
    %1 = func.call @f(%p) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.negate %1 : tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%p: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %p : tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  checking::CaseSweepOptions options;
  options.cases = 200;
  const auto report = checking::sweep(module, shardy_test::small_integers(module, 1), options);
  REQUIRE(report.has_value());
  INFO((report->failure && !report->failure->errors.empty()
            ? report->failure->errors.front().message
            : std::string()));
  CHECK(report->passed());
  CHECK(report->cases == 200);
  // The ops are in the body and in the callee as well.
  bool in_body = false;
  bool in_callee = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::string text = text::to_mlir(checking::shard_at_random(module, seed, 4));
    const std::size_t callee = text.find("func.func private");
    const std::size_t body = text.find("func.call");
    in_callee = in_callee || text.find("sdy.sharding_constraint", callee) != std::string::npos;
    const std::size_t inner = text.find("sdy.sharding_constraint", body);
    in_body = in_body || inner < text.find("sdy.return");
  }
  CHECK(in_body);
  CHECK(in_callee);
}

// ---- Devices of another order, single devices ---------------------------------------------------

namespace {

/// A manual computation over "i" that shards dim 0 of `x`, which has 4 or 6 rows. `body` makes %r
/// from %a.
std::string under_i(const std::string& meshes, int64_t size, const std::string& body, Where where) {
  const std::string outer = "tensor<" + std::to_string(2 * size) + "x12xi32>";
  const std::string inner = "tensor<2x12xi32>";
  const bool is_called = where == Where::Called;
  const std::string call = "%r = func.call @f(%a) : (" + inner + ") -> " + inner + "\n";
  std::string text = meshes + "\nfunc.func @main(%x: " + outer + ") -> " + outer;
  text += " {\n%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"i\"}, {\"j\"}]>]";
  text += " out_shardings=[<@mesh, [{\"i\"}, {}]>] manual_axes={\"i\"} (%a: " + inner + ") {\n";
  text += (is_called ? call : body) + "sdy.return %r : " + inner;
  text += "\n} : (" + outer + ") -> " + outer + "\nreturn %0 : " + outer + "\n}\n";
  if (!is_called) return text;
  return text + "func.func private @f(%a: " + inner + ") -> " + inner + " {\n" + body +
         "return %r : " + inner + "\n}\n";
}

constexpr const char* kOneDevice = R"(
    %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<2x12xi32>
    %2 = stablehlo.add %1, %a : tensor<2x12xi32>
    %r = stablehlo.multiply %2, %1 : tensor<2x12xi32>
)";

}  // namespace

TEST_CASE("values of one device in a manual computation are sent along free axes only",
          "[checking][manual]") {
  for (const Where where : {Where::Inline, Where::Called}) {
    for (const int device : {0, 1, 4, 5}) {
      const std::string one = "\nsdy.mesh @one = <[], device_ids=[" + std::to_string(device) + "]>";
      for (const char* mesh : {R"(<["j"=3, "i"=2]>)", R"(<["i"=2, "j"=3]>)",
                               R"(<["j"=3, "i"=2], device_ids=[5, 3, 0, 1, 4, 2]>)"}) {
        check_all_planners(
            under_i("sdy.mesh @mesh = " + std::string(mesh) + one, 2, kOneDevice, where));
      }
      check_all_planners(
          under_i(R"(sdy.mesh @mesh = <["j"=2, "i"=3, "k"=4]>)" + one, 3, kOneDevice, where));
    }
  }
}

TEST_CASE("another order of devices in a manual computation keeps the data of each device",
          "[checking][manual]") {
  const std::pair<const char*, int64_t> kMeshes[] = {{R"(sdy.mesh @mesh = <["i"=2, "j"=3]>
sdy.mesh @other = <["i"=2, "j"=3], device_ids=[3, 0, 4, 1, 5, 2]>)",
                                                      2},
                                                     {R"(sdy.mesh @mesh = <["j"=4, "i"=3]>
sdy.mesh @other = <["j"=4, "i"=3], device_ids=[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 0, 1]>)",
                                                      3}};
  for (const Where where : {Where::Inline, Where::Called}) {
    for (const auto& [meshes, size] : kMeshes) {
      for (const char* there : {R"([{}, {}])", R"([{"j"}, {}])", R"([{}, {"j"}])"}) {
        check_all_planners(under_i(meshes, size,
                                   R"(
    %1 = sdy.sharding_constraint %a <@other, )" +
                                       std::string(there) + R"(> : tensor<2x12xi32>
    %2 = stablehlo.negate %1 : tensor<2x12xi32>
    %3 = stablehlo.add %2, %a : tensor<2x12xi32>
    %r = stablehlo.add %3, %2 : tensor<2x12xi32>
)",
                                   where));
      }
    }
  }
}

TEST_CASE("a function called on several device orders is copied for each order",
          "[checking][manual]") {
  const auto body = [](const std::string& mesh, const std::string& result) {
    return "  " + result + " = sdy.manual_computation(%x) in_shardings=[<" + mesh +
           R"(, [{"i"}, {}]>] out_shardings=[<)" + mesh +
           R"(, [{"i"}, {}]>] manual_axes={"i"} (%a: tensor<4x12xi32>) {
    %r = func.call @f(%a) : (tensor<4x12xi32>) -> tensor<4x12xi32>
    sdy.return %r : tensor<4x12xi32>
  } : (tensor<8x12xi32>) -> tensor<8x12xi32>
)";
  };
  for (const char* ids : {"[3, 0, 4, 1, 5, 2]", "[5, 4, 3, 2, 1, 0]", "[0, 2, 1, 3, 5, 4]"}) {
    for (const std::string callee : {"@f", "@g"}) {  // the bodies call one, which calls the other
      const std::string text =
          R"(sdy.mesh @mesh = <["i"=2, "j"=3]>
sdy.mesh @other = <["i"=2, "j"=3], device_ids=)" +
          std::string(ids) + R"(>
func.func @main(%x: tensor<8x12xi32>) -> (tensor<8x12xi32>, tensor<8x12xi32>) {
)" + body("@mesh", "%0") +
          body("@other", "%1") + R"(  return %0, %1 : tensor<8x12xi32>, tensor<8x12xi32>
}
)" + (callee == "@f" ? "" : R"(func.func private @f(%a: tensor<4x12xi32>) -> tensor<4x12xi32> {
  %0 = func.call @g(%a) : (tensor<4x12xi32>) -> tensor<4x12xi32>
  return %0 : tensor<4x12xi32>
}
)") + "func.func private " +
          callee +
          R"((%a: tensor<4x12xi32>) -> tensor<4x12xi32> {
  %0 = sdy.sharding_constraint %a <@other, [{}, {"j"}]> : tensor<4x12xi32>
  %1 = stablehlo.negate %0 : tensor<4x12xi32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"j"}, {}]> : tensor<4x12xi32>
  %3 = stablehlo.add %2, %a : tensor<4x12xi32>
  return %3 : tensor<4x12xi32>
}
)";
      check_all_planners(text);
    }
  }
}

/// Two bodies on different orders of devices call one function. The first body calls the function
/// in a loop whose number of steps differs along "i".
std::string called_in_divergent_loop(const std::string& meshes) {
  return meshes + R"(
func.func @main(%x: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> tensor<4x6xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%a: tensor<2x6xi32>) {
    %first = stablehlo.slice %a [0:1, 0:1] : (tensor<2x6xi32>) -> tensor<1x1xi32>
    %number = stablehlo.reshape %first : (tensor<1x1xi32>) -> tensor<i32>
    %mask = stablehlo.constant dense<3> : tensor<i32>
    %steps = stablehlo.and %number, %mask : tensor<i32>
    %loop:2 = stablehlo.while(%k = %steps, %b = %a) : tensor<i32>, tensor<2x6xi32>
      cond {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %c = stablehlo.compare GT, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %r = func.call @f(%b) : (tensor<2x6xi32>) -> tensor<2x6xi32>
        %next = stablehlo.subtract %k, %one : tensor<i32>
        stablehlo.return %next, %r : tensor<i32>, tensor<2x6xi32>
      }
    sdy.return %loop#1 : tensor<2x6xi32>
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@other, [{"i"}, {}]>] out_shardings=[<@other, [{"i"}, {}]>] manual_axes={"i"} (%a: tensor<2x6xi32>) {
    %r = func.call @f(%a) : (tensor<2x6xi32>) -> tensor<2x6xi32>
    sdy.return %r : tensor<2x6xi32>
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  return %1 : tensor<4x6xi32>
}
func.func private @f(%a: tensor<2x6xi32>) -> tensor<2x6xi32> {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<2x6xi32>
  %1 = stablehlo.add %a, %0 : tensor<2x6xi32>
  return %1 : tensor<2x6xi32>
}
)";
}

TEST_CASE("copies of a function for two device orders are not merged", "[checking][manual]") {
  for (const char* meshes : {R"(sdy.mesh @mesh = <["i"=2, "j"=2]>
sdy.mesh @other = <["i"=2, "j"=2], device_ids=[0, 2, 1, 3]>)",
                             R"(sdy.mesh @mesh = <["i"=2, "j"=3]>
sdy.mesh @other = <["i"=2, "j"=3], device_ids=[3, 0, 4, 1, 5, 2]>)"}) {
    const std::string text = called_in_divergent_loop(meshes);
    check_all_planners(text);
    CheckOptions options = planned(PlanKind::Best, PlanKind::Best);
    options.compile.pipeline.importing.dedup_functions_fully = true;
    CHECK(outcome(parsed(text), options).empty());
  }
}

// ---- Ops of the body's own ----------------------------------------------------------------------

TEST_CASE("a collective in a callee of a manual computation runs as written",
          "[checking][manual]") {
  const auto program = [](const std::string& in_body, const std::string& functions) {
    return R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}, {?}]>]
      out_shardings=[<@mesh, [{"i"}, {?}]>] manual_axes={"i"} (%a: tensor<2x6xi32>) {
)" + in_body +
           R"(
    sdy.return %r : tensor<2x6xi32>
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
)" + functions;
  };
  const std::string sum = R"(
    %s = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %t = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %t : tensor<i32>
    }) : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %n = stablehlo.add %s, %a : tensor<2x6xi32>
)";
  const std::string call = "%r = func.call @f(%a) : (tensor<2x6xi32>) -> tensor<2x6xi32>\n";
  const std::string head = "(%a: tensor<2x6xi32>) -> tensor<2x6xi32> {\n";
  const std::string tail = "return %n : tensor<2x6xi32>\n}\n";
  check_all_planners(program(call, "func.func private @f" + head + sum + tail));
  const std::string inner = "%n = func.call @g(%a) : (tensor<2x6xi32>) -> tensor<2x6xi32>\n";
  check_all_planners(program(call, "func.func private @f" + head + inner + tail +
                                       "func.func private @g" + head + sum + tail));
  check_all_planners(program(R"(
    %r = sdy.named_computation<"layer">(%a) (%b: tensor<2x6xi32>) {
      %m = func.call @f(%b) : (tensor<2x6xi32>) -> tensor<2x6xi32>
      sdy.return %m : tensor<2x6xi32>
    } : (tensor<2x6xi32>) -> tensor<2x6xi32>
)",
                             "func.func private @f" + head + sum + tail));
}

TEST_CASE("side effects in a manual computation run on each device as written",
          "[checking][manual]") {
  const auto program = [](const std::string& manual, const std::string& call) {
    return R"(
sdy.mesh @mesh = <["i"=2, "j"=3]>
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"i"}, {}]>]
      out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes=)" +
           manual + " (%a: tensor<2x6xf32>) {\n" + call + R"(
    sdy.return %a : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
})";
  };
  const std::string step = "stablehlo.custom_call @log_step() {has_side_effect = true} : () -> ()";
  const std::string sends =
      "stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<2x6xf32>) -> ()";
  const auto refused = [&](const std::string& text) {
    const auto compiled = checking::compile(parsed(text), {}, {});
    if (!compiled) return compiled.error().front().message;
    CHECK(text::to_mlir(compiled->program).find("@log") != std::string::npos);
    return std::string();
  };
  CHECK(refused(program(R"({"i"})", step)).empty());
  CHECK(refused(program(R"({"i", "j"})", step)).empty());
  CHECK(refused(program(R"({"i", "j"})", sends)).empty());
  CHECK(refused(program(R"({"i"})", sends)).find("every device would execute its side effects") !=
        std::string::npos);
}

}  // namespace manual_context_test
