// Propagation: time per op must not grow with the program.
#include <benchmark/benchmark.h>

#include <chrono>
#include <shardy/propagation/ir_adapter.hpp>

#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds per op of one propagation.
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

/// Claim: at most 1.5.
void propagate_ratio_100k_to_1k(benchmark::State& state) {
  const auto small = benchmarks::transformer_stack({.num_ops = 1000});
  const auto large = benchmarks::transformer_stack({.num_ops = 100000});
  double small_time = 0;
  double large_time = 0;
  for (auto _ : state) {
    // As many small runs as make up one large one, so that both see the same machine.
    for (int run = 0; run < 20; ++run) small_time += time_per_op(small) / 20;
    large_time += time_per_op(large);
  }
  state.counters["ratio"] = large_time / small_time;
}

}  // namespace

BENCHMARK(propagate_stack)
    ->ArgName("ops")
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(propagate_ratio_100k_to_1k)->Unit(benchmark::kMillisecond)->Iterations(5);
