// What a run did when, as Chrome trace events, which Perfetto shows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shardy/simulation/run.hpp"

namespace shardy::tools {

/// Collects the events of a run. One track per device; ops in which devices meet are connected.
class Trace {
 public:
  /// The observer to run with. Requires: the trace outlives the run.
  simulation::Observer observer() {
    return [this](const simulation::OpEvent& event) { add(event); };
  }
  /// The trace of a run of that module as JSON.
  std::string text(const ir::Module& module) const;

 private:
  struct Event {
    int64_t device, begin, end, bytes_sent, bytes;
    ir::OpId op;
    std::vector<int64_t> path;
  };

  void add(const simulation::OpEvent& event);

  std::vector<Event> events_;
  std::map<int64_t, std::vector<std::size_t>> meetings_;  // events of each
};

}  // namespace shardy::tools
