// Rewrites after which collectives send less, one function each. Spec: resharding C.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/export/collective_steps.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/axis_lists.hpp"

namespace shardy::passes {

/// Cost of collectives for a device, in the order of comparison.
struct Price {
  double seconds = 0;
  int64_t bytes = 0;
  int64_t messages = 0;

  Price& operator+=(const Price& other);
};

/// Less of something and more of nothing.
bool is_cheaper(const Price& a, const Price& b);

/// A program under rewrites, and the plans and prices of its meshes.
struct RewriteContext {
  ir::Module& module;
  MeshPlanners& planners;

  Price price(const ir::Type& type, const TensorSharding& from, std::span<const ReshardStep> steps);
  Price price(const ir::Type& type, const PlacedStep& placed) {
    return price(type, placed.from, std::span(&placed.step, 1));
  }
};

/// Costs of the collectives that a rewrite removed and added.
struct Gain {
  Price before;
  Price after;
};

/// Rewrites what is around `op` if that is cheaper; else changes nothing.
using CollectiveRule = std::optional<Gain> (*)(RewriteContext&, ir::OpId op);

/// Two collectives one after the other, the first of which is read by the second alone, become the
/// cheapest ones from where the first begins: an all-reduce and a slice a reduce-scatter, a gather
/// and a slice nothing.
std::optional<Gain> join_collectives(RewriteContext& context, ir::OpId op);

/// A slice goes in front of the ops that move no element to another device, up to the collectives
/// that make what is sliced, with which it is joined.
std::optional<Gain> slice_earlier(RewriteContext& context, ir::OpId op);

/// Sinks a gather, exchange or permute below its elementwise users, if one collective then replaces
/// two, or if elements are narrower.
std::optional<Gain> move_later(RewriteContext& context, ir::OpId op);

/// Elements are moved before they are converted to a wider type.
std::optional<Gain> convert_later(RewriteContext& context, ir::OpId op);

/// Two sums over devices that are added are added before: one sum over devices. So for greatest and
/// least elements of the like.
std::optional<Gain> combine_first(RewriteContext& context, ir::OpId op);

/// Where a value is moved to several shardings, one of them may start where another ends; a partial
/// value is reduced once for all of them.
std::optional<Gain> share_moves(RewriteContext& context, ir::OpId op);

// ---- What rules share -------------------------------------------------------------------------

/// The only op that reads the value, in the block of the op that makes it; else invalid.
ir::OpId only_reader(const ir::Module& module, ir::ValueId value);

/// The sharding of a value; whole, on the mesh of `like`, if it has none.
TensorSharding sharding_or_whole(const ir::Module& module, ir::ValueId value,
                                 const TensorSharding& like);

/// Checks whether each step keeps blocks: otherwise partitioning gathers a dim first,
/// and prices do not know. Spec: resharding B.7.
bool blocks_nest(const ir::Type& type, const TensorSharding& from,
                 std::span<const ReshardStep> steps);
/// The same where devices cut what they hold of `type` under `from`.
bool blocks_nest(const ir::Type& type, const TensorSharding& from, const TensorSharding& to);

/// A pure op of one result on static tensors that computes each element from those at the same
/// place.
bool is_plain_elementwise(const ir::Module& module, ir::OpId op);

}  // namespace shardy::passes
