// Decisions of propagation and resharding that are made by Python functions (`shardy.Context`), and
// stages that run with them.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "python/bindings.hpp"
#include "python/program.hpp"
#include "shardy/checking/compile.hpp"

namespace shardy::python {

/// Holds a Python object. Threads may copy and destroy the holder without the lock of the
/// interpreter.
class SharedObject {
 public:
  /// Makes a holder of `object`; empty if it is None. Requires: the lock of the interpreter.
  explicit SharedObject(const pybind11::object& object);

  explicit operator bool() const { return object_ != nullptr; }
  /// Requires: the holder has an object, and the thread has the lock of the interpreter.
  const pybind11::object& get() const { return *object_; }

 private:
  std::shared_ptr<const pybind11::object> object_;
};

/// The functions of a `shardy.Context`. Immutable.
struct Callbacks {
  SharedObject compatible_axes;
  SharedObject resolve_conflicts;
  SharedObject op_direction;
  int op_levels = 0;  // number of levels that op_direction is asked for
  SharedObject user_priorities;
  SharedObject common_axes;
  SharedObject plan_reshard;
  SharedObject strategy;  // returns annotations of a program, before the first pass
};

/// Keeps the first exception that a callback throws during one stage. All callbacks after that
/// exception return their defaults, so that no exception passes through the library. At its end the
/// stage raises the exception.
class CallbackErrors {
 public:
  /// Keeps the current exception if it is the first one.
  void keep();
  bool is_empty() const;
  /// Throws the kept exception, if any.
  void rethrow() const;

 private:
  mutable std::mutex mutex_;
  std::exception_ptr first_;
};

/// One call of a stage with the callbacks of a context. The context may be absent.
class CallbackScope {
 public:
  explicit CallbackScope(const Callbacks* callbacks);

  const checking::Context& context() const { return context_; }
  /// Returns the result of the stage. Throws the exception of a callback, or else what `work`
  /// throws.
  template <class Work>
  auto run(Work work) {
    try {
      auto result = work();
      errors_->rethrow();
      return result;
    } catch (...) {
      errors_->rethrow();
      throw;
    }
  }

 private:
  std::shared_ptr<CallbackErrors> errors_;
  checking::Context context_;
};

// ---- Stages -------------------------------------------------------------------------------------
// Runs stages of a program with the options and the callbacks from Python.

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
