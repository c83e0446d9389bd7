#include "report.hpp"

#include <fmt/core.h>

#include <shardy/checking/check.hpp>

namespace examples {

int report(std::string_view name, const shardy::Result<shardy::ir::Module>& model) {
  if (!model) {
    fmt::print("{}: {}\n", name, model.error().message);
    return 1;
  }
  const auto inputs = shardy::checking::random_inputs(*model, 0);
  const auto checked = shardy::checking::check(*model, inputs.value());
  if (!checked) {
    fmt::print("{}: {}\n", name, checked.error().front().message);
    return 1;
  }
  fmt::print("{}: {} devices, {} of {} values sharded\n", name, checked->sharded.devices.size(),
             checked->num_sharded_values, checked->num_values);
  for (const auto& [kind, traffic] : checked->sharded.devices.front().traffic) {
    fmt::print("  {} x {}, {} bytes sent per device\n", traffic.count, shardy::ir::info(kind).name,
               traffic.bytes_sent);
  }
  fmt::print("  {} the unsharded run\n", checked->equal() ? "equal to" : "NOT EQUAL to");
  return checked->equal() ? 0 : 1;
}

}  // namespace examples
