// Automatic sharding: model, choice, candidates by their reports, fewest annotations.
#include "shardy/autoshard/autoshard.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "autoshard/emission.hpp"
#include "autoshard/program_model.hpp"
#include "report/buffer_ties.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;

namespace {

// ---- Options and annotations --------------------------------------------------------------------

Status check_options(const AutoshardOptions& options) {
  SHARDY_TRY_STATUS(report::check_rates(options.rates));
  SHARDY_TRY_STATUS(check_costs(options.model));
  if (options.rates.hidden_share != 0) {
    return fail("autoshard does not support hidden collectives; the hidden share must be 0");
  }
  if (options.candidates < 1) return fail("the number of candidates must be at least 1");
  if (options.effort < 1) return fail("the effort must be at least 1");
  if (options.memory && *options.memory < 0) return fail("the limit of memory is negative");
  return {};
}

void remove_all_annotations(Module& module) {
  const auto main = module.main_function();
  if (!main) return;
  ir::FunctionData& data = module.function(*main);
  for (ir::AttributeMap& attributes : data.arg_attributes) attributes.erase(ir::kShardingAttr);
  for (ir::AttributeMap& attributes : data.result_attributes) attributes.erase(ir::kShardingAttr);
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::SdyShardingConstraint)) {
      module.replace_all_uses(module.result(op), module.operand(op, 0));
      module.erase(op);
    } else if (module.num_results(op) > 0) {
      module.attributes(op).erase(ir::kShardingAttr);
    }
  }
}

/// Returns the program whose annotations hold in the search.
Result<Module> search_program(const Module& module, const AutoshardOptions& options) {
  Module searched = module;
  std::vector<report::Setting> settings;
  for (const std::string& value : options.free) settings.push_back({value, "none"});
  SHARDY_TRY_STATUS(report::annotate(searched, settings));
  if (options.ignore_annotations) remove_all_annotations(searched);
  SHARDY_TRY_STATUS(report::annotate(searched, options.fix));
  return searched;
}

ModelOptions model_options(const Module& module, const AutoshardOptions& options) {
  ModelOptions asked{.costs = options.model,
                     .plans = options.compile.pipeline.exporting.resharding.plans,
                     .rates = options.rates,
                     .all_orders = options.all_orders};
  if (options.memory) asked.limit = *options.memory;
  for (const report::BufferTie& tie : report::buffer_ties(module, false)) {
    asked.ties.push_back({tie.argument.index, tie.result.index});
  }
  return asked;
}

// ---- Candidates ---------------------------------------------------------------------------------

/// A program and its price.
struct Candidate {
  std::vector<SourceChange> changes;
  ProgramPrice price;
};

auto order_of(const ProgramPrice& price) {
  return std::tuple(price.seconds, price.cost.peak_bytes, price.cost.bytes);
}

/// One search.
class Autosharder {
 public:
  Autosharder(const Module& source, Module searched, const AutoshardOptions& options,
              const checking::Context& context)
      : source_(source), searched_(std::move(searched)), options_(options), context_(context) {}

  DiagnosedResult<FoundSharding> run() {
    if (Diagnostics errors = price_source(); !errors.empty()) return tl::unexpected(errors);
    auto model =
        ProgramModel::make(searched_, context_.ops.rules, model_options(source_, options_));
    if (!model) return tl::unexpected(Diagnostics{model.error()});
    found_.is_complete = model->is_complete();
    found_.num_nodes = model->nodes().size();
    if (Status searched = search(*model); !searched) {
      return tl::unexpected(Diagnostics{searched.error()});
    }
    finish();
    return std::move(found_);
  }

 private:
  bool fits(const ProgramPrice& price) const {
    return !options_.memory || price.cost.peak_bytes <= *options_.memory;
  }
  /// Orders programs that fit by time, and others, after them, by peak memory.
  bool is_better(const ProgramPrice& a, const ProgramPrice& b) const {
    if (fits(a) != fits(b)) return fits(a);
    if (!fits(a)) return a.cost.peak_bytes < b.cost.peak_bytes;
    return order_of(a) < order_of(b);
  }

  void note(std::string stage) const {
    if (!options_.on_progress) return;
    options_.on_progress(
        {std::move(stage), found_.model.bound_fs, found_.model.price_fs, found_.num_programs});
  }

  /// Compiles the program as it is. It is a candidate only if it keeps to the fixed values.
  Diagnostics price_source() {
    note("compiling the program");
    auto compiled = report::compile_for_report(source_, options_.compile, context_);
    if (!compiled) return std::move(compiled).error();
    found_.diagnostics = compiled->diagnostics;
    found_.before = price_of(*compiled);
    ++found_.num_programs;
    if (options_.fix.empty()) {
      own_ = found_.before;
    } else {
      own_ = price({});
    }
    return {};
  }

  ProgramPrice price_of(const checking::CompiledProgram& compiled) const {
    const report::Cost cost = report::cost_of(report::make_report(compiled, options_.model));
    return {cost, report::device_time(compiled, options_.model, options_.rates).total()};
  }

  /// Returns the price of the searched program with the changes; std::nullopt for errors.
  std::optional<ProgramPrice> price(std::span<const SourceChange> changes) {
    Module module = searched_;
    apply_changes(module, changes);
    const auto compiled = report::compile_for_report(module, options_.compile, context_);
    ++found_.num_programs;
    if (compiled) return price_of(*compiled);
    ++found_.num_refused;
    return std::nullopt;
  }

  /// Solves the model and compiles its choices. Programs that need more memory than in the model,
  /// as for offsets of slices, are searched again with a lower limit.
  Status search(const ProgramModel& model) {
    constexpr int kRounds = 4;
    CostNetwork network = model.network();
    for (int round = 0; round < kRounds; ++round) {
      choices_.clear();
      const NetworkSolution first = found_.model;
      SHARDY_TRY_STATUS(solve_network(network));
      const bool is_found = !found_.model.choice.empty();
      if (round > 0) found_.model = first;  // its bound is of the limit that was asked for
      try_choices(model);
      const bool is_done = !options_.memory || !best_ || fits(best_->price) || !is_found ||
                           tried_ == options_.candidates || options_.stop.stop_requested();
      if (is_done) return {};
      network.limit -= best_->price.cost.peak_bytes - *options_.memory;
      if (network.limit < 0) return {};
    }
    return {};
  }

  Status solve_network(const CostNetwork& network) {
    note("solving");
    SolveOptions solving{.effort = options_.effort, .stop = options_.stop};
    solving.on_progress = [&](const SolveProgress& progress) {
      found_.model.bound_fs = progress.bound_fs;
      found_.model.price_fs = progress.price_fs;
      if (!progress.choice.empty()) {
        choices_.emplace_back(progress.choice.begin(), progress.choice.end());
      }
      note("solving");
    };
    SHARDY_TRY(found_.model, solve(network, solving));
    if (!found_.model.choice.empty()) choices_.push_back(found_.model.choice);
    if (!found_.model.choice.empty() || !options_.memory) return {};
    SHARDY_TRY(const NetworkSolution least, solve_least_peak(network, solving));
    if (!least.choice.empty()) choices_.push_back(least.choice);
    return {};
  }

  /// Compiles the last choices of the solver, the best first.
  void try_choices(const ProgramModel& model) {
    std::ranges::reverse(choices_);
    for (const std::vector<int32_t>& choice : choices_) {
      if (tried_ == options_.candidates || (tried_ > 0 && options_.stop.stop_requested())) return;
      std::vector<SourceChange> changes = changes_of(model, choice, searched_);
      if (best_ && changes == best_->changes) continue;
      ++tried_;
      note("compiling candidates");
      const std::optional<ProgramPrice> found = price(changes);
      if (found && (!best_ || is_better(*found, best_->price))) {
        best_ = Candidate{std::move(changes), *found};
      }
    }
  }

  void finish() {
    found_.program = source_;
    const bool keeps_own = !best_ || (own_ && !is_better(best_->price, *own_));
    if (keeps_own) {
      found_.program = options_.fix.empty() ? source_ : searched_;
      found_.after = own_.value_or(found_.before);
    } else {
      drop_annotations();
      found_.program = searched_;
      apply_changes(found_.program, best_->changes);
      found_.after = best_->price;
    }
    found_.fits = fits(found_.after);
    std::vector<SourceChange> changes;
    if (!keeps_own) changes = best_->changes;
    add_edits(changes);
    found_.is_changed = !found_.edits.empty();
  }

  /// Leaves out annotations while the report has no larger time, peak or bytes.
  void drop_annotations() {
    const ProgramPrice limit = best_->price;
    const auto is_good = [&](std::span<const SourceChange> changes) {
      if (options_.stop.stop_requested()) return false;
      note("dropping annotations");
      const std::optional<ProgramPrice> found = price(changes);
      const bool is_as_good = found && found->seconds <= limit.seconds * (1 + 1e-12) &&
                              found->cost.peak_bytes <= limit.cost.peak_bytes;
      if (is_as_good) best_->price = *found;
      return is_as_good;
    };
    best_->changes = fewest_changes(std::move(best_->changes), is_good);
    if (const auto found = price(best_->changes)) best_->price = *found;
  }

  // ---- Edits ------------------------------------------------------------------------------------

  void add_edits(std::span<const SourceChange> changes) {
    const text::WrittenValues names(source_);
    const OpId main = *source_.main_function();
    const auto args = source_.args(source_.entry(main));
    for (uint32_t index = 0; index < args.size(); ++index) {
      add_edit(names, {report::AnnotationPlace::Kind::Argument, main, index, args[index]},
               ir::arg_sharding(found_.program, main, index));
    }
    for (uint32_t index = 0; index < source_.function(main).result_types.size(); ++index) {
      add_edit(names, {report::AnnotationPlace::Kind::Result, main, index, {}},
               ir::result_sharding(found_.program, main, index));
    }
    for (const OpId op : source_.ops(source_.entry(main))) add_op_edits(names, op);
    for (const SourceChange& change : changes) {
      if (change.kind == SourceChange::Kind::Copy) add_copy_edit(names, change);
    }
  }

  static std::optional<std::string> text_of(const std::optional<TensorSharding>& sharding) {
    return sharding ? std::optional(to_string(*sharding)) : std::nullopt;
  }

  void add_edit(const text::WrittenValues& names, const report::AnnotationPlace& place,
                const std::optional<TensorSharding>& after) {
    const std::optional<TensorSharding> before = report::annotation(source_, place);
    if (before == after) return;
    const report::AnnotationSite site = report::site_of(source_, place);
    AnnotationEdit edit;
    edit.edit = {.place = place,
                 .value = report::place_name(names, place),
                 .constrained = {},
                 .location = site.op.valid() ? source_.source_location(site.op) : Location(),
                 .before = text_of(before),
                 .after = text_of(after)};
    found_.edits.push_back(std::move(edit));
  }

  /// Adds the changes of constraints and of `sdy.sharding` of one op.
  void add_op_edits(const text::WrittenValues& names, OpId op) {
    const bool is_erased = found_.program.is_erased(op);
    for (uint32_t index = 0; index < source_.num_results(op); ++index) {
      const ir::ValueId value = source_.result(op, index);
      const auto before = ir::get_sharding(source_, value);
      const auto after = is_erased ? std::nullopt : ir::get_sharding(found_.program, value);
      if (before == after) continue;
      AnnotationEdit edit;
      const report::AnnotationPlace place{.value = value};
      const bool is_constraint = source_.is(op, ir::OpKind::SdyShardingConstraint);
      edit.edit = {.place = place,
                   .value = report::place_name(names, place),
                   .constrained = is_constraint
                                      ? report::place_name(names, {.value = source_.operand(op, 0)})
                                      : "",
                   .location = source_.source_location(op),
                   .before = text_of(before),
                   .after = text_of(after)};
      edit.is_op_attribute = !is_constraint;
      found_.edits.push_back(std::move(edit));
    }
  }

  void add_copy_edit(const text::WrittenValues& names, const SourceChange& change) {
    const OpId reader = change.uses.front().op;
    AnnotationEdit edit;
    const report::AnnotationPlace place{.value = change.value};
    edit.edit = {.place = place,
                 .value = report::place_name(names, place),
                 .constrained = {},
                 .location = source_.source_location(reader),
                 .before = std::nullopt,
                 .after = to_string(change.shardings.front())};
    edit.before_op = std::string(source_.name(reader));
    edit.is_shared = change.is_shared;
    found_.edits.push_back(std::move(edit));
  }

  const Module& source_;
  Module searched_;
  const AutoshardOptions& options_;
  const checking::Context& context_;
  FoundSharding found_;
  std::optional<ProgramPrice> own_;  // of the program as it is, if it keeps to the fixed values
  std::vector<std::vector<int32_t>> choices_;
  std::size_t tried_ = 0;
  std::optional<Candidate> best_;
};

}  // namespace

DiagnosedResult<FoundSharding> autoshard(const Module& module, const AutoshardOptions& options,
                                         const checking::Context& context) {
  if (const Status valid = check_options(options); !valid) {
    return tl::unexpected(Diagnostics{valid.error()});
  }
  auto searched = search_program(module, options);
  if (!searched) return tl::unexpected(Diagnostics{searched.error()});
  return Autosharder(module, *std::move(searched), options, context).run();
}

Result<CostNetwork> make_network(const Module& module, const AutoshardOptions& options,
                                 const checking::Context& context) {
  SHARDY_TRY_STATUS(check_options(options));
  SHARDY_TRY(const Module searched, search_program(module, options));
  SHARDY_TRY(const ProgramModel model,
             ProgramModel::make(searched, context.ops.rules, model_options(module, options)));
  return model.network();
}

DiagnosedResult<ProgramPrice> price_of_program(const Module& module,
                                               const AutoshardOptions& options,
                                               const checking::Context& context) {
  if (const Status valid = check_options(options); !valid) {
    return tl::unexpected(Diagnostics{valid.error()});
  }
  const auto compiled = report::compile_for_report(module, options.compile, context);
  if (!compiled) return tl::unexpected(compiled.error());
  const report::Cost cost = report::cost_of(report::make_report(*compiled, options.model));
  return ProgramPrice{cost, report::device_time(*compiled, options.model, options.rates).total()};
}

Result<Module> annotated_program(const Module& module, std::span<const int32_t> choice,
                                 const AutoshardOptions& options,
                                 const checking::Context& context) {
  SHARDY_TRY_STATUS(check_options(options));
  SHARDY_TRY(Module searched, search_program(module, options));
  SHARDY_TRY(const ProgramModel model,
             ProgramModel::make(searched, context.ops.rules, model_options(module, options)));
  SHARDY_TRY_STATUS(check_choice(model.network(), choice));
  if (price_of(model.network(), choice) >= kForbidden) return fail("the choice is forbidden");
  apply_changes(searched, changes_of(model, choice, searched));
  return searched;
}

}  // namespace shardy::autoshard
