// Runs random programs on the ranks of an MPI job. Each rank compares its devices with a run on
// threads.
//
// mpirun -n R mpi_sweep CASES [FIRST_SEED]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "checking/device_case.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "tools/mpi_run.hpp"

using namespace shardy;

namespace {

/// Returns the first difference; an empty text if all results agree.
std::string compare(const shardy_test::DeviceCase& each, bool divides,
                    simulation::Transport& transport) {
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
  if (divides) options.min_divided_bytes = 0;
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
    const auto each = shardy_test::random_device_case(seed);
    if (!each || each->num_devices < std::max<int64_t>(transport.ranks(), 2)) continue;
    ++count;
    const std::string wrong = compare(*each, count % 2 == 0, transport);
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
