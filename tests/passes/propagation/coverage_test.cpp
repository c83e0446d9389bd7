// That the golden files of propagation leave no pass out.
#include <algorithm>
#include <vector>

#include "passes/pass_cases.hpp"
#include "shardy/passes/built_in.hpp"
#include "support/catch.hpp"

namespace shardy_test {
namespace {

TEST_CASE("every propagation pass has at least ten cases", "[passes][propagation]") {
  const std::vector<PassCase> cases = pass_cases(SHARDY_PASS_GOLDEN);
  const shardy::passes::PassRegistry registry = shardy::passes::built_in_passes();
  for (const shardy::passes::Pass& pass : registry.passes()) {
    if (pass.phase != shardy::passes::PassPhase::Propagation) continue;
    CAPTURE(pass.name);
    CHECK(std::ranges::count_if(
              cases, [&](const PassCase& each) { return each.pass.starts_with(pass.name); }) >= 10);
  }
}

}  // namespace
}  // namespace shardy_test
