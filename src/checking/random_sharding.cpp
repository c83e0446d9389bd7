#include <algorithm>
#include <array>
#include <utility>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/checking/random_program.hpp"

namespace shardy::checking {

namespace {

template <typename T>
void shuffle(Random& random, std::vector<T>& items) {
  for (std::size_t last = items.size(); last > 1; --last) {
    const auto other = static_cast<std::size_t>(random.between(0, static_cast<int64_t>(last) - 1));
    std::swap(items[last - 1], items[other]);
  }
}

/// The axis whole, or cut in two at a divisor.
void add_pieces(Random& random, AxisRef axis, AxisList& pieces) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 2; divisor < axis.size; ++divisor) {
    if (axis.size % divisor == 0) divisors.push_back(divisor);
  }
  if (divisors.empty() || !random.chance(3)) {
    pieces.push_back(axis);
    return;
  }
  const int64_t major = random.pick(divisors);
  pieces.push_back({axis.axis, axis.pre, major});
  pieces.push_back({axis.axis, axis.pre * major, axis.size / major});
}

}  // namespace

Mesh random_mesh(Random& random, int64_t max_devices) {
  constexpr std::array<int64_t, 6> kSizes = {1, 2, 2, 3, 4, 6};
  std::vector<MeshAxis> axes;
  int64_t devices = 1;
  const int64_t num_axes = random.between(1, 3);
  for (const char* name : {"x", "a", "m"}) {  // not in the order of the alphabet
    if (std::ssize(axes) == num_axes) break;
    int64_t size = random.pick(std::span<const int64_t>(kSizes));
    if (devices * size > max_devices) size = 1;
    devices *= size;
    axes.push_back({name, size});
  }
  std::vector<int64_t> ids;
  if (random.chance(4)) {
    for (int64_t device = 0; device < devices; ++device) ids.push_back(device);
    shuffle(random, ids);
  }
  const Result<Mesh> mesh = Mesh::make(std::move(axes), std::move(ids));
  SHARDY_ASSERT(mesh.has_value());
  return mesh ? *mesh : Mesh();
}

Mesh random_manual_mesh(Random& random, int64_t max_devices) {
  constexpr std::array<int64_t, 4> kSizes = {2, 2, 3, 4};
  std::vector<MeshAxis> axes;
  int64_t devices = 1;
  const int64_t num_axes = random.between(2, 4);
  for (const char* name : {"p", "x", "a", "m"}) {
    if (std::ssize(axes) == num_axes) break;
    int64_t size = random.pick(std::span<const int64_t>(kSizes));
    if (devices * size > max_devices) size = devices * 2 > max_devices ? 1 : 2;
    devices *= size;
    axes.push_back({name, size});
  }
  const Result<Mesh> mesh = Mesh::make(std::move(axes));
  SHARDY_ASSERT(mesh.has_value());
  return mesh ? *mesh : Mesh();
}

Mesh other_order(Random& random, const Mesh& mesh) {
  std::vector<int64_t> ids;
  for (int64_t device = 0; device < mesh.num_devices(); ++device) ids.push_back(device);
  shuffle(random, ids);
  const Result<Mesh> other = Mesh::make({mesh.axes().begin(), mesh.axes().end()}, std::move(ids));
  SHARDY_ASSERT(other.has_value());
  return other ? *other : mesh;
}

TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               const BoundAxes& bound, Summands summands) {
  SHARDY_EXPECTS(rank <= kMaxRank);
  if (mesh.is_maximal()) return TensorSharding::fully_closed(mesh, std::nullopt, rank);
  AxisList pieces;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    if (!bound.has(mesh, mesh.full_axis(axis))) add_pieces(random, mesh.full_axis(axis), pieces);
  }
  shuffle(random, pieces);
  std::vector<DimSharding> dims(rank);
  AxisList replicated;
  AxisList unreduced;
  for (const AxisRef& piece : pieces) {
    const int64_t fate = random.between(0, 9);
    if (fate == 0) replicated.push_back(piece);
    if (fate == 1 && summands == Summands::Some) unreduced.push_back(piece);
    if (fate < 4 || rank == 0) continue;
    const auto dim = static_cast<std::size_t>(random.between(0, static_cast<int64_t>(rank) - 1));
    append_or_merge(dims[dim].axes, piece);
  }
  for (DimSharding& dim : dims) dim.is_closed = random.chance(2);
  const Result<TensorSharding> sharding =
      TensorSharding::make(mesh, "mesh", std::move(dims), sort_and_merge(std::move(replicated)),
                           sort_and_merge(std::move(unreduced)));
  SHARDY_ASSERT(sharding.has_value());
  return sharding ? *sharding : TensorSharding::fully_open(mesh, "mesh", rank);
}

}  // namespace shardy::checking
