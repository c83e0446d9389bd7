#include "tools/program_output.hpp"

#include <string>
#include <utility>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

/// Returns the requested format, or that of the output's name, or that of the input.
Format output_format(const CommandOptions& options, const Source& source) {
  if (options.generic) return Format::Generic;
  if (options.emit == "mlir") return Format::Mlir;
  if (options.emit == "json") return Format::Json;
  return format_of(options.output).value_or(source.format);
}

}  // namespace

tl::expected<ir::Module, Diagnostics> read_input(const CommandOptions& options, Source& source) {
  const bool is_json =
      options.emit.empty() ? format_of(options.output) == Format::Json : options.emit == "json";
  if (options.generic && is_json) {
    return tl::unexpected(Diagnostics{Error{"--generic is for MLIR text, not for JSON"}});
  }
  if (Status place = expect_writable(options.output); !place) {
    return tl::unexpected(Diagnostics{std::move(place).error()});
  }
  return read_program(source);
}

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

}  // namespace shardy::tools
