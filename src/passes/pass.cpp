#include "shardy/passes/pass.hpp"

#include <algorithm>
#include <utility>

namespace shardy::passes {

Status PassRegistry::add(Pass pass) {
  if (find(pass.name) != nullptr) return fail("a pass of that name exists: " + pass.name);
  passes_.push_back(std::move(pass));
  return {};
}

const Pass* PassRegistry::find(std::string_view name) const {
  const auto found = std::ranges::find(
      passes_, name, [](const Pass& pass) { return std::string_view(pass.name); });
  return found == passes_.end() ? nullptr : &*found;
}

PassErrors run_pipeline(ir::Module& module, const PassRegistry& registry,
                        std::span<const std::string> names, const AfterPass& after) {
  for (const std::string& name : names) {
    const Pass* pass = registry.find(name);
    if (pass == nullptr) return {Error{"unknown pass: " + name, {}, {}}};
    PassErrors errors = pass->run(module);
    if (!errors.empty()) return errors;
    if (after) after(*pass, module);
  }
  return {};
}

}  // namespace shardy::passes
