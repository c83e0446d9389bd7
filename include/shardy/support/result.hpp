// Results of functions that may fail; errors, warnings and notes of all stages, from the reader to
// the command line.
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

/// An error stops the work, a warning does not; a remark reports an action, a note its cost.
enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// "error", "warning", "remark", "note".
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

/// A place in the text of a program: a line and a column, a pointer in JSON such as
/// `/functions/0/args/1`, or a location that the program gives, such as `"model.py":31:8`. Empty:
/// none.
class Location {
 public:
  Location() = default;
  /// Both count from 1.
  Location(uint32_t line, uint32_t column);
  /// Reads `12:7` as line 12 and column 7, and keeps all other texts as they are.
  Location(std::string text);
  /// The same; empty for null.
  Location(const char* text) : Location(std::string(text == nullptr ? "" : text)) {}

  /// Returns whether the location is unknown.
  bool empty() const { return text_.empty(); }
  /// Checks whether it is a pointer in JSON.
  bool is_pointer() const { return text_.starts_with('/'); }
  /// Returns the line; 0 for other places than a line and a column.
  uint32_t line() const { return line_; }
  /// Returns the column; 0 for other places than a line and a column.
  uint32_t column() const { return column_; }
  /// Returns `12:7`, the pointer, or the location as the program gives it.
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

/// `Diagnostic{"no such axis: \"x\"", "12:7"}` is an error at that place.
struct Diagnostic {
  std::string message;                  // the rule that was broken, with the offending value in it
  Location location = {};               // of the cause; empty if none is known
  std::vector<std::string> notes = {};  // context and the way out
  std::string_view code = {};           // a literal such as "E_KERNEL", which programs may rely on
  Severity severity = Severity::Error;  // error, warning or note

  /// Returns `CODE: message`, or the message if the code is empty.
  std::string headline() const {
    return code.empty() ? message : std::string(code).append(": ").append(message);
  }

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Diagnostics in the order in which they were reported.
using Diagnostics = std::vector<Diagnostic>;

/// Reason for rejecting an input: a diagnostic of severity Error.
using Error = Diagnostic;

/// A value, or the first error in the order of checks in the specification.
template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;  // success or an error

/// A value, or all diagnostics, errors first. For functions that check a whole program and continue
/// after an error.
template <typename T>
using DiagnosedResult = tl::expected<T, Diagnostics>;

/// Makes an error without a location, for `return`.
inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{.message = std::move(message)});
}

/// An error at a place, for `return`.
inline tl::unexpected<Error> fail_at(Location location, std::string message) {
  return tl::unexpected<Error>(
      Error{.message = std::move(message), .location = std::move(location)});
}

/// `code`: a literal.
inline tl::unexpected<Error> fail_as(std::string_view code, std::string message) {
  return tl::unexpected<Error>(Error{.message = std::move(message), .code = code});
}

/// Returns `error` with `context` before its message: "operand 1 - " + "unknown mesh: @m".
inline Error with_prefix(std::string_view context, Error error) {
  error.message.insert(0, context);
  return error;
}

}  // namespace shardy

#define SHARDY_JOIN_(a, b) a##b
#define SHARDY_JOIN(a, b) SHARDY_JOIN_(a, b)

// A statement expression, which g++ and clang have, is what makes one statement of a declaration
// and a return.
#define SHARDY_TRY_(tmp, decl, ...)                            \
  decl = __extension__({                                       \
    auto tmp = (__VA_ARGS__);                                  \
    if (!tmp) return ::tl::unexpected(std::move(tmp).error()); \
    *std::move(tmp);                                           \
  })

/// `SHARDY_TRY(const auto x, f());` returns the error of `f()`, or binds its value. One statement.
#define SHARDY_TRY(decl, ...) SHARDY_TRY_(SHARDY_JOIN(try_, __LINE__), decl, __VA_ARGS__)

#define SHARDY_TRY_STATUS_(tmp, ...)                           \
  do {                                                         \
    auto tmp = (__VA_ARGS__);                                  \
    if (!tmp) return ::tl::unexpected(std::move(tmp).error()); \
  } while (false)

/// The same for a Status: nothing to bind. One statement.
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
