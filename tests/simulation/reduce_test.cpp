// reduce: order, reducers of every form, types. Spec: stablehlo 24.1.
#include <cmath>
#include <limits>

#include "simulation/random_values.hpp"

namespace shardy_test::reduce_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor reduce(const Tensor& x, const Tensor& init, const Dims& dims, OpKind combiner) {
  return evaluate_graph({x, init}, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{graph.reduce(arguments[0], arguments[1], dims, combiner)};
  })[0];
}

TEST_CASE("reduce removes the dims that it names", "[simulation][reduce][random]") {
  Random random;
  for (int round = 0; round < 80; ++round) {
    const Dims sizes = random.shape(4, 4);
    Dims all(sizes.size());
    std::iota(all.begin(), all.end(), 0);
    Dims reduced = random.shuffled(all);
    reduced.resize(static_cast<std::size_t>(random.between(0, std::ssize(sizes))));
    const bool is_max = random.chance(50);
    const ElementType element = random.pick(
        std::vector<ElementType>{ElementType::F32, ElementType::I32, ElementType::BF16});
    const Tensor x = random.numbers(element, sizes);
    CAPTURE(sizes, reduced, is_max);
    Dims kept;
    for (const int64_t dim : all) {
      if (std::ranges::find(reduced, dim) == reduced.end()) {
        kept.push_back(sizes[static_cast<std::size_t>(dim)]);
      }
    }
    const double init = is_max ? -9 : 3;
    Grid expected = grid_of(kept, [&](const Dims&) { return init; });
    const Grid in(x);
    for_each_index(sizes, [&](const Dims& index) {
      Dims to;
      for (std::size_t dim = 0; dim < index.size(); ++dim) {
        const auto signed_dim = static_cast<int64_t>(dim);
        if (std::ranges::find(reduced, signed_dim) == reduced.end()) to.push_back(index[dim]);
      }
      double& acc = expected.at(to);
      acc = is_max ? std::max(acc, in.at(index)) : acc + in.at(index);
    });
    CHECK(reduce(x, scalar(element, init), reduced, is_max ? OpKind::Maximum : OpKind::Add) ==
          expected.as(element));
  }
}

TEST_CASE("the accumulator starts at init and rounds after every element", "[simulation][reduce]") {
  // f16: 2048 + 1 stays 2048, each time; 1 + 1 + 2048 does not.
  CHECK(reduce(vector_of(ElementType::F16, {1, 1}), scalar(ElementType::F16, 2048), {0},
               OpKind::Add) == scalar(ElementType::F16, 2048));
  CHECK(reduce(vector_of(ElementType::F16, {1, 2048}), scalar(ElementType::F16, 1), {0},
               OpKind::Add) == scalar(ElementType::F16, 2050));
  CHECK(reduce(vector_of(ElementType::F32, {0x1p24, 1, -0x1p24}), scalar(ElementType::F32, 0), {0},
               OpKind::Add) == scalar(ElementType::F32, 0));
  CHECK(reduce(vector_of(ElementType::F32, {}), scalar(ElementType::F32, -0.0), {0}, OpKind::Add) ==
        scalar(ElementType::F32, -0.0));
  CHECK(reduce(vector_of(ElementType::F32, {-0.0}), scalar(ElementType::F32, -0.0), {0},
               OpKind::Add) == scalar(ElementType::F32, -0.0));
}

TEST_CASE("every common reducer gives the right result", "[simulation][reduce]") {
  const Tensor x = vector_of(ElementType::I8, {3, 5, -2});
  CHECK(reduce(x, scalar(ElementType::I8, 2), {0}, OpKind::Multiply) ==
        scalar(ElementType::I8, -60));
  CHECK(reduce(x, scalar(ElementType::I8, 0), {0}, OpKind::Minimum) == scalar(ElementType::I8, -2));
  CHECK(reduce(x, scalar(ElementType::I8, -1), {0}, OpKind::And) == scalar(ElementType::I8, 0));
  CHECK(reduce(x, scalar(ElementType::I8, 0), {0}, OpKind::Or) == scalar(ElementType::I8, -1));
  CHECK(reduce(x, scalar(ElementType::I8, 0), {0}, OpKind::Xor) ==
        scalar(ElementType::I8, (3 ^ 5) ^ -2));
  CHECK(reduce(vector_of(ElementType::I1, {1, 0}), scalar(ElementType::I1, 1), {0}, OpKind::And) ==
        scalar(ElementType::I1, 0));
  CHECK(reduce(vector_of(ElementType::F32, {std::nan(""), 1}), scalar(ElementType::F32, -kInf), {0},
               OpKind::Maximum) == scalar(ElementType::F32, std::nan("")));
}

/// Value and place of the largest element; of equal ones the first.
Values argmax_body(GraphBuilder& graph, std::span<const ValueId> args) {
  const ValueId left_wins = graph.compare(args[0], args[2], "GE");
  return {graph.select(left_wins, args[0], args[2]), graph.select(left_wins, args[1], args[3])};
}

TEST_CASE("a reducer of several operands can compare all of them", "[simulation][reduce]") {
  const Tensor x = tensor(ElementType::F32, {2, 4}, {3, 9, 9, 1, -5, -7, -5, -6});
  for (const int64_t dim : {0, 1}) {
    const Tensors results = evaluate_graph({x}, [&](GraphBuilder& graph, const Values& arguments) {
      const ValueId places = graph.iota(Type::tensor({2, 4}, ElementType::I64), dim);
      const ValueId low = graph.splat(Type::tensor({}, ElementType::F32), -kInf);
      const ValueId none = graph.int_splat(Type::tensor({}, ElementType::I64), -1);
      return graph.reduce({arguments[0], places}, {low, none}, {dim},
                          [&](std::span<const ValueId> args) { return argmax_body(graph, args); });
    });
    if (dim == 1) {
      CHECK(results[0] == vector_of(ElementType::F32, {9, -5}));
      CHECK(results[1] == vector_of(ElementType::I64, {1, 0}));
    } else {
      CHECK(results[0] == vector_of(ElementType::F32, {3, 9, 9, 1}));
      CHECK(results[1] == vector_of(ElementType::I64, {0, 0, 0, 0}));
    }
  }
}

TEST_CASE("a reducer can use constants and outer values", "[simulation][reduce]") {
  // acc := 2 * acc + x - offset, so the order shows.
  const Tensors results = evaluate_graph(
      {vector_of(ElementType::I32, {1, 2, 3}), scalar(ElementType::I32, 10)},
      [](GraphBuilder& graph, const Values& arguments) {
        const ValueId init = graph.splat(Type::tensor({}, ElementType::I32), 5);
        return graph.reduce({arguments[0]}, {init}, {0}, [&](std::span<const ValueId> args) {
          const ValueId two = graph.splat(Type::tensor({}, ElementType::I32), 2);
          const ValueId sum = graph.add(graph.multiply(two, args[0]), args[1]);
          return Values{graph.subtract(sum, arguments[1])};
        });
      });
  // 5 -> 10+1-10 = 1 -> 2+2-10 = -6 -> -12+3-10 = -19
  CHECK(results[0] == scalar(ElementType::I32, -19));
}

TEST_CASE("a reducer is called with its arguments in order", "[simulation][reduce]") {
  const Tensors results = evaluate_graph(
      {bits<uint32_t>(ElementType::F32, {0x7FC00002}),
       bits<uint32_t>(ElementType::F32, {0x7FC00001})},
      [](GraphBuilder& graph, const Values& arguments) {
        const ValueId init = graph.reshape(arguments[1], {});
        return graph.reduce({arguments[0]}, {init}, {0}, [&](std::span<const ValueId> args) {
          return Values{graph.maximum(args[1], args[0])};
        });
      });
  CHECK(results[0].elements<uint32_t>()[0] == 0x7FC00002);
}

TEST_CASE("a reducer with control flow runs per element", "[simulation][reduce]") {
  // The larger of two by a case, which no elementwise kernel can do.
  const auto larger = [](GraphBuilder& graph, std::span<const ValueId> args) {
    const std::vector<ValueId> values(args.begin(), args.end());
    const ValueId first = graph.compare(values[0], values[1], "GE");
    return graph.if_else(
        first, [&] { return Values{values[0]}; }, [&] { return Values{values[1]}; });
  };
  const Tensor x = tensor(ElementType::I32, {2, 3}, {1, 7, 3, 4, 5, 6});
  const Tensors results = evaluate_graph({x}, [&](GraphBuilder& graph, const Values& arguments) {
    const ValueId init = graph.splat(Type::tensor({}, ElementType::I32), 2);
    return graph.reduce({arguments[0]}, {init}, {1},
                        [&](std::span<const ValueId> args) { return larger(graph, args); });
  });
  CHECK(results[0] == vector_of(ElementType::I32, {7, 6}));
}

}  // namespace
}  // namespace shardy_test::reduce_test
