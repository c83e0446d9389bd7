// Measures propagation, whose time per op must not grow with the program.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <shardy/propagation/ir_adapter.hpp>

#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the seconds per op of one propagation.
double time_per_op(const shardy::ir::Module& program) {
  shardy::ir::Module module = program;
  const auto begin = Clock::now();
  const auto report = shardy::propagation::propagate(module);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  benchmark::DoNotOptimize(report);
  return gone.count() / static_cast<double>(benchmarks::num_ops(program));
}

void propagate_stack(benchmark::State& state) {
  const auto program = benchmarks::transformer_stack({.num_ops = state.range(0)});
  for (auto _ : state) {
    state.SetIterationTime(time_per_op(program) *
                           static_cast<double>(benchmarks::num_ops(program)));
  }
  state.SetItemsProcessed(state.iterations() * benchmarks::num_ops(program));
}

/// Claim: the ratio is at most 1.5. The small program runs as many times as make up half the large
/// program, so that the load of the machine affects both.
void propagate_ratio(benchmark::State& state) {
  const int64_t num_large = state.range(0);
  const auto small = benchmarks::transformer_stack({.num_ops = 1000});
  const auto large = benchmarks::transformer_stack({.num_ops = num_large});
  const auto num_runs = static_cast<int>(num_large / 2000);
  double small_time = 0;
  double large_time = 0;
  for (auto _ : state) {
    for (int run = 0; run < num_runs; ++run) small_time += time_per_op(small) / num_runs;
    large_time += time_per_op(large);
  }
  state.counters["ratio"] = large_time / small_time;
}

double seconds_observed(const shardy::ir::Module& program) {
  shardy::ir::Module module = program;
  shardy::propagation::LoggingObserver logger;
  const auto begin = Clock::now();
  const auto report =
      shardy::propagation::propagate(module, shardy::propagation::PropagationOptions(), logger);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  benchmark::DoNotOptimize(report);
  return gone.count();
}

/// Measures the cost of a decision log as a ratio to propagation without a log.
void propagate_observed_ratio(benchmark::State& state) {
  const auto program = benchmarks::transformer_stack({.num_ops = state.range(0)});
  double plain = 0;
  double observed = 0;
  for (auto _ : state) {
    plain += time_per_op(program) * static_cast<double>(benchmarks::num_ops(program));
    observed += seconds_observed(program);
  }
  state.counters["ratio"] = observed / plain;
}

}  // namespace

BENCHMARK(propagate_stack)
    ->ArgName("ops")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(propagate_ratio)
    ->ArgName("ops")
    ->Arg(100000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);
BENCHMARK(propagate_observed_ratio)
    ->ArgName("ops")
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
