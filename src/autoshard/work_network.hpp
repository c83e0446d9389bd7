// The form of a problem that the solver works on: domains that shrink, one edge per pair of nodes,
// and the time points that can exceed the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/autoshard/problem.hpp>
#include <span>
#include <vector>

namespace shardy::autoshard {

/// An index for a container.
constexpr std::size_t at(int64_t index) { return static_cast<std::size_t>(index); }

/// Forbidden, in the tables of the solver. Two of them can be added.
inline constexpr int64_t kInfinite = (int64_t{1} << 62U) - 1;

/// Returns a + b, at most kInfinite. Requires: both at least -2^61, at most kInfinite.
constexpr int64_t add_capped(int64_t a, int64_t b) {
  const int64_t sum = a + b;
  return sum < kInfinite ? sum : kInfinite;
}

/// An edge; `table` has a row per choice of `a` and a column per choice of `b`.
struct WorkEdge {
  int32_t a = 0;  // < b
  int32_t b = 0;
  int32_t table = 0;
};

/// The end of an edge at a node.
struct WorkLink {
  int32_t edge = 0;
  int32_t other = 0;      // node at the other end
  bool is_first = false;  // the node is `a` of the edge
};

/// Bytes of a node, or of an edge, at the points [begin, end).
struct WorkUsage {
  int32_t owner = 0;  // node or edge
  int32_t begin = 0;
  int32_t end = 0;
  int64_t bytes = 0;  // node: index in `bytes` of choice 0; edge: table
};

/// A problem with some choices left of each node. All choices that are left have a finite price,
/// and with each neighbour a pair of finite price.
struct WorkNetwork {
  std::vector<int32_t> first{0};       // of the choices of a node; one more entry than nodes
  std::vector<int32_t> original;       // of each choice, its index in the node of the problem
  std::vector<int64_t> unary;          // price of each choice
  std::vector<CostTable> tables;       // prices, and bytes of edges
  std::vector<int64_t> cells;          // kInfinite: forbidden
  std::vector<WorkEdge> edges;         // by a, then b
  std::vector<int32_t> first_link{0};  // of a node; one more entry than nodes
  std::vector<WorkLink> links;
  int32_t num_points = 0;      // time points that can exceed the limit
  std::vector<int64_t> times;  // of these points
  int64_t limit = kUnlimited;
  std::vector<WorkUsage> node_usages;  // by node
  std::vector<WorkUsage> edge_usages;  // by edge
  std::vector<int64_t> bytes;

  int32_t num_nodes() const { return static_cast<int32_t>(first.size()) - 1; }
  int32_t size(int32_t node) const { return first[at(node) + 1] - first[at(node)]; }
  std::span<const WorkLink> links_of(int32_t node) const {
    return {links.data() + first_link[at(node)],
            at(first_link[at(node) + 1] - first_link[at(node)])};
  }
  const int64_t* table_begin(int32_t table) const { return cells.data() + tables[at(table)].begin; }
  /// Price of a pair. Requires: choices of the nodes of the edge.
  int64_t pair_price(const WorkEdge& edge, int32_t choice_a, int32_t choice_b) const {
    const CostTable& table = tables[at(edge.table)];
    return cells[at(table.begin + int64_t{choice_a} * table.columns + choice_b)];
  }
};

/// Fills the links of all nodes from the edges.
void link_edges(WorkNetwork& network);

/// Returns the network with all choices of a problem, and the points that can exceed the limit.
/// Requires: check_problem.
WorkNetwork make_work_network(const CostNetwork& network, int64_t limit);

/// Keeps the choices of `keep`, one flag per choice, and of these the ones that have a pair of
/// finite price with each neighbour. Returns false if a node has no choice left: then the network
/// is not to be used. Points that cannot exceed the limit any more are left out.
bool restrict_choices(WorkNetwork& network, std::vector<char> keep);

/// Removes choices that another choice of the node replaces at no higher price, with no more bytes
/// at any point (U.6.1). Returns false if nothing fits. Keeps an optimum.
bool remove_dominated(WorkNetwork& network);

/// Returns the live bytes of each point. Requires: a choice per node.
std::vector<int64_t> live_bytes(const WorkNetwork& network, std::span<const int32_t> choice);

/// Returns the sum of prices, at most kInfinite. Requires: a choice per node.
int64_t work_price(const WorkNetwork& network, std::span<const int32_t> choice);

/// Returns the choice of the problem. Requires: a choice per node.
std::vector<int32_t> original_choice(const WorkNetwork& network, std::span<const int32_t> choice);

}  // namespace shardy::autoshard
