// Halos of one value are sent once:
//
//   %1 = slice %x [6:8]                       %1 = slice %x [5:8]
//   %2 = permute %1, shift 1                  %2 = permute %1, shift 1
//   %3 = slice %x [5:8]                       %3 = slice %2 [1:3]
//   %4 = permute %3, shift 1
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "partitioning/program_rewrites.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/collective_cost.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Elements of a value: [starts, limits) of each dim.
struct PartBox {
  ValueId value;
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;

  int64_t size() const {
    int64_t count = 1;
    for (std::size_t dim = 0; dim < starts.size(); ++dim) count *= limits[dim] - starts[dim];
    return count;
  }
};

/// The source of `value` through slices of slices, and the elements of it.
PartBox box_of(const Module& module, ValueId value) {
  const auto sizes = module.type(value).dims();
  PartBox box{value, std::vector<int64_t>(sizes.size(), 0), {sizes.begin(), sizes.end()}};
  while (true) {
    const OpId op = module.defining_op(box.value);
    if (!op.valid() || !module.is(op, OpKind::Slice)) return box;
    const auto slice = ir::SliceOp::of(module, op);
    if (!slice || std::ranges::any_of(slice->strides, [](int64_t by) { return by != 1; })) {
      return box;
    }
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      box.starts[dim] += slice->starts[dim];
      box.limits[dim] += slice->starts[dim];
    }
    box.value = module.operand(op, 0);
  }
}

PartBox hull_of(PartBox a, const PartBox& b) {
  for (std::size_t dim = 0; dim < a.starts.size(); ++dim) {
    a.starts[dim] = std::min(a.starts[dim], b.starts[dim]);
    a.limits[dim] = std::max(a.limits[dim], b.limits[dim]);
  }
  return a;
}

/// Permutes of parts of one value by one map.
struct SharedParts {
  PartBox hull;
  std::vector<OpId> permutes;
  std::vector<PartBox> parts;
};

bool fits_in(const Module& module, const SharedParts& group, OpId op, const PartBox& part) {
  return module.attributes(group.permutes.front()) == module.attributes(op) &&
         hull_of(group.hull, part).size() <= group.hull.size() + part.size();
}

std::vector<SharedParts> shared_parts(const Module& module, ir::BlockId block) {
  std::vector<SharedParts> found;
  std::unordered_map<ValueId, std::vector<std::size_t>> of_value;  // groups; for look-ups only
  for (const OpId op : module.ops(block)) {
    const bool fits = module.is(op, OpKind::SpmdPermute) && module.num_operands(op) == 1 &&
                      module.type(module.operand(op, 0)).is_static_tensor();
    if (!fits) continue;
    PartBox part = box_of(module, module.operand(op, 0));
    std::vector<std::size_t>& groups = of_value[part.value];
    const auto same = std::ranges::find_if(
        groups, [&](std::size_t index) { return fits_in(module, found[index], op, part); });
    const std::size_t own = same != groups.end() ? *same : found.size();
    if (own == found.size()) {
      groups.push_back(own);
      found.push_back({part, {}, {}});
    }
    SharedParts& group = found[own];
    group.hull = hull_of(std::move(group.hull), part);
    group.permutes.push_back(op);
    group.parts.push_back(std::move(part));
  }
  std::erase_if(found, [](const SharedParts& group) { return group.permutes.size() < 2; });
  return found;
}

/// The part of `value`, whose first element is that at `origin`.
ValueId slice_at(ir::Builder& builder, ValueId value, const std::vector<int64_t>& origin,
                 const PartBox& part) {
  PartBox moved = part;
  std::vector<int64_t> sizes;
  for (std::size_t dim = 0; dim < origin.size(); ++dim) {
    moved.starts[dim] -= origin[dim];
    moved.limits[dim] -= origin[dim];
    sizes.push_back(moved.limits[dim] - moved.starts[dim]);
  }
  const ir::Type& type = builder.module().type(value);
  if (std::ranges::equal(sizes, type.dims())) return value;
  const std::vector<int64_t> strides(sizes.size(), 1);
  return builder.create_value(OpKind::Slice, {value}, type.with_dims(std::move(sizes)),
                              ir::SliceOp{moved.starts, moved.limits, strides}.attributes());
}

/// Erases slices without users, from the last one on.
void erase_slices(Module& module, ValueId value) {
  while (module.num_uses(value) == 0) {
    const OpId op = module.defining_op(value);
    if (!op.valid() || !module.is(op, OpKind::Slice)) return;
    value = module.operand(op, 0);
    module.erase(op);
  }
}

/// Returns the permute of all parts.
OpId share(Module& module, const SharedParts& group) {
  const OpId first = group.permutes.front();
  ir::Builder builder = ir::Builder::before(module, first);
  builder.set_location(module.location(first));
  const std::vector<int64_t> origin(group.hull.starts.size(), 0);
  const ValueId sent = slice_at(builder, group.hull.value, origin, group.hull);
  const ValueId received = builder.create_value(OpKind::SpmdPermute, {sent}, module.type(sent),
                                                ir::AttributeMap(module.attributes(first)));
  for (std::size_t index = 0; index < group.permutes.size(); ++index) {
    const OpId op = group.permutes[index];
    ir::Builder there = ir::Builder::before(module, op);
    there.set_location(module.location(op));
    const ValueId part = slice_at(there, received, group.hull.starts, group.parts[index]);
    module.replace_all_uses(module.result(op), part);
    const ValueId sent_alone = module.operand(op, 0);
    module.erase(op);
    erase_slices(module, sent_alone);
  }
  return module.defining_op(received);
}

}  // namespace

std::vector<passes::CollectiveRewrite> share_permutes(Module& program) {
  const CollectivePrices prices(program);
  std::vector<passes::CollectiveRewrite> rewrites;
  std::set<ir::BlockId> blocks;
  for (const OpId op : ir::pre_order(program)) {
    if (program.is(op, OpKind::SpmdPermute)) blocks.insert(program.parent_block(op));
  }
  for (const ir::BlockId block : blocks) {
    for (const SharedParts& group : shared_parts(program, block)) {
      passes::CollectiveRewrite rewrite{std::string(kSharePermutes),
                                        std::string(program.name(group.permutes.front())),
                                        program.location_text(group.permutes.front())};
      for (const OpId op : group.permutes) {
        rewrite.bytes_before += prices.bytes_sent(op);
        rewrite.messages_before += prices.cost(op).messages;
      }
      const OpId joint = share(program, group);
      rewrite.bytes_after = prices.bytes_sent(joint);
      rewrite.messages_after = prices.cost(joint).messages;
      rewrites.push_back(std::move(rewrite));
    }
  }
  return rewrites;
}

}  // namespace shardy::partitioning
