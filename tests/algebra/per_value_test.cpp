#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
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

TEST_CASE("open shardings have a dim per dim of a shaped value, and none for other values",
          "[per_value]") {
  CHECK(text_of(fully_open_per_value(kShapes, mesh())) == "<@m, [{?}, {?}]><@m, []><@m, []>");
  CHECK(fully_open_per_value({}, mesh()).empty());
}

TEST_CASE("open_with_sharding_at keeps one sharding and makes the other shardings open",
          "[per_value]") {
  const TensorSharding scalar = TensorSharding::closed(mesh(), {}, {mesh().mesh.full_axis(1)});
  CHECK(text_of(open_with_sharding_at(kShapes, 2, scalar)) ==
        "<@m, [{?}, {?}]><@m, []><@m, [], unreduced={\"y\"}>");
}

TEST_CASE("replacing one element of a list keeps the other elements", "[per_value]") {
  const auto open = fully_open_per_value(kShapes, mesh());
  const TensorSharding closed = TensorSharding::fully_closed(mesh().mesh, "m", 2);
  CHECK(text_of(with_sharding_at(open, 0, closed)) == "<@m, [{}, {}]><@m, []><@m, []>");
  CHECK(with_sharding_at(open, 1, open[1]) == open);
}

TEST_CASE("any_unreduced finds an unreduced sharding in a list", "[per_value]") {
  const auto open = fully_open_per_value(kShapes, mesh());
  CHECK_FALSE(any_unreduced(open));
  CHECK(
      any_unreduced(with_sharding_at(open, 1, open[1].with_unreduced({mesh().mesh.full_axis(0)}))));
}

}  // namespace
}  // namespace shardy::per_value_test
