// Typed views of sorting, random numbers, tuples, calls of others: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/ir/view.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace shardy::ir {

struct SortOp {
  std::optional<int64_t> dim = {};
  bool is_stable = false;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &SortOp::dim},
                      Field{attr::kIsStable, &SortOp::is_stable}};
  }
};

struct MapOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &MapOp::dims}}; }
};

/// Names the op of the unsharded program whose numbers an rng of a per-device program draws; on a
/// call, the call of it.
/// Spec: partitioning 8.20.
inline constexpr std::string_view kDrawAttr = "spmd.draw";

struct RngOp {
  std::string_view distribution = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kRngDistribution, &RngOp::distribution, "stablehlo.rng_distribution"}};
  }
};

struct RngBitGeneratorOp {
  std::string_view algorithm = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kRngAlgorithm, &RngBitGeneratorOp::algorithm, "stablehlo.rng_algorithm"}};
  }
};

struct GetTupleElementOp {
  int64_t index = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kIndex, &GetTupleElementOp::index}};
  }
};

}  // namespace shardy::ir
