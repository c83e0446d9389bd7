#include <shardy/ir/graph_builder.hpp>

#include "models.hpp"

namespace examples {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Type;
using shardy::ir::ValueId;

namespace {
Type f32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::F32); }
}  // namespace

shardy::Result<shardy::ir::Module> mlp() {
  // [mlp]
  GraphBuilder g;
  g.mesh("mesh", {{"data", 4}, {"model", 2}});
  g.function("main");
  // Priority 0: the batch is propagated first, along "data". Priority 1: the weights follow.
  const ValueId x = g.argument(f32({16, 12}), R"([{"data"}p0, {?}])");
  const ValueId w1 = g.argument(f32({12, 20}), R"([{?}, {"model"}p1])");
  const ValueId b1 = g.argument(f32({20}));
  const ValueId w2 = g.argument(f32({20, 12}));
  const ValueId product = g.dot(x, w1);
  const ValueId z1 = g.add(product, g.broadcast_in_dim(b1, {16, 20}, {1}));
  const ValueId zero = g.splat(f32({16, 20}), 0);
  const ValueId h = g.maximum(z1, zero);
  g.ret({g.dot(h, w2)});
  return g.finish();
  // [mlp]
}

}  // namespace examples
