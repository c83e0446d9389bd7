#include "shardy/report/alike.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "shardy/support/math.hpp"

namespace shardy::report {

std::vector<Alike> alike(const std::vector<const Collective*>& rows) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Key, std::size_t> places;
  std::set<std::pair<std::size_t, std::string_view>> seen;  // rows and locations
  std::vector<Alike> all;
  for (const Collective* row : rows) {
    SHARDY_EXPECTS(row != nullptr);
    const auto [found, is_new] =
        places.try_emplace({row->kind, row->axes, row->type, row->serves}, all.size());
    if (is_new) all.push_back({.first = row, .locations = {}});
    Alike& fold = all[found->second];
    if (seen.emplace(found->second, row->location).second && !row->location.empty()) {
      fold.locations.push_back(row->location);
    }
    const auto bytes = checked_mul(row->times.count, row->bytes);
    fold.bytes = saturating_add(fold.bytes, bytes.value_or(std::numeric_limits<int64_t>::max()));
    fold.count = saturating_add(fold.count, row->times.count);
    fold.seconds += static_cast<double>(row->times.count) * row->seconds;
    fold.is_exact = fold.is_exact && row->times.is_exact;
  }
  std::ranges::stable_sort(all, std::greater<>(), &Alike::bytes);
  return all;
}

std::vector<Alike> alike(const Report& report) {
  std::vector<const Collective*> rows;
  rows.reserve(report.collectives.size());
  for (const Collective& row : report.collectives) rows.push_back(&row);
  return alike(rows);
}

}  // namespace shardy::report
