#include <shardy/ir/graph_builder.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models.hpp"

namespace examples {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Type;
using shardy::ir::ValueId;

namespace {

constexpr int64_t kTokens = 16;   // S, per group
constexpr int64_t kModel = 8;     // M
constexpr int64_t kExperts = 8;   // E
constexpr int64_t kCapacity = 4;  // C = 2 S / E
constexpr int64_t kHidden = 16;   // H

Type f32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::F32); }
Type i32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::I32); }

/// Result of Top2Gating. Shapes: combine [G, S, E, C], loss [].
struct Gating {
  ValueId combine;
  ValueId loss;
};

class Layer {
 public:
  explicit Layer(int64_t replicas) : replicas_(replicas), num_groups_(kExperts * replicas) {}

  shardy::Result<shardy::ir::Module> build() {
    // Replicas of the experts multiply the number of groups.
    const bool has_data = replicas_ > 1;
    if (has_data) {
      g.mesh("mesh", {{"data", replicas_}, {"expert", kExperts}});
    } else {
      g.mesh("mesh", {{"expert", kExperts}});
    }
    g.function("main");
    const ValueId inputs = g.argument(f32({num_groups_, kTokens, kModel}));
    const ValueId wg = g.argument(f32({kModel, kExperts}));
    const ValueId wi = g.argument(f32({kExperts, kModel, kHidden}));
    const ValueId wo = g.argument(f32({kExperts, kHidden, kModel}));
    // [algorithm2]
    // GShard, algorithm 2. Each token belongs to a group. The groups are split over the devices,
    // and so are the experts. A tensor that changes from one split to the other needs an
    // all-to-all, and other tensors do not need one.
    const std::vector<std::string> experts = {"expert"};
    const auto groups = has_data ? std::vector<std::string>{"data", "expert"} : experts;
    const char* const egcm =
        has_data ? R"([{"expert"}, {"data"}, {}, {}])" : R"([{"expert"}, {}, {}, {}])";
    const ValueId tokens = g.split(inputs, 0, groups);  // GSM by G
    const ValueId gates = softmax(einsum_gsm_me(tokens, g.replicate(wg)));
    const Gating gating = top2_gating(gates);
    const ValueId combine = g.split(gating.combine, 0, groups);  // GSEC by G
    const ValueId by_group = g.split(einsum_gsec_gsm(dispatch_mask(combine), tokens), 1, groups);
    const ValueId by_expert = g.shard(by_group, egcm);  // EGCM by E: dispatch
    const ValueId hidden = relu(einsum_egcm_emh(by_expert, g.split(wi, 0, experts)));
    const char* const gecm =
        has_data ? R"([{"data"}, {"expert"}, {}, {}])" : R"([{}, {"expert"}, {}, {}])";
    const ValueId done = g.shard(einsum_egch_ehm(hidden, g.split(wo, 0, experts)), gecm);
    const ValueId returned = g.split(done, 0, groups);  // GECM by G: combine
    const ValueId outputs = g.split(einsum_gsec_gecm(combine, returned), 0, groups);
    g.ret({outputs, gating.loss});
    // [algorithm2]
    return g.finish();
  }

 private:
  // ---- Einsums: the letters are the dims of the operands ----
  ValueId einsum_gsm_me(ValueId x, ValueId w) { return g.dot_general(x, w, {{}, {}, {2}, {0}}); }
  /// GSEC,GSM -> EGCM
  ValueId einsum_gsec_gsm(ValueId mask, ValueId x) {
    return g.transpose(g.dot_general(mask, x, {{0}, {0}, {1}, {1}}), {1, 0, 2, 3});
  }
  /// EGCM,EMH -> EGCH
  ValueId einsum_egcm_emh(ValueId x, ValueId w) {
    return g.dot_general(x, w, {{0}, {0}, {3}, {1}});
  }
  /// EGCH,EHM -> GECM
  ValueId einsum_egch_ehm(ValueId x, ValueId w) {
    return g.transpose(g.dot_general(x, w, {{0}, {0}, {3}, {1}}), {1, 0, 2, 3});
  }
  /// GSEC,GECM -> GSM
  ValueId einsum_gsec_gecm(ValueId combine, ValueId x) {
    return g.dot_general(combine, x, {{0}, {0}, {2, 3}, {1, 2}});
  }
  /// Returns the exclusive running sum over the tokens of [G, S, E], as a dot with a strictly
  /// triangular matrix.
  ValueId running_count(ValueId mask) {
    const Type square = i32({kTokens, kTokens});
    const ValueId earlier = g.iota(square, 0);
    const ValueId before = g.compare(earlier, g.iota(square, 1), "LT");
    const ValueId triangle = g.convert(before, ElementType::F32);
    return g.transpose(g.dot_general(mask, triangle, {{}, {}, {1}, {0}}), {0, 2, 1});
  }

  // ---- Parts of the gating ----
  ValueId softmax(ValueId x) {
    const ValueId top = g.broadcast_in_dim(g.reduce_max(x, {2}), gse(), {0, 1});
    const ValueId powers = g.exponential(g.subtract(x, top));
    return g.divide(powers, g.broadcast_in_dim(g.reduce_sum(powers, {2}), gse(), {0, 1}));
  }
  ValueId relu(ValueId x) {
    return g.maximum(x, g.splat(f32({kExperts, num_groups_, kCapacity, kHidden}), 0));
  }
  /// Returns 1 at the first greatest expert of each token, 0 elsewhere.
  ValueId best_expert(ValueId gates) {
    const ValueId top = g.broadcast_in_dim(g.reduce_max(gates, {2}), gse(), {0, 1});
    const ValueId expert = g.iota(i32(gse()), 2);
    const ValueId is_top = g.compare(gates, top, "EQ");
    const ValueId candidates = g.select(is_top, expert, g.int_splat(i32(gse()), kExperts));
    const ValueId first = g.broadcast_in_dim(g.reduce_min(candidates, {2}), gse(), {0, 1});
    return g.convert(g.compare(expert, first, "EQ"), ElementType::F32);
  }
  /// Keeps the tokens that fit in the capacity of their expert. `position` counts the earlier
  /// tokens of the same expert.
  ValueId within_capacity(ValueId mask, ValueId position) {
    const ValueId room = g.compare(position, g.splat(f32(gse()), kCapacity), "LT");
    return g.multiply(mask, g.convert(room, ElementType::F32));
  }
  /// Converts masks and positions of shape [G, S, E] to slots of shape [G, S, E, C], weighted by
  /// the gate of each token.
  ValueId slots(ValueId mask, ValueId position, ValueId gate) {
    const GraphBuilder::Dims shape = {num_groups_, kTokens, kExperts, kCapacity};
    const ValueId slot = g.convert(g.iota(i32(shape), 3), ElementType::F32);
    const ValueId here = g.compare(slot, g.broadcast_in_dim(position, shape, {0, 1, 2}), "EQ");
    const ValueId weight = g.multiply(mask, g.broadcast_in_dim(gate, gse(), {0, 1}));
    const ValueId slot_mask = g.convert(here, ElementType::F32);
    return g.multiply(slot_mask, g.broadcast_in_dim(weight, shape, {0, 1, 2}));
  }
  ValueId dispatch_mask(ValueId combine) {
    const ValueId zero = g.splat(f32({num_groups_, kTokens, kExperts, kCapacity}), 0);
    return g.convert(g.compare(combine, zero, "GT"), ElementType::F32);
  }
  /// Returns the mean over groups and experts of (share of tokens) * (mean gate), times E * E.
  ValueId auxiliary_loss(ValueId gates, ValueId mask) {
    const ValueId tokens = g.splat(f32({num_groups_, kExperts}), kTokens);
    const ValueId density = g.divide(g.reduce_sum(mask, {1}), tokens);
    const ValueId proxy = g.divide(g.reduce_sum(gates, {1}), tokens);
    const ValueId total = g.reduce_sum(g.multiply(density, proxy), {0, 1});
    return g.multiply(
        total, g.splat(f32({}), static_cast<double>(kExperts) / static_cast<double>(num_groups_)));
  }

  /// GShard, algorithm 1, without its random choice of second experts.
  Gating top2_gating(ValueId gates) {
    const ValueId first = best_expert(gates);
    const ValueId others = g.multiply(gates, g.subtract(g.splat(f32(gse()), 1), first));
    const ValueId second = best_expert(others);
    const ValueId position1 = running_count(first);
    const ValueId mask1 = within_capacity(first, position1);
    const ValueId taken = g.broadcast_in_dim(g.reduce_sum(mask1, {1}), gse(), {0, 2});
    const ValueId position2 = g.add(running_count(second), taken);
    const ValueId mask2 = within_capacity(second, position2);
    const ValueId gate1 = g.reduce_sum(g.multiply(gates, mask1), {2});
    const ValueId gate2 = g.reduce_sum(g.multiply(gates, mask2), {2});
    const ValueId both = g.add(gate1, gate2);
    const ValueId sum = g.add(both, g.splat(f32(gs()), 1e-9));
    const ValueId slots1 = slots(mask1, position1, g.divide(gate1, sum));
    const ValueId slots2 = slots(mask2, position2, g.divide(gate2, sum));
    const ValueId combine = g.add(slots1, slots2);
    return {combine, auxiliary_loss(gates, first)};
  }

  GraphBuilder::Dims gse() const { return {num_groups_, kTokens, kExperts}; }
  GraphBuilder::Dims gs() const { return {num_groups_, kTokens}; }

  int64_t replicas_;
  int64_t num_groups_;  // G
  GraphBuilder g;
};

}  // namespace

shardy::Result<shardy::ir::Module> mixture_of_experts(int64_t replicas) {
  return Layer(replicas).build();
}

}  // namespace examples
