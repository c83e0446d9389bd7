// Resolves the options of a search: annotations that must hold, and ties of results to arguments.
#include "autoshard/search_setup.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "ir/program_facts.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using report::AnnotationPlace;

Status check_options(const AutoshardOptions& options) {
  SHARDY_TRY_STATUS(report::check_rates(options.rates));
  SHARDY_TRY_STATUS(check_costs(options.model));
  const double feed = options.feed_bytes_per_second;
  if (feed != 0 && !(std::isfinite(feed) && feed >= 1)) {
    return fail("bytes per second of the feed: " + std::to_string(feed) +
                " is not allowed; 0 or a finite number from 1 on is");
  }
  if (!(options.uneven >= 0 && options.uneven < 1)) {
    return fail("the share of padding: " + std::to_string(options.uneven) +
                " is not allowed; 0 or a share below 1 is");
  }
  if (options.candidates < 1) return fail("the number of candidates must be at least 1");
  if (options.num_threads < 0) return fail("the number of threads is negative");
  if (options.effort < 1) return fail("the effort must be at least 1");
  if (options.memory && *options.memory < 0) return fail("the limit of memory is negative");
  return {};
}

namespace {

void remove_all_annotations(Module& module) {
  for (const OpId function : module.functions()) {
    ir::FunctionData& data = module.function(function);
    for (ir::AttributeMap& attributes : data.arg_attributes) attributes.erase(ir::kShardingAttr);
    for (ir::AttributeMap& attributes : data.result_attributes) attributes.erase(ir::kShardingAttr);
  }
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::SdyShardingConstraint)) {
      module.replace_all_uses(module.result(op), module.operand(op, 0));
      module.erase(op);
    } else if (module.num_results(op) > 0) {
      module.attributes(op).erase(ir::kShardingAttr);
    }
  }
}

}  // namespace

Result<Module> search_program(const Module& module, const AutoshardOptions& options) {
  Module searched = module;
  std::vector<report::Setting> settings;
  for (const std::string& value : options.free) settings.push_back({value, "none"});
  SHARDY_TRY_STATUS(report::annotate(searched, settings));
  if (options.ignore_annotations) remove_all_annotations(searched);
  SHARDY_TRY_STATUS(report::annotate(searched, options.fix));
  return searched;
}

Result<Module> program_on_mesh(const Module& module, const Mesh& mesh, bool ignore_annotations) {
  Module moved = module;
  if (ignore_annotations) remove_all_annotations(moved);
  const std::vector<OpId> present = moved.meshes();
  if (!ir::meshes_in_use(moved, moved.functions()).empty()) {
    return fail(
        "the program has shardings on its own mesh; --ignore-annotations removes those of "
        "arguments, results and ops");
  }
  std::string name(present.empty() ? ir::attr::kMesh : moved.symbol_name(present.front()));
  for (const OpId op : present) moved.erase(op);
  const OpId first = moved.first_op(moved.body());
  if (!first.valid()) {
    moved.add_mesh(name, mesh);
    return moved;
  }
  ir::OpSpec spec{.kind = ir::OpKind::SdyMesh};
  spec.attributes.set(ir::attr::kSymName, std::move(name));
  spec.attributes.set(ir::attr::kMesh, mesh);
  moved.insert_before(first, moved.create(std::move(spec)));
  return moved;
}

// ---- Ties ---------------------------------------------------------------------------------------

namespace {

/// Returns the argument or result of main with the name. Error: the name is another place.
Result<AnnotationPlace> end_of_main(const Module& module, const text::WrittenValues& names,
                                    const std::string& name, AnnotationPlace::Kind kind) {
  auto place = report::find_annotation_place(names, name);
  if (!place) return tl::unexpected(with_prefix("tie of " + name + ": ", place.error()));
  const bool is_end = place->kind == kind && place->function == *module.main_function();
  if (is_end) return place;
  const bool is_argument = kind == AnnotationPlace::Kind::Argument;
  return fail("tie of " + name + ": not " +
              (is_argument ? "an argument of main; allowed is one such as %arg0"
                           : "a result of main; allowed is one such as result 0"));
}

Status add_tie(const Module& module, const text::WrittenValues& names, const ResultTie& tie,
               std::vector<ModelTie>& ties) {
  SHARDY_TRY(const AnnotationPlace result,
             end_of_main(module, names, tie.result, AnnotationPlace::Kind::Result));
  SHARDY_TRY(const AnnotationPlace argument,
             end_of_main(module, names, tie.argument, AnnotationPlace::Kind::Argument));
  const std::string what = "tie of " + tie.result + " to " + tie.argument + ": ";
  const ir::Type& from = report::type_of(module, argument);
  const ir::Type& to = report::type_of(module, result);
  if (!(from == to)) {
    return fail(what + "the types " + ir::to_string(to) + " and " + ir::to_string(from) +
                " differ; a tie needs equal types");
  }
  const auto known = std::ranges::find(ties, result.index, &ModelTie::result);
  if (known == ties.end()) {
    ties.push_back({argument.index, result.index});
    return {};
  }
  if (known->argument == argument.index) return {};
  const auto args = module.args(module.entry(*module.main_function()));
  return fail(what + "the result is tied to " +
              report::place_name(names, {.value = args[known->argument]}) +
              " as well; --untie 'result " + std::to_string(result.index) + "' removes that tie");
}

}  // namespace

Result<ModelOptions> model_options(const Module& module, const AutoshardOptions& options) {
  ModelOptions asked{.costs = options.model,
                     .plans = options.compile.pipeline.exporting.resharding.plans,
                     .rates = options.rates,
                     .all_orders = options.all_orders,
                     .uneven = options.uneven,
                     .has_phases = options.memory.has_value(),
                     .feed_bytes_per_second = options.feed_bytes_per_second};
  if (options.memory) asked.limit = *options.memory;
  if (!module.main_function()) return fail("the program has no main function");
  for (const report::BufferTie& tie : report::buffer_ties(module, false)) {
    asked.ties.push_back({tie.argument.index, tie.result.index});
  }
  const text::WrittenValues names(module);
  for (const std::string& name : options.untie) {
    SHARDY_TRY(const AnnotationPlace result,
               end_of_main(module, names, name, AnnotationPlace::Kind::Result));
    std::erase_if(asked.ties, [&](const ModelTie& tie) { return tie.result == result.index; });
  }
  for (const ResultTie& tie : options.ties) {
    SHARDY_TRY_STATUS(add_tie(module, names, tie, asked.ties));
  }
  return asked;
}

std::vector<bool> tied_arguments(const Module& module, const std::vector<ModelTie>& ties) {
  std::vector<bool> is_tied(module.args(module.entry(*module.main_function())).size(), false);
  for (const ModelTie& tie : ties) is_tied[tie.argument] = true;
  return is_tied;
}

}  // namespace shardy::autoshard
