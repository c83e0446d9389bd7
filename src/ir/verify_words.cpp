// Attributes that carry shardings and are spelled wrong: who wrote them wants them to count.
#include <algorithm>
#include <array>
#include <vector>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/closest.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

namespace {

/// That some op, function, argument or result may have beside its own attributes.
constexpr std::array<std::string_view, 16> kKnown = {kShardingAttr,
                                                     kShardingRuleAttr,
                                                     "sdy.sharding_group_id",
                                                     "sdy.sharding_origin_name",
                                                     "sdy.sharding_origins",
                                                     "sdy.propagation_edges",
                                                     "sdy.block_arg_sharding_origins",
                                                     "sdy.block_arg_propagation_edges",
                                                     "sdy.result_sharding_origins",
                                                     "sdy.result_propagation_edges",
                                                     "sdy.func_manual_axes",
                                                     "sdy.original_func_name",
                                                     "mhlo.sharding",
                                                     "mhlo.frontend_attributes",
                                                     "mhlo.num_partitions",
                                                     "mhlo.num_replicas"};

bool is_sharding(const Attribute& value) {
  return value.as<TensorSharding>() || value.as<SpelledSharding>() || value.as<ShardingList>() ||
         value.as<SpelledShardingList>() || value.as<OpShardingRule>();
}

/// A slip of the pen: as long as what was meant, up to two letters.
std::optional<std::string> meant_instead_of(std::string_view name) {
  constexpr std::size_t kMostLetters = 2;
  const std::vector<std::string_view> known(kKnown.begin(), kKnown.end());
  std::optional<std::string> meant = closest(name, known);
  if (!meant ||
      std::max(meant->size(), name.size()) - std::min(meant->size(), name.size()) > kMostLetters) {
    return std::nullopt;
  }
  return meant;
}

}  // namespace

Status expect_known_words(const AttributeMap& attributes) {
  for (const NamedAttribute& entry : attributes) {
    const std::string_view name = entry.name;
    const bool is_ours = name.starts_with("sdy.");
    if (!is_ours && !name.starts_with("mhlo.")) continue;
    if (std::ranges::find(kKnown, name) != kKnown.end()) continue;
    const std::optional<std::string> meant = meant_instead_of(name);
    if (!meant && !(is_ours && is_sharding(entry.value))) continue;
    Error error{"has the attribute '" + entry.name + "', which nothing reads"};
    error.notes.push_back(meant ? "did you mean " + *meant + "?"
                                : "shardings of values are " + std::string(kShardingAttr));
    return tl::unexpected(std::move(error));
  }
  return {};
}

}  // namespace shardy::ir
