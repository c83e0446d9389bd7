// Changes one annotation of a list as hints do.
//
//   %w [{"a"}, {}], dot [{"a"}, {}]   ->   %w [{"a"}, {}]
//                                          %w [{"a"}, {"b"}], dot [{"a"}, {}]
//                                          %w [{"a"}, {}], dot [{"a"}, {}], tanh [{}, {"a"}]
#include "autoshard/hint_neighbors.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "autoshard/program_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using report::AnnotationChange;
using report::AnnotationPlace;
using report::AnnotationSite;

namespace {

/// Applies changes of annotations to one list.
class NeighborList {
 public:
  /// `program` is `searched` with `changes`.
  NeighborList(const Module& searched, const Module& program, std::span<const SourceChange> changes)
      : searched_(searched),
        program_(program),
        changes_(changes),
        main_(*searched.main_function()) {
    for (const OpId op : written_ops(searched)) written_.insert(op);
  }

  /// Returns the list with the change; std::nullopt if an annotation of the source would change, or
  /// one that the search does not write.
  std::optional<std::vector<SourceChange>> with(const AnnotationChange& change) const {
    const AnnotationSite site = report::site_of(program_, change.place);
    switch (site.kind) {
      case AnnotationSite::Kind::Argument:
        return with_end(Kind::Argument, change,
                        ir::arg_sharding(searched_, main_, change.place.index));
      case AnnotationSite::Kind::Result:
        return with_end(Kind::Result, change,
                        ir::result_sharding(searched_, main_, change.place.index));
      case AnnotationSite::Kind::Constraint:
        return with_copy(site.op, change);
      case AnnotationSite::Kind::Op:
      case AnnotationSite::Kind::None:
        return with_op(program_.defining_op(change.place.value), change);
    }
    return std::nullopt;
  }

 private:
  using Kind = SourceChange::Kind;
  using List = std::vector<SourceChange>;

  /// Replaces, adds or removes a change. `at` is its index, or the size of the list.
  List replaced(std::size_t at, SourceChange change,
                const std::optional<TensorSharding>& sharding) const {
    List list(changes_.begin(), changes_.end());
    if (at < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    if (!sharding) return list;
    change.shardings = {*sharding};
    change.node = -1;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), std::move(change));
    return list;
  }

  std::size_t index_of(Kind kind, uint32_t index, OpId op) const {
    const auto found = std::ranges::find_if(changes_, [&](const SourceChange& each) {
      return each.kind == kind && each.index == index && each.op == op;
    });
    return static_cast<std::size_t>(found - changes_.begin());
  }

  std::optional<List> with_end(Kind kind, const AnnotationChange& change,
                               const std::optional<TensorSharding>& own) const {
    if (change.place.function != main_ || own) return std::nullopt;
    const std::size_t at = index_of(kind, change.place.index, {});
    return replaced(at, {.kind = kind, .index = change.place.index}, change.sharding);
  }

  std::optional<List> with_op(OpId op, const AnnotationChange& change) const {
    const bool is_single = op.valid() && program_.num_results(op) == 1;
    if (!is_single || !written_.contains(op)) return std::nullopt;
    if (ir::get_sharding(searched_, searched_.result(op)) ||
        searched_.is(op, ir::OpKind::SdyManualComputation)) {
      return std::nullopt;
    }
    const std::size_t at = index_of(Kind::OpResults, 0, op);
    return replaced(at, {.kind = Kind::OpResults, .op = op}, change.sharding);
  }

  /// Changes the copy whose constraint is `op`.
  std::optional<List> with_copy(OpId op, const AnnotationChange& change) const {
    const auto found = std::ranges::find_if(changes_, [&](const SourceChange& each) {
      return each.kind == Kind::Copy && std::ranges::any_of(each.uses, [&](const ir::Use& use) {
               return program_.operand(use.op, use.operand) == program_.result(op);
             });
    });
    if (found == changes_.end()) return std::nullopt;
    return replaced(static_cast<std::size_t>(found - changes_.begin()), *found, change.sharding);
  }

  const Module& searched_;
  const Module& program_;
  std::span<const SourceChange> changes_;
  OpId main_;
  std::unordered_set<OpId> written_;  // never iterated
};

}  // namespace

std::vector<std::vector<SourceChange>> hint_neighbors(const Module& searched,
                                                      std::span<const SourceChange> changes,
                                                      const AutoshardOptions& options,
                                                      const checking::Context& context) {
  constexpr std::size_t kKinds = 10;  // of collectives, as for hints
  Module program = searched;
  apply_changes(program, changes);
  const auto compiled = report::compile_for_report(program, options.compile, context);
  const auto reasons = report::Reasons::make(program, options.compile, context);
  if (!compiled || !reasons) return {};
  std::vector<AnnotationChange> tried =
      report::hint_candidates(report::make_report(*compiled, options.model), *reasons, kKinds);
  for (AnnotationChange& each : report::argument_candidates(program, compiled->propagated)) {
    tried.push_back(std::move(each));
  }
  const NeighborList neighbors(searched, program, changes);
  std::vector<std::vector<SourceChange>> lists;
  for (const AnnotationChange& each : tried) {
    auto list = neighbors.with(each);
    if (list) lists.push_back(*std::move(list));
  }
  return lists;
}

}  // namespace shardy::autoshard
