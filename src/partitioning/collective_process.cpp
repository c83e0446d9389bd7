// StableHLO collectives of the input program, with explicit replica groups.
// Spec: partitioning 8.22, 9.4; stablehlo 31.
//
//   In a manual computation the op is kept with local operands:
//     %1 = stablehlo.all_reduce %b {replica_groups = [[0, 1]]}   ->   the same : tensor<4xf32>
//     %1 = stablehlo.partition_id                                ->   the same
//   Outside the program is one process, process 0:
//     %1 = stablehlo.all_reduce %a {replica_groups = [[0]]}      ->   %a, resharded to %1
//     %1 = stablehlo.partition_id                                ->   error E_DEVICE_ID
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Returns the dims along which the op splits or concatenates its operands.
std::vector<std::size_t> moved_dims(const ir::Module& input, OpId op) {
  constexpr std::array<std::string_view, 4> kNames = {
      ir::attr::kAllGatherDim, ir::attr::kScatterDimension, ir::attr::kSplitDimension,
      ir::attr::kConcatDimension};
  std::vector<std::size_t> dims;
  for (const std::string_view name : kNames) {
    const auto* dim = input.attribute<ir::IntegerAttr>(op, name);
    if (dim != nullptr) dims.push_back(static_cast<std::size_t>(dim->value));
  }
  return dims;
}

bool folds(OpKind kind) {
  return kind == OpKind::AllGather || kind == OpKind::AllReduce || kind == OpKind::ReduceScatter ||
         kind == OpKind::CollectiveReduce;
}

/// Returns the replica groups as rows of devices; null if the program does not list devices.
const ir::Literal* device_rows(const ir::Module& input, OpId op) {
  const bool is_spelled =
      !folds(input.kind(op)) || input.attributes(op).contains(ir::attr::kUseGlobalDeviceIds);
  if (!is_spelled) return nullptr;
  const bool is_pairs = input.is(op, OpKind::CollectivePermute);
  const auto* rows = input.attribute<ir::Literal>(
      op, is_pairs ? ir::attr::kSourceTargetPairs : ir::attr::kReplicaGroups);
  const bool is_matrix = rows != nullptr && rows->num_elements() > 0 && rows->type().rank() == 2 &&
                         rows->type().element() == ir::ElementType::I64;
  return is_matrix ? rows : nullptr;
}

/// Checks whether devices of a group hold the same block of a dim over `axes`. Otherwise they need
/// the whole dim, because the op does not use axes that are not manual.
bool meets_within_blocks(const ir::Literal& rows, const Mesh& mesh, const AxisList& axes) {
  const int64_t width = rows.type().dim(1);
  std::optional<int64_t> block;
  for (int64_t index = 0; index < rows.num_elements(); ++index) {
    if (index % width == 0) block.reset();
    const auto device = rows.at<int64_t>(index);
    if (device == -1) continue;  // padding of a ragged row
    const std::optional<int64_t> position = mesh.position_of(device);
    if (!position) return false;
    const int64_t own = shard_index(mesh, axes, *position);
    if (block.value_or(own) != own) return false;
    block = own;
  }
  return true;
}

/// Returns the layout in which a local copy of the op is correct.
std::vector<AxisList> local_axes(const Lowering& lowering, OpId op, std::vector<AxisList> axes) {
  const ir::Literal* rows = device_rows(lowering.input(), op);
  for (AxisList& list : axes) {
    if (list.empty()) continue;
    if (rows == nullptr || !meets_within_blocks(*rows, lowering.place().mesh, list)) list.clear();
  }
  for (const std::size_t dim : moved_dims(lowering.input(), op)) {
    if (dim < axes.size()) axes[dim].clear();
  }
  return axes;
}

/// Returns the first process other than 0 that the op names; std::nullopt if there is none.
std::optional<int64_t> other_process(const ir::Module& input, OpId op) {
  for (const std::string_view name : {ir::attr::kReplicaGroups, ir::attr::kSourceTargetPairs}) {
    const auto* rows = input.attribute<ir::Literal>(op, name);
    if (rows == nullptr || rows->type().element() != ir::ElementType::I64) continue;
    for (int64_t index = 0; index < rows->num_elements(); ++index) {
      const auto process = rows->at<int64_t>(index);
      if (process > 0) return process;
    }
  }
  return std::nullopt;
}

/// Checks whether process 0 receives anything: not from a permute or broadcast without groups.
bool is_served(const ir::Module& input, OpId op) {
  const auto is_empty = [&](std::string_view name) {
    const auto* rows = input.attribute<ir::Literal>(op, name);
    return rows != nullptr && rows->num_elements() == 0;
  };
  if (input.is(op, OpKind::CollectivePermute)) return !is_empty(ir::attr::kSourceTargetPairs);
  return !input.is(op, OpKind::CollectiveBroadcast) || !is_empty(ir::attr::kReplicaGroups);
}

/// Lowers an op outside of manual computations: the program is process 0, which receives from
/// itself.
Status lower_as_one_process(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<int64_t> other = other_process(input, op);
  if (other || input.attributes(op).contains("replica_group_mesh_axes")) {
    const std::string who = other ? "process " + std::to_string(*other) : "axes of a mesh";
    return lowering.error(op, "E_DEVICE_ID",
                          "refers to " + who +
                              ", but outside of a manual computation the program is one process, "
                              "number 0; put the op into a manual computation");
  }
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    const ir::Type& type = input.type(result);
    if (!(input.type(input.operand(op, index)) == type)) {
      return lowering.error(op, "E_DEVICE_ID", "a result of one process has the operand's shape");
    }
    const Layout layout = lowering.layout_of(result);
    if (is_served(input, op)) {
      PartitionedValue value = lowering.local(input.operand(op, index));
      lowering.bind(result, lowering.reshard_to(op, std::move(value), layout.axes));
    } else {
      const ir::Literal zero = ir::splat_literal(ir::Type::tensor({}, type.element()), 0);
      const ValueId zeros = lowering.emit().splat(lowering.local_dims(type, layout.axes), zero);
      lowering.bind(result, lowering.make(zeros, type, layout.axes));
    }
  }
  return {};
}

}  // namespace

Status lower_process_collective(Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) return lower_as_one_process(lowering, op);
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  std::vector<ir::Type> types;
  std::vector<std::vector<AxisList>> layouts;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    PartitionedValue operand = lowering.local(input.operand(op, index));
    const bool has_result =
        index < input.num_results(op);  // a broadcast has no result for the root
    const std::vector<AxisList> axes =
        has_result ? local_axes(lowering, op, lowering.axes_of(input.result(op, index)))
                   : std::vector<AxisList>(operand.axes.size());
    operands.push_back(lowering.reshard_to(op, std::move(operand), axes).value);
    if (!has_result) continue;
    types.push_back(lowering.local_type(input.type(input.result(op, index)), axes));
    layouts.push_back(axes);
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue made = lowering.make(lowering.output().result(local, index),
                                          input.type(result), std::move(layouts[index]));
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

/// Returns an error outside of manual computations, where the single process is not a device.
Status lower_process_number(Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) {
    return lowering.error(op, "E_DEVICE_ID",
                          "differs by device; use it inside of a manual computation");
  }
  const OpId local = lowering.clone(op, {}, {lowering.input().type(lowering.input().result(op))});
  lowering.finish(op, lowering.output().result(local));
  return {};
}

}  // namespace shardy::partitioning
