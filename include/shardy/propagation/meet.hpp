// The shardings with which one op can run if its tensors have incompatible shardings.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// Order in which tensors offer axes for a factor. The first offer that fits is accepted.
enum class MeetPolicy : uint8_t {
  MostShards,     // the offer with the most shards first; equal offers in tensor order
  OperandsFirst,  // operands in order, then results
  ResultsFirst,   // results in order, then operands
};

/// Compatible shardings for the tensors of an op. All dims are closed.
struct CommonShardings {
  std::vector<AxisList> factors;         // axes along which the op is sharded, one list per factor
  std::vector<TensorSharding> operands;  // reshard the operands to these before the op
  /// Shardings of the results after the op. Results are partial along `partial`: reduce them, then
  /// reshard them to the wanted shardings.
  std::vector<TensorSharding> results;
  AxisList partial;  // axes of the reduction factors, in mesh order
  /// Per tensor, operands first: true if the sharding differs from the given sharding.
  std::vector<bool> is_resharded;
};

/// Chooses axes for each factor of the rule, and returns the resulting shardings. Tensors offer
/// axes in the order of `policy`; an axis goes to the first factor that accepts it. Factors that
/// need replication, permutation factors and blocked factors get no axes. A factor that shares a
/// dim with other factors gets only axes that divide the factor. Operands are never partial.
/// `results` has the wanted shardings of the results; empty: no preference.
///
/// Example: of `i k, k j -> i j` with `[{"x"}, {"y"}]` and `[{"y"}, {}]`, `i` has "x", `k` has "y",
/// and the result `[{"x"}, {}]` is partial along "y".
/// Errors: other numbers of shardings or ranks than the rule has; shardings on several meshes.
/// Cost: linear in tensors, factors and axes.
Result<CommonShardings> meet(const OpShardingRule& rule, std::span<const TensorSharding> operands,
                             std::span<const TensorSharding> results = {},
                             MeetPolicy policy = MeetPolicy::MostShards);
/// Returns the common shardings of operands of which some have no sharding, as after a propagation:
/// these are unsharded. Errors: those above; no operand has a sharding.
Result<CommonShardings> meet(const OpShardingRule& rule,
                             std::span<const std::optional<TensorSharding>> operands,
                             std::span<const TensorSharding> results = {},
                             MeetPolicy policy = MeetPolicy::MostShards);

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <shardy/propagation/projection.hpp>
#include <string>
#include <utility>

namespace shardy::propagation::detail {

/// Axes that one tensor offers for a factor.
struct AxisOffer {
  AxisList axes;
  std::size_t factor = 0;
  std::size_t tensor = 0;
};

/// A chooser of the axes of each factor, from offers in order.
class CommonAxesChooser {
 public:
  CommonAxesChooser(const OpShardingRule& rule, std::span<const TensorSharding> given)
      : layout_(rule), given_(given) {}

  std::vector<AxisList> choose(MeetPolicy policy);
  TensorSharding sharding_of(std::size_t tensor, std::span<const AxisList> factors,
                             const AxisList& partial) const;

 private:
  bool can_shard(std::size_t factor) const;
  /// Returns whether no dim has another factor besides `factor`. The dims of such a factor may be
  /// padded.
  bool is_alone(std::size_t factor) const;
  std::vector<AxisOffer> offers(MeetPolicy policy) const;
  void take(const AxisOffer& offer, std::vector<AxisList>& factors) const;
  bool drop_split_minors(std::vector<AxisList>& factors) const;
  const TensorSharding& reference(std::size_t tensor) const {
    return tensor < given_.size() ? given_[tensor] : given_.front();
  }

  FlatRule layout_;
  std::span<const TensorSharding> given_;
};

SHARDY_INLINE bool CommonAxesChooser::can_shard(std::size_t factor) const {
  const FactorKind kind = layout_.factor_kind(factor);
  return (kind == FactorKind::PassThrough || kind == FactorKind::Reduction) &&
         !layout_.is_blocked(factor);
}

SHARDY_INLINE bool CommonAxesChooser::is_alone(std::size_t factor) const {
  for (std::size_t tensor = 0; tensor < layout_.num_tensors(); ++tensor) {
    for (std::size_t dim = 0; dim < layout_.rank(tensor); ++dim) {
      const EntryRange entries = layout_.dim_entries(tensor, dim);
      if (entries.end - entries.begin < 2) continue;
      for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
        if (layout_.entry_factor(entry) == factor) return false;
      }
    }
  }
  return true;
}

SHARDY_INLINE std::vector<AxisOffer> CommonAxesChooser::offers(MeetPolicy policy) const {
  Projection projection;
  projection.reset(layout_);
  for (std::size_t tensor = 0; tensor < given_.size(); ++tensor) {
    project(layout_, tensor, given_[tensor], projection);
  }
  std::vector<AxisOffer> offers;
  for (std::size_t entry = 0; entry < layout_.num_entries(); ++entry) {
    const FactorSharding& have = projection.entries[entry];
    const std::size_t tensor = layout_.entry_tensor(entry);
    if (tensor >= given_.size() || !have.is_mapped || have.axes.empty()) continue;
    if (!can_shard(layout_.entry_factor(entry))) continue;
    offers.push_back({have.axes, layout_.entry_factor(entry), tensor});
  }
  if (policy == MeetPolicy::MostShards) {
    std::ranges::stable_sort(offers, [](const AxisOffer& a, const AxisOffer& b) {
      return sharding_size(a.axes) > sharding_size(b.axes);
    });
  } else if (policy == MeetPolicy::ResultsFirst) {
    const auto is_result = [&](const AxisOffer& offer) {
      return offer.tensor >= layout_.num_operands();
    };
    std::stable_partition(offers.begin(), offers.end(), is_result);
  }
  return offers;
}

/// Gives the offered axes to the factor, up to the first axis that another factor has or that the
/// factor cannot accept.
SHARDY_INLINE void CommonAxesChooser::take(const AxisOffer& offer,
                                           std::vector<AxisList>& factors) const {
  AxisList& taken = factors[offer.factor];
  if (!taken.empty()) return;
  const bool may_pad = is_alone(offer.factor);
  const int64_t size = layout_.factor_size(offer.factor);
  int64_t shards = 1;
  for (const AxisRef& axis : offer.axes) {
    const bool is_used = std::ranges::any_of(factors, [&](const AxisList& other) {
      return std::ranges::any_of(other, [&](const AxisRef& ref) {
        return overlaps(ref, axis) || !can_coexist(ref, axis);
      });
    });
    shards *= axis.size;
    const bool fits = may_pad || (size > 0 && size % shards == 0);
    if (is_used || !fits) return;
    taken.push_back(axis);
  }
}

/// Finds a factor with axes that is minor, in some dim, to a factor that is not fully sharded, and
/// removes its axes. Returns false if no such factor exists.
SHARDY_INLINE bool CommonAxesChooser::drop_split_minors(std::vector<AxisList>& factors) const {
  for (std::size_t tensor = 0; tensor < layout_.num_tensors(); ++tensor) {
    for (std::size_t dim = 0; dim < layout_.rank(tensor); ++dim) {
      const EntryRange entries = layout_.dim_entries(tensor, dim);
      for (std::size_t entry = entries.begin; entry + 1 < entries.end; ++entry) {
        const std::size_t major = layout_.entry_factor(entry);
        AxisList& minor = factors[layout_.entry_factor(entry + 1)];
        const bool is_full = sharding_size(factors[major]) == layout_.factor_size(major);
        if (is_full || minor.empty()) continue;
        minor.clear();
        return true;
      }
    }
  }
  return false;
}

SHARDY_INLINE std::vector<AxisList> CommonAxesChooser::choose(MeetPolicy policy) {
  std::vector<AxisList> factors(layout_.num_factors());
  for (const AxisOffer& offer : offers(policy)) take(offer, factors);
  while (drop_split_minors(factors)) continue;
  return factors;
}

SHARDY_INLINE TensorSharding CommonAxesChooser::sharding_of(std::size_t tensor,
                                                            std::span<const AxisList> factors,
                                                            const AxisList& partial) const {
  std::vector<DimSharding> dims(layout_.rank(tensor), DimSharding{.axes = {}, .is_closed = true});
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const EntryRange entries = layout_.dim_entries(tensor, dim);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      for (const AxisRef& axis : factors[layout_.entry_factor(entry)]) {
        append_merged(dims[dim].axes, 0, axis);
      }
    }
  }
  const TensorSharding& like = reference(tensor);
  auto sharding = TensorSharding::make(like.mesh(), like.mesh_name(), std::move(dims), {}, partial);
  SHARDY_ASSERT(sharding.has_value());
  return *std::move(sharding);
}

/// Checks whether two shardings have equal axes on all dims and equal unreduced axes. Open and
/// closed dims are not distinguished.
SHARDY_INLINE bool equal_axes(const TensorSharding& a, const TensorSharding& b) {
  const auto same = [](const DimSharding& x, const DimSharding& y) { return x.axes == y.axes; };
  return std::ranges::equal(a.dims(), b.dims(), same) && a.unreduced_axes() == b.unreduced_axes();
}

SHARDY_INLINE Status verify_given(const OpShardingRule& rule,
                                  std::span<const TensorSharding> operands,
                                  std::span<const TensorSharding> results) {
  const auto counted = [](std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  if (operands.size() != rule.operands().size()) {
    return fail("the rule has " + counted(rule.operands().size(), "operand") + ", got " +
                counted(operands.size(), "sharding"));
  }
  if (!results.empty() && results.size() != rule.results().size()) {
    return fail("the rule has " + counted(rule.results().size(), "result") + ", got " +
                counted(results.size(), "sharding"));
  }
  for (std::size_t tensor = 0; tensor < operands.size() + results.size(); ++tensor) {
    const bool is_operand = tensor < operands.size();
    const TensorSharding& given = is_operand ? operands[tensor] : results[tensor - operands.size()];
    const std::string what = (is_operand ? "operand " : "result ") +
                             std::to_string(is_operand ? tensor : tensor - operands.size()) + ": ";
    if (given.rank() != rule.tensor(tensor).dims.size()) {
      return fail(what + "the sharding has " + counted(given.rank(), "dim") + ", the rule " +
                  std::to_string(rule.tensor(tensor).dims.size()));
    }
    const TensorSharding& first = operands.empty() ? results.front() : operands.front();
    if (given.mesh() != first.mesh()) return fail(what + "the sharding is on another mesh");
  }
  if (operands.empty() && results.empty()) return fail("an op without tensors has no mesh");
  return {};
}

/// Returns the axes of all reduction factors, in mesh order.
SHARDY_INLINE AxisList partial_axes(const OpShardingRule& rule, std::span<const AxisList> factors) {
  AxisList partial;
  for (const int32_t factor : rule.reduction_factors()) {
    const AxisList& axes = factors[static_cast<std::size_t>(factor)];
    partial.insert(partial.end(), axes.begin(), axes.end());
  }
  std::ranges::sort(partial);
  AxisList merged;
  for (const AxisRef& axis : partial) append_merged(merged, 0, axis);
  return merged;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE Result<CommonShardings> meet(const OpShardingRule& rule,
                                           std::span<const TensorSharding> operands,
                                           std::span<const TensorSharding> results,
                                           MeetPolicy policy) {
  if (policy > MeetPolicy::ResultsFirst) return fail("no such policy");
  SHARDY_TRY_STATUS(detail::verify_given(rule, operands, results));
  std::vector<TensorSharding> given(operands.begin(), operands.end());
  given.insert(given.end(), results.begin(), results.end());
  detail::CommonAxesChooser chooser(rule, given);
  CommonShardings common;
  common.factors = chooser.choose(policy);
  common.partial = detail::partial_axes(rule, common.factors);
  const auto differs = [&](std::size_t tensor, const TensorSharding& chosen) {
    if (tensor >= given.size()) return false;
    return !detail::equal_axes(chosen, given[tensor]);
  };
  for (std::size_t tensor = 0; tensor < rule.num_tensors(); ++tensor) {
    const bool is_operand = tensor < rule.operands().size();
    auto& side = is_operand ? common.operands : common.results;
    side.push_back(
        chooser.sharding_of(tensor, common.factors, is_operand ? AxisList() : common.partial));
    common.is_resharded.push_back(differs(tensor, side.back()));
  }
  return common;
}

SHARDY_INLINE Result<CommonShardings> meet(const OpShardingRule& rule,
                                           std::span<const std::optional<TensorSharding>> operands,
                                           std::span<const TensorSharding> results,
                                           MeetPolicy policy) {
  const auto known = std::ranges::find_if(
      operands, [](const std::optional<TensorSharding>& each) { return each.has_value(); });
  if (known == operands.end()) return fail("no operand has a sharding, so the op has no mesh");
  const TensorSharding& first = **known;
  std::vector<TensorSharding> given;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    // More operands than the rule has are an error of the other overload.
    const std::size_t rank =
        index < rule.operands().size() ? rule.operands()[index].dims.size() : 0;
    given.push_back(operands[index].value_or(
        TensorSharding::fully_open(first.mesh(), first.mesh_name(), rank)));
  }
  return meet(rule, given, results, policy);
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
