// run: all stages, the simulation, and a table of what happened.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "shardy/checking/check.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
#include "tools/progress.hpp"
#include "tools/resize.hpp"

namespace shardy::tools {

namespace {

using checking::CheckReport;

/// Communication of the busiest device, by kind of op.
std::map<std::string, simulation::Traffic> traffic_by_kind(const CheckReport& report) {
  std::map<std::string, simulation::Traffic> kinds;
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    for (const auto& [kind, traffic] : device.traffic) {
      simulation::Traffic& most = kinds[std::string(ir::info(kind).name)];
      most.count = std::max(most.count, traffic.count);
      most.bytes_sent = std::max(most.bytes_sent, traffic.bytes_sent);
    }
  }
  return kinds;
}

int64_t peak_bytes(const CheckReport& report) {
  int64_t peak = 0;
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    peak = std::max(peak, device.peak_live_bytes);
  }
  return peak;
}

void print_table(const CheckReport& report, bool checked) {
  fmt::print("{:<24}{:>12}\n", "devices", report.sharded.devices.size());
  fmt::print("{:<24}{:>12} of {}\n", "values sharded", report.num_sharded_values,
             report.num_values);
  fmt::print("{:<24}{:>12}\n", "peak bytes per device", peak_bytes(report));
  fmt::print("{:<24}{:>12}{:>22}\n", "collectives", "count", "bytes sent per device");
  for (const auto& [kind, traffic] : traffic_by_kind(report)) {
    fmt::print("  {:<22}{:>12}{:>22}\n", kind, traffic.count, traffic.bytes_sent);
  }
  for (const partitioning::ReplicationNote& note : report.compiled.notes) {
    fmt::print("note: {} {}: {} ({} bytes per device)\n", note.op, note.location, note.reason,
               note.bytes);
  }
  if (!checked) return;
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    const checking::ResultCheck& result = report.results[index];
    fmt::print("result {}: {} (largest difference {:.3g}, allowed {:.3g})\n", index,
               result.equal() ? "equal" : "DIFFERENT", result.difference.largest,
               result.tolerance.relative * result.difference.magnitude);
    if (result.equal()) continue;
    fmt::print("  {} elements differ, the first at position {}\n", result.difference.mismatches,
               *result.difference.first_mismatch);
  }
  fmt::print("{}\n",
             report.equal() ? "equal to the unsharded run" : "NOT EQUAL to the unsharded run");
}

nlohmann::json results_json(const CheckReport& report) {
  nlohmann::json results = nlohmann::json::array();
  for (const checking::ResultCheck& result : report.results) {
    results.push_back({{"equal", result.equal()},
                       {"largest_difference", result.difference.largest},
                       {"allowed", result.tolerance.relative * result.difference.magnitude},
                       {"mismatches", result.difference.mismatches}});
  }
  return results;
}

void print_json(const CheckReport& report, bool checked) {
  nlohmann::json document = {
      {"devices", report.sharded.devices.size()},    {"values", report.num_values},
      {"values_sharded", report.num_sharded_values}, {"peak_bytes_per_device", peak_bytes(report)},
      {"collectives", nlohmann::json::object()},     {"notes", nlohmann::json::array()}};
  for (const auto& [kind, traffic] : traffic_by_kind(report)) {
    document["collectives"][kind] = {{"count", traffic.count},
                                     {"bytes_sent_per_device", traffic.bytes_sent}};
  }
  for (const partitioning::ReplicationNote& note : report.compiled.notes) {
    document["notes"].push_back({{"op", note.op},
                                 {"location", note.location},
                                 {"reason", note.reason},
                                 {"bytes_per_device", note.bytes}});
  }
  if (checked) {
    document["equal"] = report.equal();
    document["results"] = results_json(report);
  }
  fmt::print("{}\n", document.dump(2));
}

}  // namespace

int run_command(const CommandOptions& options) {
  Source source{options.file};
  auto module = read_program(source);
  if (!module) {
    print_errors(source, module.error());
    return kBadInput;
  }
  if (const auto resized = resize_meshes(*module, options.devices); !resized) {
    print_errors(source, resized.error());
    return kBadInput;
  }
  const auto inputs = checking::random_inputs(*module, options.seed);
  if (!inputs) {
    print_errors(source, {inputs.error()});
    return kBadInput;
  }
  Progress progress;
  checking::CheckOptions check;
  check.compare = options.check;
  check.tolerance = options.tolerance;
  check.run.num_workers = static_cast<int64_t>(options.threads);
  check.progress = [&](std::string_view stage) { progress.stage(stage); };
  const auto report = checking::check(*module, *inputs, check);
  if (!report) {
    print_errors(source, report.error());
    return kFailed;
  }
  for (const std::string& warning : report->compiled.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  (options.json ? &print_json : &print_table)(*report, options.check);
  return report->equal() ? kDone : kFailed;
}

}  // namespace shardy::tools
