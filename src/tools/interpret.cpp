#include "tools/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/chosen_names.hpp"
#include "text/json_writer.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/reporter.hpp"
#include "tools/usage.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

using simulation::FailedCheck;
using simulation::Tensors;

namespace {

/// Returns the process of a device in the trace. Each device is a process with one row for
/// computations and one for sends. Numbers start at 1, because viewers treat process 0 as idle.
int64_t process_of(int64_t device) { return device + 1; }

enum Row : int64_t { kCompute = 1, kCommunication = 2 };

/// Returns the number of a row. Numbers are unique, because viewers merge threads with equal
/// numbers.
int64_t row_of(int64_t device, Row row) { return 2 * device + row; }

/// Converts to microseconds, the unit of trace events.
std::string microseconds(int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

/// Returns the axes, such as `{"x", "y":(1)2}`, or the size of the replica groups; empty if both
/// are unknown.
std::string collective_text(const ir::Module& module, ir::OpId op) {
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
              .instance = event.instance.value_or(kNoInstance),
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
            .notes = {fmt::format("the limit allows {} events; --max-trace-bytes raises it, "
                                  "--max-iterations and --max-steps end a run earlier",
                                  events_.size())},
            .code = "E_TRACE_LIMIT"});
}

// ---- JSON --------------------------------------------------------------------------------------

/// Writes the names of processes and rows.
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

/// Returns the name of an event. The name of a collective has its replica groups and the bytes that
/// it sends.
std::string Trace::event_name(const Event& event, const ir::Module& module) {
  std::string name(module.name(event.op));
  if (event.instance == kNoInstance) return name;
  const std::string instance = collective_text(module, event.op);
  if (!instance.empty()) name += " " + instance;
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
  if (event.instance == kNoInstance) return text;
  text += R"(,"op":)" + text::quoted_json(module.name(event.op));
  const std::string instance = collective_text(module, event.op);
  return instance.empty() ? text : text + R"(,"axes":)" + text::quoted_json(instance);
}

Status Trace::write_event(OutputFile& file, const Event& event, const ir::Module& module,
                          const text::MlirSsaNames& names) const {
  const Row row = event.instance == kNoInstance ? kCompute : kCommunication;
  return file.write(
      fmt::format(",\n"
                  R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                  text::quoted_json(event_name(event, module)), process_of(event.device),
                  row_of(event.device, row), microseconds(event.begin),
                  microseconds(event.end - event.begin), event_arguments(event, module, names)));
}

/// Connects the events of each collective instance in the order in which devices arrived. A flow
/// event belongs to the op that runs at its time.
Status Trace::write_flows(OutputFile& file, const ir::Module& module) const {
  std::vector<const Event*> met;
  for (const Event& event : events_) {
    if (event.instance != kNoInstance) met.push_back(&event);
  }
  std::ranges::stable_sort(
      met, {}, [](const Event* event) { return std::make_tuple(event->instance, event->begin); });
  for (std::size_t index = 0; index < met.size(); ++index) {
    const Event& event = *met[index];
    const bool is_first = index == 0 || met[index - 1]->instance != event.instance;
    const bool is_last = index + 1 == met.size() || met[index + 1]->instance != event.instance;
    if (is_first && is_last) continue;
    const char* const phase = is_first ? "s" : is_last ? "f" : "t";
    SHARDY_TRY_STATUS(file.write(fmt::format(
        ",\n"
        R"({{"name":{},"cat":"collective","ph":"{}","id":{},"pid":{},"tid":{},"ts":{}{}}})",
        text::quoted_json(module.name(event.op)), phase, event.instance, process_of(event.device),
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

namespace {

// ---- Program to run
// -------------------------------------------------------------------------------

bool has_sharding(const std::vector<ir::AttributeMap>& all) {
  return std::ranges::any_of(all, [](const ir::AttributeMap& attributes) {
    return attributes.contains(ir::kShardingAttr);
  });
}

bool has_sharding(const ir::Module& module, ir::OpId op) {
  if (module.is_erased(op)) return false;
  const ir::Dialect dialect = ir::dialect_of(module.kind(op));
  if (dialect == ir::Dialect::Sdy || dialect == ir::Dialect::Spmd) return true;
  if (module.attributes(op).contains(ir::kShardingAttr)) return true;
  if (!module.is(op, ir::OpKind::Func)) return false;
  return has_sharding(module.function(op).arg_attributes) ||
         has_sharding(module.function(op).result_attributes);
}

bool has_op(const ir::Module& module, ir::OpKind kind) {
  for (uint32_t index = 0; index < module.num_ops(); ++index) {
    if (!module.is_erased(ir::OpId(index)) && module.is(ir::OpId(index), kind)) return true;
  }
  return false;
}

std::optional<ir::OpId> find_main(const ir::Module& module) {
  const std::optional<ir::OpId> main = module.find_symbol("main");
  if (main && module.is(*main, ir::OpKind::Func) && !module.is_external(*main)) return main;
  return std::nullopt;
}

/// Returns `@main`; without it, all functions without arguments, or the only function.
std::vector<ir::OpId> functions_to_run(const ir::Module& module) {
  if (const auto main = find_main(module)) return {*main};
  std::vector<ir::OpId> functions;
  for (const ir::OpId function : module.functions()) {
    if (!module.is_external(function) && module.arg_types(function).empty()) {
      functions.push_back(function);
    }
  }
  const std::optional<ir::OpId> only = module.main_function();
  if (functions.empty() && only && !module.is_external(*only)) functions.push_back(*only);
  return functions;
}

/// Returns the diagnostic for an option that needs a sharded run, which does not happen: an error
/// for `--strict`, a warning for `--check`.
std::optional<Diagnostic> no_sharded_run(const CommandOptions& options) {
  const bool checks = options.stages.compare;
  if (options.reference || (!checks && !options.stages.compile.strict)) return std::nullopt;
  Diagnostic diagnostic = Error{
      fmt::format("{}: the program is not partitioned, as it has no main function with a mesh "
                  "or shardings; no value is {}",
                  checks ? "--check" : "--strict", checks ? "compared" : "replicated"),
      {},
      {"shardy check FILE compares it under random shardings"}};
  if (checks) diagnostic.severity = Severity::Warning;
  return diagnostic;
}

// ---- One function ------------------------------------------------------------------------------

/// The common state of the runs of all functions of a program.
class Interpreter {
 public:
  Interpreter(Reporter& reporter, const ir::Module& module, const CommandOptions& options,
              simulation::ProcessGrid grid)
      : reporter_(reporter),
        module_(module),
        options_(options),
        trace_(options.max_trace_bytes, guard_.source()),
        grid_(grid),
        run_(options.stages.run) {
    run_.grid = grid_;
    run_.cancel = guard_.token();
    if (!options.trace.empty()) trace_.watch(run_);
    run_.print = [this](ir::OpId op, const simulation::Tensor& value) { print_value(op, value); };
    begin_report(report_, "interpret");
    report_.key("functions").begin_array(kBroken);
  }

  int run(ir::OpId function, bool is_only) {
    if (!trace_.complete()) return kFailed;  // complete() reported an error
    if (was_interrupted()) return kInterrupted;
    const Result<Tensors> inputs = read_arguments(module_, function, options_);
    if (!inputs) return refuse(inputs.error(), kBadInput);
    const std::string name(module_.symbol_name(function));
    const std::vector<Tensors> arguments(static_cast<std::size_t>(grid_.size()), *inputs);
    const auto result = simulation::run(module_, name, arguments, run_, options_.context.runs);
    if (const Status complete = trace_.complete(); !complete) {
      return refuse(complete.error(), kFailed);
    }
    if (!result && was_interrupted()) return kInterrupted;
    if (!result) return refuse(result.error(), kFailed);
    report_checks(result->checks);
    num_checks_ += result->checks.count;
    num_failed_ += std::ssize(result->checks.failed);
    std::vector<Tensors> outputs = result->outputs;
    if (std::ranges::all_of(outputs, [&](const Tensors& each) { return each == outputs[0]; })) {
      outputs.resize(1);
    }
    if (const Status written = write(name, is_only, outputs); !written) {
      return refuse(written.error(), kBadInput);
    }
    if (options_.json) {
      add_json(name, result->checks, outputs);
    } else if (result->checks.count == 0) {
      print_results(name, is_only, outputs);
    }
    return result->checks.passed() ? kDone : kFailed;
  }

  /// Prints the report after all functions have run.
  int finish(int status) {
    if (options_.json) {
      report_.end_array();
      add(report_, "interrupted", was_interrupted());
      add(report_, "diagnostics", reporter_.diagnostics());
      report_.end_object();
      print_text(stdout, report_.take() + "\n");
    } else if (num_checks_ > 0) {
      const char* const noun = num_checks_ == 1 ? "check" : "checks";
      print_text(stdout,
                 fmt::format("{} of {} {} passed\n", num_checks_ - num_failed_, num_checks_, noun));
    }
    if (was_interrupted() && !options_.json) print_text(stdout, "interrupted\n");
    if (options_.trace.empty() || !trace_.complete()) return status;
    const Status written = trace_.write(options_.trace, module_);
    return written ? status : refuse(written.error(), kBadInput);
  }

 private:
  int refuse(const Error& error, int status) const {
    reporter_.emit({error});
    return status;
  }

  Status write(const std::string& name, bool is_only, const std::vector<Tensors>& outputs) const {
    if (options_.output_dir.empty()) return {};
    for (std::size_t device = 0; device < outputs.size(); ++device) {
      std::string prefix = is_only ? "" : part_of_file_name(name) + "_";
      if (outputs.size() > 1) prefix += "device" + std::to_string(device) + "_";
      SHARDY_TRY_STATUS(write_outputs(options_.output_dir, prefix + "result", outputs[device]));
    }
    return {};
  }

  void report_checks(const simulation::CheckOutcome& checks) const {
    for (const FailedCheck& check : checks.failed) {
      Error error{std::string(module_.name(check.op)) + ": " + check.message, check.location};
      if (grid_.size() > 1) error.notes.push_back("on device " + std::to_string(check.device));
      reporter_.emit({error});
    }
  }

  void print_results(const std::string& name, bool is_only,
                     const std::vector<Tensors>& outputs) const {
    for (std::size_t device = 0; device < outputs.size(); ++device) {
      if (outputs[device].empty()) continue;
      const std::string place = outputs.size() > 1 ? " on device " + std::to_string(device) : "";
      if (!is_only || !place.empty()) print_text(stdout, symbol_text(name) + place + ":\n");
      for (const simulation::Tensor& value : outputs[device]) {
        const bool is_short = options_.full || !is_large(value);
        const std::string text = is_short ? simulation::value_text(value) : value_summary(value);
        print_text(stdout, text + "\n");
      }
    }
  }

  /// Prints a value on standard error in JSON mode, because standard output contains only the JSON
  /// object.
  void print_value(ir::OpId op, const simulation::Tensor& value) const {
    std::string line;
    text::MlirSsaNames(module_, true).append(line, module_.operand(op, 0));
    std::FILE* const to = options_.json ? stderr : stdout;
    print_text(to, line + " = " + simulation::value_text(value) + "\n");
  }

  void add_json(const std::string& name, const simulation::CheckOutcome& checks,
                const std::vector<Tensors>& outputs) {
    report_.begin_object(kBroken);
    add(report_, "name", name, "checks", checks.count);
    report_.key("failed_checks").begin_array(kBroken);
    for (const FailedCheck& check : checks.failed) {
      report_.begin_object();
      add(report_, "op", module_.name(check.op), "location", check.location, "device", check.device,
          "message", check.message);
      report_.end_object();
    }
    report_.end_array();
    const bool is_one = outputs.size() == 1;
    report_.key(is_one ? "results" : "results_per_device");
    if (!is_one) report_.begin_array(kBroken);
    for (const Tensors& each : outputs) {
      report_.begin_array(kBroken);
      for (const simulation::Tensor& value : each) write_value(report_, value);
      report_.end_array();
    }
    if (!is_one) report_.end_array();
    report_.end_object();
  }

  static constexpr auto kBroken = text::JsonWriter::JsonLayout::Broken;

  Reporter& reporter_;
  const ir::Module& module_;
  const CommandOptions& options_;
  InterruptGuard guard_;  // declared before the trace, which uses its stop token
  Trace trace_;
  simulation::ProcessGrid grid_;
  simulation::RunOptions run_;
  int64_t num_checks_ = 0;
  int64_t num_failed_ = 0;
  text::JsonWriter report_ = report_writer();
};

}  // namespace

bool is_sharded(const ir::Module& module) {
  if (has_op(module, ir::OpKind::InterpreterRunParallel)) return false;
  const std::optional<ir::OpId> main = module.main_function();
  if (!main) return false;
  if (!module.meshes().empty()) return true;
  for (uint32_t index = 0; index < module.num_ops(); ++index) {
    if (has_sharding(module, ir::OpId(index))) return true;
  }
  return false;
}

int interpret(Reporter& reporter, const ir::Module& module, const CommandOptions& options) {
  const std::vector<ir::OpId> functions = functions_to_run(module);
  if (functions.empty()) {
    return reporter.refuse({ir::no_main_function(
        module,
        "the module has no function to run: neither @main nor a function without arguments")});
  }
  if (const std::optional<Diagnostic> diagnostic = no_sharded_run(options)) {
    if (diagnostic->severity == Severity::Error) return reporter.refuse({*diagnostic});
    reporter.emit({*diagnostic});
  }
  const Result<simulation::ProcessGrid> grid =
      options.stages.run.grid ? *options.stages.run.grid : simulation::process_grid(module);
  if (!grid) return reporter.refuse({grid.error()});
  Interpreter interpreter(reporter, module, options, *grid);
  int status = kDone;
  for (const ir::OpId function : functions) {
    status = std::max(status, interpreter.run(function, functions.size() == 1));
  }
  return interpreter.finish(status);
}

using simulation::Tensor;
using simulation::Tensors;

namespace {

/// Returns the type of one value per device, along a new major dim.
ir::Type stacked(const ir::Type& type, int64_t devices) {
  if (!type.is_tensor()) return type;
  std::vector<int64_t> dims = {devices};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  return ir::Type::tensor(std::move(dims), type.element());
}

std::vector<Tensors> unstack(const Tensors& values, const std::vector<ir::Type>& types,
                             int64_t devices) {
  std::vector<Tensors> arguments(static_cast<std::size_t>(devices));
  for (int64_t device = 0; device < devices; ++device) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      const ir::Type& type = types[index];
      arguments[static_cast<std::size_t>(device)].push_back(
          type.is_tensor() ? values[index].part(type, device * type.num_elements())
                           : values[index]);
    }
  }
  return arguments;
}

Result<Tensor> stack(const std::vector<Tensors>& outputs, std::size_t index) {
  const Tensor& first = outputs.front()[index];
  if (!first.type().is_tensor()) return first;
  SHARDY_TRY(auto writer,
             simulation::TensorWriter::make(stacked(first.type(), std::ssize(outputs))));
  std::byte* to = writer.data();
  for (const Tensors& each : outputs) {
    to = std::ranges::copy(each[index].bytes(), to).out;
  }
  return std::move(writer).finish();
}

Result<simulation::GlobalResult> run_local(const ir::Module& module, ir::OpId main,
                                           const Tensors& values, const CommandOptions& options,
                                           const simulation::RunOptions& run) {
  const int64_t devices = simulation::num_devices(module, main);
  SHARDY_TRY(
      simulation::RunResult result,
      simulation::run(module, module.symbol_name(main),
                      unstack(values, module.arg_types(main), devices), run, options.context.runs));
  simulation::GlobalResult all{{}, std::move(result.devices), std::move(result.checks)};
  for (std::size_t index = 0; index < result.outputs.front().size(); ++index) {
    SHARDY_TRY(Tensor value, stack(result.outputs, index));
    all.outputs.push_back(std::move(value));
  }
  return all;
}

}  // namespace

Status check_device_options(const CommandOptions& options) {
  const char* const option = options.stages.compare     ? "--check"
                             : options.reference        ? "--reference"
                             : !options.devices.empty() ? "--devices"
                                                        : nullptr;
  if (option == nullptr) return {};
  return tl::unexpected(
      Error{.message = std::string(option) + " needs the program before partitioning",
            .notes = {"the program is already a per-device program"}});
}

Result<Tensors> read_device_arguments(const ir::Module& module, const CommandOptions& options) {
  const ir::OpId main = *module.main_function();
  if (!options.local_buffers) {
    return read_arguments(module, main, simulation::global_arg_types(module, main), options);
  }
  std::vector<ir::Type> types = module.arg_types(main);
  for (ir::Type& type : types) type = stacked(type, simulation::num_devices(module, main));
  return read_arguments(module, main, types, options);
}

Result<checking::CheckReport> run_devices(const ir::Module& module, const Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run) {
  const ir::OpId main = *module.main_function();
  checking::CheckReport report;
  if (options.local_buffers) {
    SHARDY_TRY(report.sharded, run_local(module, main, values, options, run));
  } else {
    SHARDY_TRY(report.sharded, simulation::run_global(module, module.symbol_name(main), values, run,
                                                      options.context.runs));
  }
  report.compiled.program = module;
  return report;
}

namespace {

using Sizes = std::map<std::string, int64_t, std::less<>>;

/// Parses mesh sizes. Errors: text of another form, an axis without a name, an axis that occurs
/// twice.
Result<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes;
  bool has_more = true;
  while (has_more) {
    const std::string_view item = text.substr(0, text.find(','));
    has_more = item.size() < text.size();
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = std::min(item.find('='), item.size());
    if (equals == 0 || equals == item.size()) {
      return fail("--devices: expected AXIS=SIZE, got: " + std::string(item));
    }
    const std::string axis(item.substr(0, equals));
    Result<int64_t> size = read_integer<int64_t>(item.substr(equals + 1), 1);
    if (!size)
      return tl::unexpected(
          with_prefix("--devices: axis " + in_quotes(axis) + ": ", std::move(size).error()));
    if (!sizes.emplace(axis, *size).second) {
      return fail("--devices: the axis " + in_quotes(axis) + " has two sizes");
    }
  }
  return sizes;
}

/// Makes shardings and axes refer to meshes by name again, as in a file.
void spell_all(ir::AttributeMap& attributes) {
  std::vector<ir::NamedAttribute> unresolved;
  for (const ir::NamedAttribute& entry : attributes) {
    unresolved.push_back({entry.name, text::unresolved(entry.value)});
  }
  for (ir::NamedAttribute& entry : unresolved) attributes.set(entry.name, std::move(entry.value));
}

Result<Mesh> resized(const Mesh& mesh, const Sizes& sizes, Sizes& unused) {
  std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
  for (MeshAxis& axis : axes) {
    const auto found = sizes.find(axis.name);
    if (found == sizes.end()) continue;
    axis.size = found->second;
    unused.erase(axis.name);
  }
  return Mesh::make(std::move(axes));
}

/// Returns the axis names of all meshes, each once.
std::vector<std::string> axis_names(const ir::Module& module) {
  std::vector<std::string> names;
  for (const ir::OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) {
      if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  return names;
}

Status resize_all(ir::Module& module, const Sizes& sizes) {
  Sizes unused = sizes;
  for (const ir::OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->axes().empty()) continue;
    Result<Mesh> changed = resized(*mesh, sizes, unused);
    if (!changed) return tl::unexpected(with_prefix("--devices: ", std::move(changed).error()));
    module.attributes(op).set(ir::attr::kMesh, *std::move(changed));
  }
  if (unused.empty()) return {};
  Error error{"--devices: no mesh has the axis " + in_quotes(unused.begin()->first)};
  const std::vector<std::string> names = axis_names(module);
  add_suggestion(error, unused.begin()->first, names);
  error.notes.push_back(names.empty() ? "the program has no mesh with axes"
                                      : "axes of the program: " + joined(names));
  return tl::unexpected(std::move(error));
}

}  // namespace

DiagnosedResult<void> resize_meshes(ir::Module& module, std::string_view text) {
  if (text.empty()) return {};
  const Result<Sizes> sizes = parse_sizes(text);
  if (!sizes) return tl::unexpected(Diagnostics{sizes.error()});
  for (const ir::OpId op : ir::pre_order(module)) {
    spell_all(module.attributes(op));
    if (!module.is(op, ir::OpKind::Func)) continue;
    for (ir::AttributeMap& each : module.function(op).arg_attributes) spell_all(each);
    for (ir::AttributeMap& each : module.function(op).result_attributes) spell_all(each);
  }
  const Status status = resize_all(module, *sizes);
  if (!status) return tl::unexpected(Diagnostics{status.error()});
  Diagnostics errors = ir::resolve(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return {};
}

}  // namespace shardy::tools
