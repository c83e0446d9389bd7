// propagate, partition, convert: programs in, programs out.
#include <fmt/core.h>

#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/text/json.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
#include "tools/progress.hpp"

namespace shardy::tools {

namespace {

int bad_input(const CommandOptions& options, const std::vector<Error>& errors) {
  print_errors(options.file, errors);
  return kBadInput;
}

int write_program(const CommandOptions& options, const ir::Module& module) {
  const Status status = write_file(options.output, text::to_json(module));
  return status ? kDone : bad_input(options, {status.error()});
}

}  // namespace

int propagate_command(const CommandOptions& options) {
  auto module = read_program(options.file);
  if (!module) return bad_input(options, module.error());
  Progress progress;
  progress.stage("propagating");
  const auto report = propagation::propagate(*module);
  if (!report) return bad_input(options, {report.error()});
  for (const std::string& warning : report->warnings) fmt::print(stderr, "warning: {}\n", warning);
  return write_program(options, *module);
}

int partition_command(const CommandOptions& options) {
  auto module = read_program(options.file);
  if (!module) return bad_input(options, module.error());
  Progress progress;
  progress.stage("partitioning");
  checking::CompileOptions compile;
  if (!options.padded_io) compile.partition.io_padding = partitioning::IoPadding::Divisible;
  auto compiled = checking::compile(*module, compile);
  if (!compiled) return bad_input(options, compiled.error());
  for (const partitioning::ReplicationNote& note : compiled->notes) {
    fmt::print(stderr, "note: {} {}: {} ({} bytes per device)\n", note.op, note.location,
               note.reason, note.bytes);
  }
  return write_program(options, compiled->program);
}

int convert_command(const CommandOptions& options) {
  auto module = read_program(options.file);
  if (!module) return bad_input(options, module.error());
  return write_program(options, *module);
}

}  // namespace shardy::tools
