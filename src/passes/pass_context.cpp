#include "shardy/passes/pass_context.hpp"

#include <fmt/format.h>

#include <utility>

namespace shardy::passes {

void PassContext::warn(const ir::Module& module, ir::OpId op, std::string message) {
  say(Severity::Warning, error_at(module, op, std::move(message)));
}

void PassContext::remark(const ir::Module& module, ir::OpId op, std::string message) {
  say(Severity::Remark, error_at(module, op, std::move(message)));
}

void PassContext::say(Severity severity, Error what) {
  if (sinks_.diagnose) sinks_.diagnose({severity, std::move(what)});
}

void PassContext::save_module(const ir::Module& module, const std::string& directory,
                              const std::string& name, std::optional<int64_t> index) {
  if (directory.empty() || !sinks_.save) return;
  const std::string path = index ? fmt::format("{}/{:02}.{}.mlir", directory, *index, name)
                                 : fmt::format("{}/{}.mlir", directory, name);
  const Status status = sinks_.save(path, module);
  if (!status) warn(fmt::format("error when writing file {}: {}", path, status.error().message));
}

}  // namespace shardy::passes
