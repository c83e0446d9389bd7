// Parts that the functions of shardy.h share. No exception leaves these functions. Errors and
// violated contracts become diagnostics, with any contract handler of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/shardy.h"
#include "shardy/support/contract.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"
#include "text/program_format.hpp"

namespace shardy::c_api {

// ---- Objects of the handles of shardy.h ---------------------------------------------------------

enum class HandleKind : uint8_t { Diagnostics, Text, Program, Explanation, Plan, Tensor, Check };

/// The objects of all live handles. A handle is a unique number that is cast to a pointer and never
/// dereferenced, so that an invalid handle can be detected. Thread-safe.
namespace handles {

/// Returns the handle of a new object.
uintptr_t add(HandleKind kind, std::shared_ptr<const void> object);
/// Returns the object of a handle; null if no live handle of that kind has the value.
std::shared_ptr<const void> find(uintptr_t handle, HandleKind kind);
/// Ends the handle, if it is live and of that kind. The object lives on while another call works
/// with it.
void remove(uintptr_t handle, HandleKind kind);

}  // namespace handles

/// Requires: T has a type `Handle`, a constant `kKind`, and `kName` for errors.
template <class T>
typename T::Handle* make_handle(T object) {
  const uintptr_t handle =
      handles::add(T::kKind, std::make_shared<const T>(static_cast<T&&>(object)));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
  return reinterpret_cast<typename T::Handle*>(handle);
}

template <class T>
std::shared_ptr<const T> find(const typename T::Handle* handle) {
  return std::static_pointer_cast<const T>(
      handles::find(reinterpret_cast<uintptr_t>(handle), T::kKind));
}

template <class T>
void destroy(typename T::Handle* handle) noexcept {
  try {
    handles::remove(reinterpret_cast<uintptr_t>(handle), T::kKind);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a lock that fails; the object stays
  }
}

/// Returns the result of `read` for the object; `otherwise` for an invalid handle.
template <class T, class Value, class Read>
Value read_or(const typename T::Handle* handle, Value otherwise, Read read) noexcept {
  try {
    const std::shared_ptr<const T> object = find<T>(handle);
    return object ? static_cast<Value>(read(*object)) : otherwise;
  } catch (...) {
    return otherwise;
  }
}

/// Returns a string of the object, which lives as long as the object; an empty string for an
/// invalid handle.
template <class T, class Read>
const char* string_or_empty(const typename T::Handle* handle, Read read) noexcept {
  return read_or<T>(handle, "", [&](const T& object) {
    const auto* const text = read(object);
    return text == nullptr ? "" : text->c_str();
  });
}

/// Returns a pointer to the element; null if the index is too large.
template <class List>
auto element(const List& list, std::size_t index) -> decltype(list.data()) {
  return index < list.size() ? list.data() + index : nullptr;
}

// ---- Results of calls
// ----------------------------------------------------------------------------

/// The text of a program, which the positions in errors refer to.
struct SourceText {
  std::string name;
  std::string text;
  text::Format format = text::Format::Mlir;
};
using SourceTextPtr = std::shared_ptr<const SourceText>;

struct DiagnosticList {
  using Handle = shardy_diagnostics;
  static constexpr HandleKind kKind = HandleKind::Diagnostics;
  static constexpr const char* kName = "list of diagnostics";

  Diagnostics diagnostics;
  std::vector<std::string> codes;  // the code of each diagnostic, null-terminated
  std::string text;
};

struct TextObject {
  using Handle = shardy_text;
  static constexpr HandleKind kKind = HandleKind::Text;
  static constexpr const char* kName = "text";

  std::string text;
};

/// Status and diagnostics of a failed call. (Result and DiagnosedResult do not carry a status.)
struct CallFailure {
  shardy_status status = SHARDY_REFUSED;
  Diagnostics diagnostics = {};
  SourceTextPtr source = {};
};

template <class T>
using CallResult = tl::expected<T, CallFailure>;

inline tl::unexpected<CallFailure> bad_argument(std::string message) {
  return tl::unexpected(CallFailure{SHARDY_BAD_ARGUMENT, {Error{std::move(message)}}, {}});
}
inline tl::unexpected<CallFailure> refused(Diagnostics diagnostics, SourceTextPtr source = {}) {
  return tl::unexpected(CallFailure{SHARDY_REFUSED, std::move(diagnostics), std::move(source)});
}
inline tl::unexpected<CallFailure> refused(Error error, SourceTextPtr source = {}) {
  return refused(Diagnostics{std::move(error)}, std::move(source));
}

/// The result and the diagnostics of a successful call.
struct Diagnosed {
  Diagnostics diagnostics = {};
  SourceTextPtr source = {};
};

/// Stores the list if the caller requests it and it is not empty.
void give_diagnostics(Diagnostics diagnostics, const SourceText* source,
                      shardy_diagnostics** out) noexcept;
/// Throws the contract violation as an exception, which becomes the status of the function.
[[noreturn]] void throw_violation(const ContractViolation& violation);
/// Returns the failure that describes the exception being handled.
CallFailure failure_in_flight() noexcept;

/// Runs the work of a function. Stores the diagnostics in `diagnostics`, which may be null.
template <class Work>
shardy_status run_call(shardy_diagnostics** diagnostics, Work work) noexcept {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  CallResult<Diagnosed> done;
  const ContractScope scope(&throw_violation);
  try {
    done = work();
  } catch (...) {
    done = tl::unexpected(failure_in_flight());
  }
  if (done) {
    give_diagnostics(std::move(done->diagnostics), done->source.get(), diagnostics);
    return SHARDY_OK;
  }
  CallFailure& failure = done.error();
  give_diagnostics(std::move(failure.diagnostics), failure.source.get(), diagnostics);
  return failure.status;
}

/// Sets the new handle `*out` to null and returns `out`. Errors: `out` is null.
template <class Handle>
CallResult<Handle**> place_for(Handle** out) {
  if (out == nullptr) return bad_argument("out is NULL: it must point to the new handle");
  *out = nullptr;
  return out;
}

template <class T>
CallResult<std::shared_ptr<const T>> object_of(const typename T::Handle* handle) {
  if (auto object = find<T>(handle)) return object;
  const std::string what = handle == nullptr ? "it is NULL" : "no live handle has that value";
  return tl::unexpected(
      CallFailure{SHARDY_BAD_HANDLE, {Error{"not a " + std::string(T::kName) + ": " + what}}, {}});
}

/// Errors: `text` is null.
CallResult<std::string> string_of(const char* text, const char* name);

/// Copies the fields that the struct has in the caller's version of the header. The remaining
/// fields are zero. Errors: the struct has more fields than in this version.
template <class Struct>
CallResult<Struct> known_fields(const Struct* given, const char* name) {
  Struct known{};
  if (given == nullptr) return known;
  if (given->size < sizeof given->size || given->size > sizeof known) {
    return bad_argument("size of " + std::string(name) + " is " + std::to_string(given->size) +
                        "; it has to be sizeof(" + name + "), " + std::to_string(sizeof known));
  }
  std::memcpy(&known, given, given->size);
  return known;
}

/// Options that all stages share. Errors: an invalid struct size, a number out of range, malformed
/// costs.
struct CallOptions {
  checking::CheckOptions check = {};
  checking::Context context = {};
  CostModel costs = {};
  int64_t max_live_bytes = 0;
};
CallResult<CallOptions> read_options(const shardy_options* options);

/// Reads a type such as `tensor<8x16xf32>` or `8x16xf32`. Errors: `text` is null, or is not a
/// tensor type with known sizes.
CallResult<ir::Type> read_type(const char* text, const char* field);

/// An argument or a result of the main function.
struct ProgramPort {
  std::string name;
  std::string type;
  std::string sharding;
};

struct ProgramObject {
  using Handle = shardy_program;
  static constexpr HandleKind kKind = HandleKind::Program;
  static constexpr const char* kName = "program";

  std::shared_ptr<const ir::Module> module;
  SourceTextPtr source;
  passes::ProgramMarks marks;  // marks of the source text
  std::vector<ProgramPort> arguments;
  std::vector<ProgramPort> results;
};
using ProgramPtr = std::shared_ptr<const ProgramObject>;

ProgramObject make_program(ir::Module module, SourceTextPtr source, passes::ProgramMarks marks);

/// Returns the op of @main, which must have a body. Errors: the op or its body is missing.
CallResult<ir::OpId> main_function(const ProgramObject& program);

}  // namespace shardy::c_api
