// Decisions of propagation and resharding that are made by Python functions: `shardy.Context`.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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

}  // namespace shardy::python
