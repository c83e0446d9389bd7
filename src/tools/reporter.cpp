#include "tools/reporter.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

bool Reporter::import(ir::Module& module, passes::ImportForm form) {
  if (std::optional<Diagnostic> note = passes::enter_module(module)) say({*std::move(note)});
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
