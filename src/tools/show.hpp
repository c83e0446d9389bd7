// show: how the dims of a value lie on the devices, as a picture.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/commands.hpp"

namespace shardy::tools {

struct ShowQuestion {
  CommandOptions program;            // the file, and the value in it; empty: a sharding by itself
  std::string mesh;                  // `<["x"=2, "y"=3]>`
  std::string shape;                 // `24x24`
  std::string sharding;              // `[{"x"}, {"y"}]`
  std::optional<int64_t> step;       // of propagation, -1 is the beginning; nothing: the end
  std::optional<std::size_t> limit;  // rows, columns and slices; nothing: as many as fit
};

/// Prints who holds which shard. Returns the exit status.
int show_command(const ShowQuestion& question);

}  // namespace shardy::tools
