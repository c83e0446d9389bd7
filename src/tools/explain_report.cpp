#include "tools/explain_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "tools/explain_rows.hpp"
#include "tools/json_report.hpp"

namespace shardy::tools {

namespace {

using propagation::AbsentAxis;
using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;
using propagation::MissingRule;
using text::JsonWriter;

std::string decision_text(const Decision& decision) {
  if (decision.kind == Decision::Kind::Annotation) {
    return fmt::format("{} is an annotation of {}", decision.axis, decision.from);
  }
  if (decision.kind == Decision::Kind::Import) {
    const std::string from = decision.from.empty() ? "" : ", as on " + decision.from;
    return fmt::format("{} was put on {} before propagation{}", decision.axis, decision.to, from);
  }
  if (decision.kind == Decision::Kind::Group) {
    const std::string when =
        decision.step < 0 ? "at the start" : "step " + std::to_string(decision.step);
    return fmt::format("{}: the sharding group took it over from {}", when, decision.from);
  }
  return fmt::format("step {}: {}{} moved {} {} along factor {}, from {} ({}, {})", decision.step,
                     decision.op, at_place(decision.location), decision.axis, decision.direction,
                     decision.factor, decision.from, decision.strategy,
                     priority_text(decision.user_priority, decision.level));
}

// ---- Chains -------------------------------------------------------------------------------------

/// Chains that meet have a part in common, which is told once unless it is short: so a report is
/// as long as the program, not as all ways through it.
class ChainTeller {
 public:
  /// Where a decision and those before it were told.
  struct Place {
    const ExplainedValue* value = nullptr;
    std::size_t dim = 0;
  };
  struct Telling {
    std::vector<const Decision*> decisions;
    const Decision* next = nullptr;  // the first one that is told elsewhere, if any is
    Place elsewhere = {};
  };

  explicit ChainTeller(std::span<const Decision> decisions)
      : decisions_(decisions), told_(decisions.size()) {}

  Telling tell(const ExplainedValue& value, const ExplainedAxis& axis) {
    Telling telling;
    for (std::size_t at = axis.last; at != propagation::kNoDecision; at = decisions_[at].previous) {
      if (told_[at].value != nullptr && !is_short(at)) {
        telling.next = &decisions_[at];
        telling.elsewhere = told_[at];
        break;
      }
      telling.decisions.push_back(&decisions_[at]);
      if (told_[at].value == nullptr) told_[at] = {&value, axis.dim};
    }
    return telling;
  }

 private:
  /// Returns whether a reference would be hardly shorter.
  bool is_short(std::size_t at) const {
    constexpr int kShort = 3;
    for (int count = 0; count < kShort; ++count) {
      at = decisions_[at].previous;
      if (at == propagation::kNoDecision) return true;
    }
    return false;
  }

  std::span<const Decision> decisions_;
  std::vector<Place> told_;  // by decision
};

std::string elsewhere_text(const ChainTeller::Telling& telling, const ExplainedValue& value) {
  const ExplainedValue& other = *telling.elsewhere.value;
  const std::string scope = other.function == value.function ? "" : "@" + other.function + ":";
  return fmt::format("step {} and those before it: see {}{}{}, dim {}", telling.next->step, scope,
                     other.name, at_place(other.location), telling.elsewhere.dim);
}

// ---- Text ---------------------------------------------------------------------------------------

void add_value(std::string& out, const ExplainedValue& value, ChainTeller& teller) {
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
    const ChainTeller::Telling telling = teller.tell(value, axis);
    for (const Decision* decision : telling.decisions) {
      out += "    " + decision_text(*decision) + "\n";
    }
    if (telling.next != nullptr) out += "    " + elsewhere_text(telling, value) + "\n";
  }
  for (const AbsentAxis& absent : value.absent) {
    out += fmt::format("  replicated along {}: {}\n", absent.axis, absence_text(absent));
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

void write(JsonWriter& out, const ChainTeller::Telling& telling) {
  out.begin_array();
  for (const Decision* decision : telling.decisions) write(out, *decision);
  if (telling.next != nullptr) {
    const ExplainedValue& value = *telling.elsewhere.value;
    out.begin_object();
    add(out, "kind", "elsewhere", "step", telling.next->step, "value", value.name, "location",
        value.location, "function", value.function, "dim", telling.elsewhere.dim);
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

void write(JsonWriter& out, const ExplainedValue& value, ChainTeller& teller) {
  out.begin_object();
  add(out, "name", value.name, "type", value.type, "op", value.op, "location", value.location,
      "function", value.function, "calls", value.calls, "user", value.user, "before", value.before,
      "after", value.after);
  out.key("axes").begin_array();
  for (const ExplainedAxis& axis : value.axes) {
    out.begin_object();
    add(out, "dim", axis.dim, "axis", axis.axis);
    write(out.key("chain"), teller.tell(value, axis));
    out.end_object();
  }
  out.end_array();
  out.key("replicated").begin_array();
  for (const AbsentAxis& absent : value.absent) write(out, absent);
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const Following& following) {
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
      conflict.needed, "user_priority", conflict.user_priority, "level", conflict.level, "bytes",
      ranked.bytes);
  out.key("collectives").begin_array();
  for (const Following& each : ranked.following) write(out, each);
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const MissingRule& missing) {
  out.begin_object();
  add(out, "op", missing.op, "location", missing.location, "einsum",
      missing.einsum.empty() ? std::nullopt : std::optional(missing.einsum), "note", missing.note);
  out.end_object();
}

/// A list with an element a line.
template <class List, class Write>
void add_lines(JsonWriter& out, std::string_view key, const List& list, Write write_one) {
  out.key(key).begin_array(JsonWriter::Layout::Broken);
  for (const auto& element : list) write_one(element);
  out.end_array();
}

}  // namespace

std::string explain_text(const ExplainReport& report) {
  std::string out;
  ChainTeller teller(report.decisions);
  for (const ExplainedValue* value : report.values) add_value(out, *value, teller);
  add_conflicts(out, report.conflicts, report.top);
  for (const MissingRule& missing : report.missing_rules) {
    out += fmt::format("no sharding rule: {}{}\n", missing.op, at_place(missing.location));
    out += fmt::format("  {}\n", missing.note);
  }
  for (const std::string& refused : report.refused) out += "strict: " + refused + "\n";
  if (out.empty()) {
    out = report.is_filtered ? "no conflicts there\n"
                             : "no conflicts, and every op has a sharding rule\n";
  }
  add_replicated(out, report.replicated, report.top);
  return out;
}

std::string explain_json(const ExplainReport& report, const Diagnostics& said) {
  JsonWriter out = report_writer();
  ChainTeller teller(report.decisions);
  begin_report(out, "explain");
  add_lines(out, "values", report.values, [&](const auto* value) { write(out, *value, teller); });
  add_lines(out, "conflicts", report.conflicts, [&](const auto& each) { write(out, each); });
  add_lines(out, "replicated", report.replicated, [&](const auto& each) { write(out, each); });
  add_lines(out, "missing_rules", report.missing_rules,
            [&](const MissingRule& each) { write(out, each); });
  add(out, "strict", report.refused, "diagnostics", said);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace shardy::tools
