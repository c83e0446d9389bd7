// The commands propagate, partition and convert, which read and write programs.
#include <cstdio>

#include "checking/compile_stages.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

void print_partition_report(const checking::CompiledProgram& compiled, const Reporter& reporter) {
  text::JsonWriter out = report_writer();
  begin_report(out, "partition");
  add(out, "notes", compiled.notes, "rewrites", compiled.rewrites);
  if (!reporter.imported().empty()) add(out, "imported", reporter.imported());
  add(out, "diagnostics", reporter.diagnostics());
  out.end_object();
  print_text(stdout, out.take() + "\n");
}

}  // namespace

int propagate_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source);
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  const passes::ProgramMarks written = passes::marks_of(*module);
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  Progress progress;
  progress.stage("propagating");
  Diagnostics warnings;  // printed together, because each print reads the lines of the source
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& diagnostic) { warnings.push_back(diagnostic); };
  hooks.rules = &options.context.ops.rules;
  hooks.extensions = &options.context.extensions;
  passes::PipelineOptions pipeline = options.stages.compile.pipeline;
  pipeline.exporting.inline_meshes = false;
  const Diagnostics errors = passes::run_pipeline(*module, passes::built_in_passes(),
                                                  passes::propagation_pipeline(pipeline), hooks);
  reporter.emit(warnings);
  if (!errors.empty()) return reporter.refuse(errors);
  if (!export_form(options, reporter, *module)) return kBadInput;
  return write_program(options, source, *module, written);
}

int partition_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (options.json && options.output == "-") {
    return reporter.refuse({Error{
        .message = "standard output is used by the report; -o FILE writes the program to a file"}});
  }
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (const Status loaded = text::load_resources(*module); !loaded) {
    return reporter.refuse({loaded.error()});
  }
  Progress progress;
  progress.stage("partitioning");
  const passes::ProgramMarks written = passes::marks_of(*module);
  auto propagated = checking::propagate_program(*module, options.stages.compile, options.context);
  if (!propagated) return reporter.refuse(propagated.error());
  *module = {};  // the source program takes memory
  auto compiled =
      checking::lower_program(*std::move(propagated), options.stages.compile, options.context);
  if (!compiled) return reporter.refuse(compiled.error());
  reporter.emit(compiled->diagnostics);
  if (options.show_rewrites) reporter.emit(passes::diagnostics_of(compiled->rewrites));
  if (options.lowers_chlo) partitioning::lower_chlo(compiled->program);
  if (options.stages.compile.partition.stablehlo) {
    reporter.emit(partitioning::notes_of_other_dialects(compiled->program));
  }
  if (!export_form(options, reporter, compiled->program)) return kBadInput;
  const int status = write_program(options, source, compiled->program, written);
  if (options.json) print_partition_report(*compiled, reporter);
  return status;
}

int convert_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source);
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  const bool imports = options.import_form != passes::ImportForm::None;
  if (imports && !reporter.import(*module, options.import_form)) return kBadInput;
  if (!export_form(options, reporter, *module)) return kBadInput;
  return write_program(options, source, *module, passes::marks_of(*module));
}

}  // namespace shardy::tools
