// Bodies of problem.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <utility>

namespace shardy::propagation::detail {

SHARDY_INLINE std::string slot_text(SlotId id) { return "slot " + std::to_string(id.value); }

SHARDY_INLINE Status verify_rank(const TensorSharding& sharding, std::size_t rank) {
  if (sharding.rank() == rank || sharding.mesh().is_maximal()) return {};
  return fail("sharding rank must match tensor rank: " + std::to_string(sharding.rank()) +
              " != " + std::to_string(rank));
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE Status Problem::set_sharding(SlotId id, std::optional<TensorSharding> sharding) {
  if (id.index() >= num_slots()) return fail("no such slot: " + std::to_string(id.value));
  if (!slot(id).storage) return fail(detail::slot_text(id) + " has no storage");
  if (sharding) {
    SHARDY_TRY_STATUS(detail::verify_rank(*sharding, slot(id).rank));
  }
  tables_.shardings_[slot(id).storage.index()] = std::move(sharding);
  return {};
}

}  // namespace shardy::propagation
