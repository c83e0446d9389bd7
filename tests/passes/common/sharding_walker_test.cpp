// All shardings of a module. Spec: passes 1.11.
#include "passes/common/sharding_walker.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "passes/program.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"

namespace shardy_test::sharding_walker_test {
namespace {

using namespace shardy::ir;      // NOLINT(google-build-using-namespace): the layer under test
using namespace shardy::passes;  // NOLINT(google-build-using-namespace): the layer under test
using shardy::TensorSharding;
using Lines = std::vector<std::string>;

const std::string kProgram = R"(
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<4xf32>) {
    %5 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : tensor<4xf32>
    sdy.return %5 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"n">(%0) in_shardings=[<@mesh, [{"d"}]>] out_shardings=[<@mesh, [{"d", ?}]>] (%arg2: tensor<8xf32>) {
    sdy.return %arg2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"b", ?}]>]>} %1, %arg1 : tensor<8xf32>, tensor<8xf32>
  %3 = sdy.sharding_constraint %2#0 <@mesh, [{"c", ?}]> : tensor<8xf32>
  %4 = sdy.reshard %3 <@mesh, [{"a", "b"}]> : tensor<8xf32>
  stablehlo.custom_call @no_result(%4) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
  return %4 : tensor<8xf32>
}
)";

const Lines kOrder = {
    "[{\"a\", ?}] value", "[{\"b\"}]",          "[{\"a\", \"c\"}] value", "[{\"a\"}] value",
    "[{\"c\"}] value",    "[{\"d\"}] value",    "[{\"d\", ?}] value",     "[{?}] value",
    "[{\"b\", ?}] value", "[{\"c\", ?}] value", "[{\"a\", \"b\"}] value", "[]",
};

std::string line(const TensorSharding& sharding, ValueId value) {
  const std::string text = shardy::to_string(shardy::spell(sharding));
  const std::size_t start = text.find('[');
  return text.substr(start, text.size() - start - 1) + (value.valid() ? " value" : "");
}

TEST_CASE("the walker visits every sharding once, in the order of the walk", "[passes][walker]") {
  const Module module = program(kProgram);
  Lines seen;
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId value) {
    seen.push_back(line(sharding, value));
  });
  CHECK(seen == kOrder);
}

TEST_CASE("the walker can replace every sharding once, in the order of the walk",
          "[passes][walker]") {
  Module module = program(kProgram);
  std::vector<TensorSharding> order;
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId) {
    if (std::ranges::find(order, sharding) == order.end()) order.push_back(sharding);
  });
  std::vector<TensorSharding> seen;
  transform_shardings(module, [&](const TensorSharding& sharding) {
    seen.push_back(sharding);
    return sharding.with_inlined_mesh();
  });
  CHECK(seen == order);
  for_each_sharding(
      module, [&](const TensorSharding& sharding, ValueId) { CHECK_FALSE(sharding.mesh_name()); });
  CHECK(checked_text(module).find("<@mesh") == std::string::npos);
}

TEST_CASE("a sharding on an unknown mesh is an error", "[passes][walker]") {
  Module module = program(kProgram);
  CHECK(verify_meshes(module));
  module.erase(*module.find_symbol("mesh"));
  CHECK(verify_meshes(module).error().message == "unknown mesh: @mesh");
}

}  // namespace
}  // namespace shardy_test::sharding_walker_test
