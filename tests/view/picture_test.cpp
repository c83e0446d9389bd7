// Device pictures: the cells of a picture are the shards that devices hold.
#include "shardy/view/picture.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/checking/sweep.hpp"
#include "support/catch.hpp"

namespace shardy_test::picture_test {
namespace {

using namespace shardy;
using view::Picture;

ShardGrid grid_of(const char* mesh, const char* sharding, std::vector<int64_t> shape) {
  const auto parsed = parse_mesh(mesh);
  REQUIRE(parsed);
  auto value = TensorSharding::parse(*parsed, sharding, shape.size());
  REQUIRE(value);
  auto grid = ShardGrid::make(*std::move(value), std::move(shape));
  REQUIRE(grid);
  return *std::move(grid);
}

bool next_cell(const Picture& picture, std::vector<int64_t>& cell) {
  for (std::size_t dim = cell.size(); dim-- > 0;) {
    if (++cell[dim] < std::ssize(picture.dims[dim].at)) return true;
    cell[dim] = 0;
  }
  return false;
}

/// Checks that every device of the mesh is in one cell, and that the cell has the elements that the
/// algebra gives to the device, found by brute force over devices.
void check_cells(const ShardGrid& grid) {
  const Picture picture = view::picture_of(grid);
  const TensorSharding& sharding = grid.sharding();
  std::set<int64_t> seen;
  std::vector<int64_t> cell(grid.shape().size());
  do {
    const std::vector<int64_t> positions = view::positions_of(picture, cell);
    CHECK(std::ssize(positions) == picture.devices_per_cell);
    for (const int64_t position : positions) {
      CHECK(seen.insert(position).second);
      const std::vector<Range> slice = device_slice(sharding, grid.shape(), position);
      for (std::size_t dim = 0; dim < cell.size(); ++dim) {
        const view::PictureDim& cells = picture.dims[dim];
        const auto index = static_cast<std::size_t>(cell[dim]);
        CHECK(slice[dim] == Range{cells.begin[index], cells.end[index]});
        CHECK(cells.padding[index] == grid.local_shape()[dim] - slice[dim].size());
      }
    }
  } while (next_cell(picture, cell));
  CHECK(std::ssize(seen) == sharding.mesh().num_devices());
}

TEST_CASE("every device is in one cell of the picture with its elements", "[picture][law]") {
  constexpr std::array kMeshes = {
      R"(<["x"=1]>)",        R"(<["x"=2]>)",
      R"(<["x"=4]>)",        R"(<["x"=2, "y"=3]>)",
      R"(<["x"=4, "y"=2]>)", R"(<["x"=2, "y"=2, "z"=2], device_ids=[7,6,5,4,3,2,1,0]>)"};
  const char* const text = GENERATE_COPY(from_range(kMeshes));
  const auto mesh = parse_mesh(text);
  REQUIRE(mesh);
  checking::Random random(7);
  for (int64_t rows = 0; rows <= 6; ++rows) {
    for (int64_t columns = 0; columns <= 5; ++columns) {
      for (int repeat = 0; repeat < 12; ++repeat) {
        const TensorSharding sharding = checking::random_sharding(
            random, *mesh, 2, BoundAxes::none(), checking::Summands::Some);
        INFO(to_string(sharding) << " of " << rows << "x" << columns);
        auto grid = ShardGrid::make(sharding, {rows, columns});
        REQUIRE(grid);
        check_cells(*grid);
      }
    }
  }
}

TEST_CASE("cells of tensors of any rank equal those of the shard grid", "[picture][random]") {
  checking::Random random(Catch::rngSeed());
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Mesh mesh = checking::random_mesh(random, 24);
    const auto rank = static_cast<std::size_t>(random.between(0, 4));
    std::vector<int64_t> shape;
    for (std::size_t dim = 0; dim < rank; ++dim) shape.push_back(random.between(0, 7));
    const TensorSharding sharding =
        checking::random_sharding(random, mesh, rank, BoundAxes::none(), checking::Summands::Some);
    INFO(to_string(sharding));
    auto grid = ShardGrid::make(sharding, shape);
    REQUIRE(grid);
    check_cells(*grid);
  }
}

TEST_CASE("a picture of a million devices groups cells and loses no device", "[picture]") {
  const ShardGrid grid = grid_of(R"(<["x"=1024, "y"=1024]>)", R"([{"x"}, {"y"}])", {5000, 3000});
  const Picture picture = view::picture_of(grid);
  REQUIRE(picture.dims.size() == 2);
  CHECK(picture.devices_per_cell == 256);
  for (const view::PictureDim& dim : picture.dims) {
    CHECK(dim.shards_per_cell == 16);
    CHECK(dim.at.size() == 64);
    CHECK(dim.begin.front() == 0);
    for (std::size_t cell = 1; cell < dim.at.size(); ++cell)
      CHECK(dim.begin[cell] == dim.end[cell - 1]);
  }
  CHECK(picture.dims[0].end.back() == 5000);
  CHECK(picture.dims[1].end.back() == 3000);
  CHECK(picture.dims[0].at[1] == 16 * 1024);
  CHECK(picture.dims[1].at[1] == 16);
}

TEST_CASE("hue follows the first axis of a cell and lightness follows the next axis", "[picture]") {
  const Picture picture =
      view::picture_of(grid_of(R"(<["x"=2, "y"=4]>)", R"([{"y":(1)2}, {"x", "y":(2)2}])", {8, 8}));
  CHECK(picture.hue == AxisRef{1, 1, 2});
  CHECK(picture.light == AxisRef{0, 1, 2});
  CHECK(picture.dims[0].hue == std::vector<int64_t>{0, 1});
  CHECK(picture.dims[0].light == std::vector<int64_t>{0, 0});
  CHECK(picture.dims[1].light == std::vector<int64_t>{0, 0, 1, 1});
}

TEST_CASE("the picture counts replicas and partial copies beyond the limit", "[picture]") {
  const Picture picture = view::picture_of(
      grid_of(R"(<["x"=65536, "y"=8]>)", R"([{}], unreduced={"y"})", {6}), {.copies = 100});
  CHECK(picture.replicas == 65536);
  CHECK(picture.summands == 8);
  CHECK(picture.devices_per_cell == 65536 * 8);
  CHECK(picture.replica_at.size() == 100);
  CHECK(picture.summand_at.size() == 8);
  CHECK(view::positions_of(picture, std::vector<int64_t>{0}).size() == 800);
}

TEST_CASE("a mesh is drawn with its axes as dims", "[picture]") {
  const auto mesh = parse_mesh(R"(<["x"=2, "y"=3]>)");
  REQUIRE(mesh);
  const ShardGrid grid = view::grid_of_mesh(*mesh);
  CHECK(std::vector<int64_t>(grid.shape().begin(), grid.shape().end()) ==
        std::vector<int64_t>{2, 3});
  CHECK(view::positions_of(view::picture_of(grid), std::vector<int64_t>{1, 2}) ==
        std::vector<int64_t>{5});
}

TEST_CASE("an SVG has one cell per shard, and names cannot break its text", "[picture]") {
  const ShardGrid grid = grid_of(R"(<["x"=2, "y"=3]>)", R"([{"x"}, {"y"}])", {5, 9});
  const view::TitledGrid titled{"<b>\"%0\"</b>\x01 \xE2\x80\xAE", grid};
  const std::string svg = view::to_svg(std::vector<view::TitledGrid>{titled});
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<g>"); at != std::string::npos; at = svg.find("<g>", at + 1))
    ++cells;
  CHECK(cells == 6);
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(svg.find("&lt;b&gt;&quot;%0&quot;&lt;/b&gt;\\01 \\E2\\80\\AE") != std::string::npos);
  CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(svg.find(">3<") != std::string::npos);  // the number of a device
  CHECK(svg.find(">3:5 +1<") != std::string::npos);
}

}  // namespace
}  // namespace shardy_test::picture_test
