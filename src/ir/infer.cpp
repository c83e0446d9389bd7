#include "check_structure.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy::ir {

Result<std::vector<Type>> infer_result_types(const Module& module, const OpSpec& spec) {
  if (spec.kind == OpKind::Unknown) return spec.result_types;
  const OpFacts op{module,          spec.kind,   spec.operands, spec.result_types,
                   spec.attributes, spec.regions};
  Result<Types> types =
      check_structure(op).and_then([&] { return definition_of(op.kind).infer(op); });
  if (!types) return tl::unexpected(named(info(spec.kind).name, std::move(types).error()));
  return types;
}

}  // namespace shardy::ir
