// Lists edits of annotations.
//
//   %w: tensor<8x4xf32> {sdy.sharding = [{}, {}]}   ->   %w: [{}, {}] becomes [{"a"}, {}]
#include <algorithm>
#include <compare>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "autoshard/emission.hpp"
#include "autoshard/program_ops.hpp"
#include "passes/common/functions.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using report::AnnotationPlace;

namespace {

std::optional<std::string> text_of(const std::optional<TensorSharding>& sharding) {
  return sharding ? std::optional(to_string(*sharding)) : std::nullopt;
}

class EditList {
 public:
  EditList(const Module& source, const Module& program, std::span<const SourceChange> changes)
      : source_(source), program_(program), changes_(changes), names_(source) {}

  std::vector<ChangedEdit> run() {
    const OpId main = *source_.main_function();
    add_arguments(main);
    for (uint32_t index = 0; index < source_.function(main).result_types.size(); ++index) {
      add({AnnotationPlace::Kind::Result, main, index, {}},
          ir::result_sharding(program_, main, index),
          change_of(SourceChange::Kind::Result, index, {}));
    }
    for (const OpId op : written_ops(source_)) add_op(op);
    for (const auto& [call, function] : passes::single_calls(source_)) add_arguments(function);
    for (const SourceChange& change : changes_) {
      if (change.kind == SourceChange::Kind::Copy) add_copy(change);
    }
    return std::move(edits_);
  }

 private:
  void add_arguments(OpId function) {
    const bool is_main = function == *source_.main_function();
    const auto args = source_.args(source_.entry(function));
    for (uint32_t index = 0; index < args.size(); ++index) {
      add({AnnotationPlace::Kind::Argument, function, index, args[index]},
          ir::arg_sharding(program_, function, index),
          change_of(SourceChange::Kind::Argument, index, is_main ? OpId() : function));
    }
  }

  std::optional<SourceChange> change_of(SourceChange::Kind kind, uint32_t index, OpId op) const {
    const auto found = std::ranges::find_if(changes_, [&](const SourceChange& change) {
      const bool is_argument = kind == SourceChange::Kind::Argument;
      const bool is_place = change.kind == kind && change.index == index && change.op == op;
      const bool is_at = op.valid() && !is_argument ? change.op == op : is_place;
      return is_at && change.kind != SourceChange::Kind::Copy;
    });
    if (found == changes_.end()) return std::nullopt;
    SourceChange change = *found;
    if (change.kind == SourceChange::Kind::OpResults) change.port = index;
    return change;
  }

  void add(const AnnotationPlace& place, const std::optional<TensorSharding>& after,
           std::optional<SourceChange> change) {
    const std::optional<TensorSharding> before = report::annotation(source_, place);
    if (before == after) return;
    const report::AnnotationSite site = report::site_of(source_, place);
    AnnotationEdit edit;
    edit.edit = {.place = place,
                 .value = report::place_name(names_, place),
                 .constrained = {},
                 .location = site.op.valid() ? source_.source_location(site.op) : Location(),
                 .before = text_of(before),
                 .after = text_of(after)};
    edits_.push_back({std::move(edit), std::move(change)});
  }

  /// Adds the changes of the operands of a manual computation, as those of the arguments of its
  /// body.
  void add_body_arguments(OpId op) {
    const auto args = source_.args(source_.block(op));
    for (const ir::ValueId arg : args) {
      const auto before = ir::get_sharding(source_, arg);
      const auto after = ir::get_sharding(program_, arg);
      if (before == after) continue;
      const AnnotationPlace place{.kind = AnnotationPlace::Kind::Attribute, .value = arg};
      AnnotationEdit edit;
      edit.edit = {.place = place,
                   .value = report::place_name(names_, {.value = arg}),
                   .constrained = {},
                   .location = source_.source_location(op),
                   .before = text_of(before),
                   .after = text_of(after)};
      edit.is_op_attribute = true;
      edits_.push_back({std::move(edit), std::nullopt});
    }
  }

  /// Adds the changes of constraints and of `sdy.sharding` for one op.
  void add_op(OpId op) {
    const bool is_manual = source_.is(op, ir::OpKind::SdyManualComputation);
    if (is_manual) add_body_arguments(op);
    const bool is_erased = program_.is_erased(op);
    for (uint32_t index = 0; index < source_.num_results(op); ++index) {
      const ir::ValueId value = source_.result(op, index);
      const auto before = ir::get_sharding(source_, value);
      const auto after = is_erased ? std::nullopt : ir::get_sharding(program_, value);
      if (before == after) continue;
      AnnotationEdit edit;
      AnnotationPlace place{.value = value};
      const std::string name = report::place_name(names_, place);
      const bool is_constraint = source_.is(op, ir::OpKind::SdyShardingConstraint);
      // Without an attribute, an annotation of the value would be a constraint.
      if (!is_constraint && !before) place.kind = AnnotationPlace::Kind::Attribute;
      edit.edit = {
          .place = place,
          .value = name,
          .constrained =
              is_constraint ? report::place_name(names_, {.value = source_.operand(op, 0)}) : "",
          .location = source_.source_location(op),
          .before = text_of(before),
          .after = text_of(after)};
      edit.is_op_attribute = !is_constraint;
      // The results of a call can have different nodes, so they have no reasons. Those of a manual
      // computation change together.
      std::optional<SourceChange> change;
      if (!is_manual && !source_.is(op, ir::OpKind::FuncCall)) {
        change = change_of(SourceChange::Kind::OpResults, index, op);
      }
      edits_.push_back({std::move(edit), std::move(change)});
    }
  }

  void add_copy(const SourceChange& change) {
    const OpId reader = change.uses.front().op;
    AnnotationEdit edit;
    AnnotationPlace place{.kind = AnnotationPlace::Kind::Use, .value = change.value};
    if (!change.is_shared) {
      place.function = reader;
      place.index = change.uses.front().operand;
    }
    edit.edit = {.place = place,
                 .value = report::place_name(names_, {.value = change.value}),
                 .constrained = {},
                 .location = source_.source_location(reader),
                 .before = std::nullopt,
                 .after = to_string(change.shardings.front())};
    edit.before_op = std::string(source_.name(reader));
    edit.is_shared = change.is_shared && !change.is_group;
    edit.num_users = change.uses.size();
    edit.copy = change.copy;
    edits_.push_back({std::move(edit), change});
  }

  const Module& source_;
  const Module& program_;
  std::span<const SourceChange> changes_;
  text::WrittenValues names_;
  std::vector<ChangedEdit> edits_;
};

}  // namespace

std::vector<ChangedEdit> annotation_edits(const Module& source, const Module& program,
                                          std::span<const SourceChange> changes) {
  return EditList(source, program, changes).run();
}

// Minimizes a list of groups of changes: all groups are dropped, then halves, then single groups.
// "without a-d: yes" means that the program is as good without a to d.
//
//   a b c d e f g h   without a-h: no   ->   without a-d: yes, without e-h: no
//   e f g h           without e f: no, without g h: yes   ->   e f

namespace {

/// The number of lists that are tested in one call.
constexpr std::size_t kBatch = 4;
/// The number of groups up to which single groups are tried first.
constexpr std::size_t kFewGroups = 64;

/// The changes [begin, end).
struct ChangeRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend auto operator<=>(const ChangeRange&, const ChangeRange&) = default;
  friend bool operator==(const ChangeRange&, const ChangeRange&) = default;
};

/// Returns the indices at which two digests differ, without the last ones, which depend on all
/// copies.
std::set<std::size_t> differences(std::span<const std::size_t> a, std::span<const std::size_t> b) {
  std::set<std::size_t> indices;
  for (std::size_t at = 0; at + 1 < std::min(a.size(), b.size()); ++at) {
    if (a[at] != b[at]) indices.insert(at);
  }
  return indices;
}

class Reduction {
 public:
  Reduction(ChangeGroups changes, const ChangeTest& test)
      : changes_(std::move(changes.changes)),
        groups_(changes.families.empty() ? changes.groups : std::move(changes.families)),
        single_groups_(std::move(changes.groups)),
        is_kept_(changes_.size(), true),
        test_(test) {}

  ChangeGroups run() {
    if (changes_.empty()) return {};
    const ChangeRange all{0, changes_.size()};
    const std::vector<Flags> ends{without({&all, 1}), is_kept_};
    const std::vector<ChangeAnswer> answers = test(ends);
    if (answers.front().is_good) return {};
    digest_ = answers.back().digest;
    if (groups().size() > kFewGroups) {
      std::vector<ChangeRange> halves;
      add_halves(all, halves);
      drop({halves.begin(), halves.end()});
    }
    drop_groups();
    groups_ = single_groups_;
    drop_groups();
    return {kept(is_kept_), kept_groups(), {}};
  }

 private:
  /// A range that could not be dropped.
  struct Failure {
    std::set<std::size_t> touched;  // indices of the digest that change without the range
    std::size_t num_dropped = 0;    // size of dropped_ before
  };

  std::vector<std::size_t> kept_groups() const {
    std::vector<std::size_t> groups;
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      if (is_kept_[at]) groups.push_back(groups_[at]);
    }
    return groups;
  }
  /// Returns the groups that are kept.
  std::deque<ChangeRange> groups() const {
    std::deque<ChangeRange> ranges;
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      if (!is_kept_[at]) continue;
      const bool is_new = ranges.empty() || groups_[at] != groups_[ranges.back().begin];
      if (is_new) ranges.push_back({at, at});
      ranges.back().end = at + 1;
    }
    return ranges;
  }

  using Flags = std::vector<bool>;

  std::size_t num_kept() const {
    return static_cast<std::size_t>(std::ranges::count(is_kept_, true));
  }
  std::vector<SourceChange> kept(const Flags& flags) const {
    std::vector<SourceChange> list;
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      if (flags[at]) list.push_back(changes_[at]);
    }
    return list;
  }
  Flags without(std::span<const ChangeRange> ranges) const {
    Flags flags = is_kept_;
    for (const ChangeRange& range : ranges) {
      for (std::size_t at = range.begin; at < range.end; ++at) flags[at] = false;
    }
    return flags;
  }

  /// Drops single groups until none can be dropped: after later ones, an earlier one may become
  /// unnecessary. A group that failed is tried again only if a later drop changed shardings that it
  /// changes, too.
  void drop_groups() {
    for (std::size_t before = 0; before != num_kept();) {
      before = num_kept();
      std::deque<ChangeRange> ranges = groups();
      std::erase_if(ranges, [&](const ChangeRange& range) { return still_fails(range); });
      drop(std::move(ranges));
    }
  }

  bool still_fails(const ChangeRange& range) const {
    const auto failure = failures_.find(range);
    if (failure == failures_.end()) return false;
    return std::ranges::none_of(
        std::span(dropped_).subspan(failure->second.num_dropped), [&](const auto& indices) {
          return std::ranges::any_of(
              indices, [&](std::size_t index) { return failure->second.touched.contains(index); });
        });
  }

  /// Drops ranges that are not needed. Tries the halves of the other ranges.
  void drop(std::deque<ChangeRange> ranges) {
    while (!ranges.empty()) {
      std::vector<ChangeRange> batch;
      while (!ranges.empty() && batch.size() < kBatch) {
        batch.push_back(ranges.front());
        ranges.pop_front();
      }
      std::vector<Flags> tries;
      tries.reserve(batch.size());
      for (const ChangeRange& range : batch) tries.push_back(without({&range, 1}));
      const std::vector<ChangeAnswer> answers = test(tries);
      std::vector<ChangeRange> next;
      std::vector<ChangeRange> good;
      const ChangeAnswer* first = nullptr;
      for (std::size_t at = 0; at < batch.size(); ++at) {
        if (answers[at].is_good) {
          if (good.empty()) first = &answers[at];
          good.push_back(batch[at]);
        } else {
          failures_[batch[at]] = {differences(answers[at].digest, digest_), dropped_.size()};
          add_halves(batch[at], next);
        }
      }
      accept(good, first, next);
      std::ranges::sort(next, {}, &ChangeRange::begin);
      ranges.insert(ranges.begin(), next.begin(), next.end());
    }
  }

  /// Adds the halves of a range of several groups. The halves consist of whole groups.
  void add_halves(const ChangeRange& range, std::vector<ChangeRange>& next) const {
    std::size_t middle = range.begin + (range.end - range.begin) / 2;
    while (middle > range.begin && groups_[middle] == groups_[middle - 1]) --middle;
    if (middle == range.begin) {
      ++middle;
      while (middle < range.end && groups_[middle] == groups_[middle - 1]) ++middle;
    }
    if (middle == range.end) return;
    next.push_back({range.begin, middle});
    next.push_back({middle, range.end});
  }

  /// Drops ranges that can each be dropped. Drops all of them if possible, otherwise the first one,
  /// for which `first` is the answer.
  void accept(std::span<const ChangeRange> good, const ChangeAnswer* first,
              std::vector<ChangeRange>& next) {
    if (good.empty()) return;
    if (good.size() == 1) return take(without(good), *first);
    const std::vector<Flags> all{without(good)};
    const ChangeAnswer answer = test(all).front();
    if (answer.is_good) return take(all.front(), answer);
    take(without(good.first(1)), *first);
    next.insert(next.end(), good.begin() + 1, good.end());
  }

  void take(Flags flags, const ChangeAnswer& answer) {
    is_kept_ = std::move(flags);
    dropped_.push_back(differences(answer.digest, digest_));
    digest_ = answer.digest;
  }

  /// Tests the lists that did not fail before.
  std::vector<ChangeAnswer> test(const std::vector<Flags>& tries) {
    std::vector<ChangeAnswer> all(tries.size());
    std::vector<std::size_t> asked;
    std::vector<std::vector<SourceChange>> lists;
    for (std::size_t at = 0; at < tries.size(); ++at) {
      if (const auto failed = failed_.find(tries[at]); failed != failed_.end()) {
        all[at] = failed->second;
        continue;
      }
      asked.push_back(at);
      lists.push_back(kept(tries[at]));
    }
    if (lists.empty()) return all;
    std::vector<ChangeAnswer> answers = test_(lists);
    for (std::size_t at = 0; at < asked.size(); ++at) {
      if (!answers[at].is_good) failed_[tries[asked[at]]] = answers[at];
      all[asked[at]] = std::move(answers[at]);
    }
    return all;
  }

  std::vector<SourceChange> changes_;
  std::vector<std::size_t> groups_;         // per change; equal numbers are consecutive
  std::vector<std::size_t> single_groups_;  // per change: its part of a group
  std::vector<bool> is_kept_;
  const ChangeTest& test_;
  std::vector<std::size_t> digest_;             // with the changes that are kept
  std::vector<std::set<std::size_t>> dropped_;  // indices of the digest that each drop changed
  std::map<ChangeRange, Failure> failures_;     // by range
  std::map<Flags, ChangeAnswer> failed_;
};

}  // namespace

ChangeGroups fewest_changes(ChangeGroups changes, const ChangeTest& test) {
  return Reduction(std::move(changes), test).run();
}

}  // namespace shardy::autoshard
