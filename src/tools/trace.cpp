#include "tools/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "text/json_writer.hpp"

namespace shardy::tools {

namespace {

/// A process per device, with a row for what it computes and one for what it sends. Numbers begin
/// at 1: viewers take process 0 for the idle one.
int64_t process_of(int64_t device) { return device + 1; }

enum Row : int64_t { kCompute = 1, kCommunication = 2 };

/// Rows have numbers of their own, as viewers take threads of one number for one thread.
int64_t row_of(int64_t device, Row row) { return 2 * device + row; }

/// Trace events count in microseconds.
std::string microseconds(int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

/// `{"x", "y":(1)2}`, or how large the groups of devices are that meet; empty: not said.
std::string meeting_text(const ir::Module& module, ir::OpId op) {
  if (const auto* axes = module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)) {
    return to_string(axes->mesh, axes->axes);
  }
  const auto* groups = module.attribute<ir::Literal>(op, ir::attr::kReplicaGroups);
  if (groups == nullptr || groups->type().dims().size() != 2) return {};
  const auto dims = groups->type().dims();
  return fmt::format("{} group{} of {}", dims[0], dims[0] == 1 ? "" : "s", dims[1]);
}

}  // namespace

void Trace::watch(simulation::RunOptions& run) {
  run.observer = [this](const simulation::OpEvent& event) { add(event); };
  run.cancel = stop_.get_token();
}

bool Trace::has_path(const Event& event, std::span<const int64_t> path) const {
  if (event.path_size != std::ssize(path)) return false;
  return std::equal(path.begin(), path.end(), paths_.begin() + event.path_begin);
}

void Trace::add(const simulation::OpEvent& event) {
  if (is_full_) return;
  Event added{.device = event.device,
              .begin = event.begin,
              .end = event.end,
              .bytes_sent = event.bytes_sent,
              .bytes = 0,
              .meeting = event.meeting.value_or(kNoMeeting),
              .path_begin = std::ssize(paths_),
              .path_size = static_cast<int32_t>(event.path.size()),
              .op = event.op};
  for (const simulation::Tensor& result : event.results) added.bytes += result.num_bytes();
  const bool has_old_path = !events_.empty() && has_path(events_.back(), event.path);
  num_bytes_ += static_cast<int64_t>(sizeof(Event));
  if (!has_old_path) num_bytes_ += std::ssize(event.path) * static_cast<int64_t>(sizeof(int64_t));
  if (num_bytes_ > max_bytes_) {
    is_full_ = true;
    stop_.request_stop();
    return;
  }
  if (has_old_path) {
    added.path_begin = events_.back().path_begin;
  } else {
    paths_.insert(paths_.end(), event.path.begin(), event.path.end());
  }
  events_.push_back(added);
}

Status Trace::complete() const {
  if (!is_full_) return {};
  return tl::unexpected(
      Error{.message = fmt::format("the events of the run take more than {} bytes", max_bytes_),
            .notes = {fmt::format("there was room for {} events; --max-trace-bytes makes more, "
                                  "--max-iterations and --max-steps end a run earlier",
                                  events_.size())},
            .code = "E_TRACE_LIMIT"});
}

// ---- JSON --------------------------------------------------------------------------------------

/// The names of processes and rows.
Status Trace::write_tracks(OutputFile& file) const {
  std::set<int64_t> devices;
  for (const Event& event : events_) devices.insert(event.device);
  std::string text;
  const auto add = [&](std::string_view what, int64_t device, int64_t row, std::string_view name) {
    text += fmt::format(R"({}{{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                        text.empty() ? "" : ",\n", what, process_of(device), row, name);
  };
  for (const int64_t device : devices) {
    const int64_t first = row_of(device, kCompute);
    add("process_name", device, first, fmt::format("device {}", device));
    add("thread_name", device, first, "compute");
    add("thread_name", device, row_of(device, kCommunication), "communication");
  }
  return file.write(text);
}

/// An op that communicates says between whom, and how many bytes it sends.
std::string Trace::event_name(const Event& event, const ir::Module& module) {
  std::string name(module.name(event.op));
  if (event.meeting == kNoMeeting) return name;
  const std::string meeting = meeting_text(module, event.op);
  if (!meeting.empty()) name += " " + meeting;
  return name + fmt::format(" {} bytes", event.bytes_sent);
}

std::string Trace::event_arguments(const Event& event, const ir::Module& module,
                                   const text::MlirSsaNames& names) const {
  std::string path;
  for (int32_t index = 0; index < event.path_size; ++index) {
    const int64_t number = paths_[static_cast<std::size_t>(event.path_begin + index)];
    path += (index == 0 ? "" : ",") + std::to_string(number);
  }
  std::string text = fmt::format(R"("location":{},"path":[{}],"bytes":{},"bytes_sent":{})",
                                 text::quoted_json(module.location_text(event.op)), path,
                                 event.bytes, event.bytes_sent);
  if (module.num_results(event.op) > 0) {
    std::string value;
    names.append_results(value, event.op);
    text += R"(,"value":)" + text::quoted_json(value);
  }
  if (event.meeting == kNoMeeting) return text;
  text += R"(,"op":)" + text::quoted_json(module.name(event.op));
  const std::string meeting = meeting_text(module, event.op);
  return meeting.empty() ? text : text + R"(,"axes":)" + text::quoted_json(meeting);
}

Status Trace::write_event(OutputFile& file, const Event& event, const ir::Module& module,
                          const text::MlirSsaNames& names) const {
  const Row row = event.meeting == kNoMeeting ? kCompute : kCommunication;
  return file.write(
      fmt::format(",\n"
                  R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                  text::quoted_json(event_name(event, module)), process_of(event.device),
                  row_of(event.device, row), microseconds(event.begin),
                  microseconds(event.end - event.begin), event_arguments(event, module, names)));
}

/// Connects the events of each meeting, in the order in which devices came. A flow binds to the op
/// around its time.
Status Trace::write_flows(OutputFile& file, const ir::Module& module) const {
  std::vector<const Event*> met;
  for (const Event& event : events_) {
    if (event.meeting != kNoMeeting) met.push_back(&event);
  }
  std::ranges::stable_sort(
      met, {}, [](const Event* event) { return std::make_tuple(event->meeting, event->begin); });
  for (std::size_t index = 0; index < met.size(); ++index) {
    const Event& event = *met[index];
    const bool is_first = index == 0 || met[index - 1]->meeting != event.meeting;
    const bool is_last = index + 1 == met.size() || met[index + 1]->meeting != event.meeting;
    if (is_first && is_last) continue;
    const char* const phase = is_first ? "s" : is_last ? "f" : "t";
    SHARDY_TRY_STATUS(file.write(fmt::format(
        ",\n"
        R"({{"name":{},"cat":"collective","ph":"{}","id":{},"pid":{},"tid":{},"ts":{}{}}})",
        text::quoted_json(module.name(event.op)), phase, event.meeting, process_of(event.device),
        row_of(event.device, kCommunication), microseconds(event.begin),
        is_last ? R"(,"bp":"e")" : "")));
  }
  return {};
}

Status Trace::write(const std::string& path, const ir::Module& module) const {
  SHARDY_TRY_STATUS(complete());
  SHARDY_TRY(OutputFile file, OutputFile::open(path));
  SHARDY_TRY_STATUS(file.write(R"({"displayTimeUnit":"ns","traceEvents":[)"
                               "\n"));
  SHARDY_TRY_STATUS(write_tracks(file));
  const text::MlirSsaNames names(module, true);
  for (const Event& event : events_) {
    SHARDY_TRY_STATUS(write_event(file, event, module, names));
  }
  SHARDY_TRY_STATUS(write_flows(file, module));
  SHARDY_TRY_STATUS(file.write("\n]}\n"));
  return file.commit();
}

}  // namespace shardy::tools
