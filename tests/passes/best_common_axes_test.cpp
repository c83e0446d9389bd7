#include <string>
#include <vector>

#include "passes/export/common_axes.hpp"
#include "passes/factors_of.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/algebra/text.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::passes;
using shardy_test::factors_of;
using shardy_test::text_of;

namespace {

Mesh square() { return Mesh::make({{"x", 2}, {"y", 2}}).value(); }

/// The last tensor is the result, all others are operands. Elements of one byte.
CommonAxesQuery common_axes_query(const Mesh& mesh, const std::string& rule_text,
                                  const std::vector<std::string>& shardings) {
  CommonAxesQuery meeting{
      parse_rule(rule_text).value(), {}, shardings.size() - 1, BoundAxes::none()};
  for (std::size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    const UnresolvedSharding spelled = parse_sharding("<@m, " + shardings[tensor] + ">").value();
    QueryTensor made{resolve(spelled, mesh).value(), {}, 1};
    for (const DimMapping& dim : meeting.rule.tensor(tensor).dims) {
      made.shape.push_back(dim.empty() ? 1 : meeting.rule.factor_size(dim.front()));
    }
    meeting.tensors.push_back(std::move(made));
  }
  return meeting;
}

struct Row {
  std::string rule;
  std::vector<std::string> shardings;
  int64_t best;  // bytes, of plans of the reference
};

constexpr const char* kDot = "<([i, k], [k, j])->([i, j]) ";

// Spec: resharding C.7, the table. Costs there are those of reference plans; best plans may cost
// less, never more.
TEST_CASE("ops meet at the better figure where the reference is not optimal",
          "[passes][best_common_axes]") {
  const std::vector<Row> rows = {
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
  for (const Row& row : rows) {
    const Mesh mesh = square();
    const CommonAxesQuery meeting = common_axes_query(mesh, row.rule, row.shardings);
    const std::vector<AxisList> reference = common_axes(factors_of(mesh, row.rule, row.shardings));
    ReshardPlanner planner(PlanKind::Best);
    CAPTURE(row.rule, row.shardings, text_of(mesh, reference));
    const std::vector<AxisList> best = best_common_axes(meeting, reference, planner);
    CAPTURE(text_of(mesh, best));
    CHECK(common_axes_cost(meeting, best, planner).bytes <= row.best);
  }
}

TEST_CASE("meeting elsewhere never costs more, nor computes less in parallel",
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
  ReshardPlanner planner(PlanKind::Best);
  const auto parallel = [](const std::vector<AxisList>& common) {
    int64_t shards = 1;
    for (const AxisList& list : common) shards *= sharding_size(list);
    return shards;
  };
  for (const std::string& rule : {std::string("<([i, j], [i, j])->([i, j]) {i=8, j=8}>"),
                                  kDot + std::string("{i=8, j=8, k=8} reduction={k}>")}) {
    for (const std::string& lhs : matrices) {
      for (const std::string& rhs : matrices) {
        for (const std::string& result : matrices) {
          const std::vector<std::string> shardings = {lhs, rhs, result};
          const CommonAxesQuery meeting = common_axes_query(mesh, rule, shardings);
          const std::vector<AxisList> reference = common_axes(factors_of(mesh, rule, shardings));
          const std::vector<AxisList> best = best_common_axes(meeting, reference, planner);
          CAPTURE(rule, shardings, text_of(mesh, reference), text_of(mesh, best));
          REQUIRE(common_axes_cost(meeting, best, planner).bytes <=
                  common_axes_cost(meeting, reference, planner).bytes);
          REQUIRE(parallel(best) >= parallel(reference));
        }
      }
    }
  }
}

TEST_CASE("ops that send something themselves meet where the reference does",
          "[passes][best_common_axes]") {
  const Mesh mesh = square();
  const std::vector<std::string> shardings = {R"([{"x"}, {}])", R"([{}, {"y"}])"};
  ReshardPlanner planner(PlanKind::Best);
  for (const char* rule : {"<([i, j])->([i, j]) {i=8, j=8} permutation={j}>"}) {
    const std::vector<AxisList> reference = common_axes(factors_of(mesh, rule, shardings));
    CHECK(best_common_axes(common_axes_query(mesh, rule, shardings), reference, planner) ==
          reference);
  }
}

}  // namespace
