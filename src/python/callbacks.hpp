// Decisions of propagation and resharding that Python functions make: `shardy.Context`.
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

/// A Python object that threads without the lock of the interpreter may copy and destroy.
class SharedObject {
 public:
  /// None counts as no object. Requires: the lock of the interpreter.
  explicit SharedObject(const pybind11::object& object);

  explicit operator bool() const { return object_ != nullptr; }
  /// Requires: an object, and the lock of the interpreter.
  const pybind11::object& get() const { return *object_; }

 private:
  std::shared_ptr<const pybind11::object> object_;
};

/// The functions of a `shardy.Context`. Immutable.
struct Callbacks {
  SharedObject compatible_axes;
  SharedObject resolve_conflicts;
  SharedObject op_direction;
  int op_levels = 0;  // with op_direction
  SharedObject user_priorities;
  SharedObject common_axes;
  SharedObject plan_reshard;
  SharedObject strategy;  // annotations of a program, before its first pass
};

/// The first exception of the callbacks of one stage. After it each callback returns the default,
/// so that no exception passes through the library; the stage then raises it.
class CallbackErrors {
 public:
  /// Keeps the current exception if it is the first one.
  void keep();
  bool is_empty() const;
  /// Throws the kept exception, if there is one.
  void rethrow() const;

 private:
  mutable std::mutex mutex_;
  std::exception_ptr first_;
};

/// A call of one stage with the callbacks of a context, if it has one.
class CallbackScope {
 public:
  explicit CallbackScope(const Callbacks* callbacks);

  const checking::Context& context() const { return context_; }
  /// Returns the result of the stage; throws the exception of a callback instead, or what `work`
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
