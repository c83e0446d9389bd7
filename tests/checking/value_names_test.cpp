// A name belongs to one value. The value of a name in the per-device program, assembled from all
// devices, must equal the value of that name in the source. Spec: docs/mlir.md, names of values.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::ValueId;
using shardy_test::small_integers;
using shardy_test::text_of;
using simulation::Tensor;
using simulation::Tensors;

namespace value_names_test {
namespace {

/// Returns the results of ops by name.
std::map<std::string, std::vector<ValueId>> named_values(const ir::Module& module) {
  std::map<std::string, std::vector<ValueId>> named;
  for (const ir::OpId op : ir::pre_order(module)) {
    for (const ValueId value : module.results(op)) {
      if (module.has_value_name(value)) named[module.value_name(value)].push_back(value);
    }
  }
  return named;
}

/// Returns the values of each name on each device, in order of execution.
using Runs = std::map<std::string, std::map<int64_t, Tensors>>;

Runs run(const ir::Module& module, const Tensors& inputs) {
  Runs runs;
  simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.seed = 1;
  options.observer = [&](const simulation::OpEvent& event) {
    for (std::size_t index = 0; index < event.results.size(); ++index) {
      const ValueId value = module.result(event.op, index);
      if (!module.has_value_name(value) || !module.type(value).is_tensor()) continue;
      runs[module.value_name(value)][event.device].push_back(event.results[index]);
    }
  };
  const auto result = simulation::run_global(module, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return runs;
}

/// Returns the layouts that a value of that name may have on the devices: its sharding, or the
/// sharding of the reduction that combines it.
std::vector<std::optional<TensorSharding>> layouts(const ir::Module& module, ValueId value) {
  std::vector<std::optional<TensorSharding>> found;
  std::vector<ValueId> pending = {value};
  while (!pending.empty()) {
    const ValueId next = pending.back();
    pending.pop_back();
    found.push_back(ir::get_sharding(module, next));
    for (const ir::Use& use : module.uses(next)) {
      const bool combines = module.is(use.op, ir::OpKind::SdyAllReduce) ||
                            module.is(use.op, ir::OpKind::SdyReduceScatter);
      if (combines) pending.push_back(module.result(use.op));
    }
  }
  return found;
}

struct Counts {
  int64_t names = 0;     // names in the source
  int64_t kept = 0;      // names in the per-device program
  int64_t compared = 0;  // compared values
};

/// Returns the value that all devices together hold, for each layout that fits.
Tensors put_together(const std::map<int64_t, Tensors>& devices, std::size_t run,
                     const std::vector<std::optional<TensorSharding>>& layouts,
                     const ir::Type& type, std::string& why) {
  Tensors locals;
  for (const auto& [device, values] : devices) {
    // A loop-invariant value may be computed before the loop.
    if (run < values.size() || values.size() == 1)
      locals.push_back(values[std::min(run, values.size() - 1)]);
  }
  Tensors found;
  if (locals.size() != devices.size()) return found;
  for (const auto& layout : layouts) {
    const auto whole = simulation::gather_output(locals, layout, type);
    if (whole) {
      found.push_back(*whole);
    } else {
      why += whole.error().message + "\n";
    }
  }
  return found;
}

/// In a manual computation a name represents the part on one device, in the source too.
bool is_of_a_part(const ir::Module& module, ValueId value) {
  for (ir::OpId op = module.defining_op(value); op.valid(); op = module.parent_op(op)) {
    if (module.is(op, ir::OpKind::SdyManualComputation) && op != module.defining_op(value)) {
      return true;
    }
  }
  return false;
}

/// Checks each name that has one value in the source and one in the sharded program.
void check_names(const ir::Module& source, const Tensors& inputs, double relative, Counts& counts) {
  const auto compiled = checking::compile(source);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  const auto of_source = named_values(source);
  const auto sharded = named_values(compiled->collectives);
  const auto of_program = named_values(compiled->program);
  const Runs want = run(source, inputs);
  const Runs got = run(compiled->program, inputs);
  for (const auto& [name, values] : of_source) {
    if (values.size() != 1) continue;  // in several functions, or in several regions
    const auto local = of_program.find(name);
    const auto global = sharded.find(name);
    const auto ran = got.find(name);
    const auto reference = want.find(name);
    if (global == sharded.end()) continue;  // unused
    if (is_of_a_part(source, values.front())) continue;
    const ir::OpId function = ir::enclosing_function(source, source.defining_op(values.front()));
    if (source.symbol_name(function) != "main") continue;  // the number of calls may differ
    ++counts.names;
    if (local == of_program.end()) continue;  // the value equals another value
    ++counts.kept;
    if (local->second.size() != 1 || global->second.size() != 1) continue;
    if (ran == got.end() || reference == want.end()) continue;  // in a branch that was not taken
    const auto ways = layouts(compiled->collectives, global->second.front());
    if (ways.front() && ways.front()->mesh().is_maximal()) continue;
    const Tensors& wanted = reference->second.at(0);
    for (std::size_t index = 0; index < wanted.size(); ++index) {
      std::string why;
      const Tensors whole = put_together(ran->second, index, ways, wanted[index].type(), why);
      CAPTURE(name, index, why, text::to_mlir(compiled->program, {.names = true}),
              text::to_mlir(compiled->collectives, {.names = true}));
      const checking::Tolerance tolerance{ir::is_float(wanted[index].type().element()) ? relative
                                                                                       : 0};
      CHECK(std::any_of(whole.begin(), whole.end(), [&](const Tensor& each) {
        return checking::compare(each, wanted[index], tolerance).mismatches == 0;
      }));
      ++counts.compared;
    }
  }
}

uint64_t num_cases(uint64_t usual) {
  const char* text = std::getenv("SHARDY_NAMES_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("names of random programs refer to the same values after partitioning",
          "[checking][names][random]") {
  Counts counts;
  const char* first = std::getenv("SHARDY_NAMES_SEED");
  const uint64_t begin = first != nullptr ? std::strtoull(first, nullptr, 10) : 0;
  for (uint64_t seed = begin; seed < begin + num_cases(150); ++seed) {
    CAPTURE(seed);
    checking::RandomProgramOptions options;
    options.max_devices = 12;
    options.max_depth = static_cast<int64_t>(seed % 3);
    options.unreduced = seed % 5 == 2;
    options.collectives = seed % 5 == 3;
    options.indexed = seed % 3 == 1;
    options.windows = seed % 4 == 2;
    options.whole_dims = seed % 4 == 3;
    const checking::RandomProgram random = checking::random_program(seed, options);
    auto source = text::parse_mlir(text::to_mlir(random.module));
    REQUIRE(source.has_value());
    check_names(*source, random.inputs, 0, counts);
  }
  CAPTURE(counts.names, counts.kept, counts.compared);
  if (num_cases(150) < 100) return;
  CHECK(counts.compared * 2 > counts.names);
  CHECK(counts.kept * 5 > counts.names * 4);
}

TEST_CASE("names of the examples refer to the same values after partitioning",
          "[checking][names]") {
  Counts counts;
  int programs = 0;
  int kept_whole = 0;
  for (const std::string folder : {"", "/jax"}) {
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(SHARDY_EXAMPLES + folder)) {
      paths.insert(entry.path());
    }
    for (const std::filesystem::path& path : paths) {
      const bool is_json = path.extension() == ".json";
      if (!is_json && path.extension() != ".mlir") continue;
      CAPTURE(path);
      auto source = is_json ? text::parse_json(content(path)) : text::parse_mlir(content(path));
      REQUIRE(source.has_value());
      REQUIRE(passes::import_shardings(*source, passes::ImportForm::Auto).has_value());
      simulation::RunOptions options;
      options.kernels.seed = 1;
      const Tensors inputs = small_integers(*source, 7);
      if (!simulation::run_global(*source, "main", inputs, options)) {
        ++kept_whole;  // calls a target that only another compiler knows
        continue;
      }
      check_names(*source, inputs, 1e-4, counts);
      ++programs;
    }
  }
  CAPTURE(counts.names, counts.kept, counts.compared);
  CHECK(counts.kept * 2 > counts.names);
  CHECK(counts.compared * 3 > counts.names);
  CHECK(programs >= 5);
  CHECK(kept_whole * 5 < programs);
}

}  // namespace value_names_test
