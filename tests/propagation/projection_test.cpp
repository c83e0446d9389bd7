#include <shardy/propagation/projection.hpp>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::projection_test {
namespace {

/// `[axes] overflow [axes] closed` of each factor of tensor 0, in order; `-` if it is not mapped.
std::string print(const FlatRule& layout, const Projection& projection, const Mesh& mesh) {
  std::string text;
  for (std::size_t entry = 0; entry < layout.tensor_entries(0).end; ++entry) {
    const FactorSharding& factor = projection.entries[entry];
    if (entry > 0) text += "; ";
    if (!factor.is_mapped) {
      text += "-";
      continue;
    }
    text += "[" + to_text(mesh, factor.axes) + "]";
    if (!factor.overflow.empty()) text += " overflow [" + to_text(mesh, factor.overflow) + "]";
    if (factor.is_closed) text += " closed";
  }
  return text;
}

struct Row {
  const char* mesh;
  const char* sharding;
  const char* rule;
  const char* factors;
};

Projection projected(const FlatRule& layout, const TensorSharding& sharding) {
  Projection projection;
  projection.reset(layout);
  project(layout, 0, sharding, projection);
  return projection;
}

/// Coordinate of device `position` along an axis ref. Row-major over the axes of the mesh.
int64_t naive_coordinate(const Mesh& mesh, int64_t position, const AxisRef& ref) {
  int64_t minor = 1;
  for (int32_t axis = ref.axis + 1; axis < mesh.num_axes(); ++axis) minor *= mesh.axis_size(axis);
  const int64_t along_axis = position / minor % mesh.axis_size(ref.axis);
  return along_axis / (mesh.axis_size(ref.axis) / ref.next()) % ref.size;
}

/// Shard that a device holds of what the axes split, major to minor.
int64_t shard_index(const Mesh& mesh, int64_t position, const AxisList& axes) {
  int64_t index = 0;
  for (const AxisRef& ref : axes) index = index * ref.size + naive_coordinate(mesh, position, ref);
  return index;
}

}  // namespace

TEST_CASE("a dim is distributed over its factors major first", "[propagation][projection]") {
  const Row rows[] = {
      // The table of propagation 3.
      {"a=4 b=2", "[{a,b}]", "([ij])->([i,j]) {i=2,j=6}", "[a:(1)2] closed; [a:(2)2,b] closed"},
      {"a=6", "[{a}]", "([ij])->([i,j]) {i=4,j=5}", "[a:(1)2] overflow [a:(2)3] closed; [] closed"},
      {"a=2 b=3", "[{a,b,?}]", "([ij])->([i,j]) {i=4,j=4}", "[a] overflow [b]; [] closed"},
      {"a=3", "[{a}]", "([ijk])->([i,j,k]) {i=2,j=2,k=2}", "[] overflow [a] closed; [] closed; -"},
      {"a=1 b=2 c=1", "[{a,b,c,?}]", "([ik])->([i,k]) {i=2,k=4}", "[a,b,c]; []"},
      // A minor-most factor takes everything; a major one that is not full keeps the next one
      // empty.
      {"a=2 b=3", "[{a,b,?}]", "([i])->([i]) {i=4}", "[a,b]"},
      {"a=2", "[{a,?}]", "([ij])->([i,j]) {i=4,j=4}", "[a]; []"},
      {"a=2 b=2 c=2", "[{a,b,c,?}]", "([ij])->([i,j]) {i=4,j=4}", "[a,b]; [c]"},
      // Parts that meet in the minor-most factor are one.
      {"a=8", "[{a,?}]", "([ijk])->([i,j,k]) {i=2,j=2,k=4}", "[a:(1)2]; [a:(2)2]; [a:(4)2]"},
      {"a=8 b=2", "[{a:(2)4,b,?}]", "([ij])->([i,j]) {i=2,j=8}", "[a:(2)2]; [a:(4)2,b]"},
      // Axes after an overflow overflow too, sub-axes stay as they are.
      {"a=6 b=2", "[{a,b,?}]", "([ij])->([i,j]) {i=4,j=5}",
       "[a:(1)2] overflow [a:(2)3,b]; [] closed"},
      {"a=2", "[{?}]", "([ij])->([i,j]) {i=4,j=5}", "[]; []"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.mesh, row.sharding, row.rule);
    const Mesh mesh = make_mesh(row.mesh);
    const FlatRule layout(parse_rule(row.rule));
    const TensorSharding sharding = parse_sharding(mesh, row.sharding);
    const Projection projection = projected(layout, sharding);
    CHECK(print(layout, projection, mesh) == row.factors);
    CHECK(back_project(layout, 0, projection)[0] == sharding.dim(0));
  }
}

TEST_CASE("an absent sharding is projected to open factors without axes",
          "[propagation][projection]") {
  const FlatRule layout(parse_rule("([ij])->([i,j]) {i=2,j=6}"));
  Projection projection;
  projection.reset(layout);
  project_absent(layout, 0, /*is_closed=*/false, projection);
  CHECK(print(layout, projection, Mesh()) == "[]; []");
  project_absent(layout, 0, /*is_closed=*/true, projection);
  CHECK(print(layout, projection, Mesh()) == "[] closed; [] closed");
}

TEST_CASE("a dim takes the axes of its factors up to the first factor that is not full",
          "[propagation][projection]") {
  struct {
    const char* rule;
    std::vector<const char*> axes;
    const char* dim;
  } const rows[] = {
      {"([ij])->([i,j]) {i=2,j=6}", {"{a:(1)2}", "{a:(2)2,b}"}, "a,b"},
      {"([ij])->([i,j]) {i=4,j=6}", {"{a:(1)2}", "{b}"}, "a:(1)2"},
      {"([ij])->([i,j]) {i=4,j=6}", {"{}", "{b}"}, ""},
      {"([ij])->([i,j]) {i=1,j=6}", {"{}", "{b}"}, "b"},
      // Only the first axis of a factor is joined with the axis before it.
      {"([ij])->([i,j]) {i=2,j=6}", {"{b}", "{a:(1)2,a:(2)2}"}, "b,a:(1)2,a:(2)2"},
  };
  const Mesh mesh = make_mesh("a=4 b=2");
  for (const auto& row : rows) {
    CAPTURE(row.rule, row.dim);
    std::string rule = row.rule;
    // A factor of size 1 is alone in its dim, by rule R8: such a layout has two dims.
    const bool is_split = rule.find("i=1") != std::string::npos;
    if (is_split) rule.replace(rule.find("[ij]"), 4, "[i,j]");
    const FlatRule layout(parse_rule(rule));
    Projection projection;
    projection.reset(layout);
    for (std::size_t i = 0; i < row.axes.size(); ++i) {
      projection.entries[i].is_mapped = true;
      projection.entries[i].axes = parse_axes(mesh, row.axes[i]);
    }
    const auto dims = back_project(layout, 0, projection);
    CHECK(to_text(mesh, dims.back().axes) == row.dim);
  }
}

TEST_CASE("projecting a sharding to factors and back returns the sharding",
          "[propagation][projection][random]") {
  Random random(Catch::rngSeed());
  for (int round = 0; round < 3000; ++round) {
    const Mesh mesh = random_mesh(random);
    const std::size_t rank = random.below(4);
    const FlatRule layout(random_rule(random, {rank}, {random.below(3)}));
    const TensorSharding sharding = random_sharding(random, mesh, rank, /*with_priorities=*/false);
    const Projection projection = projected(layout, sharding);
    CAPTURE(to_text(sharding), print(layout, projection, mesh));
    const std::vector<DimSharding> dims = back_project(layout, 0, projection);
    for (std::size_t dim = 0; dim < rank; ++dim) CHECK(dims[dim] == sharding.dim(dim));
    CHECK(projection.tensors[0].replicated == sharding.replicated_axes());
    CHECK(projection.tensors[0].unreduced == sharding.unreduced_axes());
  }
}

// Meaning of axes: the shard of a dim consists of the shards of its factors.
TEST_CASE("factor shard indices are digits of the dim shard index",
          "[propagation][projection][random]") {
  Random random(Catch::rngSeed());
  int checked = 0;
  for (int round = 0; round < 3000; ++round) {
    const Mesh mesh = random_mesh(random);
    const FlatRule layout(random_rule(random, {1}, {random.below(3)}));
    const TensorSharding sharding = random_sharding(random, mesh, 1, false);
    const Projection projection = projected(layout, sharding);
    const EntryRange entries = layout.dim_entries(0, 0);
    bool has_overflow = false;
    for (std::size_t e = entries.begin; e < entries.end; ++e) {
      has_overflow |= !projection.entries[e].overflow.empty();
    }
    if (has_overflow) continue;
    ++checked;
    CAPTURE(to_text(sharding), print(layout, projection, mesh));
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      int64_t digits = 0;
      for (std::size_t e = entries.begin; e < entries.end; ++e) {
        const AxisList& axes = projection.entries[e].axes;
        digits = digits * sharding_size(axes) + shard_index(mesh, position, axes);
      }
      REQUIRE(digits == shard_index(mesh, position, sharding.dim(0).axes));
    }
  }
  CHECK(checked > 1000);
}

TEST_CASE("the axes that all tensors of an op share are found", "[propagation][projection]") {
  const Mesh mesh = make_mesh("a=8 b=2 c=2");
  const FlatRule layout(parse_rule("([i,j],[i,k])->([i,j]) {i=32,j=8,k=8}"));
  Projection projection;
  projection.reset(layout);
  project(layout, 0, parse_sharding(mesh, "[{a:(1)4,b},{c}]"), projection);
  project(layout, 1, parse_sharding(mesh, "[{a:(1)2,b},{c}]"), projection);
  project(layout, 2, parse_sharding(mesh, "[{a,b},{}]"), projection);
  const std::vector<AxisList> common = common_factor_axes(layout, projection);
  REQUIRE(common.size() == 3);
  CHECK(to_text(mesh, common[0]) == "a:(1)2");
  CHECK(to_text(mesh, common[1]) == "");
  CHECK(to_text(mesh, common[2]) == "c");

  const Projection uniform = uniform_projection(layout, common);
  CHECK(uniform.entries[0].axes == common[0]);
  CHECK(uniform.entries[3].axes == common[2]);
  CHECK(uniform.entries[3].is_closed);
  CHECK(sharding_size(layout, 1, uniform) == 4);

  CHECK(update_factor(layout, 0, common[0], {}, projection) == std::vector<std::size_t>{0, 1, 2});
  CHECK(update_factor(layout, 0, common[0], {}, projection).empty());
  CHECK(update_factor(layout, 2, common[2], parse_axes(mesh, "{b}"), projection) ==
        std::vector<std::size_t>{1});
  CHECK(has_overflow(layout, 1, projection));
  CHECK_FALSE(has_overflow(layout, 0, projection));
  CHECK(sharding_size(layout, 1, projection) == 2 * 2 * 2);
}

TEST_CASE("axes are distributed greedily over factors", "[propagation][projection]") {
  struct {
    const char* mesh;
    const char* axes;
    std::vector<int64_t> sizes;
    const char* expected;
  } const rows[] = {
      {"a=4 b=2", "{a,b}", {2, 4}, "a:(1)2 | a:(2)2,b"},
      {"a=4 b=2", "{a,b}", {4, 2}, "a | b"},
      {"a=6", "{a}", {4, 3}, "a:(1)2 | a:(2)3"},
      {"a=6 b=2", "{a,b}", {4, 5}, "a:(1)2 |  overflow a:(2)3,b"},
      {"a=2 b=3", "{a,b}", {3, 2}, "b | a"},  // each axis looks for its own place
      {"a=1 b=2", "{a,b}", {2, 2}, "a,b | "},
      {"a=8", "{a}", {2, 2}, "a:(1)2 | a:(2)2 overflow a:(4)2"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.mesh, row.axes);
    const Mesh mesh = make_mesh(row.mesh);
    std::vector<FactorShare> factors;
    for (const int64_t size : row.sizes) factors.push_back({.size = size});
    distribute_axes(factors, parse_axes(mesh, row.axes));
    std::string text;
    for (const FactorShare& factor : factors) {
      if (!text.empty() || &factor != &factors.front()) text += " | ";
      text += to_text(mesh, factor.axes);
      if (!factor.overflow.empty()) text += " overflow " + to_text(mesh, factor.overflow);
    }
    CHECK(text == row.expected);
  }
}

}  // namespace shardy::propagation::testing::projection_test
