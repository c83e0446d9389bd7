// Measures the algebra layer: relations of axis refs in nanoseconds, and parsing and printing in
// bytes per second.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <vector>

namespace {

using shardy::AxisRef;

/// Returns all sub-axes of two axes of size 64 and 24.
std::vector<AxisRef> some_refs() {
  std::vector<AxisRef> refs;
  for (const int64_t n : {64, 24}) {
    for (int64_t pre = 1; pre <= n; ++pre) {
      for (int64_t size = 2; pre * size <= n; ++size) {
        if (n % (pre * size) == 0) refs.push_back({n == 64 ? 0 : 1, pre, size});
      }
    }
  }
  return refs;
}

/// The counter `per_call` is the time of one call.
template <class Relation>
void relation_of_refs(benchmark::State& state, Relation relation) {
  const std::vector<AxisRef> refs = some_refs();
  for (auto _ : state) {
    for (const AxisRef& a : refs) {
      for (const AxisRef& b : refs) benchmark::DoNotOptimize(relation(a, b));
    }
  }
  const auto pairs = static_cast<int64_t>(refs.size() * refs.size());
  state.SetItemsProcessed(state.iterations() * pairs);
  state.counters["per_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * pairs),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const std::string kSharding =
    R"(<@mesh, [{"data", "model":(1)2, ?}p1, {}, {"model":(4)2}], replicated={"x"}, unreduced={"y"}>)";

shardy::TensorSharding some_sharding() {
  const auto mesh = shardy::Mesh::make({{"data", 16}, {"model", 8}, {"x", 2}, {"y", 4}}).value();
  return shardy::resolve(shardy::parse_sharding(kSharding).value(), mesh).value();
}

void parse_sharding(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(shardy::parse_sharding(kSharding));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kSharding.size()));
}

void parse_and_resolve_sharding(benchmark::State& state) {
  const shardy::Mesh mesh = some_sharding().mesh();
  for (auto _ : state) {
    benchmark::DoNotOptimize(shardy::resolve(*shardy::parse_sharding(kSharding), mesh));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kSharding.size()));
}

void print_sharding(benchmark::State& state) {
  const shardy::TensorSharding sharding = some_sharding();
  for (auto _ : state) benchmark::DoNotOptimize(to_string(sharding));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(to_string(sharding).size()));
}

void parse_hlo_sharding(benchmark::State& state) {
  const std::string text = "{devices=[16,1,2,8]<=[8,16,2]T(1,2,0) last_tile_dim_replicate}";
  for (auto _ : state) benchmark::DoNotOptimize(shardy::parse_hlo_sharding(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void local_shape(benchmark::State& state) {
  const shardy::TensorSharding sharding = some_sharding();
  const std::vector<int64_t> shape = {1000, 30, 77};
  for (auto _ : state) benchmark::DoNotOptimize(sharding.local_shape(shape));
}

void device_slice(benchmark::State& state) {
  const shardy::TensorSharding sharding = some_sharding();
  const std::vector<int64_t> shape = {1000, 30, 77};
  int64_t position = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(shardy::device_slice(sharding, shape, position));
    position = (position + 1) % sharding.mesh().num_devices();
  }
}

}  // namespace

BENCHMARK_CAPTURE(relation_of_refs, overlaps,
                  [](const AxisRef& a, const AxisRef& b) { return shardy::overlaps(a, b); });
BENCHMARK_CAPTURE(relation_of_refs, contains,
                  [](const AxisRef& a, const AxisRef& b) { return shardy::contains(a, b); });
BENCHMARK_CAPTURE(relation_of_refs, prefix_of,
                  [](const AxisRef& a, const AxisRef& b) { return shardy::prefix_of(a, b); });
BENCHMARK_CAPTURE(relation_of_refs, can_coexist,
                  [](const AxisRef& a, const AxisRef& b) { return shardy::can_coexist(a, b); });
BENCHMARK(parse_sharding);
BENCHMARK(parse_and_resolve_sharding);
BENCHMARK(print_sharding);
BENCHMARK(parse_hlo_sharding);
BENCHMARK(local_shape);
BENCHMARK(device_slice);
