// The type rules, by op family. The rows in ops/ say which op has which.
#pragma once

#include "op_facts.hpp"

namespace shardy::ir {

/// The rule of one kind of op, `template <>` for those whose rows say `.infer = &infer_op<Kind>`: a
/// rule that no other kind has needs no name here.
template <OpKind kKind>
Result<Types> infer_op(const OpFacts& op);

#define SHARDY_OP(kind, ...) \
  template <>                \
  Result<Types> infer_op<OpKind::kind>(const OpFacts& op);
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP

// infer_shape.cpp: elementwise ops
Result<Types> infer_elementwise(const OpFacts& op);
Result<Types> infer_reduce_precision(const OpFacts& op);
Result<Types> infer_compare(const OpFacts& op);
Result<Types> infer_select(const OpFacts& op);
Result<Types> infer_clamp(const OpFacts& op);
Result<Types> infer_convert(const OpFacts& op);

// infer_shape.cpp: ops that make tensors or move their elements
Result<Types> infer_constant(const OpFacts& op);
Result<Types> infer_iota(const OpFacts& op);
Result<Types> infer_broadcast_in_dim(const OpFacts& op);
Result<Types> infer_reshape(const OpFacts& op);
Result<Types> infer_transpose(const OpFacts& op);
Result<Types> infer_reverse(const OpFacts& op);

// infer_shape.cpp: slices, concatenations and paddings
Result<Types> infer_concatenate(const OpFacts& op);
Result<Types> infer_pad(const OpFacts& op);
Result<Types> infer_slice(const OpFacts& op);
Result<Types> infer_dynamic_slice(const OpFacts& op);
Result<Types> infer_dynamic_update_slice(const OpFacts& op);

// infer_shape.cpp: reductions
Result<Types> infer_reduce(const OpFacts& op);
/// A reducer over operands whose accumulators have the element types `elements`: two scalars per
/// operand, all lhs first, and as many results. Errors: what does not fit, with region and number.
Status expect_reducer(const OpFacts& op, std::span<const ElementType> elements,
                      std::size_t region = 0);
/// The element types of the accumulators of a reducer over `count` inputs, once the operands
/// [0, count) and [second, second + count) are known to fit them.
Result<std::vector<ElementType>> accumulated_elements(const OpFacts& op, std::size_t count,
                                                      std::size_t second, std::size_t region = 0);
/// Values of type `from` may be reduced in `to`: the same class, at least as wide.
bool is_promotable(ElementType from, ElementType to);

// infer_window.cpp: products
Result<Types> infer_dot_general(const OpFacts& op);

// infer_structure.cpp
Result<Types> infer_tuple(const OpFacts& op);
Result<Types> infer_get_tuple_element(const OpFacts& op);
Result<Types> infer_token(const OpFacts& op);
Result<Types> infer_device_number(const OpFacts& op);
Result<Types> infer_dimension_size(const OpFacts& op);
Result<Types> infer_broadcast(const OpFacts& op);
Result<Types> infer_bitcast_convert(const OpFacts& op);
Result<Types> infer_check(const OpFacts& op);
Result<Types> infer_top_k(const OpFacts& op);

// infer_linear.cpp
Result<Types> infer_dot(const OpFacts& op);
Result<Types> infer_cholesky(const OpFacts& op);
Result<Types> infer_triangular_solve(const OpFacts& op);
Result<Types> infer_fft(const OpFacts& op);
Result<Types> infer_batch_norm(const OpFacts& op);
Result<Types> infer_convolution(const OpFacts& op);

// infer_window.cpp
Result<Types> infer_sort(const OpFacts& op);
Result<Types> infer_map(const OpFacts& op);
Result<Types> infer_reduce_window(const OpFacts& op);
Result<Types> infer_select_and_scatter(const OpFacts& op);
/// Operands [first, last) are tensors of the shape of the first of them.
Status expect_one_shape(const OpFacts& op, std::size_t first, std::size_t last);

// infer_window.cpp: gathers and scatters
Result<Types> infer_gather(const OpFacts& op);
Result<Types> infer_scatter(const OpFacts& op);

// infer_collective.cpp
Result<Types> infer_all_gather(const OpFacts& op);
Result<Types> infer_all_reduce(const OpFacts& op);
Result<Types> infer_reduce_scatter(const OpFacts& op);
Result<Types> infer_all_to_all(const OpFacts& op);
Result<Types> infer_collective_permute(const OpFacts& op);
Result<Types> infer_collective_broadcast(const OpFacts& op);

// infer_structure.cpp: control flow and random numbers
Result<Types> infer_while(const OpFacts& op);
Result<Types> infer_case(const OpFacts& op);
Result<Types> infer_if(const OpFacts& op);
Result<Types> infer_call(const OpFacts& op);
/// Results have the types of the operands, whatever they are.
Result<Types> infer_operand_types(const OpFacts& op);
/// Returns the written types, of which only the number and the kind are known. One result of a pure
/// op is a tensor; of rng and rng_bit_generator more is known.
Result<Types> infer_written(const OpFacts& op);
Result<Types> infer_rng(const OpFacts& op);
Result<Types> infer_rng_bit_generator(const OpFacts& op);
/// Functions, meshes, terminators.
Result<Types> infer_nothing(const OpFacts& op);

// infer_collective.cpp: ops of sdy
Result<Types> infer_same_tensor(const OpFacts& op);
Result<Types> infer_sharding_group(const OpFacts& op);
Result<Types> infer_propagation_barrier(const OpFacts& op);
Result<Types> infer_named_computation(const OpFacts& op);
Result<Types> infer_manual_computation(const OpFacts& op);

// infer_spmd.cpp
Result<Types> infer_spmd_coord(const OpFacts& op);
Result<Types> infer_spmd_device_id(const OpFacts& op);
Result<Types> infer_spmd_undef(const OpFacts& op);
Result<Types> infer_spmd_integer_arithmetic(const OpFacts& op);
Result<Types> infer_spmd_all_gather(const OpFacts& op);
Result<Types> infer_spmd_all_reduce(const OpFacts& op);
Result<Types> infer_spmd_reduce_scatter(const OpFacts& op);
Result<Types> infer_spmd_all_to_all(const OpFacts& op);
Result<Types> infer_spmd_permute(const OpFacts& op);
Result<Types> infer_spmd_broadcast_from(const OpFacts& op);

}  // namespace shardy::ir
