// Tests of a small strategy: its annotations, the propagated shardings, the collectives, and the
// results of the program.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/shardy.hpp>
#include <shardy/testing.hpp>

// [strategy]
/// Shards the largest dim of each argument, if the axis divides it.
void shard_largest_dims(shardy::ir::Module& module, const std::string& axis) {
  using shardy::TensorSharding;
  const shardy::ir::OpId main = *module.main_function();
  const shardy::Mesh mesh = *module.find_mesh("mesh");
  const shardy::AxisRef ref = mesh.full_axis(*mesh.find_axis(axis));
  const std::vector<shardy::ir::Type> types = module.arg_types(main);
  for (std::size_t index = 0; index < types.size(); ++index) {
    const auto dims = types[index].dims();
    const auto largest = std::ranges::max_element(dims);
    if (largest == dims.end() || *largest % ref.size != 0) continue;
    std::vector<shardy::AxisList> axes(dims.size());
    axes[static_cast<std::size_t>(largest - dims.begin())] = {ref};
    shardy::ir::set_arg_sharding(module, main, index, TensorSharding::closed({mesh, "mesh"}, axes));
  }
}
// [strategy]

namespace {

using shardy::testing::EqualsUnsharded;
using shardy::testing::HasCollectives;
using shardy::testing::ShardedAs;

shardy::ir::Module layer() {
  return *shardy::text::parse_mlir(R"(
    sdy.mesh @mesh = <["data"=4]>
    func.func @main(%x: tensor<32x8xf32>, %w: tensor<8x16xf32>, %b: tensor<6xf32>) -> tensor<32x16xf32> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x8xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
      return %0 : tensor<32x16xf32>
    })");
}

// [tests]
TEST_CASE("the largest dim of each argument is sharded, where the axis divides it") {
  shardy::ir::Module module = layer();
  shard_largest_dims(module, "data");
  const shardy::ir::OpId main = *module.main_function();
  CHECK_THAT(shardy::ir::arg_sharding(module, main, 0), ShardedAs(R"([{"data"}, {}])"));
  CHECK_THAT(shardy::ir::arg_sharding(module, main, 1), ShardedAs(R"([{}, {"data"}])"));
  CHECK_FALSE(shardy::ir::arg_sharding(module, main, 2));
}

TEST_CASE("it sends the weights, and computes what the program computes") {
  shardy::ir::Module module = layer();
  shard_largest_dims(module, "data");
  CHECK_THAT(shardy::checking::compile(module),
             HasCollectives({{shardy::ir::OpKind::SpmdAllGather, 1}}));
  CHECK_THAT(module, EqualsUnsharded());
}
// [tests]

}  // namespace
