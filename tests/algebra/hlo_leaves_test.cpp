// Shardings in XLA's texts and protobuf messages, and the common mesh of device arrays. Spec:
// interop 2, 5.2, 5.3.
#include <algorithm>
#include <numeric>
#include <shardy/algebra/detail/hlo_leaves.hpp>
#include <shardy/algebra/detail/hlo_mesh.hpp>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace shardy::hlo_leaves_test {
namespace {

using Numbers = std::vector<int64_t>;

std::string text_of(const HloLeaf& leaf) {
  return std::visit([](const auto& sharding) { return to_string(sharding); }, leaf);
}

std::string read(const std::string& text) {
  const Result<HloLeaves> leaves = parse_hlo_leaves(text);
  if (!leaves) return leaves.error().message;
  std::string all = leaves->is_tuple ? "tuple" : "";
  for (const HloLeaf& leaf : leaves->leaves) all += (all.empty() ? "" : " ") + text_of(leaf);
  return all;
}

/// Returns the bytes of a text of hex digits.
std::string bytes(const std::string& hex) {
  std::string all;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    all += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return all;
}

TEST_CASE("GSPMD sharding text of all versions is read, with comments and metadata", "[interop]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"{replicated}", "{replicated}"},
      {" { devices = [2,2] <= [4] }", "{devices=[2,2]<=[4]}"},
      {"{{replicated}, {manual}, /*index=5*/{maximal device=1}}",
       "tuple {replicated} {manual} {maximal device=1}"},
      {"{unknown shard_as 3}", "{unknown shard_as 3}"},
      {"{devices=[2]<=[2] metadata={op_type=\"a/*b\" op_name=\"}\"}}",
       "{devices=[2]<=[2] metadata={op_type=\"a/*b\" op_name=\"}\"}}"},
      {"{mesh['x'=2,'y'=4], [{'x', ?}, {'y':(2)2}], replicated={'y':(1)2}}",
       "{mesh['x'=2,'y'=4], [{'x', ?}, {'y':(2)2}], replicated={'y':(1)2}}"},
      {"{mesh[x=2,y=4], [{x}, {?}], unreduced=max{y}}",
       "{mesh['x'=2,'y'=4], [{'x'}, {?}], unreduced=max{'y'}}"},
      {"{mesh['a b'=2], device_ids=(1,0), manual}", "{mesh['a b'=2], device_ids=(1,0), manual}"},
      {"{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{}], metadata={{a={b}}}}",
       "{mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{}]}"},
      {"{mesh[], replicated}", "{mesh[], replicated}"},
      {"{single_device[device_id=3]}", "{single_device[device_id=3]}"},
      {"{maximal_mesh[device_id=3]}", "{single_device[device_id=3]}"},
      {"{{mesh['x'=2], [{'x'}]}, {replicated}}", "tuple {mesh['x'=2], [{'x'}]} {replicated}"},
      // Unsupported forms.
      {"{maximal}", "expected 'device', found '}'"},
      {"{mesh['x'=2], [{'x'}], replicatd={'x'}}", "unknown part of a sharding: replicatd"},
      {"{mesh['x'=2,'x'=2], [{'x'}]}", "duplicate axis name: \"x\""},
      {"{mesh['x'=2], [{?, 'x'}]}", "expected '}' after '?', found '''"},
      {"{replicated} x", "expected end of text, found 'x'"},
      {"replicated", "neither text nor a sharding message"},
  }));
  CAPTURE(text);
  CHECK(read(text) == expected);
}

TEST_CASE("a serialized OpSharding in quotes reads as the sharding that it encodes", "[interop]") {
  const auto [hex, expected] = GENERATE(table<std::string, std::string>({
      {"", "{replicated}"},
      {"08031A02020122020001", "{devices=[2,1]0,1}"},
      {"0803"
       "1802"
       "1801"
       "2000"
       "2001",
       "{devices=[2,1]0,1}"},  // numbers one by one
      {"08031A0302010230014A0104520100", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
      {"08031A020202420104220400010203", "{devices=[2,2]0,1,2,3 last_tile_dims={manual}}"},
      {"08042001", "{manual}"},
      {"0805", "{unknown}"},
      {"0806", "{unreduced}"},
      {"08012203", "neither text nor a sharding message"},
      {"0801220103", "{maximal device=3}"},
      {"0802"
       "2A00"
       "2A020804",
       "tuple {replicated} {manual}"},
      {"0805"
       "5801"
       "6003"
       "6801",
       "{unknown shard_like 3}"},
      {"F201"
       "00"
       "0804",
       "{manual}"},  // an unknown field comes first
      // {mesh['x'=2,'y'=4], [{'x'}, {'y':(2)2, ?}]}
      {"7224"
       "120E"
       "0A050A01781002"
       "0A050A01791004"
       "1A06"
       "0A02"
       "0800"
       "1001"
       "1A0A"
       "0A08"
       "0801"
       "120408021002",
       "{mesh['x'=2,'y'=4], [{'x'}, {'y':(2)2, ?}]}"},
      {"0807", "the sharding message is of unknown type 7"},
      {"08032000", "a tiled sharding has dims"},
      {"08034A0101", "a tiled sharding has dims"},
  }));
  CAPTURE(hex);
  CHECK(read(bytes(hex)) == expected);
}

TEST_CASE("the metadata of a sharding gives the reduction of pending values", "[interop]") {
  const auto reduction = [](const std::string& metadata) {
    const auto hlo = HloSharding::unreduced().with_metadata(metadata);
    const Result<ReductionOp> op = reduction_of_metadata(hlo.value());
    return op ? std::string(to_string(*op)) : op.error().message;
  };
  CHECK(reduction(R"(op_type="x")") == "sum");
  CHECK(reduction(R"(op_type="sdy::reduction_op" op_name="MAX")") == "max");
  CHECK(reduction(R"({op_name="MAX"}, {op_name="MIN" op_type="sdy::reduction_op"})") == "min");
  CHECK(reduction(R"(op_type="sdy::reduction_op" op_name="XOR")") ==
        "unknown kind of reduction: \"XOR\"");
}

// ---- Device arrays ------------------------------------------------------------------------------

/// Adds all lists that continue `now` to `count` factors, the new ones with the product `n`.
/// `least` is the least factor; only tiles have factors of 1.
void add_products(int64_t n, std::size_t count, int64_t least, Numbers now,
                  std::vector<Numbers>& all) {
  if (now.size() == count) {
    if (n == 1) all.push_back(now);
    return;
  }
  for (int64_t factor = least; factor <= n; ++factor) {
    if (n % factor != 0) continue;
    Numbers next = now;
    next.push_back(factor);
    add_products(n / factor, count, least, next, all);
  }
}

std::vector<Numbers> products(int64_t n, int64_t least) {
  std::vector<Numbers> all;
  for (std::size_t count = 1; count <= 3; ++count) add_products(n, count, least, {}, all);
  return all;
}

/// Returns the devices of `<=[shape]T(order)`, by counting.
Numbers iota_of(const Numbers& shape, const Numbers& order) {
  const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  Numbers devices;
  for (int64_t flat = 0; flat < n; ++flat) {
    Numbers index(shape.size());
    int64_t rest = flat;
    for (std::size_t at = order.size(); at-- > 0;) {
      const auto dim = static_cast<std::size_t>(order[at]);
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    int64_t device = 0;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) device = device * shape[dim] + index[dim];
    devices.push_back(device);
  }
  return devices;
}

struct Case {
  Numbers tile, shape, order, devices;

  std::string text() const { return to_string(DeviceArray::iota(tile, shape, order).value()); }
};

std::vector<Case> cases_of(int64_t n) {
  std::vector<Case> all;
  for (const Numbers& tile : products(n, 1)) {
    for (const Numbers& shape : products(n, 2)) {
      Numbers order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        all.push_back({tile, shape, order, iota_of(shape, order)});
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
  return all;
}

/// Returns, for each device, its slice of a tensor with one element per
/// tile.
std::vector<Numbers> slices(const Case& each) {
  std::vector<Numbers> held(each.devices.size());
  for (std::size_t flat = 0; flat < each.devices.size(); ++flat) {
    Numbers index;
    auto rest = static_cast<int64_t>(flat);
    for (std::size_t dim = each.tile.size(); dim-- > 0;) {
      index.insert(index.begin(), rest % each.tile[dim]);
      rest /= each.tile[dim];
    }
    held[static_cast<std::size_t>(each.devices[flat])] = index;
  }
  return held;
}

std::vector<Numbers> slices(const TensorSharding& sharding, const Numbers& tile) {
  std::vector<Numbers> held(static_cast<std::size_t>(sharding.mesh().num_devices()));
  for (int64_t position = 0; position < sharding.mesh().num_devices(); ++position) {
    Numbers index;
    for (const Range& range : device_slice(sharding, tile, position)) {
      index.push_back(range.begin);
    }
    held[static_cast<std::size_t>(sharding.mesh().device_at(position))] = index;
  }
  return held;
}

void check_meaning(const DeviceArray& array, const Case& each) {
  const auto mesh = common_hlo_mesh(std::vector{array});
  REQUIRE(mesh.has_value());
  const auto layout =
      import_hlo_onto(HloSharding::tiled(array).value(), each.tile.size(), {*mesh, std::nullopt});
  REQUIRE(layout.has_value());
  CHECK(slices(layout->sharding, each.tile) == slices(each));
}

TEST_CASE("each device array gets a mesh on which its sharding has the same meaning",
          "[interop][law]") {
  const int64_t n = GENERATE(2, 3, 4, 6, 8, 12);
  for (const Case& each : cases_of(n)) {
    CAPTURE(each.text());
    check_meaning(DeviceArray::iota(each.tile, each.shape, each.order).value(), each);
    check_meaning(DeviceArray::list(each.tile, each.devices).value(), each);
  }
}

/// Returns the sizes of the finest meshes of `n` devices: the prime factors of n, in each order.
std::vector<Numbers> finest_meshes(int64_t n) {
  Numbers primes;
  for (int64_t factor = 2; n > 1;) {
    if (n % factor == 0) {
      primes.push_back(factor);
      n /= factor;
    } else {
      ++factor;
    }
  }
  std::vector<Numbers> all;
  do {
    all.push_back(primes);
  } while (std::next_permutation(primes.begin(), primes.end()));
  return all;
}

/// Checks whether the devices are those of the mesh with its axes in some order, and no dim of the
/// tile ends within an axis.
bool has_axes_of(const Numbers& mesh, const Case& each) {
  Numbers order(mesh.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    if (iota_of(mesh, order) != each.devices) continue;
    std::size_t next = 0;
    bool fits = true;
    for (const int64_t tile : each.tile) {
      int64_t taken = 1;
      while (taken < tile && next < order.size()) {
        taken *= mesh[static_cast<std::size_t>(order[next++])];
      }
      fits = fits && taken == tile;
    }
    if (fits) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST_CASE("a common mesh of two device arrays is found whenever one exists", "[interop][law]") {
  const int64_t n = GENERATE(4, 6, 8, 12);
  const std::vector<Case> all = cases_of(n);
  const std::vector<Numbers> meshes = finest_meshes(n);
  std::vector<std::vector<bool>> fits;
  for (const Case& each : all) {
    std::vector<bool>& own = fits.emplace_back();
    for (const Numbers& mesh : meshes) own.push_back(has_axes_of(mesh, each));
  }
  const std::size_t step = all.size() > 200 ? 7 : 1;
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (std::ranges::find(fits[a], true) == fits[a].end()) continue;
    for (std::size_t b = a % step; b < all.size(); b += step) {
      if (std::ranges::find(fits[b], true) == fits[b].end()) continue;
      bool has_one = false;
      for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
        has_one = has_one || (fits[a][mesh] && fits[b][mesh]);
      }
      const DeviceArray one = DeviceArray::iota(all[a].tile, all[a].shape, all[a].order).value();
      const DeviceArray two = DeviceArray::list(all[b].tile, all[b].devices).value();
      const auto mesh = common_hlo_mesh(std::vector{one, two});
      const auto turned = common_hlo_mesh(std::vector{two, one});
      if (mesh.has_value() == has_one && mesh.has_value() == turned.has_value() &&
          (!mesh || *mesh == *turned)) {
        continue;
      }
      CAPTURE(all[a].text(), all[b].text(), has_one);
      CHECK(mesh.has_value() == has_one);
      CHECK(turned.has_value() == has_one);
    }
  }
}

TEST_CASE("device arrays in another device order get a mesh with that order", "[interop]") {
  const auto array = [](const std::string& text) {
    return parse_hlo_sharding("{devices=" + text + "}").value().devices();
  };
  const auto mesh = [&](const std::vector<DeviceArray>& arrays) {
    const auto found = common_hlo_mesh(arrays);
    return found ? to_string(*found) : std::string("none");
  };
  CHECK(mesh({array("[8,4]<=[32]"), array("[2,16]<=[32]"), array("[2,4,4]<=[32]")}) ==
        R"(<["_axis_0"=2, "_axis_1"=4, "_axis_2"=4]>)");
  CHECK(mesh({array("[2,4]0,4,1,5,2,6,3,7")}) == R"(<["_axis_0"=2, "_axis_1"=2, "_axis_2"=2]>)");
  CHECK(mesh({array("[4]0,1,3,2")}) == R"(<["_axis_0"=4], device_ids=[0, 1, 3, 2]>)");
  CHECK(mesh({array("[2,2]0,1,3,2"), array("[2,2]0,3,1,2")}) ==
        R"(<["_axis_0"=2, "_axis_1"=2], device_ids=[0, 1, 3, 2]>)");
  CHECK(mesh({array("[4]0,1,3,2"), array("[4]0,1,2,3")}) == "none");
  const auto conflict = common_hlo_mesh(std::vector{array("[3,2]<=[6]"), array("[2,3]<=[6]")});
  REQUIRE(!conflict.has_value());
  CHECK(conflict.error().kind == HloMeshConflict::Kind::Sizes);
  CHECK(conflict.error().first_sizes + " " + conflict.error().second_sizes == "3x2 2x3");
}

}  // namespace
}  // namespace shardy::hlo_leaves_test
