#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_check.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy {

struct LooseDim {
  LooseAxisList axes;
  bool is_closed = false;
  std::optional<int64_t> priority;
};

/// The parts of a sharding that algebra 9.2 gives rules to, looked up in a mesh but not yet
/// checked.
struct LooseSharding {
  std::vector<LooseDim> dims;
  LooseAxisList replicated;
  LooseAxisList unreduced;

  bool is_plain_scalar() const { return dims.empty() && replicated.empty() && unreduced.empty(); }
};

/// The parts of a spelled or resolved sharding with each axis looked up in `mesh`.
template <class Dims, class Axes>
LooseSharding loosen(const Mesh& mesh, const Dims& dims, const Axes& replicated,
                     const Axes& unreduced) {
  LooseSharding loose;
  loose.dims.reserve(std::size(dims));
  for (const auto& dim : dims) {
    loose.dims.push_back({loosen(mesh, dim.axes), dim.is_closed, dim.priority});
  }
  loose.replicated = loosen(mesh, replicated);
  loose.unreduced = loosen(mesh, unreduced);
  return loose;
}

/// std::nullopt if the product is not a positive int64: then a later check of the axes fails.
std::optional<int64_t> sharded_size(const Mesh& mesh, const LooseDim& dim);

namespace detail {

Status check_divisible(const Mesh& mesh, const LooseDim& dim, const std::string& name,
                       int64_t dim_size);

}  // namespace detail

/// Step 2 for a maximal mesh, steps 6 to 8 for any other. With `divisible_shape` each dim must also
/// be split evenly; a dynamic (negative) one is. Spec: algebra 9.2.
Status check_sharding(const Mesh& mesh, const LooseSharding& sharding,
                      std::optional<std::span<const int64_t>> divisible_shape = std::nullopt);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/sharding_check_inl.hpp>
#endif
