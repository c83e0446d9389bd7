// Programs: parsing, printing, and the stages that return a new program.
#include <optional>
#include <utility>

#include "c_api/call_result.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"

namespace shardy::c_api {

namespace {

std::string text_of(const std::optional<TensorSharding>& sharding) {
  return sharding ? to_string(*sharding) : std::string();
}

std::string argument_name(const ir::Module& module, ir::OpId function, std::size_t index) {
  std::string name = module.value_name(module.args(module.entry(function))[index]);
  if (name.empty()) return "%arg" + std::to_string(index);
  if (!name.starts_with('%')) name.insert(0, "%");
  return name;
}

std::optional<ir::OpId> find_main(const ir::Module& module) {
  const auto function = module.main_function();
  if (!function || module.is_external(*function)) return std::nullopt;
  return function;
}

// ---- Reading -----------------------------------------------------------------------------------

CallResult<std::optional<text::Format>> wanted_format(shardy_format format) {
  switch (static_cast<int>(format)) {
    case SHARDY_AUTO:
      return std::nullopt;
    case SHARDY_MLIR:
    case SHARDY_GENERIC_MLIR:
      return text::Format::Mlir;
    case SHARDY_JSON:
      return text::Format::Json;
    default:
      return bad_argument("no such format: " + std::to_string(static_cast<int>(format)));
  }
}

CallResult<SourceTextPtr> make_source(std::string_view text, const char* name,
                                      shardy_format format) {
  if (text.starts_with(text::kByteOrderMark)) text.remove_prefix(text::kByteOrderMark.size());
  SourceText source{name == nullptr ? "<text>" : name, std::string(text)};
  SHARDY_TRY(const std::optional<text::Format> wanted, wanted_format(format));
  if (wanted) {
    source.format = *wanted;
    return std::make_shared<const SourceText>(std::move(source));
  }
  const Result<text::Format> found =
      text::format_of_text(source.text, text::format_of(source.name));
  if (!found) return refused(with_prefix(source.name + " ", found.error()));
  source.format = *found;
  return std::make_shared<const SourceText>(std::move(source));
}

struct Imported {
  ProgramObject program;
  Diagnostics diagnostics;
};

CallResult<Imported> read_program(const SourceTextPtr& source) {
  auto module = source->format == text::Format::Json ? text::parse_json(source->text)
                                                     : text::parse_mlir(source->text);
  if (!module) return refused(std::move(module).error(), source);
  const passes::ProgramMarks marks = passes::marks_of(*module);
  Diagnostics diagnostics;
  if (auto note = passes::enter_module(*module)) diagnostics.push_back(*std::move(note));
  auto imported = passes::import_shardings(*module);
  if (!imported) return refused(std::move(imported).error(), source);
  if (Status loaded = text::load_resources(*module); !loaded) {
    return refused(std::move(loaded).error(), source);
  }
  if (std::string note = imported->note(); !note.empty()) {
    diagnostics.push_back({.message = std::move(note), .severity = Severity::Note});
  }
  return Imported{make_program(*std::move(module), source, marks), std::move(diagnostics)};
}

// ---- Writing -----------------------------------------------------------------------------------

CallResult<std::string> text_of(const ProgramObject& program, shardy_format format) {
  switch (static_cast<int>(format)) {
    case SHARDY_MLIR:
      return text::to_mlir(*program.module, {.names = true});
    case SHARDY_GENERIC_MLIR:
      return text::to_mlir(*program.module, {.generic = true, .names = true});
    case SHARDY_JSON: {
      ir::Module module = *program.module;
      passes::drop_marks(module, program.marks);
      return text::to_json(module, {.names = true});
    }
    case SHARDY_AUTO:
      return bad_argument("SHARDY_AUTO is for input only: choose the format to print");
    default:
      return bad_argument("no such format: " + std::to_string(static_cast<int>(format)));
  }
}

// ---- Stages ------------------------------------------------------------------------------------

CallResult<Imported> propagated(const ProgramObject& program) {
  ir::Module module = *program.module;
  Diagnostics diagnostics;
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& each) { diagnostics.push_back(each); };
  passes::PipelineOptions pipeline = checking::CompileOptions().pipeline;
  pipeline.exporting.inline_meshes = false;
  const Diagnostics errors = passes::run_pipeline(module, passes::built_in_passes(),
                                                  passes::propagation_pipeline(pipeline), hooks);
  if (!errors.empty()) {
    diagnostics.insert(diagnostics.end(), errors.begin(), errors.end());
    return refused(std::move(diagnostics), program.source);
  }
  return Imported{make_program(std::move(module), program.source, program.marks),
                  std::move(diagnostics)};
}

/// Returns a field (name, type or sharding) of an argument or result.
const char* port_text(const shardy_program* program, std::vector<ProgramPort> ProgramObject::*ports,
                      std::size_t index, std::string ProgramPort::*field) noexcept {
  return string_or_empty<ProgramObject>(program, [&](const ProgramObject& read) {
    const ProgramPort* const port = element(read.*ports, index);
    return port == nullptr ? nullptr : &(port->*field);
  });
}

}  // namespace

ProgramObject make_program(ir::Module module, SourceTextPtr source, passes::ProgramMarks marks) {
  ProgramObject program;
  if (const std::optional<ir::OpId> function = find_main(module)) {
    for (const ir::Type& type : module.arg_types(*function)) {
      const std::size_t index = program.arguments.size();
      program.arguments.push_back({argument_name(module, *function, index), ir::to_string(type),
                                   text_of(ir::arg_sharding(module, *function, index))});
    }
    for (const ir::Type& type : module.function(*function).result_types) {
      const std::size_t index = program.results.size();
      program.results.push_back({"result " + std::to_string(index), ir::to_string(type),
                                 text_of(ir::result_sharding(module, *function, index))});
    }
  }
  program.module = std::make_shared<const ir::Module>(std::move(module));
  program.source = std::move(source);
  program.marks = marks;
  return program;
}

CallResult<ir::OpId> main_function(const ProgramObject& program) {
  if (const std::optional<ir::OpId> function = find_main(*program.module)) return *function;
  return refused(ir::no_main_function(*program.module, "the module has no main function"),
                 program.source);
}

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): the functions of the C
                                // header

shardy_status shardy_program_parse(const char* text, size_t size, const char* name,
                                   shardy_format format, shardy_program** out,
                                   shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_program * * const place, place_for(out));
    if (text == nullptr) return bad_argument("text is NULL");
    SHARDY_TRY(const SourceTextPtr source, make_source({text, size}, name, format));
    SHARDY_TRY(Imported read, read_program(source));
    *place = make_handle(std::move(read.program));
    return Diagnosed{std::move(read.diagnostics), source};
  });
}

shardy_status shardy_program_print(const shardy_program* program, shardy_format format,
                                   shardy_text** out, shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_text * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(std::string text, text_of(*read, format));
    *place = make_handle(TextObject{std::move(text)});
    return Diagnosed{};
  });
}

void shardy_program_destroy(shardy_program* program) { destroy<ProgramObject>(program); }

size_t shardy_program_num_arguments(const shardy_program* program) {
  return read_or<ProgramObject>(program, size_t{0},
                                [](const auto& read) { return read.arguments.size(); });
}
size_t shardy_program_num_results(const shardy_program* program) {
  return read_or<ProgramObject>(program, size_t{0},
                                [](const auto& read) { return read.results.size(); });
}
const char* shardy_program_argument_name(const shardy_program* program, size_t index) {
  return port_text(program, &ProgramObject::arguments, index, &ProgramPort::name);
}
const char* shardy_program_argument_type(const shardy_program* program, size_t index) {
  return port_text(program, &ProgramObject::arguments, index, &ProgramPort::type);
}
const char* shardy_program_result_type(const shardy_program* program, size_t index) {
  return port_text(program, &ProgramObject::results, index, &ProgramPort::type);
}
const char* shardy_program_argument_sharding(const shardy_program* program, size_t index) {
  return port_text(program, &ProgramObject::arguments, index, &ProgramPort::sharding);
}
const char* shardy_program_result_sharding(const shardy_program* program, size_t index) {
  return port_text(program, &ProgramObject::results, index, &ProgramPort::sharding);
}

shardy_status shardy_program_propagate(const shardy_program* program, shardy_program** out,
                                       shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_program * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(Imported made, propagated(*read));
    *place = make_handle(std::move(made.program));
    return Diagnosed{std::move(made.diagnostics), read->source};
  });
}

shardy_status shardy_program_partition(const shardy_program* program, const shardy_options* options,
                                       shardy_program** out, shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_program * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const CallOptions stages, read_options(options));
    auto made = shardy::checking::compile(*read->module, stages.check.compile);
    if (!made) return refused(std::move(made).error(), read->source);
    *place = make_handle(make_program(std::move(made->program), read->source, read->marks));
    return Diagnosed{std::move(made->diagnostics), read->source};
  });
}
