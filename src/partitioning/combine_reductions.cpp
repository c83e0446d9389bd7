// Small all-reduces over the same group become one. Spec: resharding C.8.
//
//   %2 = spmd.all_reduce add %0 {"x"}  : tensor<8xf32>        %2:2 = spmd.all_reduce add, add
//   %3 = spmd.all_reduce add %1 {"x"}  : tensor<8xf32>   ->            %0, %1 {"x"}
#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "partitioning/program_rewrites.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::partitioning {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

int64_t bytes_of(const Module& module, OpId reduce) {
  int64_t bytes = 0;
  for (const ValueId operand : module.operands(reduce)) {
    const ir::Type& type = module.type(operand);
    bytes += type.num_elements() * static_cast<int64_t>(ir::size_bytes(type.element()));
  }
  return bytes;
}

/// Returns the first op of the block that uses a result; invalid if none does.
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

/// Distance in ops from an op to the nearest all-reduce among its operands; never iterated.
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
/// block unless a result is used before.
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
    const bool goes_behind = reader.valid() && module.is_before(last, reader);
    const OpId before = goes_behind ? module.next(last) : reader;
    if (!before.valid() || module.next(*op) == before) continue;
    module.remove(*op);
    module.insert_before(before, *op);
  }
}

/// All-reduces that can be combined at the position of the last one.
struct Batch {
  std::vector<OpId> ops;
  int64_t bytes = 0;
  OpId reader;  // the first op that uses one of them
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

/// Returns batches of all-reduces to combine, each in program order. Batches of other groups stay
/// open.
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

/// Creates a reducer that combines each pair of elements with the reducer of its op.
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
                          .location = program.location_text(last),
                          .bytes_before = bytes,
                          .bytes_after = bytes,
                          .messages_before = std::ssize(batch.ops),
                          .messages_after = 1});
      combine(program, batch);
    }
  }
  return rewrites;
}

}  // namespace shardy::partitioning
