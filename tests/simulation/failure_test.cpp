// Programs that fail at run time. The error has the code, the op and the devices, and the next run
// succeeds. Spec: partitioning 11.5, 11.8, 14.7.
#include <algorithm>
#include <atomic>
#include <stop_token>
#include <thread>

#include "simulation/random_values.hpp"

namespace shardy_test::failure_test {
namespace {

using shardy::ir::AttributeMap;
using shardy::ir::AxesAttr;
using shardy::ir::PermuteMap;
using shardy::ir::SymbolAttr;
using shardy::simulation::run;
using shardy::simulation::RunContext;

const Type kI64 = Type::tensor({}, ElementType::I64);
Tensor i64(double value) { return scalar(ElementType::I64, value); }

ValueId permute(GraphBuilder& graph, const Mesh& mesh, const shardy::AxisList& axes, ValueId x,
                const PermuteMap& map = {.kind = PermuteMap::Kind::Rotate, .numbers = {1}}) {
  AttributeMap attributes;
  attributes.set("mesh", SymbolAttr{"m"});
  attributes.set("axes", AxesAttr{mesh, axes});
  attributes.set("map", map);
  return graph.value_of({.kind = OpKind::SpmdPermute, .operands = {x}, .attributes = attributes});
}

/// Returns a @main(i64) -> i64 on the devices of `mesh`.
Module on_mesh(const Mesh& mesh, const std::function<ValueId(GraphBuilder&, ValueId)>& body) {
  return program(
      {kI64}, [&](GraphBuilder& graph, const Values& args) { return Values{body(graph, args[0])}; },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
}

std::vector<Tensors> inputs_of(const std::vector<double>& values) {
  std::vector<Tensors> inputs;
  for (const double value : values) inputs.push_back({i64(value)});
  return inputs;
}

/// Returns the error of the run. Checks that it is the same for every number of workers.
shardy::Error failure_of(const Module& module, const std::vector<Tensors>& inputs,
                         RunOptions options = {}, const RunContext& context = {}) {
  options.num_workers = 1;
  const auto reference = run(module, "main", inputs, options, context);
  REQUIRE_FALSE(reference);
  for (const int64_t workers : {2, 4}) {
    options.num_workers = workers;
    const auto result = run(module, "main", inputs, options, context);
    REQUIRE_FALSE(result);
    CHECK(result.error() == reference.error());
  }
  return reference.error();
}

const Mesh kPair = Mesh::make({{"x", 2}}).value();
const shardy::AxisList kAlongX = {{0, 1, 2}};

TEST_CASE("a branch that skips a permute on some devices is a divergence",
          "[simulation][failure]") {
  // Device 1 takes the branch that does not communicate.
  const Module module = on_mesh(kPair, [](GraphBuilder& graph, ValueId x) {
    const ValueId index = graph.convert(x, ElementType::I32);
    return graph.case_of(index, {[&] {
                                   graph.location("4:2");
                                   return Values{permute(graph, kPair, kAlongX, x)};
                                 },
                                 [&] { return Values{x}; }})[0];
  });
  const shardy::Error error = failure_of(module, inputs_of({0, 1}));
  CHECK(error.headline() == "E_DIVERGENT: spmd.permute is never reached by device 1 of its group");
  CHECK(error.location == "4:2");
  CHECK(error.notes ==
        std::vector<std::string>{"device 0 waits at spmd.permute (4:2)", "device 1 is finished"});
  // With equal inputs the same program succeeds.
  CHECK(run(module, "main", inputs_of({0, 0})));
  CHECK(run(module, "main", inputs_of({1, 1})));
}

TEST_CASE("collectives in a different order are a divergence", "[simulation][failure]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}}).value();
  const shardy::AxisList along_x = {mesh.full_axis(0)};
  const Module module = on_mesh(mesh, [&](GraphBuilder& graph, ValueId x) {
    const auto both = [&](const char* first, const char* second) {
      return [&graph, &mesh, &along_x, x, first, second] {
        graph.location(first);
        const ValueId once = permute(graph, mesh, along_x, x);
        graph.location(second);
        return Values{permute(graph, mesh, along_x, once)};
      };
    };
    const ValueId index = graph.convert(x, ElementType::I32);
    return graph.case_of(index, {both("1:1", "1:2"), both("2:1", "2:2")})[0];
  });
  // Groups along x: {0, 2} and {1, 3}. Device 2 disagrees with device 0.
  const shardy::Error error = failure_of(module, inputs_of({0, 1, 1, 1}));
  CHECK(error.headline() == "E_DIVERGENT: spmd.permute is never reached by device 2 of its group");
  CHECK(error.location == "1:1");
  CHECK(error.notes == std::vector<std::string>{"device 0 waits at spmd.permute (1:1)",
                                                "device 2 waits at spmd.permute (2:1)"});
}

TEST_CASE("different trip counts are a divergence that names the iteration",
          "[simulation][failure]") {
  const Module module = on_mesh(kPair, [](GraphBuilder& graph, ValueId x) {
    const ValueId zero = graph.int_splat(kI64, 0);
    return graph.while_loop(
        {zero}, [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], x, "LT")}; },
        [&](std::span<const ValueId> v) {
          graph.location("5:5");
          const ValueId moved = permute(graph, kPair, kAlongX, v[0]);
          return Values{graph.add(moved, graph.int_splat(kI64, 1))};
        })[0];
  });
  const shardy::Error error = failure_of(module, inputs_of({5, 3}));
  CHECK(error.headline() == "E_DIVERGENT: spmd.permute is never reached by device 1 of its group");
  CHECK(error.notes == std::vector<std::string>{"device 0 waits at spmd.permute (5:5), path 3",
                                                "device 1 is finished"});
}

TEST_CASE("groups that wait for each other are a deadlock", "[simulation][failure]") {
  // On a 2x2 mesh, devices on the diagonal run the collective along x first, the others that along
  // y.
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}}).value();
  const shardy::AxisList along_x = {mesh.full_axis(0)};
  const shardy::AxisList along_y = {mesh.full_axis(1)};
  const Module module = on_mesh(mesh, [&](GraphBuilder& graph, ValueId x) {
    const ValueId index = graph.convert(x, ElementType::I32);
    return graph.case_of(index, {[&] {
                                   graph.location("1:1");
                                   return Values{permute(graph, mesh, along_x, x)};
                                 },
                                 [&] {
                                   graph.location("2:1");
                                   return Values{permute(graph, mesh, along_y, x)};
                                 }})[0];
  });
  const shardy::Error error = failure_of(module, inputs_of({0, 1, 1, 0}));
  CHECK(error.headline() == "E_DEADLOCK: communication ops wait for each other");
  CHECK(error.notes ==
        std::vector<std::string>{"device 0 waits at spmd.permute (1:1) for device 2",
                                 "device 2 waits at spmd.permute (2:1) for device 3",
                                 "device 3 waits at spmd.permute (1:1) for device 1",
                                 "device 1 waits at spmd.permute (2:1) for device 0"});
}

TEST_CASE("the failure of the smallest device is reported", "[simulation][failure]") {
  // The two devices of a pair are in different groups. The exchange fails on all members of a
  // group.
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}}).value();
  const Module module = on_mesh(mesh, [&](GraphBuilder& graph, ValueId x) {
    graph.location("6:1");
    return permute(graph, mesh, {mesh.full_axis(1)}, x,
                   {.kind = PermuteMap::Kind::Pairs, .numbers = {0, 2}});
  });
  const shardy::Error error = failure_of(module, inputs_of({0, 0, 0, 0}));
  CHECK(error.headline() == "E_KERNEL: device 0 is not in the group of its receiver");
  CHECK(error.location == "6:1");
  CHECK(error.notes ==
        std::vector<std::string>{"on device 2, at spmd.permute", "1 more devices failed"});
}

/// Returns a program in which devices with a positive input loop forever, and the others wait for
/// them.
Module endless_on_positive() {
  return on_mesh(kPair, [](GraphBuilder& graph, ValueId x) {
    const Values loop = graph.while_loop(
        {x},
        [&](std::span<const ValueId> v) {
          return Values{graph.compare(v[0], graph.int_splat(kI64, 0), "GT")};
        },
        [&](std::span<const ValueId> v) { return Values{v[0]}; });
    return permute(graph, kPair, kAlongX, loop[0]);
  });
}

TEST_CASE("devices that wait for a failed device are not reported as the cause",
          "[simulation][failure]") {
  // Device 1 loops forever, and device 0 waits for it.
  const Module module = endless_on_positive();
  const shardy::Error error =
      failure_of(module, inputs_of({0, 1}), {}, {.limits = {.max_steps = 1000}});
  CHECK(error.headline() == "E_STEP_LIMIT: more than 1000 steps");
  CHECK(error.notes.front().starts_with("on device 1, at stablehlo."));
}

TEST_CASE("a device that exceeds its memory limit is an error", "[simulation][failure]") {
  const Module module = program({}, [](GraphBuilder& graph, const Values&) {
    return Values{graph.splat(Type::tensor({1 << 20}, ElementType::F32), 1)};
  });
  CHECK(message_of(run(module, "main", {Tensors()}, {}, {.limits = {.max_bytes = 1 << 20}})) ==
        "E_MEMORY_LIMIT: more than 1048576 bytes are live");
  CHECK(run(module, "main", {Tensors()}, {}, {.limits = {.max_bytes = 1 << 22}}));
  const Module huge = program({}, [](GraphBuilder& graph, const Values&) {
    return Values{graph.splat(Type::tensor({int64_t{1} << 60}, ElementType::I8), 1)};
  });
  CHECK(message_of(run(huge, "main", {Tensors()})).starts_with("E_MEMORY_LIMIT: "));
}

TEST_CASE("infinite recursion ends with an error", "[simulation][failure]") {
  Module module;
  const auto function = module.add_function("main", {}, {kI64});
  const auto block = module.entry(function);
  AttributeMap callee;
  callee.set("callee", SymbolAttr{"main"});
  const auto call =
      module.create({.kind = OpKind::FuncCall, .result_types = {kI64}, .attributes = callee});
  module.append(block, call);
  module.append(block,
                module.create({.kind = OpKind::FuncReturn, .operands = {module.result(call)}}));
  CHECK(message_of(run(module, "main", {Tensors()})) == "E_KERNEL: calls are nested too deeply");
}

Module endless(const Mesh& mesh) {
  return on_mesh(mesh, [&](GraphBuilder& graph, ValueId x) {
    return graph.while_loop(
        {x},
        [&](std::span<const ValueId> v) {
          return Values{graph.compare(v[0], graph.int_splat(kI64, 0), "GE")};
        },
        [&](std::span<const ValueId> v) {
          return Values{permute(graph, mesh, {mesh.full_axis(0)}, v[0])};
        })[0];
  });
}

TEST_CASE("a cancelled run ends", "[simulation][failure][cancel]") {
  const Mesh mesh = Mesh::make({{"x", 4}}).value();
  const Module module = endless(mesh);
  for (const int64_t workers : {1, 2, 4}) {
    std::stop_source stop;
    std::atomic<int> num_events = 0;
    RunOptions options{.num_workers = workers, .cancel = stop.get_token()};
    options.observer = [&](const auto&) {
      if (++num_events == 500) stop.request_stop();
    };
    CHECK(message_of(run(module, "main", inputs_of({0, 1, 2, 3}), options)) ==
          "E_CANCELLED: the run was cancelled");
  }
}

TEST_CASE("a run that is cancelled before it starts does nothing",
          "[simulation][failure][cancel]") {
  std::stop_source stop;
  stop.request_stop();
  const Module module = endless(kPair);
  CHECK(message_of(run(module, "main", inputs_of({0, 0}), {.cancel = stop.get_token()})) ==
        "E_CANCELLED: the run was cancelled");
}

TEST_CASE("cancelling a run wakes waiting devices", "[simulation][failure][cancel]") {
  // Device 0 waits for device 1, which loops forever, so one worker sleeps.
  const Module module = endless_on_positive();
  std::stop_source stop;
  std::atomic<int> num_events = 0;
  RunOptions options{.num_workers = 2, .cancel = stop.get_token()};
  options.observer = [&](const auto&) {
    if (++num_events == 20000) stop.request_stop();
  };
  CHECK(message_of(run(module, "main", inputs_of({0, 1}), options)) ==
        "E_CANCELLED: the run was cancelled");
}

TEST_CASE("a collective on a mesh larger than the run is refused", "[simulation][failure]") {
  const Module module = on_mesh(Mesh::make({{"x", 4}}).value(), [](GraphBuilder& graph, ValueId x) {
    return permute(graph, Mesh::make({{"x", 4}}).value(), {{0, 1, 4}}, x);
  });
  CHECK(message_of(run(module, "main", inputs_of({0, 1}))) ==
        "spmd.permute: the mesh has device 3, the run has 2 devices");
}

}  // namespace
}  // namespace shardy_test::failure_test
