#include <shardy/ir/graph_builder.hpp>
#include <utility>
#include <vector>

#include "models.hpp"

namespace examples {

using shardy::ir::DotDims;
using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Type;
using shardy::ir::ValueId;

namespace {

constexpr int64_t kBatch = 4;
constexpr int64_t kSequence = 8;
constexpr int64_t kModel = 16;
constexpr int64_t kHeads = 4;
constexpr int64_t kHead = kModel / kHeads;
constexpr int64_t kHidden = 32;

Type f32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::F32); }

/// One transformer block. The members are the steps of the computation, in order.
class Block {
 public:
  shardy::Result<shardy::ir::Module> build() {
    g.mesh("mesh", {{"batch", 2}, {"model", 4}});
    g.function("main");
    const ValueId x = g.argument(f32({kBatch, kSequence, kModel}), R"([{"batch"}, {}, {}])");
    const ValueId scale1 = g.argument(f32({kModel}));
    const ValueId wq = g.argument(f32({kModel, kModel}), R"([{?}, {"model", ?}])");
    const ValueId wk = g.argument(f32({kModel, kModel}), R"([{?}, {"model", ?}])");
    const ValueId wv = g.argument(f32({kModel, kModel}), R"([{?}, {"model", ?}])");
    const ValueId wo = g.argument(f32({kModel, kModel}));
    const ValueId scale2 = g.argument(f32({kModel}));
    const ValueId w1 = g.argument(f32({kModel, kHidden}), R"([{?}, {"model", ?}])");
    const ValueId w2 = g.argument(f32({kHidden, kModel}));
    const ValueId attended = g.add(x, attention(layer_norm(x, scale1), wq, wk, wv, wo));
    const ValueId hidden = gelu(project(layer_norm(attended, scale2), w1));
    g.ret({g.add(attended, project(hidden, w2))}, {R"([{"batch"}, {}, {}])"});
    return g.finish();
  }

 private:
  /// Normalizes x of shape [B, S, M] over M and multiplies by a scale.
  ValueId layer_norm(ValueId x, ValueId scale) {
    const Type type = g.type(x);
    const GraphBuilder::Dims shape = {kBatch, kSequence, kModel};
    const ValueId count = g.splat(f32({kBatch, kSequence}), kModel);
    const ValueId mean = g.divide(g.reduce_sum(x, {2}), count);
    const ValueId centered = g.subtract(x, g.broadcast_in_dim(mean, shape, {0, 1}));
    const ValueId variance = g.divide(g.reduce_sum(g.multiply(centered, centered), {2}), count);
    const ValueId epsilon = g.splat(f32({kBatch, kSequence}), 1e-5);
    const ValueId inverse = g.rsqrt(g.add(variance, epsilon));
    const ValueId normal = g.multiply(centered, g.broadcast_in_dim(inverse, shape, {0, 1}));
    return g.multiply(normal, g.broadcast_in_dim(scale, shape, {2}));
  }

  /// Multiplies [B, S, K] by [K, N], with the result [B, S, N].
  ValueId project(ValueId x, ValueId w) {
    return g.dot_general(
        x, w, {.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {2}, .rhs_contracting = {0}});
  }

  /// Reshapes [B, S, M] to [B, heads, S, M / heads].
  ValueId split_heads(ValueId x) {
    return g.transpose(g.reshape(x, {kBatch, kSequence, kHeads, kHead}), {0, 2, 1, 3});
  }

  ValueId attention(ValueId x, ValueId wq, ValueId wk, ValueId wv, ValueId wo) {
    const ValueId q = split_heads(project(x, wq));
    const ValueId k = split_heads(project(x, wk));
    const ValueId v = split_heads(project(x, wv));
    const DotDims by_head = {
        .lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {3}, .rhs_contracting = {3}};
    const ValueId weights = softmax(causal(g.dot_general(q, k, by_head)));
    const ValueId mixed = g.dot_general(
        weights, v,
        {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {3}, .rhs_contracting = {2}});
    const ValueId joined = g.reshape(g.transpose(mixed, {0, 2, 1, 3}), {kBatch, kSequence, kModel});
    return project(joined, wo);
  }

  /// Returns scaled scores of shape [B, heads, S, S]. Positions after the query get very small
  /// values.
  ValueId causal(ValueId scores) {
    const GraphBuilder::Dims shape = {kBatch, kHeads, kSequence, kSequence};
    const ValueId scaled = g.multiply(scores, g.splat(f32(shape), 0.5));  // 1 / sqrt(kHead)
    const Type positions = Type::tensor({kSequence, kSequence}, ElementType::I32);
    const ValueId query = g.iota(positions, 0);
    const ValueId seen = g.compare(query, g.iota(positions, 1), "GE");
    const ValueId small = g.splat(f32(shape), -1e9);
    return g.select(g.broadcast_in_dim(seen, shape, {2, 3}), scaled, small);
  }

  /// Softmax over the last dim of [B, heads, S, S].
  ValueId softmax(ValueId x) {
    const GraphBuilder::Dims shape = {kBatch, kHeads, kSequence, kSequence};
    const GraphBuilder::Dims kept = {0, 1, 2};
    const ValueId shifted = g.subtract(x, g.broadcast_in_dim(g.reduce_max(x, {3}), shape, kept));
    const ValueId powers = g.exponential(shifted);
    return g.divide(powers, g.broadcast_in_dim(g.reduce_sum(powers, {3}), shape, kept));
  }

  /// x * sigmoid(1.702 x), over [B, S, hidden].
  ValueId gelu(ValueId x) {
    const ValueId factor = g.splat(f32({kBatch, kSequence, kHidden}), 1.702);
    return g.multiply(x, g.logistic(g.multiply(x, factor)));
  }

  GraphBuilder g;
};

}  // namespace

shardy::Result<shardy::ir::Module> transformer() { return Block().build(); }

}  // namespace examples
