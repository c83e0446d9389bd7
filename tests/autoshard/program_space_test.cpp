// The search against exhaustive search, on random programs of few ops.
#include <algorithm>
#include <cstdint>
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
      const auto& table = network_.tables[static_cast<std::size_t>(edge.table)];
      const int64_t cell = int64_t{choice_[static_cast<std::size_t>(edge.from)]} * table.columns +
                           choice_[static_cast<std::size_t>(edge.to)];
      const int64_t price = network_.table_cells(edge.table)[static_cast<std::size_t>(cell)];
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
    CAPTURE(seed, text::to_mlir(module));
    const AllChoices all(*network);
    const auto found = autoshard::autoshard(module, options);
    REQUIRE(found.has_value());
    CHECK(found->model.price_fs == all.least());
    CHECK(found->model.status == autoshard::SolveStatus::Proven);
    // Another cheapest choice has the price of its report, up to the offsets of slices.
    const auto other = autoshard::annotated_program(module, all.best(), options);
    REQUIRE(other.has_value());
    const auto price = autoshard::price_of_program(*other, options);
    REQUIRE(price.has_value());
    const double seconds = static_cast<double>(all.least()) * 1e-15;
    const double slack = 1e-3 * seconds + 1e-12;
    CHECK(price->seconds <= seconds + slack);
    // Partitioning drops the gather of a slice, which a constraint of the source may need.
    if (options.ignore_annotations) CHECK(price->seconds >= seconds - slack);
    CHECK(found->after.seconds <= price->seconds + slack);
  }
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
