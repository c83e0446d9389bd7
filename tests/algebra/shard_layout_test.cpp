#include <map>
#include <numeric>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"
#include "support/layouts.hpp"

namespace shardy::shard_layout_test {
namespace {

using shardy_test::layouts_equal;
using shardy_test::mesh_of_sizes;
using Shape = std::vector<int64_t>;
using Groups = std::vector<std::vector<int64_t>>;

static_assert(valid_range(5, 4, 2) == Range{4, 5});

TensorSharding sharding(const std::string& text) {
  const UnresolvedSharding spelled = parse_sharding(text).value();
  return resolve(spelled, std::get<Mesh>(spelled.mesh)).value();
}

TEST_CASE("trailing shards may be short or empty", "[shard_layout]") {
  const std::vector<Range> expected = {{0, 2}, {2, 4}, {4, 5}, {5, 5}};
  for (int64_t index = 0; index < 4; ++index) {
    CHECK(valid_range(5, 4, index) == expected[static_cast<std::size_t>(index)]);
  }
  CHECK(valid_range(0, 3, 2) == Range{0, 0});
  CHECK(valid_range(1, 3, 0) == Range{0, 1});
  CHECK(valid_range(1, 3, 1) == Range{1, 1});
}

TEST_CASE("ranges of huge dims and shard counts do not overflow", "[shard_layout]") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  CHECK(valid_range(kMax, 2, 1) == Range{kMax / 2 + 1, kMax});
  CHECK(valid_range(kMax, kMax - 1, kMax - 2) == Range{kMax, kMax});
  CHECK(valid_range(3, kMax, kMax - 1) == Range{3, 3});
}

TEST_CASE("example A of algebra 8: sub-axes", "[shard_layout]") {
  const TensorSharding s = sharding(R"(<mesh<["x"=2, "y"=4]>, [{"y":(2)2}, {"x", "y":(1)2}]>)");
  const std::vector<Range> first = {{0, 4}, {4, 8}};
  const std::vector<std::vector<Range>> expected = {
      {first[0], {0, 2}}, {first[1], {0, 2}}, {first[0], {2, 4}}, {first[1], {2, 4}},
      {first[0], {4, 6}}, {first[1], {4, 6}}, {first[0], {6, 8}}, {first[1], {6, 8}}};
  for (int64_t position = 0; position < 8; ++position) {
    CAPTURE(position);
    CHECK(device_slice(s, Shape{8, 8}, position) == expected[static_cast<std::size_t>(position)]);
  }
  CHECK(coordinate(s.mesh(), 6, {1, 1, 2}) == 1);
  CHECK(coordinate(s.mesh(), 6, {1, 2, 2}) == 0);
}

TEST_CASE("example B of algebra 8: device ids", "[shard_layout]") {
  const TensorSharding s =
      sharding(R"(<mesh<["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>, [{"a"}]>)");
  std::map<int64_t, Range> held;
  for (int64_t position = 0; position < 6; ++position) {
    held[s.mesh().device_at(position)] = device_slice(s, Shape{6}, position)[0];
  }
  CHECK(held[0] == Range{0, 2});
  CHECK(held[2] == Range{0, 2});
  CHECK(held[4] == Range{2, 4});
  CHECK(held[1] == Range{2, 4});
  CHECK(held[3] == Range{4, 6});
  CHECK(held[5] == Range{4, 6});
}

TEST_CASE("replica groups of the examples of algebra 3.8", "[shard_layout]") {
  const Mesh xy = mesh_of_sizes({2, 4});
  CHECK(replica_groups(xy, AxisList{{1, 2, 2}}) == Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(replica_groups(xy, AxisList{{1, 1, 4}, {0, 1, 2}}) == Groups{{0, 4, 1, 5, 2, 6, 3, 7}});
  CHECK(replica_groups(xy, AxisList{{1, 1, 2}}) == Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(replica_groups(mesh_of_sizes({2, 2}, {3, 1, 2, 0}), AxisList{{0, 1, 2}}) ==
        Groups{{3, 2}, {1, 0}});
  CHECK(replica_groups(mesh_of_sizes({3}), AxisList{}) == Groups{{0}, {1}, {2}});
}

TEST_CASE("layouts on different meshes and axis names can be equal", "[shard_layout]") {
  const Shape shape = {8, 8};
  const TensorSharding split = sharding(R"(<mesh<["d"=8]>, [{"d":(1)4}, {"d":(4)2}]>)");
  CHECK(layouts_equal(split, sharding(R"(<mesh<["x"=4, "y"=2]>, [{"x"}, {"y"}]>)"), shape));
  CHECK_FALSE(layouts_equal(split, sharding(R"(<mesh<["x"=4, "y"=2]>, [{"y"}, {"x"}]>)"), shape));
  CHECK_FALSE(layouts_equal(split, sharding(R"(<mesh<["x"=2, "y"=4]>, [{"y"}, {"x"}]>)"), shape));
  CHECK_FALSE(layouts_equal(
      split, sharding(R"(<mesh<["x"=4, "y"=2], device_ids=[1,0,2,3,4,5,6,7]>, [{"x"}, {"y"}]>)"),
      shape));
}

TEST_CASE("layouts with unreduced axes are equal only if their reduction ops are equal",
          "[shard_layout]") {
  const TensorSharding sum = sharding(R"(<mesh<["x"=2, "y"=2]>, [{"x"}], unreduced={"y"}>)");
  CHECK(layouts_equal(sum, sharding(R"(<mesh<["d"=4]>, [{"d":(1)2}], unreduced={"d":(2)2}>)"),
                      Shape{4}));
  CHECK_FALSE(layouts_equal(sum, sharding(R"(<mesh<["x"=2, "y"=2]>, [{"x"}]>)"), Shape{4}));
  CHECK_FALSE(layouts_equal(sum, sharding(R"(<mesh<["x"=2, "y"=2]>, [{"x"}], unreduced=max{"y"}>)"),
                            Shape{4}));
}

TEST_CASE("a sharding on a maximal mesh places the full tensor on its device", "[shard_layout]") {
  const TensorSharding s = sharding("<mesh<[], device_ids=[3]>, []>");
  CHECK(device_slice(s, Shape{4, 5}, 0) == std::vector<Range>{{0, 4}, {0, 5}});
  CHECK(layouts_equal(s, s, Shape{4, 5}));
  CHECK_FALSE(layouts_equal(s, sharding("<mesh<[], device_ids=[2]>, []>"), Shape{4, 5}));
}

// The model: tables that nested counting fills, no division.
struct Position {
  std::vector<int64_t> coordinates;  // along each mesh axis
};

std::vector<Position> positions(const std::vector<int64_t>& sizes) {
  std::vector<Position> all = {{}};
  for (const int64_t size : sizes) {
    std::vector<Position> longer;
    for (const Position& position : all) {
      for (int64_t c = 0; c < size; ++c) {
        longer.push_back(position);
        longer.back().coordinates.push_back(c);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Coordinate along `ref` for each coordinate along its axis of size `n`.
std::vector<int64_t> coordinate_table(const AxisRef& ref, int64_t n) {
  std::vector<int64_t> table;
  while (static_cast<int64_t>(table.size()) < n) {
    for (int64_t own = 0; own < ref.size; ++own) {
      table.insert(table.end(), static_cast<std::size_t>(n / ref.next()), own);
    }
  }
  return table;
}

/// Number of shard indices of `axes` that are counted before the one of `position`.
int64_t model_index(const std::vector<int64_t>& sizes, const AxisList& axes,
                    const Position& position) {
  int64_t index = 0;
  int64_t weight = 1;
  for (auto ref = axes.rbegin(); ref != axes.rend(); ++ref) {
    const auto axis = static_cast<std::size_t>(ref->axis);
    const auto table = coordinate_table(*ref, sizes[axis]);
    index += weight * table[static_cast<std::size_t>(position.coordinates[axis])];
    weight *= ref->size;
  }
  return index;
}

/// Deals out `dim` elements to shards, as many to each as the first needs; who holds which.
std::vector<Range> model_ranges(int64_t dim, int64_t shards) {
  int64_t size = 0;
  while (size * shards < dim) ++size;
  std::vector<Range> ranges;
  int64_t next = 0;
  for (int64_t shard = 0; shard < shards; ++shard) {
    const int64_t end = std::min(next + size, dim);
    ranges.push_back({next, end});
    next = end;
  }
  return ranges;
}

TEST_CASE("device_slice equals a count of device coordinates for shardings of up to 8 devices",
          "[shard_layout][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(8)) {
    const Mesh mesh = mesh_of_sizes(sizes);
    const std::vector<Position> all = positions(sizes);
    REQUIRE(static_cast<int64_t>(all.size()) == mesh.num_devices());
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) {
      shardy_test::for_each_sharding(mesh, rank, [&](const TensorSharding& s) {
        const Shape shape = rank == 1 ? Shape{5} : Shape{5, 12};
        CAPTURE(s, shape);
        const std::vector<int64_t> local = s.local_shape(shape);
        for (std::size_t position = 0; position < all.size(); ++position) {
          const auto slice = device_slice(s, shape, static_cast<int64_t>(position));
          for (std::size_t i = 0; i < rank; ++i) {
            const auto ranges = model_ranges(shape[i], s.dim(i).sharded_size());
            const auto index =
                static_cast<std::size_t>(model_index(sizes, s.dim(i).axes, all[position]));
            CHECK(slice[i] == ranges[index]);
            CHECK(local[i] == ranges[0].size());
          }
        }
      });
    }
  }
}

TEST_CASE("each element is on as many devices as the product of the unused axes",
          "[shard_layout][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(8)) {
    const Mesh mesh = mesh_of_sizes(sizes);
    shardy_test::for_each_sharding(mesh, 2, [&](const TensorSharding& s) {
      CAPTURE(s);
      std::map<std::pair<int64_t, int64_t>, int64_t> copies;
      for (int64_t position = 0; position < mesh.num_devices(); ++position) {
        const auto slice = device_slice(s, Shape{3, 5}, position);
        for (int64_t row = slice[0].begin; row < slice[0].end; ++row) {
          for (int64_t column = slice[1].begin; column < slice[1].end; ++column) {
            ++copies[{row, column}];
          }
        }
      }
      CHECK(copies.size() == 15);
      const int64_t expected = mesh.num_devices() / sharding_size(s.dim_axes());
      for (const auto& [element, count] : copies) CHECK(count == expected);
    });
  }
}

TEST_CASE("devices of a replica group differ only along its axes", "[shard_layout][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(8)) {
    std::vector<int64_t> ids(static_cast<std::size_t>(product(sizes)));
    std::iota(ids.rbegin(), ids.rend(), 0);
    const Mesh mesh = mesh_of_sizes(sizes, ids);
    const std::vector<Position> all = positions(sizes);
    for (const AxisList& axes : shardy_test::axis_lists(mesh)) {
      CAPTURE(to_string(mesh, axes));
      std::vector<int64_t> seen;
      for (const auto& group : replica_groups(mesh, axes)) {
        for (std::size_t member = 0; member < group.size(); ++member) {
          seen.push_back(group[member]);
          const auto position = static_cast<std::size_t>(*mesh.position_of(group[member]));
          CHECK(model_index(sizes, axes, all[position]) == static_cast<int64_t>(member));
          const auto first = static_cast<std::size_t>(*mesh.position_of(group[0]));
          for (const AxisRef& part : ordered_axis_refs(mesh, axes)) {
            if (std::ranges::find(axes, part) != axes.end()) continue;
            CHECK(model_index(sizes, {part}, all[position]) ==
                  model_index(sizes, {part}, all[first]));
          }
        }
      }
      std::ranges::sort(seen);
      std::ranges::sort(ids);
      CHECK(seen == ids);
    }
  }
}

}  // namespace
}  // namespace shardy::shard_layout_test
