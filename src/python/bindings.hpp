// The functions by which the files of bindings extend the module, conversions of Python values, and
// stages that Ctrl-C can end.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "python/program.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/type.hpp"
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

}  // namespace shardy::python
