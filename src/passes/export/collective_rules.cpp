#include "passes/export/collective_rules.hpp"

#include <algorithm>

#include "passes/common/ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/math.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

Price& Price::operator+=(const Price& other) {
  seconds += other.seconds;
  bytes += other.bytes;
  messages += other.messages;
  return *this;
}

bool is_cheaper(const Price& a, const Price& b) {
  // Tolerance for sums of equal times in another order.
  const double slack = 1e-9 * b.seconds;
  if (a.bytes > b.bytes || a.seconds > b.seconds + slack || a.messages > b.messages) return false;
  return a.bytes < b.bytes || a.seconds < b.seconds - slack || a.messages < b.messages;
}

Price RewriteContext::price(const ir::Type& type, const TensorSharding& from,
                            std::span<const ReshardStep> steps) {
  const TensorSize tensor{type.dims(), static_cast<int64_t>(ir::size_bytes(type.element()))};
  const CostModel& model = planners.planner(from.mesh_name().value_or("")).options().model;
  const StepCost cost = plan_cost(tensor, from, steps, model);
  return {cost.seconds, cost.bytes, cost.messages};
}

OpId only_reader(const Module& module, ValueId value) {
  if (!module.owner(value).is_result()) return {};
  OpId reader;
  for (const ir::Use& use : module.uses(value)) {
    if (reader.valid() && use.op != reader) return {};
    reader = use.op;
  }
  const bool is_near = reader.valid() && module.parent_block(reader) ==
                                             module.parent_block(module.defining_op(value));
  return is_near ? reader : OpId();
}

TensorSharding sharding_or_whole(const Module& module, ValueId value, const TensorSharding& like) {
  if (auto have = ir::get_sharding(module, value)) return *std::move(have);
  const auto rank = module.type(value).dims().size();
  return TensorSharding::fully_closed(like.mesh(), like.mesh_name(), rank);
}

bool blocks_nest(const ir::Type& type, const TensorSharding& from, const TensorSharding& to) {
  for (std::size_t dim = 0; dim < from.rank(); ++dim) {
    const int64_t before = from.dim(dim).sharded_size();
    const int64_t after = to.dim(dim).sharded_size();
    const int64_t few = std::min(before, after);
    const int64_t many = std::max(before, after);
    const int64_t size = type.dim(dim);
    const bool nests = few == many || few == 1 || size <= 1 ||
                       ceil_div(size, few) == many / few * ceil_div(size, many);
    if (!nests || many % few != 0) return false;
  }
  return true;
}

bool blocks_nest(const ir::Type& type, const TensorSharding& from,
                 std::span<const ReshardStep> steps) {
  const TensorSharding* here = &from;
  for (const ReshardStep& step : steps) {
    if (!blocks_nest(type, *here, step.out)) return false;
    here = &step.out;
  }
  return true;
}

bool is_plain_elementwise(const Module& module, OpId op) {
  return module.has_trait(op, ir::kElementwise) && is_pure_static(module, op) &&
         module.num_results(op) == 1 && module.type(module.result(op)).is_tensor() &&
         module.regions(op).empty() && !module.has_trait(op, ir::kSdyAnnotation) &&
         !module.has_trait(op, ir::kCollective);
}

}  // namespace shardy::passes
