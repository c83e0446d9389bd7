// Builds the outline of a program. In the drawing, a and b are ops.
//
//   func @main                       @main
//     a  loc("step/layer_0/attn")      step
//     b  loc("step/layer_0/mlp")  ->     layer_* x 2
//     a  loc("step/layer_1/attn")          layer_0
//     b  loc("step/layer_1/mlp")             attn: a
//                                            mlp: b
//                                          layer_1 ...
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "text/error_places.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;
using Kind = OutlineNode::Kind;

std::vector<std::string> scope_of(const std::string& location) {
  std::vector<std::string> parts;
  for (const std::string& name : text::source_names(location)) {
    if (name.find('/') == std::string::npos) continue;
    std::size_t begin = 0;
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', begin)) {
      if (at > begin) parts.push_back(name.substr(begin, at - begin));
      begin = at + 1;
    }
    return parts;  // the last part is the op
  }
  return parts;
}

namespace {

/// Returns text without its digits, so that the names of layers are equal.
std::string without_digits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) {
      out += c;
    } else if (!out.ends_with('*')) {
      out += '*';
    }
  }
  return out;
}

uint64_t mixed(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15 + (a << 6U) + (a >> 2U);
  return a * 0xff51afd7ed558ccd;
}

/// Builds a tree, then lists its nodes in pre-order.
class OutlineBuilder {
 public:
  OutlineBuilder(const ProgramIndex& index, const std::vector<OpCost>& costs)
      : module_(index.module()), costs_(costs) {}

  Outline build() {
    tree_.push_back({});  // the module is node 0
    add_block(0, module_.body(), true);
    for (std::size_t done = 0; done < blocks_.size();) {
      const auto [owner, block] = blocks_[done++];  // adds blocks
      add_block(owner, block, false);
    }
    hash_all();
    const std::size_t count = tree_.size();  // nodes of groups are appended later
    for (std::size_t node = 1; node < count; ++node) fold(node);
    return flattened();
  }

 private:
  struct TreeNode {
    Kind kind = Kind::Region;
    std::string label = {};
    OpId op = {};
    uint32_t region = 0;
    std::vector<std::size_t> children = {};
    std::map<std::string, std::size_t, std::less<>> scopes = {};  // children by name
    uint64_t hash = 0;
  };

  std::size_t add_node(std::size_t parent, TreeNode node) {
    tree_.push_back(std::move(node));
    tree_[parent].children.push_back(tree_.size() - 1);
    return tree_.size() - 1;
  }

  std::size_t scope_in(std::size_t parent, const std::string& name) {
    const auto found = tree_[parent].scopes.find(name);
    if (found != tree_[parent].scopes.end()) return found->second;
    const std::size_t scope = add_node(parent, {.kind = Kind::Scope, .label = name});
    tree_[parent].scopes.emplace(name, scope);
    return scope;
  }

  void add_block(std::size_t owner, ir::BlockId block, bool is_top) {
    std::vector<OpId> ops;
    std::vector<std::vector<std::string>> scopes;
    for (const OpId op : module_.ops(block)) {
      if (module_.is(op, ir::OpKind::SdyMesh)) continue;
      ops.push_back(op);
      scopes.push_back(is_top ? std::vector<std::string>() : scope_of(module_.location_text(op)));
    }
    const std::size_t common = common_parts(scopes);
    for (std::size_t index = 0; index < ops.size(); ++index) {
      std::size_t parent = owner;
      for (std::size_t part = common; part < scopes[index].size(); ++part) {
        parent = scope_in(parent, scopes[index][part]);
      }
      add_op(parent, ops[index]);
    }
  }

  /// Returns the number of leading parts that all nonempty scopes have in common.
  static std::size_t common_parts(const std::vector<std::vector<std::string>>& scopes) {
    const std::vector<std::string>* first = nullptr;
    std::size_t common = 0;
    for (const auto& scope : scopes) {
      if (scope.empty()) continue;
      if (first == nullptr) {
        first = &scope;
        common = scope.size();
      }
      const auto [end, other] =
          std::mismatch(first->begin(), first->end(), scope.begin(), scope.end());
      common = std::min(common, static_cast<std::size_t>(end - first->begin()));
    }
    return common;
  }

  void add_op(std::size_t parent, OpId op) {
    const bool is_function = module_.is(op, ir::OpKind::Func);
    const std::string name(module_.name(op));
    const std::string label =
        is_function ? std::string(module_.symbol_name(op)) : name.substr(name.find('.') + 1);
    const std::size_t node = add_node(
        parent, {.kind = is_function ? Kind::Function : Kind::Op, .label = label, .op = op});
    const auto regions = module_.regions(op);
    for (uint32_t region = 0; region < regions.size(); ++region) {
      const std::size_t inner = is_function ? node
                                            : add_node(node, {.kind = Kind::Region,
                                                              .label = region_label(op, region),
                                                              .op = op,
                                                              .region = region});
      for (const ir::BlockId block : module_.blocks(regions[region])) {
        blocks_.emplace_back(inner, block);
      }
    }
  }

  std::string region_label(OpId op, uint32_t region) const {
    if (module_.is(op, ir::OpKind::While)) return region == 0 ? "condition" : "body";
    if (module_.is(op, ir::OpKind::If)) return region == 0 ? "true branch" : "false branch";
    if (module_.regions(op).size() == 1) return "body";
    return "region " + std::to_string(region);
  }

  // ---- Repeated children ------------------------------------------------------------------------

  /// Hashes all nodes. Children have higher numbers than their parents, so the loop is in reverse
  /// order.
  void hash_all() {
    const std::hash<std::string> hash_of;
    for (std::size_t node = tree_.size(); node-- > 0;) {
      TreeNode& here = tree_[node];
      uint64_t hash = static_cast<uint64_t>(here.kind) + 1;
      if (here.kind == Kind::Scope) hash = mixed(hash, hash_of(without_digits(here.label)));
      if (here.kind == Kind::Op) hash = mixed(hash, op_hash(here.op));
      for (const std::size_t child : here.children) hash = mixed(hash, tree_[child].hash);
      here.hash = hash;
    }
  }

  uint64_t op_hash(OpId op) {
    uint64_t hash = std::hash<std::string_view>()(module_.name(op));
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      hash = mixed(hash, type_hash(module_.type(module_.operand(op, index))));
    }
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      hash = mixed(hash, type_hash(module_.type(module_.result(op, index))));
    }
    return hash;
  }
  static uint64_t type_hash(const ir::Type& type) {
    if (!type.is_static_tensor()) return std::hash<std::string>()(ir::to_string(type));
    uint64_t hash = static_cast<uint64_t>(type.element()) + 7;
    for (const int64_t size : type.dims()) hash = mixed(hash, static_cast<uint64_t>(size));
    return hash;
  }

  /// A run of equal children: `period` children that occur `times` times in sequence.
  struct Run {
    std::size_t period = 0;
    std::size_t times = 0;
    std::size_t covered() const { return period * times; }
  };

  /// Returns the run from `begin` on that covers the most children; `times` is 0 if none exists.
  /// Tries only the distances to the next few equal children.
  Run run_at(const std::vector<std::size_t>& children, std::size_t begin,
             const std::vector<std::size_t>& next) const {
    constexpr int kTried = 8;
    Run best;
    std::size_t equal = next[begin];
    for (int tried = 0; tried < kTried && equal < children.size(); ++tried, equal = next[equal]) {
      const std::size_t period = equal - begin;
      std::size_t same = 0;
      while (equal + same < children.size() &&
             tree_[children[begin + same]].hash == tree_[children[equal + same]].hash) {
        ++same;
      }
      const Run run{period, same / period + 1};
      if (run.times >= 2 && run.covered() > best.covered() && is_worth(children[begin], run)) {
        best = run;
      }
    }
    return best;
  }

  /// Checks whether a run is long enough: folding few ops would hide more than it saves.
  bool is_worth(std::size_t first, const Run& run) const {
    const bool is_scope = tree_[first].kind == Kind::Scope;
    if (run.period == 1) return is_scope || run.times >= 8;
    return run.covered() >= 12;
  }

  /// Replaces repeated children of a node by one child per run.
  void fold(std::size_t node) {
    const std::vector<std::size_t> children = tree_[node].children;
    if (children.size() < 2 || tree_[node].kind == Kind::Op) return;
    const std::vector<std::size_t> next = next_equal(children);
    std::vector<std::size_t> folded;
    for (std::size_t at = 0; at < children.size();) {
      const Run run = run_at(children, at, next);
      if (run.times < 2) {
        folded.push_back(children[at++]);
        continue;
      }
      folded.push_back(add_repeat(children, at, run));
      at += run.covered();
    }
    tree_[node].children = std::move(folded);
  }

  /// Returns for each child the index of the next equal child; the number of children if none
  /// follows.
  std::vector<std::size_t> next_equal(const std::vector<std::size_t>& children) const {
    std::vector<std::size_t> next(children.size(), children.size());
    std::unordered_map<uint64_t, std::size_t> last;  // never iterated
    for (std::size_t at = children.size(); at-- > 0;) {
      const auto [found, is_new] = last.try_emplace(tree_[children[at]].hash, at);
      if (is_new) continue;
      next[at] = found->second;
      found->second = at;
    }
    return next;
  }

  std::size_t add_repeat(const std::vector<std::size_t>& children, std::size_t begin,
                         const Run& run) {
    const std::size_t repeat = tree_.size();
    tree_.push_back({.kind = Kind::Repeat, .label = run_label(children, begin, run)});
    for (std::size_t time = 0; time < run.times; ++time) {
      const std::size_t first = begin + time * run.period;
      if (run.period == 1) {
        tree_[repeat].children.push_back(children[first]);
        continue;
      }
      const std::size_t group = add_node(
          repeat, {.kind = Kind::Scope,
                   .label = std::to_string(time + 1) + " of " + std::to_string(run.times)});
      tree_[group].children.assign(
          children.begin() + static_cast<std::ptrdiff_t>(first),
          children.begin() + static_cast<std::ptrdiff_t>(first + run.period));
    }
    return repeat;
  }

  std::string run_label(const std::vector<std::size_t>& children, std::size_t begin,
                        const Run& run) const {
    const TreeNode& first = tree_[children[begin]];
    std::string label = first.kind == Kind::Scope ? without_digits(first.label) : first.label;
    if (run.period == 1) return label;
    return label + " and " + std::to_string(run.period - 1) + " more";
  }

  // ---- Nodes in pre-order -----------------------------------------------------------------------

  Outline flattened() const {
    Outline outline;
    outline.node_of_op.assign(module_.num_ops(), -1);
    struct Open {
      std::size_t node;
      std::size_t next = 0;
      int64_t place = -1;
    };
    std::vector<Open> open = {{0}};
    while (!open.empty()) {
      Open& here = open.back();
      if (here.next == tree_[here.node].children.size()) {
        close(outline, here.place);
        open.pop_back();
        continue;
      }
      const std::size_t child = tree_[here.node].children[here.next++];
      const int64_t place = add_to(outline, child, here.place);
      open.push_back({child, 0, place});
    }
    return outline;
  }

  int64_t add_to(Outline& outline, std::size_t child, int64_t parent) const {
    const TreeNode& node = tree_[child];
    const auto place = static_cast<int64_t>(outline.nodes.size());
    OutlineNode row{.kind = node.kind, .label = node.label, .parent = parent};
    row.op = node.op;
    row.region = node.region;
    if (node.kind == Kind::Repeat) row.times = static_cast<int64_t>(node.children.size());
    if (node.kind == Kind::Op || node.kind == Kind::Function) {
      outline.node_of_op[node.op.index()] = place;
      row.cost = costs_[node.op.index()];
      row.ops = node.kind == Kind::Op ? 1 : 0;
    }
    outline.nodes.push_back(std::move(row));
    return place;
  }

  /// Adds the totals of a complete node to its parent.
  static void close(Outline& outline, int64_t place) {
    if (place < 0) return;
    OutlineNode& node = outline.nodes[static_cast<std::size_t>(place)];
    node.end = std::ssize(outline.nodes);
    if (node.parent < 0) return;
    OutlineNode& parent = outline.nodes[static_cast<std::size_t>(node.parent)];
    parent.ops += node.ops;
    parent.cost += node.cost;
  }

  const Module& module_;
  const std::vector<OpCost>& costs_;
  std::vector<TreeNode> tree_;
  std::vector<std::pair<std::size_t, ir::BlockId>>
      blocks_;  // blocks of regions, in the order found
};

}  // namespace

Outline outline_of(const ProgramIndex& index, const std::vector<OpCost>& costs) {
  return OutlineBuilder(index, costs).build();
}

}  // namespace shardy::view
