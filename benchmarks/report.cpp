// Measures the report of a compiled program, and the whole way from a program to its report.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>

#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using shardy::checking::CompiledProgram;

CompiledProgram compiled_stack(int64_t num_ops) {
  auto compiled = shardy::checking::compile(benchmarks::transformer_stack({.num_ops = num_ops}));
  if (!compiled) std::abort();
  return *std::move(compiled);
}

/// Returns the seconds that a report takes.
double report(const CompiledProgram& compiled) {
  const auto begin = Clock::now();
  benchmark::DoNotOptimize(shardy::report::make_report(compiled));
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Claim: the time per op is at most 1.5 times the time per op of a program with a hundredth of the
/// ops.
void report_ratio_100k_to_1k(benchmark::State& state) {
  const CompiledProgram few = compiled_stack(1000);
  const CompiledProgram many = compiled_stack(100'000);
  double few_time = std::numeric_limits<double>::max();
  double many_time = few_time;
  for (auto _ : state) {
    for (int turn = 0; turn < 5; ++turn) few_time = std::min(few_time, report(few));
    many_time = std::min(many_time, report(many));
  }
  const auto size = [](const CompiledProgram& compiled) {
    return static_cast<double>(benchmarks::num_ops(compiled.propagated));
  };
  state.counters["ratio"] = (many_time / size(many)) / (few_time / size(few));
}

/// Claims: 0.3 s for 2,000 ops, and 5 s for 100,000 ops.
void compile_and_report(benchmark::State& state) {
  const shardy::ir::Module program = benchmarks::transformer_stack({.num_ops = state.range(0)});
  for (auto _ : state) {
    const auto compiled = shardy::checking::compile(program);
    if (!compiled) std::abort();
    benchmark::DoNotOptimize(shardy::report::make_report(*compiled));
  }
}

/// Claim: 15 s for 1,000 strategies of 250 ops on 2 cores.
void sweep_strategies(benchmark::State& state) {
  const shardy::ir::Module program =
      benchmarks::transformer_stack({.num_ops = 250, .has_own_weights = true});
  const auto strategies = shardy::report::random_strategies(program, 1000, 1);
  if (!strategies) std::abort();
  int64_t measured = 0;
  shardy::report::SweepOptions options;
  options.num_threads = state.range(0);
  options.on_result = [&](const shardy::report::StrategyResult& result) {
    measured += result.is_measured() ? 1 : 0;
    return true;
  };
  for (auto _ : state) {
    measured = 0;
    if (!shardy::report::sweep(program, *strategies, options) || measured == 0) std::abort();
  }
  state.counters["ops"] = static_cast<double>(benchmarks::num_ops(program));
  state.counters["measured"] = static_cast<double>(measured);
}

}  // namespace

BENCHMARK(sweep_strategies)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(report_ratio_100k_to_1k)->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK(compile_and_report)
    ->ArgName("ops")
    ->Arg(2000)
    ->Arg(100'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
