#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <vector>

// Shardings as XLA writes them with the names of axes. Spec: interop 2.3.

namespace shardy {

/// Text: `{mesh['x'=2,'y'=4], [{'x', ?}, {}], manual={'y'}}`. As it is written: resolve.hpp checks
/// the axes.
struct NamedHloSharding {
  std::optional<int64_t> device;                // of a tensor on a single one; nothing else is set
  Mesh mesh;                                    // empty: not known
  std::optional<std::vector<SpelledDim>> dims;  // std::nullopt where a word describes them
  HloDimKind word = HloDimKind::Replicated;     // what the whole mesh is without dims
  SpelledAxisList replicated = {};              // axes along which all devices have the same
  SpelledAxisList unreduced = {};               // axes along which devices have summands
  SpelledAxisList manual = {};  // axes along which the program is written per device
  ReductionOp reduction_op = ReductionOp::Sum;  // how summands are combined

  friend bool operator==(const NamedHloSharding&, const NamedHloSharding&);
};

std::string to_string(const NamedHloSharding& sharding);

/// Checks whether the next words, after a `{`, begin such a sharding.
bool at_named_hlo_sharding(Scanner& scanner);

/// After the `{`, up to and with the `}`.
Result<NamedHloSharding> read_named_hlo_sharding(Scanner& scanner);

/// `sharding` of a tensor, with the manual axes around it. Openness, sub-axes and reductions are
/// kept; priorities are lost.
NamedHloSharding named_hlo_of(const TensorSharding& sharding, const SpelledAxisList& manual = {});

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_named_inl.hpp>
#endif
