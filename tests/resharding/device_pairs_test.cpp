// Pairs of devices of a permute: each target gets the elements of its shard.
#include "shardy/resharding/device_pairs.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "support/catch.hpp"

namespace shardy::device_pairs_test {
namespace {

TensorSharding sharding(const Mesh& mesh, const std::string& text) {
  return TensorSharding::parse(mesh, text).value();
}

}  // namespace

TEST_CASE("a permute exchanges the shards of two axes", "[device_pairs]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}}).value();
  using Pairs = std::vector<SourceTargetPair>;
  CHECK(source_target_pairs(sharding(mesh, R"([{"x", "y"}])"), sharding(mesh, R"([{"y", "x"}])")) ==
        Pairs{{0, 0}, {2, 1}, {1, 2}, {3, 3}});
  const Mesh turned = Mesh::make({{"x", 2}, {"y", 2}}, {3, 2, 1, 0}).value();
  CHECK(
      source_target_pairs(sharding(mesh, R"([{"x", "y"}])"), sharding(turned, R"([{"x", "y"}])")) ==
      Pairs{{0, 3}, {1, 2}, {2, 1}, {3, 0}});
}

TEST_CASE("each target device of a permute receives its shard of the sharding",
          "[device_pairs][law]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}, {"z", 3}}).value();
  const std::vector<std::string> axes = {
      "", R"("x")", R"("y")", R"("z")", R"("x", "y")", R"("y", "x")", R"("x", "z")", R"("z", "y")"};
  std::vector<TensorSharding> all;
  for (const std::string& first : axes) {
    for (const std::string& second : axes) {
      auto each = TensorSharding::parse(mesh, "[{" + first + "}, {" + second + "}]");
      if (each) all.push_back(*std::move(each));
    }
  }
  const std::vector<int64_t> shape = {12, 12};
  int checked = 0;
  for (const TensorSharding& from : all) {
    for (const TensorSharding& to : all) {
      const auto pairs = source_target_pairs(from, to);
      const bool is_equal_shape = from.local_shape(shape) == to.local_shape(shape);
      CHECK(pairs.has_value() == is_equal_shape);
      if (!pairs) continue;
      std::set<int64_t> sources;
      std::set<int64_t> targets;
      for (const auto& [source, target] : *pairs) {
        CHECK(sources.insert(source).second);
        CHECK(targets.insert(target).second);
        CHECK(device_slice(from, shape, source) == device_slice(to, shape, target));
      }
      CHECK(sources.size() == 12);
      ++checked;
    }
  }
  CHECK(checked > 50);
}

TEST_CASE("a permute between shardings with different shards is an error", "[device_pairs]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 4}}).value();
  const auto refused = [](const TensorSharding& from, const TensorSharding& to) {
    return shardy_test::message_of(source_target_pairs(from, to));
  };
  CHECK(refused(sharding(mesh, R"([{"x"}])"), sharding(mesh, R"([{"y"}])")) ==
        "dim 0 has 2 and 4 shards; a permute keeps their number");
  CHECK(refused(sharding(mesh, R"([{"x"}])"), sharding(mesh, R"([{"x"}, {}])")) ==
        "the shardings have 1 and 2 dims");
  const Mesh other = Mesh::make({{"x", 2}}).value();
  CHECK(refused(sharding(mesh, R"([{"x"}])"), sharding(other, R"([{"x"}])")) ==
        "a permute needs two shardings on meshes of equal axes");
  CHECK(refused(sharding(mesh, R"([{}], unreduced={"x"})"), sharding(mesh, "[{}]")) ==
        "a permute keeps the number of partial values");
}

}  // namespace shardy::device_pairs_test
