#include "tools/completion.hpp"

#include <fmt/format.h>

namespace shardy::tools {

namespace {

/// A word in single quotes, for all three shells.
std::string quoted_word(std::string_view text, std::string_view quote) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += quote;
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string words(std::span<const std::string> all) {
  return fmt::format("{}", fmt::join(all, " "));
}

std::vector<std::string> names_of(std::span<const CommandModel> commands) {
  std::vector<std::string> names;
  for (const CommandModel& command : commands) names.push_back(command.name);
  return names;
}

// ---- bash --------------------------------------------------------------------------------------

/// A case for each option that has a list of values.
std::string bash_values(const CommandModel& command) {
  std::string text;
  for (const OptionModel& option : command.options) {
    if (!option.takes_value) continue;
    for (const std::string& name : option.names) {
      text += option.choices.empty()
                  ? fmt::format("    {}:{}) _shardy_files; return ;;\n", command.name, name)
                  : fmt::format("    {}:{}) _shardy_words '{}'; return ;;\n", command.name, name,
                                words(option.choices));
    }
  }
  return text;
}

std::string bash_script(std::span<const CommandModel> commands) {
  std::string values;
  std::string flags;
  for (const CommandModel& command : commands) {
    values += bash_values(command);
    std::vector<std::string> names;
    for (const OptionModel& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
    flags += fmt::format("    {}) flags='{}' ;;\n", command.name, words(names));
  }
  const std::string all = words(names_of(commands));
  return fmt::format(
      R"(# bash completion of shardy, as `shardy completion bash` prints it.
_shardy_words() {{ COMPREPLY=($(compgen -W "$1" -- "$cur")); }}
_shardy_files() {{ COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null; }}
_shardy() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} flags=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _shardy_words '{0}'
    return
  fi
  if [ "$cur" = = ]; then cur=; elif [ "$previous" = = ]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case "$command:$previous" in
{1}  esac
  case "$command" in
{2}  esac
  case "$command:$cur" in
    *:-*) _shardy_words "$flags" ;;
    help:*) _shardy_words '{0}' ;;
    completion:*) _shardy_words 'bash zsh fish' ;;
    *) _shardy_files ;;
  esac
}}
complete -F _shardy shardy
)",
      all, values, flags);
}

// ---- zsh ---------------------------------------------------------------------------------------

/// Brackets and colons part the fields of `_arguments`.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_option(const OptionModel& option, const std::string& name) {
  const std::string value = !option.takes_value      ? ""
                            : option.choices.empty() ? ":value:_files"
                                                     : ":value:(" + words(option.choices) + ")";
  const std::string_view mark = !option.takes_value ? "" : name.starts_with("--") ? "=" : "+";
  return quoted_word(fmt::format("{}{}[{}]{}", name, mark, zsh_text(option.help), value),
                     R"('\'')");
}

std::string zsh_script(std::span<const CommandModel> commands) {
  std::string text =
      "#compdef shardy\n# zsh completion of shardy, as `shardy completion zsh` prints "
      "it.\n_shardy() {\n  local -a commands\n  commands=(\n";
  for (const CommandModel& command : commands) {
    text += "    " + quoted_word(command.name + ":" + zsh_text(command.help), R"('\'')") + "\n";
  }
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
      "    help) _describe command commands ;;\n"
      "    completion) _values shell bash zsh fish ;;\n";
  for (const CommandModel& command : commands) {
    if (command.name == "help" || command.name == "completion") continue;
    text += "    " + command.name + ") _arguments";
    for (const OptionModel& option : command.options) {
      for (const std::string& name : option.names) {
        text += " \\\n      " + zsh_option(option, name);
      }
    }
    text += std::string(command.takes_file ? " \\\n      '*:program:_files'" : "") + " ;;\n";
  }
  return text +
         "  esac\n}\nif [ \"$funcstack[1]\" = _shardy ]; then\n  _shardy \"$@\"\nelse\n"
         "  compdef _shardy shardy\nfi\n";
}

// ---- fish --------------------------------------------------------------------------------------

std::string fish_option(const CommandModel& command, const OptionModel& option) {
  std::string line =
      fmt::format("complete -c shardy -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line += " -x -a '" + words(option.choices) + "'";
  } else if (option.takes_value) {
    line += " -r";
  }
  return line + " -d " + quoted_word(option.help, R"(\')") + "\n";
}

std::string fish_script(std::span<const CommandModel> commands) {
  std::string text = "# fish completion of shardy, as `shardy completion fish` prints it.\n";
  for (const CommandModel& command : commands) {
    text += fmt::format("complete -c shardy -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name, quoted_word(command.help, R"(\')"));
    for (const OptionModel& option : command.options) text += fish_option(command, option);
  }
  text += "complete -c shardy -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return text + fmt::format("complete -c shardy -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                            words(names_of(commands)));
}

// ---- The manual --------------------------------------------------------------------------------

/// Backslashes, dashes and what would be a request at the begin of a line.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else {
      result += c;
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string man_option(const OptionModel& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + troff(name) + "\\fR");
  }
  if (!option.choices.empty()) {
    names += " " + troff(fmt::format("{}", fmt::join(option.choices, "|")));
  } else if (option.takes_value) {
    names += " \\fIVALUE\\fR";
  }
  return ".TP\n" + names + "\n" + troff(option.help) + "\n";
}

}  // namespace

Result<std::string> completion_script(std::string_view shell,
                                      std::span<const CommandModel> commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return fail("no completion for the shell " + std::string(shell) + "; there are bash, zsh, fish");
}

std::string man_page(std::span<const CommandModel> commands, std::string_view version) {
  std::string text = fmt::format(
      ".TH SHARDY 1 \"\" \"shardy {}\" \"User Commands\"\n.SH NAME\nshardy \\- shards tensor "
      "programs "
      "over meshes of devices\n.SH SYNOPSIS\n\\fBshardy\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] "
      "\\fIFILE\\fR\n.SH DESCRIPTION\nReads a program as MLIR text or as JSON, decides how each of "
      "its tensors is split over the devices of a mesh, makes the one program that every device "
      "runs "
      "of it, and runs that.\n.SH COMMANDS\n",
      troff(version));
  for (const CommandModel& command : commands) {
    text += fmt::format(".SS shardy {}\n{}\n", troff(command.name), troff(command.help));
    for (const OptionModel& option : command.options) text += man_option(option);
    if (command.examples.empty()) continue;
    text += ".PP\nExamples:\n.nf\n";
    for (const std::string& example : command.examples) text += "  " + troff(example) + "\n";
    text += ".fi\n";
  }
  return text +
         ".SH EXIT STATUS\n0: done. 1: a check or the program failed. 2: bad usage, or a "
         "program that cannot be read.\n";
}

}  // namespace shardy::tools
