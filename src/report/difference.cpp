#include "shardy/report/difference.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shardy::report {

Cost cost_of(const Report& report) {
  return {.bytes = report.all.bytes,
          .count = report.all.count,
          .seconds = report.all.seconds,
          .peak_bytes = report.peak.bytes,
          .operations = report.work.per_device};
}

double modelled_seconds(const Cost& cost, double operations_per_second) {
  return cost.seconds + cost.operations / operations_per_second;
}

namespace {

using ValueKey = std::tuple<std::string_view, std::string_view, int64_t>;  // maker, type, n-th

std::vector<ValueKey> keys_of(const std::vector<Value>& values) {
  std::map<std::pair<std::string_view, std::string_view>, int64_t> counts;
  std::vector<ValueKey> keys;
  keys.reserve(values.size());
  for (const Value& value : values) {
    keys.emplace_back(value.made_by, value.type, counts[{value.made_by, value.type}]++);
  }
  return keys;
}

void compare_values(const Report& before, const Report& after, Difference& difference) {
  std::map<ValueKey, const Value*> old;
  const std::vector<ValueKey> old_keys = keys_of(before.values);
  for (std::size_t at = 0; at < old_keys.size(); ++at) old[old_keys[at]] = &before.values[at];
  const std::vector<ValueKey> new_keys = keys_of(after.values);
  int64_t matched = 0;
  for (std::size_t at = 0; at < new_keys.size(); ++at) {
    const Value& now = after.values[at];
    const auto found = old.find(new_keys[at]);
    if (found == old.end()) {
      ++difference.values_after;
      continue;
    }
    ++matched;
    const Value& was = *found->second;
    if (was.sharding == now.sharding) continue;
    difference.shardings.push_back(
        {now.made_by, now.location, now.type, was.sharding, now.sharding});
  }
  difference.values_before = static_cast<int64_t>(before.values.size()) - matched;
}

void compare_collectives(const Report& before, const Report& after, Difference& difference) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, CollectiveChange> changes;
  const auto change_of = [&](const Collective& row) -> CollectiveChange& {
    const auto [found, is_new] = changes.try_emplace({row.kind, row.axes, row.type, row.serves});
    if (is_new) found->second = {row.kind, row.axes, row.type, row.serves};
    return found->second;
  };
  for (const Collective& row : before.collectives) {
    CollectiveChange& change = change_of(row);
    change.count_before += row.times.count;
    change.bytes_before += row.times.count * row.bytes;
  }
  for (const Collective& row : after.collectives) {
    CollectiveChange& change = change_of(row);
    change.count_after += row.times.count;
    change.bytes_after += row.times.count * row.bytes;
  }
  for (auto& [key, change] : changes) {
    if (change.count_before == change.count_after) continue;
    difference.collectives.push_back(std::move(change));
  }
  std::ranges::stable_sort(difference.collectives, {}, [](const CollectiveChange& change) {
    return change.bytes_before - change.bytes_after;
  });
}

}  // namespace

bool Difference::is_worse(double tolerance) const {
  const auto exceeds = [&](double was, double now) { return now > was * (1 + tolerance); };
  return exceeds(static_cast<double>(before.bytes), static_cast<double>(after.bytes)) ||
         exceeds(before.seconds, after.seconds) ||
         exceeds(static_cast<double>(before.peak_bytes), static_cast<double>(after.peak_bytes));
}

Difference difference(const Report& before, const Report& after) {
  Difference found{
      .before = cost_of(before), .after = cost_of(after), .shardings = {}, .collectives = {}};
  compare_values(before, after, found);
  compare_collectives(before, after, found);
  return found;
}

}  // namespace shardy::report
