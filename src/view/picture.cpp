// Builds device pictures as data, and the lines of text above them.
#include "shardy/view/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/view/page.hpp"
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
  if (has_padding(grid)) lines.emplace_back("+N after a range: N elements of padding");
  return lines;
}

// Draws device pictures as standalone SVG, with text as text and with colours for light and dark
// colour schemes.
//
//        0:8   8:16
//      +-----+-----+     hue: coordinate along the first axis, lightness: along the next
// 0:12 |  0  |  1  |     x N: replicas, +: summands, hatched: padding
//      +-----+-----+

namespace {

constexpr int kMargin = 12;          // pixels around the drawing
constexpr int kLine = 18;            // pixels per line of text
constexpr int kLetter = 7;           // limit of pixels per letter at font size 12
constexpr int kMostWidth = 720;      // limit of pixels of a slice's cells
constexpr int kLeastCell = 10;       // pixels
constexpr std::size_t kSlices = 16;  // limit of drawn slices
constexpr std::size_t kListed = 6;   // limit of devices in the text of a cell

constexpr std::string_view kStyle =
    "svg{color-scheme:light dark}"
    "text{font:12px ui-monospace,monospace;fill:#1a1a1a}.t{font-weight:bold}"
    ".c{stroke:#ffffff}.g{fill:#9a9a9a;fill-opacity:.25}.p{fill:url(#hatch)}.m{text-anchor:middle}"
    ".e{text-anchor:end}.b{fill:#ffffff}#hatch path{stroke:#555555}"
    "@media(prefers-color-scheme:dark){text{fill:#f2f2f2}.c{stroke:#16181c}.b{fill:#16181c}"
    "#hatch path{stroke:#bbbbbb}}";

/// The colours of coordinates 0 to 7 (Okabe and Ito), which colour-blind people can distinguish.
constexpr std::array<std::string_view, 8> kHues = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                   "#56b4e9", "#d55e00", "#f0e442", "#8a8a8a"};

/// The sizes in pixels of the labels and cells of a picture's slices.
struct SliceSizes {
  int64_t rows = 1;
  int64_t columns = 1;
  int cell_width = 0;
  int cell_height = 0;
  int label_width = 0;

  int width() const { return label_width + static_cast<int>(columns) * cell_width; }
  int height() const { return kLine + static_cast<int>(rows) * cell_height; }
};

/// A cell of a slice, and its corner in pixels.
struct PlacedCell {
  std::vector<int64_t> indices;
  int x = 0;
  int y = 0;
};

std::string range_text(const PictureDim& dim, std::size_t cell) {
  const int64_t padding = dim.padding[cell];
  return fmt::format("{}:{}{}", dim.begin[cell], dim.end[cell],
                     padding > 0 ? fmt::format(" +{}", padding) : "");
}

/// Draws pictures one below the other, and tracks the size of the drawing.
class SvgDrawing {
 public:
  void add(const TitledGrid& titled) {
    const Picture picture = picture_of(titled.grid);
    add_text(kMargin, "t", titled.title);
    for (const std::string& line : lines_of(titled.grid)) add_text(kMargin, "", line);
    y_ += kLine / 2;
    sizes_ = sizes_of(picture);
    add_slices(titled.grid, picture);
    y_ += kLine;
  }

  std::string take() const {
    const int width = width_ + 2 * kMargin;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n<style>{2}</style>\n<defs><pattern id=\"hatch\" width=\"6\" "
        "height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\" "
        "stroke-width=\"1\"/></pattern></defs>\n",
        width, y_, kStyle);
    out += fmt::format("<rect class=\"b\" width=\"{}\" height=\"{}\"/>\n", width, y_);
    return out + body_ + "</svg>\n";
  }

 private:
  void add_text(int x, std::string_view style, std::string_view text) {
    y_ += kLine;
    text_at(x, y_ - 5, style, text);
    width_ =
        std::max(width_, x + kLetter * static_cast<int>(std::min<std::size_t>(text.size(), 160)));
  }
  void text_at(int x, int y, std::string_view style, std::string_view text) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\"", x, y);
    if (!style.empty()) body_ += fmt::format(" class=\"{}\"", style);
    body_ += ">" + html_text(text) + "</text>\n";
  }

  static SliceSizes sizes_of(const Picture& picture) {
    const std::size_t rank = picture.dims.size();
    SliceSizes sizes;
    std::size_t longest = 0;
    if (rank >= 1) sizes.columns = std::ssize(picture.dims[rank - 1].at);
    if (rank >= 2) {
      const PictureDim& rows = picture.dims[rank - 2];
      sizes.rows = std::ssize(rows.at);
      for (std::size_t row = 0; row < rows.at.size(); ++row) {
        longest = std::max(longest, range_text(rows, row).size());
      }
    }
    sizes.label_width = kLetter * static_cast<int>(longest) + kLetter;
    const auto columns = static_cast<int>(sizes.columns);
    sizes.cell_width = std::clamp(kMostWidth / columns, kLeastCell, 96);
    sizes.cell_height = std::clamp(sizes.cell_width / 2, kLeastCell, 2 * kLine);
    return sizes;
  }

  /// Draws one slice per index of the dims before the last two, in rows that fit the width.
  void add_slices(const ShardGrid& grid, const Picture& picture) {
    const std::size_t rank = picture.dims.size();
    std::vector<int64_t> leading(rank > 2 ? rank - 2 : 0);
    const int title = leading.empty() ? 0 : kLine;
    int x = kMargin;
    bool is_more = true;
    for (std::size_t slice = 0; is_more && slice < kSlices; ++slice) {
      const bool is_full = x > kMargin && x + sizes_.width() > kMostWidth + kMargin;
      if (is_full) {
        y_ += title + sizes_.height() + kLine;
        x = kMargin;
      }
      add_slice(grid, picture, leading, x);
      x += sizes_.width() + 2 * kMargin;
      width_ = std::max(width_, x);
      is_more = next(picture, leading);
    }
    y_ += title + sizes_.height();
    if (is_more) add_text(kMargin, "", fmt::format("the first {} slices", kSlices));
  }

  static bool next(const Picture& picture, std::vector<int64_t>& leading) {
    for (std::size_t dim = leading.size(); dim-- > 0;) {
      if (++leading[dim] < std::ssize(picture.dims[dim].at)) return true;
      leading[dim] = 0;
    }
    return false;
  }

  void add_slice(const ShardGrid& grid, const Picture& picture, const std::vector<int64_t>& leading,
                 int x) {
    const std::size_t rank = picture.dims.size();
    int top = y_;
    if (!leading.empty()) {
      std::string title = "[";
      for (std::size_t dim = 0; dim < leading.size(); ++dim) {
        title += range_text(picture.dims[dim], static_cast<std::size_t>(leading[dim])) + ", ";
      }
      text_at(x, top + kLine - 5, "", title + ":, :]");
      top += kLine;
    }
    if (rank >= 1) add_column_labels(picture.dims.back(), x, top);
    for (int64_t row = 0; row < sizes_.rows; ++row) {
      const int y = top + kLine + static_cast<int>(row) * sizes_.cell_height;
      if (rank >= 2 && sizes_.cell_height >= kLine - 4) {
        text_at(x + sizes_.label_width - kLetter, y + sizes_.cell_height / 2 + 4, "e",
                range_text(picture.dims[rank - 2], static_cast<std::size_t>(row)));
      }
      for (int64_t column = 0; column < sizes_.columns; ++column) {
        PlacedCell cell{leading, x + sizes_.label_width, y};
        cell.x += static_cast<int>(column) * sizes_.cell_width;
        if (rank >= 2) cell.indices.push_back(row);
        if (rank >= 1) cell.indices.push_back(column);
        add_cell(grid, picture, cell);
      }
    }
  }

  void add_column_labels(const PictureDim& columns, int x, int y) {
    for (std::size_t column = 0; column < columns.at.size(); ++column) {
      const std::string label = range_text(columns, column);
      if (kLetter * static_cast<int>(label.size()) > sizes_.cell_width) continue;
      const int middle = static_cast<int>(column) * sizes_.cell_width + sizes_.cell_width / 2;
      text_at(x + sizes_.label_width + middle, y + kLine - 5, "m", label);
    }
  }

  void add_cell(const ShardGrid& grid, const Picture& picture, const PlacedCell& cell) {
    body_ += "<g>" + fmt::format("<title>{}</title>", html_text(cell_title(grid, picture, cell)));
    body_ += fmt::format("<rect class=\"c{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>",
                         picture.hue ? "" : " g", cell.x, cell.y, sizes_.cell_width,
                         sizes_.cell_height, fill_of(picture, cell));
    add_padding(picture, cell);
    const std::string text = cell_text(grid, picture, cell);
    if (kLetter * static_cast<int>(text.size()) <= sizes_.cell_width - 2 &&
        sizes_.cell_height >= kLine - 4) {
      text_at(cell.x + sizes_.cell_width / 2, cell.y + sizes_.cell_height / 2 + 4, "m", text);
    }
    body_ += "</g>\n";
  }

  /// Hatches the part of a cell that is padding, at its right and lower edges.
  void add_padding(const Picture& picture, const PlacedCell& cell) {
    const std::size_t rank = picture.dims.size();
    const auto padded = [&](std::size_t dim, int pixels) {
      const PictureDim& cells = picture.dims[dim];
      const auto index = static_cast<std::size_t>(cell.indices[dim]);
      const auto padding = static_cast<double>(cells.padding[index]);
      const auto size = static_cast<double>(cells.end[index] - cells.begin[index]) + padding;
      return size > 0 ? static_cast<int>(std::lround(pixels * padding / size)) : 0;
    };
    const int right = rank >= 1 ? padded(rank - 1, sizes_.cell_width) : 0;
    const int low = rank >= 2 ? padded(rank - 2, sizes_.cell_height) : 0;
    if (right > 0) {
      body_ += fmt::format("<rect class=\"p\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                           cell.x + sizes_.cell_width - right, cell.y, right, sizes_.cell_height);
    }
    if (low > 0) {
      body_ += fmt::format("<rect class=\"p\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                           cell.x, cell.y + sizes_.cell_height - low, sizes_.cell_width, low);
    }
  }

  static std::string fill_of(const Picture& picture, const PlacedCell& cell) {
    if (!picture.hue) return {};
    int64_t hue = 0;
    int64_t light = 0;
    for (std::size_t dim = 0; dim < picture.dims.size(); ++dim) {
      const auto index = static_cast<std::size_t>(cell.indices[dim]);
      hue += picture.dims[dim].hue[index];
      light += picture.dims[dim].light[index];
    }
    const auto steps = static_cast<double>(picture.light ? picture.light->size - 1 : 1);
    const double opacity = 0.6 - 0.4 * static_cast<double>(light) / std::max(steps, 1.0);
    return fmt::format(" fill=\"{}\" fill-opacity=\"{:.2f}\"",
                       kHues[static_cast<std::size_t>(hue) % kHues.size()], opacity);
  }

  static std::vector<int64_t> devices_of(const ShardGrid& grid, const Picture& picture,
                                         const PlacedCell& cell) {
    std::vector<int64_t> devices = positions_of(picture, cell.indices);
    if (devices.size() > kListed) devices.resize(kListed);
    for (int64_t& device : devices) device = grid.sharding().mesh().device_at(device);
    return devices;
  }

  /// Returns the text of a cell: the devices if they fit, `0+1` for partial values, and the number
  /// of replicas, as in `0 x4`.
  std::string cell_text(const ShardGrid& grid, const Picture& picture,
                        const PlacedCell& cell) const {
    const int64_t in_cell = picture.devices_per_cell;
    const auto devices = devices_of(grid, picture, cell);
    if (in_cell > picture.replicas * picture.summands) return grouped(in_cell) + " devices";
    std::string all = fmt::format("{}", fmt::join(devices, picture.summands > 1 ? "+" : ","));
    const bool has_all =
        in_cell == std::ssize(devices) && (picture.summands == 1 || picture.replicas == 1);
    if (has_all && kLetter * static_cast<int>(all.size()) <= sizes_.cell_width - 2) return all;
    return fmt::format("{}{} x{}", devices.front(), picture.summands > 1 ? "+" : "",
                       grouped(in_cell));
  }

  static std::string cell_title(const ShardGrid& grid, const Picture& picture,
                                const PlacedCell& cell) {
    const auto devices = devices_of(grid, picture, cell);
    std::vector<std::string> ranges;
    for (std::size_t dim = 0; dim < picture.dims.size(); ++dim) {
      ranges.push_back(range_text(picture.dims[dim], static_cast<std::size_t>(cell.indices[dim])));
    }
    const bool has_all = picture.devices_per_cell == std::ssize(devices);
    return fmt::format("device{} {}{}; elements [{}]", picture.devices_per_cell == 1 ? "" : "s",
                       fmt::join(devices, ", "),
                       has_all ? "" : fmt::format(", ... ({})", grouped(picture.devices_per_cell)),
                       fmt::join(ranges, ", "));
  }

  std::string body_;
  int y_ = kMargin;
  int width_ = 0;
  SliceSizes sizes_;
};

}  // namespace

std::string to_svg(std::span<const TitledGrid> grids) {
  SvgDrawing drawing;
  for (const TitledGrid& grid : grids) drawing.add(grid);
  return drawing.take();
}

}  // namespace shardy::view
