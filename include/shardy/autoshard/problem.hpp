// The optimization problem and its solver. Each node has several choices: in the model of a
// program, its strategies. A choice of the problem is one choice per node. Choices of nodes, and
// pairs of choices along edges, have prices. The choices also determine the bytes that are live at
// time points. The solver finds the cheapest choice within a limit of live bytes, and a lower bound
// of the prices of all choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <shardy/support/result.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// This file does not depend on programs: a problem consists of integers.
// Spec: autoshard U.5.

namespace shardy::autoshard {

/// The least forbidden price: a choice, or pair of choices, with this price or more is forbidden.
/// Lower prices are in femtoseconds.
inline constexpr int64_t kForbidden = 100'000'000'000'000'000;
/// Price of a choice that has a forbidden part.
inline constexpr int64_t kNoPrice = INT64_MAX;
/// CostNetwork::limit without a limit.
inline constexpr int64_t kUnlimited = INT64_MAX;

/// Limits of a problem; check_problem returns an error for larger ones.
inline constexpr int64_t kMaxNodes = 4'000'000;
inline constexpr int64_t kMaxChoices = 1'000'000;        // choices of one node
inline constexpr int64_t kMaxAllChoices = 50'000'000;    // choices of all nodes together
inline constexpr int64_t kMaxCells = 500'000'000;        // cells of all tables together
inline constexpr int64_t kMaxTime = int64_t{1} << 40U;   // largest time point
inline constexpr int64_t kMaxTotal = int64_t{1} << 61U;  // largest sum of prices or of bytes

/// A matrix of int64, row-major. Any number of edges may share it. It has a row per class of
/// choices of the first node, and a column per class of choices of the second node; the cells of
/// choices of one class are equal.
struct CostTable {
  int32_t rows = 0;             // number of classes of the first node
  int32_t columns = 0;          // number of classes of the second node
  int64_t begin = 0;            // index of the first cell in CostNetwork::cells
  int32_t row_classes = -1;     // index in CostNetwork::classes; -1: each choice is a class
  int32_t column_classes = -1;  // as row_classes
};

/// An edge: the price of each pair of choices of two nodes.
struct CostEdge {
  int32_t from = 0;   // node of the rows
  int32_t to = 0;     // node of the columns; differs from `from`
  int32_t table = 0;  // index in CostNetwork::tables
};

/// Bytes that are live at the time points from `begin` until before `end`. The choice of one node
/// determines their number.
struct NodeUsage {
  int32_t node = 0;   // the node
  int64_t begin = 0;  // first time point
  int64_t end = 0;    // time point after the last one; equal to `begin`: never live
  int64_t bytes = 0;  // index in CostNetwork::usage_bytes of the bytes for choice 0
};

/// Bytes that are live at the time points from `begin` until before `end`. The choices of both
/// nodes of an edge determine their number. Example: a copy of a value for one user.
struct EdgeUsage {
  int32_t edge = 0;   // the edge
  int64_t begin = 0;  // first time point
  int64_t end = 0;    // time point after the last one
  /// Table with the bytes for each pair of choices, of the size of the edge's table.
  int32_t table = 0;
};

/// Position of a node in a sequence of repeated blocks (U.6.3), such as the layers of a model.
/// Nodes of different blocks with equal `member` correspond: they have equal choices and prices,
/// and edges to corresponding nodes. The first and the last block may have other prices.
struct BlockPlace {
  int32_t block = -1;   // number of the block, starting at 0; -1: the node is in no block
  int32_t member = -1;  // number of the node within the block
};

/// An optimization problem. Nodes have choices; choices of nodes and pairs of choices along edges
/// have prices; bytes are live at time points. Prices and bytes are >= 0. Nodes, edges and tables
/// are addressed by index. Nodes should be in program order, because the solver processes them in
/// this order.
struct CostNetwork {
  std::string name;  // name of the problem in its files
  /// Index in `unary` of choice 0 of each node, then the size of `unary`.
  std::vector<int64_t> first_choice{0};
  std::vector<int64_t> unary;     // prices of the choices of all nodes
  std::vector<CostTable> tables;  // tables of edges, without duplicates
  std::vector<int64_t> cells;     // cells of all tables
  /// Lists for the tables: the class of each choice of a node.
  std::vector<std::vector<int32_t>> classes;
  std::vector<CostEdge> edges;         // edges; prices of parallel edges add up
  std::vector<NodeUsage> node_usages;  // node usages; usages of one node add up
  std::vector<EdgeUsage> edge_usages;  // edge usages; usages of one edge add up
  std::vector<int64_t> usage_bytes;    // bytes of node usages, by choice
  int64_t limit = kUnlimited;          // limit of the bytes that are live at a time point
  std::vector<std::string> labels;     // names of nodes for messages; empty, or one per node
  std::vector<BlockPlace> blocks;      // positions of nodes in blocks; empty, or one per node
  /// Unit of the prices in femtoseconds; at least 1. Only files and the model of a program use it.
  int64_t unit_fs = 1;

  /// Returns a price in femtoseconds, at most kNoPrice - 1 for a price other than kNoPrice.
  int64_t in_fs(int64_t price) const;
  /// Returns the number of nodes.
  int32_t num_nodes() const { return static_cast<int32_t>(first_choice.size()) - 1; }
  /// Returns the number of choices of a node. Requires: a node, whose choices are in `unary`.
  int32_t num_choices(int32_t node) const;
  /// Returns the prices of the choices of a node. Requires: as num_choices.
  std::span<const int64_t> prices(int32_t node) const;
  /// Returns the stored cells of a table, row-major. Requires: a table, whose cells are in `cells`.
  std::span<const int64_t> table_cells(int32_t table) const;
  /// Returns the number of choices of the first node of a table. Requires: a table, whose classes
  /// are in `classes`.
  int32_t num_rows(int32_t table) const;
  /// Returns the number of choices of the second node of a table. Requires: as num_rows.
  int32_t num_columns(int32_t table) const;
  /// Returns the cell of a pair of choices. Requires: check_problem; choices of the two nodes.
  int64_t cell(int32_t table, int32_t first, int32_t second) const;
  /// Returns the cells of all pairs of choices, row-major. Requires: check_problem.
  std::vector<int64_t> cells_of_pairs(int32_t table) const;
  /// Returns the bytes of a usage, by choice. Requires: a usage of a node, whose bytes are in
  /// `usage_bytes`.
  std::span<const int64_t> bytes_of(const NodeUsage& usage) const;
};

/// A builder of a network, which stores equal tables once.
class CostNetworkBuilder {
 public:
  /// Adds a node with one price per choice, and returns its index. Requires: a choice.
  int32_t add_node(std::span<const int64_t> prices, std::string label = {});
  /// Returns the index of a table with these cells, row-major. Adds the table if the network has no
  /// equal one. `row_classes` and `column_classes` are the row and the column of each choice;
  /// empty: each choice has its own. Requires: rows, columns >= 1, rows * columns cells; classes
  /// below `rows` and `columns`.
  int32_t add_table(int32_t rows, int32_t columns, std::span<const int64_t> cells,
                    std::span<const int32_t> row_classes = {},
                    std::span<const int32_t> column_classes = {});
  /// Adds an edge and returns its index. Requires: two different nodes, a table with a row per
  /// choice of `from` and a column per choice of `to`.
  int32_t add_edge(int32_t from, int32_t to, int32_t table);
  /// Adds `prices` to the prices of a node's choices. Requires: a node, one price per choice.
  void add_prices(int32_t node, std::span<const int64_t> prices);
  /// Adds bytes that are live in [begin, end). Requires: a node, begin <= end, bytes per choice.
  void add_usage(int32_t node, int64_t begin, int64_t end, std::span<const int64_t> bytes);
  /// Adds bytes that are live in [begin, end). Requires: an edge, begin <= end, a table of the size
  /// of the edge's.
  void add_edge_usage(int32_t edge, int64_t begin, int64_t end, int32_t table);
  /// Sets the position of a node in a sequence of blocks. Requires: a node.
  void set_block(int32_t node, BlockPlace place);
  /// Sets the limit of live bytes.
  void set_limit(int64_t bytes) { network_.limit = bytes; }
  /// Sets the unit of the prices.
  void set_unit(int64_t femtoseconds) { network_.unit_fs = femtoseconds; }
  /// Sets the name of the problem.
  void set_name(std::string name) { network_.name = std::move(name); }
  /// Returns the network in its current state.
  const CostNetwork& network() const { return network_; }
  /// Returns the network. The builder is empty afterwards.
  CostNetwork take();

 private:
  int32_t add_classes(std::span<const int32_t> classes);

  CostNetwork network_;
  std::unordered_multimap<uint64_t, int32_t> tables_by_hash_;
  std::map<std::vector<int32_t>, int32_t> classes_by_list_;
};

/// Checks indices, sizes and sums of a network. Errors: the first invalid node, edge, table or
/// usage, with its number; negative prices or bytes; a unit below 1; sums above kMaxTotal, where
/// forbidden prices count as 0; sizes above the limits.
Status check_problem(const CostNetwork& network);

/// Checks that `choice` has one valid choice per node. Errors: the first node without one.
/// Requires: choices of all nodes in `unary`.
Status check_choice(const CostNetwork& network, std::span<const int32_t> choice);

/// Returns the sum of the prices of a choice; kNoPrice if any of them is forbidden. Requires:
/// check_problem and check_choice. Cost: linear in the problem, because the requirement is checked.
int64_t price_of(const CostNetwork& network, std::span<const int32_t> choice);

/// The largest number of live bytes.
struct LivePeak {
  int64_t bytes = 0;  // live bytes at time point `time`
  int64_t time = 0;   // first time point with this number of bytes
};

/// Returns the largest number of live bytes over all time points. Requires: as price_of.
LivePeak peak_of(const CostNetwork& network, std::span<const int32_t> choice);

// ---- Files of problems and of their solutions. Spec: autoshard U.9.2 to U.9.4 ----

/// Maximal number of pairs of choices that write_lp writes. Each pair is a variable.
inline constexpr int64_t kMaxLpCells = 20'000'000;

/// Parses a problem in the JSON format of the ASPLOS/EuroSys 2025 contest on intra-operator
/// parallelism, extended by the members `temps`, `scatter`, `labels`, `blocks` and `unit_fs`.
/// Unknown members are skipped. Errors: invalid JSON, with the byte in the message; a missing
/// member or a member of the wrong type or size, at its JSON pointer, such as
/// `/problem/edges/costs/3`; those of check_problem.
Result<CostNetwork> read_problem(std::string_view json);

/// Returns the number of pairs of choices of all edges and usages of edges: the cells of its file.
/// Requires: check_problem.
int64_t num_pairs(const CostNetwork& network);

/// Returns the JSON text of a network, with the cells of all pairs. read_problem parses this text
/// to a network of equal nodes, prices and bytes. Requires: check_problem.
std::string write_problem(const CostNetwork& network);

/// Returns the problem as a mixed integer program in CPLEX LP format (U.5). Variables: a binary
/// `s_<node>_<choice>` per choice, and `e_<node>_<node>_<choice>_<choice>` per pair that is not
/// forbidden. Rows: one `m_<time>` per time point that can exceed the limit, without those whose
/// live set another time point contains. Errors: more than kMaxLpCells pairs. Requires:
/// check_problem.
Result<std::string> write_lp(const CostNetwork& network);

/// Parses a list with the choice of each node: `[0, 0, 2]`. Errors: invalid JSON; another type, at
/// its JSON pointer, such as `/3`; those of check_choice.
Result<std::vector<int32_t>> read_choice(std::string_view json, const CostNetwork& network);

/// Returns the text that read_choice parses to `choice`.
std::string write_choice(std::span<const int32_t> choice);

}  // namespace shardy::autoshard

// Spec: autoshard U.6, U.7.3.

namespace shardy::autoshard {

/// Progress of a search, for display.
struct SolveProgress {
  int64_t sweeps = 0;               // number of sweeps so far
  int64_t bound_fs = 0;             // lower bound of all prices so far
  int64_t price_fs = kNoPrice;      // price of the best choice so far; kNoPrice: none
  std::span<const int32_t> choice;  // the best choice if it is new since the last call, else empty
};

/// Options of solve.
struct SolveOptions {
  int64_t effort = 400;  // maximal number of sweeps before branching (U.6.4); >= 1
  /// Relative gap (price - bound) / price at which a search with a memory limit ends.
  double gap = 1e-4;
  std::stop_token stop = {};            // ends the search; the best choice so far is returned
  std::span<const int32_t> start = {};  // initial choice; empty: none
  /// Called with the progress after each round of sweeps, on the thread of the caller.
  std::function<void(const SolveProgress& progress)> on_progress = {};
};

/// Result of a search, by what it proves.
enum class SolveStatus : uint8_t {
  Proven,      // no choice within the limit has a lower price
  Bounded,     // a choice was found, but the bound is lower than its price
  NotFound,    // no choice within the limit was found, but one may exist
  Infeasible,  // no choice is within the limit, or each has a forbidden price
};

/// Returns "proven", "bounded", "not found" or "infeasible".
std::string_view to_string(SolveStatus status);

/// Result of the solver.
struct NetworkSolution {
  std::vector<int32_t> choice;  // choice of each node; empty if no choice was found
  int64_t price_fs = kNoPrice;  // price of the choice
  int64_t bound_fs = 0;         // no choice within the limit has a lower price than this
  int64_t peak_bytes = 0;       // peak of live bytes of the choice
  SolveStatus status = SolveStatus::NotFound;  // whether the choice is proven to be the best
  int64_t sweeps = 0;                          // number of sweeps
  int64_t left = 0;      // choices of all nodes that are left after fixing by reduced costs
  bool stopped = false;  // true if the stop token ended the search
};

/// Returns the best choice found within the limit of the network, with a lower bound of all prices.
/// The result depends only on the network and on `effort`, `gap` and `start`. Errors: those of
/// check_problem; options out of range; an invalid `start` (check_choice).
Result<NetworkSolution> solve(const CostNetwork& network, const SolveOptions& options);

/// Returns the choice with the least peak of live bytes found, ignoring the limit of the network.
/// In the result, price_fs and bound_fs are bytes (U.6.9). Of the choices with this peak, the
/// result is the cheapest one found. Errors: as solve.
Result<NetworkSolution> solve_least_peak(const CostNetwork& network, const SolveOptions& options);

/// Returns at most `count` choices, cheapest first. No returned choice is worse than another in
/// both price and peak. The limits of peaks decrease in geometric steps from the peak of the
/// cheapest choice to the least peak (U.7.3). Each search starts with the choice of the least peak.
/// Errors: as solve; count < 1.
Result<std::vector<NetworkSolution>> solve_front(const CostNetwork& network, std::size_t count,
                                                 const SolveOptions& options);

}  // namespace shardy::autoshard
