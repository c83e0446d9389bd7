#include "gshard_model.hpp"

#include <shardy/ir/graph_builder.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tape.hpp"

namespace examples {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Type;
using shardy::ir::ValueId;

namespace {

using Dims = GraphBuilder::Dims;

constexpr double kLearningRate = 0.1;
constexpr double kMomentum = 0.9;
constexpr double kLossWeight = 0.01;  // weight of the auxiliary loss

Type f32(Dims dims) { return Type::tensor(std::move(dims), ElementType::F32); }
Type i32(Dims dims) { return Type::tensor(std::move(dims), ElementType::I32); }

class Step {
 public:
  explicit Step(const GshardSizes& sizes)
      : n(sizes),
        kGs{n.devices, n.tokens},
        kGsm{n.devices, n.tokens, n.model},
        kGse{n.devices, n.tokens, n.devices},
        kGsec{n.devices, n.tokens, n.devices, n.capacity} {}

  shardy::Result<shardy::ir::Module> build() {
    g.mesh("mesh", {{"d", n.devices}});
    g.function("main");
    const ValueId inputs = g.argument(f32(kGsm));
    const ValueId labels = g.argument(f32({n.devices, n.tokens, n.classes}));
    add_parameters();
    ValueId x = t.split(inputs, 0, kDevices);
    x = t.add(x, attention(norm(x)));
    x = t.add(x, dense(norm(x)));
    x = t.add(x, attention(norm(x)));
    x = t.add(x, mixture(norm(x)));
    x = norm(x);
    const ValueId gates = t.softmax(t.einsum("gsm,mv->gsv", x, parameter()));
    const ValueId likely = t.sum(t.multiply(labels, t.log(gates)), {0, 1, 2});
    const auto tokens = static_cast<double>(n.devices * n.tokens);
    const ValueId loss = t.add(t.scale(likely, -1 / tokens), t.scale(auxiliary_, kLossWeight));
    g.ret(updated(loss));
    return g.finish();
  }

 private:
  // ---- Parameters ----
  /// Adds the parameters in the order of the layers.
  void add_parameters() {
    const int64_t d = n.devices;
    const int64_t size = n.model / n.heads;
    const Dims scale = {n.model};
    const Dims heads = {n.model, n.heads, size};
    const Dims joined = {n.heads, size, n.model};
    for (const Dims& shape : {scale, heads, heads, heads, joined,                       // attention
                              scale, Dims{n.model, n.hidden}, Dims{n.hidden, n.model},  // dense
                              scale, heads, heads, heads, joined,                       // attention
                              scale, Dims{n.model, d}, Dims{d, n.model, n.hidden},      // mixture
                              Dims{d, n.hidden, n.model},                               //
                              scale, Dims{n.model, n.classes}}) {                       // readout
      parameters_.push_back(t.variable(g.argument(f32(shape))));
    }
    for (const ValueId parameter : parameters_) momenta_.push_back(g.argument(g.type(parameter)));
  }
  ValueId parameter() { return parameters_[next_++]; }

  /// Returns the loss, the new parameters and the new momenta after a step of gradient descent with
  /// momentum.
  GraphBuilder::Values updated(ValueId loss) {
    const std::vector<ValueId> gradients = t.gradients(loss, parameters_);
    GraphBuilder::Values results = {loss};
    GraphBuilder::Values momenta;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
      const Type type = g.type(parameters_[index]);
      const ValueId kept = g.multiply(momenta_[index], g.splat(type, kMomentum));
      momenta.push_back(g.add(kept, gradients[index]));
      const ValueId step = g.multiply(momenta.back(), g.splat(type, kLearningRate));
      results.push_back(g.subtract(parameters_[index], step));
    }
    results.insert(results.end(), momenta.begin(), momenta.end());
    return results;
  }

  // ---- Layers ----
  /// RMS norm: divides each token by the root of its mean square, then multiplies each element by a
  /// scale.
  ValueId norm(ValueId x) {
    const ValueId mean = t.scale(t.sum(t.multiply(x, x), {2}), 1.0 / static_cast<double>(n.model));
    const ValueId factor = t.spread(t.rsqrt(t.shift(mean, 1e-6)), kGsm, {0, 1});
    return t.multiply(t.multiply(x, factor), t.spread(parameter(), kGsm, {2}));
  }

  /// Causal attention within a group.
  ValueId attention(ValueId x) {
    const ValueId query = t.einsum("gsm,mnk->gsnk", x, parameter());
    const ValueId key = t.einsum("gsm,mnk->gsnk", x, parameter());
    const ValueId value = t.einsum("gsm,mnk->gsnk", x, parameter());
    const ValueId scores = t.einsum("gsnk,gtnk->gnst", query, key);
    const Dims shape = {n.devices, n.heads, n.tokens, n.tokens};
    const ValueId later = g.compare(g.iota(i32(shape), 2), g.iota(i32(shape), 3), "LT");
    const ValueId hidden = g.select(later, g.splat(f32(shape), -1e9), g.splat(f32(shape), 0));
    const ValueId seen = t.einsum("gnst,gtnk->gsnk", t.softmax(t.add(scores, hidden)), value);
    return t.einsum("gsnk,nkm->gsm", seen, parameter());
  }

  ValueId dense(ValueId x) {
    const ValueId hidden = t.relu(t.einsum("gsm,mh->gsh", x, parameter()));
    return t.einsum("gsh,hm->gsm", hidden, parameter());
  }

  /// Algorithm 2 of GShard. Each tensor that is resharded from groups to experts or back needs an
  /// all-to-all, as do the gradients of these tensors.
  ValueId mixture(ValueId x) {
    const ValueId gates = t.softmax(t.einsum("gsm,me->gse", x, parameter()));
    const ValueId combine = t.split(top2_gating(gates), 0, kDevices);
    const ValueId dispatched =
        t.split(t.einsum("gsec,gsm->egcm", dispatch_mask(combine), x), 1, kDevices);
    const ValueId by_expert = t.split(dispatched, 0, kDevices);
    const ValueId in = t.split(parameter(), 0, kDevices);
    const ValueId hidden = t.relu(t.einsum("egcm,emh->egch", by_expert, in));
    const ValueId out = t.split(parameter(), 0, kDevices);
    const ValueId done = t.split(t.einsum("egch,ehm->gecm", hidden, out), 1, kDevices);
    return t.einsum("gsec,gecm->gsm", combine, t.split(done, 0, kDevices));
  }

  // ---- The gating: algorithm 1, without its random choice of second experts ----
  /// Returns 1 at the first greatest expert of each token, 0 elsewhere.
  ValueId best_expert(ValueId gates) {
    const ValueId top = g.broadcast_in_dim(g.reduce_max(gates, {2}), kGse, {0, 1});
    const ValueId expert = g.iota(i32(kGse), 2);
    const ValueId is_top = g.compare(gates, top, "EQ");
    const ValueId candidates = g.select(is_top, expert, g.int_splat(i32(kGse), n.devices));
    const ValueId first = g.broadcast_in_dim(g.reduce_min(candidates, {2}), kGse, {0, 1});
    return g.convert(g.compare(expert, first, "EQ"), ElementType::F32);
  }
  /// Returns the exclusive running sum over the tokens of [G, S, E], as a dot with a strictly
  /// triangular matrix.
  ValueId running_count(ValueId mask) {
    const Type square = i32({n.tokens, n.tokens});
    const ValueId before = g.compare(g.iota(square, 0), g.iota(square, 1), "LT");
    const ValueId triangle = g.convert(before, ElementType::F32);
    return g.transpose(g.dot_general(mask, triangle, {{}, {}, {1}, {0}}), {0, 2, 1});
  }
  /// Keeps the tokens that fit in the capacity of their expert. `position` counts the earlier
  /// tokens of the same expert.
  ValueId within_capacity(ValueId mask, ValueId position) {
    const ValueId limit = g.splat(f32(kGse), static_cast<double>(n.capacity));
    return g.multiply(mask, g.convert(g.compare(position, limit, "LT"), ElementType::F32));
  }
  /// Converts masks and positions of shape [G, S, E] to slots of shape [G, S, E, C], weighted by
  /// the gate of each token.
  ValueId slots(ValueId mask, ValueId position, ValueId gate) {
    const ValueId slot = g.convert(g.iota(i32(kGsec), 3), ElementType::F32);
    const ValueId here = g.compare(slot, g.broadcast_in_dim(position, kGsec, {0, 1, 2}), "EQ");
    const ValueId weight = t.multiply(mask, t.spread(gate, kGse, {0, 1}));
    return t.multiply(g.convert(here, ElementType::F32), t.spread(weight, kGsec, {0, 1, 2}));
  }
  ValueId dispatch_mask(ValueId combine) {
    return g.convert(g.compare(combine, g.splat(f32(kGsec), 0), "GT"), ElementType::F32);
  }
  /// Returns the mean over groups and experts of (share of tokens) * (mean gate), times E * E.
  ValueId auxiliary_loss(ValueId gates, ValueId mask) {
    const double share = 1.0 / static_cast<double>(n.tokens);
    const ValueId density = g.reduce_sum(mask, {1});
    const ValueId both = t.multiply(density, t.sum(gates, {1}));
    return t.scale(t.sum(both, {0, 1}), share * share);  // E * E / (G * E) is 1
  }
  /// Returns the gating, of shape [G, S, E, C]. The choice of experts has no gradient, but the
  /// gates have one.
  ValueId top2_gating(ValueId gates) {
    const ValueId first = best_expert(gates);
    const ValueId others = g.multiply(gates, g.subtract(g.splat(f32(kGse), 1), first));
    const ValueId second = best_expert(others);
    const ValueId position1 = running_count(first);
    const ValueId mask1 = within_capacity(first, position1);
    const ValueId taken = g.broadcast_in_dim(g.reduce_sum(mask1, {1}), kGse, {0, 2});
    const ValueId position2 = g.add(running_count(second), taken);
    const ValueId mask2 = within_capacity(second, position2);
    const ValueId gate1 = t.sum(t.multiply(gates, mask1), {2});
    const ValueId gate2 = t.sum(t.multiply(gates, mask2), {2});
    const ValueId sum = t.shift(t.add(gate1, gate2), 1e-9);
    auxiliary_ = auxiliary_loss(gates, first);
    return t.add(slots(mask1, position1, t.divide(gate1, sum)),
                 slots(mask2, position2, t.divide(gate2, sum)));
  }

  GshardSizes n;
  Dims kGs, kGsm, kGse, kGsec;
  const std::vector<std::string> kDevices = {"d"};
  GraphBuilder g;
  Tape t{g};
  std::vector<ValueId> parameters_;
  std::vector<ValueId> momenta_;
  std::size_t next_ = 0;
  ValueId auxiliary_;
};

}  // namespace

shardy::Result<shardy::ir::Module> gshard_step(const GshardSizes& sizes) {
  return Step(sizes).build();
}

GshardTraffic expected_traffic(const GshardSizes& sizes) {
  constexpr int64_t kBytes = 4;
  const int64_t others = sizes.devices - 1;
  const int64_t square = sizes.model * sizes.model;
  const int64_t replicated = 5 * sizes.model + 8 * square + 2 * sizes.model * sizes.hidden +
                             sizes.model * sizes.devices + sizes.model * sizes.classes;
  const int64_t slots = sizes.capacity * sizes.model;  // slots of one group at one expert
  return {4 * others * slots * kBytes, 2 * others * replicated * kBytes / sizes.devices};
}

}  // namespace examples
