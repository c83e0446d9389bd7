// Ops whose constraints type inference knows, so that their kernels need not state them again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

/// An op all of whose operands and results are static tensors. Errors: also all that type inference
/// demands of it.
Result<OpReader> read_inferred(const KernelRequest& request);
/// A list of `count` integers; ones if the attribute is absent.
Result<std::vector<int64_t>> integers_or_ones(const OpReader& reader, std::string_view name,
                                              std::size_t count);
/// Errors: elements of that type cannot become ones of the other.
Status expect_conversion(const OpReader& reader, const ir::Type& from, ir::ElementType to);

/// The tensor itself if it has that element type. Errors: one of the types has no arithmetic.
Result<Tensor> converted(const Tensor& x, ir::ElementType to);

}  // namespace shardy::simulation
