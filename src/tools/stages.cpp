// propagate, partition, convert: programs in, programs out.
#include <cstdio>
#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/passes/pipelines.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
#include "tools/json_report.hpp"
#include "tools/output.hpp"
#include "tools/progress.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

/// The program, if there is also a place for what is made of it.
tl::expected<ir::Module, Diagnostics> read_input(const CommandOptions& options, Source& source) {
  if (Status place = expect_writable(options.output); !place) {
    return tl::unexpected(Diagnostics{std::move(place).error()});
  }
  return read_program(source);
}

/// What was asked for, else what the name of the output says, else that of the input.
Format output_format(const CommandOptions& options, const Source& source) {
  if (options.generic) return Format::Generic;
  if (options.emit == "mlir") return Format::Mlir;
  if (options.emit == "json") return Format::Json;
  return format_of(options.output).value_or(source.format);
}

/// Shardings in the form that was asked for, if one was.
bool export_form(const CommandOptions& options, Reporter& reporter, ir::Module& module) {
  if (!options.export_form) return true;
  const auto lost = passes::export_shardings(module, *options.export_form);
  if (!lost) {
    reporter.refuse(lost.error());
    return false;
  }
  reporter.say(*lost);
  return true;
}

/// JSON is for people: it has the marks of compilers only where the program had them.
int write_program(const CommandOptions& options, const Source& source, ir::Module& module,
                  const passes::ProgramMarks& written) {
  const Format format = output_format(options, source);
  if (format == Format::Json) passes::drop_marks(module, written);
  const std::string text =
      format == Format::Json
          ? text::to_json(module, {.names = true})
          : text::to_mlir(module, {.generic = format == Format::Generic, .names = true});
  const Status status = write_file(options.output, text);
  if (status) return kDone;
  print_error(status.error());
  return kBadInput;
}

void print_partition_report(const checking::CompiledProgram& compiled, const Reporter& reporter) {
  text::JsonWriter out = report_writer();
  out.begin_object(text::JsonWriter::Layout::Broken);
  add_notes(out, compiled.notes);
  add_rewrites(out, compiled.rewrites);
  if (!reporter.imported().empty()) add(out, "imported", reporter.imported());
  add(out, "diagnostics", reporter.said());
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
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& said) { reporter.say({said}); };
  hooks.rules = &options.context.ops.rules;
  passes::PipelineOptions pipeline = options.stages.compile.pipeline;
  pipeline.exporting.inline_meshes = false;
  const Diagnostics errors = passes::run_pipeline(*module, passes::built_in_passes(),
                                                  passes::propagation_pipeline(pipeline), hooks);
  if (!errors.empty()) return reporter.refuse(errors);
  if (!export_form(options, reporter, *module)) return kBadInput;
  return write_program(options, source, *module, written);
}

int partition_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (options.json && options.output == "-") {
    return reporter.refuse({Error{.message = "the report takes standard output; -o FILE says where "
                                             "the program goes"}});
  }
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (const Status loaded = text::load_resources(*module); !loaded) {
    return reporter.refuse({loaded.error()});
  }
  Progress progress;
  progress.stage("partitioning");
  auto compiled = checking::compile(*module, options.stages.compile, options.context);
  if (!compiled) return reporter.refuse(compiled.error());
  reporter.say(compiled->diagnostics);
  if (options.show_rewrites) reporter.say(passes::diagnostics_of(compiled->rewrites));
  if (!export_form(options, reporter, compiled->program)) return kBadInput;
  const int status = write_program(options, source, compiled->program, passes::marks_of(*module));
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
