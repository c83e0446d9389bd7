// Computes the prices and bytes of the nodes and links of a program.
//
//   %0 = dot %x, %w    node dot: price of its operations under each strategy
//   %1 = tanh %0       edge dot - tanh: price of the reshard of %0 for each pair of strategies
//                      usage of dot: bytes of %0 from its op to tanh
#include "autoshard/model_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "passes/common/ops.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::autoshard {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::ValueId;
using Kind = ModelNode::Kind;

namespace {

/// The kind of the numbers in a table.
enum class TableKind : uint8_t {
  Price,    // fs of the reshard
  Hidden,   // fs of the reshard without its hidden share
  NewBytes  // bytes of the new value; 0 if the state does not change
};

/// Pairs of states of all tables of a mesh of many atoms. For a LLaMA layer on four axes, a pair
/// has over four cells in the tables of prices and bytes.
constexpr int64_t kMostPairsOfStates = kMaxCells / 8;

/// Returns the number of pairs of states of all tables. Links of one value type with equal states
/// share a table.
int64_t num_pairs_of_states(std::span<const ModelNode> nodes, std::span<const ModelLink> links,
                            std::span<StateSpace* const> space_of) {
  const auto distinct = [](const std::vector<int32_t>& all, std::size_t first, std::size_t step) {
    std::set<int32_t> states;
    for (std::size_t at = first; at < all.size(); at += step) states.insert(all[at]);
    return std::vector<int32_t>(states.begin(), states.end());
  };
  std::set<std::tuple<const StateSpace*, std::vector<int32_t>, std::vector<int32_t>>> tables;
  int64_t count = 0;
  for (const ModelLink& link : links) {
    const OpStrategies& from = nodes[static_cast<std::size_t>(link.source)].states;
    const OpStrategies& to = nodes[static_cast<std::size_t>(link.reader)].states;
    auto have = distinct(from.results, link.output, from.num_results);
    auto want = distinct(to.operands, link.input, to.num_operands);
    const auto pairs = static_cast<int64_t>(have.size() * want.size());
    const StateSpace* const space = space_of[link.value.index()];
    if (tables.emplace(space, std::move(have), std::move(want)).second) count += pairs;
  }
  return count;
}

/// Returns the sum of the largest finite prices of all nodes and edges.
double largest_sum(const CostNetwork& network) {
  const auto largest = [](std::span<const int64_t> prices) {
    int64_t most = 0;
    for (const int64_t price : prices) most = std::max(most, price < kForbidden ? price : 0);
    return static_cast<double>(most);
  };
  double sum = 0;
  for (int32_t node = 0; node < network.num_nodes(); ++node) sum += largest(network.prices(node));
  std::vector<double> of_tables;
  for (std::size_t table = 0; table < network.tables.size(); ++table) {
    of_tables.push_back(largest(network.table_cells(static_cast<int32_t>(table))));
  }
  for (const CostEdge& edge : network.edges) sum += of_tables[static_cast<std::size_t>(edge.table)];
  return sum;
}

/// Divides all finite prices by the least power of two with which their largest sum is at most half
/// of kMaxTotal, or by 1 if it is at most kMaxTotal. Sets the unit.
void fit_prices(CostNetwork& network) {
  const double sum = largest_sum(network);
  if (sum <= static_cast<double>(kMaxTotal)) return;
  int64_t unit = 2;
  while (sum / static_cast<double>(unit) > static_cast<double>(kMaxTotal) / 2) unit *= 2;
  for (auto* prices : {&network.unary, &network.cells}) {
    for (int64_t& price : *prices) price = price < kForbidden ? price / unit : price;
  }
  network.unit_fs = unit;
}

/// Returns the states of a list without repetitions, and the index of each choice's state in them.
std::pair<std::vector<int32_t>, std::vector<int32_t>> distinct_states(
    const std::vector<int32_t>& list) {
  std::unordered_map<int32_t, int32_t> places;  // never iterated
  std::pair<std::vector<int32_t>, std::vector<int32_t>> found;
  for (const int32_t state : list) {
    const auto [place, is_new] =
        places.try_emplace(state, static_cast<int32_t>(found.first.size()));
    if (is_new) found.first.push_back(state);
    found.second.push_back(place->second);
  }
  return found;
}

/// Adds nodes, edges and usages. Equal lists of states share their tables.
class NetworkMaker {
 public:
  explicit NetworkMaker(const NetworkParts& parts)
      : parts_(parts),
        hideable_(parts.module),
        is_read_late_(parts.nodes.size(), 1),
        is_shared_(parts.nodes.size(), 0) {
    for (const ModelLink& link : parts.links) {
      const ModelNode& node = node_at(link.reader);
      const bool is_group = node.kind == Kind::Copies && node.index > 0;
      const bool is_constraint = node.kind == Kind::Op && is_annotation(parts.module, node.op);
      is_shared_[static_cast<std::size_t>(link.reader)] = is_group || is_constraint ? 1 : 0;
    }
    // Links from copies come after the links to them.
    for (std::size_t at = parts.links.size(); at-- > 0;) {
      const ModelLink& link = parts.links[at];
      const bool is_late = link.use.op.valid()
                               ? hideable_.is_late(link.use.op)
                               : is_read_late_[static_cast<std::size_t>(link.reader)] != 0;
      if (!is_late) is_read_late_[static_cast<std::size_t>(link.source)] = 0;
    }
  }

  CostNetwork run() {
    for (const ModelNode& node : parts_.nodes) {
      network_.add_node(prices_of(node));
      add_columns(node.states);
    }
    for (const ModelLink& link : parts_.links) add_edge(link);
    for (std::size_t node = 0; node < parts_.nodes.size(); ++node) {
      if (parts_.nodes[node].equal_to >= 0) add_equal_edge(static_cast<int32_t>(node));
    }
    find_ends();
    for (const NetworkSource& source : parts_.sources) add_source_usage(source);
    for (const ModelLink& link : parts_.links) {
      const bool makes_copies = node_at(link.reader).kind == Kind::Copies;
      if (makes_copies && link.kind != ModelLink::Kind::Keep) add_copies_usage(link);
    }
    add_shared_usages();
    add_phase_usages();
    for (const ModelLink& link : parts_.links) add_making_usage(link);
    add_constant_usages();
    std::vector<int32_t> strategies_of;
    for (const ModelNode& node : parts_.nodes) strategies_of.push_back(number_of(node.states));
    const std::vector<BlockPlace> blocks = find_blocks(parts_.nodes, parts_.links, strategies_of);
    for (std::size_t node = 0; node < blocks.size(); ++node) {
      network_.set_block(static_cast<int32_t>(node), blocks[node]);
    }
    if (parts_.limit != kUnlimited) network_.set_limit(parts_.limit);
    return network_.take();
  }

 private:
  const ModelNode& node_at(int32_t node) const {
    return parts_.nodes[static_cast<std::size_t>(node)];
  }
  StateSpace& space(ValueId value) const { return *parts_.space_of[value.index()]; }
  /// Returns the prices of the choices: prices of operations, or of the transfer from the host.
  /// Operations of an op that equals an earlier one have their price at the edge of both.
  std::vector<int64_t> prices_of(const ModelNode& node) const {
    std::vector<int64_t> prices = node.states.prices;
    if (node.equal_to >= 0) prices.assign(prices.size(), 0);
    const bool is_fed = node.kind == Kind::Argument && parts_.feed_bytes_per_second > 0 &&
                        !parts_.is_tied[node.index];
    for (std::size_t choice = 0; is_fed && choice < prices.size(); ++choice) {
      const auto bytes = static_cast<double>(space(node.value).bytes(node.states.results[choice]));
      prices[choice] += femtoseconds(bytes / parts_.feed_bytes_per_second);
    }
    return prices;
  }

  // ---- Lists of states --------------------------------------------------------------------------

  int32_t list_number(std::vector<int32_t> list) {
    const auto number = static_cast<int32_t>(lists_.size());
    const auto [found, is_new] = lists_.try_emplace(std::move(list), number);
    if (is_new) list_at_.push_back(&found->first);
    return found->second;
  }
  void add_columns(const OpStrategies& states) {
    const auto add = [&](const std::vector<int32_t>& all, std::size_t count,
                         std::vector<std::vector<int32_t>>& columns) {
      std::vector<int32_t>& numbers = columns.emplace_back();
      for (std::size_t at = 0; at < count; ++at) {
        std::vector<int32_t> column;
        for (std::size_t index = at; index < all.size(); index += count) {
          column.push_back(all[index]);
        }
        numbers.push_back(list_number(std::move(column)));
      }
    };
    add(states.operands, states.num_operands, inputs_);
    add(states.results, states.num_results, outputs_);
  }
  /// Returns the number of the list of states, by choice, of an input or output.
  int32_t input_list(int32_t node, uint32_t input) const {
    return inputs_[static_cast<std::size_t>(node)][input];
  }
  int32_t output_list(int32_t node, uint32_t output) const {
    return outputs_[static_cast<std::size_t>(node)][output];
  }
  const std::vector<int32_t>& list(int32_t number) const {
    return *list_at_[static_cast<std::size_t>(number)];
  }
  /// Returns a number that is equal for equal strategies.
  int32_t number_of(const OpStrategies& states) {
    std::vector<int64_t> text(states.prices);
    for (const auto* all : {&states.operands, &states.results}) {
      text.push_back(-1);
      text.insert(text.end(), all->begin(), all->end());
    }
    const auto number = static_cast<int32_t>(strategies_.size());
    return strategies_.try_emplace(std::move(text), number).first->second;
  }

  int64_t cell(TableKind kind, StateSpace& states, int32_t have, int32_t want) {
    if (kind != TableKind::NewBytes) {
      const int64_t price = states.price(have, want, parts_.reshards);
      if (kind == TableKind::Price || price >= kForbidden) return price;
      return std::llround(static_cast<double>(price) * (1 - parts_.hidden_share));
    }
    return have == want ? 0 : states.bytes(want);
  }
  int32_t table(TableKind kind, ValueId value, int32_t from, int32_t to, int64_t runs = 1) {
    StateSpace& states = space(value);
    const auto [known, is_new] = tables_.try_emplace(std::tuple(kind, &states, from, to, runs), -1);
    if (!is_new) return known->second;
    const auto [owned, row_of] = distinct_states(list(from));
    const auto [wanted, column_of] = distinct_states(list(to));
    std::vector<int64_t> cells;
    cells.reserve(owned.size() * wanted.size());
    for (const int32_t have : owned) {
      for (const int32_t want : wanted) {
        const bool is_stopped = parts_.stop.stop_requested();
        cells.push_back(is_stopped ? 0 : times_runs(cell(kind, states, have, want), runs));
      }
    }
    known->second =
        network_.add_table(static_cast<int32_t>(owned.size()), static_cast<int32_t>(wanted.size()),
                           cells, row_of, column_of);
    return known->second;
  }

  std::vector<int64_t> bytes_of(ValueId value, int32_t states) const {
    std::vector<int64_t> bytes;
    for (const int32_t state : list(states)) bytes.push_back(space(value).bytes(state));
    return bytes;
  }

  // ---- Edges and usages -------------------------------------------------------------------------

  /// Checks whether a reshard of the link can run at the same time as operations.
  bool is_hideable(const ModelLink& link) const {
    if (parts_.hidden_share == 0) return false;
    if (hideable_.is_early(link.value)) return true;
    if (link.use.op.valid()) return hideable_.is_late(link.use.op);
    return is_read_late_[static_cast<std::size_t>(link.reader)] != 0;  // of copies
  }

  /// Adds the prices of reshards between two nodes. A link from a node to itself has no edge; an
  /// argument that is returned in its own buffer has such a link.
  void add_edge(const ModelLink& link) {
    const int32_t from = output_list(link.source, link.output);
    const int32_t to = input_list(link.reader, link.input);
    const TableKind kind = is_hideable(link) ? TableKind::Hidden : TableKind::Price;
    if (link.kind != ModelLink::Kind::Use) {
      edge_of_.push_back(network_.add_edge(link.source, link.reader, phase_table(kind, link)));
      return;
    }
    if (link.source != link.reader) {
      edge_of_.push_back(network_.add_edge(link.source, link.reader,
                                           table(kind, link.value, from, to, link.runs)));
      return;
    }
    std::vector<int64_t> own;
    for (std::size_t choice = 0; choice < list(from).size(); ++choice) {
      own.push_back(cell(kind, space(link.value), list(from)[choice], list(to)[choice]));
    }
    network_.add_prices(link.source, own);
    edge_of_.push_back(-1);
  }

  /// Adds the price of an op that equals an earlier one: 0 for equal choices, because partitioning
  /// merges both ops.
  void add_equal_edge(int32_t number) {
    const ModelNode& node = node_at(number);
    const std::vector<int64_t>& prices = node.states.prices;
    const auto size = static_cast<int32_t>(prices.size());
    std::vector<int64_t> cells;
    for (int32_t earlier = 0; earlier < size; ++earlier) {
      for (int32_t own = 0; own < size; ++own) {
        cells.push_back(own == earlier ? 0 : prices[static_cast<std::size_t>(own)]);
      }
    }
    network_.add_edge(node.equal_to, number, network_.add_table(size, size, cells));
  }

  /// Returns the prices of a link between phases: of new copies from the value, or forbidden pairs
  /// of a phase and the one before it.
  int32_t phase_table(TableKind kind, const ModelLink& link) {
    const ModelNode& node = node_at(link.reader);
    const ModelNode& source = node_at(link.source);
    return choice_table(link, [&](int32_t from, int32_t to, int32_t have, int32_t want) -> int64_t {
      const ModelNode::CopyRole role = node.role_of(to);
      if (link.kind == ModelLink::Kind::Make) {
        if (role.is_kept || parts_.stop.stop_requested()) return 0;
        return times_runs(cell(kind, space(link.value), have, want), link.runs);
      }
      const bool is_missing = role.is_kept && have != want;
      const bool needs_value = !role.is_kept || role.is_needed;
      return is_missing || (needs_value && !source.role_of(from).is_needed) ? kForbidden : 0;
    });
  }

  /// Adds a table with `entry(from, to, have, want)` for each pair of choices and their states.
  template <class Entry>
  int32_t choice_table(const ModelLink& link, const Entry& entry) {
    const std::vector<int32_t>& from = list(output_list(link.source, link.output));
    const std::vector<int32_t>& to = list(input_list(link.reader, link.input));
    std::vector<int64_t> cells;
    cells.reserve(from.size() * to.size());
    for (std::size_t row = 0; row < from.size(); ++row) {
      for (std::size_t column = 0; column < to.size(); ++column) {
        cells.push_back(
            entry(static_cast<int32_t>(row), static_cast<int32_t>(column), from[row], to[column]));
      }
    }
    return network_.add_table(static_cast<int32_t>(from.size()), static_cast<int32_t>(to.size()),
                              cells);
  }

  /// Finds the last time at which each output is read, in the loop that carries it and after it.
  void find_ends() {
    for (const ModelLink& link : parts_.links) {
      if (link.kind != ModelLink::Kind::Use) continue;  // CopyRole::is_needed prolongs the value
      int64_t& end = ends_.try_emplace(key_of(link), 0).first->second;
      end = std::max(end, link.time);
    }
  }
  using EndKey = std::tuple<int32_t, uint32_t, bool>;  // node, output, in the loop that carries it
  EndKey key_of(const ModelLink& link) const {
    return {link.source, link.output, link.time <= node_at(link.source).loop_end};
  }
  int64_t end_of(const EndKey& key, int64_t begin) const {
    const auto found = ends_.find(key);
    return found == ends_.end() ? begin : std::max(begin, found->second);
  }
  int64_t end_of(int32_t node, uint32_t output, int64_t begin) const {
    return end_of(EndKey(node, output, false), begin);
  }

  /// Adds the bytes of a value in the state in which its op creates it, until its last user or
  /// its copies.
  void add_source_usage(const NetworkSource& source) {
    const ModelNode& node = node_at(source.node);
    if (is_shared_[static_cast<std::size_t>(source.node)]) return;  // add_shared_usage
    const std::vector<int64_t> bytes =
        bytes_of(source.value, output_list(source.node, source.output));
    if (node.kind == Kind::Carried) return add_carried_usage(source, bytes);
    const int64_t begin = node.kind == Kind::Argument ? 0 : node.time;
    const int64_t end = end_of(source.node, source.output, begin);
    if (node.kind == Kind::Argument && end == begin) return;  // unused
    network_.add_usage(source.node, begin, end + 1, bytes);
  }

  /// Adds the bytes of a value that a loop carries, or that branches or a barrier return. It takes
  /// the buffer of its operand, or that of a reshard of it. A loop carries it to its last user in
  /// an iteration; its next value becomes the result.
  void add_carried_usage(const NetworkSource& source, std::span<const int64_t> bytes) {
    const ModelNode& node = node_at(source.node);
    const auto add = [&](int64_t begin, bool is_in_loop) {
      const int64_t end = end_of(EndKey(source.node, source.output, is_in_loop), begin);
      if (begin < end) network_.add_usage(source.node, begin + 1, end + 1, bytes);
    };
    add(node.time, true);
    add(std::max(node.time, node.loop_end), false);
  }

  /// Adds the bytes of copies from their creation to their last user. Copies in the state of their
  /// value add no bytes while the value is live.
  void add_copies_usage(const ModelLink& link) {
    const ModelNode& node = node_at(link.reader);
    if (is_shared_[static_cast<std::size_t>(link.reader)]) return;  // add_shared_usage
    const int64_t end = end_of(link.reader, 0, node.time) + 1;
    const int64_t end_of_value = end_of(key_of(link), node.time) + 1;
    const int64_t begin = std::min(end, end_of_value);
    const int32_t edge = edge_of_[static_cast<std::size_t>(&link - parts_.links.data())];
    const int32_t states = output_list(link.reader, 0);
    if (node.time + 1 < begin) {
      const int32_t bytes =
          table(TableKind::NewBytes, link.value, output_list(link.source, link.output), states);
      network_.add_edge_usage(edge, node.time + 1, begin, bytes);
    }
    if (begin < end) network_.add_usage(link.reader, begin, end, bytes_of(node.value, states));
  }

  /// Adds the bytes of the copies for a group of users, or of a constraint or reshard of the
  /// source. In the state of its operand it is the operand, which counts once.
  void add_shared_usage(const ModelLink& link, int32_t edge) {
    const ModelNode& node = node_at(link.reader);
    const int64_t last = end_of(link.reader, 0, node.time);
    const int64_t common = std::min(last, end_of(key_of(link), node.time));
    const auto bytes = [&](int32_t, int32_t, int32_t have, int32_t want) -> int64_t {
      return have == want ? 0 : space(link.value).bytes(want);
    };
    if (node.time < common) {
      network_.add_edge_usage(edge, node.time + 1, common + 1, choice_table(link, bytes));
    }
    if (common >= last) return;
    network_.add_usage(link.reader, common + 1, last + 1,
                       bytes_of(link.value, output_list(link.reader, 0)));
  }
  void add_shared_usages() {
    for (std::size_t at = 0; at < parts_.links.size(); ++at) {
      const ModelLink& link = parts_.links[at];
      if (is_shared_[static_cast<std::size_t>(link.reader)]) add_shared_usage(link, edge_of_[at]);
    }
  }

  /// Adds the bytes of a kept copy between two phases.
  void add_keep_usage(const ModelLink& link) {
    const ModelNode& node = node_at(link.reader);
    const int64_t begin = end_of(link.source, 0, node_at(link.source).time) + 1;
    std::vector<int64_t> bytes = bytes_of(node.value, output_list(link.reader, 0));
    for (std::size_t choice = 0; choice < bytes.size(); ++choice) {
      if (!node.role_of(static_cast<int32_t>(choice)).is_kept) bytes[choice] = 0;
    }
    if (begin <= node.time) network_.add_usage(link.reader, begin, node.time + 1, bytes);
  }

  /// Adds the bytes of a value that a later phase needs, from the copy of a phase to the next one.
  /// A copy in the state of the value is the value, which counts once.
  void add_needed_usage(const ModelLink& link, int32_t edge, int64_t next) {
    const ModelNode& node = node_at(link.reader);
    const int64_t last = end_of(link.reader, 0, node.time);
    for (const bool is_after : {false, true}) {
      const int64_t begin = is_after ? last + 1 : node.time + 1;
      const int64_t end = is_after ? next + 1 : std::min(last, next) + 1;
      if (begin >= end) continue;
      const auto bytes = [&](int32_t, int32_t to, int32_t have, int32_t want) -> int64_t {
        const ModelNode::CopyRole role = node.role_of(to);
        const bool is_copy = !is_after && !role.is_kept && have == want;
        return role.is_needed && !is_copy ? space(link.value).bytes(have) : 0;
      };
      network_.add_edge_usage(edge, begin, end, choice_table(link, bytes));
    }
  }

  /// Adds the usages of values with phases.
  void add_phase_usages() {
    std::map<int32_t, int64_t> next;  // per copies node with a later phase: the time of that
    for (const ModelLink& link : parts_.links) {
      if (link.kind != ModelLink::Kind::Keep) continue;
      next[link.source] = node_at(link.reader).time;
      add_keep_usage(link);
    }
    for (std::size_t at = 0; at < parts_.links.size(); ++at) {
      const ModelLink& link = parts_.links[at];
      const auto later = next.find(link.reader);
      if (link.kind == ModelLink::Kind::Keep || later == next.end()) continue;
      add_needed_usage(link, edge_of_[at], later->second);
    }
  }

  /// Adds the bytes of a new value while its user executes, or while copies are created. If the
  /// source has the same state, both are one value, which counts once.
  void add_making_usage(const ModelLink& link) {
    const int32_t edge = edge_of_[static_cast<std::size_t>(&link - parts_.links.data())];
    if (edge < 0 || link.kind == ModelLink::Kind::Keep) return;
    const int64_t time = link.time;
    if (link.kind == ModelLink::Kind::Make) {
      const ModelNode& node = node_at(link.reader);
      const auto new_bytes = [&](int32_t, int32_t to, int32_t have, int32_t want) -> int64_t {
        const bool is_new = !node.role_of(to).is_kept && have != want;
        return is_new ? space(link.value).bytes(want) : 0;
      };
      network_.add_edge_usage(edge, time, time + 1, choice_table(link, new_bytes));
      return;
    }
    const int32_t bytes =
        table(TableKind::NewBytes, link.value, output_list(link.source, link.output),
              input_list(link.reader, link.input));
    network_.add_edge_usage(edge, time, time + 1, bytes);
  }

  /// Adds the bytes of constant operands, from their position in the program to their users.
  void add_constant_usages() {
    for (std::size_t number = 0; number < parts_.nodes.size(); ++number) {
      const ModelNode& node = parts_.nodes[number];
      if (node.kind != Kind::Op) continue;
      for (uint32_t index = 0; index < parts_.module.num_operands(node.op); ++index) {
        const ValueId operand = parts_.module.operand(node.op, index);
        const auto begin = parts_.constant_begin.find(operand);
        if (begin == parts_.constant_begin.end()) continue;
        const int64_t first = std::min(begin->second, node.time);
        network_.add_usage(static_cast<int32_t>(number), first, node.time + 1,
                           bytes_of(operand, input_list(static_cast<int32_t>(number), index)));
      }
    }
  }

  const NetworkParts& parts_;
  report::HideableOps hideable_;
  std::vector<char> is_read_late_;  // per node: all its links lead to late ops
  std::vector<char> is_shared_;     // per node: in the state of its operand it is the operand
  CostNetworkBuilder network_;
  std::map<std::vector<int32_t>, int32_t> lists_;
  std::vector<const std::vector<int32_t>*> list_at_;  // indices in lists_, by number
  std::vector<std::vector<int32_t>> inputs_;          // numbers of lists, by node, then input
  std::vector<std::vector<int32_t>> outputs_;
  std::map<std::vector<int64_t>, int32_t> strategies_;
  std::map<std::tuple<TableKind, StateSpace*, int32_t, int32_t, int64_t>, int32_t> tables_;
  std::vector<int32_t> edge_of_;    // per link; -1: none
  std::map<EndKey, int64_t> ends_;  // time of the last user
};

}  // namespace

bool drop_strategies(std::span<ModelNode> nodes, std::span<const ModelLink> links,
                     std::span<StateSpace* const> space_of) {
  bool is_any_dropped = false;
  for (const std::size_t most : {std::size_t{4096}, std::size_t{1024}}) {
    if (num_pairs_of_states(nodes, links, space_of) <= kMostPairsOfStates) break;
    for (ModelNode& node : nodes) {
      if (node.kind != Kind::Op || node.states.size() <= most) continue;
      node.states.keep_first(most);
      is_any_dropped = true;
    }
  }
  return is_any_dropped;
}

CostNetwork network_of(const NetworkParts& parts) {
  CostNetwork network = NetworkMaker(parts).run();
  if (!parts.stop.stop_requested()) fit_prices(network);
  return network;
}

// ---- Equal ops ----------------------------------------------------------------------------------

namespace {

/// Checks whether some strategy of the node costs time.
bool has_price(const ModelNode& node) {
  return std::ranges::any_of(node.states.prices,
                             [](int64_t price) { return price > 0 && price < kForbidden; });
}

/// Compares the ops of two nodes, without their operands, and their strategies.
bool are_equal_nodes(const Module& module, const ModelNode& one, const ModelNode& other) {
  const auto types_of = [&](OpId op) {
    std::vector<ir::Type> types;
    for (const ValueId result : module.results(op)) types.push_back(module.type(result));
    return types;
  };
  return module.name(one.op) == module.name(other.op) &&
         module.attributes(one.op) == module.attributes(other.op) &&
         types_of(one.op) == types_of(other.op) && one.states.operands == other.states.operands &&
         one.states.results == other.states.results && one.states.prices == other.states.prices;
}

/// Returns a copy of the module in which equal constant expressions are one.
Module with_merged_constants(const Module& module, const ProgramOps& program, OpId main) {
  Module merged = module;
  passes::EqualOps constants(merged);
  for (const OpId op : searched_ops(module, module.entry(main))) {
    const bool is_constant = module.has_trait(op, ir::kPure) && module.num_results(op) > 0 &&
                             program.is_constant(module.result(op));
    if (!is_constant || !module.regions(op).empty()) continue;
    constants.merge(op, static_cast<uint32_t>(module.kind(op)),
                    static_cast<uint32_t>(module.parent_block(op).index()));
  }
  return merged;
}

}  // namespace

void find_equal_ops(const Module& module, const ProgramOps& program, OpId main,
                    std::span<ModelNode> nodes) {
  constexpr std::size_t kMostStrategies = 256;  // a pair of ops has a price per pair of these
  const Module merged = with_merged_constants(module, program, main);
  std::map<std::tuple<BlockId, std::size_t, std::vector<ValueId>>, std::vector<int32_t>> known;
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    ModelNode& node = nodes[number];
    const bool is_merged = node.kind == Kind::Op && module.has_trait(node.op, ir::kPure) &&
                           module.regions(node.op).empty() && module.num_operands(node.op) > 0;
    if (!is_merged || node.states.size() > kMostStrategies || !has_price(node)) continue;
    const auto operands = merged.operands(node.op);
    const std::size_t hash = hash_combine(static_cast<std::size_t>(module.kind(node.op)),
                                          ir::hash_of_attributes(module.attributes(node.op)));
    std::vector<int32_t>& same =
        known[{module.parent_block(node.op), hash, {operands.begin(), operands.end()}}];
    const auto found = std::find_if(same.rbegin(), same.rend(), [&](int32_t other) {
      return are_equal_nodes(module, nodes[static_cast<std::size_t>(other)], node);
    });
    if (found != same.rend()) node.equal_to = *found;
    same.push_back(static_cast<int32_t>(number));
  }
}

}  // namespace shardy::autoshard
