// Loops and branches keep their regions with local types; computations are inlined.
// Spec: partitioning 9.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = sdy.manual_computation(%a [{"x"}]) manual_axes={"x"} (%b: tensor<4xf32>) {
//     %1 = negate %b                          ->   %1 = negate %a : tensor<4xf32>
//     sdy.return %1
//   }
//   %2 = while(%i = %c, %v = %0)              ->   %2 = while(%i = %c, %v = %1)
//     : tensor<8xf32> [{"x"}]                        : tensor<4xf32>
#include "partitioning/control_flow.hpp"

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
#include "passes/import/import_passes.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

void ControlFlow::start(BlockId source, BlockId target) {
  frames_.clear();
  made_blocks_.clear();
  push(source, target);
}

void ControlFlow::push(BlockId source, BlockId target) {
  frames_.push_back({lowering_.input().first_op(source), target});
}

OpId ControlFlow::next() {
  while (!frames_.empty() && !frames_.back().next.valid()) frames_.pop_back();
  if (frames_.empty()) return {};
  BlockFrame& frame = frames_.back();
  const OpId op = frame.next;
  frame.next = lowering_.input().next(op);
  lowering_.emit().set_block(frame.target);
  return op;
}

bool ControlFlow::owns_walked_regions(OpKind kind) { return ir::has_trait(kind, ir::kControlFlow); }

Status ControlFlow::enter(OpId op) {
  const ir::Module& input = lowering_.input();
  for (const ir::RegionId region : input.regions(op)) {
    const bool is_walkable =
        input.blocks(region).size() == 1 && ir::return_op(input, input.blocks(region).front());
    if (is_walkable) continue;
    return lowering_.error(op, "E_UNSUPPORTED_OP",
                           "a region that is not exactly one block that ends with a return");
  }
  if (ir::is_computation(input, op)) {
    // The results keep these placeholders if the terminator cannot be lowered.
    for (const ValueId result : input.results(op)) {
      lowering_.bind(result,
                     lowering_.make(ValueId(), input.type(result), lowering_.axes_of(result)));
    }
  }
  switch (input.kind(op)) {
    case OpKind::SdyNamedComputation:
      enter_named(op);
      break;
    case OpKind::SdyManualComputation:
      enter_manual(op);
      break;
    case OpKind::While:
      enter_regions(op, input.num_results(op));
      break;
    default:  // the operand of a branch is its predicate
      enter_regions(op, 0);
  }
  return {};
}

// ---- Loops and branches -------------------------------------------------------------------------

/// Checks for a case that an earlier pass made from an `if`; the lowering turns it back into an
/// `if`.
bool ControlFlow::was_if(OpId op) const {
  const ir::Module& input = lowering_.input();
  if (!input.attributes(op).contains(passes::kFromIfAttr) || input.num_operands(op) != 1) {
    return false;
  }
  const OpId select = input.defining_op(input.operand(op, 0));
  return select.valid() && input.is(select, OpKind::Select);
}

OpId ControlFlow::made_if(OpId op, std::vector<Type> types, std::vector<ir::RegionId> regions) {
  const ir::Module& input = lowering_.input();
  PartitionedValue predicate =
      lowering_.local(input.operand(input.defining_op(input.operand(op, 0)), 0));
  const Layout layout = whole(predicate);
  ir::OpSpec spec{.kind = OpKind::If};
  spec.operands = {lowering_.reshard_to_layout(op, std::move(predicate), layout).value};
  spec.result_types = std::move(types);
  spec.attributes = local_attributes(input.attributes(op));
  spec.regions = std::move(regions);
  return lowering_.emit().builder().create(std::move(spec));
}

/// Gives loop-carried values the layout of the op's results in every region. Their padding is
/// unknown, because each iteration may write other values into it.
void ControlFlow::enter_regions(OpId op, std::size_t num_carried) {
  const ir::Module& input = lowering_.input();
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    PartitionedValue value = lowering_.local(input.operand(op, index));
    const Layout layout =
        index < num_carried ? lowering_.layout_of(input.result(op, index)) : whole(value);
    operands.push_back(lowering_.reshard_to_layout(op, std::move(value), layout).value);
  }
  std::vector<Type> types;
  for (const ValueId result : input.results(op)) {
    types.push_back(lowering_.local_type(input.type(result), lowering_.axes_of(result)));
  }
  ir::Module& output = lowering_.output();
  std::vector<ir::RegionId> regions;
  for (std::size_t index = 0; index < input.regions(op).size(); ++index) {
    regions.push_back(output.new_region());
  }
  const OpId made = was_if(op) ? made_if(op, types, regions)
                               : lowering_.clone(op, std::move(operands), types, regions);
  for (std::size_t index = 0; index < types.size(); ++index) {
    const ValueId result = input.result(op, index);
    lowering_.bind(result, lowering_.make(output.result(made, index), input.type(result),
                                          lowering_.layout_of(result)));
  }
  for (std::size_t region = regions.size();
       region-- > 0;) {  // reversed, so that the first region is visited first
    const BlockId source = input.block(op, region);
    const BlockId target = output.new_block(regions[region]);
    for (std::size_t index = 0; index < input.args(source).size(); ++index) {
      const ValueId arg = input.args(source)[index];
      Layout layout = lowering_.layout_of(arg);
      const ValueId local =
          output.add_argument(target, lowering_.local_type(input.type(arg), layout.axes));
      lowering_.bind(arg, lowering_.make(local, input.type(arg), std::move(layout)));
    }
    made_blocks_.push_back(target);
    push(source, target);
  }
}

// ---- Inlined computations -----------------------------------------------------------------------

void ControlFlow::enter_named(OpId op) {
  const ir::Module& input = lowering_.input();
  const BlockId body = input.block(op);
  for (std::size_t index = 0; index < input.args(body).size(); ++index) {
    const ValueId arg = input.args(body)[index];
    PartitionedValue value = lowering_.local(input.operand(op, index));
    lowering_.bind(arg,
                   lowering_.reshard_to_layout(op, std::move(value), lowering_.layout_of(arg)));
  }
  push(body, frames_.back().target);
}

Layout ControlFlow::outer_layout(OpId op, const Type& type, bool is_input,
                                 std::size_t index) const {
  const std::string_view name = is_input ? ir::attr::kInShardings : ir::attr::kOutShardings;
  Layout layout = lowering_.layout_under(
      type, ir::detail::get_in_list(lowering_.input().attributes(op), name, index));
  layout.place = lowering_.place_in_manual(op);
  return layout;
}

Layout ControlFlow::whole(const PartitionedValue& value) const {
  return {lowering_.place_ref(), std::vector<AxisList>(value.axes.size()), {}, OpKind::Add};
}

namespace {

/// Returns for each dim the manual axes that begin its axis list.
std::vector<AxisList> manual_fronts(const ir::Module& input, OpId op, std::string_view name,
                                    std::size_t index, std::span<const AxisList> axes) {
  const auto sharding = ir::detail::get_in_list(input.attributes(op), name, index);
  std::vector<AxisList> fronts;
  for (const AxisList& list : axes) {
    const std::size_t count =
        sharding ? ir::first_free(sharding->mesh(), list, ir::detail::manual_axes_of(input, op))
                 : 0;
    fronts.emplace_back(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return fronts;
}

/// Drops free axes of a dim that they do not divide. The body sees a dim with its size in `local`,
/// sharded along the free axes only. Outside, the dim has its global size and is sharded along the
/// manual and the free axes. Each device must hold the same elements in both views.
void drop_uneven(const Type& local, std::span<const AxisList> fronts, std::vector<AxisList>& axes) {
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const int64_t free = sharding_size(axes[dim]) / sharding_size(fronts[dim]);
    if (!fronts[dim].empty() && local.dim(dim) % free != 0) axes[dim] = fronts[dim];
  }
}

/// Returns the axis lists without their leading manual axes.
std::vector<AxisList> without_fronts(std::span<const AxisList> axes,
                                     std::span<const AxisList> fronts) {
  std::vector<AxisList> rest;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    rest.emplace_back(axes[dim].begin() + static_cast<std::ptrdiff_t>(fronts[dim].size()),
                      axes[dim].end());
  }
  return rest;
}

/// Returns the partial result over the free axes. Over manual axes, the body works on the partial
/// values themselves.
std::optional<PartialResult> free_partial(const ir::Module& input, OpId op, const Layout& outer) {
  PartialResult partial{{}, outer.reducer, ValueId()};
  const ir::AxisNames manual = ir::detail::manual_axes_of(input, op);
  for (const AxisRef& axis : outer.unreduced) {
    if (!ir::is_manual(outer.place->mesh, axis, manual)) partial.axes.push_back(axis);
  }
  if (sharding_size(partial.axes) == 1) return std::nullopt;
  return partial;
}

}  // namespace

PartitionedValue ControlFlow::into_manual(OpId op, std::size_t index) {
  const ir::Module& input = lowering_.input();
  const ValueId arg = input.args(input.block(op))[index];
  const Type& type = input.type(arg);
  PartitionedValue value = lowering_.local(input.operand(op, index));
  if (!type.is_tensor()) return value;
  Layout outer = outer_layout(op, value.global, true, index);
  const std::vector<AxisList> fronts =
      manual_fronts(input, op, ir::attr::kInShardings, index, outer.axes);
  drop_uneven(type, fronts, outer.axes);
  value = lowering_.reshard_to_layout(op, std::move(value), outer);
  PartitionedValue inner = lowering_.make(value.value, type, without_fronts(outer.axes, fronts));
  inner.place = outer.place;
  inner.partial = free_partial(input, op, outer);
  Layout wanted = lowering_.layout_of(arg);
  wanted.place = outer.place;
  return lowering_.reshard_to_layout(op, std::move(inner), wanted);
}

void ControlFlow::enter_manual(OpId op) {
  const ir::Module& input = lowering_.input();
  const BlockId body = input.block(op);
  for (std::size_t index = 0; index < input.args(body).size(); ++index) {
    lowering_.bind(input.args(body)[index], into_manual(op, index));
  }
  push(body, frames_.back().target);
}

PartitionedValue ControlFlow::out_of_manual(OpId op, OpId terminator, std::size_t index) {
  const ir::Module& input = lowering_.input();
  const Type& type = input.type(input.result(op, index));
  PartitionedValue inner = lowering_.local(input.operand(terminator, index));
  if (!type.is_tensor()) return inner;
  const Layout wanted = outer_layout(op, type, false, index);
  const std::vector<AxisList> fronts =
      manual_fronts(input, op, ir::attr::kOutShardings, index, wanted.axes);
  Layout even = wanted;
  drop_uneven(inner.global, fronts, even.axes);
  const std::optional<PartialResult> partial = free_partial(input, op, wanted);
  inner = lowering_.reshard_to_layout(op, std::move(inner),
                                      {wanted.place, without_fronts(even.axes, fronts),
                                       partial ? partial->axes : AxisList(), wanted.reducer});
  PartitionedValue outer = lowering_.make(inner.value, type, std::move(even));
  return lowering_.reshard_to_layout(op, std::move(outer), wanted);
}

// ---- Terminators --------------------------------------------------------------------------------

Status ControlFlow::leave(OpId terminator) {
  const ir::Module& input = lowering_.input();
  const OpId op = input.parent_op(terminator);
  const bool is_condition =
      input.is(op, OpKind::While) && input.parent_block(terminator) == input.block(op, 0);
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input.num_operands(terminator); ++index) {
    if (input.is(op, OpKind::SdyManualComputation)) {
      lowering_.bind(input.result(op, index), out_of_manual(op, terminator, index));
      continue;
    }
    PartitionedValue value = lowering_.local(input.operand(terminator, index));
    const Layout layout =
        is_condition ? whole(value) : lowering_.layout_of(input.result(op, index));
    value = lowering_.reshard_to_layout(terminator, std::move(value), layout);
    if (input.is(op, OpKind::SdyNamedComputation)) {
      lowering_.bind(input.result(op, index), std::move(value));
    } else {
      operands.push_back(value.value);
    }
  }
  if (!ir::is_computation(input, op)) lowering_.clone(terminator, std::move(operands), {});
  return {};
}

// ---- Divergence ---------------------------------------------------------------------------------

// Reports an error, before the run, for each branch with a collective that only some devices of a
// group take.
//
//   mesh <["x"=2, "y"=2]>, in a manual computation over {"x"}
//   %r = remainder(partition_id, 2)        0 1 0 1 on devices 0 to 3
//   case %r {
//     spmd.all_reduce {"y"} %a      groups [0, 1] and [2, 3]: devices 1 and 3 never reach it
//   } { }

namespace {

using Numbers = std::vector<int64_t>;  // one per device id
using Flags = std::vector<bool>;       // one per device id

bool is_number(const Type& type) {
  if (!type.is_static_tensor() || type.num_elements() != 1) return false;
  return ir::is_integer(type.element()) || ir::is_boolean(type.element());
}

/// Returns the number if the element type can represent it, else std::nullopt. Takes the lowest bit
/// for booleans, and does not check numbers of 64 bits.
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

/// Returns the result of an op on numbers; std::nullopt for other ops, overflow, and divisors that
/// are not positive.
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

  /// Returns the devices that reach the op, and the innermost `case` or `if` around it with a known
  /// predicate; std::nullopt if there is none.
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
