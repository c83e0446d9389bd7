// A cost-driven strategy as a pass. For one argument after the other, the pass tries shardings,
// compiles and prices the program for each, and keeps the fastest. `check` checks the result.
#include <fmt/core.h>

#include <algorithm>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/report/report.hpp>
#include <shardy/shardy.hpp>
#include <shardy/text/mlir.hpp>

namespace {

using namespace shardy;

/// Returns the time of a program in seconds: the time of the collectives, and of the operations at
/// 100 billion per second and device.
std::optional<double> price(const ir::Module& module) {
  const auto compiled = checking::compile(module);
  if (!compiled) return std::nullopt;
  const report::Report costs = report::make_report(*compiled);
  return costs.all.seconds + costs.work.per_device / 100e9;
}

// [strategy]
/// Chooses for each argument in turn the sharding that gives the fastest program.
Diagnostics choose_shardings(ir::Module& module, passes::PassContext& context) {
  const ir::OpId main = *module.main_function();
  const Mesh mesh = module.find_mesh("mesh").value();
  const std::vector<ir::Type> types = module.arg_types(main);
  for (std::size_t index = 0; index < types.size(); ++index) {
    double least = price(module).value_or(1e300);
    std::optional<TensorSharding> best;
    for (std::size_t dim = 0; dim < types[index].dims().size(); ++dim) {
      for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
        std::vector<AxisList> axes(types[index].dims().size());
        axes[dim] = {mesh.full_axis(axis)};
        auto sharding = TensorSharding::closed({mesh, "mesh"}, axes);
        ir::Module tried = module;
        ir::set_arg_sharding(tried, main, index, sharding);
        const std::optional<double> seconds = price(tried);
        if (!seconds || *seconds >= least) continue;
        least = *seconds;
        best = std::move(sharding);
      }
    }
    if (best) ir::set_arg_sharding(module, main, index, *best);
    context.remark(module, main,
                   fmt::format("argument {}: {}", index, best ? to_string(*best) : "left alone"));
  }
  return {};
}
// [strategy]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func @main(%x: tensor<4096x256xf32>, %w: tensor<256x512xf32>) -> tensor<4096x512xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x256xf32>, tensor<256x512xf32>) -> tensor<4096x512xf32>
    %1 = stablehlo.tanh %0 : tensor<4096x512xf32>
    return %1 : tensor<4096x512xf32>
  })";

}  // namespace

int main() {
  ir::Module module = text::parse_mlir(kProgram).value();
  fmt::print("replicated: {:.0f} us\n", price(module).value() * 1e6);

  passes::PassRegistry registry = checking::Context().all_passes().value();
  passes::Pass pass;
  pass.name = "choose-shardings";
  pass.summary = "tries shardings of arguments and keeps the cheapest";
  pass.run = choose_shardings;
  if (!registry.add(std::move(pass))) return 1;
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [](const Diagnostic& diagnostic) {
    fmt::print("{}\n", diagnostic.message);
  };
  const passes::PassCall calls[] = {{.name = "choose-shardings"}};
  if (!passes::run_pipeline(module, registry, calls, hooks).empty()) return 1;

  fmt::print("chosen: {:.0f} us\n", price(module).value() * 1e6);
  const auto report = checking::check(module, checking::random_inputs(module, 1).value()).value();
  fmt::print("equal to the unsharded run: {}\n", report.equal());
}
