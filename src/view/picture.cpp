// Builds device pictures as data, and the lines of text above them.
#include "shardy/view/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/support/detail/math.hpp"
#include "support/quantities.hpp"
#include "text/bytes_text.hpp"

namespace shardy::view {

namespace {

/// Returns the difference of the logical position per coordinate along `ref`. Spec: algebra 8.3.
int64_t stride_of(const Mesh& mesh, const AxisRef& ref) {
  int64_t stride = mesh.axis_size(ref.axis) / ref.next();
  for (int32_t axis = ref.axis + 1; axis < mesh.num_axes(); ++axis) stride *= mesh.axis_size(axis);
  return stride;
}

/// Returns the logical position of the device with shard index `index` along `axes` and coordinate
/// 0 along all other axes.
int64_t position_at(const Mesh& mesh, AxisSpan axes, int64_t index) {
  int64_t position = 0;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    position += index % axes[axis].size * stride_of(mesh, axes[axis]);
    index /= axes[axis].size;
  }
  return position;
}

/// Returns the coordinate along `wanted` of shard `index` of a dim; 0 if the dim does not have the
/// axis.
int64_t coordinate_of(AxisSpan axes, const std::optional<AxisRef>& wanted, int64_t index) {
  for (std::size_t axis = axes.size(); wanted && axis-- > 0;) {
    if (axes[axis] == *wanted) return index % axes[axis].size;
    index /= axes[axis].size;
  }
  return 0;
}

/// Returns the number of elements of `shards` shards. Saturates at the largest integer.
int64_t buffer_elements(int64_t shards, int64_t local) {
  return checked_mul(shards, local).value_or(INT64_MAX);
}

/// Returns the cells of dim `dim`, at most `most`.
PictureDim cells_of(const ShardGrid& grid, std::size_t dim, int64_t most, const Picture& picture) {
  const TensorSharding& sharding = grid.sharding();
  const bool has_dims = sharding.rank() == grid.shape().size();
  const AxisSpan axes = has_dims ? AxisSpan(sharding.dim(dim).axes) : AxisSpan();
  const int64_t shards = grid.num_shards()[dim];
  PictureDim cells{.shards_per_cell = ceil_div(shards, most)};
  for (int64_t first = 0; first < shards; first += cells.shards_per_cell) {
    const int64_t count = std::min(cells.shards_per_cell, shards - first);
    const int64_t begin = grid.elements(dim, first).begin;
    const int64_t end = grid.elements(dim, first + count - 1).end;
    cells.begin.push_back(begin);
    cells.end.push_back(end);
    cells.padding.push_back(buffer_elements(count, grid.local_shape()[dim]) - (end - begin));
    cells.at.push_back(position_at(sharding.mesh(), axes, first));
    cells.hue.push_back(coordinate_of(axes, picture.hue, first));
    cells.light.push_back(coordinate_of(axes, picture.light, first));
  }
  return cells;
}

std::vector<int64_t> positions_along(const Mesh& mesh, const AxisList& axes, int64_t most) {
  std::vector<int64_t> positions;
  const int64_t listed = std::min(sharding_size(axes), most);
  for (int64_t index = 0; index < listed; ++index) {
    positions.push_back(position_at(mesh, axes, index));
  }
  return positions;
}

}  // namespace

Picture picture_of(const ShardGrid& grid, const PictureLimits& limits) {
  SHARDY_EXPECTS(limits.cells >= 1 && limits.copies >= 1);
  const TensorSharding& sharding = grid.sharding();
  Picture picture;
  for (const DimSharding& dim : sharding.dims()) {
    for (const AxisRef& axis : dim.axes) {
      if (axis.size == 1) continue;
      std::optional<AxisRef>& next = picture.hue ? picture.light : picture.hue;
      if (!next) next = axis;
    }
  }
  picture.replicas = grid.num_replicas();
  picture.summands = grid.num_summands();
  picture.devices_per_cell = picture.replicas * picture.summands;
  for (std::size_t dim = 0; dim < grid.shape().size(); ++dim) {
    picture.dims.push_back(cells_of(grid, dim, limits.cells, picture));
    picture.devices_per_cell =
        checked_mul(picture.devices_per_cell, picture.dims.back().shards_per_cell)
            .value_or(sharding.mesh().num_devices());
  }
  picture.replica_at = positions_along(sharding.mesh(), grid.replica_axes(), limits.copies);
  picture.summand_at = positions_along(sharding.mesh(), sharding.unreduced_axes(), limits.copies);
  return picture;
}

std::vector<int64_t> positions_of(const Picture& picture, std::span<const int64_t> cell) {
  SHARDY_EXPECTS(cell.size() == picture.dims.size());
  int64_t first = 0;
  for (std::size_t dim = 0; dim < cell.size(); ++dim) {
    const std::vector<int64_t>& at = picture.dims[dim].at;
    SHARDY_EXPECTS(cell[dim] >= 0 && cell[dim] < std::ssize(at));
    first += at[static_cast<std::size_t>(cell[dim])];
  }
  std::vector<int64_t> positions;
  for (const int64_t replica : picture.replica_at) {
    for (const int64_t summand : picture.summand_at) positions.push_back(first + replica + summand);
  }
  return positions;
}

ShardGrid grid_of_mesh(const Mesh& mesh) {
  std::vector<AxisList> axes;
  std::vector<int64_t> shape;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    axes.push_back({AxisRef{axis, 1, mesh.axis_size(axis)}});
    shape.push_back(mesh.axis_size(axis));
  }
  auto grid = ShardGrid::make(TensorSharding::closed({mesh, std::nullopt}, std::move(axes)),
                              std::move(shape));
  SHARDY_ASSERT(grid.has_value());
  return *std::move(grid);
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

std::string by_x(std::span<const int64_t> numbers) {
  return numbers.empty() ? "1" : fmt::format("{}", fmt::join(numbers, " x "));
}

std::string_view combined_word(ReductionOp op) {
  if (op == ReductionOp::Max) return "maximum";
  return op == ReductionOp::Min ? "minimum" : "sum";
}

bool has_padding(const ShardGrid& grid) {
  for (std::size_t dim = 0; dim < grid.shape().size(); ++dim) {
    const int64_t last = grid.num_shards()[dim] - 1;
    if (grid.elements(dim, last).size() < grid.local_shape()[dim]) return true;
  }
  return false;
}

std::string shards_line(const ShardGrid& grid) {
  const bool is_whole = std::ranges::all_of(grid.num_shards(), [](int64_t n) { return n == 1; });
  std::string line = is_whole ? fmt::format("1 shard of {} elements", by_x(grid.local_shape()))
                              : fmt::format("{} shards of {} elements", by_x(grid.num_shards()),
                                            by_x(grid.local_shape()));
  if (grid.num_replicas() > 1) {
    const Mesh& mesh = grid.sharding().mesh();
    line += fmt::format(", each {} times, along {}", grouped(grid.num_replicas()),
                        text::printable_text(to_string(mesh, grid.replica_axes())));
  }
  return line;
}

}  // namespace

std::vector<std::string> lines_of(const ShardGrid& grid) {
  const TensorSharding& sharding = grid.sharding();
  const Mesh& mesh = sharding.mesh();
  const int64_t devices = mesh.num_devices();
  std::vector<std::string> lines = {text::printable_text(fmt::format(
      "mesh {}, {} device{}", to_string(mesh), grouped(devices), devices == 1 ? "" : "s"))};
  lines.push_back(shards_line(grid));
  if (grid.num_summands() > 1) {
    lines.push_back(fmt::format("+ between devices: the {} of their values is the shard, along {}",
                                combined_word(sharding.reduction_op()),
                                text::printable_text(to_string(mesh, sharding.unreduced_axes()))));
  }
  if (has_padding(grid)) lines.push_back("+N after a range: N elements of padding");
  return lines;
}

}  // namespace shardy::view
