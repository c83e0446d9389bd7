// Lists edits of annotations.
//
//   %w: tensor<8x4xf32> {sdy.sharding = [{}, {}]}   ->   %w: [{}, {}] becomes [{"a"}, {}]
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "autoshard/answer.hpp"
#include "autoshard/program_ops.hpp"
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
    const auto args = source_.args(source_.entry(main));
    for (uint32_t index = 0; index < args.size(); ++index) {
      add({AnnotationPlace::Kind::Argument, main, index, args[index]},
          ir::arg_sharding(program_, main, index),
          change_of(SourceChange::Kind::Argument, index, {}));
    }
    for (uint32_t index = 0; index < source_.function(main).result_types.size(); ++index) {
      add({AnnotationPlace::Kind::Result, main, index, {}},
          ir::result_sharding(program_, main, index),
          change_of(SourceChange::Kind::Result, index, {}));
    }
    for (const OpId op : searched_ops(source_, source_.entry(main))) add_op(op);
    for (const SourceChange& change : changes_) {
      if (change.kind == SourceChange::Kind::Copy) add_copy(change);
    }
    return std::move(edits_);
  }

 private:
  std::optional<SourceChange> change_of(SourceChange::Kind kind, uint32_t index, OpId op) const {
    const auto found = std::ranges::find_if(changes_, [&](const SourceChange& change) {
      const bool is_at =
          op.valid() ? change.op == op : change.kind == kind && change.index == index;
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

  /// Adds the changes of constraints and of `sdy.sharding` for one op.
  void add_op(OpId op) {
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
      edits_.push_back({std::move(edit), change_of(SourceChange::Kind::OpResults, index, op)});
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
    edit.is_shared = change.is_shared;
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

}  // namespace shardy::autoshard
