// Measures the import passes, whose time must grow at most in proportion to the program.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <shardy/ir/detail/number.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/passes/pipeline.hpp>
#include <string>
#include <vector>

namespace {

using shardy::ir::Module;
using shardy::ir::OpKind;
using shardy::ir::OpSpec;
using shardy::ir::Type;
using shardy::ir::ValueId;

const Type& vector_type() {
  static const Type type = Type::tensor({64}, shardy::ir::ElementType::F32);
  return type;
}

/// Makes a program of steps. Each step has a sum with a constant that all steps share, a
/// constraint, a barrier, and a call of a function that all steps call.
class Maker {
 public:
  Maker() : mesh_(shardy::Mesh::make({{"x", 4}, {"o", 1}}).value()) {
    module_.add_mesh("mesh", mesh_);
    const std::vector<Type> types = {vector_type()};
    const auto callee = module_.add_function("f", types, types);
    module_.attributes(callee).set("sym_visibility", "private");
    module_.function(callee).result_attributes.resize(1);
    shardy::ir::Builder body(module_, module_.entry(callee));
    const ValueId arg = module_.args(module_.entry(callee))[0];
    give_back(body, body.create_value(OpKind::Negate, {arg}, vector_type()));
  }

  Module make(int64_t num_ops) {
    const std::vector<Type> types = {vector_type()};
    const auto main = module_.add_function("main", types, types);
    module_.function(main).result_attributes.resize(1);
    shardy::ir::Builder body(module_, module_.entry(main));
    shardy::ir::AttributeMap value;
    value.set("value", shardy::ir::splat_literal(vector_type(), 1.0));
    constant_ = body.create_value(OpKind::Constant, {}, vector_type(), std::move(value));
    ValueId last = module_.args(module_.entry(main))[0];
    for (int64_t ops = 0; ops < num_ops; ops += 5) last = add_block(body, last, ops);
    give_back(body, last);
    return std::move(module_);
  }

 private:
  ValueId add_block(shardy::ir::Builder& body, ValueId value, int64_t ops) {
    const ValueId sum = body.create_value(OpKind::Add, {value, constant_}, vector_type());
    shardy::ir::AttributeMap sharding;
    sharding.set("sharding", constraint_);
    const ValueId constrained =
        body.create_value(OpKind::SdyShardingConstraint, {sum}, vector_type(), std::move(sharding));
    OpSpec group{.kind = OpKind::SdyShardingGroup};
    group.operands = {constrained};
    group.attributes.set("group_id", shardy::ir::IntegerAttr{ops % 50});
    body.create(std::move(group));
    const ValueId barrier =
        body.create_value(OpKind::OptimizationBarrier, {constrained}, vector_type());
    OpSpec call{.kind = OpKind::FuncCall};
    call.operands = {barrier};
    call.result_types = {vector_type()};
    call.attributes.set("callee", shardy::ir::SymbolAttr{"f"});
    return module_.result(body.create(std::move(call)));
  }

  static void give_back(shardy::ir::Builder& body, ValueId value) {
    OpSpec spec{.kind = OpKind::FuncReturn};
    spec.operands = {value};
    body.create(std::move(spec));
  }

  shardy::Mesh mesh_;
  shardy::TensorSharding constraint_ = shardy::TensorSharding::fully_closed(mesh_, "mesh", 1);
  Module module_;
  ValueId constant_;
};

/// Passes that run before propagation. Spec: passes 7.1, 7.2.
std::vector<shardy::passes::PassCall> import_passes() {
  std::vector<shardy::passes::PassCall> calls = shardy::passes::import_pipeline();
  for (const char* name :
       {"sdy-flatten-call-graph", "symbol-dce", "sdy-import-func-calls", "symbol-dce",
        "sdy-apply-sharding-constraints", "sdy-sharding-group-import", "sdy-pre-order-funcs"}) {
    calls.push_back({name});
  }
  return calls;
}

/// Returns the seconds that the import passes take.
double run_import(const Module& program) {
  const shardy::passes::PassRegistry registry = shardy::passes::built_in_passes();
  const auto calls = import_passes();
  Module module = program;
  // Measures processor time, because the claim about growth must not depend on the load of the
  // machine.
  const std::clock_t begin = std::clock();
  benchmark::DoNotOptimize(shardy::passes::run_pipeline(module, registry, calls));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void import_program(benchmark::State& state) {
  const Module program = Maker().make(state.range(0));
  for (auto _ : state) state.SetIterationTime(run_import(program));
  state.counters["ops"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                             benchmark::Counter::kIsIterationInvariantRate);
}

/// Compares the time per op of the two programs. Claim: the ratio is at most 1.5.
void import_ratio_100k_to_1k_ops(benchmark::State& state) {
  const Module small = Maker().make(1000);
  const Module large = Maker().make(100000);
  double small_time = 0;
  double large_time = 0;
  for (auto _ : state) {
    for (int round = 0; round < 100; ++round) small_time += run_import(small);
    large_time += run_import(large);
  }
  state.counters["ratio"] = large_time / small_time;
}

}  // namespace

BENCHMARK(import_program)
    ->ArgName("ops")
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(import_ratio_100k_to_1k_ops)->Iterations(3)->Unit(benchmark::kMillisecond);
