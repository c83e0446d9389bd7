// Device pictures: the shards of a tensor as cells, with the devices of each cell. Pictures are
// values or SVG.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::view {

/// The cells of a picture along one dim. All lists have one element per cell.
struct PictureDim {
  int64_t shards_per_cell = 1;        // number of shards per cell; the last cell may have fewer
  std::vector<int64_t> begin = {};    // index of the first element
  std::vector<int64_t> end = {};      // index after the last element
  std::vector<int64_t> padding = {};  // padding elements in the buffers of the cell
  std::vector<int64_t> at = {};  // summand of the first shard for logical positions; see Picture
  /// Coordinate along Picture::hue; 0 if the dim does not have that axis.
  std::vector<int64_t> hue = {};
  /// Coordinate along Picture::light; 0 if the dim does not have that axis.
  std::vector<int64_t> light = {};

  friend bool operator==(const PictureDim&, const PictureDim&) = default;
};

/// Limits of the cells of a picture.
struct PictureLimits {
  int64_t cells = 64;     // maximal cells per dim; if a dim has more shards, a cell has several
  int64_t copies = 4096;  // maximal listed replicas, and maximal listed summands
};

/// The device picture of a sharded tensor: a grid of cells with one dim per dim of the tensor.
///
/// The devices of cell (i, j, ...) have the logical positions dims[0].at[i] + dims[1].at[j] + ... +
/// replica_at[r] + summand_at[s]. For a cell of several shards, these are the devices of its first
/// shard, and the cell has `devices_per_cell` devices in total. Spec: view 3.
struct Picture {
  std::vector<PictureDim> dims = {};  // one per dim of the tensor
  std::vector<int64_t> replica_at =
      {};  // offset of each replica of a shard in logical positions; 0 for the first
  /// Offset of each partial value of a replica in logical positions.
  std::vector<int64_t> summand_at = {};
  int64_t replicas = 1;          // number of replicas of a shard, which may exceed the listed ones
  int64_t summands = 1;          // number of partial values of a replica
  int64_t devices_per_cell = 1;  // number of devices of the first cell
  std::optional<AxisRef> hue = {};    // first axis that shards a dim; cells along it differ in hue
  std::optional<AxisRef> light = {};  // next axis; cells along it differ in lightness

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Returns the picture of a grid. Requires: limits of at least 1. Cost: linear in cells.
Picture picture_of(const ShardGrid& grid, const PictureLimits& limits = {});

/// Returns the logical positions of the listed devices of a cell, by replica, then summand.
/// Requires: one index per dim, below its number of cells.
std::vector<int64_t> positions_of(const Picture& picture, std::span<const int64_t> cell);

/// Returns the lines of text above a grid: mesh, shards, and a legend for summands and padding.
std::vector<std::string> lines_of(const ShardGrid& grid);

/// Returns a grid of the devices of a mesh, with one dim per axis.
ShardGrid grid_of_mesh(const Mesh& mesh);

/// A shard grid with its title, for pictures.
struct TitledGrid {
  std::string title;  // name, type and sharding
  ShardGrid grid;     // shards to draw
};

/// Returns the pictures as one standalone SVG document, from top to bottom. Text is stored as text,
/// and colours follow the light or dark scheme of the reader. Slices of dims before the last two
/// are next to each other, at most 16. Text that is not UTF-8 is escaped.
std::string to_svg(std::span<const TitledGrid> grids);

}  // namespace shardy::view
