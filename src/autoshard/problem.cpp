#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <numeric>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/math.hpp>
#include <string>
#include <utility>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

namespace {

uint64_t hash_cells(int32_t rows, int32_t columns, std::span<const int64_t> cells) {
  uint64_t hash =
      0x9E3779B97F4A7C15ULL * static_cast<uint64_t>(rows) + static_cast<uint64_t>(columns);
  for (const int64_t cell : cells) {
    hash = (hash ^ static_cast<uint64_t>(cell)) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32U;
  }
  return hash;
}

std::string numbered(const char* kind, std::size_t index) {
  return std::string(kind) + " " + std::to_string(index) + ": ";
}

bool is_node(const CostNetwork& network, int32_t node) {
  return node >= 0 && node < network.num_nodes();
}

bool has_shape_of(const CostNetwork& network, int32_t table, const CostEdge& edge) {
  return network.num_rows(table) == network.num_choices(edge.from) &&
         network.num_columns(table) == network.num_choices(edge.to);
}

/// Returns the largest value below kForbidden. Error: a negative value.
Result<int64_t> largest_finite(std::span<const int64_t> values, const char* quantity) {
  int64_t largest = 0;
  for (const int64_t value : values) {
    if (value < 0) {
      return fail(std::string("negative ") + quantity + " " + std::to_string(value) +
                  "; allowed are 0 and more");
    }
    if (value < kForbidden) largest = std::max(largest, value);
  }
  return largest;
}

/// Adds the largest price of a part to the largest possible sum.
Status add_to_total(int64_t& total, int64_t largest, const char* quantity) {
  const auto sum = checked_add(total, largest);
  if (!sum || *sum > kMaxTotal) {
    return fail(std::string("the largest sum of ") + quantity + " exceeds " +
                std::to_string(kMaxTotal));
  }
  total = *sum;
  return {};
}

Status check_nodes(const CostNetwork& network, int64_t& total) {
  const auto nodes = at(network.num_nodes());
  int64_t begin = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const int64_t end = network.first_choice[node + 1];
    const bool known = end >= begin && end <= static_cast<int64_t>(network.unary.size());
    const int64_t count = known ? end - begin : 0;
    if (count < 1 || count > kMaxChoices) {
      return fail(numbered("node", node) + std::to_string(count) +
                  " choices with a price; allowed are 1 to " + std::to_string(kMaxChoices));
    }
    begin = end;
  }
  if (network.first_choice.front() != 0 || begin != static_cast<int64_t>(network.unary.size())) {
    return fail("the choices of all nodes are " + std::to_string(begin) + ", but " +
                std::to_string(network.unary.size()) + " have a price");
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto largest = largest_finite(network.prices(static_cast<int32_t>(node)), "price");
    if (!largest) return tl::unexpected(with_prefix(numbered("node", node), largest.error()));
    SHARDY_TRY_STATUS(add_to_total(total, *largest, "prices"));
  }
  return {};
}

/// Checks whether `classes` is -1 or a list of numbers below `count`.
bool are_classes(const CostNetwork& network, int32_t classes, int32_t count) {
  if (classes == -1) return true;
  if (classes < 0 || at(classes) >= network.classes.size()) return false;
  return std::ranges::all_of(network.classes[at(classes)],
                             [&](int32_t of) { return of >= 0 && of < count; });
}

/// Returns the largest finite cell of each table.
Result<std::vector<int64_t>> check_tables(const CostNetwork& network) {
  std::vector<int64_t> largest_of;
  for (std::size_t i = 0; i < network.tables.size(); ++i) {
    const CostTable& table = network.tables[i];
    const auto size = checked_mul(table.rows, table.columns);
    const bool fits = table.rows >= 1 && table.columns >= 1 && table.begin >= 0 && size &&
                      *size <= static_cast<int64_t>(network.cells.size()) - table.begin;
    for (const auto& [classes, count] : {std::pair(table.row_classes, table.rows),
                                         std::pair(table.column_classes, table.columns)}) {
      if (!are_classes(network, classes, count)) {
        return fail(numbered("table", i) + "the classes of its choices are not 0 to " +
                    std::to_string(count - 1));
      }
    }
    if (!fits) {
      return fail(numbered("table", i) + std::to_string(table.rows) + " x " +
                  std::to_string(table.columns) + " cells are not among the cells of the problem");
    }
    const auto largest = largest_finite(network.table_cells(static_cast<int32_t>(i)), "cell");
    if (!largest) return tl::unexpected(with_prefix(numbered("table", i), largest.error()));
    largest_of.push_back(*largest);
  }
  return largest_of;
}

Status check_edges(const CostNetwork& network, std::span<const int64_t> largest_of,
                   int64_t& total) {
  for (std::size_t i = 0; i < network.edges.size(); ++i) {
    const CostEdge& edge = network.edges[i];
    if (!is_node(network, edge.from) || !is_node(network, edge.to) || edge.from == edge.to) {
      return fail(numbered("edge", i) + "from node " + std::to_string(edge.from) + " to node " +
                  std::to_string(edge.to) + "; allowed are two different nodes of " +
                  std::to_string(network.num_nodes()));
    }
    if (edge.table < 0 || at(edge.table) >= network.tables.size() ||
        !has_shape_of(network, edge.table, edge)) {
      return fail(numbered("edge", i) + "table " + std::to_string(edge.table) + " is not one of " +
                  std::to_string(network.num_choices(edge.from)) + " x " +
                  std::to_string(network.num_choices(edge.to)) + " cells");
    }
    SHARDY_TRY_STATUS(add_to_total(total, largest_of[at(edge.table)], "prices"));
  }
  return {};
}

bool is_interval(int64_t begin, int64_t end) {
  return begin >= -kMaxTime && begin <= end && end <= kMaxTime;
}

std::string interval_message(int64_t begin, int64_t end) {
  return "live from " + std::to_string(begin) + " until " + std::to_string(end) +
         "; the end must not be before the begin, and both within 2^40 of 0";
}

Status check_node_usages(const CostNetwork& network, int64_t& total) {
  for (std::size_t i = 0; i < network.node_usages.size(); ++i) {
    const NodeUsage& usage = network.node_usages[i];
    if (!is_node(network, usage.node) || usage.bytes < 0 ||
        usage.bytes >
            static_cast<int64_t>(network.usage_bytes.size()) - network.num_choices(usage.node)) {
      return fail(numbered("usage", i) + "of node " + std::to_string(usage.node) + " of " +
                  std::to_string(network.num_nodes()) + ", or without bytes per choice");
    }
    if (!is_interval(usage.begin, usage.end)) {
      return fail(numbered("usage", i) + interval_message(usage.begin, usage.end));
    }
    int64_t largest = 0;
    for (const int64_t bytes : network.bytes_of(usage)) {
      if (bytes < 0) return fail(numbered("usage", i) + "negative bytes " + std::to_string(bytes));
      largest = std::max(largest, bytes);
    }
    SHARDY_TRY_STATUS(add_to_total(total, largest, "bytes"));
  }
  return {};
}

Status check_edge_usages(const CostNetwork& network, std::span<const int64_t> largest_of,
                         int64_t& total) {
  for (std::size_t i = 0; i < network.edge_usages.size(); ++i) {
    const EdgeUsage& usage = network.edge_usages[i];
    const bool known = usage.edge >= 0 && at(usage.edge) < network.edges.size() &&
                       usage.table >= 0 && at(usage.table) < network.tables.size();
    if (!known || !has_shape_of(network, usage.table, network.edges[at(usage.edge)])) {
      return fail(numbered("usage of edges", i) + "edge " + std::to_string(usage.edge) +
                  ", table " + std::to_string(usage.table) +
                  "; allowed are an edge and a table of its size");
    }
    if (!is_interval(usage.begin, usage.end)) {
      return fail(numbered("usage of edges", i) + interval_message(usage.begin, usage.end));
    }
    const auto cells = network.table_cells(usage.table);
    if (std::ranges::any_of(cells, [](int64_t bytes) { return bytes >= kForbidden; })) {
      return fail(numbered("usage of edges", i) + "bytes of " + std::to_string(kForbidden) +
                  " or more");
    }
    SHARDY_TRY_STATUS(add_to_total(total, largest_of[at(usage.table)], "bytes"));
  }
  return {};
}

Status check_sizes(const CostNetwork& network) {
  const auto nodes = static_cast<int64_t>(network.first_choice.size()) - 1;
  if (nodes < 0 || nodes > kMaxNodes) {
    return fail(std::to_string(nodes) + " nodes; allowed are 0 to " + std::to_string(kMaxNodes));
  }
  const auto choices = static_cast<int64_t>(network.unary.size());
  if (choices > kMaxAllChoices) {
    return fail(std::to_string(choices) + " choices of all nodes; allowed are " +
                std::to_string(kMaxAllChoices));
  }
  const auto cells = static_cast<int64_t>(network.cells.size());
  if (cells > kMaxCells) {
    return fail(std::to_string(cells) + " cells of tables; allowed are " +
                std::to_string(kMaxCells));
  }
  for (const auto& [size, what] : {std::pair(network.labels.size(), "labels"),
                                   std::pair(network.blocks.size(), "places in blocks")}) {
    if (size != 0 && static_cast<int64_t>(size) != nodes) {
      return fail(std::to_string(size) + " " + what + " for " + std::to_string(nodes) + " nodes");
    }
  }
  if (network.limit < 0) {
    return fail("limit of " + std::to_string(network.limit) + " bytes; allowed are 0 and more");
  }
  return {};
}

/// Returns the number of choices of one side of a table. Choices of one class share a line of
/// cells.
int32_t side_size(const CostNetwork& network, int32_t lines, int32_t classes) {
  if (classes < 0) return lines;
  SHARDY_EXPECTS(at(classes) < network.classes.size());
  return static_cast<int32_t>(network.classes[at(classes)].size());
}

}  // namespace

int64_t CostNetwork::in_fs(int64_t price) const {
  const int64_t unit = std::max<int64_t>(1, unit_fs);
  return price == kNoPrice ? price : std::min(price, (kNoPrice - 1) / unit) * unit;
}

int32_t CostNetwork::num_choices(int32_t node) const {
  SHARDY_EXPECTS(node >= 0 && at(node) + 1 < first_choice.size());
  const int64_t begin = first_choice[at(node)];
  const int64_t end = first_choice[at(node) + 1];
  SHARDY_EXPECTS(begin >= 0 && begin <= end && at(end) <= unary.size());
  return static_cast<int32_t>(end - begin);
}

std::span<const int64_t> CostNetwork::prices(int32_t node) const {
  const auto count = at(num_choices(node));
  return {unary.data() + first_choice[at(node)], count};
}

std::span<const int64_t> CostNetwork::table_cells(int32_t table) const {
  SHARDY_EXPECTS(table >= 0 && at(table) < tables.size());
  const CostTable& of = tables[at(table)];
  SHARDY_EXPECTS(of.rows >= 0 && of.columns >= 0 && of.begin >= 0);
  const int64_t count = int64_t{of.rows} * of.columns;
  SHARDY_EXPECTS(at(of.begin) <= cells.size() && at(count) <= cells.size() - at(of.begin));
  return {cells.data() + of.begin, at(count)};
}

int32_t CostNetwork::num_rows(int32_t table) const {
  SHARDY_EXPECTS(table >= 0 && at(table) < tables.size());
  return side_size(*this, tables[at(table)].rows, tables[at(table)].row_classes);
}

int32_t CostNetwork::num_columns(int32_t table) const {
  SHARDY_EXPECTS(table >= 0 && at(table) < tables.size());
  return side_size(*this, tables[at(table)].columns, tables[at(table)].column_classes);
}

int64_t CostNetwork::cell(int32_t table, int32_t first, int32_t second) const {
  SHARDY_EXPECTS(first >= 0 && first < num_rows(table) && second >= 0 &&
                 second < num_columns(table));
  const CostTable& of = tables[at(table)];
  const int32_t row = of.row_classes < 0 ? first : classes[at(of.row_classes)][at(first)];
  const int32_t column =
      of.column_classes < 0 ? second : classes[at(of.column_classes)][at(second)];
  SHARDY_EXPECTS(row >= 0 && row < of.rows && column >= 0 && column < of.columns);
  const int64_t place = int64_t{row} * of.columns + column;
  SHARDY_EXPECTS(of.begin >= 0 && of.begin < static_cast<int64_t>(cells.size()) - place);
  return cells[at(of.begin + place)];
}

std::vector<int64_t> CostNetwork::cells_of_pairs(int32_t table) const {
  std::vector<int64_t> all;
  const int32_t columns = num_columns(table);
  for (int32_t first = 0; first < num_rows(table); ++first) {
    for (int32_t second = 0; second < columns; ++second) all.push_back(cell(table, first, second));
  }
  return all;
}

std::span<const int64_t> CostNetwork::bytes_of(const NodeUsage& usage) const {
  const auto count = at(num_choices(usage.node));
  SHARDY_EXPECTS(usage.bytes >= 0 && at(usage.bytes) <= usage_bytes.size() &&
                 count <= usage_bytes.size() - at(usage.bytes));
  return {usage_bytes.data() + usage.bytes, count};
}

int32_t CostNetworkBuilder::add_node(std::span<const int64_t> prices, std::string label) {
  SHARDY_EXPECTS(!prices.empty());
  network_.unary.insert(network_.unary.end(), prices.begin(), prices.end());
  network_.first_choice.push_back(static_cast<int64_t>(network_.unary.size()));
  const auto nodes = at(network_.num_nodes());
  if (!label.empty() || !network_.labels.empty()) {
    network_.labels.resize(nodes);
    network_.labels.back() = std::move(label);
  }
  if (!network_.blocks.empty()) network_.blocks.resize(nodes);
  return network_.num_nodes() - 1;
}

int32_t CostNetworkBuilder::add_classes(std::span<const int32_t> classes) {
  if (classes.empty()) return -1;
  const auto number = static_cast<int32_t>(network_.classes.size());
  const auto [known, is_new] =
      classes_by_list_.try_emplace({classes.begin(), classes.end()}, number);
  if (is_new) network_.classes.push_back(known->first);
  return known->second;
}

int32_t CostNetworkBuilder::add_table(int32_t rows, int32_t columns, std::span<const int64_t> cells,
                                      std::span<const int32_t> row_classes,
                                      std::span<const int32_t> column_classes) {
  SHARDY_EXPECTS(rows >= 1 && columns >= 1 && cells.size() == at(rows) * at(columns));
  const CostTable made{rows, columns, static_cast<int64_t>(network_.cells.size()),
                       add_classes(row_classes), add_classes(column_classes)};
  SHARDY_EXPECTS(are_classes(network_, made.row_classes, rows) &&
                 are_classes(network_, made.column_classes, columns));
  const uint64_t hash = hash_cells(rows, columns, cells);
  const auto [first, last] = tables_by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const CostTable& table = network_.tables[at(it->second)];
    if (table.rows == rows && table.columns == columns && table.row_classes == made.row_classes &&
        table.column_classes == made.column_classes &&
        std::ranges::equal(network_.table_cells(it->second), cells)) {
      return it->second;
    }
  }
  const auto index = static_cast<int32_t>(network_.tables.size());
  network_.tables.push_back(made);
  network_.cells.insert(network_.cells.end(), cells.begin(), cells.end());
  tables_by_hash_.emplace(hash, index);
  return index;
}

int32_t CostNetworkBuilder::add_edge(int32_t from, int32_t to, int32_t table) {
  const CostEdge edge{from, to, table};
  SHARDY_EXPECTS(is_node(network_, from) && is_node(network_, to) && from != to);
  SHARDY_EXPECTS(table >= 0 && at(table) < network_.tables.size() &&
                 has_shape_of(network_, table, edge));
  network_.edges.push_back(edge);
  return static_cast<int32_t>(network_.edges.size()) - 1;
}

void CostNetworkBuilder::add_prices(int32_t node, std::span<const int64_t> prices) {
  SHARDY_EXPECTS(is_node(network_, node) && prices.size() == at(network_.num_choices(node)));
  int64_t* own = network_.unary.data() + network_.first_choice[at(node)];
  for (std::size_t i = 0; i < prices.size(); ++i) own[i] = saturating_add(own[i], prices[i]);
}

void CostNetworkBuilder::add_usage(int32_t node, int64_t begin, int64_t end,
                                   std::span<const int64_t> bytes) {
  SHARDY_EXPECTS(is_node(network_, node) && bytes.size() == at(network_.num_choices(node)));
  SHARDY_EXPECTS(begin <= end);
  if (begin == end) return;
  network_.node_usages.push_back(
      {node, begin, end, static_cast<int64_t>(network_.usage_bytes.size())});
  network_.usage_bytes.insert(network_.usage_bytes.end(), bytes.begin(), bytes.end());
}

void CostNetworkBuilder::add_edge_usage(int32_t edge, int64_t begin, int64_t end, int32_t table) {
  SHARDY_EXPECTS(edge >= 0 && at(edge) < network_.edges.size() && begin <= end);
  SHARDY_EXPECTS(table >= 0 && at(table) < network_.tables.size() &&
                 has_shape_of(network_, table, network_.edges[at(edge)]));
  if (begin != end) network_.edge_usages.push_back({edge, begin, end, table});
}

void CostNetworkBuilder::set_block(int32_t node, BlockPlace place) {
  SHARDY_EXPECTS(is_node(network_, node));
  network_.blocks.resize(at(network_.num_nodes()));
  network_.blocks[at(node)] = place;
}

CostNetwork CostNetworkBuilder::take() {
  tables_by_hash_.clear();
  classes_by_list_.clear();
  return std::exchange(network_, {});
}

Status check_problem(const CostNetwork& network) {
  SHARDY_TRY_STATUS(check_sizes(network));
  if (network.unit_fs < 1) {
    return fail("the unit of prices is " + std::to_string(network.unit_fs) +
                " fs; allowed are 1 and more");
  }
  int64_t prices = 0;
  int64_t bytes = 0;
  SHARDY_TRY_STATUS(check_nodes(network, prices));
  SHARDY_TRY(const auto largest_of, check_tables(network));
  SHARDY_TRY_STATUS(check_edges(network, largest_of, prices));
  SHARDY_TRY_STATUS(check_node_usages(network, bytes));
  return check_edge_usages(network, largest_of, bytes);
}

Status check_choice(const CostNetwork& network, std::span<const int32_t> choice) {
  if (choice.size() != at(network.num_nodes())) {
    return fail(std::to_string(choice.size()) + " choices for " +
                std::to_string(network.num_nodes()) + " nodes");
  }
  for (std::size_t node = 0; node < choice.size(); ++node) {
    const int32_t count = network.num_choices(static_cast<int32_t>(node));
    if (choice[node] < 0 || choice[node] >= count) {
      return fail(numbered("node", node) + "choice " + std::to_string(choice[node]) +
                  "; allowed are 0 to " + std::to_string(count - 1));
    }
  }
  return {};
}

int64_t price_of(const CostNetwork& network, std::span<const int32_t> choice) {
  SHARDY_EXPECTS(check_problem(network).has_value() && check_choice(network, choice).has_value());
  int64_t sum = 0;
  for (std::size_t node = 0; node < choice.size(); ++node) {
    const int64_t price = network.prices(static_cast<int32_t>(node))[at(choice[node])];
    if (price >= kForbidden) return kNoPrice;
    sum += price;
  }
  for (const CostEdge& edge : network.edges) {
    const int64_t price = network.cell(edge.table, choice[at(edge.from)], choice[at(edge.to)]);
    if (price >= kForbidden) return kNoPrice;
    sum += price;
  }
  return sum;
}

namespace {

int64_t pairs_of(const CostNetwork& network, int32_t table) {
  return int64_t{network.num_rows(table)} * network.num_columns(table);
}

}  // namespace

int64_t num_pairs(const CostNetwork& network) {
  SHARDY_EXPECTS(check_problem(network).has_value());
  int64_t sum = 0;
  for (const CostEdge& edge : network.edges) sum += pairs_of(network, edge.table);
  for (const EdgeUsage& usage : network.edge_usages) sum += pairs_of(network, usage.table);
  return sum;
}

LivePeak peak_of(const CostNetwork& network, std::span<const int32_t> choice) {
  SHARDY_EXPECTS(check_problem(network).has_value() && check_choice(network, choice).has_value());
  std::map<int64_t, int64_t> change;  // change of live bytes, by time
  const auto add = [&](int64_t begin, int64_t end, int64_t bytes) {
    if (begin == end) return;
    change[begin] += bytes;
    change[end] -= bytes;
  };
  for (const NodeUsage& usage : network.node_usages) {
    add(usage.begin, usage.end, network.bytes_of(usage)[at(choice[at(usage.node)])]);
  }
  for (const EdgeUsage& usage : network.edge_usages) {
    const CostEdge& edge = network.edges[at(usage.edge)];
    add(usage.begin, usage.end,
        network.cell(usage.table, choice[at(edge.from)], choice[at(edge.to)]));
  }
  LivePeak peak;
  int64_t live = 0;
  for (const auto& [time, bytes] : change) {
    live += bytes;
    if (live > peak.bytes) peak = {live, time};
  }
  return peak;
}

namespace {

// The problem, with s_v_i = 1 if node v has choice i, and e_v_w_i_j = s_v_i s_w_j:
//
//   minimize  sum price * s  +  sum price * e
//   node:   sum_i s_v_i = 1
//   edge:   sum_j e_v_w_i_j = s_v_i,   sum_i e_v_w_i_j = s_w_j
//   point:  sum bytes * s + sum bytes * e <= limit
//   s binary, e >= 0; pairs that are forbidden have no variable

/// Writes linear expressions. Lines stay short, because some programs limit their length.
class LpText {
 public:
  void begin_row(std::string_view name) {
    text_.append(" ").append(name).append(":");
    terms_ = 0;
  }
  void add_term(int64_t factor, std::string_view variable) {
    if (++terms_ % 6 == 0) text_ += "\n ";
    text_ += factor < 0 ? " - " : " + ";
    if (const int64_t size = factor < 0 ? -factor : factor; size != 1) {
      integer(size);
      text_ += ' ';
    }
    text_ += variable;
  }
  void end_row(std::string_view relation, int64_t right) {
    text_.append(" ").append(relation).append(" ");
    integer(right);
    text_ += '\n';
  }
  void add(std::string_view text) { text_ += text; }
  int64_t terms() const { return terms_; }
  std::string take() { return std::move(text_); }

 private:
  void integer(int64_t value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }

  std::string text_;
  int64_t terms_ = 0;
};

std::string lp_name(std::string_view kind, std::initializer_list<int64_t> numbers) {
  std::string name(kind);
  for (const int64_t number : numbers) {
    name += '_';
    name += number < 0 ? "n" + std::to_string(-number) : std::to_string(number);
  }
  return name;
}

/// Writes the rows of one network.
class LpWriter {
 public:
  explicit LpWriter(const WorkNetwork& network) : network_(network) {}

  std::string run() {
    text_.add("Minimize\n");
    write_objective();
    text_.add("Subject To\n");
    write_nodes();
    for (const WorkEdge& edge : network_.edges) write_edge(edge);
    write_points();
    write_bounds();
    write_binaries();
    text_.add("End\n");
    return text_.take();
  }

 private:
  static std::string choice_name(int64_t node, int64_t i) { return lp_name("s", {node, i}); }
  static std::string pair_name(const WorkEdge& edge, int64_t i, int64_t j) {
    return lp_name("e", {edge.a, edge.b, i, j});
  }
  int64_t price_of_choice(int32_t node, int32_t i) const {
    return network_.unary[at(network_.first[at(node)] + i)];
  }
  template <class Visit>
  void for_each_choice(Visit visit) const {
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      for (int32_t i = 0; i < network_.size(node); ++i) visit(node, i, price_of_choice(node, i));
    }
  }
  template <class Visit>
  void for_each_pair(const WorkEdge& edge, Visit visit) const {
    for (int32_t i = 0; i < network_.size(edge.a); ++i) {
      for (int32_t j = 0; j < network_.size(edge.b); ++j)
        visit(i, j, network_.pair_price(edge, i, j));
    }
  }

  void write_objective() {
    text_.begin_row("price");
    for_each_choice([&](int32_t node, int32_t i, int64_t price) {
      if (price > 0 && price < kInfinite) text_.add_term(price, choice_name(node, i));
    });
    for (const WorkEdge& edge : network_.edges) {
      for_each_pair(edge, [&](int32_t i, int32_t j, int64_t price) {
        if (price > 0 && price < kInfinite) text_.add_term(price, pair_name(edge, i, j));
      });
    }
    // The objective must have a term even without prices.
    if (text_.terms() == 0 && network_.num_nodes() > 0) text_.add(" 0 " + choice_name(0, 0));
    text_.add("\n");
  }

  void write_nodes() {
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      text_.begin_row(lp_name("n", {node}));
      for (int32_t i = 0; i < network_.size(node); ++i) text_.add_term(1, choice_name(node, i));
      text_.end_row("=", 1);
    }
  }

  /// Writes one row per choice of an end of the edge, `a` or `b`: the pairs that have this choice
  /// add up to the choice.
  void write_sums(const WorkEdge& edge, const char* row, bool is_a) {
    const int32_t node = is_a ? edge.a : edge.b;
    const int32_t other = is_a ? edge.b : edge.a;
    for (int32_t choice = 0; choice < network_.size(node); ++choice) {
      text_.begin_row(lp_name(row, {edge.a, edge.b, choice}));
      for (int32_t partner = 0; partner < network_.size(other); ++partner) {
        const int32_t i = is_a ? choice : partner;
        const int32_t j = is_a ? partner : choice;
        if (network_.pair_price(edge, i, j) < kInfinite) text_.add_term(1, pair_name(edge, i, j));
      }
      text_.add_term(-1, choice_name(node, choice));
      text_.end_row("=", 0);
    }
  }

  void write_edge(const WorkEdge& edge) {
    write_sums(edge, "r", true);
    write_sums(edge, "c", false);
  }

  void write_points() {
    for (int32_t point = 0; point < network_.num_points; ++point) {
      text_.begin_row(lp_name("m", {network_.times[at(point)]}));
      for (const WorkUsage& usage : network_.node_usages) {
        if (usage.begin <= point && point < usage.end) write_node_bytes(usage);
      }
      for (const WorkUsage& usage : network_.edge_usages) {
        if (usage.begin <= point && point < usage.end) write_edge_bytes(usage);
      }
      text_.end_row("<=", network_.limit);
    }
  }
  void write_node_bytes(const WorkUsage& usage) {
    for (int32_t i = 0; i < network_.size(usage.owner); ++i) {
      const int64_t bytes = network_.bytes[at(usage.bytes + i)];
      if (bytes > 0) text_.add_term(bytes, choice_name(usage.owner, i));
    }
  }
  void write_edge_bytes(const WorkUsage& usage) {
    const WorkEdge& edge = network_.edges[at(usage.owner)];
    const WorkEdge of_bytes{edge.a, edge.b, static_cast<int32_t>(usage.bytes)};
    for_each_pair(edge, [&](int32_t i, int32_t j, int64_t price) {
      const int64_t bytes = network_.pair_price(of_bytes, i, j);
      if (bytes > 0 && price < kInfinite) text_.add_term(bytes, pair_name(edge, i, j));
    });
  }

  void write_bounds() {
    text_.add("Bounds\n");
    for_each_choice([&](int32_t node, int32_t i, int64_t price) {
      if (price >= kInfinite) text_.add(" " + choice_name(node, i) + " = 0\n");
    });
  }
  void write_binaries() {
    text_.add("Binaries\n");
    for_each_choice([&](int32_t node, int32_t i, int64_t price) {
      if (price < kInfinite) text_.add(" " + choice_name(node, i) + "\n");
    });
  }

  const WorkNetwork& network_;
  LpText text_;
};

}  // namespace

Result<std::string> write_lp(const CostNetwork& network) {
  SHARDY_EXPECTS(check_problem(network).has_value());
  int64_t cells = 0;
  for (const CostEdge& edge : network.edges) cells += pairs_of(network, edge.table);
  if (cells > kMaxLpCells) {
    return fail(std::to_string(cells) + " pairs of choices; a linear program has at most " +
                std::to_string(kMaxLpCells) + ", as each is a variable");
  }
  const WorkNetwork work = make_work_network(network, network.limit);
  const std::string comment = network.unit_fs == 1 ? ""
                                                   : "\\ prices are in units of " +
                                                         std::to_string(network.unit_fs) + " fs\n";
  return comment + LpWriter(work).run();
}

}  // namespace shardy::autoshard
