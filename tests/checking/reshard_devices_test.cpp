// Every reshard between any two shardings of small meshes puts the slices where they belong: the
// bytes on every device, against a direct slicing of the global tensor. Spec: resharding B.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "resharding/data_oracle.hpp"
#include "resharding/sharding_space.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/export/export_pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

namespace shardy::testing {
namespace {

using ir::Type;
using Shape = std::vector<int64_t>;

/// A function that reshards its argument.
ir::Module reshard_program(const Shape& shape, const TensorSharding& from,
                           const TensorSharding& to) {
  ir::Module module;
  module.add_mesh("m", from.mesh());
  const std::vector<Type> types = {Type::tensor(shape, ir::ElementType::I32)};
  const ir::OpId main = module.add_function("main", types, types);
  ir::set_arg_sharding(module, main, 0, from);
  ir::set_result_sharding(module, main, 0, to);
  ir::Builder body(module, module.entry(main));
  ir::AttributeMap attributes;
  attributes.set("sharding", to);
  const ir::ValueId value =
      body.create_value(ir::OpKind::SdyReshard, {module.args(module.entry(main))[0]}, types.front(),
                        std::move(attributes));
  ir::OpSpec last{.kind = ir::OpKind::FuncReturn};
  last.operands = {value};
  body.create(std::move(last));
  return module;
}

/// What each device holds, as the arguments or results of a run.
std::vector<simulation::Tensors> slices(const Shape& shape, const TensorSharding& sharding) {
  std::vector<simulation::Tensors> all;
  for (const oracle::Buffer& buffer : oracle::layout(shape, sharding)) {
    const Type type = Type::tensor(buffer.shape, ir::ElementType::I32);
    all.push_back({simulation::Tensor::from_integers(type, buffer.data).value()});
  }
  return all;
}

/// What is wrong with the reshard on the simulator, empty if nothing is.
std::string wrong(const Shape& shape, const TensorSharding& from, const TensorSharding& to) {
  ir::Module module = reshard_program(shape, from, to);
  const passes::PassErrors errors = passes::reshard_to_collectives(module, {});
  if (!errors.empty()) return errors.front().message;
  const auto local = partitioning::partition(module);
  if (!local) return local.error().front().message;
  simulation::RunOptions options;
  options.num_workers = 1;
  const auto result = simulation::run(local->module, "main", slices(shape, from), options);
  if (!result) return result.error().message;
  return result->outputs == slices(shape, to) ? "" : "other bytes";
}

TEST_CASE("reshards put on every device the bytes of its slice", "[checking][reshard][law]") {
  for (const Shape& sizes : {Shape{2}, Shape{3}, Shape{4}, Shape{6}, Shape{2, 2}, Shape{2, 3},
                             Shape{2, 4}, Shape{2, 2, 2}, Shape{2, 3, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      const std::vector<TensorSharding> all = all_shardings(mesh, shape.size());
      for (const TensorSharding& from : all) {
        for (const TensorSharding& to : all) {
          CAPTURE(to_string(mesh), to_string(from), to_string(to));
          REQUIRE(wrong(shape, from, to) == "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardy::testing
