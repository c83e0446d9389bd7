#include "text/mlir_reader.hpp"

#include <algorithm>
#include <utility>

#include "shardy/support/detail/quote.hpp"
#include "text/error_places.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::OpKind;

DiagnosedResult<ir::Module> MlirReader::read() {
  frames_.push_back({.draft = {.kind = OpKind::BuiltinModule}, .block = module_.body()});
  names_.open_scope(true);
  run();
  if (errors_.empty() && !settle_locations()) report();
  if (!errors_.empty()) return tl::unexpected(std::move(errors_));
  unwrap_module();
  if (!resources_.empty()) {
    module_.module_attributes().set(kResourcesAttr, ir::OpaqueAttr{std::string(resources_)});
  }
  return std::move(module_);
}

void MlirReader::run() {
  while (!frames_.empty() && !full()) {
    if (frames_.back().step == RegionKind::File) {
      if (cursor_.at_end()) return;
      read_in_file();
    } else {
      read_block_item();
    }
  }
}

void MlirReader::read_in_file() {
  const std::size_t begin = cursor_.position();
  if (cursor_.eat("{-#")) {  // resource section with elided constants
    const std::size_t end = cursor_.text().find("#-}", begin);
    if (end == std::string_view::npos) {
      cursor_.fail(begin, "expected '#-}' at the end of the resources");
      report();
    }
    cursor_.seek(end == std::string_view::npos ? cursor_.text().size() : end + 3);
    resources_ = cursor_.slice(begin);
    return;
  }
  const bool is_alias = cursor_.peek() == '#' || cursor_.peek() == '!';
  if (is_alias ? read_.alias_definition() : read_op()) return;
  report();
  skip_op(begin);
}

/// Replaces a file that consists of one module by that module.
void MlirReader::unwrap_module() {
  const ir::OpId only = module_.first_op(module_.body());
  if (!only.valid() || module_.next(only).valid() || !module_.is(only, OpKind::BuiltinModule)) {
    return;
  }
  // The verifier reports a region of another form.
  const auto regions = module_.regions(only);
  if (regions.size() != 1 || module_.blocks(regions.front()).size() != 1) return;
  module_.module_attributes() = module_.attributes(only);
  module_.remove(only);
  module_.splice(module_.block(only), module_.body());
  module_.erase(only);
}

void MlirReader::read_block_item() {
  if (cursor_.at_end()) {
    cursor_.fail(frames_.back().open_begin, "expected '}' that closes this region");
    report();
    frames_.clear();
    return;
  }
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() == '}') {
    if (close_region()) return;
    report();
    skip_op(begin + 1);  // the braces after the region are balanced
    return;
  }
  RegionFrame& frame = frames_.back();
  const bool is_header = cursor_.peek() == '^';
  if (!is_header && !frame.block.valid()) {
    frame.block = module_.new_block(frame.region);
    frame.labels.emplace_back();
  }
  if (is_header ? read_block_header() : read_op()) return;
  report();
  skip_op(begin);
}

// ---- Errors ------------------------------------------------------------------------------------

void MlirReader::report() {
  if (!cursor_.failed()) return;
  const MlirCursor::ReadFailure& failure = cursor_.failure();
  LineCounter lines(cursor_.text());
  errors_.push_back(Error{failure.message, lines.location(failure.position), failure.notes});
  cursor_.clear_failure();
}

namespace {

/// Checks whether the line begins with results such as `%a, %b:2 =`.
bool starts_with_results(std::string_view line) {
  MlirCursor cursor(line);
  do {
    if (!cursor.eat('%') || cursor.suffix().empty()) return false;
    if (cursor.eat(':') && !cursor.integer()) return false;
  } while (cursor.eat(','));
  return cursor.eat('=');
}

}  // namespace

/// Checks whether the line may begin with an op: with results, a name with dialect, or a
/// terminator.
bool MlirReader::is_op_at(std::size_t line_begin) const {
  const std::string_view text = cursor_.text();
  const std::size_t first = text.find_first_not_of(" \t\r", line_begin);
  if (first == std::string_view::npos) return true;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  if (line.empty()) return false;
  if (line.front() == '}' || line.front() == '^') return true;
  if (line.front() == '%') return starts_with_results(line);
  if (line.front() == '"') return line.find("\"(") != std::string_view::npos;
  MlirCursor cursor(line);
  const std::string_view word = cursor.ident();
  return word == "return" || word == "call" || word == "module" || word == "func" ||
         (word.find('.') != std::string_view::npos && word != "sdy.sharding");
}

namespace {

/// Returns the offset after the string around `at`; the end of the line if the string has no end.
std::size_t after_string(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"' && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

}  // namespace

/// Moves to the next op of the block. This is the next line that looks like an op and is outside of
/// braces opened since `from`.
void MlirReader::skip_op(std::size_t from) {
  const std::string_view text = cursor_.text();
  int depth = 0;
  std::size_t at = std::min(from, text.size());
  const auto end_of_line = [&] { return std::min(text.find('\n', at), text.size()); };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '{') ++depth;
    if (c == '}' && depth-- == 0) break;
    if (c == '/' && text.substr(at).starts_with("//")) {
      at = end_of_line();
      continue;
    }
    ++at;
    if (c == '"') {
      at = after_string(text, at);
    } else if (c == '\n' && depth == 0 && is_op_at(at)) {
      break;
    }
  }
  cursor_.seek(at);
  const bool is_stray = frames_.back().step == RegionKind::File && cursor_.peek() == '}';
  if (is_stray) cursor_.seek(cursor_.position() + 1);
}

/// Drops the op that begins at `begin`. Ops that use its results are dropped without further
/// errors.
void MlirReader::give_up(std::size_t begin) {
  MlirCursor cursor(cursor_.text());
  cursor.seek(begin);
  std::vector<ResultGroup> results;
  read_results(cursor, results);
  for (const ResultGroup& group : results) {
    names_.define(group.name, named({ir::ValueId(), group.count}, group.name));
  }
}

// ---- Regions -----------------------------------------------------------------------------------

bool MlirReader::read_argument(Argument& argument) {
  if (!cursor_.eat('%')) return cursor_.expected("SSA operand");
  argument.name = cursor_.suffix();
  if (argument.name.empty()) return cursor_.expected("the name of a value");
  if (!cursor_.expect(':')) return false;
  std::optional<ir::Type> type = read_.type();
  if (!type) return false;
  argument.type = *std::move(type);
  return read_argument_location(argument);
}

bool MlirReader::read_argument_location(Argument& argument) {
  if (!cursor_.at_word("loc")) return true;
  const std::optional<std::string_view> location = read_.location();
  if (!location) return false;
  argument.location = *location;
  return true;
}

/// Resolves aliases after all text is read, because an alias may follow its uses.
bool MlirReader::settle_locations() {
  if (!read_.settle_locations() || !add_names_of_locations()) return false;
  const std::vector<std::pair<ir::OpId, std::string_view>> locations = std::move(locations_);
  for (const auto& [op, written] : locations) {
    std::optional<std::string> text = read_.settled(written);
    if (!text) return false;
    if (read_.locations().is_unknown(*text)) continue;
    given_.emplace_back(op, module_.add_location(*std::move(text)));
  }
  module_.set_location_aliases(read_.take_locations());
  return true;
}

/// Adds the argument names in JAX's locations, which may be aliases, such as `loc("params['w']")`.
bool MlirReader::add_names_of_locations() {
  for (const auto& [value, written] : argument_locations_) {
    const std::optional<std::string> text = read_.settled(written);
    if (!text) return false;
    if (options_.names == nullptr) continue;
    for (const std::string& name : source_names(read_.locations().expanded(*text))) {
      options_.names->add_other(name, {value, 1});
    }
  }
  return true;
}

/// Reads `%a: T, %b: U)` after `(`.
bool MlirReader::read_argument_list(std::vector<Argument>& arguments) {
  if (cursor_.eat(')')) return true;
  do {
    if (!read_argument(arguments.emplace_back())) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(')');
}

/// Defines a name. Returns false if the name is already visible.
bool MlirReader::define(std::string_view name, MlirNamedValues values) {
  if (!names_.define(name, named(values, name))) return false;
  if (!values.is_broken()) module_.set_value_name(values.first, name, values.count);
  if (options_.names != nullptr) options_.names->add(name, {values.first, values.count});
  return true;
}

bool MlirReader::redefined(std::size_t position, std::string_view name) {
  return cursor_.fail_redefinition(
      position, "redefinition of SSA value '%" + std::string(name) + "'", names_.find(name)->begin);
}

bool MlirReader::define_argument(const Argument& argument, ir::ValueId value) {
  if (argument.name.empty() || define(argument.name, {value, 1})) return true;
  return redefined(position_of(argument.name) - 1, argument.name);
}

/// Opens a region after `{`. Creates the entry block if the header of the op names its arguments.
bool MlirReader::open_region(MlirOpDraft& draft, RegionKind step,
                             const std::vector<Argument>& arguments) {
  // The optional outer module does not count as a level.
  const std::size_t outside = frames_.size() > 1 && frames_[1].step == RegionKind::Module ? 2 : 1;
  if (frames_.size() >= kMaxRegions + outside) {
    return cursor_.fail(draft.name_begin, "regions are nested more than " +
                                              std::to_string(kMaxRegions) + " levels deep");
  }
  RegionFrame frame;
  frame.step = step;
  frame.region = module_.new_region();
  frame.open_begin = cursor_.raw_position() - 1;
  draft.regions.push_back(frame.region);
  const bool isolated = draft.kind != OpKind::Unknown && has_trait(draft.kind, ir::kIsolated);
  names_.open_scope(isolated);
  bool defined = true;
  if (step != RegionKind::Generic && step != RegionKind::Scan) {
    frame.block = module_.new_block(frame.region);
    frame.labels.emplace_back();
    for (const Argument& argument : arguments) {
      const ir::ValueId value = module_.add_argument(frame.block, argument.type);
      if (draft.kind == OpKind::Func && !argument.location.empty()) {
        argument_locations_.emplace_back(value, argument.location);
      }
      defined = define_argument(argument, value) && defined;
    }
  }
  frame.draft = std::move(draft);
  frames_.push_back(std::move(frame));
  if (!defined) report();
  return true;
}

/// Reads `^bb0(%a: T):`.
bool MlirReader::read_block_header() {
  const std::size_t begin = cursor_.position();
  cursor_.eat('^');
  const std::string_view label = cursor_.suffix();
  if (label.empty()) return cursor_.expected("the name of a block");
  std::vector<Argument> arguments;
  if (cursor_.eat('(') && !read_argument_list(arguments)) return false;
  if (!cursor_.expect(':')) return false;
  RegionFrame& frame = frames_.back();
  const auto old = std::ranges::find(frame.labels, label);
  if (old != frame.labels.end()) {
    return cursor_.fail_redefinition(begin, "redefinition of block '^" + std::string(label) + "'",
                                     position_of(*old) - 1);
  }
  const bool owner_names_them = frame.draft.kind == OpKind::Func && frame.draft.function;
  const bool is_first =
      !frame.block.valid() || (frame.labels.size() == 1 && frame.labels[0].empty() &&
                               !module_.first_op(frame.block).valid());
  if (owner_names_them && is_first && frame.labels.size() == 1 && arguments.empty()) {
    frame.labels[0] = label;
    return true;
  }
  frame.block = module_.new_block(frame.region);
  frame.labels.push_back(label);
  for (const Argument& argument : arguments) {
    if (!define_argument(argument, module_.add_argument(frame.block, argument.type))) return false;
  }
  return true;
}

/// Adds a terminator that the text omits. Spec: stablehlo 6.
void MlirReader::add_terminator(const RegionFrame& frame) {
  const OpKind kind = frame.draft.kind;
  if (kind == OpKind::Unknown || kind == OpKind::Func) return;
  const OpKind terminator = ir::definition_of(kind).terminator;
  if (terminator == OpKind::Unknown) return;
  if (!frame.block.valid()) return;
  const ir::OpId last = module_.last_op(frame.block);
  if (last.valid() && module_.has_trait(last, ir::kTerminator)) return;
  const ir::OpId op =
      module_.create({.kind = terminator, .location = add_location(cursor_.position())});
  module_.append(frame.block, op);
}

/// Converts labels of successors to block numbers.
bool MlirReader::settle_successors(const RegionFrame& frame) {
  for (const auto& [op, labels] : frame.successors) {
    ir::DenseArrayAttr numbers;
    for (const std::string_view label : labels) {
      const auto found = std::ranges::find(frame.labels, label);
      if (found == frame.labels.end()) {
        return cursor_.fail("reference to an undefined block '^" + std::string(label) + "'");
      }
      numbers.values.push_back(found - frame.labels.begin());
    }
    module_.attributes(op).set(kSuccessorsAttr, std::move(numbers));
  }
  return true;
}

bool MlirReader::close_region() {
  RegionFrame frame = std::move(frames_.back());
  frames_.pop_back();
  if (!frame.block.valid()) {
    const bool needs_block =
        frame.draft.kind != OpKind::Unknown && frame.draft.kind != OpKind::Func;
    if (needs_block) frame.block = module_.new_block(frame.region);
  }
  add_terminator(frame);
  const bool settled = settle_successors(frame);
  names_.close_scope();
  cursor_.eat('}');
  if (!settled) return false;
  const std::size_t begin = frame.draft.begin;
  if (resume(std::move(frame))) return true;
  give_up(begin);
  return false;
}

// The generic form of ops. Spec: stablehlo 6, 11.

/// Returns true if the dialect of the op belongs neither to this library nor to Shardy's
/// environment.
bool MlirReader::is_of_foreign_dialect(const MlirOpDraft& draft) {
  static constexpr std::string_view kDialects[] = {
      "arith", "builtin", "check", "chlo", "func",      "interpreter", "mpmd",
      "quant", "sdy",     "shape", "spmd", "stablehlo", "tensor",      "vhlo"};
  if (draft.kind != OpKind::Unknown) return false;
  const std::string_view dialect = draft.name.substr(0, draft.name.find('.'));
  return std::ranges::find(kDialects, dialect) == std::end(kDialects);
}

/// Reads the quoted name of the op.
bool MlirReader::read_generic_name(MlirOpDraft& draft) {
  const std::size_t close = cursor_.text().find_first_of("\"\\\n", draft.name_begin + 1);
  if (close != std::string_view::npos && cursor_.text()[close] == '"') {
    draft.name = cursor_.text().substr(draft.name_begin + 1, close - draft.name_begin - 1);
    cursor_.seek(close + 1);
  } else {
    std::optional<std::string> name = cursor_.string();
    if (!name) return false;
    draft.name = odd_names_.emplace_back(*std::move(name));
  }
  if (draft.name.empty()) return cursor_.fail(draft.name_begin, "empty operation name is invalid");
  return true;
}

/// Reads `[^bb0, ^bb1]`.
bool MlirReader::read_successors(MlirOpDraft& draft) {
  cursor_.eat('[');
  do {
    if (!cursor_.expect('^')) return false;
    draft.successors.push_back(cursor_.suffix());
  } while (cursor_.eat(','));
  return cursor_.expect(']');
}

/// Reads `<{..}>`.
bool MlirReader::read_properties(MlirOpDraft& draft) {
  const std::size_t position = cursor_.position();
  cursor_.eat('<');
  std::optional<ir::AttributeMap> properties = read_.dictionary();
  if (!properties || !cursor_.expect('>')) return false;
  if (draft.kind == OpKind::Unknown) return set(draft, kPropertiesAttr, *std::move(properties));
  return settle_inherent(draft, *std::move(properties), true, position);
}

bool MlirReader::read_generic(MlirOpDraft& draft) {
  if (!read_generic_name(draft)) return false;
  draft.kind = find_op(draft.name);
  if (!options_.allow_unregistered && is_of_foreign_dialect(draft)) {
    return cursor_.fail(
        "operation being parsed with an unregistered dialect. If this is intended, please use "
        "-allow-unregistered-dialect with the MLIR tool used");
  }
  if (!cursor_.expect('(') || !read_operand_list(draft, ')')) return false;
  if (cursor_.peek() == '[' && !read_successors(draft)) return false;
  if (cursor_.starts_with("<{") && !read_properties(draft)) return false;
  if (!cursor_.eat('(')) return finish_generic(draft);
  if (!cursor_.expect('{')) return false;
  return open_region(draft, RegionKind::Generic, {});
}

/// Completes an op in generic form after its regions.
bool MlirReader::finish_generic(MlirOpDraft& draft) {
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  if (!cursor_.expect(':') || !read_function_type(draft)) return false;
  return finish(draft);
}

bool MlirReader::read_function_type(MlirOpDraft& draft) {
  return read_.function_type(draft.operand_types, draft.result_types);
}

namespace {

/// Returns a note with the most similar attribute name and one with all attribute names of the op.
std::vector<std::string> notes_on_attribute(const ir::OpDefinition& definition,
                                            std::string_view name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const AttributeDefinition& row : definition.attributes) {
    known.push_back(row.name);
    list += (list.empty() ? "" : ", ") + std::string(row.name);
  }
  if (list.empty()) return {"the op has no attributes"};
  std::vector<std::string> notes;
  if (const auto meant = closest(name, known)) notes.push_back("did you mean " + *meant + "?");
  notes.push_back("it has: " + list);
  return notes;
}

}  // namespace

/// Stores inherent attributes in the form that the op expects.
bool MlirReader::settle_inherent(MlirOpDraft& draft, ir::AttributeMap attributes,
                                 bool from_properties, std::size_t position) {
  const ir::OpDefinition* definition = nullptr;
  if (draft.kind != OpKind::Unknown) definition = &ir::definition_of(draft.kind);
  const bool is_function = draft.kind == OpKind::Func || draft.kind == OpKind::BuiltinModule;
  std::vector<ir::NamedAttribute> entries = std::move(attributes).take();
  for (ir::NamedAttribute& entry : entries) {
    const AttributeDefinition* row = definition ? definition->find_attribute(entry.name) : nullptr;
    const bool is_segments =
        entry.name.view().ends_with("egmentSizes") || entry.name.view().ends_with("_segment_sizes");
    if (definition && from_properties && !row && !is_function && !is_segments &&
        draft.kind != OpKind::ChloScan) {
      return cursor_.fail(
          position, op_text(draft.name) + "has no attribute '" + std::string(entry.name) + "'",
          notes_on_attribute(*definition, entry.name));
    }
    if (draft.attributes.contains(entry.name)) {
      return cursor_.fail(
          position, "found conflicting definitions of attribute '" + std::string(entry.name) + "'");
    }
    if (!row) continue;
    std::optional<Attribute> wanted = read_.as_wanted(entry.value, *row, position);
    if (!wanted) return false;
    entry.value = *std::move(wanted);
  }
  for (const ir::NamedAttribute& entry : draft.attributes) entries.push_back(entry);  // few entries
  std::ranges::sort(entries, {}, &ir::NamedAttribute::name);
  draft.attributes = ir::AttributeMap::from_sorted(std::move(entries));
  return true;
}

/// Reads `{a = 1, b}`, with inherent and other attributes.
bool MlirReader::read_dictionary(MlirOpDraft& draft) {
  const std::size_t position = cursor_.position();
  std::optional<ir::AttributeMap> attributes = read_.dictionary();
  if (!attributes) return false;
  const auto* properties = attributes->get<ir::AttributeMap>(kLegacyPropertiesAttr);
  if (properties && draft.kind == OpKind::Unknown) {
    if (draft.attributes.contains(kPropertiesAttr)) {
      return cursor_.fail(position, "found two sets of properties");
    }
    set(draft, kPropertiesAttr, *properties);
    attributes->erase(kLegacyPropertiesAttr);
  }
  return settle_inherent(draft, *std::move(attributes), false, position);
}

}  // namespace shardy::text
