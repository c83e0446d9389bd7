#include "partitioning/collective_view.hpp"

#include <algorithm>
#include <utility>

#include "partitioning/ir_names.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

using ir::GroupList;

namespace {

// ---- Kinds --------------------------------------------------------------------------------------

struct ExchangeRow {
  OpKind kind;
  ExchangePattern exchange;
};
constexpr ExchangeRow kExchanges[] = {
    {OpKind::SpmdAllGather, ExchangePattern::AllGather},
    {OpKind::SpmdAllReduce, ExchangePattern::AllReduce},
    {OpKind::SpmdReduceScatter, ExchangePattern::ReduceScatter},
    {OpKind::SpmdAllToAll, ExchangePattern::AllToAll},
    {OpKind::SpmdPermute, ExchangePattern::Permute},
    {OpKind::SpmdBroadcastFrom, ExchangePattern::Broadcast},
    {OpKind::AllGather, ExchangePattern::AllGather},
    {OpKind::AllReduce, ExchangePattern::AllReduce},
    {OpKind::CrossReplicaSum, ExchangePattern::AllReduce},
    {OpKind::ReduceScatter, ExchangePattern::ReduceScatter},
    {OpKind::AllToAll, ExchangePattern::AllToAll},
    {OpKind::CollectivePermute, ExchangePattern::Permute},
    {OpKind::CollectiveBroadcast, ExchangePattern::Broadcast},
    {OpKind::CollectiveReduce, ExchangePattern::Reduce},
};

/// The pattern of each kind of op; std::nullopt for ops that do not communicate.
constexpr auto kExchangeByKind = [] {
  std::array<std::optional<ExchangePattern>, ir::kNumKnownOps + 1> patterns;
  for (const ExchangeRow& row : kExchanges) {
    patterns[static_cast<std::size_t>(row.kind)] = row.exchange;
  }
  return patterns;
}();

std::optional<ExchangePattern> exchange_of(OpKind kind) {
  return kExchangeByKind[static_cast<std::size_t>(kind)];
}

bool has_root(ExchangePattern exchange) {
  return exchange == ExchangePattern::Broadcast || exchange == ExchangePattern::Reduce;
}

// ---- Bytes --------------------------------------------------------------------------------------

/// Computes ceil(bytes * part / devices) without overflow.
int64_t share(int64_t bytes, int64_t part, int64_t devices) {
  return bytes / devices * part + ceil_div(bytes % devices * part, devices);
}

/// Returns the bytes that one device sends in a group of `devices`, rounded up. Spec: partitioning
/// 11.9, resharding C.1.
int64_t bytes_in_group(ExchangePattern exchange, int64_t bytes, int64_t devices, bool is_root) {
  switch (exchange) {
    case ExchangePattern::AllGather:
      return bytes * (devices - 1);
    case ExchangePattern::AllReduce:
      return share(bytes, 2 * (devices - 1), devices);
    case ExchangePattern::ReduceScatter:
    case ExchangePattern::AllToAll:
      return share(bytes, devices - 1, devices);
    case ExchangePattern::Broadcast:
      return is_root ? bytes * (devices - 1) : 0;
    case ExchangePattern::Reduce:
      return is_root ? 0 : bytes;
    case ExchangePattern::Permute:
      break;
  }
  return bytes;
}

/// Returns true for a map that sends nothing. Requires: a map of ranks, which is the same in all
/// groups.
bool is_idle(const ir::PermuteMap& map, int64_t devices) {
  using Kind = ir::PermuteMap::Kind;
  if (map.kind == Kind::Shift) {
    return map.numbers[0] == 0 || map.numbers[0] <= -devices || map.numbers[0] >= devices;
  }
  if (map.kind == Kind::Rotate) return map.numbers[0] % devices == 0;
  return map.kind == Kind::Mirror && devices == 1;
}

bool sends_once(const ir::PermuteMap& map) {
  using Kind = ir::PermuteMap::Kind;
  return map.kind == Kind::Shift || map.kind == Kind::Rotate || map.kind == Kind::Mirror;
}

void add_at(std::vector<int64_t>& by_device, int64_t device, int64_t bytes) {
  const auto place = static_cast<std::size_t>(device);
  if (by_device.size() <= place) by_device.resize(place + 1);
  by_device[place] = saturating_add(by_device[place], bytes);
}

/// Returns the groups along the axes, each with its root first.
GroupList rooted_groups(const Mesh& mesh, const AxisList& axes, int64_t root) {
  GroupList groups = replica_groups(mesh, axes);
  for (std::vector<int64_t>& group : groups) {
    std::swap(group.front(), group[static_cast<std::size_t>(root)]);
  }
  return groups;
}

// ---- Groups as axes -----------------------------------------------------------------------------

/// Returns the sub-axes of `axis` along which the coordinates differ; std::nullopt if the
/// coordinates are not a grid of sub-axes.
std::optional<AxisList> parts_of_axis(int32_t axis, int64_t size,
                                      const std::vector<int64_t>& coordinates) {
  const auto has = [&](int64_t coordinate) {
    return std::ranges::binary_search(coordinates, coordinate);
  };
  AxisList parts;  // minor to major
  int64_t covered = 1;
  while (true) {
    const auto stride = std::ranges::lower_bound(coordinates, covered);
    if (stride == coordinates.end()) break;
    if (*stride % covered != 0) return std::nullopt;
    int64_t count = 2;
    while (has(*stride * count)) ++count;
    covered = *stride * count;
    if (size % covered != 0) return std::nullopt;
    parts.push_back({axis, size / covered, count});
  }
  std::ranges::reverse(parts);
  return parts;
}

/// Returns the axes along which the devices of the group differ; std::nullopt if the group is not a
/// grid.
std::optional<AxisList> axes_of_group(const Mesh& mesh, const std::vector<int64_t>& group) {
  std::vector<int64_t> places;
  for (const int64_t device : group) {
    const auto place = mesh.position_of(device);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  std::ranges::sort(places);
  AxisList axes;
  int64_t stride = mesh.num_devices();
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const int64_t size = mesh.axis_size(axis);
    stride /= size;
    std::vector<int64_t> coordinates;
    for (const int64_t place : places) {
      if (place % stride == 0 && place / stride < size) coordinates.push_back(place / stride);
    }
    const auto parts = parts_of_axis(axis, size, coordinates);
    if (!parts) return std::nullopt;
    append(axes, *parts);
  }
  return axes;
}

GroupList as_sets(GroupList groups) {
  for (std::vector<int64_t>& group : groups) std::ranges::sort(group);
  std::ranges::sort(groups);
  return groups;
}

/// Returns the axes whose replica groups are `sets`; std::nullopt if no axes have these groups.
std::optional<AxisList> axes_of_groups(const Mesh& mesh, const GroupList& sets) {
  const auto first = std::ranges::find_if(sets, [&](const std::vector<int64_t>& group) {
    return std::ranges::binary_search(group, mesh.device_at(0));
  });
  if (first == sets.end()) return std::nullopt;
  auto axes = axes_of_group(mesh, *first);
  const bool fits = axes && sharding_size(*axes) == std::ssize(*first) &&
                    as_sets(replica_groups(mesh, *axes)) == sets;
  return fits ? std::move(axes) : std::nullopt;
}

/// Checks whether sender and receiver differ in their coordinate along the axis.
bool goes_along(const Mesh& mesh, int32_t axis, const DevicePair& pair) {
  int64_t stride = 1;
  for (int32_t minor = mesh.num_axes(); --minor > axis;) stride *= mesh.axis_size(minor);
  const auto coordinate = [&](int64_t device) {
    return mesh.position_of(device).value_or(0) / stride % mesh.axis_size(axis);
  };
  return coordinate(pair.first) != coordinate(pair.second);
}

/// Returns the full axes along which any message is sent.
AxisList axes_of_pairs(const Mesh& mesh, const std::vector<DevicePair>& pairs) {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const bool is_used = std::ranges::any_of(
        pairs, [&](const DevicePair& pair) { return goes_along(mesh, axis, pair); });
    if (is_used) axes.push_back(mesh.full_axis(axis));
  }
  return axes;
}

/// Returns a mesh of one unnamed axis. Cost models have no entry for an unnamed axis.
Mesh nameless_mesh(int64_t devices) {
  auto mesh = Mesh::make({{"", devices}});
  SHARDY_ASSERT(mesh.has_value());
  return *std::move(mesh);
}

}  // namespace

std::vector<DevicePair> pairs_of(const CollectiveView& view) {
  return view.map != nullptr ? device_pairs(*view.map, view.mesh, view.axes) : view.pairs;
}

int64_t most_sent(const CollectiveView& view) {
  if (view.map != nullptr && is_idle(*view.map, view.devices)) return 0;
  const bool is_alike = view.exchange != ExchangePattern::Permute
                            ? view.groups.empty()
                            : view.map != nullptr && sends_once(*view.map);
  if (is_alike) return bytes_in_group(view.exchange, view.bytes, view.devices, true);
  return sent_bytes(view).most();
}

int64_t SentBytes::most() const {
  return more.empty() ? each : saturating_add(each, std::max<int64_t>(0, std::ranges::max(more)));
}

void SentBytes::add(const SentBytes& other, int64_t times) {
  each = saturating_add(each, saturating_mul(other.each, times));
  for (std::size_t device = 0; device < other.more.size(); ++device) {
    add_at(more, static_cast<int64_t>(device), saturating_mul(other.more[device], times));
  }
}

SentBytes sent_bytes(const CollectiveView& view) {
  SentBytes sent;
  if (view.exchange == ExchangePattern::Permute) {
    for (const auto& [source, target] : pairs_of(view)) {
      if (source != target) add_at(sent.more, source, view.bytes);
    }
  } else if (view.groups.empty()) {
    sent.each = bytes_in_group(view.exchange, view.bytes, view.devices, false);
  }
  for (const std::vector<int64_t>& group : view.groups) {
    for (const int64_t device : group) {
      const bool is_root = device == group.front();
      add_at(sent.more, device,
             bytes_in_group(view.exchange, view.bytes, std::ssize(group), is_root));
    }
  }
  return sent;
}

SentBytes sent_along(const CollectiveView& view, int32_t axis, int64_t bytes) {
  SentBytes sent;
  if (view.exchange == ExchangePattern::Permute) {
    for (const DevicePair& pair : pairs_of(view)) {
      if (goes_along(view.mesh, axis, pair)) add_at(sent.more, pair.first, bytes);
    }
  } else if (view.groups.empty()) {
    sent.each = bytes;
  }
  for (const std::vector<int64_t>& group : view.groups) {
    for (const int64_t device : group) {
      const bool is_loaded = !has_root(view.exchange) || device == group.front();
      if (group.size() > 1 && is_loaded) add_at(sent.more, device, bytes);
    }
  }
  return sent;
}

// ---- Views --------------------------------------------------------------------------------------

CollectiveViews::CollectiveViews(const Module& program) : program_(program) {
  for (const OpId op : program.meshes()) {
    const auto* mesh = program.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    meshes_.push_back({program.symbol_name(op), mesh});
    counts_.partitions = std::max(counts_.partitions, mesh->num_devices());
  }
  const auto* replicas = program.module_attributes().get<ir::IntegerAttr>("mhlo.num_replicas");
  if (replicas != nullptr && replicas->value == counts_.partitions) {
    std::swap(counts_.replicas, counts_.partitions);
  }
}

bool CollectiveViews::communicates(OpId op) const {
  return exchange_of(program_.kind(op)).has_value();
}

std::optional<CollectiveView> CollectiveViews::of(OpId op) const {
  const std::optional<ExchangePattern> exchange = exchange_of(program_.kind(op));
  if (!exchange) return std::nullopt;
  return ir::is_spmd(program_.kind(op)) ? spmd_view(op, *exchange) : process_view(op, *exchange);
}

std::optional<CollectiveView> CollectiveViews::spmd_view(OpId op, ExchangePattern exchange) const {
  const auto* name = program_.attribute<ir::SymbolAttr>(op, ir::attr::kMesh);
  const auto* axes = program_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  if (name == nullptr) return std::nullopt;
  const auto mesh = std::ranges::find(meshes_, name->name, &DeclaredMesh::name);
  if (mesh == meshes_.end()) return std::nullopt;
  CollectiveView view{.exchange = exchange, .mesh_name = name->name, .mesh = *mesh->mesh};
  for (std::size_t index = 0; index < program_.num_operands(op); ++index) {
    view.bytes += program_.type(program_.operand(op, index)).num_bytes();
  }
  if (axes != nullptr) view.axes = axes->axes;
  view.devices = sharding_size(view.axes);
  if (exchange == ExchangePattern::Permute)
    view.map = ir::view<ir::SpmdPermuteOp>(program_, op).map;
  if (has_root(exchange)) {
    const int64_t root = ir::view<ir::SpmdBroadcastFromOp>(program_, op).root;
    view.groups = rooted_groups(view.mesh, view.axes, root);
  }
  return view;
}

std::optional<CollectiveView> CollectiveViews::process_view(OpId op,
                                                            ExchangePattern exchange) const {
  CollectiveView view{.exchange = exchange};
  const bool has_root_operand = program_.attributes(op).contains(ir::attr::kHasDynamicRoot);
  const std::size_t count = program_.num_operands(op) - (has_root_operand ? 1 : 0);
  for (std::size_t index = 0; index < count; ++index) {
    view.bytes += program_.type(program_.operand(op, index)).num_bytes();
  }
  if (exchange == ExchangePattern::Permute) return permute_view(op, std::move(view));
  auto groups = ir::process_groups(program_, op, counts_);
  if (!groups) return std::nullopt;
  find_axes(view, *groups);
  if (view.mesh_name.empty() || has_root(exchange)) view.groups = *std::move(groups);
  return view;
}

/// Uses the first mesh that contains all devices.
std::optional<CollectiveView> CollectiveViews::permute_view(OpId op, CollectiveView view) const {
  auto pairs = ir::process_pairs(program_, op, counts_);
  if (!pairs) return std::nullopt;
  view.pairs = *std::move(pairs);
  view.devices = counts_.replicas * counts_.partitions;
  const auto mesh = std::ranges::find_if(meshes_, [&](const DeclaredMesh& each) {
    return each.mesh->num_devices() == view.devices && each.mesh->num_axes() > 0;
  });
  view.mesh = mesh != meshes_.end() ? *mesh->mesh : nameless_mesh(view.devices);
  if (mesh != meshes_.end()) {
    view.mesh_name = mesh->name;
    view.axes = axes_of_pairs(view.mesh, view.pairs);
  }
  return view;
}

/// Uses the first mesh that has axes with these groups.
void CollectiveViews::find_axes(CollectiveView& view, const GroupList& groups) const {
  for (const std::vector<int64_t>& group : groups) {
    view.devices = std::max<int64_t>(view.devices, std::ssize(group));
  }
  const GroupList sets = as_sets(groups);
  for (const DeclaredMesh& each : meshes_) {
    if (each.mesh->num_devices() != counts_.replicas * counts_.partitions) continue;
    auto axes = axes_of_groups(*each.mesh, sets);
    if (!axes) continue;
    view.mesh_name = each.name;
    view.mesh = *each.mesh;
    view.axes = *std::move(axes);
    return;
  }
  view.mesh = nameless_mesh(view.devices);
  view.axes = {view.mesh.full_axis(0)};
}

}  // namespace shardy::partitioning
