// CSE of constants and of broadcasts of scalars with equal shardings. Spec: passes 5.1.
//
//   %0 = sdy.constant 0.0 [{"x"}]            %0 = sdy.constant 0.0 [{"x"}]
//   %1 = sdy.constant 0.0 [{"x"}]       ->   %1 = sdy.constant 0.0
//   %2 = sdy.constant 0.0                    %2 = add %0, %0
//   %3 = add %0, %1                          %3 = add %2, %1
//   %4 = add %3, %2
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

/// Hashes the op; `same` decides equality.
std::size_t hash_of_op(const Module& module, OpId op) {
  auto seed = static_cast<std::size_t>(is_constant(module, op));
  seed = hash_combine(seed, module.parent_region(module.parent_block(op)).index());
  for (const ir::ValueId operand : module.operands(op)) {
    seed = hash_combine(seed, operand.index());
  }
  return hash_combine(seed, ir::hash_of_attributes(module.attributes(op)));
}

/// Compares constants by attributes only, so stablehlo.constant and sdy.constant may be equal.
bool same(const Module& module, OpId a, OpId b) {
  return is_constant(module, a) == is_constant(module, b) && module.num_results(a) == 1 &&
         module.num_results(b) == 1 &&
         module.parent_region(module.parent_block(a)) ==
             module.parent_region(module.parent_block(b)) &&
         module.operands(a) == module.operands(b) &&
         module.type(module.result(a)) == module.type(module.result(b)) &&
         module.attributes(a) == module.attributes(b);
}

/// Ops seen so far, by hash.
class Seen {
 public:
  explicit Seen(const Module& module) : module_(module) {}

  /// Returns the first equal op, or `op` itself.
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
  std::unordered_map<std::size_t, std::vector<OpId>> buckets_;  // never iterated
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
