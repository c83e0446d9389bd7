#pragma once

#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The attribute of a mesh that says what its axes cost, as text.
constexpr std::string_view kAxisCostsAttribute = "shardy.axis_costs";

/// `x=ring:100GB/s:1us, y=full:900GB/s, *=line`: axes with their links, the bandwidth of a link and
/// the time of a message; what is left out is as in AxisCost. `*` is every axis that is not named.
/// Units: B, kB, MB, GB, TB and their binary ones, KiB to TiB, per second; ns, us, ms, s. Errors:
/// another form, a bandwidth that is not positive, a negative time, a repeated name.
Result<CostModel> parse_cost_model(std::string_view text);

/// As parse_cost_model reads it.
std::string to_string(const CostModel& model);

/// `model` with what `other` says instead, axis by axis.
CostModel merged(CostModel model, const CostModel& other);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/cost_text_inl.hpp>
#endif
