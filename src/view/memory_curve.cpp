#include "view/memory_curve.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "shardy/ir/walk.hpp"

namespace shardy::view {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// The kind of op around a block. It determines the live ranges of the block's arguments.
enum class Scope : uint8_t { Function, Condition, Body, Branch };

/// Walks a program in execution order with an explicit stack.
class CurveWalk {
 public:
  explicit CurveWalk(const Module& module)
      : module_(module), begin_(module.num_ops(), 0), end_(module.num_ops(), 0) {}

  MemoryCurve run() {
    if (const auto main = module_.main_function(); main && !module_.is_external(*main)) {
      enter_function(*main);
    }
    while (!open_.empty()) step();
    add_bytes();
    return std::move(curve_);
  }

 private:
  /// A block that is being walked, or the end of an op with regions.
  struct WalkedBlock {
    BlockId block = {};  // invalid: represents the end of `op`
    OpId op = {};        // next op of the block
    Scope scope = Scope::Branch;
    int64_t begin = -1;  // first point of the block; -1 before the walk enters the block
  };

  int64_t now() const { return std::ssize(curve_.points); }
  bool enters(OpId op) const {
    return module_.is(op, OpKind::FuncCall) || module_.has_trait(op, ir::kControlFlow);
  }
  bool allocates(OpId op) const {
    return !enters(op) && !module_.has_trait(op, ir::kTerminator) &&
           !module_.is(op, OpKind::OptimizationBarrier);
  }

  void enter_function(OpId function) {
    const BlockId block = module_.entry(function);
    open_.push_back({block, module_.first_op(block), Scope::Function, now()});
    curve_.points.push_back({function, true, 0});
  }

  void step() {
    WalkedBlock& frame = open_.back();
    if (!frame.block.valid()) {
      end_[frame.op.index()] = now();
      open_.pop_back();
      return;
    }
    if (frame.begin < 0) frame.begin = now();
    if (!frame.op.valid()) {
      const WalkedBlock done = frame;
      open_.pop_back();
      finish(done);
      return;
    }
    const OpId op = frame.op;
    frame.op = module_.next(op);
    visit(op);
  }

  void visit(OpId op) {
    begin_[op.index()] = now();
    if (allocates(op)) curve_.points.push_back({op, false, 0});
    end_[op.index()] = now();
    if (!enters(op)) return;
    open_.push_back({BlockId(), op});
    if (module_.is(op, OpKind::FuncCall)) return call(op);
    const auto regions = module_.regions(op);
    for (std::size_t region = regions.size(); region-- > 0;) {
      const auto blocks = module_.blocks(regions[region]);
      for (std::size_t block = blocks.size(); block-- > 0;) {
        const bool is_loop = module_.is(op, OpKind::While);
        const Scope inner = region == 0 ? Scope::Condition : Scope::Body;
        open_.push_back(
            {blocks[block], module_.first_op(blocks[block]), is_loop ? inner : Scope::Branch});
      }
    }
  }

  void call(OpId op) {
    const std::optional<OpId> callee = ir::callee_of(module_, op);
    // limit, because nested calls may be exponentially many
    const auto most = 4 * std::ssize(begin_) + 1000;
    if (callee && !module_.is_external(*callee) && now() < most) enter_function(*callee);
  }

  /// Adds the live ranges of the values of a block.
  void finish(const WalkedBlock& frame) {
    for (const ValueId arg : module_.args(frame.block)) {
      const bool is_carried = frame.scope == Scope::Condition ||
                              (frame.scope == Scope::Body && module_.num_uses(arg) == 0);
      if (is_carried) {
        add(arg, frame.begin, now() - 1);
      } else if (module_.num_uses(arg) > 0) {
        add(arg, frame.begin, last_of(arg, frame.block));
      }
    }
    for (const OpId op : module_.ops(frame.block)) {
      const int64_t first = allocates(op) ? begin_[op.index()] : end_[op.index()];
      for (std::size_t index = 0; index < module_.num_results(op); ++index) {
        const ValueId result = module_.result(op, index);
        if (module_.num_uses(result) > 0) {
          add(result, first, last_of(result, frame.block));
        } else if (allocates(op)) {
          add(result, first, first);
        }
      }
    }
  }

  void add(ValueId value, int64_t first, int64_t last) {
    if (first > last || !module_.type(value).is_static_tensor()) return;
    curve_.ranges.push_back({value, first, last});
  }

  /// Returns the last point at which a used value is live.
  int64_t last_of(ValueId value, BlockId block) const {
    OpId last;
    bool is_inside = false;  // an op in the regions of `last` uses it
    for (const ir::Use& use : module_.uses(value)) {
      OpId reader = use.op;
      while (module_.parent_block(reader) != block) reader = module_.parent_op(reader);
      const bool is_later = !last.valid() || module_.is_before(last, reader);
      if (is_later) is_inside = false;
      if (is_later) last = reader;
      if (reader == last) is_inside = is_inside || reader != use.op;
    }
    if (allocates(last)) return begin_[last.index()];
    return (is_inside ? end_ : begin_)[last.index()] - 1;
  }

  void add_bytes() {
    std::vector<int64_t> change(curve_.points.size() + 1);
    for (const LiveRange& range : curve_.ranges) {
      const int64_t bytes = module_.type(range.value).num_bytes();
      change[static_cast<std::size_t>(range.first)] += bytes;
      change[static_cast<std::size_t>(range.last) + 1] -= bytes;
    }
    int64_t live = 0;
    for (std::size_t point = 0; point < curve_.points.size(); ++point) {
      live += change[point];
      curve_.points[point].bytes = live;
    }
  }

  const Module& module_;
  std::vector<int64_t> begin_;  // per op: the first point at or after its start
  std::vector<int64_t> end_;    // per op: the point after its last point
  std::vector<WalkedBlock> open_;
  MemoryCurve curve_;
};

}  // namespace

std::size_t MemoryCurve::peak() const {
  const auto highest = std::ranges::max_element(points, {}, &MemoryPoint::bytes);
  return static_cast<std::size_t>(highest - points.begin());
}

MemoryCurve memory_curve(const ir::Module& per_device) { return CurveWalk(per_device).run(); }

}  // namespace shardy::view
