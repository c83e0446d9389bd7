// The worked examples of rules 8 for windows, gathers, solvers and collectives, one row each, but
// for those that library_ops_test.cpp asks the registry for.
#include <string>
#include <vector>

#include "rules/rule_text.hpp"
#include "shardy/rules/dot.hpp"
#include "shardy/rules/gather.hpp"
#include "shardy/rules/linear.hpp"
#include "shardy/rules/shape.hpp"
#include "support/catch.hpp"

namespace shardy::rules::library_makers_test {
namespace {

using Sizes = std::vector<int64_t>;

TEST_CASE("rules of collectives that resize a dim have separate factors for both sizes",
          "[rules][collective]") {
  CHECK(text_of(resized_dim_rule(Sizes{4, 6}, Sizes{8, 6}, 0, 2)) ==
        "([j, i], [j, i])->([k, i], [k, i]) {i=6, j=4, k=8} need_replication={j, k}");
  CHECK(text_of(resized_dim_rule(Sizes{4, 6}, Sizes{4, 24}, 2)) ==
        "error: dimension has no such dim: 2, rank 2");
  CHECK(text_of(resized_dim_rule(Sizes{4, 6}, Sizes{4}, 1)) ==
        "error: operands and results must have one rank");
}

TEST_CASE("all_to_all splits one dim and concatenates another", "[rules][collective]") {
  CHECK(text_of(all_to_all_rule(Sizes{4, 6}, Sizes{4, 6}, {.split_dim = 1, .concat_dim = 1})) ==
        "([i, j])->([i, k]) {i=4, j=6, k=6} need_replication={j, k}");
  CHECK(text_of(all_to_all_rule(Sizes{4, 6}, Sizes{4, 6}, {.split_dim = 1, .concat_dim = 3})) ==
        "error: concat_dimension has no such dim: 3, rank 2");
}

TEST_CASE("batch normalization shares the features", "[rules][batch_norm]") {
  CHECK(text_of(batch_norm_inference_rule(Sizes{4, 8, 3}, 0)) ==
        "([i, j, k], [i], [i], [i], [i])->([i, j, k]) {i=4, j=8, k=3}");
  CHECK(text_of(batch_norm_inference_rule(Sizes{4, 8}, 2)) ==
        "error: feature_index has no such dim: 2, rank 2");
}

TEST_CASE("the dim for the bits of a bit-cast element is replicated", "[rules][bitcast]") {
  CHECK(text_of(bitcast_rule(Sizes{4, 6, 2}, Sizes{4, 6})) ==
        "([i, j, k])->([i, j]) {i=4, j=6, k=2} need_replication={k}");
  CHECK(text_of(bitcast_rule(Sizes{4, 6}, Sizes{4, 6})) == "([i, j])->([i, j]) {i=4, j=6}");
  CHECK(text_of(bitcast_rule(Sizes{}, Sizes{2})) == "([])->([i]) {i=2} need_replication={i}");
  CHECK(text_of(bitcast_rule(Sizes{4, 6, 2}, Sizes{4})) == "error: ranks must differ by at most 1");
}

/// Layout b, w, f of input and output; w, i, o of the kernel.
ir::ConvolutionDims width_dims() {
  return {.input_batch = 0,
          .input_feature = 2,
          .input_spatial = {1},
          .kernel_input_feature = 1,
          .kernel_output_feature = 2,
          .kernel_spatial = {0},
          .output_batch = 0,
          .output_feature = 2,
          .output_spatial = {1}};
}

TEST_CASE("convolution windows have permutation and reduction factors", "[rules][convolution]") {
  const ir::ConvolutionDims plain = width_dims();
  CHECK(text_of(convolution_rule(Sizes{4, 60, 6}, Sizes{5, 6, 10}, Sizes{4, 12, 10}, plain)) ==
        "([i, jk, l], [k, l, m])->([i, j, m]) {i=4, j=12, k=5, l=6, m=10} reduction={k, l} "
        "permutation={j}");
  CHECK(text_of(convolution_rule(Sizes{4, 16, 6}, Sizes{12, 6, 10}, Sizes{4, 5, 10}, plain)) ==
        "([i, j, k], [j, k, l])->([i, m, l]) {i=4, j=12, k=6, l=10, m=1} reduction={j, k}");
}

TEST_CASE("groups of a convolution have a factor", "[rules][convolution]") {
  const ir::ConvolutionDims dims = width_dims();
  // One element per group: the size-1 batch factor is left out of the dim that the group has.
  CHECK(text_of(convolution_rule(Sizes{3, 16, 6}, Sizes{5, 6, 9}, Sizes{1, 12, 9}, dims,
                                 {.batch = 3})) ==
        "([i, k, l], [n, l, im])->([j, k, im]) {i=3, j=1, k=12, l=6, m=3, n=1} reduction={l} "
        "permutation={k}");
  CHECK(text_of(convolution_rule(Sizes{12, 16, 6}, Sizes{5, 6, 9}, Sizes{4, 12, 9}, dims,
                                 {.batch = 3, .feature = 2})) ==
        "error: batch_group_count and feature_group_count must not both be greater than 1");
  ir::ConvolutionDims wrong = width_dims();
  wrong.output_feature = 1;
  CHECK(text_of(convolution_rule(Sizes{4, 16, 6}, Sizes{5, 6, 10}, Sizes{4, 12, 10}, wrong)) ==
        "error: output dimension numbers repeats dim 1");
}

TEST_CASE("transformed dims are need-replication factors", "[rules][fft]") {
  CHECK(text_of(fft_rule(Sizes{3, 10, 12}, Sizes{3, 10, 12}, 1)) ==
        "([i, j, k])->([i, j, k]) {i=3, j=10, k=12} need_replication={k}");
  CHECK(text_of(fft_rule(Sizes{3}, Sizes{3}, 2)) ==
        "error: fft_length must name dims of the operand and of the result");
}

TEST_CASE("gathered rows have a reduction factor over the table", "[rules][gather]") {
  CHECK(text_of(gather_rule(
            Sizes{1000, 64}, Sizes{8, 32}, Sizes{8, 32, 64},
            {.offset_dims = {2}, .collapsed_slice_dims = {0}, .index_vector_dim = 2})) ==
        "([l, k], [i, j])->([i, j, k]) {i=8, j=32, k=64, l=1000} reduction={l}");
  CHECK(text_of(gather_rule(Sizes{100, 64}, Sizes{8, 2}, Sizes{8, 5, 1},
                            {.offset_dims = {1, 2}, .index_vector_dim = 1})) ==
        "([j, k], [i, m])->([i, j, l]) {i=8, j=100, k=64, l=1, m=2} reduction={k} "
        "need_replication={j, l, m} blocked_propagation={j}");
  CHECK(text_of(gather_rule(Sizes{6, 100, 64}, Sizes{6, 9, 1}, Sizes{6, 9, 64},
                            {.offset_dims = {2},
                             .collapsed_slice_dims = {1},
                             .operand_batching_dims = {0},
                             .start_indices_batching_dims = {0},
                             .index_vector_dim = 2})) ==
        "([i, l, k], [i, j, m])->([i, j, k]) {i=6, j=9, k=64, l=100, m=1} reduction={l} "
        "need_replication={m}");
}

TEST_CASE("the index vector may be any dim, and batching dims may have any order",
          "[rules][gather]") {
  // Index vectors along dim 0 of the indices.
  CHECK(text_of(gather_rule(
            Sizes{100, 64}, Sizes{1, 8, 9}, Sizes{8, 9, 64},
            {.offset_dims = {2}, .collapsed_slice_dims = {0}, .index_vector_dim = 0})) ==
        "([l, k], [m, i, j])->([i, j, k]) {i=8, j=9, k=64, l=100, m=1} reduction={l} "
        "need_replication={m}");
  // And along dim 1.
  CHECK(text_of(gather_rule(
            Sizes{100, 64}, Sizes{8, 1, 9}, Sizes{8, 9, 64},
            {.offset_dims = {2}, .collapsed_slice_dims = {0}, .index_vector_dim = 1})) ==
        "([l, k], [i, m, j])->([i, j, k]) {i=8, j=9, k=64, l=100, m=1} reduction={l} "
        "need_replication={m}");
  // Input dims 0 and 1 belong to indices dims 1 and 0.
  CHECK(text_of(gather_rule(Sizes{6, 9, 64}, Sizes{9, 6, 1}, Sizes{9, 6, 1},
                            {.offset_dims = {2},
                             .operand_batching_dims = {0, 1},
                             .start_indices_batching_dims = {1, 0},
                             .index_vector_dim = 2})) ==
        "([j, i, k], [i, j, m])->([i, j, l]) {i=9, j=6, k=64, l=1, m=1} reduction={k} "
        "need_replication={l, m}");
  // A collapsed dim of size 1 has nothing to sum.
  CHECK(text_of(gather_rule(
            Sizes{1, 64}, Sizes{8, 1}, Sizes{8, 64},
            {.offset_dims = {1}, .collapsed_slice_dims = {0}, .index_vector_dim = 1})) ==
        "([k, j], [i, l])->([i, j]) {i=8, j=64, k=1, l=1} need_replication={k, l}");
}

TEST_CASE("gathers whose dims do not fit are errors", "[rules][gather]") {
  CHECK(text_of(gather_rule(Sizes{6}, Sizes{8, 1}, Sizes{8, 6},
                            {.offset_dims = {0, 1}, .index_vector_dim = 1})) ==
        "error: more window dims than dims of the input");
  CHECK(text_of(gather_rule(Sizes{6}, Sizes{8, 1}, Sizes{8},
                            {.operand_batching_dims = {0}, .index_vector_dim = 1})) ==
        "error: batching dims of the input and of the indices must be as many");
  CHECK(text_of(gather_rule(Sizes{6}, Sizes{8, 1}, Sizes{8, 1},
                            {.collapsed_slice_dims = {0}, .index_vector_dim = 1})) ==
        "error: sharding rule: no dim 2 in a tensor of rank 2");
}

TEST_CASE("scatters have a reduction factor if their body reduces", "[rules][scatter]") {
  const ir::ScatterDims rows{
      .update_window_dims = {2}, .inserted_window_dims = {0}, .index_vector_dim = 2};
  const Sizes table{1000, 64}, indices{8, 32, 1}, updates{8, 32, 64};
  CHECK(text_of(scatter_rule(table, indices, updates, rows, {.is_reduction = true})) ==
        "([l, k], [i, j, m], [i, j, k])->([l, k]) {i=8, j=32, k=64, l=1000, m=1} "
        "reduction={i, j} need_replication={m}");
  CHECK(text_of(scatter_rule(table, indices, updates, rows, {.is_reduction = false})) ==
        "([l, k], [i, j, m], [i, j, k])->([l, k]) {i=8, j=32, k=64, l=1000, m=1} "
        "need_replication={i, j, m}");
  CHECK(text_of(
            scatter_rule(table, indices, updates, rows, {.num_inputs = 2, .is_reduction = true})) ==
        "([l, k], [l, k], [i, j, m], [i, j, k], [i, j, k])->([l, k], [l, k]) {i=8, j=32, k=64, "
        "l=1000, m=1} reduction={i, j} need_replication={m}");
  CHECK(text_of(scatter_rule(Sizes{6, 100, 64}, Sizes{6, 9, 1}, Sizes{6, 9, 64},
                             {.update_window_dims = {2},
                              .inserted_window_dims = {1},
                              .input_batching_dims = {0},
                              .scatter_indices_batching_dims = {0},
                              .index_vector_dim = 2},
                             {.is_reduction = true})) ==
        "([i, l, k], [i, j, m], [i, j, k])->([i, l, k]) {i=6, j=9, k=64, l=100, m=1} "
        "reduction={j} need_replication={m}");
  // A window smaller than the input has a factor of its own.
  CHECK(text_of(scatter_rule(
            Sizes{100, 64}, Sizes{8, 1}, Sizes{8, 16},
            {.update_window_dims = {1}, .inserted_window_dims = {0}, .index_vector_dim = 1},
            {.is_reduction = true})) ==
        "([l, j], [i, m], [i, k])->([l, j]) {i=8, j=64, k=16, l=100, m=1} reduction={i} "
        "need_replication={j, k, m}");
  CHECK(text_of(scatter_rule(table, indices, updates, rows, {.num_inputs = 0})) ==
        "error: expected at least one input");
}

TEST_CASE("decompositions replicate the dims of the matrix", "[rules][linear]") {
  CHECK(text_of(cholesky_rule(Sizes{4})) ==
        "error: operands must be matrices of one rank, got rank 1");
  CHECK(text_of(eigh_rule(Sizes{8, 4, 4})) == "([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}");
  CHECK(text_of(qr_rule(Sizes{6, 5, 3}, Sizes{6, 3})) ==
        "([i, j, k])->([i, j, k], [i, l]) {i=6, j=5, k=3, l=3} need_replication={j, k, l}");
  CHECK(text_of(householder_product_rule(Sizes{6, 5, 3}, Sizes{6, 2})) ==
        "([i, j, k], [i, l])->([i, j, k]) {i=6, j=5, k=3, l=2} need_replication={j, k, l}");
}

TEST_CASE("triangular_solve depends on its side and transpose", "[rules][linear]") {
  const std::string replicated = " need_replication={j, k, l}";
  const Sizes a{6, 4, 4};
  const auto rule = [&](bool transposes_a) {
    return text_of(triangular_solve_rule(a, Sizes{6, 7, 4},
                                         {.left_side = false, .transposes_a = transposes_a}));
  };
  CHECK(rule(false) == "([i, l, k], [i, j, k])->([i, j, l]) {i=6, j=7, k=4, l=4}" + replicated);
  CHECK(rule(true) == "([i, k, l], [i, j, k])->([i, j, l]) {i=6, j=7, k=4, l=4}" + replicated);
  CHECK(text_of(triangular_solve_rule(a, Sizes{4, 7}, {.left_side = true})) ==
        "error: operands must be matrices of one rank, got rank 3");
}

TEST_CASE("a sorted dim is blocked if no other dim can take its axes", "[rules][sort]") {
  CHECK(text_of(sort_rule(Sizes{4, 8}, 1)) == "([i, j])->([i, j]) {i=4, j=8} need_replication={j}");
  CHECK(text_of(sort_rule(Sizes{4, 8}, 0, 2)) ==
        "([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={i}");
  CHECK(text_of(sort_rule(Sizes{8}, 0)) ==
        "([i])->([i]) {i=8} need_replication={i} blocked_propagation={i}");
  CHECK(text_of(sort_rule(Sizes{1, 8, 1}, 1)) ==
        "([i, j, k])->([i, j, k]) {i=1, j=8, k=1} need_replication={j} blocked_propagation={j}");
  CHECK(text_of(sort_rule(Sizes{8}, 1)) == "error: dimension has no such dim: 1, rank 1");
}

TEST_CASE("top_k blocks its dim", "[rules][sort]") {
  CHECK(text_of(top_k_rule(Sizes{6, 20}, Sizes{6, 3})) ==
        "([i, j])->([i, j], [i, j]) {i=6, j=20} need_replication={j} blocked_propagation={j}");
  CHECK(text_of(approx_top_k_rule(Sizes{6, 20}, Sizes{6, 3})) ==
        "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=6, j=20, k=3} need_replication={k} "
        "blocked_propagation={k}");
  CHECK(text_of(approx_top_k_rule(Sizes{6, 20}, Sizes{6})) ==
        "error: sharding rule: ranks must match: 2 != 1");
}

TEST_CASE("windows of more than one element are permutation factors", "[rules][window]") {
  const std::vector<ir::WindowDim> halving = {{.size = 2, .stride = 2}, {}};
  CHECK(text_of(reduce_window_rule(Sizes{16, 6}, halving)) ==
        "([i, j], [])->([i, j]) {i=16, j=6} permutation={i}");
  CHECK(text_of(reduce_window_rule(Sizes{16, 6}, halving, 1, true)) ==
        "([i, j], [])->([i, j]) {i=16, j=6} permutation={i} blocked_propagation={i}");
  CHECK(text_of(reduce_window_rule(Sizes{16, 6}, {{.low = 1}, {.high = 1}}, 2)) ==
        "([i, j], [i, j], [], [])->([i, j], [i, j]) {i=16, j=6} permutation={i, j}");
  CHECK(text_of(reduce_window_rule(Sizes{16, 6}, {{}})) ==
        "error: window must have one entry per dim: 1 != 2");
  CHECK(text_of(select_and_scatter_rule(Sizes{16, 8}, Sizes{8, 8}, halving)) ==
        "([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j}");
  CHECK(text_of(select_and_scatter_rule(Sizes{16, 8}, Sizes{8, 8}, halving, true)) ==
        "([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j} "
        "blocked_propagation={i, j}");
}

}  // namespace
}  // namespace shardy::rules::library_makers_test
