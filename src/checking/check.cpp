#include "shardy/checking/check.hpp"

#include <algorithm>
#include <utility>

#include "shardy/checking/random_program.hpp"
#include "shardy/ir/main_function.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/runnable.hpp"

namespace shardy::checking {

using ir::Module;
using ir::OpId;
using ir::ValueId;

bool CheckReport::equal() const {
  return std::ranges::all_of(results, [](const ResultCheck& result) { return result.equal(); });
}

double CheckReport::largest_difference() const {
  double largest = 0;
  for (const ResultCheck& result : results) largest = std::max(largest, result.difference.largest);
  return largest;
}

namespace {

void count_values(const Module& module, CheckReport& report) {
  const auto count = [&](ValueId value) {
    if (!module.type(value).is_tensor()) return;
    ++report.num_values;
    const auto sharding = ir::get_sharding(module, value);
    if (sharding && !sharding->is_fully_replicated()) ++report.num_sharded_values;
  };
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    for (const ValueId arg : module.args(module.entry(function))) count(arg);
    for (const OpId op : module.ops(module.entry(function))) {
      for (const ValueId result : module.results(op)) count(result);
    }
  }
}

Error no_main(const Module& module) {
  return ir::no_main_function(module, "the program has no main function to run");
}

}  // namespace

tl::expected<CheckReport, Diagnostics> check(const Module& module,
                                             const simulation::Tensors& inputs,
                                             const CheckOptions& options, const Context& context) {
  const auto progress = [&](std::string_view stage) {
    if (options.progress) options.progress(stage);
  };
  const std::optional<OpId> main = module.main_function();
  if (!main) return tl::unexpected(Diagnostics{no_main(module)});
  const std::string name(module.symbol_name(*main));

  CheckReport report;
  progress("compiling");
  auto compiled = compile(module, options.compile, context);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  report.compiled = *std::move(compiled);
  const auto failed = [&](Error error) {
    Diagnostics said = std::move(report.compiled.diagnostics);
    said.insert(said.begin(), std::move(error));
    return tl::unexpected(std::move(said));
  };
  count_values(report.compiled.propagated, report);

  progress("running on all devices");
  auto sharded =
      simulation::run_global(report.compiled.program, name, inputs, options.run, context.runs);
  if (!sharded) return failed(std::move(sharded).error());
  report.sharded = *std::move(sharded);
  if (!options.compare) return report;

  progress("running on one device");
  simulation::RunOptions alone = options.run;
  alone.observer = {};  // it is told of the devices
  auto reference = simulation::run_global(module, name, inputs, alone, context.runs);
  if (!reference) return failed(std::move(reference).error());
  std::vector<Tolerance> tolerances = result_tolerances(module, *main, context.ops.rules);
  for (std::size_t index = 0; index < reference->outputs.size(); ++index) {
    Tolerance tolerance = tolerances[index];
    if (options.tolerance && tolerance.relative > 0) tolerance.relative = *options.tolerance;
    report.results.push_back(
        {tolerance, compare(report.sharded.outputs[index], reference->outputs[index], tolerance)});
  }
  return report;
}

namespace {

Result<simulation::Tensor> random_input(Random& random, const ir::Type& type) {
  if (!ir::is_float(type.element())) return random_tensor(random, type);
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (double& value : values) value = static_cast<double>(random.between(-4096, 4095)) / 4096;
  return simulation::Tensor::from_doubles(type, values);
}

}  // namespace

Result<simulation::Tensors> random_inputs(const Module& module, uint64_t seed) {
  const std::optional<OpId> main = module.main_function();
  if (!main || module.is_external(*main)) return tl::unexpected(no_main(module));
  SHARDY_TRY_STATUS(simulation::expect_runnable_arguments(module, *main));
  Random random(seed);
  simulation::Tensors inputs;
  for (const ValueId arg : module.args(module.entry(*main))) {
    SHARDY_TRY(simulation::Tensor input, random_input(random, module.type(arg)));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace shardy::checking
