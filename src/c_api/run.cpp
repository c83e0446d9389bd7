// Tensors, runs, and checks against unsharded runs.
#include "shardy/simulation/run.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "c_api/call_result.hpp"
#include "checking/check_steps.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::c_api {

namespace {

struct TensorValue {
  using Handle = shardy_tensor;
  static constexpr HandleKind kKind = HandleKind::Tensor;
  static constexpr const char* kName = "tensor";

  simulation::Tensor value;
  std::string type;
};

struct CheckResult {
  using Handle = shardy_check;
  static constexpr HandleKind kKind = HandleKind::Check;

  bool is_equal = false;
  double largest_difference = 0;
  std::size_t num_devices = 0;
  std::string text;
};

TensorValue named(simulation::Tensor value) {
  std::string type = ir::to_string(value.type());
  return {std::move(value), std::move(type)};
}

// ---- Lists of tensors --------------------------------------------------------------------------

/// Sets all tensors of the array to null. Errors: the array is null, or its size is not `wanted`.
CallResult<std::span<shardy_tensor*>> places_for(shardy_tensor** places, std::size_t count,
                                                 std::size_t wanted, const char* of_what) {
  if (places == nullptr && count > 0) return bad_argument("the list of tensors is NULL");
  const std::span<shardy_tensor*> all(places, count);
  for (shardy_tensor*& place : all) place = nullptr;
  if (count == wanted) return all;
  return bad_argument("the array has room for " + std::to_string(count) +
                      " tensors, the program has " + std::to_string(wanted) + " " + of_what);
}

/// Stores all tensors or none. If making a handle fails, the handles made before are removed.
void give_tensors(simulation::Tensors values, std::span<shardy_tensor*> places) {
  std::size_t index = 0;
  try {
    for (simulation::Tensor& value : values) {
      places[index] = make_handle(named(std::move(value)));
      ++index;
    }
  } catch (...) {
    for (shardy_tensor*& place : places) destroy<TensorValue>(std::exchange(place, nullptr));
    throw;
  }
}

CallResult<simulation::Tensors> inputs_of(const ProgramObject& program,
                                          const shardy_tensor* const* inputs, std::size_t count) {
  const std::size_t wanted = program.arguments.size();
  if (count != wanted) {
    return bad_argument("the program has " + std::to_string(wanted) + " arguments, got " +
                        std::to_string(count) + " inputs");
  }
  if (inputs == nullptr && count > 0) return bad_argument("inputs is NULL");
  simulation::Tensors values;
  for (const shardy_tensor* const input : std::span(inputs, count)) {
    SHARDY_TRY(const auto tensor, object_of<TensorValue>(input));
    values.push_back(tensor->value);
  }
  return values;
}

// ---- Runs --------------------------------------------------------------------------------------

Diagnostics failed_checks(const simulation::CheckOutcome& checks) {
  Diagnostics failed;
  for (const simulation::FailedCheck& check : checks.failed) {
    failed.push_back(
        {check.message, check.location, {"on device " + std::to_string(check.device)}});
  }
  return failed;
}

/// Checks whether the program runs without partitioning. A per-device program runs on its devices,
/// and a program without meshes runs on its process grid, which is usually one process.
bool runs_as_written(const ProgramObject& program, ir::OpId function) {
  return program.module->meshes().empty() || simulation::is_per_device(*program.module, function);
}

CallResult<simulation::GlobalResult> run_as_written(const ProgramObject& program, ir::OpId function,
                                                    const simulation::Tensors& inputs,
                                                    const CallOptions& options) {
  const ir::Module& module = *program.module;
  simulation::RunOptions run = options.check.run;
  if (module.meshes().empty()) {
    const auto grid = simulation::process_grid(module);
    if (!grid) return refused(grid.error(), program.source);
    run.grid = *grid;
  }
  auto done = simulation::run_global(module, module.symbol_name(function), inputs, run,
                                     options.context.runs);
  if (!done) return refused(std::move(done).error(), program.source);
  return *std::move(done);
}

CallResult<simulation::GlobalResult> run_program(const ProgramObject& program,
                                                 const simulation::Tensors& inputs,
                                                 CallOptions options) {
  SHARDY_TRY(const ir::OpId function, main_function(program));
  if (runs_as_written(program, function)) {
    return run_as_written(program, function, inputs, options);
  }
  options.check.compare = options.check.exact = options.check.wide = false;
  auto done = checking::check(*program.module, inputs, options.check, options.context);
  if (!done) return refused(std::move(done).error(), program.source);
  return std::move(done->sharded);
}

CallResult<checking::CheckReport> check_program(const ProgramObject& program,
                                                const simulation::Tensors& inputs,
                                                const CallOptions& options) {
  SHARDY_TRY(const ir::OpId function, main_function(program));
  if (simulation::is_per_device(*program.module, function)) {
    return refused(Error{.message = "a check needs the program before partitioning",
                         .notes = {"the program is already a per-device program"}},
                   program.source);
  }
  auto report = checking::check(*program.module, inputs, options.check, options.context);
  if (!report) return refused(std::move(report).error(), program.source);
  return *std::move(report);
}

CheckResult result_of(const checking::CheckReport& report) {
  return {report.equal() && report.sharded.checks.passed(), report.largest_difference(),
          report.sharded.devices.size(), checking::comparison_text(report)};
}

}  // namespace

CallResult<ir::Type> read_type(const char* text, const char* field) {
  SHARDY_TRY(const std::string given, string_of(text, field));
  const bool is_short = !given.starts_with("tensor");
  Result<ir::Type> type = ir::parse_type(is_short ? "tensor<" + given + ">" : given);
  const std::string expected =
      std::string(field) + ": expected a type of known sizes like tensor<8x16xf32>, got: " + given;
  if (!type || !type->is_static_tensor()) return refused(Error{expected});
  return *std::move(type);
}

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): functions of the C API

// ---- Tensors -----------------------------------------------------------------------------------

shardy_status shardy_tensor_make(const char* type, const void* bytes, size_t size,
                                 shardy_tensor** out, shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_tensor * * const place, place_for(out));
    SHARDY_TRY(shardy::ir::Type wanted, read_type(type, "type"));
    if (bytes == nullptr && size > 0) return bad_argument("bytes is NULL");
    auto made = shardy::simulation::Tensor::make(
        std::move(wanted), std::span(static_cast<const std::byte*>(bytes), size));
    if (!made) return refused(std::move(made).error());
    *place = make_handle(named(*std::move(made)));
    return Diagnosed{};
  });
}

const char* shardy_tensor_type(const shardy_tensor* tensor) {
  return string_or_empty<TensorValue>(tensor, [](const auto& read) { return &read.type; });
}

size_t shardy_tensor_rank(const shardy_tensor* tensor) {
  return read_or<TensorValue>(tensor, size_t{0}, [](const auto& read) {
    return read.value.type().is_tensor() ? read.value.type().dims().size() : 0;
  });
}

int64_t shardy_tensor_dim(const shardy_tensor* tensor, size_t dim) {
  return read_or<TensorValue>(tensor, int64_t{0}, [&](const auto& read) {
    if (!read.value.type().is_tensor()) return int64_t{0};
    const int64_t* const size = element(read.value.type().dims(), dim);
    return size == nullptr ? int64_t{0} : *size;
  });
}

const void* shardy_tensor_data(const shardy_tensor* tensor) {
  return read_or<TensorValue>(tensor, static_cast<const void*>(nullptr), [](const auto& read) {
    return read.value.type().is_tensor() ? read.value.data() : nullptr;
  });
}

size_t shardy_tensor_size(const shardy_tensor* tensor) {
  return read_or<TensorValue>(tensor, size_t{0}, [](const auto& read) {
    return read.value.type().is_tensor() ? static_cast<size_t>(read.value.num_bytes()) : 0;
  });
}

void shardy_tensor_destroy(shardy_tensor* tensor) { destroy<TensorValue>(tensor); }

// ---- Runs --------------------------------------------------------------------------------------

shardy_status shardy_program_random_inputs(const shardy_program* program, uint64_t seed,
                                           shardy_tensor** tensors, size_t count,
                                           shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const auto places, places_for(tensors, count, read->arguments.size(), "arguments"));
    SHARDY_TRY(const auto function, main_function(*read));
    static_cast<void>(function);
    auto inputs = shardy::checking::random_inputs(*read->module, seed);
    if (!inputs) return refused(std::move(inputs).error(), read->source);
    give_tensors(*std::move(inputs), places);
    return Diagnosed{};
  });
}

// NOLINTNEXTLINE(readability-function-size): C needs all of these parameters.
shardy_status shardy_program_run(const shardy_program* program, const shardy_tensor* const* inputs,
                                 size_t num_inputs, const shardy_options* options,
                                 shardy_tensor** outputs, size_t num_outputs,
                                 shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const auto places,
               places_for(outputs, num_outputs, read->results.size(), "results"));
    SHARDY_TRY(const auto values, inputs_of(*read, inputs, num_inputs));
    SHARDY_TRY(CallOptions stages, read_options(options));
    SHARDY_TRY(auto done, run_program(*read, values, std::move(stages)));
    if (!done.checks.passed()) return refused(failed_checks(done.checks), read->source);
    give_tensors(std::move(done.outputs), places);
    return Diagnosed{};
  });
}

// ---- Checks ------------------------------------------------------------------------------------

shardy_status shardy_program_check(const shardy_program* program,
                                   const shardy_tensor* const* inputs, size_t num_inputs,
                                   const shardy_options* options, shardy_check** out,
                                   shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_check * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const auto values, inputs_of(*read, inputs, num_inputs));
    SHARDY_TRY(const CallOptions stages, read_options(options));
    SHARDY_TRY(auto report, check_program(*read, values, stages));
    *place = make_handle(result_of(report));
    shardy::Diagnostics all = std::move(report.compiled.diagnostics);
    for (auto& each : failed_checks(report.sharded.checks)) all.push_back(std::move(each));
    return Diagnosed{std::move(all), read->source};
  });
}

int shardy_check_is_equal(const shardy_check* check) {
  return read_or<CheckResult>(check, 0, [](const auto& read) { return read.is_equal ? 1 : 0; });
}

double shardy_check_largest_difference(const shardy_check* check) {
  return read_or<CheckResult>(check, 0.0, [](const auto& read) { return read.largest_difference; });
}

size_t shardy_check_num_devices(const shardy_check* check) {
  return read_or<CheckResult>(check, size_t{0}, [](const auto& read) { return read.num_devices; });
}

const char* shardy_check_text(const shardy_check* check) {
  return string_or_empty<CheckResult>(check, [](const auto& read) { return &read.text; });
}

void shardy_check_destroy(shardy_check* check) { destroy<CheckResult>(check); }
