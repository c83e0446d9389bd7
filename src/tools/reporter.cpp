#include "tools/reporter.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardy/support/quote.hpp"
#include "tools/json_report.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

void Reporter::say(const Diagnostics& said) {
  if (said.empty()) return;
  std::fflush(stdout);
  const Diagnostics located = with_places(source_, said);
  print_diagnostics(source_, located);
  said_.insert(said_.end(), located.begin(), located.end());
}

void Reporter::say_but_notes(Diagnostics said) {
  std::erase_if(said, [](const Diagnostic& each) {
    return each.severity == Severity::Note && each.code != "N_PLACEMENT";
  });
  say(said);
}

namespace {

/// Erases what a file has besides one of its modules: other modules, and symbols with a name that
/// the module has as well.
void erase_around(ir::Module& module, ir::OpId chosen) {
  const auto is_hidden = [&](ir::OpId op) {
    if (module.is(op, ir::OpKind::BuiltinModule)) return true;
    return std::ranges::any_of(module.ops(module.block(chosen)), [&](ir::OpId inner) {
      return !module.symbol_name(op).empty() && module.symbol_name(inner) == module.symbol_name(op);
    });
  };
  std::vector<ir::OpId> others;
  for (const ir::OpId op : module.ops(module.body())) {
    if (op != chosen && is_hidden(op)) others.push_back(op);
  }
  for (const ir::OpId op : others) module.erase(op);
}

bool has_function(const ir::Module& module, ir::OpId nested) {
  return std::ranges::any_of(module.ops(module.block(nested)),
                             [&](ir::OpId op) { return module.is(op, ir::OpKind::Func); });
}

/// Makes the first nested module with a function the program, if the module has no function of its
/// own. Returns a note about it.
std::optional<Diagnostic> enter_module(ir::Module& module) {
  if (!module.functions().empty()) return std::nullopt;
  std::vector<ir::OpId> nested;
  for (const ir::OpId op : module.ops(module.body())) {
    if (module.is(op, ir::OpKind::BuiltinModule) && has_function(module, op)) nested.push_back(op);
  }
  if (nested.empty()) return std::nullopt;
  const ir::OpId chosen = nested.front();
  const std::string name(module.symbol_name(chosen));
  erase_around(module, chosen);
  module.module_attributes() = module.attributes(chosen);
  module.remove(chosen);
  module.splice(module.block(chosen), module.body());
  module.erase(chosen);
  return Diagnostic{.message = "the program is the module " +
                               (name.empty() ? "without a name" : symbol_text(name)) +
                               ", the first of " + std::to_string(nested.size()) +
                               " that have functions",
                    .severity = Severity::Note};
}

}  // namespace

bool Reporter::import(ir::Module& module, passes::ImportForm form) {
  if (std::optional<Diagnostic> note = enter_module(module)) say({*std::move(note)});
  const auto imported = passes::import_shardings(module, form);
  if (!imported) {
    refuse(imported.error());
    return false;
  }
  imported_ = imported->note();
  if (!imported_.empty()) {
    say({Diagnostic{.message = imported_, .severity = Severity::Note}});
  }
  return true;
}

int Reporter::refuse(const Diagnostics& said, int status) {
  const auto is_error = [](const Diagnostic& each) { return each.severity == Severity::Error; };
  Diagnostics in_order;  // as it happened: what stopped the work comes last
  std::ranges::remove_copy_if(said, std::back_inserter(in_order), is_error);
  std::ranges::copy_if(said, std::back_inserter(in_order), is_error);
  say(in_order);
  if (json_) {
    text::JsonWriter out = report_writer();
    begin_report(out, "refusal");
    add(out, "diagnostics", said_);
    out.end_object();
    print_text(stdout, out.take() + "\n");
  }
  return status;
}

}  // namespace shardy::tools
