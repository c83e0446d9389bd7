#include <optional>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace shardy::resolve_test {
namespace {

using shardy_test::message_of;
using Shape = std::vector<int64_t>;

// Axes x, y, o, w of sizes 8, 4, 1, 12; the order of names is another one.
const Mesh& mesh() {
  static const Mesh value = Mesh::make({{"x", 8}, {"y", 4}, {"o", 1}, {"w", 12}}).value();
  return value;
}

UnresolvedSharding spelled(const std::string& dims_and_clauses) {
  return parse_sharding("<@m, " + dims_and_clauses + ">").value();
}

ValueShape ranked(const Shape& dims) { return {ValueShape::Kind::Ranked, dims, "tensor<..>"}; }

struct Row {
  std::string sharding;
  std::string message;
};

TEST_CASE("each violated rule about axes has its own error message", "[resolve]") {
  const std::vector<Row> rows = {
      {R"([{"x"}, {}, {"u"}])", "unknown axis name: \"u\""},
      {R"([{"x"}], replicated={"u"})", "unknown axis name: \"u\""},
      {R"([{"x"}, {"x"}])", "duplicate axis ref: \"x\""},
      {R"([{"x":(1)2}, {"y", "x":(1)2}])", "duplicate axis ref: \"x\":(1)2"},
      {R"([{"x"}], unreduced={"x"})", "duplicate axis ref: \"x\""},
      {R"([{"o", "o"}])", "duplicate axis ref: \"o\""},
      {R"([{"x":(1)2, "x":(2)2}])",
       "two consecutive sub-axes can be merged: \"x\":(1)2, \"x\":(2)2"},
      {R"([], replicated={"x":(1)2, "x":(2)4})",
       "two consecutive sub-axes can be merged: \"x\":(1)2, \"x\":(2)4"},
      {R"([], replicated={"y", "x"})", "replicated axes are not ordered w.r.t. mesh"},
      {R"([], unreduced={"y", "x"})", "unreduced axes are not ordered w.r.t. mesh"},
      {R"([], replicated={"u", "x"})", "replicated axes are not ordered w.r.t. mesh"},
      {R"([{"x":(1)2}, {"x"}])", "both sub-axis and full-axis are used for axis name: \"x\""},
      {R"([{"x":(0)2}])", "sub-axis pre-size must be at least 1: \"x\":(0)2"},
      {R"([{"x":(-1)2}])", "sub-axis pre-size must be at least 1: \"x\":(-1)2"},
      {R"([{"x":(2)1}])", "sub-axis sizes must be greater than 1: \"x\":(2)1"},
      {R"([{"x":(2)-4}])", "sub-axis sizes must be greater than 1: \"x\":(2)-4"},
      {R"([{"x":(1)3}])",
       "sub-axis next pre-size 3 doesn't divide the size of the full axis 8: \"x\":(1)3"},
      {R"([{"x":(4)4}])",
       "sub-axis next pre-size 16 doesn't divide the size of the full axis 8: \"x\":(4)4"},
      {R"([{"x":(4611686018427387904)4}])",
       "sub-axis next pre-size 4611686018427387904*4 doesn't divide the size of the full axis 8: "
       "\"x\":(4611686018427387904)4"},
      {R"([{"x":(1)8}])", "sub-axis size is equal to the full axis size: \"x\":(1)8"},
      {R"([{"x":(1)4}, {"x":(2)2}])", "overlapping sub-axes: \"x\":(1)4, \"x\":(2)2"},
      {R"([{"w":(1)2}, {"w":(3)2}])", "sub-axes can't coexist: \"w\":(1)2, \"w\":(3)2"},
      {R"([{"w":(1)6}, {"x":(1)4}, {"x":(2)2}, {"w":(1)4}])",
       "overlapping sub-axes: \"x\":(1)4, \"x\":(2)2"},
      {R"([{}, {"x", ?}p-1])", ""},
      {R"([{}, {}p2])", "dim 1 is empty and closed but has a priority"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sharding);
    const Result<UnresolvedSharding> parsed = parse_sharding("<@m, " + row.sharding + ">");
    if (row.message.empty()) {
      CHECK_FALSE(parsed);  // a negative priority has no text
      continue;
    }
    REQUIRE(parsed);
    CHECK(message_of(resolve(*parsed, mesh())) == row.message);
  }
}

TEST_CASE("a negative priority is an error", "[resolve]") {
  UnresolvedSharding sharding = spelled("[{}, {?}]");
  sharding.dims[1].priority = -1;
  CHECK(message_of(resolve(sharding, mesh())) == "dim 1 has a negative priority");
}

TEST_CASE("resolving a valid sharding and printing it returns its text", "[resolve]") {
  for (const char* text :
       {"[]", "[{?}p0]", "[{\"x\":(2)2, \"x\":(1)2}]", "[{\"x\":(1)2, \"y\", \"x\":(2)2}]",
        "[{\"w\":(2)3}, {\"w\":(1)2}], replicated={\"x\", \"o\"}, unreduced=min{\"w\":(6)2}",
        "[{\"o\"}, {?}]", "[{\"y\":(1)2, \"x\":(1)4}, {\"w\":(1)2, \"y\":(2)2}]",
        "[{\"x\":(4)2, ?}p12], replicated={\"x\":(1)2}"}) {
    CAPTURE(text);
    const UnresolvedSharding sharding = spelled(text);
    const Result<TensorSharding> resolved = resolve(sharding, mesh());
    REQUIRE(resolved);
    CHECK(spell(*resolved) == sharding);
    CHECK(resolved->mesh_name() == "m");
  }
  CHECK(resolve(spelled("[{\"x\"}]"), mesh())->dim(0).axes == AxisList{{0, 1, 8}});
}

TEST_CASE("resolve reports the first failure in the order of algebra 9.2", "[resolve]") {
  const Shape matrix = {6, 6};
  const std::vector<Row> rows = {
      // Rank, then dims in order (priority, emptiness, axes, divisibility), then the sets.
      {R"([{"u"}])", "sharding doesn't match tensor rank: 1 != 2"},
      {R"([{"u"}, {}p2])", "unknown axis name: \"u\""},
      {R"([{"y"}, {"u"}])", "dim 0 with size 6 is not divisible by its sharded size 4"},
      {R"([{"y":(1)2}, {"u"}])", "unknown axis name: \"u\""},
      {R"([{"w":(1)6}, {"x":(1)3}], replicated={"y", "x"})",
       "replicated axes are not ordered w.r.t. mesh"},
      {R"([{"y":(1)3}, {}], unreduced={"y", "x"})", "unreduced axes are not ordered w.r.t. mesh"},
      // Sub-axes name by name in mesh order.
      {R"([{"w":(1)5}, {"y":(3)2}])", "dim 0 with size 6 is not divisible by its sharded size 5"},
      {R"([{"w":(5)2}, {"y":(3)2}])",
       "sub-axis next pre-size 6 doesn't divide the size of the full axis 4: \"y\":(3)2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sharding);
    CHECK(message_of(resolve(spelled(row.sharding), mesh(), ranked(matrix),
                             {.check_divisibility = true})) == row.message);
  }
}

TEST_CASE("divisibility is checked only on request, and never for dynamic dims", "[resolve]") {
  const UnresolvedSharding sharding = spelled(R"([{"x"}, {"y"}])");
  const Shape odd = {16, 6};
  const Shape dynamic = {-1, 8};
  const std::string message = "dim 1 with size 6 is not divisible by its sharded size 4";
  CHECK(resolve(sharding, mesh(), ranked(odd)));
  CHECK(message_of(resolve(sharding, mesh(), ranked(odd), {.check_divisibility = true})) ==
        message);
  CHECK(resolve(sharding, mesh(), ranked(dynamic), {.check_divisibility = true}));
  const TensorSharding resolved = resolve(sharding, mesh()).value();
  CHECK(verify_sharding_for_shape(resolved, ranked(odd)));
  CHECK(message_of(verify_sharding_for_shape(resolved, ranked(odd),
                                             {.check_divisibility = true})) == message);
  CHECK(verify_sharding_for_shape(resolved, ranked(dynamic), {.check_divisibility = true}));
}

TEST_CASE("invalid or overflowing axis sizes never pass the divisibility check", "[resolve]") {
  const Shape six = {6};
  for (const char* text : {R"([{"x":(1)0}])", R"([{"x":(1)-1}])",
                           R"([{"w":(1)4611686018427387904, "x":(1)4611686018427387904}])"}) {
    CAPTURE(text);
    CHECK_FALSE(resolve(spelled(text), mesh(), ranked(six), {.check_divisibility = true}));
  }
}

TEST_CASE("any value can have a maximal sharding, without dims or axes", "[resolve]") {
  const Mesh maximal = Mesh::maximal(3).value();
  const std::string message =
      "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes";
  const Shape matrix = {2, 3};
  CHECK(resolve(spelled("[]"), maximal, ranked(matrix)));
  CHECK(resolve(spelled("[]"), maximal, {ValueShape::Kind::Unranked, {}, "tensor<*xf32>"}));
  CHECK(message_of(resolve(spelled("[{}, {}]"), maximal, ranked(matrix))) == message);
  CHECK(message_of(resolve(spelled("[], replicated={\"x\"}"), maximal)) == message);
  CHECK(message_of(resolve(spelled("[], unreduced={\"x\"}"), maximal)) == message);
}

TEST_CASE("any axis is an error on an empty mesh", "[resolve]") {
  CHECK(resolve(spelled("[{}, {?}]"), Mesh()));
  CHECK(message_of(resolve(spelled("[{\"x\"}]"), Mesh())) == "unknown axis name: \"x\"");
}

TEST_CASE("values without shape and unranked values accept only rank-0 shardings", "[resolve]") {
  const ValueShape token{ValueShape::Kind::NotShaped, {}, "!stablehlo.token"};
  const ValueShape unranked{ValueShape::Kind::Unranked, {}, "tensor<*xf32>"};
  CHECK(resolve(spelled("[]"), mesh(), token));
  CHECK(message_of(resolve(spelled("[{?}]"), mesh(), token)) ==
        "non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced "
        "axes. type: !stablehlo.token, sharding: #sdy.sharding<@m, [{?}]>");
  CHECK(message_of(resolve(spelled("[], replicated={\"x\"}"), mesh(), token)) ==
        "non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced "
        "axes. type: !stablehlo.token, sharding: #sdy.sharding<@m, [], replicated={\"x\"}>");
  const ValueShape tuple{ValueShape::Kind::Tuple, {}, "tuple<f32, f32>"};
  CHECK(message_of(resolve(spelled("[]"), mesh(), tuple)) ==
        "ops can only have a sharding for a tuple of size 1: tuple<f32, f32>");
  CHECK(resolve(spelled("[]"), *Mesh::maximal(0), tuple));
  // Quirk Q9 of algebra 11: not even a sharding of rank 0.
  CHECK(message_of(resolve(spelled("[]"), mesh(), unranked)) ==
        "only ranked tensors can have a sharding. type: tensor<*xf32>");
  const TensorSharding open = TensorSharding::fully_open(mesh(), "m", 1);
  CHECK_FALSE(verify_sharding_for_shape(open, token));
  CHECK_FALSE(verify_sharding_for_shape(open, unranked));
  CHECK(verify_sharding_for_shape(TensorSharding::fully_open(*Mesh::maximal(0), "d", 1), unranked));
}

TEST_CASE("an inlined mesh is used as it is, and a mesh name is looked up", "[resolve]") {
  const auto lookup = [](std::string_view name) {
    return name == "m" ? std::optional<Mesh>(mesh()) : std::nullopt;
  };
  CHECK(mesh_of(spelled("[]"), lookup) == mesh());
  CHECK(mesh_of(*parse_sharding("<mesh<[\"q\"=2]>, []>"), lookup)->axis_size("q") == 2);
  CHECK(message_of(mesh_of(*parse_sharding("<@other, []>"), lookup)) == "unknown mesh: @other");
  const UnresolvedSharding inlined = *parse_sharding("<mesh<[\"q\"=2]>, [{\"q\"}]>");
  const TensorSharding resolved = resolve(inlined, *mesh_of(inlined, lookup)).value();
  CHECK(resolved.mesh_name() == std::nullopt);
  CHECK(to_string(resolved) == "<mesh<[\"q\"=2]>, [{\"q\"}]>");
}

// Algebra 9.3.

std::string per_value(const std::string& text, const std::vector<ValueShape>& shapes) {
  const auto lookup = [](std::string_view name) -> std::optional<Mesh> {
    if (name == "m") return mesh();
    if (name == "max") return Mesh::maximal(0).value();
    return std::nullopt;
  };
  const UnresolvedShardings shardings = parse_per_value(text).value();
  return message_of(resolve_per_value(shardings, shapes, lookup));
}

TEST_CASE("each value needs one sharding, and errors name the index of the value", "[resolve]") {
  const Shape vector = {4};
  const std::vector<ValueShape> one = {ranked(vector)};
  const std::vector<ValueShape> two = {ranked(vector), ranked(vector)};
  CHECK(per_value("<[<@m, [{\"x\"}]>, <@m, [{?}]>]>", two) == "(no error)");
  CHECK(per_value("<[<@m, [{\"x\"}]>]>", two) ==
        "shardings don't match number of values: 1 shardings vs 2 values");
  CHECK(per_value("<[<@m, [{\"u\"}]>]>", one) == "- unknown axis name: \"u\"");
  CHECK(per_value("<[<@m, [{?}]>, <@q, [{?}]>]>", two) == "1 - unknown mesh: @q");
  CHECK(per_value("<[<@m, [{?}]>, <@m, []>]>", two) ==
        "1 - sharding doesn't match tensor rank: 0 != 1");
}

TEST_CASE("an op without results may have one sharding that shards no dim", "[resolve]") {
  const std::string plain =
      "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes";
  CHECK(per_value("<[<@max, []>]>", {}) == "(no error)");
  CHECK(per_value("<[<@m, []>]>", {}) == "(no error)");
  CHECK(per_value("<[<@m, [{}]>]>", {}) == plain);
  CHECK(per_value("<[<@m, [], replicated={\"x\"}>]>", {}) == plain);
  CHECK(per_value("<[<@max, [{}]>]>", {}) == plain);
  CHECK(per_value("<[<@m, [{\"x\"}]>]>", {}) ==
        "shardings don't match number of values: 1 shardings vs 0 values");
  CHECK(per_value("<[]>", {}) == "(no error)");
}

TEST_CASE("axis lists of one op cannot share an axis", "[resolve]") {
  const auto lists = [](const char* text) {
    return message_of(resolve_axis_lists(*parse_axis_lists(text), mesh()));
  };
  CHECK(lists("[{\"x\"}, {}, {\"y\":(2)2, \"y\":(1)2}]") == "(no error)");
  CHECK(lists("[{\"x\"}, {\"x\"}]") == "duplicate axis ref: \"x\"");
  CHECK(lists("[{\"x\":(1)2}, {\"x\"}]") ==
        "both sub-axis and full-axis are used for axis name: \"x\"");
  CHECK(resolve_axis_list(*parse_axis_list("{\"y\", \"x\":(2)4}"), mesh()) ==
        AxisList{{1, 1, 4}, {0, 2, 4}});
  CHECK(message_of(
            resolve_sorted_axis_list(*parse_axis_list("{\"y\", \"x\"}"), mesh(), "reduction")) ==
        "reduction axes are not ordered w.r.t. mesh");
  CHECK(resolve_sorted_axis_list(*parse_axis_list("{\"x\", \"y\"}"), mesh(), "reduction") ==
        AxisList{{0, 1, 8}, {1, 1, 4}});
}

// Algebra 9.4.

using Shardings = std::vector<std::optional<TensorSharding>>;

std::optional<TensorSharding> unreduced(const std::string& clause) {
  return resolve(spelled("[{}], unreduced=" + clause), mesh()).value();
}

std::string transition(const Shardings& operands, const Shardings& results,
                       UnreducedTransition allowed) {
  return message_of(verify_unreduced_transition(operands, results, allowed));
}

TEST_CASE("unreduced axes are added and removed only by the allowed reduction", "[unreduced]") {
  const auto none = spelled("[{}]");
  const std::optional<TensorSharding> reduced = resolve(none, mesh()).value();
  const auto sum = ReductionOp::Sum;
  const auto max = ReductionOp::Max;
  CHECK(transition({reduced}, {unreduced("{\"x\"}")}, {}) == "cannot add new unreduced axis 'x'.");
  CHECK(transition({reduced}, {unreduced("{\"x\"}")}, {.introduce = sum}) == "(no error)");
  CHECK(transition({reduced}, {unreduced("max{\"x\"}")}, {.introduce = sum}) ==
        "cannot introduce 'max' unreduced axes. Expected 'sum'.");
  CHECK(transition({unreduced("{\"x\"}")}, {reduced}, {}) ==
        "dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an "
        "invalid transition from unreduced to reduced.");
  CHECK(transition({unreduced("{\"x\"}")}, {reduced}, {.remove = sum}) == "(no error)");
  CHECK(transition({unreduced("{\"x\"}")}, {reduced}, {.remove = max}) ==
        "cannot reduce 'sum' unreduced axes. Expected 'max'.");
}

TEST_CASE("each sub-axis of an unreduced axis is compared separately", "[unreduced]") {
  CHECK(transition({unreduced("{\"y\", \"w\":(1)2}")}, {unreduced("{\"y\", \"w\"}")}, {}) ==
        "cannot add new unreduced axis 'w'.");
  CHECK(transition({unreduced("{\"x\"}")}, {unreduced("{\"x\":(1)4}")}, {}).substr(0, 27) ==
        "dropped unreduced axis 'x' ");
}

TEST_CASE("kept unreduced axes keep their reduction", "[unreduced]") {
  CHECK(transition({unreduced("{\"x\"}")}, {unreduced("{\"x\"}")}, {}) == "(no error)");
  CHECK(transition({unreduced("{\"x\"}")}, {unreduced("max{\"x\"}")}, {}) ==
        "cannot change the reduction operator of kept unreduced axes from sum to max.");
}

TEST_CASE("overlapping unreduced sub-axes of several operands are merged", "[unreduced]") {
  CHECK(transition({unreduced("{\"x\"}"), std::nullopt, unreduced("{\"x\":(2)2}")},
                   {unreduced("{\"x\"}")}, {}) == "(no error)");
  CHECK(transition({unreduced("{\"x\":(1)2}"), unreduced("{\"x\":(2)4}")}, {unreduced("{\"x\"}")},
                   {}) == "(no error)");
  CHECK(transition({unreduced("{\"x\"}"), unreduced("{\"x\":(2)2}")}, {unreduced("{\"x\":(4)2}")},
                   {.remove = ReductionOp::Sum}) == "(no error)");
}

TEST_CASE("unreduced axes are not compared across different meshes or absent shardings",
          "[unreduced]") {
  const Mesh other = Mesh::make({{"x", 8}}).value();
  const std::optional<TensorSharding> elsewhere = TensorSharding::fully_open(other, "n", 1);
  CHECK(transition({elsewhere}, {unreduced("{\"x\"}")}, {}) == "(no error)");
  CHECK(transition({}, {std::nullopt}, {}) == "(no error)");
  CHECK(transition({}, {unreduced("{\"x\"}")}, {}) == "cannot add new unreduced axis 'x'.");
}

}  // namespace
}  // namespace shardy::resolve_test
