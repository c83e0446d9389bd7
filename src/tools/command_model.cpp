#include "tools/command_model.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

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

/// The words of `TEXT:{a,b}`.
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

}  // namespace shardy::tools
