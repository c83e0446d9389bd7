#include <limits>
#include <optional>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::mesh_test {
namespace {

using shardy_test::message_of;

Mesh mesh(std::vector<MeshAxis> axes, std::vector<int64_t> ids = {}) {
  return Mesh::make(std::move(axes), std::move(ids)).value();
}

TEST_CASE("Mesh::make rejects invalid axes and device ids", "[mesh]") {
  using Axes = std::vector<MeshAxis>;
  using Ids = std::vector<int64_t>;
  const auto [axes, ids, message] = GENERATE(table<Axes, Ids, std::string>({
      {{{"x", 0}}, {}, "axis size must be at least 1, got: 0"},
      {{{"x", 2}, {"y", -3}}, {}, "axis size must be at least 1, got: -3"},
      {{{"x", 0}}, {-1}, "axis size must be at least 1, got: 0"},
      {{{"x", 2}}, {0, -1}, "device id must be non-negative, got: -1"},
      {{}, {-5}, "device id must be non-negative, got: -5"},
      {{}, {-5, 1}, "device id must be non-negative, got: -5"},
      {{}, {0, 1}, "axes is empty and device_ids has more than one element"},
      {{{"x", 2}, {"x", 4}}, {}, "duplicate axis name: \"x\""},
      {{{"x", 2}, {"y", 2}, {"b", 1}, {"b", 1}, {"x", 1}}, {1, 0}, "duplicate axis name: \"b\""},
      {{{"a", 2}},
       {0},
       "total product of axis sizes must match total number of device ids, got: 2 != 1"},
      {{{"a", 2}, {"b", 2}},
       {1, 0, 2, 3, 4},
       "total product of axis sizes must match total number of device ids, got: 4 != 5"},
      {{{"a", 2}, {"b", 2}},
       {3, 1, 0, 3},
       "sorted device ids must be iota(product(axes)), got: 0, 1, 3, 3"},
      {{{"a", int64_t{1} << 32}, {"b", int64_t{1} << 31}},
       {},
       "total product of axis sizes doesn't fit in 64 bits"},
  }));
  CAPTURE(axes, ids);
  CHECK(message_of(Mesh::make(axes, ids)) == message);
}

TEST_CASE("Mesh::make drops device ids that are the identity", "[mesh]") {
  const Mesh plain = mesh({{"a", 2}, {"b", 2}});
  CHECK(mesh({{"a", 2}, {"b", 2}}, {0, 1, 2, 3}) == plain);
  CHECK(mesh({{"a", 1}}, {0}) == mesh({{"a", 1}}));
  CHECK(mesh({{"a", 2}, {"b", 2}}, {0, 1, 3, 2}) != plain);
  CHECK_FALSE(mesh({}, {0}) == Mesh());
}

TEST_CASE("a mesh is empty, maximal or ordinary", "[mesh]") {
  const Mesh maximal = Mesh::maximal(3).value();
  CHECK(Mesh().empty());
  CHECK(mesh({}) == Mesh());
  CHECK_FALSE(Mesh().is_maximal());
  CHECK(maximal.is_maximal());
  CHECK_FALSE(maximal.empty());
  CHECK(maximal.maximal_device_id() == 3);
  CHECK(maximal.num_devices() == 1);
  CHECK(Mesh().num_devices() == 1);
  CHECK_FALSE(mesh({{"a", 1}}).is_maximal());
  CHECK(mesh({{"a", 1}}).maximal_device_id() == std::nullopt);
  CHECK(message_of(Mesh::maximal(-1)) == "device id must be non-negative, got: -1");
}

TEST_CASE("axes are found by name and ranked by the bytes of their names", "[mesh]") {
  const Mesh m = mesh({{"x", 3}, {"b", 2}, {"Z", 5}, {"a", 1}});
  CHECK(m.num_devices() == 30);
  CHECK(m.find_axis("b") == 1);
  CHECK(m.find_axis("c") == std::nullopt);
  CHECK(m.axis_size("Z") == 5);
  CHECK(m.axis_size("") == std::nullopt);
  CHECK(m.axis_name(3) == "a");
  const std::vector<int32_t> ranks = {m.name_rank(0), m.name_rank(1), m.name_rank(2),
                                      m.name_rank(3)};
  CHECK(ranks == std::vector<int32_t>{3, 2, 0, 1});
  CHECK(canonical_less(m, {2, 1, 5}, {0, 1, 3}));
  CHECK_FALSE(canonical_less(m, {0, 1, 3}, {2, 1, 5}));
  CHECK(canonical_less(m, {0, 1, 3}, {0, 3, 2}));
  CHECK(m.is_full({1, 1, 2}));
  CHECK(m.full_axis(0) == AxisRef{0, 1, 3});
}

TEST_CASE("device_at and position_of are inverse", "[mesh]") {
  const Mesh m = mesh({{"a", 3}, {"b", 2}}, {0, 2, 4, 1, 3, 5});
  for (int64_t position = 0; position < 6; ++position) {
    CHECK(m.position_of(m.device_at(position)) == position);
  }
  CHECK(m.device_at(1) == 2);
  CHECK(m.position_of(6) == std::nullopt);
  CHECK(m.position_of(-1) == std::nullopt);
  CHECK(mesh({{"a", 3}}).position_of(2) == 2);
  CHECK(Mesh::maximal(3)->position_of(3) == 0);
  CHECK(Mesh::maximal(3)->position_of(0) == std::nullopt);
}

TEST_CASE("mesh equality compares axes in order, and device ids unless they are ignored",
          "[mesh]") {
  const Mesh xy = mesh({{"x", 3}, {"y", 2}});
  CHECK(xy != mesh({{"y", 2}, {"x", 3}}));
  const Mesh reordered = mesh({{"x", 3}, {"y", 2}}, {5, 4, 3, 2, 1, 0});
  CHECK(xy != reordered);
  CHECK(xy.equals_ignoring_device_ids(reordered));
  CHECK_FALSE(xy.equals_ignoring_device_ids(mesh({{"y", 2}, {"x", 3}})));
  CHECK(Mesh::maximal(0)->equals_ignoring_device_ids(*Mesh::maximal(1)));
  CHECK_FALSE(Mesh::maximal(0)->equals_ignoring_device_ids(Mesh()));
  CHECK(std::unordered_set<Mesh>{xy, mesh({{"x", 3}, {"y", 2}}), reordered}.size() == 2);
  CHECK(((xy <=> reordered) < 0));
  CHECK(((xy <=> mesh({{"x", 3}, {"y", 2}})) == 0));
}

TEST_CASE("the largest mesh has as many devices as int64 can count", "[mesh]") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Mesh m = mesh({{"x", kMax}, {"y", 1}});
  CHECK(m.num_devices() == kMax);
  CHECK(m.device_at(kMax - 1) == kMax - 1);
}

// Algebra 1.5.

using Shardings = std::vector<std::optional<TensorSharding>>;

std::optional<TensorSharding> on(const Mesh& m, std::optional<std::string> name) {
  return TensorSharding::fully_open(m, std::move(name), 1);
}

std::string common(const Shardings& shardings, bool ignore_device_ids = false) {
  const auto found = common_mesh(shardings, {.ignore_device_ids = ignore_device_ids});
  if (!found) return "none";
  return (found->name ? "@" + *found->name : "inlined ") + " " + to_string(found->mesh);
}

TEST_CASE("the common mesh is the first nonempty mesh", "[mesh][common_mesh]") {
  const Mesh x = mesh({{"x", 2}});
  CHECK(common({}) == "none");
  CHECK(common({std::nullopt, on(x, "m"), on(x, "n")}) == "@m <[\"x\"=2]>");
  CHECK(common({on(Mesh(), "e"), on(x, "m"), on(Mesh(), "f")}) == "@m <[\"x\"=2]>");
  CHECK(common({on(Mesh(), "e"), on(Mesh(), "f")}) == "@f <[]>");
  CHECK(common({on(x, "m"), on(mesh({{"y", 2}}), "n")}) == "none");
}

TEST_CASE("a maximal mesh and an ordinary mesh have no common mesh", "[mesh][common_mesh]") {
  const Mesh x = mesh({{"x", 2}});
  const Mesh zero = Mesh::maximal(0).value();
  const Mesh one = Mesh::maximal(1).value();
  CHECK(common({on(zero, "m"), on(x, "n")}) == "none");
  CHECK(common({on(zero, "m"), on(one, "n")}) == "none");
  CHECK(common({on(zero, "m"), on(one, "n")}, true) == "@m <[], device_ids=[0]>");
}

TEST_CASE("the common mesh has iota order if device ids are ignored", "[mesh][common_mesh]") {
  const Mesh x = mesh({{"x", 2}});
  const Mesh reversed = mesh({{"x", 2}}, {1, 0});
  CHECK(common({on(reversed, "r"), on(x, "m")}) == "none");
  CHECK(common({on(reversed, "r"), on(x, "m")}, true) == "@m <[\"x\"=2]>");
  CHECK(common({on(reversed, "r"), on(reversed, "s")}, true) ==
        "@r <[\"x\"=2], device_ids=[1, 0]>");
}

TEST_CASE("mesh refs print as their name, or as the mesh if it is inlined", "[mesh][common_mesh]") {
  const Mesh x = mesh({{"x", 2}});
  const MeshRef named{x, "m"};
  const MeshRef inlined{x, std::nullopt};
  CHECK(to_string(named) == "@m");
  CHECK(to_string(inlined) == "mesh<[\"x\"=2]>");
  CHECK(std::unordered_set<MeshRef>{named, inlined, named}.size() == 2);
}

TEST_CASE("first_non_maximal_mesh can return an empty mesh", "[mesh][common_mesh]") {
  const Shardings shardings = {std::nullopt, on(*Mesh::maximal(0), "max"), on(Mesh(), "e"),
                               on(mesh({{"x", 2}}), "m")};
  CHECK(first_non_maximal_mesh(shardings)->name == "e");
  CHECK(first_non_maximal_mesh(Shardings{on(*Mesh::maximal(0), "max")}) == std::nullopt);
}

}  // namespace
}  // namespace shardy::mesh_test
