// Device pictures: the shards of a tensor as cells, with the devices of each cell; as values and
// as SVG.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::view {

/// Cells along one dim of a picture. Vectors have one entry per cell.
struct PictureDim {
  int64_t shards_per_cell = 1;        // shards of a cell; the last cell may have fewer
  std::vector<int64_t> begin = {};    // first element
  std::vector<int64_t> end = {};      // after the last element
  std::vector<int64_t> padding = {};  // elements of the buffers beyond the tensor
  std::vector<int64_t> at = {};       // logical position of the first shard: its part of the sum
  std::vector<int64_t> hue = {};      // coordinate along Picture::hue; 0 in dims without it
  std::vector<int64_t> light = {};    // coordinate along Picture::light; 0 in dims without it

  friend bool operator==(const PictureDim&, const PictureDim&) = default;
};

/// Limits of the cells of a picture.
struct PictureLimits {
  int64_t cells = 64;     // cells per dim; more shards are grouped
  int64_t copies = 4096;  // listed replicas, and listed summands
};

/// The device picture of a sharded tensor: a grid of cells with one dim per dim of the tensor.
///
/// The logical positions of the devices of cell (i, j, ...) are dims[0].at[i] + dims[1].at[j] + ...
/// + replica_at[r] + summand_at[s]. A cell of several shards has those of its first shard, and
/// `devices_per_cell` in all. Spec: view 3.
struct Picture {
  std::vector<PictureDim> dims = {};  // of the tensor
  std::vector<int64_t> replica_at =
      {};  // logical positions of the replicas of a shard, from its first
  std::vector<int64_t> summand_at = {};  // the same of its partial values
  int64_t replicas = 1;                  // replicas of a shard; more than listed if there are many
  int64_t summands = 1;                  // partial values of a replica
  int64_t devices_per_cell = 1;          // of the first cell
  std::optional<AxisRef> hue = {};       // first axis that shards a dim
  std::optional<AxisRef> light = {};     // axis after it

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Returns the picture of a grid. Requires: limits of at least 1. Cost: the cells.
Picture picture_of(const ShardGrid& grid, const PictureLimits& limits = {});

/// Returns the logical positions of the listed devices of a cell; by replica, then summand.
/// Requires: one index per dim, below its number of cells.
std::vector<int64_t> positions_of(const Picture& picture, std::span<const int64_t> cell);

/// Returns the lines of text above a grid: mesh, shards, and signs for summands and padding.
std::vector<std::string> lines_of(const ShardGrid& grid);

/// Returns a grid of the devices of a mesh, with one dim per axis.
ShardGrid grid_of_mesh(const Mesh& mesh);

/// A grid with its title, for drawings.
struct TitledGrid {
  std::string title;  // name, type and sharding
  ShardGrid grid;     // shards to draw
};

/// Returns the pictures as one standalone SVG document, below one another: text is text, colours
/// follow the light or dark scheme of the reader. Slices of dims before the last two are drawn side
/// by side, at most 16. Text that is not UTF-8 is escaped.
std::string to_svg(std::span<const TitledGrid> grids);

}  // namespace shardy::view
