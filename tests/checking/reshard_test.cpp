// Every reshard between any two shardings of small meshes, with unreduced axes among them, must
// keep the tensor.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "checking/all_shardings.hpp"
#include "checking/programs.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/resharding/detail/quasi_affine.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::ElementType;
using ir::GraphBuilder;
using ir::Type;

namespace reshard_test {
namespace {

/// Makes a program in which the argument is sharded as `from` and then as `to`.
ir::Module program(const Mesh& mesh, const std::vector<int64_t>& shape, const TensorSharding& from,
                   const TensorSharding& to) {
  GraphBuilder builder;
  builder.mesh("mesh", mesh);
  builder.function("main");
  const ir::ValueId arg = builder.argument(Type::tensor(shape, ElementType::I32));
  builder.ret({builder.reshard(builder.reshard(arg, from), to)});
  auto module = builder.finish();
  INFO((module ? std::string() : module.error().message));
  REQUIRE(module.has_value());
  return *std::move(module);
}

/// Tries every pair. Returns the number of pairs.
int64_t check_all(const Mesh& mesh, const AxisList& parts, const std::vector<int64_t>& shape) {
  const std::vector<TensorSharding> shardings =
      shardy_test::AllShardings(mesh, parts, shape.size()).all();
  std::vector<int64_t> numbers(static_cast<std::size_t>(product(shape)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) + 1;
  const auto input =
      simulation::Tensor::from_integers(Type::tensor(shape, ElementType::I32), numbers);
  REQUIRE(input.has_value());
  checking::CheckOptions options;
  options.run.kernels.fill = simulation::Fill::Poison;
  for (const TensorSharding& from : shardings) {
    for (const TensorSharding& to : shardings) {
      CAPTURE(to_string(from), to_string(to), shape);
      const auto report = checking::check(program(mesh, shape, from, to), {*input}, options);
      INFO((report ? std::string() : report.error().front().message));
      REQUIRE(report.has_value());
      REQUIRE(report->equal());
    }
  }
  const auto count = static_cast<int64_t>(shardings.size());
  return count * count;
}

Mesh mesh_of(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {}) {
  auto mesh = Mesh::make(std::move(axes), std::move(device_ids));
  REQUIRE(mesh.has_value());
  return *std::move(mesh);
}

AxisList full_axes(const Mesh& mesh) {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) axes.push_back(mesh.full_axis(axis));
  return axes;
}

/// Returns the bytes that the busiest device sends. Checks that the result is that of the unsharded
/// program.
int64_t sent(const ir::Module& module) {
  checking::CheckOptions options;
  options.run.kernels.fill = simulation::Fill::Poison;
  const auto report = checking::check(module, shardy_test::small_integers(module, 7), options);
  REQUIRE(report.has_value());
  REQUIRE(report->equal());
  return shardy_test::most_bytes_sent(report->sharded);
}

int64_t sent(const Mesh& mesh, const std::vector<int64_t>& shape, const TensorSharding& from,
             const TensorSharding& to) {
  return sent(program(mesh, shape, from, to));
}

/// Makes a program whose argument is sharded as `from` and whose result is sharded as `to`.
ir::Module program_of_argument(const Mesh& mesh, const std::vector<int64_t>& shape,
                               const TensorSharding& from, const TensorSharding& to) {
  GraphBuilder builder;
  builder.mesh("mesh", mesh);
  builder.function("main");
  const ir::ValueId arg = builder.argument(Type::tensor(shape, ElementType::I32));
  builder.ret({builder.reshard(arg, to)});
  auto module = builder.finish();
  REQUIRE(module.has_value());
  const ir::OpId main = *module->main_function();
  module->function(main).arg_attributes.resize(1);
  module->function(main).arg_attributes[0].set("sdy.sharding", from);
  return *std::move(module);
}

/// Returns the bytes of all collectives of the program, each counted on its busiest device.
/// `rewrites`: applies the rules that save more, such as one that joins a permute and an
/// all-to-all.
int64_t planned(const ir::Module& module, bool rewrites = true) {
  checking::CompileOptions options;
  if (!rewrites) options.collectives.rules = std::vector<std::string>();
  const auto compiled = checking::compile(module, options);
  REQUIRE(compiled.has_value());
  return partitioning::program_cost(compiled->program).bytes_sent;
}

}  // namespace

TEST_CASE("the price of a reshard between uneven shards is the traffic of its program",
          "[checking][reshard][traffic]") {
  std::mt19937_64 random(8);
  int64_t num_dear = 0;  // pairs with a step between shards that do not nest
  for (const auto& axes : {std::vector<MeshAxis>{{"a", 2}, {"b", 2}},
                           {{"a", 2}, {"b", 3}},
                           {{"a", 3}, {"b", 2}},
                           {{"a", 8}, {"b", 1}},
                           {{"a", 2}, {"b", 2}, {"c", 2}}}) {
    const Mesh mesh = mesh_of(axes);
    AxisList parts = full_axes(mesh);
    if (mesh.axis_size(0) == 8) parts = {{0, 1, 2}, {0, 2, 2}, {0, 4, 2}};
    const std::vector<TensorSharding> shardings = shardy_test::AllShardings(mesh, parts, 2).all();
    for (int round = 0; round < 150; ++round) {
      const TensorSharding& from = shardings[random() % shardings.size()];
      const TensorSharding& to = shardings[random() % shardings.size()];
      const bool is_partial = !from.unreduced_axes().empty() || !to.unreduced_axes().empty();
      if (is_partial) continue;
      const std::vector<int64_t> shape = {1 + static_cast<int64_t>(random() % 70),
                                          1 + static_cast<int64_t>(random() % 30)};
      const TensorSize tensor{shape, 4};
      const auto plan = plan_best_reshard(tensor, from, to, BoundAxes::none());
      REQUIRE(plan.has_value());
      const TensorSharding* here = &from;
      for (const ReshardStep& step : plan->steps) {
        for (std::size_t dim = 0; dim < 2; ++dim) {
          const int64_t before = here->dim(dim).sharded_size();
          const int64_t after = step.out.dim(dim).sharded_size();
          const int64_t few = std::min(before, after);
          num_dear += tiles_nest(shape[dim], few, std::max(before, after) / few) ? 0 : 1;
        }
        here = &step.out;
      }
      CAPTURE(to_string(mesh), to_string(from), to_string(to), shape);
      const ir::Module module = program_of_argument(mesh, shape, from, to);
      CHECK(planned(module, false) == plan_cost(tensor, from, plan->steps).bytes);
      CHECK(planned(module) <= planned(module, false));
      if (round % 10 == 0) CHECK(sent(module) <= planned(module));
    }
  }
  CHECK(num_dear > 50);
}

// Padding of the first exchange is sent again by the second one.
TEST_CASE("two exchanges between four uneven dims send as much as their plan",
          "[checking][reshard][traffic]") {
  std::mt19937_64 random(9);
  for (const auto& axes : {std::vector<MeshAxis>{{"a", 2}, {"b", 2}}, {{"a", 2}, {"b", 3}}}) {
    const Mesh mesh = mesh_of(axes);
    const AxisList a = {mesh.full_axis(0)};
    const AxisList b = {mesh.full_axis(1)};
    const auto from = TensorSharding::closed({mesh, "mesh"}, {a, {}, b, {}});
    const auto to = TensorSharding::closed({mesh, "mesh"}, {{}, a, {}, b});
    for (int round = 0; round < 60; ++round) {
      std::vector<int64_t> shape;
      for (int dim = 0; dim < 4; ++dim) shape.push_back(2 + static_cast<int64_t>(random() % 11));
      const TensorSize tensor{shape, 4};
      const auto plan = plan_best_reshard(tensor, from, to, BoundAxes::none());
      REQUIRE(plan.has_value());
      CAPTURE(to_string(mesh), shape);
      const ir::Module module = program_of_argument(mesh, shape, from, to);
      CHECK(planned(module, false) == plan_cost(tensor, from, plan->steps).bytes);
      if (round % 10 == 0) CHECK(sent(module) <= planned(module, false));
    }
  }
}

TEST_CASE("a matmul with uneven rows uses a reduce-scatter", "[checking][reshard][traffic]") {
  // Rows are sharded along x and contracted along y, in tiles of t rows with parts of s rows. Each
  // device sends the parts of the other devices, and the rows between the tiles of t and of y * s
  // rows.
  for (const auto& [x, y] : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}}) {
    for (const int64_t rows : {241, 361, 1001, 1009}) {
      CAPTURE(x, y, rows);
      const auto module = text::parse_mlir(fmt::format(
          R"(sdy.mesh @mesh = <["x"={0}, "y"={1}]>
func.func @main(%a: tensor<{2}x24xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}}, %b: tensor<24x5xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"y"}}, {{}}]>}}) -> (tensor<{2}x5xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", "y"}}, {{}}]>}}) {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{2}x24xf32>, tensor<24x5xf32>) -> tensor<{2}x5xf32>
  return %0 : tensor<{2}x5xf32>
}}
)",
          x, y, rows));
      REQUIRE(module.has_value());
      const int64_t s = ceil_div(rows, x * y);
      const int64_t drift = std::abs(ceil_div(rows, x) - y * s) * (x - 1);
      CHECK(planned(*module) <= 4 * 5 * ((y - 1) * s + drift));
      CHECK(sent(*module) <= planned(*module));
    }
  }
}

TEST_CASE("a reshard between shards that do not nest exchanges only the rows that differ",
          "[checking][reshard][traffic]") {
  // A matrix of `rows` rows on x times y devices has tiles of t rows along x, with parts of q rows,
  // and tiles of s rows along both axes. `drift` is the greatest number of rows by which the two
  // tilings differ.
  const int64_t columns = 12;
  for (const auto& [x, y] : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}}) {
    const Mesh mesh = mesh_of({{"x", x}, {"y", y}});
    const AxisList axes = full_axes(mesh);
    const auto sharded = [&](AxisList row_axes, AxisList column_axes) {
      return TensorSharding::fully_closed(mesh, "mesh", 2)
          .with_dim_axes({std::move(row_axes), std::move(column_axes)});
    };
    const TensorSharding rows_by_both = sharded(axes, {});
    const TensorSharding rows_by_x = sharded({axes[0]}, {});
    const TensorSharding each = sharded({axes[0]}, {axes[1]});
    for (const int64_t rows : {241, 361, 1001, 1009}) {
      const int64_t t = ceil_div(rows, x);
      const int64_t q = ceil_div(t, y);
      const int64_t s = ceil_div(rows, x * y);
      const int64_t drift = std::abs(t - y * s) * (x - 1) + std::abs(q - s) * (y - 1);
      CAPTURE(x, y, rows, drift);
      const int64_t row_bytes = 4 * columns;
      CHECK(sent(mesh, {rows, columns}, rows_by_both, rows_by_x) <=
            row_bytes * ((y - 1) * q + drift));
      CHECK(sent(mesh, {rows, columns}, rows_by_x, rows_by_both) <= row_bytes * drift);
      CHECK(sent(mesh, {rows, columns}, rows_by_both, each) <=
            row_bytes * drift + (y - 1) * q * 4 * (columns / y));
      CHECK(sent(mesh, {rows, columns}, each, rows_by_both) <=
            4 * columns / y * drift + (y - 1) * s * 4 * (columns / y));
    }
  }
}

TEST_CASE("a reduce-scatter to shards that do not nest exchanges only the rows that differ",
          "[checking][reshard][traffic]") {
  for (const auto& [x, y] : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}}) {
    for (const int64_t rows : {241, 361, 1001, 1009}) {
      CAPTURE(x, y, rows);
      const std::string type = fmt::format("tensor<{}x12xi32>", rows);
      const auto module = text::parse_mlir(fmt::format(
          R"(sdy.mesh @mesh = <["x"={0}, "y"={1}]>
func.func @main(%a: {2} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> ({2} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", "y"}}, {{}}]>}}) {{
  %0 = sdy.replicated_to_unreduced {{"y"}} %a out_sharding=<@mesh, [{{"x"}}, {{}}], unreduced={{"y"}}> : {2}
  %1 = sdy.reduce_scatter [{{"y"}}, {{}}] %0 out_sharding=<@mesh, [{{"x", "y"}}, {{}}]> : {2}
  return %1 : {2}
}}
)",
          x, y, type));
      REQUIRE(module.has_value());
      const int64_t s = ceil_div(rows, x * y);
      const int64_t drift = std::abs(ceil_div(rows, x) - y * s) * (x - 1);
      CHECK(sent(*module) <= 4 * 12 * ((y - 1) * s + drift));
    }
  }
}

TEST_CASE("every reshard of a vector on 2x2x2 keeps the vector, also if it is partial",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 2}, {"u", 2}, {"b", 2}});
  for (const int64_t size : {8, 5})
    CHECK(check_all(mesh, full_axes(mesh), {size}) == int64_t{38} * 38);
}

TEST_CASE("every reshard of a matrix on 2x3 keeps the matrix, also if it is partial",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 2}, {"b", 3}});
  CHECK(check_all(mesh, full_axes(mesh), {6, 6}) == int64_t{18} * 18);
  CHECK(check_all(mesh, full_axes(mesh), {5, 4}) == int64_t{18} * 18);
}

TEST_CASE("every reshard between sub-axes and device orders keeps the tensor",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 4}, {"b", 2}}, {3, 1, 2, 0, 7, 5, 4, 6});
  const AxisList parts = {{0, 1, 2}, {0, 2, 2}, {1, 1, 2}};
  CHECK(check_all(mesh, parts, {8}) == int64_t{38} * 38);
}

}  // namespace reshard_test
