// Measures lowering, whose time must not grow with the number of devices.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/ir_adapter.hpp>

#include "sized_programs.hpp"
#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;

shardy::ir::Module propagated(shardy::ir::Module module) {
  benchmark::DoNotOptimize(shardy::propagation::propagate(module));
  return module;
}

shardy::ir::Module propagated_stack(int64_t devices, int64_t num_ops = 2000) {
  const int64_t model = devices >= 65536 ? 256 : 4;
  return propagated(benchmarks::transformer_stack(
      {.num_ops = num_ops, .batch_devices = devices / model, .model_devices = model}));
}

/// Returns the seconds from a propagated program to its per-device program.
double lower(const shardy::ir::Module& propagated) {
  const shardy::passes::PassRegistry registry = shardy::passes::built_in_passes();
  shardy::ir::Module module = propagated;
  const auto begin = Clock::now();
  benchmark::DoNotOptimize(
      shardy::passes::run_pipeline(module, registry, shardy::passes::lowering_pipeline()));
  const auto result = shardy::partitioning::partition(module);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  benchmark::DoNotOptimize(result);
  if (!result) std::abort();
  return gone.count();
}

void lower_stack(benchmark::State& state) {
  const auto program = propagated_stack(state.range(0));
  for (auto _ : state) state.SetIterationTime(lower(program));
}

/// Returns the ratio of the least times of two programs. The programs run alternately, so that the
/// load of the machine affects both.
double time_ratio(benchmark::State& state, const shardy::ir::Module& many,
                  const shardy::ir::Module& few) {
  double few_time = std::numeric_limits<double>::max();
  double many_time = few_time;
  for (auto _ : state) {
    few_time = std::min(few_time, lower(few));
    many_time = std::min(many_time, lower(many));
  }
  return many_time / few_time;
}

/// Claim: the ratio is at most 1.2.
void lower_ratio_65536_to_8_devices(benchmark::State& state) {
  const auto few = propagated_stack(8);
  const auto many = propagated_stack(65536);
  state.counters["ratio"] = time_ratio(state, many, few);
}

/// Claim: the ratio is at most 1.2.
void lower_ratio_of_convolutions_1048576_to_8_devices(benchmark::State& state) {
  state.counters["ratio"] = time_ratio(state, propagated(benchmarks::convolutions(1 << 20)),
                                       propagated(benchmarks::convolutions(8)));
}

/// Claim: the ratio is at most 1.2.
void lower_ratio_of_lookups_1048576_to_8_devices(benchmark::State& state) {
  state.counters["ratio"] = time_ratio(state, propagated(benchmarks::lookups(1 << 20)),
                                       propagated(benchmarks::lookups(8)));
}

/// Claim: the ratio of the times per op is at most 1.5.
void lower_ratio_per_op_100000_to_1000_ops(benchmark::State& state) {
  const auto few = propagated_stack(8, 1000);
  const auto many = propagated_stack(8, 100000);
  const double ops = static_cast<double>(benchmarks::num_ops(many)) /
                     static_cast<double>(benchmarks::num_ops(few));
  state.counters["ratio"] = time_ratio(state, many, few) / ops;
}

}  // namespace

BENCHMARK(lower_stack)
    ->ArgName("devices")
    ->Arg(8)
    ->Arg(65536)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lower_ratio_65536_to_8_devices)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(lower_ratio_of_convolutions_1048576_to_8_devices)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200);
BENCHMARK(lower_ratio_of_lookups_1048576_to_8_devices)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200);
BENCHMARK(lower_ratio_per_op_100000_to_1000_ops)->Unit(benchmark::kMillisecond)->Iterations(10);
