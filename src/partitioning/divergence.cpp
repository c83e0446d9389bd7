// Reports an error, before the run, for each branch with a collective that only some devices of a
// group take.
//
//   mesh <["x"=2, "y"=2]>, in a manual computation over {"x"}
//   %r = remainder(partition_id, 2)        0 1 0 1 on devices 0 to 3
//   case %r {
//     spmd.all_reduce {"y"} %a      groups [0, 1] and [2, 3]: devices 1 and 3 never reach it
//   } { }
#include "partitioning/divergence.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "partitioning/collective_view.hpp"
#include "partitioning/ir_names.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

namespace {

using Numbers = std::vector<int64_t>;  // one per device id
using Flags = std::vector<bool>;       // one per device id

bool is_number(const Type& type) {
  if (!type.is_static_tensor() || type.num_elements() != 1) return false;
  return ir::is_integer(type.element()) || ir::is_boolean(type.element());
}

/// Wraps the number to the element type; std::nullopt if the type cannot represent the number.
std::optional<int64_t> kept(std::optional<int64_t> value, ElementType element) {
  if (!value) return std::nullopt;
  if (ir::is_boolean(element)) return *value & 1;
  const auto width = static_cast<int>(ir::info(element).bits);
  const bool is_wide = width == 64;
  if (is_wide) return value;
  return ir::detail::wrap(*value, width, ir::is_signed_integer(element)) == *value ? value
                                                                                   : std::nullopt;
}

bool compared(std::string_view direction, int64_t a, int64_t b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  return direction == "GT" ? a > b : a >= b;
}

/// Returns the result of an op on numbers; std::nullopt for other ops, overflow and division by 0.
std::optional<int64_t> folded(const Module& program, OpId op, const Numbers& in) {
  switch (program.kind(op)) {
    case OpKind::Convert:
    case OpKind::Reshape:
    case OpKind::BroadcastInDim:
      return in[0];
    case OpKind::Add:
      return checked_add(in[0], in[1]);
    case OpKind::Subtract:
      return in[1] == INT64_MIN ? std::nullopt : checked_add(in[0], -in[1]);
    case OpKind::Multiply:
      return checked_mul(in[0], in[1]);
    case OpKind::Divide:
      return in[1] > 0 ? std::optional(in[0] / in[1]) : std::nullopt;
    case OpKind::Remainder:
      return in[1] > 0 ? std::optional(in[0] % in[1]) : std::nullopt;
    case OpKind::Minimum:
      return std::min(in[0], in[1]);
    case OpKind::Maximum:
      return std::max(in[0], in[1]);
    case OpKind::And:
      return in[0] & in[1];
    case OpKind::Or:
      return in[0] | in[1];
    case OpKind::Xor:
      return in[0] ^ in[1];
    case OpKind::Select:
      return in[0] != 0 ? in[1] : in[2];
    case OpKind::Compare:
      return compared(ir::view<ir::CompareOp>(program, op).direction, in[0], in[1]) ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// The values of a function that depend only on the device id and on constants.
class DeviceNumbers {
 public:
  DeviceNumbers(const Module& program, int64_t devices)
      : program_(program), devices_(static_cast<std::size_t>(devices)) {}

  void visit(OpId op) {
    if (program_.num_results(op) != 1 || !is_number(program_.type(program_.result(op)))) return;
    std::optional<Numbers> found = numbers_of(op);
    if (found) known_.emplace(program_.result(op), *std::move(found));
  }
  /// Null if unknown.
  const Numbers* find(ValueId value) const {
    const auto found = known_.find(value);
    return found != known_.end() ? &found->second : nullptr;
  }

 private:
  std::optional<Numbers> numbers_of(OpId op) const {
    const ElementType element = program_.type(program_.result(op)).element();
    Numbers all(devices_);
    if (program_.is(op, OpKind::PartitionId)) {
      for (std::size_t device = 0; device < devices_; ++device) {
        all[device] = static_cast<int64_t>(device);
      }
      return all;
    }
    if (const auto* literal = program_.attribute<ir::Literal>(op, ir::attr::kValue)) {
      const auto bits = static_cast<int64_t>(ir::detail::load_bits(literal->element_bytes(0)));
      const bool is_signed = ir::is_signed_integer(element);
      const auto width = static_cast<int>(ir::info(element).bits);
      all.assign(devices_, ir::detail::wrap(bits, width, is_signed));
      return all;
    }
    for (std::size_t device = 0; device < devices_; ++device) {
      Numbers in;
      for (const ValueId operand : program_.operands(op)) {
        const Numbers* numbers = find(operand);
        if (numbers == nullptr) return std::nullopt;
        in.push_back((*numbers)[device]);
      }
      if (in.empty()) return std::nullopt;
      const std::optional<int64_t> value = kept(folded(program_, op, in), element);
      if (!value) return std::nullopt;
      all[device] = *value;
    }
    return all;
  }

  const Module& program_;
  std::size_t devices_;
  std::unordered_map<ValueId, Numbers> known_;  // never iterated
};

std::vector<std::vector<int64_t>> groups_of(const CollectiveView& view) {
  std::vector<std::vector<int64_t>> groups;
  if (view.exchange == ExchangePattern::Permute) {
    for (const auto& [source, target] : pairs_of(view)) groups.push_back({source, target});
    return groups;
  }
  return view.groups.empty() ? replica_groups(view.mesh, view.axes) : view.groups;
}

/// Returns two devices of one group such that only one of them reaches the collective; std::nullopt
/// if none.
std::optional<std::pair<int64_t, int64_t>> torn_pair(const CollectiveView& view,
                                                     const Flags& reached) {
  const auto flag = [&](int64_t device) {
    const auto at = static_cast<std::size_t>(device);
    return at < reached.size() && reached[at];
  };
  for (const std::vector<int64_t>& group : groups_of(view)) {
    for (const int64_t device : group) {
      if (flag(device) != flag(group.front())) return std::pair(group.front(), device);
    }
  }
  return std::nullopt;
}

class DivergenceCheck {
 public:
  DivergenceCheck(const Module& program, int64_t devices)
      : program_(program), devices_(devices), views_(program), numbers_(program, devices) {}

  Diagnostics run(const std::vector<OpId>& functions) {
    for (const OpId function : functions) {
      if (program_.is_external(function)) continue;
      for (const OpId op : ir::pre_order(program_, program_.entry(function))) {
        numbers_.visit(op);
        const std::optional<Branch> branch = branch_of(op);
        if (!branch) continue;
        if (program_.is(op, OpKind::FuncCall)) {
          check_callees(op, *branch);
        } else {
          check(op, *branch);
        }
      }
    }
    return std::move(errors_);
  }

 private:
  /// The devices that reach an op, and the innermost branch op that separates them from the others.
  struct Branch {
    Flags reached;
    OpId owner;
  };

  static bool chooses(OpKind kind) { return kind == OpKind::Case || kind == OpKind::If; }

  /// Returns the region that a device enters.
  static int64_t region_of(OpKind kind, int64_t predicate, int64_t regions) {
    if (kind == OpKind::If) return predicate != 0 ? 0 : 1;
    return predicate >= 0 && predicate < regions ? predicate : regions - 1;
  }

  /// Returns the branch around the op; std::nullopt if all devices reach the op or if no predicate
  /// is known.
  std::optional<Branch> branch_of(OpId op) const {
    std::optional<Branch> branch;
    for (OpId inner = op, owner = program_.parent_op(op);
         owner.valid() && !program_.is(owner, OpKind::Func);
         inner = owner, owner = program_.parent_op(owner)) {
      if (!chooses(program_.kind(owner))) continue;
      const Numbers* predicate = numbers_.find(program_.operand(owner, 0));
      if (predicate == nullptr) continue;
      const auto& regions = program_.regions(owner);
      int64_t region = 0;
      while (program_.block(owner, static_cast<std::size_t>(region)) !=
             program_.parent_block(inner)) {
        ++region;
      }
      if (!branch) branch = Branch{Flags(static_cast<std::size_t>(devices_), true), owner};
      for (std::size_t device = 0; device < branch->reached.size(); ++device) {
        const auto entered = region_of(program_.kind(owner), (*predicate)[device],
                                       static_cast<int64_t>(regions.size()));
        if (entered != region) branch->reached[device] = false;
      }
    }
    return branch;
  }

  void check(OpId op, const Branch& branch) {
    const auto view = views_.of(op);
    const auto torn = view ? torn_pair(*view, branch.reached) : std::nullopt;
    if (!torn || !reported_.insert(branch.owner).second) return;
    errors_.push_back(passes::error_at(
        program_, branch.owner,
        std::string(program_.name(branch.owner)) + ": devices " + std::to_string(torn->first) +
            " and " + std::to_string(torn->second) + " take different branches, but " +
            std::string(program_.name(op)) +
            " in one of them exchanges data between them; make the predicate equal on all devices "
            "of its groups"));
    errors_.back().code = "E_DIVERGENT";
  }

  void check_callees(OpId call, const Branch& branch) {
    std::vector<OpId> calls = {call};
    std::unordered_set<OpId> seen;
    while (!calls.empty()) {
      const auto callee = ir::callee_of(program_, calls.back());
      calls.pop_back();
      if (!callee || program_.is_external(*callee) || !seen.insert(*callee).second) continue;
      for (const OpId op : ir::pre_order(program_, program_.entry(*callee))) {
        if (program_.is(op, OpKind::FuncCall)) calls.push_back(op);
        check(op, branch);
      }
    }
  }

  const Module& program_;
  int64_t devices_;
  CollectiveViews views_;
  DeviceNumbers numbers_;
  std::unordered_set<OpId> reported_;  // never iterated
  Diagnostics errors_;
};

/// Checks whether the program has both a branch and an op that returns the device id. Otherwise, no
/// predicate needs to be computed.
bool may_diverge(const Module& program, const std::vector<OpId>& functions) {
  bool branches = false;
  bool reads_id = false;
  for (const OpId function : functions) {
    if (program.is_external(function)) continue;
    for (const OpId op : ir::pre_order(program, program.entry(function))) {
      branches = branches || program.is(op, OpKind::Case) || program.is(op, OpKind::If);
      reads_id = reads_id || program.is(op, OpKind::PartitionId);
    }
  }
  return branches && reads_id;
}

}  // namespace

Diagnostics divergent_collectives(const Module& program) {
  const std::vector<OpId> functions = ir::program_functions(program);
  if (!may_diverge(program, functions)) return {};
  const int64_t devices = ir::devices_of(program, functions);
  if (devices > kMostComparedDevices) return {};
  return DivergenceCheck(program, devices).run(functions);
}

}  // namespace shardy::partitioning
