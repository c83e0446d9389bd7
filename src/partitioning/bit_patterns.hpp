// Elements as integers of the same bits, so that they can be moved by an `or`. Spec: partitioning
// 5.7.
#pragma once

#include "partitioning/emitter.hpp"
#include "shardy/ir/literal.hpp"

namespace shardy::partitioning {

/// How values are combined of which one device of a group has each element and the others have
/// `nothing_beside`: bit by bit; floats of a width that no integer has are added, which is exact as
/// they have neither NaN nor infinity.
ir::OpKind exact_combiner(ir::ElementType element);

/// The value of devices without elements; rank 0.
ir::Literal nothing_beside(ir::ElementType element);

/// Returns the neutral element of the reducer, where an `or` of floats means their bits; rank 0.
ir::Literal neutral_to(ir::OpKind reducer, ir::ElementType element);

/// The unsigned integer as wide as an element, if there is one.
std::optional<ir::ElementType> integer_of_width(ir::ElementType element);

/// Returns whether an `or` of such elements means their bit patterns: floats and complex numbers.
bool has_hidden_bits(ir::ElementType element);

/// Unsigned integers of the same bits; of complex numbers there is a dim of size 2 in front, for
/// the real and the imaginary parts. Requires: has_hidden_bits.
ir::ValueId to_bits(Emitter& emit, ir::ValueId value);

/// The other way.
ir::ValueId from_bits(Emitter& emit, ir::ValueId bits, ir::ElementType element);

}  // namespace shardy::partitioning
