// Rewrites that merge several ops into one: equal ops, all-reduces, permutes.
#include "partitioning/program_rewrites.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/ir_names.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"

namespace shardy::partitioning {

// ---- Cleanup ------------------------------------------------------------------------------------

// CSE and DCE of the per-device program.
//
//   %1 = spmd.coord {"x"}                        %1 = spmd.coord {"x"}
//   %2 = spmd.coord {"x"}                   ->   %3 = multiply %1, %c
//   %3 = multiply %2, %c
//   %4 = add %1, %c  (without users)

namespace {

/// Checks whether equal ops may be merged. Equal optimization barriers must stay separate.
bool mergeable(const Module& module, OpId op) {
  return module.has_trait(op, ir::kPure) && !module.has_trait(op, ir::kTerminator) &&
         !module.is(op, OpKind::OptimizationBarrier) && module.regions(op).empty();
}

bool unused(const Module& module, OpId op) {
  for (const ValueId result : module.results(op)) {
    if (module.num_uses(result) != 0) return false;
  }
  return module.has_trait(op, ir::kPure) && !module.has_trait(op, ir::kTerminator);
}

/// Drops operand i and result i of a barrier if result i has no users.
void shrink_barrier(Module& module, OpId op) {
  ir::OpSpec spec{.kind = OpKind::OptimizationBarrier};
  std::vector<ValueId> kept;
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId result = module.result(op, index);
    if (module.num_uses(result) == 0) continue;
    kept.push_back(result);
    spec.operands.push_back(module.operand(op, index));
    spec.result_types.push_back(module.type(result));
  }
  if (kept.size() == module.num_results(op)) return;
  spec.location = module.location(op);
  const OpId smaller = module.create(std::move(spec));
  module.insert_before(op, smaller);
  for (std::size_t index = 0; index < kept.size(); ++index) {
    module.replace_all_uses(kept[index], module.result(smaller, index));
  }
  module.erase(op);
}

}  // namespace

void clean_up(Module& module, ir::BlockId block) {
  passes::EqualOps equal(module);
  for (OpId op = module.first_op(block); op.valid();) {
    const OpId next = module.next(op);
    if (mergeable(module, op)) equal.merge(op, static_cast<uint32_t>(module.kind(op)));
    op = next;
  }
  for (OpId op = module.last_op(block); op.valid();) {
    const OpId previous = module.prev(op);
    if (unused(module, op)) {
      module.erase(op);
    } else if (module.is(op, OpKind::OptimizationBarrier)) {
      shrink_barrier(module, op);
    }
    op = previous;
  }
}

// ---- Reductions ---------------------------------------------------------------------------------

// Small all-reduces over the same group become one. Spec: resharding C.8.
//
//   %2 = spmd.all_reduce add %0 {"x"}  : tensor<8xf32>        %2:2 = spmd.all_reduce add, add
//   %3 = spmd.all_reduce add %1 {"x"}  : tensor<8xf32>   ->            %0, %1 {"x"}

namespace {

int64_t bytes_of(const Module& module, OpId reduce) {
  int64_t bytes = 0;
  for (const ValueId operand : module.operands(reduce)) {
    const ir::Type& type = module.type(operand);
    bytes += type.num_elements() * static_cast<int64_t>(ir::size_bytes(type.element()));
  }
  return bytes;
}

/// Returns the first op of the block that uses a result of `reduce`; invalid if none does.
OpId first_reader(const Module& module, OpId reduce) {
  const BlockId block = module.parent_block(reduce);
  OpId first;
  for (const ValueId result : module.results(reduce)) {
    for (const ir::Use& use : module.uses(result)) {
      OpId reader = use.op;
      while (module.parent_block(reader) != block) reader = module.parent_op(reader);
      if (!first.valid() || module.is_before(reader, first)) first = reader;
    }
  }
  return first;
}

constexpr int kFar = 4;

/// Maps an op to its distance, in ops, from the nearest all-reduce on which it depends; never
/// iterated.
using Distances = std::unordered_map<OpId, int>;

bool can_sink(const Module& module, OpId op) {
  return module.has_trait(op, ir::kPure) && module.regions(op).empty() &&
         !module.has_trait(op, ir::kCollective) && !module.has_trait(op, ir::kTerminator);
}

int least_distance(const Module& module, OpId op, const Distances& distances) {
  int least = kFar;
  for (const ValueId operand : module.operands(op)) {
    const auto found = distances.find(module.defining_op(operand));
    if (found != distances.end()) least = std::min(least, found->second);
  }
  return least;
}

/// Sinks users of an all-reduce, and their users up to a depth, below the last all-reduce of the
/// block. Nothing is sunk if an op before that position needs a result.
void sink_readers(Module& module, BlockId block) {
  Distances distances;
  std::vector<OpId> near;
  OpId last;
  for (const OpId op : module.ops(block)) {
    if (module.is(op, OpKind::SpmdAllReduce)) {
      distances[op] = 0;
      last = op;
      continue;
    }
    const int distance = can_sink(module, op) ? least_distance(module, op, distances) : kFar;
    if (distance == kFar) continue;
    distances[op] = distance + 1;
    near.push_back(op);
  }
  for (auto op = near.rbegin(); op != near.rend(); ++op) {
    if (!module.is_before(*op, last)) continue;
    const OpId reader = first_reader(module, *op);
    const bool is_after_last = reader.valid() && module.is_before(last, reader);
    const OpId before = is_after_last ? module.next(last) : reader;
    if (!before.valid() || module.next(*op) == before) continue;
    module.remove(*op);
    module.insert_before(before, *op);
  }
}

/// All-reduces that can be combined into one all-reduce at the position of the last.
struct Batch {
  std::vector<OpId> ops;
  int64_t bytes = 0;
  OpId reader;  // the first op that uses a result of the batch
};

bool fits(const Module& module, const Batch& batch, OpId op, int64_t max_bytes) {
  const bool is_same_group = module.attributes(batch.ops.front()) == module.attributes(op);
  const bool is_read_before = batch.reader.valid() && !module.is_before(op, batch.reader);
  return is_same_group && !is_read_before && batch.bytes + bytes_of(module, op) <= max_bytes;
}

void add(const Module& module, Batch& batch, OpId op) {
  batch.ops.push_back(op);
  batch.bytes += bytes_of(module, op);
  const OpId reader = first_reader(module, op);
  const bool is_first =
      reader.valid() && (!batch.reader.valid() || module.is_before(reader, batch.reader));
  if (is_first) batch.reader = reader;
}

/// Returns batches of all-reduces to combine, each in program order. All-reduces over other groups
/// between them do not end a batch.
std::vector<Batch> batches_of(const Module& module, BlockId block, int64_t max_bytes) {
  constexpr std::size_t kMostGroups = 16;
  std::vector<Batch> done;
  std::vector<Batch> open;
  for (const OpId op : module.ops(block)) {
    const bool is_small = module.is(op, OpKind::SpmdAllReduce) && bytes_of(module, op) <= max_bytes;
    if (!is_small || !ir::recognized_reducers(module, op, module.num_operands(op))) continue;
    const auto same = std::ranges::find_if(open, [&](const Batch& batch) {
      return module.attributes(batch.ops.front()) == module.attributes(op);
    });
    if (same != open.end() && fits(module, *same, op, max_bytes)) {
      add(module, *same, op);
      continue;
    }
    if (same != open.end() || open.size() == kMostGroups) {
      const auto closed = same != open.end() ? same : open.begin();
      done.push_back(std::move(*closed));
      open.erase(closed);
    }
    add(module, open.emplace_back(), op);
  }
  std::ranges::move(open, std::back_inserter(done));
  std::erase_if(done, [](const Batch& batch) { return batch.ops.size() < 2; });
  return done;
}

/// Returns a reducer that combines the elements of each op with the reducer of that op.
ir::RegionId joint_reducer(Module& module, std::span<const OpId> ops) {
  std::vector<ir::Type> types;
  std::vector<OpKind> reducers;
  for (const OpId op : ops) {
    const auto own = ir::recognized_reducers(module, op, module.num_operands(op));
    for (std::size_t index = 0; index < own->size(); ++index) {
      types.push_back(ir::Type::tensor({}, module.type(module.operand(op, index)).element()));
      reducers.push_back((*own)[index]);
    }
  }
  std::vector<ir::Type> args = types;
  args.insert(args.end(), types.begin(), types.end());
  const ir::RegionId region = module.new_region();
  const BlockId block = module.new_block(region, args);
  ir::Builder body(module, block);
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  for (std::size_t index = 0; index < types.size(); ++index) {
    const ValueId lhs = module.args(block)[index];
    const ValueId rhs = module.args(block)[index + types.size()];
    terminator.operands.push_back(body.create_value(reducers[index], {lhs, rhs}, types[index]));
  }
  body.create(std::move(terminator));
  return region;
}

void combine(Module& module, const Batch& batch) {
  const OpId last = batch.ops.back();
  ir::OpSpec spec{.kind = OpKind::SpmdAllReduce};
  spec.attributes = ir::AttributeMap(module.attributes(last));
  spec.location = module.location(last);
  std::vector<ValueId> results;
  for (const OpId op : batch.ops) {
    for (std::size_t index = 0; index < module.num_operands(op); ++index) {
      spec.operands.push_back(module.operand(op, index));
      spec.result_types.push_back(module.type(module.operand(op, index)));
      results.push_back(module.result(op, index));
    }
  }
  spec.regions = {joint_reducer(module, batch.ops)};
  const OpId joint = module.create(std::move(spec));
  module.insert_before(last, joint);
  for (std::size_t index = 0; index < results.size(); ++index) {
    module.replace_all_uses(results[index], module.result(joint, index));
  }
  for (const OpId op : batch.ops) module.erase(op);
}

int64_t bytes_sent(const Module& module, const Batch& batch) {
  const auto* axes = module.attribute<ir::AxesAttr>(batch.ops.front(), ir::attr::kAxes);
  const int64_t devices = axes != nullptr ? sharding_size(axes->axes) : 1;
  return (2 * batch.bytes * (devices - 1) + devices - 1) / devices;
}

}  // namespace

std::vector<passes::CollectiveRewrite> combine_reductions(Module& program, int64_t max_bytes) {
  std::vector<passes::CollectiveRewrite> rewrites;
  std::set<BlockId> blocks;
  for (const OpId op : ir::pre_order(program)) {
    if (program.is(op, OpKind::SpmdAllReduce)) blocks.insert(program.parent_block(op));
  }
  for (const BlockId block : blocks) {
    sink_readers(program, block);
    for (const Batch& batch : batches_of(program, block, max_bytes)) {
      const OpId last = batch.ops.back();
      const int64_t bytes = bytes_sent(program, batch);
      rewrites.push_back({.rule = "combine-reductions",
                          .op = std::string(program.name(last)),
                          .location = program.source_location(last),
                          .bytes_before = bytes,
                          .bytes_after = bytes,
                          .messages_before = std::ssize(batch.ops),
                          .messages_after = 1});
      combine(program, batch);
    }
  }
  return rewrites;
}

// ---- Permutes -----------------------------------------------------------------------------------

// Permutes of overlapping slices of one value become one permute.
//
//   %1 = slice %x [6:8]                       %1 = slice %x [5:8]
//   %2 = permute %1, shift 1                  %2 = permute %1, shift 1
//   %3 = slice %x [5:8]                       %3 = slice %2 [1:3]
//   %4 = permute %3, shift 1
//   %5 = slice %x [7:8]                       %5 = slice %2 [2:3]
//   %6 = permute %5, to shard 0 alone         %6 = select (spmd.coord = 0), %5, 0

namespace {

/// A box of elements of a value: [starts, limits) in each dim.
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

/// Looks through slices of slices. Returns the sliced value, and the box of its elements that are
/// in `value`.
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

/// A permute of a part of a value.
struct SentPart {
  OpId permute;
  PartBox box;
  std::optional<int64_t> only =
      {};  // the only shard that receives the part; std::nullopt: as in the map
};

/// Permutes of parts of one value by one map, or to single receivers of that map.
struct SharedParts {
  PartBox hull;
  std::vector<SentPart> parts;  // the first one has the map

  const OpId& first() const { return parts.front().permute; }
};

const PermuteMap& map_of(const Module& module, OpId permute) {
  return *module.attribute<PermuteMap>(permute, ir::attr::kMap);
}

/// A shift that one shard receives alone.
struct SingleReceiverShift {
  int64_t hop = 0;
  int64_t receiver = 0;
};

std::optional<SingleReceiverShift> lone_shift(const Module& module, OpId permute) {
  const PermuteMap& map = map_of(module, permute);
  if (map.kind != PermuteMap::Kind::Affine) return std::nullopt;
  const int64_t shards =
      sharding_size(module.attribute<ir::AxesAttr>(permute, ir::attr::kAxes)->axes);
  const std::vector<int64_t>& n = map.numbers;  // [a, b, c, j, M, rho]
  if (n.size() != 6 || n[0] != 1 || n[2] != 1 || n[3] != 0 || n[4] != shards) return std::nullopt;
  return SingleReceiverShift{n[1], n[5]};
}

/// Checks whether the permutes have equal attributes besides their maps.
bool same_devices(const Module& module, OpId a, OpId b) {
  ir::AttributeMap one(module.attributes(a));
  one.set(ir::attr::kMap, map_of(module, b));
  return one == module.attributes(b);
}

bool fits_in(const Module& module, const SharedParts& group, OpId op, const PartBox& part) {
  return module.attributes(group.first()) == module.attributes(op) &&
         hull_of(group.hull, part).size() <= group.hull.size() + part.size();
}

/// Checks whether each shard that gets the part gets it by the permute of the group, too.
bool has_part(const Module& module, const SharedParts& group, OpId op,
              const SingleReceiverShift& lone, const PartBox& part) {
  const PermuteMap& map = map_of(module, group.first());
  return map.kind == PermuteMap::Kind::Shift && map.numbers.front() == lone.hop &&
         hull_of(group.hull, part).size() == group.hull.size() &&
         same_devices(module, group.first(), op);
}

using GroupsOfValues = std::unordered_map<ValueId, std::vector<std::size_t>>;  // never iterated

/// Adds the parts that single shards receive to groups of shifts that send them anyway.
void add_lone_parts(const Module& module, const GroupsOfValues& of_value,
                    std::vector<SharedParts>& found) {
  for (SharedParts& lone : found) {
    const auto shift = lone_shift(module, lone.first());
    if (!shift) continue;
    for (const std::size_t index : of_value.at(lone.hull.value)) {
      SharedParts& group = found[index];
      if (group.parts.empty() || !has_part(module, group, lone.first(), *shift, lone.hull))
        continue;
      for (SentPart& part : lone.parts) {
        group.parts.push_back({part.permute, std::move(part.box), shift->receiver});
      }
      lone.parts.clear();
      break;
    }
  }
}

std::vector<SharedParts> shared_parts(const Module& module, ir::BlockId block) {
  std::vector<SharedParts> found;
  GroupsOfValues of_value;
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
      found.push_back({part, {}});
    }
    SharedParts& group = found[own];
    group.hull = hull_of(std::move(group.hull), part);
    group.parts.push_back({op, std::move(part)});
  }
  add_lone_parts(module, of_value, found);
  std::erase_if(found, [](const SharedParts& group) { return group.parts.size() < 2; });
  return found;
}

/// Slices `part` from `value`, whose first element has the position `origin`.
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

/// Erases slices without users: first the slice that defines `value`, then slices that define its
/// operands.
void erase_slices(Module& module, ValueId value) {
  while (module.num_uses(value) == 0) {
    const OpId op = module.defining_op(value);
    if (!op.valid() || !module.is(op, OpKind::Slice)) return;
    value = module.operand(op, 0);
    module.erase(op);
  }
}

/// Returns `part` on the shard `shard` and zeros on the other shards, as a permute to only this
/// shard gives.
ValueId on_shard(Emitter& emit, const CollectivePrices& prices, OpId permute, ValueId part,
                 int64_t shard) {
  const Module& module = emit.module();
  const DeviceOrder place{*prices.mesh_of(permute),
                          module.attribute<ir::SymbolAttr>(permute, ir::attr::kMesh)->name};
  const AxisList& axes = module.attribute<ir::AxesAttr>(permute, ir::attr::kAxes)->axes;
  const ValueId own = emit.scalar(emit.coord(place, axes));
  const ValueId is_own = emit.compare(own, emit.scalar(ScalarIndex::of(shard)), "EQ");
  return emit.select(is_own, part, emit.zeros(module.type(part)));
}

using Replacements = std::unordered_map<ValueId, ValueId>;  // never iterated

/// Emits one permute of the hull of all parts before the first permute of the group, and returns
/// it. Adds the replaced results to `replaced`, and uses `replaced` to find the value that is sent.
OpId share(Module& module, const CollectivePrices& prices, const SharedParts& group,
           Replacements& replaced) {
  const auto is_before = [&](const SentPart& a, const SentPart& b) {
    return module.is_before(a.permute, b.permute);
  };
  const OpId first = std::ranges::min_element(group.parts, is_before)->permute;
  ir::Builder builder = ir::Builder::before(module, first);
  builder.set_location(module.location(first));
  const std::vector<int64_t> origin(group.hull.starts.size(), 0);
  const auto now = replaced.find(group.hull.value);
  const ValueId source = now == replaced.end() ? group.hull.value : now->second;
  const ValueId sent = slice_at(builder, source, origin, group.hull);
  const ValueId received = builder.create_value(OpKind::SpmdPermute, {sent}, module.type(sent),
                                                ir::AttributeMap(module.attributes(group.first())));
  for (const SentPart& each : group.parts) {
    const OpId op = each.permute;
    Emitter there(module);
    there.start_before(op);
    ValueId part = slice_at(there.builder(), received, group.hull.starts, each.box);
    if (each.only) part = on_shard(there, prices, op, part, *each.only);
    module.replace_all_uses(module.result(op), part);
    replaced.emplace(module.result(op), part);
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
  Replacements replaced;
  for (const ir::BlockId block : blocks) {
    for (const SharedParts& group : shared_parts(program, block)) {
      passes::CollectiveRewrite rewrite{std::string(kSharePermutes),
                                        std::string(program.name(group.first())),
                                        program.source_location(group.first())};
      for (const SentPart& part : group.parts) {
        rewrite.bytes_before += prices.bytes_sent(part.permute);
        rewrite.messages_before += prices.cost(part.permute).messages;
      }
      const OpId joint = share(program, prices, group, replaced);
      rewrite.bytes_after = prices.bytes_sent(joint);
      rewrite.messages_after = prices.cost(joint).messages;
      rewrites.push_back(std::move(rewrite));
    }
  }
  return rewrites;
}

}  // namespace shardy::partitioning
