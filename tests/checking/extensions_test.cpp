// Extensions that the caller gives, from propagation to collectives. With any choice the program
// must compute the same results. An invalid choice must end in an error.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/propagation/problem.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/detail/hash.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::Context;
using passes::CommonAxesQuery;
using Steps = std::vector<ReshardStep>;

namespace extensions_test {
namespace {

/// Gathers all dims, then slices the wanted dims.
Result<Steps> by_way_of_whole(const TensorSize& tensor, const TensorSharding& from,
                              const TensorSharding& to, const BoundAxes&) {
  const TensorSharding whole = from.fully_closed_like();
  SHARDY_TRY(Steps steps, plan_reshard(tensor.shape, from, whole));
  const TensorSharding there = steps.empty() ? from : steps.back().out;
  SHARDY_TRY(const Steps rest, plan_reshard(tensor.shape, there, to));
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

/// Returns axes that depend only on the query, and that need not be cheap.
std::vector<AxisList> any_axes(const CommonAxesQuery& query, std::span<const AxisList> reference) {
  std::size_t hash = reference.size();
  for (const AxisList& list : reference) hash = hash_of(hash, hash_range(list));
  const Mesh& mesh = query.tensors.front().sharding.mesh();
  std::vector<AxisList> common(reference.size());
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const std::size_t factor = hash_of(hash, axis) % common.size();
    const auto index = static_cast<int32_t>(factor);
    const int64_t shards = sharding_size(common[factor]) * mesh.axis_size(axis);
    const bool fits = query.rule.factor_kind(index) != FactorKind::NeedReplication &&
                      query.rule.factor_size(index) % shards == 0;
    if (fits) common[factor].push_back(mesh.full_axis(axis));
  }
  return common;
}

propagation::PropagationExtensions contrary_propagation() {
  propagation::PropagationExtensions extensions;
  extensions.resolve_conflicts = [](const propagation::ConflictQuery& query) {
    const std::vector<std::size_t> order = default_conflict_order(query);
    return std::vector<std::size_t>(order.rbegin(), order.rend());
  };
  extensions.compatible_axes = [](const propagation::FactorQuery& query) {
    AxisList longest;
    for (const uint32_t entry : query.layout.factor_entries(query.factor)) {
      const AxisList& axes = query.projection.entries[entry].axes;
      if (axes.size() > longest.size()) longest = axes;
    }
    return longest;
  };
  extensions.op_priorities.direction = [](const propagation::LevelQuery& query) {
    return query.level == propagation::kLastLevel ? propagation::Direction::Both
                                                  : propagation::Direction::Backward;
  };
  extensions.user_priorities = [](std::span<const int64_t> ascending) {
    return std::vector<int64_t>(ascending.rbegin(), ascending.rend());
  };
  return extensions;
}

Context contrary() {
  Context context;
  context.extensions.propagation = contrary_propagation();
  context.extensions.plan_reshard = by_way_of_whole;
  context.extensions.common_axes = any_axes;
  return context;
}

int64_t bytes_of(const checking::SweepReport& report) {
  int64_t bytes = 0;
  for (const auto& [kind, traffic] : report.collectives) bytes += traffic.bytes_sent;
  return bytes;
}

}  // namespace

TEST_CASE("sharded random programs equal unsharded ones under random extension choices",
          "[checking][extensions][differential]") {
  int64_t num_other_traffic = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const checking::RandomProgram random = checking::random_program(seed);
    const checking::CaseSweepOptions options{.cases = 4, .seed = seed};
    const auto plain = checking::sweep(random.module, random.inputs, options);
    const auto report = checking::sweep(random.module, random.inputs, options, contrary());
    INFO((report ? std::string() : report.error().message));
    REQUIRE(plain);
    REQUIRE(report);
    INFO((report->failure
              ? report->failure->difference + shardy_test::text_of(report->failure->errors) +
                    text::to_mlir(report->failure->program)
              : std::string()));
    CHECK(report->passed());
    num_other_traffic += bytes_of(*report) != bytes_of(*plain) ? 1 : 0;
  }
  CHECK(num_other_traffic > 10);
}

namespace {

constexpr const char* kProgram = R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
)";

/// Returns the error of the check under these extensions; an empty text if the results are equal.
std::string error_of(passes::Extensions extensions) {
  const ir::Module module = text::parse_mlir(kProgram).value();
  Context context;
  context.extensions = std::move(extensions);
  const auto report =
      checking::check(module, checking::random_inputs(module, 1).value(), {}, context);
  if (!report) return report.error().front().message;
  return report->equal() ? "" : "differs";
}

std::string error_of_plan(PlanMaker maker) { return error_of({.plan_reshard = std::move(maker)}); }

std::string error_of_axes(std::vector<AxisList> axes) {
  return error_of(
      {.common_axes = [axes](const CommonAxesQuery&, std::span<const AxisList>) { return axes; }});
}

}  // namespace

TEST_CASE("invalid reshard plans of an extension are errors", "[checking][extensions]") {
  CHECK(error_of_plan(by_way_of_whole).empty());
  const std::string no_plan = "extension 'plan_reshard' returned an invalid plan: ";
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding&, const TensorSharding&,
                         const BoundAxes&) {
          return Result<Steps>(Steps());
        }).starts_with(no_plan + "the plan ends at "));
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding& from, const TensorSharding& to,
                         const BoundAxes&) {
          return Result<Steps>(
              Steps{{.kind = StepKind::AllGather, .dim_axes = AxisLists(from.rank()), .out = to}});
        }).starts_with(no_plan + "step 0: "));
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding&, const TensorSharding& to,
                         const BoundAxes&) {
          return Result<Steps>(Steps{{.kind = static_cast<StepKind>(77), .out = to}});
        }) == no_plan + "step 0 has an unknown kind");
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding& from, const TensorSharding&,
                         const BoundAxes&) {
          const Mesh other = Mesh::make({{"z", 8}}).value();
          return Result<Steps>(
              Steps{{.out = TensorSharding::fully_closed(other, "mesh", from.rank())}});
        }) == no_plan + "step 0 leaves the mesh");
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding& from, const TensorSharding& to,
                         const BoundAxes&) {
          return Result<Steps>(Steps{{.kind = StepKind::AllReduce,
                                      .dim_axes = {},
                                      .axes = {{5, 1, 2}},
                                      .out = from.rank() == 2 ? from : to}});
        }).starts_with(no_plan + "step 0: "));
  CHECK(error_of_plan([](const TensorSize&, const TensorSharding&, const TensorSharding&,
                         const BoundAxes&) { return Result<Steps>(fail("not today")); }) ==
        "not today");
}

TEST_CASE("invalid common axes of an extension are errors", "[checking][extensions]") {
  CHECK(error_of({.common_axes = any_axes}).empty());
  CHECK(error_of_axes({{}, {}}).empty());
  const std::string answers = "'stablehlo.add' op extension 'common_axes' returned ";
  CHECK(error_of_axes({}) == answers + "0 lists for 2 factors");
  CHECK(error_of_axes({{{0, 1, 2}}, {{0, 1, 2}}}).starts_with(answers + "duplicate axis ref"));
  CHECK(error_of_axes({{{9, 1, 2}}, {}}).starts_with(answers + "axis index out of range: 9"));
  CHECK(error_of_axes({{{0, 1, 2}, {1, 1, 4}, {1, 1, 4}}, {}}).starts_with(answers));
}

TEST_CASE("an empty result of a propagation extension is an error", "[checking][extensions]") {
  passes::Extensions extensions;
  extensions.propagation.resolve_conflicts = [](const propagation::ConflictQuery&) {
    return std::vector<std::size_t>();
  };
  CHECK(error_of(extensions).starts_with("extension 'resolve_conflicts' of propagation returned "));
}

}  // namespace extensions_test
