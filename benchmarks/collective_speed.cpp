// Measures a collective on threads, on ranks, in MPI itself, and memcpy, in one run.
//
//     collective_speed                           threads alone
//     mpirun -n R collective_speed MODULE        with the module of benchmarks/plain_mpi.cpp
//
// Prints one line per kind, number of devices and bytes of a device's operand. Times are
// microseconds for one collective: the difference between a run of 2N and a run of N collectives,
// divided by N, with the least time of several runs. The difference leaves out the start and the
// end of a run. `copy` is the time of a memcpy of what all devices of a process receive. Rank 0
// measures threads while the other ranks sleep.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "shardy/simulation/rank_run.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/mpi_run.hpp"

namespace {

using namespace shardy;
using simulation::Tensor;
using simulation::Tensors;
using Clock = std::chrono::steady_clock;
using PlainCall = void (*)(const float*, float*, int);

constexpr int kNumRounds = 5;

/// Returns the number of collectives in a run. In a run with few collectives, the start and the end
/// of the run would dominate.
int num_ops(int64_t bytes) { return bytes > int64_t{16} << 20 ? 8 : 64; }

struct Kind {
  const char* name;
  const char* plain;  // name of the function in plain_mpi.cpp
  const char* attributes;
  bool reduces;
  int result;  // result elements: 1 as many, 2 times the devices, 0 divided by the devices
};

constexpr Kind kKinds[] = {
    {"all_reduce", "plain_all_reduce", "", true, 1},
    {"all_gather", "plain_all_gather", "dim = 0 : i64, ", false, 2},
    {"reduce_scatter", "plain_reduce_scatter", "dim = 0 : i64, ", true, 0},
    {"all_to_all", "plain_all_to_all", "concat_dim = 0 : i64, split_dim = 0 : i64, ", false, 1},
};

int64_t num_results(const Kind& kind, int64_t devices, int64_t elements) {
  if (kind.result == 2) return elements * devices;
  return kind.result == 1 ? elements : elements / devices;
}

ir::Module program(const Kind& kind, int64_t devices, int64_t elements, int ops) {
  const std::string from = fmt::format("tensor<{}xf32>", elements);
  const std::string to = fmt::format("tensor<{}xf32>", num_results(kind, devices, elements));
  const char* reducer = kind.reduces ? R"( ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }))"
                                     : "";
  std::string text = fmt::format(
      "sdy.mesh @mesh = <[\"x\"={}]>\nfunc.func @main(%x: {}) -> {} {{\n", devices, from, to);
  for (int op = 0; op < ops; ++op) {
    text += fmt::format(
        "  %{} = \"spmd.{}\"(%x) <{{axes = #sdy<axis_ref_list{{\"x\"}}>, {}mesh = @mesh}}>{} : "
        "({}) "
        "-> {}\n",
        op, kind.name, kind.attributes, reducer, from, to);
  }
  text += fmt::format("  return %{} : {}\n}}\n", ops - 1, to);
  return text::parse_mlir(text).value();
}

std::vector<Tensors> buffers(int64_t devices, int64_t elements) {
  std::vector<Tensors> all;
  for (int64_t device = 0; device < devices; ++device) {
    std::vector<double> values(static_cast<std::size_t>(elements), 0.5);
    values.front() = static_cast<double>(device);
    all.push_back(
        {*Tensor::from_doubles(ir::Type::tensor({elements}, ir::ElementType::F32), values)});
  }
  return all;
}

double microseconds(const std::function<void()>& body) {
  const auto begin = Clock::now();
  body();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double least(const std::function<double()>& measure) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kNumRounds; ++round) best = std::min(best, measure());
  return best;
}

/// Returns the microseconds of one op in programs that `run` runs.
double of_one(const Kind& kind, int64_t devices, int64_t elements,
              const std::function<void(const ir::Module&)>& run) {
  const int64_t most = std::max(elements, num_results(kind, devices, elements));
  const int ops = num_ops(4 * devices * most);
  const ir::Module few = program(kind, devices, elements, ops);
  const ir::Module many = program(kind, devices, elements, 2 * ops);
  const double short_one = least([&] { return microseconds([&] { run(few); }); });
  const double long_one = least([&] { return microseconds([&] { run(many); }); });
  return std::max(long_one - short_one, 0.0) / ops;
}

double on_threads(const Kind& kind, int64_t devices, int64_t elements) {
  const std::vector<Tensors> arguments = buffers(devices, elements);
  return of_one(kind, devices, elements, [&](const ir::Module& module) {
    simulation::run(module, "main", arguments).value();
  });
}

double on_ranks(const Kind& kind, int64_t elements, simulation::Transport& transport) {
  const int64_t devices = transport.ranks();
  const auto rank = static_cast<std::size_t>(transport.rank());
  const std::vector<Tensors> own = {buffers(devices, elements)[rank]};
  simulation::RankOptions options;
  options.num_devices = devices;
  options.run.num_workers = 1;
  return of_one(kind, devices, elements, [&](const ir::Module& module) {
    simulation::run_on_rank(module, "main", own, transport, options).value();
  });
}

double of_copy(int64_t elements) {
  const std::vector<float> from(static_cast<std::size_t>(elements), 0.5F);
  std::vector<float> to(from.size());
  const int ops = num_ops(4 * elements);
  return least([&] {
    return microseconds([&] {
             for (int op = 0; op < ops; ++op) {
               std::memcpy(to.data(), from.data(), from.size() * sizeof(float));
               asm volatile("" : : "r"(to.data()) : "memory");
             }
           }) /
           ops;
  });
}

double of_plain(PlainCall call, const Kind& kind, int64_t ranks, int64_t elements) {
  const std::vector<float> from(static_cast<std::size_t>(elements), 0.5F);
  std::vector<float> to(static_cast<std::size_t>(num_results(kind, ranks, elements)));
  const int ops = num_ops(4 * ranks * num_results(kind, ranks, elements));
  return least([&] {
    return microseconds([&] {
             for (int op = 0; op < ops; ++op) {
               call(from.data(), to.data(), static_cast<int>(elements));
             }
           }) /
           ops;
  });
}

/// Measures threads. Leaves out measurements in which the devices together receive more than 2^25
/// elements.
void measure_threads() {
  fmt::print("{:>15} {:>7} {:>9} {:>10} {:>10} {:>12}\n", "threads", "devices", "bytes", "us",
             "us/device", "times a copy");
  for (const Kind& kind : kKinds) {
    for (const int64_t devices : {2, 8, 64, 256, 1024}) {
      for (const int64_t bytes :
           {int64_t{4096}, int64_t{1} << 16, int64_t{1} << 20, int64_t{8} << 20}) {
        const int64_t elements = bytes / 4;
        const int64_t received = devices * num_results(kind, devices, elements);
        if (received > int64_t{1} << 25 || elements < devices) continue;
        const double time = on_threads(kind, devices, elements);
        fmt::print("{:>15} {:>7} {:>9} {:>10.2f} {:>10.3f} {:>12.2f}\n", kind.name, devices, bytes,
                   time, time / static_cast<double>(devices), time / of_copy(received));
        std::fflush(stdout);
      }
    }
  }
}

void measure_ranks(simulation::Transport& transport, void* module) {
  if (transport.rank() == 0) {
    fmt::print("{:>15} {:>7} {:>9} {:>10} {:>10} {:>10} {:>9} {:>13}\n", "ranks", "ranks", "bytes",
               "us", "MPI's us", "threads us", "to MPI", "MPI to threads");
  }
  const auto wait = reinterpret_cast<void (*)()>(dlsym(module, "plain_wait_for_all"));
  for (const Kind& kind : kKinds) {
    const auto call = reinterpret_cast<PlainCall>(dlsym(module, kind.plain));
    for (int64_t bytes = 4096; bytes <= int64_t{8} << 20; bytes *= 4) {
      const int64_t elements = bytes / 4;
      const double ranks = on_ranks(kind, elements, transport);
      const double plain = of_plain(call, kind, transport.ranks(), elements);
      double threads = 0;
      if (transport.rank() == 0) threads = on_threads(kind, transport.ranks(), elements);
      wait();
      if (transport.rank() != 0) continue;
      fmt::print("{:>15} {:>7} {:>9} {:>10.2f} {:>10.2f} {:>10.2f} {:>9.2f} {:>13.2f}\n", kind.name,
                 transport.ranks(), bytes, ranks, plain, threads, ranks / plain, plain / threads);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    measure_threads();
    return 0;
  }
  const auto session = tools::begin_mpi();
  if (!session) return fmt::print(stderr, "{}\n", session.error().message), 1;
  void* const module = dlopen(argv[1], RTLD_NOW);
  if (module == nullptr) return fmt::print(stderr, "{}\n", dlerror()), 1;
  measure_ranks((*session)->transport(), module);
}
