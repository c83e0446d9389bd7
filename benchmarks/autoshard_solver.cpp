// Measures the solver that picks one strategy per node, on instances of a contest and on a chain of
// layers.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <shardy/autoshard/problem.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace shardy::autoshard;

void report(benchmark::State& state, const NetworkSolution& solution) {
  state.counters["price"] = static_cast<double>(solution.price_fs);
  state.counters["bound"] = static_cast<double>(solution.bound_fs);
  state.counters["sweeps"] = static_cast<double>(solution.sweeps);
}

/// Solves a file of the unpacked folder SHARDY_CONTEST. Best known prices: example 445, B 532,843,
/// G 217,039. Claims: example 445, B 532,844, G 217,039, each in 60 s.
void contest(benchmark::State& state, const std::string& name) {
  const char* folder = std::getenv("SHARDY_CONTEST");
  std::ifstream file(std::string(folder != nullptr ? folder : ".") + "/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  const auto network = read_problem(text.str());
  if (!network) {
    state.SkipWithError("SHARDY_CONTEST is not the folder with the unpacked instances");
    return;
  }
  NetworkSolution solution;
  for (auto _ : state) solution = solve(*network, {}).value();
  report(state, solution);
}
BENCHMARK_CAPTURE(contest, example, "example")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(contest, B, "B")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(contest, G, "G")->Unit(benchmark::kMillisecond);

/// Makes a chain that resembles a program. Each node has 8 choices and edges to the node before and
/// to an earlier node, and is live for 12 time points.
CostNetwork chain(int32_t nodes) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::size_t count, uint64_t most) {
    std::vector<int64_t> values(count);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % most);
    return values;
  };
  CostNetworkBuilder builder;
  for (int32_t node = 0; node < nodes; ++node) {
    builder.add_node(draw(8, 1000));
    builder.add_usage(node, node, node + 12, draw(8, 100));
    for (const int32_t back : {1, 5}) {
      if (node >= back)
        builder.add_edge(node - back, node, builder.add_table(8, 8, draw(64, 1000)));
    }
  }
  return builder.take();
}

/// Solves a chain with a limit on the bytes at each time point. The last argument is the limit.
/// Claim: a choice for 35,000 nodes in 60 s.
void chain_within_limit(benchmark::State& state) {
  CostNetwork network = chain(static_cast<int32_t>(state.range(0)));
  network.limit = state.range(1);
  SolveOptions options;
  options.effort = state.range(0) > 10'000 ? 20 : 400;
  NetworkSolution solution;
  for (auto _ : state) solution = solve(network, options).value();
  report(state, solution);
}
BENCHMARK(chain_within_limit)
    ->Args({250, INT64_MAX})
    ->Args({250, 500})
    ->Args({35'000, 500})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
