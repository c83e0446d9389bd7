// Runs stages of a program with the options and the callbacks from Python.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "python/bindings.hpp"
#include "python/callbacks.hpp"
#include "python/program.hpp"

namespace shardy::python {

using ContextPtr = std::shared_ptr<Callbacks>;

/// Options of stages in the form in which Python passes them.
struct StageArguments {
  std::string axis_cost = {};
  bool strict = false;
};

/// Returns the program with the annotations that the strategy of the context gives. Returns the
/// program unchanged if the context has no strategy. Requires: the lock of the interpreter.
PythonProgram with_strategy(const PythonProgram& program, const ContextPtr& context);

/// Runs `work(program, options)` without the lock of the interpreter, with the callbacks of the
/// context. Throws the exception of a callback, or what `work` throws.
template <class Work>
auto run_stage(const PythonProgram& program, const StageArguments& given, const ContextPtr& context,
               const Work& work) {
  const PythonProgram source = with_strategy(program, context);
  CallbackScope scope(context.get());
  const StageOptions options{given.axis_cost, given.strict, scope.context()};
  const pybind11::gil_scoped_release released;
  return scope.run([&] { return work(source, options); });
}

/// Runs `work(program, options, stop_token)` like run_stage, but on a new thread. A signal ends the
/// work, and compilations with the options.
template <class Work>
auto run_interruptible(const PythonProgram& program, const StageArguments& given,
                       const ContextPtr& context, const Work& work) {
  const PythonProgram source = with_strategy(program, context);
  CallbackScope scope(context.get());
  std::atomic<bool> is_cancelled = false;
  const StageOptions options{
      given.axis_cost, given.strict, scope.context(), {.cancel = &is_cancelled}};
  return scope.run([&] {
    return interruptible([&](std::stop_token stop) {
      const std::stop_callback cancel(stop, [&] { is_cancelled = true; });
      return work(source, options, std::move(stop));
    });
  });
}

/// Holds a Python function that receives the progress of a search. Keeps the first exception of the
/// function, which ends the search.
class ProgressCallback {
 public:
  /// Holds no function if `function` is None or False, and a `shardy.ProgressBar` if it is True.
  explicit ProgressCallback(const pybind11::object& function);

  explicit operator bool() const { return static_cast<bool>(function_); }
  /// Calls the function with a stage, the number of completed tries and the total number of tries,
  /// which is 0 if unknown. Returns false after an exception.
  bool operator()(const std::string& stage, std::size_t done, std::size_t total);
  /// Calls the function's `close` if it has one. Throws the kept exception, if any.
  void end();

 private:
  SharedObject function_;
  CallbackErrors errors_;
};

}  // namespace shardy::python
