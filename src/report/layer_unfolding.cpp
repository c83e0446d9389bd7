#include "report/layer_unfolding.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "passes/common/functions.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "report/change_folding.hpp"
#include "report/layer_folding.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;

// ---- Equal ops ----------------------------------------------------------------------------------

namespace {

/// Returns the attributes of an argument of main without the number of the result that aliases it,
/// which differs between layers.
ir::AttributeMap argument_attributes(const Module& module, std::size_t index) {
  const ir::FunctionData& main = module.function(*module.main_function());
  if (index >= main.arg_attributes.size()) return {};
  ir::AttributeMap attributes = main.arg_attributes[index];
  attributes.erase(passes::kAliasingOutputAttr);
  return attributes;
}

ir::AttributeMap result_attributes(const Module& module, std::size_t index) {
  const ir::FunctionData& main = module.function(*module.main_function());
  return index < main.result_attributes.size() ? main.result_attributes[index] : ir::AttributeMap();
}

/// Compares ops of one or two modules. `pair` reports whether two values correspond.
class OpComparison {
 public:
  using Pair = std::function<bool(ValueId, ValueId, std::size_t operand)>;

  OpComparison(const Module& a, const Module& b) : a_(a), b_(b) {}

  /// `outer` compares operands that are defined outside of the ops; `operand` is their index in the
  /// op, or kNested in regions.
  bool equal(OpId x, OpId y, const Pair& outer) {
    inner_.clear();
    return equal_ops(x, y, outer, false);
  }

  static constexpr std::size_t kNested = ~std::size_t{0};

 private:
  bool equal_ops(OpId x, OpId y, const Pair& outer, bool is_nested) {
    if (a_.kind(x) != b_.kind(y) || a_.name(x) != b_.name(y)) return false;
    if (a_.num_operands(x) != b_.num_operands(y) || a_.num_results(x) != b_.num_results(y)) {
      return false;
    }
    if (!(a_.attributes(x) == b_.attributes(y))) return false;
    for (std::size_t index = 0; index < a_.num_operands(x); ++index) {
      const ValueId one = a_.operand(x, index);
      const ValueId other = b_.operand(y, index);
      const auto inner = inner_.find(one);
      const bool equal = inner != inner_.end() ? inner->second == other
                                               : outer(one, other, is_nested ? kNested : index);
      if (!equal) return false;
    }
    for (std::size_t index = 0; index < a_.num_results(x); ++index) {
      const ValueId one = a_.result(x, index);
      if (!(a_.type(one) == b_.type(b_.result(y, index)))) return false;
      if (is_nested) inner_.emplace(one, b_.result(y, index));
    }
    return equal_regions(x, y, outer);
  }

  bool equal_regions(OpId x, OpId y, const Pair& outer) {
    const auto from = a_.regions(x);
    const auto to = b_.regions(y);
    if (from.size() != to.size()) return false;
    for (std::size_t region = 0; region < from.size(); ++region) {
      const auto blocks = a_.blocks(from[region]);
      const auto others = b_.blocks(to[region]);
      if (blocks.size() != others.size()) return false;
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (!equal_blocks(blocks[block], others[block], outer)) return false;
      }
    }
    return true;
  }

  bool equal_blocks(ir::BlockId x, ir::BlockId y, const Pair& outer) {
    const auto args = a_.args(x);
    const auto others = b_.args(y);
    if (args.size() != others.size()) return false;
    for (std::size_t index = 0; index < args.size(); ++index) {
      if (!(a_.type(args[index]) == b_.type(others[index]))) return false;
      inner_.emplace(args[index], others[index]);
    }
    OpId other = b_.first_op(y);
    for (const OpId op : a_.ops(x)) {
      if (!other.valid() || !equal_ops(op, other, outer, true)) return false;
      other = b_.next(other);
    }
    return !other.valid();
  }

  const Module& a_;
  const Module& b_;
  std::unordered_map<ValueId, ValueId> inner_;  // values of regions; never iterated
};

/// Compares the main functions of two programs. Values of `a` are mapped to values of `b`.
class ProgramComparison {
 public:
  ProgramComparison(const Module& a, const Module& b)
      : a_(a), b_(b), main_a_(*a.main_function()), main_b_(*b.main_function()) {}

  bool run() {
    const OpId end = a_.last_op(a_.entry(main_a_));
    const OpId other_end = b_.last_op(b_.entry(main_b_));
    OpComparison ops(a_, b_);
    OpId other = b_.first_op(b_.entry(main_b_));
    for (const OpId op : a_.ops(a_.entry(main_a_))) {
      if (op == end) break;
      if (other == other_end) return false;
      const bool is_equal = ops.equal(
          op, other, [&](ValueId x, ValueId y, std::size_t) { return corresponds(x, y); });
      if (!is_equal) return false;
      for (std::size_t index = 0; index < a_.num_results(op); ++index) {
        values_.emplace(a_.result(op, index), b_.result(other, index));
      }
      other = b_.next(other);
    }
    return other == other_end && returned(a_, end, true) == returned(b_, other_end, false);
  }

 private:
  bool corresponds(ValueId x, ValueId y) {
    if (const auto known = values_.find(x); known != values_.end()) return known->second == y;
    const ir::ValueOwner from = a_.owner(x);
    const ir::ValueOwner to = b_.owner(y);
    if (from.is_result() || to.is_result() || taken_.contains(y)) return false;
    if (!(a_.type(x) == b_.type(y))) return false;
    if (!(argument_attributes(a_, from.index) == argument_attributes(b_, to.index))) return false;
    values_.emplace(x, y);
    taken_.emplace(y, x);
    return true;
  }

  /// Returns the returned values of `b` with their attributes, in an order of their own.
  std::vector<std::pair<uint32_t, std::size_t>> returned(const Module& module, OpId end,
                                                         bool maps) const {
    std::vector<std::pair<uint32_t, std::size_t>> all;
    for (std::size_t index = 0; index < module.num_operands(end); ++index) {
      const ValueId value = module.operand(end, index);
      const auto found = maps ? values_.find(value) : values_.end();
      const ValueId other = !maps ? value : found != values_.end() ? found->second : ValueId();
      all.emplace_back(other.value, ir::hash_of_attributes(result_attributes(module, index)));
    }
    std::ranges::sort(all);
    return all;
  }

  const Module& a_;
  const Module& b_;
  OpId main_a_;
  OpId main_b_;
  std::unordered_map<ValueId, ValueId> values_;  // never iterated
  std::unordered_map<ValueId, ValueId> taken_;   // arguments of `b`; never iterated
};

}  // namespace

bool is_equal_program(const Module& a, const Module& b) { return ProgramComparison(a, b).run(); }

// ---- Copies of a layer --------------------------------------------------------------------------

namespace {

constexpr int32_t kLeastEqual = 5;  // blocks; the inner three have equal operands

/// Finds equal blocks of main and inserts copies of one.
class LayerCopies {
 public:
  LayerCopies(const Module& program, std::size_t extra, std::size_t num_layers,
              const LayerOfOp& layer_of)
      : module_(program),
        extra_(static_cast<int32_t>(extra)),
        num_layers_(static_cast<int32_t>(num_layers)),
        layer_of_(layer_of),
        main_(*program.main_function()),
        entry_(program.entry(main_)),
        end_(program.last_op(entry_)) {}

  /// Returns false if the blocks differ.
  bool run() {
    if (!place_ops() || !contains_inner_layers()) return false;
    place_arguments();
    if (!has_equal_blocks() || !has_equal_results() || !is_closed()) return false;
    insert();
    return is_ordered();
  }
  Module take() { return std::move(module_); }

 private:
  /// A value of a block: a result of a member, or an argument that belongs to the block.
  struct Label {
    int32_t block = -1;   // -1: in no block
    int32_t member = -1;  // negative numbers from -2: arguments
    uint32_t index = 0;   // of the result
    bool corresponds_to(const Label& other) const {
      return block >= 0 && other.block >= 0 && member == other.member && index == other.index;
    }
  };

  /// An operand, relative to the block of its op; std::nullopt: the same value for all blocks.
  using Distance = std::optional<int32_t>;

  // ---- Blocks ----

  /// Places ops in blocks. Returns false without enough blocks.
  bool place_ops() {
    std::unordered_map<OpId, std::size_t> index;  // never iterated
    for (const OpId op : module_.ops(entry_)) {
      if (op == end_) continue;
      index.emplace(op, ops_.size());
      ops_.push_back(op);
    }
    const auto linked = [&](std::size_t at) {
      std::vector<std::size_t> found;
      const auto add = [&](OpId other) {
        const auto known = index.find(other);
        if (known != index.end()) found.push_back(known->second);
      };
      for (const ValueId value : module_.operands(ops_[at])) add(module_.defining_op(value));
      for (const ValueId value : module_.results(ops_[at])) {
        for (const ir::Use& use : module_.uses(value)) add(use.op);
      }
      return found;
    };
    constexpr std::size_t kMostRuns = 16;
    const RepeatedBlocks found = repeated_blocks(numbers_of(module_, ops_), linked, kMostRuns);
    std::vector<std::map<int32_t, OpId>> members(found.num_members);  // by block
    for (std::size_t at = 0; at < ops_.size(); ++at) {
      const BlockPosition& position = found.positions[at];
      if (position.block < 0) continue;
      members[static_cast<std::size_t>(position.member)].emplace(position.block, ops_[at]);
    }
    return choose(members);
  }

  /// Keeps the members that advance by one layer per block, and the blocks that have all of them.
  bool choose(const std::vector<std::map<int32_t, OpId>>& members) {
    first_ = 0;
    last_ = std::numeric_limits<int32_t>::max();
    for (const auto& blocks : members) {
      if (blocks.empty() || !advances(blocks)) continue;
      first_ = std::max(first_, blocks.begin()->first);
      last_ = std::min(last_, blocks.rbegin()->first);
      members_.push_back(blocks);
    }
    if (members_.empty() || last_ - first_ + 1 < kLeastEqual) return false;
    for (std::size_t member = 0; member < members_.size(); ++member) {
      for (const auto& [block, op] : members_[member]) {
        if (block < first_ || block > last_) continue;
        positions_.emplace(op, BlockPosition{block, static_cast<int32_t>(member)});
      }
    }
    cut_ = (first_ + last_) / 2;
    return true;
  }

  /// Checks whether the ops are in consecutive layers. Ops of unknown layers follow their
  /// neighbors.
  bool advances(const std::map<int32_t, OpId>& blocks) {
    int32_t previous = -1;
    for (const auto& [block, op] : blocks) {
      const int32_t layer = layer_of_(module_, op);
      if (layer < 0) return previous < 0;
      if (block != blocks.begin()->first) {
        if (previous < 0 || (layer != previous + 1 && layer != previous - 1)) return false;
        const int32_t step = layer - previous;
        if (step_ != 0 && step != step_) return false;
        step_ = step;
      }
      previous = layer;
    }
    return true;
  }

  /// Checks whether all ops of inner layers are in blocks.
  bool contains_inner_layers() const {
    for (const OpId op : ops_) {
      const int32_t layer = layer_of_(module_, op);
      const bool is_inner = layer >= 2 && layer < num_layers_ - 2;
      if (is_inner && !positions_.contains(op)) return false;
    }
    return step_ != 0;
  }

  OpId op_at(int32_t block, std::size_t member) const { return members_[member].at(block); }

  bool is_between(int32_t block) const { return block > first_ && block < last_; }

  /// Assigns the arguments that differ between blocks to the blocks of their first users.
  void place_arguments() {
    for (std::size_t member = 0; member < members_.size(); ++member) {
      const OpId op = op_at(cut_, member);
      for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
        const ValueId value = module_.operand(op, index);
        if (!is_argument(value) || arguments_.contains(value)) continue;
        const OpId next = op_at(cut_ + 1, member);
        if (module_.num_operands(next) <= index || module_.operand(next, index) == value) continue;
        place_argument(member, index);
      }
    }
  }

  void place_argument(std::size_t member, std::size_t index) {
    const auto number = static_cast<int32_t>(own_arguments_.size());
    std::map<int32_t, ValueId>& of_blocks = own_arguments_.emplace_back();
    for (int32_t block = first_; block <= last_; ++block) {
      const OpId op = op_at(block, member);
      if (module_.num_operands(op) <= index) continue;
      const ValueId value = module_.operand(op, index);
      if (!is_argument(value) || arguments_.contains(value)) continue;
      arguments_.emplace(value, Label{block, -2 - number, 0});
      of_blocks.emplace(block, value);
    }
  }

  bool is_argument(ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    return !owner.is_result() && owner.block == entry_;
  }

  Label label(ValueId value) const {
    const OpId op = module_.defining_op(value);
    if (!op.valid()) {
      const auto found = arguments_.find(value);
      return found != arguments_.end() ? found->second : Label();
    }
    const auto found = positions_.find(op);
    if (found == positions_.end()) return {};
    return {found->second.block, found->second.member, module_.owner(value).index};
  }

  // ---- Proof ----

  /// Returns the distance of operands of one op in two consecutive blocks; std::nullopt if they do
  /// not correspond.
  std::optional<Distance> distance(int32_t block, ValueId one, ValueId other) const {
    const Label from = label(one);
    if (one == other) {
      return is_between(from.block) ? std::nullopt : std::optional(Distance());
    }
    const Label to = label(other);
    if (!from.corresponds_to(to) || to.block != from.block + 1) return std::nullopt;
    const int32_t by = from.block - block;
    const bool is_near = by >= -1 && by <= 1;
    return is_near && is_like(one, other) ? std::optional(Distance(by)) : std::nullopt;
  }

  /// Checks whether two arguments have equal types and attributes.
  bool is_like(ValueId one, ValueId other) const {
    if (!(module_.type(one) == module_.type(other))) return false;
    if (module_.owner(one).is_result()) return true;
    return argument_attributes(module_, module_.owner(one).index) ==
           argument_attributes(module_, module_.owner(other).index);
  }

  /// Checks whether the ops of inner blocks are equal and have equal operands.
  bool has_equal_blocks() {
    distances_.resize(members_.size());
    OpComparison ops(module_, module_);
    for (std::size_t member = 0; member < members_.size(); ++member) {
      for (int32_t block = first_ + 1; block + 1 < last_; ++block) {
        if (!is_equal_in_next(ops, member, block)) return false;
      }
    }
    return true;
  }

  /// Checks whether a member of a block equals that of the next block. The first inner block sets
  /// the distances of operands.
  bool is_equal_in_next(OpComparison& ops, std::size_t member, int32_t block) {
    std::vector<Distance>& known = distances_[member];
    const auto pair = [&](ValueId one, ValueId other, std::size_t operand) {
      if (operand == OpComparison::kNested) return one == other && !is_between(label(one).block);
      const auto found = distance(block, one, other);
      if (found && block == first_ + 1) known.push_back(*found);
      return found && known[operand] == *found;
    };
    return ops.equal(op_at(block, member), op_at(block + 1, member), pair);
  }

  /// Checks whether main returns equal values of inner blocks.
  bool has_equal_results() {
    std::map<int32_t, std::vector<std::tuple<int32_t, uint32_t, std::size_t>>> of_blocks;
    for (int32_t block = first_ + 1; block < last_; ++block) of_blocks[block];
    for (std::size_t index = 0; index < module_.num_operands(end_); ++index) {
      const Label value = label(module_.operand(end_, index));
      if (!is_between(value.block)) continue;
      of_blocks[value.block].emplace_back(
          value.member, value.index, ir::hash_of_attributes(result_attributes(module_, index)));
    }
    for (auto& [block, values] : of_blocks) std::ranges::sort(values);
    return std::ranges::all_of(
        of_blocks, [&](const auto& each) { return each.second == of_blocks.begin()->second; });
  }

  /// Checks whether only ops of near blocks and the return of main use values of inner blocks.
  bool is_closed() const {
    for (const auto& [argument, at] : arguments_) {
      if (is_between(at.block) && !has_near_users(argument, at.block)) return false;
    }
    for (const auto& [op, position] : positions_) {
      if (!is_between(position.block)) continue;
      for (const ValueId value : module_.results(op)) {
        if (!has_near_users(value, position.block)) return false;
      }
    }
    return true;
  }

  bool has_near_users(ValueId value, int32_t block) const {
    for (const ir::Use& use : module_.uses(value)) {
      OpId user = use.op;
      while (module_.parent_block(user) != entry_) user = module_.parent_op(user);
      if (user == end_) continue;
      const auto found = positions_.find(user);
      if (found == positions_.end()) return false;
      const int32_t by = found->second.block - block;
      if (by < -1 || by > 1) return false;
    }
    return true;
  }

  // ---- Copies ----

  /// Returns the value of a block of the program with more layers that corresponds to `value`, a
  /// value of block cut_ at `by` blocks from the copy.
  ValueId value_at(int32_t block, const Label& value) const {
    if (block > cut_ && block <= cut_ + extra_) {
      return copies_[static_cast<std::size_t>(block - cut_ - 1)].at(value_of(cut_, value));
    }
    return value_of(block > cut_ ? block - extra_ : block, value);
  }

  ValueId value_of(int32_t block, const Label& value) const {
    if (value.member < 0) {
      return own_arguments_[static_cast<std::size_t>(-2 - value.member)].at(block);
    }
    return module_.result(op_at(block, static_cast<std::size_t>(value.member)), value.index);
  }

  void insert() {
    copies_.resize(static_cast<std::size_t>(extra_));
    copy_arguments();
    const std::vector<std::vector<std::size_t>> runs = member_runs();
    for (const auto& run : runs) copy_run(run);
    connect();
    copy_results();
  }

  /// Checks whether values are defined before their users.
  bool is_ordered() const {
    for (const OpId op : module_.ops(entry_)) {
      for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
        const OpId maker = module_.defining_op(module_.operand(op, index));
        if (maker.valid() && !module_.is_before(maker, op)) return false;
      }
    }
    return true;
  }

  void copy_arguments() {
    auto& attributes = module_.function(main_).arg_attributes;
    for (const auto& of_blocks : own_arguments_) {
      const ValueId argument = of_blocks.at(cut_);
      const std::size_t index = module_.owner(argument).index;
      const std::size_t count = module_.args(entry_).size();
      if (!attributes.empty()) attributes.resize(count + static_cast<std::size_t>(extra_));
      for (int32_t copy = 0; copy < extra_; ++copy) {
        const ValueId added = module_.add_argument(entry_, module_.type(argument));
        copies_[static_cast<std::size_t>(copy)].emplace(argument, added);
        if (!attributes.empty()) {
          attributes[count + static_cast<std::size_t>(copy)] = attributes[index];
        }
      }
    }
  }

  /// Returns the members of block cut_ that are next to each other, in program order.
  std::vector<std::vector<std::size_t>> member_runs() const {
    std::vector<std::vector<std::size_t>> runs;
    OpId previous;
    for (const OpId op : ops_) {
      const auto found = positions_.find(op);
      if (found == positions_.end() || found->second.block != cut_) continue;
      if (!previous.valid() || module_.next(previous) != op) runs.emplace_back();
      runs.back().push_back(static_cast<std::size_t>(found->second.member));
      previous = op;
    }
    return runs;
  }

  /// Copies a run of ops of block cut_ between that block and the next one.
  void copy_run(const std::vector<std::size_t>& run) {
    const bool is_forward =
        module_.is_before(op_at(cut_, run.front()), op_at(cut_ + 1, run.front()));
    OpId last = op_at(is_forward ? cut_ : cut_ + 1, run.back());
    for (int32_t step = 1; step <= extra_; ++step) {
      const int32_t copy = is_forward ? step : extra_ + 1 - step;
      for (const std::size_t member : run) {
        const OpId made = copy_op(op_at(cut_, member), member, copy);
        module_.insert_after(last, made);
        last = made;
      }
    }
  }

  OpId copy_op(OpId op, std::size_t member, int32_t copy) {
    passes::ValueMap values;
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const Distance& by = distances_[member][index];
      const ValueId value = module_.operand(op, index);
      if (by) values[value] = value_at(cut_ + copy + *by, label(value));
    }
    const OpId made = passes::clone_op(module_, op, values);
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      copies_[static_cast<std::size_t>(copy - 1)].emplace(module_.result(op, index),
                                                          module_.result(made, index));
    }
    return made;
  }

  /// Lets the blocks around the copies use the copies.
  void connect() {
    for (std::size_t member = 0; member < members_.size(); ++member) {
      for (std::size_t index = 0; index < distances_[member].size(); ++index) {
        const Distance& by = distances_[member][index];
        if (!by || *by == 0) continue;
        const OpId user = op_at(*by > 0 ? cut_ : cut_ + 1, member);
        const Label used = label(module_.operand(op_at(cut_, member), index));
        if (*by > 0) {
          next_operands_.emplace_back(user, index, value_at(cut_ + 1, used));
        } else {
          next_operands_.emplace_back(user, index, value_at(cut_ + extra_, used));
        }
      }
    }
    for (const auto& [user, index, value] : next_operands_) module_.set_operand(user, index, value);
  }

  void copy_results() {
    ir::FunctionData& main = module_.function(main_);
    std::vector<ValueId> returned = module_.operands(end_);
    const std::size_t count = returned.size();
    const bool has_attributes = !main.result_attributes.empty();
    if (has_attributes) main.result_attributes.resize(count);
    for (std::size_t index = 0; index < count; ++index) {
      const Label value = label(returned[index]);
      if (value.block != cut_) continue;
      for (const auto& copy : copies_) {
        returned.push_back(copy.at(returned[index]));
        main.result_types.emplace_back(main.result_types[index]);
        if (has_attributes) {
          main.result_attributes.emplace_back(main.result_attributes[index]);
        }
      }
    }
    module_.set_operands(end_, returned);
  }

  Module module_;
  int32_t extra_;
  int32_t num_layers_;
  const LayerOfOp& layer_of_;
  OpId main_;
  ir::BlockId entry_;
  OpId end_;
  std::vector<OpId> ops_;                                  // of main, without the return
  std::vector<std::map<int32_t, OpId>> members_;           // per member: its op per block
  std::unordered_map<OpId, BlockPosition> positions_;      // in any order, all must fit
  int32_t first_ = 0;                                      // first block with all members
  int32_t last_ = 0;                                       // last block with all members
  int32_t cut_ = 0;                                        // copies come after this block
  int32_t step_ = 0;                                       // layers per block: 1 or -1; 0: unknown
  std::vector<std::map<int32_t, ValueId>> own_arguments_;  // by block
  std::unordered_map<ValueId, Label> arguments_;           // in any order, all must fit
  std::vector<std::vector<Distance>> distances_;           // per member and operand
  std::vector<std::unordered_map<ValueId, ValueId>> copies_;  // of values of block cut_
  std::vector<std::tuple<OpId, std::size_t, ValueId>> next_operands_;
};

}  // namespace

std::optional<Module> with_more_layers(const Module& program, std::size_t extra,
                                       std::size_t num_layers, const LayerOfOp& layer_of) {
  LayerCopies copies(program, extra, num_layers, layer_of);
  if (!copies.run()) return std::nullopt;
  return copies.take();
}

// ---- The folded program -------------------------------------------------------------------------

namespace {

/// Numbers of uses above which rules treat a value differently: choices of shardings (16) and
/// joined collectives (64).
constexpr std::size_t kLimitsOfUses[] = {16, 64};

/// Returns the number of uses that a value must have in the folded program so that rules treat it
/// as in the whole program.
std::size_t needed_uses(std::size_t in_whole) {
  std::size_t needed = 0;
  for (const std::size_t limit : kLimitsOfUses) {
    if (in_whole > limit) needed = limit + 1;
  }
  return needed;
}

/// Checks whether inner layers have equal annotations.
bool has_equal_annotations(const std::vector<std::size_t>& annotations) {
  return std::ranges::all_of(annotations.begin() + 1, annotations.end() - 1,
                             [&](std::size_t each) { return each == annotations[1]; });
}

}  // namespace

std::optional<FoldedLayers> FoldedLayers::fold(const Module& whole, std::size_t num_kept) {
  const auto layers = find_layers(whole);
  if (!layers || layers->annotations.size() <= num_kept) return std::nullopt;
  if (!has_equal_annotations(layers->annotations)) return std::nullopt;
  std::vector<bool> is_kept(layers->annotations.size(), false);
  std::fill_n(is_kept.begin(), num_kept - 1, true);
  is_kept.back() = true;
  const auto folded = FoldedModule::make(whole, layers->placed, is_kept);
  if (!folded || folded->module().num_ops() * 3 > whole.num_ops() * 2) return std::nullopt;
  FoldedLayers made(folded->module());
  made.num_kept_ = num_kept;
  made.num_removed_ = is_kept.size() - num_kept;
  made.layers_.assign(made.module_.num_ops(), -1);
  for (const OpId op : ir::pre_order(whole, whole.entry(*whole.main_function()))) {
    const OpId kept = folded->folded_op(op);
    if (!kept.valid()) continue;
    const int32_t layer = folded->position(op).block;
    const OpId around = made.module_.parent_op(made.module_.parent_block(kept));
    const bool is_last = layer + 1 == std::ssize(is_kept);
    made.layers_[kept.index()] = layer < 0 ? made.layers_[around.index()]
                                 : is_last ? static_cast<int32_t>(num_kept) - 1
                                           : layer;
  }
  made.sources_.resize(made.module_.num_ops());
  for (const OpId op : ir::pre_order(made.module_)) {
    made.sources_[op.index()] = made.module_.location(op);
    made.module_.set_location(op,
                              made.module_.add_location(static_cast<uint32_t>(op.index()) + 1, 1));
  }
  const auto unfolded = made.unfold(made.module_);
  if (!unfolded || !is_equal_program(*unfolded, whole)) return std::nullopt;
  return made;
}

std::optional<FoldedLayers> FoldedLayers::make(const Module& whole, std::size_t num_kept) {
  const auto main = whole.main_function();
  if (!main || whole.is_external(*main) || num_kept < kFewestKept) return std::nullopt;
  return fold(whole, num_kept);
}

std::optional<std::size_t> FoldedLayers::needed_layers(const Module& propagated) const {
  const auto whole = with_more(propagated);
  if (!whole) return std::nullopt;
  std::size_t needed = num_kept_;
  for (std::size_t index = 0; index < propagated.num_values(); ++index) {
    const ValueId value(static_cast<uint32_t>(index));
    const std::size_t uses = propagated.num_uses(value);
    const std::size_t in_whole = whole->num_uses(value);
    if (in_whole <= uses) continue;
    const std::size_t missing = std::max(needed_uses(in_whole), uses) - uses;
    const std::size_t per_layer = (in_whole - uses) / num_removed_;
    if (per_layer == 0) return std::nullopt;
    needed = std::max(needed, num_kept_ + (missing + per_layer - 1) / per_layer);
  }
  return needed;
}

int32_t FoldedLayers::layer_of(const Module& compiled, OpId op) const {
  const std::size_t line = compiled.source_location(op).line();
  return line == 0 || line > layers_.size() ? -1 : layers_[line - 1];
}

std::optional<Module> FoldedLayers::unfold(const Module& compiled) const {
  const auto whole = with_more(compiled);
  return whole ? std::optional(renumbered(*whole)) : std::nullopt;
}

void FoldedLayers::restore_locations(Module& compiled) const {
  for (const OpId op : ir::pre_order(compiled)) {
    const std::size_t line = compiled.source_location(op).line();
    if (line == 0 || line > sources_.size()) continue;
    compiled.set_location(op, compiled.add_location(module_, sources_[line - 1]));
  }
}

std::optional<Module> FoldedLayers::with_more(const Module& compiled) const {
  return with_more_layers(compiled, num_removed_, num_kept_,
                          [this](const Module& program, OpId op) { return layer_of(program, op); });
}

// ---- Compilation --------------------------------------------------------------------------------

std::optional<CompiledLayers> compile_few_layers(const Module& module,
                                                 const checking::CompileOptions& options,
                                                 const checking::Context& context,
                                                 passes::KnownPlans* plans) {
  if (options.limits.max_bytes || options.limits.deadline_ns) return std::nullopt;
  auto folded = FoldedLayers::make(module);
  if (!folded) return std::nullopt;
  auto program = checking::propagate_program(folded->module(), options, context);
  if (!program) return std::nullopt;
  const auto needed = folded->needed_layers(program->module);
  if (!needed) return std::nullopt;
  if (*needed > folded->num_kept()) {
    folded = FoldedLayers::make(module, *needed);
    if (!folded) return std::nullopt;
    program = checking::propagate_program(folded->module(), options, context);
    if (!program) return std::nullopt;
  }
  const checking::Unfolding unfold = [&](const Module& compiled) {
    return folded->unfold(compiled);
  };
  auto compiled = checking::lower_program(*std::move(program), options, context,
                                          {.plans = plans, .unfold = &unfold});
  if (!compiled) return std::nullopt;
  return CompiledLayers{*std::move(folded), *std::move(compiled)};
}

std::optional<checking::CompiledProgram> compile_equal_layers(
    const Module& module, const checking::CompileOptions& options,
    const checking::Context& context) {
  if (is_one_per_device(module)) return std::nullopt;
  auto layers = compile_few_layers(module, options, context, nullptr);
  if (!layers) return std::nullopt;
  const auto is_note = [](const Diagnostic& each) { return each.severity == Severity::Note; };
  if (!std::ranges::all_of(layers->compiled.diagnostics, is_note)) return std::nullopt;
  auto whole = checking::propagate_program(module, options, context);
  if (!whole) return std::nullopt;
  layers->folded.restore_locations(layers->compiled.program);
  layers->compiled.propagated = std::move(whole->module);
  return std::move(layers->compiled);
}

}  // namespace shardy::report
