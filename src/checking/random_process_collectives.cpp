// StableHLO collectives in the bodies of manual computations, as `shard_map` writes them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "checking/random_maker.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::checking {

using ir::ElementType;
using ir::IntegerAttr;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

namespace {

/// Elements of a gathered result, at most.
constexpr int64_t kMaxElements = 20000;

bool reduces(OpKind kind) {
  return kind == OpKind::AllReduce || kind == OpKind::ReduceScatter ||
         kind == OpKind::CollectiveReduce;
}

bool names_devices(OpKind kind) { return reduces(kind) || kind == OpKind::AllGather; }

IntegerAttr number(int64_t value) { return {value, ElementType::I64}; }

}  // namespace

/// Some of the manual axes around the op, in any order.
AxisList RandomMaker::any_manual_axes() {
  AxisList axes;
  for (const std::string& name : bound_.names()) {
    axes.push_back(mesh_.full_axis(*mesh_.find_axis(name)));
  }
  while (axes.size() > 1 && random_.chance(2)) {
    axes.erase(axes.begin() + random_.between(0, std::ssize(axes) - 1));
  }
  if (random_.chance(2)) std::ranges::reverse(axes);
  return axes;
}

/// Each device of a group to the one `distance` further; at times the last ones to none.
ir::Attribute RandomMaker::any_pairs(const AxisList& axes) {
  std::vector<int64_t> numbers;
  const auto groups = replica_groups(mesh_, axes);
  const int64_t size = std::ssize(groups.front());
  const int64_t distance = random_.between(-(size - 1), size - 1);
  const bool wraps = random_.chance(2);
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t rank = 0; rank < size; ++rank) {
      const int64_t target = rank + distance;
      if (!wraps && (target < 0 || target >= size)) continue;
      numbers.push_back(group[static_cast<std::size_t>(rank)]);
      numbers.push_back(group[static_cast<std::size_t>((target + size) % size)]);
    }
  }
  return partitioning::matrix(numbers, std::ssize(numbers) / 2);
}

/// The result type, and the attributes that name dims; nullopt where groups of the size do not
/// divide a dim.
std::optional<Type> RandomMaker::exchanged_type(OpSpec& spec, ValueId value, int64_t size) {
  std::vector<int64_t> sizes = dims(value);
  const bool moves_dims = spec.kind == OpKind::AllGather || spec.kind == OpKind::ReduceScatter ||
                          spec.kind == OpKind::AllToAll;
  if (!moves_dims) return type(value);
  if (sizes.empty()) return std::nullopt;
  const auto any_dim = [&] { return random_.between(0, std::ssize(sizes) - 1); };
  const int64_t split = any_dim();
  const int64_t joined = spec.kind == OpKind::AllToAll ? any_dim() : split;
  if (spec.kind == OpKind::AllGather) {
    spec.attributes.set(ir::attr::kAllGatherDim, number(joined));
  } else {
    if (sizes[static_cast<std::size_t>(split)] % size != 0) return std::nullopt;
    sizes[static_cast<std::size_t>(split)] /= size;
  }
  if (spec.kind == OpKind::ReduceScatter) {
    spec.attributes.set(ir::attr::kScatterDimension, number(split));
  } else {
    sizes[static_cast<std::size_t>(joined)] *= size;
  }
  if (spec.kind == OpKind::AllToAll) {
    spec.attributes.set(ir::attr::kSplitDimension, number(split));
    spec.attributes.set(ir::attr::kConcatDimension, number(joined));
    spec.attributes.set(ir::attr::kSplitCount, number(size));
  }
  return Type::tensor(std::move(sizes), element(value));
}

/// Reducers give the same bits in any order: nothing is known of the size of floats here.
bool RandomMaker::add_process_collective() {
  constexpr std::array kKinds = {OpKind::AllGather,         OpKind::AllReduce,
                                 OpKind::AllToAll,          OpKind::CollectiveBroadcast,
                                 OpKind::CollectivePermute, OpKind::CollectivePermute,
                                 OpKind::ReduceScatter,     OpKind::CollectiveReduce};
  const ValueId value = any();
  OpSpec spec{.kind = random_.pick(std::span<const OpKind>(kKinds))};
  spec.operands = {value};
  const AxisList axes = any_manual_axes();
  const int64_t size = sharding_size(axes);
  const auto result = exchanged_type(spec, value, size);
  if (!result || result->num_elements() > kMaxElements) return false;
  spec.result_types = {*result};
  if (spec.kind == OpKind::CollectivePermute) {
    spec.attributes.set(ir::attr::kSourceTargetPairs, any_pairs(axes));
  } else {
    const bool is_mesh = random_.chance(3);
    spec.attributes.set(
        ir::attr::kReplicaGroups,
        is_mesh ? partitioning::mesh_groups("@mesh", mesh_, axes)
                : partitioning::listed_groups(mesh_, axes, random_.between(0, size - 1)));
  }
  spec.attributes.set(ir::attr::kChannelHandle, partitioning::channel_handle(++last_channel_));
  if (names_devices(spec.kind)) {
    spec.attributes.set(ir::attr::kUseGlobalDeviceIds, ir::UnitAttr());
  }
  if (reduces(spec.kind)) {
    const bool is_sum = ir::is_integer(element(value)) && random_.chance(2);
    const OpKind extreme = random_.chance(2) ? OpKind::Maximum : OpKind::Minimum;
    spec.regions = {reducer(is_sum ? OpKind::Add : extreme, element(value))};
  }
  remember(module_.result(builder_->create(std::move(spec))), Known{false, 0});
  return true;
}

}  // namespace shardy::checking
