// Permutes with different senders and receivers become one permute.
//
//   "x"=4                                      %0 = spmd.coord {"x"}
//   %2 = spmd.permute %a, shift 2              %1 = select (%0 >= 2), %a, %b
//   %3 = spmd.permute %b, shift -2      ->     %u = spmd.permute %1, rotate 2
//                                              %2 = select (%0 < 2), %u, 0
//                                              %3 = select (%0 < 2), 0, %u
//
// Devices 2 and 3 send %a, devices 0 and 1 send %b, at the same time. Spec: resharding C.8.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/process_groups.hpp"
#include "partitioning/emitter.hpp"
#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

namespace {

/// Each permute is compared with as many permutes before it.
constexpr std::size_t kMostCandidates = 16;
/// An operand that depends on more ops after the earlier permute is not computed before it.
constexpr std::size_t kMostHoisted = 64;

using RankSet = std::vector<bool>;  // by rank in the group

/// A permute, with the ranks that send and receive. A rank that receives from itself does both.
struct RankedPermute {
  OpId op;
  RankSet senders;
  RankSet receivers;
};

const AxisList& axes_of_permute(const Module& module, OpId permute) {
  return module.attribute<ir::AxesAttr>(permute, ir::attr::kAxes)->axes;
}

const PermuteMap& map_of_permute(const Module& module, OpId permute) {
  return *module.attribute<PermuteMap>(permute, ir::attr::kMap);
}

/// Returns the ranks of a permute by shift or by an affine map; std::nullopt for other ops.
std::optional<RankedPermute> ranked_permute(const Module& module, OpId op) {
  const bool has_form = module.is(op, OpKind::SpmdPermute) && module.num_operands(op) == 1 &&
                        module.type(module.operand(op, 0)).is_static_tensor();
  if (!has_form) return std::nullopt;
  const PermuteMap& map = map_of_permute(module, op);
  const int64_t size = sharding_size(axes_of_permute(module, op));
  const bool has_gaps = map.kind == PermuteMap::Kind::Shift || map.kind == PermuteMap::Kind::Affine;
  if (!has_gaps || size > ir::kMostListedRanks) return std::nullopt;
  const RankSet none(static_cast<std::size_t>(size), false);
  RankedPermute permute{op, none, none};
  for (int64_t rank = 0; rank < size; ++rank) {
    const auto source = ir::source_rank(map, rank, size);
    if (!source) continue;
    permute.senders[static_cast<std::size_t>(*source)] = true;
    permute.receivers[static_cast<std::size_t>(rank)] = true;
  }
  return permute;
}

bool are_disjoint(const RankSet& a, const RankSet& b) {
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    if (a[rank] && b[rank]) return false;
  }
  return true;
}

RankSet both_sets(RankSet a, const RankSet& b) {
  for (std::size_t rank = 0; rank < a.size(); ++rank) a[rank] = a[rank] || b[rank];
  return a;
}

// ---- Tests of ranks -----------------------------------------------------------------------------

/// The test first <= floor(rank / divisor) mod modulus <= last; `negated`: its opposite.
struct RankTest {
  int64_t divisor = 1;
  int64_t modulus = 1;
  int64_t first = 0;
  int64_t last = 0;
  bool negated = false;

  int64_t digit(std::size_t rank) const { return static_cast<int64_t>(rank) / divisor % modulus; }
};

/// Returns the test with the divisor and modulus that is true for all ranks of `in` and false for
/// all ranks of `out`; std::nullopt if none is. Requires: `in` is not empty.
std::optional<RankTest> test_by_digit(const RankSet& in, const RankSet& out, int64_t divisor,
                                      int64_t modulus) {
  RankTest test{divisor, modulus, modulus, -1};
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    if (!in[rank]) continue;
    test.first = std::min(test.first, test.digit(rank));
    test.last = std::max(test.last, test.digit(rank));
  }
  for (std::size_t rank = 0; rank < out.size(); ++rank) {
    const int64_t digit = test.digit(rank);
    if (out[rank] && test.first <= digit && digit <= test.last) return std::nullopt;
  }
  return test;
}

/// Returns the first test that separates two sets of ranks: by range, by residue, by a digit in
/// between. Requires: the sets are not empty.
std::optional<RankTest> separating_test(const RankSet& in, const RankSet& out) {
  const auto size = static_cast<int64_t>(in.size());
  constexpr int64_t kMostResidues = 8;
  const auto either = [&](int64_t divisor, int64_t modulus) -> std::optional<RankTest> {
    if (const auto test = test_by_digit(in, out, divisor, modulus)) return test;
    auto test = test_by_digit(out, in, divisor, modulus);
    if (test) test->negated = true;
    return test;
  };
  std::optional<RankTest> found = either(1, size);
  for (int64_t modulus = 2; !found && modulus <= std::min(size, kMostResidues); ++modulus) {
    found = either(1, modulus);
  }
  for (int64_t divisor = 2; !found && 2 * divisor <= size; divisor *= 2) {
    found = either(divisor, 2);
  }
  return found;
}

ValueId emit_test(Emitter& emit, const ScalarIndex& rank, int64_t size, const RankTest& test) {
  ScalarIndex digit = test.divisor > 1 ? emit.floor_div(rank, test.divisor) : rank;
  if (test.modulus < size) digit = emit.floor_mod(digit, test.modulus);
  const auto compare = [&](int64_t bound, std::string_view direction) {
    return emit.compare(emit.scalar(digit), emit.scalar(ScalarIndex::of(bound)), direction);
  };
  if (test.first == 0) return compare(test.last, "LE");
  if (test.last == test.modulus - 1) return compare(test.first, "GE");
  if (test.first == test.last) return compare(test.first, "EQ");
  return emit.both(compare(test.first, "GE"), compare(test.last, "LE"));
}

// ---- Maps ---------------------------------------------------------------------------------------

/// Returns the numbers of a shift or an affine map as those of an affine map.
std::vector<int64_t> affine_numbers(const PermuteMap& map) {
  if (map.kind == PermuteMap::Kind::Affine) return map.numbers;
  return {1, map.numbers.front(), 1, 0, 1, 0};
}

/// Returns the map by which each rank has the source of either map. Requires: no rank has a source
/// in both.
PermuteMap united_map(const PermuteMap& a, const PermuteMap& b, int64_t size) {
  PermuteMap united{.kind = PermuteMap::Kind::Affine, .numbers = affine_numbers(a)};
  const std::vector<int64_t> more = affine_numbers(b);
  united.numbers.insert(united.numbers.end(), more.begin(), more.end());
  const auto first = ir::source_rank(united, 0, size);
  if (!first) return united;
  PermuteMap rotate{.kind = PermuteMap::Kind::Rotate, .numbers = {*first}};
  for (int64_t rank = 0; rank < size; ++rank) {
    if (ir::source_rank(united, rank, size) != ir::source_rank(rotate, rank, size)) return united;
  }
  return rotate;
}

// ---- Programs -----------------------------------------------------------------------------------

/// Returns the ops between `position` and the use of `value` on which `value` depends, in program
/// order; std::nullopt if they are not all local, or are too many.
std::optional<std::vector<OpId>> ops_to_hoist(const Module& module, ValueId value, OpId position) {
  std::vector<OpId> found;
  std::vector<ValueId> open = {value};
  while (!open.empty()) {
    const OpId op = module.defining_op(open.back());
    open.pop_back();
    const bool is_before = !op.valid() ||
                           module.parent_block(op) != module.parent_block(position) ||
                           module.is_before(op, position);
    if (is_before || std::ranges::find(found, op) != found.end()) continue;
    const bool is_local = module.has_trait(op, ir::kPure) && module.regions(op).empty() &&
                          !module.has_trait(op, ir::kCollective);
    if (!is_local || found.size() == kMostHoisted) return std::nullopt;
    found.push_back(op);
    for (const ValueId operand : module.operands(op)) open.push_back(operand);
  }
  std::ranges::sort(found, [&](OpId a, OpId b) { return module.is_before(a, b); });
  return found;
}

/// Two permutes that can be one, at the position of the first.
struct UnitedPair {
  const RankedPermute& first;
  const RankedPermute& second;
  std::optional<RankTest> sends_first;  // std::nullopt: both send the same value
  RankTest receives_first;
  std::vector<OpId> hoisted;
};

std::optional<UnitedPair> united_pair(const Module& module, const RankedPermute& a,
                                      const RankedPermute& b) {
  ir::AttributeMap attributes(module.attributes(a.op));
  attributes.set(ir::attr::kMap, map_of_permute(module, b.op));
  const ValueId sent = module.operand(b.op, 0);
  const bool fits = module.type(module.operand(a.op, 0)) == module.type(sent) &&
                    attributes == module.attributes(b.op) && are_disjoint(a.senders, b.senders) &&
                    are_disjoint(a.receivers, b.receivers);
  if (!fits) return std::nullopt;
  auto hoisted = ops_to_hoist(module, sent, a.op);
  if (!hoisted) return std::nullopt;
  std::optional<RankTest> sends;
  const bool is_same_value = module.operand(a.op, 0) == sent;
  if (!is_same_value) sends = separating_test(a.senders, b.senders);
  const auto receives = separating_test(a.receivers, b.receivers);
  if ((!is_same_value && !sends) || !receives) return std::nullopt;
  return UnitedPair{a, b, sends, *receives, *std::move(hoisted)};
}

/// Replaces both permutes. Returns the united one.
OpId unite(Module& module, const UnitedPair& pair, const Mesh& mesh) {
  const OpId first = pair.first.op;
  const OpId second = pair.second.op;
  for (const OpId op : pair.hoisted) {
    module.remove(op);
    module.insert_before(first, op);
  }
  Emitter emit(module);
  emit.start_before(first);
  const DeviceOrder place{mesh, module.attribute<ir::SymbolAttr>(first, ir::attr::kMesh)->name};
  const AxisList axes = axes_of_permute(module, first);
  const int64_t size = sharding_size(axes);
  const ScalarIndex rank = emit.coord(place, axes);
  const auto by_test = [&](const RankTest& test, ValueId a, ValueId b) {
    if (test.negated) std::swap(a, b);
    return emit.select(emit_test(emit, rank, size, test), a, b);
  };
  ValueId sent = module.operand(first, 0);
  if (pair.sends_first) sent = by_test(*pair.sends_first, sent, module.operand(second, 0));
  const ValueId received =
      emit.permute(sent, place, axes,
                   united_map(map_of_permute(module, first), map_of_permute(module, second), size));
  const ValueId zeros = emit.zeros(module.type(sent));
  const ValueId firsts = by_test(pair.receives_first, received, zeros);
  const ValueId seconds = by_test(pair.receives_first, zeros, received);
  module.replace_all_uses(module.result(first), firsts);
  module.replace_all_uses(module.result(second), seconds);
  module.erase(first);
  module.erase(second);
  return module.defining_op(received);
}

/// Unites permutes of one block.
class PermuteUnion {
 public:
  PermuteUnion(Module& module, const CollectivePrices& prices) : module_(module), prices_(prices) {}

  void run(BlockId block) {
    std::vector<RankedPermute> candidates;
    next_ = 0;
    for (OpId op = module_.first_op(block); op.valid();) {
      const OpId next = module_.next(op);
      if (auto permute = ranked_permute(module_, op); permute && prices_.bytes_sent(op) > 0) {
        add(candidates, *std::move(permute));
      }
      op = next;
    }
  }

  std::vector<passes::CollectiveRewrite> rewrites;

 private:
  /// Unites the permute with a candidate, which the union replaces, or makes it a candidate. Starts
  /// after the candidate of the last union: if the permutes of each of k operands fit those of the
  /// others except one, all unions get k permutes.
  void add(std::vector<RankedPermute>& candidates, RankedPermute permute) {
    for (std::size_t at = 0; at < candidates.size(); ++at) {
      const std::size_t index = (next_ + at) % candidates.size();
      RankedPermute& each = candidates[index];
      const auto pair = united_pair(module_, each, permute);
      if (!pair) continue;
      passes::CollectiveRewrite rewrite{std::string(kUnitePermutes),
                                        std::string(module_.name(each.op)),
                                        module_.source_location(each.op)};
      for (const OpId op : {each.op, permute.op}) {
        rewrite.bytes_before += prices_.bytes_sent(op);
        rewrite.messages_before += prices_.cost(op).messages;
      }
      const OpId united = unite(module_, *pair, *prices_.mesh_of(each.op));
      rewrite.bytes_after = prices_.bytes_sent(united);
      rewrite.messages_after = prices_.cost(united).messages;
      rewrites.push_back(std::move(rewrite));
      each = {united, both_sets(std::move(each.senders), permute.senders),
              both_sets(std::move(each.receivers), permute.receivers)};
      next_ = index + 1;
      return;
    }
    if (candidates.size() == kMostCandidates) candidates.erase(candidates.begin());
    candidates.push_back(std::move(permute));
  }

  Module& module_;
  const CollectivePrices& prices_;
  std::size_t next_ = 0;  // the candidate that is compared first
};

}  // namespace

std::vector<passes::CollectiveRewrite> unite_permutes(Module& program) {
  const CollectivePrices prices(program);
  std::set<BlockId> blocks;
  for (const OpId op : ir::pre_order(program)) {
    if (program.is(op, OpKind::SpmdPermute)) blocks.insert(program.parent_block(op));
  }
  PermuteUnion all(program, prices);
  for (const BlockId block : blocks) {
    std::size_t before = 0;
    do {  // a union may give operands to permutes that were not local before
      before = all.rewrites.size();
      all.run(block);
    } while (all.rewrites.size() > before);
  }
  return std::move(all.rewrites);
}

}  // namespace shardy::partitioning
