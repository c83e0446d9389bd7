#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/resolve.hpp>
#include <shardy/algebra/text.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace shardy::per_value_test {
namespace {

const MeshRef& mesh() {
  static const MeshRef value{Mesh::make({{"x", 2}, {"y", 3}}).value(), "m"};
  return value;
}

const std::vector<int64_t> kMatrix = {4, -1};
const std::vector<ValueShape> kShapes = {{ValueShape::Kind::Ranked, kMatrix, "tensor<4x?xf32>"},
                                         {ValueShape::Kind::NotShaped, {}, "!stablehlo.token"},
                                         {ValueShape::Kind::Ranked, {}, "tensor<f32>"}};

std::string text_of(const std::vector<TensorSharding>& shardings) {
  std::string text;
  for (const TensorSharding& sharding : shardings) text += to_string(sharding);
  return text;
}

TEST_CASE("lists have a dim for each dim of a shaped value, none for others", "[per_value]") {
  CHECK(text_of(fully_open_per_value(kShapes, mesh())) == "<@m, [{?}, {?}]><@m, []><@m, []>");
  CHECK(fully_open_per_value({}, mesh()).empty());
}

TEST_CASE("one sharded value makes the others open on its mesh", "[per_value]") {
  const TensorSharding scalar = TensorSharding::closed(mesh(), {}, {mesh().mesh.full_axis(1)});
  CHECK(text_of(open_with_sharding_at(kShapes, 2, scalar)) ==
        "<@m, [{?}, {?}]><@m, []><@m, [], unreduced={\"y\"}>");
}

TEST_CASE("one element of a list is replaced", "[per_value]") {
  const auto open = fully_open_per_value(kShapes, mesh());
  const TensorSharding closed = TensorSharding::fully_closed(mesh().mesh, "m", 2);
  CHECK(text_of(with_sharding_at(open, 0, closed)) == "<@m, [{}, {}]><@m, []><@m, []>");
  CHECK(with_sharding_at(open, 1, open[1]) == open);
}

TEST_CASE("a list is partial if one of its elements is", "[per_value]") {
  const auto open = fully_open_per_value(kShapes, mesh());
  CHECK_FALSE(any_unreduced(open));
  CHECK(
      any_unreduced(with_sharding_at(open, 1, open[1].with_unreduced({mesh().mesh.full_axis(0)}))));
}

}  // namespace
}  // namespace shardy::per_value_test
