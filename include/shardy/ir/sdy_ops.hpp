// Typed views of ops of the sdy dialect: their attributes, read once.
#pragma once

#include <cstdint>
#include <shardy/ir/view.hpp>
#include <string_view>
#include <tuple>

namespace shardy::ir {

struct PropagationBarrierOp {
  std::string_view direction = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kAllowedDirection, &PropagationBarrierOp::direction,
                            "sdy.propagation_direction"}};
  }
};

struct ShardingGroupOp {
  int64_t id = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kGroupId, &ShardingGroupOp::id}}; }
};

struct ManualComputationOp {
  const ManualAxesAttr* manual_axes = nullptr;
  const ShardingList* out = nullptr;
  const ShardingList* in = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kManualAxes, &ManualComputationOp::manual_axes, "manual axes"},
                      Field{attr::kOutShardings, &ManualComputationOp::out, "resolved shardings"},
                      Field{attr::kInShardings, &ManualComputationOp::in, "resolved shardings"}};
  }
};

}  // namespace shardy::ir
