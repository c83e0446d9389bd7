// Text, hashes and an order for every value type of the library, for {fmt}, streams and std
// containers, without a test framework. No other header includes this one. For values of the
// header-only layers include shardy/reflection/algebra.hpp.
#pragma once

#include <shardy/checking/check.hpp>
#include <shardy/ir/detail/attribute_hash.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/ir/window_ops.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/reflection/algebra.hpp>
#include <shardy/report/hints.hpp>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>
#include <shardy/rules/detail/indexed_lowering.hpp>
#include <shardy/simulation/rank_run.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/view/picture.hpp>
#include <span>

namespace shardy::detail {

/// Functions of a type whose values are all equal.
template <class T>
struct OnlyValue {
  static std::string text(const T& /*value*/) { return "{}"; }
  static std::size_t hash(const T& /*value*/) { return 0; }
  static std::strong_ordering order(const T& /*a*/, const T& /*b*/) {
    return std::strong_ordering::equal;
  }
};
template <>
struct OwnValue<ir::UnitAttr> : OnlyValue<ir::UnitAttr> {};
template <>
struct OwnValue<ir::TokenType> : OnlyValue<ir::TokenType> {};

/// Types are hashed and ordered by their texts, which differ for different types.
template <>
struct OwnValue<ir::Type> {
  static std::string text(const ir::Type& type) { return to_string(type); }
  static std::size_t hash(const ir::Type& type) { return ir::hash_of_type(type); }
  static std::strong_ordering order(const ir::Type& a, const ir::Type& b) {
    return text(a) <=> text(b);
  }
};

template <>
struct OwnValue<ir::FunctionType> {
  static std::string text(const ir::FunctionType& type) {
    return list_text(type.inputs()) + " -> " + list_text(type.results());
  }
  static std::size_t hash(const ir::FunctionType& type) {
    return hash_combine(value_hash(type.inputs()), value_hash(type.results()));
  }
  static std::strong_ordering order(const ir::FunctionType& a, const ir::FunctionType& b) {
    const auto inputs = list_order(a.inputs(), b.inputs());
    return inputs != 0 ? inputs : list_order(a.results(), b.results());
  }
};

/// The text of a literal omits its elements, because there may be millions.
template <>
struct OwnValue<ir::Literal> {
  static std::string text(const ir::Literal& literal) {
    return "Literal{" + to_string(literal.type()) + "}";
  }
  static std::size_t hash(const ir::Literal& literal) {
    return ir::hash_of_attribute(ir::Attribute(literal));
  }
  static std::strong_ordering order(const ir::Literal& a, const ir::Literal& b) {
    const auto types = value_order(a.type(), b.type());
    return types != 0 ? types : list_order(a.expanded(), b.expanded());
  }
};

/// The name of an attribute is reflected as a string.
template <>
struct OwnValue<ir::AttributeName> {
  static std::string text(const ir::AttributeName& name) { return value_text(name.view()); }
  static std::size_t hash(const ir::AttributeName& name) { return value_hash(name.view()); }
  static std::strong_ordering order(const ir::AttributeName& a, const ir::AttributeName& b) {
    return a <=> b;
  }
};

/// Attributes are ordered by form, then by value.
template <>
struct OwnValue<ir::Attribute> {
  static std::string text(const ir::Attribute& attribute) {
    return attribute.visit([](const auto& held) { return value_text(held); });
  }
  static std::size_t hash(const ir::Attribute& attribute) {
    return ir::hash_of_attribute(attribute);
  }
  static std::strong_ordering order(const ir::Attribute& a, const ir::Attribute& b) {
    if (a.form() != b.form()) return a.form() <=> b.form();
    return a.visit([&]<class Form>(const Form& held) { return value_order(held, *b.as<Form>()); });
  }
};

template <>
struct OwnValue<ir::AttributeMap> {
  static std::string text(const ir::AttributeMap& attributes) {
    std::string text;
    for (const ir::NamedAttribute& each : attributes) {
      text += (text.empty() ? "" : ", ") + std::string(each.name) + " = " + value_text(each.value);
    }
    return "{" + text + "}";
  }
  static std::size_t hash(const ir::AttributeMap& attributes) {
    return ir::hash_of_attributes(attributes);
  }
  static std::strong_ordering order(const ir::AttributeMap& a, const ir::AttributeMap& b) {
    return list_order(a, b);
  }
};

}  // namespace shardy::detail

SHARDY_VALUES_OF(shardy::ir)
SHARDY_VALUES_OF(shardy::rules)
SHARDY_VALUES_OF(shardy::passes)
SHARDY_VALUES_OF(shardy::partitioning)
SHARDY_VALUES_OF(shardy::simulation)
SHARDY_VALUES_OF(shardy::view)
SHARDY_VALUES_OF(shardy::checking)
SHARDY_VALUES_OF(shardy::report)

SHARDY_VALUE_WITH_TEXT(shardy::ir::ElementType)
SHARDY_VALUE_WITH_TEXT(shardy::simulation::Tensor)
SHARDY_VALUE_WITH_TEXT(shardy::partitioning::Replication)
SHARDY_VALUE_WITH_TEXT(shardy::passes::PassKind)
SHARDY_VALUE_WITH_TEXT(shardy::passes::PassPhase)

SHARDY_VALUE(shardy::ir::IntegerAttr, value, type)
SHARDY_VALUE(shardy::ir::FloatAttr, value, type)
SHARDY_VALUE(shardy::ir::SymbolAttr, name)
SHARDY_VALUE(shardy::ir::TypeAttr, type)
SHARDY_VALUE(shardy::ir::EnumAttr, kind, value)
SHARDY_VALUE(shardy::ir::DenseArrayAttr, element, values)
SHARDY_VALUE(shardy::ir::OpaqueAttr, text)
SHARDY_VALUE(shardy::ir::ArrayAttr, elements)
SHARDY_VALUE(shardy::ir::NamedAttribute, name, value)
SHARDY_VALUE(shardy::ir::DotDims, lhs_batch, rhs_batch, lhs_contracting, rhs_contracting)
SHARDY_VALUE(shardy::ir::RaggedDotDims, lhs_batch, rhs_batch, lhs_contracting, rhs_contracting,
             lhs_ragged, rhs_group)
SHARDY_VALUE(shardy::ir::GatherDims, offset_dims, collapsed_slice_dims, operand_batching_dims,
             start_indices_batching_dims, start_index_map, index_vector_dim)
SHARDY_VALUE(shardy::ir::ScatterDims, update_window_dims, inserted_window_dims, input_batching_dims,
             scatter_indices_batching_dims, scatter_dims_to_operand_dims, index_vector_dim)
SHARDY_VALUE(shardy::ir::ConvolutionDims, input_batch, input_feature, input_spatial,
             kernel_input_feature, kernel_output_feature, kernel_spatial, output_batch,
             output_feature, output_spatial)
SHARDY_VALUE(shardy::ir::ShardingList, shardings)
SHARDY_VALUE(shardy::ir::UnresolvedShardingList, shardings)
SHARDY_VALUE(shardy::ir::AxesAttr, mesh, axes)
SHARDY_VALUE(shardy::ir::UnresolvedAxesAttr, axes)
SHARDY_VALUE(shardy::ir::AxesListsAttr, mesh, lists)
SHARDY_VALUE(shardy::ir::UnresolvedAxesListsAttr, lists)
SHARDY_VALUE(shardy::ir::AllToAllParam, axes, source_dim, target_dim)
SHARDY_VALUE(shardy::ir::AllToAllAttr, mesh, params)
SHARDY_VALUE(shardy::ir::UnresolvedAllToAllParam, axes, source_dim, target_dim)
SHARDY_VALUE(shardy::ir::UnresolvedAllToAllAttr, params)
SHARDY_VALUE(shardy::ir::ManualAxesAttr, names)
SHARDY_VALUE(shardy::ir::PermuteMap, kind, numbers, source_order, receiver_order, mesh)
SHARDY_VALUE(shardy::ir::Use, op, operand)
SHARDY_VALUE(shardy::ir::FunctionData, arg_attributes, result_types, result_attributes,
             declared_arg_types)
SHARDY_VALUE(shardy::ir::TensorType, dims, element, encoding)
SHARDY_VALUE(shardy::ir::ScalarType, element)
SHARDY_VALUE(shardy::ir::TupleType, elements)
SHARDY_VALUE(shardy::ir::OpaqueType, text)
SHARDY_VALUE(shardy::ir::WindowDim, size, stride, base_dilation, window_dilation, low, high,
             reversed)
SHARDY_VALUE(shardy::partitioning::ProgramCost, bytes_sent, messages, seconds, peak_bytes)
SHARDY_VALUE(shardy::partitioning::ReplicationNote, kind, op, location, tensor, dims, axes, reason,
             bytes_moved, bytes_held)
SHARDY_VALUE(shardy::passes::CollectiveRewrite, rule, op, location, bytes_before, bytes_after,
             messages_before, messages_after)
SHARDY_VALUE(shardy::rules::CountingDim, input, indices)
SHARDY_VALUE(shardy::passes::PassCall, name, options)
SHARDY_VALUE(shardy::simulation::ProcessGrid, num_replicas, num_partitions)
SHARDY_VALUE(shardy::simulation::RankTraffic, messages_sent, bytes_sent)
SHARDY_VALUE(shardy::simulation::Traffic, count, bytes_sent)
SHARDY_VALUE(shardy::simulation::DeviceAccount, num_ops, peak_live_bytes, traffic)
SHARDY_VALUE(shardy::simulation::FailedCheck, device, op, location, message)
SHARDY_VALUE(shardy::simulation::DeviceBlock, first, count)
SHARDY_VALUE(shardy::checking::Tolerance, relative, least, absolute, overflow)
SHARDY_VALUE(shardy::report::AnnotationPlace, kind, function, index, value)
SHARDY_VALUE(shardy::report::AnnotationChange, place, sharding, tied)
SHARDY_VALUE(shardy::report::Times, count, is_exact)
SHARDY_VALUE(shardy::report::DeviceRates, operations_per_second, memory_bytes_per_second,
             hidden_share)
SHARDY_VALUE(shardy::report::DeviceTime, collectives, hidden, operations, memory)
SHARDY_VALUE(shardy::report::AxisBytes, axis, bytes)
SHARDY_VALUE(shardy::report::AxisStep, kind, value, op, location, factor, direction)
SHARDY_VALUE(shardy::report::Setting, value, sharding)
SHARDY_VALUE(shardy::report::SweepStrategy, name, set)
SHARDY_VALUE(shardy::partitioning::OtherDialectOp, name, count, location)
SHARDY_VALUE(shardy::view::PictureDim, shards_per_cell, begin, end, padding, at, hue, light)
SHARDY_VALUE(shardy::view::Picture, dims, replica_at, summand_at, replicas, summands,
             devices_per_cell, hue, light)
