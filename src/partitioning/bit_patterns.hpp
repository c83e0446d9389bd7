// Elements as integers with the same bits, so that `or` can combine them. Spec: partitioning 5.7.
#pragma once

#include "partitioning/emitter.hpp"
#include "shardy/ir/literal.hpp"

namespace shardy::partitioning {

/// Returns the op that combines values of which one device of a group has each element and the
/// others have `nothing_beside`: `or`; for floats without an integer type of their width `add`,
/// which is exact as these have neither NaN nor infinity.
ir::OpKind exact_combiner(ir::ElementType element);

/// Returns the element of devices without a value; rank 0.
ir::Literal nothing_beside(ir::ElementType element);

/// Returns the neutral element of the reducer, where `or` of floats combines their bits; rank 0.
ir::Literal neutral_to(ir::OpKind reducer, ir::ElementType element);

/// Returns the unsigned integer type of the element's width; std::nullopt if there is none.
std::optional<ir::ElementType> integer_of_width(ir::ElementType element);

/// Checks whether `or` of such elements combines their bit patterns: floats and complex numbers.
bool has_hidden_bits(ir::ElementType element);

/// Converts to unsigned integers with the same bits; complex numbers get a leading dim of size 2
/// for real and imaginary parts. Requires: has_hidden_bits.
ir::ValueId to_bits(Emitter& emit, ir::ValueId value);

/// The inverse of to_bits.
ir::ValueId from_bits(Emitter& emit, ir::ValueId bits, ir::ElementType element);

}  // namespace shardy::partitioning
