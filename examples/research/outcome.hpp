// The output that the examples of this folder share: the program with some extensions, and whether
// its results are correct under its own shardings and under other shardings.
#pragma once

#include <fmt/core.h>

#include <shardy/checking/sweep.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/shardy.hpp>
#include <shardy/text/mlir.hpp>
#include <string_view>

namespace research {

using namespace shardy;

inline void print_sharding(std::string_view what, const std::optional<TensorSharding>& sharding) {
  fmt::print("  {}: {}\n", what, sharding ? to_string(*sharding) : "none");
}

/// Prints the shardings of the arguments and ops of @main after propagation, the collectives, and
/// the result of the check.
inline void print_outcome(std::string_view title, const ir::Module& module,
                          const checking::Context& context = {}) {
  fmt::print("{}\n", title);
  const auto inputs = checking::random_inputs(module, 1).value();
  checking::CheckOptions options;
  // Turns off simplification, so that the collectives are those of the extensions.
  options.compile.collectives.rules.emplace();
  const auto report = checking::check(module, inputs, options, context);
  if (!report) return fmt::print("  error: {}\n", report.error().front().message);
  const ir::Module& propagated = report->compiled.propagated;
  const ir::OpId main = *propagated.main_function();
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    print_sharding(fmt::format("argument {}", index), ir::arg_sharding(propagated, main, index));
  }
  for (const ir::OpId op : propagated.ops(propagated.entry(main))) {
    if (propagated.num_results(op) != 1) continue;
    print_sharding(propagated.name(op), ir::get_sharding(propagated, propagated.result(op)));
  }
  for (const auto& [kind, traffic] : report->sharded.devices.front().traffic) {
    fmt::print("  a device runs {} {}, which send {} bytes\n", traffic.count, ir::info(kind).name,
               traffic.bytes_sent);
  }
  const auto swept = checking::sweep(module, inputs, {.cases = 20}, context);
  fmt::print("  equal to the unsharded run: {}, under 20 other shardings: {}\n", report->equal(),
             swept && swept->passed());
}

}  // namespace research
