// Tensors as .npy files, the format of NumPy.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <shardy/ir/type.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::simulation {

/// Largest size of the header of a file.
inline constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{1} << 16;

/// The tensor that the bytes of a file hold: versions 1.0 to 3.0, C or Fortran order, little endian
/// numbers. Element types that NumPy does not have are raw bytes there (`|V1`, `|V2`), which only a
/// `wanted` type tells; 2 and 4 bit integers are bytes.
///
/// Errors: anything else, bytes too few or too many, another type than `wanted`. A file of which
/// the end was not read, but more than the type takes, gives the same errors as the whole.
Result<Tensor> read_npy(std::span<const std::byte> file,
                        const std::optional<ir::Type>& wanted = std::nullopt);

/// The same of a file that stays in memory, or is mapped into it, as long as the tensor lives: it
/// shares the elements if they are in C order, so that only those are read that somebody asks for.
Result<Tensor> map_npy(std::shared_ptr<const std::byte> file, std::size_t size,
                       const std::optional<ir::Type>& wanted = std::nullopt);

/// Returns the header of a file with such a tensor. Errors: the type is not a static tensor.
Result<std::vector<std::byte>> npy_header(const ir::Type& type);

/// The bytes of a file, version 1.0, C order. Errors: no tensor.
Result<std::vector<std::byte>> write_npy(const Tensor& tensor);

}  // namespace shardy::simulation
