// Compares per-device programs in plain StableHLO with the same programs in spmd ops.
#pragma once

#include <cstdint>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// Returns the program in a form that the seed chooses.
inline shardy::ir::Module in_stablehlo(const shardy::ir::Module& program, uint64_t seed) {
  using namespace shardy;
  ir::Module plain = program;
  const partitioning::StablehloForm form = {.groups = seed % 2 == 0
                                                          ? partitioning::ReplicaGroupsForm::List
                                                          : partitioning::ReplicaGroupsForm::Mesh,
                                            .replica_count = seed % 8 == 7 ? 2 : 1};
  const Diagnostics errors = partitioning::to_stablehlo_form(plain, form);
  INFO(text_of(errors));
  REQUIRE(errors.empty());
  const Diagnostics wrong = ir::verify(plain);
  INFO(text_of(wrong));
  INFO(text::to_mlir(plain));
  REQUIRE(wrong.empty());
  for (const ir::OpId op : ir::pre_order(plain)) REQUIRE_FALSE(ir::is_spmd(plain.kind(op)));
  return plain;
}

/// As plain StableHLO the program gives `want`, whatever padding holds: the same bits, or as close
/// as the tolerance allows.
inline void check_stablehlo_form(const shardy::ir::Module& program,
                                 const shardy::simulation::Tensors& inputs,
                                 const shardy::simulation::Tensors& want, uint64_t seed,
                                 double tolerance = 0) {
  using namespace shardy;
  const ir::Module plain = in_stablehlo(program, seed);
  INFO(text::to_mlir(plain));
  simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.fill = simulation::Fill::Poison;
  const auto result = simulation::run_global(plain, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  if (tolerance == 0) {
    CHECK(result->outputs == want);
    return;
  }
  for (std::size_t index = 0; index < want.size(); ++index) {
    CAPTURE(index);
    CHECK(checking::compare(result->outputs[index], want[index], {tolerance}).mismatches == 0);
  }
}

}  // namespace shardy_test
