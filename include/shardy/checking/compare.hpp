// Comparing the results of a sharded run with those of the unsharded one.
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

/// How two tensors may differ and still count as equal.
///
/// Float sums may be added up in another order when a program is sharded. A result that depends on
/// such sums may differ by `relative` times the largest finite magnitude in the reference tensor,
/// or by `least` where that is more, and not by more than `absolute`; everything else must be equal
/// bit by bit, except that a NaN equals any NaN.
struct Tolerance {
  double relative = 0;  // of the largest finite magnitude in the reference
  double least = 0;     // difference that is always allowed
  double absolute = std::numeric_limits<double>::infinity();  // difference that is never exceeded
  bool overflow = false;  // elements may be finite in one only: rounding decides what overflows
  bool operator==(const Tolerance&) const = default;

  /// `magnitude` is that of the reference.
  double allowed(double magnitude) const {
    return std::min(std::max(relative * magnitude, least), absolute);
  }
};

/// One per result of `function`: nothing for integers, booleans and moved data; for floats
/// eps * (8 + the number of elements that float sums and products above the result add up, in the
/// longest chain), where eps is that of the coarsest float type in the chain. Sums in regions and
/// in called functions count, those in loops 128 times. Custom calls and foreign ops add up all of
/// their first operand if their rule has reductions.
///
/// Requires: a function with a body. docs/guide/checking.md derives the bound.
std::vector<Tolerance> result_tolerances(const ir::Module& module, ir::OpId function,
                                         const rules::Registry& rules = {});

/// How far two tensors lie apart, and where.
struct Difference {
  double largest = 0;      // |got - want|, infinite where only one is NaN or infinite
  double magnitude = 0;    // largest finite |want|
  int64_t mismatches = 0;  // elements beyond the tolerance
  std::optional<int64_t> first_mismatch;  // row-major position
};

/// Requires: tensors of equal types.
Difference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                   const Tolerance& tolerance);

/// The largest |got - want| of elements that are finite in both; their types may differ.
/// Requires: tensors with as many elements.
double largest_error(const simulation::Tensor& got, const simulation::Tensor& want);

/// The largest finite |element|. Requires: a tensor.
double largest_magnitude(const simulation::Tensor& tensor);

}  // namespace shardy::checking
