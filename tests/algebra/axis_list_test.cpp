#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::axis_list_test {
namespace {

using shardy_test::axis_lists;
using shardy_test::fit_together;
using shardy_test::in_one_splitting;
using shardy_test::mesh_of_sizes;

constexpr AxisRef full(int32_t axis, int64_t size) { return {axis, 1, size}; }

TEST_CASE("sort_and_merge merges any number of adjacent refs into one", "[axis_list]") {
  // a, b, c, d of size 8: the example of algebra 3.3.
  const AxisList list = {{1, 4, 2}, {3, 4, 2}, full(2, 8), {1, 1, 2},
                         {0, 4, 2}, {3, 2, 2}, {1, 2, 2}};
  CHECK(sort_and_merge(list) == AxisList{{0, 4, 2}, full(1, 8), full(2, 8), {3, 2, 4}});
}

TEST_CASE("append_or_merge merges a ref only with the ref that it directly continues",
          "[axis_list]") {
  AxisList list;
  append_or_merge(list, {0, 1, 2});
  append_or_merge(list, {0, 2, 4});
  CHECK(list == AxisList{{0, 1, 8}});
  append_or_merge(list, {1, 2, 2});
  append_or_merge(list, {1, 1, 2});
  CHECK(list == AxisList{{0, 1, 8}, {1, 2, 2}, {1, 1, 2}});
}

TEST_CASE("set_difference keeps the order of its first list", "[axis_list]") {
  // p of size 24, q of size 4: the example of algebra 3.4.
  const AxisList a = {full(1, 4), full(0, 24)};
  CHECK(set_difference(a, AxisList{{0, 2, 3}, {1, 1, 2}}) ==
        AxisList{{1, 2, 2}, {0, 1, 2}, {0, 6, 4}});
  CHECK(set_difference(a, a).empty());
  CHECK(set_difference(a, AxisList{}) == a);
}

TEST_CASE("set_difference drops refs that overlap a removed ref and cannot coexist with it",
          "[axis_list]") {
  CHECK(set_difference(AxisList{{0, 1, 4}, full(1, 2)}, AxisList{{0, 1, 6}}) ==
        AxisList{full(1, 2)});
}

TEST_CASE("set_difference removes an axis of size 1 only if the other list has that axis",
          "[axis_list]") {
  const AxisList one = {full(0, 1)};
  CHECK(set_difference(one, one).empty());
  CHECK(set_difference(one, AxisList{full(1, 2)}) == one);
}

TEST_CASE("truncation splits the first axis that overlaps the other list", "[axis_list]") {
  const AxisList list = {full(0, 2), full(1, 8)};
  CHECK(truncate_by_removing_overlaps(list, AxisList{{1, 4, 2}}) ==
        AxisList{full(0, 2), {1, 1, 4}});
  AxisList changed = list;
  CHECK_FALSE(truncate_without_overlap(changed, AxisList{full(2, 2)}));
  CHECK(changed == list);
  CHECK(truncate_without_overlap(changed, AxisList{full(0, 2)}));
  CHECK(changed.empty());
}

TEST_CASE("list_less compares the number of refs, then axis names, and ignores axis sizes",
          "[axis_list]") {
  // Names m, z, a: canonical order a (2), m (0), z (1).
  const Mesh mesh = mesh_of_sizes({2, 3, 16});
  const AxisRef m = full(0, 2);
  const AxisRef z = full(1, 3);
  const AxisRef a = full(2, 16);
  CHECK(list_less(mesh, AxisList{}, AxisList{z}));
  CHECK(list_less(mesh, AxisList{a, z}, AxisList{a, m, z}));
  CHECK(list_less(mesh, AxisList{a, m}, AxisList{a, z}));
  CHECK(list_less(mesh, AxisList{a}, AxisList{m}));
  CHECK_FALSE(list_less(mesh, AxisList{m}, AxisList{a}));
  CHECK_FALSE(list_less(mesh, AxisList{m}, AxisList{m}));
}

TEST_CASE("evenly_dividing_prefix divides the remaining dim size by the gcd with each axis",
          "[axis_list]") {
  const AxisRef x = full(0, 4);
  const AxisRef y = full(1, 2);
  const AxisRef one = full(2, 1);
  struct Row {
    AxisList axes;
    int64_t dim;
    AxisList expected;
  };
  const std::vector<Row> rows = {
      {{x, y}, 6, {{0, 1, 2}}},
      {{y, x}, 4, {y, {0, 1, 2}}},
      {{x, y}, 8, {x, y}},
      {{x, y}, 0, {x, y}},
      {{x, y}, 4, {x}},
      {{x, y}, 7, {}},
      {{}, 7, {}},
      {{one}, 7, {one}},
      {{one, x}, 6, {}},
      {{y, one, x}, 2, {y}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.axes, row.dim);
    CHECK(evenly_dividing_prefix(row.axes, row.dim) == row.expected);
  }
}

TEST_CASE("ordered_axis_refs splits each axis where a ref begins or ends", "[axis_list]") {
  const Mesh mesh = mesh_of_sizes({2, 12, 2});
  CHECK(ordered_axis_refs(mesh, AxisList{{1, 2, 3}}) ==
        AxisList{full(0, 2), {1, 1, 2}, {1, 2, 3}, {1, 6, 2}, full(2, 2)});
  CHECK(ordered_axis_refs(mesh, AxisList{}) == AxisList{full(0, 2), full(1, 12), full(2, 2)});
  CHECK(ordered_axis_refs(mesh_of_sizes({1, 3}), AxisList{full(0, 1)}) ==
        AxisList{full(0, 1), full(1, 3)});
}

TEST_CASE("align_by_decomposition splits at both ends of an overlap", "[axis_list]") {
  CHECK(align_by_decomposition(AxisList{full(0, 24), full(1, 4)}, AxisList{{0, 2, 3}}) ==
        AxisList{{0, 1, 2}, {0, 2, 3}, {0, 6, 4}, full(1, 4)});
  // Contained in an element of the others: stays whole.
  CHECK(align_by_decomposition(AxisList{{0, 2, 3}}, AxisList{full(0, 24)}) == AxisList{{0, 2, 3}});
  // Cannot coexist: stays whole.
  CHECK(align_by_decomposition(AxisList{{0, 1, 4}}, AxisList{{0, 1, 6}}) == AxisList{{0, 1, 4}});
  CHECK(align_by_decomposition(AxisList{full(0, 8)}, AxisList{{0, 1, 2}, {0, 4, 2}}) ==
        AxisList{{0, 1, 2}, {0, 2, 2}, {0, 4, 2}});
}

TEST_CASE("prefix_status returns equal, strict and none", "[axis_list]") {
  const AxisRef x = full(0, 4);
  const AxisRef y = full(1, 2);
  CHECK(prefix_status(AxisList{}, AxisList{}) == PrefixStatus::Equal);
  CHECK(prefix_status(AxisList{}, AxisList{x}) == PrefixStatus::StrictPrefix);
  CHECK(prefix_status(AxisList{{0, 1, 2}}, AxisList{x}) == PrefixStatus::StrictPrefix);
  CHECK(prefix_status(AxisList{y, {0, 1, 2}}, AxisList{y, x}) == PrefixStatus::StrictPrefix);
  CHECK(prefix_status(AxisList{{0, 1, 2}, y}, AxisList{x, y}) == PrefixStatus::NotAPrefix);
  CHECK(prefix_status(AxisList{x, y}, AxisList{x}) == PrefixStatus::NotAPrefix);
  CHECK(expanded_size(AxisList{x, y}, AxisList{{0, 1, 2}}) == 4);
}

// The model: a list is the sequence of its atoms. An atom is a step from one number of a divisor
// chain of its axis to the next; the chain has a step for each boundary of a sub-axis in either
// list.
using Atom = std::pair<int32_t, int64_t>;  // axis, where the step begins
using Atoms = std::vector<Atom>;

class Splitting {
 public:
  Splitting(const AxisList& a, const AxisList& b) {
    for (const AxisList* list : {&a, &b}) {
      for (const AxisRef& ref : *list) bounds_[ref.axis].insert({ref.pre, ref.next()});
    }
  }

  Atoms atoms(const AxisList& list) const {
    Atoms result;
    for (const AxisRef& ref : list) {
      for (const int64_t bound : bounds_.at(ref.axis)) {
        if (bound >= ref.pre && bound < ref.next()) result.emplace_back(ref.axis, bound);
      }
    }
    return result;
  }

 private:
  std::map<int32_t, std::set<int64_t>> bounds_;
};

bool has(const Atoms& atoms, const Atom& atom) {
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

template <class Visit>
void for_each_pair_of_lists(Visit visit) {
  const std::vector<std::vector<int64_t>> meshes = {{8, 2}, {2, 2, 2}, {12}, {4, 3}};
  for (const auto& sizes : meshes) {
    const auto lists = axis_lists(mesh_of_sizes(sizes));
    for (const AxisList& a : lists) {
      for (const AxisList& b : lists) {
        const auto coexist_with_b = [&](const AxisRef& ref) {
          return std::ranges::all_of(b, [&](const AxisRef& o) { return in_one_splitting(ref, o); });
        };
        if (std::ranges::all_of(a, coexist_with_b)) visit(a, b, Splitting(a, b));
      }
    }
  }
}

TEST_CASE("set_difference and intersection equal those of sets of atoms", "[axis_list][law]") {
  for_each_pair_of_lists([](const AxisList& a, const AxisList& b, const Splitting& splitting) {
    CAPTURE(a, b);
    Atoms only_a;
    std::set<Atom> both;
    const Atoms in_b = splitting.atoms(b);
    for (const Atom& atom : splitting.atoms(a)) {
      if (has(in_b, atom)) {
        both.insert(atom);
      } else {
        only_a.push_back(atom);
      }
    }
    CHECK(splitting.atoms(set_difference(a, b)) == only_a);
    const Atoms common = splitting.atoms(intersection(a, b));
    CHECK(common.size() == both.size());
    CHECK(std::set<Atom>(common.begin(), common.end()) == both);
    CHECK(overlaps(a, b) == !both.empty());
  });
}

TEST_CASE("truncation keeps the atoms before the first atom that the other list also has",
          "[axis_list][law]") {
  for_each_pair_of_lists([](const AxisList& a, const AxisList& b, const Splitting& splitting) {
    CAPTURE(a, b);
    Atoms kept;
    const Atoms in_b = splitting.atoms(b);
    for (const Atom& atom : splitting.atoms(a)) {
      if (has(in_b, atom)) break;
      kept.push_back(atom);
    }
    const AxisList result = truncate_by_removing_overlaps(a, b);
    CHECK(splitting.atoms(result) == kept);
    CHECK(prefix_status(result, a) != PrefixStatus::NotAPrefix);
  });
}

TEST_CASE("prefixes of lists are prefixes of their atoms", "[axis_list][law]") {
  for_each_pair_of_lists([](const AxisList& a, const AxisList& b, const Splitting& splitting) {
    CAPTURE(a, b);
    const Atoms in_a = splitting.atoms(a);
    const Atoms in_b = splitting.atoms(b);
    const bool is_prefix =
        in_a.size() <= in_b.size() && std::equal(in_a.begin(), in_a.end(), in_b.begin());
    CHECK(strict_prefix_of(a, b) == (is_prefix && in_a.size() < in_b.size()));
    CHECK((prefix_status(a, b) == PrefixStatus::Equal) == (in_a == in_b));

    Atoms common;
    for (std::size_t i = 0; i < std::min(in_a.size(), in_b.size()); ++i) {
      if (in_a[i] != in_b[i]) break;
      common.push_back(in_a[i]);
    }
    CHECK(splitting.atoms(greatest_common_prefix(a, b)) == common);
  });
}

TEST_CASE("aligned lists have the same atoms, and no ref crosses the end of a list",
          "[axis_list][law]") {
  for_each_pair_of_lists([](const AxisList& a, const AxisList& b, const Splitting& splitting) {
    CAPTURE(a, b);
    const AxisList aligned = align_by_decomposition(a, b);
    CHECK(splitting.atoms(aligned) == splitting.atoms(a));
    const Atoms in_b = splitting.atoms(b);
    for (const AxisRef& part : aligned) {
      const Atoms atoms = splitting.atoms({part});
      const auto shared =
          std::ranges::count_if(atoms, [&](const Atom& atom) { return has(in_b, atom); });
      CAPTURE(part);
      CHECK((shared == 0 || static_cast<std::size_t>(shared) == atoms.size()));
    }
  });
}

TEST_CASE("sort_and_merge returns the same atoms, sorted, in the fewest possible refs",
          "[axis_list][law]") {
  for_each_pair_of_lists([](const AxisList& a, const AxisList& b, const Splitting& splitting) {
    if (!fit_together(a, b)) return;
    CAPTURE(a, b);
    AxisList all = a;
    all.insert(all.end(), b.begin(), b.end());
    Atoms sorted = splitting.atoms(all);
    std::ranges::sort(sorted);
    const AxisList merged = sort_and_merge(all);
    CHECK(splitting.atoms(merged) == sorted);
    for (std::size_t i = 1; i < merged.size(); ++i) {
      CHECK((merged[i].axis != merged[i - 1].axis || merged[i].pre != merged[i - 1].next()));
    }
  });
}

TEST_CASE("evenly_dividing_prefix returns a prefix whose size divides the dim",
          "[axis_list][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(12)) {
    for (const AxisList& axes : axis_lists(mesh_of_sizes(sizes))) {
      for (int64_t dim = 0; dim <= 13; ++dim) {
        CAPTURE(axes, dim);
        const AxisList prefix = evenly_dividing_prefix(axes, dim);
        CHECK(prefix_status(prefix, axes) != PrefixStatus::NotAPrefix);
        CHECK(dim % sharding_size(prefix) == 0);
        CHECK((prefix == axes) == (dim % sharding_size(axes) == 0));
      }
    }
  }
}

// Algebra 4.

TEST_CASE("slices of a dim keep openness and priority", "[dim_sharding]") {
  const DimSharding dim{{full(0, 2), full(1, 3), full(2, 5)}, true, 4};
  CHECK(dim.sharded_size() == 30);
  CHECK(dim.slice_axes(1, 1) == DimSharding{{full(1, 3)}, true, 4});
  CHECK(dim.drop_front(2) == DimSharding{{full(2, 5)}, true, 4});
  CHECK(dim.take_front(0) == DimSharding{{}, true, 4});
}

TEST_CASE("sharding a dim further opens the dim and drops its priority", "[dim_sharding]") {
  const DimSharding dim{{full(0, 2)}, false, 3};
  CHECK(dim.sharded(full(1, 3)) == DimSharding{{full(0, 2), full(1, 3)}, false, std::nullopt});
}

TEST_CASE("an absent priority behaves as priority 0 but does not equal it", "[dim_sharding]") {
  const DimSharding none{{}, false, std::nullopt};
  const DimSharding zero{{}, false, 0};
  CHECK(none.priority_or_default() == 0);
  CHECK(zero.priority_or_default() == 0);
  CHECK(none != zero);
  CHECK(zero.drop_priority() == none);
  CHECK(zero.closed_like() == DimSharding{{}, true, 0});
  CHECK(zero.closed_like().open_like() == zero);
}

}  // namespace
}  // namespace shardy::axis_list_test
