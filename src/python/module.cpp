// The extension module `shardy._shardy` and its exception `shardy.Error`. docs/python.md documents
// its functions.
#include <algorithm>

#include "python/bindings.hpp"
#include "python/callbacks.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/version.h"

namespace shardy::python {

namespace py = pybind11;

namespace {

/// An argument or a result of main.
struct PythonPort {
  std::string name;
  ir::Type type;
  std::optional<TensorSharding> sharding;
};

std::string name_of_argument(const ir::Module& module, ir::OpId function, std::size_t index) {
  const ir::ValueId argument = module.args(module.entry(function))[index];
  const std::string name = module.value_name(argument);
  return name.empty() ? "arg" + std::to_string(index) : name;
}

std::vector<PythonPort> arguments_of(const PythonProgram& program) {
  const ir::Module& module = program.module();
  const ir::OpId function = program.main_function();
  std::vector<PythonPort> ports;
  for (const ir::Type& type : module.arg_types(function)) {
    const std::size_t index = ports.size();
    ports.push_back({name_of_argument(module, function, index), type,
                     ir::arg_sharding(module, function, index)});
  }
  return ports;
}

std::vector<PythonPort> results_of(const PythonProgram& program) {
  const ir::Module& module = program.module();
  const ir::OpId function = program.main_function();
  std::vector<PythonPort> ports;
  for (const ir::Type& type : module.function(function).result_types) {
    const std::size_t index = ports.size();
    ports.push_back(
        {"result " + std::to_string(index), type, ir::result_sharding(module, function, index)});
  }
  return ports;
}

void bind_port(py::module_& module) {
  py::class_<PythonPort>(module, "Port", "An argument or a result of the main function.")
      .def_readonly("name", &PythonPort::name, "As `arg0`, or as in the source.")
      .def_property_readonly(
          "type", [](const PythonPort& port) { return short_type(port.type); }, "As `f32[4,8]`.")
      .def_property_readonly(
          "shape", [](const PythonPort& port) { return shape_tuple(port.type); },
          "Sizes of the dims; -1 if unknown.")
      .def_property_readonly(
          "dtype", [](const PythonPort& port) { return dtype_name(port.type); },
          "The dtype of its arrays.")
      .def_readonly("sharding", &PythonPort::sharding, "Its sharding, or None.")
      .def("__repr__", [](const PythonPort& port) {
        return "<shardy.Port " + port.name + ": " + short_type(port.type) +
               (port.sharding ? " " + to_string(*port.sharding) : "") + ">";
      });
}

py::dict meshes_of(const PythonProgram& program) {
  const ir::Module& module = program.module();
  py::dict meshes;
  for (const ir::OpId op : module.meshes()) {
    if (const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh)) {
      meshes[py::str(std::string(module.symbol_name(op)))] = *mesh;
    }
  }
  return meshes;
}

// ---- Inputs ------------------------------------------------------------------------------------

/// Returns the arrays of a dict by argument name, in the order of the arguments.
py::list in_order(const py::dict& named, const std::vector<PythonPort>& arguments) {
  py::list values;
  for (const PythonPort& argument : arguments) {
    if (!named.contains(argument.name)) {
      throw Refused({.message = "no input for the argument " + argument.name});
    }
    values.append(named[py::str(argument.name)]);
  }
  if (named.size() != arguments.size()) {
    for (const auto& [name, value] : named) {
      const std::string text = py::str(name);
      const auto known = std::ranges::find(arguments, text, &PythonPort::name);
      if (known == arguments.end()) {
        throw Refused({.message = "the program has no argument " + text});
      }
    }
  }
  return values;
}

/// Returns the given inputs; std::nullopt if `given` is None.
std::optional<simulation::Tensors> inputs_of(const PythonProgram& program,
                                             const py::object& given) {
  if (given.is_none()) return std::nullopt;
  const auto types = program.module().arg_types(program.main_function());
  const std::vector<ir::Type> wanted =
      simulation::is_per_device(program.module(), program.main_function())
          ? simulation::global_arg_types(program.module(), program.main_function())
          : std::vector<ir::Type>(types.begin(), types.end());
  const std::vector<PythonPort> arguments = arguments_of(program);
  const py::list values = py::isinstance<py::dict>(given)
                              ? in_order(py::reinterpret_borrow<py::dict>(given), arguments)
                              : py::list(given);
  if (values.size() != wanted.size()) {
    throw Refused({.message = "the program has " + std::to_string(wanted.size()) +
                              " arguments, got " + std::to_string(values.size()) + " inputs"});
  }
  simulation::Tensors inputs;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    const std::string what =
        "argument " + std::to_string(index) + " (" + arguments[index].name + ")";
    inputs.push_back(tensor_of(values[index], wanted[index], what));
  }
  return inputs;
}

std::vector<py::array> arrays_of(const simulation::Tensors& tensors,
                                 const simulation::Tensors& inputs) {
  std::vector<py::array> arrays;
  for (const simulation::Tensor& tensor : tensors) arrays.push_back(array_of(tensor, inputs));
  return arrays;
}

std::vector<py::array> run(const PythonProgram& program, const py::object& given, uint64_t seed,
                           int64_t threads, const StageArguments& stages,
                           const ContextPtr& context) {
  if (threads < 0) throw Refused({.message = "a number of threads that is negative"});
  auto inputs = inputs_of(program, given);
  const simulation::Tensors results = run_interruptible(
      program, stages, context,
      [&](const PythonProgram& source, const StageOptions& options, std::stop_token cancel) {
        if (!inputs) inputs = source.random_inputs(seed);
        return source.run(*inputs, options, {.num_workers = threads, .cancel = std::move(cancel)});
      });
  return arrays_of(results, *inputs);
}

/// Options of a check that other stages do not have.
struct CheckArguments {
  uint64_t seed = 0;
  bool exact = true;
  bool wide = true;
  std::optional<double> tolerance = {};
};

checking::CheckReport check(const PythonProgram& program, const py::object& given,
                            const CheckArguments& asked, const StageArguments& stages,
                            const ContextPtr& context) {
  if (asked.tolerance && !(*asked.tolerance >= 0)) {
    throw Refused({.message = "a tolerance is a number that is not negative"});
  }
  auto inputs = inputs_of(program, given);
  return run_interruptible(
      program, stages, context,
      [&](const PythonProgram& source, const StageOptions& options, std::stop_token cancel) {
        if (!inputs) inputs = source.random_inputs(asked.seed);
        return source.check(*inputs, {options, asked.exact, asked.wide, asked.tolerance},
                            std::move(cancel));
      });
}

// ---- Programs ----------------------------------------------------------------------------------

passes::ImportForm import_form(const std::string& name) {
  if (name == "auto") return passes::ImportForm::Auto;
  if (name == "gspmd") return passes::ImportForm::Gspmd;
  if (name == "roundtrip") return passes::ImportForm::RoundTrip;
  if (name == "none") return passes::ImportForm::None;
  throw Refused({.message = "unknown form of shardings: " + name,
                 .notes = {"one of auto gspmd roundtrip none"}});
}

std::string repr_program(const PythonProgram& program) {
  const ir::Module& module = program.module();
  std::string text = "<shardy.Program";
  if (const auto function = module.main_function()) {
    text += " @" + std::string(module.symbol_name(*function)) + ": " +
            std::to_string(module.arg_types(*function).size()) + " arguments, " +
            std::to_string(module.function(*function).result_types.size()) + " results";
  }
  for (const auto& [name, mesh] : meshes_of(program)) {
    text += ", @" + std::string(py::str(name)) + " = " + std::string(py::str(mesh));
  }
  return text + ">";
}

using Unlocked = py::call_guard<py::gil_scoped_release>;

/// Throws: Refused, if a word is unknown.
PartitionForm partition_form(const std::string& collectives, const std::string& groups,
                             const std::string& chlo) {
  if (collectives != "spmd" && collectives != "stablehlo") {
    throw Refused({.message = "unknown form of collectives: " + collectives,
                   .notes = {"one of spmd stablehlo"}});
  }
  if (groups != "list" && groups != "mesh") {
    throw Refused(
        {.message = "unknown form of replica groups: " + groups, .notes = {"one of list mesh"}});
  }
  if (chlo != "keep" && chlo != "lower") {
    throw Refused(
        {.message = "unknown treatment of CHLO: " + chlo, .notes = {"one of keep lower"}});
  }
  PartitionForm form;
  if (collectives == "spmd" && chlo == "lower") {
    throw Refused({.message = "chlo=\"lower\" needs collectives=\"stablehlo\""});
  }
  if (collectives == "spmd") return form;
  form.lowers_chlo = chlo == "lower";
  form.stablehlo.emplace();
  if (groups == "mesh") form.stablehlo->groups = partitioning::ReplicaGroupsForm::Mesh;
  return form;
}

void bind_stages(py::class_<PythonProgram>& program) {
  const auto axis_cost = py::arg("axis_cost") = "";
  const auto strict = py::arg("strict") = false;
  const auto context = py::arg("context") = py::none();
  program
      .def(
          "propagate",
          [](const PythonProgram& self, const ContextPtr& with) {
            return run_stage(self, {}, with,
                             [](const PythonProgram& source, const StageOptions& options) {
                               return source.propagate(options);
                             });
          },
          "Returns the program with the shardings of all values.", py::kw_only(), context)
      .def(
          "partition",
          [](const PythonProgram& self, const std::string& collectives, const std::string& groups,
             const std::string& chlo, const std::string& cost, bool is_strict,
             const ContextPtr& with) {
            const PartitionForm form = partition_form(collectives, groups, chlo);
            return run_interruptible(
                self, {cost, is_strict}, with,
                [&](const PythonProgram& source, const StageOptions& options,
                    const std::stop_token&) { return source.partition(options, form); });
          },
          "Returns the per-device program: with `spmd` ops, or in StableHLO for other compilers.",
          py::kw_only(), py::arg("collectives") = "spmd", py::arg("replica_groups") = "list",
          py::arg("chlo") = "keep", axis_cost, strict, context)
      .def(
          "report",
          [](const PythonProgram& self, const std::string& cost, bool is_strict,
             const ContextPtr& with) {
            return run_interruptible(self, {cost, is_strict}, with,
                                     [](const PythonProgram& source, const StageOptions& options,
                                        const std::stop_token&) { return source.report(options); });
          },
          "Returns the costs of the program, without running it.", py::kw_only(), axis_cost, strict,
          context);
}

void bind_runs(py::class_<PythonProgram>& program) {
  const auto axis_cost = py::arg("axis_cost") = "";
  const auto strict = py::arg("strict") = false;
  const auto context = py::arg("context") = py::none();
  program
      .def(
          "run",
          [](const PythonProgram& self, const py::object& inputs, uint64_t seed, int64_t threads,
             const std::string& cost, bool is_strict, const ContextPtr& with) {
            return run(self, inputs, seed, threads, {cost, is_strict}, with);
          },
          "Runs the program on all devices of its mesh. Inputs are a list or a dict of arrays; "
          "the default is random. `threads=0` is one per core.",
          py::arg("inputs") = py::none(), py::kw_only(), py::arg("seed") = 0,
          py::arg("threads") = 0, axis_cost, strict, context)
      .def(
          "check",
          [](const PythonProgram& self, const py::object& inputs, uint64_t seed, bool exact,
             bool f64, std::optional<double> tolerance, const std::string& cost, bool is_strict,
             const ContextPtr& with) {
            return check(self, inputs, {seed, exact, f64, tolerance}, {cost, is_strict}, with);
          },
          "Compares the sharded run with the unsharded run.", py::arg("inputs") = py::none(),
          py::kw_only(), py::arg("seed") = 0, py::arg("exact") = true, py::arg("f64") = true,
          py::arg("tolerance") = py::none(), axis_cost, strict, context)
      .def(
          "random_inputs",
          [](const PythonProgram& self, uint64_t seed) {
            return arrays_of(self.random_inputs(seed), {});
          },
          "Returns random arrays for the arguments; equal seeds give equal arrays.",
          py::arg("seed") = 0);
}

// ---- Pickling -----------------------------------------------------------------------------------

/// The code of a diagnostic must be a string literal of the library, which a pickled text is not.
/// The pickled headline therefore contains the code.
py::tuple state_of(const Diagnostic& diagnostic) {
  return py::make_tuple(diagnostic.headline(), diagnostic.location.text(), diagnostic.notes,
                        static_cast<int>(diagnostic.severity));
}

Diagnostic diagnostic_of(const py::tuple& state) {
  return {.message = state[0].cast<std::string>(),
          .location = state[1].cast<std::string>(),
          .notes = state[2].cast<std::vector<std::string>>(),
          .severity = static_cast<Severity>(std::clamp(state[3].cast<int>(), 0, 3))};
}

py::tuple state_of(const PythonProgram& program) {
  const PythonProgram::PickledProgram state = program.state();
  py::list diagnostics;
  for (const Diagnostic& each : state.diagnostics) diagnostics.append(state_of(each));
  return py::make_tuple(state.path, state.mlir, diagnostics, state.marks.constants,
                        state.marks.mesh_copies);
}

PythonProgram program_of(const py::tuple& state) {
  Diagnostics diagnostics;
  for (const py::handle each : state[2])
    diagnostics.push_back(diagnostic_of(each.cast<py::tuple>()));
  return PythonProgram::of_state(
      {.path = state[0].cast<std::string>(),
       .mlir = state[1].cast<std::string>(),
       .diagnostics = std::move(diagnostics),
       .marks = {.constants = state[3].cast<bool>(), .mesh_copies = state[4].cast<bool>()}});
}

void bind_parse(py::module_& module) {
  module.def(
      "parse",
      [](std::string text, std::string name, const std::string& form) {
        return PythonProgram::parse(std::move(text), std::move(name), import_form(form));
      },
      "Reads a program: MLIR text or JSON. `name` is the file of error messages, `form` the form "
      "of shardings: auto, gspmd, roundtrip or none.",
      py::arg("text"), py::arg("name") = "", py::kw_only(), py::arg("form") = "auto", Unlocked());
}

}  // namespace

PythonProgram with_strategy(const PythonProgram& program, const ContextPtr& context) {
  if (!context || !context->strategy) return program;
  const py::object annotations = context->strategy.get()(program);
  if (!py::isinstance<py::dict>(annotations)) {
    throw py::type_error("a strategy returns a dict of names and shardings");
  }
  return program.annotate(
      settings_of(program.module(), py::reinterpret_borrow<py::dict>(annotations)));
}

void bind_program(py::module_& module) {
  bind_port(module);
  py::class_<PythonProgram> program(module, "Program",
                                    "A program. Immutable: stages return others.");
  program.def_property_readonly("meshes", &meshes_of, "Meshes by name.")
      .def_property_readonly("arguments", &arguments_of, "Arguments of the main function.")
      .def_property_readonly("results", &results_of, "Results of the main function.")
      .def_property_readonly("diagnostics", &PythonProgram::diagnostics,
                             "Notes and warnings of the stage that returned the program.")
      .def("to_mlir", &PythonProgram::to_mlir, "Returns its MLIR text.", Unlocked())
      .def("to_json", &PythonProgram::to_json, "Returns its JSON.", Unlocked())
      .def("__str__", &PythonProgram::to_mlir)
      .def("__repr__", &repr_program)
      .def(py::pickle([](const PythonProgram& self) { return state_of(self); }, &program_of));
  bind_stages(program);
  bind_runs(program);
  bind_structure(module, program);
  bind_explanations(module, program);
  bind_searches(module, program);
  bind_sweep(module, program);
  bind_parse(module);
}

}  // namespace shardy::python

PYBIND11_MODULE(_shardy, module) {
  module.doc() = "Sharding of tensor programs.";
  module.attr("__version__") = SHARDY_VERSION_STRING;
  shardy::python::bind_errors(module);
  shardy::python::bind_values(module);
  shardy::python::bind_steps(module);
  shardy::python::bind_callbacks(module);
  shardy::python::bind_reports(module);
  shardy::python::bind_program(module);
  shardy::python::bind_views(module);
}

namespace shardy::python {

namespace py = pybind11;

namespace {

std::string repr_diagnostic(const Diagnostic& diagnostic) {
  return std::string("<shardy.Diagnostic ") + std::string(to_string(diagnostic.severity)) +
         (diagnostic.location.empty() ? "" : " at " + diagnostic.location.text()) + ": " +
         diagnostic.headline() + ">";
}

/// Returns the first error, which is the cause of the exception.
Diagnostic first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& each : diagnostics) {
    if (each.severity == Severity::Error) return each;
  }
  return diagnostics.empty() ? Diagnostic() : diagnostics.front();
}

PyObject* error_type = nullptr;  // lives as long as the interpreter

void raise(const Refused& refused) {
  const py::object error = py::reinterpret_borrow<py::object>(error_type)(refused.what());
  const Diagnostic first = first_error(refused.diagnostics());
  error.attr("message") = first.message;
  error.attr("location") = first.location.text();
  error.attr("code") = std::string(first.code);
  error.attr("notes") = py::cast(first.notes);
  error.attr("diagnostics") = py::cast(refused.diagnostics());
  PyErr_SetObject(error_type, error.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  bind_record<Diagnostic>(module, "Diagnostic", Docs(R"(An error, a warning or a note.
severity: `error`, `warning`, `remark` or `note`.
code: As `E_KERNEL`; may be empty.
message: What is wrong.
location: The place; empty if there is none.
notes: Context, and how to fix it.
)"))
      .def("__repr__", &repr_diagnostic);
  error_type = PyErr_NewExceptionWithDoc("shardy.Error",
                                         "A program, a sharding or an input that was refused.",
                                         PyExc_ValueError, nullptr);
  module.attr("Error") = py::reinterpret_borrow<py::object>(error_type);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Refused& refused) {
      raise(refused);
    }
  });
}

}  // namespace shardy::python
