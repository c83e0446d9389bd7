#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "shardy/ir/walk.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "text/bytes_text.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_reader.hpp"
#include "view/document_parts.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;

namespace {

constexpr std::size_t kMostJson = std::size_t{64} << 20U;  // limit in bytes
constexpr std::size_t kMostJsonOps = 50'000;

/// The lines of ops in program order, and their columns from 1. Zeros for ops without a position.
struct OpPlaces {
  std::vector<OpId> ops;
  std::vector<int64_t> lines;
};

int64_t line_of(const std::string& place) {
  int64_t line = 0;
  const auto [rest, error] = std::from_chars(place.data(), place.data() + place.size(), line);
  const bool is_place = error == std::errc() && rest != place.data() + place.size() && *rest == ':';
  return is_place ? line : 0;
}

/// Returns the positions of the ops in MLIR text. Ignores the locations that the text contains.
std::optional<OpPlaces> places_in_mlir(std::string_view text) {
  text::MlirReader reader(text, {.max_errors = 1, .allow_unregistered = true, .names = nullptr});
  const auto module = reader.read();
  if (!module) return std::nullopt;
  OpPlaces places;
  for (const OpId op : ir::pre_order(*module)) {
    places.ops.push_back(op);
    places.lines.push_back(line_of(module->location_text(op)));
  }
  return places;
}

/// Returns the lines of the JSON objects to which the locations of ops point. The locations are in
/// text order.
std::vector<int64_t> lines_of_pointers(const text::JsonDocument& document,
                                       const std::vector<std::string>& pointers) {
  std::vector<int64_t> lines(pointers.size());
  std::size_t wanted = 0;
  struct Open {
    text::JsonNode::Iterator next;
    text::JsonNode::Iterator end;
    std::size_t index;
    std::size_t length;  // length of the pointer of the list or object
    bool is_list;
  };
  std::string pointer;
  std::vector<Open> open;
  const auto enter = [&](const text::JsonNode& node) {
    open.push_back({node.begin(), node.end(), 0, pointer.size(), node.is_array()});
  };
  enter(document.root());
  while (!open.empty() && wanted < pointers.size()) {
    Open& here = open.back();
    pointer.resize(here.length);
    if (here.next == here.end) {
      open.pop_back();
      continue;
    }
    const text::JsonNode node = *here.next;
    ++here.next;
    pointer +=
        "/" + (here.is_list ? std::to_string(here.index) : text::escaped_pointer_token(node.key()));
    ++here.index;
    if (pointer == pointers[wanted]) lines[wanted++] = static_cast<int64_t>(node.line());
    if (node.size() > 0) enter(node);
  }
  return lines;
}

std::optional<OpPlaces> places_in_json(std::string_view text) {
  const auto module = text::parse_json(text, {.verify = false, .max_errors = 1});
  const auto document = text::JsonDocument::parse(text, {.max_depth = 512, .max_errors = 1});
  if (!module || !document) return std::nullopt;
  OpPlaces places;
  std::vector<std::string> pointers;
  for (const OpId op : ir::pre_order(*module)) {
    places.ops.push_back(op);
    pointers.push_back(module->location_text(op));
    if (!pointers.back().starts_with('/'))
      return std::nullopt;  // the location is given in the text
  }
  places.lines = lines_of_pointers(*document, pointers);
  return places;
}

// ---- Chips --------------------------------------------------------------------------------------

/// The lines of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    begins_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at)) {
      begins_.push_back(++at);
    }
  }

  std::size_t begin(int64_t line) const {
    const auto index = static_cast<std::size_t>(std::max<int64_t>(line - 1, 0));
    return index < begins_.size() ? begins_[index] : text_.size();
  }
  /// Returns the line that contains a byte.
  int64_t line_at(std::size_t byte) const {
    return std::ranges::upper_bound(begins_, byte) - begins_.begin();
  }
  /// Returns the end of a line without its newline.
  std::size_t end(int64_t line) const {
    std::size_t end = begin(line + 1);
    while (end > begin(line) && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
    return end;
  }
  /// Returns the number of UTF-16 units of the line before a byte. A byte that is not UTF-8 counts
  /// as two units, the form in which quoted_json writes it.
  int64_t column(std::size_t byte) const {
    std::string_view rest = text_.substr(begin(line_at(byte)));
    rest = rest.substr(0, byte - begin(line_at(byte)));
    int64_t units = 0;
    while (!rest.empty()) {
      const std::size_t size = text::code_point_size(rest);
      units += size == 0 || size == 4 ? 2 : 1;
      rest.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return units;
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

/// Places chips (shardings shown in the text) after the names of arguments and at the ends of the
/// lines of results.
class ChipPlacer {
 public:
  ChipPlacer(const ProgramIndex& index, const text::WrittenValues& names, ProgramText& form)
      : module_(index.module()), names_(names), lines_(form.text), form_(form) {}

  void place(const std::vector<OpId>& ops) {
    for (const OpId op : ops) {
      const int64_t line = form_.lines[op.index()];
      if (line == 0) continue;
      place_results(op, line);
      if (form_.is_json) continue;
      for (const ir::RegionId region : module_.regions(op)) {
        for (const ir::BlockId block : module_.blocks(region)) place_arguments(block, line);
      }
    }
  }

 private:
  void place_results(OpId op, int64_t line) {
    if (module_.num_results(op) == 0) return;
    const int64_t column = lines_.column(lines_.end(line));
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      form_.chips.push_back({line, column, module_.result(op, index)});
    }
  }

  /// Finds `%name:` between the op and the first op of the block.
  void place_arguments(ir::BlockId block, int64_t line) {
    const OpId first = module_.first_op(block);
    const int64_t last = first.valid() ? form_.lines[first.index()] : 0;
    std::size_t at = lines_.begin(line);
    const std::size_t end = last > line ? lines_.begin(last) : lines_.end(line);
    for (const ir::ValueId arg : module_.args(block)) {
      const std::string name = names_(arg);
      const std::size_t found = lines_.text().find(name + ":", at);
      if (found == std::string_view::npos || found >= end) continue;
      at = found + name.size();
      const int64_t here = lines_.line_at(at);
      form_.chips.push_back({here, lines_.column(at), arg});
    }
  }

  const Module& module_;
  const text::WrittenValues& names_;
  Lines lines_;
  ProgramText& form_;
};

// ---- Forms --------------------------------------------------------------------------------------

/// Returns the file itself. std::nullopt if it has no text, or if its text gives locations to ops.
/// Op ids refer to the program, which passes may have changed since the file was read.
std::optional<ProgramText> source_form(const Module& module, const ProgramTexts& texts) {
  if (texts.source.empty()) return std::nullopt;
  auto places = texts.is_json ? places_in_json(texts.source) : places_in_mlir(texts.source);
  if (!places) return std::nullopt;
  ProgramText form{.is_json = texts.is_json, .is_source = true, .text = texts.source, .lines = {}};
  form.lines.assign(module.num_ops(), 0);
  for (std::size_t index = 0; index < places->ops.size(); ++index) {
    const std::size_t op = places->ops[index].index();
    if (op < form.lines.size()) form.lines[op] = places->lines[index];
  }
  return form;
}

/// Returns the printed program, which is parsed again for its lines.
ProgramText printed_form(const Module& module, bool is_json) {
  ProgramText form{.is_json = is_json, .is_source = false, .text = {}, .lines = {}};
  form.text =
      is_json ? text::to_json(module, {.names = true}) : text::to_mlir(module, {.names = true});
  form.lines.assign(module.num_ops(), 0);
  const auto places = is_json ? places_in_json(form.text) : places_in_mlir(form.text);
  const std::vector<OpId> ops = ir::pre_order(module);
  if (!places || places->ops.size() != ops.size()) return form;
  for (std::size_t index = 0; index < ops.size(); ++index) {
    form.lines[ops[index].index()] = places->lines[index];
  }
  return form;
}

}  // namespace

std::vector<ProgramText> text_forms(const ProgramIndex& index, const ProgramData& data,
                                    const ProgramTexts& texts) {
  const Module& module = index.module();
  std::vector<ProgramText> forms;
  auto source = source_form(module, texts);
  forms.push_back(source ? *std::move(source) : printed_form(module, texts.is_json));
  if (texts.is_json || index.ops().size() <= kMostJsonOps) {
    ProgramText other = printed_form(module, !texts.is_json);
    if (!other.is_json || other.text.size() <= kMostJson) forms.push_back(std::move(other));
  }
  for (ProgramText& form : forms) ChipPlacer(index, data.names, form).place(index.ops());
  return forms;
}

std::pair<Column, Column> node_lines(const Outline& outline, const ProgramText& form) {
  const auto count = outline.nodes.size();
  Column first(count, 0);
  Column last(count, 0);
  for (std::size_t at = count; at-- > 0;) {
    const OutlineNode& node = outline.nodes[at];
    const bool is_op =
        node.kind == OutlineNode::Kind::Op || node.kind == OutlineNode::Kind::Function;
    const int64_t line = is_op ? form.lines[node.op.index()] : 0;
    if (line > 0) {
      first[at] = first[at] == 0 ? line : std::min(first[at], line);
      last[at] = std::max(last[at], line);
    }
    if (node.parent < 0 || first[at] == 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    first[parent] = first[parent] == 0 ? first[at] : std::min(first[parent], first[at]);
    last[parent] = std::max(last[parent], last[at]);
  }
  for (std::size_t at = 0; at < count; ++at)
    last[at] = first[at] == 0 ? 0 : last[at] - first[at] + 1;
  return {std::move(first), std::move(last)};
}

std::string text_part(const std::vector<ProgramText>& forms, const Outline& outline,
                      const ProgramIndex& index) {
  PartWriter out;
  out.begin_object().key("forms").begin_array();
  for (const ProgramText& form : forms) {
    const auto [lines, counts] = node_lines(outline, form);
    Column line;
    Column column;
    Column value;
    for (const TextChip& chip : form.chips) {
      line.push_back(chip.line);
      column.push_back(chip.column);
      value.push_back(index.number_of(chip.value));
    }
    out.begin_object().member("format", form.is_json ? "json" : "mlir");
    out.key("source").boolean(form.is_source).member("text", form.text);
    out.member("line", lines).member("lines", counts).key("chip").begin_object();
    out.member("line", line).member("column", column).member("length", Column(line.size(), 0));
    out.member("value", value).end_object().end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace shardy::view
