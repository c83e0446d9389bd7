#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace shardy::manual_axes_test {
namespace {

using Names = std::vector<std::string>;

// Axes a, b, c of sizes 2, 4, 3.
const Mesh& mesh() {
  static const Mesh value = Mesh::make({{"a", 2}, {"b", 4}, {"c", 3}}).value();
  return value;
}

TensorSharding sharding(const std::string& dims_and_clauses) {
  return resolve(parse_sharding("<@m, " + dims_and_clauses + ">").value(), mesh()).value();
}

const Names kNone;
const Names kManual = {"c", "a"};

TEST_CASE("manual axes come first in a dim", "[manual_axes]") {
  const AxisList axes = {mesh().full_axis(2), {1, 1, 2}};
  CHECK(first_free(mesh(), axes, kManual) == 1);
  CHECK(first_free(mesh(), axes, kNone) == 0);
  CHECK(first_free(mesh(), axes, Names{"b", "c"}) == 2);
  CHECK(manual_size(mesh(), axes, kManual) == 3);
  CHECK(manual_size(mesh(), axes, kNone) == 1);
}

// A caller that plans a reshard lists the bound axes, also if it has none.
static_assert(!std::is_default_constructible_v<BoundAxes>);

TEST_CASE("bound axes are a set of names", "[manual_axes]") {
  const BoundAxes bound = BoundAxes::of(Names{"c", "a", "c"});
  CHECK(bound == BoundAxes::of(Names{"a", "c"}));
  CHECK(bound != BoundAxes::none());
  CHECK(BoundAxes::of(kNone).empty());
  CHECK(bound.has(mesh(), mesh().full_axis(2)));
  CHECK_FALSE(bound.has(mesh(), mesh().full_axis(1)));
  const AxisList axes = {{1, 1, 2}, {2, 1, 3}, {0, 1, 2}};
  CHECK(bound.first_in(mesh(), axes) == &axes[1]);
  CHECK(bound.first_in(mesh(), AxisSpan(axes).first(1)) == nullptr);
}

TEST_CASE("a sharding uses bound axes in dims, replicated and unreduced axes", "[manual_axes]") {
  const BoundAxes bound = BoundAxes::of(Names{"b"});
  CHECK(bound.expect_free(sharding(R"([{"c"}, {?}], replicated={"a"})")));
  CHECK(BoundAxes::none().expect_free(sharding(R"([{"b"}, {?}])")));
  for (const char* used : {R"([{"c"}, {"b":(2)2}])", R"([{}, {}], replicated={"b"})",
                           R"([{}, {}], unreduced={"b":(1)2})"}) {
    const Status status = bound.expect_free(sharding(used));
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().message ==
          "sharding: axis \"b\" is bound by a manual computation around; use an axis that is free");
  }
}

TEST_CASE("erase_manual removes the manual axes", "[manual_axes]") {
  const TensorSharding outer =
      sharding(R"([{"c", "b":(1)2}p2, {?}p1], replicated={"a"}, unreduced=max{"b":(2)2})");
  CHECK(to_string(erase_manual(outer, kManual)) ==
        R"(<@m, [{"b":(1)2}p2, {?}p1], unreduced=max{"b":(2)2}>)");
  CHECK(erase_manual(outer, kNone) == outer);
  CHECK(to_string(erase_manual(sharding(R"([{}], unreduced=max{"a"})"), kManual)) == "<@m, [{}]>");
}

// Quirk Q7 of algebra 11.
TEST_CASE("a dim with only manual axes loses its priority when they are erased", "[manual_axes]") {
  CHECK(to_string(erase_manual(sharding(R"([{"a"}p1, {"c", ?}p3])"), kManual)) ==
        "<@m, [{}, {?}p3]>");
}

TEST_CASE("erase_free keeps manual axes in dims, and free axes in replicated and unreduced sets",
          "[manual_axes]") {
  const TensorSharding outer =
      sharding(R"([{"c", "b":(1)2}p2, {?}p1], replicated={"a"}, unreduced=max{"b":(2)2})");
  CHECK(to_string(erase_free(outer, kManual)) ==
        R"(<@m, [{"c"}p2, {?}p1], unreduced=max{"b":(2)2}>)");
  CHECK(to_string(erase_free(outer, kNone)) ==
        R"(<@m, [{}, {?}p1], replicated={"a"}, unreduced=max{"b":(2)2}>)");
}

// Quirk Q6 of algebra 11: the reduction op of the outer sharding is kept.
TEST_CASE("add_free places free axes after the manual axes", "[manual_axes]") {
  const TensorSharding outer = sharding(R"([{"c", "b":(1)2}p2, {?}], unreduced=max{"a"})");
  CHECK(to_string(add_free(outer, sharding(R"([{"b", ?}p5, {}])"), kManual)) ==
        R"(<@m, [{"c", "b", ?}p5, {}], unreduced=max{"a"}>)");
}

TEST_CASE("add_free removes axes of inner dims from the replicated axes of the outer sharding",
          "[manual_axes]") {
  const TensorSharding outer = sharding(R"([{"a"}], replicated={"b"})");
  CHECK(to_string(add_free(outer, sharding(R"([{"b":(2)2}])"), kManual)) ==
        R"(<@m, [{"a", "b":(2)2}], replicated={"b":(1)2}>)");
}

TEST_CASE("add_free drops outer replicated axes that cannot coexist with axes of inner dims",
          "[manual_axes]") {
  const Mesh six = Mesh::make({{"a", 6}}).value();
  const auto on_six = [&](const char* text) {
    return resolve(parse_sharding(text).value(), six).value();
  };
  CHECK(to_string(add_free(on_six(R"(<@m, [{}], replicated={"a":(1)2}>)"),
                           on_six(R"(<@m, [{"a":(3)2, ?}]>)"), kNone)) ==
        R"(<@m, [{"a":(3)2, ?}]>)");
}

TEST_CASE("add_free uses the inner mesh and drops axes that this mesh does not have",
          "[manual_axes]") {
  const Mesh other = Mesh::make({{"c", 3}, {"b", 2}}).value();
  const TensorSharding inner = resolve(parse_sharding(R"(<@n, [{"b"}]>)").value(), other).value();
  CHECK(to_string(add_free(sharding(R"([{"c"}], replicated={"b"})"), inner, kManual)) ==
        R"(<@n, [{"c", "b"}]>)");
  CHECK(add_free(sharding(R"([{"a"}])"), inner, kManual) == inner);
  const TensorSharding maximal = TensorSharding::fully_open(*Mesh::maximal(1), "d", 1);
  CHECK(add_free(sharding(R"([{"c"}])"), maximal, kManual) == maximal);
}

TEST_CASE("add_free of erase_free and erase_manual restores the sharding", "[manual_axes]") {
  for (const char* text : {R"([{"c", "b", ?}p2, {"a"}])", R"([{"a", "c"}, {"b":(1)2}p4])",
                           R"([{"b"}, {?}])", R"([{"c"}, {"a", "b":(2)2, ?}p1])"}) {
    const TensorSharding whole = sharding(text);
    CAPTURE(whole);
    CHECK(add_free(erase_free(whole, kManual), erase_manual(whole, kManual), kManual) == whole);
  }
}

}  // namespace
}  // namespace shardy::manual_axes_test
