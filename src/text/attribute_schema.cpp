#include "text/attribute_schema.hpp"

#include <algorithm>
#include <iterator>

#include "shardy/support/result.hpp"

namespace shardy::text {

namespace {

using enum AttributeForm;
using ir::ElementType;

constexpr ElementType kI64 = ElementType::I64;
constexpr ElementType kI32 = ElementType::I32;
constexpr std::string_view kReductionKind = "sdy.reduction_op";
constexpr std::string_view kReductionWords = "sum max min";

// One row per attribute that plain JSON can stand for.
constexpr AttributeSlot kSlots[] = {
    {"", "sdy.sharding", ShardingList},
    {"", "sdy.sharding_rule", Rule},
    {"stablehlo.constant", "value", Literal},
    {"sdy.constant", "value", Literal},
    {"stablehlo.iota", "iota_dimension", Integer},
    {"stablehlo.compare", "comparison_direction", Enum, kI64, "stablehlo.comparison_direction",
     "EQ NE GE GT LE LT"},
    {"stablehlo.compare", "compare_type", Enum, kI64, "stablehlo.comparison_type",
     "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"stablehlo.broadcast_in_dim", "broadcast_dimensions", DenseArray},
    {"stablehlo.transpose", "permutation", DenseArray},
    {"stablehlo.reverse", "dimensions", DenseArray},
    {"stablehlo.reduce", "dimensions", DenseArray},
    {"stablehlo.dot_general", "dot_dimension_numbers", Dot},
    {"stablehlo.dot_general", "precision_config", EnumList, kI64, "stablehlo.precision",
     "DEFAULT HIGH HIGHEST"},
    {"stablehlo.slice", "start_indices", DenseArray},
    {"stablehlo.slice", "limit_indices", DenseArray},
    {"stablehlo.slice", "strides", DenseArray},
    {"stablehlo.dynamic_slice", "slice_sizes", DenseArray},
    {"stablehlo.concatenate", "dimension", Integer},
    {"stablehlo.pad", "edge_padding_low", DenseArray},
    {"stablehlo.pad", "edge_padding_high", DenseArray},
    {"stablehlo.pad", "interior_padding", DenseArray},
    {"stablehlo.reduce_precision", "exponent_bits", Integer, kI32},
    {"stablehlo.reduce_precision", "mantissa_bits", Integer, kI32},
    {"func.call", "callee", Symbol},
    {"sdy.mesh", "mesh", Mesh},
    {"sdy.sharding_constraint", "sharding", Sharding},
    {"sdy.reshard", "sharding", Sharding},
    {"sdy.data_flow_edge", "sharding", Sharding},
    {"sdy.sharding_group", "group_id", Integer},
    {"sdy.propagation_barrier", "allowed_direction", Enum, kI64, "sdy.propagation_direction",
     "NONE FORWARD BACKWARD BOTH"},
    {"sdy.named_computation", "in_shardings", ShardingList},
    {"sdy.named_computation", "out_shardings", ShardingList},
    {"sdy.manual_computation", "in_shardings", ShardingList},
    {"sdy.manual_computation", "out_shardings", ShardingList},
    {"sdy.manual_computation", "manual_axes", ManualAxes},
    {"sdy.all_gather", "gathering_axes", AxesLists},
    {"sdy.all_gather", "out_sharding", Sharding},
    {"sdy.all_slice", "slicing_axes", AxesLists},
    {"sdy.all_slice", "out_sharding", Sharding},
    {"sdy.all_to_all", "params", AllToAll},
    {"sdy.all_to_all", "out_sharding", Sharding},
    {"sdy.collective_permute", "out_sharding", Sharding},
    {"sdy.all_reduce", "reduction_axes", Axes},
    {"sdy.all_reduce", "reduction_op", Enum, kI64, kReductionKind, kReductionWords},
    {"sdy.all_reduce", "out_sharding", Sharding},
    {"sdy.reduce_scatter", "reduce_scatter_axes", AxesLists},
    {"sdy.reduce_scatter", "reduction_op", Enum, kI64, kReductionKind, kReductionWords},
    {"sdy.reduce_scatter", "out_sharding", Sharding},
    {"sdy.sharded_to_unreduced", "axes", AxesLists},
    {"sdy.sharded_to_unreduced", "out_sharding", Sharding},
    {"sdy.replicated_to_unreduced", "axes", Axes},
    {"sdy.replicated_to_unreduced", "out_sharding", Sharding},
    {"spmd.coord", "mesh", Symbol},
    {"spmd.coord", "axes", Axes},
    {"spmd.device_id", "mesh", Symbol},
    {"spmd.all_gather", "mesh", Symbol},
    {"spmd.all_gather", "axes", Axes},
    {"spmd.all_gather", "dim", Integer},
    {"spmd.all_reduce", "mesh", Symbol},
    {"spmd.all_reduce", "axes", Axes},
    {"spmd.reduce_scatter", "mesh", Symbol},
    {"spmd.reduce_scatter", "axes", Axes},
    {"spmd.reduce_scatter", "dim", Integer},
    {"spmd.all_to_all", "mesh", Symbol},
    {"spmd.all_to_all", "axes", Axes},
    {"spmd.all_to_all", "split_dim", Integer},
    {"spmd.all_to_all", "concat_dim", Integer},
    {"spmd.permute", "mesh", Symbol},
    {"spmd.permute", "axes", Axes},
    {"spmd.permute", "map", Permute},
    {"spmd.broadcast_from", "mesh", Symbol},
    {"spmd.broadcast_from", "axes", Axes},
    {"spmd.broadcast_from", "root", Integer},
    // The attributes of a function's arguments and results stand under these names.
    {"func.arg", "sdy.sharding", Sharding},
    {"func.arg", "spmd.global_type", Type},
};

constexpr AttributeSlot kAny = {"", "", Any};

// sdy values bear the names of algebra 10.3.
constexpr AttributeTag kTags[] = {
    {Unit, "unit"},
    {Boolean, "boolean"},
    {Integer, "integer", "type"},
    {Float, "float", "type"},
    {String, "string"},
    {Symbol, "symbol"},
    {Type, "type"},
    {Enum, "enum", "kind"},
    {DenseArray, "array", "type"},
    {List, "list"},
    {Dictionary, "dict"},
    {Literal, "dense", "type"},
    {Opaque, "opaque"},
    {Dot, "dot"},
    {Gather, "gather"},
    {Scatter, "scatter"},
    {Convolution, "convolution"},
    {Mesh, "mesh"},
    {Sharding, "sharding"},
    {ShardingList, "sharding_per_value"},
    {Axes, "axis_ref_list"},
    {AxesLists, "list_of_axis_ref_lists"},
    {AllToAll, "all_to_all_param_list"},
    {ManualAxes, "manual_axes"},
    {Rule, "op_sharding_rule"},
    {Permute, "permute_map"},
};

}  // namespace

std::span<const AttributeTag> attribute_tags() { return kTags; }

const AttributeTag& tag_of(AttributeForm form) {
  const AttributeTag* const found = std::ranges::find(kTags, form, &AttributeTag::form);
  SHARDY_ASSERT(found != std::end(kTags));
  return *found;
}

const AttributeSlot& attribute_slot(std::string_view op, std::string_view name) {
  const AttributeSlot* fallback = &kAny;
  for (const AttributeSlot& slot : kSlots) {
    if (slot.name != name) continue;
    if (slot.op == op) return slot;
    if (slot.op.empty()) fallback = &slot;
  }
  return *fallback;
}

}  // namespace shardy::text
