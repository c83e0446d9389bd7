#include "tools/command_model.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/usage.hpp"

namespace shardy::tools {

namespace {

struct ExampleRow {
  std::string_view command;
  std::string_view example;
};

constexpr std::array kExamples = {
    ExampleRow{"run", "shardy run model.mlir --check"},
    ExampleRow{"run", "shardy run model.mlir --devices data=4,model=2 --trace trace.json"},
    ExampleRow{"propagate", "shardy propagate model.mlir"},
    ExampleRow{"propagate", "shardy propagate model.mlir --to=mhlo -o sharded.mlir"},
    ExampleRow{"partition", "shardy partition model.mlir -o device.mlir"},
    ExampleRow{"partition", "shardy partition model.mlir --collectives=stablehlo"},
    ExampleRow{"check", "shardy check model.mlir"},
    ExampleRow{"check", "shardy check model.mlir --cases 1000 --reduce small.mlir"},
    ExampleRow{"report", "shardy report model.mlir --axis-cost model=ring:100GB/s:1us"},
    ExampleRow{"report", "shardy report model.mlir --memory --line model.py:31"},
    ExampleRow{"report", "shardy report model.mlir --why --top 3"},
    ExampleRow{"diff", "shardy diff model.mlir model_fsdp.mlir"},
    ExampleRow{"diff", "shardy diff model.mlir --after '%arg0=[{\"x\"}, {}]'"},
    ExampleRow{"diff", "shardy diff before.mlir after.mlir --tolerance 5%"},
    ExampleRow{"hints", "shardy hints model.mlir --top 3"},
    ExampleRow{"hints", "shardy hints model.mlir --apply -o faster.mlir"},
    ExampleRow{"autoshard", "shardy autoshard model.mlir --memory 16GB"},
    ExampleRow{"autoshard", "shardy autoshard model.mlir --apply -o sharded.mlir"},
    ExampleRow{"view", "shardy view model.mlir --hints"},
    ExampleRow{"view", "shardy view model.mlir --after '%arg0=[{\"x\"}, {}]' -o compared.html"},
    ExampleRow{"explain", "shardy explain model.mlir --value %16"},
    ExampleRow{"explain", "shardy explain model.mlir --value model.py:31"},
    ExampleRow{"convert", "shardy convert model.mlir -o model.json"},
    ExampleRow{"convert", "shardy convert - --emit mlir --generic < model.json"},
    ExampleRow{"opt", "shardy opt model.mlir --sdy-propagation-pipeline"},
    ExampleRow{"opt",
               "shardy opt model.mlir --sdy-insert-explicit-reshards --sdy-reshard-to-collectives"},
    ExampleRow{"reshard",
               "shardy reshard --mesh '<[\"x\"=2, \"y\"=3]>' --shape 24x24xf32 "
               "--from '[{\"x\"}, {}]' --to '[{}, {\"x\"}]'"},
    ExampleRow{"reshard",
               "shardy reshard --mesh '<[\"x\"=4]>' --shape 8xf32 --from '[{\"x\"}]' "
               "--to '[{}]' --axis-cost x=ring:100GB/s:1us"},
    ExampleRow{"show", "shardy show model.mlir --value %16"},
    ExampleRow{"show",
               "shardy show --mesh '<[\"x\"=2, \"y\"=3]>' --shape 24x24 "
               "--sharding '[{\"x\"}, {\"y\"}]'"},
    ExampleRow{"sweep",
               "shardy sweep model.mlir --set '%arg0=[{\"x\"}, {}]' --set '%arg0=[{}, {\"x\"}]'"},
    ExampleRow{"sweep", "shardy sweep model.mlir --random 1000 --output lines.json --resume"},
    ExampleRow{"soak", "shardy soak --first 1 --cases 100000"},
    ExampleRow{"soak", "shardy soak model.mlir --findings found"},
    ExampleRow{"completion", "source <(shardy completion bash)"},
    ExampleRow{"completion", "shardy completion fish > ~/.config/fish/completions/shardy.fish"},
    ExampleRow{"help", "shardy help"},
    ExampleRow{"help", "shardy help partition"},
    ExampleRow{"help", "shardy help E_KERNEL"},
    ExampleRow{"help", "shardy help codes"},
};

/// Returns the words of a type such as `TEXT:{a,b}`.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionModel model_of(const CLI::Option& option) {
  OptionModel model{.names = {}, .help = option.get_description()};
  for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  model.takes_value = option.get_items_expected_max() > 0;
  if (model.takes_value) model.choices = choices_of(option);
  return model;
}

}  // namespace

CommandModel model_of(const CLI::App& command, std::string name) {
  CommandModel model{.name = std::move(name), .help = command.get_description()};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      model.takes_file = model.takes_file || option->get_name(true) == "FILE";
    } else {
      model.options.push_back(model_of(*option));
    }
  }
  model.examples = examples_of(model.name);
  return model;
}

std::vector<CommandModel> models_of(const CLI::App& app, const CommandModel& opt_model) {
  std::vector<CommandModel> models;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    const std::string& name = command->get_name();
    models.push_back(name == opt_model.name ? opt_model : model_of(*command, name));
    if (name == opt_model.name) models.back().help = command->get_description();
  }
  return models;
}

std::vector<std::string> examples_of(std::string_view command) {
  std::vector<std::string> examples;
  for (const ExampleRow& row : kExamples) {
    if (row.command == command) examples.emplace_back(row.example);
  }
  return examples;
}

std::string examples_text(std::string_view command) {
  std::string text = "Examples:\n";
  for (const std::string& example : examples_of(command)) text += "  " + example + "\n";
  return text;
}

namespace {

struct OptionForm {
  std::string_view name;
  std::string_view group;
  // Type of the value; empty for flags and for options with listed choices.
  std::string_view type = {};
};

constexpr std::string_view kOther = "Options";
// Groups in the order of the help page.
constexpr auto kGroups =
    std::to_array<std::string_view>({"Input", "Selection", "Propagation", "Partitioning", "Run",
                                     "Comparison", "Limits", "Search", "MPI", "Output", kOther});

// Options of all commands. An option means the same in each command.
constexpr auto kForms = std::to_array<OptionForm>({
    {"FILE", "Input", "FILE"},
    {"FILES", "Input", "FILE ..."},
    {"OTHER", "Input", "FILE"},
    {"SHELL", "Input"},
    {"--import", "Input"},
    {"--input", "Input", "FILE"},
    {"--devices", "Input", "AXIS=N,..."},
    {"--seed", "Input", "N"},
    {"--split-input-file", "Input", "TEXT"},
    {"--allow-unregistered-dialect", "Input"},
    {"--before", "Input", "VALUE=SHARDING"},
    {"--after", "Input", "VALUE=SHARDING"},
    {"--set", "Input", "VALUE=SHARDING"},
    {"--strategies", "Input", "FILE"},
    {"--random", "Input", "N"},
    {"--equal-layers", "Input"},
    {"--resume", "Input"},
    {"--mesh", "Input", "MESH"},
    {"--to-mesh", "Input", "MESH"},
    {"--shape", "Input", "SHAPE"},
    {"--sharding", "Input", "SHARDING"},
    {"--from", "Input", "SHARDING"},
    {"--to", "Output", "SHARDING"},  // of reshard; other commands have choices
    {"--value", "Selection", "VALUE"},
    {"--function", "Selection", "@NAME"},
    {"--all", "Selection"},
    {"--axis", "Selection", "AXIS"},
    {"--line", "Selection", "PLACE"},
    {"--op", "Selection", "OP"},
    {"--conflicts", "Selection"},
    {"--step", "Selection", "N"},
    {"--top", "Selection", "N"},
    {"--limit", "Selection", "N"},
    {"--memory", "Selection", "BYTES"},
    {"--why", "Selection"},
    {"--dedup-functions-fully", "Propagation"},
    {"--op-rule", "Propagation", "NAME=RULE"},
    {"--custom-call-rule", "Propagation", "NAME=RULE"},
    {"--composite-rule", "Propagation", "NAME=RULE"},
    {"--pass-pipeline", "Run", "PIPELINE"},
    {"--resharding", "Partitioning"},
    {"--common-axes", "Partitioning"},
    {"--axis-cost", "Partitioning", "AXIS=COST,..."},
    {"--optimize-collectives", "Partitioning", "RULE,..."},
    {"--combine-bytes", "Partitioning", "BYTES"},
    {"--max-gather-bytes", "Partitioning", "BYTES"},
    {"--max-live-bytes", "Partitioning", "BYTES"},
    {"--collectives", "Partitioning"},
    {"--chlo", "Partitioning"},
    {"--replica-groups", "Partitioning"},
    {"--divisible-io", "Partitioning"},
    {"--operations-per-second", "Partitioning", "RATE"},
    {"--memory-bytes-per-second", "Partitioning", "RATE"},
    {"--hide", "Partitioning", "weights:SHARE"},
    {"--threads", "Run", "N"},
    {"--grid", "Run", "NxN"},
    {"--buffers", "Run"},
    {"--reference", "Run"},
    {"--verify-each", "Run", "BOOL"},
    {"--bisect-limit", "Run", "N"},
    {"--check", "Comparison"},
    {"--tolerance", "Comparison", "X"},
    {"--exact", "Comparison"},
    {"--f64", "Comparison"},
    {"--smaller-dims", "Comparison"},
    {"--strict", "Comparison"},
    {"--strict-nan", "Comparison"},
    {"--verify-diagnostics", "Comparison", "KIND"},
    {"--max-steps", "Limits", "N"},
    {"--max-iterations", "Limits", "N"},
    {"--max-bytes", "Limits", "BYTES"},
    {"--max-trace-bytes", "Limits", "BYTES"},
    {"--max-peak-bytes", "Limits", "BYTES"},
    {"--max-devices", "Limits", "N"},
    {"--cases", "Search", "N"},
    {"--first", "Search", "N"},
    {"--tries", "Search", "N"},
    {"--fix", "Search", "VALUE=SHARDING"},
    {"--free", "Search", "NAME"},
    {"--tie", "Search", "RESULT=ARGUMENT"},
    {"--untie", "Search", "RESULT"},
    {"--feed", "Partitioning", "RATE"},
    {"--explain", "Output"},
    {"--problem", "Input", "FILE"},
    {"--solution", "Input", "FILE"},
    {"--export-problem", "Output", "FILE"},
    {"--export-lp", "Output", "FILE"},
    {"--ignore-annotations", "Search"},
    {"--orders", "Search"},
    {"--effort", "Search", "N"},
    {"--candidates", "Search", "N"},
    {"--uneven", "Search", "SHARE"},
    {"--time-limit", "Search", "SECONDS"},
    {"--patch", "Output"},
    {"--reduce", "Search", "FILE"},
    {"--reduce-runs", "Search", "N"},
    {"--findings", "Search", "FOLDER"},
    {"--kind", "Search", "KIND"},
    {"--engine", "MPI"},
    {"--rank-timeout", "MPI", "SECONDS"},
    {"--shard-files", "MPI"},
    {"--check-by-rows", "MPI"},
    {"--output", "Output", "FILE"},
    {"--format", "Output"},
    {"--hints", "Search"},
    {"--svg", "Output", "FILE"},
    {"--view", "Output", "FILE"},
    {"--emit", "Output"},
    {"--generic", "Output"},
    {"--json", "Output"},
    {"--full", "Output"},
    {"--output-dir", "Output", "FOLDER"},
    {"--trace", "Output", "FILE"},
    {"--timeline", "Output", "FILE"},
    {"--front", "Output", "FILE"},
    {"--shardings", "Output"},
    {"--show-rewrites", "Output"},
    {"--apply", "Output"},
    {"--dump-dir", "Output", "FOLDER"},
    {"--mlir-print-op-generic", "Output"},
    {"--mlir-print-debuginfo", "Output"},
    {"--mlir-timing", "Output"},
    {"--mlir-print-ir-after-all", "Output"},
    {"--list-passes", "Output"},
    {"--mlir-diagnostic-verbosity-level", kOther, "KIND"},
    {"--mlir-timing-display", kOther, "KIND"},
});

OptionForm form_of(const CLI::Option& option) {
  const std::string& single = option.get_single_name();
  const std::string name = option.get_positional() ? single : "--" + single;
  const auto* const form = std::ranges::find(kForms, std::string_view(name), &OptionForm::name);
  return form == kForms.end() ? OptionForm{{}, kOther, "VALUE"} : *form;
}

/// Returns ` {json,mlir}` or ` FILE`; empty for flags.
std::string value_text(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  if (type == "N") return " N";  // a number in this command, a file in another command
  const std::size_t choices = type.find('{');
  std::string text =
      choices == std::string::npos ? std::string(form_of(option).type) : type.substr(choices);
  // The name lists the choices.
  if (option.get_positional() && choices == std::string::npos) return {};
  if (option.get_required()) text += " (required)";
  return text.empty() ? text : " " + text;
}

/// Wraps words to lines of at most `width` columns. All lines but the first are indented by
/// `indent`.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent,
                    std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    const bool is_first = out.empty();
    if (!is_first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

/// Returns a row: the term on the left, and its explanation on the right.
std::string row_text(const std::string& left, const std::string& right) {
  const std::size_t width = help_width();
  const std::size_t indent = std::min<std::size_t>(30, width / 3);
  std::string out = "  " + left;
  if (right.empty()) return out + "\n";
  out += out.size() + 2 > indent ? "\n" + std::string(indent, ' ')
                                 : std::string(indent - out.size(), ' ');
  return out + wrapped(right, indent, indent, width) + "\n";
}

/// Returns the names of an option, such as `-o,--output`.
std::string names_text(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += ",-" + name;
  for (const std::string& name : option.get_lnames()) text += ",--" + name;
  return text.empty() ? option.get_single_name() : text.substr(1);
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, std::string_view group) {
  return app.get_options([&](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty() &&
           form_of(*option).group == group;
  });
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), 0, 0, help_width()) + "\n";
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string out = make_description(app) + make_usage(app, std::move(name));
    out += make_positionals(app);
    for (const std::string_view group : kGroups) {
      const std::vector<const CLI::Option*> options = options_of(*app, group);
      if (!options.empty()) out += make_group(std::string(group), false, options);
    }
    return out + make_subcommands(app, mode) + "\n" + make_footer(app);
  }
  std::string make_option(const CLI::Option* option, bool /*is_positional*/) const override {
    return row_text(names_text(*option) + value_text(*option), option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return row_text(command->get_name(), command->get_description());
  }
};

/// Thread-safe, because the program never changes the environment.
std::size_t width_of_environment() {
  const char* const columns = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe)
  const auto width = read_integer<std::size_t>(columns == nullptr ? "" : columns);
  return width ? *width : 0;
}

}  // namespace

std::size_t help_width() {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kUsual = 100;
  winsize size{};
  std::size_t width = width_of_environment();
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width == 0 ? kUsual : std::max(width, kLeast);
}

void set_help_form(CLI::App& app, bool& wants_short) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("--help", "explain the command and its options, and exit");
  app.add_flag_callback(
      "-h",
      [&wants_short] {
        wants_short = true;
        throw CLI::CallForHelp();
      },
      "list the options in short, and exit");
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    set_help_form(*command, wants_short);
  }
}

std::string short_help(const CLI::App& app, const std::string& name) {
  const std::size_t width = help_width();
  std::string usage = "Usage: " + name;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) usage += " " + option->get_single_name();
  }
  std::string out = wrapped(app.get_description(), 0, 0, width) + "\n" + usage + "\n\n";
  for (const std::string_view group : kGroups) {
    std::string line = std::string(group) + ":";
    for (const CLI::Option* option : options_of(app, group)) {
      line += " " + names_text(*option) + value_text(*option) + ",";
    }
    if (!line.ends_with(',')) continue;
    line.pop_back();
    out += wrapped(line, 0, 2, width) + "\n";
  }
  std::string commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) commands += " " + command->get_name();
  }
  if (!commands.empty()) out += wrapped("Commands:" + commands, 0, 2, width) + "\n";
  return out + "\n" + name + " --help explains them\n";
}

}  // namespace shardy::tools
