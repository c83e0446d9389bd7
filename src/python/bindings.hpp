// The functions by which each file of bindings extends the module, and conversions of Python
// values.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "python/program.hpp"
#include "report/records.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::python {

void bind_views(pybind11::module_& module);  // after bind_program
void bind_errors(pybind11::module_& module);
void bind_values(pybind11::module_& module);
void bind_reports(pybind11::module_& module);
void bind_program(pybind11::module_& module);
void bind_sweep(pybind11::module_& module, pybind11::class_<Program>& program);

/// Values of JSON, as Python has them.
pybind11::object from_json(const std::string& text);
std::string to_json(pybind11::handle value);

/// Returns the text of a sharding in the words of JSON. A list shorter than `rank` goes on with
/// None. Throws: Refused.
std::string sharding_text(pybind11::handle words, const ir::Module& module,
                          std::optional<std::size_t> rank);
/// Adds closed dims without axes up to `rank`, as JAX reads a PartitionSpec that is too short.
TensorSharding extended_to(const TensorSharding& sharding, std::size_t rank);

/// `f32[4,8]`, and of other types their text.
std::string short_type(const ir::Type& type);

/// An array, a scalar, a list or anything else of which NumPy makes one, as a value of that type.
/// Bytes are shared if the array is in C order, aligned and of the same numbers; it must not be
/// written to during the run. `what` names it in errors. Throws: Refused.
simulation::Tensor tensor_of(pybind11::handle value, const ir::Type& type, const std::string& what);
/// A read-only array that shares the bytes of the tensor, unless they are those of an input.
pybind11::array array_of(const simulation::Tensor& tensor, const simulation::Tensors& inputs);
/// The name of the numbers that arrays of that type hold: `float32`.
std::string dtype_name(const ir::Type& type);

/// Bytes by axis.
inline pybind11::dict python_value(const std::vector<report::AxisBytes>& axes) {
  pybind11::dict bytes;
  for (const report::AxisBytes& each : axes) bytes[pybind11::str(each.axis)] = each.bytes;
  return bytes;
}
template <class T>
const T& python_value(const T& value) {
  return value;
}

/// Read-only properties, by a table of members.
template <class Record, class Table>
void bind_members(pybind11::class_<Record>& type, const Table& members) {
  report::visit_members(members, [&](const char* name, auto get) {
    using Value = std::invoke_result_t<decltype(get), const Record&>;
    if constexpr (std::is_reference_v<Value>) {
      type.def_property_readonly(name, [get](const Record& record) -> decltype(auto) {
        return python_value(std::invoke(get, record));
      });
    } else if constexpr (!std::is_pointer_v<Value>) {
      type.def_property_readonly(name, get);
    }
  });
}
/// The class of a record with a table of members.
template <report::Record Record>
pybind11::class_<Record> bind_record(pybind11::module_& module, const char* name) {
  pybind11::class_<Record> type(module, name);
  bind_members(type, report::members_of(static_cast<const Record*>(nullptr)));
  return type;
}

/// `work(stop_token)` on a thread of its own, without the lock of the interpreter. A signal such as
/// Ctrl-C asks it to stop, and is raised when it has. Rethrows what it throws.
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

}  // namespace shardy::python
