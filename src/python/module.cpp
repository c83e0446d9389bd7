// The extension module `shardy._shardy`: docs/python.md.
#include "python/bindings.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::python {

namespace py = pybind11;

namespace {

/// An argument or a result of main.
struct Port {
  std::string name;
  ir::Type type;
  std::optional<TensorSharding> sharding;
};

std::string name_of_argument(const ir::Module& module, ir::OpId function, std::size_t index) {
  const ir::ValueId argument = module.args(module.entry(function))[index];
  const std::string name = module.value_name(argument);
  return name.empty() ? "arg" + std::to_string(index) : name;
}

std::vector<Port> arguments_of(const Program& program) {
  const ir::Module& module = program.module();
  const ir::OpId function = program.main_function();
  std::vector<Port> ports;
  for (const ir::Type& type : module.arg_types(function)) {
    const std::size_t index = ports.size();
    ports.push_back({name_of_argument(module, function, index), type,
                     ir::arg_sharding(module, function, index)});
  }
  return ports;
}

std::vector<Port> results_of(const Program& program) {
  const ir::Module& module = program.module();
  const ir::OpId function = program.main_function();
  std::vector<Port> ports;
  for (const ir::Type& type : module.function(function).result_types) {
    const std::size_t index = ports.size();
    ports.push_back(
        {"result " + std::to_string(index), type, ir::result_sharding(module, function, index)});
  }
  return ports;
}

py::tuple shape_of_port(const Port& port) {
  if (!port.type.is_tensor()) return py::tuple();
  return py::tuple(py::cast(std::vector(port.type.dims().begin(), port.type.dims().end())));
}

void bind_port(py::module_& module) {
  py::class_<Port>(module, "Port")
      .def_readonly("name", &Port::name)
      .def_property_readonly("type", [](const Port& port) { return short_type(port.type); })
      .def_property_readonly("shape", &shape_of_port)
      .def_property_readonly("dtype", [](const Port& port) { return dtype_name(port.type); })
      .def_readonly("sharding", &Port::sharding)
      .def("__repr__", [](const Port& port) {
        return "<shardy.Port " + port.name + ": " + short_type(port.type) +
               (port.sharding ? " " + to_string(*port.sharding) : "") + ">";
      });
}

py::dict meshes_of(const Program& program) {
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

/// By the names of the arguments.
py::list in_order(const py::dict& named, const std::vector<Port>& arguments) {
  py::list values;
  for (const Port& argument : arguments) {
    if (!named.contains(argument.name)) {
      throw Refused({.message = "no input for the argument " + argument.name});
    }
    values.append(named[py::str(argument.name)]);
  }
  if (named.size() != arguments.size()) {
    for (const auto& [name, value] : named) {
      const std::string text = py::str(name);
      const auto known = std::ranges::find(arguments, text, &Port::name);
      if (known == arguments.end()) {
        throw Refused({.message = "the program has no argument " + text});
      }
    }
  }
  return values;
}

/// Returns the given inputs; std::nullopt for None.
std::optional<simulation::Tensors> inputs_of(const Program& program, const py::object& given) {
  if (given.is_none()) return std::nullopt;
  const auto types = program.module().arg_types(program.main_function());
  const std::vector<ir::Type> wanted =
      simulation::is_per_device(program.module(), program.main_function())
          ? simulation::global_arg_types(program.module(), program.main_function())
          : std::vector<ir::Type>(types.begin(), types.end());
  const std::vector<Port> arguments = arguments_of(program);
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

std::vector<py::array> run(const Program& program, const py::object& given, uint64_t seed,
                           int64_t workers, const StageOptions& options) {
  if (workers < 0) throw Refused({.message = "a number of workers that is negative"});
  auto inputs = inputs_of(program, given);
  const simulation::Tensors results = interruptible([&](std::stop_token cancel) {
    if (!inputs) inputs = program.random_inputs(seed);
    return program.run(*inputs, options, {.num_workers = workers, .cancel = std::move(cancel)});
  });
  return arrays_of(results, *inputs);
}

checking::CheckReport check(const Program& program, const py::object& given, uint64_t seed,
                            const CheckSettings& settings) {
  if (settings.tolerance && !(*settings.tolerance >= 0)) {
    throw Refused({.message = "a tolerance is a number that is not negative"});
  }
  auto inputs = inputs_of(program, given);
  return interruptible([&](std::stop_token cancel) {
    if (!inputs) inputs = program.random_inputs(seed);
    return program.check(*inputs, settings, std::move(cancel));
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

std::string repr_program(const Program& program) {
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

void bind_stages(py::class_<Program>& program) {
  const auto axis_cost = py::arg("axis_cost") = "";
  const auto strict = py::arg("strict") = false;
  program.def("propagate", &Program::propagate, Unlocked())
      .def(
          "partition",
          [](const Program& self, const std::string& cost, bool is_strict) {
            return self.partition({cost, is_strict});
          },
          py::kw_only(), axis_cost, strict, Unlocked())
      .def(
          "report",
          [](const Program& self, const std::string& cost, bool is_strict) {
            return self.report({cost, is_strict});
          },
          py::kw_only(), axis_cost, strict, Unlocked())
      .def(
          "run",
          [](const Program& self, const py::object& inputs, uint64_t seed, int64_t workers,
             const std::string& cost, bool is_strict) {
            return run(self, inputs, seed, workers, {cost, is_strict});
          },
          py::arg("inputs") = py::none(), py::kw_only(), py::arg("seed") = 0,
          py::arg("workers") = 0, axis_cost, strict)
      .def(
          "check",
          [](const Program& self, const py::object& inputs, uint64_t seed, bool exact, bool f64,
             std::optional<double> tolerance, const std::string& cost, bool is_strict) {
            return check(self, inputs, seed, {{cost, is_strict}, exact, f64, tolerance});
          },
          py::arg("inputs") = py::none(), py::kw_only(), py::arg("seed") = 0,
          py::arg("exact") = true, py::arg("f64") = true, py::arg("tolerance") = py::none(),
          axis_cost, strict)
      .def(
          "random_inputs",
          [](const Program& self, uint64_t seed) {
            return arrays_of(self.random_inputs(seed), {});
          },
          py::arg("seed") = 0);
}

}  // namespace

void bind_program(py::module_& module) {
  bind_port(module);
  py::class_<Program> program(module, "Program");
  program.def_property_readonly("meshes", &meshes_of)
      .def_property_readonly("arguments", &arguments_of)
      .def_property_readonly("results", &results_of)
      .def_property_readonly("diagnostics", &Program::diagnostics)
      .def("to_mlir", &Program::to_mlir, Unlocked())
      .def("to_json", &Program::to_json, Unlocked())
      .def("__str__", &Program::to_mlir)
      .def("__repr__", &repr_program);
  bind_stages(program);
  bind_sweep(module, program);
  module.def(
      "parse",
      [](std::string text, std::string name, const std::string& form) {
        return Program::parse(std::move(text), std::move(name), import_form(form));
      },
      py::arg("text"), py::arg("name") = "", py::kw_only(), py::arg("form") = "auto", Unlocked());
}

}  // namespace shardy::python

PYBIND11_MODULE(_shardy, module) {
  module.doc() = "Sharding of tensor programs.";
  shardy::python::bind_errors(module);
  shardy::python::bind_values(module);
  shardy::python::bind_reports(module);
  shardy::python::bind_program(module);
  shardy::python::bind_views(module);
}
