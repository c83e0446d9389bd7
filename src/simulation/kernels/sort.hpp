// Comparators of sort that compare one key of the left side with one of the right side.
// Spec: stablehlo 25.1.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "simulation/kernels/lane_function.hpp"

namespace shardy::simulation {

/// `less(p, q) = key(p) < key'(q)`, with keys that are computed for all elements at once. What the
/// comparators of JAX are that sort by one operand: NaNs and zeros made equal first.
class KeyOrder {
 public:
  /// Nullopt: the comparator is none of these.
  static Result<std::optional<KeyOrder>> recognize(const KernelRequest& request);

  /// Keys as numbers that `<` orders like the comparator, up to NaNs that equal nothing.
  template <class T>
  struct Keys {
    std::vector<T> left;
    std::vector<T> right;
  };
  using AnyKeys = std::variant<Keys<uint64_t>, Keys<double>>;
  /// `arguments` are those of the comparator, each with all elements.
  Result<AnyKeys> keys(Tensors arguments, std::span<const Tensor> captured) const;

 private:
  KeyOrder(LaneFunction function, bool descending, bool total)
      : function_(std::move(function)), descending_(descending), total_(total) {}

  LaneFunction function_;
  bool descending_;
  bool total_;  // floats by TOTALORDER
};

}  // namespace shardy::simulation
