// The command show: prints a picture of the shards of a value on the devices.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/view/picture.hpp"
#include "support/quantities.hpp"
#include "text/bytes_text.hpp"
#include "text/json_writer.hpp"
#include "tools/commands.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

using propagation::ExplainedValue;

// Grids of shards as text and as JSON.

namespace {

/// Limits of a printed grid.
struct GridView {
  std::optional<std::size_t>
      limit;             // limit of rows, columns and slices; unset: 16, and as many as fit a line
  bool colours = false;  // colours shards, for terminals
};

constexpr std::size_t kRows = 16;              // limit of rows, columns and slices
constexpr std::size_t kLine = 120;             // limit of characters of all columns
constexpr std::size_t kHolders = 64;           // limit of listed devices per shard
constexpr std::size_t kListedHolders = 65536;  // limit of listed devices per shard in JSON
constexpr std::size_t kListed = 6;             // limit of device ids, or runs of ids, in a cell

std::string range_text(const Range& range) { return fmt::format("{}:{}", range.begin, range.end); }

/// Returns the label of a range, such as `0:4`, or `4:5 +1` with one element of padding.
std::string label_of(const ShardGrid& grid, std::size_t dim, int64_t index) {
  const Range range = grid.elements(dim, index);
  const int64_t padding = grid.local_shape()[dim] - range.size();
  return range_text(range) + (padding > 0 ? fmt::format(" +{}", padding) : "");
}

/// Returns devices as text, such as `0-3,8`. Three or more consecutive devices become a range.
std::vector<std::string> runs_of(const std::vector<ShardHolder>& holders) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0; begin < holders.size();) {
    std::size_t end = begin + 1;
    while (end < holders.size() && holders[end].device == holders[end - 1].device + 1) ++end;
    if (end - begin < 3) end = begin + 1;
    const int64_t first = holders[begin].device;
    const int64_t last = holders[end - 1].device;
    runs.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    begin = end;
  }
  return runs;
}

/// Returns the devices that have partial values of one replica, such as `0+1`.
std::vector<std::string> sums_of(const std::vector<ShardHolder>& holders) {
  std::vector<std::string> sums;
  int64_t replica = -1;
  for (const ShardHolder& holder : holders) {
    const std::string device = std::to_string(holder.device);
    if (holder.replica == replica) {
      sums.back() += "+" + device;
    } else {
      sums.push_back(device);
    }
    replica = holder.replica;
  }
  return sums;
}

std::string cell_text(const ShardGrid& grid, const std::vector<int64_t>& indices) {
  const GridShard shard = grid.shard(indices, kHolders);
  std::vector<std::string> parts =
      grid.num_summands() > 1 ? sums_of(shard.holders) : runs_of(shard.holders);
  const int64_t all = grid.num_replicas() * grid.num_summands();
  const bool is_truncated =
      parts.size() > kListed || all > static_cast<int64_t>(shard.holders.size());
  if (parts.size() > kListed) parts.resize(kListed);
  return fmt::format("{}{}", fmt::join(parts, ","), is_truncated ? ",..." : "");
}

// ---- One slice ----------------------------------------------------------------------------------

/// Prints the grid of the last two dims; a tensor may have fewer dims.
class SlicePrinter {
 public:
  SlicePrinter(const ShardGrid& grid, const GridView& view, std::vector<int64_t> leading)
      : grid_(grid), view_(view), leading_(std::move(leading)) {
    const std::size_t rank = grid.shape().size();
    num_rows_ = rank >= 2 ? grid.num_shards()[rank - 2] : 1;
    num_columns_ = rank >= 1 ? grid.num_shards()[rank - 1] : 1;
  }

  void print(std::string& out) {
    rows_ = std::min<int64_t>(num_rows_, static_cast<int64_t>(view_.limit.value_or(kRows)));
    columns_ = std::min<int64_t>(num_columns_, static_cast<int64_t>(view_.limit.value_or(kRows)));
    measure();
    add_head(out);
    add_line(out);
    for (int64_t row = 0; row < rows_; ++row) {
      out += fmt::format("{:>{}} |", row_label(row), label_width_);
      for (int64_t column = 0; column < columns_; ++column) add_cell(out, row, column);
      out += "\n";
      add_line(out);
    }
    if (rows_ == num_rows_ && columns_ == num_columns_) return;
    out +=
        fmt::format("... {} of {} rows and {} of {} columns are shown; --limit N shows more\n",
                    grouped(rows_), grouped(num_rows_), grouped(columns_), grouped(num_columns_));
  }

 private:
  std::size_t rank() const { return grid_.shape().size(); }
  std::string row_label(int64_t row) const {
    return rank() >= 2 ? label_of(grid_, rank() - 2, row) : "";
  }
  std::string column_label(int64_t column) const {
    return rank() >= 1 ? label_of(grid_, rank() - 1, column) : "";
  }
  const std::string& cell(int64_t row, int64_t column) const {
    return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }

  /// Computes the cells and their width. Without a limit, uses as many columns as fit in a line.
  void measure() {
    cells_.resize(static_cast<std::size_t>(rows_));
    width_ = 3;
    for (int64_t row = 0; row < rows_; ++row) {
      label_width_ = std::max(label_width_, row_label(row).size());
      for (int64_t column = 0; column < columns_; ++column) {
        std::vector<int64_t> indices = leading_;
        if (rank() >= 2) indices.push_back(row);
        if (rank() >= 1) indices.push_back(column);
        cells_[static_cast<std::size_t>(row)].push_back(cell_text(grid_, indices));
        width_ = std::max(width_, cell(row, column).size());
      }
    }
    for (int64_t column = 0; column < columns_; ++column) {
      width_ = std::max(width_, column_label(column).size());
    }
    const auto fit =
        static_cast<int64_t>((kLine - std::min(kLine, label_width_ + 2)) / (width_ + 3));
    if (!view_.limit) columns_ = std::min(columns_, std::max<int64_t>(fit, 1));
  }

  void add_head(std::string& out) const {
    if (rank() == 0) return;
    out += std::string(label_width_ + 2, ' ');
    for (int64_t column = 0; column < columns_; ++column) {
      out += fmt::format(" {:^{}} ", column_label(column), width_);
      if (column + 1 < columns_) out += " ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  void add_line(std::string& out) const {
    out += std::string(label_width_ + 1, ' ') + "+";
    for (int64_t column = 0; column < columns_; ++column) {
      out += std::string(width_ + 2, '-') + "+";
    }
    out += "\n";
  }
  /// Appends a cell. Neighbouring cells have different colours; different shards with one colour
  /// are apart.
  void add_cell(std::string& out, int64_t row, int64_t column) const {
    constexpr std::array kColours = {44, 42, 45, 46, 41, 43};
    const std::string text = fmt::format(" {:^{}} ", cell(row, column), width_);
    if (view_.colours) {
      const auto colour = static_cast<std::size_t>(column + 2 * row) % kColours.size();
      out += fmt::format("\033[97;{}m{}\033[0m|", kColours[colour], text);
    } else {
      out += text + "|";
    }
  }

  const ShardGrid& grid_;
  const GridView& view_;
  std::vector<int64_t> leading_;
  int64_t num_rows_ = 1;
  int64_t num_columns_ = 1;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  std::size_t label_width_ = 0;
  std::size_t width_ = 0;
  std::vector<std::vector<std::string>> cells_;
};

// ---- Slices -------------------------------------------------------------------------------------

/// Advances to the next shard of all dims but the last two, in row-major order. Returns false after
/// the last one.
bool next_slice(const ShardGrid& grid, std::vector<int64_t>& leading) {
  for (std::size_t dim = leading.size(); dim-- > 0;) {
    if (++leading[dim] < grid.num_shards()[dim]) return true;
    leading[dim] = 0;
  }
  return false;
}

std::vector<int64_t> first_slice(const ShardGrid& grid) {
  const std::size_t rank = grid.shape().size();
  std::vector<int64_t> leading;
  if (rank > 2) leading.resize(rank - 2);
  return leading;
}

std::string slices_text(const ShardGrid& grid) {
  int64_t count = 1;
  for (std::size_t dim = 0; dim + 2 < grid.shape().size(); ++dim) count *= grid.num_shards()[dim];
  return grouped(count);  // at most the number of devices
}

std::string slice_title(const ShardGrid& grid, const std::vector<int64_t>& leading) {
  std::string title = "[";
  for (std::size_t dim = 0; dim < leading.size(); ++dim) {
    title += label_of(grid, dim, leading[dim]) + ", ";
  }
  return title + ":, :]\n";
}

std::string head_text(const ShardGrid& grid) {
  std::string out;
  for (const std::string& line : view::lines_of(grid)) out += line + "\n";
  return out;
}

/// Prints the shape of a device's shard, then a grid of devices over the last two dims for each
/// shard of the other dims.
std::string grid_text(const ShardGrid& grid, const GridView& view) {
  std::string out = head_text(grid);
  std::vector<int64_t> leading = first_slice(grid);
  const std::size_t most = view.limit.value_or(kRows);
  std::size_t shown = 0;
  bool is_more = true;
  for (; is_more && shown < most; ++shown, is_more = next_slice(grid, leading)) {
    out += "\n";
    if (!leading.empty()) out += slice_title(grid, leading);
    SlicePrinter(grid, view, leading).print(out);
  }
  if (is_more) {
    out += fmt::format("\n... {} of {} slices are shown; --limit N shows more\n", shown,
                       slices_text(grid));
  }
  return out;
}

// ---- JSON ---------------------------------------------------------------------------------------

void add_shard(text::JsonWriter& out, const GridShard& shard) {
  out.begin_object();
  add(out, "indices", shard.indices);
  out.key("elements").begin_array();
  for (const Range& range : shard.elements) {
    out.begin_array();
    out.integer(range.begin);
    out.integer(range.end);
    out.end_array();
  }
  out.end_array();
  add(out, "holders", shard.holders);
  out.end_object();
}

/// Writes the grid as members of the open object, with at most 65,536 holders of shards.
void write_grid(text::JsonWriter& out, const ShardGrid& grid) {
  int64_t num_shards = 1;  // at most the number of devices
  for (const int64_t count : grid.num_shards()) num_shards *= count;
  const std::size_t shards = std::min(kListedHolders, static_cast<std::size_t>(num_shards));
  const std::size_t holders = kListedHolders / shards;
  add(out, "sharding", to_string(grid.sharding()), "mesh", to_string(grid.sharding().mesh()),
      "shape", grid.shape(), "num_shards", grid.num_shards(), "local_shape", grid.local_shape(),
      "replicas", grid.num_replicas(), "summands", grid.num_summands());
  out.key("shards").begin_array(text::JsonWriter::JsonLayout::Broken);
  std::vector<int64_t> indices(grid.shape().size(), 0);
  bool is_more = true;
  for (std::size_t shown = 0; is_more && shown < shards; ++shown) {
    add_shard(out, grid.shard(indices, holders));
    is_more = next_slice(grid, indices);
  }
  out.end_array();
  const bool is_truncated =
      is_more || grid.num_replicas() * grid.num_summands() > static_cast<int64_t>(holders);
  add(out, "cut", is_truncated);
}

/// A grid and the line above it.
struct ShownGrid {
  std::string title;
  ShardGrid grid;
  std::vector<int64_t> steps = {};  // propagation steps that changed the value, in order
};

/// Parses a shape such as `24x24`, with or without an element type; empty: no dims.
Result<std::vector<int64_t>> read_shape(const std::string& text) {
  const bool is_typed = text.find_first_not_of("0123456789x?") != std::string::npos;
  const std::string sizes = text.empty() ? "f32" : text + "xf32";
  SHARDY_TRY(const ir::Type type, ir::parse_type("tensor<" + (is_typed ? text : sizes) + ">"));
  if (!type.is_static_tensor()) return fail("expected a static shape like 24x24, got: " + text);
  return std::vector<int64_t>(type.dims().begin(), type.dims().end());
}

/// Returns the grid of a sharding on the command line.
Result<ShownGrid> written_grid(const ShowRequest& request) {
  if (request.mesh.empty() || request.sharding.empty()) {
    return tl::unexpected(
        Error{"expected a FILE and --value, or --mesh, --shape and --sharding",
              {},
              {"for example: shardy show --mesh '<[\"x\"=2, \"y\"=3]>' --shape 24x24 "
               "--sharding '[{\"x\"}, {\"y\"}]'"}});
  }
  const auto of = [](const char* option) {
    return [option](Error error) { return in_option(option, std::move(error)); };
  };
  SHARDY_TRY(const Mesh mesh, parse_mesh(request.mesh).map_error(of("--mesh")));
  SHARDY_TRY(std::vector<int64_t> shape, read_shape(request.shape).map_error(of("--shape")));
  SHARDY_TRY(
      const UnresolvedSharding unresolved,
      parse_any_sharding(request.sharding, "mesh", shape.size()).map_error(of("--sharding")));
  SHARDY_TRY(TensorSharding sharding, resolve(unresolved, mesh).map_error(of("--sharding")));
  std::string title =
      "tensor of " + (shape.empty() ? "no dims" : request.shape) + ", " + to_string(sharding);
  SHARDY_TRY(ShardGrid grid, ShardGrid::make(std::move(sharding), std::move(shape)));
  return ShownGrid{std::move(title), std::move(grid)};
}

// ---- Values of programs -------------------------------------------------------------------------

/// Returns the steps that changed the value, in order.
std::vector<int64_t> steps_of(const ExplainedValue& value) {
  std::vector<int64_t> steps;
  for (const propagation::ExplainedAxis& axis : value.axes) {
    for (const propagation::AxisArrival& arrival : axis.arrivals) {
      if (arrival.step >= 0) steps.push_back(arrival.step);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string title_of(const ExplainedValue& value, const std::optional<TensorSharding>& sharding,
                     const ShowRequest& request) {
  std::string title = fmt::format("{}: {} {}", value.name, value.type,
                                  sharding ? to_string(*sharding) : "without a sharding");
  if (request.step) {
    title +=
        *request.step < 0 ? ", before propagation" : fmt::format(", after step {}", *request.step);
  }
  if (!value.calls.empty()) title += fmt::format(", called by {}", fmt::join(value.calls, ", "));
  if (!value.user.empty()) title += ", copy for " + value.user;
  return title;
}

Result<ShownGrid> grid_of(const ExplainedValue& value, const ShowRequest& request) {
  if (!value.sharding) {
    return tl::unexpected(Error{value.name + " has no sharding: each device holds all of it",
                                {},
                                {"shardy explain --value prints the cause"}});
  }
  const std::optional<TensorSharding> then =
      request.step ? sharding_after(value, *request.step) : value.sharding;
  SHARDY_TRY(const ir::Type type, ir::parse_type(value.type));
  // Without a sharding, all devices of the mesh have the full value.
  SHARDY_TRY(ShardGrid grid, ShardGrid::make(then.value_or(value.sharding->fully_open_like()),
                                             {type.dims().begin(), type.dims().end()}));
  return ShownGrid{title_of(value, then, request), std::move(grid), steps_of(value)};
}

/// Returns an error for a step that does not exist.
Status expect_step(const ShowRequest& request, int64_t num_steps) {
  if (request.step.value_or(-1) < num_steps) return {};
  return tl::unexpected(
      Error{fmt::format("--step {}: propagation has {} step{}", *request.step, num_steps,
                        num_steps == 1 ? "" : "s"),
            {},
            {num_steps == 0 ? "--step start draws the value before propagation"
                            : fmt::format("allowed: start, 0 to {}", num_steps - 1)}});
}

/// Returns the grids of the selected values. Several values are copies of one value, or results of
/// one op. Returns std::nullopt after reporting an error.
std::optional<std::vector<ShownGrid>> grids_of_program(const ShowRequest& request, Source& source,
                                                       Reporter& reporter) {
  const auto refuse = [&](const Error& error) {
    reporter.refuse({error});
    return std::nullopt;
  };
  if (request.program.value.empty()) {
    return refuse({"expected --value, the value of the program to draw",
                   {},
                   {"for example: shardy show model.mlir --value %16"}});
  }
  const auto program = explain_program(source, reporter, request.program);
  if (!program) return std::nullopt;
  const auto values =
      select_values(program->explanation.values,
                    {request.program.value, request.program.function, false}, program->names);
  if (!values) return refuse(values.error());
  if (const Status step = expect_step(request, program->num_steps); !step) {
    return refuse(step.error());
  }
  std::vector<ShownGrid> grids;
  for (const ExplainedValue* value : *values) {
    auto grid = grid_of(*value, request);
    if (!grid) return refuse(grid.error());
    grids.push_back(*std::move(grid));
  }
  return grids;
}

std::string text_of(const ShownGrid& titled, const GridView& view) {
  std::string out = text::printable_text(titled.title) + "\n";
  if (!titled.steps.empty()) {
    out += fmt::format("changed by step{} {}\n", titled.steps.size() == 1 ? "" : "s",
                       fmt::join(titled.steps, ", "));
  }
  return out + grid_text(titled.grid, view);
}

std::string json_of(const std::vector<ShownGrid>& grids, const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "show");
  out.key("values").begin_array(text::JsonWriter::JsonLayout::Broken);
  for (const ShownGrid& each : grids) {
    out.begin_object(text::JsonWriter::JsonLayout::Broken);
    add(out, "title", each.title, "steps", each.steps);
    write_grid(out, each.grid);
    out.end_object();
  }
  out.end_array();
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

/// Writes the pictures of the grids and prints the path.
int write_svg(const ShowRequest& request, Reporter& reporter, const std::vector<ShownGrid>& grids) {
  std::vector<view::TitledGrid> pictures;
  pictures.reserve(grids.size());
  for (const ShownGrid& each : grids) pictures.push_back({each.title, each.grid});
  const Status written = write_file(request.svg, view::to_svg(pictures));
  if (!written) return reporter.refuse({written.error()});
  if (request.svg != "-") print_text(stdout, request.svg + "\n");
  return kDone;
}

}  // namespace

int show_command(const ShowRequest& request) {
  const CommandOptions& program = request.program;
  Source source{program.file};
  Reporter reporter(source, program.json);
  if (program.json && !request.svg.empty()) {
    return reporter.refuse(
        {Error{"--json and --svg are two forms of the answer; use one of them"}});
  }
  std::vector<ShownGrid> grids;
  if (program.file.empty()) {
    auto grid = written_grid(request);
    if (!grid) return reporter.refuse({grid.error()});
    grids.push_back(*std::move(grid));
  } else if (!request.mesh.empty() || !request.sharding.empty() || !request.shape.empty()) {
    return reporter.refuse({Error{"--mesh, --shape and --sharding are for a call without FILE"}});
  } else {
    auto found = grids_of_program(request, source, reporter);
    if (!found) return kBadInput;
    grids = *std::move(found);
  }
  if (!request.svg.empty()) return write_svg(request, reporter, grids);
  std::string out;
  const GridView view{request.limit, shows_colours(stdout)};
  for (const ShownGrid& each : grids) out += (out.empty() ? "" : "\n") + text_of(each, view);
  if (program.json) out = json_of(grids, reporter.diagnostics());
  std::fwrite(out.data(), 1, out.size(), stdout);  // contains colours; names in it are escaped
  return kDone;
}

}  // namespace shardy::tools
