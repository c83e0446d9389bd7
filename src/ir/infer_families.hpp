// The type rules, grouped by op family. The rows in include/shardy/ir/ops/ assign the rules to ops.
#pragma once

#include "op_facts.hpp"

namespace shardy::ir {

/// The rule of one kind of op. A kind whose row has `.infer = &infer_op<Kind>` specializes the
/// template, so its rule needs no declaration in this header.
template <OpKind kKind>
Result<Types> infer_op(const OpFacts& op);

#define SHARDY_OP(kind, ...) \
  template <>                \
  Result<Types> infer_op<OpKind::kind>(const OpFacts& op);
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP

/// A type rule that several kinds share or that other rules call.
using InferTypes = Result<Types>(const OpFacts& op);

// infer_shape.cpp: elementwise ops
InferTypes infer_elementwise, infer_reduce_precision, infer_compare, infer_select, infer_clamp,
    infer_convert;

// infer_shape.cpp: ops that make tensors or move their elements
InferTypes infer_constant, infer_iota, infer_broadcast_in_dim, infer_reshape, infer_transpose,
    infer_reverse;

// infer_shape.cpp: slices, concatenations and paddings
InferTypes infer_concatenate, infer_pad, infer_slice, infer_dynamic_slice,
    infer_dynamic_update_slice;

// infer_shape.cpp: reductions
InferTypes infer_reduce;
/// Checks a reducer over operands whose accumulators have the element types `elements`. The reducer
/// has two scalar arguments per operand, the lhs arguments of all operands first, and one scalar
/// result per operand. Errors: the first wrong argument or result, with region and number.
Status expect_reducer(const OpFacts& op, std::span<const ElementType> elements,
                      std::size_t region = 0);
/// Returns the element types of the accumulators of a reducer over `count` inputs. Checks that
/// operands [0, count) and [second, second + count) may be converted to these types.
Result<std::vector<ElementType>> accumulated_elements(const OpFacts& op, std::size_t count,
                                                      std::size_t second, std::size_t region = 0);
/// Checks whether values of type `from` may be reduced in type `to`: a type of the same class that
/// is at least as wide.
bool is_promotable(ElementType from, ElementType to);

// infer_window.cpp: products
InferTypes infer_dot_general;

// infer_structure.cpp
InferTypes infer_tuple, infer_get_tuple_element, infer_token, infer_device_number,
    infer_dimension_size, infer_broadcast, infer_bitcast_convert, infer_check, infer_top_k;

// infer_linear.cpp
InferTypes infer_dot, infer_cholesky, infer_triangular_solve, infer_fft, infer_batch_norm,
    infer_convolution;

// infer_window.cpp
InferTypes infer_sort, infer_map, infer_reduce_window, infer_select_and_scatter;
/// Checks that operands [first, last) are tensors with the shape of operand `first`.
Status expect_one_shape(const OpFacts& op, std::size_t first, std::size_t last);

// infer_window.cpp: gathers and scatters
InferTypes infer_gather, infer_scatter;

// infer_collective.cpp
InferTypes infer_all_gather, infer_all_reduce, infer_reduce_scatter, infer_all_to_all,
    infer_collective_permute, infer_collective_broadcast;

// infer_structure.cpp: control flow and random numbers
InferTypes infer_while, infer_case, infer_if, infer_call;
/// Returns the types of the operands, also dynamic and foreign ones.
InferTypes infer_operand_types;
/// Returns the written types and checks only their number and kind. A pure op with one result must
/// return a tensor. The results of rng and rng_bit_generator have further checks.
InferTypes infer_written;
InferTypes infer_rng, infer_rng_bit_generator;
/// The rule of functions, meshes and terminators, which have no results.
InferTypes infer_nothing;

// infer_collective.cpp: ops of sdy
InferTypes infer_same_tensor, infer_sharding_group, infer_propagation_barrier,
    infer_named_computation, infer_manual_computation;

// infer_collective.cpp
InferTypes infer_spmd_coord, infer_spmd_device_id, infer_spmd_undef, infer_spmd_integer_arithmetic,
    infer_spmd_all_gather, infer_spmd_all_reduce, infer_spmd_reduce_scatter, infer_spmd_all_to_all,
    infer_spmd_permute, infer_spmd_broadcast_from;

}  // namespace shardy::ir
