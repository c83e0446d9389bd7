#include "tools/trace.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace shardy::tools {

namespace {

constexpr int kProcess = 1;

/// The unit of trace events.
double microseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000.0; }

nlohmann::ordered_json track_name(int64_t device) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", kProcess},
          {"tid", device},
          {"args", {{"name", "device " + std::to_string(device)}}}};
}

}  // namespace

void Trace::add(const simulation::OpEvent& event) {
  int64_t bytes = 0;
  for (const simulation::Tensor& result : event.results) bytes += result.num_bytes();
  if (event.meeting) meetings_[*event.meeting].push_back(events_.size());
  events_.push_back({event.device,
                     event.begin,
                     event.end,
                     event.bytes_sent,
                     bytes,
                     event.op,
                     {event.path.begin(), event.path.end()}});
}

std::string Trace::text(const ir::Module& module) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::set<int64_t> devices;
  for (const Event& event : events_) devices.insert(event.device);
  for (const int64_t device : devices) list.push_back(track_name(device));
  for (const Event& event : events_) {
    list.push_back({{"name", module.name(event.op)},
                    {"ph", "X"},
                    {"pid", kProcess},
                    {"tid", event.device},
                    {"ts", microseconds(event.begin)},
                    {"dur", microseconds(event.end - event.begin)},
                    {"args",
                     {{"location", module.location_text(event.op)},
                      {"path", event.path},
                      {"bytes", event.bytes},
                      {"bytes_sent", event.bytes_sent}}}});
  }
  for (const auto& [number, members] : meetings_) {
    if (members.size() < 2) continue;
    std::vector<std::size_t> order = members;
    std::ranges::sort(order, {}, [&](std::size_t index) { return events_[index].begin; });
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Event& event = events_[order[place]];
      const bool is_last = place + 1 == order.size();
      // A flow binds to the op around its time.
      nlohmann::ordered_json flow = {{"name", module.name(event.op)},
                                     {"cat", "collective"},
                                     {"ph", place == 0 ? "s"
                                            : is_last  ? "f"
                                                       : "t"},
                                     {"id", number},
                                     {"pid", kProcess},
                                     {"tid", event.device},
                                     {"ts", microseconds(event.begin)}};
      if (is_last) flow["bp"] = "e";
      list.push_back(std::move(flow));
    }
  }
  return nlohmann::ordered_json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(list)}}
             .dump() +
         "\n";
}

}  // namespace shardy::tools
