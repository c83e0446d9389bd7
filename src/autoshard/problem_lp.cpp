#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/contract.hpp>
#include <utility>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

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

  void write_edge(const WorkEdge& edge) {
    for (int32_t i = 0; i < network_.size(edge.a); ++i) {
      text_.begin_row(lp_name("r", {edge.a, edge.b, i}));
      for (int32_t j = 0; j < network_.size(edge.b); ++j) {
        if (network_.pair_price(edge, i, j) < kInfinite) text_.add_term(1, pair_name(edge, i, j));
      }
      text_.add_term(-1, choice_name(edge.a, i));
      text_.end_row("=", 0);
    }
    for (int32_t j = 0; j < network_.size(edge.b); ++j) {
      text_.begin_row(lp_name("c", {edge.a, edge.b, j}));
      for (int32_t i = 0; i < network_.size(edge.a); ++i) {
        if (network_.pair_price(edge, i, j) < kInfinite) text_.add_term(1, pair_name(edge, i, j));
      }
      text_.add_term(-1, choice_name(edge.b, j));
      text_.end_row("=", 0);
    }
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
  for (const CostEdge& edge : network.edges) {
    cells += static_cast<int64_t>(network.table_cells(edge.table).size());
  }
  if (cells > kMaxLpCells) {
    return fail(std::to_string(cells) + " pairs of choices; a linear program has at most " +
                std::to_string(kMaxLpCells) + ", as each is a variable");
  }
  const WorkNetwork work = make_work_network(network, network.limit);
  return LpWriter(work).run();
}

}  // namespace shardy::autoshard
