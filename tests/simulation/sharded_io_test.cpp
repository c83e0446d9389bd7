// Splits whole tensors into shards of devices and assembles them. Spec: partitioning 11.6,
// algebra 8.
#include <cmath>
#include <limits>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/simulation/run.hpp"
#include "simulation/random_values.hpp"

namespace shardy_test::sharded_io_test {
namespace {

using shardy::AxisList;
using shardy::DimSharding;
using shardy::ReductionOp;
using shardy::TensorSharding;
using shardy::simulation::Fill;
using shardy::simulation::gather_output;
using shardy::simulation::scatter_input;

TensorSharding sharding(const Mesh& mesh, std::vector<AxisList> dims, AxisList unreduced = {},
                        ReductionOp op = ReductionOp::Sum) {
  std::vector<DimSharding> made;
  for (AxisList& axes : dims) made.push_back({std::move(axes), true, std::nullopt});
  const auto result =
      TensorSharding::make(mesh, std::nullopt, std::move(made), {}, std::move(unreduced), op);
  if (!result) FAIL(message_of(result));
  return *result;
}

TEST_CASE("uneven shards are padded at the end", "[simulation][io]") {
  // Algebra 8, example C: 5 elements on 4 shards.
  const Mesh mesh = Mesh::make({{"x", 4}}).value();
  const TensorSharding split = sharding(mesh, {{{0, 1, 4}}});
  const Tensor x = counting(ElementType::I32, {5}, 1);
  const Tensors parts = scatter_input(x, split, 4).value();
  CHECK(parts == Tensors{vector_of(ElementType::I32, {1, 2}), vector_of(ElementType::I32, {3, 4}),
                         vector_of(ElementType::I32, {5, 0}), vector_of(ElementType::I32, {0, 0})});
  const Tensors poisoned = scatter_input(x, split, 4, Fill::Poison).value();
  CHECK(poisoned[2] == integers(ElementType::I32, {2}, {5, static_cast<int32_t>(0xA5A5A5A5)}));
  CHECK(gather_output(poisoned, split, x.type()).value() == x);
}

TEST_CASE("device ids and sub-axes place the shards", "[simulation][io]") {
  // Algebra 8, example B: <a=3, b=2> device_ids [0, 2, 4, 1, 3, 5].
  const Mesh mesh = Mesh::make({{"a", 3}, {"b", 2}}, {0, 2, 4, 1, 3, 5}).value();
  const Tensors parts =
      scatter_input(counting(ElementType::I8, {6}), sharding(mesh, {{{0, 1, 3}}}), 6).value();
  const auto pair = [](double first) { return vector_of(ElementType::I8, {first, first + 1}); };
  CHECK(parts == Tensors{pair(0), pair(2), pair(0), pair(4), pair(2), pair(4)});
  // Example A: <x=2, y=4>, 8x8, [{y:(2)2}, {x, y:(1)2}]: device 6 holds rows 0-3, cols 6-7.
  const Mesh sub = Mesh::make({{"x", 2}, {"y", 4}}).value();
  const TensorSharding tiles = sharding(sub, {{{1, 2, 2}}, {{0, 1, 2}, {1, 1, 2}}});
  const Tensors grid = scatter_input(counting(ElementType::I8, {8, 8}), tiles, 8).value();
  CHECK(grid[6] == tensor(ElementType::I8, {4, 2}, {6, 7, 14, 15, 22, 23, 30, 31}));
}

TEST_CASE("equal shards share one buffer", "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 3}}).value();
  const Tensors parts =
      scatter_input(counting(ElementType::F32, {4}), sharding(mesh, {{{0, 1, 2}}}), 6).value();
  CHECK(parts[0].data() == parts[2].data());
  CHECK(parts[0].data() != parts[3].data());
}

TEST_CASE("gathering an output undoes scattering an input", "[simulation][io][random]") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const Mesh mesh =
        Mesh::make({{"a", random.between(1, 4)}, {"b", random.between(1, 3)}, {"c", 2}}).value();
    const Dims sizes = {random.between(0, 7), random.between(1, 5)};
    std::vector<AxisList> dims(2);
    AxisList unreduced;
    for (int32_t axis = 0; axis < 3; ++axis) {
      const int64_t where = random.between(0, 3);
      const shardy::AxisRef full = mesh.full_axis(axis);
      if (where < 2) dims[static_cast<std::size_t>(where)].push_back(full);
      if (where == 2) unreduced.push_back(full);
    }
    const auto op =
        random.pick(std::vector<ReductionOp>{ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min});
    const TensorSharding layout =
        sharding(mesh, dims, unreduced, unreduced.empty() ? ReductionOp::Sum : op);
    CAPTURE(layout, sizes);
    for (const ElementType element : {ElementType::F32, ElementType::I32, ElementType::UI8}) {
      const Tensor x = random.numbers(element, sizes, 0, 9);
      const auto parts = scatter_input(x, layout, mesh.num_devices(), Fill::Poison);
      REQUIRE(parts);
      CHECK(gather_output(*parts, layout, x.type()).value() == x);
    }
  }
}

TEST_CASE("an unreduced input is the value on one device and the neutral element elsewhere",
          "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const auto others = [&](ElementType element, ReductionOp op) {
    const TensorSharding layout = sharding(mesh, {}, {{0, 1, 2}}, op);
    const Tensors parts = scatter_input(scalar(element, 1), layout, 2).value();
    CHECK(parts[0] == scalar(element, 1));
    return parts[1];
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(others(ElementType::F32, ReductionOp::Sum) == scalar(ElementType::F32, -0.0));
  CHECK(others(ElementType::BF16, ReductionOp::Max) == scalar(ElementType::BF16, -kInf));
  CHECK(others(ElementType::I8, ReductionOp::Max) == scalar(ElementType::I8, -128));
  CHECK(others(ElementType::I8, ReductionOp::Min) == scalar(ElementType::I8, 127));
  CHECK(others(ElementType::UI8, ReductionOp::Max) == scalar(ElementType::UI8, 0));
  CHECK(others(ElementType::I32, ReductionOp::Sum) == scalar(ElementType::I32, 0));
  CHECK(others(ElementType::I1, ReductionOp::Max) == scalar(ElementType::I1, 0));
  CHECK(others(ElementType::I1, ReductionOp::Min) == scalar(ElementType::I1, 1));
}

TEST_CASE("unreduced outputs are reduced in rank order", "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", 3}}).value();
  const TensorSharding layout = sharding(mesh, {{}}, {{0, 1, 3}});
  // f32: (2^24 + 1) - 2^24 loses the 1.
  const Tensors parts = {vector_of(ElementType::F32, {0x1p24}), vector_of(ElementType::F32, {1}),
                         vector_of(ElementType::F32, {-0x1p24})};
  CHECK(gather_output(parts, layout, parts[0].type()).value() == vector_of(ElementType::F32, {0}));
}

TEST_CASE("devices whose replicas differ are named", "[simulation][io][failure]") {
  const Mesh mesh = Mesh::make({{"x", 2}, {"y", 2}}, {3, 2, 1, 0}).value();
  const TensorSharding layout = sharding(mesh, {{}, {{0, 1, 2}}});
  const Tensor x = counting(ElementType::F32, {2, 3});
  Tensors parts = scatter_input(x, layout, 4, Fill::Poison).value();
  // Device 0 and 1 hold column 2 and padding: padding may differ.
  parts[0] = tensor(ElementType::F32, {2, 2}, {2, 7, 5, 7});
  CHECK(gather_output(parts, layout, x.type()).value() == x);
  parts[0] = tensor(ElementType::F32, {2, 2}, {2, 7, 6, 7});
  CHECK(message_of(gather_output(parts, layout, x.type())) ==
        "E_REPLICA_DIVERGENCE: devices 1 and 0 differ at index [1, 2]");
}

TEST_CASE("without a sharding all devices hold the value and must return equal values",
          "[simulation][io]") {
  const Tensor x = counting(ElementType::F32, {2});
  const Tensors parts = scatter_input(x, std::nullopt, 3).value();
  CHECK(parts == Tensors{x, x, x});
  CHECK(gather_output(parts, std::nullopt, x.type()).value() == x);
  CHECK(message_of(gather_output(Tensors{x, x, vector_of(ElementType::F32, {0, 2})}, std::nullopt,
                                 x.type())) ==
        "E_REPLICA_DIVERGENCE: devices 0 and 2 differ at index [1]");
}

TEST_CASE("a maximal sharding uses the buffer of one device", "[simulation][io]") {
  const TensorSharding one =
      TensorSharding::fully_closed(Mesh::maximal(1).value(), std::nullopt, 1);
  const Tensor x = counting(ElementType::F32, {2}, 5);
  const Tensors parts = scatter_input(x, one, 3).value();
  CHECK(parts ==
        Tensors{vector_of(ElementType::F32, {0, 0}), x, vector_of(ElementType::F32, {0, 0})});
  CHECK(gather_output(parts, one, x.type()).value() == x);
}

TEST_CASE("buffers that do not fit their sharding are errors", "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const TensorSharding layout = sharding(mesh, {{{0, 1, 2}}});
  const Type type = Type::tensor({4}, ElementType::F32);
  CHECK(message_of(gather_output(Tensors{counting(ElementType::F32, {2})}, layout, type)) ==
        "missing buffer of device 1");
  CHECK(message_of(gather_output(Tensors(2, counting(ElementType::F32, {3})), layout, type)) ==
        "the buffer of device 0 must have type tensor<2xf32>, got: tensor<3xf32>");
  CHECK(message_of(scatter_input(counting(ElementType::F32, {2, 2}), layout, 2)) ==
        "a sharding of rank 1 does not fit tensor<2x2xf32>");
}

}  // namespace
}  // namespace shardy_test::sharded_io_test
