#include "tools/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "shardy/ir/op_definition.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/detail/quote.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

namespace {

struct CodeRow {
  std::string_view code;
  std::string_view meaning;  // one line
  std::string_view cause;
  std::string_view remedy;
};

constexpr auto kCodeRows = std::to_array<CodeRow>({
    {"E_CANCELLED", "The run or the compilation was cancelled.",
     "Ctrl-C, the token or the flag of a caller, or another rank ended it before its results were "
     "complete.",
     "Run it again; --max-steps and --max-iterations end a long run with an error instead."},
    {"E_COLLECTIVE_MISMATCH", "Devices of one group execute different collectives together.",
     "The first collective that some device of the group reaches differs from that of the others "
     "in its op, its place, its axes or its types. A branch or a loop takes another path there.",
     "Make the predicate of the branch or the trip count of the loop equal on all devices of the "
     "group, or move the collective out of it."},
    {"E_DEADLINE", "A compilation did not end before its deadline.",
     "The caller of the library gave the compilation a deadline, which it met in the phase that "
     "the message names.",
     "Give it more time, or run it without the rewrites of collectives: they try several "
     "programs."},
    {"E_DEADLOCK", "Collectives wait for each other in a cycle.",
     "Each device of the cycle waits in a collective for a device that waits in another one.",
     "Bring the collectives into one order on all devices; the notes list the cycle."},
    {"E_DEVICE_ID", "An op refers to a process that does not exist at its location.",
     "Outside of a manual computation the program is one process, number 0. A collective over "
     "several processes, partition_id or replica_id has no meaning there.",
     "Move the op into sdy.manual_computation, over the axes along which it communicates."},
    {"E_DIVERGENT", "A device of a group never reaches a collective.",
     "Some devices of the group wait in the collective; another one has ended or has taken a "
     "branch without it.",
     "Make the branch or the loop around the collective equal on all devices of its group."},
    {"E_DYNAMIC_DIM", "A dim has no size that is known before the run.",
     "Shards have static shapes, so each dim of each tensor must have a known size.",
     "Export the program with static shapes; for JAX, without shape polymorphism."},
    {"E_KERNEL", "An op cannot compute its result from these values.",
     "The values break a rule that types do not show, such as an index out of the range, an "
     "integer division without a result, or groups of devices that do not fit the grid.",
     "The message names the op and the values; `shardy run --reference` shows whether the program "
     "itself does this."},
    {"E_MEMORY_LIMIT", "The live tensors of a device, or a compilation, exceed the limit.",
     "The simulation refuses tensors beyond --max-bytes, so that a wrong size does not take all "
     "memory of this machine. A compilation ends when its programs and tables exceed the limit "
     "of the caller.",
     "Raise the limit, such as --max-bytes=16GiB, or shard the program further."},
    {"E_MESH_MISMATCH", "Shardings of one function are on meshes with different axes.",
     "All meshes that a function uses must have the same axes with the same sizes; only the order "
     "of their devices may differ.",
     "Write all shardings of the function on one mesh."},
    {"E_MISSING_REDUCTION", "An operand holds partial sums that no collective combines.",
     "A sharding declares axes as unreduced and an op uses the value before an all-reduce or a "
     "reduce-scatter along them.",
     "Add the collective, remove the unreduced axes, or let the pipeline insert reshards."},
    {"E_NON_DIVISIBLE_IO", "An axis does not divide a dim of an argument or result of @main.",
     "Buffers that go in and come out have the same shape on all devices. Inside of the program "
     "dims may be padded.",
     "Shard another dim, or write the sharding without that axis; the notes show one."},
    {"E_RANKS_DIFFER", "Ranks of the MPI job run different programs or options.",
     "The fingerprints that ranks exchange at the start are not equal.",
     "Start all ranks with the same files, options and version of shardy."},
    {"E_RANK_LOST", "A rank of the MPI job no longer responds.",
     "Its process has ended, its machine hangs, or it has not begun the run in time.",
     "Look at the output of that rank; --rank-timeout waits longer."},
    {"E_REPLICA_AND_PARTITION", "The module has both several replicas and several partitions.",
     "With --collectives=stablehlo only one of the two counts may be greater than 1.",
     "Leave mhlo.num_replicas or mhlo.num_partitions at 1."},
    {"E_REPLICA_DIVERGENCE", "Devices that hold the same shard of a result have different values.",
     "A result is sharded as replicated along an axis, and the devices computed "
     "different values: in a manual computation, or by random numbers that differ by device.",
     "Reduce or gather along that axis before the result, or shard the result along it."},
    {"E_SIDE_EFFECT", "Each device would execute an op with side effects.",
     "An op that is not partitioned is executed by all devices, which repeats its effect.",
     "Remove has_side_effect from a custom call that has none, or let one device run it: "
     "{mhlo.sharding = \"{maximal device=0}\"}."},
    {"E_STEP_LIMIT", "A device executed more steps, or a loop more iterations, than allowed.",
     "A loop does not end, or ends late, because its condition stays true.",
     "Check the condition of the loop; --max-steps and --max-iterations raise the limits."},
    {"E_TRACE_LIMIT", "The events of --trace take more memory than allowed.",
     "Each op on each device is an event, in each iteration of a loop.",
     "Raise --max-trace-bytes, or end the run earlier with --max-iterations or --max-steps."},
    {"E_TRANSPORT", "Ranks of the MPI job cannot exchange messages.",
     "MPI reported an error, or a message that arrived is not one of this version of shardy.",
     "Check the MPI installation: mpirun, the library and all machines must fit together."},
    {"E_UNRESOLVED_OP", "The program has an op that partitioning does not support.",
     "Partitioning expects collectives; constraints and reshards are lowered to them before.",
     "Run the export passes first, as `shardy partition` does: "
     "shardy opt FILE --sdy-propagation-pipeline, or with passes of your own, "
     "--sdy-insert-explicit-reshards --sdy-reshard-to-collectives."},
    {"E_UNSUPPORTED_OP", "An op cannot be partitioned or executed as it is.",
     "The op is unknown, has no kernel, or its sharding needs a form that it does not have.",
     "Give a custom call a sharding rule that is valid for it (--custom-call-rule), replicate its "
     "operands, or replace the op."},
    {"N_PLACEMENT", "A custom call names a memory for its value.",
     "Simulated devices have one memory each: the value stays where it is, and the call is kept in "
     "the per-device program.",
     "No change is needed; another compiler of the per-device program reads the call."},
    {"N_REPLICATED", "An op is executed on replicated data although its operands were sharded.",
     "No sharding rule or lowering of the op keeps these dims sharded, so tensors are gathered, "
     "and all devices compute the same.",
     "The note names the dims and the bytes; shard another dim, or add a sharding rule. --strict "
     "makes it an error."},
});

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

}  // namespace

bool looks_like_code(std::string_view word) {
  return word.size() > 2 && word[1] == '_' && word.find('-') == std::string_view::npos;
}

Result<std::string> code_page(std::string_view code) {
  const std::string wanted = upper(code);
  const auto* const row = std::ranges::find(kCodeRows, std::string_view(wanted), &CodeRow::code);
  if (row != kCodeRows.end()) {
    return fmt::format("{}: {}\n\nCause: {}\n\nRemedy: {}\n", row->code, row->meaning, row->cause,
                       row->remedy);
  }
  std::vector<std::string_view> codes(std::size(kCodeRows));
  std::ranges::transform(kCodeRows, codes.begin(), &CodeRow::code);
  Error error{.message = "unknown diagnostic code: " + std::string(code)};
  if (const auto meant = closest(wanted, codes)) {
    error.notes.push_back("did you mean " + *meant + "?");
  }
  error.notes.emplace_back("shardy help codes lists all codes");
  return tl::unexpected(std::move(error));
}

std::string code_list() {
  std::string list;
  for (const CodeRow& row : kCodeRows) list += fmt::format("{:<24}{}\n", row.code, row.meaning);
  return list;
}

namespace {

std::string attribute_line(const ir::AttributeDefinition& attribute) {
  return fmt::format(
      "\t{}\t{}\t{}\t{}\t{}\t{}\n", attribute.name, definition_of(attribute.kind).name,
      attribute.words ? attribute.words->kind : "", attribute.words ? attribute.words->words : "",
      attribute.required ? "required" : "", attribute.default_value);
}

}  // namespace

std::string op_list() {
  std::string text;
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const auto kind = static_cast<ir::OpKind>(index);
    const ir::OpDefinition& op = ir::definition_of(kind);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", ir::info(kind).name, op.operands, op.results,
                        op.regions, op.types_given ? "given" : "");
    for (const ir::AttributeDefinition& attribute : op.attributes) {
      text += attribute_line(attribute);
    }
  }
  return text;
}

int op_list_command() { return write_file("-", op_list()) ? kDone : kFailed; }

namespace {

constexpr std::string_view kHead = R"(# Passes

`shardy opt FILE --PASS='a=b c=d' ...` runs passes over a program, in the order of the command line.
`--pass-pipeline='builtin.module(PASS{a=b},func.func(PASS))'` is a list of passes as text; `shardy opt --help` lists the other options.
[spec/passes.md](spec/passes.md), [spec/propagation.md](spec/propagation.md) and [spec/resharding.md](spec/resharding.md) specify the passes.
The program after each pass is the first one of `tests/passes/golden/PASS/example.mlir`.

`shardy pass-page tests/passes/golden > docs/passes.md` writes this page.

| pass | phase | works on | effect |
| --- | --- | --- | --- |
)";

std::vector<const passes::Pass*> shown_passes(const passes::PassRegistry& registry) {
  std::vector<const passes::Pass*> shown;
  for (const passes::Pass& pass : registry.passes()) {
    if (!pass.is_hidden) shown.push_back(&pass);
  }
  return shown;
}

std::string options_table(const passes::Pass& pass) {
  if (pass.options.empty()) return {};
  std::string text = "\n| option | type | default | |\n| --- | --- | --- | --- |\n";
  for (const passes::PassOption& option : pass.options) {
    std::string type = type_text(option);
    for (std::size_t at = 0; (at = type.find('|', at)) != std::string::npos; at += 4) {
      type.replace(at, 1, "`, `");
    }
    const std::string value =
        option.default_value.empty() ? "" : fmt::format("`{}`", option.default_value);
    text += fmt::format("| `{}` | `{}` | {} | {} |\n", option.name, type, value, option.help);
  }
  return text;
}

std::string section(const passes::Pass& pass, const std::optional<PassExample>& example) {
  std::string text = fmt::format("\n## {}\n\n`{}` {}.\n", pass.name, pass.name, pass.summary);
  if (!pass.aliases.empty()) {
    text += fmt::format("Also known as `{}`.\n", fmt::join(pass.aliases, "`, `"));
  }
  text += options_table(pass);
  if (!example) return text;
  text += fmt::format("\n```mlir\n{}```\n\nbecomes, with `{}`,\n\n```mlir\n{}```\n",
                      example->before, example->command, example->after);
  return text;
}

}  // namespace

std::optional<PassExample> example_in(const std::string& golden_file) {
  constexpr std::string_view kBecomes = "\n// ---- becomes\n";
  constexpr std::string_view kNext = "\n// ----------\n";
  constexpr std::string_view kComment = "// ";  // starts the title and other comments
  const std::string first = golden_file.substr(0, golden_file.find(kNext));
  const std::size_t end_of_command = first.find('\n');
  const std::size_t becomes = first.find(kBecomes);
  const std::size_t before_end = std::min(becomes, first.find("\n// ---- diagnostics\n"));
  if (!first.starts_with("// ") || becomes == std::string::npos || before_end <= end_of_command) {
    return std::nullopt;
  }
  PassExample example;
  example.command = first.substr(3, end_of_command - 3);
  std::size_t before = end_of_command + 1;
  while (first.compare(before, kComment.size(), kComment) == 0)
    before = first.find('\n', before) + 1;
  example.before = first.substr(before, before_end + 1 - before);
  example.after = first.substr(becomes + kBecomes.size());
  if (!example.after.ends_with('\n')) example.after += '\n';
  return example;
}

std::string pass_page(
    const passes::PassRegistry& registry,
    const std::function<std::optional<PassExample>(const passes::Pass&)>& example) {
  std::string text(kHead);
  for (const passes::Pass* pass : shown_passes(registry)) {
    text += fmt::format(
        "| [`{}`](#{}) | {} | {} | {} |\n", pass->name, pass->name, to_string(pass->phase),
        pass->kind == passes::PassKind::Module ? "modules" : "functions", pass->summary);
  }
  for (const passes::Pass* pass : shown_passes(registry)) text += section(*pass, example(*pass));
  return text;
}

int pass_page_command(const std::string& folder) {
  const auto example = [&](const passes::Pass& pass) -> std::optional<PassExample> {
    const Result<std::string> text = read_file(folder + "/" + pass.name + "/example.mlir");
    return text ? example_in(*text) : std::nullopt;
  };
  const Status written = write_file("-", pass_page(partitioning::all_passes(), example));
  return written ? kDone : kFailed;
}

namespace {

/// Returns a word in single quotes, for all three shells.
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

/// Returns a case for each option that has a list of values.
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

/// Escapes brackets and colons, which separate the fields of `_arguments`.
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

/// Escapes backslashes, dashes, and troff requests at the start of a line.
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
  return fail("no completion for the shell " + std::string(shell) + "; allowed: bash, zsh, fish");
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
