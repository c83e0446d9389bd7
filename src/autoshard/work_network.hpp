// The form of a problem on which the solver works: nodes whose choices can be removed, one edge per
// pair of nodes, and the time points that can exceed the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/autoshard/problem.hpp>
#include <span>
#include <vector>

namespace shardy::autoshard {

/// Converts an index for containers.
constexpr std::size_t at(int64_t index) { return static_cast<std::size_t>(index); }

/// Marks forbidden cells in the tables of the solver. The sum of two such values does not overflow.
inline constexpr int64_t kInfinite = (int64_t{1} << 62U) - 1;

/// Returns a + b, at most kInfinite. Requires: both are in [-2^61, kInfinite].
constexpr int64_t add_capped(int64_t a, int64_t b) {
  const int64_t sum = a + b;
  return sum < kInfinite ? sum : kInfinite;
}

/// A matrix with a row per class of choices of the first node, and a column per class of choices of
/// the second node. The cells of choices of one class are equal. Each class has a choice.
struct WorkTable {
  int32_t rows = 0;
  int32_t columns = 0;
  int64_t begin = 0;      // index of the first cell
  int64_t row_of = 0;     // index of the row of choice 0 in a list of classes
  int64_t column_of = 0;  // as row_of

  int64_t num_cells() const { return int64_t{rows} * columns; }
};

/// An edge between two nodes.
struct WorkEdge {
  int32_t a = 0;  // less than b
  int32_t b = 0;
  int32_t table = 0;
};

/// The end of an edge at a node.
struct WorkLink {
  int32_t edge = 0;
  int32_t other = 0;      // the node at the other end
  bool is_first = false;  // the node is `a` of the edge
};

/// The cells of a table.
struct TableCells {
  const int64_t* cells = nullptr;      // row-major
  const int32_t* row_of = nullptr;     // per choice of the first node
  const int32_t* column_of = nullptr;  // per choice of the second node
  std::size_t rows = 0;
  std::size_t columns = 0;

  int64_t of(int32_t first, int32_t second) const {
    return cells[at(row_of[first]) * columns + at(column_of[second])];
  }
  /// Returns the cell of the choice `own` of the node of a link, and of the choice of the other
  /// one.
  int64_t of(const WorkLink& link, int32_t own, int32_t other) const {
    return link.is_first ? of(own, other) : of(other, own);
  }
};

/// The bytes of a node or edge at the points [begin, end).
struct WorkUsage {
  int32_t owner = 0;  // a node or an edge
  int32_t begin = 0;
  int32_t end = 0;
  int64_t bytes = 0;  // for a node: index in `bytes` of choice 0; for an edge: table
};

inline TableCells view_of(const WorkTable& table, const std::vector<int64_t>& cells,
                          const std::vector<int32_t>& classes) {
  return {cells.data() + table.begin, classes.data() + table.row_of,
          classes.data() + table.column_of, at(table.rows), at(table.columns)};
}

/// Classes of choices: two choices are in one class if they are so in each of several lists.
struct JoinedClasses {
  std::vector<int32_t> class_of;  // per choice; numbers in the order of their first choices
  std::vector<int32_t> first;     // per class: its first choice
};

/// Requires: lists of one length above 0.
JoinedClasses join_classes(std::span<const std::span<const int32_t>> lists);

/// A problem in which each node has only some of its choices. Each of them has a finite price, and
/// a pair of finite price with each neighbour.
struct WorkNetwork {
  std::vector<int32_t> first{0};       // per node: its first choice; one more entry than nodes
  std::vector<int32_t> original;       // per choice: its index in the node of the problem
  std::vector<int64_t> unary;          // price per choice
  std::vector<WorkTable> tables;       // tables of prices, and of bytes of edges
  std::vector<int32_t> classes;        // lists of classes for the tables
  std::vector<int64_t> cells;          // kInfinite: forbidden
  std::vector<WorkEdge> edges;         // sorted by a, then b
  std::vector<int32_t> first_link{0};  // per node; one more entry than nodes
  std::vector<WorkLink> links;
  int32_t num_points = 0;      // number of time points that can exceed the limit
  std::vector<int64_t> times;  // times of these points
  int64_t limit = kUnlimited;
  std::vector<WorkUsage> node_usages;  // sorted by node
  std::vector<WorkUsage> edge_usages;  // sorted by edge
  std::vector<int64_t> bytes;

  int32_t num_nodes() const { return static_cast<int32_t>(first.size()) - 1; }
  int32_t size(int32_t node) const { return first[at(node) + 1] - first[at(node)]; }
  std::span<const WorkLink> links_of(int32_t node) const {
    return {links.data() + first_link[at(node)],
            at(first_link[at(node) + 1] - first_link[at(node)])};
  }
  TableCells table_cells(int32_t table) const { return view_of(tables[at(table)], cells, classes); }
  /// Returns the price of a pair. Requires: choices of the edge's nodes.
  int64_t pair_price(const WorkEdge& edge, int32_t choice_a, int32_t choice_b) const {
    return table_cells(edge.table).of(choice_a, choice_b);
  }
};

/// Fills the links of all nodes from the edges.
void link_edges(WorkNetwork& network);

/// Returns the network with all choices of a problem, and the points that can exceed the limit.
/// Requires: check_problem accepts the problem.
WorkNetwork make_work_network(const CostNetwork& network, int64_t limit);

/// Keeps the choices that `keep` flags, one flag per choice, if they have a pair of finite price
/// with each neighbour. Removes points that cannot exceed the limit any more. Returns false if a
/// node has no choice left; such a network must not be used.
bool restrict_choices(WorkNetwork& network, std::vector<char> keep);

/// Returns per point the sum of the largest live bytes of the nodes and edges.
std::vector<int64_t> largest_live_bytes(const WorkNetwork& network);

/// Returns the largest sum, over all points, of the least live bytes of the nodes and edges: no
/// choice has a lower peak.
int64_t least_live_bytes(const WorkNetwork& network);

/// Removes choices that another choice of the node can replace at no higher price and with no more
/// bytes at any point (U.6.1). Keeps an optimum. Returns false if no choice fits.
bool remove_dominated(WorkNetwork& network);

/// Returns the live bytes of each point. Requires: a choice per node.
std::vector<int64_t> live_bytes(const WorkNetwork& network, std::span<const int32_t> choice);

/// Returns the sum of prices, at most kInfinite. Requires: a choice per node.
int64_t work_price(const WorkNetwork& network, std::span<const int32_t> choice);

/// Returns the choice in the problem. Requires: a choice per node.
std::vector<int32_t> original_choice(const WorkNetwork& network, std::span<const int32_t> choice);

}  // namespace shardy::autoshard
