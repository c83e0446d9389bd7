// Every reshard between any two shardings of small meshes must move the slices to the right
// devices. The bytes on each device are compared with a slice of the global tensor. Spec:
// resharding B.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "resharding/data_oracle.hpp"
#include "resharding/sharding_space.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

namespace shardy::testing::reshard_devices_test {
namespace {

using ir::Type;
using Shape = std::vector<int64_t>;

/// Returns a function that reshards its argument.
ir::Module reshard_program(const Shape& shape, const TensorSharding& from,
                           const TensorSharding& to) {
  ir::Module module;
  module.add_mesh("m", from.mesh());
  if (to.mesh_name() == "n") module.add_mesh("n", to.mesh());
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

/// Returns the shards of each device, by device id, as the arguments or results of a run.
std::vector<simulation::Tensors> slices(const Shape& shape, const TensorSharding& sharding) {
  const std::vector<oracle::Buffer> buffers = oracle::layout(shape, sharding);
  const std::span<const int64_t> ids = sharding.mesh().device_ids();
  std::vector<simulation::Tensors> all(buffers.size());
  for (std::size_t position = 0; position < buffers.size(); ++position) {
    const oracle::Buffer& buffer = buffers[position];
    const Type type = Type::tensor(buffer.shape, ir::ElementType::I32);
    const std::size_t device = ids.empty() ? position : static_cast<std::size_t>(ids[position]);
    all[device] = {simulation::Tensor::from_integers(type, buffer.data).value()};
  }
  return all;
}

/// Returns the per-device program of a reshard.
Result<ir::Module> lowered(const Shape& shape, const TensorSharding& from, const TensorSharding& to,
                           PlanKind plans) {
  ir::Module module = reshard_program(shape, from, to);
  const Diagnostics errors =
      passes::reshard_to_collectives(module, {.resharding = plans, .best = {}});
  if (!errors.empty()) return tl::unexpected(errors.front());
  const Diagnostics illegal = ir::verify(module);
  if (!illegal.empty()) return tl::unexpected(illegal.front());
  auto local =
      partitioning::partition(module, {.io_padding = partitioning::IoPadding::Padded, .halo = {}});
  if (!local) return tl::unexpected(local.error().front());
  return std::move(local->module);
}

/// Returns the first fault of the reshard on the simulator; an empty text if the reshard is
/// correct.
std::string wrong(const Shape& shape, const TensorSharding& from, const TensorSharding& to,
                  PlanKind plans) {
  const Result<ir::Module> local = lowered(shape, from, to, plans);
  if (!local) return local.error().message;
  simulation::RunOptions options;
  options.num_workers = 1;
  const auto result = simulation::run(*local, "main", slices(shape, from), options);
  if (!result) return result.error().message;
  return result->outputs == slices(shape, to) ? "" : "other bytes";
}

/// Returns the first fault as `wrong` does, for a tensor whose dims the shards need not divide. The
/// padding is poisoned.
std::string wrong_with_padding(const Shape& shape, const TensorSharding& from,
                               const TensorSharding& to, PlanKind plans) {
  const Result<ir::Module> local = lowered(shape, from, to, plans);
  if (!local) return local.error().message;
  const Type type = Type::tensor(shape, ir::ElementType::I32);
  Shape numbers(static_cast<std::size_t>(type.num_elements()));
  std::iota(numbers.begin(), numbers.end(), 1);
  const auto whole = simulation::Tensor::from_integers(type, numbers).value();
  const int64_t devices = from.mesh().num_devices();
  const simulation::Tensors parts =
      simulation::scatter_input(whole, from, devices, simulation::Fill::Poison).value();
  std::vector<simulation::Tensors> inputs;
  for (const simulation::Tensor& input : parts) inputs.push_back({input});
  simulation::RunOptions options;
  options.num_workers = 1;
  const auto result = simulation::run(*local, "main", inputs, options);
  if (!result) return result.error().message;
  simulation::Tensors outputs;
  for (const simulation::Tensors& output : result->outputs) outputs.push_back(output.front());
  const auto back = simulation::gather_output(outputs, to, type);
  if (!back) return back.error().message;
  return *back == whole ? "" : "other bytes";
}

/// Tries all pairs of shardings.
void check_all(const Shape& shape, const std::vector<TensorSharding>& sources,
               const std::vector<TensorSharding>& targets) {
  for (const TensorSharding& from : sources) {
    for (const TensorSharding& to : targets) {
      CAPTURE(to_string(from.mesh()), to_string(from), to_string(to.mesh()), to_string(to));
      REQUIRE(wrong(shape, from, to, PlanKind::Reference) == "");
      REQUIRE(wrong(shape, from, to, PlanKind::Best) == "");
    }
  }
}

/// Returns the number of shardings of a tensor of `rank` by axes of one set of `parts`. Each
/// sharding has r of the parts in some order, split into dims. Spec: resharding C.2.
int64_t count_of(int64_t parts, int64_t rank) {
  int64_t total = 0;
  int64_t orders = 1;  // number of orders of r parts
  for (int64_t r = 0; r <= parts; ++r) {
    total += orders * (rank == 1 ? 1 : r + 1);
    orders *= parts - r;
  }
  return total;
}

struct Row {
  Shape mesh;
  int64_t parts;  // number of prime factors of the sizes
};

const std::vector<Row> kMeshes = {{{2}, 1},    {{3}, 1},       {{4}, 2},
                                  {{6}, 2},    {{2, 2}, 2},    {{2, 3}, 2},
                                  {{2, 4}, 3}, {{2, 2, 2}, 3}, {{2, 3, 2}, 3}};

TEST_CASE("reshards give every device the bytes of its slice", "[checking][reshard][law]") {
  for (const Row& row : kMeshes) {
    const Mesh mesh = make_mesh(row.mesh);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      const std::vector<TensorSharding> all = all_shardings(mesh, shape.size());
      const auto rank = static_cast<int64_t>(shape.size());
      // An axis of size 6 splits as 2 * 3 and as 3 * 2. Shardings by the whole axis on a dim, and
      // those without it, occur in both.
      const int64_t twice = row.mesh == Shape{6} ? count_of(2, rank) - 1 - rank : 0;
      REQUIRE(static_cast<int64_t>(all.size()) == count_of(row.parts, rank) + twice);
      check_all(shape, all, all);
    }
  }
}

TEST_CASE("reshards of uneven dims give every device the bytes of its slice",
          "[checking][reshard][law]") {
  for (const Shape& sizes : {Shape{2}, Shape{3}, Shape{4}, Shape{6}, Shape{2, 2}, Shape{2, 3}}) {
    const std::vector<TensorSharding> all = all_shardings(make_mesh(sizes), 2);
    for (const Shape& shape : {Shape{5, 7}, Shape{9, 1}, Shape{0, 3}}) {
      for (const TensorSharding& from : all) {
        for (const TensorSharding& to : all) {
          CAPTURE(to_string(from.mesh()), to_string(from), to_string(to));
          REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Reference) == "");
          REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Best) == "");
        }
      }
    }
  }
}

TEST_CASE("reshards to another device order give every device the bytes of its slice",
          "[checking][reshard][law]") {
  for (const Row& row : kMeshes) {
    const Mesh mesh = make_mesh(row.mesh);
    const int64_t devices = mesh.num_devices();
    Shape order;  // odd devices first, then even devices backwards
    for (int64_t device = 1; device < devices; device += 2) order.push_back(device);
    for (int64_t device = (devices - 1) / 2 * 2; device >= 0; device -= 2) order.push_back(device);
    const Mesh reordered = make_mesh(row.mesh, order);
    REQUIRE(reordered != mesh);
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      std::vector<TensorSharding> targets = all_shardings(reordered, shape.size());
      for (TensorSharding& to : targets) to = to.with_mesh({reordered, "n"});
      check_all(shape, all_shardings(mesh, shape.size()), targets);
    }
  }
}

/// Reads SHARDY_RESHARD_CASES: `all` pairs of the larger meshes, or a number of random pairs.
int64_t cases(int64_t otherwise, int64_t all) {
  const char* text = std::getenv("SHARDY_RESHARD_CASES");
  if (text == nullptr) return otherwise;
  return std::string(text) == "all" ? all : std::strtoll(text, nullptr, 10);
}

TEST_CASE("reshards on larger meshes give every device the bytes of its slice",
          "[checking][reshard][law]") {
  std::mt19937_64 random(1);
  const int64_t most = cases(300, int64_t{1} << 40);  // pairs for one mesh and shape
  for (const Shape& sizes :
       {Shape{8}, Shape{2, 4}, Shape{4, 2}, Shape{2, 2, 2}, Shape{2, 3, 2}, Shape{4, 4}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{11}, Shape{devices, devices}, Shape{9, 10}}) {
      const std::vector<TensorSharding> all = all_shardings(mesh, shape.size());
      const auto pairs = static_cast<int64_t>(all.size() * all.size());
      for (int64_t pair = 0; pair < std::min(most, pairs); ++pair) {
        const auto number = static_cast<std::size_t>(
            most >= pairs
                ? pair
                : static_cast<int64_t>(random() % all.size() * all.size() + random() % all.size()));
        const TensorSharding& from = all[number / all.size()];
        const TensorSharding& to = all[number % all.size()];
        CAPTURE(to_string(mesh), shape, to_string(from), to_string(to));
        REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Reference) == "");
        REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Best) == "");
      }
    }
  }
}

/// Returns a sharding with some prime parts of the mesh on the dims and some of the other parts
/// unreduced.
TensorSharding random_sharding(const Mesh& mesh, const std::string& name, std::size_t rank,
                               bool is_partial, std::mt19937_64& random) {
  AxisList parts;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const std::vector<AxisList> ways = factorizations(axis, mesh.axis_size(axis));
    const AxisList& way = ways[random() % ways.size()];
    parts.insert(parts.end(), way.begin(), way.end());
  }
  std::shuffle(parts.begin(), parts.end(), random);
  std::vector<AxisList> lists(rank);
  AxisList unreduced;
  for (const AxisRef& part : parts) {
    const std::size_t place = random() % (rank + 2);
    if (place < rank) append_or_merge(lists[place], part);
    if (place == rank && is_partial) unreduced.push_back(part);
  }
  return TensorSharding::closed({mesh, name}, std::move(lists), sort_and_merge(unreduced));
}

TEST_CASE("reshards of random tensors on up to 64 devices keep the tensors",
          "[checking][reshard][random]") {
  std::mt19937_64 random(7);
  for (int64_t count = cases(200, 50000); count > 0; --count) {
    Shape sizes;
    int64_t devices = 1;
    for (std::size_t axis = 1 + random() % 4; axis > 0; --axis) {
      const int64_t size = Shape{1, 2, 3, 4, 6, 8}[random() % 6];
      if (devices * size > 64) continue;
      devices *= size;
      sizes.push_back(size);
    }
    if (sizes.empty()) sizes.push_back(2);
    const Mesh mesh = make_mesh(sizes);
    Shape ids(static_cast<std::size_t>(mesh.num_devices()));
    std::iota(ids.begin(), ids.end(), 0);
    const bool is_other = random() % 4 == 0;
    if (is_other) std::shuffle(ids.begin(), ids.end(), random);
    const Mesh target = make_mesh(sizes, ids);
    const std::size_t rank = 3 + random() % 2;
    Shape shape;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      shape.push_back(Shape{1, 2, 3, 4, 5, 6, 7, 8, 9, 12}[random() % 10]);
    }
    const TensorSharding from = random_sharding(mesh, "m", rank, random() % 3 == 0, random);
    const TensorSharding to =
        random_sharding(target, target == mesh ? "m" : "n", rank, false, random);
    CAPTURE(to_string(mesh), to_string(target), shape, to_string(from), to_string(to), count);
    REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Reference) == "");
    REQUIRE(wrong_with_padding(shape, from, to, PlanKind::Best) == "");
  }
}

}  // namespace
}  // namespace shardy::testing::reshard_devices_test
