#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
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

/// The parts of a sharding that algebra 9.2 checks. Axes were looked up in a mesh but not
/// validated.
struct LooseSharding {
  std::vector<LooseDim> dims;
  LooseAxisList replicated;
  LooseAxisList unreduced;

  bool is_plain_scalar() const { return dims.empty() && replicated.empty() && unreduced.empty(); }
};

/// Looks up the axes of an unresolved or resolved sharding in `mesh`.
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

/// Returns the number of shards of a dim; std::nullopt if it is not a positive int64. In that case
/// a later check of the axes fails.
std::optional<int64_t> sharded_size(const Mesh& mesh, const LooseDim& dim);

namespace detail {

Status check_divisible(const Mesh& mesh, const LooseDim& dim, const std::string& name,
                       int64_t dim_size);

}  // namespace detail

/// Checks step 2 for a maximal mesh, and steps 6 to 8 for other meshes. With `divisible_shape`, the
/// size of each dim must be divisible by its shards; dynamic (negative) sizes are not checked.
/// Spec: algebra 9.2.
Status check_sharding(const Mesh& mesh, const LooseSharding& sharding,
                      std::optional<std::span<const int64_t>> divisible_shape = std::nullopt);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <shardy/support/detail/math.hpp>

namespace shardy {

SHARDY_INLINE std::optional<int64_t> sharded_size(const Mesh& mesh, const LooseDim& dim) {
  std::optional<int64_t> size = 1;
  for (const LooseAxisRef& ref : dim.axes) {
    const int64_t factor = ref.sub ? ref.sub->size : mesh.axis_size(*ref.axis);
    size = factor > 0 ? checked_mul(*size, factor) : std::nullopt;
    if (!size) return std::nullopt;
  }
  return size;
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Status check_dim(const LooseDim& dim, const std::string& name, AxisChecker& checker) {
  if (dim.priority.value_or(0) < 0) return fail(name + " has a negative priority");
  if (dim.priority && dim.is_closed && dim.axes.empty()) {
    return fail(name + " is empty and closed but has a priority");
  }
  return checker.add(dim.axes);
}

SHARDY_INLINE Status check_divisible(const Mesh& mesh, const LooseDim& dim, const std::string& name,
                                     int64_t dim_size) {
  const std::optional<int64_t> shards = sharded_size(mesh, dim);
  if (dim_size < 0 || !shards || dim_size % *shards == 0) return {};
  return fail(name + " with size " + std::to_string(dim_size) +
              " is not divisible by its sharded size " + std::to_string(*shards));
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Status check_sharding(const Mesh& mesh, const LooseSharding& sharding,
                                    std::optional<std::span<const int64_t>> divisible_shape) {
  if (mesh.is_maximal()) {
    if (sharding.is_plain_scalar()) return {};
    return fail(
        "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced "
        "axes");
  }
  AxisChecker checker(mesh);
  for (std::size_t i = 0; i < sharding.dims.size(); ++i) {
    const std::string name = "dim " + std::to_string(i);
    SHARDY_TRY_STATUS(detail::check_dim(sharding.dims[i], name, checker));
    if (divisible_shape && i < divisible_shape->size()) {
      SHARDY_TRY_STATUS(
          detail::check_divisible(mesh, sharding.dims[i], name, (*divisible_shape)[i]));
    }
  }
  SHARDY_TRY_STATUS(checker.add_sorted(sharding.replicated, "replicated"));
  SHARDY_TRY_STATUS(checker.add_sorted(sharding.unreduced, "unreduced"));
  return checker.finish();
}

}  // namespace shardy
#endif  // SHARDY_BODIES
