// Ops that only a per-device program has. Spec: partitioning 4.1 to 4.3.
#include <algorithm>
#include <limits>

#include "check_axes.hpp"
#include "check_structure.hpp"
#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"

namespace shardy::ir {

namespace {

Type index_type() { return Type::tensor({}, ElementType::I64); }

/// The mesh that `mesh` names.
Result<Mesh> named_mesh(const OpFacts& op) {
  SHARDY_TRY(const auto* symbol, required<SymbolAttr>(op, attr::kMesh, "a symbol"));
  std::optional<Mesh> mesh = nearest_mesh(op.module, op.op, symbol->name);
  if (!mesh) return fail("unknown mesh: @" + symbol->name);
  return *std::move(mesh);
}

struct Group {
  Mesh mesh;
  AxisList axes;
  int64_t size = 1;
};

/// The devices that take part together: `axes` of the mesh that `mesh` names.
Result<Group> group_of(const OpFacts& op) {
  SHARDY_TRY(Mesh mesh, named_mesh(op));
  SHARDY_TRY(const auto view, read_view<SpmdGroupOp>(op.attributes));
  const AxesAttr* const axes = view.axes;
  if (axes->mesh != mesh) {
    return fail("attribute 'axes' is on mesh " + to_string(axes->mesh) + ", but 'mesh' is " +
                to_string(mesh));
  }
  SHARDY_TRY_STATUS(check_axis_parts(mesh, axes->axes));
  return Group{std::move(mesh), axes->axes, sharding_size(axes->axes)};
}

Status expect_static_operands(const OpFacts& op) {
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    if (op.operand_type(index).is_static_tensor()) continue;
    return fail(operand_name(index) + " must be a static tensor, got " +
                to_string(op.operand_type(index)));
  }
  return {};
}

Result<std::size_t> dim_of_all(const OpFacts& op, std::string_view name, int64_t dim) {
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const std::string what = std::string(name) + " of " + operand_name(index);
    SHARDY_TRY_STATUS(expect_dim(what, dim, op.operand_type(index).dims().size()));
  }
  return static_cast<std::size_t>(dim);
}

Result<Type> gathered(const Type& type, std::size_t dim, int64_t group_size) {
  Dims dims(type.dims().begin(), type.dims().end());
  const std::optional<int64_t> size = checked_mul(dims[dim], group_size);
  if (!size) return fail("result is too large: a size does not fit 64 bits");
  dims[dim] = *size;
  return Type::make_tensor(std::move(dims), type.element());
}

Result<Type> scattered(const OpFacts& op, std::size_t index, std::size_t dim, int64_t group_size) {
  const Type& type = op.operand_type(index);
  Dims dims(type.dims().begin(), type.dims().end());
  if (dims[dim] % group_size != 0) {
    return fail("dim " + std::to_string(dim) + " of " + operand_name(index) + " with size " +
                std::to_string(dims[dim]) + " is not divisible by the group size " +
                std::to_string(group_size));
  }
  dims[dim] /= group_size;
  return Type::make_tensor(std::move(dims), type.element());
}

Status expect_reducer_of_operands(const OpFacts& op) {
  std::vector<ElementType> elements;
  for (const Type& type : op.operand_types()) elements.push_back(type.element());
  return expect_reducer(op, elements);
}

}  // namespace

Result<Types> infer_spmd_coord(const OpFacts& op) {
  SHARDY_TRY_STATUS(group_of(op));
  return Types{index_type()};
}

Result<Types> infer_spmd_device_id(const OpFacts& op) {
  SHARDY_TRY_STATUS(named_mesh(op));
  return Types{index_type()};
}

Result<Types> infer_spmd_undef(const OpFacts& op) {
  SHARDY_TRY(Type type, written_tensor(op));
  if (!type.is_static_tensor()) {
    return fail("result must be a static tensor, got " + to_string(type));
  }
  return Types{std::move(type)};
}

Result<Types> infer_spmd_integer_arithmetic(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kS | kU));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  SHARDY_TRY_STATUS(expect_type_of(op, 1, 0));
  return Types{op.operand_type(0)};
}

Result<Types> infer_spmd_all_gather(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdDimOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of_all(op, attr::kDim, view.dim));
  Types results;
  for (const Type& type : op.operand_types()) {
    SHARDY_TRY(Type result, gathered(type, dim, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_all_reduce(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY_STATUS(group_of(op));
  SHARDY_TRY_STATUS(expect_reducer_of_operands(op));
  return op.operand_types();
}

Result<Types> infer_spmd_reduce_scatter(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdDimOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of_all(op, attr::kDim, view.dim));
  SHARDY_TRY_STATUS(expect_reducer_of_operands(op));
  Types results;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY(Type result, scattered(op, index, dim, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_all_to_all(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdAllToAllOp>(op.attributes));
  SHARDY_TRY(const std::size_t split, dim_of_all(op, attr::kSplitDim, view.split_dim));
  SHARDY_TRY(const std::size_t concat, dim_of_all(op, attr::kConcatDim, view.concat_dim));
  Types results;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY(const Type block, scattered(op, index, split, group.size));
    SHARDY_TRY(Type result, gathered(block, concat, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_broadcast_from(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdBroadcastFromOp>(op.attributes));
  const int64_t root = view.root;
  if (root < 0 || root >= group.size) {
    return fail("root must be in range [0, " + std::to_string(group.size) + "), got " +
                std::to_string(root));
  }
  return op.operand_types();
}

// ---- permute ------------------------------------------------------------------------------------

namespace {

Status expect_numbers(const PermuteMap& map, std::string_view kind, std::size_t count) {
  if (map.numbers.size() == count) return {};
  return fail(std::string(kind) + " map needs " + counted(count, "number") + ", got " +
              std::to_string(map.numbers.size()));
}

/// affine(a, b, c, j, M, rho): source floor((a q + b) / c) + j of the receivers q = rho mod M.
Status check_affine(const PermuteMap& map) {
  SHARDY_TRY_STATUS(expect_numbers(map, "affine", 6));
  const int64_t a = map.numbers[0], c = map.numbers[2], m = map.numbers[4], rho = map.numbers[5];
  if (c < 1 || m < 1 || rho < 0 || rho >= m) {
    return fail("affine map needs c >= 1, M >= 1 and rho in [0, M), got " + list_text(map.numbers));
  }
  // Two receivers are at least M apart, so their sources differ as soon as a M >= c.
  const std::optional<int64_t> step = checked_mul(a, m);
  if (step.value_or(a > 0 ? std::numeric_limits<int64_t>::max() : 0) < c) {
    return fail("affine map must not send one source to two receivers, got " +
                list_text(map.numbers));
  }
  return {};
}

/// The order of a relabel lists all parts of the axes, each once.
Status check_order(const Group& group, const AxisList& order) {
  SHARDY_TRY_STATUS(check_axis_parts(group.mesh, order));
  if (sort_and_merge(order) == sort_and_merge(group.axes)) return {};
  return fail("relabel map must list all of the axes " + to_string(group.mesh, group.axes) +
              ", got " + to_string(group.mesh, order));
}

Status check_relabel(const Group& group, const PermuteMap& map) {
  if (map.mesh != group.mesh) {
    return fail("relabel map is on mesh " + to_string(map.mesh) + ", but 'mesh' is " +
                to_string(group.mesh));
  }
  SHARDY_TRY_STATUS(check_order(group, map.source_order));
  SHARDY_TRY_STATUS(check_order(group, map.receiver_order));
  if (map.numbers.empty() || map.numbers.size() == map.receiver_order.size()) return {};
  return fail("relabel map needs no numbers or one for each axis of the order of receivers, got " +
              list_text(map.numbers));
}

Status check_remesh(const Group& group, const PermuteMap& map) {
  if (map.mesh.equals_ignoring_device_ids(group.mesh)) return {};
  return fail("remesh map is from mesh " + to_string(map.mesh) +
              ", which has other axes than 'mesh', " + to_string(group.mesh));
}

/// Flat source, target device ids.
Status check_pairs(const Group& group, const PermuteMap& map) {
  if (map.numbers.size() % 2 != 0) return fail("pairs map needs an even number of device ids");
  std::vector<int64_t> sides[2];
  for (std::size_t index = 0; index < map.numbers.size(); ++index) {
    const int64_t device = map.numbers[index];
    if (!group.mesh.position_of(device)) {
      return fail("device " + std::to_string(device) + " of pairs map is not in the mesh");
    }
    sides[index % 2].push_back(device);
  }
  for (std::vector<int64_t>& side : sides) {
    std::ranges::sort(side);
    if (std::ranges::adjacent_find(side) != side.end()) {
      return fail("pairs map must name each source and each target once");
    }
  }
  return {};
}

Status check_map(const Group& group, const PermuteMap& map) {
  switch (map.kind) {
    case PermuteMap::Kind::Shift:
      return expect_numbers(map, "shift", 1);
    case PermuteMap::Kind::Rotate:
      return expect_numbers(map, "rotate", 1);
    case PermuteMap::Kind::Mirror:
      return expect_numbers(map, "mirror", 0);
    case PermuteMap::Kind::Affine:
      return check_affine(map);
    case PermuteMap::Kind::Relabel:
      return check_relabel(group, map);
    case PermuteMap::Kind::Remesh:
      return check_remesh(group, map);
    case PermuteMap::Kind::Pairs:
      break;
  }
  return check_pairs(group, map);
}

}  // namespace

Result<Types> infer_spmd_permute(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdPermuteOp>(op.attributes));
  SHARDY_TRY_STATUS(check_map(group, *view.map));
  return op.operand_types();
}

}  // namespace shardy::ir
