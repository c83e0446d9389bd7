// Every reshard between any two shardings of small meshes, unreduced axes among them, keeps the
// tensor.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checking/all_shardings.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::ElementType;
using ir::GraphBuilder;
using ir::Type;

namespace reshard_test {
namespace {

/// The argument as `from` and then as `to`.
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

/// Tries every pair; returns how many there were.
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

}  // namespace

TEST_CASE("every reshard of a vector on 2x2x2 keeps it, partial sums included",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 2}, {"u", 2}, {"b", 2}});
  for (const int64_t size : {8, 5})
    CHECK(check_all(mesh, full_axes(mesh), {size}) == int64_t{38} * 38);
}

TEST_CASE("every reshard of a matrix on 2x3 keeps it, partial sums included",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 2}, {"b", 3}});
  CHECK(check_all(mesh, full_axes(mesh), {6, 6}) == int64_t{18} * 18);
  CHECK(check_all(mesh, full_axes(mesh), {5, 4}) == int64_t{18} * 18);
}

TEST_CASE("every reshard between sub-axes keeps the tensor, devices in another order",
          "[checking][reshard]") {
  const Mesh mesh = mesh_of({{"a", 4}, {"b", 2}}, {3, 1, 2, 0, 7, 5, 4, 6});
  const AxisList parts = {{0, 1, 2}, {0, 2, 2}, {1, 1, 2}};
  CHECK(check_all(mesh, parts, {8}) == int64_t{38} * 38);
}

}  // namespace reshard_test
