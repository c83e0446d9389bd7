// A program with all that its document is made from, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/report/report.hpp"
#include "shardy/text/mlir.hpp"
#include "shardy/view/page.hpp"

namespace shardy_test {

/// The data of a page; its texts are those of a program without reports.
struct ViewedProgram {
  shardy::text::WrittenValues names;
  shardy::checking::CompileOptions options = {};
  shardy::checking::Context context = {};
  shardy::propagation::Explanation explanation = {};
  shardy::checking::CompiledProgram compiled = {};
  shardy::report::Report report = {};
  shardy::view::ProgramTexts texts = {};

  shardy::view::ProgramData data() const {
    return {.names = names,
            .explanation = explanation,
            .compiled = compiled,
            .report = report,
            .options = options,
            .context = context,
            .num_steps = 0,
            .timeline = shardy::report::make_timeline(compiled)};
  }
};

/// Null if the program does not compile.
inline std::unique_ptr<ViewedProgram> viewed(const shardy::ir::Module& module,
                                             const std::string& source = {}) {
  auto viewed = std::make_unique<ViewedProgram>(ViewedProgram{shardy::text::WrittenValues(module)});
  auto explanation = shardy::report::explain(viewed->names, viewed->options, viewed->context);
  auto compiled = shardy::report::compile_for_report(module, viewed->options, viewed->context);
  if (!explanation || !compiled) return nullptr;
  viewed->explanation = *std::move(explanation);
  viewed->compiled = *std::move(compiled);
  viewed->report = shardy::report::make_report(viewed->compiled);
  shardy::view::ProgramTexts& texts = viewed->texts;
  texts.title = "program";
  texts.file = "program.mlir";
  texts.source = source.empty() ? shardy::text::to_mlir(module, {.names = true}) : source;
  texts.report = "{}";
  texts.conflicts = "[]";
  texts.missing_rules = "[]";
  texts.decisions.assign(viewed->explanation.decisions.size(), "a decision");
  for (const auto& value : viewed->explanation.values) {
    texts.absences.insert(texts.absences.end(), value.absent.size(), "an absence");
  }
  return viewed;
}

}  // namespace shardy_test
