// Grids of shards as text and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "shardy/algebra/shard_layout.hpp"
#include "text/json_writer.hpp"

namespace shardy::tools {

/// How much of a grid is shown.
struct GridView {
  std::optional<std::size_t> limit;  // rows, columns and slices; nothing: 16, and what fits a line
  bool colours = false;              // by shard, for terminals
};

/// Prints the shard of a device, then a grid of devices over the last two dims for each shard of
/// the others.
std::string grid_text(const ShardGrid& grid, const GridView& view);

/// The same as members of the object that is open, up to 65,536 holders of shards.
void write_grid(text::JsonWriter& out, const ShardGrid& grid);

}  // namespace shardy::tools
