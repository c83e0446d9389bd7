// Common axes of the tensors of an op: the axes that Shardy chooses, and the axes of least cost.
#include "passes/export/common_axes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::passes;

namespace common_axes_test {
namespace {

/// Returns the factors of an op with this rule whose tensors have these shardings on `mesh`.
FactorAxes factors_of(const Mesh& mesh, const std::string& rule_text,
                      const std::vector<std::string>& shardings) {
  const OpShardingRule rule = parse_rule(rule_text).value();
  const propagation::FlatRule layout(rule);
  propagation::Projection projection;
  projection.reset(layout);
  FactorAxes factors{mesh, rule, {}, {}, {}};
  REQUIRE(shardings.size() == layout.num_tensors());
  for (std::size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    const UnresolvedSharding spelled = parse_sharding("<@m, " + shardings[tensor] + ">").value();
    propagation::project(layout, tensor, resolve(spelled, mesh).value(), projection);
    int64_t size = 1;
    for (const DimMapping& dim : rule.tensor(tensor).dims) {
      for (const int32_t factor : dim) size *= rule.factor_size(factor);
    }
    factors.tensor_sizes.push_back(size);
    factors.lists.emplace_back(layout.num_factors());
    factors.overflow.emplace_back(layout.num_factors());
    const auto entries = layout.tensor_entries(tensor);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      factors.lists.back()[layout.entry_factor(entry)] = projection.entries[entry].axes;
      factors.overflow.back()[layout.entry_factor(entry)] = projection.entries[entry].overflow;
    }
  }
  return factors;
}

/// Returns the axes of each factor as text: `i=a,c:(1)2 j=`.
std::string text_of(const Mesh& mesh, const std::vector<AxisList>& common) {
  std::string text;
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    if (factor != 0) text += ' ';
    text += static_cast<char>('i' + static_cast<int>(factor));
    text += '=';
    for (const AxisRef& axis : common[factor]) {
      if (text.back() != '=') text += ',';
      text += mesh.axis_name(axis.axis);
      if (mesh.is_full(axis)) continue;
      text += ":(" + std::to_string(axis.pre) + ")" + std::to_string(axis.size);
    }
  }
  return text;
}

// ---- Shardy's choice ----------------------------------------------------------------------------

struct Row {
  const char* name;
  std::vector<MeshAxis> mesh;
  const char* rule;
  std::vector<std::string> shardings;
  const char* common;
};

// The worked examples of resharding A.5.4. Rules are written with their letters in factor order.
const std::vector<Row> kRows = {
    {"A1",
     {{"a", 4}, {"b", 2}},
     "<([i, j], [i, j])->([i, j]) {i=8, j=16}>",
     {R"([{"a"}, {}])", R"([{}, {"b"}])", R"([{"b"}, {}])"},
     "i=a j=b"},
    {"A2: dot, i free of lhs, j free of rhs, k contracted",
     {{"a", 4}, {"b", 2}},
     "<([i, k], [k, j])->([i, j]) {i=8, j=16, k=64} reduction={k}>",
     {R"([{"a"}, {"b"}])", R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])"},
     "i= j=b k=a"},
    {"A3",
     {{"a", 4}, {"b", 2}, {"c", 4}},
     "<([i, k], [k, j])->([i, j]) {i=16, j=32, k=8} reduction={k}>",
     {R"([{}, {"c", "a":(2)2}])", R"([{}, {"a", "b", "c":(2)2}])", R"([{}, {"a", "b", "c":(2)2}])"},
     "i= j=a,b,c:(2)2 k=c:(1)2"},
    {"A4",
     {{"a", 4}, {"b", 2}},
     "<([i, j])->([ij]) {i=4, j=16}>",
     {R"([{"b"}, {"a"}])", R"([{"b", "a"}])"},
     "i=b,a:(1)2 j=a:(2)2"},
    {"A5",
     {{"a", 4}, {"b", 2}},
     "<([i, j])->([ij]) {i=4, j=16}>",
     {R"([{}, {"a"}])", R"([{}])"},
     "i= j="},
    {"A6: k is the first dim",
     {{"a", 4}, {"b", 2}, {"c", 4}},
     "<([k, i, j])->([k, i, j]) {i=8, j=16, k=32} need_replication={k}>",
     {R"([{"a"}, {"b"}, {}])", R"([{"c", "b"}, {}, {}])"},
     "i=b,c j= k="},
    {"A7",
     {{"a", 4}, {"b", 2}, {"c", 3}},
     "<([i, j])->([i, j]) {i=8, j=12} need_replication={j}>",
     {R"([{"b"}, {"c", "a"}])", R"([{"b"}, {}])"},
     "i=b j="},
    {"A8",
     {{"a", 4}, {"b", 2}, {"c", 4}},
     "<([i, j])->([i, j]) {i=8, j=12} permutation={j}>",
     {R"([{"a"}, {"c"}])", R"([{"b"}, {}])"},
     "i=b j="},
    {"A9",
     {{"a", 4}, {"c", 4}},
     "<([i, j])->([i, j]) {i=16, j=16}>",
     {R"([{"a"}, {}])", R"([{"c"}, {}])"},
     "i=a j="},
    {"A10",
     {{"a", 4}, {"b", 2}, {"c", 4}},
     "<([i, j], [])->([i]) {i=16, j=64} reduction={j}>",
     {R"([{"a"}, {"b"}])", "[]", R"([{"b", "c"}])"},
     "i=a j=b"},
    {"A11",
     {{"a", 4}},
     "<([i])->([i, j]) {i=16, j=64}>",
     {R"([{"a"}])", R"([{}, {"a"}])"},
     "i= j=a"},
    {"A12",
     {{"a", 4}, {"c", 4}},
     "<([i], [i])->([]) {i=16} reduction={i}>",
     {R"([{"a"}])", R"([{"c"}])", "[]"},
     "i=a"},
    {"A13",
     {{"a", 4}, {"b", 2}, {"c", 4}},
     "<([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=8, k=8, l=8} reduction={l}>",
     {R"([{"a"}, {"b"}, {}])", R"([{"a":(1)2}, {}, {"c"}])", R"([{}, {"a"}, {"c"}])"},
     "i=a j=b k=c l="},
};

}  // namespace

TEST_CASE("examples of common axes", "[passes][reshard]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      const Mesh mesh = Mesh::make(row.mesh).value();
      const FactorAxes factors = factors_of(mesh, row.rule, row.shardings);
      CHECK(text_of(mesh, common_axes(factors)) == row.common);
    }
  }
}

TEST_CASE("tensors with compatible shardings keep their axes", "[passes][reshard]") {
  const Mesh mesh = Mesh::make({{"a", 4}, {"b", 2}}).value();
  const char* dot = "<([i, k], [k, j])->([i, j]) {i=8, j=16, k=64} reduction={k}>";
  SECTION("a contraction over b") {
    const FactorAxes factors =
        factors_of(mesh, dot, {R"([{"a"}, {"b"}])", R"([{"b"}, {}])", R"([{"a"}, {}])"});
    REQUIRE(compatible_axes(factors));
    CHECK(text_of(mesh, *compatible_axes(factors)) == "i=a j= k=b");
  }
  SECTION("free dims of two operands with the same axis are a conflict") {
    const FactorAxes factors =
        factors_of(mesh, "<([i, k], [k, j])->([]) {i=8, j=16, k=64} reduction={i, j, k}>",
                   {R"([{"a"}, {}])", R"([{}, {"a"}])", "[]"});
    CHECK_FALSE(compatible_axes(factors));
    CHECK(text_of(mesh, common_axes(factors)) == "i= j=a k=");
  }
  SECTION("a need-replication factor with axes is a conflict in a single tensor") {
    const FactorAxes factors =
        factors_of(mesh, "<([i, j])->([i, j]) {i=8, j=12} need_replication={j}>",
                   {R"([{}, {"b"}])", R"([{}, {"b"}])"});
    CHECK_FALSE(compatible_axes(factors));
  }
}

// Spec: partitioning 8.18.
TEST_CASE("a lowered op moves axes of a blocked factor to other dims, also to uneven dims",
          "[passes][reshard]") {
  const Mesh mesh = Mesh::make({{"a", 4}, {"b", 2}}).value();
  const auto moved = [&](const std::string& rule, std::vector<std::string> shardings) {
    FactorAxes factors = factors_of(mesh, rule, shardings);
    factors.is_lowered = true;
    return text_of(mesh, common_axes(factors));
  };
  const auto sorted = [&](int64_t rows) {
    return moved("<([i, j])->([i, j]) {i=" + std::to_string(rows) + ", j=12} need_replication={j}>",
                 {R"([{}, {"a"}])", R"([{}, {"a"}])"});
  };
  CHECK(sorted(8) == "i=a j=");
  CHECK(sorted(5) == "i=a j=");  // shards of 2: 2 * 2 <= 5
  CHECK(sorted(2) == "i=a j=");
  CHECK(sorted(1) == "i= j=");
  CHECK(sorted(0) == "i= j=");
  // Shards of 2 of 3 rows: moving the axes there and back sends more than a gather.
  CHECK(moved("<([i, j])->([i, j]) {i=3, j=12} need_replication={j}>",
              {R"([{}, {"b"}])", R"([{}, {"b"}])"}) == "i= j=");
  // Shards of 5 and of 2 do not nest, so another dim gets the axes.
  CHECK(moved("<([i, j, k])->([i, j, k]) {i=10, j=12, k=9} need_replication={j}>",
              {R"([{"b"}, {"a"}, {}])", R"([{"b"}, {"a"}, {}])"}) == "i=b j= k=a");
  // In a system of equations, only columns of the right-hand side and of the result can get the
  // axes.
  const std::string solve = "<([i, j], [j, k])->([i, k]) {i=4, j=4, k=7} need_replication={i, j}>";
  CHECK(moved(solve, {"[{}, {}]", R"([{"a"}, {}])", R"([{"a"}, {}])"}) == "i= j= k=a");
  CHECK(moved(solve, {R"([{}, {"a"}])", R"([{"a"}, {}])", R"([{"a"}, {}])"}) == "i= j= k=a");
  // No axes, because the result would need a gather.
  CHECK(moved(solve, {"[{}, {}]", R"([{"a"}, {}])", "[{}, {}]"}) == "i= j= k=");
}

// ---- Least cost ---------------------------------------------------------------------------------

namespace {

Mesh square() { return Mesh::make({{"x", 2}, {"y", 2}}).value(); }

/// Returns a query in which the last tensor is the result and the others are operands. Elements
/// have one byte.
CommonAxesQuery common_axes_query(const Mesh& mesh, const std::string& rule_text,
                                  const std::vector<std::string>& shardings) {
  CommonAxesQuery query{parse_rule(rule_text).value(), {}, shardings.size() - 1, BoundAxes::none()};
  for (std::size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    const UnresolvedSharding spelled = parse_sharding("<@m, " + shardings[tensor] + ">").value();
    QueryTensor made{resolve(spelled, mesh).value(), {}, 1};
    for (const DimMapping& dim : query.rule.tensor(tensor).dims) {
      made.shape.push_back(dim.empty() ? 1 : query.rule.factor_size(dim.front()));
    }
    query.tensors.push_back(std::move(made));
  }
  return query;
}

struct PricedRow {
  std::string rule;
  std::vector<std::string> shardings;
  int64_t best;  // bytes of the plans of the reference
};

constexpr const char* kDot = "<([i, k], [k, j])->([i, j]) ";

// Spec: resharding C.7. The table there has the costs of reference plans; best plans cost at most
// as much.
TEST_CASE("best common axes cost less than the reference for the listed ops",
          "[passes][best_common_axes]") {
  const std::vector<PricedRow> rows = {
      {"<([i, j])->([i]) {i=8, j=64} reduction={j}>", {R"([{}, {"x"}])", R"([{"y", "x"}])"}, 2},
      {"<([i, j])->([i]) {i=8, j=64} reduction={j}>", {R"([{}, {"x"}])", R"([{"y"}])"}, 4},
      {"<([i, j], [i, j])->([i, j]) {i=8, j=8}>",
       {R"([{}, {"x"}])", R"([{"y"}, {}])", R"([{"x"}, {"y"}])"},
       16},
      {kDot + std::string("{i=4, j=64, k=64} reduction={k}>"),
       {R"([{"x"}, {}])", "[{}, {}]", R"([{}, {"y", "x"}])"},
       32},
      {kDot + std::string("{i=64, j=64, k=4} reduction={k}>"),
       {"[{}, {}]", R"([{"x", "y"}, {}])", "[{}, {}]"},
       3120},
      {kDot + std::string("{i=4, j=4, k=64} reduction={k}>"),
       {R"([{}, {"x", "y"}])", R"([{}, {"x", "y"}])", R"([{"y", "x"}, {}])"},
       60},
      {"<([i, j])->([i, j]) {i=8, j=8}>", {R"([{"x", "y"}, {}])", R"([{}, {"y", "x"}])"}, 16},
  };
  for (const PricedRow& row : rows) {
    const Mesh mesh = square();
    const CommonAxesQuery query = common_axes_query(mesh, row.rule, row.shardings);
    const std::vector<AxisList> reference = common_axes(factors_of(mesh, row.rule, row.shardings));
    PricedPlanner planner(PlanKind::Best);
    CAPTURE(row.rule, row.shardings, text_of(mesh, reference));
    const std::vector<AxisList> best = best_common_axes(query, reference, planner);
    CAPTURE(text_of(mesh, best));
    CHECK(common_axes_cost(query, best, planner).bytes <= row.best);
  }
}

/// Checks whether a dim of the factor is sharded along the axes, or along these and minor ones.
bool is_major_part(const CommonAxesQuery& query, int32_t factor, const AxisList& axes) {
  for (std::size_t tensor = 0; tensor < query.tensors.size(); ++tensor) {
    for (std::size_t dim = 0; dim < query.tensors[tensor].shape.size(); ++dim) {
      const auto& factors = query.rule.tensor(tensor).dims[dim];
      const AxisList& have = query.tensors[tensor].sharding.dim(dim).axes;
      const bool begins =
          have.size() >= axes.size() && std::equal(axes.begin(), axes.end(), have.begin());
      if (begins && !factors.empty() && factors.front() == factor) return true;
    }
  }
  return false;
}

/// Returns the least seconds and bytes of all axes of the tensors with at least `shards` shards.
std::pair<double, int64_t> least_price(const CommonAxesQuery& query, int64_t shards,
                                       PricedPlanner& planner) {
  const Mesh mesh = square();
  const AxisRef x = mesh.full_axis(0);
  const AxisRef y = mesh.full_axis(1);
  const std::vector<AxisList> lists = {{}, {x}, {y}, {x, y}, {y, x}};
  const auto num_factors = static_cast<std::size_t>(query.rule.num_factors());
  std::size_t count = 1;
  for (std::size_t factor = 0; factor < num_factors; ++factor) count *= lists.size();
  std::pair<double, int64_t> least(std::numeric_limits<double>::infinity(), 0);
  for (std::size_t number = 0; number < count; ++number) {
    std::vector<AxisList> common;
    AxisList used;
    bool divides = true;
    int64_t all = 1;
    for (std::size_t rest = number; common.size() < num_factors; rest /= lists.size()) {
      const auto factor = static_cast<int32_t>(common.size());
      common.push_back(lists[rest % lists.size()]);
      used.insert(used.end(), common.back().begin(), common.back().end());
      divides = divides && (query.rule.factor_size(factor) % sharding_size(common.back()) == 0 ||
                            is_major_part(query, factor, common.back()));
      all *= sharding_size(common.back());
    }
    const bool repeats = std::ranges::count(used, x) > 1 || std::ranges::count(used, y) > 1;
    if (repeats || !divides || all < shards) continue;
    const StepCost cost = common_axes_cost(query, common, planner);
    least = std::min(least, std::pair(cost.seconds, cost.bytes));
  }
  return least;
}

TEST_CASE("best common axes cost least and compute at least as much in parallel as the reference",
          "[passes][best_common_axes][law]") {
  const Mesh mesh = square();
  const std::vector<std::string> vectors = {"{}", R"({"x"})", R"({"y"})", R"({"x", "y"})",
                                            R"({"y", "x"})"};
  std::vector<std::string> matrices;
  for (const std::string& rows : vectors) {
    for (const std::string& columns : vectors) {
      const auto has = [](const std::string& text, const char* axis) {
        return text.find(axis) != std::string::npos;
      };
      if ((has(rows, "x") && has(columns, "x")) || (has(rows, "y") && has(columns, "y"))) continue;
      matrices.push_back("[" + rows + ", " + columns + "]");
    }
  }
  REQUIRE(matrices.size() == 11);
  const auto rings = parse_cost_model("x=ring:100GB/s:1us, y=full:300GB/s:2us");
  REQUIRE(rings);
  PricedPlanner equal_links(PlanKind::Best);
  PricedPlanner different_links(PlanKind::Best, {.model = *rings});
  const auto parallel = [](const std::vector<AxisList>& common) {
    int64_t shards = 1;
    for (const AxisList& list : common) shards *= sharding_size(list);
    return shards;
  };
  for (const std::string& rule : {std::string("<([i, j], [i, j])->([i, j]) {i=8, j=8}>"),
                                  kDot + std::string("{i=8, j=8, k=8} reduction={k}>"),
                                  kDot + std::string("{i=8, j=8, k=16} reduction={k}>"),
                                  kDot + std::string("{i=6, j=5, k=8} reduction={k}>")}) {
    for (const std::string& lhs : matrices) {
      for (const std::string& rhs : matrices) {
        for (const std::string& result : matrices) {
          const std::vector<std::string> shardings = {lhs, rhs, result};
          const CommonAxesQuery query = common_axes_query(mesh, rule, shardings);
          const std::vector<AxisList> reference = common_axes(factors_of(mesh, rule, shardings));
          for (PricedPlanner* planner : {&equal_links, &different_links}) {
            const std::vector<AxisList> best = best_common_axes(query, reference, *planner);
            CAPTURE(rule, shardings, text_of(mesh, reference), text_of(mesh, best));
            const StepCost cost = common_axes_cost(query, best, *planner);
            const StepCost unchanged = common_axes_cost(query, reference, *planner);
            REQUIRE(std::pair(cost.seconds, cost.bytes) ==
                    std::min(std::pair(unchanged.seconds, unchanged.bytes),  // it may pad
                             least_price(query, parallel(reference), *planner)));
            REQUIRE(parallel(best) >= parallel(reference));
          }
        }
      }
    }
  }
}

/// Returns a planner that has plans for no reshards but those of `allowed`.
PricedPlanner planner_for(std::set<std::pair<TensorSharding, TensorSharding>> allowed) {
  return PricedPlanner(PlanMaker([allowed](const TensorSize& tensor, const TensorSharding& from,
                                           const TensorSharding& to,
                                           const BoundAxes&) -> Result<std::vector<ReshardStep>> {
    if (from != to && !allowed.contains({from, to})) return fail("no plan");
    return plan_reshard(tensor.shape, from, to);
  }));
}

TEST_CASE("axes whose reshards have no plan are not chosen", "[passes][best_common_axes]") {
  const Mesh mesh = square();
  const std::string rule = "<([i, j], [i, j])->([i, j]) {i=8, j=8}>";
  const std::vector<std::string> shardings = {R"([{}, {"x"}])", R"([{"y"}, {}])",
                                              R"([{"x"}, {"y"}])"};
  const CommonAxesQuery query = common_axes_query(mesh, rule, shardings);
  const std::vector<AxisList> reference = common_axes(factors_of(mesh, rule, shardings));
  std::set<std::pair<TensorSharding, TensorSharding>> needed;
  PricedPlanner recorder(PlanMaker([&](const TensorSize& tensor, const TensorSharding& from,
                                       const TensorSharding& to, const BoundAxes&) {
    needed.emplace(from, to);
    return plan_reshard(tensor.shape, from, to);
  }));
  const StepCost cost = common_axes_cost(query, reference, recorder);
  PricedPlanner all(PlanKind::Best);
  REQUIRE(best_common_axes(query, reference, all) != reference);
  PricedPlanner few = planner_for(needed);
  CHECK(best_common_axes(query, reference, few) == reference);
  CHECK(common_axes_cost(query, reference, few).bytes == cost.bytes);
}

TEST_CASE("a reshape whose reshard has no plan has the highest cost", "[passes]") {
  const CommonAxesQuery query = common_axes_query(square(), "<([i, j])->([i, j]) {i=8, j=8}>",
                                                  {R"([{"x"}, {}])", R"([{"x"}, {}])"});
  const explicit_reshards::ReshapeSides sides{
      .operand = query.tensors[0].sharding.fully_closed_like(), .result = std::nullopt};
  PricedPlanner none = planner_for({});
  PricedPlanner best(PlanKind::Best);
  CHECK(explicit_reshards::reshape_cost(query, sides, best).bytes < 64);
  CHECK(explicit_reshards::reshape_cost(query, sides, none).bytes == INT64_MAX);
  CHECK(explicit_reshards::reshape_cost(query, {}, none).bytes == 0);
}

TEST_CASE("ops whose lowering communicates keep the reference common axes",
          "[passes][best_common_axes]") {
  const Mesh mesh = square();
  const std::vector<std::string> shardings = {R"([{"x"}, {}])", R"([{}, {"y"}])"};
  PricedPlanner planner(PlanKind::Best);
  for (const char* rule : {"<([i, j])->([i, j]) {i=8, j=8} permutation={j}>"}) {
    const std::vector<AxisList> reference = common_axes(factors_of(mesh, rule, shardings));
    CHECK(best_common_axes(common_axes_query(mesh, rule, shardings), reference, planner) ==
          reference);
  }
}

}  // namespace

}  // namespace common_axes_test
