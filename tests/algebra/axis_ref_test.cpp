#include <optional>
#include <set>
#include <shardy/algebra/mesh.hpp>
#include <utility>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::axis_ref_test {
namespace {

using shardy_test::axis_refs;
using shardy_test::in_one_splitting;

constexpr AxisRef kFull{0, 1, 24};
static_assert(contains(kFull, {0, 2, 3}) && !contains(AxisRef{0, 2, 3}, kFull));
static_assert(overlap({0, 2, 6}, {0, 1, 6}) == AxisRef{0, 2, 3});
static_assert(merge({0, 2, 2}, {0, 4, 3}) == AxisRef{0, 2, 6});

struct Row {
  AxisRef a, b;
  bool contains, overlaps, coexist;
  std::optional<AxisRef> overlap, prefix, suffix, common_prefix;
};

TEST_CASE("ops on two refs of an axis of size 24 return the rows of table algebra 2.7",
          "[axis_ref]") {
  const auto p = [](int64_t pre, int64_t size) { return AxisRef{0, pre, size}; };
  const AxisRef q{1, 2, 3};
  const std::nullopt_t none = std::nullopt;
  const std::vector<Row> rows = {
      {kFull, p(2, 3), true, true, true, p(2, 3), p(1, 2), p(6, 4), none},
      {p(1, 6), kFull, false, true, true, p(1, 6), none, none, p(1, 6)},
      {p(2, 6), p(1, 6), false, true, true, p(2, 3), none, p(6, 2), none},
      {p(1, 6), p(2, 6), false, true, true, p(2, 3), p(1, 2), none, none},
      {p(2, 12), p(4, 3), true, true, true, p(4, 3), p(2, 2), p(12, 2), none},
      {p(1, 2), p(6, 2), false, false, true, none, p(1, 2), p(1, 2), none},
      {p(1, 4), p(1, 6), false, true, false, none, none, none, none},
      {p(1, 2), p(3, 2), false, false, false, none, none, none, none},
      {p(2, 3), q, false, false, true, none, p(2, 3), p(2, 3), none},
  };
  for (const Row& row : rows) {
    CAPTURE(row.a, row.b);
    CHECK(contains(row.a, row.b) == row.contains);
    CHECK(overlaps(row.a, row.b) == row.overlaps);
    CHECK(can_coexist(row.a, row.b) == row.coexist);
    CHECK(overlap(row.a, row.b) == row.overlap);
    CHECK(prefix_without_overlap(row.a, row.b) == row.prefix);
    CHECK(suffix_without_overlap(row.a, row.b) == row.suffix);
    CHECK(greatest_common_prefix(row.a, row.b) == row.common_prefix);
  }
}

TEST_CASE("can_coexist is right for the listed pairs of refs", "[axis_ref]") {
  CHECK_FALSE(can_coexist({0, 1, 4}, {0, 1, 6}));
  CHECK(can_coexist({0, 2, 6}, {0, 1, 6}));
  CHECK_FALSE(can_coexist({0, 1, 3}, {0, 4, 2}));
  CHECK(can_coexist({0, 2, 3}, {0, 12, 2}));
}

TEST_CASE("refs of one axis are ordered by prefix size, then by size", "[axis_ref]") {
  const std::vector<AxisRef> ordered = {{0, 1, 2}, {0, 1, 24}, {0, 2, 2}, {0, 2, 12}, {1, 1, 2}};
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) CHECK(ordered[i] < ordered[i + 1]);
}

// The model: the coordinate along a ref, for each position on the axis, counted by three loops over
// the parts before it, it, and after it.
using Coordinates = std::vector<int64_t>;

Coordinates coordinates(const AxisRef& ref, int64_t n) {
  Coordinates result;
  for (int64_t before = 0; before < ref.pre; ++before) {
    for (int64_t own = 0; own < ref.size; ++own) {
      for (int64_t after = 0; after < n / ref.pre / ref.size; ++after) result.push_back(own);
    }
  }
  return result;
}

/// Number of different pairs of coordinates.
int64_t num_joint(const Coordinates& a, const Coordinates& b) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace(a[i], b[i]);
  return static_cast<int64_t>(pairs.size());
}

int64_t num_values(const Coordinates& a) { return num_joint(a, a); }

bool determines(const Coordinates& a, const Coordinates& b) {
  return num_joint(a, b) == num_values(a);
}

/// `a` is the coordinate `b` in steps of some size.
bool is_major_part(const Coordinates& a, const Coordinates& b) {
  if (!determines(b, a)) return false;
  const int64_t step = num_values(b) / num_values(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] / step) return false;
  }
  return true;
}

/// `a` is the coordinate `b` within steps of some size.
bool is_minor_part(const Coordinates& a, const Coordinates& b) {
  if (!determines(b, a)) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] % num_values(a)) return false;
  }
  return true;
}

/// One number for both coordinates, `a` major.
Coordinates combined(const Coordinates& a, const Coordinates& b) {
  Coordinates result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] * num_values(b) + b[i]);
  return result;
}

/// The largest ref of an axis of size `n` for which `is_wanted(ref, coordinates)`.
template <class Predicate>
std::optional<AxisRef> largest_ref(int64_t n, Predicate is_wanted) {
  std::optional<AxisRef> best;
  for (const AxisRef& ref : axis_refs(0, n)) {
    if (is_wanted(ref, coordinates(ref, n)) && (!best || best->size < ref.size)) best = ref;
  }
  return best;
}

template <class Visit>
void for_each_pair(Visit visit) {
  for (int64_t n = 2; n <= 12; ++n) {
    for (const AxisRef& a : axis_refs(0, n)) {
      for (const AxisRef& b : axis_refs(0, n)) visit(a, b, n);
    }
  }
}

template <class Visit>
void for_each_coexisting_pair(Visit visit) {
  for_each_pair([&](const AxisRef& a, const AxisRef& b, int64_t n) {
    if (in_one_splitting(a, b)) visit(a, b, n);
  });
}

TEST_CASE("two refs can coexist iff one splitting of the axis contains both", "[axis_ref][law]") {
  for_each_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    CHECK(can_coexist(a, b) == in_one_splitting(a, b));
    CHECK(can_coexist(a, b) == can_coexist(b, a));
    CHECK(overlaps(a, b) == overlaps(b, a));
  });
}

TEST_CASE("refs that cannot coexist have no overlap, common prefix or remainder",
          "[axis_ref][law]") {
  for_each_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    if (in_one_splitting(a, b)) return;
    CAPTURE(n, a, b);
    CHECK(overlap(a, b) == std::nullopt);
    CHECK(prefix_without_overlap(a, b) == std::nullopt);
    CHECK(suffix_without_overlap(a, b) == std::nullopt);
    CHECK(greatest_common_prefix(a, b) == std::nullopt);
  });
}

TEST_CASE("refs overlap iff their coordinates depend on each other", "[axis_ref][law]") {
  for_each_coexisting_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const Coordinates in_a = coordinates(a, n);
    const Coordinates in_b = coordinates(b, n);
    CHECK(overlaps(a, b) == (num_joint(in_a, in_b) < a.size * b.size));
    CHECK(contains(a, b) == determines(in_a, in_b));
    CHECK(strictly_contains(a, b) == (determines(in_a, in_b) && !determines(in_b, in_a)));
  });
}

TEST_CASE("a prefix is the major part of its axis, a suffix the minor part", "[axis_ref][law]") {
  for_each_coexisting_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const Coordinates in_a = coordinates(a, n);
    const Coordinates in_b = coordinates(b, n);
    CHECK(prefix_of(a, b) == is_major_part(in_a, in_b));
    CHECK(suffix_of(a, b) == is_minor_part(in_a, in_b));
    CHECK(strict_prefix_of(a, b) == (a.size < b.size && is_major_part(in_a, in_b)));
    CHECK(strict_suffix_of(a, b) == (a.size < b.size && is_minor_part(in_a, in_b)));
  });
}

TEST_CASE("the overlap of two refs is the largest ref that both determine", "[axis_ref][law]") {
  for_each_coexisting_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const auto model = largest_ref(n, [&](const AxisRef& ref, const Coordinates& own) {
      return in_one_splitting(ref, a) && in_one_splitting(ref, b) &&
             determines(coordinates(a, n), own) && determines(coordinates(b, n), own);
    });
    CHECK(overlap(a, b) == model);
  });
}

TEST_CASE("prefix and suffix without overlap are the largest parts independent of the other ref",
          "[axis_ref][law]") {
  for_each_coexisting_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const Coordinates in_a = coordinates(a, n);
    const Coordinates in_b = coordinates(b, n);
    const auto is_independent = [&](const AxisRef& ref, const Coordinates& own) {
      return in_one_splitting(ref, b) && determines(in_a, own) &&
             num_joint(own, in_b) == ref.size * b.size;
    };
    CHECK(prefix_without_overlap(a, b) ==
          largest_ref(n, [&](const AxisRef& ref, const Coordinates& own) {
            return is_independent(ref, own) && is_major_part(own, in_a);
          }));
    CHECK(suffix_without_overlap(a, b) ==
          largest_ref(n, [&](const AxisRef& ref, const Coordinates& own) {
            return is_independent(ref, own) && is_minor_part(own, in_a);
          }));
  });
}

TEST_CASE("the common prefix of two refs is the largest major part of both", "[axis_ref][law]") {
  for_each_coexisting_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const auto model = largest_ref(n, [&](const AxisRef& ref, const Coordinates& own) {
      return ref.pre == a.pre && ref.pre == b.pre && is_major_part(own, coordinates(a, n)) &&
             is_major_part(own, coordinates(b, n)) && in_one_splitting(ref, a) &&
             in_one_splitting(ref, b);
    });
    CHECK(greatest_common_prefix(a, b) == model);
  });
}

TEST_CASE("two refs merge iff their coordinates together are the coordinate of one ref",
          "[axis_ref][law]") {
  for_each_pair([](const AxisRef& a, const AxisRef& b, int64_t n) {
    CAPTURE(n, a, b);
    const Coordinates both = combined(coordinates(a, n), coordinates(b, n));
    const auto model =
        largest_ref(n, [&](const AxisRef&, const Coordinates& own) { return own == both; });
    CHECK(can_merge(a, b) == model.has_value());
    if (model) CHECK(merge(a, b) == *model);
  });
}

TEST_CASE("the largest prefix of a ref that divides a capacity is found", "[axis_ref][law]") {
  for (int64_t n = 2; n <= 12; ++n) {
    for (const AxisRef& ref : axis_refs(0, n)) {
      for (int64_t capacity = 0; capacity <= 30; ++capacity) {
        CAPTURE(n, ref, capacity);
        std::optional<AxisRef> model;
        for (int64_t size = 2; size <= ref.size; ++size) {
          if (ref.size % size == 0 && capacity % size == 0) model = AxisRef{0, ref.pre, size};
        }
        CHECK(prefix_fitting(ref, capacity) == model);
      }
    }
  }
}

TEST_CASE("an axis of size 1 is a prefix of itself and merges with no ref", "[axis_ref]") {
  const AxisRef one{0, 1, 1};
  CHECK(contains(one, one));
  CHECK(overlaps(one, one));
  CHECK(prefix_of(one, one));
  CHECK(suffix_of(one, one));
  CHECK(can_coexist(one, one));
  CHECK_FALSE(strict_prefix_of(one, one));
  CHECK_FALSE(can_merge(one, one));
  CHECK(overlap(one, one) == one);
  CHECK(prefix_without_overlap(one, one) == std::nullopt);
  CHECK(suffix_without_overlap(one, one) == std::nullopt);
  CHECK(greatest_common_prefix(one, one) == one);
  CHECK(prefix_fitting(one, 7) == one);
}

TEST_CASE("refs of different axes neither overlap nor merge", "[axis_ref]") {
  const AxisRef a{0, 1, 4};
  const AxisRef b{1, 1, 4};
  CHECK_FALSE(contains(a, b));
  CHECK_FALSE(overlaps(a, b));
  CHECK(can_coexist(a, b));
  CHECK_FALSE(can_merge(a, {1, 4, 2}));
  CHECK(prefix_without_overlap(a, b) == a);
  CHECK(suffix_without_overlap(a, b) == a);
}

}  // namespace
}  // namespace shardy::axis_ref_test
