#include "ir/reductions.hpp"

#include <array>
#include <cstddef>

#include "shardy/ir/attribute_names.hpp"

namespace shardy::ir {

OpKind reducer_of(ReductionOp reduction) {
  constexpr std::array kReducers = {OpKind::Add, OpKind::Maximum, OpKind::Minimum};
  return kReducers[static_cast<std::size_t>(reduction)];
}

std::optional<ReductionOp> reduction_of(OpKind reducer) {
  for (const ReductionOp each : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
    if (reducer_of(each) == reducer) return each;
  }
  return std::nullopt;
}

bool completes_reduction(OpKind kind) {
  return kind == OpKind::SdyAllReduce || kind == OpKind::SdyReduceScatter;
}

bool allows_missing_input_sharding(OpKind kind) {
  return kind == OpKind::SdyAllSlice || completes_reduction(kind);
}

ReductionOp collective_reduction(const Module& module, OpId collective) {
  const auto* word = module.attribute<EnumAttr>(collective, attr::kReductionOp);
  for (const ReductionOp each : {ReductionOp::Max, ReductionOp::Min}) {
    if (word != nullptr && word->value == to_string(each)) return each;
  }
  return ReductionOp::Sum;
}

AxisList combined_axes(const Module& module, OpId collective) {
  SHARDY_EXPECTS(completes_reduction(module.kind(collective)));
  if (module.is(collective, OpKind::SdyAllReduce)) {
    return module.attribute<AxesAttr>(collective, attr::kReductionAxes)->axes;
  }
  return flatten(module.attribute<AxesListsAttr>(collective, attr::kReduceScatterAxes)->lists);
}

}  // namespace shardy::ir
