#include "tools/mpi_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "simulation/packet.hpp"
#include "tools/json_report.hpp"

namespace shardy::tools {

using simulation::DeviceAccount;
using simulation::RankResult;
using simulation::Traffic;

bool Summary::is_equal() const {
  return std::ranges::all_of(results,
                             [](const checking::Difference& each) { return each.mismatches == 0; });
}

std::vector<std::byte> account_of(const RankResult& result,
                                  const std::vector<checking::Difference>& differences) {
  simulation::ByteWriter out;
  out.number(std::ssize(result.run.devices));
  for (const DeviceAccount& device : result.run.devices) {
    out.number(device.peak_live_bytes).number(std::ssize(device.traffic));
    for (const auto& [kind, traffic] : device.traffic) {
      out.text(ir::info(kind).name).number(traffic.count).number(traffic.bytes_sent);
    }
  }
  out.number(result.traffic.messages_sent).number(result.traffic.bytes_sent);
  out.number(std::ssize(differences));
  for (const checking::Difference& each : differences) {
    out.number(each.mismatches);
    out.number(static_cast<int64_t>(std::bit_cast<uint64_t>(each.largest)));
    out.number(static_cast<int64_t>(std::bit_cast<uint64_t>(each.magnitude)));
  }
  out.number(std::ssize(result.run.checks.failed));
  for (const simulation::FailedCheck& check : result.run.checks.failed) {
    out.number(check.device).text(check.message).text(check.location);
  }
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

void add_account(std::span<const std::byte> bytes, Summary& summary) {
  simulation::ByteReader in(bytes);
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    ++summary.num_devices;
    summary.peak_bytes = std::max(summary.peak_bytes, in.number());
    for (int64_t kinds = in.count(); kinds > 0 && in.ok(); --kinds) {
      Traffic& most = summary.busiest[in.text()];
      most.count = std::max(most.count, in.number());
      most.bytes_sent = std::max(most.bytes_sent, in.number());
    }
  }
  simulation::RankTraffic& traffic = summary.ranks.emplace_back();
  traffic.messages_sent = in.number();
  traffic.bytes_sent = in.number();
  const int64_t num_results = in.count();
  summary.results.resize(static_cast<std::size_t>(num_results));
  for (checking::Difference& each : summary.results) {
    each.mismatches += in.number();
    const auto number = [&in] { return std::bit_cast<double>(static_cast<uint64_t>(in.number())); };
    each.largest = std::max(each.largest, number());
    each.magnitude = std::max(each.magnitude, number());
  }
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    const std::string device = "on device " + std::to_string(in.number());
    std::string message = in.text();
    summary.failed_checks.push_back({std::move(message), in.text(), {device}});
  }
}

namespace {

simulation::RankTraffic busiest(const Summary& summary) {
  simulation::RankTraffic most;
  for (const simulation::RankTraffic& each : summary.ranks) {
    most.messages_sent = std::max(most.messages_sent, each.messages_sent);
    most.bytes_sent = std::max(most.bytes_sent, each.bytes_sent);
  }
  return most;
}

}  // namespace

std::string summary_table(const Summary& summary, bool compared) {
  std::string text = fmt::format("{:<24}{:>12}\n", "devices", summary.num_devices);
  text += fmt::format("{:<24}{:>12}\n", "ranks", summary.ranks.size());
  text += fmt::format("{:<24}{:>12}\n", "peak bytes per device", summary.peak_bytes);
  text += fmt::format("{:<24}{:>12}{:>22}\n", "collectives", "count", "bytes sent per device");
  for (const auto& [kind, traffic] : summary.busiest) {
    text += fmt::format("  {:<22}{:>12}{:>22}\n", kind, traffic.count, traffic.bytes_sent);
  }
  const simulation::RankTraffic most = busiest(summary);
  text += fmt::format("{:<24}{:>12}{:>22}\n", "between ranks", "messages", "bytes sent per rank");
  text +=
      fmt::format("  {:<22}{:>12}{:>22}\n", "busiest rank", most.messages_sent, most.bytes_sent);
  for (std::size_t index = 0; index < summary.results.size(); ++index) {
    const checking::Difference& each = summary.results[index];
    text += fmt::format("result {}: {} (largest difference {:.3g})\n", index,
                        each.mismatches == 0 ? "equal" : "DIFFERENT", each.largest);
  }
  if (compared) {
    text += fmt::format("{} to the {}\n", summary.is_equal() ? "equal" : "NOT EQUAL",
                        summary.by_rows ? "run sharded by rows" : "unsharded run");
  }
  return text;
}

std::string summary_json(const Summary& summary, bool compared, const Diagnostics& said) {
  constexpr auto kBroken = text::JsonWriter::Layout::Broken;
  text::JsonWriter out = report_writer();
  begin_report(out, "mpi_run");
  add(out, "devices", summary.num_devices, "ranks", std::ssize(summary.ranks),
      "peak_bytes_per_device", summary.peak_bytes);
  out.key("collectives").begin_object();
  for (const auto& [kind, traffic] : summary.busiest) {
    out.key(kind).begin_object();
    add(out, "count", traffic.count, "bytes_sent_per_device", traffic.bytes_sent);
    out.end_object();
  }
  out.end_object();
  out.key("between_ranks").begin_array(kBroken);
  for (const simulation::RankTraffic& each : summary.ranks) {
    out.begin_object();
    add(out, "messages_sent", each.messages_sent, "bytes_sent", each.bytes_sent);
    out.end_object();
  }
  out.end_array();
  if (compared) {
    add(out, "equal", summary.is_equal());
  }
  add(out, "diagnostics", said);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace shardy::tools
