#include <map>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"
#include "support/layouts.hpp"

namespace shardy::hlo_sharding_test {
namespace {

using shardy_test::layouts_equal;
using shardy_test::message_of;
using Names = std::vector<std::string>;

HloSharding hlo(const std::string& text) { return parse_hlo_sharding("{" + text + "}").value(); }

std::string text_of(const Result<HloLayout>& layout) {
  if (!layout) return layout.error().message;
  std::string text = to_string(layout->sharding);
  if (!layout->manual.empty()) text += " manual " + manual_axes_text(layout->manual);
  return text;
}

TEST_CASE("an imported GSPMD sharding gets a new mesh", "[hlo]") {
  const auto [text, rank, expected] = GENERATE(table<std::string, std::size_t, std::string>({
      {"replicated", 2, "<mesh<[]>, [{}, {}]>"},
      {"maximal device=3", 2, "<mesh<[], device_ids=[3]>, []>"},
      {"devices=[2,1,4]<=[8] last_tile_dim_replicate", 2,
       R"(<mesh<["axis_0"=2, "axis_1"=4]>, [{"axis_0"}, {}]>)"},
      {"devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate", 2,
       R"(<mesh<["axis_0"=2, "axis_1"=2, "axis_2"=2]>, [{"axis_2"}, {"axis_0"}]>)"},
      {"devices=[4]<=[2,2]", 1, R"(<mesh<["axis_0"=2, "axis_1"=2]>, [{"axis_0", "axis_1"}]>)"},
      {"devices=[4]<=[1,4]", 1, R"(<mesh<["axis_0"=1, "axis_1"=4]>, [{"axis_1"}]>)"},
      {"devices=[12]<=[2,6]T(1,0)", 1,
       R"(<mesh<["axis_0"=2, "axis_1"=6]>, [{"axis_1", "axis_0"}]>)"},
      {"devices=[2,2,3]<=[12] last_tile_dims={manual, unreduced}", 1,
       R"(<mesh<["axis_0"=2, "axis_1"=2, "axis_2"=3]>, [{"axis_0"}], unreduced={"axis_2"}>)"
       R"( manual {"axis_1"})"},
      // Lists: one that an iota is equal to, and one that none is.
      {"devices=[2,2]0,2,1,3", 2, R"(<mesh<["axis_0"=2, "axis_1"=2]>, [{"axis_1"}, {"axis_0"}]>)"},
      {"devices=[2,1,2]0,1,3,2", 3,
       R"(<mesh<["axis_0"=2, "axis_1"=1, "axis_2"=2], device_ids=[0, 1, 3, 2]>, )"
       R"([{"axis_0"}, {}, {"axis_2"}]>)"},
      {"devices=[4,3]<=[6,2]", 2, "tile dimension 0 of size 4 does not align with axis of size 6"},
      {"devices=[2,4,3]<=[12,2]", 3,
       "tile dimension 1 of size 4 does not align with axis of size 12"},
      {"devices=[4]<=[4]", 2, "sharding doesn't match tensor rank: 1 != 2"},
      {"manual", 1, "the sharding covers all devices without listing them: a mesh is needed"},
      {"unreduced", 1, "the sharding covers all devices without listing them: a mesh is needed"},
      {"unknown", 1, "an unknown sharding assigns no data to devices"},
      {"replicated shard_as 1", 1, "a sharding of a mesh belongs to no shard group"},
      {"replicated metadata={}", 1, "a sharding of a mesh has no metadata"},
      {"{replicated}", 1, "a tuple of shardings is not one"},
  }));
  CAPTURE(text);
  CHECK(text_of(import_hlo(hlo(text), rank)) == expected);
}

TEST_CASE("import_hlo uses the axis names that the caller passes", "[hlo]") {
  const HloSharding sharding = hlo("devices=[2,2]<=[4]");
  CHECK(text_of(import_hlo(sharding, 2, Names{"x", "y"})) ==
        R"(<mesh<["x"=2, "y"=2]>, [{"x"}, {"y"}]>)");
  CHECK(text_of(import_hlo(sharding, 2, Names{"x"})) ==
        "the sharding needs 2 mesh axes, got names: 1");
  CHECK(text_of(import_hlo(sharding, 2, Names{"x", "y", "z"})) ==
        "the sharding needs 2 mesh axes, got names: 3");
  CHECK(text_of(import_hlo(sharding, 2, Names{"x", "x"})) == "duplicate axis name: \"x\"");
}

TEST_CASE("a GSPMD sharding is imported onto the axes of a given mesh", "[hlo]") {
  const auto [mesh_text, text, rank, expected] =
      GENERATE(table<std::string, std::string, std::size_t, std::string>({
          {R"(<["x"=2, "y"=4]>)", "devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate", 2,
           R"(<@m, [{"y":(2)2}, {"x"}]>)"},
          {R"(<["x"=2, "y"=4]>)", "devices=[8]<=[8]", 1, R"(<@m, [{"x", "y"}]>)"},
          {R"(<["x"=2, "y"=4]>)", "devices=[8]<=[2,4]T(1,0)", 1, R"(<@m, [{"y", "x"}]>)"},
          {R"(<["x"=2, "y"=4]>)", "devices=[2,4]<=[8] last_tile_dims={unreduced}", 1,
           R"(<@m, [{"x"}], unreduced={"y"}>)"},
          {R"(<["x"=2, "y"=4]>)", "devices=[2,4]<=[8] last_tile_dims={manual}", 1,
           R"(<@m, [{"x"}]> manual {"y"})"},
          {R"(<["x"=2, "y"=4]>)", "manual", 2, R"(<@m, [{}, {}]> manual {"x", "y"})"},
          {R"(<["x"=2, "y"=4]>)", "unreduced", 1, R"(<@m, [{}], unreduced={"x", "y"}>)"},
          {R"(<["x"=2, "y"=4]>)", "replicated", 1, "<@m, [{}]>"},
          {R"(<["x"=2, "y"=4]>)", "maximal device=5", 2, "<mesh<[], device_ids=[5]>, []>"},
          {"<[], device_ids=[5]>", "maximal device=5", 2, "<@m, []>"},
          {"<[], device_ids=[0]>", "devices=[1,1]<=[1]", 2, "<@m, []>"},
          {R"(<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>)", "devices=[2,2]0,2,1,3", 2,
           R"(<@m, [{"x"}, {"y"}]>)"},
          {R"(<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>)", "devices=[2,2]<=[4]", 2,
           R"(<@m, [{"y"}, {"x"}]>)"},
          {R"(<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>)", "devices=[2,2]3,2,1,0", 2,
           R"(<@m, [{"x"}, {"y"}]>)"},
          {R"(<["o"=1, "x"=4]>)", "devices=[1,4]<=[4]", 2, R"(<@m, [{}, {"x"}]>)"},
      }));
  const MeshRef mesh{parse_mesh(mesh_text).value(), "m"};
  CAPTURE(mesh_text, text);
  CHECK(text_of(import_hlo_onto(hlo(text), rank, mesh)) == expected);
}

TEST_CASE("a GSPMD sharding that the given mesh cannot express is an error naming the device",
          "[hlo]") {
  const auto [mesh_text, text, expected] = GENERATE(table<std::string, std::string, std::string>({
      {R"(<["x"=2]>)", "devices=[4]<=[4]", "the sharding is over 4 devices, the mesh has 2"},
      {R"(<["x"=4]>)", "devices=[2,2]<=[4] last_tile_dims={manual}",
       "manual axes must be full mesh axes, not sub-axes, got: \"x\":(2)2"},
      {R"(<["x"=3, "y"=2]>)", "devices=[2,3]<=[6] last_tile_dim_replicate",
       "device 2 at index 2 of the device array is where no sharding over "
       "<[\"x\"=3, \"y\"=2]> has it"},
      {R"(<["x"=4]>)", "devices=[4]1,0,2,3",
       "device 1 at index 0 of the device array is where no sharding over <[\"x\"=4]> has it"},
      {R"(<["x"=4]>)", "devices=[4]0,1,3,2",
       "device 2 at index 3 of the device array is where no sharding over <[\"x\"=4]> has it"},
      {R"(<["x"=2, "y"=2], device_ids=[1, 0, 2, 3]>)", "devices=[4]<=[4]",
       "device 0 at index 0 of the device array is where no sharding over "
       "<[\"x\"=2, \"y\"=2], device_ids=[1, 0, 2, 3]> has it"},
      {R"(<["x"=2, "y"=6]>)", "devices=[12]<=[3,4]T(1,0)",
       "device 4 at index 1 of the device array is where no sharding over "
       "<[\"x\"=2, \"y\"=6]> has it"},
      {"<[], device_ids=[5]>", "devices=[1]<=[1]",
       "device 0 at index 0 of the device array is where no sharding over "
       "<[], device_ids=[5]> has it"},
  }));
  const MeshRef mesh{parse_mesh(mesh_text).value(), "m"};
  CAPTURE(mesh_text, text);
  CHECK(text_of(import_hlo_onto(hlo(text), 1, mesh)) == expected);
}

TensorSharding sharding(const Mesh& mesh, const std::string& dims_and_clauses) {
  return resolve(parse_sharding("<@m, " + dims_and_clauses + ">").value(), mesh).value();
}

std::string exported(const std::string& mesh_text, const std::string& text,
                     const Names& manual = {}) {
  const auto result = export_hlo(sharding(parse_mesh(mesh_text).value(), text), manual);
  return result ? to_string(*result) : result.error().message;
}

TEST_CASE("export_hlo writes the expected GSPMD text of each sharding", "[hlo]") {
  const std::string xy = R"(<["x"=2, "y"=4]>)";
  CHECK(exported(xy, R"([{"y":(2)2}, {"x"}])") ==
        "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}");
  CHECK(exported(xy, R"([{"x"}, {"y"}])") == "{devices=[2,4]<=[8]}");
  CHECK(exported(xy, R"([{"y"}, {"x"}])") == "{devices=[4,2]<=[2,4]T(1,0)}");
  CHECK(exported(xy, R"([{"x", ?}p1, {?}], replicated={"y"})") ==
        "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  CHECK(exported(xy, R"([{}, {}], replicated={"y"})") == "{replicated}");
  CHECK(exported(xy, R"([{"x"}], unreduced={"y":(1)2})") ==
        "{devices=[2,2,2]<=[8] last_tile_dims={unreduced, replicated}}");
  CHECK(exported(xy, R"([{"x"}], unreduced={"y"})") ==
        "{devices=[2,4]<=[8] last_tile_dims={unreduced}}");
  CHECK(exported(xy, R"([], unreduced={"x", "y"})") == "{unreduced}");
  CHECK(exported(xy, R"([{"y":(1)2}])", {"x"}) ==
        "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}");
  CHECK(exported(xy, "[{}]", {"y", "x"}) == "{manual}");
  CHECK(exported(R"(<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>)", R"([{"x"}])") ==
        "{devices=[2,2]0,2,1,3 last_tile_dim_replicate}");
  CHECK(exported(R"(<["o"=1, "x"=2]>)", R"([{"o"}, {"x"}])") == "{devices=[1,2]<=[2]}");
  CHECK(exported(R"(<["o"=1, "x"=2]>)", R"([{"o"}])") == "{replicated}");
  CHECK(exported("<[]>", "[{}]") == "{replicated}");
  CHECK(exported("<[], device_ids=[3]>", "[]") == "{maximal device=3}");
}

TEST_CASE("a sharding that GSPMD cannot express is an error", "[hlo]") {
  const std::string xy = R"(<["x"=2, "y"=4]>)";
  CHECK(exported(xy, R"([], unreduced=max{"x"})") ==
        "unreduced axes that are reduced by max have no HloSharding");
  CHECK(exported(xy, "[]", {"z"}) == "unknown manual axis: \"z\"");
  CHECK(exported(xy, R"([{"y":(1)2}])", {"y"}) ==
        "manual axis is also sharded or unreduced: \"y\"");
  CHECK(exported(xy, R"([], unreduced={"y":(1)2})", {"y"}) ==
        "manual axis is also sharded or unreduced: \"y\"");
}

TEST_CASE("shardings on a mesh of 2^40 devices are imported and exported", "[hlo]") {
  const int64_t side = int64_t{1} << 20;
  const Mesh mesh = Mesh::make({{"x", side}, {"y", side}}).value();
  const TensorSharding s = sharding(mesh, R"([{"y":(1)1024}, {"x"}])");
  const HloSharding exported_sharding = export_hlo(s).value();
  CHECK(to_string(exported_sharding) ==
        "{devices=[1024,1048576,1024]<=[1048576,1024,1024]T(1,0,2) last_tile_dim_replicate}");
  CHECK(import_hlo_onto(exported_sharding, 2, {mesh, "m"})->sharding == s);
  CHECK(import_hlo(exported_sharding, 2)->sharding.mesh().num_devices() == side * side);
}

/// For each device its index along each dim of the array, the last one minor; by counting on.
std::map<int64_t, std::vector<int64_t>> indices_of_devices(const DeviceArray& array) {
  std::map<int64_t, std::vector<int64_t>> result;
  std::vector<int64_t> index(array.tile().size(), 0);
  for (int64_t flat = 0; flat < array.num_devices(); ++flat) {
    result[array.device_at(flat)] = index;
    for (std::size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < array.tile()[dim]) break;
      index[dim] = 0;
    }
  }
  return result;
}

std::vector<int64_t> some_device_ids(int64_t count, std::size_t variant) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(i);
  if (variant == 1) std::reverse(ids.begin(), ids.end());
  if (variant == 2) std::rotate(ids.begin(), ids.begin() + 1, ids.end());
  return variant == 0 ? std::vector<int64_t>{} : ids;
}

/// The tile position of each device, which an exported sharding keeps.
void check_exported(const TensorSharding& s, const HloSharding& exported_sharding) {
  CHECK(parse_hlo_sharding(to_string(exported_sharding)) == exported_sharding);
  if (exported_sharding.kind() != HloSharding::Kind::Tiled) {
    CHECK(s.is_fully_replicated());
    return;
  }
  const auto tiles = indices_of_devices(exported_sharding.devices());
  for (int64_t position = 0; position < s.mesh().num_devices(); ++position) {
    const auto tile = tiles.at(s.mesh().device_at(position));
    CHECK(
        std::vector<int64_t>(tile.begin(), tile.begin() + static_cast<std::ptrdiff_t>(s.rank())) ==
        shard_indices(s, position));
  }
}

TEST_CASE("exported shardings place the same data, and reading them returns the sharding",
          "[hlo][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(8)) {
    for (const std::size_t variant : {0U, 1U, 2U}) {
      const auto ids = some_device_ids(product(sizes), variant);
      const Mesh mesh = shardy_test::mesh_of_sizes(sizes, ids);
      shardy_test::for_each_sharding(mesh, 2, [&](const TensorSharding& s) {
        CAPTURE(s, mesh);
        const HloSharding result = export_hlo(s).value();
        check_exported(s, result);
        const Result<HloLayout> back = import_hlo_onto(result, 2, s.mesh_ref());
        REQUIRE(message_of(back) == "(no error)");
        CHECK(back->sharding == s);
        CHECK(back->manual.empty());
        const Result<HloLayout> alone = import_hlo(result, 2);
        REQUIRE(message_of(alone) == "(no error)");
        if (result.kind() == HloSharding::Kind::Tiled) {
          CHECK(layouts_equal(alone->sharding, s, std::vector<int64_t>{5, 12}));
          CHECK(export_hlo(alone->sharding)->devices().canonical() == result.devices().canonical());
        }
      });
    }
  }
}

TEST_CASE("exported unreduced and manual axes are read back", "[hlo][law]") {
  const Mesh mesh = shardy_test::mesh_of_sizes({2, 3, 4});
  for (const AxisList& unreduced : shardy_test::axis_lists(mesh)) {
    if (!std::ranges::is_sorted(unreduced)) continue;
    for (int32_t dim_axis = 0; dim_axis < 3; ++dim_axis) {
      const AxisList dim = {mesh.full_axis(dim_axis)};
      if (!shardy_test::fit_together(dim, unreduced)) continue;
      for (int32_t manual_axis = 0; manual_axis < 3; ++manual_axis) {
        const AxisList manual = {mesh.full_axis(manual_axis)};
        const bool is_free = shardy_test::fit_together(manual, unreduced) && manual != dim;
        const TensorSharding s = TensorSharding::closed({mesh, "m"}, {dim}, unreduced);
        const Names names = {mesh.axis_name(manual_axis)};
        CAPTURE(s, names);
        const Result<HloSharding> result = export_hlo(s, names);
        CHECK(result.has_value() == is_free);
        if (!result) continue;
        CHECK(import_hlo_onto(*result, 1, {mesh, "m"}) == HloLayout{s, names});
      }
    }
  }
}

}  // namespace
}  // namespace shardy::hlo_sharding_test
