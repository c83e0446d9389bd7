#pragma once

#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/result.hpp>

// Shardings as GSPMD writes them. Spec: algebra 12.1.

namespace shardy {

/// `sharding` with the axes `manual` around it as GSPMD writes it, in the canonical spelling.
/// Openness, priorities and explicit replication are lost. Errors: `unreduced axes that are reduced
/// by <op> have no HloSharding`, unknown manual axes and those that the sharding uses.
/// Cost: all devices if the mesh has device ids.
///
/// Example: `[{"y":(2)2}, {"x"}]` on <x=2, y=4> is `{devices=[2,2,2]<=[4,2]T(1,0)
/// last_tile_dim_replicate}`.
Result<HloSharding> export_hlo(const TensorSharding& sharding, AxisNames manual = {});

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_export_inl.hpp>
#endif
