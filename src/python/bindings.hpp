// The functions by which the files of bindings extend the module, conversions of Python values, and
// stages that Ctrl-C can end.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/program.hpp"
#include "report/records.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/report/report.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::python {

void bind_views(pybind11::module_& module);  // call bind_program before bind_views
void bind_errors(pybind11::module_& module);
void bind_values(pybind11::module_& module);
void bind_reports(pybind11::module_& module);
void bind_program(pybind11::module_& module);
void bind_steps(pybind11::module_& module);
void bind_callbacks(pybind11::module_& module);
void bind_structure(pybind11::module_& module, pybind11::class_<PythonProgram>& program);
void bind_searches(pybind11::module_& module, pybind11::class_<PythonProgram>& program);
void bind_explanations(pybind11::module_& module, pybind11::class_<PythonProgram>& program);
void bind_sweep(pybind11::module_& module, pybind11::class_<PythonProgram>& program);

/// Parses JSON into Python values.
pybind11::object from_json(const std::string& text);
std::string to_json(pybind11::handle value);

/// Returns the text of a sharding that is written as JSON values. A list shorter than `rank` is
/// extended with None. Throws: Refused.
std::string sharding_text(pybind11::handle words, const ir::Module& module,
                          std::optional<std::size_t> rank);
/// Returns the annotations of a dict from names to shardings. Throws: Refused.
std::vector<report::Setting> settings_of(const ir::Module& module, const pybind11::dict& shardings);
/// Adds closed dims without axes up to `rank`, as JAX does for a PartitionSpec that is too short.
TensorSharding extended_to(const TensorSharding& sharding, std::size_t rank);

/// Returns a short text such as `f32[4,8]` for a tensor type, and the full text for other types.
std::string short_type(const ir::Type& type);

/// Returns a tensor of that type from an array, a scalar, a list or anything else that NumPy
/// converts to an array. The tensor shares the bytes of an array that is in C order, aligned, and
/// of the same dtype. Such an array must not be written to during the run. `what` names the value
/// in errors. Throws: Refused.
simulation::Tensor tensor_of(pybind11::handle value, const ir::Type& type, const std::string& what);
/// Returns a read-only array that shares the bytes of the tensor. If the tensor shares bytes with
/// an input, the array gets a copy.
pybind11::array array_of(const simulation::Tensor& tensor, const simulation::Tensors& inputs);
/// Returns the name of the dtype of arrays for that type, such as `float32`.
std::string dtype_name(const ir::Type& type);
/// Returns the sizes of the dims of a tensor type, -1 for unknown ones; () for other types.
pybind11::tuple shape_tuple(const ir::Type& type);

/// Runs `work(stop_token)` on a new thread, without the lock of the interpreter. A signal such as
/// Ctrl-C requests a stop of the work. After the work has stopped, the signal is raised as an
/// exception. Rethrows what `work` throws.
template <class Work>
auto interruptible(Work work) {
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return work(stop.get_token()); });
  std::optional<pybind11::error_already_set> signal;
  {
    const pybind11::gil_scoped_release released;
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const pybind11::gil_scoped_acquire held;
      if (signal || PyErr_CheckSignals() == 0) continue;
      signal.emplace();
      stop.request_stop();
    }
  }
  if (signal) {
    result.wait();
    throw pybind11::error_already_set(*signal);
  }
  return result.get();
}

/// Returns the names of axes and sub-axes, such as `["x", "y:(1)2"]`.
std::vector<std::string> axis_names(const Mesh& mesh, AxisSpan axes);
/// Reads a list of names of axes and sub-axes. None gives no axes. Throws: Refused.
AxisList axes_from(const Mesh& mesh, pybind11::handle names);

// Docstrings of the classes of records. One text documents a class and its members.

/// Holds the docstring of a class, followed by a line `name: text` per member.
class Docs {
 public:
  explicit Docs(std::string_view text) : text_(text) {}

  /// The docstring of the class.
  std::string of_class() const { return std::string(text_.substr(0, text_.find('\n'))); }
  /// Returns the docstring of a member; empty if the text does not have one.
  std::string of(std::string_view member) const {
    const std::size_t begin = text_.find("\n" + std::string(member) + ": ");
    if (begin == std::string_view::npos) return {};
    const std::string_view rest = text_.substr(begin + member.size() + 3);
    return std::string(rest.substr(0, rest.find('\n')));
  }

 private:
  std::string_view text_;
};

/// Returns a dict from axes to bytes.
inline pybind11::dict python_value(const std::vector<report::AxisBytes>& axes) {
  pybind11::dict bytes;
  for (const report::AxisBytes& each : axes) bytes[pybind11::str(each.axis)] = each.bytes;
  return bytes;
}
inline const std::string& python_value(const Location& location) { return location.text(); }
template <class T>
const T& python_value(const T& value) {
  return value;
}

/// Defines a read-only property for each member in the table.
template <class Record, class Table>
void bind_members(pybind11::class_<Record>& type, const Table& members, const Docs& docs) {
  report::visit_members(members, [&](const char* name, auto get) {
    using Value = std::invoke_result_t<decltype(get), const Record&>;
    const std::string doc = docs.of(name);
    if constexpr (std::is_reference_v<Value>) {
      type.def_property_readonly(
          name,
          [get](const Record& record) -> decltype(auto) {
            return python_value(std::invoke(get, record));
          },
          doc.c_str());
    } else if constexpr (!std::is_pointer_v<Value>) {
      type.def_property_readonly(name, get, doc.c_str());
    }
  });
}
/// Defines the class of a record that has a table of members.
template <report::Record Record>
pybind11::class_<Record> bind_record(pybind11::module_& module, const char* name,
                                     const Docs& docs) {
  pybind11::class_<Record> type(module, name, docs.of_class().c_str());
  using report::members_of;  // with the members_of of the record's namespace
  bind_members(type, members_of(static_cast<const Record*>(nullptr)), docs);
  return type;
}

}  // namespace shardy::python
