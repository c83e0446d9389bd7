// The factors of an op for tests, and the axes of factors as text.
#pragma once

#include <string>
#include <vector>

#include "passes/export/common_axes.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/propagation/projection.hpp"
#include "support/catch.hpp"

namespace shardy_test {

using namespace shardy;
using passes::FactorAxes;

/// Factors of an op with that rule whose tensors have those shardings, on `mesh`.
inline FactorAxes factors_of(const Mesh& mesh, const std::string& rule_text,
                             const std::vector<std::string>& shardings) {
  const OpShardingRule rule = parse_rule(rule_text).value();
  const propagation::RuleLayout layout(rule);
  propagation::Projection projection;
  projection.reset(layout);
  FactorAxes factors{mesh, rule, {}, {}, {}};
  REQUIRE(shardings.size() == layout.num_tensors());
  for (std::size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    const UnresolvedSharding spelled = parse_sharding("<@m, " + shardings[tensor] + ">").value();
    propagation::project(layout, tensor, resolve(spelled, mesh).value(), projection);
    int64_t size = 1;
    for (const DimMapping& dim : rule.tensor(tensor).dims) {
      for (const int32_t factor : dim) size *= rule.factor_size(factor);
    }
    factors.tensor_sizes.push_back(size);
    factors.lists.emplace_back(layout.num_factors());
    factors.overflow.emplace_back(layout.num_factors());
    const auto entries = layout.tensor_entries(tensor);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      factors.lists.back()[layout.entry_factor(entry)] = projection.entries[entry].axes;
      factors.overflow.back()[layout.entry_factor(entry)] = projection.entries[entry].overflow;
    }
  }
  return factors;
}

/// `i=a,c:(1)2 j=` and so on.
inline std::string text_of(const Mesh& mesh, const std::vector<AxisList>& common) {
  std::string text;
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    if (factor != 0) text += ' ';
    text += static_cast<char>('i' + static_cast<int>(factor));
    text += '=';
    for (const AxisRef& axis : common[factor]) {
      if (text.back() != '=') text += ',';
      text += mesh.axis_name(axis.axis);
      if (mesh.is_full(axis)) continue;
      text += ":(" + std::to_string(axis.pre) + ")" + std::to_string(axis.size);
    }
  }
  return text;
}

}  // namespace shardy_test
