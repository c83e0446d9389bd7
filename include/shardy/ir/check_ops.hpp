// Typed views of what test programs are made of: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
#include <string>
#include <tuple>

namespace shardy::ir {

struct ExpectCloseOp {
  std::optional<int64_t> min_ulp = {};
  std::optional<int64_t> max_ulp = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kMinUlpDifference, &ExpectCloseOp::min_ulp},
                      Field{attr::kMaxUlpDifference, &ExpectCloseOp::max_ulp}};
  }
};

struct ProbeOp {
  const std::string* probe = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kProbeId, &ProbeOp::probe, "a string"}};
  }
};

struct ExpectSerializedOp {
  const std::string* probe = nullptr;
  int64_t iteration = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kProbeId, &ExpectSerializedOp::probe, "a string"},
                      Field{attr::kIter, &ExpectSerializedOp::iteration}};
  }
};

}  // namespace shardy::ir
