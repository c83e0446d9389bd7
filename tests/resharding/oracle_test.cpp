#include <cstdint>
#include <shardy/resharding/step.hpp>
#include <string>
#include <vector>

#include "resharding/data_oracle.hpp"
#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

// The oracle itself, against the numbers of the specification.
namespace shardy::testing::oracle_test {
namespace {

using Shape = std::vector<int64_t>;
using oracle::Buffers;
using oracle::Digits;
using oracle::Pairing;

/// The group of the device at position 0, then the next one that is not in it, and so on.
std::vector<Shape> groups(const Mesh& mesh, const AxisList& axes) {
  const Digits digits(mesh);
  std::vector<Shape> result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    if (digits.index(position, axes) != 0) continue;
    Shape group;
    for (int64_t member = 0; member < oracle::count(axes); ++member) {
      const int64_t at = digits.with_index(position, axes, member);
      group.push_back(mesh.device_ids().empty() ? at : mesh.device_ids()[static_cast<size_t>(at)]);
    }
    result.push_back(group);
  }
  return result;
}

// Spec: resharding B.1.
TEST_CASE("oracle: groups equal those of the specification", "[resharding][oracle]") {
  const Mesh mesh = make_mesh({2, 4, 2});
  const std::vector<Shape> halves = groups(mesh, {{1, 2, 2}});
  REQUIRE(halves.size() == 8);
  CHECK(halves[0] == Shape{0, 2});
  CHECK(halves[1] == Shape{1, 3});
  CHECK(halves[2] == Shape{4, 6});
  CHECK(halves[4] == Shape{8, 10});
  CHECK(groups(mesh, {{2, 1, 2}, {0, 1, 2}}) ==
        std::vector<Shape>{{0, 8, 1, 9}, {2, 10, 3, 11}, {4, 12, 5, 13}, {6, 14, 7, 15}});
  const Mesh shuffled = make_mesh({2, 2}, {3, 1, 2, 0});
  CHECK(groups(shuffled, {{0, 1, 2}}) == std::vector<Shape>{{3, 2}, {1, 0}});
  CHECK(groups(shuffled, {{1, 1, 2}, {0, 1, 2}}) == std::vector<Shape>{{3, 2, 1, 0}});
}

// Spec: resharding B.2.
TEST_CASE("oracle: permutes pair devices as in the specification", "[resharding][oracle]") {
  const MeshTable table = mesh_and_reverse({{"a", 2}, {"b", 4}, {"c", 2}});
  const auto sources = oracle::permute_sources(
      read_sharding(table, R"(<@m, [{"a"}, {"b"}]>)"),
      read_sharding(table, R"(<@m, [{"b":(1)2}, {"a", "b":(2)2}]>)"), Pairing::CarriesPartials);
  CHECK(sources == std::vector<std::size_t>{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15});

  const TensorSharding from =
      TensorSharding::closed({make_mesh({2, 2}), "m"}, {{{0, 1, 2}}, {{1, 1, 2}}});
  const TensorSharding to = from.with_mesh({make_mesh({2, 2}, {3, 1, 2, 0}), "n"});
  CHECK(oracle::permute_sources(from, to, Pairing::CarriesPartials) ==
        std::vector<std::size_t>{3, 1, 2, 0});
}

// Spec: algebra 8, example A.
TEST_CASE("oracle: a layout places blocks as in the specification", "[resharding][oracle]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 4}});
  const Buffers buffers =
      oracle::layout({8, 8}, read_sharding(table, R"(<@m, [{"y":(2)2}, {"x", "y":(1)2}]>)"));
  REQUIRE(buffers.front().shape == Shape{4, 2});
  const Shape firsts = {0, 32, 2, 34, 4, 36, 6, 38};  // row * 8 + column
  for (std::size_t device = 0; device < firsts.size(); ++device) {
    CHECK(buffers[device].data.front() == firsts[device]);
  }
}

TEST_CASE("oracle: wrong data is detected", "[resharding][oracle]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 2}});
  const Shape shape = {4, 4};
  const TensorSharding sharding = read_sharding(table, R"(<@m, [{"x"}, {}]>)");
  Buffers buffers = oracle::layout(shape, sharding);
  CHECK(oracle::holds(shape, sharding, buffers));
  CHECK_FALSE(oracle::holds(shape, read_sharding(table, R"(<@m, [{"y"}, {}]>)"), buffers));
  CHECK_FALSE(oracle::holds(shape, read_sharding(table, R"(<@m, [{}, {"x"}]>)"), buffers));
  CHECK_FALSE(
      oracle::holds(shape, read_sharding(table, R"(<@m, [{"x"}, {}], unreduced={"y"}>)"), buffers));
  ++buffers[3].data[5];
  CHECK_FALSE(oracle::holds(shape, sharding, buffers));
}

// Spec: resharding B.2, dialect 4.7: "law" and "identity" lines.
TEST_CASE("oracle: collectives satisfy the identities of the specification",
          "[resharding][oracle][law]") {
  const Mesh mesh = make_mesh({2, 4, 2});
  const Digits digits(mesh);
  const Shape shape = {16, 16};
  const AxisList axes = {{2, 1, 2}, {1, 2, 2}};
  const TensorSharding sharding = TensorSharding::closed({mesh, "m"}, {{{0, 1, 2}}, {{1, 1, 2}}});
  const Buffers x = oracle::layout(shape, sharding);
  const Buffers sliced = oracle::slice(x, digits, 1, axes);
  CHECK(oracle::gather(sliced, digits, 1, axes) == x);
  CHECK(oracle::exchange(sliced, digits, {axes, 1, 0}, {{0, 1, 2}, {2, 1, 2}, {1, 2, 2}}) ==
        oracle::slice(x, digits, 0, axes));
  CHECK(oracle::reduce(oracle::make_partial(x, digits, axes), digits, axes, ReductionOp::Sum) == x);
  CHECK(oracle::reduce(oracle::enlarge(sliced, digits, 1, axes), digits, axes, ReductionOp::Sum) ==
        x);
}

// The pairing of resharding B.2 and dialect 4.7 numbers the axes that no dim uses in mesh order,
// unreduced ones among them; a partial value then lands where another part of its sum belongs.
TEST_CASE("a permute must pair devices by their unreduced axes", "[resharding][oracle]") {
  const MeshTable table = mesh_and_reverse({{"a", 2}, {"u", 2}, {"b", 2}});
  const Shape shape = {4};
  const TensorSharding from = read_sharding(table, R"(<@m, [{"a"}], unreduced={"u"}>)");
  const TensorSharding to = read_sharding(table, R"(<@m, [{"b"}], unreduced={"u"}>)");
  const Buffers before = oracle::layout(shape, from);
  CHECK_FALSE(oracle::holds(shape, to, oracle::permute(before, from, to, Pairing::Literal)));
  CHECK(oracle::holds(shape, to, oracle::permute(before, from, to, Pairing::CarriesPartials)));
}

}  // namespace
}  // namespace shardy::testing::oracle_test
