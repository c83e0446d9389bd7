#include "passes/export/common_axes.hpp"

#include <string>
#include <vector>

#include "passes/factors_of.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::passes;
using shardy_test::factors_of;
using shardy_test::text_of;

namespace {

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

TEST_CASE("common axes are those of the worked examples", "[passes][reshard]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      const Mesh mesh = Mesh::make(row.mesh).value();
      const FactorAxes factors = factors_of(mesh, row.rule, row.shardings);
      CHECK(text_of(mesh, common_axes(factors)) == row.common);
    }
  }
}

TEST_CASE("compatible tensors keep their axes", "[passes][reshard]") {
  const Mesh mesh = Mesh::make({{"a", 4}, {"b", 2}}).value();
  const char* dot = "<([i, k], [k, j])->([i, j]) {i=8, j=16, k=64} reduction={k}>";
  SECTION("a contraction over b") {
    const FactorAxes factors =
        factors_of(mesh, dot, {R"([{"a"}, {"b"}])", R"([{"b"}, {}])", R"([{"a"}, {}])"});
    REQUIRE(compatible_axes(factors));
    CHECK(text_of(mesh, *compatible_axes(factors)) == "i=a j= k=b");
  }
  SECTION("one axis on two free dims is a conflict though no tensor has both") {
    const FactorAxes factors =
        factors_of(mesh, "<([i, k], [k, j])->([]) {i=8, j=16, k=64} reduction={i, j, k}>",
                   {R"([{"a"}, {}])", R"([{}, {"a"}])", "[]"});
    CHECK_FALSE(compatible_axes(factors));
    CHECK(text_of(mesh, common_axes(factors)) == "i= j=a k=");
  }
  SECTION("a need-replication factor with axes is a conflict") {
    const FactorAxes factors =
        factors_of(mesh, "<([i, j])->([i, j]) {i=8, j=12} need_replication={j}>",
                   {R"([{}, {"b"}])", R"([{}, {"b"}])"});
    CHECK_FALSE(compatible_axes(factors));
  }
}

// Spec: partitioning 8.18.
TEST_CASE("lowered ops move axes to dims that they do not divide", "[passes][reshard]") {
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
  CHECK(sorted(5) == "i=a j=");  // pieces of 2: 2 * 2 <= 5
  CHECK(sorted(2) == "i=a j=");
  CHECK(sorted(1) == "i= j=");
  CHECK(sorted(0) == "i= j=");
  // Pieces of 2 of 3 rows: both ways they would be more than a gather.
  CHECK(moved("<([i, j])->([i, j]) {i=3, j=12} need_replication={j}>",
              {R"([{}, {"b"}])", R"([{}, {"b"}])"}) == "i= j=");
  // Tiles of 5 and of 2 do not nest; another dim takes the axes.
  CHECK(moved("<([i, j, k])->([i, j, k]) {i=10, j=12, k=9} need_replication={j}>",
              {R"([{"b"}, {"a"}, {}])", R"([{"b"}, {"a"}, {}])"}) == "i=b j= k=a");
  // A system of equations: only the right-hand side and the result have columns to take the axes.
  const std::string solve = "<([i, j], [j, k])->([i, k]) {i=4, j=4, k=7} need_replication={i, j}>";
  CHECK(moved(solve, {"[{}, {}]", R"([{"a"}, {}])", R"([{"a"}, {}])"}) == "i= j= k=a");
  CHECK(moved(solve, {R"([{}, {"a"}])", R"([{"a"}, {}])", R"([{"a"}, {}])"}) == "i= j= k=a");
  // The result would have to be gathered.
  CHECK(moved(solve, {"[{}, {}]", R"([{"a"}, {}])", "[{}, {}]"}) == "i= j= k=");
}
