// How edges of a manual computation see shardings of the other side.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <string>
#include <utility>

namespace shardy::propagation::detail {

/// How the step of an edge op sees the edge's sharding: through the wall of a manual computation;
/// nothing if there is none. Spec: propagation 8.3.
inline Result<std::optional<ManualView>> edge_view(const ir::Module& module, ir::OpId edge) {
  const ir::ValueOwner owner = module.owner(module.operand(edge, 0));
  const ir::OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  if (!op.valid() || !module.is(op, ir::OpKind::SdyManualComputation)) return std::nullopt;
  const auto* axes = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  if (axes == nullptr || axes->names.empty()) return std::nullopt;
  ManualView view{.kind = ManualView::Kind::Strip, .manual_axes = {}};
  std::optional<TensorSharding> outside = ir::get_sharding(module, module.result(edge));
  if (!owner.is_result()) {
    view.kind = ManualView::Kind::Put;
    const auto* in = module.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
    if (in == nullptr || owner.index >= in->shardings.size()) return fail("expected in_shardings");
    outside = view.outer = in->shardings[owner.index];
  }
  if (!outside) return fail("expected a sharding on an edge of a manual computation");
  for (const std::string& name : axes->names) {
    const std::optional<int32_t> axis = outside->mesh().find_axis(name);
    if (!axis) return fail("unknown manual axis: \"" + name + "\"");
    view.manual_axes.push_back(*axis);
  }
  return std::optional<ManualView>(std::move(view));
}

/// verify_view, in terms of the manual computation whose edge it is.
inline Status verify_edge_view(const ir::Module& module, ir::OpId edge, const ManualView& view,
                               const std::optional<TensorSharding>& sharding) {
  return verify_view(view, sharding).map_error([&](Error error) {
    const ir::ValueOwner owner = module.owner(module.operand(edge, 0));
    const ir::OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
    error.message.insert(0, "'" + std::string(module.name(op)) + "' op " +
                                (owner.is_result() ? "result " : "operand ") +
                                std::to_string(owner.index) + " - ");
    error.location = module.location_text(op);
    error.notes.emplace_back(
        "a dim or `replicated` of each in_sharding and out_sharding names "
        "each manual axis; sdy-manual-axes-cleanup adds what is missing");
    return error;
  });
}

}  // namespace shardy::propagation::detail
