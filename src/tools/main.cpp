// The command line: `shardy
// run|propagate|partition|check|report|hints|autoshard|explain|convert|opt FILE`, `shardy diff|view
// FILE [OTHER]`, `shardy show`, `sweep`, `reshard`, `soak`, `help`, `completion`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/version.h"
#include "tools/command_model.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/opt.hpp"
#include "tools/pages.hpp"
#include "tools/reporter.hpp"
#include "tools/usage.hpp"

namespace {

using shardy::Error;
using shardy::Result;
using shardy::Status;
using shardy::tools::CommandOptions;
using shardy::tools::CommandRow;

constexpr CommandRow kCommands[] = {
    {"run", "run a program sharded on all devices of its mesh, or unsharded if it has no mesh",
     &shardy::tools::run_command, true, false, true},
    {"propagate", "give every value of a program a sharding, starting from the annotations",
     &shardy::tools::propagate_command, false, true, true},
    {"partition", "lower a program to one per-device program", &shardy::tools::partition_command,
     false, true, true},
    {"check", "run a program under many random shardings, and compare each with the unsharded run",
     &shardy::tools::check_command, false, false, true},
    {"report", "report bytes sent, time and memory of a program, without running it",
     &shardy::tools::report_command, false, false, true},
    {"diff", "compare the cost of two programs, or of other annotations of one program",
     &shardy::tools::diff_command, false, false, true},
    {"hints", "change one annotation at a time, and list changes that make the program cheaper",
     &shardy::tools::hints_command, false, true, true},
    {"autoshard", "find the fastest annotations whose programs fit the memory of a device",
     &shardy::tools::autoshard_command, false, true, true},
    {"view", "write a page that shows the shardings, collectives, time and memory of a program",
     &shardy::tools::view_command, false, false, true},
    {"explain", "explain the shardings of values, and the conflicts between them",
     &shardy::tools::explain_command, false, false, true},
    {"convert", "convert a program between MLIR text and JSON, in canonical form",
     &shardy::tools::convert_command, false, true, false},
};

/// Replaces one dash before a long flag by two, because MLIR accepts one dash. Short flags have one
/// letter.
std::string with_two_dashes(const std::string& argument) {
  const auto is_letter = [&](std::size_t at) {
    return at < argument.size() && argument[at] >= 'a' && argument[at] <= 'z';
  };
  const bool is_output = argument.starts_with("-o") && !argument.starts_with("-output");
  const bool is_long = argument.starts_with('-') && is_letter(1) && is_letter(2) && !is_output;
  return is_long ? "-" + argument : argument;
}

constexpr std::array kImportForms = {"auto", "gspmd", "round-trip", "none"};

/// Replaces `--import` without a value by `--import=auto`.
void name_import_form(std::vector<std::string>& arguments) {
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (arguments[index] != "--import") continue;
    const bool is_named =
        index + 1 < arguments.size() &&
        std::ranges::find(kImportForms, arguments[index + 1]) != kImportForms.end();
    if (!is_named) arguments[index] += "=auto";
  }
}

constexpr std::array kOtherCommands = {"opt",  "show", "sweep",     "reshard",
                                       "soak", "help", "completion"};

bool is_command(std::string_view word) {
  return std::ranges::find(kOtherCommands, word) != kOtherCommands.end() ||
         std::ranges::find(kCommands, word, &CommandRow::name) != std::end(kCommands);
}

/// Replaces `shardy help COMMAND` by `shardy COMMAND --help`.
void name_help(std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[1] != "help") return;
  if (arguments.size() > 2 && arguments[2].starts_with('-')) return;
  arguments.erase(arguments.begin() + 1);
  arguments.resize(std::min<std::size_t>(arguments.size(), 2));
  if (arguments.size() == 1 || is_command(arguments[1])) arguments.emplace_back("--help");
}

/// Returns the word after `help` if it is a diagnostic code or `codes`, as in `shardy help
/// E_KERNEL`; else std::nullopt.
std::optional<std::string> code_asked_for(const std::vector<std::string>& arguments) {
  const bool is_help = arguments.size() == 3 && arguments[1] == "help";
  const bool is_code = is_help && shardy::tools::looks_like_code(arguments[2]);
  return is_code || (is_help && arguments[2] == "codes") ? std::optional(arguments[2])
                                                         : std::nullopt;
}

int print_code(const std::string& code) {
  const Result<std::string> page =
      code == "codes" ? shardy::tools::code_list() : shardy::tools::code_page(code);
  if (!page) {
    shardy::tools::print_error(page.error());
    return shardy::tools::kBadInput;
  }
  shardy::tools::print_text(stdout, *page);
  return shardy::tools::kDone;
}

/// Returns the models of all commands, for completion and the manual.
std::vector<shardy::tools::CommandModel> all_models(const CLI::App& app) {
  const auto registry = shardy::checking::Context().all_passes();
  SHARDY_ASSERT(registry.has_value());
  return shardy::tools::models_of(app, shardy::tools::opt_model(*registry));
}

int print_completion(const CLI::App& app, const std::string& shell) {
  const auto script = shardy::tools::completion_script(shell, all_models(app));
  if (!script) {
    shardy::tools::print_error(script.error());
    return shardy::tools::kBadInput;
  }
  shardy::tools::print_text(stdout, *script);
  return shardy::tools::kDone;
}

/// Returns the error of a missing or unknown command.
Error command_error(const CLI::App& app) {
  const std::string wanted = shardy::tools::first_extra(app);
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  Error error{wanted.empty() ? "expected a command" : "no such command: " + wanted};
  shardy::tools::add_suggestion(error, wanted, names);
  error.notes.push_back("commands: " + shardy::tools::joined(names));
  error.notes.emplace_back("shardy COMMAND --help describes a command");
  return error;
}

/// Returns the error of wrong usage: `error` of the parser, or an error about the first unexpected
/// argument.
Error usage_error(const CLI::App& app, Error error, bool is_missing) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return command_error(app);
  const std::string extra = shardy::tools::first_extra(app);
  if (!extra.empty()) error = Error{"unexpected argument: " + extra};
  shardy::tools::add_suggestion(error, extra, shardy::tools::flags_of(*chosen.front()));
  const std::vector<std::string> examples = shardy::tools::examples_of(chosen.front()->get_name());
  if (is_missing && extra.empty() && !examples.empty()) {
    error.notes.push_back("for example: " + examples.front());
  }
  error.notes.push_back("shardy " + chosen.front()->get_name() + " --help lists the options");
  return error;
}

/// Adds examples to the end of each command's help page.
void add_examples(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& name = command->get_name();
    if (!command->get_group().empty()) command->footer(shardy::tools::examples_text(name));
  }
  app.footer("shardy help COMMAND describes a command, shardy help CODE a diagnostic code.");
}

/// All commands, and the variables with their options.
class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", shardy::tools::build_info());
    app_.add_subcommand("opt", "run passes over a program: shardy opt FILE --sdy-close-shardings");
    for (const CommandRow& row : kCommands) add_command(row);
    add_show();
    add_sweep();
    add_reshard();
    add_soak();
    app_.add_subcommand(
        "help",
        "describe a command or a diagnostic code: shardy help partition, shardy help E_KERNEL");
    add_completion();
    add_pages();
    add_examples(app_);
    shardy::tools::check_flag_values(app_);
    shardy::tools::set_help_form(app_, wants_short_help_);
  }

  int run(const std::vector<std::string>& arguments) {
    std::vector<const char*> texts;
    texts.reserve(arguments.size());
    for (const std::string& argument : arguments) texts.push_back(argument.c_str());
    try {
      app_.parse(static_cast<int>(texts.size()), texts.data());
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0) {
        const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        return refuse(shardy::tools::error_of(error), is_missing);
      }
      shardy::tools::print_text(stdout, wants_short_help_ ? short_page() : page_of(error));
      return shardy::tools::kDone;
    } catch (const shardy::tools::WrongValue& wrong) {
      return refuse(wrong.error, false);
    }
    return status_;
  }

 private:
  int refuse(Error error, bool is_missing) const {
    shardy::tools::print_error(usage_error(app_, std::move(error), is_missing));
    return shardy::tools::kBadInput;
  }

  /// Returns the requested help page, or the version.
  std::string page_of(const CLI::ParseError& error) const {
    std::ostringstream printed;
    app_.exit(error, printed, printed);
    return printed.str();
  }
  std::string short_page() const {
    const std::vector<const CLI::App*> chosen =
        app_.get_subcommands([](const CLI::App* command) { return command->parsed(); });
    if (chosen.empty()) return shardy::tools::short_help(app_, "shardy");
    return shardy::tools::short_help(*chosen.front(), "shardy " + chosen.front()->get_name());
  }

  void add_command(const CommandRow& row) {
    CLI::App* command = app_.add_subcommand(row.name, row.help);
    shardy::tools::add_command_options(*command, row, options_);
    command->callback([this, &row, command] {
      const bool keeps =
          !row.propagates && command->count("--import") == 0 && !options_.export_form;
      if (keeps) options_.import_form = shardy::passes::ImportForm::None;
      options_.flags = row.run == &shardy::tools::view_command
                           ? shardy::tools::flags_of_view(*command)
                           : shardy::tools::flags_for_run(*command);
      if (row.run == &shardy::tools::autoshard_command) {
        options_.search_words = shardy::tools::search_words_of(*command);
      }
      status_ = row.run(options_);
    });
  }

  void add_show() {
    CLI::App* show =
        app_.add_subcommand("show", "draw the shards of a value, or of a sharding, on each device");
    shardy::tools::add_show_options(*show, shown_);
    show->callback([this] { status_ = shardy::tools::show_command(shown_); });
  }

  void add_sweep() {
    CLI::App* sweep = app_.add_subcommand(
        "sweep", "compare the cost of many sets of annotations of a program, on all cores");
    shardy::tools::add_sweep_options(*sweep, swept_);
    sweep->callback([this, sweep] {
      swept_.flags = shardy::tools::flags_of_sweep(*sweep);
      status_ = shardy::tools::sweep_command(swept_);
    });
  }

  void add_reshard() {
    CLI::App* reshard = app_.add_subcommand(
        "reshard", "print the collectives between two shardings, and their cost");
    shardy::tools::add_reshard_options(*reshard, reshard_request_);
    reshard->callback([this] { status_ = shardy::tools::reshard_command(reshard_request_); });
  }

  void add_soak() {
    CLI::App* soak = app_.add_subcommand("soak",
                                         "check random programs and programs of files under random "
                                         "shardings; a seed repeats a case");
    shardy::tools::add_soak_options(*soak, soaked_);
    soak->callback([this] { status_ = shardy::tools::soak_command(soaked_); });
  }

  void add_completion() {
    CLI::App* completion =
        app_.add_subcommand("completion", "print a script that completes commands and options");
    CLI::Option* const shell = completion->add_option("SHELL", shell_, "bash, zsh or fish");
    shardy::tools::allow_only(shell->required(), {"bash", "zsh", "fish"});
    completion->callback([this] { status_ = print_completion(app_, shell_); });
  }

  /// Adds the commands that write pages and lists for the build and the scripts. Help omits these.
  void add_pages() {
    app_.add_subcommand("man-page", "the manual, as troff")->group("")->callback([this] {
      shardy::tools::print_text(stdout,
                                shardy::tools::man_page(all_models(app_), SHARDY_VERSION_STRING));
    });
    CLI::App* page = app_.add_subcommand("pass-page", "the page of all passes")->group("");
    page->add_option("FOLDER", golden_folder_, "golden programs of each pass")->required();
    page->callback([this] { status_ = shardy::tools::pass_page_command(golden_folder_); });
    app_.add_subcommand("op-list", "properties of ops, for scripts")->group("")->callback([this] {
      status_ = shardy::tools::op_list_command();
    });
  }

  CLI::App app_{"shardy: shards tensor programs over meshes of devices"};
  CommandOptions options_;
  shardy::tools::ShowRequest shown_;
  shardy::tools::SweepOrder swept_;
  shardy::tools::ReshardRequest reshard_request_;
  shardy::tools::SoakOptions soaked_;
  std::string shell_;
  std::string golden_folder_;
  bool wants_short_help_ = false;
  int status_ = shardy::tools::kDone;
};

int dispatch(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) argument = with_two_dashes(argument);
  name_import_form(arguments);
  return CommandLine().run(arguments);
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  if (const auto code = code_asked_for(arguments)) return print_code(*code);
  name_help(arguments);
  // `opt` has the flags of MLIR: one dash is enough, and passes are flags.
  if (arguments.size() > 1 && arguments[1] == "opt") {
    arguments.erase(arguments.begin(), arguments.begin() + 2);
    return shardy::tools::opt_command(arguments);
  }
  return dispatch(std::move(arguments));
}

/// Returns the status of the command; a failure if some of its output was not written.
int with_output_finished(int status) {
  const Status finished = shardy::tools::finish_output();
  if (finished) return shardy::tools::was_interrupted() ? shardy::tools::kInterrupted : status;
  shardy::tools::print_error(finished.error());
  return std::max(status, shardy::tools::kBadInput);
}

int failure(const char* what) {
  shardy::tools::print_error({what});
  return shardy::tools::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  shardy::tools::handle_interrupts();
  int status = shardy::tools::kDone;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc&) {
    status = failure("out of memory");
  } catch (const std::exception& error) {  // a bug of this program
    status = failure(error.what());
  }
  return with_output_finished(status);
}
