// Typed views of multi-device ops: StableHLO collectives, ops of per-device programs, and ops of
// the sdy dialect.
#pragma once

#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/view.hpp>
#include <string_view>
#include <tuple>

namespace shardy::ir {

struct AllGatherOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kAllGatherDim, &AllGatherOp::dim}};
  }
};

struct ReduceScatterOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kScatterDimension, &ReduceScatterOp::dim}};
  }
};

struct AllToAllOp {
  int64_t split_dim = 0;
  int64_t concat_dim = 0;
  int64_t split_count = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kSplitDimension, &AllToAllOp::split_dim},
                      Field{attr::kConcatDimension, &AllToAllOp::concat_dim},
                      Field{attr::kSplitCount, &AllToAllOp::split_count}};
  }
};

struct CollectivePermuteOp {
  const Literal* pairs = nullptr;

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kSourceTargetPairs, &CollectivePermuteOp::pairs, "a dense literal"}};
  }
};

/// View of the spmd collectives with replica groups. Devices are in one replica group if they
/// differ only in their coordinates along `axes`.
struct SpmdGroupOp {
  const AxesAttr* axes = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kAxes, &SpmdGroupOp::axes, "resolved axes"}};
  }
};

/// View of the spmd collectives that gather or scatter along one dim.
struct SpmdDimOp {
  int64_t dim = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kDim, &SpmdDimOp::dim}}; }
};

struct SpmdAllToAllOp {
  int64_t split_dim = 0;
  int64_t concat_dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kSplitDim, &SpmdAllToAllOp::split_dim},
                      Field{attr::kConcatDim, &SpmdAllToAllOp::concat_dim}};
  }
};

struct SpmdPermuteOp {
  const PermuteMap* map = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kMap, &SpmdPermuteOp::map, "a permute map"}};
  }
};

struct SpmdBroadcastFromOp {
  int64_t root = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kRoot, &SpmdBroadcastFromOp::root}};
  }
};

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
