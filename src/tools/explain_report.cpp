#include "tools/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "shardy/ir/type_text.hpp"
#include "support/quantities.hpp"
#include "text/error_places.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

using propagation::AbsentAxis;
using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;
using propagation::MissingRule;
using text::JsonWriter;

bool is_on_line(const Location& location, const std::string& wanted) {
  return wanted.empty() || location.text().find(wanted) != std::string::npos ||
         text::place_text(location).find(wanted) != std::string::npos;
}

// ---- Costs of conflicts ----------------------------------------------------------------

namespace {

/// The collectives of a program, by the location of the source op that needs them.
class CollectivesByPlace {
 public:
  explicit CollectivesByPlace(const report::Report& report) {
    for (const report::Collective& each : report.collectives) {
      (each.serves == "func.return" ? of_results_ : at_[each.location]).push_back(&each);
    }
  }

  std::vector<CausedCollectives> after(const ExplainedConflict& conflict) const {
    std::vector<CausedCollectives> all;
    for (const report::Collective* each : served_by(conflict)) {
      if (is_along(*each, conflict.axis_name)) add(all, *each);
    }
    std::ranges::stable_sort(all, std::greater<>(), &CausedCollectives::bytes);
    return all;
  }

 private:
  std::vector<const report::Collective*> served_by(const ExplainedConflict& conflict) const {
    if (conflict.op == "function result") return of_results_;
    const auto found = at_.find(conflict.location);
    if (found == at_.end() || conflict.location.empty()) return {};
    return found->second;
  }
  static bool is_along(const report::Collective& each, const std::string& axis) {
    const auto has_axis = [&](const report::AxisBytes& load) { return load.axis == axis; };
    return std::ranges::find(each.axis_names, axis) != each.axis_names.end() ||
           std::ranges::any_of(each.axis_bytes, has_axis);
  }
  static void add(std::vector<CausedCollectives>& all, const report::Collective& each) {
    auto same = std::ranges::find_if(all, [&](const CausedCollectives& other) {
      return std::tie(other.kind, other.axes, other.type) ==
             std::tie(each.kind, each.axes, each.type);
    });
    if (same == all.end()) same = all.insert(all.end(), {each.kind, each.axes, each.type});
    same->count += each.times.count;
    same->bytes += each.times.count * each.bytes;
  }

  std::map<Location, std::vector<const report::Collective*>> at_;
  std::vector<const report::Collective*> of_results_;
};

}  // namespace

std::vector<RankedConflict> ranked_conflicts(const std::vector<const ExplainedConflict*>& conflicts,
                                             const report::Report& report) {
  const CollectivesByPlace collectives(report);
  std::vector<RankedConflict> ranked;
  ranked.reserve(conflicts.size());
  for (const ExplainedConflict* conflict : conflicts) {
    RankedConflict& row = ranked.emplace_back(RankedConflict{conflict});
    row.following = collectives.after(*conflict);
    for (const CausedCollectives& each : row.following) row.bytes += each.bytes;
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedConflict::bytes);
  return ranked;
}

// ---- Replicated values --------------------------------------------------------------------------

namespace {

/// The locations and axes of conflicts.
using ConflictPlaces = std::set<std::pair<Location, std::string>>;

bool is_shown_as_conflict(const AbsentAxis& absent, const ConflictPlaces& conflicts) {
  const bool is_of_op =
      absent.why == AbsentAxis::Reason::Lost || absent.why == AbsentAxis::Reason::Closed;
  return is_of_op && conflicts.contains({absent.location, absent.axis_name});
}

auto reason_of(const AbsentAxis& absent) {
  return std::tie(absent.why, absent.op, absent.location, absent.holder, absent.dim, absent.factor);
}

/// Returns the type of a value of the source program, or of a function result.
const ir::Type* type_of_value(const ExplainedValue& value, const ir::Module& module) {
  if (value.value.valid()) return &module.type(value.value);
  for (const ir::OpId function : module.functions()) {
    if (module.symbol_name(function) != value.function) continue;
    const auto& types = module.function(function).result_types;
    return value.result < types.size() ? &types[value.result] : nullptr;
  }
  return nullptr;
}

int64_t bytes_held(const ExplainedValue& value, const ir::Module& module) {
  const ir::Type* type = type_of_value(value, module);
  if (type == nullptr || !type->is_static_tensor()) return 0;
  const auto& sharding = value.sharding;
  if (!sharding || sharding->rank() != type->dims().size()) return type->num_bytes();
  return type->with_dims(sharding->local_shape(type->dims())).num_bytes();
}

/// Returns one row per reason.
std::vector<ReplicatedValue> rows_of(const ExplainedValue& value, const ConflictPlaces& conflicts) {
  std::vector<ReplicatedValue> rows;
  for (const AbsentAxis& absent : value.absent) {
    if (is_shown_as_conflict(absent, conflicts)) continue;
    const auto same = std::ranges::find_if(rows, [&](const ReplicatedValue& row) {
      return reason_of(*row.axes.front()) == reason_of(absent);
    });
    if (same != rows.end()) {
      same->axes.push_back(&absent);
    } else {
      rows.push_back({&value, {&absent}});
    }
  }
  return rows;
}

}  // namespace

std::vector<ReplicatedValue> replicated_values(const propagation::Explanation& explanation,
                                               const ir::Module& module) {
  ConflictPlaces conflicts;
  for (const ExplainedConflict& each : explanation.conflicts) {
    conflicts.insert({each.location, each.axis_name});
  }
  std::vector<ReplicatedValue> rows;
  for (const ExplainedValue& value : explanation.values) {
    for (ReplicatedValue& row : rows_of(value, conflicts)) {
      row.bytes = bytes_held(value, module);
      rows.push_back(std::move(row));
    }
  }
  std::ranges::stable_sort(rows, std::greater<>(), &ReplicatedValue::bytes);
  return rows;
}

// Conflicts and replicated values as text.

namespace {

/// Returns a text such as ` at model.py:31`; empty without a location.
std::string at_place(const Location& location) {
  return location.empty() ? std::string() : " at " + text::place_text(location);
}

std::string priority_text(int64_t user_priority, int level) {
  return fmt::format("user priority {}, level {}", user_priority, level);
}

}  // namespace

std::string absence_text(const AbsentAxis& absent) {
  const std::string has = fmt::format("{}{} has it on dim {} of {}", absent.op,
                                      at_place(absent.location), absent.dim, absent.holder);
  switch (absent.why) {
    case AbsentAxis::Reason::Written:
      return "given by the annotation";
    case AbsentAxis::Reason::Lost:
      return fmt::format("{}, factor {}, and does not propagate it", has, absent.factor);
    case AbsentAxis::Reason::Closed:
      return fmt::format("{}, factor {}, which is a closed dim of the value", has, absent.factor);
    case AbsentAxis::Reason::NoRule:
      return has + ", and has no sharding rule";
    case AbsentAxis::Reason::NoFactor:
      return fmt::format("{}, factor {}, which is not a dim of the value", has, absent.factor);
    case AbsentAxis::Reason::NoNeighbor:
      break;
  }
  return "no tensor of its def or its users has it";
}

namespace {

/// Replaces names by `%` and removes step numbers, so that the texts of repeated layers are equal.
std::string without_names(std::string_view text) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_#.$-").find(c) != std::string_view::npos;
  };
  std::string out;
  bool is_in_name = false;
  for (const char c : text) {
    is_in_name = is_in_name ? is_of_name(c) : false;
    if (!is_in_name) out += c;
    if (c == '%') is_in_name = true;
  }
  const std::size_t step = out.find("in step ");  // the end of a reason
  const std::size_t end = step == std::string::npos ? step : out.find('|', step);
  return end == std::string::npos ? out : out.erase(step, end - step);
}

std::string following_text(const CausedCollectives& following) {
  return fmt::format(
      "{} {} of {}, {}{}", following.kind, following.axes, following.type,
      bytes_text(following.bytes),
      following.count == 1 ? "" : fmt::format(" in {} collectives", grouped(following.count)));
}

void add_conflict(std::string& out, const RankedConflict& ranked) {
  const ExplainedConflict& conflict = *ranked.conflict;
  out += fmt::format("conflict: {}{}, factor {}: {} does not reach {} ({})\n", conflict.op,
                     at_place(conflict.location), conflict.factor, conflict.axis,
                     conflict.target.value_or("the tensors of the op"), conflict.reason);
  if (!conflict.calls.empty()) {
    out +=
        fmt::format("  in @{} called by {}\n", conflict.function, fmt::join(conflict.calls, ", "));
  }
  if (conflict.kept) out += fmt::format("  its sub-axis {} reaches it\n", *conflict.kept);
  out += fmt::format("  in the way: {}; {}\n", conflict.tensor,
                     priority_text(conflict.user_priority, conflict.level));
  for (const std::string& candidate : conflict.candidates) {
    out += "  candidate: " + candidate + "\n";
  }
  if (!conflict.winner.empty()) {
    out += fmt::format("  winner: {}; {}\n", conflict.winner, conflict.why);
  }
  out += "  needed: " + conflict.needed + "\n";
  for (const CausedCollectives& each : ranked.following) {
    out += "  leads to: " + following_text(each) + "\n";
  }
}

/// Returns a key that is equal for equal conflicts.
std::string conflict_key(const RankedConflict& ranked) {
  const ExplainedConflict& each = *ranked.conflict;
  std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", each.op, each.factor, each.axis,
                                each.kept.value_or(""), each.reason, each.tensor,
                                each.target.value_or("-"), each.winner, each.why, each.needed);
  for (const std::string& candidate : each.candidates) key += candidate + "|";
  for (const CausedCollectives& following : ranked.following) {
    key += following.kind + following.axes + following.type + "|";
  }
  return without_names(key);
}

/// Equal rows and the sum of their bytes.
template <class Row>
struct EqualRows {
  std::vector<const Row*> rows;
  int64_t bytes = 0;
};

/// Groups equal rows and sorts the groups by descending bytes. `bytes_of` returns the bytes of a
/// row that were not counted for an equal row.
template <class Row, class Key, class Bytes>
std::vector<EqualRows<Row>> alike_rows(const std::vector<Row>& rows, Key key_of, Bytes bytes_of) {
  std::map<std::string, std::size_t> places;
  std::vector<EqualRows<Row>> all;
  for (const Row& row : rows) {
    const auto [found, is_new] = places.try_emplace(key_of(row), all.size());
    if (is_new) all.emplace_back();
    EqualRows<Row>& same = all[found->second];
    same.bytes += bytes_of(row, found->second);
    same.rows.push_back(&row);
  }
  std::ranges::stable_sort(all, std::greater<>(), &EqualRows<Row>::bytes);
  return all;
}

/// Returns a text such as `5:3, 8:3, 9:1 and 29 more`.
std::string list_text(const std::vector<std::string>& all) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, all.size());
  std::string text = fmt::format("{}", fmt::join(std::span(all).first(shown), ", "));
  if (shown < all.size()) text += fmt::format(" and {} more", all.size() - shown);
  return text;
}

void add_alike(std::string& out, const EqualRows<RankedConflict>& same) {
  if (same.rows.size() == 1) return;
  std::vector<std::string> places;
  std::set<Location> seen = {same.rows.front()->conflict->location};
  for (const RankedConflict* row : same.rows) {
    const Location& location = row->conflict->location;
    if (seen.insert(location).second) places.push_back(text::place_text(location));
  }
  out += fmt::format("  and {} more like it", grouped(static_cast<int64_t>(same.rows.size()) - 1));
  if (!places.empty()) out += " at " + list_text(places);
  if (same.bytes > 0) out += fmt::format("; all of them {}", bytes_text(same.bytes));
  out += "\n";
}

/// Prints at most `top` conflicts. Equal conflicts, as in repeated layers, are printed once.
void add_conflicts(std::string& out, const std::vector<RankedConflict>& conflicts,
                   std::size_t top) {
  // Collectives of a location that are already counted.
  std::set<std::pair<std::size_t, Location>> counted;
  const auto bytes_of = [&](const RankedConflict& row, std::size_t number) {
    return counted.emplace(number, row.conflict->location).second ? row.bytes : 0;
  };
  const auto all = alike_rows(conflicts, conflict_key, bytes_of);
  const std::size_t shown = std::min(all.size(), top);
  for (const auto& same : std::span(all).first(shown)) {
    add_conflict(out, *same.rows.front());
    add_alike(out, same);
  }
  out += more_text(shown, all.size());
}

std::string axes_text(const ReplicatedValue& row) {
  std::vector<std::string_view> axes;
  for (const AbsentAxis* absent : row.axes) axes.push_back(absent->axis);
  return fmt::format("{}", fmt::join(axes, ", "));
}

std::string replicated_key(const ReplicatedValue& row) {
  const AbsentAxis& absent = *row.axes.front();
  const ExplainedValue& value = *row.value;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", value.type, value.op, value.after.value_or(""),
                     axes_text(row), static_cast<int>(absent.why), absent.op, absent.factor,
                     absent.dim);
}

std::string value_text(const ExplainedValue& value) {
  const bool is_main = value.function == "main" || value.function.empty();
  std::string text = (is_main ? "" : "@" + value.function + ":") + value.name + ": " + value.type;
  if (!value.op.empty()) text += ", " + value.op + at_place(value.location);
  return text;
}

void add_replicated(std::string& out, const std::vector<ReplicatedValue>& values, std::size_t top) {
  if (values.empty()) return;
  const auto all = alike_rows(values, replicated_key,
                              [](const ReplicatedValue& row, std::size_t) { return row.bytes; });
  out += fmt::format("\n{:>14} {:>7}  replicated without a conflict\n", "bytes held", "values");
  const std::size_t shown = std::min(all.size(), top);
  for (const auto& same : std::span(all).first(shown)) {
    const ReplicatedValue& first = *same.rows.front();
    out += fmt::format("{:>14} {:>7}  along {}: {}: {}\n", grouped(same.bytes),
                       grouped(static_cast<int64_t>(same.rows.size())), axes_text(first),
                       value_text(*first.value), absence_text(*first.axes.front()));
  }
  out += more_text(shown, all.size());
}

}  // namespace

std::string decision_text(const Decision& decision) {
  if (decision.kind == Decision::Kind::Annotation) {
    return fmt::format("{} is an annotation of {}", decision.axis, decision.from);
  }
  if (decision.kind == Decision::Kind::Import) {
    const std::string from = decision.from.empty() ? "" : ", from " + decision.from;
    return fmt::format("{} was copied to {} before propagation{}", decision.axis, decision.to,
                       from);
  }
  if (decision.kind == Decision::Kind::Group) {
    const std::string when =
        decision.step < 0 ? "at the start" : "step " + std::to_string(decision.step);
    return fmt::format("{}: copied from {} in the same sharding group", when, decision.from);
  }
  return fmt::format("step {}: {}{} propagated {} {} along factor {}, from {} ({}, {})",
                     decision.step, decision.op, at_place(decision.location), decision.axis,
                     decision.direction, decision.factor, decision.from, decision.strategy,
                     priority_text(decision.user_priority, decision.level));
}

namespace {

// ---- Chains -------------------------------------------------------------------------------------

/// Prints chains of decisions. Chains that join have a common part, which is printed once unless it
/// is short. The report then grows with the program, not with the number of paths through it.
class ChainPrinter {
 public:
  /// The value under which a decision and the decisions before it were printed.
  struct PrintedPlace {
    const ExplainedValue* value = nullptr;
    std::size_t dim = 0;
  };
  struct PrintState {
    std::vector<const Decision*> decisions;
    const Decision* next = nullptr;  // the first decision that was printed elsewhere; null: none
    PrintedPlace elsewhere = {};
  };

  explicit ChainPrinter(std::span<const Decision> decisions)
      : decisions_(decisions), printed_(decisions.size()) {}

  PrintState print(const ExplainedValue& value, const ExplainedAxis& axis) {
    PrintState state;
    for (std::size_t at = axis.last; at != propagation::kNoDecision; at = decisions_[at].previous) {
      if (printed_[at].value != nullptr && !is_short(at)) {
        state.next = &decisions_[at];
        state.elsewhere = printed_[at];
        break;
      }
      state.decisions.push_back(&decisions_[at]);
      if (printed_[at].value == nullptr) printed_[at] = {&value, axis.dim};
    }
    return state;
  }

 private:
  /// Returns whether a reference would be as long as the common part.
  bool is_short(std::size_t at) const {
    constexpr int kShort = 3;
    for (int count = 0; count < kShort; ++count) {
      at = decisions_[at].previous;
      if (at == propagation::kNoDecision) return true;
    }
    return false;
  }

  std::span<const Decision> decisions_;
  std::vector<PrintedPlace> printed_;  // by decision
};

std::string elsewhere_text(const ChainPrinter::PrintState& state, const ExplainedValue& value) {
  const ExplainedValue& other = *state.elsewhere.value;
  const std::string scope = other.function == value.function ? "" : "@" + other.function + ":";
  return fmt::format("step {} and earlier steps: see {}{}{}, dim {}", state.next->step, scope,
                     other.name, at_place(other.location), state.elsewhere.dim);
}

// ---- Text ---------------------------------------------------------------------------------------

/// The conflicts of the ops that define values, by function and name of the values.
using LostByValue =
    std::map<std::pair<std::string, std::string>, std::vector<const ExplainedConflict*>>;

LostByValue lost_by_value(const std::vector<RankedConflict>& conflicts) {
  LostByValue lost;
  for (const RankedConflict& each : conflicts) {
    for (const std::string& result : each.conflict->results) {
      lost[{each.conflict->function, result}].push_back(each.conflict);
    }
  }
  return lost;
}

/// Returns a text such as `"x" along factor j in %w; lost because: factor i in %w has it, size`.
std::string lost_text(const ExplainedConflict& conflict) {
  const std::string where = conflict.target.value_or(conflict.tensor);
  const std::string because = conflict.winner.empty()
                                  ? conflict.reason + " at " + conflict.tensor
                                  : conflict.winner + " has it, " + conflict.why;
  return fmt::format("{} along factor {} in {}; lost because: {}", conflict.axis, conflict.factor,
                     where, because);
}

void add_value(std::string& out, const ExplainedValue& value, ChainPrinter& printer,
               const LostByValue& lost) {
  out += fmt::format("{}: {}", value.name, value.type);
  if (!value.op.empty()) out += fmt::format(", {}{}", value.op, at_place(value.location));
  if (!value.function.empty()) out += fmt::format(", in @{}", value.function);
  if (!value.calls.empty()) out += fmt::format(" called by {}", fmt::join(value.calls, ", "));
  if (!value.user.empty()) out += ", copy for " + value.user;
  out += fmt::format("\n  sharding {}\n", value.after.value_or("none"));
  if (value.before && value.before != value.after) {
    out += fmt::format("  written as {}\n", *value.before);
  }
  for (const ExplainedAxis& axis : value.axes) {
    out += fmt::format("  dim {}: {}\n", axis.dim, axis.axis);
    const ChainPrinter::PrintState state = printer.print(value, axis);
    for (const Decision* decision : state.decisions) {
      out += "    " + decision_text(*decision) + "\n";
    }
    if (state.next != nullptr) out += "    " + elsewhere_text(state, value) + "\n";
  }
  for (const AbsentAxis& absent : value.absent) {
    out += fmt::format("  replicated along {}: {}\n", absent.axis, absence_text(absent));
  }
  const auto found = lost.find({value.function, value.name});
  if (found == lost.end()) return;
  for (const ExplainedConflict* conflict : found->second) {
    if (conflict->location != value.location || conflict->calls != value.calls) continue;
    out += "  also possible: " + lost_text(*conflict) + "\n";
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

void write(JsonWriter& out, const Decision& decision) {
  out.begin_object();
  if (decision.kind == Decision::Kind::Annotation) {
    add(out, "kind", "annotation", "axis", decision.axis, "value", decision.from);
  } else if (decision.kind == Decision::Kind::Import) {
    add(out, "kind", "import", "axis", decision.axis, "value", decision.to, "from", decision.from);
  } else if (decision.kind == Decision::Kind::Group) {
    add(out, "kind", "group", "step", decision.step, "axis", decision.axis, "from", decision.from);
  } else {
    add(out, "kind", "step", "step", decision.step, "op", decision.op, "location",
        decision.location, "factor", decision.factor, "axis", decision.axis, "direction",
        decision.direction, "from", decision.from, "strategy", decision.strategy, "user_priority",
        decision.user_priority, "level", decision.level);
  }
  out.end_object();
}

void write(JsonWriter& out, const ChainPrinter::PrintState& state) {
  out.begin_array();
  for (const Decision* decision : state.decisions) write(out, *decision);
  if (state.next != nullptr) {
    const ExplainedValue& value = *state.elsewhere.value;
    out.begin_object();
    add(out, "kind", "elsewhere", "step", state.next->step, "value", value.name, "location",
        value.location, "function", value.function, "dim", state.elsewhere.dim);
    out.end_object();
  }
  out.end_array();
}

void write(JsonWriter& out, const AbsentAxis& absent) {
  out.begin_object();
  add(out, "axis", absent.axis, "reason", to_string(absent.why));
  if (!absent.op.empty()) {
    add(out, "op", absent.op, "location", absent.location, "holder", absent.holder, "dim",
        absent.dim);
  }
  if (!absent.factor.empty()) add(out, "factor", absent.factor);
  out.end_object();
}

void write(JsonWriter& out, const ReplicatedValue& replicated) {
  const ExplainedValue& value = *replicated.value;
  out.begin_object();
  add(out, "name", value.name, "type", value.type, "op", value.op, "location", value.location,
      "function", value.function, "bytes", replicated.bytes);
  out.key("axes").begin_array();
  for (const AbsentAxis* absent : replicated.axes) write(out, *absent);
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const ExplainedValue& value, ChainPrinter& printer) {
  out.begin_object();
  add(out, "name", value.name, "type", value.type, "op", value.op, "location", value.location,
      "function", value.function, "calls", value.calls, "user", value.user, "before", value.before,
      "after", value.after);
  out.key("axes").begin_array();
  for (const ExplainedAxis& axis : value.axes) {
    out.begin_object();
    add(out, "dim", axis.dim, "axis", axis.axis);
    write(out.key("chain"), printer.print(value, axis));
    out.end_object();
  }
  out.end_array();
  out.key("replicated").begin_array();
  for (const AbsentAxis& absent : value.absent) write(out, absent);
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const CausedCollectives& following) {
  out.begin_object();
  add(out, "kind", following.kind, "axes", following.axes, "type", following.type, "times",
      following.count, "bytes", following.bytes);
  out.end_object();
}

void write(JsonWriter& out, const RankedConflict& ranked) {
  const ExplainedConflict& conflict = *ranked.conflict;
  out.begin_object();
  add(out, "op", conflict.op, "location", conflict.location, "function", conflict.function, "calls",
      conflict.calls, "factor", conflict.factor, "axis", conflict.axis, "kept", conflict.kept,
      "reason", conflict.reason, "in_the_way", conflict.tensor, "target", conflict.target,
      "candidates", conflict.candidates, "winner", conflict.winner, "why", conflict.why, "needed",
      conflict.needed, "results", conflict.results, "user_priority", conflict.user_priority,
      "level", conflict.level, "bytes", ranked.bytes);
  out.key("collectives").begin_array();
  for (const CausedCollectives& each : ranked.following) write(out, each);
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const MissingRule& missing) {
  out.begin_object();
  add(out, "op", missing.op, "location", missing.location, "einsum",
      missing.einsum.empty() ? std::nullopt : std::optional(missing.einsum), "note", missing.note);
  out.end_object();
}

/// Writes a list with one element per line.
template <class List, class Write>
void add_lines(JsonWriter& out, std::string_view key, const List& list, Write write_one) {
  out.key(key).begin_array(JsonWriter::JsonLayout::Broken);
  for (const auto& element : list) write_one(element);
  out.end_array();
}

}  // namespace

std::string explain_text(const ExplainReport& report) {
  std::string out;
  ChainPrinter printer(report.decisions);
  const LostByValue lost = lost_by_value(report.conflicts);
  for (const ExplainedValue* value : report.values) add_value(out, *value, printer, lost);
  add_conflicts(out, report.conflicts, report.top);
  for (const MissingRule& missing : report.missing_rules) {
    out += fmt::format("no sharding rule: {}{}\n", missing.op, at_place(missing.location));
    out += fmt::format("  {}\n", missing.note);
  }
  for (const std::string& refused : report.refused) out += "strict: " + refused + "\n";
  if (out.empty()) {
    out = report.is_filtered ? "no conflicts match the options\n"
                             : "no conflicts, and every op has a sharding rule\n";
  }
  add_replicated(out, report.replicated, report.top);
  return out;
}

std::string conflicts_json(const std::vector<RankedConflict>& conflicts) {
  JsonWriter out = report_writer();
  out.begin_array(JsonWriter::JsonLayout::Broken);
  for (const RankedConflict& each : conflicts) write(out, each);
  out.end_array();
  return out.take();
}

std::string missing_rules_json(const std::vector<MissingRule>& missing_rules) {
  JsonWriter out = report_writer();
  out.begin_array(JsonWriter::JsonLayout::Broken);
  for (const MissingRule& each : missing_rules) write(out, each);
  out.end_array();
  return out.take();
}

std::string explain_json(const ExplainReport& report, const Diagnostics& diagnostics) {
  JsonWriter out = report_writer();
  ChainPrinter printer(report.decisions);
  begin_report(out, "explain");
  add_lines(out, "values", report.values, [&](const auto* value) { write(out, *value, printer); });
  add_lines(out, "conflicts", report.conflicts, [&](const auto& each) { write(out, each); });
  add_lines(out, "replicated", report.replicated, [&](const auto& each) { write(out, each); });
  add_lines(out, "missing_rules", report.missing_rules,
            [&](const MissingRule& each) { write(out, each); });
  add(out, "strict", report.refused, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace shardy::tools
