// Stages of a program with the options and the callbacks of Python.
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

/// Options of stages as Python passes them.
struct StageArguments {
  std::string axis_cost = {};
  bool strict = false;
};

/// Returns the program with the annotations of the strategy of a context; the program without one.
/// Requires: the lock of the interpreter.
Program with_strategy(const Program& program, const ContextPtr& context);

/// Runs `work(program, options)` without the lock of the interpreter, with the callbacks of the
/// context. Throws the exception of a callback, or what `work` throws.
template <class Work>
auto run_stage(const Program& program, const StageArguments& given, const ContextPtr& context,
               const Work& work) {
  const Program source = with_strategy(program, context);
  CallbackScope scope(context.get());
  const StageOptions options{given.axis_cost, given.strict, scope.context()};
  const pybind11::gil_scoped_release released;
  return scope.run([&] { return work(source, options); });
}

/// The same on a thread of its own: `work(program, options, stop_token)`; a signal ends it, and
/// compilations with the options.
template <class Work>
auto run_interruptible(const Program& program, const StageArguments& given,
                       const ContextPtr& context, const Work& work) {
  const Program source = with_strategy(program, context);
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

/// A function of Python that receives the state of a search, and its first exception, which ends
/// the search.
class ProgressCallback {
 public:
  /// None or False: no function; True: a `shardy.ProgressBar`.
  explicit ProgressCallback(const pybind11::object& function);

  explicit operator bool() const { return static_cast<bool>(function_); }
  /// Calls the function with a stage, the completed and the total number of tries (0: unknown).
  /// Returns false after an exception.
  bool operator()(const std::string& stage, std::size_t done, std::size_t total);
  /// Calls `close` of the function if it has one. Throws the exception, if there was one.
  void end();

 private:
  SharedObject function_;
  CallbackErrors errors_;
};

}  // namespace shardy::python
