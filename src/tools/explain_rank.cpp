#include "tools/explain_rank.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "text/error_places.hpp"

namespace shardy::tools {

using propagation::AbsentAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;

std::string axis_name_of(std::string_view axis) {
  const std::size_t sub_axis = axis.rfind("\":(");
  if (sub_axis != std::string_view::npos) axis = axis.substr(0, sub_axis + 1);
  if (axis.size() < 2) return std::string(axis);
  return std::string(axis.substr(1, axis.size() - 2));
}

bool is_on_line(const std::string& location, const std::string& wanted) {
  return wanted.empty() || location.find(wanted) != std::string::npos ||
         text::place_text(location).find(wanted) != std::string::npos;
}

// ---- What follows from conflicts ----------------------------------------------------------------

namespace {

/// Collectives by the place of the op that they serve.
class CollectivesByPlace {
 public:
  explicit CollectivesByPlace(const report::Report& report) {
    for (const report::Collective& each : report.collectives) {
      at_[place_of_served(each)].push_back(&each);
    }
  }

  std::vector<Following> after(const ExplainedConflict& conflict) const {
    const bool is_result = conflict.op == "function result";
    const auto found = at_.find(is_result ? std::string(kReturn) : conflict.location);
    if (found == at_.end() || found->first.empty()) return {};
    std::vector<Following> all;
    for (const report::Collective* each : found->second) {
      if (is_along(*each, axis_name_of(conflict.axis))) add(all, *each);
    }
    std::ranges::stable_sort(all, std::greater<>(), &Following::bytes);
    return all;
  }

 private:
  static constexpr std::string_view kReturn = "func.return";

  static std::string place_of_served(const report::Collective& each) {
    return each.serves == kReturn ? std::string(kReturn) : each.location;
  }
  static bool is_along(const report::Collective& each, const std::string& axis) {
    const auto has_axis = [&](const report::AxisBytes& load) { return load.axis == axis; };
    return each.axes.find("\"" + axis + "\"") != std::string::npos ||
           std::ranges::any_of(each.axis_bytes, has_axis);
  }
  static void add(std::vector<Following>& all, const report::Collective& each) {
    auto same = std::ranges::find_if(all, [&](const Following& other) {
      return std::tie(other.kind, other.axes, other.type) ==
             std::tie(each.kind, each.axes, each.type);
    });
    if (same == all.end()) same = all.insert(all.end(), {each.kind, each.axes, each.type});
    same->count += each.times.count;
    same->bytes += each.times.count * each.bytes;
  }

  std::map<std::string, std::vector<const report::Collective*>> at_;
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
    for (const Following& each : row.following) row.bytes += each.bytes;
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedConflict::bytes);
  return ranked;
}

// ---- Replicated values --------------------------------------------------------------------------

namespace {

/// Places and axes of conflicts.
using ConflictPlaces = std::set<std::pair<std::string, std::string>>;

bool is_told_as_conflict(const AbsentAxis& absent, const ConflictPlaces& conflicts) {
  const bool is_of_op =
      absent.why == AbsentAxis::Why::Lost || absent.why == AbsentAxis::Why::Closed;
  return is_of_op && conflicts.contains({absent.location, axis_name_of(absent.axis)});
}

auto reason_of(const AbsentAxis& absent) {
  return std::tie(absent.why, absent.op, absent.location, absent.holder, absent.dim, absent.factor);
}

/// Returns the type of a value of the source program, or of a function result, `result 0`.
const ir::Type* type_of_value(const ExplainedValue& value, const ir::Module& module) {
  if (value.value.valid()) return &module.type(value.value);
  for (const ir::OpId function : module.functions()) {
    if (module.symbol_name(function) != value.function) continue;
    const auto& types = module.function(function).result_types;
    for (std::size_t index = 0; index < types.size(); ++index) {
      if (value.name == "result " + std::to_string(index)) return &types[index];
    }
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

/// One row for each reason.
std::vector<ReplicatedValue> rows_of(const ExplainedValue& value, const ConflictPlaces& conflicts) {
  std::vector<ReplicatedValue> rows;
  for (const AbsentAxis& absent : value.absent) {
    if (is_told_as_conflict(absent, conflicts)) continue;
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
    conflicts.insert({each.location, axis_name_of(each.axis)});
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

}  // namespace shardy::tools
