#include "shardy/text/mlir.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/bytes_text.hpp"
#include "text/error_places.hpp"
#include "text/mlir_printer.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

namespace {

struct ReadProgram {
  ir::Module module;
  std::vector<std::pair<ir::OpId, ir::LocationId>> given_locations;
};

/// Reads the program. The memory of the reader is released before the function returns.
DiagnosedResult<ReadProgram> read_program(std::string_view text,
                                          MlirReader::ReaderOptions options) {
  MlirReader reader(text, options);
  DiagnosedResult<ir::Module> module = reader.read();
  if (!module) return tl::unexpected(std::move(module).error());
  return ReadProgram{*std::move(module), reader.take_given_locations()};
}

}  // namespace

DiagnosedResult<ir::Module> parse_mlir(std::string_view text, const MlirOptions& options) {
  const std::size_t max_errors = std::max<std::size_t>(options.max_errors, 1);
  DiagnosedResult<ReadProgram> program =
      read_program(text, {max_errors, options.allow_unregistered, options.names});
  if (!program) return tl::unexpected(std::move(program).error());
  ir::Module* const module = &program->module;
  Diagnostics errors = ir::resolve(*module);
  if (errors.empty() && options.verify) errors = ir::verify(*module, max_errors);
  if (errors.size() > max_errors) errors.resize(max_errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  for (const auto& [op, location] : program->given_locations) {
    module->set_location(op, location);
  }
  return std::move(*module);
}

// ---- Attributes of one op -----------------------------------------------------------------------

namespace {

/// Number of lines of `op_program` before the attributes.
constexpr uint32_t kLinesBefore = 2;

/// Returns a program with one op that has the attributes, and no operands or results.
std::string op_program(std::string_view name, std::string_view attributes) {
  std::string text = "func.func @main() {\n\"";
  text.append(name).append("\"() {\n").append(attributes);
  return text += "\n} : () -> ()\nfunc.return\n}\n";
}

/// Moves the locations of errors from op_program to the text of the attributes.
Diagnostics at_attributes(Diagnostics errors, std::string_view text) {
  const auto num_lines = static_cast<uint32_t>(1 + std::ranges::count(text, '\n'));
  for (Error& error : errors) {
    const uint32_t line = error.location.line();
    if (line <= kLinesBefore) {
      error.location = {};  // of the op
    } else if (line > kLinesBefore + num_lines) {
      const std::size_t last = text.rfind('\n');
      const std::size_t length =
          last == std::string_view::npos ? text.size() : text.size() - last - 1;
      error.location = Location(num_lines, static_cast<uint32_t>(length + 1));
    } else {
      error.location = Location(line - kLinesBefore, error.location.column());
    }
  }
  return errors;
}

bool is_op_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '$' || c == '-';
  });
}

}  // namespace

DiagnosedResult<ir::AttributeMap> parse_attributes(std::string_view name, std::string_view text) {
  if (!is_op_name(name)) {
    return tl::unexpected(Diagnostics{{.message = "not the name of an op: " + in_quotes(name)}});
  }
  auto module = parse_mlir(op_program(name, text), {.verify = false});
  if (!module) return tl::unexpected(at_attributes(std::move(module).error(), text));
  const auto functions = module->functions();
  const ir::BlockId body = module->entry(functions.front());
  const ir::OpId op = module->first_op(body);
  const bool is_alone = functions.size() == 1 && op.valid() && op != module->last_op(body) &&
                        module->next(op) == module->last_op(body) && module->name(op) == name;
  if (!is_alone) {
    return tl::unexpected(Diagnostics{{.message = "expected nothing after the attributes"}});
  }
  return module->attributes(op);
}

std::string to_mlir(const ir::Module& module, const MlirPrintOptions& options) {
  return MlirPrinter(module, options).print();
}

namespace {

/// The lines of a text, found on demand: many diagnostics take one pass over the text.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// Returns a line, counted from 1; empty after the end.
  std::string_view line(std::size_t number) {
    while (begins_.size() < number) {
      const std::size_t end = text_.find('\n', begins_.back());
      if (end == std::string_view::npos) return {};
      begins_.push_back(end + 1);
    }
    const std::size_t begin = begins_[number - 1];
    const std::string_view found = text_.substr(begin, text_.find('\n', begin) - begin);
    return found.substr(0, found.size() - (found.ends_with('\r') ? 1 : 0));
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_ = {0};
};

/// Terminal escape sequences around highlighted text; empty strings without colours.
class Colours {
 public:
  explicit Colours(bool are_on) : are_on_(are_on) {}
  std::string place(const std::string& text) const { return in("1", text); }
  std::string severity(Severity severity) const {
    const char* const code = severity == Severity::Error     ? "1;31"
                             : severity == Severity::Warning ? "1;35"
                                                             : "1;36";
    return in(code, std::string(to_string(severity)) + ":");
  }
  std::string note() const { return in("1;36", "note:"); }
  std::string caret(const std::string& text) const { return in("1;32", text); }

 private:
  std::string in(const char* code, const std::string& text) const {
    return are_on_ ? "\x1B[" + std::string(code) + "m" + text + "\x1B[0m" : text;
  }
  bool are_on_;
};

/// Returns blanks with the display width of the text, tabs included.
std::string blanks_below(std::string_view text) {
  std::string blanks;
  for (const char c : printable_line(text)) {
    // The byte belongs to the previous character.
    const bool continues = (static_cast<uint8_t>(c) & 0xC0U) == 0x80;
    if (!continues) blanks += c == '\t' ? '\t' : ' ';
  }
  return blanks;
}

/// Returns the line, or the part of it around the column, and a caret below the column.
std::string excerpt(std::string_view line, std::size_t column, const Colours& colours) {
  constexpr std::size_t kWidth = 160;
  const auto continues = [&](std::size_t at) {  // the byte belongs to a character that began before
    return at < line.size() && (static_cast<uint8_t>(line[at]) & 0xC0U) == 0x80;
  };
  const std::size_t at = std::min(column - 1, line.size());
  std::size_t first = 0;
  std::size_t last = line.size();
  if (line.size() > kWidth) {
    first = std::min(at - std::min(at, kWidth / 2), line.size() - kWidth);
    last = first + kWidth;
    while (first < at && continues(first)) ++first;
    while (last > at && continues(last)) --last;
  }
  const std::string_view before = first > 0 ? "..." : "";
  const std::string_view after = last < line.size() ? "..." : "";
  return std::string(before) + printable_line(line.substr(first, last - first)) +
         std::string(after) + "\n" + std::string(before.size(), ' ') +
         blanks_below(line.substr(first, at - first)) + colours.caret("^") + "\n";
}

/// Returns `FILE:12:7`. If the location contains a position in another file, returns that position,
/// as other tools do.
std::string full_place(std::string_view file, const Location& at) {
  if (at.empty()) return std::string(file);
  if (!source_places(at).empty()) return place_text(at);
  return std::string(file) + ":" + at.text();
}

}  // namespace

std::string error_text(std::string_view file, std::string_view text, const Diagnostics& diagnostics,
                       const ErrorTextOptions& options) {
  const Colours colours(options.colours);
  std::string result;
  Lines lines(text);
  for (const Diagnostic& each : diagnostics) {
    const std::string place = printable_line(full_place(file, each.location));
    if (!place.empty()) result += colours.place(place + ":") + " ";
    result += colours.severity(each.severity) + " " + printable_message(each.headline()) + "\n";
    if (each.location.line() != 0 && each.location.column() != 0) {
      result += excerpt(lines.line(each.location.line()), each.location.column(), colours);
    }
    for (const std::string& note : each.notes) {
      result += colours.note() + " " + printable_message(note) + "\n";
    }
  }
  return result;
}

std::vector<std::string> split_programs(std::string_view text, std::string_view marker) {
  std::vector<std::string> programs(1);
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    ++lines;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(first).starts_with(marker)) {
      programs.emplace_back(lines, '\n');
    } else {
      programs.back() += line;
    }
  }
  return programs;
}

namespace {

using Difference = std::optional<std::string>;

std::string counts(std::string_view what, std::size_t a, std::size_t b) {
  return std::to_string(a) + " and " + std::to_string(b) + " " + std::string(what);
}

/// Compares two modules op by op.
class ProgramComparison {
 public:
  ProgramComparison(const ir::Module& a, const ir::Module& b) : a_(a), b_(b) {}

  Difference run() {
    if (Difference found = compare_maps(a_.module_attributes(), b_.module_attributes())) {
      return "the modules have " + *found;
    }
    push_blocks(a_.body(), b_.body());
    while (!pending_.empty()) {
      auto& [left, right] = pending_.back();
      if (!left.valid() && !right.valid()) {
        pending_.pop_back();
        continue;
      }
      if (left.valid() != right.valid()) return "one block has more ops than the other";
      const ir::OpId a = std::exchange(left, a_.next(left));
      const ir::OpId b = std::exchange(right, b_.next(right));
      if (Difference found = compare_ops(a, b)) {
        return std::string(a_.name(a)) + " at '" + a_.location_text(a) + "': " + *found;
      }
    }
    return std::nullopt;
  }

 private:
  void push_blocks(ir::BlockId a, ir::BlockId b) {
    pending_.emplace_back(a_.first_op(a), b_.first_op(b));
  }

  Difference compare_ops(ir::OpId a, ir::OpId b) {
    if (a_.kind(a) != b_.kind(b) || a_.name(a) != b_.name(b)) {
      return "the other op is " + std::string(b_.name(b));
    }
    if (Difference found = compare_operands(a, b)) return found;
    if (Difference found = compare_values(a_.results(a), b_.results(b), "results")) return found;
    if (Difference found = compare_maps(a_.attributes(a), b_.attributes(b))) return found;
    if (a_.is(a, ir::OpKind::Func)) {
      if (Difference found = compare_functions(a_.function(a), b_.function(b))) return found;
    }
    return compare_regions(a, b);
  }

  Difference compare_operands(ir::OpId a, ir::OpId b) const {
    if (a_.num_operands(a) != b_.num_operands(b)) {
      return counts("operands", a_.num_operands(a), b_.num_operands(b));
    }
    for (std::size_t index = 0; index < a_.num_operands(a); ++index) {
      const auto found = values_.find(a_.operand(a, index));
      const bool same = found != values_.end() && found->second == b_.operand(b, index);
      if (!same) return "operand " + std::to_string(index) + " is another value";
    }
    return std::nullopt;
  }

  /// Compares types and maps the values of a to the values of b.
  Difference compare_values(std::span<const ir::ValueId> a, std::span<const ir::ValueId> b,
                            std::string_view what) {
    if (a.size() != b.size()) return counts(what, a.size(), b.size());
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (a_.type(a[index]) != b_.type(b[index])) {
        return std::string(what) + " of types " + to_string(a_.type(a[index])) + " and " +
               to_string(b_.type(b[index]));
      }
      values_[a[index]] = b[index];
    }
    return std::nullopt;
  }

  static Difference compare_maps(const ir::AttributeMap& a, const ir::AttributeMap& b) {
    for (const ir::NamedAttribute& entry : a) {
      const ir::Attribute* const other = b.find(entry.name);
      if (!other || unresolved(entry.value) != unresolved(*other)) {
        return "another attribute '" + std::string(entry.name) + "'";
      }
    }
    if (a.size() != b.size()) return counts("attributes", a.size(), b.size());
    return std::nullopt;
  }

  static Difference compare_all_maps(const std::vector<ir::AttributeMap>& a,
                                     const std::vector<ir::AttributeMap>& b,
                                     std::string_view what) {
    if (a.size() != b.size()) return counts(what, a.size(), b.size());
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (Difference found = compare_maps(a[index], b[index])) {
        return std::string(what) + " " + std::to_string(index) + " has " + *found;
      }
    }
    return std::nullopt;
  }

  static Difference compare_functions(const ir::FunctionData& a, const ir::FunctionData& b) {
    if (a.result_types != b.result_types) return "other result types";
    if (a.declared_arg_types != b.declared_arg_types) return "other argument types";
    if (Difference found = compare_all_maps(a.arg_attributes, b.arg_attributes, "argument")) {
      return found;
    }
    return compare_all_maps(a.result_attributes, b.result_attributes, "result");
  }

  Difference compare_regions(ir::OpId a, ir::OpId b) {
    const auto left = a_.regions(a);
    const auto right = b_.regions(b);
    if (left.size() != right.size()) return counts("regions", left.size(), right.size());
    std::vector<std::pair<ir::BlockId, ir::BlockId>> blocks;
    for (std::size_t index = 0; index < left.size(); ++index) {
      const auto in_a = a_.blocks(left[index]);
      const auto in_b = b_.blocks(right[index]);
      if (in_a.size() != in_b.size()) return counts("blocks", in_a.size(), in_b.size());
      for (std::size_t block = 0; block < in_a.size(); ++block) {
        blocks.emplace_back(in_a[block], in_b[block]);
        if (Difference found =
                compare_values(a_.args(in_a[block]), b_.args(in_b[block]), "arguments")) {
          return found;
        }
      }
    }
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      push_blocks(block->first, block->second);
    }
    return std::nullopt;
  }

  const ir::Module& a_;
  const ir::Module& b_;
  std::unordered_map<ir::ValueId, ir::ValueId> values_;
  std::vector<std::pair<ir::OpId, ir::OpId>> pending_;  // the next op of each open block
};

}  // namespace

std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b) {
  return ProgramComparison(a, b).run();
}

}  // namespace shardy::text
