#include "transformer_stack.hpp"

#include <shardy/ir/graph_builder.hpp>
#include <utility>
#include <vector>

namespace benchmarks {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Type;
using shardy::ir::ValueId;

namespace {

/// Sizes of dims, which every mesh of the benchmarks divides.
struct Sizes {
  int64_t batch = 1024;
  int64_t sequence = 16;
  int64_t heads = 1024;
  int64_t head = 4;
  int64_t model() const { return heads * head; }
};

Type f32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::F32); }

class Stack {
 public:
  explicit Stack(const StackOptions& options) : options_(options) {}

  shardy::ir::Module build() {
    g.mesh("mesh", {{"batch", options_.batch_devices}, {"model", options_.model_devices}});
    g.function("main");
    const ValueId input =
        g.argument(f32({s.batch, s.sequence, s.model()}), R"([{"batch"}, {}, {}])");
    if (!options_.has_own_weights) shared_ = {new_w_in(), new_w_out(), new_scale()};
    ValueId x = input;
    const shardy::ir::BlockId entry = g.module().entry(*g.module().main_function());
    while (count(entry) < options_.num_ops) x = block(x);
    g.ret({x});
    auto module = g.finish();
    return module ? *std::move(module) : shardy::ir::Module();
  }

 private:
  int64_t count(shardy::ir::BlockId entry) {
    for (auto op = counted_.valid() ? g.module().next(counted_) : g.module().first_op(entry);
         op.valid(); op = g.module().next(op)) {
      counted_ = op;
      ++count_;
    }
    return count_;
  }

  struct Weights {
    ValueId w_in, w_out, scale;
  };

  ValueId new_w_in() { return g.argument(f32({s.model(), s.model()}), R"([{?}, {"model", ?}])"); }
  ValueId new_w_out() { return g.argument(f32({s.model(), s.model()})); }
  ValueId new_scale() { return g.argument(f32({s.model()})); }
  ValueId w_in() { return options_.has_own_weights ? new_w_in() : shared_.w_in; }
  ValueId w_out() { return options_.has_own_weights ? new_w_out() : shared_.w_out; }
  ValueId scale() { return options_.has_own_weights ? new_scale() : shared_.scale; }

  ValueId project(ValueId x, ValueId w) { return g.dot_general(x, w, {{}, {}, {2}, {0}}); }

  ValueId norm(ValueId x) {
    const GraphBuilder::Dims shape = {s.batch, s.sequence, s.model()};
    const ValueId mean = g.reduce_sum(g.multiply(x, x), {2});
    const ValueId inverse = g.rsqrt(g.add(mean, g.splat(f32({s.batch, s.sequence}), 1e-5)));
    return g.multiply(g.multiply(x, g.broadcast_in_dim(inverse, shape, {0, 1})),
                      g.broadcast_in_dim(scale(), shape, {2}));
  }

  ValueId split_heads(ValueId x) {
    return g.transpose(g.reshape(x, {s.batch, s.sequence, s.heads, s.head}), {0, 2, 1, 3});
  }

  ValueId attention(ValueId x) {
    const ValueId q = split_heads(project(x, w_in()));
    const ValueId k = split_heads(project(x, w_in()));
    const ValueId v = split_heads(project(x, w_in()));
    const ValueId scores = g.dot_general(q, k, {{0, 1}, {0, 1}, {3}, {3}});
    const GraphBuilder::Dims shape = {s.batch, s.heads, s.sequence, s.sequence};
    const ValueId top = g.broadcast_in_dim(g.reduce_max(scores, {3}), shape, {0, 1, 2});
    const ValueId powers = g.exponential(g.subtract(scores, top));
    const ValueId sum = g.broadcast_in_dim(g.reduce_sum(powers, {3}), shape, {0, 1, 2});
    const ValueId mixed = g.dot_general(g.divide(powers, sum), v, {{0, 1}, {0, 1}, {3}, {2}});
    return project(g.reshape(g.transpose(mixed, {0, 2, 1, 3}), {s.batch, s.sequence, s.model()}),
                   w_out());
  }

  ValueId block(ValueId x) {
    const ValueId attended = g.add(x, attention(norm(x)));
    const ValueId hidden = g.logistic(project(norm(attended), w_in()));
    return g.add(attended, project(hidden, w_out()));
  }

  StackOptions options_;
  Sizes s;
  GraphBuilder g;
  Weights shared_;
  shardy::ir::OpId counted_;
  int64_t count_ = 0;
};

}  // namespace

shardy::ir::Module transformer_stack(const StackOptions& options) { return Stack(options).build(); }

int64_t num_ops(const shardy::ir::Module& module) {
  int64_t count = 0;
  for (const auto op : module.ops(module.entry(*module.main_function()))) {
    static_cast<void>(op);
    ++count;
  }
  return count;
}

}  // namespace benchmarks
