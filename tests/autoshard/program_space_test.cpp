// The search against exhaustive search, on random programs of few ops.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "autoshard/block_folding.hpp"
#include "autoshard/program_model.hpp"
#include "autoshard/search_setup.hpp"
#include "autoshard/searched_programs.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/settings.hpp"

using namespace shardy;
using autoshard::AutoshardOptions;
using autoshard::CostNetwork;

namespace autoshard_program_space_test {
namespace {

constexpr double kMostChoices = 3e6;

/// Returns the number of choices of a network; large numbers are inexact.
double num_choices(const CostNetwork& network) {
  double count = 1;
  for (int32_t node = 0; node < network.num_nodes(); ++node) count *= network.num_choices(node);
  return count;
}

/// The cheapest choices of a network, by trying all of them.
class AllChoices {
 public:
  explicit AllChoices(const CostNetwork& network)
      : network_(network), choice_(static_cast<std::size_t>(network.num_nodes())) {
    edges_.resize(choice_.size());
    for (const autoshard::CostEdge& edge : network.edges) {
      edges_[static_cast<std::size_t>(std::max(edge.from, edge.to))].push_back(edge);
    }
    visit(0, 0);
  }

  int64_t least() const { return least_; }
  /// Returns one of the cheapest choices.
  const std::vector<int32_t>& best() const { return best_; }

 private:
  void visit(std::size_t node, int64_t price) {  // NOLINT(misc-no-recursion): few nodes
    if (node == choice_.size()) {
      if (price >= least_) return;
      least_ = price;
      best_ = choice_;
      return;
    }
    const auto prices = network_.prices(static_cast<int32_t>(node));
    for (std::size_t each = 0; each < prices.size(); ++each) {
      choice_[node] = static_cast<int32_t>(each);
      const int64_t sum = price + prices[each] + edge_prices(node);
      if (prices[each] < autoshard::kForbidden && sum < autoshard::kForbidden) visit(node + 1, sum);
    }
  }

  int64_t edge_prices(std::size_t node) const {
    int64_t sum = 0;
    for (const autoshard::CostEdge& edge : edges_[node]) {
      const int64_t price = network_.cell(edge.table, choice_[static_cast<std::size_t>(edge.from)],
                                          choice_[static_cast<std::size_t>(edge.to)]);
      if (price >= autoshard::kForbidden) return autoshard::kForbidden;
      sum += price;
    }
    return sum;
  }

  const CostNetwork& network_;
  std::vector<std::vector<autoshard::CostEdge>> edges_;  // by the later node
  std::vector<int32_t> choice_;
  std::vector<int32_t> best_;
  int64_t least_ = autoshard::kForbidden;
};

/// Returns the program with a seed, on a mesh of 2, 3, 4, 2x2 or 2x3 devices.
ir::Module program_of(uint64_t seed) {
  const checking::RandomProgramOptions options{
      .min_ops = 2, .max_ops = 4, .max_rank = 2, .max_dim = 8, .max_devices = 6};
  return checking::random_program(seed, options).module;
}

/// Compares the search with all choices of the network, and another cheapest choice with its
/// report, which may cost less unless `is_exact`. Returns the price in seconds.
double compare(const ir::Module& module, const AutoshardOptions& options,
               const CostNetwork& network, bool is_exact) {
  CAPTURE(text::to_mlir(module));
  const AllChoices all(network);
  const auto found = autoshard::autoshard(module, options);
  REQUIRE(found.has_value());
  CHECK(found->model.price_fs == all.least());
  CHECK(found->model.status == autoshard::SolveStatus::Proven);
  shardy_test::check_equal(found->program);  // U.12.5
  // Another cheapest choice has the price of its report, up to the offsets of slices.
  const auto other = autoshard::annotated_program(module, all.best(), options);
  REQUIRE(other.has_value());
  const auto price = autoshard::price_of_program(*other, options);
  REQUIRE(price.has_value());
  const double seconds = static_cast<double>(all.least()) * 1e-15;
  const double slack = 1e-3 * seconds + 1e-12;
  CHECK(price->seconds <= seconds + slack);
  CHECK(found->after.seconds <= price->seconds + slack);
  if (is_exact) CHECK(price->seconds >= seconds - slack);
  return seconds;
}

/// Returns a program with two or three alike users of a value and one other user. Its ends have
/// random shardings.
ir::Module program_with_alike_users(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const bool has_two_axes = draw(2) == 0;
  std::vector<std::string> states = {"[{}, {}]", R"([{"a"}, {}])", R"([{}, {"a"}])"};
  if (has_two_axes) {
    states.insert(states.end(), {R"([{"b"}, {}])", R"([{}, {"b"}])", R"([{"a"}, {"b"}])",
                                 R"([{"b"}, {"a"}])", R"([{"a", "b"}, {}])"});
  }
  const std::string mesh =
      has_two_axes ? R"("a"=2, "b"=2)" : "\"a\"=" + std::to_string(2 + draw(3));
  const std::string type = "tensor<24x24xf32>";
  // Most alike users need one state, which is not the state of the value and its other user.
  const auto pinned = [&](const std::string& state) {
    return type + " {sdy.sharding = #sdy.sharding<@mesh, " +
           (draw(8) == 0 ? states[draw(states.size())] : state) + ">}";
  };
  const std::size_t number = 1 + draw(states.size() - 1);
  const std::string own = states[number];
  const std::string other = states[1 + number % (states.size() - 1)];
  const std::string op = draw(2) == 0 ? "stablehlo.multiply" : "stablehlo.dot";
  const std::size_t users = 2 + draw(2);
  std::string arguments = "%x: " + pinned(own);
  std::string results = pinned(own);
  std::string types = type;
  std::string values = "%t";
  std::string text =
      "  %v = stablehlo.negate %x : " + type + "\n  %t = stablehlo.tanh %v : " + type;
  for (std::size_t user = 0; user < users; ++user) {
    const std::string name = std::to_string(user);
    arguments += ", %p" + name + ": " + pinned(other);
    results += ", " + pinned(other);
    types += ", " + type;
    values += ", %r" + name;
    text += "\n  %r" + name + " = " + op + " %v, %p" + name + " : (" + type + ", " + type +
            ") -> " + type;
  }
  const auto module = text::parse_mlir("sdy.mesh @mesh = <[" + mesh + "]>\nfunc.func @main(" +
                                       arguments + ") -> (" + results + ") {\n" + text +
                                       "\n  return " + values + " : " + types + "\n}");
  INFO((module ? std::string() : module.error().front().message));
  REQUIRE(module.has_value());
  return *module;
}

}  // namespace

// SHARDY_PROGRAM_SPACES: number of programs; 2,000 take some minutes.
TEST_CASE("the best choice of random programs is that of exhaustive search",
          "[autoshard][random]") {
  const auto count = static_cast<int64_t>(shardy_test::setting("SHARDY_PROGRAM_SPACES", 40));
  int64_t tried = 0;
  for (uint64_t seed = 1; tried < count && seed < 40 * static_cast<uint64_t>(count); ++seed) {
    const ir::Module module = program_of(seed);
    AutoshardOptions options;
    options.ignore_annotations = seed % 3 != 0;
    options.all_orders = seed % 2 == 0;
    options.compile.collectives.rules = std::vector<std::string>();  // the model has no rewrites
    const auto network = autoshard::make_network(module, options);
    if (!network || num_choices(*network) > kMostChoices || network->num_nodes() < 3) continue;
    ++tried;
    CAPTURE(seed);
    // Partitioning drops the gather of a slice, which a constraint of the source may need.
    compare(module, options, *network, options.ignore_annotations);
  }
  CHECK(tried == count);
}

TEST_CASE("the best choice of programs with alike users is that of exhaustive search",
          "[autoshard][random]") {
  const auto count = static_cast<int64_t>(shardy_test::setting("SHARDY_PROGRAM_SPACES", 40));
  int64_t tried = 0;
  int64_t num_above = 0;
  for (uint64_t seed = 1; tried < count && seed < 40 * static_cast<uint64_t>(count); ++seed) {
    const ir::Module module = program_with_alike_users(seed);
    AutoshardOptions options;
    options.all_orders = false;
    options.compile.collectives.rules = std::vector<std::string>();
    const auto network = autoshard::make_network(module, options);
    REQUIRE(network.has_value());
    if (num_choices(*network) > kMostChoices) continue;
    ++tried;
    CAPTURE(seed);
    // Partitioning merges the equal copies of users that are not alike.
    const double seconds = compare(module, options, *network, false);
    const auto own = autoshard::price_of_program(module, options);
    REQUIRE(own.has_value());
    num_above += seconds > own->seconds * 1.001 + 1e-12 ? 1 : 0;
  }
  // Without copies for groups, the model has a reshard per user: a quarter of the programs is
  // above.
  CHECK(num_above * 50 <= tried);
  CHECK(tried == count);
}

TEST_CASE("layers whose weights the backward pass uses again are equal blocks", "[autoshard]") {
  constexpr int kLayers = 16;
  const std::string type = "tensor<16x16xf32>";
  const std::string pair = "(" + type + ", " + type + ") -> " + type;
  std::string arguments = "%h0: " + type;
  std::string lines;
  const auto add = [&](const std::string& name, int layer, const std::string& op,
                       const std::string& types) {
    lines += "  %" + name + std::to_string(layer) + " = stablehlo." + op + " : " + types + "\n";
  };
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string at = std::to_string(layer);
    arguments += ", %w" + at + ": " + type;
    add("d", layer, "dot %h" + at + ", %w" + at, pair);
    add("h", layer + 1, "tanh %d" + at, type);
  }
  // As the gradients of the layers, the first one can be a partial value.
  add("g", kLayers, "dot %h" + std::to_string(kLayers) + ", %h0", pair);
  for (int layer = kLayers - 1; layer >= 0; --layer) {
    const std::string at = std::to_string(layer);
    add("e", layer, "dot %g" + std::to_string(layer + 1) + ", %w" + at, pair);
    add("g", layer, "multiply %e" + at + ", %d" + at, type);
  }
  const ir::Module module =
      shardy_test::parsed("sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\nfunc.func @main(" + arguments +
                          ") -> " + type + " {\n" + lines + "  return %g0 : " + type + "\n}");
  const checking::Context context;
  autoshard::ModelOptions options = *autoshard::model_options(module, {});
  const auto plain = autoshard::ProgramModel::make(module, context.ops.rules, options);
  options.has_phases = true;
  const auto phased = autoshard::ProgramModel::make(module, context.ops.rules, options);
  REQUIRE((plain && phased));
  const CostNetwork& network = phased->network();
  CHECK(autoshard::fold_blocks(autoshard::make_work_network(network, autoshard::kUnlimited),
                               network.blocks));
  // Without second copies, the least price is that of the model without phases.
  CHECK_FALSE(plain->network_of_kept_copies());
  const auto kept = phased->network_of_kept_copies();
  REQUIRE(kept);
  const auto best = autoshard::solve(plain->network(), {});
  const auto same = autoshard::solve(*kept, {});
  REQUIRE((best && same));
  CHECK(best->status == autoshard::SolveStatus::Proven);
  CHECK(same->status == autoshard::SolveStatus::Proven);
  CHECK(same->price_fs == best->price_fs);
}

}  // namespace autoshard_program_space_test
