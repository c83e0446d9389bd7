// Running programs: control flow, workers, accounting.
#include "shardy/simulation/run.hpp"

#include <atomic>
#include <mutex>
#include <set>

#include "simulation/random_values.hpp"

namespace shardy_test::run_test {
namespace {

using shardy::ir::AttributeMap;
using shardy::ir::AxesAttr;
using shardy::ir::IntegerAttr;
using shardy::ir::PermuteMap;
using shardy::ir::SymbolAttr;
using shardy::simulation::run;
using shardy::simulation::run_global;
using shardy::simulation::Traffic;

const Type kI32 = Type::tensor({}, ElementType::I32);
const Type kI64 = Type::tensor({}, ElementType::I64);

Tensor i32(double value) { return scalar(ElementType::I32, value); }
Tensor i64(double value) { return scalar(ElementType::I64, value); }

// ---- Control flow on one device
// ------------------------------------------------------------------

TEST_CASE("a while loop carries its values", "[simulation][run]") {
  // (i, a, b) -> (i - 1, b, a + b) while i > 0 computes Fibonacci numbers. Carried values swap.
  const Tensors results = evaluate_graph({i32(10)}, [](GraphBuilder& graph, const Values& args) {
    const ValueId zero = graph.int_splat(kI32, 0);
    const ValueId one = graph.int_splat(kI32, 1);
    return graph.while_loop(
        {args[0], zero, one},
        [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], zero, "GT")}; },
        [&](std::span<const ValueId> v) {
          return Values{graph.subtract(v[0], one), v[2], graph.add(v[1], v[2])};
        });
  });
  CHECK(results == Tensors{i32(0), i32(55), i32(89)});
}

TEST_CASE("a loop that is never entered returns its operands", "[simulation][run]") {
  const Tensors results = evaluate_graph({i32(7)}, [](GraphBuilder& graph, const Values& args) {
    return graph.while_loop(
        {args[0]},
        [&](std::span<const ValueId>) {
          return Values{graph.int_splat(Type::tensor({}, ElementType::I1), 0)};
        },
        [&](std::span<const ValueId> v) { return Values{graph.add(v[0], v[0])}; });
  });
  CHECK(results == Tensors{i32(7)});
}

TEST_CASE("nested loops use values of all loops around", "[simulation][run]") {
  // The loops sum 10 i + j over i < 4, j < i.
  const Tensors results = evaluate_graph({}, [](GraphBuilder& graph, const Values&) {
    const ValueId zero = graph.int_splat(kI32, 0);
    const ValueId one = graph.int_splat(kI32, 1);
    const ValueId four = graph.int_splat(kI32, 4);
    const ValueId ten = graph.int_splat(kI32, 10);
    return graph.while_loop(
        {zero, zero},
        [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], four, "LT")}; },
        [&](std::span<const ValueId> outer) {
          const ValueId i = outer[0];
          const ValueId sum = outer[1];
          const Values inner = graph.while_loop(
              {zero, sum},
              [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], i, "LT")}; },
              [&](std::span<const ValueId> v) {
                const ValueId term = graph.add(graph.multiply(ten, i), v[0]);
                return Values{graph.add(v[0], one), graph.add(v[1], term)};
              });
          return Values{graph.add(i, one), inner[1]};
        });
  });
  CHECK(results[1] == i32(10 + 20 + 21 + 30 + 31 + 32));
}

TEST_CASE("case takes the last branch for indices out of range", "[simulation][run]") {
  const auto choose = [](double index) {
    return evaluate_graph({i32(index), i32(5)}, [](GraphBuilder& graph, const Values& args) {
      return graph.case_of(
          args[0], {[&] { return Values{args[1]}; }, [&] { return Values{graph.negate(args[1])}; },
                    [&] { return Values{graph.add(args[1], args[1])}; }});
    })[0];
  };
  CHECK(choose(0) == i32(5));
  CHECK(choose(1) == i32(-5));
  CHECK(choose(2) == i32(10));
  CHECK(choose(3) == i32(10));
  CHECK(choose(-1) == i32(10));
}

TEST_CASE("if runs the first region for true", "[simulation][run]") {
  for (const bool predicate : {false, true}) {
    const Tensors results =
        evaluate_graph({scalar(ElementType::I1, predicate ? 1 : 0), i32(3), i32(4)},
                       [](GraphBuilder& graph, const Values& args) {
                         return graph.if_else(
                             args[0],
                             [&] {
                               return Values{args[1], args[2]};
                             },
                             [&] {
                               return Values{args[2], args[1]};
                             });
                       });
    CHECK(results[0] == i32(predicate ? 3 : 4));
  }
}

TEST_CASE("calls run the named function at each call", "[simulation][run]") {
  const Module module = program(
      {kI32},
      [](GraphBuilder& graph, const Values& args) {
        const Values once = graph.call("twice", {args[0]});
        return graph.call("twice", once);
      },
      [](GraphBuilder& graph) {
        graph.function("twice", true);
        const ValueId x = graph.argument(kI32);
        graph.ret({graph.add(x, x)});
      });
  CHECK(run(module, "main", {{i32(3)}}).value().outputs[0] == Tensors{i32(12)});
  CHECK(run(module, "twice", {{i32(3)}}).value().outputs[0] == Tensors{i32(6)});
  CHECK(message_of(run(module, "thrice", {{i32(3)}})) == "unknown function @thrice");
}

TEST_CASE("annotations of a global program do not change its results", "[simulation][run]") {
  const Module module = program(
      {Type::tensor({4}, ElementType::F32)},
      [](GraphBuilder& graph, const Values& args) {
        const ValueId constrained = graph.sharding_constraint(args[0], "[{\"x\"}]");
        const ValueId stopped = graph.propagation_barrier(constrained, "NONE");
        graph.sharding_group(stopped, 1);
        const Values named = graph.named_computation(
            "block", {graph.reshard(stopped, "[{}]")},
            [&](std::span<const ValueId> inner) { return Values{graph.add(inner[0], inner[0])}; });
        return graph.optimization_barrier(named);
      },
      [](GraphBuilder& graph) {
        graph.mesh("m", {{"x", 2}});
      });
  const Tensor x = counting(ElementType::F32, {4});
  CHECK(run(module, "main", {{x}}).value().outputs[0] ==
        Tensors{vector_of(ElementType::F32, {0, 2, 4, 6})});
  CHECK(run_global(module, "main", std::vector{x}).value().outputs ==
        Tensors{vector_of(ElementType::F32, {0, 2, 4, 6})});
  CHECK(message_of(run(module, "main", {{x}, {x}})) ==
        "sdy.sharding_constraint: is not an op of a per-device program");
}

TEST_CASE("a manual computation runs once per device of its mesh", "[simulation][run][manual]") {
  const Module module = program(
      {Type::tensor({4, 2}, ElementType::I32)},
      [](GraphBuilder& graph, const Values& args) {
        return graph.manual_computation(
            {args[0]}, {.in = {"[{\"x\"}, {}]"}, .out = {"[{\"x\"}, {}]"}, .manual_axes = {"x"}},
            [&](std::span<const ValueId> inner) {
              // Rows reversed inside each half.
              return Values{graph.reverse(inner[0], {0})};
            });
      },
      [](GraphBuilder& graph) {
        graph.mesh("m", {{"x", 2}, {"y", 3}});
      });
  CHECK(
      run_global(module, "main", std::vector{counting(ElementType::I32, {4, 2})}).value().outputs ==
      Tensors{tensor(ElementType::I32, {4, 2}, {2, 3, 0, 1, 6, 7, 4, 5})});
}

// ---- Errors before anything runs
// -----------------------------------------------------------------

TEST_CASE("an op without kernel is an error with its location", "[simulation][run][failure]") {
  const Module module = program({kI32}, [](GraphBuilder& graph, const Values& args) {
    graph.location("3:9");
    return graph.custom("my.op", {args[0]}, {kI32});
  });
  CHECK(located_message_of(run(module, "main", {{i32(1)}})) == "3:9: unsupported op my.op");
}

TEST_CASE("arguments must have the declared types", "[simulation][run][failure]") {
  const Module module = program({kI32}, [](GraphBuilder&, const Values& args) { return args; });
  CHECK(message_of(run(module, "main", {})) == "a run needs a device");
  CHECK(message_of(run(module, "main", {{}})) == "the function takes 1 arguments, got: 0");
  const auto wrong = run(module, "main", {{i32(1)}, {i64(1)}});
  CHECK(message_of(wrong) == "argument 0 must have type tensor<i32>, got: tensor<i64>");
  CHECK(wrong.error().notes == std::vector<std::string>{"on device 1"});
}

TEST_CASE("values of another branch are not visible", "[simulation][run][failure]") {
  // Built by hand: the second branch returns a value of the first.
  Module module;
  const Type arguments[] = {kI32};
  const auto function = module.add_function("main", arguments, {kI32});
  const auto block = module.entry(function);
  const auto first = module.new_region();
  const auto second = module.new_region();
  const auto negate = module.create(
      {.kind = OpKind::Negate, .operands = {module.args(block)[0]}, .result_types = {kI32}});
  const auto first_block = module.new_block(first);
  module.append(first_block, negate);
  const auto second_block = module.new_block(second);
  for (const auto branch : {first_block, second_block}) {
    module.append(branch, module.create({.kind = OpKind::StablehloReturn,
                                         .operands = {module.result(negate)}}));
  }
  const auto choice = module.create({.kind = OpKind::Case,
                                     .operands = {module.args(block)[0]},
                                     .result_types = {kI32},
                                     .regions = {first, second}});
  module.append(block, choice);
  module.append(block,
                module.create({.kind = OpKind::FuncReturn, .operands = {module.result(choice)}}));
  CHECK(message_of(run(module, "main", {{i32(1)}})) ==
        "stablehlo.return: uses a value that is not defined before it");
}

// ---- Several devices
// -----------------------------------------------------------------------------

AttributeMap along(const Mesh& mesh, const std::string& axis) {
  AttributeMap attributes;
  attributes.set("mesh", SymbolAttr{"m"});
  attributes.set("axes", AxesAttr{mesh, {mesh.full_axis(*mesh.find_axis(axis))}});
  return attributes;
}

ValueId coordinate(GraphBuilder& graph, const Mesh& mesh, const std::string& axis) {
  return graph.value_of({.kind = OpKind::SpmdCoord, .attributes = along(mesh, axis)});
}

ValueId sum_along(GraphBuilder& graph, const Mesh& mesh, const std::string& axis, ValueId x) {
  const Type one = Type::tensor({}, graph.type(x).element());
  const Type scalars[] = {one, one};
  const auto region = graph.region(
      scalars, [&](std::span<const ValueId> v) { return Values{graph.add(v[0], v[1])}; },
      OpKind::StablehloReturn);
  return graph.value_of({.kind = OpKind::SpmdAllReduce,
                         .operands = {x},
                         .attributes = along(mesh, axis),
                         .regions = {region}});
}

ValueId rotated(GraphBuilder& graph, const Mesh& mesh, const std::string& axis, ValueId x) {
  AttributeMap attributes = along(mesh, axis);
  attributes.set("map", PermuteMap{.kind = PermuteMap::Kind::Rotate, .numbers = {1}});
  return graph.value_of({.kind = OpKind::SpmdPermute, .operands = {x}, .attributes = attributes});
}

/// Returns loops that communicate. Their trip counts differ between the rows of the mesh.
Module busy_program(const Mesh& mesh) {
  const Type type = Type::tensor({3}, ElementType::F32);
  return program(
      {type},
      [&](GraphBuilder& graph, const Values& args) {
        const ValueId row = coordinate(graph, mesh, "x");
        const ValueId zero = graph.int_splat(kI64, 0);
        const ValueId one = graph.int_splat(kI64, 1);
        const ValueId trips = graph.add(row, graph.int_splat(kI64, 2));
        const Values loop = graph.while_loop(
            {zero, args[0]},
            [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], trips, "LT")}; },
            [&](std::span<const ValueId> v) {
              // All devices of a row have the same trip count, so all of them reach the
              // collective along y.
              const ValueId summed = sum_along(graph, mesh, "y", v[1]);
              const ValueId moved = rotated(graph, mesh, "y", v[1]);
              const ValueId third = graph.splat(type, 1.0 / 3.0);
              return Values{graph.add(v[0], one), graph.add(graph.multiply(summed, third), moved)};
            });
        return Values{sum_along(graph, mesh, "x", loop[1]), loop[1]};
      },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
}

TEST_CASE("results and statistics do not depend on the number of workers",
          "[simulation][run][workers]") {
  const Mesh mesh =
      Mesh::make({{"x", 3}, {"y", 4}}, {11, 3, 0, 7, 1, 10, 5, 2, 9, 4, 6, 8}).value();
  const Module module = busy_program(mesh);
  Random random;
  std::vector<Tensors> inputs;
  for (int device = 0; device < 12; ++device) {
    std::vector<double> values;
    for (int index = 0; index < 3; ++index) {
      values.push_back(static_cast<double>(random.between(-1000, 1000)) / 7.0);
    }
    inputs.push_back({vector_of(ElementType::F32, values)});
  }
  const auto reference = run(module, "main", inputs, {.num_workers = 1});
  if (!reference) FAIL(located_message_of(reference));
  for (const int64_t workers : {2, 3, 5, 12, 24}) {
    for (int round = 0; round < 5; ++round) {
      const auto result = run(module, "main", inputs, {.num_workers = workers});
      REQUIRE(result);
      CHECK(result->outputs == reference->outputs);
      CHECK(result->devices == reference->devices);
    }
  }
}

TEST_CASE("each iteration of a loop is a separate collective instance",
          "[simulation][run][workers]") {
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const Module module = program(
      {kI64},
      [&](GraphBuilder& graph, const Values& args) {
        const ValueId zero = graph.int_splat(kI64, 0);
        const ValueId limit = graph.int_splat(kI64, 200);
        return graph.while_loop(
            {zero, args[0]},
            [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], limit, "LT")}; },
            [&](std::span<const ValueId> v) {
              return Values{graph.add(v[0], graph.int_splat(kI64, 1)),
                            graph.add(rotated(graph, mesh, "x", v[1]), v[0])};
            });
      },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
  const auto result = run(module, "main", {{i64(1000)}, {i64(5)}}, {.num_workers = 2});
  REQUIRE(result);
  CHECK(result->outputs[0][1] == i64(1000 + 199 * 100));
  CHECK(result->outputs[1][1] == i64(5 + 199 * 100));
}

TEST_CASE("run statistics count communication and live bytes", "[simulation][run][accounting]") {
  const Mesh mesh = Mesh::make({{"x", 4}}).value();
  const Type type = Type::tensor({8}, ElementType::F32);  // 32 bytes
  const Module module = program(
      {type},
      [&](GraphBuilder& graph, const Values& args) {
        const ValueId summed = sum_along(graph, mesh, "x", args[0]);
        AttributeMap gather = along(mesh, "x");
        gather.set("dim", IntegerAttr{0});
        const ValueId all = graph.value_of(
            {.kind = OpKind::SpmdAllGather, .operands = {summed}, .attributes = gather});
        AttributeMap shift = along(mesh, "x");
        shift.set("map", PermuteMap{.kind = PermuteMap::Kind::Shift, .numbers = {1}});
        return graph.op({.kind = OpKind::SpmdPermute, .operands = {all}, .attributes = shift});
      },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
  const std::vector<Tensors> inputs(4, Tensors{counting(ElementType::F32, {8})});
  const auto result = run(module, "main", inputs, {.num_workers = 2});
  REQUIRE(result);
  for (std::size_t device = 0; device < 4; ++device) {
    CAPTURE(device);
    const auto& account = result->devices[device];
    CHECK(account.traffic.at(OpKind::SpmdAllReduce) == Traffic{1, 2 * 32 * 3 / 4});
    CHECK(account.traffic.at(OpKind::SpmdAllGather) == Traffic{1, 32 * 3});
    // With shift(1), rank q receives from rank q + 1, so rank 0 sends nothing.
    CHECK(account.traffic.at(OpKind::SpmdPermute) == Traffic{1, device == 0 ? 0 : 128});
    CHECK(account.num_ops == 3);
    // The peak is that of the permute: its operand and its result, 128 bytes each.
    CHECK(account.peak_live_bytes == 256);
  }
}

TEST_CASE("values are freed after their last use", "[simulation][run][accounting]") {
  const Type type = Type::tensor({256}, ElementType::F32);  // 1024 bytes
  const auto peak = [&](const Body& body) {
    const auto result = run(program({type}, body), "main", {{counting(ElementType::F32, {256})}});
    REQUIRE(result);
    return result->devices[0].peak_live_bytes;
  };
  // A chain of any length needs two values at a time.
  CHECK(peak([](GraphBuilder& graph, const Values& args) {
          ValueId x = args[0];
          for (int step = 0; step < 10; ++step) x = graph.negate(x);
          return Values{x};
        }) == 2048);
  // A loop needs the carried value, the next one and a few scalars.
  CHECK(peak([&](GraphBuilder& graph, const Values& args) {
          const ValueId zero = graph.int_splat(kI32, 0);
          const ValueId limit = graph.int_splat(kI32, 5);
          const Values loop = graph.while_loop(
              {zero, args[0]},
              [&](std::span<const ValueId> v) { return Values{graph.compare(v[0], limit, "LT")}; },
              [&](std::span<const ValueId> v) {
                return Values{graph.add(v[0], graph.int_splat(kI32, 1)), graph.negate(v[1])};
              });
          return Values{loop[1]};
        }) < 2048 + 64);
  // A value with a late use stays live.
  CHECK(peak([](GraphBuilder& graph, const Values& args) {
          const ValueId x = graph.negate(args[0]);
          return Values{graph.add(graph.negate(graph.negate(x)), x)};
        }) == 3072);
}

TEST_CASE("replicated values are computed once per worker", "[simulation][run]") {
  const Mesh mesh = Mesh::make({{"x", 4}}).value();
  const Module module = program(
      {Type::tensor({2}, ElementType::F32)},
      [](GraphBuilder& graph, const Values& args) { return Values{graph.negate(args[0])}; },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
  const Tensor shared = counting(ElementType::F32, {2});
  const Tensor own = counting(ElementType::F32, {2});
  const auto result =
      run(module, "main", {{shared}, {shared}, {own}, {shared}}, {.num_workers = 1});
  REQUIRE(result);
  CHECK(result->outputs[0][0].data() == result->outputs[3][0].data());
  CHECK(result->outputs[0][0].data() != result->outputs[2][0].data());
  CHECK(result->outputs[0][0] == result->outputs[2][0]);
}

TEST_CASE("undef has the fill value of the run options", "[simulation][run][poison]") {
  const Type type = Type::tensor({2}, ElementType::I16);
  const Module module = program({}, [&](GraphBuilder& graph, const Values&) {
    return graph.op({.kind = OpKind::SpmdUndef, .result_types = {type}});
  });
  using shardy::simulation::Fill;
  const auto content = [&](Fill fill) {
    return run(module, "main", {Tensors()}, {.kernels = {.fill = fill}}).value().outputs[0][0];
  };
  CHECK(content(Fill::Zero) == vector_of(ElementType::I16, {0, 0}));
  CHECK(content(Fill::Poison) == integers(ElementType::I16, {2}, {0xA5A5, 0xA5A5}));
  CHECK(content(Fill::OtherPoison) == vector_of(ElementType::I16, {0x5A5A, 0x5A5A}));
}

TEST_CASE("the observer sees every op of every device", "[simulation][run][observer]") {
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const Module module = busy_program(Mesh::make({{"x", 2}, {"y", 2}}).value());
  std::map<int64_t, int64_t> num_events;
  std::set<std::vector<int64_t>> paths;
  RunOptions options{.num_workers = 2};
  options.observer = [&](const shardy::simulation::OpEvent& event) {
    ++num_events[event.device];
    if (module.is(event.op, OpKind::SpmdAllReduce)) {
      paths.insert({event.path.begin(), event.path.end()});
      CHECK(event.operands.size() == 1);
      CHECK(event.results.size() == 1);
    }
  };
  const std::vector<Tensors> inputs(4, Tensors{counting(ElementType::F32, {3})});
  const auto result = run(module, "main", inputs, options);
  REQUIRE(result);
  for (int64_t device = 0; device < 4; ++device) {
    CHECK(num_events[device] == result->devices[static_cast<std::size_t>(device)].num_ops);
  }
  CHECK(paths == std::set<std::vector<int64_t>>{{}, {0}, {1}, {2}});
}

// ---- Whole tensors in and out
// --------------------------------------------------------------------

/// Returns a program on 2 devices. Each device negates its shard of a tensor of 5 elements, and the
/// devices sum all elements.
Module sharded_program() {
  const Mesh mesh = Mesh::make({{"x", 2}}, {1, 0}).value();
  const Type local = Type::tensor({3}, ElementType::I32);
  Module module = program(
      {local},
      [&](GraphBuilder& graph, const Values& args) {
        // Masks the padding: elements with 3 coord + i < 5 are valid.
        const ValueId at = graph.add(
            graph.iota(Type::tensor({3}, ElementType::I64), 0),
            graph.broadcast(graph.multiply(coordinate(graph, mesh, "x"), graph.int_splat(kI64, 3)),
                            {3}));
        const ValueId inside =
            graph.compare(at, graph.int_splat(Type::tensor({3}, ElementType::I64), 5), "LT");
        const ValueId masked = graph.select(inside, args[0], graph.int_splat(local, 0));
        const ValueId sum = sum_along(graph, mesh, "x", graph.reduce_sum(masked, {0}));
        return Values{graph.negate(args[0]), sum};
      },
      [&](GraphBuilder& graph) { graph.mesh("m", mesh); });
  const auto function = *module.find_symbol("main");
  const auto sharding =
      shardy::TensorSharding::make(mesh, "m", {{{mesh.full_axis(0)}, true, std::nullopt}}).value();
  const shardy::ir::TypeAttr global{Type::tensor({5}, ElementType::I32)};
  module.function(function).arg_attributes[0].set("sdy.sharding", sharding);
  module.function(function).arg_attributes[0].set("spmd.global_type", global);
  module.function(function).result_attributes[0].set("sdy.sharding", sharding);
  module.function(function).result_attributes[0].set("spmd.global_type", global);
  return module;
}

TEST_CASE("a per-device program takes and returns global tensors", "[simulation][run][io]") {
  const Module module = sharded_program();
  CHECK(shardy::simulation::num_devices(module, *module.find_symbol("main")) == 2);
  using shardy::simulation::Fill;
  for (const Fill fill : {Fill::Zero, Fill::Poison, Fill::OtherPoison}) {
    const auto result = run_global(module, "main", std::vector{counting(ElementType::I32, {5}, 1)},
                                   {.kernels = {.fill = fill}});
    if (!result) FAIL(located_message_of(result));
    CHECK(result->outputs == Tensors{vector_of(ElementType::I32, {-1, -2, -3, -4, -5}), i32(15)});
    CHECK(result->devices.size() == 2);
  }
  CHECK(message_of(run_global(module, "main", std::vector{counting(ElementType::I32, {6})})) ==
        "input 0 must have type tensor<5xi32>");
}

}  // namespace
}  // namespace shardy_test::run_test
