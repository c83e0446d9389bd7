// CSE and DCE of the per-device program.
//
//   %1 = spmd.coord {"x"}                        %1 = spmd.coord {"x"}
//   %2 = spmd.coord {"x"}                   ->   %3 = multiply %1, %c
//   %3 = multiply %2, %c
//   %4 = add %1, %c  (without users)
#include "partitioning/cleanup.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "shardy/ir/attribute_hash.hpp"
#include "shardy/support/hash.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

/// Hashes an op so that equal ops have equal hashes.
std::size_t hash_of_op(const Module& module, OpId op) {
  auto hash = static_cast<std::size_t>(module.kind(op));
  for (const ValueId operand : module.operands(op)) hash = hash_combine(hash, operand.index());
  for (const ValueId result : module.results(op)) {
    const ir::Type& type = module.type(result);
    if (!type.is_tensor()) continue;
    hash = hash_combine(hash, static_cast<std::size_t>(type.element()));
    for (const int64_t dim : type.dims()) hash = hash_combine(hash, static_cast<std::size_t>(dim));
  }
  return hash_combine(hash, ir::hash_of_attributes(module.attributes(op)));
}

bool mergeable(const Module& module, OpId op) {
  return module.has_trait(op, ir::kPure) && !module.has_trait(op, ir::kTerminator) &&
         module.regions(op).empty();
}

bool equal(const Module& module, OpId a, OpId b) {
  if (module.kind(a) != module.kind(b) || module.operands(a) != module.operands(b) ||
      module.num_results(a) != module.num_results(b)) {
    return false;
  }
  for (std::size_t index = 0; index < module.num_results(a); ++index) {
    if (!(module.type(module.result(a, index)) == module.type(module.result(b, index)))) {
      return false;
    }
  }
  return module.attributes(a) == module.attributes(b);
}

/// Replaces the op by an earlier equal one, if there is one.
bool merge(Module& module, OpId op, std::vector<OpId>& candidates) {
  for (const OpId earlier : candidates) {
    if (!equal(module, earlier, op)) continue;
    for (std::size_t index = 0; index < module.num_results(op); ++index) {
      module.replace_all_uses(module.result(op, index), module.result(earlier, index));
    }
    return true;
  }
  candidates.push_back(op);
  return false;
}

bool unused(const Module& module, OpId op) {
  for (const ValueId result : module.results(op)) {
    if (module.num_uses(result) != 0) return false;
  }
  return module.has_trait(op, ir::kPure) && !module.has_trait(op, ir::kTerminator);
}

}  // namespace

void clean_up(Module& module, ir::BlockId block) {
  std::unordered_map<std::size_t, std::vector<OpId>> seen;
  for (OpId op = module.first_op(block); op.valid();) {
    const OpId next = module.next(op);
    if (mergeable(module, op) && merge(module, op, seen[hash_of_op(module, op)])) module.erase(op);
    op = next;
  }
  for (OpId op = module.last_op(block); op.valid();) {
    const OpId previous = module.prev(op);
    if (unused(module, op)) module.erase(op);
    op = previous;
  }
}

}  // namespace shardy::partitioning
