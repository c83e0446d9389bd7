#include <limits>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/catch.hpp"

namespace shardy::tensor_sharding_test {
namespace {

using shardy_test::message_of;
using Shape = std::vector<int64_t>;

constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

// Axes x, y, z of sizes 8, 2, 3.
const Mesh& mesh() {
  static const Mesh value = Mesh::make({{"x", 8}, {"y", 2}, {"z", 3}}).value();
  return value;
}

TensorSharding sharding(const std::string& dims_and_clauses) {
  return resolve(parse_sharding("<@m, " + dims_and_clauses + ">").value(), mesh()).value();
}

TEST_CASE("TensorSharding::make rejects invalid arguments", "[tensor_sharding]") {
  const DimSharding closed{{mesh().full_axis(0)}, true, std::nullopt};
  CHECK(TensorSharding::make(mesh(), "m", {closed}).value() == sharding("[{\"x\"}]"));
  CHECK(message_of(TensorSharding::make(mesh(), "m", {closed, closed})) ==
        "duplicate axis ref: \"x\"");
  CHECK(message_of(TensorSharding::make(mesh(), "m", {{{{3, 1, 2}}, true, std::nullopt}})) ==
        "axis index out of range: 3, num_axes: 3");
  CHECK(message_of(TensorSharding::make(mesh(), "m", {}, {{-1, 1, 2}})) ==
        "axis index out of range: -1, num_axes: 3");
  CHECK(message_of(TensorSharding::make(mesh(), "m", {{{{0, 1, 5}}, true, std::nullopt}})) ==
        "sub-axis next pre-size 5 doesn't divide the size of the full axis 8: \"x\":(1)5");
  // As large as the axis, but not at its beginning.
  CHECK(message_of(TensorSharding::make(mesh(), "m", {{{{0, 3, 8}}, true, std::nullopt}})) ==
        "sub-axis next pre-size 24 doesn't divide the size of the full axis 8: \"x\":(3)8");
  CHECK(message_of(TensorSharding::make(mesh(), "m", {}, {}, {{1, 0, 2}})) ==
        "sub-axis pre-size must be at least 1: \"y\":(0)2");
  CHECK(message_of(TensorSharding::make(mesh(), "m", {}, {{1, 1, 2}, {0, 1, 8}})) ==
        "replicated axes are not ordered w.r.t. mesh");
  CHECK(message_of(TensorSharding::make(*Mesh::maximal(0), "m", {closed.drop_front(1)})) ==
        "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced "
        "axes");
}

TEST_CASE("sharding equality compares every field, and named against inlined meshes",
          "[tensor_sharding]") {
  const TensorSharding a = sharding("[{\"x\"}]");
  CHECK(a == sharding("[{\"x\"}]"));
  CHECK(a != sharding("[{\"x\", ?}]"));
  CHECK(a != sharding("[{\"x\"}p0]"));
  CHECK(a != sharding("[{\"x\"}], replicated={\"y\"}"));
  CHECK(a != a.with_inlined_mesh());
  CHECK(a != a.with_mesh({mesh(), "n"}));
  const TensorSharding sum = sharding("[], unreduced={\"y\"}");
  CHECK(sum != sharding("[], unreduced=max{\"y\"}"));
  CHECK(std::unordered_set<TensorSharding>{a, sharding("[{\"x\"}]"), sum}.size() == 2);
  CHECK(((a <=> sharding("[{\"x\"}]")) == 0));
  CHECK(((a <=> sum) != 0));
}

TEST_CASE("a reduction op without unreduced axes is Sum", "[tensor_sharding]") {
  CHECK(TensorSharding::make(mesh(), "m", {}, {}, {}, ReductionOp::Max)->reduction_op() ==
        ReductionOp::Sum);
  CHECK(sharding("[], unreduced=max{\"y\"}").with_unreduced({}) == sharding("[]"));
}

TEST_CASE("queries of algebra 5.2 on a sharding return the expected values", "[tensor_sharding]") {
  const TensorSharding s =
      sharding("[{\"y\", \"x\":(1)2}, {?}], replicated={\"x\":(2)2}, unreduced={\"x\":(4)2}");
  CHECK(s.rank() == 2);
  CHECK(s.is_closed(0));
  CHECK_FALSE(s.is_closed(1));
  CHECK_FALSE(s.is_fully_closed());
  CHECK_FALSE(s.is_fully_replicated());
  CHECK(s.is_bound(0));
  CHECK_FALSE(s.is_bound(2));
  CHECK(s.can_shard(1, 2));
  CHECK_FALSE(s.can_shard(0, 2));
  CHECK_FALSE(s.can_shard(1, 0));
  CHECK(s.can_replicate(2));
  CHECK_FALSE(s.can_replicate(0));
  AxisList seen;
  s.for_each_axis([&](const AxisRef& ref) { seen.push_back(ref); });
  CHECK(seen == AxisList{{1, 1, 2}, {0, 1, 2}, {0, 2, 2}, {0, 4, 2}});
  const auto is_unreduced = [](const AxisRef& ref) { return ref == AxisRef{0, 4, 2}; };
  CHECK(s.any_axis(is_unreduced));
  CHECK_FALSE(s.any_dim_or_replicated_axis(is_unreduced));
  // Split at the refs of the dims and the unreduced axes, not at the replicated ones.
  CHECK(s.ordered_axis_refs() == AxisList{{0, 1, 2}, {0, 2, 2}, {0, 4, 2}, {1, 1, 2}, {2, 1, 3}});
}

TEST_CASE("predicates for replicated and open shardings ignore unreduced axes",
          "[tensor_sharding]") {
  const TensorSharding s = sharding("[{?}, {?}], replicated={\"x\"}, unreduced={\"y\"}");
  CHECK(s.is_fully_replicated());
  CHECK(s.is_fully_replicated_and_open());
  CHECK_FALSE(s.empty_axes());
  CHECK_FALSE(s.with_closed_dim(0).is_fully_replicated_and_open());
  CHECK(sharding("[]").is_fully_closed());
  CHECK(sharding("[]").is_fully_replicated_and_open());
  CHECK(sharding("[{?}]").empty_axes());
}

TEST_CASE("updates of algebra 5.3 keep the fields that they do not set", "[tensor_sharding]") {
  const TensorSharding s =
      sharding("[{\"x\":(1)2, ?}p1, {?}p2], replicated={\"y\"}, unreduced=max{\"z\"}");
  const std::vector<std::size_t> both = {0, 1};
  CHECK(to_string(s.with_closed_dim(0)) ==
        "<@m, [{\"x\":(1)2}p1, {?}p2], replicated={\"y\"}, unreduced=max{\"z\"}>");
  CHECK(s.with_closed_dim(0).with_open_dim(0) == s);
  CHECK(s.with_open_dims(both) == s);
  CHECK(to_string(s.closed_like()) == "<@m, [{\"x\":(1)2}p1, {}], unreduced=max{\"z\"}>");
  CHECK(to_string(s.with_closed_dims(both).open_like()) ==
        "<@m, [{\"x\":(1)2, ?}p1, {?}], replicated={\"y\"}, unreduced=max{\"z\"}>");
  CHECK(to_string(s.fully_closed_like()) == "<@m, [{}, {}]>");
  CHECK(to_string(s.fully_open_like()) == "<@m, [{?}, {?}]>");
  CHECK(to_string(s.with_replicated({})) ==
        "<@m, [{\"x\":(1)2, ?}p1, {?}p2], unreduced=max{\"z\"}>");
  CHECK(to_string(s.with_unreduced({{0, 4, 2}})) ==
        "<@m, [{\"x\":(1)2, ?}p1, {?}p2], replicated={\"y\"}, unreduced=max{\"x\":(4)2}>");
  CHECK(to_string(s.with_dim_axes({{}, {{0, 1, 8}}})) ==
        "<@m, [{?}p1, {\"x\", ?}p2], replicated={\"y\"}, unreduced=max{\"z\"}>");
  CHECK(to_string(s.with_inlined_mesh()) ==
        "<mesh<[\"x\"=8, \"y\"=2, \"z\"=3]>, [{\"x\":(1)2, ?}p1, {?}p2], replicated={\"y\"}, "
        "unreduced=max{\"z\"}>");
}

TEST_CASE("sharding a dim by a whole axis drops its priority", "[tensor_sharding]") {
  CHECK(sharding("[{\"x\", ?}p1]").sharded(0, 1) == sharding("[{\"x\", \"y\", ?}]"));
}

TEST_CASE("replicated(axis) inserts the axis in mesh order", "[tensor_sharding]") {
  CHECK(sharding("[], replicated={\"x\", \"z\"}").replicated(1) ==
        sharding("[], replicated={\"x\", \"y\", \"z\"}"));
}

TEST_CASE("a dim that becomes empty and closed loses its priority", "[tensor_sharding]") {
  const TensorSharding open = sharding("[{?}p1]");
  CHECK(open.with_closed_dim(0) == sharding("[{}]"));
  CHECK(sharding("[{\"x\"}p1]").with_dim_axes({{}}) == sharding("[{}]"));
}

TEST_CASE("a sharding on a maximal mesh has no dims", "[tensor_sharding]") {
  const Mesh maximal = Mesh::maximal(2).value();
  const TensorSharding s = TensorSharding::fully_closed(maximal, "d", 3);
  CHECK(s.rank() == 0);
  CHECK(s.is_single_device());
  CHECK(s.local_shape(Shape{4, 5}) == Shape{4, 5});
}

TEST_CASE("local_shape rounds up, global_shape multiplies", "[tensor_sharding]") {
  const TensorSharding xyz = sharding("[{\"x\"}, {\"y\"}, {\"z\"}]");
  CHECK(xyz.local_shape(Shape{7, 3, 8}) == Shape{1, 2, 3});
  CHECK(xyz.global_shape(Shape{1, 2, 3}) == Shape{8, 4, 9});
  CHECK(xyz.evenly_divided_shape(Shape{7, 3, 8}) == std::nullopt);
  CHECK(xyz.evenly_divided_shape(Shape{8, 4, 9}) == Shape{1, 2, 3});
  CHECK(sharding("[{\"x\"}, {}]").local_shape(Shape{0, 5}) == Shape{0, 5});
  CHECK(sharding("[{\"x\"}, {\"z\"}]").local_shape(Shape{1, 6}) == Shape{1, 2});
}

TEST_CASE("local_shape keeps dynamic dims and rank 0", "[tensor_sharding]") {
  const TensorSharding x = sharding("[{\"x\"}, {\"y\"}]");
  CHECK(x.local_shape(Shape{kDynamic, 6}) == Shape{kDynamic, 3});
  CHECK(x.global_shape(Shape{kDynamic, 3}) == Shape{kDynamic, 6});
  CHECK(x.evenly_divided_shape(Shape{kDynamic, 6}) == Shape{kDynamic, 3});
  CHECK(sharding("[]").local_shape(Shape{5, 7}) == Shape{5, 7});
  CHECK(sharding("[]").global_shape(Shape{5, 7}) == Shape{5, 7});
}

TEST_CASE("global_shape returns std::nullopt if a size overflows int64", "[tensor_sharding]") {
  CHECK(sharding("[{\"x\"}]").global_shape(Shape{int64_t{1} << 61}) == std::nullopt);
}

}  // namespace
}  // namespace shardy::tensor_sharding_test
