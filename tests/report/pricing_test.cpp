// The price of a change is that of a full compilation, also where an equal program was priced
// before.
#include "report/pricing.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checking/compile_stages.hpp"
#include "passes/export/mesh_planners.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using report::AnnotationChange;
using report::AnnotationPlace;
using report::ModuleChanges;
using report::Report;

namespace pricing_test {
namespace {

constexpr int64_t kCases = 5000;  // changes whose programs compile
constexpr int64_t kCasesPerProgram = 25;

/// The arguments and results of main, and the values in its body.
std::vector<AnnotationPlace> places_of(const ir::Module& module) {
  const ir::OpId main = *module.main_function();
  std::vector<AnnotationPlace> places;
  const auto add = [&](const AnnotationPlace& place) {
    if (report::type_of(module, place).is_static_tensor()) places.push_back(place);
  };
  const auto args = module.args(module.entry(main));
  for (uint32_t index = 0; index < args.size(); ++index) {
    add({AnnotationPlace::Kind::Argument, main, index, args[index]});
  }
  for (uint32_t index = 0; index < module.function(main).result_types.size(); ++index) {
    add({AnnotationPlace::Kind::Result, main, index, {}});
  }
  for (const ir::OpId op : module.ops(module.entry(main))) {
    for (const ir::ValueId result : module.results(op)) {
      const auto place = report::annotation_place(module, result);
      if (place) add(*place);
    }
  }
  return places;
}

AnnotationChange random_change(checking::Random& random, const ir::Module& module,
                               const std::vector<AnnotationPlace>& places) {
  AnnotationChange change{.place = random.pick(places)};
  if (random.between(0, 2) == 0) return change;
  const auto rank = static_cast<std::size_t>(report::type_of(module, change.place).rank());
  const Mesh mesh = *module.find_mesh("mesh");
  change.sharding =
      checking::random_sharding(random, mesh, rank, BoundAxes::none()).with_mesh({mesh, "mesh"});
  return change;
}

std::string text_of(const report::CollectiveChange& change) {
  return change.kind + change.axes + change.type + change.serves + " " +
         std::to_string(change.count_before) + " " + std::to_string(change.count_after) + " " +
         std::to_string(change.bytes_before) + " " + std::to_string(change.bytes_after);
}

bool same_costs(const report::Cost& a, const report::Cost& b) {
  return a.bytes == b.bytes && a.count == b.count && a.seconds == b.seconds &&
         a.peak_bytes == b.peak_bytes && a.operations == b.operations;
}

/// A program and its costs, by a full compilation.
struct Answer {
  std::string program;
  report::Cost cost;
};

struct Counts {
  int64_t compiled = 0;
  int64_t known = 0;
};

class Variants {
 public:
  explicit Variants(ir::Module module) : module_(std::move(module)) {
    const auto base = checking::propagate_program(module_, {}, {});
    const auto compiled = checking::compile(module_);
    if (!base || !compiled) return;
    base_ = base->module;
    before_ = report::make_report(*compiled);
  }
  bool is_valid() const { return base_.has_value(); }

  void check(const AnnotationChange& change, Counts& counts) {
    ir::Module changed = module_;
    if (!report::annotate(changed, change)) return;
    auto propagated = checking::propagate_program(changed, {}, {});
    const auto full = checking::compile(changed);
    CHECK((propagated || !full));
    if (!propagated || !full) return;
    ++counts.compiled;
    const Report wanted = report::make_report(*full);
    check_costs(wanted, report::make_cost_report(*full, {}));
    ModuleChanges changes(*base_, propagated->module);
    const auto shared = checking::lower_program(*propagated, {}, {}, {&plans_});
    REQUIRE(shared);
    CHECK(text::to_mlir(shared->program) == text::to_mlir(full->program));
    CHECK(shared->rewrites == full->rewrites);
    const Answer answer{text::to_mlir(full->program), report::cost_of(wanted)};
    const auto known = answers_.find(changes);
    if (!known) return answers_.add(std::move(changes), answer);
    ++counts.known;
    CHECK(known->program == answer.program);
    CHECK(same_costs(known->cost, answer.cost));
  }

 private:
  void check_costs(const Report& wanted, const Report& priced) const {
    CHECK(same_costs(report::cost_of(wanted), report::cost_of(priced)));
    const auto wanted_changes = report::difference(before_, wanted).collectives;
    const auto changes = report::collective_changes(before_, priced);
    REQUIRE(changes.size() == wanted_changes.size());
    for (std::size_t at = 0; at < changes.size(); ++at) {
      CHECK(text_of(changes[at]) == text_of(wanted_changes[at]));
    }
    REQUIRE(priced.by_kind.size() == wanted.by_kind.size());
    for (std::size_t at = 0; at < priced.by_kind.size(); ++at) {
      CHECK(priced.by_kind[at].name == wanted.by_kind[at].name);
      CHECK(priced.by_kind[at].bytes == wanted.by_kind[at].bytes);
    }
  }

  ir::Module module_;
  std::optional<ir::Module> base_;
  Report before_;
  report::ResultsByModule<Answer> answers_;
  passes::KnownPlans plans_;  // of all changes
};

}  // namespace

TEST_CASE("the price of an annotation change equals that of a full compilation", "[random]") {
  Counts counts;
  for (uint64_t seed = 1; counts.compiled < kCases; ++seed) {
    checking::RandomProgramOptions options{.min_ops = 2, .max_ops = 6};
    options.max_depth = static_cast<int64_t>(seed % 4 == 0);
    options.collectives = seed % 5 == 0;
    const ir::Module module = checking::random_program(seed, options).module;
    Variants variants(module);
    if (!variants.is_valid()) continue;
    const std::vector<AnnotationPlace> places = places_of(module);
    checking::Random random(seed);
    INFO("seed " << seed);
    for (int64_t number = 0; number < kCasesPerProgram; ++number) {
      const AnnotationChange change = random_change(random, module, places);
      INFO(report::place_name(text::WrittenValues(module), change.place)
           << " " << (change.sharding ? to_string(*change.sharding) : "none"));
      variants.check(change, counts);
    }
  }
  CHECK(counts.known > kCases / 10);
}

namespace {

const std::string kProgram = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
)";

using Mutation = std::function<void(ir::Module& module, const std::vector<ir::OpId>& ops)>;

/// One change for each member of a module.
std::vector<Mutation> mutations() {
  using Ops = const std::vector<ir::OpId>&;
  return {
      [](ir::Module& m, Ops ops) { m.attributes(ops[0]).set("a", ir::UnitAttr()); },
      [](ir::Module& m, Ops ops) { m.set_operand(ops[2], 0, m.result(ops[1])); },
      [](ir::Module& m, Ops ops) {
        m.set_type(m.result(ops[1]), ir::Type::tensor({8, 8}, ir::ElementType::F64));
      },
      [](ir::Module& m, Ops ops) { m.set_location(ops[1], m.add_location("elsewhere")); },
      [](ir::Module& m, Ops ops) { m.set_value_name(m.result(ops[0]), "other"); },
      [](ir::Module& m, Ops) { m.module_attributes().set("a", ir::UnitAttr()); },
      [](ir::Module& m, Ops) {
        m.function(*m.main_function()).arg_attributes[0].erase(ir::kShardingAttr);
      },
      [](ir::Module& m, Ops) {
        const ir::OpId main = *m.main_function();
        ir::set_sharding(m, m.args(m.entry(main))[0],
                         TensorSharding::fully_open(*m.find_mesh("mesh"), "mesh", 2));
      },
      [](ir::Module& m, Ops ops) {
        m.remove(ops[1]);
        m.insert_before(ops[0], ops[1]);
      },
      [](ir::Module& m, Ops ops) {
        m.replace_all_uses(m.result(ops[1]), m.result(ops[0]));
        m.erase(ops[1]);
      },
      [](ir::Module& m, Ops ops) {  // the uses of a value in another order
        m.set_operand(ops[0], 0, m.result(ops[0]));
        m.set_operand(ops[0], 0, m.operand(ops[0], 1));
      },
      [](ir::Module& m, Ops) { m.add_mesh("second", *m.find_mesh("mesh")); },
      [](ir::Module& m, Ops) {
        m.add_argument(m.entry(*m.main_function()), ir::Type::tensor({}, ir::ElementType::F32));
      },
  };
}

}  // namespace

TEST_CASE("different modules have different changes") {
  const ir::Module base = text::parse_mlir(kProgram).value();
  std::vector<ir::OpId> ops;
  for (const ir::OpId op : base.ops(base.entry(*base.main_function()))) ops.push_back(op);
  std::vector<ModuleChanges> all = {ModuleChanges(base, base)};
  CHECK(all.front().size() == 0);
  for (const Mutation& mutate : mutations()) {
    ir::Module module = base;
    mutate(module, ops);
    const ModuleChanges changes(base, module);
    INFO("mutation " << all.size() - 1);
    CHECK(changes == ModuleChanges(base, ir::Module(module)));
    for (const ModuleChanges& other : all) CHECK(!(changes == other));
    all.push_back(changes);
  }
}

}  // namespace pricing_test
