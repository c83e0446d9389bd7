// GShard at full size: a training step of a transformer with one expert per device. The step runs
// on 128 devices, or on the number of devices that the argument gives. The example compares the
// result with the unsharded run, and the bytes sent with the paper's analysis. The per-device
// program has as many lines for 128 devices as for 2,048.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <shardy/checking/check.hpp>
#include <shardy/text/mlir.hpp>
#include <string>

#include "gshard_model.hpp"

namespace {

using shardy::ir::OpKind;

int failed(const shardy::Error& error) {
  fmt::print("{}\n", error.message);
  return 1;
}

int64_t bytes_of(const shardy::simulation::DeviceAccount& device, OpKind kind) {
  const auto found = device.traffic.find(kind);
  return found != device.traffic.end() ? found->second.bytes_sent : 0;
}

/// Returns options without combined all-reduces. Gradients are combined up to a number of bytes,
/// and grow with the number of experts; without it the program is the same for all numbers of
/// devices.
shardy::checking::CompileOptions same_for_all_sizes() {
  shardy::checking::CompileOptions options;
  options.collectives.combine_bytes = 0;
  return options;
}

/// Returns the number of lines of a program.
std::ptrdiff_t lines_of(const shardy::ir::Module& program) {
  const std::string text = shardy::text::to_mlir(program);
  return std::ranges::count(text, '\n');
}

/// Returns the number of lines of the program for `devices` devices, without running the program;
/// -1 on failure.
std::ptrdiff_t lines_for(int64_t devices) {
  examples::GshardSizes sizes;
  sizes.devices = devices;
  const auto model = examples::gshard_step(sizes);
  if (!model) return -1;
  const auto compiled = shardy::checking::compile(*model, same_for_all_sizes());
  return compiled ? lines_of(compiled->program) : -1;
}

/// Prints one line per kind of collective: the count, the bytes sent per device, and the bytes that
/// the analysis predicts.
void print_traffic(const shardy::simulation::DeviceAccount& device,
                   const examples::GshardTraffic& expected) {
  for (const auto& [kind, traffic] : device.traffic) {
    fmt::print("  {:2} x {:<20} {:>8} bytes sent per device\n", traffic.count,
               shardy::ir::info(kind).name, traffic.bytes_sent);
  }
  fmt::print("  the paper's analysis: all-to-all {} bytes, all-reduce of gradients {} bytes\n",
             expected.all_to_all, expected.all_reduce);
  fmt::print("  measured:             all-to-all {} bytes, all-reduce {} bytes\n",
             bytes_of(device, OpKind::SpmdAllToAll), bytes_of(device, OpKind::SpmdAllReduce));
}

}  // namespace

int main(int argc, char** argv) {
  examples::GshardSizes sizes;
  sizes.devices = argc > 1 ? std::atoll(argv[1]) : 128;
  if (sizes.devices < 2 || sizes.devices > 4096) return failed({"2 to 4096 devices"});
  const auto model = examples::gshard_step(sizes);
  if (!model) return failed(model.error());
  const auto inputs = shardy::checking::random_inputs(*model, 0);
  if (!inputs) return failed(inputs.error());
  const auto checked = shardy::checking::check(*model, *inputs, {.compile = same_for_all_sizes()});
  if (!checked) return failed(checked.error().front());
  fmt::print("gshard: {} devices, {} of {} values sharded, {} ops per device\n", sizes.devices,
             checked->num_sharded_values, checked->num_values,
             checked->sharded.devices.front().num_ops);
  fmt::print("  lines of its program: {}; for 128 devices: {}, for 2048: {}\n",
             lines_of(checked->compiled.program), lines_for(128), lines_for(2048));
  print_traffic(checked->sharded.devices.front(), examples::expected_traffic(sizes));
  fmt::print("  {} the unsharded run\n", checked->equal() ? "equal to" : "NOT EQUAL to");
  return checked->equal() ? 0 : 1;
}
