// The prices and peaks of choices of the model against the reports of their programs.
//
//   choice of the model  ->  price
//     |  changes_of, apply_changes                          |  compare
//   annotated program, compiled without rewrites  ->  modelled time of the report
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "autoshard/emission.hpp"
#include "autoshard/program_model.hpp"
#include "autoshard/search_setup.hpp"
#include "checking/compile_stages.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/settings.hpp"

using namespace shardy;
using autoshard::AutoshardOptions;
using autoshard::CostNetwork;
using autoshard::ProgramModel;

namespace autoshard_model_price_test {
namespace {

constexpr double kShare = 1e-3;
constexpr double kPeak = 1.11;
constexpr double kHighestPeak = 1.22;  // copies, constraints and groups of users in one state
constexpr double kLowestPeak = 0.74;   // bodies of manual computations, values in inner loops
constexpr double kOffsets = 1e-12;     // seconds of the offsets of slices, which the model omits

/// Checks whether the model estimates the peak of a choice: the program has calls, loops, branches,
/// manual computations, barriers or constraints, or copies of values in other states, which
/// partitioning may merge or move.
bool has_estimated_peak(const ProgramModel& model, const ir::Module& module,
                        const std::vector<int32_t>& choice) {
  for (const ir::OpId op : ir::pre_order(module)) {
    for (const ir::OpKind kind :
         {ir::OpKind::FuncCall, ir::OpKind::While, ir::OpKind::Case, ir::OpKind::If,
          ir::OpKind::SdyManualComputation, ir::OpKind::OptimizationBarrier,
          ir::OpKind::SdyShardingConstraint}) {
      if (module.is(op, kind)) return true;
    }
  }
  return std::ranges::any_of(model.links(), [&](const autoshard::ModelLink& link) {
    const auto reader = static_cast<std::size_t>(link.reader);
    if (model.nodes()[reader].kind != autoshard::ModelNode::Kind::Copies) return false;
    return !(model.output_state(link.source, choice[static_cast<std::size_t>(link.source)],
                                link.output, link.value) ==
             model.input_state(link.reader, choice[reader], link.input, link.value));
  });
}

/// Returns a random choice that is allowed: the best one for random prices of the choices.
std::vector<int32_t> random_choice(CostNetwork network, uint64_t seed) {
  constexpr uint64_t kMostPrice = 1'000'000;
  std::mt19937_64 random(seed);
  for (int64_t& price : network.unary) {
    if (price < autoshard::kForbidden) price = static_cast<int64_t>(random() % kMostPrice);
  }
  for (int64_t& cell : network.cells) {
    if (cell < autoshard::kForbidden) cell = 0;
  }
  network.edge_usages.clear();
  network.node_usages.clear();
  const auto found = autoshard::solve(network, {.effort = 20});
  return found ? found->choice : std::vector<int32_t>();
}

/// A program and the two models of it, without and with phases.
class PricedProgram {
 public:
  PricedProgram(const ir::Module& module, const AutoshardOptions& options)
      : options_(options), searched_(*autoshard::search_program(module, options)) {
    const auto seconds_of = [this](const ir::Module& program) -> std::optional<double> {
      const auto compiled = report::compile_for_report(program, options_.compile, context_);
      if (!compiled) return std::nullopt;
      return report::device_time(*compiled, options_.model, options_.rates).total();
    };
    auto asked = autoshard::model_options(module, options);
    REQUIRE(asked.has_value());
    asked->seconds_of = seconds_of;
    asked->plain_seconds_of = seconds_of;
    asked->propagate = [this](const ir::Module& program) -> std::optional<ir::Module> {
      auto found = checking::propagate_program(program, options_.compile, context_);
      if (!found) return std::nullopt;
      return std::move(found->module);
    };
    for (const bool has_phases : {false, true}) {
      asked->has_phases = has_phases;
      auto model = ProgramModel::make(searched_, context_.ops.rules, *asked);
      if (model) models_.push_back(*std::move(model));
    }
  }

  bool is_supported() const { return !models_.empty(); }

  /// Compares `count` random choices, and the best choice of each model.
  void compare(const std::string& name, uint64_t count) const {
    for (uint64_t seed = 0; seed < count + models_.size(); ++seed) {
      const ProgramModel& model = models_[seed % models_.size()];
      const bool is_best = seed < models_.size();
      const std::vector<int32_t> choice =
          is_best ? autoshard::solve(model.network(), {.effort = 40})->choice
                  : random_choice(model.network(), seed);
      CAPTURE(name, seed);
      REQUIRE_FALSE(choice.empty());
      ir::Module program = searched_;
      autoshard::apply_changes(program, autoshard::changes_of(model, choice, searched_));
      const auto report = autoshard::price_of_program(program, options_, context_);
      INFO((report ? std::string() : report.error().front().message));
      REQUIRE(report.has_value());
      const double price =
          static_cast<double>(autoshard::price_of(model.network(), choice)) * 1e-15;
      CHECK(report->seconds <= price * (1 + kShare) + kOffsets);
      // Partitioning merges equal reshards, so that random choices may cost less.
      if (!is_best) continue;
      CHECK(report->seconds >= price * (1 - kShare) - kOffsets);
      const bool has_phases = seed > 0;  // their copies may merge
      if (has_phases) continue;
      const auto peak = static_cast<double>(autoshard::peak_of(model.network(), choice).bytes);
      const auto of_report = static_cast<double>(report->cost.peak_bytes);
      const bool is_estimate = has_estimated_peak(model, searched_, choice);
      CHECK(peak <= of_report * (is_estimate ? kHighestPeak : kPeak));
      CHECK(peak >= of_report * (is_estimate ? kLowestPeak : 1 / kPeak));
    }
  }

 private:
  AutoshardOptions options_;
  checking::Context context_;
  ir::Module searched_;
  std::vector<ProgramModel> models_;
};

/// Makes the results of calls without operands, which are constants, arguments of main.
void pass_inputs(ir::Module& module) {
  const ir::OpId main = *module.main_function();
  const ir::BlockId entry = module.entry(main);
  const auto ops = module.ops(entry);
  for (const ir::OpId op : std::vector<ir::OpId>(ops.begin(), ops.end())) {
    if (!module.is(op, ir::OpKind::FuncCall) || module.num_operands(op) > 0) continue;
    for (const ir::ValueId result : module.results(op)) {
      module.replace_all_uses(result, module.add_argument(entry, module.type(result)));
      module.function(main).arg_attributes.emplace_back();
    }
    module.erase(op);
  }
}

/// Compares choices of the programs of a folder. Returns the number of programs in the model.
int compare_folder(const std::string& folder, std::string_view ending,
                   const std::optional<Mesh>& mesh) {
  const uint64_t count = shardy_test::setting("SHARDY_CHOICES", 50);
  int compared = 0;
  for (const auto& path : shardy_test::files_in(folder, ".mlir")) {
    const std::string name = path.stem().string();
    if (!name.ends_with(ending)) continue;
    const auto read = text::parse_mlir(shardy_test::read_text(path));
    if (!read) continue;
    ir::Module module = *read;
    AutoshardOptions options;
    options.compile.collectives.rules = std::vector<std::string>();
    if (mesh) {
      const auto moved = autoshard::program_on_mesh(module, *mesh, true);
      if (!moved) continue;
      module = *moved;
      pass_inputs(module);
    }
    // Some programs refer to devices, or to functions of Python.
    if (!autoshard::price_of_program(module, options)) continue;
    const PricedProgram program(module, options);
    if (!program.is_supported()) continue;
    program.compare(name, count);
    ++compared;
  }
  return compared;
}

}  // namespace

// SHARDY_CHOICES: number of random choices per program.
TEST_CASE("reports of choices have the prices of the model: JAX", "[autoshard][model]") {
  CHECK(compare_folder(SHARDY_EXAMPLES "/jax", "_sdy", std::nullopt) >= 21);
}

TEST_CASE("reports of choices have the prices of the model: collectives", "[autoshard][model]") {
  CHECK(compare_folder(SHARDY_EXAMPLES "/../benchmarks/collectives", "", std::nullopt) == 5);
}

TEST_CASE("reports of choices have the prices of the model: programs", "[autoshard][model]") {
  const Mesh mesh = *Mesh::make({{"data", 2}, {"model", 2}});
  CHECK(compare_folder(SHARDY_EXAMPLES "/programs", "", mesh) >= 35);
}

}  // namespace autoshard_model_price_test
