#pragma once

#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardy {

/// The axes that no sharding and no collective may use at some place of a program: those that the
/// manual computations around it bind, in all contexts that reach it. Along each of them the
/// devices hold different data. Has no default: BoundAxes::none() is written out. Spec: resharding
/// C.9.
class BoundAxes {
 public:
  /// No axes: outside of all manual computations.
  static BoundAxes none() { return BoundAxes({}); }
  /// These axes; order and duplicates do not matter.
  static BoundAxes of(AxisNames names);

  /// Checks whether all axes are free.
  bool empty() const { return names_.empty(); }
  /// The axes, ascending, each once.
  AxisNames names() const { return names_; }

  /// Checks whether the axis of the ref is bound.
  bool has(const Mesh& mesh, const AxisRef& ref) const { return is_manual(mesh, ref, names_); }
  /// The first ref on a bound axis; nullptr if all are free.
  const AxisRef* first_in(const Mesh& mesh, AxisSpan refs) const;
  /// Errors: the sharding uses a bound axis.
  Status expect_free(const TensorSharding& sharding) const;

  friend auto operator<=>(const BoundAxes&, const BoundAxes&) = default;

 private:
  explicit BoundAxes(std::vector<std::string> names) : names_(std::move(names)) {}

  std::vector<std::string> names_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/support/quote.hpp>
#include <string_view>

namespace shardy {

SHARDY_INLINE BoundAxes BoundAxes::of(AxisNames names) {
  std::vector<std::string> all(names.begin(), names.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return BoundAxes(std::move(all));
}

SHARDY_INLINE const AxisRef* BoundAxes::first_in(const Mesh& mesh, AxisSpan refs) const {
  if (names_.empty()) return nullptr;
  const auto found = std::ranges::find_if(refs, [&](const AxisRef& ref) { return has(mesh, ref); });
  return found == refs.end() ? nullptr : &*found;
}

SHARDY_INLINE Status BoundAxes::expect_free(const TensorSharding& sharding) const {
  if (names_.empty()) return {};
  const Mesh& mesh = sharding.mesh();
  std::string_view bound;
  const auto is_bound = [&](const AxisRef& ref) {
    if (!has(mesh, ref)) return false;
    bound = mesh.axis_name(ref.axis);
    return true;
  };
  if (!sharding.any_axis(is_bound)) return {};
  return fail("sharding: axis " + in_quotes(bound) +
              " is bound by a manual computation around; use an axis that is free");
}

}  // namespace shardy
#endif  // SHARDY_BODIES
