// Import of manual computations that are enclosed in custom calls. The body is a function or
// inlined. Spec: interop 5.7.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "passes/common/functions.hpp"
#include "passes/common/ir_names.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- With calls ---------------------------------------------------------------------------------
// Import of a manual computation whose body is called between custom calls. Spec: interop 5.7.
//
//   %1 = custom_call @Sharding(%0)                           %5 = sdy.manual_computation(%0)
//   %2 = custom_call @SPMDFullToShardShape(%1)                      in_shardings=[[{"x", ?}, {?}]]
//   %3 = call @shmap_body(%2) : tensor<4x4xf32>      ->             manual_axes={"x"} (%2) {
//   %4 = custom_call @Sharding(%3)                             body of @shmap_body
//   %5 = custom_call @SPMDShardToFullShape(%4)               }

OpId make_manual_computation(Module& module, ManualRegion region, ir::LocationId location) {
  ir::OpSpec spec{.kind = OpKind::SdyManualComputation};
  spec.operands = std::move(region.operands);
  spec.result_types = std::move(region.result_types);
  spec.attributes.set(ir::attr::kInShardings, ir::ShardingList{std::move(region.in)});
  spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{std::move(region.out)});
  spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{std::move(region.manual_axes)});
  const ir::RegionId body = module.new_region();
  module.new_block(body, region.arg_types);
  spec.regions = {body};
  spec.location = location;
  return module.create(std::move(spec));
}

// ---- Bodies -------------------------------------------------------------------------------------

RegionBodies::RegionBodies(Module& module) : module_(module), trees_(module) {
  for (const OpId function : module.functions()) {
    if (!module.is_external(function)) count_calls(module.entry(function));
  }
}

void RegionBodies::count_calls(ir::BlockId block) {
  for (const OpId op : ir::pre_order(module_, block)) {
    const auto* callee = module_.is(op, OpKind::FuncCall)
                             ? module_.attribute<ir::SymbolAttr>(op, ir::attr::kCallee)
                             : nullptr;
    if (callee != nullptr) ++calls_[callee->name];
  }
}

Status RegionBodies::take(OpId call, ir::BlockId block, const std::vector<std::size_t>& kept) {
  const auto callee = ir::callee_of(module_, call);
  if (!callee || module_.is_external(*callee)) {
    return fail_at_place(module_, {call}, "the body of the manual computation is missing");
  }
  const std::string name(module_.symbol_name(*callee));
  const ir::BlockId entry = module_.entry(*callee);
  const std::vector<ValueId> args(module_.args(entry).begin(), module_.args(entry).end());
  const std::vector<ValueId> own(module_.args(block).begin(), module_.args(block).end());
  if (args.size() != own.size()) {
    return fail_at_place(module_, {call},
                         "the body of the manual computation takes " + std::to_string(args.size()) +
                             " values, not " + std::to_string(own.size()));
  }
  if (--calls_[name] > 0) {
    SHARDY_TRY_STATUS(verified_calls(module_));
    copied_ += trees_.size(*callee);
    SHARDY_TRY_STATUS(expect_few_copies(copied_, module_.source_location(call)));
    ValueMap map;
    for (std::size_t index = 0; index < args.size(); ++index) map.emplace(args[index], own[index]);
    clone_ops(module_, entry, block, map);
    count_calls(block);
  } else {
    module_.splice(entry, block);
    for (std::size_t index = 0; index < args.size(); ++index) {
      module_.replace_all_uses(args[index], own[index]);
    }
    taken_.push_back(*callee);
  }
  const OpId last = module_.last_op(block);
  ir::OpSpec spec{.kind = OpKind::SdyReturn};
  for (const std::size_t index : kept) spec.operands.push_back(module_.operand(last, index));
  spec.location = module_.location(last);
  module_.append(block, module_.create(std::move(spec)));
  module_.erase(last);
  return {};
}

void RegionBodies::erase_taken() {
  for (const OpId function : taken_) module_.erase(function);
  taken_.clear();
}

// ---- Borders ------------------------------------------------------------------------------------

namespace {

/// Returns true for a call of `target`. An mhlo.copy counts as a `@Sharding` call.
bool is_marked(const Module& module, OpId op, std::string_view target) {
  if (calls_target(module, op, target)) return true;
  return target == target::kSharding && is_mhlo_copy(module, op);
}

OpId maker(const Module& module, ValueId value, std::string_view target) {
  const OpId op = module.defining_op(value);
  const bool is_it = op.valid() && is_marked(module, op, target) && module.num_operands(op) == 1 &&
                     module.num_results(op) == 1;
  return is_it ? op : OpId();
}

/// Returns the only user of a value if it calls `target` with one operand and one result; else
/// invalid.
OpId only_user(const Module& module, ValueId value, std::string_view target) {
  const std::vector<ir::Use> uses = module.uses(value);
  if (uses.size() != 1 || !is_marked(module, uses[0].op, target)) return {};
  const bool is_it = module.num_operands(uses[0].op) == 1 && module.num_results(uses[0].op) == 1;
  return is_it ? uses[0].op : OpId();
}

/// Returns the SPMDShardToFullShape call of a local value, which follows the value's `@Sharding`
/// call.
OpId exit_of(const Module& module, ValueId local) {
  const OpId marked = only_user(module, local, target::kSharding);
  return marked.valid() ? only_user(module, module.result(marked), target::kShardToFull) : OpId();
}

}  // namespace

void GspmdImporter::erase_unused(OpId op) {
  if (module_.is_erased(op)) return;
  for (const ValueId result : module_.results(op)) {
    if (module_.num_uses(result) > 0) return;
  }
  module_.erase(op);
}

Status GspmdImporter::agree(OpId mark, const NameList& manual, std::optional<NameList>& axes) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at({mark}));
  if (!leaves) {
    return fail_at_place(module_, {mark},
                         place_text(module_, {mark}) +
                             " has no mhlo.sharding, and is at the "
                             "border of a manual computation");
  }
  SHARDY_TRY(const LeafSharding read,
             reader_.read({mark}, leaves->front(), module_.type(module_.result(mark))));
  NameList own;
  for (const std::string& axis : read.manual) {
    if (std::ranges::find(manual, axis) == manual.end()) own.push_back(axis);
  }
  if (!manual.empty()) with_manual_.insert(ir::enclosing_function(module_, mark));
  if (own.size() + manual.size() != read.manual.size()) {
    return fail_at_place(
        module_, {mark},
        place_text(module_, {mark}) +
            " does not name the manual axes around it: " + manual_axes_text(manual));
  }
  if (!axes) axes = own;
  if (*axes == own) return {};
  return fail_at_place(module_, {mark},
                       "the borders of a manual computation disagree on its axes: " +
                           manual_axes_text(*axes) + " and " + manual_axes_text(own));
}

/// Returns the sharding of the marked value as seen from the parent of the computation.
Result<TensorSharding> GspmdImporter::global_sharding(OpId call, const NameList& manual) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at({call}));
  if (!leaves) {
    return fail_at_place(module_, {call}, "expected CustomCallOp with a sharding attribute");
  }
  const ir::Type& type = module_.type(module_.result(call));
  SHARDY_TRY(const LeafSharding read, leaf_in({call}, leaves->front(), type, manual));
  SHARDY_TRY(const std::vector<std::size_t> open, unspecified_dims(module_, call));
  return read.sharding.with_open_dims(open);
}

Status GspmdImporter::add_entry(OpId enter, const NameList& manual, ManualRegion& region,
                                std::optional<NameList>& axes) {
  const OpId marked = maker(module_, module_.operand(enter, 0), target::kSharding);
  if (!marked.valid()) {
    return fail_at_place(module_, {enter},
                         "the operand of @SPMDFullToShardShape is not a result of @Sharding");
  }
  SHARDY_TRY_STATUS(agree(enter, manual, axes));
  SHARDY_TRY(TensorSharding sharding, global_sharding(marked, manual));
  region.operands.push_back(module_.operand(marked, 0));
  region.arg_types.push_back(module_.type(module_.result(enter)));
  region.in.push_back(std::move(sharding));
  return {};
}

Status GspmdImporter::add_exit(OpId leave, const NameList& manual, ManualRegion& region,
                               std::optional<NameList>& axes) {
  const OpId marked = maker(module_, module_.operand(leave, 0), target::kSharding);
  if (!marked.valid()) {
    return fail_at_place(module_, {leave},
                         "the operand of @SPMDShardToFullShape is not a result of @Sharding");
  }
  SHARDY_TRY_STATUS(agree(marked, manual, axes));
  SHARDY_TRY(TensorSharding sharding, global_sharding(leave, manual));
  region.result_types.push_back(module_.type(module_.result(leave)));
  region.out.push_back(std::move(sharding));
  return {};
}

Status GspmdImporter::add_replicated(const ir::Type& type, std::vector<TensorSharding>& list) {
  const MeshRef mesh = reader_.mesh().value_or(MeshRef());
  list.push_back(TensorSharding::fully_closed(mesh.mesh, mesh.name, ir::sharding_rank(type)));
  return {};
}

void GspmdImporter::queue_body(OpId computation, const NameList& manual, const NameList& own) {
  NameList inside = manual;
  inside.insert(inside.end(), own.begin(), own.end());
  ++counts_.shard_maps;
  blocks_.push_back({module_.block(computation), std::move(inside)});
}

// ---- Calls --------------------------------------------------------------------------------------

/// Adds a value that no custom call converts to a shard. Error: the value is sharded.
Status GspmdImporter::add_outside(ValueId value, OpId reader, ManualRegion& region) {
  const auto sharding = ir::get_sharding(module_, value);
  bool is_whole = !sharding || sharding->is_fully_replicated();
  const ir::ValueOwner owner = module_.owner(value);
  if (owner.is_result() && !sharding) {
    SHARDY_TRY(const auto leaves, reader_.leaves_at({owner.op}));
    if (leaves) {
      SHARDY_TRY(const LeafSharding read,
                 reader_.read({owner.op}, (*leaves)[owner.index], module_.type(value)));
      is_whole = read.sharding.is_fully_replicated();
    }
  }
  if (!is_whole) {
    return fail_at_place(
        module_, {reader},
        "cannot separate the manual region at " + place_text(module_, {reader}) +
            ": it reads a sharded value from outside; only replicated values can be read there");
  }
  region.operands.push_back(value);
  region.arg_types.push_back(module_.type(value));
  return add_replicated(module_.type(value), region.in);
}

/// Returns true for a call whose operands and results cross the region boundary by custom calls, or
/// are captured unchanged.
bool GspmdImporter::is_region_call(OpId call, const std::set<OpId>& local) const {
  bool has_border = false;
  for (const ValueId operand : module_.operands(call)) {
    if (module_.type(operand).is_token()) continue;
    const bool is_entry = maker(module_, operand, target::kFullToShard).valid();
    const OpId definition = module_.defining_op(operand);
    const bool is_local = definition.valid() && local.contains(definition) &&
                          !calls_target(module_, definition, target::kShardToFull);
    if (!is_entry && is_local) return false;
    has_border = has_border || is_entry;
  }
  for (const ValueId result : module_.results(call)) {
    if (module_.type(result).is_token() || module_.num_uses(result) == 0) continue;
    if (!exit_of(module_, result).valid()) return false;
    has_border = true;
  }
  return has_border;
}

Status GspmdImporter::convert_region_calls(const std::vector<OpId>& ops, const NameList& manual) {
  std::map<ir::BlockId, std::set<OpId>> local;
  for (const OpId op : ops) {
    const bool is_call = !module_.is_erased(op) && module_.is(op, OpKind::FuncCall);
    if (!is_call) continue;
    const ir::BlockId block = module_.parent_block(op);
    const auto [known, is_new] = local.try_emplace(block);
    if (is_new) known->second = ops_in_regions(module_, block);
    if (!is_region_call(op, known->second)) continue;
    SHARDY_TRY_STATUS(convert_region_call(op, manual));
  }
  return {};
}

Status GspmdImporter::convert_region_call(OpId call, const NameList& manual) {
  ManualRegion region;
  std::optional<NameList> axes;
  std::vector<OpId> old;  // users come before definitions
  for (const ValueId operand : module_.operands(call)) {
    if (module_.type(operand).is_token()) {
      region.operands.push_back(operand);
      region.arg_types.push_back(module_.type(operand));
      SHARDY_TRY_STATUS(add_replicated(module_.type(operand), region.in));
      continue;
    }
    const OpId enter = maker(module_, operand, target::kFullToShard);
    if (!enter.valid()) {
      SHARDY_TRY_STATUS(add_outside(operand, call, region));
      continue;
    }
    SHARDY_TRY_STATUS(add_entry(enter, manual, region, axes));
    old.push_back(enter);
    old.push_back(module_.defining_op(module_.operand(enter, 0)));
  }
  std::vector<std::size_t> kept;
  std::vector<ValueId> replaced;
  for (std::size_t index = 0; index < module_.num_results(call); ++index) {
    const ValueId result = module_.result(call, index);
    if (module_.num_uses(result) == 0) continue;
    kept.push_back(index);
    if (module_.type(result).is_token()) {
      region.result_types.push_back(module_.type(result));
      SHARDY_TRY_STATUS(add_replicated(module_.type(result), region.out));
      replaced.push_back(result);
      continue;
    }
    const OpId leave = exit_of(module_, result);
    SHARDY_TRY_STATUS(add_exit(leave, manual, region, axes));
    replaced.push_back(module_.result(leave));
  }
  const NameList own = axes.value_or(NameList());
  region.manual_axes = own;
  const OpId computation =
      make_manual_computation(module_, std::move(region), module_.location(call));
  module_.insert_before(call, computation);
  SHARDY_TRY_STATUS(bodies_.take(call, module_.block(computation), kept));
  for (std::size_t index = 0; index < replaced.size(); ++index) {
    const OpId leave = module_.defining_op(replaced[index]);
    module_.replace_all_uses(replaced[index], module_.result(computation, index));
    if (leave == call) continue;
    const OpId marked = module_.defining_op(module_.operand(leave, 0));
    module_.erase(leave);
    module_.erase(marked);
  }
  module_.erase(call);
  for (const OpId op : old) erase_unused(op);
  queue_body(computation, manual, own);
  return {};
}

// ---- Inlined ------------------------------------------------------------------------------------
// Import of a manual computation whose body is inlined between custom calls. Spec: interop 5.7.
//
//   %1 = custom_call @SPMDFullToShardShape(%0)             %3 = sdy.manual_computation(%0)
//   %2 = add %1, %1                                   ->          manual_axes={"x"} (%1) {
//   %3 = custom_call @SPMDShardToFullShape(%2)               %2 = add %1, %1
//                                                            sdy.return %2
//                                                          }

namespace {

/// Returns the op of `block` that is `op` or contains it; invalid if none exists.
OpId op_in_block(const Module& module, ir::BlockId block, OpId op) {
  while (op.valid() && module.parent_block(op) != block) op = module.parent_op(op);
  return op;
}

/// Returns the values that an op and the ops in its regions use.
std::vector<ValueId> used_values(const Module& module, OpId op) {
  std::vector<ValueId> used = module.operands(op);
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) {
        for (const ValueId value : module.operands(inner)) used.push_back(value);
      }
    }
  }
  return used;
}

bool is_constant(const Module& module, OpId op) {
  return op.valid() &&
         (module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant) ||
          module.is(op, OpKind::Iota)) &&
         module.num_operands(op) == 0;
}

/// Returns true for a `@Sharding` call whose only user is SPMDShardToFullShape.
bool is_way_out(const Module& module, OpId op) {
  const bool is_mark = calls_target(module, op, target::kSharding) || is_mhlo_copy(module, op);
  if (!is_mark || module.num_results(op) != 1) return false;
  const std::vector<ir::Use> uses = module.uses(module.result(op));
  return uses.size() == 1 && calls_target(module, uses[0].op, target::kShardToFull);
}

/// The ops in a block that depend on local values, grouped into connected components.
class LocalOps {
 public:
  LocalOps(const Module& module, ir::BlockId block) : module_(module), block_(block) {}

  std::vector<std::vector<OpId>> groups() {
    for (const OpId op : module_.ops(block_)) {
      if (calls_target(module_, op, target::kFullToShard)) add(op);
    }
    while (!open_.empty()) {
      const OpId op = open_.back();
      open_.pop_back();
      follow(op);
    }
    std::map<OpId, std::size_t> index;
    std::vector<std::vector<OpId>> groups;
    for (const OpId op : module_.ops(block_)) {
      if (!parent_.contains(op)) continue;
      const auto [place, is_new] = index.emplace(root(op), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(op);
    }
    return groups;
  }

 private:
  void add(OpId op) {
    if (parent_.emplace(op, op).second) open_.push_back(op);
  }

  OpId root(OpId op) {
    while (parent_.at(op) != op) {
      parent_[op] = parent_.at(parent_.at(op));
      op = parent_.at(op);
    }
    return op;
  }

  void follow(OpId op) {
    if (calls_target(module_, op, target::kShardToFull)) return;
    for (const ValueId result : module_.results(op)) {
      for (const ir::Use& use : module_.uses(result)) {
        const OpId user = op_in_block(module_, block_, use.op);
        if (!user.valid() || module_.has_trait(user, ir::kTerminator)) continue;
        add(user);
        parent_[root(user)] = root(op);
      }
    }
  }

  const Module& module_;
  ir::BlockId block_;
  std::map<OpId, OpId> parent_;
  std::vector<OpId> open_;
};

}  // namespace

std::set<OpId> ops_in_regions(const Module& module, ir::BlockId block) {
  std::set<OpId> all;
  for (const std::vector<OpId>& group : LocalOps(module, block).groups()) {
    all.insert(group.begin(), group.end());
  }
  return all;
}

Status GspmdImporter::convert_inline_regions(ir::BlockId block, const NameList& manual) {
  std::set<ir::BlockId> blocks;
  for (const OpId op : ir::pre_order(module_, block, [&](OpId each) {
         return !module_.is(each, OpKind::SdyManualComputation);
       })) {
    if (calls_target(module_, op, target::kFullToShard)) blocks.insert(module_.parent_block(op));
  }
  for (const ir::BlockId each : blocks) {
    for (const std::vector<OpId>& group : LocalOps(module_, each).groups()) {
      SHARDY_TRY_STATUS(convert_inline_region(group, manual));
    }
  }
  return {};
}

namespace {

tl::unexpected<Error> cannot_separate(const Module& module, OpId op, std::string_view reason) {
  return fail_at_place(module, {op},
                       "cannot separate the manual region at " + place_text(module, {op}) + ": " +
                           std::string(reason));
}

}  // namespace

/// The ops between custom calls by category, each in program order.
struct GspmdImporter::InlineRegion {
  std::vector<OpId> entries, exits, body;
  std::vector<OpId> constants;   // captured constants, which are cloned into the body
  std::vector<ValueId> outside;  // other captured values, each once
};

Result<ManualRegion> GspmdImporter::read_borders(const InlineRegion& inlined,
                                                 const NameList& manual) {
  ManualRegion region;
  std::optional<NameList> axes;
  for (const OpId enter : inlined.entries) {
    if (module_.num_operands(enter) != 1 || module_.num_results(enter) != 1) {
      return cannot_separate(module_, enter, "it does not have one operand and one result");
    }
    SHARDY_TRY_STATUS(add_entry(enter, manual, region, axes));
  }
  for (const OpId leave : inlined.exits) {
    if (module_.is_before(leave, inlined.entries.back())) {
      return cannot_separate(module_, leave, "it precedes the last entry of the region");
    }
    SHARDY_TRY_STATUS(add_exit(leave, manual, region, axes));
  }
  region.manual_axes = axes.value_or(NameList());
  return region;
}

namespace {

/// Returns the values that the op and its regions use and that are defined outside of `members`.
std::vector<ValueId> outside_values(const Module& module, OpId op, const std::set<OpId>& members,
                                    ir::BlockId block) {
  std::vector<ValueId> outside = used_values(module, op);
  std::erase_if(outside, [&](ValueId value) {
    const ir::ValueOwner owner = module.owner(value);
    const OpId from =
        op_in_block(module, block, owner.is_result() ? owner.op : module.parent_op(owner.block));
    return from.valid() && members.contains(from);
  });
  return outside;
}

bool is_used_outside(const Module& module, OpId op, const std::set<OpId>& members,
                     ir::BlockId block) {
  for (const ValueId result : module.results(op)) {
    for (const ir::Use& use : module.uses(result)) {
      const OpId user = op_in_block(module, block, use.op);
      if (!user.valid() || !members.contains(user)) return true;
    }
  }
  return false;
}

}  // namespace

/// Makes captured values operands of the computation and clones captured constants. Errors: a
/// captured value is sharded; results of the body are used outside.
Status GspmdImporter::read_outside(const std::vector<OpId>& ops, InlineRegion& inlined,
                                   ManualRegion& region) {
  const std::set<OpId> members(ops.begin(), ops.end());
  const ir::BlockId block = module_.parent_block(inlined.entries.back());
  for (const OpId op : inlined.body) {
    if (is_used_outside(module_, op, members, block)) {
      return cannot_separate(module_, op,
                             "its result leaves the region without @SPMDShardToFullShape");
    }
    for (const ValueId value : outside_values(module_, op, members, block)) {
      const ir::ValueOwner owner = module_.owner(value);
      if (owner.is_result() && is_constant(module_, owner.op)) {
        inlined.constants.push_back(owner.op);
        continue;
      }
      if (std::ranges::find(inlined.outside, value) != inlined.outside.end()) continue;
      SHARDY_TRY_STATUS(add_outside(value, op, region));
      inlined.outside.push_back(value);
    }
  }
  return {};
}

/// Returns the op after which the computation is inserted: the last op that defines an operand.
/// Error: a SPMDShardToFullShape precedes it.
Result<OpId> GspmdImporter::op_before(const InlineRegion& inlined) const {
  OpId last = inlined.entries.back();
  const ir::BlockId block = module_.parent_block(last);
  for (const ValueId value : inlined.outside) {
    const OpId from = module_.defining_op(value);
    const bool is_here = from.valid() && module_.parent_block(from) == block;
    if (is_here && module_.is_before(last, from)) last = from;
  }
  for (const OpId leave : inlined.exits) {
    if (!module_.is_before(leave, last)) continue;
    return cannot_separate(module_, last, "it follows an exit of the region that reads it");
  }
  return last;
}

void GspmdImporter::fill_body(OpId computation, const InlineRegion& inlined) {
  const ir::BlockId inside = module_.block(computation);
  ValueMap map;
  for (const OpId constant : inlined.constants) {
    if (map.contains(module_.result(constant))) continue;
    module_.append(inside, clone_op(module_, constant, map));
  }
  for (std::size_t index = 0; index < inlined.entries.size(); ++index) {
    map.emplace(module_.result(inlined.entries[index]), module_.args(inside)[index]);
  }
  for (std::size_t index = 0; index < inlined.outside.size(); ++index) {
    map.emplace(inlined.outside[index], module_.args(inside)[inlined.entries.size() + index]);
  }
  for (const OpId op : inlined.body) {
    const OpId copy = clone_op(module_, op, map);
    module_.append(inside, copy);
  }
  ir::OpSpec spec{.kind = OpKind::SdyReturn};
  for (const OpId leave : inlined.exits) {
    const OpId marked = module_.defining_op(module_.operand(leave, 0));
    spec.operands.push_back(mapped(map, module_.operand(marked, 0)));
  }
  spec.location = module_.location(computation);
  module_.append(inside, module_.create(std::move(spec)));
}

void GspmdImporter::erase_inlined(const InlineRegion& inlined, OpId computation) {
  for (std::size_t index = 0; index < inlined.exits.size(); ++index) {
    const OpId leave = inlined.exits[index];
    const OpId marked = module_.defining_op(module_.operand(leave, 0));
    module_.replace_all_uses(module_.result(leave), module_.result(computation, index));
    module_.erase(leave);
    erase_unused(marked);
  }
  for (auto op = inlined.body.rbegin(); op != inlined.body.rend(); ++op) module_.erase(*op);
  for (const OpId enter : inlined.entries) {
    const OpId marked = module_.defining_op(module_.operand(enter, 0));
    module_.erase(enter);
    erase_unused(marked);
  }
}

Status GspmdImporter::convert_inline_region(const std::vector<OpId>& ops, const NameList& manual) {
  InlineRegion inlined;
  for (const OpId op : ops) {
    if (calls_target(module_, op, target::kFullToShard)) {
      inlined.entries.push_back(op);
    } else if (calls_target(module_, op, target::kShardToFull)) {
      inlined.exits.push_back(op);
    } else if (!is_way_out(module_, op)) {
      inlined.body.push_back(op);
    }
  }
  const OpId last_entry = inlined.entries.back();
  SHARDY_TRY(ManualRegion region, read_borders(inlined, manual));
  SHARDY_TRY_STATUS(read_outside(ops, inlined, region));
  SHARDY_TRY(const OpId before, op_before(inlined));
  const NameList own = region.manual_axes;
  const OpId computation =
      make_manual_computation(module_, std::move(region), module_.location(last_entry));
  module_.insert_after(before, computation);
  fill_body(computation, inlined);
  erase_inlined(inlined, computation);
  queue_body(computation, manual, own);
  return {};
}

}  // namespace shardy::passes
