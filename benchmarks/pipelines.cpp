// Measures the pass pipelines, whose time per op must not grow with the program.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/ir_adapter.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <vector>

#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using shardy::ir::Module;
using shardy::passes::PassCall;

/// Returns the seconds that the passes take on a copy of the program. Fails the benchmark if the
/// passes fail.
double time_of(benchmark::State& state, const Module& program, const std::vector<PassCall>& calls) {
  static const auto registry = shardy::passes::built_in_passes();
  Module module = program;
  const auto begin = Clock::now();
  const auto errors = shardy::passes::run_pipeline(module, registry, calls);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  if (!errors.empty()) state.SkipWithError(errors.front().message.c_str());
  return gone.count();
}

Module stack(int64_t num_ops) { return benchmarks::transformer_stack({.num_ops = num_ops}); }

Module propagated(int64_t num_ops) {
  Module module = stack(num_ops);
  benchmark::DoNotOptimize(shardy::propagation::propagate(module));
  return module;
}

std::vector<PassCall> with_collectives() {
  return shardy::passes::export_pipeline({.enable_insert_explicit_collectives = true});
}

/// Compares the time per op for 100k and 1k ops. Claim: the ratio is at most 1.5.
void ratio(benchmark::State& state, const Module& small, const Module& large,
           const std::vector<PassCall>& calls) {
  const auto per_op = [&](const Module& program) {
    return time_of(state, program, calls) / static_cast<double>(benchmarks::num_ops(program));
  };
  double small_time = 0;
  double large_time = 0;
  for (auto _ : state) {
    // Runs the small program as many times as make up the large one, so that the load of the
    // machine affects both.
    for (int run = 0; run < 20; ++run) small_time += per_op(small) / 20;
    large_time += per_op(large);
  }
  state.counters["ratio"] = large_time / small_time;
}

void export_ratio_100k_to_1k(benchmark::State& state) {
  ratio(state, propagated(1000), propagated(100000), with_collectives());
}

void propagation_pipeline_ratio_100k_to_1k(benchmark::State& state) {
  ratio(state, stack(1000), stack(100000), shardy::passes::propagation_pipeline());
}

/// Compares the whole pipeline with its propagation pass, which starts from the program that the
/// earlier passes give. Claim: the ratio is at most 2.
void propagation_pipeline_to_propagation(benchmark::State& state) {
  const std::vector<PassCall> calls = shardy::passes::propagation_pipeline();
  const auto propagate = std::ranges::find(calls, "sdy-user-priority-propagate", &PassCall::name);
  const Module program = stack(10000);
  Module imported = program;
  const auto registry = shardy::passes::built_in_passes();
  benchmark::DoNotOptimize(
      shardy::passes::run_pipeline(imported, registry, {calls.begin(), propagate}));
  double pipeline = 0;
  double alone = 0;
  for (auto _ : state) {
    pipeline += time_of(state, program, calls);
    alone += time_of(state, imported, {*propagate});
  }
  state.counters["ratio"] = pipeline / alone;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Measures the propagation pass, the whole pipeline and printing. Each time is a ratio to the time
/// for parsing the same program in the same run.
void ratios_to_parsing(benchmark::State& state) {
  const std::string text = shardy::text::to_mlir(benchmarks::transformer_stack(
      {.num_ops = state.range(0), .has_own_weights = state.range(1) != 0}));
  double parse = 0;
  double pass = 0;
  double pipeline = 0;
  double print = 0;
  for (auto _ : state) {
    const auto begin = Clock::now();
    const auto program = shardy::text::parse_mlir(text);
    parse += seconds_since(begin);
    if (!program) return state.SkipWithError("the program does not parse");
    pass += time_of(state, *program, {{"sdy-user-priority-propagate"}});
    pipeline += time_of(state, *program, shardy::passes::propagation_pipeline());
    const auto printing = Clock::now();
    benchmark::DoNotOptimize(shardy::text::to_mlir(*program));
    print += seconds_since(printing);
  }
  state.counters["pass"] = pass / parse;
  state.counters["pipeline"] = pipeline / parse;
  state.counters["print"] = print / parse;
}

}  // namespace

BENCHMARK(export_ratio_100k_to_1k)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(propagation_pipeline_ratio_100k_to_1k)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(propagation_pipeline_to_propagation)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(ratios_to_parsing)
    ->ArgNames({"ops", "own_weights"})
    ->Args({100000, 0})
    ->Args({100000, 1})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
