// Common parts of the functions of shardy.h: exceptions never leave them, and errors and violated
// contracts become diagnostics, for any contract handler of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/shardy.h"
#include "shardy/support/contract.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"
#include "text/program_format.hpp"

namespace shardy::c_api {

// ---- Objects of the handles of shardy.h ---------------------------------------------------------

enum class Kind : uint8_t { Diagnostics, Text, Program, Explanation, Plan, Tensor, Check };

/// The objects of all live handles. A handle is a unique number, cast to a pointer that is never
/// dereferenced: so an invalid handle is detected. Thread-safe.
namespace handles {

/// The handle of a new object.
uintptr_t add(Kind kind, std::shared_ptr<const void> object);
/// Returns the object; null for an unknown handle of that kind.
std::shared_ptr<const void> find(uintptr_t handle, Kind kind);
/// Ends a handle, if there is one of that kind; the object lives as long as somebody works with it.
void remove(uintptr_t handle, Kind kind);

}  // namespace handles

/// T has a type `Handle`, its `kKind`, and `kName` for errors.
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

/// Returns `read` of the object, or `otherwise` for an invalid handle.
template <class T, class Value, class Read>
Value read_or(const typename T::Handle* handle, Value otherwise, Read read) noexcept {
  try {
    const std::shared_ptr<const T> object = find<T>(handle);
    return object ? static_cast<Value>(read(*object)) : otherwise;
  } catch (...) {
    return otherwise;
  }
}

/// The same for a string of the object, which lives as long as that.
template <class T, class Read>
const char* string_or_empty(const typename T::Handle* handle, Read read) noexcept {
  return read_or<T>(handle, "", [&](const T& object) {
    const auto* const text = read(object);
    return text == nullptr ? "" : text->c_str();
  });
}

/// Null if the index is too large.
template <class List>
auto element(const List& list, std::size_t index) -> decltype(list.data()) {
  return index < list.size() ? list.data() + index : nullptr;
}

// ---- Answers ------------------------------------------------------------------------------------

/// The text of a program, which places in errors are about.
struct Source {
  std::string name;
  std::string text;
  text::Format format = text::Format::Mlir;
};
using SourcePtr = std::shared_ptr<const Source>;

struct DiagnosticList {
  using Handle = shardy_diagnostics;
  static constexpr Kind kKind = Kind::Diagnostics;
  static constexpr const char* kName = "list of diagnostics";

  Diagnostics diagnostics;
  std::vector<std::string> codes;  // of each, null-terminated
  std::string text;
};

struct Text {
  using Handle = shardy_text;
  static constexpr Kind kKind = Kind::Text;
  static constexpr const char* kName = "text";

  std::string text;
};

/// Status and diagnostics of a failed call. Result and DiagnosedResult have no status.
struct Failure {
  shardy_status status = SHARDY_REFUSED;
  Diagnostics diagnostics = {};
  SourcePtr source = {};
};

template <class T>
using Answer = tl::expected<T, Failure>;

inline tl::unexpected<Failure> bad_argument(std::string message) {
  return tl::unexpected(Failure{SHARDY_BAD_ARGUMENT, {Error{std::move(message)}}, {}});
}
inline tl::unexpected<Failure> refused(Diagnostics diagnostics, SourcePtr source = {}) {
  return tl::unexpected(Failure{SHARDY_REFUSED, std::move(diagnostics), std::move(source)});
}
inline tl::unexpected<Failure> refused(Error error, SourcePtr source = {}) {
  return refused(Diagnostics{std::move(error)}, std::move(source));
}

/// Diagnostics of a successful call.
struct Diagnosed {
  Diagnostics diagnostics = {};
  SourcePtr source = {};
};

/// Stores the list, if it is wanted and not empty.
void give_diagnostics(Diagnostics diagnostics, const Source* source,
                      shardy_diagnostics** out) noexcept;
/// Throws the violation as an exception, so that it ends in the status of the function.
[[noreturn]] void throw_violation(const ContractViolation& violation);
/// Returns the failure of the exception in flight.
Failure failure_in_flight() noexcept;

/// Runs the work of a function; its diagnostics are stored in `diagnostics`, which may be null.
template <class Work>
shardy_status answer(shardy_diagnostics** diagnostics, Work work) noexcept {
  if (diagnostics != nullptr) *diagnostics = nullptr;
  Answer<Diagnosed> done;
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
  Failure& failure = done.error();
  give_diagnostics(std::move(failure.diagnostics), failure.source.get(), diagnostics);
  return failure.status;
}

/// Clears the place of a handle. Errors: it is null.
template <class Handle>
Answer<Handle**> place_for(Handle** out) {
  if (out == nullptr) return bad_argument("out is NULL: it must point to the new handle");
  *out = nullptr;
  return out;
}

template <class T>
Answer<std::shared_ptr<const T>> object_of(const typename T::Handle* handle) {
  if (auto object = find<T>(handle)) return object;
  const std::string what = handle == nullptr ? "it is NULL" : "no live handle has that value";
  return tl::unexpected(
      Failure{SHARDY_BAD_HANDLE, {Error{"not a " + std::string(T::kName) + ": " + what}}, {}});
}

/// Errors: `text` is null.
Answer<std::string> string_of(const char* text, const char* name);

/// Copies the fields that the caller's version of the struct has; later ones are zero. Errors: more
/// fields than exist.
template <class Struct>
Answer<Struct> known_fields(const Struct* given, const char* name) {
  Struct known{};
  if (given == nullptr) return known;
  if (given->size < sizeof given->size || given->size > sizeof known) {
    return bad_argument("size of " + std::string(name) + " is " + std::to_string(given->size) +
                        "; it has to be sizeof(" + name + "), " + std::to_string(sizeof known));
  }
  std::memcpy(&known, given, given->size);
  return known;
}

/// Options of all stages. Errors: an invalid struct size, a number out of range, malformed costs.
struct Options {
  checking::CheckOptions check = {};
  checking::Context context = {};
  CostModel costs = {};
  int64_t max_live_bytes = 0;
};
Answer<Options> read_options(const shardy_options* options);

/// `tensor<8x16xf32>` or `8x16xf32`. Errors: null; no tensor type of known sizes.
Answer<ir::Type> read_type(const char* text, const char* field);

}  // namespace shardy::c_api
