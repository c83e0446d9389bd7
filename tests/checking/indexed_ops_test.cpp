// Ops that pick elements by run-time indices must give the same bits under any sharding of any
// tensor. SHARDY_INDEXED_CASES=all runs all combinations of one dim of size 0 to 9, meshes of 2, 3,
// 4 and 2x2 devices, and shardings of all tensors. With a number, that many cases of each kind are
// drawn at random.
#include <cstdint>

#include "checking/program_check.hpp"

using shardy_test::check_kind;

namespace indexed_ops_test {
namespace {

constexpr const char* kCases = "SHARDY_INDEXED_CASES";

}  // namespace

TEST_CASE("gathers give the same bits under any sharding", "[indexed][gather]") {
  for (int64_t kind = 0; kind < shardy_test::kGatherKinds; ++kind) {
    check_kind(&shardy_test::gather_program, kind, 150, kCases);
  }
}

TEST_CASE("scatters give the same bits under any sharding", "[indexed][scatter]") {
  for (int64_t kind = 0; kind < shardy_test::kScatterKinds; ++kind) {
    check_kind(&shardy_test::scatter_program, kind, 150, kCases);
  }
}

TEST_CASE("dynamic slices and selections give the same bits under any sharding",
          "[indexed][slice]") {
  for (int64_t kind = 0; kind < shardy_test::kSliceKinds; ++kind) {
    check_kind(&shardy_test::slice_program, kind, 150, kCases);
  }
}

}  // namespace indexed_ops_test
