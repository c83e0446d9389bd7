// Conversion of whole buffers between element types.
#pragma once

#include <cstddef>
#include <optional>

#include "shardy/ir/type.hpp"
#include "shardy/simulation/tensor.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {

/// A pair of loops over chunks: from the source type to the widest type of its class, then to the
/// target type. So n types need 5 n loops instead of n * n. Common pairs convert directly.
struct Conversion {
  void (*load)(const std::byte* from, std::byte* wide, std::size_t count);
  void (*store)(const std::byte* wide, std::byte* to, std::size_t count);
  std::size_t from_bytes;
  std::size_t to_bytes;

  /// Returns the conversion; std::nullopt if one of the types has no arithmetic.
  static std::optional<Conversion> pick(ir::ElementType from, ir::ElementType to);
  void run(const std::byte* from, std::byte* to, std::size_t count) const;
};

/// Returns an error if no conversion between the types exists.
Status expect_conversion(const OpReader& reader, const ir::Type& from, ir::ElementType to);

/// Returns the tensor itself if it already has the element type. Errors: one of the types has no
/// arithmetic.
Result<Tensor> converted(const Tensor& x, ir::ElementType to);

}  // namespace shardy::simulation
