// Measures how long the best reshard plan takes, for a new planner and for a planner that kept the
// plan.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <shardy/resharding/best_plan.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace shardy;
using Clock = std::chrono::steady_clock;

Mesh make_mesh(const std::vector<int64_t>& sizes) {
  std::vector<MeshAxis> axes;
  for (const int64_t size : sizes) {
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), size});
  }
  return Mesh::make(std::move(axes)).value();
}

/// Returns a sharding along random sub-axes of size 2. Each sub-axis shards a random dim or none.
TensorSharding random_sharding(const Mesh& mesh, std::size_t rank, std::mt19937_64& random) {
  AxisList parts;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    for (int64_t pre = 1; pre < mesh.axis_size(axis); pre *= 2) parts.push_back({axis, pre, 2});
  }
  std::shuffle(parts.begin(), parts.end(), random);
  std::vector<AxisList> lists(rank);
  for (const AxisRef& part : parts) {
    const std::size_t dim = random() % (rank + 1);
    if (dim < rank) append_or_merge(lists[dim], part);
  }
  return TensorSharding::closed({mesh, "m"}, std::move(lists));
}

/// Measures the microseconds of each of 2000 plans. The counters are the median and the 99th
/// percentile. Claims: the median is at most 1000 for a new planner, and at most 20 if the plan was
/// kept.
void plan_pairs(benchmark::State& state, const std::vector<int64_t>& sizes, bool keep) {
  const Mesh mesh = make_mesh(sizes);
  const std::vector<int64_t> shape = {int64_t{1} << 14, int64_t{1} << 14};
  std::mt19937_64 random(1);
  std::vector<std::pair<TensorSharding, TensorSharding>> pairs;
  for (int pair = 0; pair < 2000; ++pair) {
    pairs.emplace_back(random_sharding(mesh, 2, random), random_sharding(mesh, 2, random));
  }
  ReshardPlanner planner(PlanKind::Best);
  if (keep) {
    for (const auto& [from, to] : pairs)
      benchmark::DoNotOptimize(planner.plan({shape, 4}, from, to, BoundAxes::none()));
  }
  std::vector<double> times;
  for (auto _ : state) {
    for (const auto& [from, to] : pairs) {
      const auto begin = Clock::now();
      if (keep) {
        benchmark::DoNotOptimize(planner.plan({shape, 4}, from, to, BoundAxes::none()));
      } else {
        benchmark::DoNotOptimize(plan_best_reshard({shape, 4}, from, to, BoundAxes::none()));
      }
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
  std::sort(times.begin(), times.end());
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["p99_us"] = times[times.size() * 99 / 100];
}

/// Claim: the plans take less than a second.
void plan_program(benchmark::State& state) {
  const Mesh mesh = make_mesh({16, 16, 2});
  const std::vector<int64_t> shape = {int64_t{1} << 14, int64_t{1} << 14, 64};
  for (auto _ : state) {
    std::mt19937_64 random(1);
    ReshardPlanner planner(PlanKind::Best);
    for (int reshard = 0; reshard < 10000; ++reshard) {
      const TensorSharding from = random_sharding(mesh, 3, random);
      benchmark::DoNotOptimize(
          planner.plan({shape, 4}, from, random_sharding(mesh, 3, random), BoundAxes::none()));
    }
  }
}

}  // namespace

BENCHMARK_CAPTURE(plan_pairs, mesh_4x4_cold, {4, 4}, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_pairs, mesh_4x4_kept, {4, 4}, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_pairs, mesh_2x4x8x2_cold, {2, 4, 8, 2}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_pairs, mesh_2x4x8x2_kept, {2, 4, 8, 2}, true)->Unit(benchmark::kMillisecond);
BENCHMARK(plan_program)->Unit(benchmark::kMillisecond)->Name("reshard_10000_on_16x16x2");
