// Comparison of results of a sharded run with those of the unsharded run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/tensor.hpp>
#include <string>
#include <vector>

namespace shardy::checking {

/// Allowed difference between two tensors.
///
/// Sharding changes the order of float additions. Results that depend on such sums may differ by
/// `relative` times the largest finite magnitude in the reference tensor, or by `least` if that is
/// more, and at most by `absolute`; all other results must be equal bit by bit, except that any two
/// NaNs are equal.
struct Tolerance {
  double relative = 0;  // relative to the largest finite magnitude in the reference
  double least = 0;     // always allowed
  double absolute = std::numeric_limits<double>::infinity();  // upper limit
  bool overflow =
      false;  // an element may be finite in one tensor only, because rounding decides overflow
  bool operator==(const Tolerance&) const = default;

  /// Returns the allowed difference; `magnitude` is that of the reference.
  double allowed(double magnitude) const {
    return std::min(std::max(relative * magnitude, least), absolute);
  }
};

/// Returns one tolerance per result of `function`: zero for integers, booleans and moved data; for
/// floats eps * (8 + the number of elements added by float sums and products on the longest chain
/// to the result), with eps of the coarsest float type on the chain. Sums in regions and called
/// functions count, those in loops 128 times. Custom calls and foreign ops count all elements of
/// their first operand if their rule has reductions.
///
/// Requires: a function with a body. Source: docs/guide/checking.md.
std::vector<Tolerance> result_tolerances(const ir::Module& module, ir::OpId function,
                                         const rules::Registry& rules = {});

/// Difference of two tensors.
struct Difference {
  double largest = 0;                     // |got - want|; infinite if only one is NaN or infinite
  double magnitude = 0;                   // largest finite |want|
  int64_t mismatches = 0;                 // number of elements beyond the tolerance
  std::optional<int64_t> first_mismatch;  // row-major index
};

/// Returns the difference of two tensors. Requires: equal types.
Difference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                   const Tolerance& tolerance);

/// Returns the largest |got - want| of elements that are finite in both; types may differ.
/// Requires: equal numbers of elements.
double largest_error(const simulation::Tensor& got, const simulation::Tensor& want);

/// Returns the largest finite |element|. Requires: a tensor.
double largest_magnitude(const simulation::Tensor& tensor);

}  // namespace shardy::checking
