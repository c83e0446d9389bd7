// Ops that need all elements of a dim give the same results under any sharding of any tensor;
// normalizations and Fourier transforms of several dims give close ones.
// SHARDY_WHOLE_DIM_CASES=all runs all combinations of one dim of size 0 (or 1) to 9, meshes of 2,
// 3, 4 and 2x2 devices, and shardings of all tensors. With a number, that many cases of each kind
// are drawn at random.
#include <cstdint>

#include "checking/program_check.hpp"
#include "checking/whole_dim_programs.hpp"

using shardy_test::check_kind;

namespace whole_dim_ops_test {
namespace {

constexpr const char* kCases = "SHARDY_WHOLE_DIM_CASES";

}  // namespace

TEST_CASE("reductions with any region give the same bits under any sharding",
          "[whole_dim][reduce]") {
  for (int64_t kind = 0; kind < shardy_test::kReductionKinds; ++kind) {
    check_kind(&shardy_test::reduction_program, kind, 150, kCases);
  }
}

TEST_CASE("top_k gives the same bits under any sharding", "[whole_dim][top_k]") {
  for (int64_t kind = 0; kind < shardy_test::kTopKKinds; ++kind) {
    check_kind(&shardy_test::top_k_program, kind, 300, kCases);
  }
}

TEST_CASE("top_k of merged dims gives the same bits under any sharding", "[whole_dim][top_k]") {
  for (int64_t kind = 0; kind < shardy_test::kMergedTopKKinds; ++kind) {
    check_kind(&shardy_test::merged_top_k_program, kind, 300, kCases);
  }
}

TEST_CASE("normalizations give close results under any sharding", "[whole_dim][batch_norm]") {
  for (int64_t kind = 0; kind < shardy_test::kBatchNormKinds; ++kind) {
    check_kind(&shardy_test::batch_norm_program, kind, 150, kCases);
  }
}

TEST_CASE("sorts give the same bits under any sharding", "[whole_dim][sort]") {
  for (int64_t kind = 0; kind < shardy_test::kSortKinds; ++kind) {
    check_kind(&shardy_test::sort_program, kind, 150, kCases);
  }
}

TEST_CASE("the first and last elements of sorts have the same bits under any sharding",
          "[whole_dim][sort]") {
  for (int64_t kind = 0; kind < shardy_test::kSortedEndKinds; ++kind) {
    check_kind(&shardy_test::sorted_end_program, kind, 150, kCases);
  }
}

TEST_CASE("1-D FFTs give the same bits under any sharding, multi-dim FFTs close results",
          "[whole_dim][fft]") {
  for (int64_t kind = 0; kind < shardy_test::kTransformKinds; ++kind) {
    check_kind(&shardy_test::transform_program, kind, 150, kCases);
  }
}

TEST_CASE("decompositions and solvers give the same bits under any sharding",
          "[whole_dim][solve]") {
  for (int64_t kind = 0; kind < shardy_test::kSolverKinds; ++kind) {
    check_kind(&shardy_test::solver_program, kind, 150, kCases);
  }
}

TEST_CASE("random bits are equal under any sharding", "[whole_dim][random]") {
  for (int64_t kind = 0; kind < shardy_test::kRandomBitsKinds; ++kind) {
    check_kind(&shardy_test::random_bits_program, kind, 200, kCases);
  }
}

TEST_CASE("ragged products give the same bits under any sharding", "[whole_dim][ragged_dot]") {
  for (int64_t kind = 0; kind < shardy_test::kRaggedDotKinds; ++kind) {
    check_kind(&shardy_test::ragged_dot_program, kind, 250, kCases);
  }
}

}  // namespace whole_dim_ops_test
