// Writes the graph of a program for Graphviz and for Model Explorer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/view/page.hpp"
#include "support/quantities.hpp"
#include "text/bytes_text.hpp"
#include "text/error_places.hpp"
#include "text/json_writer.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;
using ir::ValueId;
using Kind = OutlineNode::Kind;

namespace {

/// The data for both formats: outline, shardings of values, collectives of ops.
class ProgramGraph {
 public:
  explicit ProgramGraph(const ProgramData& data)
      : data_(data),
        module_(data.names.module()),
        index_(data),
        outline_(outline_of(index_, index_.costs())) {
    for (const auto& value : data.explanation.values) {
      if (value.value.valid() && value.sharding) {
        shardings_.try_emplace(value.value, *value.sharding);
      }
    }
    for (const report::Collective& row : data.report.collectives) {
      collectives_[index_.origin(row.op)].push_back(
          fmt::format("{}{}{}: {}", row.kind, row.axes.empty() ? "" : " ", row.axes,
                      bytes_text(row.bytes * row.times.count)));
    }
  }

  const Module& module() const { return module_; }
  const Outline& outline() const { return outline_; }
  std::string name(ValueId value) const { return data_.names(value); }
  std::string type(ValueId value) const { return ir::to_string(module_.type(value)); }
  const TensorSharding* sharding(ValueId value) const {
    const auto found = shardings_.find(value);
    return found != shardings_.end() ? &found->second : nullptr;
  }
  std::string sharding_text(ValueId value) const {
    const TensorSharding* found = sharding(value);
    return found != nullptr ? to_string(*found) : "none";
  }
  const std::vector<std::string>& collectives(OpId op) const {
    static const std::vector<std::string> kNone;
    const auto found = collectives_.find(op);
    return found != collectives_.end() ? found->second : kNone;
  }
  /// Returns the arguments of the region that an outline node represents.
  std::vector<ValueId> arguments(const OutlineNode& node) const {
    if (node.kind != Kind::Function && node.kind != Kind::Region) return {};
    std::vector<ValueId> args;
    for (const ir::BlockId block : module_.blocks(module_.regions(node.op)[node.region])) {
      args.insert(args.end(), module_.args(block).begin(), module_.args(block).end());
    }
    return args;
  }
  /// Returns the id of a value's node: of the op that defines it, or of the argument.
  std::string node_id(ValueId value) const {
    const OpId op = module_.defining_op(value);
    return op.valid() ? fmt::format("n{}", outline_.node_of(op)) : argument_id(value);
  }
  std::string argument_id(ValueId value) const {
    return fmt::format("v{}", index_.number_of(value));
  }

 private:
  const ProgramData& data_;
  const Module& module_;
  ProgramIndex index_;
  Outline outline_;
  std::unordered_map<ValueId, TensorSharding> shardings_;           // never iterated
  std::unordered_map<OpId, std::vector<std::string>> collectives_;  // never iterated
};

// ---- Graphviz -----------------------------------------------------------------------------------

/// The colours of axes in mesh order (Okabe and Ito), which colour-blind people can distinguish.
constexpr std::array<std::string_view, 7> kAxisColours = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"};

/// Returns text in quotes for Graphviz. A newline stays a line break.
std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text::printable_text(text)) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class DotWriter {
 public:
  explicit DotWriter(const ProgramGraph& graph) : graph_(graph), module_(graph.module()) {}

  std::string write() {
    out_ =
        "digraph {\n"
        "  graph [compound=true, fontname=\"sans-serif\", style=rounded, color=\"#c0c0c0\"];\n"
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f6f6\", color=\"#808080\", "
        "fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    const std::vector<OutlineNode>& nodes = graph_.outline().nodes;
    std::vector<int64_t> ends;  // ends of the open clusters
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      close(ends, static_cast<int64_t>(at));
      write_node(nodes[at], at);
      if (is_cluster(nodes[at])) ends.push_back(nodes[at].end);
    }
    close(ends, std::ssize(nodes));
    return out_ + edges_ + "}\n";
  }

 private:
  static bool is_cluster(const OutlineNode& node) { return node.kind != Kind::Op; }
  std::string indent() const { return std::string(2 * depth_, ' '); }

  void close(std::vector<int64_t>& ends, int64_t at) {
    while (!ends.empty() && ends.back() <= at) {
      ends.pop_back();
      --depth_;
      out_ += indent() + "}\n";
    }
  }

  void write_node(const OutlineNode& node, std::size_t at) {
    if (!is_cluster(node)) return write_op(node.op, at);
    const std::string times = node.times > 1 ? fmt::format(" x {}", node.times) : "";
    const std::string mark = node.kind == Kind::Function ? "@" : "";
    out_ += fmt::format("{}subgraph cluster_{} {{\n", indent(), at);
    ++depth_;
    out_ += fmt::format("{}label={};\n", indent(), dot_text(mark + node.label + times));
    for (const ValueId arg : graph_.arguments(node)) {
      out_ +=
          fmt::format("{}{} [shape=ellipse, label={}, tooltip={}];\n", indent(),
                      graph_.argument_id(arg), dot_text(graph_.name(arg) + "\n" + graph_.type(arg)),
                      dot_text(graph_.sharding_text(arg)));
    }
  }

  void write_op(OpId op, std::size_t at) {
    std::string label(module_.name(op));
    for (std::size_t result = 0; result < std::min<std::size_t>(module_.num_results(op), 4);
         ++result) {
      label += "\n" + graph_.type(module_.result(op, result));
    }
    for (const std::string& collective : graph_.collectives(op)) label += "\n" + collective;
    const bool communicates = !graph_.collectives(op).empty();
    out_ += fmt::format("{}n{} [label={}, tooltip={}{}];\n", indent(), at, dot_text(label),
                        dot_text(text::place_text(module_.location_text(op))),
                        communicates ? ", penwidth=2, color=\"#d55e00\"" : "");
    for (std::size_t operand = 0; operand < module_.num_operands(op); ++operand) {
      write_edge(module_.operand(op, operand), at);
    }
  }

  void write_edge(ValueId value, std::size_t to) {
    edges_ += fmt::format("  {} -> n{} [tooltip={}{}];\n", graph_.node_id(value), to,
                          dot_text(graph_.name(value) + " " + graph_.sharding_text(value)),
                          edge_style(graph_.sharding(value)));
  }

  /// Returns the style of an edge: one colour per axis that shards the value, grey without axes,
  /// dashed if unreduced.
  static std::string edge_style(const TensorSharding* sharding) {
    std::string colours;
    if (sharding != nullptr) {
      for (const DimSharding& dim : sharding->dims()) {
        for (const AxisRef& axis : dim.axes) {
          const auto index = static_cast<std::size_t>(axis.axis) % kAxisColours.size();
          colours += (colours.empty() ? "" : ":") + std::string(kAxisColours[index]);
        }
      }
    }
    const bool is_partial = sharding != nullptr && !sharding->unreduced_axes().empty();
    return fmt::format(", color=\"{}\"{}", colours.empty() ? "#a0a0a0" : colours,
                       is_partial ? ", style=dashed" : "");
  }

  const ProgramGraph& graph_;
  const Module& module_;
  std::string out_;
  std::string edges_;
  std::size_t depth_ = 1;
};

// ---- Model Explorer -----------------------------------------------------------------------------

class ModelExplorerWriter {
 public:
  explicit ModelExplorerWriter(const ProgramGraph& graph)
      : graph_(graph), module_(graph.module()) {}

  std::string write(std::string_view title) {
    using JsonLayout = text::JsonWriter::JsonLayout;
    out_.begin_array(JsonLayout::Broken);
    out_.begin_object(JsonLayout::Broken);
    out_.key("label").string(title);
    out_.key("graphs").begin_array(JsonLayout::Broken);
    const std::vector<OutlineNode>& nodes = graph_.outline().nodes;
    for (std::size_t at = 0; at < nodes.size(); at = static_cast<std::size_t>(nodes[at].end)) {
      if (nodes[at].kind == Kind::Function || nodes[at].ops > 0) write_graph(at);
    }
    out_.end_array();
    out_.end_object();
    out_.end_array();
    return out_.take() + "\n";
  }

 private:
  void write_graph(std::size_t root) {
    using JsonLayout = text::JsonWriter::JsonLayout;
    const std::vector<OutlineNode>& nodes = graph_.outline().nodes;
    out_.begin_object(JsonLayout::Broken);
    out_.key("id").string(nodes[root].label);
    out_.key("nodes").begin_array(JsonLayout::Broken);
    std::vector<std::string> spaces(nodes.size());  // namespace of the children of each node
    for (auto at = root; at < static_cast<std::size_t>(nodes[root].end); ++at) {
      const OutlineNode& node = nodes[at];
      const auto parent = static_cast<std::size_t>(std::max<int64_t>(node.parent, 0));
      const std::string above = at == root ? "" : spaces[parent];
      const std::string label = part_of(node, at);
      if (at != root) spaces[at] = above.empty() ? label : fmt::format("{}/{}", above, label);
      for (const ValueId arg : graph_.arguments(node)) write_argument(arg, spaces[at]);
      if (node.kind == Kind::Op) write_op(node.op, at, above);
    }
    out_.end_array();
    out_.end_object();
  }

  /// Returns a name for a namespace. Siblings must have different names, without a slash.
  static std::string part_of(const OutlineNode& node, std::size_t at) {
    std::string part = node.label;
    std::ranges::replace(part, '/', '_');
    if (node.kind == Kind::Op) part += fmt::format("_{}", at);
    if (node.times > 1) part += fmt::format(" x {}", node.times);
    return part;
  }

  void begin_node(const std::string& id, const std::string& label, const std::string& space) {
    out_.begin_object();
    out_.key("id").string(id);
    out_.key("label").string(label);
    out_.key("namespace").string(space);
  }

  void write_attribute(std::string_view key, std::string_view value) {
    out_.begin_object();
    out_.key("key").string(key);
    out_.key("value").string(value);
    out_.end_object();
  }

  void write_outputs(const std::vector<ValueId>& values) {
    out_.key("outputsMetadata").begin_array();
    for (std::size_t index = 0; index < values.size(); ++index) {
      out_.begin_object();
      out_.key("id").string(std::to_string(index));
      out_.key("attrs").begin_array();
      write_attribute("name", graph_.name(values[index]));
      write_attribute("tensor_shape", graph_.type(values[index]));
      write_attribute("sharding", graph_.sharding_text(values[index]));
      out_.end_array();
      out_.end_object();
    }
    out_.end_array();
  }

  void write_argument(ValueId value, const std::string& space) {
    begin_node(graph_.argument_id(value), graph_.name(value), space);
    write_outputs({value});
    out_.end_object();
  }

  void write_op(OpId op, std::size_t at, const std::string& space) {
    const OutlineNode& node = graph_.outline().nodes[at];
    begin_node(fmt::format("n{}", at), std::string(module_.name(op)), space);
    out_.key("attrs").begin_array();
    write_attribute("location", text::place_text(module_.location_text(op)));
    if (node.cost.bytes > 0) write_attribute("bytes sent", grouped(node.cost.bytes));
    for (const std::string& collective : graph_.collectives(op)) {
      write_attribute("collective", collective);
    }
    out_.end_array();
    out_.key("incomingEdges").begin_array();
    for (std::size_t operand = 0; operand < module_.num_operands(op); ++operand) {
      const ValueId value = module_.operand(op, operand);
      out_.begin_object();
      out_.key("sourceNodeId").string(graph_.node_id(value));
      const ir::ValueOwner owner = module_.owner(value);
      out_.key("sourceNodeOutputId").string(std::to_string(owner.is_result() ? owner.index : 0));
      out_.key("targetNodeInputId").string(std::to_string(operand));
      out_.end_object();
    }
    out_.end_array();
    write_outputs(module_.results(op));
    out_.end_object();
  }

  const ProgramGraph& graph_;
  const Module& module_;
  text::JsonWriter out_{100, true};
};

}  // namespace

std::string to_dot(const ProgramData& data) {
  const ProgramGraph graph(data);
  return DotWriter(graph).write();
}

std::string to_model_explorer(const ProgramData& data, std::string_view title) {
  const ProgramGraph graph(data);
  return ModelExplorerWriter(graph).write(title);
}

}  // namespace shardy::view
