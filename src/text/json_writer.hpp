// Lays JSON out for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

/// Writes one JSON value, part by part.
///
/// Order: parts come as in the text; in an object a key before each value. A list or object that is
/// `Fit` fills lines with its elements, further lines begin under the first element; all that is
/// inside of it is `Fit` too. A `Broken` one has one element a line.
class JsonWriter {
 public:
  enum class Layout : uint8_t { Fit, Broken };

  /// `is_ascii`: of strings, whatever they hold.
  explicit JsonWriter(std::size_t width, bool is_ascii = false)
      : width_(width), is_ascii_(is_ascii) {}

  void begin_object(Layout layout = Layout::Fit) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::Fit) { begin('[', layout); }
  void end_array() { end(']'); }
  JsonWriter& key(std::string_view name);
  void string(std::string_view bytes);
  void integer(int64_t value) { scalar(std::to_string(value)); }
  void unsigned_integer(uint64_t value) { scalar(std::to_string(value)); }
  /// Requires: it is finite.
  void number(double value);
  void null() { scalar("null"); }
  void boolean(bool value) { scalar(value ? "true" : "false"); }
  /// A scalar that is JSON text already.
  void scalar(std::string text);

  /// The text. Requires: the value is complete.
  std::string take() { return std::move(text_); }

 private:
  struct Token {
    enum class Kind : uint8_t { Begin, End, Key, Scalar };
    Kind kind;
    std::string text;
    std::size_t partner = 0;  // of a Begin: index of its End
    std::size_t size = 0;     // on one line; of a Begin, all up to its End
  };
  struct Level {
    std::size_t indent;
    Layout layout;
    bool empty = true;
  };

  void begin(char bracket, Layout layout);
  void end(char bracket);
  void open(char bracket, Layout layout);
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

  static constexpr std::size_t kMaxIndent = 200;  // deep programs stay as long as they are
  static constexpr std::size_t kClosing = 2;  // characters that may follow: a bracket and a comma

  std::size_t width_;
  bool is_ascii_;
  std::string text_;
  std::size_t line_start_ = 0;
  bool after_key_ = false;
  std::vector<Level> levels_;      // lists and objects that are open in the text
  std::vector<Token> pending_;     // of a Fit value that is not complete
  std::vector<std::size_t> open_;  // its Begins that have no End yet
};

}  // namespace shardy::text
