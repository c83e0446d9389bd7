#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/contract.hpp>
#include <utility>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

namespace {

/// Lists of integers, stored in sequence.
struct IntegerLists {
  bool present = false;
  std::vector<int64_t> values;
  std::vector<std::size_t> first{0};  // per list: its start in `values`; one more entry than lists

  std::size_t size() const { return first.size() - 1; }
  std::span<const int64_t> operator[](std::size_t list) const {
    return {values.data() + first[list], first[list + 1] - first[list]};
  }
};

/// The members of a problem as they are in the text.
struct ProblemMembers {
  std::string name;
  int64_t limit = kUnlimited;
  int64_t unit_fs = 1;
  std::vector<std::string> labels;
  std::map<std::string, IntegerLists, std::less<>> lists;  // by "/nodes/costs"
  bool has_problem = false;
};

constexpr std::array<std::string_view, 10> kListMembers{
    "/nodes/intervals", "/nodes/costs",  "/nodes/usages",  "/edges/nodes",    "/edges/costs",
    "/temps/nodes",     "/temps/usages", "/scatter/nodes", "/scatter/usages", "/blocks"};

/// Handles the events of the JSON parser. Tracks the JSON position of each value and skips unknown
/// members.
class ProblemEvents {
 public:
  explicit ProblemEvents(ProblemMembers& members) : members_(members) {}

  Error take_error() { return std::move(error_); }

  bool null() { return scalar("null"); }
  bool boolean(bool) { return scalar("a boolean"); }
  bool number_integer(int64_t value) { return number(value); }
  bool number_unsigned(uint64_t value) {
    return number(static_cast<int64_t>(std::min(value, static_cast<uint64_t>(INT64_MAX))));
  }
  bool number_float(double value, const std::string& digits) {
    if (skipped() || place_ == JsonPlace::Elsewhere) return scalar("a number");
    constexpr double kMost = 9.2e18;
    if (!(std::abs(value) <= kMost)) {
      return value > 0 ? number(INT64_MAX) : complain("the number " + digits + " does not fit");
    }
    if (value != std::floor(value)) return complain("the number " + digits + " is not an integer");
    return number(static_cast<int64_t>(value));
  }
  bool string(std::string& value) {
    if (!skipped() && place_ == JsonPlace::Name) {
      members_.name = value;
      return after_value();
    }
    if (!skipped() && place_ == JsonPlace::Label) {
      members_.labels.push_back(value);
      return after_value();
    }
    return scalar("a string");
  }
  bool binary(const std::vector<uint8_t>&) { return false; }

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    levels_.back().key = value;
    find_place();
    return true;
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    error_ = Error{.message = "not valid JSON: byte " + std::to_string(position),
                   .location = {},
                   .notes = {error.what()}};
    return false;
  }

 private:
  /// The JSON position of the next value, which determines its meaning.
  enum class JsonPlace : uint8_t {
    Elsewhere,  // at the root or in an unknown member
    Problem,
    Section,  // in nodes, edges, temps or scatter
    List,     // in a list of lists
    Inner,    // in a list of integers
    Integer,
    Limit,
    Unit,
    Name,
    Labels,
    Label
  };
  struct Level {
    bool is_object = false;
    std::string key;
    std::size_t index = 0;
    JsonPlace place = JsonPlace::Elsewhere;  // position of the value itself
  };

  bool skipped() const { return skip_depth_ > 0; }

  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) {
      text += '/';
      text += level.is_object ? level.key : std::to_string(level.index);
    }
    return text;
  }
  bool complain(std::string message) {
    error_ = Error{.message = std::move(message), .location = pointer()};
    return false;
  }

  static bool has_sections(std::string_view key) {
    return key == "nodes" || key == "edges" || key == "temps" || key == "scatter";
  }

  /// Sets the position of the next value from its nesting level.
  void find_place() {
    const Level& level = levels_.back();
    place_ = JsonPlace::Elsewhere;
    switch (level.place) {
      case JsonPlace::Elsewhere:
        if (levels_.size() == 1 && level.key == "problem") place_ = JsonPlace::Problem;
        break;
      case JsonPlace::Problem:
        if (level.key == "name") place_ = JsonPlace::Name;
        if (level.key == "usage_limit") place_ = JsonPlace::Limit;
        if (level.key == "unit_fs") place_ = JsonPlace::Unit;
        if (level.key == "labels") place_ = JsonPlace::Labels;
        if (has_sections(level.key)) place_ = JsonPlace::Section;
        if (level.key == "blocks") place_ = JsonPlace::List;
        break;
      case JsonPlace::Section: {
        const std::string name = '/' + levels_[levels_.size() - 2].key + '/' + level.key;
        if (std::ranges::find(kListMembers, name) != kListMembers.end()) place_ = JsonPlace::List;
        break;
      }
      case JsonPlace::List:
        place_ = JsonPlace::Inner;
        break;
      case JsonPlace::Inner:
        place_ = JsonPlace::Integer;
        break;
      case JsonPlace::Labels:
        place_ = JsonPlace::Label;
        break;
      default:
        break;
    }
  }

  static std::string_view expected(JsonPlace place) {
    switch (place) {
      case JsonPlace::Problem:
      case JsonPlace::Section:
        return "an object";
      case JsonPlace::List:
        return "a list of lists";
      case JsonPlace::Inner:
      case JsonPlace::Labels:
        return "a list";
      case JsonPlace::Integer:
      case JsonPlace::Limit:
      case JsonPlace::Unit:
        return "an integer";
      default:
        return "a string";
    }
  }

  bool wrong_type(std::string_view what) {
    return complain(std::string(what) + "; allowed is " + std::string(expected(place_)));
  }

  bool scalar(std::string_view what) {
    if (!skipped() && place_ != JsonPlace::Elsewhere) return wrong_type(what);
    return after_value();
  }

  bool number(int64_t value) {
    if (skipped() || place_ == JsonPlace::Elsewhere) return after_value();
    if (place_ == JsonPlace::Integer) {
      list_->values.push_back(value);
    } else if (place_ == JsonPlace::Limit) {
      members_.limit = value;
    } else if (place_ == JsonPlace::Unit) {
      members_.unit_fs = value;
    } else {
      return wrong_type("a number");
    }
    return after_value();
  }

  bool after_value() {
    if (!levels_.empty() && !levels_.back().is_object) {
      ++levels_.back().index;
      if (!skipped()) find_place();
    }
    return true;
  }

  bool open(bool is_object) {
    const bool known = !skipped() && place_ != JsonPlace::Elsewhere;
    const bool is_root = levels_.empty() && !skipped();
    if (!known && !is_root) {
      ++skip_depth_;
      return true;
    }
    const bool wants_object =
        is_root || place_ == JsonPlace::Problem || place_ == JsonPlace::Section;
    const bool wants_list =
        place_ == JsonPlace::List || place_ == JsonPlace::Inner || place_ == JsonPlace::Labels;
    if (is_root && !is_object) return complain("a list; allowed is an object");
    if (!(is_object ? wants_object : wants_list)) {
      return wrong_type(is_object ? "an object" : "a list");
    }
    if (place_ == JsonPlace::Problem) members_.has_problem = true;
    if (place_ == JsonPlace::List && !open_list()) return false;
    levels_.push_back({is_object, {}, 0, is_root ? JsonPlace::Elsewhere : place_});
    if (!is_object) find_place();
    return true;
  }

  bool open_list() {
    std::string name = '/' + levels_.back().key;
    if (levels_.back().place == JsonPlace::Section)
      name = '/' + levels_[levels_.size() - 2].key + name;
    list_ = &members_.lists[name];
    if (std::exchange(list_->present, true)) return complain("the member occurs twice");
    return true;
  }

  bool close() {
    if (skipped()) {
      --skip_depth_;
      return after_value();
    }
    const JsonPlace place = levels_.back().place;
    levels_.pop_back();
    if (place == JsonPlace::Inner) list_->first.push_back(list_->values.size());
    return after_value();
  }

  ProblemMembers& members_;
  std::vector<Level> levels_;
  int64_t skip_depth_ = 0;  // number of open lists and objects of unknown members
  JsonPlace place_ = JsonPlace::Elsewhere;
  IntegerLists* list_ = nullptr;
  Error error_;
};

// ---- Conversion of members to a network ---------------------------------------------------------
// ------------------------------------------------------------------

std::string place_of(std::string_view member, std::size_t index) {
  return "/problem" + std::string(member) + "/" + std::to_string(index);
}

/// Builds the network and checks the preconditions of the builder.
class ProblemAssembly {
 public:
  explicit ProblemAssembly(ProblemMembers& members) : members_(members) {}

  Result<CostNetwork> run() {
    SHARDY_TRY_STATUS(add_nodes());
    SHARDY_TRY_STATUS(add_usages());
    SHARDY_TRY_STATUS(add_edges());
    SHARDY_TRY_STATUS(add_temps());
    SHARDY_TRY_STATUS(add_scatter());
    SHARDY_TRY_STATUS(add_blocks());
    builder_.set_name(std::move(members_.name));
    builder_.set_limit(members_.limit);
    builder_.set_unit(members_.unit_fs);
    CostNetwork network = builder_.take();
    SHARDY_TRY_STATUS(check_problem(network));
    return network;
  }

 private:
  const IntegerLists& list(std::string_view name) {
    return members_.lists.try_emplace(std::string(name)).first->second;
  }
  bool is_node(int64_t node) const { return node >= 0 && node < num_nodes_; }

  Status require(std::string_view name) {
    if (list(name).present) return {};
    return fail_at("/problem" + std::string(name), "the member is missing");
  }
  Status same_count(std::string_view left, std::string_view right) {
    if (list(left).size() == list(right).size()) return {};
    return fail_at("/problem" + std::string(right),
                   std::to_string(list(right).size()) + " lists, but " + std::string(left) +
                       " has " + std::to_string(list(left).size()));
  }
  static std::vector<int64_t> prices(std::span<const int64_t> values) {
    std::vector<int64_t> result(values.begin(), values.end());
    for (int64_t& price : result) price = std::min(price, kForbidden);
    return result;
  }
  /// Returns an error if the list does not have `wanted` numbers.
  static Status check_size(std::span<const int64_t> values, int64_t wanted, std::string place) {
    if (static_cast<int64_t>(values.size()) == wanted) return {};
    return fail_at(std::move(place), std::to_string(values.size()) + " numbers; allowed are " +
                                         std::to_string(wanted));
  }
  static Status check_interval(std::span<const int64_t> interval, std::string place) {
    if (interval[0] <= interval[1] && interval[0] >= -kMaxTime && interval[1] <= kMaxTime) {
      return {};
    }
    return fail_at(std::move(place),
                   "live from " + std::to_string(interval[0]) + " until " +
                       std::to_string(interval[1]) +
                       "; the end must not be before the begin, and both within 2^40 of 0");
  }

  Status add_nodes() {
    if (!members_.has_problem) return fail_at("/problem", "the member is missing");
    SHARDY_TRY_STATUS(require("/nodes/costs"));
    const IntegerLists& costs = list("/nodes/costs");
    const auto& labels = members_.labels;
    if (!labels.empty() && labels.size() != costs.size()) {
      return fail_at("/problem/labels", std::to_string(labels.size()) + " labels for " +
                                            std::to_string(costs.size()) + " nodes");
    }
    if (static_cast<int64_t>(costs.size()) > kMaxNodes) {
      return fail_at("/problem/nodes/costs", std::to_string(costs.size()) + " nodes; allowed are " +
                                                 std::to_string(kMaxNodes));
    }
    for (std::size_t node = 0; node < costs.size(); ++node) {
      if (costs[node].empty()) return fail_at(place_of("/nodes/costs", node), "no choice");
      builder_.add_node(prices(costs[node]), labels.empty() ? std::string() : labels[node]);
    }
    num_nodes_ = static_cast<int64_t>(costs.size());
    return {};
  }

  Status add_usages() {
    const IntegerLists& usages = list("/nodes/usages");
    const IntegerLists& intervals = list("/nodes/intervals");
    if (!usages.present) return {};
    SHARDY_TRY_STATUS(require("/nodes/intervals"));
    SHARDY_TRY_STATUS(same_count("/nodes/costs", "/nodes/usages"));
    SHARDY_TRY_STATUS(same_count("/nodes/costs", "/nodes/intervals"));
    for (std::size_t node = 0; node < usages.size(); ++node) {
      SHARDY_TRY_STATUS(check_size(intervals[node], 2, place_of("/nodes/intervals", node)));
      SHARDY_TRY_STATUS(check_interval(intervals[node], place_of("/nodes/intervals", node)));
      const auto index = static_cast<int32_t>(node);
      SHARDY_TRY_STATUS(check_size(usages[node], builder_.network().num_choices(index),
                                   place_of("/nodes/usages", node)));
      builder_.add_usage(index, intervals[node][0], intervals[node][1], usages[node]);
    }
    return {};
  }

  Status add_edges() {
    if (!list("/edges/nodes").present && !list("/edges/costs").present) return {};
    SHARDY_TRY_STATUS(require("/edges/nodes"));
    SHARDY_TRY_STATUS(require("/edges/costs"));
    SHARDY_TRY_STATUS(same_count("/edges/nodes", "/edges/costs"));
    const IntegerLists& nodes = list("/edges/nodes");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      SHARDY_TRY_STATUS(check_size(nodes[i], 2, place_of("/edges/nodes", i)));
      SHARDY_TRY_STATUS(check_nodes(nodes[i].first(2), place_of("/edges/nodes", i)));
      SHARDY_TRY_STATUS(
          add_edge(static_cast<int32_t>(nodes[i][0]), static_cast<int32_t>(nodes[i][1]), i));
    }
    return {};
  }

  Status check_nodes(std::span<const int64_t> nodes, std::string place) const {
    for (const int64_t node : nodes) {
      if (is_node(node)) continue;
      return fail_at(std::move(place), "node " + std::to_string(node) + "; allowed are 0 to " +
                                           std::to_string(num_nodes_ - 1));
    }
    return {};
  }

  Status add_edge(int32_t from, int32_t to, std::size_t index) {
    const int32_t rows = builder_.network().num_choices(from);
    const int32_t columns = builder_.network().num_choices(to);
    const std::vector<int64_t> costs = prices(list("/edges/costs")[index]);
    SHARDY_TRY_STATUS(check_size(costs, int64_t{rows} * columns, place_of("/edges/costs", index)));
    if (from != to) {
      edge_of_.try_emplace(std::pair(from, to),
                           builder_.add_edge(from, to, builder_.add_table(rows, columns, costs)));
      return {};
    }
    std::vector<int64_t> diagonal;  // a pair of a node with itself is the node
    diagonal.reserve(static_cast<std::size_t>(rows));
    for (int32_t i = 0; i < rows; ++i) diagonal.push_back(costs[at(int64_t{i} * rows + i)]);
    builder_.add_prices(from, diagonal);
    return {};
  }

  /// Returns the times `[time]` or `[begin, end]` that follow the nodes of an entry.
  static std::pair<int64_t, int64_t> times_of(std::span<const int64_t> entry, std::size_t nodes) {
    const int64_t begin = std::clamp(entry[nodes], -kMaxTime - 2, kMaxTime + 2);
    return {begin, entry.size() > nodes + 1 ? entry[nodes + 1] : begin + 1};
  }

  Status check_entry(std::span<const int64_t> entry, std::size_t nodes, const std::string& place) {
    if (entry.size() != nodes + 1 && entry.size() != nodes + 2) {
      return fail_at(place, std::to_string(entry.size()) + " numbers; allowed are " +
                                std::to_string(nodes + 1) + " or " + std::to_string(nodes + 2));
    }
    SHARDY_TRY_STATUS(check_nodes(entry.first(nodes), place));
    const auto [begin, end] = times_of(entry, nodes);
    return check_interval(std::array{begin, end}, place);
  }

  Status add_temps() {
    const IntegerLists& entries = list("/temps/nodes");
    SHARDY_TRY_STATUS(same_count("/temps/nodes", "/temps/usages"));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      SHARDY_TRY_STATUS(check_entry(entries[i], 2, place_of("/temps/nodes", i)));
      const auto a = static_cast<int32_t>(entries[i][0]);
      const auto b = static_cast<int32_t>(entries[i][1]);
      if (a == b) return fail_at(place_of("/temps/nodes", i), "twice the same node");
      const int32_t rows = builder_.network().num_choices(a);
      const int32_t columns = builder_.network().num_choices(b);
      const auto bytes = list("/temps/usages")[i];
      SHARDY_TRY_STATUS(check_size(bytes, int64_t{rows} * columns, place_of("/temps/usages", i)));
      const auto [begin, end] = times_of(entries[i], 2);
      const int32_t edge = edge_between(a, b, bytes.size());
      builder_.add_edge_usage(edge, begin, end, builder_.add_table(rows, columns, bytes));
    }
    return {};
  }

  int32_t edge_between(int32_t a, int32_t b, std::size_t cells) {
    const auto [known, is_new] = edge_of_.try_emplace(std::pair(a, b), 0);
    if (is_new) {
      const std::vector<int64_t> free(cells, 0);
      const CostNetwork& network = builder_.network();
      known->second = builder_.add_edge(
          a, b, builder_.add_table(network.num_choices(a), network.num_choices(b), free));
    }
    return known->second;
  }

  Status add_scatter() {
    const IntegerLists& entries = list("/scatter/nodes");
    SHARDY_TRY_STATUS(same_count("/scatter/nodes", "/scatter/usages"));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      SHARDY_TRY_STATUS(check_entry(entries[i], 1, place_of("/scatter/nodes", i)));
      const auto node = static_cast<int32_t>(entries[i][0]);
      const auto bytes = list("/scatter/usages")[i];
      SHARDY_TRY_STATUS(
          check_size(bytes, builder_.network().num_choices(node), place_of("/scatter/usages", i)));
      const auto [begin, end] = times_of(entries[i], 1);
      builder_.add_usage(node, begin, end, bytes);
    }
    return {};
  }

  Status add_blocks() {
    const IntegerLists& blocks = list("/blocks");
    if (!blocks.present) return {};
    SHARDY_TRY_STATUS(same_count("/nodes/costs", "/blocks"));
    for (std::size_t node = 0; node < blocks.size(); ++node) {
      SHARDY_TRY_STATUS(check_size(blocks[node], 2, place_of("/blocks", node)));
      const auto fits = [](int64_t value) { return value >= -1 && value <= INT32_MAX; };
      if (!std::ranges::all_of(blocks[node], fits)) {
        return fail_at(place_of("/blocks", node), "allowed are -1 to 2147483647");
      }
      builder_.set_block(static_cast<int32_t>(node), {static_cast<int32_t>(blocks[node][0]),
                                                      static_cast<int32_t>(blocks[node][1])});
    }
    return {};
  }

  ProblemMembers& members_;
  CostNetworkBuilder builder_;
  int64_t num_nodes_ = 0;
  std::map<std::pair<int32_t, int32_t>, int32_t> edge_of_;  // the first edge between two nodes
};

// ---- Writing ------------------------------------------------------------------------------------

/// Writes a problem list by list.
class ProblemText {
 public:
  void integers(std::span<const int64_t> values) {
    text_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text_ += ", ";
      integer(values[i]);
    }
    text_ += ']';
  }
  void integer(int64_t value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }
  /// Writes a list of lists; `list_of(i)` returns the values of list i.
  template <class ListOf>
  void lists(std::string_view name, std::size_t count, ListOf list_of) {
    text_.append("\"").append(name).append("\": [");
    for (std::size_t i = 0; i < count; ++i) {
      text_ += i > 0 ? ",\n  " : "\n  ";
      integers(list_of(i));
    }
    text_ += "]";
  }
  ProblemText& add(std::string_view text) {
    text_ += text;
    return *this;
  }
  ProblemText& quoted(const std::string& text) {
    using nlohmann::json;
    text_ += json(text).dump(-1, ' ', true, json::error_handler_t::replace);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::vector<int64_t> entry_of(std::vector<int64_t> nodes, int64_t begin, int64_t end) {
  nodes.push_back(begin);
  if (end != begin + 1) nodes.push_back(end);
  return nodes;
}

/// The usages in the member `nodes`, one per node, and further usages in the member `scatter`.
struct UsageSplit {
  std::vector<const NodeUsage*> first;  // per node; null: none
  std::vector<const NodeUsage*> others;
};

UsageSplit split_usages(const CostNetwork& network) {
  UsageSplit split{std::vector<const NodeUsage*>(at(network.num_nodes()), nullptr), {}};
  for (const NodeUsage& usage : network.node_usages) {
    const NodeUsage*& first = split.first[at(usage.node)];
    if (first == nullptr) {
      first = &usage;
    } else {
      split.others.push_back(&usage);
    }
  }
  return split;
}

void write_nodes(const CostNetwork& network, const UsageSplit& split, ProblemText& text) {
  const std::size_t nodes = at(network.num_nodes());
  text.add("\"nodes\": {");
  text.lists("intervals", nodes, [&](std::size_t node) {
    const NodeUsage* usage = split.first[node];
    return usage == nullptr ? std::vector<int64_t>{0, 0}
                            : std::vector<int64_t>{usage->begin, usage->end};
  });
  text.add(",\n ").lists(
      "costs", nodes, [&](std::size_t node) { return network.prices(static_cast<int32_t>(node)); });
  text.add(",\n ").lists("usages", nodes, [&](std::size_t node) {
    const NodeUsage* usage = split.first[node];
    if (usage == nullptr) {
      return std::vector<int64_t>(at(network.num_choices(static_cast<int32_t>(node))), 0);
    }
    const auto bytes = network.bytes_of(*usage);
    return std::vector<int64_t>(bytes.begin(), bytes.end());
  });
  text.add("}");
}

void write_edges(const CostNetwork& network, ProblemText& text) {
  text.add("\"edges\": {").lists("nodes", network.edges.size(), [&](std::size_t i) {
    return std::vector<int64_t>{network.edges[i].from, network.edges[i].to};
  });
  text.add(",\n ").lists("costs", network.edges.size(), [&](std::size_t i) {
    return network.cells_of_pairs(network.edges[i].table);
  });
  text.add("}");
}

void write_other_usages(const CostNetwork& network, const UsageSplit& split, ProblemText& text) {
  if (!network.edge_usages.empty()) {
    const auto& usages = network.edge_usages;
    text.add(",\n\"temps\": {").lists("nodes", usages.size(), [&](std::size_t i) {
      const CostEdge& edge = network.edges[at(usages[i].edge)];
      return entry_of({edge.from, edge.to}, usages[i].begin, usages[i].end);
    });
    text.add(",\n ").lists("usages", usages.size(),
                           [&](std::size_t i) { return network.cells_of_pairs(usages[i].table); });
    text.add("}");
  }
  if (split.others.empty()) return;
  text.add(",\n\"scatter\": {").lists("nodes", split.others.size(), [&](std::size_t i) {
    const NodeUsage& usage = *split.others[i];
    return entry_of({usage.node}, usage.begin, usage.end);
  });
  text.add(",\n ").lists("usages", split.others.size(),
                         [&](std::size_t i) { return network.bytes_of(*split.others[i]); });
  text.add("}");
}

}  // namespace

Result<CostNetwork> read_problem(std::string_view json) {
  ProblemMembers members;
  ProblemEvents events(members);
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    return tl::unexpected(events.take_error());
  }
  return ProblemAssembly(members).run();
}

std::string write_problem(const CostNetwork& network) {
  SHARDY_EXPECTS(check_problem(network).has_value());
  ProblemText text;
  const UsageSplit split = split_usages(network);
  text.add("{\"problem\": {\"name\": ").quoted(network.name).add(",\n");
  write_nodes(network, split, text);
  text.add(",\n");
  write_edges(network, text);
  write_other_usages(network, split, text);
  if (network.limit != kUnlimited) text.add(",\n\"usage_limit\": ").integer(network.limit);
  if (network.unit_fs != 1) text.add(",\n\"unit_fs\": ").integer(network.unit_fs);
  if (!network.labels.empty()) {
    text.add(",\n\"labels\": [");
    for (std::size_t i = 0; i < network.labels.size(); ++i) {
      text.add(i > 0 ? ", " : "").quoted(network.labels[i]);
    }
    text.add("]");
  }
  if (!network.blocks.empty()) {
    text.add(",\n").lists("blocks", network.blocks.size(), [&](std::size_t i) {
      return std::vector<int64_t>{network.blocks[i].block, network.blocks[i].member};
    });
  }
  text.add("}}\n");
  return text.take();
}

Result<std::vector<int32_t>> read_choice(std::string_view json, const CostNetwork& network) {
  const auto document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_discarded()) return fail("not valid JSON; allowed is a list such as [0, 2, 1]");
  if (!document.is_array()) return fail("allowed is a list such as [0, 2, 1]");
  std::vector<int32_t> choice;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const auto& value = document[i];
    const bool fits = value.is_number_integer() && value.get<double>() >= 0 &&
                      value.get<double>() <= static_cast<double>(kMaxChoices);
    if (!fits) return fail_at("/" + std::to_string(i), "allowed is the index of a choice");
    choice.push_back(value.get<int32_t>());
  }
  SHARDY_TRY_STATUS(check_choice(network, choice));
  return choice;
}

std::string write_choice(std::span<const int32_t> choice) {
  ProblemText text;
  text.integers(std::vector<int64_t>(choice.begin(), choice.end()));
  return text.add("\n").take();
}

}  // namespace shardy::autoshard
