// Equal constants and equal broadcasts of scalars become one again. Spec: passes 5.1.
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_hash.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/hash.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool is_constant(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyConstant) || module.has_trait(op, ir::kConstantLike);
}

bool is_scalar_broadcast(const Module& module, OpId op) {
  if (!module.is(op, OpKind::BroadcastInDim)) return false;
  const ir::Type& type = module.type(module.operand(op, 0));
  return type.is_tensor() && type.rank() == 0;
}

/// Ops with equal keys have equal hashes; comparing is left to `same`.
std::size_t hash_of_op(const Module& module, OpId op) {
  auto seed = static_cast<std::size_t>(is_constant(module, op));
  seed = hash_combine(seed, module.parent_region(module.parent_block(op)).index());
  for (const ir::ValueId operand : module.operands(op)) {
    seed = hash_combine(seed, operand.index());
  }
  return hash_combine(seed, ir::hash_of_attributes(module.attributes(op)));
}

/// A constant is its attributes, whichever dialect it is of.
bool same(const Module& module, OpId a, OpId b) {
  return is_constant(module, a) == is_constant(module, b) && module.num_results(a) == 1 &&
         module.num_results(b) == 1 &&
         module.parent_region(module.parent_block(a)) ==
             module.parent_region(module.parent_block(b)) &&
         module.operands(a) == module.operands(b) &&
         module.type(module.result(a)) == module.type(module.result(b)) &&
         module.attributes(a) == module.attributes(b);
}

/// The ops seen so far, by hash.
class Seen {
 public:
  explicit Seen(const Module& module) : module_(module) {}

  /// The first op that is the same; `op` itself if there was none.
  OpId first(OpId op) {
    std::vector<OpId>& bucket = buckets_[hash_of_op(module_, op)];
    for (const OpId other : bucket) {
      if (same(module_, other, op)) return other;
    }
    bucket.push_back(op);
    return op;
  }

 private:
  const Module& module_;
  std::unordered_map<std::size_t, std::vector<OpId>> buckets_;  // looked up in, never walked
};

}  // namespace

void constant_or_scalar_merger(Module& module) {
  Seen seen(module);
  for (const OpId op : ir::post_order(module)) {
    if (!is_constant(module, op) && !is_scalar_broadcast(module, op)) continue;
    const OpId first = seen.first(op);
    if (first == op) continue;
    module.replace_all_uses(module.result(op), module.result(first));
    module.erase(op);
  }
}

}  // namespace shardy::passes
