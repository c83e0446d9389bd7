// Calls each public function with arguments that a caller gets wrong: it ends in a value, in an
// error value, or, if the function documents a precondition, in the handler of contracts; under the
// sanitizers without a finding.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "api/calls.hpp"
#include "shardy/support/contract.hpp"

namespace shardy::api_test {

void add_algebra_calls(std::vector<Call>& calls);
void add_checking_calls(std::vector<Call>& calls);
void add_ir_calls(std::vector<Call>& calls);
void add_partitioning_calls(std::vector<Call>& calls);
void add_passes_calls(std::vector<Call>& calls);
void add_propagation_calls(std::vector<Call>& calls);
void add_report_calls(std::vector<Call>& calls);
void add_resharding_calls(std::vector<Call>& calls);
void add_rules_calls(std::vector<Call>& calls);
void add_simulation_calls(std::vector<Call>& calls);
void add_support_calls(std::vector<Call>& calls);
void add_text_calls(std::vector<Call>& calls);

void note_error(const Error& error) {
  if (error.message.empty()) throw std::logic_error("an error without a message");
}

namespace {

struct Violated {
  ContractViolation violation;
};

/// One call; what is wrong with how it ended, or nothing.
std::string wrong_end(const Call& call, std::size_t round) {
  Draw draw(round * 1000003 + std::string_view(call.function).size());
  try {
    call.make(draw);
  } catch (const Violated& violated) {
    if (call.may_fail || draw.is_spoiled()) return {};
    return std::string("does not say that it requires ") + violated.violation.condition + ", in " +
           violated.violation.function;
  } catch (const std::exception& thrown) {
    return std::string("has thrown ") + thrown.what();
  }
  return {};
}

constexpr unsigned kMaxSeconds = 60;

/// Makes all calls of a function in a process of its own, so that a crash or hang there is reported
/// here.
void make_calls(const Call& call, std::size_t rounds) {
  std::fflush(stdout);
  std::fflush(stderr);
  if (std::getenv("SHARDY_API_TRACE") != nullptr) std::fprintf(stderr, "calls %s\n", call.function);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(kMaxSeconds);
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::string wrong = wrong_end(call, round);
      if (wrong.empty()) continue;
      std::fprintf(stderr, "round %zu %s\n", round, wrong.c_str());
      std::_Exit(1);
    }
    std::_Exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  UNSCOPED_INFO(call.function << " ended with "
                              << (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                      : "a wrong call"));
  CHECK(status == 0);
}

void call_all(void (*add)(std::vector<Call>&), std::size_t rounds) {
  set_contract_handler([](const ContractViolation& violation) { throw Violated{violation}; });
  std::vector<Call> calls;
  add(calls);
  REQUIRE(calls.size() > 10);
  const char* const only = std::getenv("SHARDY_API_ONLY");
  for (const Call& call : calls) {
    if (only == nullptr || std::string_view(call.function).find(only) != std::string_view::npos)
      make_calls(call, rounds);
  }
  set_contract_handler(nullptr);
}

TEST_CASE("wrong calls of support functions have the documented outcome") {
  call_all(&add_support_calls, 100);
}
TEST_CASE("wrong calls of algebra functions have the documented outcome") {
  call_all(&add_algebra_calls, 100);
}
TEST_CASE("wrong calls of resharding functions have the documented outcome") {
  call_all(&add_resharding_calls, 100);
}
TEST_CASE("wrong calls of ir functions have the documented outcome") {
  call_all(&add_ir_calls, 100);
}
TEST_CASE("wrong calls of rules functions have the documented outcome") {
  call_all(&add_rules_calls, 100);
}
TEST_CASE("wrong calls of propagation functions have the documented outcome") {
  call_all(&add_propagation_calls, 50);
}
TEST_CASE("wrong calls of passes functions have the documented outcome") {
  call_all(&add_passes_calls, 20);
}
TEST_CASE("wrong calls of partitioning functions have the documented outcome") {
  call_all(&add_partitioning_calls, 20);
}
TEST_CASE("wrong calls of simulation functions have the documented outcome") {
  call_all(&add_simulation_calls, 20);
}
TEST_CASE("wrong calls of text functions have the documented outcome") {
  call_all(&add_text_calls, 20);
}
TEST_CASE("wrong calls of checking functions have the documented outcome") {
  call_all(&add_checking_calls, 10);
}
TEST_CASE("wrong calls of report functions have the documented outcome") {
  call_all(&add_report_calls, 10);
}

}  // namespace
}  // namespace shardy::api_test
