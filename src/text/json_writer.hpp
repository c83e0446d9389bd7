// Writes JSON: scalars and layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

// JSON scalars as text.

/// Returns `bytes` as a JSON string with quotes. Bytes that are not UTF-8 are written as the code
/// points U+10FF00..U+10FFFF; these code points themselves are written in the same way, so each
/// byte string has one spelling. With `is_ascii`, all other non-ASCII code points are escaped, too.
std::string quoted_json(std::string_view bytes, bool is_ascii = false);

/// Returns the bytes that a JSON string, already without escapes, represents.
std::string bytes_of_json_string(std::string_view utf8);

/// Returns the shortest JSON number that reads back as `value`, with a point or an exponent.
/// Requires: `value` is finite.
std::string json_number(double value);

/// Returns the JSON text of a symbol name. A leading `@` is optional in JSON, so a name that begins
/// with `@` gets a second `@`.
std::string symbol_string(std::string_view name);
std::string symbol_of_string(std::string_view text);

/// Escapes a token for a JSON pointer (RFC 6901): `~` is `~0`, `/` is `~1`.
std::string escaped_pointer_token(std::string_view token);
std::string unescaped_pointer_token(std::string_view token);

// The layout of JSON for users.

/// Writes one JSON value, part by part.
///
/// Parts come in the order of the text; in an object, a key comes before each value. A `Fit` list
/// or object fills lines with its elements and aligns further lines with the first element; its
/// parts are `Fit`, too. A `Broken` one has one element per line.
class JsonWriter {
 public:
  enum class JsonLayout : uint8_t { Fit, Broken };

  /// Makes a writer for lines of at most `width` columns. If `is_ascii`, strings are ASCII with
  /// escapes.
  explicit JsonWriter(std::size_t width, bool is_ascii = false)
      : width_(width), is_ascii_(is_ascii) {}

  void begin_object(JsonLayout layout = JsonLayout::Fit) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(JsonLayout layout = JsonLayout::Fit) { begin('[', layout); }
  void end_array() { end(']'); }
  JsonWriter& key(std::string_view name);
  void string(std::string_view bytes);
  void integer(int64_t value) { scalar(std::to_string(value)); }
  void unsigned_integer(uint64_t value) { scalar(std::to_string(value)); }
  /// Writes a number. Requires: it is finite.
  void number(double value);
  void null() { scalar("null"); }
  void boolean(bool value) { scalar(value ? "true" : "false"); }
  /// Writes a scalar that is already JSON text.
  void scalar(std::string text);

  /// Returns the text. Requires: the value is complete.
  std::string take() { return std::move(text_); }

 private:
  struct Token {
    enum class Kind : uint8_t { Begin, End, Key, Scalar };
    Kind kind;
    std::string text;
    std::size_t partner = 0;  // for Begin: index of its End
    std::size_t size = 0;     // on one line; for Begin: of everything up to its End
  };
  struct OpenBracket {
    std::size_t indent;
    JsonLayout layout;
    bool empty = true;
  };

  void begin(char bracket, JsonLayout layout);
  void end(char bracket);
  void open(char bracket, JsonLayout layout);
  void close(char bracket);
  void add(Token token);
  void measure(std::size_t begin);
  void flush();
  void start_element(std::size_t size);
  void write_flat(std::size_t begin, std::size_t end);
  void write(const Token& token);
  std::size_t column() const { return text_.size() - line_start_; }
  bool has_room(std::size_t size) const { return column() + size + kClosing < width_; }
  void new_line(std::size_t indent);

  static constexpr std::size_t kMaxIndent = 200;  // limits the indentation of deep programs
  // Characters that may follow an element: a bracket and a comma.
  static constexpr std::size_t kClosing = 2;

  std::size_t width_;
  bool is_ascii_;
  std::string text_;
  std::size_t line_start_ = 0;
  bool after_key_ = false;
  std::vector<OpenBracket> levels_;  // open lists and objects
  std::vector<Token> pending_;       // tokens of an incomplete Fit value
  std::vector<std::size_t> open_;    // indices of its Begins that have no End yet
};

}  // namespace shardy::text
