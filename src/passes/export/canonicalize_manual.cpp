// Canonicalization patterns of manual computations, MC1 to MC3. Spec: dialect 7.3.
//
//   MC1  manual_computation(%a, %b) (%x, %y) { use %x }             ->  the same without %b and %y
//   MC2  manual_computation() {}, without shardings                 ->  erased
//   MC3  manual_computation(%a) manual_axes={"x"} (%x) { body },    ->  body with %a instead of %x
//        sdy.mesh @mesh = <["x"=1, "y"=2]>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
#include "passes/export/canonicalize.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ShardingList;
using ir::ValueId;

namespace {

bool has_no_shardings(const Module& module, OpId op) {
  return shardings_in(module, op, ir::attr::kInShardings).empty() &&
         shardings_in(module, op, ir::attr::kOutShardings).empty();
}

bool drop_unused_arguments(Module& module, OpId op) {
  const BlockId body = module.block(op);
  std::vector<ValueId> operands;
  ShardingList kept;
  const std::vector<TensorSharding> in = shardings_in(module, op, ir::attr::kInShardings);
  const std::size_t before = module.args(body).size();
  std::vector<std::size_t> unused;
  for (std::size_t index = 0; index < before; ++index) {
    if (module.num_uses(module.args(body)[index]) == 0) {
      unused.push_back(index);
      continue;
    }
    operands.push_back(module.operand(op, index));
    kept.shardings.push_back(in[index]);
  }
  if (unused.empty()) return false;
  for (auto index = unused.rbegin(); index != unused.rend(); ++index) {
    module.erase_argument(body, *index);
  }
  module.set_operands(op, operands);
  module.attributes(op).set(ir::attr::kInShardings, std::move(kept));
  return true;
}

bool is_empty(const Module& module, OpId op) {
  const BlockId body = module.block(op);
  return has_no_shardings(module, op) && module.first_op(body) == module.last_op(body);
}

/// Returns the product of the sizes of the manual axes; 1 without shardings (dialect 11, D5).
std::optional<int64_t> manual_devices(const Module& module, OpId op) {
  if (has_no_shardings(module, op)) return 1;
  std::vector<std::optional<TensorSharding>> all;
  for (const std::string_view name : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    for (TensorSharding& sharding : shardings_in(module, op, name))
      all.emplace_back(std::move(sharding));
  }
  int64_t devices = 1;
  const AxisNames manual = ir::detail::manual_axes_of(module, op);
  const std::optional<MeshRef> mesh = common_mesh(all);
  if (!mesh && !manual.empty()) return std::nullopt;
  for (const std::string& axis : manual) {
    const auto size = mesh->mesh.axis_size(axis);
    if (!size) return std::nullopt;
    devices *= *size;  // cannot overflow: axes of one mesh
  }
  return devices;
}

/// Checks for edge ops at block arguments and results, which inlining would detach from their edge.
bool has_edge_ops(const Module& module, OpId op) {
  for (const auto& owners :
       {ir::block_arg_edge_owners(module, op), ir::result_edge_owners(module, op)}) {
    for (const ValueId owner : owners) {
      if (ir::edge_op_of_owner(module, owner)) return true;
    }
  }
  return false;
}

}  // namespace

bool drop_unused_manual_arguments(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    changed = drop_unused_arguments(module, op) || changed;
  }
  return changed;
}

bool erase_empty_manual_computations(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    if (!is_empty(module, op)) continue;
    module.erase(op);
    changed = true;
  }
  return changed;
}

bool inline_trivial_manual_computations(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    if (manual_devices(module, op) != 1 || has_edge_ops(module, op)) continue;
    inline_body(module, op);
    changed = true;
  }
  return changed;
}

}  // namespace shardy::passes
