#include "tools/pass_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "shardy/partitioning/passes.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

constexpr std::string_view kHead = R"(# Passes

What `shardy opt FILE --PASS='a=b c=d' ...` can do to a program; passes run in the order of the command line.
`--pass-pipeline='builtin.module(PASS{a=b},func.func(PASS))'` takes them as text, `shardy opt --help` names the other flags.
How each of them behaves: [spec/passes.md](spec/passes.md), [spec/propagation.md](spec/propagation.md),
[spec/resharding.md](spec/resharding.md). The program below each pass is the first of `tests/passes/golden/PASS/example.mlir`.

This page is made by `shardy pass-page tests/passes/golden > docs/passes.md`.

| pass | phase | works on | |
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
  constexpr std::string_view kComment = "// ";  // its title, what else holds
  const std::string first = golden_file.substr(0, golden_file.find(kNext));
  const std::size_t end_of_command = first.find('\n');
  const std::size_t becomes = first.find(kBecomes);
  const std::size_t before_end = std::min(becomes, first.find("\n// ---- says\n"));
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

}  // namespace shardy::tools
