#include <shardy/algebra/hlo_sharding.hpp>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "support/catch.hpp"

namespace shardy::hlo_text_test {
namespace {

using shardy_test::located_message_of;
using shardy_test::message_of;
using Ints = std::vector<int64_t>;

TEST_CASE("canonical text of GSPMD shardings prints as it was read", "[hlo]") {
  const std::string text = GENERATE(
      "{replicated}", "{manual}", "{unreduced}", "{unknown}", "{maximal device=3}",
      "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "{devices=[2,2,2]<=[4,2]T(1,0)}",
      "{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}", "{devices=[2,2]0,2,1,3}",
      "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}",
      "{devices=[2]<=[2] last_tile_dims={unreduced}}", "{replicated shard_as 1}",
      "{devices=[4]<=[4] shard_like 2 metadata={op_name=\"a//b}\\\"{\" {nested}}}",
      "{maximal device=0 metadata={}}", "{}", "{{replicated}, {maximal device=1}}", "{{}, {{}}}");
  const Result<HloSharding> sharding = parse_hlo_sharding(text);
  CAPTURE(text);
  REQUIRE(located_message_of(sharding) == "(no error)");
  CHECK(to_string(*sharding) == text);
  CHECK(parse_hlo_sharding(to_string(*sharding)) == *sharding);
}

TEST_CASE("other spellings of a GSPMD sharding print in the canonical form", "[hlo]") {
  const auto printed = [](const std::string& text) {
    return to_string(parse_hlo_sharding(text).value());
  };
  CHECK(printed(" { devices = [2, 2] <= [4] T(0) last_tile_dims = {replicated} }") ==
        "{devices=[2,2]<=[4] last_tile_dim_replicate}");
  CHECK(printed("{ {replicated} ,{} }") == "{{replicated}, {}}");
}

TEST_CASE("errors in GSPMD shardings have a location and a message", "[hlo]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"", "1:1: expected '{', found end of text"},
      {"{sharded}", "1:2: expected a sharding, found 'sharded'"},
      {"{maximal}", "1:9: expected 'device', found '}'"},
      {"{maximal device=-1}", "1:2: device id must be non-negative, got: -1"},
      {"{devices=2}", "1:10: expected '[', found '2'"},
      {"{devices=[]<=[2]}", "1:11: expected an integer, found ']'"},
      {"{devices=[2]}", "1:13: expected an integer, found '}'"},
      {"{devices=[2]0,1,}", "1:17: expected an integer, found '}'"},
      {"{devices=[2,0]<=[2]}", "1:10: tile sizes must be at least 1, got: 0"},
      {"{devices=[2]<=[2,-1]}", "1:10: reshape sizes must be at least 1, got: -1"},
      {"{devices=[4294967296,4294967296]<=[2]}",
       "1:10: product of tile sizes doesn't fit in 64 bits"},
      {"{devices=[2]<=[4294967296,4294967296]}",
       "1:10: product of reshape sizes doesn't fit in 64 bits"},
      {"{devices=[2,2]<=[8]}",
       "1:10: product of tile sizes must match the number of devices, got: 4 != 8"},
      {"{devices=[2,2]0,1}",
       "1:10: product of tile sizes must match the number of devices, got: 4 != 2"},
      {"{devices=[2]1,1}", "1:10: devices must be 0 to 1 once each, got: 1, 1"},
      {"{devices=[4]<=[2,2]T(0)}",
       "1:10: transpose must be a permutation of the 2 reshape dims, got: 0"},
      {"{devices=[4]<=[2,2]T(0,0)}",
       "1:10: transpose must be a permutation of the 2 reshape dims, got: 0, 0"},
      {"{devices=[4]<=[2,2]T()}", "1:22: expected an integer, found ')'"},
      {"{devices=[4]<=[4] last_tile_dims={replicated, manual}}",
       "1:2: last_tile_dims names 2 dims, the tile has 1"},
      {"{devices=[4]<=[4] last_tile_dims={}}",
       "1:35: expected 'replicated', 'manual' or 'unreduced', found '}'"},
      {"{replicated shard_as x}", "1:22: expected an integer, found 'x'"},
      {"{replicated metadata={{}", "1:23: expected '}' at the end of the metadata"},
      {"{replicated metadata={\"}", "1:23: expected '}' at the end of the metadata"},
      {"{replicated} x", "1:14: expected end of text, found 'x'"},
      {"{replicated, manual}", "1:12: expected '}', found ','"},
      {"{{replicated}", "1:14: expected ',' or '}', found end of text"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(parse_hlo_sharding(text)) == message);
}

std::string nested(std::size_t depth) { return std::string(depth, '{') + std::string(depth, '}'); }

TEST_CASE("nested tuples of shardings have a limit of 64 levels", "[hlo]") {
  CHECK(to_string(parse_hlo_sharding(nested(64)).value()) == nested(64));
  CHECK(located_message_of(parse_hlo_sharding(nested(65))) ==
        "1:65: tuples of shardings are nested more than 64 deep");
  CHECK_FALSE(parse_hlo_sharding(std::string(1000000, '{')));
  CHECK(message_of(HloSharding::tuple({parse_hlo_sharding(nested(64)).value()})) ==
        "tuples of shardings are nested more than 64 deep");
}

TEST_CASE("a tuple sharding cannot have a shard group or metadata", "[hlo]") {
  const HloSharding tuple = HloSharding::tuple({HloSharding()}).value();
  CHECK(message_of(tuple.with_group({})) == "a tuple of shardings has no shard group");
  CHECK(message_of(tuple.with_metadata("")) == "a tuple of shardings has no metadata");
  CHECK(message_of(HloSharding().with_metadata("}{")) ==
        "metadata is not balanced in braces and quotes: }{");
  CHECK(message_of(HloSharding().with_metadata("a\\")) == "(no error)");
}

TEST_CASE("equality of GSPMD shardings compares every field", "[hlo]") {
  const std::vector<std::string> texts = {"{replicated}",
                                          "{manual}",
                                          "{maximal device=1}",
                                          "{maximal device=2}",
                                          "{devices=[2,2]<=[4]}",
                                          "{devices=[4]<=[4]}",
                                          "{devices=[4]<=[2,2]}",
                                          "{devices=[4]<=[2,2]T(1,0)}",
                                          "{devices=[4]0,1,2,3}",
                                          "{devices=[4]<=[4] last_tile_dim_replicate}",
                                          "{devices=[4]<=[4] last_tile_dims={manual}}",
                                          "{replicated shard_as 1}",
                                          "{replicated shard_like 1}",
                                          "{replicated metadata={}}",
                                          "{}",
                                          "{{replicated}}",
                                          "{{manual}}"};
  std::unordered_set<HloSharding> all;
  for (const std::string& left : texts) {
    const HloSharding a = parse_hlo_sharding(left).value();
    all.insert(a);
    all.insert(a);
    for (const std::string& right : texts) {
      CAPTURE(left, right);
      const HloSharding b = parse_hlo_sharding(right).value();
      CHECK((a == b) == (left == right));
      CHECK((a < b) != (b <= a));
    }
  }
  CHECK(all.size() == texts.size());
}

/// The devices as nested loops over the transposed dims fill them in, at most three.
Ints model_devices(const Ints& reshape, const Ints& transpose) {
  const auto at = [](const Ints& list, std::size_t i) { return i < list.size() ? list[i] : 0; };
  Ints numbered;  // iota, in the order of the reshape
  Ints result;
  const std::size_t rank = reshape.size();
  std::vector<int64_t> counter(rank, 0);
  const auto size_of = [&](std::size_t i) {
    return i < rank ? reshape[static_cast<std::size_t>(at(transpose, i))] : 1;
  };
  for (int64_t a = 0; a < size_of(0); ++a) {
    for (int64_t b = 0; b < size_of(1); ++b) {
      for (int64_t c = 0; c < size_of(2); ++c) {
        const Ints loops = {a, b, c};
        for (std::size_t i = 0; i < rank; ++i) {
          counter[static_cast<std::size_t>(transpose[i])] = loops[i];
        }
        int64_t device = 0;
        for (std::size_t i = 0; i < rank; ++i) device = device * reshape[i] + counter[i];
        result.push_back(device);
      }
    }
  }
  return result;
}

TEST_CASE("a device array lists the same devices in its iota and its explicit spelling",
          "[hlo][law]") {
  const std::vector<Ints> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const Ints& shape :
       {Ints{2, 3, 4}, Ints{2, 2, 2}, Ints{1, 6, 2}, Ints{3, 1, 1}, Ints{1, 1, 1}}) {
    for (const Ints& order : orders) {
      const Ints tile = {shape[0] * shape[1] * shape[2]};
      const DeviceArray array = DeviceArray::iota(tile, shape, order).value();
      const Ints devices = model_devices(shape, order);
      const DeviceArray list = DeviceArray::list(tile, devices).value();
      CAPTURE(array);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto index = static_cast<int64_t>(i);
        CHECK(array.device_at(index) == devices[i]);
        CHECK(list.device_at(index) == devices[i]);
        CHECK(array.canonical().device_at(index) == devices[i]);
      }
      CHECK(array.canonical() == list.canonical());
      CHECK(array.canonical().canonical() == array.canonical());
      CHECK_FALSE(list.canonical().is_list());
    }
  }
}

TEST_CASE("the canonical spelling is the shortest", "[hlo]") {
  const auto canonical = [](const Ints& reshape, const Ints& order) {
    return to_string(DeviceArray::iota({24}, reshape, order)->canonical());
  };
  CHECK(canonical({2, 3, 4}, {0, 1, 2}) == "[24]<=[24]");
  CHECK(canonical({2, 3, 4}, {2, 0, 1}) == "[24]<=[6,4]T(1,0)");
  CHECK(canonical({2, 3, 4}, {2, 1, 0}) == "[24]<=[2,3,4]T(2,1,0)");
  CHECK(canonical({1, 24, 1}, {2, 1, 0}) == "[24]<=[24]");
  CHECK(to_string(DeviceArray::list({4}, {0, 2, 1, 3})->canonical()) == "[4]<=[2,2]T(1,0)");
  CHECK(to_string(DeviceArray::list({4}, {0, 1, 3, 2})->canonical()) == "[4]0,1,3,2");
  CHECK(to_string(DeviceArray::list({4}, {1, 0, 2, 3})->canonical()) == "[4]1,0,2,3");
  CHECK(to_string(DeviceArray::list({6}, {0, 1, 2, 3, 5, 4})->canonical()) == "[6]0,1,2,3,5,4");
}

TEST_CASE("a device list is canonical as an iota only if an iota gives the same list",
          "[hlo][law]") {
  for (const Ints& shape : {Ints{2}, Ints{3}, Ints{4}, Ints{5}, Ints{6}}) {
    std::vector<Ints> iotas;
    const std::vector<Ints> reshapes = {{1, shape[0]}, {2, shape[0] / 2}, {3, shape[0] / 3}};
    for (const Ints& reshape : reshapes) {
      if (reshape[0] * reshape[1] != shape[0]) continue;
      iotas.push_back(model_devices(reshape, {0, 1}));
      iotas.push_back(model_devices(reshape, {1, 0}));
    }
    Ints devices = iotas[0];
    do {
      const DeviceArray list = DeviceArray::list(shape, devices).value();
      const bool is_iota = std::ranges::find(iotas, devices) != iotas.end();
      CAPTURE(list);
      CHECK(list.canonical().is_list() != is_iota);
    } while (std::next_permutation(devices.begin(), devices.end()));
  }
}

}  // namespace
}  // namespace shardy::hlo_text_test
