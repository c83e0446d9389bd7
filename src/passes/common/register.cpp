// The passes of the common phase. Spec: passes 3.
#include <optional>

#include "passes/common/bodies.hpp"
#include "passes/common/preconditions.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/passes/built_in.hpp"

namespace shardy::passes {

namespace {

PassErrors save_module(ir::Module& module, PassContext& context) {
  const int64_t index = context.number("index");
  context.save_module(module, context.text("directory"), context.text("name"),
                      index < 0 ? std::nullopt : std::optional(index));
  return {};
}

}  // namespace

void register_common_passes(PassRegistry& registry) {
  static_cast<void>(registry.add({
      .name = "sdy-save-module",
      .summary = "writes the module to a file",
      .phase = PassPhase::Common,
      .options = {{"directory", OptionType::String, "", "output folder; empty: no file"},
                  {"name", OptionType::String, "", "name of the file"},
                  {"index", OptionType::Int, "-1", "number in front of the name; -1: none"}},
      .run = &save_module,
      .is_hidden = true,
  }));
  static_cast<void>(registry.add({
      .name = "sdy-inline-meshes",
      .summary = "replaces the names of meshes in shardings by their content",
      .phase = PassPhase::Common,
      .run = body(&inline_meshes),
  }));
  static_cast<void>(registry.add({
      .name = "inline",
      .summary = "replaces calls by the bodies of their functions",
      .phase = PassPhase::Common,
      .run = body(&inline_calls),
      .wants = {&wants_no_func_edges},
  }));
  static_cast<void>(registry.add({
      .name = "symbol-dce",
      .summary = "erases private functions without references",
      .phase = PassPhase::Common,
      .run = body(&symbol_dce),
  }));
}

}  // namespace shardy::passes
