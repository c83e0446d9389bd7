#include "shardy/passes/pass_context.hpp"

#include <fmt/format.h>

#include <utility>

namespace shardy::passes {

void PassContext::warn(const ir::Module& module, ir::OpId op, std::string message,
                       std::string remedy) {
  say({.message = std::move(message),
       .location = module.location_text(op),
       .notes = {std::move(remedy)},
       .severity = Severity::Warning});
}

void PassContext::warn(std::string message, std::string remedy) {
  say({.message = std::move(message), .notes = {std::move(remedy)}, .severity = Severity::Warning});
}

void PassContext::remark(const ir::Module& module, ir::OpId op, std::string message) {
  say({.message = std::move(message),
       .location = module.location_text(op),
       .severity = Severity::Remark});
}

void PassContext::say(const Diagnostic& diagnostic) {
  if (sinks_.diagnose) sinks_.diagnose(diagnostic);
}

void PassContext::save_module(const ir::Module& module, const std::string& directory,
                              const std::string& name, std::optional<int64_t> index) {
  if (directory.empty() || !sinks_.save) return;
  const std::string path = index ? fmt::format("{}/{:02}.{}.mlir", directory, *index, name)
                                 : fmt::format("{}/{}.mlir", directory, name);
  const Status status = sinks_.save(path, module);
  if (status) return;
  warn(fmt::format("error when writing file {}: {}", path, status.error().message),
       "the passes run nevertheless; give a directory that can be written");
}

}  // namespace shardy::passes
