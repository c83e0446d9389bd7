#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <shardy/algebra/detail/spelled_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shardy {

/// An axis ref looked up in a mesh but not yet checked: what spelled and resolved refs have in
/// common. An unknown name has no axis. Views the name; for parameters only.
struct LooseAxisRef {
  std::string_view name;        // as it was written
  std::optional<int32_t> axis;  // its index in the mesh; nothing: the mesh has none of that name
  std::optional<SubAxis> sub;   // the part of it; nothing: all of it

  /// Mesh order; unknown names come last, by name. Spec: algebra 1.4, 2.2.
  friend std::strong_ordering operator<=>(const LooseAxisRef& a, const LooseAxisRef& b) {
    return a.key() <=> b.key();
  }
  friend bool operator==(const LooseAxisRef& a, const LooseAxisRef& b) {
    return a.key() == b.key();
  }

 private:
  std::tuple<bool, int32_t, std::string_view, int64_t, bool, int64_t> key() const;
};

using LooseAxisList = std::vector<LooseAxisRef>;  // one list of a sharding or op

/// Looks the axes up in the mesh.
LooseAxisList loosen(const Mesh& mesh, std::span<const SpelledAxisRef> axes);

/// Requires: the axis indices are those of `mesh`.
LooseAxisList loosen(const Mesh& mesh, AxisSpan axes);

std::string to_string(const LooseAxisRef& ref);  // `"x"`, `"x":(1)2`

/// Checks all axis lists of one sharding, or of one op: add each list, then finish. The first
/// failure in that order is the one to report. Spec: algebra 9.1.
class AxisChecker {
 public:
  /// Checks lists on that mesh.
  explicit AxisChecker(Mesh mesh) : mesh_(std::move(mesh)) {}

  /// Errors: A1..A3.
  Status add(std::span<const LooseAxisRef> list);

  /// The same for a list that is a set: `what` is "replicated", "unreduced", "reduction", ...
  Status add_sorted(std::span<const LooseAxisRef> list, std::string_view what);

  /// Errors: S1..S7, for each name in mesh order.
  Status finish() const;

 private:
  static bool may_merge(const LooseAxisRef& a, const LooseAxisRef& b);

  Status check_no_full_axis(const LooseAxisRef& ref) const;

  /// S2..S5.
  Status check_alone(const LooseAxisRef& ref) const;

  /// S6, S7. Requires: both passed check_alone.
  static Status check_beside(const LooseAxisRef& previous, const LooseAxisRef& ref);

  Mesh mesh_;
  std::set<LooseAxisRef> seen_;  // in mesh order
};

/// Errors: an axis that the mesh does not have.
Status check_axis_indices(const Mesh& mesh, AxisSpan axes);

/// The rules of algebra 9.1 over lists of any axes, which may share none. Errors: those of
/// check_axis_indices and AxisChecker.
Status check_axis_lists(const Mesh& mesh, std::span<const AxisList> lists);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/axis_check_inl.hpp>
#endif
