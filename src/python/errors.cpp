// The exception `shardy.Error` and the diagnostics in it.
#include "python/bindings.hpp"
#include "python/documented.hpp"

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
