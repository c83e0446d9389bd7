// The annotations that a conflict names as needed: with them, the axis reaches the value.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;
using propagation::Explanation;
using report::Setting;

namespace conflict_advice_test {
namespace {

constexpr std::size_t kMostConflicts = 12;  // of one program

/// The program with locations and with the names of its values.
struct NamedProgram {
  ir::Module module;
  text::WrittenNames names;
};

std::optional<NamedProgram> named(const std::string& text) {
  NamedProgram program;
  auto module = text::parse_mlir(text, {.names = &program.names});
  if (!module) return std::nullopt;
  program.module = *std::move(module);
  return program;
}

std::optional<Explanation> explained(const NamedProgram& program) {
  auto explanation = report::explain({program.module, program.names}, {}, {});
  if (!explanation) return std::nullopt;
  return *std::move(explanation);
}

/// Returns the annotations in `%a=[{}, {"x"}] and %b=[{"x"}, {}]; now "x" is on dim 0 of %a`.
std::vector<Setting> settings_in(std::string_view needed) {
  needed = needed.substr(0, needed.find("; now "));
  std::vector<Setting> settings;
  while (!needed.empty()) {
    const std::size_t end = needed.find(" and ");
    const std::string_view each = needed.substr(0, end);
    needed = end == std::string_view::npos ? "" : needed.substr(end + 5);
    const std::size_t equals = each.find('=');
    REQUIRE(equals != std::string_view::npos);
    settings.push_back({std::string(each.substr(0, equals)), std::string(each.substr(equals + 1))});
  }
  return settings;
}

/// Checks whether the advice names annotations; otherwise it names the reason why none helps.
bool has_annotations(const std::string& needed) {
  for (const char* other : {"another size of factor", "the sharding ", "propagation must not"}) {
    if (needed.starts_with(other)) return false;
  }
  return true;
}

bool is_same(const ExplainedConflict& a, const ExplainedConflict& b) {
  return a.op == b.op && a.location == b.location && a.function == b.function &&
         a.factor == b.factor && a.axis == b.axis && a.target == b.target && a.calls == b.calls &&
         (a.target || a.tensor == b.tensor);
}

bool starts_with(const TensorSharding& sharding, const TensorSharding& start) {
  for (std::size_t dim = 0; dim < start.rank(); ++dim) {
    const AxisList& axes = sharding.dim(dim).axes;
    const AxisList& first = start.dim(dim).axes;
    if (axes != first && !strict_prefix_of(first, axes)) return false;
  }
  return true;
}

/// Checks whether an annotation of the value is for its users only: the value is on a data-flow
/// edge, or it is an operand or a result of a collective.
bool is_for_users_only(const ir::Module& module, const report::AnnotationPlace& place) {
  if (place.kind != report::AnnotationPlace::Kind::Value) return false;
  const ir::OpId op = module.defining_op(place.value);
  if (!op.valid() || !module.regions(op).empty() || module.is(op, ir::OpKind::FuncCall) ||
      module.has_trait(op, ir::kDataFlow)) {
    return true;
  }
  return passes::is_side_of_collective(module, place.value);
}

/// Checks whether a value with the name has the axes of the annotation after propagation.
bool has_axes(const Explanation& explanation, const std::string& name,
              const TensorSharding& sharding) {
  return std::ranges::any_of(explanation.values, [&](const ExplainedValue& value) {
    const bool is_it = value.name == name || "@" + value.function + ":" + value.name == name;
    return is_it && value.sharding && starts_with(*value.sharding, sharding);
  });
}

/// Checks one piece of advice. Returns false if it names no annotations, or ambiguous ones.
bool check_advice(const NamedProgram& program, const ExplainedConflict& conflict) {
  if (!has_annotations(conflict.needed)) return false;
  INFO(conflict.op << " at " << to_string(conflict.location) << " factor " << conflict.factor
                   << ": " << conflict.axis << " to " << conflict.target.value_or("all") << ", "
                   << conflict.reason << " at " << conflict.tensor);
  INFO("needed: " << conflict.needed);
  std::vector<std::pair<std::string, TensorSharding>> wanted;  // of the values themselves
  NamedProgram changed = program;
  const text::WrittenValues names(program.module, program.names);
  for (const Setting& setting : settings_in(conflict.needed)) {
    const auto place = report::find_annotation_place(names, setting.value);
    // Two regions may have a value of one name; the error lists their full names.
    if (!place && place.error().message.starts_with("several values are called")) return false;
    REQUIRE(place.has_value());
    const auto sharding = report::parse_annotation(changed.module, *place, setting.sharding);
    REQUIRE(sharding.has_value());
    REQUIRE(report::annotate(changed.module, *place, *sharding).has_value());
    if (!is_for_users_only(program.module, *place)) {
      wanted.emplace_back(setting.value, sharding->value());
    }
  }
  const auto after = explained(changed);
  REQUIRE(after.has_value());
  for (const auto& [name, sharding] : wanted) CHECK(has_axes(*after, name, sharding));
  for (const ExplainedConflict& each : after->conflicts) {
    if (!is_same(each, conflict)) continue;
    INFO("still: " << each.reason << " at " << each.tensor << ", needed: " << each.needed);
    CHECK_FALSE(is_same(each, conflict));
  }
  return true;
}

struct Tally {
  int with_annotations = 0;
  int others = 0;
};

void check_all(const std::string& text, Tally& tally) {
  const auto program = named(text);
  if (!program) return;
  const auto explanation = explained(*program);
  if (!explanation) return;
  std::size_t checked = 0;
  for (const ExplainedConflict& conflict : explanation->conflicts) {
    if (++checked > kMostConflicts) return;
    ++(check_advice(*program, conflict) ? tally.with_annotations : tally.others);
  }
}

}  // namespace

TEST_CASE("the annotations that conflicts of examples need end the conflicts", "[advice]") {
  Tally tally;
  for (const char* folder : {"/jax", "/programs"}) {
    for (const auto& path : shardy_test::files_in(std::string(SHARDY_EXAMPLES) + folder, ".mlir")) {
      const std::string text = shardy_test::read_text(path);
      INFO(path);
      check_all(text, tally);
      const auto module = text::parse_mlir(text);
      for (uint64_t seed = 0; module && seed < 2; ++seed) {
        const ir::Module sharded = checking::shard_at_random(*module, seed);
        INFO("shard_at_random, seed " << seed);
        check_all(text::to_mlir(sharded), tally);
      }
    }
  }
  CHECK(tally.others < tally.with_annotations / 5);
  CHECK(tally.with_annotations > 300);
}

TEST_CASE("the annotations that conflicts of random programs need end the conflicts",
          "[advice][random]") {
  Tally tally;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const ir::Module module = checking::random_program(seed, {}).module;
    const std::string text = text::to_mlir(module);
    INFO(text);
    check_all(text, tally);
  }
  CHECK(tally.others < tally.with_annotations / 5);
  CHECK(tally.with_annotations > 100);
}

}  // namespace conflict_advice_test
