#include "shardy/partitioning/collective_cost.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "partitioning/device_pairs.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/spmd_ops.hpp"
#include "shardy/resharding/cost_text.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool communicates(const Module& program, OpId op) {
  return ir::is_spmd(program.kind(op)) && program.has_trait(op, ir::kCollective);
}

AxisSpan axes_of(const Module& program, OpId op) {
  const auto* axes = program.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  return axes != nullptr ? AxisSpan(axes->axes) : AxisSpan();
}

/// Where each place of the mesh sends; to itself if it sends nothing.
std::vector<int64_t> targets_of(const Module& program, OpId op, const Mesh& mesh) {
  std::vector<int64_t> targets(static_cast<std::size_t>(mesh.num_devices()));
  std::iota(targets.begin(), targets.end(), int64_t{0});
  const auto* map = ir::view<ir::SpmdPermuteOp>(program, op).map;
  for (const auto& [source, target] : device_pairs(*map, mesh, axes_of(program, op))) {
    const auto from = mesh.position_of(source);
    const auto to = mesh.position_of(target);
    if (from && to) targets[static_cast<std::size_t>(*from)] = *to;
  }
  return targets;
}

/// Of one buffer of b bytes over G devices, rounded up. Spec: partitioning 11.9, resharding C.1.
int64_t buffer_bytes_sent(OpKind kind, int64_t bytes, int64_t devices) {
  const auto share = [&](int64_t of) { return (of * (devices - 1) + devices - 1) / devices; };
  switch (kind) {
    case OpKind::SpmdAllGather:
    case OpKind::SpmdBroadcastFrom:
      return bytes * (devices - 1);
    case OpKind::SpmdAllReduce:
      return share(2 * bytes);
    case OpKind::SpmdReduceScatter:
    case OpKind::SpmdAllToAll:
      return share(bytes);
    default:
      return bytes;
  }
}

std::optional<StepKind> step_kind(OpKind kind) {
  switch (kind) {
    case OpKind::SpmdAllGather:
    case OpKind::SpmdBroadcastFrom:  // as many bytes from one device as a gather takes from each
      return StepKind::AllGather;
    case OpKind::SpmdAllReduce:
      return StepKind::AllReduce;
    case OpKind::SpmdReduceScatter:
      return StepKind::ReduceScatter;
    case OpKind::SpmdAllToAll:
      return StepKind::AllToAll;
    default:
      return std::nullopt;
  }
}

}  // namespace

CollectivePrices::CollectivePrices(const Module& program, const CostModel& model)
    : program_(program) {
  for (const OpId op : program.meshes()) {
    const auto* mesh = program.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    const auto* costs = program.attribute<std::string>(op, kAxisCostsAttribute);
    auto own = parse_cost_model(costs != nullptr ? *costs : std::string());
    meshes_.emplace(program.symbol_name(op),
                    PricedMesh{*mesh, merged(own ? *std::move(own) : CostModel(), model)});
  }
}

const CollectivePrices::PricedMesh* CollectivePrices::find(OpId op) const {
  const auto* name = program_.attribute<ir::SymbolAttr>(op, ir::attr::kMesh);
  const auto found = name != nullptr ? meshes_.find(name->name) : meshes_.end();
  return found != meshes_.end() ? &found->second : nullptr;
}

const Mesh* CollectivePrices::mesh_of(OpId op) const {
  const PricedMesh* found = find(op);
  return found != nullptr ? &found->mesh : nullptr;
}

/// A map by ranks is the same in all groups.
bool CollectivePrices::sends(OpId op) const {
  const Mesh* mesh = mesh_of(op);
  if (mesh == nullptr) return false;
  const ir::PermuteMap& map = *ir::view<ir::SpmdPermuteOp>(program_, op).map;
  const int64_t size = sharding_size(axes_of(program_, op));
  using Kind = ir::PermuteMap::Kind;
  if (map.kind == Kind::Shift) {
    return map.numbers[0] != 0 && map.numbers[0] > -size && map.numbers[0] < size;
  }
  if (map.kind == Kind::Rotate) return map.numbers[0] % size != 0;
  if (map.kind == Kind::Mirror) return size > 1;
  return std::ranges::any_of(device_pairs(map, *mesh, axes_of(program_, op)),
                             [](const DevicePair& pair) { return pair.first != pair.second; });
}

int64_t CollectivePrices::bytes_sent(OpId op) const {
  if (!communicates(program_, op)) return 0;
  if (program_.is(op, OpKind::SpmdPermute) && !sends(op)) return 0;
  const int64_t devices = std::max<int64_t>(1, sharding_size(axes_of(program_, op)));
  int64_t bytes = 0;
  for (const ValueId operand : program_.operands(op)) {
    bytes += buffer_bytes_sent(program_.kind(op), program_.type(operand).num_bytes(), devices);
  }
  return bytes;
}

StepCost CollectivePrices::cost(OpId op) const {
  const PricedMesh* found = find(op);
  StepCost cost;
  if (!communicates(program_, op) || found == nullptr) return cost;
  int64_t held = 0;
  for (const ValueId operand : program_.operands(op)) held += program_.type(operand).num_bytes();
  if (const auto kind = step_kind(program_.kind(op))) {
    cost = exchange_cost(*kind, held, found->mesh, axes_of(program_, op), found->model);
  } else if (program_.is(op, OpKind::SpmdPermute)) {
    cost = permute_cost(held, found->mesh, targets_of(program_, op, found->mesh), found->model);
  }
  cost.bytes = bytes_sent(op);
  return cost;
}

}  // namespace shardy::partitioning
