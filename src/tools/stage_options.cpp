#include "tools/stage_options.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "shardy/resharding/cost_text.hpp"
#include "tools/option_readers.hpp"
#include "tools/rule_options.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

std::string check_axis_costs(const std::string& text) {
  const auto model = parse_cost_model(text);
  return model ? "" : model.error().message;
}

CLI::Option* add_file(CLI::App& command, CommandOptions& options) {
  return command.add_option(
      "FILE", options.file,
      "MLIR text or a JSON graph, whatever it is called; - reads standard input");
}

void add_import_option(CLI::App& command, CommandOptions& options, bool is_convert) {
  using passes::ImportForm;
  const auto choose = [&options](const std::string& text) {
    options.import_form = text == "gspmd"        ? ImportForm::Gspmd
                          : text == "round-trip" ? ImportForm::RoundTrip
                          : text == "none"       ? ImportForm::None
                                                 : ImportForm::Auto;
  };
  command
      .add_option_function<std::string>(
          "--import", choose,
          is_convert ? "turn mhlo.sharding and xla.sdy text into sdy"
                     : "which shardings that are no sdy are read: auto (default), gspmd, "
                       "round-trip, none")
      ->check(CLI::IsMember({"auto", "gspmd", "round-trip", "none"}));
}

void add_export_option(CLI::App& command, CommandOptions& options) {
  using passes::ExportForm;
  const auto choose = [&options](const std::string& text) {
    options.export_form = text == "sdy"                             ? ExportForm::Sdy
                          : text == "gspmd" || text == "mhlo"       ? ExportForm::Gspmd
                          : text == "gspmd-v3" || text == "mhlo-v3" ? ExportForm::GspmdNamed
                          : text.ends_with("-v3")                   ? ExportForm::RoundTripNamed
                                                                    : ExportForm::RoundTrip;
  };
  command
      .add_option_function<std::string>(
          "--to,--shardings", choose,
          "how shardings are written: sdy, mhlo (gspmd), mhlo-v3 (gspmd-v3), sdy-round-trip "
          "(round-trip), sdy-round-trip-v3 (round-trip-v3)")
      ->check(CLI::IsMember({"sdy", "mhlo", "gspmd", "mhlo-v3", "gspmd-v3", "sdy-round-trip",
                             "round-trip", "sdy-round-trip-v3", "round-trip-v3"}));
}

void add_propagation_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--dedup-functions-fully",
                   options.stages.compile.pipeline.importing.dedup_functions_fully,
                   "one sharding assignment per function, whoever calls it");
  add_rule_options(command, options.context);
}

namespace {

void add_plan_kind(CLI::App& command, const char* name, const char* help, PlanKind& kind) {
  const auto choose = [&kind](const std::string& text) {
    kind = text == "best" ? PlanKind::Best : PlanKind::Reference;
  };
  command.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember({"reference", "best"}));
}

}  // namespace

void add_resharding_options(CLI::App& command, CommandOptions& options) {
  passes::ReshardChoice& choice = options.stages.compile.pipeline.exporting.resharding;
  add_plan_kind(command, "--resharding",
                "which collectives: those of Shardy, or the cheapest (default)", choice.plans);
  add_plan_kind(command, "--common-axes",
                "where the tensors of an op meet: where Shardy brings them (default), or where it "
                "costs least",
                choice.common_axes);
  command
      .add_option("--axis-cost", choice.axis_costs,
                  "links, bandwidth and latency of mesh axes: x=ring:100GB/s:1us,y=full")
      ->check(check_axis_costs);
}

namespace {

/// "none", "all", or names of rules.
std::string read_collective_rules(const std::string& text,
                                  std::optional<std::vector<std::string>>& rules) {
  const std::vector<std::string> all = checking::all_collective_rules();
  if (text == "all") {
    rules = all;
    return "";
  }
  rules.emplace();
  if (text == "none") return "";
  for (const std::string& name : CLI::detail::split(text, ',')) {
    if (name == "none" || name == "all") return name + " stands alone, or rules do";
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      return "no such rule: " + name + "; there are none, all, " + joined(all);
    }
    rules->push_back(name);
  }
  return "";
}

}  // namespace

void add_collective_options(CLI::App& command, CommandOptions& options) {
  checking::CollectiveOptions& collectives = options.stages.compile.collectives;
  add_option(command, "--optimize-collectives",
             "rewrites after which collectives send less: none, all (default where reshards are "
             "the cheapest), or rules with commas between them",
             [&collectives](const std::string& text) {
               return read_collective_rules(text, collectives.rules);
             });
  add_option(command, "--combine-bytes",
             "all-reduces that become one have so many bytes in all, at most (65536)",
             bytes_into(collectives.combine_bytes));
  add_option(command, "--max-gather-bytes",
             "products of operands that have more bytes gathered become loops; 0: all of them",
             bytes_into(collectives.max_gather_bytes));
}

}  // namespace shardy::tools
