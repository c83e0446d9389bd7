#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "shardy/shardy.h"

namespace threads_test {
namespace {

constexpr const char* kText =
    "sdy.mesh @mesh = <[\"x\"=2]>\n"
    "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})\n"
    "    -> tensor<8xf32> {\n"
    "  %0 = stablehlo.tanh %a : tensor<8xf32>\n"
    "  return %0 : tensor<8xf32>\n"
    "}\n";

shardy_program* read_shared_program() {
  shardy_program* program = nullptr;
  REQUIRE(shardy_program_parse(kText, std::strlen(kText), nullptr, SHARDY_AUTO, &program,
                               nullptr) == SHARDY_OK);
  return program;
}

/// Result of a thread: a propagated program as it should be, a bad handle, or something else.
enum class Outcome { Right, Ended, Wrong };

Outcome propagate_once(const shardy_program* program) {
  shardy_program* made = nullptr;
  const shardy_status status = shardy_program_propagate(program, &made, nullptr);
  if (status == SHARDY_BAD_HANDLE) return Outcome::Ended;
  const std::string sharding = shardy_program_result_sharding(made, 0);
  shardy_program_destroy(made);
  return status == SHARDY_OK && sharding == "<@mesh, [{\"x\"}]>" ? Outcome::Right : Outcome::Wrong;
}

}  // namespace

TEST_CASE("threads share a program, and one thread may destroy it", "[c_api]") {
  constexpr std::size_t kThreads = 4;
  constexpr int kRounds = 50;
  shardy_program* const program = read_shared_program();
  std::vector<int> wrong(kThreads, 0);
  std::vector<int> right(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const Outcome outcome = propagate_once(program);
        wrong[thread] += outcome == Outcome::Wrong ? 1 : 0;
        right[thread] += outcome == Outcome::Right ? 1 : 0;
        if (thread == 0 && round == kRounds / 2) shardy_program_destroy(program);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t thread = 0; thread < kThreads; ++thread) CHECK(wrong[thread] == 0);
  CHECK(right[0] == kRounds / 2 + 1);
  CHECK(propagate_once(program) == Outcome::Ended);
}

TEST_CASE("no two handles are ever equal", "[c_api]") {
  std::vector<const shardy_program*> seen;
  for (int round = 0; round < 20; ++round) {
    shardy_program* const program = read_shared_program();
    for (const shardy_program* const other : seen) CHECK(other != program);
    seen.push_back(program);
    shardy_program_destroy(program);
  }
}

}  // namespace threads_test
