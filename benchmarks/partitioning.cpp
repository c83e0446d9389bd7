// Lowering: its time must not grow with the number of devices.
#include <benchmark/benchmark.h>

#include <chrono>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/built_in.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/ir_adapter.hpp>

#include "transformer_stack.hpp"

namespace {

using Clock = std::chrono::steady_clock;

shardy::ir::Module propagated_stack(int64_t devices) {
  const int64_t model = devices >= 65536 ? 256 : 4;
  auto module = benchmarks::transformer_stack(
      {.num_ops = 2000, .batch_devices = devices / model, .model_devices = model});
  benchmark::DoNotOptimize(shardy::propagation::propagate(module));
  return module;
}

/// Seconds from a propagated program to the per-device program.
double lower(const shardy::ir::Module& propagated) {
  const shardy::passes::PassRegistry registry = shardy::passes::built_in_passes();
  shardy::ir::Module module = propagated;
  const auto begin = Clock::now();
  benchmark::DoNotOptimize(
      shardy::passes::run_pipeline(module, registry, shardy::passes::lowering_pipeline()));
  const auto result = shardy::partitioning::partition(module);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  benchmark::DoNotOptimize(result);
  return gone.count();
}

void lower_stack(benchmark::State& state) {
  const auto program = propagated_stack(state.range(0));
  for (auto _ : state) state.SetIterationTime(lower(program));
}

/// Claim: at most 1.2.
void lower_ratio_65536_to_8_devices(benchmark::State& state) {
  const auto few = propagated_stack(8);
  const auto many = propagated_stack(65536);
  double few_time = 0;
  double many_time = 0;
  for (auto _ : state) {
    few_time += lower(few);
    many_time += lower(many);
  }
  state.counters["ratio"] = many_time / few_time;
}

}  // namespace

BENCHMARK(lower_stack)
    ->ArgName("devices")
    ->Arg(8)
    ->Arg(65536)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lower_ratio_65536_to_8_devices)->Unit(benchmark::kMillisecond)->Iterations(10);
