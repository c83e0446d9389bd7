#include <algorithm>
#include <limits>
#include <utility>

#include "autoshard/chain_bound.hpp"

// Vector code makes the inner loops faster, so this file is compiled with -O3.

namespace shardy::autoshard {

namespace {

constexpr double kForbiddenCell = std::numeric_limits<double>::infinity();

double to_double(int64_t scaled) {
  return scaled >= kInfinite ? kForbiddenCell : static_cast<double>(scaled);
}

double smaller(double a, double b) { return a < b ? a : b; }

/// Computes result[y] = min over x of less[x] + cells[x, y].
void min_plus(const double* cells, const double* less, std::size_t rows, std::size_t columns,
              double* __restrict result) {
  std::fill_n(result, columns, kForbiddenCell);
  std::size_t x = 0;
  for (; x + 4 <= rows; x += 4, cells += 4 * columns) {
    const double a = less[x];
    const double b = less[x + 1];
    const double c = less[x + 2];
    const double d = less[x + 3];
    for (std::size_t y = 0; y < columns; ++y) {
      const double first = smaller(a + cells[y], b + cells[columns + y]);
      const double second = smaller(c + cells[2 * columns + y], d + cells[3 * columns + y]);
      result[y] = smaller(result[y], smaller(first, second));
    }
  }
  for (; x < rows; ++x, cells += columns) {
    const double a = less[x];
    for (std::size_t y = 0; y < columns; ++y) result[y] = smaller(result[y], a + cells[y]);
  }
}

}  // namespace

MessagePassing::MessagePassing(const WorkNetwork& network, const ScaledCosts& costs,
                               EdgeMessages messages)
    : network_(network), costs_(costs), messages_(std::move(messages)) {
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto links = network.links_of(node);
    const auto later = std::ranges::count_if(links, &WorkLink::is_first);
    const auto earlier = static_cast<int64_t>(links.size()) - later;
    share_.push_back(1.0 / static_cast<double>(std::max<int64_t>({1, later, earlier})));
  }
  unary_.resize(network.unary.size());
  cells_.reserve(costs_.cells.size());
  transposed_.reserve(costs_.cells.size());
  for (std::size_t table = 0; table < network.tables.size(); ++table) add_table(table);
  update_costs();
}

void MessagePassing::add_table(std::size_t index) {
  const WorkTable& table = costs_.tables[index];
  const std::size_t begin = at(table.begin);
  const std::size_t rows = at(table.rows);
  const std::size_t columns = at(table.columns);
  cells_.resize(std::max(cells_.size(), begin + rows * columns));
  transposed_.resize(cells_.size());
  for (std::size_t x = 0; x < rows; ++x) {
    for (std::size_t y = 0; y < columns; ++y) {
      const double cell = to_double(costs_.cells[begin + x * columns + y]);
      cells_[begin + x * columns + y] = cell;
      transposed_[begin + y * rows + x] = cell;
    }
  }
}

void MessagePassing::update_costs() {
  std::ranges::transform(costs_.unary, unary_.begin(), to_double);
  for (std::size_t table = network_.tables.size(); table < costs_.tables.size(); ++table) {
    add_table(table);
  }
}

/// Returns the message along a link's edge to the other node, or from the other node.
const double* MessagePassing::message_to(const WorkLink& link, bool to_other) const {
  return link.is_first == to_other ? messages_.to_b.data() + messages_.first_b[at(link.edge)]
                                   : messages_.to_a.data() + messages_.first_a[at(link.edge)];
}

void MessagePassing::update_node(int32_t node, bool forward) {
  const std::size_t size = at(network_.size(node));
  const double* unary = unary_.data() + network_.first[at(node)];
  sum_.assign(unary, unary + size);
  for (const WorkLink& link : network_.links_of(node)) {
    const double* from = message_to(link, false);
    for (std::size_t i = 0; i < size; ++i) sum_[i] += from[i];
  }
  for (const WorkLink& link : network_.links_of(node)) {
    if (link.is_first == forward) send(link, share_[at(node)]);
  }
}

void MessagePassing::send(const WorkLink& link, double share) {
  const double* from = message_to(link, false);
  const TableCells table = costs_.cells_of(link.edge);
  const int32_t* class_of = link.is_first ? table.row_of : table.column_of;
  const int32_t* other_class_of = link.is_first ? table.column_of : table.row_of;
  less_.assign(link.is_first ? table.rows : table.columns, kForbiddenCell);
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    double& least = less_[at(class_of[i])];
    least = smaller(share * sum_[i] - from[i], least);
  }
  const int64_t begin = costs_.tables[at(costs_.table_of[at(link.edge)])].begin;
  const double* cells = (link.is_first ? cells_ : transposed_).data() + begin;
  sent_.resize(link.is_first ? table.columns : table.rows);
  min_plus(cells, less_.data(), less_.size(), sent_.size(), sent_.data());
  const double least = *std::ranges::min_element(sent_);
  for (double& each : sent_) each -= least;
  double* to = link.is_first ? messages_.to_b.data() + messages_.first_b[at(link.edge)]
                             : messages_.to_a.data() + messages_.first_a[at(link.edge)];
  for (int32_t y = 0; y < network_.size(link.other); ++y) to[y] = sent_[at(other_class_of[y])];
}

void MessagePassing::sweep(int64_t count) {
  const int32_t nodes = network_.num_nodes();
  for (int64_t i = 0; i < count; ++i) {
    for (int32_t node = 0; node < nodes; ++node) update_node(node, true);
    for (int32_t node = nodes - 1; node >= 0; --node) update_node(node, false);
  }
}

std::vector<int32_t> MessagePassing::decode(bool forward) const {
  const int32_t nodes = network_.num_nodes();
  std::vector<int32_t> choice(at(nodes), 0);
  std::vector<double> price;
  for (int32_t k = 0; k < nodes; ++k) {
    const int32_t node = forward ? k : nodes - 1 - k;
    const std::size_t size = at(network_.size(node));
    const double* unary = unary_.data() + network_.first[at(node)];
    price.assign(unary, unary + size);
    for (const WorkLink& link : network_.links_of(node)) {
      if (link.is_first == forward) {  // the other node is open
        const double* message = message_to(link, false);
        for (std::size_t i = 0; i < size; ++i) price[i] += message[i];
        continue;
      }
      const TableCells table = costs_.cells_of(link.edge);
      const int32_t other = choice[at(link.other)];
      for (std::size_t i = 0; i < size; ++i) {
        price[i] += to_double(table.of(link, static_cast<int32_t>(i), other));
      }
    }
    choice[at(node)] = static_cast<int32_t>(std::ranges::min_element(price) - price.begin());
  }
  return choice;
}

}  // namespace shardy::autoshard
