// Equal constants and equal broadcasts of scalars become one again. Spec: passes 5.1.
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export/export_passes.hpp"
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

/// Of those forms of which a program may have many that differ in nothing else.
struct ContentHash {
  std::size_t operator()(const ir::Literal& literal) const {
    std::size_t seed = literal.stored().size();
    for (const int64_t dim : literal.type().dims()) {
      seed = hash_combine(seed, static_cast<std::size_t>(dim));
    }
    for (const std::byte byte : literal.stored()) {
      seed = hash_combine(seed, static_cast<std::size_t>(byte));
    }
    return seed;
  }
  std::size_t operator()(const ir::ShardingList& list) const { return hash_range(list.shardings); }
  std::size_t operator()(const std::string& text) const { return hash_of(text); }
  std::size_t operator()(const ir::IntegerAttr& integer) const { return hash_of(integer.value); }
  template <class Other>
  std::size_t operator()(const Other& /*other*/) const {
    return 0;
  }
};

/// Ops with equal keys have equal hashes; comparing is left to `same`.
std::size_t hash_of_op(const Module& module, OpId op) {
  auto seed = static_cast<std::size_t>(is_constant(module, op));
  seed = hash_combine(seed, module.parent_region(module.parent_block(op)).index());
  for (const ir::ValueId operand : module.operands(op)) {
    seed = hash_combine(seed, operand.index());
  }
  ContentHash content;
  for (const ir::NamedAttribute& entry : module.attributes(op)) {
    seed = hash_combine(seed, hash_of(std::string_view(entry.name)));
    seed = hash_combine(seed, entry.value.visit(content));
  }
  return seed;
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
