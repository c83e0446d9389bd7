#include <optional>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::equivalence_test {
namespace {

using Shape = std::vector<int64_t>;

const Mesh& mesh() {
  static const Mesh value = Mesh::make({{"a", 6}, {"b", 2}, {"c", 4}}).value();
  return value;
}

TensorSharding sharding(const std::string& dims_and_clauses) {
  return resolve(parse_sharding("<@m, " + dims_and_clauses + ">").value(), mesh()).value();
}

TEST_CASE("openness, priorities and explicitly replicated axes do not affect equivalence",
          "[equivalence]") {
  CHECK(is_equivalent(sharding("[{\"a\"}, {\"b\"}]"),
                      sharding("[{\"a\", ?}p3, {\"b\"}p0], replicated={\"c\"}")));
}

TEST_CASE("axes and their order affect equivalence", "[equivalence]") {
  CHECK_FALSE(is_equivalent(sharding("[{\"a\", \"b\"}]"), sharding("[{\"b\", \"a\"}]")));
  CHECK_FALSE(is_equivalent(sharding("[{\"a\"}]"), sharding("[{\"a\":(1)2}]")));
  CHECK_FALSE(is_equivalent(sharding("[{\"a\"}]"), sharding("[{}]")));
  CHECK_FALSE(is_equivalent(sharding("[{}]"), sharding("[{\"a\"}]")));
  CHECK_FALSE(is_equivalent(sharding("[{\"a\"}]"), sharding("[{\"a\"}, {}]")));
}

TEST_CASE("fully replicated shardings are equivalent on any mesh and rank", "[equivalence]") {
  const TensorSharding other = TensorSharding::fully_open(*Mesh::maximal(0), "n", 0);
  CHECK(is_equivalent(sharding("[{}, {?}]"), other));
  CHECK(is_equivalent(other, sharding("[{}, {?}]")));
}

TEST_CASE("is_equivalent compares references to meshes, not the meshes", "[equivalence]") {
  const TensorSharding a = sharding("[{\"a\"}]");
  CHECK_FALSE(is_equivalent(a, a.with_inlined_mesh()));
  CHECK_FALSE(is_equivalent(a, a.with_mesh({mesh(), "n"})));
  CHECK(is_equivalent(a.with_inlined_mesh(), a.with_inlined_mesh()));
}

TEST_CASE("unreduced axes affect equivalence unless the caller ignores them", "[equivalence]") {
  const TensorSharding a = sharding("[{\"a\"}], unreduced={\"b\"}");
  const TensorSharding b = sharding("[{\"a\"}]");
  CHECK_FALSE(is_equivalent(a, b));
  CHECK(is_equivalent(a, b, true));
  const TensorSharding only = sharding("[{}], unreduced={\"b\"}");
  CHECK_FALSE(is_equivalent(only, sharding("[{}]")));
  CHECK(is_equivalent(only, sharding("[{}]"), true));
}

// Quirk Q3 of algebra 11.
TEST_CASE("same_placement_and_reduction compares the reduction op, is_equivalent does not",
          "[equivalence]") {
  const TensorSharding sum = sharding("[{\"a\"}], unreduced={\"b\"}");
  const TensorSharding max = sharding("[{\"a\"}], unreduced=max{\"b\"}");
  CHECK(is_equivalent(sum, max));
  CHECK_FALSE(same_placement_and_reduction(sum, max));
  CHECK(same_placement_and_reduction(max, max));
}

TEST_CASE("an absent sharding is a fully replicated one", "[equivalence]") {
  const std::optional<TensorSharding> absent;
  const std::optional<TensorSharding> replicated = sharding("[{?}]");
  const std::optional<TensorSharding> sharded = sharding("[{\"a\"}]");
  const std::optional<TensorSharding> partial = sharding("[{}], unreduced={\"a\"}");
  CHECK(is_equivalent(absent, absent));
  CHECK(is_equivalent(absent, replicated));
  CHECK(is_equivalent(replicated, absent));
  CHECK_FALSE(is_equivalent(sharded, absent));
  CHECK_FALSE(is_equivalent(absent, sharded));
  // From the absent side unreduced axes are ignored, from the other they are not.
  CHECK(is_equivalent(absent, partial));
  CHECK_FALSE(is_equivalent(partial, absent));
}

bool across(const std::string& from, const Shape& from_shape, const std::string& to,
            const Shape& to_shape, bool allow_non_divisible = false) {
  return equivalent_across_reshape(sharding(from), from_shape, sharding(to), to_shape,
                                   {.allow_non_divisible = allow_non_divisible});
}

TEST_CASE("is_equivalent across a reshape is right for the listed shardings",
          "[equivalence][reshape]") {
  CHECK(across(R"([{"a":(1)3}, {"a":(3)2}])", {3, 4}, R"([{"a"}])", {12}));
  CHECK_FALSE(across(R"([{"a":(3)2}, {"a":(1)3}])", {2, 6}, R"([{"a"}])", {12}));
  CHECK(across(R"([{"b"}, {}])", {4, 3}, R"([{"b"}])", {12}));
  CHECK_FALSE(across(R"([{"b"}, {}])", {3, 4}, R"([{"b"}])", {12}));
  CHECK(across(R"([{"b"}, {}])", {3, 4}, R"([{"b"}])", {12}, true));
}

TEST_CASE("equivalence across a reshape merges axes of dims as for non-divisible dims",
          "[equivalence][reshape]") {
  // The smallest prefix of the merged parts counts.
  CHECK(across(R"([{"a":(1)3}, {"a":(3)2}])", {3, 4}, R"([{"a"}])", {12}, true));
  // Equal prefixes merge, but only in the order of strides: here 4 and 6, there 6 and 4.
  CHECK(across(R"([{"a":(2)3}, {"a":(1)2}])", {1, 12}, R"([{"a"}])", {12}, true));
  CHECK_FALSE(across(R"([{"a":(1)3}, {"a":(3)2}])", {1, 12}, R"([{"a"}])", {12}, true));
}

TEST_CASE("equivalence across a reshape requires equal meshes, unreduced and replicated axes",
          "[equivalence][reshape]") {
  CHECK_FALSE(across(R"([{"b"}], replicated={"a"})", {12}, R"([{"b"}, {}])", {4, 3}));
  // Quirk Q5 of algebra 11.
  CHECK_FALSE(across(R"([{"b"}], unreduced={"a"})", {12}, R"([{"b"}, {}])", {4, 3}));
  CHECK_FALSE(
      across(R"([{"b"}], unreduced={"a"})", {12}, R"([{"b"}, {}], unreduced=max{"a"})", {4, 3}));
  CHECK(across(R"([{"b"}], unreduced={"a"})", {12}, R"([{"b"}, {}], unreduced={"a"})", {4, 3}));
  const TensorSharding b = sharding(R"([{"b"}])");
  CHECK_FALSE(equivalent_across_reshape(b, Shape{12}, b.with_inlined_mesh(), Shape{12}));
}

TEST_CASE("shardings of dynamic or too large shapes are not equivalent across a reshape",
          "[equivalence][reshape]") {
  CHECK_FALSE(across(R"([{"b"}])", {-1}, R"([{"b"}, {}])", {4, 3}));
  const int64_t huge = int64_t{1} << 62;
  CHECK_FALSE(across(R"([{"b"}, {}])", {huge, huge}, R"([{"b"}])", {huge}, true));
  CHECK(across(R"([{"b"}])", {-1}, R"([{"b"}])", {-1}));
}

/// Flat positions, in the row-major order of a shape, of the elements in each device's buffer.
std::vector<std::vector<int64_t>> flat_elements(const TensorSharding& sharding,
                                                const Shape& shape) {
  std::vector<std::vector<int64_t>> devices;
  for (int64_t position = 0; position < sharding.mesh().num_devices(); ++position) {
    const std::vector<Range> slice = device_slice(sharding, shape, position);
    std::vector<int64_t> elements;
    const Range columns = slice.size() == 2 ? slice[1] : Range{0, 1};
    const int64_t width = shape.size() == 2 ? shape[1] : 1;
    for (int64_t row = slice[0].begin; row < slice[0].end; ++row) {
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        elements.push_back(row * width + column);
      }
    }
    devices.push_back(std::move(elements));
  }
  return devices;
}

TEST_CASE("shardings are equivalent across a divisible reshape iff no element moves",
          "[equivalence][reshape][law]") {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 2}, {6}, {4}, {2, 3}}) {
    const Mesh small = shardy_test::mesh_of_sizes(sizes);
    for (const Shape& shape : {Shape{12, 12}, Shape{6, 24}, Shape{36, 4}}) {
      const Shape flat = {144};
      shardy_test::for_each_sharding(small, 2, [&](const TensorSharding& two) {
        if (!two.evenly_divided_shape(shape)) return;
        shardy_test::for_each_sharding(small, 1, [&](const TensorSharding& one) {
          if (!one.evenly_divided_shape(flat)) return;
          CAPTURE(two, shape, one);
          const bool stays = flat_elements(two, shape) == flat_elements(one, flat);
          CHECK(equivalent_across_reshape(two, shape, one, flat) == stays);
          CHECK(equivalent_across_reshape(one, flat, two, shape) == stays);
        });
      });
    }
  }
}

}  // namespace
}  // namespace shardy::equivalence_test
