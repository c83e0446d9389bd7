// Random programs on the ranks of an MPI job: each rank compares its devices with a run on threads.
//
// mpirun -n R mpi_sweep CASES [FIRST_SEED]
#include <cstdio>
#include <cstdlib>

#include "shardy/checking/check.hpp"
#include "shardy/checking/random_program.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "tools/mpi_engine.hpp"

using namespace shardy;

namespace {

struct Case {
  ir::Module program;
  simulation::Tensors inputs;
  int64_t num_devices = 1;
};

/// Nothing where the program has less devices than there are ranks, or is refused.
std::optional<Case> make_case(uint64_t seed, int64_t ranks) {
  static const passes::PassRegistry registry = passes::built_in_passes();
  checking::RandomProgramOptions options;
  options.collectives = true;
  options.device_orders = true;
  options.max_depth = 2;
  options.indexed = true;
  ir::Module module = checking::random_program(seed, options).module;
  const std::vector<passes::PassCall> import = {{"sdy-sharding-group-import"}};
  if (!passes::run_pipeline(module, registry, import).empty()) return std::nullopt;
  auto compiled = checking::compile(module);
  auto inputs = checking::random_inputs(module, seed);
  if (!compiled || !inputs) return std::nullopt;
  const int64_t devices =
      simulation::num_devices(compiled->program, *compiled->program.main_function());
  if (devices < std::max<int64_t>(ranks, 2)) return std::nullopt;
  return Case{std::move(compiled->program), *std::move(inputs), devices};
}

/// What is wrong; empty if nothing is.
std::string compare(const Case& each, simulation::Transport& transport) {
  const ir::OpId main = *each.program.main_function();
  const auto name = each.program.symbol_name(main);
  const auto block =
      simulation::devices_of_rank(each.num_devices, transport.rank(), transport.ranks());
  auto all = simulation::arguments_of(each.program, main, each.inputs, {0, each.num_devices});
  auto own = simulation::arguments_of(each.program, main, each.inputs, block);
  if (!all || !own) return "arguments";
  const auto expected = simulation::run(each.program, name, *std::move(all));
  simulation::RankOptions options;
  options.num_devices = each.num_devices;
  options.patience = std::chrono::seconds(30);
  const auto got = simulation::run_on_rank(each.program, name, *std::move(own), transport, options);
  if (!expected || !got) return !got ? got.error().headline() : expected.error().headline();
  for (int64_t place = 0; place < block.count; ++place) {
    const auto here = static_cast<std::size_t>(place);
    const auto there = static_cast<std::size_t>(block.first + place);
    if (got->run.outputs[here] != expected->outputs[there]) return "outputs differ";
    if (got->run.devices[here] != expected->devices[there]) return "accounts differ";
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t wanted = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 100;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto session = tools::begin_mpi();
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error().message.c_str());
    return 1;
  }
  simulation::Transport& transport = (*session)->transport();
  int64_t count = 0;
  for (; count < wanted; ++seed) {
    const auto each = make_case(seed, transport.ranks());
    if (!each) continue;
    ++count;
    const std::string wrong = compare(*each, transport);
    if (wrong.empty()) continue;
    std::fprintf(stderr, "rank %d, seed %llu: %s\n", static_cast<int>(transport.rank()),
                 static_cast<unsigned long long>(seed), wrong.c_str());
    (*session)->abort(1);
    return 1;
  }
  if (transport.rank() == 0)
    std::printf("%lld programs equal on %lld ranks\n", static_cast<long long>(count),
                static_cast<long long>(transport.ranks()));
  return 0;
}
