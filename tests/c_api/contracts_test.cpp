// A contract that the library itself violates, on the thread of the caller or on another one, ends
// in a status, whatever the handler of the process.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "c_api/call_result.hpp"
#include "shardy/shardy.h"
#include "shardy/simulation/run.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/text/mlir.hpp"
#include "simulation/thread_pool.hpp"
#include "support/catch.hpp"

namespace contracts_test {
namespace {

using namespace shardy;

void expect_positive(int64_t number) { SHARDY_EXPECTS(number > 0); }

/// The status and the message of a function of shardy.h that does that work.
template <class Work>
std::string answer_of(Work work) {
  shardy_diagnostics* diagnostics = nullptr;
  const shardy_status status =
      c_api::run_call(&diagnostics, [&]() -> c_api::CallResult<c_api::Diagnosed> {
        work();
        return c_api::Diagnosed{};
      });
  std::string text = shardy_status_text(status);
  if (diagnostics != nullptr)
    text += std::string(": ") + shardy_diagnostics_message(diagnostics, 0);
  shardy_diagnostics_destroy(diagnostics);
  return text;
}

bool is_internal(const std::string& answer) {
  return answer.starts_with("internal error: internal error: ") &&
         answer.ends_with("violated contract: number > 0; please report it");
}

TEST_CASE("a violated contract is an internal error", "[c_api]") {
  CHECK(answer_of([] {}) == "ok");
  const std::string answer = answer_of([] { expect_positive(0); });
  INFO(answer);
  CHECK(is_internal(answer));
  CHECK(answer_of([] { expect_positive(1); }) == "ok");
}

TEST_CASE("contract scopes nest and belong to one thread", "[c_api]") {
  CHECK(ContractScope::handler() == nullptr);
  const ContractHandler first = [](const ContractViolation&) { throw 1; };
  const ContractHandler second = [](const ContractViolation&) { throw 2; };
  const ContractScope outer(first);
  {
    const ContractScope inner(second);
    CHECK_THROWS_AS(expect_positive(0), int);
    CHECK(ContractScope::handler() == second);
  }
  CHECK(ContractScope::handler() == first);
  std::thread([] { CHECK(ContractScope::handler() == nullptr); }).join();
}

TEST_CASE("a contract violation in a thread pool worker reaches the caller", "[c_api]") {
  simulation::ThreadPool pool(3);
  std::atomic<int64_t> calls = 0;
  const std::string answer = answer_of([&] {
    pool.run(100, [&](int64_t index) {
      ++calls;
      expect_positive(index % 10);
    });
  });
  INFO(answer);
  CHECK(is_internal(answer));
  CHECK(calls == 100);
  CHECK(answer_of([&] { pool.run(10, [](int64_t) {}); }) == "ok");
}

TEST_CASE("a contract violation in a worker of a run reaches the caller", "[c_api]") {
  const auto module = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<1xf32> attributes {spmd.per_device} {
  %0 = "test.step"(%a) : (tensor<1xf32>) -> tensor<1xf32>
  %1 = "spmd.all_reduce"(%0) <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %2 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
})");
  REQUIRE(module.has_value());
  std::vector<simulation::Tensors> arguments;
  for (const double number : {1, 2, 3, 4, 5, 6, 7, 0}) {
    const auto argument = simulation::Tensor::from_doubles(
        ir::Type::tensor({1}, ir::ElementType::F32), std::vector<double>{number});
    arguments.push_back({argument.value()});
  }
  simulation::RunContext context;
  context.kernels.ops["test.step"] =
      [](const simulation::ForeignCall& call) -> Result<simulation::Tensors> {
    // Device 7, which the last worker runs.
    expect_positive(static_cast<int64_t>(call.operands[0].to_doubles()[0]));
    return simulation::Tensors{call.operands[0]};
  };
  for (const int64_t workers : {1, 2, 4}) {
    std::string end;
    const std::string answer = answer_of([&] {
      simulation::RunOptions options;
      options.num_workers = workers;
      const auto run = simulation::run(*module, "main", arguments, options, context);
      end = run ? "values" : run.error().message;
    });
    CAPTURE(workers, answer, end);
    CHECK(is_internal(answer));
  }
}

TEST_CASE("the first nested module with functions is the program", "[c_api]") {
  const std::string inner =
      "module @a {\n  func.func public @entry(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
      "    return %x : tensor<8xf32>\n  }\n}\n";
  const std::string other = "module @b {\n  func.func @main() {\n    return\n  }\n}\n";
  for (const std::string& text : {inner + other, "module @outer {\n" + inner + "}\n"}) {
    shardy_program* program = nullptr;
    shardy_diagnostics* diagnostics = nullptr;
    REQUIRE(shardy_program_parse(text.data(), text.size(), nullptr, SHARDY_AUTO, &program,
                                 &diagnostics) == SHARDY_OK);
    REQUIRE(shardy_diagnostics_count(diagnostics) == 1);
    const std::string note = shardy_diagnostics_message(diagnostics, 0);
    CHECK(note.find("the program is the module @a") != std::string::npos);
    shardy_diagnostics_destroy(diagnostics);
    CHECK(shardy_program_num_arguments(program) == 1);
    shardy_program_destroy(program);
  }
}

}  // namespace

}  // namespace contracts_test
