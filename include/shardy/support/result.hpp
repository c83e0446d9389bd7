// Results of functions that may fail. Errors, warnings and notes of all stages, from parsers to the
// command line.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace shardy {

/// Severity of a diagnostic. An error ends the work; a warning does not. A remark reports an
/// action, and a note its cost.
enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// Returns "error", "warning", "remark" or "note".
constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Remark:
      return "remark";
    default:
      return "note";
  }
}

/// A location in a program: a line and a column, a JSON pointer such as `/functions/0/args/1`, or a
/// location in the text of the program, such as `"model.py":31:8`. Empty: unknown.
class Location {
 public:
  Location() = default;
  /// Makes a location of a line and a column, which both start at 1.
  Location(uint32_t line, uint32_t column);
  /// Parses `12:7` as line 12 and column 7. All other texts are kept unchanged.
  Location(std::string text);
  /// Makes a location as the constructor for std::string; an empty location if `text` is null.
  Location(const char* text) : Location(std::string(text == nullptr ? "" : text)) {}

  /// Returns whether the location is unknown.
  bool empty() const { return text_.empty(); }
  /// Checks whether the location is a JSON pointer.
  bool is_pointer() const { return text_.starts_with('/'); }
  /// Returns the line; 0 if the location is not a line and a column.
  uint32_t line() const { return line_; }
  /// Returns the column; 0 if the location is not a line and a column.
  uint32_t column() const { return column_; }
  /// Returns `12:7`, the JSON pointer, or the location text of the program.
  const std::string& text() const { return text_; }

  friend bool operator==(const Location& a, const Location& b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(const Location& a, const Location& b) {
    return a.text_ <=> b.text_;
  }
  /// Returns the text.
  friend const std::string& to_string(const Location& location) { return location.text_; }

 private:
  std::string text_;
  uint32_t line_ = 0;
  uint32_t column_ = 0;
};

/// The part of an op to which a diagnostic refers. It determines the place in the text of the
/// program that users see.
struct DiagnosticSubject {
  /// The op, or an argument or result of the op, which is a function.
  enum class Kind : uint8_t { Op, Argument, Result };

  Kind kind = Kind::Op;      // kind of the part
  bool is_sharding = false;  // true for the sharding of the part
  bool is_repeated = false;  // true if `name` occurs more than once; the last one is wrong
  uint32_t index = 0;        // index of the argument or result
  std::string name = {};     // an axis `"x"` or a mesh `@m` in the part; empty: none

  friend bool operator==(const DiagnosticSubject&, const DiagnosticSubject&) = default;
};

/// A message with a location. `Diagnostic{"no such axis: \"x\"", "12:7"}` is an error at 12:7.
struct Diagnostic {
  std::string message;                  // the violated rule, with the invalid value
  Location location = {};               // location of the cause; empty if unknown
  std::vector<std::string> notes = {};  // context, and how to fix the cause
  std::string_view code = {};  // string literal such as "E_KERNEL", which is stable across versions
  Severity severity = Severity::Error;  // error, warning, remark or note
  DiagnosticSubject subject = {};       // part of the op at the location

  /// Returns `CODE: message`, or the message if the code is empty.
  std::string headline() const {
    return code.empty() ? message : std::string(code).append(": ").append(message);
  }

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Diagnostics in the order in which they were reported.
using Diagnostics = std::vector<Diagnostic>;

/// Reason why an input is invalid: a diagnostic of severity Error.
using Error = Diagnostic;

/// A value, or the first error in the order in which the specification lists the checks.
template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;  // success, or an error

/// A value, or diagnostics with errors first. Functions that check a whole program and continue
/// after an error return it.
template <typename T>
using DiagnosedResult = tl::expected<T, Diagnostics>;

/// Returns an error without a location, for `return fail(...)`.
inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{.message = std::move(message)});
}

/// Returns an error at a location, for `return fail_at(...)`.
inline tl::unexpected<Error> fail_at(Location location, std::string message) {
  return tl::unexpected<Error>(
      Error{.message = std::move(message), .location = std::move(location)});
}

/// Returns an error with a code, which must be a string literal.
inline tl::unexpected<Error> fail_as(std::string_view code, std::string message) {
  return tl::unexpected<Error>(Error{.message = std::move(message), .code = code});
}

/// Returns an error about a name in the text of an op, an axis `"x"` or a mesh `@m`.
inline tl::unexpected<Error> fail_about(std::string name, std::string message) {
  return tl::unexpected<Error>(
      Error{.message = std::move(message), .subject = {.name = std::move(name)}});
}

/// Returns `error` with `context` before its message: "operand 1 - " + "unknown mesh: @m".
inline Error with_prefix(std::string_view context, Error error) {
  error.message.insert(0, context);
  return error;
}

}  // namespace shardy

#define SHARDY_JOIN_(a, b) a##b
#define SHARDY_JOIN(a, b) SHARDY_JOIN_(a, b)

// The macro uses a statement expression of g++ and clang, because a declaration and a return must
// be one statement.
#define SHARDY_TRY_(tmp, decl, ...)                            \
  decl = __extension__({                                       \
    auto tmp = (__VA_ARGS__);                                  \
    if (!tmp) return ::tl::unexpected(std::move(tmp).error()); \
    *std::move(tmp);                                           \
  })

/// `SHARDY_TRY(const auto x, f());` returns the error of `f()`, or binds the value of `f()` to `x`.
/// The macro is one statement.
#define SHARDY_TRY(decl, ...) SHARDY_TRY_(SHARDY_JOIN(try_, __LINE__), decl, __VA_ARGS__)

#define SHARDY_TRY_STATUS_(tmp, ...)                           \
  do {                                                         \
    auto tmp = (__VA_ARGS__);                                  \
    if (!tmp) return ::tl::unexpected(std::move(tmp).error()); \
  } while (false)

/// `SHARDY_TRY_STATUS(f());` returns the error of `f()`, if any. The macro is one statement.
#define SHARDY_TRY_STATUS(...) SHARDY_TRY_STATUS_(SHARDY_JOIN(try_, __LINE__), __VA_ARGS__)

namespace shardy::detail {
[[noreturn]] inline void assertion_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, what);
  __builtin_trap();
}
}  // namespace shardy::detail

/// Checks an internal invariant that callers cannot violate; SHARDY_EXPECTS checks preconditions.
/// Enabled in debug and sanitizer builds, which define SHARDY_ENABLE_ASSERTS.
#ifdef SHARDY_ENABLE_ASSERTS
#define SHARDY_ASSERT(...)              \
  ((__VA_ARGS__) ? static_cast<void>(0) \
                 : ::shardy::detail::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define SHARDY_ASSERT(...) static_cast<void>(sizeof(!(__VA_ARGS__)))
#endif

#ifdef SHARDY_BODIES
#include <charconv>
#include <system_error>

namespace shardy {

SHARDY_INLINE Location::Location(uint32_t line, uint32_t column)
    : text_(std::to_string(line) + ":" + std::to_string(column)), line_(line), column_(column) {}

SHARDY_INLINE Location::Location(std::string text) : text_(std::move(text)) {
  uint32_t line = 0;
  uint32_t column = 0;
  const char* const end = text_.data() + text_.size();
  const auto [colon, no_line] = std::from_chars(text_.data(), end, line);
  if (no_line != std::errc() || colon == end) return;
  std::from_chars(colon + 1, end, column);
  if (Location read(line, column); read.text_ == text_) *this = std::move(read);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
