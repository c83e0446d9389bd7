// The documents of programs, whose parts are tables of columns, and of sweeps.
// docs/view.schema.json describes them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/version.h"
#include "shardy/view/page.hpp"
#include "text/error_places.hpp"
#include "view/document_parts.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;
using ir::ValueId;
using propagation::AbsentAxis;
using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;

namespace {

/// Returns the steps that changed a value, in order.
std::vector<int64_t> steps_of(const ExplainedValue& value) {
  std::vector<int64_t> steps;
  for (const ExplainedAxis& axis : value.axes) {
    for (const propagation::AxisArrival& arrival : axis.arrivals) {
      if (arrival.step >= 0) steps.push_back(arrival.step);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// Returns the explanation of the numbered program; null if it does not fit the program.
const propagation::Explanation* numbered_explanation(const ProgramData& data) {
  const propagation::Explanation& own = data.explanation;
  const propagation::Explanation* const numbered = data.numbered;
  const bool is_same = numbered != nullptr && numbered->decisions.size() == own.decisions.size() &&
                       numbered->conflicts.size() == own.conflicts.size() &&
                       numbered->values.size() == own.values.size();
  const auto has_equal_rows = [](const ExplainedValue& a, const ExplainedValue& b) {
    return a.value == b.value && a.absent.size() == b.absent.size();
  };
  return is_same && std::ranges::equal(numbered->values, own.values, has_equal_rows) ? numbered
                                                                                     : nullptr;
}

/// Writes the document part by part. Parts whose rows are strings, shardings or pictures by number
/// come first; the tables of these come last.
class DocumentBuilder {
 public:
  DocumentBuilder(const ProgramData& data, const ProgramTexts& texts)
      : data_(data),
        texts_(texts),
        module_(data.names.module()),
        index_(data),
        outline_(outline_of(index_, index_.costs())),
        numbered_(numbered_explanation(data)) {}

  std::vector<PagePart> build();

 private:
  /// A row of the table of values.
  struct ValueRow {
    ValueId value = {};  // invalid for a result of `function`
    int64_t node = -1;
    int64_t kind = 0;  // 0: result of an op, 1: argument of a region, 2: function result
    int64_t number = 0;
    std::vector<int64_t> explained = {};
    std::vector<int64_t> conflicts = {};
    std::vector<int64_t> collectives = {};
  };
  /// A change of an explained value's sharding by a step.
  struct Change {
    int64_t step = 0;
    int64_t row = 0;
    int64_t before = -1;
    int64_t after = -1;
    int64_t picture = -1;
  };

  void find_meshes();
  void find_values();
  void find_explained();
  void find_conflicts();
  void find_collectives();

  /// Returns a conflict by its number in the document.
  const ExplainedConflict& conflict_at(std::size_t number) const {
    SHARDY_EXPECTS(texts_.conflict_order[number] < data_.explanation.conflicts.size());
    return data_.explanation.conflicts[texts_.conflict_order[number]];
  }
  int64_t node_at(const Location& location) const {
    return outline_.node_of(index_.op_at(location.text()));
  }
  int64_t numbered_node(const Location& location) const {
    return outline_.node_of(index_.numbered_op(location.text()));
  }
  int64_t decision_node(std::size_t number) const {
    return numbered_ == nullptr ? node_at(data_.explanation.decisions[number].location)
                                : numbered_node(numbered_->decisions[number].location);
  }
  int64_t place(const Location& location) { return strings_.add(text::place_text(location)); }
  const ir::Type* type_of(const ExplainedValue& value) const;
  std::optional<TensorSharding> written_result(const ExplainedValue& value) const;
  int64_t picture_of_row(const ExplainedValue& value,
                         const std::optional<TensorSharding>& sharding);

  std::string head_part();
  std::string strings_part() const;
  std::string nodes_part(const std::vector<ProgramText>& forms);
  void add_values_of(const OutlineNode& node, ListColumn& operands, ListColumn& results) const;
  std::string values_part();
  void add_value_row(const ValueRow& row, std::map<std::string, Column>& columns);
  std::string collectives_part();
  std::string explain_part();
  void write_explained(PartWriter& out);
  void write_absent(PartWriter& out);
  void write_decisions(PartWriter& out);
  void write_conflict_links(PartWriter& out);
  std::string steps_part();
  std::vector<Change> changes(Column& start);
  std::string hints_part() const;

  const ProgramData& data_;
  const ProgramTexts& texts_;
  const Module& module_;
  ProgramIndex index_;
  Outline outline_;
  const propagation::Explanation* numbered_;  // its locations are numbers of ops; null: unknown
  StringTable strings_;
  ShardingTables tables_;
  std::vector<ValueRow> values_;
  std::vector<int64_t> value_of_row_;                             // per explained value
  std::map<std::pair<std::string, std::string>, int64_t> named_;  // key: function and name
  std::vector<MovedValue> moved_;                                 // per collective
  Column conflict_tensors_;
  Column conflict_targets_;
};

// ---- Values and links ---------------------------------------------------------------------------

void DocumentBuilder::find_meshes() {
  for (const OpId op : module_.meshes()) {
    const std::string name(module_.symbol_name(op));
    if (const auto mesh = module_.find_mesh(name)) tables_.add_mesh(name, *mesh);
  }
}

void DocumentBuilder::find_values() {
  for (const ValueId value : index_.values()) {
    const ir::ValueOwner owner = module_.owner(value);
    ValueRow row{.value = value, .number = owner.index};
    if (owner.is_result()) {
      row.node = outline_.node_of(owner.op);
    } else {
      row.kind = 1;
      row.node = outline_.node_of(module_.parent_op(owner.block));
    }
    values_.push_back(std::move(row));
  }
}

void DocumentBuilder::find_explained() {
  const auto& explained = data_.explanation.values;
  std::unordered_map<std::string, int64_t> functions;  // nodes by function name; never iterated
  for (const OpId function : module_.functions()) {
    functions.emplace(module_.symbol_name(function), outline_.node_of(function));
  }
  std::map<std::string, int64_t> results;  // rows of function results
  for (std::size_t row = 0; row < explained.size(); ++row) {
    const ExplainedValue& value = explained[row];
    int64_t number = index_.number_of(value.value);
    if (number < 0) {
      const auto [found, is_new] =
          results.try_emplace(value.function + ":" + value.name, std::ssize(values_));
      number = found->second;
      const auto node = functions.find(value.function);
      const int64_t place = node != functions.end() ? node->second : -1;
      if (is_new) values_.push_back({.node = place, .kind = 2, .number = std::ssize(results) - 1});
    }
    values_[static_cast<std::size_t>(number)].explained.push_back(static_cast<int64_t>(row));
    value_of_row_.push_back(number);
    named_.try_emplace({value.function, value.name}, number);
  }
}

void DocumentBuilder::find_conflicts() {
  const auto value_named = [&](const ExplainedConflict& conflict, const std::string& name) {
    const auto found = named_.find({conflict.function, name});
    return found != named_.end() ? found->second : -1;
  };
  for (std::size_t number = 0; number < texts_.conflict_order.size(); ++number) {
    const ExplainedConflict& conflict = conflict_at(number);
    const int64_t tensor = value_named(conflict, conflict.tensor);
    const int64_t target = conflict.target ? value_named(conflict, *conflict.target) : -1;
    conflict_tensors_.push_back(tensor);
    conflict_targets_.push_back(target);
    const auto add = [&](int64_t value) {
      if (value >= 0)
        values_[static_cast<std::size_t>(value)].conflicts.push_back(static_cast<int64_t>(number));
    };
    std::vector<int64_t> of = {tensor, target};
    for (const std::string& result : conflict.results) of.push_back(value_named(conflict, result));
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
    for (const int64_t value : of) add(value);
  }
}

void DocumentBuilder::find_collectives() {
  const auto& rows = data_.report.collectives;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    moved_.push_back(index_.moved_by(rows[number]));
    const int64_t value = index_.number_of(moved_.back().value);
    if (value < 0) continue;
    values_[static_cast<std::size_t>(value)].collectives.push_back(static_cast<int64_t>(number));
  }
}

/// Returns the type of an explained value; null if the program does not contain its function.
const ir::Type* DocumentBuilder::type_of(const ExplainedValue& value) const {
  if (value.value.valid()) return &module_.type(value.value);
  const auto function = module_.find_symbol(value.function);
  if (!function || !module_.is(*function, ir::OpKind::Func)) return nullptr;
  const auto& types = module_.function(*function).result_types;
  for (std::size_t index = 0; index < types.size(); ++index) {
    if (value.name == "result " + std::to_string(index)) return &types[index];
  }
  return nullptr;
}

/// Returns the annotation of a function result.
std::optional<TensorSharding> DocumentBuilder::written_result(const ExplainedValue& value) const {
  const auto function = module_.find_symbol(value.function);
  if (!function || !module_.is(*function, ir::OpKind::Func)) return std::nullopt;
  const auto& attributes = module_.function(*function).result_attributes;
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    if (value.name != "result " + std::to_string(index)) continue;
    const auto* sharding = attributes[index].get<TensorSharding>(ir::attr::kSharding);
    return sharding != nullptr ? std::optional(*sharding) : std::nullopt;
  }
  return std::nullopt;
}

int64_t DocumentBuilder::picture_of_row(const ExplainedValue& value,
                                        const std::optional<TensorSharding>& sharding) {
  const ir::Type* type = type_of(value);
  if (type == nullptr || !type->is_static_tensor()) return -1;
  // A value without a sharding at first, which gets one later, is replicated on the mesh of that
  // sharding.
  if (!sharding && value.sharding) {
    return tables_.add_picture(value.sharding->fully_open_like(), type->dims());
  }
  return tables_.add_picture(sharding, type->dims());
}

// ---- Parts --------------------------------------------------------------------------------------

std::vector<PagePart> DocumentBuilder::build() {
  find_meshes();
  find_values();
  find_explained();
  find_conflicts();
  find_collectives();
  const std::vector<ProgramText> forms = text_forms(index_, data_, texts_);
  std::vector<PagePart> later;
  later.push_back({"nodes", nodes_part(forms)});
  later.push_back({"values", values_part()});
  later.push_back({"collectives", collectives_part()});
  later.push_back({"explain", explain_part()});
  later.push_back({"steps", steps_part()});
  later.push_back({"timeline", timeline_part(data_, index_, outline_, strings_)});
  later.push_back({"memory", memory_part(data_, index_, outline_, strings_)});
  later.push_back({"text", text_part(forms, outline_, index_)});
  later.push_back({"hints", hints_part()});
  later.push_back({"report", texts_.report});
  std::vector<PagePart> parts = {{"head", head_part()}};
  parts.push_back({"strings", strings_part()});
  parts.push_back({"shardings", tables_.shardings_part()});
  parts.push_back({"layouts", tables_.pictures_part()});
  std::ranges::move(later, std::back_inserter(parts));
  return parts;
}

std::string DocumentBuilder::head_part() {
  PartWriter out;
  out.begin_object().key("schema_version").integer(1).member("kind", "program");
  out.member("title", texts_.title).member("file", texts_.file).member("command", texts_.command);
  out.member("version", SHARDY_VERSION_STRING);
  tables_.write_meshes(out);
  out.key("totals").begin_array();
  for (const TotalRow& row : texts_.totals) {
    out.begin_object().member("id", row.id).member("label", row.label).member("text", row.text);
    out.key("value");
    row.is_count ? out.integer(static_cast<int64_t>(row.value)) : out.number(row.value);
    out.end_object();
  }
  out.end_array().key("notes").begin_array();
  for (const Diagnostic& note : texts_.notes) {
    out.begin_object().member("severity", to_string(note.severity)).member("code", note.code);
    out.member("message", note.message).member("place", text::place_text(note.location));
    out.key("node").integer(node_at(note.location)).key("notes").begin_array();
    for (const std::string& each : note.notes) out.string(each);
    out.end_array().end_object();
  }
  out.end_array().key("has_hints").boolean(texts_.hints.has_value());
  out.key("num_conflicts").integer(static_cast<int64_t>(texts_.conflict_order.size()));
  out.key("num_hints")
      .integer(texts_.hints ? static_cast<int64_t>(texts_.hints->values.size()) : 0);
  return out.end_object().take();
}

std::string DocumentBuilder::strings_part() const {
  PartWriter out;
  out.begin_array();
  for (const std::string& text : strings_.texts()) out.string(text);
  return out.end_array().take();
}

namespace {

bool is_op_node(const OutlineNode& node) {
  return node.kind == OutlineNode::Kind::Op || node.kind == OutlineNode::Kind::Function;
}

}  // namespace

/// Adds a row of operands, and one of results and arguments.
void DocumentBuilder::add_values_of(const OutlineNode& node, ListColumn& operands,
                                    ListColumn& results) const {
  if (is_op_node(node)) {
    for (std::size_t operand = 0; operand < module_.num_operands(node.op); ++operand) {
      operands.all.push_back(index_.number_of(module_.operand(node.op, operand)));
    }
    for (std::size_t result = 0; result < module_.num_results(node.op); ++result) {
      results.all.push_back(index_.number_of(module_.result(node.op, result)));
    }
  }
  const bool is_region = node.kind == OutlineNode::Kind::Region;
  if (is_region || node.kind == OutlineNode::Kind::Function) {
    const ir::RegionId region = module_.regions(node.op)[is_region ? node.region : 0];
    for (const ir::BlockId block : module_.blocks(region)) {
      for (const ValueId arg : module_.args(block)) results.all.push_back(index_.number_of(arg));
    }
  }
  operands.end_row();
  results.end_row();
}

std::string DocumentBuilder::nodes_part(const std::vector<ProgramText>& forms) {
  std::map<std::string, Column> columns;
  std::vector<double> seconds;
  std::vector<double> compute_seconds;
  ListColumn operands;
  ListColumn results;
  for (const OutlineNode& node : outline_.nodes) {
    const bool is_op = is_op_node(node);
    const std::string location = is_op ? module_.location_text(node.op) : std::string();
    columns["parent"].push_back(node.parent);
    columns["end"].push_back(node.end);
    columns["kind"].push_back(static_cast<int64_t>(node.kind));
    columns["label"].push_back(strings_.add(node.label));
    columns["op"].push_back(is_op ? strings_.add(module_.name(node.op)) : 0);
    columns["place"].push_back(place(location));
    columns["location"].push_back(strings_.add(location));
    columns["times"].push_back(node.times);
    columns["ops"].push_back(node.ops);
    columns["bytes"].push_back(node.cost.bytes);
    columns["collectives"].push_back(node.cost.collectives);
    columns["peak_bytes"].push_back(node.cost.peak_bytes);
    seconds.push_back(node.cost.seconds);
    compute_seconds.push_back(node.cost.compute_seconds);
    const bool is_call = is_op && module_.is(node.op, ir::OpKind::FuncCall);
    const auto callee = is_call ? ir::callee_of(module_, node.op) : std::nullopt;
    columns["callee"].push_back(callee ? outline_.node_of(*callee) : -1);
    add_values_of(node, operands, results);
  }
  PartWriter out;
  out.begin_object();
  for (const auto& [name, column] : columns) out.member(name, column);
  const auto [lines, counts] = node_lines(outline_, forms.front());
  out.member("line", lines).member("lines", counts);
  out.member("seconds", seconds).member("compute_seconds", compute_seconds);
  out.member("operand_begin", operands.begin).member("operands", operands.all);
  out.member("result_begin", results.begin).member("results", results.all);
  return out.end_object().take();
}

void DocumentBuilder::add_value_row(const ValueRow& row, std::map<std::string, Column>& columns) {
  const ExplainedValue* first =
      row.explained.empty()
          ? nullptr
          : &data_.explanation.values[static_cast<std::size_t>(row.explained.front())];
  const ir::Type* type = row.value.valid() ? &module_.type(row.value) : type_of(*first);
  const std::string name = row.value.valid() ? data_.names(row.value) : first->name;
  const std::string scope =
      row.value.valid() ? data_.names.scope(row.value) : "@" + first->function;
  std::optional<TensorSharding> sharding = first != nullptr ? first->sharding : std::nullopt;
  std::string local = type != nullptr ? ir::to_string(*type) : first->type;
  columns["type"].push_back(strings_.add(local));
  const bool is_tensor = type != nullptr && type->is_static_tensor();
  int64_t bytes = is_tensor ? type->num_bytes() : 0;
  int64_t padding = 0;
  if (is_tensor && sharding && sharding->rank() == type->dims().size()) {
    const report::ShardSize shard = report::shard_size(*type, *sharding);
    local = ir::to_string(shard.type);
    bytes = shard.type.num_bytes();
    padding = shard.padding_bytes;
  }
  const auto written =
      row.value.valid() ? ir::get_sharding(module_, row.value) : written_result(*first);
  const bool has_scope = name.starts_with('%') || !row.value.valid();
  columns["name"].push_back(strings_.add(name));
  columns["ask"].push_back(strings_.add(has_scope ? scope + ":" + name : name));
  columns["kind"].push_back(row.kind);
  columns["number"].push_back(row.number);
  columns["node"].push_back(row.node);
  columns["local_type"].push_back(strings_.add(local));
  columns["bytes"].push_back(bytes);
  columns["padding_bytes"].push_back(padding);
  columns["sharding"].push_back(tables_.add(sharding));
  columns["written"].push_back(tables_.add(written));
  columns["layout"].push_back(first != nullptr ? picture_of_row(*first, sharding) : -1);
}

std::string DocumentBuilder::values_part() {
  std::map<std::string, Column> columns;
  ListColumn explained;
  ListColumn conflicts;
  ListColumn collectives;
  for (const ValueRow& row : values_) {
    add_value_row(row, columns);
    explained.add(row.explained);
    conflicts.add(row.conflicts);
    collectives.add(row.collectives);
  }
  PartWriter out;
  out.begin_object();
  for (const auto& [name, column] : columns) out.member(name, column);
  out.lists("explain", explained).lists("conflict", conflicts).lists("collective", collectives);
  return out.end_object().take();
}

std::string DocumentBuilder::collectives_part() {
  const auto& rows = data_.report.collectives;
  Column nodes;
  Column values;
  Column after;
  Column texts;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const report::Collective& row = rows[number];
    nodes.push_back(outline_.node_of(index_.origin(row.op)));
    values.push_back(index_.number_of(moved_[number].value));
    after.push_back(moved_[number].is_result ? 1 : 0);
    texts.push_back(strings_.add(
        fmt::format("{}{}{} of {}", row.kind, row.axes.empty() ? "" : " ", row.axes, row.type)));
  }
  PartWriter out;
  out.begin_object().member("node", nodes).member("value", values).member("after", after);
  return out.member("text", texts).end_object().take();
}

// ---- Explanation --------------------------------------------------------------------------------

void DocumentBuilder::write_explained(PartWriter& out) {
  std::map<std::string, Column> columns;
  ListColumn calls;
  Column dims;
  Column axes;
  Column last;
  Column axis_begin = {0};
  Column absent_begin = {0};
  for (const ExplainedValue& value : data_.explanation.values) {
    columns["function"].push_back(strings_.add(value.function));
    columns["user"].push_back(strings_.add(value.user));
    columns["before"].push_back(strings_.add(value.before.value_or("")));
    columns["after"].push_back(strings_.add(value.after.value_or("")));
    for (const std::string& call : value.calls) calls.all.push_back(strings_.add(call));
    calls.end_row();
    for (const ExplainedAxis& axis : value.axes) {
      dims.push_back(static_cast<int64_t>(axis.dim));
      axes.push_back(strings_.add(axis.axis));
      last.push_back(axis.last == propagation::kNoDecision ? -1 : static_cast<int64_t>(axis.last));
    }
    axis_begin.push_back(std::ssize(dims));
    absent_begin.push_back(absent_begin.back() + std::ssize(value.absent));
  }
  out.key("values").begin_object().member("value", value_of_row_);
  for (const auto& [name, column] : columns) out.member(name, column);
  out.lists("call", calls).member("axis_begin", axis_begin).member("absent_begin", absent_begin);
  out.end_object().key("axes").begin_object().member("dim", dims).member("axis", axes);
  out.member("last", last).end_object();
}

void DocumentBuilder::write_absent(PartWriter& out) {
  std::map<std::string, Column> columns;
  std::size_t number = 0;
  for (std::size_t row = 0; row < data_.explanation.values.size(); ++row) {
    const ExplainedValue& value = data_.explanation.values[row];
    for (const AbsentAxis& absent : value.absent) {
      columns["axis"].push_back(strings_.add(absent.axis));
      columns["reason"].push_back(strings_.add(to_string(absent.why)));
      columns["op"].push_back(strings_.add(absent.op));
      columns["location"].push_back(strings_.add(absent.location.text()));
      columns["holder"].push_back(strings_.add(absent.holder));
      columns["dim"].push_back(static_cast<int64_t>(absent.dim));
      columns["factor"].push_back(strings_.add(absent.factor));
      const auto at = static_cast<std::size_t>(&absent - value.absent.data());
      columns["node"].push_back(numbered_ == nullptr
                                    ? node_at(absent.location)
                                    : numbered_node(numbered_->values[row].absent[at].location));
      SHARDY_EXPECTS(number < texts_.absences.size());
      columns["text"].push_back(strings_.add(texts_.absences[number++]));
    }
  }
  out.key("absent").begin_object();
  for (const char* name :
       {"axis", "reason", "op", "location", "holder", "dim", "factor", "node", "text"}) {
    out.member(name, columns[name]);
  }
  out.end_object();
}

void DocumentBuilder::write_decisions(PartWriter& out) {
  std::map<std::string, Column> columns;
  const auto& decisions = data_.explanation.decisions;
  SHARDY_EXPECTS(texts_.decisions.size() == decisions.size());
  std::unordered_map<std::string, int64_t> values;  // key: name; never iterated
  for (const auto& [name, value] : named_) {
    const bool is_main = name.first == "main";
    const auto [found, is_new] = values.try_emplace(name.second, value);
    if (!is_new && is_main) found->second = value;
  }
  for (std::size_t number = 0; number < decisions.size(); ++number) {
    const Decision& decision = decisions[number];
    const auto from = values.find(decision.from);
    const bool is_step = decision.kind == Decision::Kind::Step;
    columns["kind"].push_back(static_cast<int64_t>(decision.kind));
    columns["step"].push_back(decision.step);
    columns["op"].push_back(strings_.add(decision.op));
    columns["location"].push_back(strings_.add(decision.location.text()));
    columns["factor"].push_back(strings_.add(decision.factor));
    columns["axis"].push_back(strings_.add(decision.axis));
    columns["from"].push_back(strings_.add(decision.from));
    columns["to"].push_back(strings_.add(decision.to));
    columns["direction"].push_back(strings_.add(decision.direction));
    columns["strategy"].push_back(strings_.add(decision.strategy));
    columns["user_priority"].push_back(is_step ? decision.user_priority : 0);
    columns["level"].push_back(is_step ? decision.level : 0);
    columns["previous"].push_back(decision.previous == propagation::kNoDecision
                                      ? -1
                                      : static_cast<int64_t>(decision.previous));
    columns["node"].push_back(decision_node(number));
    columns["value"].push_back(from != values.end() ? from->second : -1);
    columns["text"].push_back(strings_.add(texts_.decisions[number]));
  }
  out.key("decisions").begin_object();
  for (const char* name :
       {"kind", "step", "op", "location", "factor", "axis", "from", "to", "direction", "strategy",
        "user_priority", "level", "previous", "node", "value", "text"}) {
    out.member(name, columns[name]);
  }
  out.end_object();
}

void DocumentBuilder::write_conflict_links(PartWriter& out) {
  Column nodes;
  for (std::size_t number = 0; number < texts_.conflict_order.size(); ++number) {
    const std::size_t at = texts_.conflict_order[number];
    nodes.push_back(numbered_ == nullptr ? node_at(conflict_at(number).location)
                                         : numbered_node(numbered_->conflicts[at].location));
  }
  out.key("conflict_links").begin_object().member("node", nodes);
  out.member("tensor", conflict_tensors_).member("target", conflict_targets_).end_object();
}

std::string DocumentBuilder::explain_part() {
  PartWriter out;
  out.begin_object();
  write_explained(out);
  write_absent(out);
  write_decisions(out);
  out.key("conflicts").raw(texts_.conflicts);
  write_conflict_links(out);
  return out.key("missing_rules").raw(texts_.missing_rules).end_object().take();
}

// ---- Steps --------------------------------------------------------------------------------------

/// Returns the changes in the order of steps. Sets `start` to the sharding of each explained value
/// before the first step.
std::vector<DocumentBuilder::Change> DocumentBuilder::changes(Column& start) {
  std::vector<Change> all;
  const auto& explained = data_.explanation.values;
  for (std::size_t row = 0; row < explained.size(); ++row) {
    const ExplainedValue& value = explained[row];
    int64_t now = tables_.add(sharding_after(value, -1));
    start.push_back(now);
    for (const int64_t step : steps_of(value)) {
      const auto sharding = sharding_after(value, step);
      const int64_t after = tables_.add(sharding);
      all.push_back({step, static_cast<int64_t>(row), now, after, picture_of_row(value, sharding)});
      now = after;
    }
  }
  std::ranges::stable_sort(all, {}, &Change::step);
  return all;
}

std::string DocumentBuilder::steps_part() {
  Column start;
  const std::vector<Change> all = changes(start);
  // First decision of each step; never iterated.
  std::unordered_map<int64_t, std::size_t> decision_of;
  for (std::size_t number = 0; number < data_.explanation.decisions.size(); ++number) {
    const Decision& decision = data_.explanation.decisions[number];
    if (decision.kind == Decision::Kind::Step) decision_of.try_emplace(decision.step, number);
  }
  std::map<std::string, Column> columns;
  const auto add_step = [&](int64_t step) {
    const auto found = decision_of.find(step);
    const bool is_known = found != decision_of.end();
    const Decision known = is_known ? data_.explanation.decisions[found->second] : Decision();
    columns["number"].push_back(step);
    columns["user_priority"].push_back(known.user_priority);
    columns["level"].push_back(is_known ? known.level : -1);
    columns["strategy"].push_back(strings_.add(known.strategy));
    columns["node"].push_back(is_known ? decision_node(found->second) : -1);
    columns["text"].push_back(strings_.add(is_known ? texts_.decisions[found->second] : ""));
  };
  std::map<std::string, Column> change;
  Column change_begin;
  for (const Change& each : all) {
    if (columns["number"].empty() || columns["number"].back() != each.step) {
      add_step(each.step);
      change_begin.push_back(std::ssize(change["row"]));
    }
    change["row"].push_back(each.row);
    change["before"].push_back(each.before);
    change["after"].push_back(each.after);
    change["layout"].push_back(each.picture);
  }
  change_begin.push_back(std::ssize(change["row"]));
  PartWriter out;
  out.begin_object().key("count").integer(data_.num_steps).member("start", start);
  for (const char* name : {"number", "user_priority", "level", "strategy", "node", "text"}) {
    out.member(name, columns[name]);
  }
  out.member("change_begin", change_begin).key("change").begin_object();
  for (const char* name : {"row", "before", "after", "layout"}) out.member(name, change[name]);
  return out.end_object().end_object().take();
}

// ---- Text and hints -----------------------------------------------------------------------------

std::string DocumentBuilder::hints_part() const {
  if (!texts_.hints) return "null";
  PartWriter out;
  out.begin_object().key("document").raw(texts_.hints->document).key("links").begin_array();
  for (const auto& values : texts_.hints->values) {
    out.begin_array();
    for (const ValueId value : values) out.integer(index_.number_of(value));
    out.end_array();
  }
  out.end_array().key("patches").begin_array();
  for (const std::string& patch : texts_.hints->patches) out.string(patch);
  return out.end_array().end_object().take();
}

}  // namespace

std::vector<PagePart> program_parts(const ProgramData& data, const ProgramTexts& texts) {
  return DocumentBuilder(data, texts).build();
}

// ---- Sweeps -------------------------------------------------------------------------------------
// Writes the document of a sweep.

namespace {

/// Returns the text in single quotes for a shell.
std::string quoted(std::string_view text) {
  std::string quotes = "'";
  for (const char c : text) quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return quotes + "'";
}

bool is_plain(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
         std::string_view("_./-=").find(c) != std::string_view::npos;
}

/// Returns a file name or an option as a word of a command line.
std::string shell_word(const std::string& text) {
  return std::ranges::all_of(text, is_plain) ? text : quoted(text);
}

std::string search_command(const std::string& program, std::span<const std::string> options) {
  std::string text = "shardy autoshard " + shell_word(program);
  for (const std::string& option : options) text += " " + shell_word(option);
  return text;
}

}  // namespace

std::string view_command(const std::string& program, const report::SweepStrategy& strategy) {
  if (strategy.set.empty()) return {};
  std::string text = "shardy view " + shell_word(program);
  for (const report::Setting& each : strategy.set) {
    text += " --after " + quoted(each.value + "=" + each.sharding);
  }
  return text;
}

namespace {

/// A value that strategies annotate, and its alternatives in the order of their first use.
struct Choice {
  std::string value;
  std::vector<std::string> alternatives = {};
  std::map<std::string, int64_t> numbers = {};
  Column picks = {};  // per strategy: index of the alternative; -1: not set

  int64_t number_of(const std::string& sharding) {
    const auto [found, is_new] = numbers.try_emplace(sharding, std::ssize(alternatives));
    if (is_new) alternatives.push_back(sharding);
    return found->second;
  }
};

std::vector<Choice> choices_of(const SweepTable& table) {
  std::vector<Choice> choices;
  std::map<std::string, std::size_t> places;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const report::Setting& setting : table.strategies[row].set) {
      const auto [found, is_new] = places.try_emplace(setting.value, choices.size());
      if (is_new) choices.push_back({.value = setting.value});
      Choice& choice = choices[found->second];
      choice.picks.resize(row + 1, -1);
      choice.picks[row] = choice.number_of(setting.sharding);
    }
  }
  for (Choice& choice : choices) choice.picks.resize(table.rows.size(), -1);
  return choices;
}

void write_choices(PartWriter& out, const SweepTable& table) {
  out.key("choices").begin_array();
  for (const Choice& choice : choices_of(table)) {
    out.begin_object().member("value", choice.value).key("alternatives").begin_array();
    for (const std::string& each : choice.alternatives) out.string(each);
    out.end_array().member("pick", choice.picks).end_object();
  }
  out.end_array();
}

std::string head_part(const SweepTable& table) {
  PartWriter out;
  out.begin_object().key("schema_version").integer(1).member("kind", "sweep");
  out.member("title", table.title).member("command", table.command);
  return out.member("version", SHARDY_VERSION_STRING).end_object().take();
}

/// Writes a column of numbers, with null for strategies without a result.
template <class Write>
void write_numbers(PartWriter& out, std::string_view name, const SweepTable& table, Write write) {
  out.key(name).begin_array();
  for (const SweepRow& row : table.rows) row.error.empty() ? write(row) : out.null();
  out.end_array();
}

std::string sweep_part(const SweepTable& table, StringTable& strings) {
  Column numbers;
  Column names;
  Column errors;
  Column equal;
  Column annotations;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const report::SweepStrategy& strategy = table.strategies[row];
    const SweepRow& costs = table.rows[row];
    numbers.push_back(static_cast<int64_t>(row));
    names.push_back(strings.add(strategy.name));
    errors.push_back(strings.add(costs.error));
    equal.push_back(costs.equal ? static_cast<int64_t>(*costs.equal) : -1);
    annotations.push_back(strings.add(costs.search_options.empty()
                                          ? view_command(table.program, strategy)
                                          : search_command(table.program, costs.search_options)));
  }
  PartWriter out;
  out.begin_object().member("strategy", numbers).member("name", names);
  const auto write = [&](auto member) {
    return [&out, member](const SweepRow& row) -> PartWriter& { return out.number(row.*member); };
  };
  const auto write_integer = [&](auto member) {
    return [&out, member](const SweepRow& row) -> PartWriter& { return out.integer(row.*member); };
  };
  write_numbers(out, "seconds", table, write(&SweepRow::seconds));
  write_numbers(out, "collective_seconds", table, write(&SweepRow::collective_seconds));
  write_numbers(out, "peak_bytes", table, write_integer(&SweepRow::peak_bytes));
  write_numbers(out, "bytes", table, write_integer(&SweepRow::bytes));
  write_numbers(out, "operations", table, write(&SweepRow::operations));
  out.member("error", errors).member("equal", equal).member("annotations", annotations);
  out.member("front", Column(table.front.begin(), table.front.end()));
  write_choices(out, table);
  return out.end_object().take();
}

}  // namespace

std::vector<PagePart> sweep_parts(const SweepTable& table) {
  SHARDY_EXPECTS(table.rows.size() <= table.strategies.size());
  StringTable strings;
  std::string sweep = sweep_part(table, strings);
  PartWriter texts;
  texts.begin_array();
  for (const std::string& text : strings.texts()) texts.string(text);
  return {{"head", head_part(table)},
          {"strings", texts.end_array().take()},
          {"sweep", std::move(sweep)}};
}

}  // namespace shardy::view
