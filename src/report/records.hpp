// The members of result records, with their names, order and values, for JSON and Python.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::report {

// Each function returns the members in order: a name, the member with this name, the next name, and
// so on. A member is a pointer to a data member or to a function of the record. Members whose
// function returns a pointer are omitted in Python, and in JSON if the pointer is null. The
// argument of the function only selects the type.

constexpr auto members_of(const Diagnostic* /*type*/) {
  return std::make_tuple(
      "severity", [](const Diagnostic& diagnostic) { return to_string(diagnostic.severity); },
      "code", &Diagnostic::code, "message", &Diagnostic::message, "location", &Diagnostic::location,
      "notes", &Diagnostic::notes);
}

/// Members of a replication note. Spec: partitioning 5.10.
constexpr auto members_of(const partitioning::ReplicationNote* /*type*/) {
  using Note = partitioning::ReplicationNote;
  return std::make_tuple(
      "kind", [](const Note& note) { return to_string(note.kind); }, "op", &Note::op, "location",
      &Note::location, "tensor", &Note::tensor, "dims", &Note::dims, "axes", &Note::axes, "reason",
      &Note::reason, "bytes_moved", &Note::bytes_moved, "bytes_held", &Note::bytes_held);
}

/// Members of a rewrite. Spec: resharding C.8.
constexpr auto members_of(const passes::CollectiveRewrite* /*type*/) {
  using Rewrite = passes::CollectiveRewrite;
  return std::make_tuple("rule", &Rewrite::rule, "op", &Rewrite::op, "location", &Rewrite::location,
                         "bytes_before", &Rewrite::bytes_before, "bytes_after",
                         &Rewrite::bytes_after, "messages_before", &Rewrite::messages_before,
                         "messages_after", &Rewrite::messages_after);
}

// ---- Collectives and their causes ---------------------------------------------------------------

/// Returns a member of the propagation step in an AxisStep.
template <auto kMember>
auto of_propagation(const AxisStep& step) {
  return step.kind == AxisStep::Kind::Step ? &(step.*kMember) : nullptr;
}

inline std::string_view kind_name(const AxisStep& step) {
  constexpr std::string_view kNames[] = {"annotation", "import", "group", "step", "skipped"};
  return kNames[static_cast<std::size_t>(step.kind)];
}

constexpr auto members_of(const AxisStep* /*type*/) {
  return std::make_tuple(
      "kind", &kind_name, "value", &AxisStep::value, "op", &of_propagation<&AxisStep::op>,
      "location", &of_propagation<&AxisStep::location>, "factor",
      &of_propagation<&AxisStep::factor>, "direction", &of_propagation<&AxisStep::direction>);
}

constexpr auto members_of(const AxisOrigin* /*type*/) {
  return std::make_tuple("dim", &AxisOrigin::dim, "axis", &AxisOrigin::axis, "steps",
                         &AxisOrigin::steps);
}

constexpr auto members_of(const TensorOrigin* /*type*/) {
  return std::make_tuple("role", &TensorOrigin::role, "name", &TensorOrigin::name, "sharding",
                         &TensorOrigin::sharding, "axes", &TensorOrigin::axes);
}

constexpr auto members_of(const Cause* /*type*/) {
  return std::make_tuple("tensors", &Cause::tensors, "conflicts", &Cause::conflicts);
}

constexpr auto members_of(const Collective* /*type*/) {
  return std::make_tuple(
      "kind", &Collective::kind, "axes", &Collective::axes, "type", &Collective::type, "serves",
      &Collective::serves, "location", &Collective::location, "times",
      [](const Collective& row) { return row.times.count; }, "times_known",
      [](const Collective& row) { return row.times.is_exact; }, "bytes", &Collective::bytes,
      "messages", &Collective::messages, "seconds", &Collective::seconds, "axis_bytes",
      &Collective::axis_bytes, "because",
      [](const Collective& row) { return row.cause ? &*row.cause : nullptr; });
}

// ---- Reports ------------------------------------------------------------------------------------

/// Python also has `messages`.
constexpr auto members_of(const Total* /*type*/) {
  return std::make_tuple("name", &Total::name, "count", &Total::count, "bytes", &Total::bytes,
                         "seconds", &Total::seconds);
}

constexpr auto members_of(const LiveValue* /*type*/) {
  return std::make_tuple("made_by", &LiveValue::made_by, "type", &LiveValue::type, "location",
                         &LiveValue::location, "bytes", &LiveValue::bytes);
}

constexpr auto members_of(const MemoryPeak* /*type*/) {
  return std::make_tuple("bytes", &MemoryPeak::bytes, "op", &MemoryPeak::op, "location",
                         &MemoryPeak::location, "live", &MemoryPeak::live);
}

constexpr auto members_of(const ReportedValue* /*type*/) {
  return std::make_tuple("made_by", &ReportedValue::made_by, "location", &ReportedValue::location,
                         "type", &ReportedValue::type, "sharding", &ReportedValue::sharding,
                         "local_type", &ReportedValue::local_type, "local_bytes",
                         &ReportedValue::local_bytes, "padding_bytes",
                         &ReportedValue::padding_bytes);
}

/// Members of the traffic. JSON has the modelled time between `seconds` and `operations_once`.
constexpr auto traffic_members_of(const Report* /*type*/) {
  return std::make_tuple(
      "devices", [](const Report& report) { return report.work.devices; }, "bytes",
      [](const Report& report) { return report.all.bytes; }, "collectives_run",
      [](const Report& report) { return report.all.count; }, "seconds",
      [](const Report& report) { return report.all.seconds; });
}
constexpr auto members_of(const Report* /*type*/) {
  return std::make_tuple(
      "operations_once", [](const Report& report) { return report.work.once; },
      "operations_per_device", [](const Report& report) { return report.work.per_device; },
      "efficiency", [](const Report& report) { return report.work.efficiency(); }, "collectives",
      &Report::collectives, "by_kind", &Report::by_kind, "by_axis", &Report::by_axis, "by_location",
      &Report::by_location, "peak", &Report::peak, "values", &Report::values);
}

// ---- Comparisons --------------------------------------------------------------------------------

constexpr auto members_of(const Cost* /*type*/) {
  return std::make_tuple("bytes", &Cost::bytes, "collectives", &Cost::count, "peak_bytes",
                         &Cost::peak_bytes, "seconds", &Cost::seconds, "operations",
                         &Cost::operations);
}

constexpr auto members_of(const CollectiveChange* /*type*/) {
  using Change = CollectiveChange;
  return std::make_tuple("kind", &Change::kind, "axes", &Change::axes, "type", &Change::type,
                         "serves", &Change::serves, "count_before", &Change::count_before,
                         "count_after", &Change::count_after, "bytes_before", &Change::bytes_before,
                         "bytes_after", &Change::bytes_after);
}

constexpr auto members_of(const ShardingChange* /*type*/) {
  using Change = ShardingChange;
  return std::make_tuple("made_by", &Change::made_by, "location", &Change::location, "type",
                         &Change::type, "before", &Change::before, "after", &Change::after);
}

/// Costs of a sweep's strategy. In Python, a rejected strategy has infinite costs.
constexpr auto members_of(const StrategyResult* /*type*/) {
  using Result = StrategyResult;
  return std::make_tuple(
      "seconds", &Result::seconds, "collective_seconds",
      [](const Result& each) { return each.cost.seconds; }, "peak_bytes",
      [](const Result& each) { return each.cost.peak_bytes; }, "bytes",
      [](const Result& each) { return each.cost.bytes; }, "operations",
      [](const Result& each) { return each.cost.operations; });
}

// ---- Runs ---------------------------------------------------------------------------------------

constexpr auto members_of(const simulation::Traffic* /*type*/) {
  return std::make_tuple("count", &simulation::Traffic::count, "bytes_sent_per_device",
                         &simulation::Traffic::bytes_sent);
}

constexpr auto members_of(const simulation::RankTraffic* /*type*/) {
  using simulation::RankTraffic;
  return std::make_tuple("messages_sent", &RankTraffic::messages_sent, "bytes_sent",
                         &RankTraffic::bytes_sent);
}

constexpr auto members_of(const checking::ResultCheck* /*type*/) {
  using Result = checking::ResultCheck;
  return std::make_tuple(
      "equal", &Result::equal, "largest_difference",
      [](const Result& each) { return each.difference.largest; }, "allowed",
      [](const Result& each) { return each.tolerance.allowed(each.difference.magnitude); },
      "mismatches", [](const Result& each) { return each.difference.mismatches; });
}

constexpr auto members_of(const checking::Accuracy* /*type*/) {
  using checking::Accuracy;
  return std::make_tuple("sharded", &Accuracy::sharded, "unsharded", &Accuracy::unsharded);
}

constexpr auto members_of(const ShardHolder* /*type*/) {
  return std::make_tuple("device", &ShardHolder::device, "replica", &ShardHolder::replica,
                         "summand", &ShardHolder::summand);
}

// ---- Reading the tables -------------------------------------------------------------------------

template <class T>
concept Record = requires(const T* type) {
  members_of(type);
};

/// Calls `visit(name, get)` for each member of a table, in order.
template <class Visit, class... Members>
void visit_members(const std::tuple<Members...>& members, Visit visit) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    (visit(std::get<2 * kIndex>(members), std::get<2 * kIndex + 1>(members)), ...);
  }
  (std::make_index_sequence<sizeof...(Members) / 2>());
}

}  // namespace shardy::report
