
#include "view/document_parts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/view/picture.hpp"
#include "text/error_places.hpp"
#include "text/json_writer.hpp"

namespace shardy::view {

// ---- Written values -----------------------------------------------------------------------------

int64_t StringTable::add(std::string_view text) {
  const auto found = places_.find(text);
  if (found != places_.end()) return found->second;
  const auto place = static_cast<int64_t>(texts_.size());
  texts_.emplace_back(text);
  places_.emplace(texts_.back(), place);
  return place;
}

void PartWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

PartWriter& PartWriter::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

PartWriter& PartWriter::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

PartWriter& PartWriter::key(std::string_view name) {
  separate();
  text_ += text::quoted_json(name, true);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

PartWriter& PartWriter::string(std::string_view text) { return raw(text::quoted_json(text, true)); }

PartWriter& PartWriter::integer(int64_t value) {
  separate();
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text_.append(digits, end);
  return *this;
}

PartWriter& PartWriter::number(double value) {
  return raw(std::isfinite(value) ? text::json_number(value) : "null");
}

PartWriter& PartWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

PartWriter& PartWriter::member(std::string_view name, std::span<const int64_t> column) {
  key(name).begin_array();
  for (const int64_t value : column) integer(value);
  return end_array();
}

PartWriter& PartWriter::member(std::string_view name, std::span<const double> column) {
  key(name).begin_array();
  for (const double value : column) number(value);
  return end_array();
}

PartWriter& PartWriter::lists(const std::string& name, const ListColumn& column) {
  member(name + "_begin", column.begin);
  return member(name, column.all);
}

// ---- Parts --------------------------------------------------------------------------------------

namespace {

/// Writes `[axis, pre, size]` per axis.
void write_axes(PartWriter& out, AxisSpan axes) {
  out.begin_array();
  for (const AxisRef& axis : axes) {
    out.begin_array().integer(axis.axis).integer(axis.pre).integer(axis.size).end_array();
  }
  out.end_array();
}

void write_sharding(PartWriter& out, const TensorSharding& sharding, int64_t mesh) {
  out.begin_object().member("text", to_string(sharding)).key("mesh").integer(mesh);
  out.key("dims").begin_array();
  for (const DimSharding& dim : sharding.dims()) {
    out.begin_object();
    write_axes(out.key("axes"), dim.axes);
    out.key("open").boolean(!dim.is_closed).key("priority");
    dim.priority ? out.integer(*dim.priority) : out.null();
    out.end_object();
  }
  out.end_array();
  write_axes(out.key("replicated"), sharding.replicated_axes());
  write_axes(out.key("unreduced"), sharding.unreduced_axes());
  out.member("reduction", to_string(sharding.reduction_op())).end_object();
}

void write_axis(PartWriter& out, const std::optional<AxisRef>& axis) {
  if (!axis) {
    out.null();
    return;
  }
  out.begin_object().key("axis").integer(axis->axis).key("pre").integer(axis->pre);
  out.key("size").integer(axis->size).end_object();
}

void write_dim(PartWriter& out, const PictureDim& dim) {
  out.begin_object().key("cells").integer(std::ssize(dim.at));
  out.key("shards_per_cell").integer(dim.shards_per_cell);
  out.member("begin", dim.begin).member("end", dim.end).member("padding", dim.padding);
  out.member("at", dim.at).member("major", dim.hue).member("minor", dim.light).end_object();
}

/// Returns the picture of a grid as a member of the part. `sharding` is its number, or -1.
std::string picture_json(const ShardGrid& grid, int64_t mesh, int64_t sharding) {
  const Picture picture = picture_of(grid);
  PartWriter out;
  out.begin_object().key("mesh").integer(mesh).key("sharding").integer(sharding);
  out.member("text", sharding < 0 ? std::string() : to_string(grid.sharding()));
  out.member("shape", grid.shape()).member("local_shape", grid.local_shape());
  out.member("num_shards", grid.num_shards());
  out.key("replicas").integer(picture.replicas).key("summands").integer(picture.summands);
  out.key("lines").begin_array();
  for (const std::string& line : lines_of(grid)) out.string(line);
  out.end_array().key("devices_per_cell").integer(picture.devices_per_cell);
  out.key("dims").begin_array();
  for (const PictureDim& dim : picture.dims) write_dim(out, dim);
  out.end_array();
  out.member("replica_at", picture.replica_at).member("summand_at", picture.summand_at);
  write_axis(out.key("hue"), picture.hue);
  write_axis(out.key("light"), picture.light);
  return out.end_object().take();
}

}  // namespace

int64_t ShardingTables::add_mesh(const std::string& name, const Mesh& mesh) {
  const auto number = std::ssize(meshes_);
  const auto [found, is_new] = mesh_numbers_.try_emplace({name, to_string(mesh)}, number);
  if (!is_new) return found->second;
  meshes_.push_back({name, mesh});
  const ShardGrid grid = grid_of_mesh(mesh);
  meshes_.back().picture = std::ssize(pictures_);
  pictures_.push_back(picture_json(grid, number, -1));
  return number;
}

int64_t ShardingTables::mesh_of(const TensorSharding& sharding) {
  return add_mesh(sharding.mesh_name().value_or(""), sharding.mesh());
}

int64_t ShardingTables::add(const std::optional<TensorSharding>& sharding) {
  if (!sharding) return -1;
  const int64_t mesh = mesh_of(*sharding);
  const auto [found, is_new] =
      sharding_numbers_.try_emplace({mesh, to_string(*sharding)}, std::ssize(shardings_));
  if (!is_new) return found->second;
  shardings_.push_back(*sharding);
  mesh_of_sharding_.push_back(mesh);
  return found->second;
}

int64_t ShardingTables::add_grid(const TensorSharding& sharding, std::span<const int64_t> shape,
                                 int64_t number) {
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  const auto [found, is_new] = picture_numbers_.try_emplace({number, sizes}, std::ssize(pictures_));
  if (!is_new) return found->second;
  const auto grid = ShardGrid::make(sharding, std::move(sizes));
  if (!grid) {
    found->second = -1;
    return -1;
  }
  pictures_.push_back(picture_json(*grid, mesh_of(sharding), number));
  return found->second;
}

int64_t ShardingTables::add_picture(const std::optional<TensorSharding>& sharding,
                                    std::span<const int64_t> shape) {
  if (sharding) {
    const int64_t number = add(sharding);
    return add_grid(*sharding, shape, number);
  }
  if (meshes_.empty() || shape.size() > kMaxRank) return -1;
  const NamedMesh& first = meshes_.front();
  return add_grid(TensorSharding::fully_open(first.mesh, first.name, shape.size()), shape, -1);
}

std::string ShardingTables::shardings_part() const {
  PartWriter out;
  out.begin_array();
  for (std::size_t index = 0; index < shardings_.size(); ++index) {
    write_sharding(out, shardings_[index], mesh_of_sharding_[index]);
  }
  return out.end_array().take();
}

std::string ShardingTables::pictures_part() const {
  PartWriter out;
  out.begin_array();
  for (const std::string& picture : pictures_) out.raw(picture);
  return out.end_array().take();
}

void ShardingTables::write_meshes(PartWriter& out) const {
  std::vector<std::string_view> names;
  for (const NamedMesh& each : meshes_) {
    for (const MeshAxis& axis : each.mesh.axes()) {
      if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  out.key("axis_names").begin_array();
  for (const std::string_view name : names) out.string(name);
  out.end_array().key("meshes").begin_array();
  for (const NamedMesh& each : meshes_) {
    const Mesh& mesh = each.mesh;
    out.begin_object().member("name", each.name).member("text", to_string(mesh));
    out.key("axes").begin_array();
    for (const MeshAxis& axis : mesh.axes()) {
      out.begin_object().member("name", axis.name).key("size").integer(axis.size).end_object();
    }
    out.end_array().key("devices").integer(mesh.num_devices()).key("device_ids");
    mesh.device_ids().empty() ? out.null() : out.raw([&] {
      PartWriter ids;
      ids.begin_array();
      for (const int64_t id : mesh.device_ids()) ids.integer(id);
      return ids.end_array().take();
    }());
    out.key("layout").integer(each.picture).end_object();
  }
  out.end_array();
}

// ---- Live memory --------------------------------------------------------------------------------

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// The kind of op around a block. It determines the live ranges of the block's arguments.
enum class Scope : uint8_t { Function, Condition, Body, Branch };

/// Walks a program in execution order with an explicit stack.
class CurveWalk {
 public:
  explicit CurveWalk(const Module& module)
      : module_(module), begin_(module.num_ops(), 0), end_(module.num_ops(), 0) {}

  MemoryCurve run() {
    if (const auto main = module_.main_function(); main && !module_.is_external(*main)) {
      enter_function(*main);
    }
    while (!open_.empty()) step();
    add_bytes();
    return std::move(curve_);
  }

 private:
  /// A block that is being walked, or the end of an op with regions.
  struct WalkedBlock {
    BlockId block = {};  // invalid: represents the end of `op`
    OpId op = {};        // next op of the block
    Scope scope = Scope::Branch;
    int64_t begin = -1;  // first point of the block; -1 before the walk enters the block
  };

  int64_t now() const { return std::ssize(curve_.points); }
  bool enters(OpId op) const {
    return module_.is(op, OpKind::FuncCall) || module_.has_trait(op, ir::kControlFlow);
  }
  bool allocates(OpId op) const {
    return !enters(op) && !module_.has_trait(op, ir::kTerminator) &&
           !module_.is(op, OpKind::OptimizationBarrier);
  }

  void enter_function(OpId function) {
    const BlockId block = module_.entry(function);
    open_.push_back({block, module_.first_op(block), Scope::Function, now()});
    curve_.points.push_back({function, true, 0});
  }

  void step() {
    WalkedBlock& frame = open_.back();
    if (!frame.block.valid()) {
      end_[frame.op.index()] = now();
      open_.pop_back();
      return;
    }
    if (frame.begin < 0) frame.begin = now();
    if (!frame.op.valid()) {
      const WalkedBlock done = frame;
      open_.pop_back();
      finish(done);
      return;
    }
    const OpId op = frame.op;
    frame.op = module_.next(op);
    visit(op);
  }

  void visit(OpId op) {
    begin_[op.index()] = now();
    if (allocates(op)) curve_.points.push_back({op, false, 0});
    end_[op.index()] = now();
    if (!enters(op)) return;
    open_.push_back({BlockId(), op});
    if (module_.is(op, OpKind::FuncCall)) return call(op);
    const auto regions = module_.regions(op);
    for (std::size_t region = regions.size(); region-- > 0;) {
      const auto blocks = module_.blocks(regions[region]);
      for (std::size_t block = blocks.size(); block-- > 0;) {
        const bool is_loop = module_.is(op, OpKind::While);
        const Scope inner = region == 0 ? Scope::Condition : Scope::Body;
        open_.push_back(
            {blocks[block], module_.first_op(blocks[block]), is_loop ? inner : Scope::Branch});
      }
    }
  }

  void call(OpId op) {
    const std::optional<OpId> callee = ir::callee_of(module_, op);
    // limit, because nested calls may be exponentially many
    const auto most = 4 * std::ssize(begin_) + 1000;
    if (callee && !module_.is_external(*callee) && now() < most) enter_function(*callee);
  }

  /// Adds the live ranges of the values of a block.
  void finish(const WalkedBlock& frame) {
    for (const ValueId arg : module_.args(frame.block)) {
      const bool is_carried = frame.scope == Scope::Condition ||
                              (frame.scope == Scope::Body && module_.num_uses(arg) == 0);
      if (is_carried) {
        add(arg, frame.begin, now() - 1);
      } else if (module_.num_uses(arg) > 0) {
        add(arg, frame.begin, last_of(arg, frame.block));
      }
    }
    for (const OpId op : module_.ops(frame.block)) {
      const int64_t first = allocates(op) ? begin_[op.index()] : end_[op.index()];
      for (std::size_t index = 0; index < module_.num_results(op); ++index) {
        const ValueId result = module_.result(op, index);
        if (module_.num_uses(result) > 0) {
          add(result, first, last_of(result, frame.block));
        } else if (allocates(op)) {
          add(result, first, first);
        }
      }
    }
  }

  void add(ValueId value, int64_t first, int64_t last) {
    if (first > last || !module_.type(value).is_static_tensor()) return;
    curve_.ranges.push_back({value, first, last});
  }

  /// Returns the last point at which a used value is live.
  int64_t last_of(ValueId value, BlockId block) const {
    OpId last;
    bool is_inside = false;  // an op in the regions of `last` uses it
    for (const ir::Use& use : module_.uses(value)) {
      OpId reader = use.op;
      while (module_.parent_block(reader) != block) reader = module_.parent_op(reader);
      const bool is_later = !last.valid() || module_.is_before(last, reader);
      if (is_later) is_inside = false;
      if (is_later) last = reader;
      if (reader == last) is_inside = is_inside || reader != use.op;
    }
    if (allocates(last)) return begin_[last.index()];
    return (is_inside ? end_ : begin_)[last.index()] - 1;
  }

  void add_bytes() {
    std::vector<int64_t> change(curve_.points.size() + 1);
    for (const LiveRange& range : curve_.ranges) {
      const int64_t bytes = module_.type(range.value).num_bytes();
      change[static_cast<std::size_t>(range.first)] += bytes;
      change[static_cast<std::size_t>(range.last) + 1] -= bytes;
    }
    int64_t live = 0;
    for (std::size_t point = 0; point < curve_.points.size(); ++point) {
      live += change[point];
      curve_.points[point].bytes = live;
    }
  }

  const Module& module_;
  std::vector<int64_t> begin_;  // per op: the first point at or after its start
  std::vector<int64_t> end_;    // per op: the point after its last point
  std::vector<WalkedBlock> open_;
  MemoryCurve curve_;
};

}  // namespace

std::size_t MemoryCurve::peak() const {
  const auto highest = std::ranges::max_element(points, {}, &MemoryPoint::bytes);
  return static_cast<std::size_t>(highest - points.begin());
}

MemoryCurve memory_curve(const ir::Module& per_device) { return CurveWalk(per_device).run(); }

// ---- Time and memory ----------------------------------------------------------------------------

namespace {

int64_t place(StringTable& strings, const Location& location) {
  return strings.add(text::place_text(location));
}

}  // namespace

std::string timeline_part(const ProgramData& data, const ProgramIndex& index,
                          const Outline& outline, StringTable& strings) {
  constexpr double kMicroseconds = 1e6;  // per second, the unit of trace events
  std::vector<std::string> rows = {""};
  std::unordered_map<OpId, int64_t> collectives;  // never iterated
  for (const report::Collective& row : data.report.collectives) {
    collectives.emplace(row.op, std::ssize(collectives));
  }
  std::map<std::string, Column> columns;
  std::vector<double> begin;
  std::vector<double> seconds;
  std::vector<double> operations;
  for (const report::TimelineEvent& event : data.timeline) {
    auto row = std::ranges::find(rows, event.axes);
    if (row == rows.end()) row = rows.insert(rows.end(), event.axes);
    const auto collective = collectives.find(event.op);
    begin.push_back(event.begin * kMicroseconds);
    seconds.push_back(event.seconds * kMicroseconds);
    operations.push_back(event.operations);
    columns["name"].push_back(strings.add(event.name));
    columns["row"].push_back(row - rows.begin());
    columns["place"].push_back(place(strings, event.location));
    columns["serves"].push_back(strings.add(event.serves));
    columns["times"].push_back(event.times.count);
    columns["exact"].push_back(event.times.is_exact ? 1 : 0);
    columns["bytes"].push_back(event.bytes);
    columns["node"].push_back(outline.node_of(index.origin(event.op)));
    columns["collective"].push_back(collective != collectives.end() ? collective->second : -1);
  }
  PartWriter out;
  out.begin_object().key("rows").begin_array().string("compute");
  for (std::size_t row = 1; row < rows.size(); ++row) {
    out.string("communication along " + rows[row]);
  }
  out.end_array().member("ts", begin).member("dur", seconds).member("operations", operations);
  for (const char* name :
       {"name", "row", "place", "serves", "times", "exact", "bytes", "node", "collective"}) {
    out.member(name, columns[name]);
  }
  return out.end_object().take();
}

std::string memory_part(const ProgramData& data, const ProgramIndex& index, const Outline& outline,
                        StringTable& strings) {
  const Module& program = data.compiled.program;
  const MemoryCurve curve = memory_curve(program);
  std::map<std::string, Column> points;
  for (const MemoryPoint& point : curve.points) {
    const std::string name = point.is_entry
                                 ? "start of @" + std::string(program.symbol_name(point.op))
                                 : std::string(program.name(point.op));
    points["name"].push_back(strings.add(name));
    points["place"].push_back(point.is_entry ? 0 : place(strings, program.location_text(point.op)));
    points["node"].push_back(outline.node_of(index.origin(point.op)));
    points["bytes"].push_back(point.bytes);
  }
  std::map<std::string, Column> values;
  for (const LiveRange& range : curve.ranges) {
    values["made_by"].push_back(strings.add(report::maker_of(program, range.value)));
    values["type"].push_back(strings.add(ir::to_string(program.type(range.value))));
    values["place"].push_back(place(strings, report::place_of(program, range.value)));
    values["bytes"].push_back(program.type(range.value).num_bytes());
    values["first"].push_back(range.first);
    values["last"].push_back(range.last);
    values["node"].push_back(outline.node_of(index.origin(program.defining_op(range.value))));
  }
  PartWriter out;
  out.begin_object().key("peak").integer(static_cast<int64_t>(curve.peak()));
  for (const char* name : {"name", "place", "node", "bytes"}) out.member(name, points[name]);
  out.key("values").begin_object();
  for (const char* name : {"made_by", "type", "place", "bytes", "first", "last", "node"}) {
    out.member(name, values[name]);
  }
  return out.end_object().end_object().take();
}

}  // namespace shardy::view
