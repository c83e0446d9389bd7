// Drops annotations. Those of op results are dropped first, because propagation adds most of them
// again.
//
//   %w [{"a"}, {}], dot [{}, {}], tanh [{}, {}]   --without those of ops, the price grows-->
//   %w [{"a"}, {}], dot [{}, {}]                  --without %w, it does not grow----------->   dot
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "autoshard/program_pricer.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::autoshard {

namespace {

bool is_partial(const SourceChange& change) {
  return change.kind == SourceChange::Kind::OpResults &&
         std::ranges::any_of(change.shardings, [](const TensorSharding& each) {
           return !each.unreduced_axes().empty();
         });
}

ChangeGroups selected(const ChangeGroups& all, const std::vector<bool>& is_kept) {
  ChangeGroups kept;
  for (std::size_t at = 0; at < is_kept.size(); ++at) {
    if (!is_kept[at]) continue;
    kept.changes.push_back(all.changes[at]);
    kept.groups.push_back(all.groups[at]);
  }
  return kept;
}

/// Returns the changes of `all` that `kept` has, in the order of `all`.
ChangeGroups only(const ChangeGroups& all, const ChangeGroups& kept) {
  std::vector<bool> is_kept;
  for (const SourceChange& change : all.changes) {
    is_kept.push_back(std::ranges::find(kept.changes, change) != kept.changes.end());
  }
  return selected(all, is_kept);
}

}  // namespace

bool is_within(const std::optional<ProgramPrice>& price, const ProgramPrice& limit) {
  return price && price->seconds <= limit.seconds * (1 + 1e-12) &&
         price->cost.peak_bytes <= limit.cost.peak_bytes;
}

/// Returns the indices of annotations of op results, in program order.
std::vector<std::size_t> AnnotationDropper::changes_by_op(const ChangeGroups& all) const {
  std::unordered_map<ir::OpId, std::size_t> position;  // never iterated
  for (const ir::OpId op : ir::pre_order(program_)) position.emplace(op, position.size());
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < all.changes.size(); ++at) {
    if (all.changes[at].kind == SourceChange::Kind::OpResults) order.push_back(at);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t at) { return position.at(all.changes[at].op); });
  return order;
}

std::vector<ChangeAnswer> AnnotationDropper::are_as_cheap(
    std::span<const std::vector<SourceChange>> lists, const ProgramPrice& limit) {
  note_();
  std::vector<ChangeAnswer> answers(lists.size());
  if (stop_.stop_requested()) return answers;
  std::vector<PricedChanges> programs = pricer_.price_each(lists, is_exact_);
  for (std::size_t at = 0; at < lists.size(); ++at) {
    answers[at] = {is_within(programs[at].price, limit), std::move(programs[at].digest)};
  }
  return answers;
}

namespace {

/// Keeps the first `most` groups, in an order of changes, at whose ops shardings differ. Returns
/// how many were added.
std::size_t keep_differing(const ChangeGroups& all, std::span<const std::size_t> order,
                           const std::function<bool(std::size_t)>& differs, std::size_t most,
                           std::vector<bool>& is_kept) {
  std::size_t added = 0;
  for (const std::size_t at : order) {
    if (added == most) break;
    if (is_kept[at] || !differs(all.changes[at].op.index())) continue;
    for (std::size_t other = 0; other < is_kept.size(); ++other) {
      if (all.groups[other] == all.groups[at]) is_kept[other] = true;
    }
    ++added;
  }
  return added;
}

}  // namespace

/// Returns changes with which the price is within the limit: at first all changes except those of
/// complete op results. Then the first groups of these are added at whose ops shardings differ from
/// those with all changes, in each round twice as many.
ChangeGroups AnnotationDropper::sufficient(const ChangeGroups& all, const ProgramPrice& limit) {
  std::vector<bool> is_kept;
  for (const SourceChange& change : all.changes) {
    is_kept.push_back(change.kind != SourceChange::Kind::OpResults || is_partial(change));
  }
  const std::vector<std::size_t> order = changes_by_op(all);
  std::optional<ShardingDigest> wanted;
  for (std::size_t count = 1; !stop_.stop_requested(); count *= 2) {
    ChangeGroups kept = selected(all, is_kept);
    if (are_as_cheap({{kept.changes}}, limit).front().is_good) return kept;
    if (!wanted) wanted = pricer_.digest_all({{all.changes}}).front();
    const auto digest = pricer_.digest_all({{kept.changes}}).front();
    if (!wanted || !digest) break;
    const auto differs = [&](std::size_t op) { return (*digest)[op] != (*wanted)[op]; };
    if (keep_differing(all, order, differs, count, is_kept) == 0) break;
  }
  return all;
}

namespace {

/// Sets of groups that were joined. The name of a set is its least group.
class JoinedGroups {
 public:
  std::size_t root(std::size_t group) const {
    for (auto found = parent_.find(group); found != parent_.end(); found = parent_.find(group)) {
      group = found->second;
    }
    return group;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::map<std::size_t, std::size_t> parent_;
};

}  // namespace

/// Makes a family of the groups of partial results, of the partial results that are computed from
/// them, and of their copies. Without some of these changes, a value is reduced at another op.
ChangeGroups AnnotationDropper::with_families(const ChangeGroups& all) const {
  std::unordered_map<ir::ValueId, std::vector<std::size_t>> readers;  // groups; never iterated
  for (std::size_t at = 0; at < all.changes.size(); ++at) {
    const SourceChange& change = all.changes[at];
    if (change.kind == SourceChange::Kind::Copy) readers[change.value].push_back(all.groups[at]);
    if (!is_partial(change)) continue;
    for (const ir::ValueId value : program_.operands(change.op)) {
      readers[value].push_back(all.groups[at]);
    }
  }
  JoinedGroups joined;
  for (std::size_t at = 0; at < all.changes.size(); ++at) {
    if (!is_partial(all.changes[at])) continue;
    for (const ir::ValueId value : program_.results(all.changes[at].op)) {
      for (const std::size_t reader : readers[value]) joined.join(all.groups[at], reader);
    }
  }
  std::vector<std::size_t> order(all.changes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return joined.root(all.groups[at]); });
  ChangeGroups families;
  for (const std::size_t at : order) {
    families.changes.push_back(all.changes[at]);
    families.groups.push_back(all.groups[at]);
    families.families.push_back(joined.root(all.groups[at]));
  }
  return families;
}

/// Drops changes that propagation adds again.
ChangeGroups AnnotationDropper::without_propagated(ChangeGroups changes) {
  const auto wanted = pricer_.digest_all({{changes.changes}}).front();
  if (!wanted) return changes;
  std::iota(changes.groups.begin(), changes.groups.end(), 0);
  return fewest_changes(std::move(changes), [&](std::span<const std::vector<SourceChange>> lists) {
    note_();
    std::vector<ChangeAnswer> answers(lists.size());
    if (stop_.stop_requested()) return answers;
    auto digests = pricer_.digest_all(lists);
    for (std::size_t at = 0; at < lists.size(); ++at) {
      const bool is_equal = digests[at] == wanted;
      answers[at] = {is_equal, std::move(digests[at]).value_or(ShardingDigest())};
    }
    return answers;
  });
}

std::vector<SourceChange> AnnotationDropper::without_families(std::vector<SourceChange> changes,
                                                              const ProgramPrice& limit,
                                                              bool only_partial) {
  ChangeGroups all{std::move(changes), {}, {}};
  all.groups.resize(all.changes.size());
  std::iota(all.groups.begin(), all.groups.end(), 0);
  const ChangeGroups families = with_families(all);
  std::set<std::size_t> is_tried;
  for (std::size_t at = 0; at < families.changes.size(); ++at) {
    if (only_partial && !is_partial(families.changes[at])) continue;
    is_tried.insert(families.families[at]);
  }
  ChangeGroups tried;
  std::vector<SourceChange> fixed;
  for (std::size_t at = 0; at < families.changes.size(); ++at) {
    if (!is_tried.contains(families.families[at])) {
      fixed.push_back(families.changes[at]);
      continue;
    }
    tried.changes.push_back(families.changes[at]);
    tried.groups.push_back(families.families[at]);
  }
  const auto with_fixed = [&](std::vector<SourceChange> list) {
    list.insert(list.end(), fixed.begin(), fixed.end());
    return list;
  };
  ChangeGroups kept =
      fewest_changes(std::move(tried), [&](std::span<const std::vector<SourceChange>> lists) {
        std::vector<std::vector<SourceChange>> whole;
        for (const std::vector<SourceChange>& list : lists) whole.push_back(with_fixed(list));
        return are_as_cheap(whole, limit);
      });
  kept.changes = with_fixed(std::move(kept.changes));
  return only(all, kept).changes;
}

std::optional<DroppedChanges> AnnotationDropper::run(const ChangeGroups& all,
                                                     const ProgramPrice& limit) {
  const ChangeTest is_as_cheap = [&](std::span<const std::vector<SourceChange>> lists) {
    return are_as_cheap(lists, limit);
  };
  for (const bool is_exact : {false, true}) {
    is_exact_ = is_exact;
    ChangeGroups few = sufficient(all, limit);
    few = only(few, fewest_changes(with_families(few), is_as_cheap));
    const bool has_groups = std::ranges::adjacent_find(few.groups) != few.groups.end();
    if (has_groups) few = without_propagated(std::move(few));
    const auto price = pricer_.price_all({{few.changes}}, true).front();
    if (is_within(price, limit)) return DroppedChanges{std::move(few.changes), *price};
  }
  return std::nullopt;
}

}  // namespace shardy::autoshard
