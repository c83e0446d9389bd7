// Runs of programs without shardings and of per-device programs, and the trace of a run.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "text/chosen_names.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

// A trace of a run as Chrome trace events, for Perfetto.

/// Collects the events of a run. Each device is a process with one row for computations and one for
/// sends. The events of a collective are connected.
class Trace {
 public:
  /// `max_bytes` limits the memory of the events. `stop` ends the run: the trace requests the stop
  /// when it is full, and callers may request it, too.
  explicit Trace(int64_t max_bytes, std::stop_source stop = {})
      : max_bytes_(max_bytes), stop_(std::move(stop)) {}

  /// Observes a run and ends it when the trace is full. Requires: the trace outlives the run.
  void watch(simulation::RunOptions& run);
  /// Returns an error if the run had more events than the memory limit allows.
  Status complete() const;
  /// Writes the trace of a run of the module as JSON. Errors: those of complete, a file that cannot
  /// be written.
  Status write(const std::string& path, const ir::Module& module) const;

 private:
  struct Event {
    int64_t device, begin, end, bytes_sent, bytes;
    int64_t instance;    // kNoInstance: not a collective
    int64_t path_begin;  // index in paths_
    int32_t path_size;
    ir::OpId op;
  };
  static constexpr int64_t kNoInstance = -1;

  void add(const simulation::OpEvent& event);
  bool has_path(const Event& event, std::span<const int64_t> path) const;
  Status write_tracks(OutputFile& file) const;
  static std::string event_name(const Event& event, const ir::Module& module);
  std::string event_arguments(const Event& event, const ir::Module& module,
                              const text::MlirSsaNames& names) const;
  Status write_event(OutputFile& file, const Event& event, const ir::Module& module,
                     const text::MlirSsaNames& names) const;
  Status write_flows(OutputFile& file, const ir::Module& module) const;

  int64_t max_bytes_;
  int64_t num_bytes_ = 0;
  bool is_full_ = false;
  std::stop_source stop_;
  std::deque<Event> events_;
  std::deque<int64_t> paths_;  // paths of all events in sequence
};

// Runs of programs without shardings.

/// Returns true for a program with meshes or shardings and a main function that run_parallel does
/// not call.
bool is_sharded(const ir::Module& module);

/// Runs `@main` or, without it, every function without arguments in order. Returns the exit status.
/// Spec: stablehlo 31.1, 32, 33.
int interpret(Reporter& reporter, const ir::Module& module, const CommandOptions& options);

/// Checks that all options are supported for a per-device program.
Status check_device_options(const CommandOptions& options);

/// Returns the inputs of the run: global values, which are sharded over the devices, or, with an
/// option, one buffer per device along an additional first dim. Errors: those of read_arguments.
Result<simulation::Tensors> read_device_arguments(const ir::Module& module,
                                                  const CommandOptions& options);

/// Runs the program on all devices. Results have the form of the inputs. Results are not compared.
Result<checking::CheckReport> run_devices(const ir::Module& module,
                                          const simulation::Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run);

// Other mesh sizes for a program.

/// Sets the sizes of mesh axes, such as `x=2,y=4`, and resolves all shardings on the changed
/// meshes. Drops explicit device orders. Errors: text of another form, an axis that no mesh has,
/// shardings that are invalid with the new sizes.
DiagnosedResult<void> resize_meshes(ir::Module& module, std::string_view sizes);

}  // namespace shardy::tools
