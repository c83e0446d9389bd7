// The worked examples of rules 8, one row each.
#include <limits>
#include <string>
#include <vector>

#include "rules/rule_text.hpp"
#include "shardy/rules/dot.hpp"
#include "shardy/rules/shape.hpp"
#include "support/catch.hpp"

namespace shardy::rules::makers_test {
namespace {

using Sizes = std::vector<int64_t>;
using Ranks = std::vector<std::size_t>;

TEST_CASE("pointwise rules map every dim to the same dim", "[rules][elementwise]") {
  CHECK(text_of(pointwise_rule(Ranks{3, 3}, Sizes{3, 1, 5})) ==
        "([i, j, k], [i, j, k])->([i, j, k]) {i=3, j=1, k=5}");
  CHECK(text_of(pointwise_rule(Ranks{0, 0}, Sizes{})) == "([], [])->([])");
  CHECK(text_of(pointwise_rule(Ranks{0, 2}, Sizes{4, 6})) == "([], [i, j])->([i, j]) {i=4, j=6}");
  CHECK(text_of(pointwise_rule(Ranks{1, 2}, Sizes{4, 6}, Ranks{2, 2})) ==
        "([i], [i, j])->([i, j], [i, j]) {i=4, j=6}");
  CHECK(text_of(pointwise_rule(Ranks{1, 2}, Sizes{4}, Ranks{1, 2})) ==
        "([i], [i, j])->([i], [i, k]) {i=4, j=1, k=1}");
  CHECK(text_of(pointwise_rule(Ranks{2}, Sizes{0, 6})) == "([i, j])->([i, j]) {i=0, j=6}");
  CHECK(text_of(pointwise_rule(Ranks{2}, Sizes{int64_t{1} << 40, 6})) ==
        "([i, j])->([i, j]) {i=1099511627776, j=6}");
}

TEST_CASE("clamp and select leave scalars unmapped", "[rules][elementwise]") {
  CHECK(text_of(scalar_or_pointwise_rule(Ranks{0, 2, 0}, Sizes{4, 8})) ==
        "([], [i, j], [])->([i, j]) {i=4, j=8}");
  CHECK(text_of(scalar_or_pointwise_rule(Ranks{2, 2, 2}, Sizes{4, 8})) ==
        "([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}");
  CHECK(text_of(scalar_or_pointwise_rule(Ranks{0, 1, 2}, Sizes{4, 8})) ==
        "error: sharding rule: no dim 1 in a tensor of rank 1");
}

TEST_CASE("broadcast factors follow the result dims", "[rules][broadcast]") {
  CHECK(text_of(broadcast_rule(Sizes{1, 5}, Sizes{9, 4, 5}, Sizes{0, 2})) ==
        "([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}");
  CHECK(text_of(broadcast_rule(Sizes{}, Sizes{4, 6}, Sizes{})) == "([])->([i, j]) {i=4, j=6}");
  CHECK(text_of(broadcast_rule(Sizes{1, 6}, Sizes{6, 1}, Sizes{1, 0})) ==
        "([j, i])->([i, j]) {i=6, j=1}");
  CHECK(text_of(broadcast_rule(Sizes{4}, Sizes{4, 6}, Sizes{2})) ==
        "error: broadcast_dimensions has no such dim: 2, rank 2");
  CHECK(text_of(broadcast_rule(Sizes{4}, Sizes{4, 6}, Sizes{0, 1})) ==
        "error: broadcast_dimensions must have one entry per operand dim: 2 != 1");
  CHECK(text_of(broadcast_rule(Sizes{4, 4}, Sizes{4, 6}, Sizes{0, 0})) ==
        "error: broadcast_dimensions repeats dim 0");
}

TEST_CASE("transpose factors follow the result dims", "[rules][transpose]") {
  CHECK(text_of(transpose_rule(Sizes{3, 4, 5}, Sizes{2, 0, 1})) ==
        "([j, k, i])->([i, j, k]) {i=5, j=3, k=4}");
  CHECK(text_of(transpose_rule(Sizes{}, Sizes{})) == "([])->([])");
  CHECK(text_of(transpose_rule(Sizes{3, 4}, Sizes{0})) ==
        "error: permutation must have one entry per dim: 1 != 2");
  CHECK(text_of(transpose_rule(Sizes{3, 4}, Sizes{1, 1})) == "error: permutation repeats dim 1");
  CHECK(text_of(transpose_rule(Sizes{3, 4}, Sizes{-1, 1})) ==
        "error: permutation has no such dim: -1, rank 2");
}

TEST_CASE("reversed dims are permutation factors", "[rules][reverse]") {
  CHECK(text_of(reverse_rule(Sizes{4, 6}, Sizes{1})) ==
        "([i, j])->([i, j]) {i=4, j=6} permutation={j}");
  CHECK(text_of(reverse_rule(Sizes{4, 6}, Sizes{})) == "([i, j])->([i, j]) {i=4, j=6}");
  CHECK(text_of(reverse_rule(Sizes{4, 6}, Sizes{2})) ==
        "error: dimensions has no such dim: 2, rank 2");
}

TEST_CASE("reduced dims are reduction factors", "[rules][reduce]") {
  CHECK(text_of(reduce_rule(Sizes{6, 8, 10}, Sizes{1})) ==
        "([i, j, k], [])->([i, k]) {i=6, j=8, k=10} reduction={j}");
  CHECK(text_of(reduce_rule(Sizes{6, 8}, Sizes{0}, 2)) ==
        "([i, j], [i, j], [], [])->([j], [j]) {i=6, j=8} reduction={i}");
  CHECK(text_of(reduce_rule(Sizes{6, 8}, Sizes{1, 0})) ==
        "([i, j], [])->([]) {i=6, j=8} reduction={i, j}");
  CHECK(text_of(reduce_rule(Sizes{6, 8}, Sizes{0}, 2, InitialValues::None)) ==
        "([i, j], [i, j])->([j], [j]) {i=6, j=8} reduction={i}");
  CHECK(text_of(reduce_rule(Sizes{6, 8}, Sizes{0, 0})) == "error: dimensions repeats dim 0");
}

TEST_CASE("dot_general has batching, free and contracting factors", "[rules][dot]") {
  const auto rule = [](const Sizes& lhs, const Sizes& rhs, const DotDims& dims) {
    return text_of(dot_rule(lhs, rhs, dims));
  };
  CHECK(rule({3, 5, 4}, {6, 3, 4}, {{0}, {1}, {2}, {2}}) ==
        "([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}");
  CHECK(rule({8, 32}, {32, 16}, {.lhs_contracting = {1}, .rhs_contracting = {0}}) ==
        "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}");
  CHECK(rule({7}, {7}, {.lhs_contracting = {0}, .rhs_contracting = {0}}) ==
        "([i], [i])->([]) {i=7} reduction={i}");
  CHECK(rule({7}, {7}, {}) == "([i], [j])->([i, j]) {i=7, j=7}");
  CHECK(rule({7}, {7}, {.lhs_batch = {0}}) == "error: numbers of batching dims must match: 1 != 0");
  CHECK(rule({7}, {7}, {{0}, {0}, {0}, {0}}) ==
        "error: lhs list of batching and contracting dims repeats dim 0");
  CHECK(rule({7}, {7}, {.lhs_contracting = {1}, .rhs_contracting = {0}}) ==
        "error: lhs list of batching and contracting dims has no such dim: 1, rank 1");
  CHECK(rule({4, 5}, {6, 7}, {.lhs_contracting = {1}, .rhs_contracting = {0}}) ==
        "error: contracting dims must have equal sizes: lhs dim 1 has 5, rhs dim 0 has 6");
  CHECK(rule({4, 5}, {3, 7}, {.lhs_batch = {0}, .rhs_batch = {0}}) ==
        "error: batching dims must have equal sizes: lhs dim 0 has 4, rhs dim 0 has 3");
}

TEST_CASE("dot contracts the last dim with the first", "[rules][dot]") {
  CHECK(text_of(plain_dot_rule(Sizes{7}, Sizes{7, 3})) ==
        "([j], [j, i])->([i]) {i=3, j=7} reduction={j}");
  CHECK(text_of(plain_dot_rule(Sizes{8, 32}, Sizes{32, 16})) ==
        "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}");
  CHECK(text_of(plain_dot_rule(Sizes{8, 32}, Sizes{32})) ==
        "([i, j], [j])->([i]) {i=8, j=32} reduction={j}");
  CHECK(text_of(plain_dot_rule(Sizes{7}, Sizes{7})) == "([i], [i])->([]) {i=7} reduction={i}");
  CHECK(text_of(plain_dot_rule(Sizes{}, Sizes{7})) == "error: operands must have rank 1 or 2");
}

TEST_CASE("sliced dims are permutation factors of the operand's size", "[rules][slice]") {
  CHECK(text_of(slice_rule(Sizes{16, 30}, Sizes{8, 30})) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i}");
  CHECK(text_of(slice_rule(Sizes{16, 30}, Sizes{8, 30}, true)) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i} blocked_propagation={i}");
  CHECK(text_of(slice_rule(Sizes{16, 30}, Sizes{16, 30}, true)) ==
        "([i, j])->([i, j]) {i=16, j=30}");
  CHECK(text_of(slice_rule(Sizes{16, 30}, Sizes{16})) ==
        "error: sharding rule: ranks must match: 2 != 1");
}

TEST_CASE("dynamically sliced dims are blocked", "[rules][slice]") {
  CHECK(text_of(dynamic_slice_rule(Sizes{16, 32}, Sizes{16, 4}, 2)) ==
        "([i, j], [], [])->([i, j]) {i=16, j=32} need_replication={j} blocked_propagation={j}");
  CHECK(text_of(dynamic_slice_rule(Sizes{}, Sizes{}, 0)) == "([])->([])");
}

TEST_CASE("an update has a separate factor in dims where it is smaller", "[rules][slice]") {
  CHECK(text_of(dynamic_update_slice_rule(Sizes{16, 32}, Sizes{16, 4}, {.num_starts = 2})) ==
        "([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}");
  CHECK(text_of(dynamic_update_slice_rule(Sizes{16, 32}, Sizes{16, 4},
                                          {.num_starts = 2, .has_constant_starts = true})) ==
        "([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4}");
  CHECK(text_of(dynamic_update_slice_rule(Sizes{16, 32}, Sizes{16}, {.num_starts = 2})) ==
        "error: dynamic_update_slice: ranks must match: 2 != 1");
}

TEST_CASE("the concatenated dim has the size of the result", "[rules][concatenate]") {
  CHECK(text_of(concatenate_rule(Sizes{4, 8}, {.dim = 1, .num_operands = 2})) ==
        "([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}");
  CHECK(
      text_of(concatenate_rule(Sizes{4, 8}, {.dim = 1, .num_operands = 2, .joins_slices = true})) ==
      "([i, j], [i, j])->([i, j]) {i=4, j=8} permutation={j}");
  CHECK(
      text_of(concatenate_rule(Sizes{4, 8}, {.dim = 1, .num_operands = 2, .conservative = true})) ==
      "([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}");
  CHECK(text_of(concatenate_rule(Sizes{4, 8}, {.dim = 2, .num_operands = 2})) ==
        "error: dimension has no such dim: 2, rank 2");
}

TEST_CASE("padded dims are permutation factors of the operand's size", "[rules][pad]") {
  CHECK(text_of(pad_rule(Sizes{16, 30}, Sizes{16, 32})) ==
        "([i, j], [])->([i, j]) {i=16, j=30} permutation={j}");
  CHECK(text_of(pad_rule(Sizes{16, 30}, Sizes{16, 32}, true)) ==
        "([i, j], [])->([i, j]) {i=16, j=30} permutation={j} blocked_propagation={j}");
}

}  // namespace
}  // namespace shardy::rules::makers_test
