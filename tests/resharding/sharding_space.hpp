#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <shardy/algebra/tensor_sharding.hpp>
#include <string>
#include <utility>
#include <vector>

/// All shardings of small meshes. Spec: resharding B.8, C.5.
namespace shardy::testing {

/// Axes "a", "b", .. of the given sizes.
inline Mesh make_mesh(const std::vector<int64_t>& sizes, std::vector<int64_t> device_ids = {}) {
  std::vector<MeshAxis> axes;
  for (const int64_t size : sizes) {
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), size});
  }
  return Mesh::make(std::move(axes), std::move(device_ids)).value();
}

/// All ways to write `size` as an ordered product of primes, as parts of `axis`; an axis of size 1
/// is one part.
inline std::vector<AxisList> factorizations(int32_t axis, int64_t size) {
  if (size == 1) return {{AxisRef{axis, 1, 1}}};
  std::vector<int64_t> primes;
  for (int64_t rest = size, prime = 2; rest > 1; ++prime) {
    for (; rest % prime == 0; rest /= prime) primes.push_back(prime);
  }
  std::vector<AxisList> all;
  do {
    AxisList parts;
    int64_t pre = 1;
    for (const int64_t prime : primes) {
      parts.push_back({axis, pre, prime});
      pre *= prime;
    }
    all.push_back(std::move(parts));
  } while (std::next_permutation(primes.begin(), primes.end()));
  return all;
}

/// Puts every ordered choice of `parts` on the dims from `dim` on, neighbours merged.
inline void arrange(const AxisList& parts, std::vector<AxisList>& lists, std::size_t dim,
                    std::set<std::vector<AxisList>>& found) {
  if (dim == lists.size()) {
    found.insert(lists);
    return;
  }
  arrange(parts, lists, dim + 1, found);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    AxisList rest = parts;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const AxisList before = lists[dim];
    append_or_merge(lists[dim], parts[i]);
    arrange(rest, lists, dim, found);
    lists[dim] = before;
  }
}

/// Every set of dim axes of this rank; `mixed` also with parts that cannot coexist across
/// shardings, like (1)2 and (1)3 of an axis of size 6.
inline std::vector<std::vector<AxisList>> all_dim_axes(const Mesh& mesh, std::size_t rank,
                                                       bool mixed = true) {
  std::vector<AxisList> choices = {{}};
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    std::vector<AxisList> next;
    for (const AxisList& choice : choices) {
      for (const AxisList& parts : factorizations(axis, mesh.axis_size(axis))) {
        next.push_back(choice);
        next.back().insert(next.back().end(), parts.begin(), parts.end());
        if (!mixed) break;
      }
    }
    choices = std::move(next);
  }
  std::set<std::vector<AxisList>> found;
  for (const AxisList& parts : choices) {
    std::vector<AxisList> lists(rank);
    arrange(parts, lists, 0, found);
  }
  return {found.begin(), found.end()};
}

inline std::vector<TensorSharding> all_shardings(const Mesh& mesh, std::size_t rank,
                                                 bool mixed = true) {
  std::vector<TensorSharding> shardings;
  for (const std::vector<AxisList>& lists : all_dim_axes(mesh, rank, mixed)) {
    shardings.push_back(TensorSharding::closed({mesh, "m"}, lists));
  }
  return shardings;
}

/// The same with every set of unreduced axes.
inline std::vector<TensorSharding> all_partial_shardings(const Mesh& mesh, std::size_t rank,
                                                         bool mixed = true) {
  std::set<std::vector<AxisList>> found;
  for (std::vector<AxisList> lists : all_dim_axes(mesh, rank + 1, mixed)) {
    lists.back() = sort_and_merge(std::move(lists.back()));
    found.insert(std::move(lists));
  }
  std::vector<TensorSharding> shardings;
  for (std::vector<AxisList> lists : found) {
    AxisList unreduced = std::move(lists.back());
    lists.pop_back();
    shardings.push_back(TensorSharding::closed({mesh, "m"}, std::move(lists), unreduced));
  }
  return shardings;
}

}  // namespace shardy::testing
