// The annotations that a search writes, against all others: none is better, none is superfluous.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "autoshard/hint_neighbors.hpp"
#include "autoshard/mesh_atoms.hpp"
#include "autoshard/search_setup.hpp"
#include "autoshard/searched_programs.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/settings.hpp"

using namespace shardy;
using autoshard::AutoshardOptions;
using autoshard::FoundSharding;

using shardy_test::check_equal;
using shardy_test::found;
using shardy_test::kDot;
using shardy_test::kMlp;

namespace autoshard_annotations_test {
namespace {

ir::Module parsed(const std::string& mesh, const std::string& body) {
  return shardy_test::parsed("sdy.mesh @mesh = <[" + mesh + "]>\n" + body);
}

// ---- All annotations of a program ---------------------------------------------------------------

/// A place for an annotation, and the shardings that divide its dims.
struct Site {
  std::function<void(ir::Module&, const TensorSharding&)> set;
  std::vector<TensorSharding> states;
};

std::vector<TensorSharding> states_of(const autoshard::MeshAtoms& atoms, const ir::Type& type) {
  std::vector<TensorSharding> states;
  autoshard::for_each_assignment(
      atoms, type.dims(), [&](std::span<const std::vector<int32_t>> dims) {
        std::vector<AxisList> lists;
        for (const auto& dim : dims) lists.push_back(autoshard::axes_of(atoms, dim));
        states.push_back(TensorSharding::closed(atoms.mesh, std::move(lists)));
        return true;
      });
  return states;
}

/// Returns the arguments, op results and results of main.
std::vector<Site> sites_of(const ir::Module& module) {
  const ir::OpId main = *module.main_function();
  const std::string name(module.symbol_name(module.meshes().front()));
  const autoshard::MeshAtoms atoms =
      autoshard::cut_atoms({*module.find_mesh(name), name}, {}, true);
  std::vector<Site> sites;
  const auto args = module.args(module.entry(main));
  for (uint32_t index = 0; index < args.size(); ++index) {
    sites.push_back({[main, index](ir::Module& to, const TensorSharding& state) {
                       ir::set_arg_sharding(to, main, index, state);
                     },
                     states_of(atoms, module.type(args[index]))});
  }
  for (const ir::OpId op : module.ops(module.entry(main))) {
    for (const ir::ValueId result : module.results(op)) {
      sites.push_back({[result](ir::Module& to, const TensorSharding& state) {
                         ir::set_sharding(to, result, state);
                       },
                       states_of(atoms, module.type(result))});
    }
  }
  const auto& results = module.function(main).result_types;
  for (uint32_t index = 0; index < results.size(); ++index) {
    sites.push_back({[main, index](ir::Module& to, const TensorSharding& state) {
                       ir::set_result_sharding(to, main, index, state);
                     },
                     states_of(atoms, results[index])});
  }
  return sites;
}

double num_annotations(const std::vector<Site>& sites) {
  double count = 1;
  for (const Site& site : sites) count *= static_cast<double>(site.states.size());
  return count;
}

/// Calls `visit` with the report of the program with each combination of annotations.
void for_each_report(const ir::Module& module, const std::vector<Site>& sites,
                     const std::function<void(const autoshard::ProgramPrice&)>& visit) {
  std::vector<std::size_t> at(sites.size(), 0);
  for (;;) {
    ir::Module program = module;
    for (std::size_t site = 0; site < sites.size(); ++site) {
      sites[site].set(program, sites[site].states[at[site]]);
    }
    if (const auto price = autoshard::price_of_program(program)) visit(*price);
    std::size_t site = 0;
    while (site < sites.size() && ++at[site] == sites[site].states.size()) at[site++] = 0;
    if (site == sites.size()) return;
  }
}

/// Checks whether a program has ops whose memory the search does not minimize: shifts, whose
/// operands need uneven shards, and constants, which have no state of their own when returned.
bool may_need_more_memory(const ir::Module& module) {
  return std::ranges::any_of(ir::pre_order(module), [&](ir::OpId op) {
    return module.is(op, ir::OpKind::Pad) || module.is(op, ir::OpKind::Slice) ||
           module.is(op, ir::OpKind::Concatenate) || module.is(op, ir::OpKind::Iota);
  });
}

/// Checks that no annotation has a cheaper report than the answer, without a limit and within the
/// peaks of some reports.
void check_all_annotations(const ir::Module& module) {
  const std::vector<Site> sites = sites_of(module);
  const FoundSharding best = found(module);
  CAPTURE(text::to_mlir(best.program));
  std::vector<autoshard::ProgramPrice> prices;
  for_each_report(module, sites,
                  [&](const autoshard::ProgramPrice& price) { prices.push_back(price); });
  REQUIRE_FALSE(prices.empty());
  const auto least_within = [&](int64_t limit) {
    double least = HUGE_VAL;
    for (const auto& price : prices) {
      if (price.cost.peak_bytes <= limit) least = std::min(least, price.seconds);
    }
    return least;
  };
  CHECK(best.after.seconds <= least_within(INT64_MAX) * (1 + 1e-12));
  if (may_need_more_memory(module)) return;
  std::vector<int64_t> peaks;
  for (const auto& price : prices) peaks.push_back(price.cost.peak_bytes);
  std::ranges::sort(peaks);
  for (std::size_t part = 0; part < 3; ++part) {
    const int64_t limit = peaks[part * (peaks.size() - 1) / 4];
    CAPTURE(limit);
    const FoundSharding limited = found(module, {.memory = limit});
    CHECK(limited.fits);
    CHECK(limited.after.seconds <= least_within(limit) * (1 + 1e-12));
  }
}

}  // namespace

TEST_CASE("no annotation of small programs has a cheaper report than the answer", "[autoshard]") {
  check_all_annotations(parsed("\"a\"=4", kDot));
  check_all_annotations(parsed("\"a\"=4", kMlp));
  check_all_annotations(parsed("\"a\"=2", R"(
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.add %0, %c : tensor<4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
})"));
}

// SHARDY_ANNOTATED: number of programs.
TEST_CASE("no annotation of random programs has a cheaper report than the answer",
          "[autoshard][random]") {
  constexpr double kMostAnnotations = 700;
  const auto count = shardy_test::setting("SHARDY_ANNOTATED", 15);
  uint64_t tried = 0;
  for (uint64_t seed = 1; tried < count && seed < 100 * count; ++seed) {
    const checking::RandomProgramOptions sizes{
        .min_ops = 1, .max_ops = 3, .max_rank = 2, .max_dim = 8, .max_devices = 6};
    const auto module = autoshard::search_program(checking::random_program(seed, sizes).module,
                                                  {.ignore_annotations = true});
    REQUIRE(module.has_value());
    if (!autoshard::make_network(*module)) continue;
    const double all = num_annotations(sites_of(*module));
    if (all < 4 || all > kMostAnnotations) continue;
    ++tried;
    CAPTURE(seed, text::to_mlir(*module));
    check_all_annotations(*module);
  }
  CHECK(tried == count);
}

// ---- Single ops -------------------------------------------------------------------------------

TEST_CASE("one op between fixed shardings costs as much as with the best common axes",
          "[autoshard]") {  // U.12.4
  std::mt19937_64 random(5);
  const auto draw = [&](const std::vector<TensorSharding>& states) {
    return states[static_cast<std::size_t>(random() % states.size())];
  };
  const std::vector<std::string> bodies = {kDot, R"(
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})",
                                           R"(
func.func @main(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
})"};
  AutoshardOptions options;
  options.compile.collectives.rules = std::vector<std::string>();
  options.rates.operations_per_second = 1e25;  // common axes are chosen by their reshards
  AutoshardOptions best_axes = options;
  best_axes.compile.pipeline.exporting.resharding.common_axes = PlanKind::Best;
  for (const std::string& body : bodies) {
    const ir::Module module = parsed("\"a\"=2, \"b\"=2", body);
    const std::vector<Site> sites = sites_of(module);
    for (int attempt = 0; attempt < 40; ++attempt) {
      ir::Module pinned = module;
      for (std::size_t site = 0; site < sites.size(); ++site) {
        const bool is_op = site + 2 == sites.size();  // arguments, the op, its result
        if (!is_op) sites[site].set(pinned, draw(sites[site].states));
      }
      CAPTURE(text::to_mlir(pinned));
      const auto common = autoshard::price_of_program(pinned, best_axes);
      REQUIRE(common.has_value());
      const FoundSharding best = found(pinned, options);
      const double price = static_cast<double>(best.model.price_fs) * 1e-15;
      CHECK(best.model.status == autoshard::SolveStatus::Proven);
      CHECK(price <= common->seconds * 1.001 + 1e-12);
      CHECK(price >= common->seconds * 0.999 - 1e-12);
    }
  }
}

TEST_CASE("windows and shifts are sharded with exchanges of borders", "[autoshard]") {
  // The image has one batch entry and two channels: four devices share the rows.
  const FoundSharding best = found(parsed("\"a\"=4", R"(
func.func @main(%x: tensor<1x64x32x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x64x32x2xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x64x32x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x64x32x2xf32>
  return %0 : tensor<1x64x32x2xf32>
})"),
                                   {.rates = {.operations_per_second = 1e9}});
  CHECK(best.after.seconds < 0.3 * best.before.seconds);
  CHECK(best.after.cost.bytes > 0);
  CHECK(std::abs(static_cast<double>(best.model.price_fs) * 1e-15 - best.after.seconds) <=
        1e-3 * best.after.seconds);
  check_equal(best.program);
}

// ---- Fewest annotations -------------------------------------------------------------------------

namespace {

/// Returns the programs without one of the annotations of main.
std::vector<ir::Module> without_one(const ir::Module& module) {
  std::vector<ir::Module> programs;
  const ir::OpId main = *module.main_function();
  const auto& data = module.function(main);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    if (!data.arg_attributes[index].contains(ir::kShardingAttr)) continue;
    programs.push_back(module);
    programs.back().function(main).arg_attributes[index].erase(ir::kShardingAttr);
  }
  for (std::size_t index = 0; index < data.result_attributes.size(); ++index) {
    if (!data.result_attributes[index].contains(ir::kShardingAttr)) continue;
    programs.push_back(module);
    programs.back().function(main).result_attributes[index].erase(ir::kShardingAttr);
  }
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.num_results(op) == 0 || !module.attributes(op).contains(ir::kShardingAttr)) continue;
    ir::Module& program = programs.emplace_back(module);
    if (module.is(op, ir::OpKind::SdyShardingConstraint)) {
      program.replace_all_uses(program.result(op), program.operand(op, 0));
      program.erase(op);
    } else {
      program.attributes(op).erase(ir::kShardingAttr);
    }
  }
  return programs;
}

}  // namespace

TEST_CASE("each written annotation is needed", "[autoshard]") {  // U.12.7
  const ir::Module module = parsed("\"a\"=2, \"b\"=2", kMlp);
  for (const std::optional<int64_t> memory :
       {std::optional<int64_t>(), std::optional<int64_t>(6000)}) {
    const FoundSharding best = found(module, {.memory = memory});
    REQUIRE(best.is_changed);
    const std::vector<ir::Module> smaller = without_one(best.program);
    CHECK(smaller.size() == best.edits.size());
    for (const ir::Module& program : smaller) {
      CAPTURE(text::to_mlir(program));
      const auto price = autoshard::price_of_program(program);
      REQUIRE(price.has_value());
      const bool is_worse = price->seconds > best.after.seconds * (1 + 1e-12) ||
                            price->cost.peak_bytes > best.after.cost.peak_bytes;
      CHECK(is_worse);
    }
  }
}

TEST_CASE("each annotation written for the examples is needed before rewrites", "[autoshard]") {
  AutoshardOptions plain{.ignore_annotations = true};
  plain.compile.collectives.rules = std::vector<std::string>();
  std::size_t removed = 0;
  for (const char* name : {"convnet", "embedding", "explicit_mode", "fsdp", "moe", "remat"}) {
    const auto path = std::string(SHARDY_EXAMPLES "/jax/") + name + "_sdy.mlir";
    const FoundSharding best = found(shardy_test::parsed(shardy_test::read_text(path)), plain);
    CAPTURE(name, text::to_mlir(best.program));
    for (const ir::Module& program : without_one(best.program)) {
      const auto price = autoshard::price_of_program(program, plain);
      REQUIRE(price.has_value());
      const bool is_worse = price->seconds > best.after.seconds * (1 + 1e-12) ||
                            price->cost.peak_bytes > best.after.cost.peak_bytes;
      CHECK(is_worse);
      ++removed;
    }
  }
  CHECK(removed > 10);
}

// ---- Changes that hints try ---------------------------------------------------------------------

TEST_CASE("neighbors differ in one annotation and keep those of the source", "[autoshard]") {
  const ir::Module module = parsed("\"a\"=2, \"b\"=2", R"(
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %w1: tensor<16x64xf32>, %w2: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w1 : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.tanh %0 : tensor<8x64xf32>
  %2 = stablehlo.dot %1, %w2 : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
})");
  const Mesh& mesh = *module.find_mesh("mesh");
  const auto sharded = [&](std::vector<AxisList> dims) {
    return TensorSharding::closed({mesh, "mesh"}, std::move(dims));
  };
  using Change = autoshard::SourceChange;
  const ir::OpId first = module.first_op(module.entry(*module.main_function()));
  const ir::ValueId activation = module.result(module.next(first));
  const ir::Use use = module.uses(activation).front();
  const AxisList b{mesh.full_axis(1)};
  const std::vector<Change> changes = {
      {.kind = Change::Kind::Copy,
       .value = activation,
       .uses = {use},
       .shardings = {sharded({{}, {}})}},
      {.kind = Change::Kind::Argument, .index = 1, .shardings = {sharded({{}, b})}}};
  const auto lists = autoshard::hint_neighbors(module, changes, {}, {});
  REQUIRE_FALSE(lists.empty());
  std::set<Change::Kind> changed;
  for (const std::vector<Change>& list : lists) {
    ir::Module program = module;
    autoshard::apply_changes(program, list);
    CAPTURE(text::to_mlir(program));
    CHECK(ir::arg_sharding(program, *program.main_function(), 0) ==
          ir::arg_sharding(module, *module.main_function(), 0));
    std::size_t kept = 0;
    for (const Change& change : list) {
      const bool is_kept = std::ranges::find(changes, change) != changes.end();
      kept += is_kept ? 1 : 0;
      if (!is_kept) changed.insert(change.kind);
    }
    const bool is_replaced = list.size() == 2 && kept == 1;
    const bool is_removed = list.size() == 1 && kept == 1;
    const bool is_added = list.size() == 3 && kept == 2;
    CHECK((is_replaced || is_removed || is_added));
  }
  CHECK(changed == std::set{Change::Kind::Argument, Change::Kind::Result, Change::Kind::OpResults,
                            Change::Kind::Copy});
}

TEST_CASE("no hint makes the answer of a limited search faster", "[autoshard]") {  // U.11.16
  const auto source =
      text::parse_mlir(shardy_test::read_text(SHARDY_EXAMPLES "/programs/k_means.mlir"));
  REQUIRE(source.has_value());
  const auto mesh = parse_mesh(R"(<["a"=2, "b"=4]>)");
  REQUIRE(mesh.has_value());
  const auto module = autoshard::program_on_mesh(*source, *mesh, true);
  REQUIRE(module.has_value());
  AutoshardOptions options;
  options.model.other.latency_seconds = 1e-7;
  options.rates.operations_per_second = 1e10;
  options.memory = 2415;
  const FoundSharding best = found(*module, options);
  CAPTURE(best.after.seconds, text::to_mlir(best.program));
  CHECK(best.fits);
  const auto hints = report::find_hints(
      best.program,
      {.model = options.model, .operations_per_second = 1e10, .max_peak_bytes = options.memory});
  REQUIRE(hints.has_value());
  CHECK(hints->tried > 0);
  for (const report::Hint& hint : hints->hints) {
    CHECK(hint.seconds >= best.after.seconds * (1 - 1e-9));
  }
}

}  // namespace autoshard_annotations_test
