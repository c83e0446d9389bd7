// The passes of a phase before and after, program by program: the cases of PHASE/golden/*.mlir.
// Programs are compared as their canonical text.
#include "passes/pass_cases.hpp"
#include "passes/program.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy_test {
namespace {

using shardy::ir::Module;
using shardy::passes::PassCall;
using shardy::passes::PassErrors;

PassErrors run(Module& module, const std::string& pass) {
  static const auto registry = shardy::passes::built_in_passes();
  const auto calls = shardy::passes::parse_pipeline(registry, "builtin.module(" + pass + ")");
  if (!calls) FAIL(calls.error().message);
  return shardy::passes::run_pipeline(module, registry, *calls);
}

void check(const PassCase& golden) {
  INFO(golden.title << "\n" << golden.pass);
  // What is refused may be what the verifier would refuse.
  Module module = program(golden.before, {.verify = golden.error.empty()});
  const PassErrors errors = run(module, golden.pass);
  if (!golden.error.empty()) {
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().message == golden.error);
    return;
  }
  for (const shardy::Error& error : errors) FAIL_CHECK(error.message);
  const std::string wanted = golden.is_changed ? golden.after : golden.before;
  const std::string text = checked_text(module);
  CHECK(text == shardy::text::to_mlir(program(wanted)));
  if (!golden.is_idempotent) return;
  CHECK(run(module, golden.pass).empty());
  CHECK(shardy::text::to_mlir(module) == text);
}

TEST_CASE("passes make of programs what is written down", "[passes][golden]") {
  const std::vector<PassCase> cases = pass_cases(SHARDY_PASS_GOLDEN);
  REQUIRE(cases.size() >= 40);
  for (const PassCase& golden : cases) {
    DYNAMIC_SECTION(golden.file << ": " << golden.title) { check(golden); }
  }
}

}  // namespace
}  // namespace shardy_test
