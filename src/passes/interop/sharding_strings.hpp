// Shardings as XLA's text. Spec: interop 2.2, 2.3, 7.1.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

struct ShardingStrings {
  bool with_names = false;             // write axis names
  bool simplifies_replicated = false;  // with names: omit the mesh of replicated shardings

  /// Returns the text of a value's sharding with the manual axes around it, in XLA's normal form.
  /// Errors: features without a text form.
  Result<std::string> of(const TensorSharding& sharding, std::span<const std::string> manual) const;
  /// Returns the text of all results of an op: a tuple unless the op has one result.
  Result<std::string> of(std::span<const TensorSharding> shardings,
                         std::span<const std::string> manual) const;
};

}  // namespace shardy::passes
