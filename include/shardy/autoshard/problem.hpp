// The problem of choosing one strategy per node: prices of nodes and edges, bytes that are live at
// time points, and a limit of bytes.
#pragma once

#include <cstdint>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Spec: autoshard U.5. No file of this part reads programs: a problem is integers.

namespace shardy::autoshard {

/// Prices from here on forbid a choice, or a pair of choices. Lower prices are femtoseconds.
inline constexpr int64_t kForbidden = 100'000'000'000'000'000;
/// Price of a choice with a forbidden part.
inline constexpr int64_t kNoPrice = INT64_MAX;
/// No limit of bytes.
inline constexpr int64_t kUnlimited = INT64_MAX;

/// Limits of a problem; check_problem refuses larger ones.
inline constexpr int64_t kMaxNodes = 4'000'000;
inline constexpr int64_t kMaxChoices = 1'000'000;        // of one node
inline constexpr int64_t kMaxAllChoices = 50'000'000;    // of all nodes
inline constexpr int64_t kMaxCells = 500'000'000;        // of all tables
inline constexpr int64_t kMaxTime = int64_t{1} << 40U;   // of a time point
inline constexpr int64_t kMaxTotal = int64_t{1} << 61U;  // of a sum of prices, or of bytes

/// A matrix of int64, row-major, that any number of edges share.
struct CostTable {
  int32_t rows = 0;     // choices of the first node
  int32_t columns = 0;  // choices of the second node
  int64_t begin = 0;    // of its cells in CostNetwork::cells
};

/// Prices of the pairs of choices of two nodes.
struct CostEdge {
  int32_t from = 0;   // node of the rows
  int32_t to = 0;     // node of the columns; another one
  int32_t table = 0;  // index in CostNetwork::tables
};

/// Bytes that are live from `begin` until before `end`, by the choice of one node.
struct NodeUsage {
  int32_t node = 0;   // whose choice decides
  int64_t begin = 0;  // first time point
  int64_t end = 0;    // time point after the last one; begin == end: never live
  int64_t bytes = 0;  // index of the bytes of choice 0 in CostNetwork::usage_bytes
};

/// Bytes that are live from `begin` until before `end`, by the choices of the nodes of an edge: a
/// private copy in front of a reader, for one.
struct EdgeUsage {
  int32_t edge = 0;   // whose choices decide
  int64_t begin = 0;  // first time point
  int64_t end = 0;    // time point after the last one
  int32_t table = 0;  // bytes of each pair of choices, rows and columns as those of the edge
};

/// Place of a node in a run of blocks that are alike (U.6.3). Nodes of equal `member` in different
/// blocks correspond: equal choices, prices, and edges to corresponding nodes. The first and the
/// last block may differ from the others in prices.
struct BlockPlace {
  int32_t block = -1;   // number of the block, from 0; -1: in none
  int32_t member = -1;  // number within the block
};

/// Nodes that each have some choices, prices of choices and of pairs of choices along edges, and
/// bytes that are live at time points. Prices and bytes are at least 0. Flat: nodes, edges and
/// tables are indices. Nodes are in program order, as far as there is one; the solver goes along
/// it.
struct CostNetwork {
  std::string name;                      // of the problem, for its files
  std::vector<int64_t> first_choice{0};  // of node v in `unary`; one more entry than nodes
  std::vector<int64_t> unary;            // price of each choice of each node
  std::vector<CostTable> tables;         // each matrix once
  std::vector<int64_t> cells;            // of all tables
  std::vector<CostEdge> edges;           // several between two nodes add up
  std::vector<NodeUsage> node_usages;    // several of a node add up
  std::vector<EdgeUsage> edge_usages;    // several of an edge add up
  std::vector<int64_t> usage_bytes;      // of node usages, by choice
  int64_t limit = kUnlimited;            // of the bytes live at a time point
  std::vector<std::string> labels;       // of nodes, for people; empty, or one per node
  std::vector<BlockPlace> blocks;        // of nodes; empty, or one per node

  /// Number of nodes.
  int32_t num_nodes() const { return static_cast<int32_t>(first_choice.size()) - 1; }
  /// Number of choices of a node. Requires: a node, whose choices are in `unary`.
  int32_t num_choices(int32_t node) const;
  /// Prices of the choices of a node. Requires: as num_choices.
  std::span<const int64_t> prices(int32_t node) const;
  /// Cells of a table, row-major. Requires: a table, whose cells are in `cells`.
  std::span<const int64_t> table_cells(int32_t table) const;
  /// Bytes of a usage by choice. Requires: a usage of a node, whose bytes are in `usage_bytes`.
  std::span<const int64_t> bytes_of(const NodeUsage& usage) const;
};

/// Adds nodes, edges and usages to a network; stores each matrix once.
class CostNetworkBuilder {
 public:
  /// Adds a node with a price per choice; returns its index. Requires: a choice.
  int32_t add_node(std::span<const int64_t> prices, std::string label = {});
  /// Returns the index of the table with these cells, row-major; a new one if none is equal.
  /// Requires: rows, columns >= 1, rows * columns cells.
  int32_t add_table(int32_t rows, int32_t columns, std::span<const int64_t> cells);
  /// Adds an edge; returns its index. Requires: two different nodes, a table with a row per choice
  /// of `from` and a column per choice of `to`.
  int32_t add_edge(int32_t from, int32_t to, int32_t table);
  /// Adds prices to the choices of a node. Requires: a node, one per choice.
  void add_prices(int32_t node, std::span<const int64_t> prices);
  /// Adds bytes that are live in [begin, end). Requires: a node, begin <= end, bytes per choice.
  void add_usage(int32_t node, int64_t begin, int64_t end, std::span<const int64_t> bytes);
  /// Adds bytes that are live in [begin, end). Requires: an edge, begin <= end, a table of the size
  /// of the edge's.
  void add_edge_usage(int32_t edge, int64_t begin, int64_t end, int32_t table);
  /// Sets the place of a node in a run of blocks. Requires: a node.
  void set_block(int32_t node, BlockPlace place);
  /// Sets the limit of bytes.
  void set_limit(int64_t bytes) { network_.limit = bytes; }
  /// Sets the name of the problem.
  void set_name(std::string name) { network_.name = std::move(name); }
  /// Returns the network as it is so far.
  const CostNetwork& network() const { return network_; }
  /// Returns the network; the builder is empty afterwards.
  CostNetwork take();

 private:
  CostNetwork network_;
  std::unordered_multimap<uint64_t, int32_t> tables_by_hash_;
};

/// Checks indices, sizes and sums of a network. Errors: the first node, edge, table or usage that
/// is wrong, by its number; negative prices and bytes; sums above kMaxTotal, with kForbidden
/// counted as nothing; more than the limits above.
Status check_problem(const CostNetwork& network);

/// Checks that a list has one index of a choice per node. Errors: the first that has not. Requires:
/// choices of all nodes in `unary`.
Status check_choice(const CostNetwork& network, std::span<const int32_t> choice);

/// Returns the sum of the prices of a choice; kNoPrice if one of them is forbidden. Requires:
/// check_problem and check_choice. Cost: the check reads the whole problem.
int64_t price_of(const CostNetwork& network, std::span<const int32_t> choice);

/// Bytes at a time point.
struct LivePeak {
  int64_t bytes = 0;  // at that time point
  int64_t time = 0;   // first time point with as many
};

/// Returns the largest sum of live bytes and its time. Requires: as price_of.
LivePeak peak_of(const CostNetwork& network, std::span<const int32_t> choice);

// ---- Files of problems and of their solutions. Spec: autoshard U.9.2 to U.9.4 ----

/// Most pairs of choices of a problem that write_lp writes: each is a variable.
inline constexpr int64_t kMaxLpCells = 20'000'000;

/// Reads a problem in the JSON form of the contest on intra-operator parallelism (ASPLOS/EuroSys
/// 2025), with our members `temps`, `scatter`, `labels` and `blocks`. Unknown members are skipped.
/// Errors: invalid JSON, at `line:column`; a missing member or one of the wrong type or size, at
/// its JSON pointer, such as `/problem/edges/costs/3`; those of check_problem.
Result<CostNetwork> read_problem(std::string_view json);

/// Returns the text that read_problem reads as a network with the same nodes, prices and bytes.
/// Requires: check_problem.
std::string write_problem(const CostNetwork& network);

/// Returns the problem as a mixed integer program in CPLEX LP text (U.5): a binary variable
/// `s_<node>_<choice>` per choice, a variable `e_<node>_<node>_<choice>_<choice>` per pair that is
/// not forbidden, a row `m_<time>` per time point that can exceed the limit and whose live set no
/// other one contains. Errors: more than kMaxLpCells pairs. Requires: check_problem.
Result<std::string> write_lp(const CostNetwork& network);

/// Reads a list of the choices of all nodes: `[0, 0, 2]`. Errors: invalid JSON, another type, at
/// `/3`; those of check_choice.
Result<std::vector<int32_t>> read_choice(std::string_view json, const CostNetwork& network);

/// Returns the text that read_choice reads.
std::string write_choice(std::span<const int32_t> choice);

}  // namespace shardy::autoshard
