// Compares all pairs and triples of sub-axes of one axis with sets of device coordinates.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <string>
#include <vector>

#include "algebra/comparison.hpp"
#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::sub_axis_laws_test {
namespace {

using shardy_test::Comparison;

constexpr int64_t kLargestAxis = 24;

// In the model of this test, an axis of n devices is a box whose sides are prime numbers, in some
// order. A sub-axis is a run of adjacent sides. The coordinate of a device along the sub-axis is
// its number in that run. The coordinates of all devices determine the run of an axis ref.
using Coordinates = std::vector<int64_t>;  // of each device
using Sides = std::vector<std::size_t>;    // positions of sides, major to minor

/// Returns the coordinates along the sub-axis (pre)size. Three loops run over the more major part,
/// the sub-axis and the more minor part of the axis.
Coordinates count_coordinates(int64_t pre, int64_t size, int64_t n) {
  Coordinates result;
  for (int64_t before = 0; before < pre; ++before) {
    for (int64_t own = 0; own < size; ++own) {
      for (int64_t after = 0; after < n / pre / size; ++after) result.push_back(own);
    }
  }
  return result;
}

/// Returns one number per device for several coordinates; the first one is most major.
Coordinates row_major(const std::vector<Coordinates>& parts, std::size_t num_devices) {
  Coordinates result(num_devices, 0);
  for (const Coordinates& part : parts) {
    const int64_t size = *std::max_element(part.begin(), part.end()) + 1;
    for (std::size_t device = 0; device < num_devices; ++device) {
      result[device] = result[device] * size + part[device];
    }
  }
  return result;
}

/// A box of devices, with the runs of its sides by their coordinates.
struct Box {
  std::vector<Coordinates> sides;
  std::map<Coordinates, Sides> runs;

  explicit Box(const std::vector<int64_t>& sizes, int64_t n) {
    int64_t before = 1;
    for (const int64_t size : sizes) {
      sides.push_back(count_coordinates(before, size, n));
      before *= size;
    }
    for (std::size_t begin = 0; begin < sides.size(); ++begin) {
      Sides run;
      for (std::size_t end = begin; end < sides.size(); ++end) {
        run.push_back(end);
        runs[coordinates(run)] = run;
      }
    }
  }

  Coordinates coordinates(const Sides& which) const {
    std::vector<Coordinates> parts;
    for (const std::size_t side : which) parts.push_back(sides[side]);
    return row_major(parts, sides[0].size());
  }
};

/// Returns all boxes of n devices, one for each order of the prime factors of n.
std::vector<Box> boxes(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t rest = n, prime = 2; rest > 1; ++prime) {
    for (; rest % prime == 0; rest /= prime) primes.push_back(prime);
  }
  std::vector<Box> all;
  do {
    all.emplace_back(primes, n);
  } while (std::next_permutation(primes.begin(), primes.end()));
  return all;
}

/// A sub-axis of an axis of n devices, as an axis ref and as coordinates.
struct Part {
  AxisRef ref;
  Coordinates own;
};

class Axis {
 public:
  explicit Axis(int64_t size_of_axis) : n(size_of_axis), boxes_(boxes(n)) {
    for (int64_t pre = 1; pre <= n; ++pre) {
      for (int64_t size = 2; pre * size <= n; ++size) {
        if (n % (pre * size) != 0) continue;
        parts.push_back({{0, pre, size}, count_coordinates(pre, size, n)});
      }
    }
  }

  /// Returns a box in which all the sub-axes are runs of sides; null if none exists.
  const Box* common_box(const std::vector<const Part*>& wanted) const {
    for (const Box& box : boxes_) {
      const auto has = [&](const Part* part) { return box.runs.count(part->own) > 0; };
      if (std::all_of(wanted.begin(), wanted.end(), has)) return &box;
    }
    return nullptr;
  }

  /// Returns the coordinates along a list.
  Coordinates coordinates(const AxisList& list) const {
    std::vector<Coordinates> own;
    for (const AxisRef& ref : list) own.push_back(count_coordinates(ref.pre, ref.size, n));
    return row_major(own, static_cast<std::size_t>(n));
  }

  int64_t n;
  std::vector<Part> parts;

 private:
  std::vector<Box> boxes_;
};

bool has(const Sides& sides, std::size_t side) {
  return std::find(sides.begin(), sides.end(), side) != sides.end();
}
bool is_part(const Sides& a, const Sides& b) {
  return std::all_of(a.begin(), a.end(), [&](std::size_t side) { return has(b, side); });
}
bool intersect(const Sides& a, const Sides& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t side) { return has(b, side); });
}
Sides joined(Sides a, const Sides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Returns the sides of `a` that are in `b`, or those that are not.
Sides filtered(const Sides& a, const Sides& b, bool in_b) {
  Sides result;
  for (const std::size_t side : a) {
    if (has(b, side) == in_b) result.push_back(side);
  }
  return result;
}
/// Returns the sides of `a` before the first one that is in `b`; all sides if none is.
Sides before(const Sides& a, const Sides& b) {
  const auto end = std::find_if(a.begin(), a.end(), [&](std::size_t side) { return has(b, side); });
  return {a.begin(), end};
}
Sides after(const Sides& a, const Sides& b) {
  Sides reversed(a.rbegin(), a.rend());
  const Sides result = before(reversed, b);
  return {result.rbegin(), result.rend()};
}
Sides common_start(const Sides& a, const Sides& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return {a.begin(), end};
}
bool starts_with(const Sides& a, const Sides& start) {
  return common_start(a, start).size() == start.size();
}
bool ends_with(const Sides& a, const Sides& end) {
  return end.size() <= a.size() && std::equal(end.rbegin(), end.rend(), a.rbegin());
}
/// Returns the number of runs of adjacent sides.
std::size_t num_runs(const Sides& sides) {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i == 0 || sides[i] != sides[i - 1] + 1) ++runs;
  }
  return runs;
}

/// The laws of pairs and triples of sub-axes. Each function checks the laws of some operations.
class Laws {
 public:
  Laws(const Axis& axis, Comparison& comparison) : axis_(axis), comparison_(comparison) {}

  void pair(const Part& a, const Part& b) {
    of_ = {a.ref, b.ref};
    const Box* box = axis_.common_box({&a, &b});
    same("can_coexist", can_coexist(a.ref, b.ref), box != nullptr);
    if (box == nullptr) return apart(a.ref, b.ref);
    box_ = box;
    predicates(a.ref, b.ref, box->runs.at(a.own), box->runs.at(b.own));
    constructions(a.ref, b.ref, box->runs.at(a.own), box->runs.at(b.own));
  }

  void triple(const Part& a, const Part& b, const Part& c) {
    of_ = {a.ref, b.ref, c.ref};
    box_ = axis_.common_box({&a, &b, &c});
    REQUIRE(box_ != nullptr);  // sub-axes that coexist in pairs coexist together
    const Sides sides_a = box_->runs.at(a.own);
    const Sides sides_b = box_->runs.at(b.own);
    const Sides sides_c = box_->runs.at(c.own);
    intersections(sides_a, sides_b, sides_c);
    if (intersect(sides_b, sides_c)) return;
    against_list(a.ref, sides_a, {b.ref, c.ref}, joined(sides_b, sides_c));
    if (intersect(sides_a, sides_b) || intersect(sides_a, sides_c)) return;
    lists({a.ref, b.ref, c.ref}, joined(sides_a, joined(sides_b, sides_c)));
    const Sides in_ab = joined(sides_a, sides_b);
    prefixes({a.ref, b.ref}, in_ab, {a.ref, c.ref}, joined(sides_a, sides_c));
    prefixes({a.ref, b.ref}, in_ab, {a.ref, b.ref, c.ref}, joined(in_ab, sides_c));
    prefixes({a.ref, b.ref}, in_ab, {a.ref, b.ref}, in_ab);
  }

 private:
  template <class T>
  void same(const char* what, const T& algebra, const T& model) {
    comparison_.same(what, algebra, model, of_);
  }
  void same_part(const char* what, const std::optional<AxisRef>& algebra, const Sides& model) {
    same_list(what, algebra ? AxisList{*algebra} : AxisList{}, model, model.empty() ? 0 : 1);
  }
  /// Checks that the list has `size` elements and these sides in this order.
  void same_list(const char* what, const AxisList& algebra, const Sides& model, std::size_t size) {
    same(what, algebra.size(), size);
    same(what, axis_.coordinates(algebra), box_->coordinates(model));
  }
  void same_sides(const char* what, const AxisList& algebra, const Sides& model) {
    same(what, axis_.coordinates(algebra), box_->coordinates(model));
  }

  void apart(const AxisRef& a, const AxisRef& b) {
    const std::optional<AxisRef> none;
    same("overlap", overlap(a, b), none);
    same("prefix_without_overlap", prefix_without_overlap(a, b), none);
    same("suffix_without_overlap", suffix_without_overlap(a, b), none);
    same("greatest_common_prefix", greatest_common_prefix(a, b), none);
  }

  void predicates(const AxisRef& a, const AxisRef& b, const Sides& in_a, const Sides& in_b) {
    same("overlaps", overlaps(a, b), intersect(in_a, in_b));
    same("contains", contains(a, b), is_part(in_b, in_a));
    same("strictly_contains", strictly_contains(a, b), is_part(in_b, in_a) && in_a != in_b);
    same("prefix_of", prefix_of(a, b), starts_with(in_b, in_a));
    same("strict_prefix_of", strict_prefix_of(a, b), starts_with(in_b, in_a) && in_a != in_b);
    same("suffix_of", suffix_of(a, b), ends_with(in_b, in_a));
    same("strict_suffix_of", strict_suffix_of(a, b), ends_with(in_b, in_a) && in_a != in_b);
    same("can_merge", can_merge(a, b), in_a.back() + 1 == in_b.front());
    same("equality", a == b, in_a == in_b);
  }

  void constructions(const AxisRef& a, const AxisRef& b, const Sides& in_a, const Sides& in_b) {
    same_part("overlap", overlap(a, b), filtered(in_a, in_b, true));
    same_part("prefix_without_overlap", prefix_without_overlap(a, b), before(in_a, in_b));
    same_part("suffix_without_overlap", suffix_without_overlap(a, b), after(in_a, in_b));
    const Sides start = common_start(in_a, in_b);
    const bool is_one = start == in_a || start == in_b;
    same_part("greatest_common_prefix", greatest_common_prefix(a, b), is_one ? start : Sides{});
    if (can_merge(a, b)) same_part("merge", merge(a, b), joined(in_a, in_b));
  }

  /// Checks the sub-axes between the boundaries of three refs.
  void intersections(const Sides& a, const Sides& b, const Sides& c) {
    const Mesh mesh = shardy_test::mesh_of_sizes({axis_.n});
    std::size_t num_parts = 1;
    const std::size_t num_sides = box_->sides.size();
    for (std::size_t side = 1; side < num_sides; ++side) {
      const auto is_split = [&](const Sides& sides) {
        return has(sides, side) != has(sides, side - 1);
      };
      if (is_split(a) || is_split(b) || is_split(c)) ++num_parts;
    }
    Sides all;
    for (std::size_t side = 0; side < num_sides; ++side) all.push_back(side);
    same_list("ordered_axis_refs", ordered_axis_refs(mesh, of_), all, num_parts);
  }

  /// Requires: no overlap in `list`.
  void against_list(const AxisRef& a, const Sides& in_a, const AxisList& list,
                    const Sides& in_list) {
    const AxisList one = {a};
    const Sides rest = filtered(in_a, in_list, false);
    const Sides common = filtered(in_a, in_list, true);
    same_sides("set_difference", set_difference(one, list), rest);
    same("intersection", sharding_size(sort_and_merge(intersection(one, list))),
         sharding_size(one) / size_of(rest));
    same_sides("intersection", sort_and_merge(intersection(one, list)), common);
    same_sides("set_difference of a list", set_difference(list, one),
               filtered(in_list, in_a, false));
    same_sides("truncation", truncate_by_removing_overlaps(list, one), before(in_list, in_a));
    same_sides("alignment", align_by_decomposition(list, one), in_list);
    same("overlaps a list", overlaps(a, AxisSpan(list)), !common.empty());
    AxisList sorted = list;
    std::ranges::sort(sorted);
    const auto first = first_overlapping(a, sorted);
    same("first_overlapping", first.has_value(), !common.empty());
    if (first) same("first_overlapping", has(side_of(sorted[*first]), common.front()), true);
  }

  /// Requires: no overlap in `list`.
  void lists(const AxisList& list, const Sides& sides) {
    Sides sorted = sides;
    std::sort(sorted.begin(), sorted.end());
    same_list("sort_and_merge", sort_and_merge(list), sorted, num_runs(sorted));
    AxisList appended;
    for (const AxisRef& ref : list) append_or_merge(appended, ref);
    same_list("append_or_merge", appended, sides, num_runs(sides));
    same("sharding_size", sharding_size(list), size_of(sides));
  }

  /// Checks common prefixes of lists in which neighbours are merged.
  void prefixes(const AxisList& left_refs, const Sides& left, const AxisList& right_refs,
                const Sides& right) {
    const AxisList a = list_of(left_refs);
    const AxisList b = list_of(right_refs);
    const bool is_prefix = starts_with(right, left);
    same("strict_prefix_of lists", strict_prefix_of(a, b), is_prefix && left != right);
    same("prefix_status", prefix_status(a, b) == PrefixStatus::Equal, left == right);
    same_sides("greatest_common_prefix of lists", greatest_common_prefix(a, b),
               common_start(left, right));
    if (is_prefix) same("expanded_size", expanded_size(b, a), size_of(right) / size_of(left));
  }

  static AxisList list_of(const AxisList& refs) {
    AxisList list;
    for (const AxisRef& ref : refs) append_or_merge(list, ref);
    return list;
  }
  Sides side_of(const AxisRef& ref) const { return box_->runs.at(axis_.coordinates({ref})); }
  int64_t size_of(const Sides& sides) const {
    const Coordinates all = box_->coordinates(sides);
    return *std::max_element(all.begin(), all.end()) + 1;
  }

  const Axis& axis_;
  Comparison& comparison_;
  const Box* box_ = nullptr;
  AxisList of_;
};

TEST_CASE("ops on pairs of sub-axes up to 24 equal those on sets of device coordinates",
          "[axis_ref][law][exhaustive]") {
  Comparison comparison;
  int64_t num_pairs = 0;
  for (int64_t n = 2; n <= kLargestAxis; ++n) {
    const Axis axis(n);
    Laws laws(axis, comparison);
    for (const Part& a : axis.parts) {
      for (const Part& b : axis.parts) {
        laws.pair(a, b);
        ++num_pairs;
      }
    }
  }
  WARN(num_pairs << " pairs, " << comparison.count() << " comparisons");
  CHECK(num_pairs == 1229);
}

TEST_CASE("ops on triples of sub-axes up to 24 equal those on sets of device coordinates",
          "[axis_list][law][exhaustive]") {
  Comparison comparison;
  int64_t num_triples = 0;
  for (int64_t n = 2; n <= kLargestAxis; ++n) {
    const Axis axis(n);
    Laws laws(axis, comparison);
    for (const Part& a : axis.parts) {
      for (const Part& b : axis.parts) {
        if (axis.common_box({&a, &b}) == nullptr) continue;
        for (const Part& c : axis.parts) {
          if (axis.common_box({&a, &c}) == nullptr || axis.common_box({&b, &c}) == nullptr)
            continue;
          laws.triple(a, b, c);
          ++num_triples;
        }
      }
    }
  }
  WARN(num_triples << " triples, " << comparison.count() << " comparisons");
  CHECK(num_triples == 6731);
}

}  // namespace
}  // namespace shardy::sub_axis_laws_test
