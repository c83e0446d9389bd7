// The example of docs/running.md.
#include <map>

#include "simulation/run_text.hpp"

namespace shardy_test::running_example_test {
namespace {

namespace ir = shardy::ir;
namespace simulation = shardy::simulation;

TEST_CASE("the example of the guide runs", "[simulation][example]") {
  const ir::Module module = parse_program(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}
)");
  const auto x = simulation::Tensor::from_doubles(ir::Type::tensor({2}, ir::ElementType::F32),
                                                  std::vector<double>{1, 2});
  REQUIRE(x);
  // [run]
  std::map<ir::OpKind, int64_t> nanoseconds;
  simulation::RunOptions options;
  simulation::RunContext context;
  context.kernels.custom_calls["my_kernel"] = [](const simulation::ForeignCall& call) {
    return shardy::Result<simulation::Tensors>({call.operands[0]});
  };
  options.observer = [&](const simulation::OpEvent& event) {
    nanoseconds[module.kind(event.op)] += event.end - event.begin;
  };
  // One list of arguments per process.
  const auto result = simulation::run(module, "main", {{*x}}, options, context);
  // [run]
  REQUIRE(result);
  CHECK(result->outputs[0][0].to_doubles() == std::vector<double>{2, 4});
  CHECK(nanoseconds.size() == 2);
}

}  // namespace
}  // namespace shardy_test::running_example_test
