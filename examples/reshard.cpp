// Finds the cheapest collectives between two shardings without a program, for compilers with
// another IR. Needs only the header-only layers.
#include <fmt/core.h>

#include <cstdint>
#include <shardy/algebra.hpp>
#include <shardy/resharding.hpp>
#include <vector>

using namespace shardy;

// [reshard]
Result<ReshardComparison> compare() {
  SHARDY_TRY(const Mesh mesh, parse_mesh(R"(<["x"=2, "y"=3, "z"=2]>)"));
  SHARDY_TRY(const UnresolvedSharding from, parse_sharding(R"(<@mesh, [{"x"}, {"y"}]>)"));
  SHARDY_TRY(const UnresolvedSharding to, parse_sharding(R"(<@mesh, [{"y", "z"}, {}]>)"));
  SHARDY_TRY(const TensorSharding start, resolve(from, mesh));
  SHARDY_TRY(const TensorSharding end, resolve(to, mesh));
  BestPlanOptions options;
  SHARDY_TRY(options.model, parse_cost_model("*=full:100GB/s:1us"));
  const std::vector<int64_t> shape = {2400, 2400};
  return compare_reshards({.shape = shape, .element_bytes = 4}, start, end, BoundAxes::none(),
                          options);
}
// [reshard]

int main() {
  const Result<ReshardComparison> both = compare();
  if (!both) {
    fmt::print("{}\n", both.error().message);
    return 1;
  }
  fmt::print("reference: {} steps, {} bytes\n", both->reference.size(), both->reference_cost.bytes);
  fmt::print("best: {} bytes, no plan sends less than {}\n", both->best_cost.bytes,
             both->least_bytes);
  for (const ReshardStep& step : both->best.steps) fmt::print("  {}\n", to_string(step));
  return 0;
}
