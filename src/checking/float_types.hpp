// Programs with other numbers instead of floats.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

enum class Numbers : uint8_t {
  Exact,  // elements of a prime field: sums in any order are the same bits
  Wide    // f64: sums in another order are almost the same
};

/// Returns the program with all floats as these numbers, complex ones as pairs of them. Conversions
/// to narrower floats do not round: they keep the value of wide numbers, and are a fixed function
/// of exact ones. Checks print their operands instead.
///
/// Accepts source programs and partitioned programs; copies of bits in the latter stay copies.
/// Errors: an op whose meaning depends on the bits of floats, or an op of the embedder.
Result<ir::Module> with_numbers(const ir::Module& module, Numbers numbers);

/// Returns whether a run with wide numbers tells more: the program computes with others, and
/// returns some.
bool gains_by_width(const ir::Module& module);

/// The same value as one of these numbers.
Result<simulation::Tensor> with_numbers(const simulation::Tensor& value, Numbers numbers);

/// A value of that type for exact runs: floats at random from the whole field, all else as given.
Result<simulation::Tensor> exact_input(const simulation::Tensor& value, uint64_t seed);

}  // namespace shardy::checking
