#pragma once

#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>

// Text of GSPMD's shardings. Spec: algebra 12.1.

namespace shardy {

/// `[2,1,4]<=[4,2]T(1,0)`; no T if it is the identity.
std::string to_string(const DeviceArray& array);

/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{{replicated}, {maximal device=0}}`
std::string to_string(const HloSharding& sharding);

/// Reads one sharding; `depth` counts the tuples around it.
Result<HloSharding> read_hlo_sharding(Scanner& scanner, int depth = 0);

/// A text that is one sharding, or a tuple of them, and nothing else.
Result<HloSharding> parse_hlo_sharding(std::string_view text);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_text_inl.hpp>
#endif
