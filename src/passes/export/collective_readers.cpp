#include "passes/export/collective_readers.hpp"

#include <algorithm>

#include "ir/op_facts.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Checks whether `user`, whose operand had the sharding `had`, stays well-formed with `has`. Spec:
/// dialect 4.
bool accepts(const Module& module, OpId user, const std::optional<TensorSharding>& has,
             const TensorSharding& had) {
  const OpKind kind = module.kind(user);
  if (!ir::is_sdy_collective(kind)) return true;
  if (!has) {
    return ir::allows_missing_input_sharding(kind) && had.unreduced_axes().empty();
  }
  if (kind == OpKind::SdyCollectivePermute) {
    const TensorSharding to = *ir::get_sharding(module, module.result(user));
    return has->mesh_name() == to.mesh_name() || has->mesh() != to.mesh();
  }
  if (has->mesh() != had.mesh() || has->unreduced_axes() != had.unreduced_axes()) return false;
  if (kind == OpKind::SdyAllReduce) return is_equivalent(*has, had);
  return kind != OpKind::SdyReplicatedToUnreduced || std::ranges::equal(has->dims(), had.dims());
}

/// Returns the mesh other than `mesh` on which collectives use the value itself, as
/// `read_elsewhere`.
std::optional<TensorSharding> used_elsewhere(const Module& module, ValueId value,
                                             const Mesh& mesh) {
  for (const ir::Use& use : module.uses(value)) {
    const OpKind kind = module.kind(use.op);
    const bool stays_on_mesh = ir::is_sdy_collective(kind) &&
                               kind != OpKind::SdyReplicatedToUnreduced &&
                               kind != OpKind::SdyCollectivePermute;
    const auto* out = module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
    if (!stays_on_mesh || out == nullptr || out->mesh() == mesh) continue;
    return out->fully_open_like();
  }
  return std::nullopt;
}

}  // namespace

bool users_accept(const Module& module, OpId op, const std::optional<TensorSharding>& has) {
  const ValueId result = module.result(op);
  const TensorSharding had = *ir::get_sharding(module, result);
  return std::ranges::all_of(module.uses(result),
                             [&](const ir::Use& use) { return accepts(module, use.op, has, had); });
}

std::optional<TensorSharding> read_elsewhere(const Module& module, ValueId value,
                                             const Mesh& mesh) {
  const ValueId owner = ir::shardable_value(module, value).value_or(value);
  if (auto there = used_elsewhere(module, owner, mesh)) return there;
  for (const ValueId target : ir::non_owner_targets(module, owner)) {
    if (auto there = used_elsewhere(module, target, mesh)) return there;
  }
  return std::nullopt;
}

}  // namespace shardy::passes
