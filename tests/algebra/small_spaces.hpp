// Every small value of a kind, for the laws.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardy_test {

inline shardy::Mesh mesh_of_sizes(const std::vector<int64_t>& sizes,
                                  std::vector<int64_t> device_ids = {}) {
  // Names in an order that is neither that of the mesh nor its reverse.
  const std::vector<std::string> names = {"m", "z", "a", "q", "b"};
  std::vector<shardy::MeshAxis> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) axes.push_back({names[i], sizes[i]});
  return shardy::Mesh::make(std::move(axes), std::move(device_ids)).value();
}

/// Sizes above 1 of all meshes with at most `limit` devices and at least one axis.
inline std::vector<std::vector<int64_t>> mesh_sizes(int64_t limit) {
  std::vector<std::vector<int64_t>> all;
  std::vector<std::pair<std::vector<int64_t>, int64_t>> open = {{{}, 1}};
  while (!open.empty()) {
    const auto last = open.back();
    open.pop_back();
    for (int64_t size = 2; size * last.second <= limit; ++size) {
      std::vector<int64_t> sizes = last.first;
      sizes.push_back(size);
      all.push_back(sizes);
      open.emplace_back(sizes, size * last.second);
    }
  }
  return all;
}

/// All parts of an axis of size `n` above 1, the full axis among them.
inline std::vector<shardy::AxisRef> axis_refs(int32_t axis, int64_t n) {
  std::vector<shardy::AxisRef> refs;
  for (int64_t pre = 1; pre <= n; ++pre) {
    for (int64_t size = 2; pre * size <= n; ++size) {
      if (n % (pre * size) == 0) refs.push_back({axis, pre, size});
    }
  }
  return refs;
}

/// The numbers divide each other in order of size.
inline bool is_divisor_chain(std::vector<int64_t> numbers) {
  std::ranges::sort(numbers);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] % numbers[i - 1] != 0) return false;
  }
  return true;
}

/// Both are made of whole steps of one splitting of their axis: algebra 2.4 without its cases.
inline bool in_one_splitting(const shardy::AxisRef& a, const shardy::AxisRef& b) {
  return a.axis != b.axis || is_divisor_chain({a.pre, a.next(), b.pre, b.next()});
}

inline bool fit_together(const shardy::AxisRef& a, const shardy::AxisRef& b) {
  const bool disjoint = a.axis != b.axis || a.next() <= b.pre || b.next() <= a.pre;
  return disjoint && in_one_splitting(a, b);
}

inline bool fit_together(const shardy::AxisList& a, const shardy::AxisList& b) {
  for (const shardy::AxisRef& left : a) {
    for (const shardy::AxisRef& right : b) {
      if (!fit_together(left, right)) return false;
    }
  }
  return true;
}

/// All lists of parts of `mesh` that have no overlap, can coexist and cannot merge with a
/// neighbour.
inline std::vector<shardy::AxisList> axis_lists(const shardy::Mesh& mesh) {
  std::vector<shardy::AxisRef> refs;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const auto parts = axis_refs(axis, mesh.axis_size(axis));
    refs.insert(refs.end(), parts.begin(), parts.end());
  }
  std::vector<shardy::AxisList> lists = {{}};
  for (std::size_t done = 0; done < lists.size(); ++done) {
    for (const shardy::AxisRef& ref : refs) {
      shardy::AxisList list = lists[done];
      if (!fit_together(list, {ref})) continue;
      const bool merges =
          !list.empty() && list.back().axis == ref.axis && list.back().next() == ref.pre;
      if (merges) continue;
      list.push_back(ref);
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

/// Calls `visit` with all shardings of rank 1 or 2 that have closed dims and mesh `@m`.
inline void for_each_sharding(const shardy::Mesh& mesh, std::size_t rank,
                              const std::function<void(const shardy::TensorSharding&)>& visit) {
  const auto lists = axis_lists(mesh);
  for (const shardy::AxisList& first : lists) {
    if (rank == 1) visit(shardy::TensorSharding::closed({mesh, "m"}, {first}));
    for (const shardy::AxisList& second : lists) {
      if (rank != 2 || !fit_together(first, second)) continue;
      visit(shardy::TensorSharding::closed({mesh, "m"}, {first, second}));
    }
  }
}

}  // namespace shardy_test
