#include "shardy/passes/pass.hpp"

#include <algorithm>
#include <utility>

namespace shardy::passes {

std::string_view to_string(PassKind kind) {
  return kind == PassKind::Module ? "module" : "function";
}

std::string_view to_string(PassPhase phase) {
  constexpr std::string_view kNames[] = {"common", "import", "propagation", "export", "pipeline"};
  return kNames[static_cast<std::size_t>(phase)];
}

PassBody body(PassErrors (*run)(ir::Module&)) {
  return [run](ir::Module& module, PassContext&) { return run(module); };
}

Status PassRegistry::add(Pass pass) {
  std::vector<std::string> names = pass.aliases;
  names.push_back(pass.name);
  for (const std::string& name : names) {
    if (find(name) != nullptr) return fail("a pass of that name exists: " + name);
  }
  if ((pass.run == nullptr) == (pass.expand == nullptr)) {
    return fail("a pass either runs or is made of other passes: " + pass.name);
  }
  const Result<OptionValues> defaults = parse_options(pass.options, "");
  if (!defaults) return tl::unexpected(with_prefix(pass.name + ": ", defaults.error()));
  passes_.push_back(std::move(pass));
  return {};
}

const Pass* PassRegistry::find(std::string_view name) const {
  const auto found = std::ranges::find_if(passes_, [&](const Pass& pass) {
    return pass.name == name || std::ranges::find(pass.aliases, name) != pass.aliases.end();
  });
  return found == passes_.end() ? nullptr : &*found;
}

}  // namespace shardy::passes
