// Axis lists and shardings that were looked up in a mesh but not validated, and their checks.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <shardy/algebra/detail/unresolved_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shardy {

/// An axis ref that was looked up in a mesh but not validated. Both resolved and unresolved refs
/// are checked in this form. Does not own the name.
struct LooseAxisRef {
  std::string_view name;        // name of the axis
  std::optional<int32_t> axis;  // index in the mesh; std::nullopt: the mesh has no such axis
  std::optional<SubAxis> sub;   // sub-axis; std::nullopt: the full axis

  /// Compares in mesh order. Unknown names come last, ordered by name. Spec: algebra 1.4, 2.2.
  friend std::strong_ordering operator<=>(const LooseAxisRef& a, const LooseAxisRef& b) {
    return a.key() <=> b.key();
  }
  friend bool operator==(const LooseAxisRef& a, const LooseAxisRef& b) {
    return a.key() == b.key();
  }

 private:
  std::tuple<bool, int32_t, std::string_view, int64_t, bool, int64_t> key() const;
};

using LooseAxisList = std::vector<LooseAxisRef>;  // one axis list of a sharding or op

/// Looks up the axes in the mesh.
LooseAxisList loosen(const Mesh& mesh, std::span<const UnresolvedAxisRef> axes);

/// Converts resolved refs. Requires: axis indices of `mesh`.
LooseAxisList loosen(const Mesh& mesh, AxisSpan axes);

std::string to_string(const LooseAxisRef& ref);  // `"x"`, `"x":(1)2`

/// A check of all axis lists of one sharding or op. Call `add` for each list, then `finish`; report
/// the first failure. Spec: algebra 9.1.
class AxisChecker {
 public:
  /// Makes a checker for lists on `mesh`.
  explicit AxisChecker(Mesh mesh) : mesh_(std::move(mesh)) {}

  /// Adds a list. Errors: A1 to A3 of algebra 9.1.
  Status add(std::span<const LooseAxisRef> list);

  /// Adds a list that must be in mesh order, as replicated axes. `what` names the list in errors:
  /// "replicated", "unreduced", "reduction", ... Errors: as add.
  Status add_sorted(std::span<const LooseAxisRef> list, std::string_view what);

  /// Checks the refs of all lists. Errors: S1 to S7 of algebra 9.1, for each name in mesh order.
  Status finish() const;

 private:
  static bool may_merge(const LooseAxisRef& a, const LooseAxisRef& b);

  Status check_no_full_axis(const LooseAxisRef& ref) const;

  /// Checks one ref. Errors: S2 to S5.
  Status check_alone(const LooseAxisRef& ref) const;

  /// Checks two refs of one axis. Errors: S6, S7. Requires: both passed check_alone.
  static Status check_beside(const LooseAxisRef& previous, const LooseAxisRef& ref);

  Mesh mesh_;
  std::set<LooseAxisRef> seen_;  // refs of all lists, in mesh order
};

/// Checks the axis indices. Errors: an index that the mesh does not have.
Status check_axis_indices(const Mesh& mesh, AxisSpan axes);

/// Checks that lists of axes do not overlap and are valid by algebra 9.1. Errors: those of
/// check_axis_indices and AxisChecker.
Status check_axis_lists(const Mesh& mesh, std::span<const AxisList> lists);

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
#include <algorithm>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/detail/quote.hpp>

namespace shardy {

SHARDY_INLINE std::tuple<bool, int32_t, std::string_view, int64_t, bool, int64_t>
LooseAxisRef::key() const {
  const SubAxis part = sub.value_or(SubAxis{});
  return {!axis, axis.value_or(0), name, part.pre, !sub, part.size};
}

SHARDY_INLINE LooseAxisList loosen(const Mesh& mesh, std::span<const UnresolvedAxisRef> axes) {
  LooseAxisList loose;
  for (const UnresolvedAxisRef& ref : axes)
    loose.push_back({ref.name, mesh.find_axis(ref.name), ref.sub});
  return loose;
}

SHARDY_INLINE LooseAxisList loosen(const Mesh& mesh, AxisSpan axes) {
  LooseAxisList loose;
  for (const AxisRef& ref : axes) {
    const bool is_full = ref == mesh.full_axis(ref.axis);
    loose.push_back({mesh.axis_name(ref.axis), ref.axis,
                     is_full ? std::nullopt : std::optional(SubAxis{ref.pre, ref.size})});
  }
  return loose;
}

SHARDY_INLINE std::string to_string(const LooseAxisRef& ref) {
  return to_string(UnresolvedAxisRef{std::string(ref.name), ref.sub});
}

namespace detail {

/// Returns the axis names of the mesh. Names most similar to `name` come first.
SHARDY_INLINE std::vector<std::string> known_axes(const Mesh& mesh, std::string_view name) {
  std::vector<std::string> notes;
  std::vector<std::string_view> names;
  std::string list;
  for (const MeshAxis& axis : mesh.axes()) {
    names.push_back(axis.name);
    list += (list.empty() ? "" : ", ") + in_quotes(axis.name);
  }
  if (const auto meant = closest(name, names)) {
    notes.push_back("did you mean " + in_quotes(*meant) + "?");
  }
  notes.push_back(list.empty() ? "the mesh has no axes" : "the axes of the mesh: " + list);
  return notes;
}

}  // namespace detail

SHARDY_INLINE Status AxisChecker::add(std::span<const LooseAxisRef> list) {
  const LooseAxisRef* previous = nullptr;
  for (const LooseAxisRef& ref : list) {
    if (!ref.axis) {
      return tl::unexpected(Error{.message = "unknown axis name: " + in_quotes(ref.name),
                                  .notes = detail::known_axes(mesh_, ref.name),
                                  .subject = {.name = in_quotes(ref.name)}});
    }
    if (!seen_.insert(ref).second) {
      return tl::unexpected(Error{.message = "duplicate axis ref: " + to_string(ref),
                                  .subject = {.is_repeated = true, .name = in_quotes(ref.name)}});
    }
    if (previous != nullptr && may_merge(*previous, ref)) {
      return fail("two consecutive sub-axes can be merged: " + to_string(*previous) + ", " +
                  to_string(ref));
    }
    previous = &ref;
  }
  return {};
}

SHARDY_INLINE Status AxisChecker::add_sorted(std::span<const LooseAxisRef> list,
                                             std::string_view what) {
  if (!std::ranges::is_sorted(list)) {
    return fail(std::string(what) + " axes are not ordered w.r.t. mesh");
  }
  return add(list);
}

SHARDY_INLINE Status AxisChecker::finish() const {
  const LooseAxisRef* previous = nullptr;  // previous sub-axis of the same axis
  for (const LooseAxisRef& ref : seen_) {
    if (previous != nullptr && previous->axis != ref.axis) previous = nullptr;
    if (!ref.sub) continue;
    if (previous == nullptr) {
      SHARDY_TRY_STATUS(check_no_full_axis(ref));
    }
    SHARDY_TRY_STATUS(check_alone(ref));
    if (previous != nullptr) {
      SHARDY_TRY_STATUS(check_beside(*previous, ref));
    }
    previous = &ref;
  }
  return {};
}

SHARDY_INLINE bool AxisChecker::may_merge(const LooseAxisRef& a, const LooseAxisRef& b) {
  return a.axis == b.axis && a.sub && b.sub && checked_mul(a.sub->pre, a.sub->size) == b.sub->pre;
}

SHARDY_INLINE Status AxisChecker::check_no_full_axis(const LooseAxisRef& ref) const {
  if (!seen_.contains({ref.name, ref.axis, std::nullopt})) return {};
  return fail("both sub-axis and full-axis are used for axis name: " + in_quotes(ref.name));
}

SHARDY_INLINE Status AxisChecker::check_alone(const LooseAxisRef& ref) const {
  const SubAxis sub = *ref.sub;
  if (sub.pre < 1) return fail("sub-axis pre-size must be at least 1: " + to_string(ref));
  if (sub.size <= 1) return fail("sub-axis sizes must be greater than 1: " + to_string(ref));
  const int64_t full = mesh_.axis_size(*ref.axis);
  const std::optional<int64_t> next = checked_mul(sub.pre, sub.size);
  if (!next || full % *next != 0) {
    const std::string value =
        next ? std::to_string(*next) : std::to_string(sub.pre) + "*" + std::to_string(sub.size);
    return fail("sub-axis next pre-size " + value + " doesn't divide the size of the full axis " +
                std::to_string(full) + ": " + to_string(ref));
  }
  if (sub.size == full) {
    return fail("sub-axis size is equal to the full axis size: " + to_string(ref));
  }
  return {};
}

SHARDY_INLINE Status AxisChecker::check_beside(const LooseAxisRef& previous,
                                               const LooseAxisRef& ref) {
  const AxisRef a{*previous.axis, previous.sub->pre, previous.sub->size};
  const AxisRef b{*ref.axis, ref.sub->pre, ref.sub->size};
  if (a.next() > b.pre) {
    return fail("overlapping sub-axes: " + to_string(previous) + ", " + to_string(ref));
  }
  if (can_coexist(a, b)) return {};
  return fail("sub-axes can't coexist: " + to_string(previous) + ", " + to_string(ref));
}

SHARDY_INLINE Status check_axis_indices(const Mesh& mesh, AxisSpan axes) {
  for (const AxisRef& ref : axes) {
    if (ref.axis >= 0 && ref.axis < mesh.num_axes()) continue;
    return fail("axis index out of range: " + std::to_string(ref.axis) +
                ", num_axes: " + std::to_string(mesh.num_axes()));
  }
  return {};
}

SHARDY_INLINE Status check_axis_lists(const Mesh& mesh, std::span<const AxisList> lists) {
  AxisChecker checker(mesh);
  for (const AxisList& list : lists) {
    SHARDY_TRY_STATUS(check_axis_indices(mesh, list));
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, AxisSpan(list))));
  }
  return checker.finish();
}

}  // namespace shardy

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
