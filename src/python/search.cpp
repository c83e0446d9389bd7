// Searches for better annotations, and comparisons of two programs.
#include <atomic>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/callbacks.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/report/hints.hpp"
#include "support/quantities.hpp"

// ---- Members of the records ---------------------------------------------------------------------

namespace shardy::report {

constexpr auto members_of(const HintEdit* /*type*/) {
  return std::make_tuple("value", &HintEdit::value, "location", &HintEdit::location, "before",
                         &HintEdit::before, "after", &HintEdit::after);
}

constexpr auto members_of(const Hint* /*type*/) {
  return std::make_tuple("edits", &Hint::edits, "cost", &Hint::cost, "seconds", &Hint::seconds,
                         "collectives", &Hint::collectives);
}

constexpr auto members_of(const Hints* /*type*/) {
  return std::make_tuple("before", &Hints::before, "seconds", &Hints::seconds, "hints",
                         &Hints::hints, "tried", &Hints::tried, "refused", &Hints::refused,
                         "parted", &Hints::parted, "left_out", &Hints::left_out, "layers",
                         &Hints::layers, "kept_layers", &Hints::kept_layers, "compiled_whole",
                         &Hints::compiled_whole, "diagnostics", &Hints::diagnostics);
}

constexpr auto members_of(const ReportDifference* /*type*/) {
  return std::make_tuple(
      "before", &ReportDifference::before, "after", &ReportDifference::after, "shardings",
      &ReportDifference::shardings, "collectives", &ReportDifference::collectives, "values_before",
      &ReportDifference::values_before, "values_after", &ReportDifference::values_after);
}

}  // namespace shardy::report

namespace shardy::autoshard {

constexpr auto members_of(const ProgramPrice* /*type*/) {
  return std::make_tuple("cost", &ProgramPrice::cost, "seconds", &ProgramPrice::seconds);
}

inline std::string_view status_of_solution(const NetworkSolution& solution) {
  return to_string(solution.status);
}

constexpr auto members_of(const NetworkSolution* /*type*/) {
  return std::make_tuple("choice", &NetworkSolution::choice, "price", &NetworkSolution::price_fs,
                         "bound", &NetworkSolution::bound_fs, "peak", &NetworkSolution::peak_bytes,
                         "status", &status_of_solution);
}

}  // namespace shardy::autoshard

namespace shardy::python {

namespace py = pybind11;

/// The result of a search, with the program that it found.
struct Found {
  autoshard::FoundSharding result;
  PythonProgram program;
};

constexpr double kFemto = 1e-15;

template <auto kMember>
const auto& of_result(const Found& found) {
  return found.result.*kMember;
}

inline std::string_view status_of(const Found& found) {
  const bool is_proven = found.result.model.status == autoshard::SolveStatus::Proven;
  return is_proven && !found.result.is_complete ? "bounded" : to_string(found.result.model.status);
}

inline double bound_of(const Found& found) {
  return static_cast<double>(found.result.model.bound_fs) * kFemto;
}

inline std::vector<report::HintEdit> edits_of(const Found& found) {
  std::vector<report::HintEdit> edits;
  for (const autoshard::AnnotationEdit& each : found.result.edits) edits.push_back(each.edit);
  return edits;
}

constexpr auto members_of(const Found* /*type*/) {
  using Result = autoshard::FoundSharding;
  return std::make_tuple("before", &of_result<&Result::before>, "after", &of_result<&Result::after>,
                         "changed", &of_result<&Result::is_changed>, "fits",
                         &of_result<&Result::fits>, "stopped", &of_result<&Result::is_stopped>,
                         "status", &status_of, "bound_seconds", &bound_of, "num_programs",
                         &of_result<&Result::num_programs>, "edits", &edits_of);
}

namespace {

/// Returns a dict from values to texts of shardings, which `annotate` takes. None removes an
/// annotation.
template <class Edits>
py::dict annotations_of(const Edits& edits) {
  py::dict annotations;
  for (const report::HintEdit& edit : edits) {
    annotations[py::str(edit.value)] = py::cast(edit.after);
  }
  return annotations;
}

// ---- Searches -----------------------------------------------------------------------------------

struct HintArguments {
  std::size_t top = 10;
  std::size_t max_tries = 400;
  bool tie = false;
  std::optional<int64_t> memory = {};
  double operations_per_second = 100e12;
  int64_t threads = 0;
};

report::Hints find(const PythonProgram& program, const HintArguments& asked,
                   const StageArguments& stages, const py::object& progress,
                   const ContextPtr& context) {
  ProgressCallback report_state(progress);
  const auto work = [&](const PythonProgram& source, const StageOptions& options,
                        std::stop_token stop) {
    std::stop_source failed;
    const std::stop_callback forward(stop, [&] { failed.request_stop(); });
    report::HintOptions search{.operations_per_second = asked.operations_per_second,
                               .top = asked.top,
                               .max_tries = asked.max_tries,
                               .tie = asked.tie,
                               .max_peak_bytes = asked.memory,
                               .num_threads = asked.threads,
                               .cancel = failed.get_token()};
    if (report_state) {
      search.on_try = [&](std::size_t done) {
        if (!report_state("trying changes", done, 0)) failed.request_stop();
      };
    }
    return source.hints(options, std::move(search));
  };
  report::Hints hints = run_interruptible(program, stages, context, work);
  report_state.end();
  return hints;
}

struct AutoshardArguments {
  std::optional<int64_t> memory = {};
  py::dict fix = {};
  std::vector<std::string> free = {};
  bool ignore_annotations = false;
  int64_t effort = 400;
  std::size_t candidates = 24;
  double uneven = 0;
  report::DeviceRates rates = {};
};

/// Searches the programs of a front; without `count` the fastest program within the limit of
/// memory.
std::vector<Found> search(const PythonProgram& program, std::optional<std::size_t> count,
                          const AutoshardArguments& asked, const StageArguments& stages,
                          const py::object& progress, const ContextPtr& context) {
  ProgressCallback report_state(progress);
  const std::vector<report::Setting> fix = settings_of(program.module(), asked.fix);
  const auto work = [&](const PythonProgram& source, const StageOptions& options,
                        std::stop_token stop) {
    std::stop_source failed;
    const std::stop_callback forward(stop, [&] { failed.request_stop(); });
    autoshard::AutoshardOptions wanted{.rates = asked.rates,
                                       .memory = asked.memory,
                                       .fix = fix,
                                       .free = asked.free,
                                       .ignore_annotations = asked.ignore_annotations,
                                       .uneven = asked.uneven,
                                       .effort = asked.effort,
                                       .candidates = asked.candidates,
                                       .stop = failed.get_token()};
    if (report_state) {
      wanted.on_progress = [&](const autoshard::AutoshardProgress& at) {
        if (!report_state(at.stage, at.programs, 0)) failed.request_stop();
      };
    }
    std::vector<autoshard::FoundSharding> results;
    if (count) {
      results = source.autoshard_front(options, *count, std::move(wanted));
    } else {
      results.push_back(source.autoshard(options, std::move(wanted)));
    }
    std::vector<Found> all;
    for (autoshard::FoundSharding& result : results) {
      PythonProgram found = source.with_module(result.program, result.diagnostics);
      all.push_back({std::move(result), std::move(found)});
    }
    return all;
  };
  std::vector<Found> found = run_interruptible(program, stages, context, work);
  report_state.end();
  return found;
}

/// Returns the fastest program within the limit of memory.
Found fastest_program(const PythonProgram& program, std::optional<int64_t> memory,
                      AutoshardArguments asked, const StageArguments& stages,
                      const py::object& progress, const ContextPtr& context) {
  asked.memory = memory;
  return std::move(search(program, std::nullopt, asked, stages, progress, context).front());
}

/// Returns at most `count` programs.
std::vector<Found> front_of_programs(const PythonProgram& program, std::size_t count,
                                     AutoshardArguments asked, const StageArguments& stages,
                                     const py::object& progress, const ContextPtr& context) {
  return search(program, count, asked, stages, progress, context);
}

report::ReportDifference diff(const PythonProgram& program, const PythonProgram& other,
                              const StageArguments& stages, const ContextPtr& context) {
  const report::Report before = run_stage(
      program, stages, context, [](const PythonProgram& source, const StageOptions& options) {
        return source.report(options);
      });
  const report::Report after = run_stage(
      other, stages, context, [](const PythonProgram& source, const StageOptions& options) {
        return source.report(options);
      });
  return report::difference(before, after);
}

// ---- Classes ------------------------------------------------------------------------------------

void bind_costs(py::module_& module) {
  bind_record<report::Cost>(module, "Cost", Docs(R"(Costs of a program per device.
bytes: Sent.
collectives: Number of collectives.
peak_bytes: Peak memory.
seconds: Modelled time of all collectives.
operations: Floating-point operations.
)"));
  bind_record<report::CollectiveChange>(module, "CollectiveChange",
                                        Docs(R"(Equal collectives of two programs.
kind: The collective, as `spmd.all_gather`.
axes: The axes of its groups.
type: The type of the operand, per device.
serves: The op of the source program that needs it.
count_before: Runs in the first program.
count_after: Runs in the second program.
bytes_before: Sent per device in the first program.
bytes_after: Sent per device in the second program.
)"));
  bind_record<report::ShardingChange>(module, "ShardingChange",
                                      Docs(R"(A value with another sharding.
made_by: The op that defines it, or `argument`.
location: Its place in the second program.
type: Its global type.
before: The sharding in the first program; empty for none.
after: The sharding in the second program; empty for none.
)"));
  bind_record<report::ReportDifference>(module, "Difference", Docs(R"(The costs of two programs.
before: Costs of the first program.
after: Costs of the second program.
shardings: Values with another sharding.
collectives: Collectives that differ, the largest increase first.
values_before: Number of values that only the first program has.
values_after: Number of values that only the second program has.
)"))
      .def("is_worse", &report::ReportDifference::is_worse,
           "Checks whether bytes, time or peak memory grew by more than the tolerance.",
           py::arg("tolerance") = 0.0);
}

void bind_hints(py::module_& module) {
  bind_record<report::HintEdit>(module, "Edit", Docs(R"(A change of one annotation.
value: The value, as `%arg0`.
location: The place of the annotation.
before: The sharding before, or None.
after: The sharding to write; None removes the annotation.
)"))
      .def("__repr__", [](const report::HintEdit& edit) {
        return "<shardy.Edit " + edit.value + ": " + edit.before.value_or("none") + " -> " +
               edit.after.value_or("none") + ">";
      });
  bind_record<report::Hint>(module, "Hint", Docs(R"(A change that was tried, and its cost.
edits: The change of a value, then those of tied values.
cost: Costs of the changed program.
seconds: Modelled time of the changed program.
collectives: Collectives that differ, the largest saving first.
)"))
      .def_property_readonly(
          "annotations", [](const report::Hint& hint) { return annotations_of(hint.edits); },
          "The change in the form of `Program.annotate`.");
  bind_record<report::Hints>(module, "Hints", Docs(R"(Changes of one annotation that help.
before: Costs of the program as it is.
seconds: Its modelled time.
hints: The fastest program first.
tried: Number of priced changes.
refused: Number of tried changes with errors.
parted: Number of tried changes that shard a result differently from its argument.
left_out: Number of changes beyond `max_tries`.
layers: Number of equal layers, if most of them were left out to compare changes; else 0.
kept_layers: Number of layers in the program in which changes were compared.
compiled_whole: With `layers`, number of changes that were compiled in the whole program.
diagnostics: Notes and warnings about the program as it is.
)"));
}

void bind_found(py::module_& module) {
  bind_record<autoshard::ProgramPrice>(module, "Price", Docs(R"(Time and memory of a program.
cost: Costs of the program.
seconds: Modelled time.
)"));
  bind_record<Found>(module, "Autoshard", Docs(R"(The result of a search for annotations.
before: The price of the program with its own annotations.
after: The price of the program that was found.
changed: The program differs from the source.
fits: The program is within the limit of memory.
stopped: The search was stopped early.
status: The proof of the model: `proven`, `bounded`, `not found` or `infeasible`.
bound_seconds: No choice of the model takes less time.
num_programs: Number of compiled programs.
edits: The annotations to write.
)"))
      .def_readonly("program", &Found::program, "The annotated program.")
      .def_property_readonly(
          "annotations", [](const Found& found) { return annotations_of(edits_of(found)); },
          "The edits in the form of `Program.annotate`; new constraints are of `program` alone.")
      .def("__repr__", [](const Found& found) {
        return "<shardy.Autoshard: " + time_text(found.result.before.seconds) + " -> " +
               time_text(found.result.after.seconds) + ">";
      });
}

/// Reads a problem of U.9.2 from JSON text, or from the value that Python reads from it.
autoshard::CostNetwork network_of(const py::object& problem) {
  const bool is_text = py::isinstance<py::str>(problem) || py::isinstance<py::bytes>(problem);
  const py::object text = is_text ? problem : py::module_::import("json").attr("dumps")(problem);
  return value_or_throw(autoshard::read_problem(text.cast<std::string>()));
}

void bind_solve(py::module_& module) {
  bind_record<autoshard::NetworkSolution>(module, "Solution",
                                          Docs(R"(A choice for each node of a problem.
choice: The index of the choice of each node; empty if none was found.
price: The sum of all prices, in the unit of the problem.
bound: No choice within the limit has a lower price.
peak: The largest number of live bytes.
status: The proof: `proven`, `bounded`, `not found` or `infeasible`.
)"));
  module.def(
      "solve",
      [](const py::object& problem, std::optional<int64_t> memory, int64_t effort) {
        autoshard::CostNetwork network = network_of(problem);
        if (memory) network.limit = *memory;
        const py::gil_scoped_release released;
        return value_or_throw(autoshard::solve(network, {.effort = effort}));
      },
      "Solves a problem in the JSON form of the ASPLOS/EuroSys 2025 contest, as text or as a dict.",
      py::arg("problem"), py::kw_only(), py::arg("memory") = py::none(), py::arg("effort") = 400);
}

/// Adds a method that searches annotations. `first` declares the argument that only this method
/// has, whose value is the second argument of `run`.
template <class Value, class Result, class... First>
void def_search(py::class_<PythonProgram>& program, const char* name, const char* doc,
                Result (*run)(const PythonProgram&, Value, AutoshardArguments,
                              const StageArguments&, const py::object&, const ContextPtr&),
                const First&... first) {
  program.def(
      name,
      [run](const PythonProgram& self, Value value, const py::dict& fix,
            const std::vector<std::string>& free, bool ignore_annotations, int64_t effort,
            std::size_t candidates, double uneven, double speed, double memory_speed,
            const py::object& progress, const std::string& cost, const ContextPtr& context) {
        const report::DeviceRates rates{.operations_per_second = speed,
                                        .memory_bytes_per_second = memory_speed};
        return run(self, value,
                   {std::nullopt, fix, free, ignore_annotations, effort, candidates, uneven, rates},
                   {cost, false}, progress, context);
      },
      doc, first..., py::arg("fix") = py::dict(), py::arg("free") = std::vector<std::string>(),
      py::arg("ignore_annotations") = false, py::arg("effort") = 400, py::arg("candidates") = 24,
      py::arg("uneven") = 0.125, py::arg("operations_per_second") = 100e12,
      py::arg("memory_bytes_per_second") = 0.0, py::arg("progress") = py::none(),
      py::arg("axis_cost") = "", py::arg("context") = py::none());
}

void bind_hints_method(py::class_<PythonProgram>& program) {
  program.def(
      "hints",
      [](const PythonProgram& self, std::size_t top, std::size_t max_tries, bool tie,
         std::optional<int64_t> memory, double speed, int64_t threads, const py::object& progress,
         const std::string& cost, const ContextPtr& context) {
        return find(self, {top, max_tries, tie, memory, speed, threads}, {cost, false}, progress,
                    context);
      },
      "Tries changes of one annotation, and returns those that make the program faster.",
      py::kw_only(), py::arg("top") = 10, py::arg("max_tries") = 400, py::arg("tie") = false,
      py::arg("memory") = py::none(), py::arg("operations_per_second") = 100e12,
      py::arg("threads") = 0, py::arg("progress") = py::none(), py::arg("axis_cost") = "",
      py::arg("context") = py::none());
}

}  // namespace

ProgressCallback::ProgressCallback(const py::object& function) : function_(py::none()) {
  if (function.is_none() || function.ptr() == Py_False) return;
  const bool is_bar = function.ptr() == Py_True;
  function_ = SharedObject(is_bar ? py::module_::import("shardy").attr("ProgressBar")() : function);
}

void ProgressCallback::end() {
  errors_.rethrow();
  if (function_ && py::hasattr(function_.get(), "close")) function_.get().attr("close")();
}

bool ProgressCallback::operator()(const std::string& stage, std::size_t done, std::size_t total) {
  if (!errors_.is_empty()) return false;
  const py::gil_scoped_acquire held;
  try {
    function_.get()(stage, done, total);
  } catch (...) {
    errors_.keep();
  }
  return errors_.is_empty();
}

void bind_searches(py::module_& module, py::class_<PythonProgram>& program) {
  bind_costs(module);
  bind_hints(module);
  bind_found(module);
  bind_hints_method(program);
  def_search(program, "autoshard",
             "Searches the annotations with which a device needs the least modelled time within a "
             "limit of memory in bytes.",
             &fastest_program, py::kw_only(), py::arg("memory") = py::none());
  def_search(program, "autoshard_front",
             "Searches at most `count` programs, none of them slower and larger than another one; "
             "the fastest first.",
             &front_of_programs, py::arg("count"), py::kw_only());
  bind_solve(module);
  program.def(
      "diff",
      [](const PythonProgram& self, const PythonProgram& other, const std::string& cost,
         const ContextPtr& context) {
        return diff(self, other, {cost, false}, context);
      },
      "Compares the costs of this program with those of another one.", py::arg("other"),
      py::kw_only(), py::arg("axis_cost") = "", py::arg("context") = py::none());
}

}  // namespace shardy::python
