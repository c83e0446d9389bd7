// Computes the costs of collectives and of programs.
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "passes/common/ops.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Collectives --------------------------------------------------------------------------------

namespace {

/// Returns for each position in the mesh the position to which it sends; itself if it sends
/// nothing.
std::vector<int64_t> targets_of(const CollectiveView& view) {
  std::vector<int64_t> targets(static_cast<std::size_t>(view.mesh.num_devices()));
  std::iota(targets.begin(), targets.end(), int64_t{0});
  for (const auto& [source, target] : pairs_of(view)) {
    const auto from = view.mesh.position_of(source);
    const auto to = view.mesh.position_of(target);
    if (from && to) targets[static_cast<std::size_t>(*from)] = *to;
  }
  return targets;
}

/// Returns the step kind with the cost of the exchange; std::nullopt for permutes.
std::optional<StepKind> step_kind(ExchangePattern exchange) {
  switch (exchange) {
    case ExchangePattern::AllGather:
    case ExchangePattern::Broadcast:  // the root sends as many bytes as each device in an
                                      // all-gather
    case ExchangePattern::Reduce:     // the root receives as many bytes as each device in an
                                      // all-gather
      return StepKind::AllGather;
    case ExchangePattern::AllReduce:
      return StepKind::AllReduce;
    case ExchangePattern::ReduceScatter:
      return StepKind::ReduceScatter;
    case ExchangePattern::AllToAll:
      return StepKind::AllToAll;
    case ExchangePattern::Permute:
      break;
  }
  return std::nullopt;
}

/// Returns the view of an op; std::nullopt if `views` is null, as in an object after a move.
std::optional<CollectiveView> view_in(const std::shared_ptr<const CollectiveViews>& views,
                                      OpId op) {
  return views != nullptr ? views->of(op) : std::nullopt;
}

}  // namespace

CollectivePrices::CollectivePrices(const Module& program, const CostModel& model)
    : views_(std::make_shared<const CollectiveViews>(program)), other_(model) {
  for (const OpId op : program.meshes()) {
    const auto* mesh = program.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    const auto* costs = program.attribute<std::string>(op, kAxisCostsAttribute);
    auto own = parse_cost_model(costs != nullptr ? *costs : std::string());
    meshes_.emplace(program.symbol_name(op),
                    PricedMesh{*mesh, merged(own ? *std::move(own) : CostModel(), model)});
  }
}

const Mesh* CollectivePrices::mesh_of(OpId op) const {
  const auto view = view_in(views_, op);
  const auto found = view ? meshes_.find(view->mesh_name) : meshes_.end();
  return found != meshes_.end() ? &found->second.mesh : nullptr;
}

int64_t CollectivePrices::bytes_sent(OpId op) const {
  const auto view = view_in(views_, op);
  return view ? most_sent(*view) : 0;
}

StepCost CollectivePrices::cost(OpId op) const {
  const auto view = view_in(views_, op);
  if (!view) return {};
  const auto found = meshes_.find(view->mesh_name);
  const CostModel& model = found != meshes_.end() ? found->second.model : other_;
  const auto kind = step_kind(view->exchange);
  StepCost cost = kind ? exchange_cost(*kind, view->bytes, view->mesh, view->axes, model)
                       : permute_cost(view->bytes, view->mesh, targets_of(*view), model);
  if (found == meshes_.end()) cost.axis_bytes.clear();
  cost.bytes = most_sent(*view);
  return cost;
}

// ---- Memory of values ---------------------------------------------------------------------------

namespace {

int64_t bytes_of(const Module& module, ValueId value) {
  const ir::Type& type = module.type(value);
  return type.is_static_tensor() ? type.num_bytes() : 0;
}

/// The values that count as allocated memory.
enum class CountedValues : uint8_t {
  All,
  Unfused  // all values except those fused into their users (is_fused)
};

bool is_pure_elementwise(const Module& module, OpId op) {
  return passes::is_elementwise(module, op) && passes::is_pure_static(module, op) &&
         module.num_results(op) == 1 && module.regions(op).empty();
}

/// Checks whether the value is computed inside its users: the result of a pure elementwise op,
/// splat constant, iota or broadcast, with at least one use, all in elementwise ops of its block.
bool is_fused(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  if (!op.valid() || module.num_uses(value) == 0) return false;
  const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
  const bool repeats = module.is(op, OpKind::BroadcastInDim) || module.is(op, OpKind::Iota) ||
                       (literal != nullptr && literal->is_splat());
  if (!repeats && !is_pure_elementwise(module, op)) return false;
  for (const ir::Use& use : module.uses(value)) {
    const bool in_same_block = module.parent_block(use.op) == module.parent_block(op);
    if (!in_same_block || !is_pure_elementwise(module, use.op)) return false;
  }
  return true;
}

/// A cost with the bytes that each device sends. They are computed only with prices, because this
/// is linear in devices.
struct DeviceCost : ProgramCost {
  SentBytes sent = {};
};

/// Adds the bytes, messages and seconds of `times` runs to `all`.
void add_traffic(DeviceCost& all, const DeviceCost& one, int64_t times) {
  all.sent.add(one.sent, times);
  all.bytes_sent = saturating_add(all.bytes_sent, saturating_mul(one.bytes_sent, times));
  all.messages = saturating_add(all.messages, saturating_mul(one.messages, times));
  all.seconds += one.seconds * static_cast<double>(times);
}

/// The op of a block with the highest memory use.
struct Peak {
  OpId op;                 // invalid: before the first op
  bool is_inside = false;  // the peak is in the regions or callees of the op
};

/// The kind of op that contains the block. It determines the live ranges of the block's arguments.
enum class Scope : uint8_t {
  Function,   // arguments are live from the start to their last use
  Condition,  // arguments are counted at the loop and never freed
  Body,       // arguments are counted at the loop and freed after their last use
  Branch      // has no arguments
};

// Peak of an op or block that allocates nothing. Never a maximum.
constexpr int64_t kNothing = std::numeric_limits<int64_t>::min() / 4;

/// The costs of functions and of ops with regions. In the enclosing block, such an op is a single
/// entry with its peak and its bytes sent.
class Costs {
 public:
  Costs(const Module& module, CountedValues counted, const CollectivePrices* prices = nullptr)
      : module_(module),
        counted_(counted),
        prices_(prices),
        views_(module),
        main_(module.main_function()),
        freed_(module.num_ops()),
        fused_(counted == CountedValues::Unfused ? module.num_ops() : 0) {}

  DeviceCost run();
  PeakPlace peak_place() const;

 private:
  friend class BlockCost;

  /// Bytes that are freed at an op.
  struct FreedBytes {
    int64_t operands = 0;  // operands whose last use is the op
    int64_t captured = 0;  // captured values whose last use is in the op's regions
  };

  bool has_cost(OpId op) const;
  DeviceCost inner_cost(OpId op) const;
  DeviceCost cost_of(OpId owner);
  Scope scope_of(OpId owner, std::size_t region) const;
  DeviceCost communication(OpId op) const;

  const Module& module_;
  CountedValues counted_;
  const CollectivePrices* prices_;  // null: the time is 0
  CollectiveViews views_;
  std::optional<OpId> main_;
  std::unordered_map<OpId, DeviceCost> inner_;  // costs of regions; never iterated
  std::unordered_map<OpId, Peak> peaks_;        // never iterated
  // By op. The walk over the block of an op uses its entries, so all blocks share the tables.
  std::vector<FreedBytes> freed_;
  std::vector<OpId> fused_;  // the last op that computes elements of a fused result; else invalid
};

DeviceCost Costs::communication(OpId op) const {
  DeviceCost cost{{.peak_bytes = kNothing}};
  const auto view = views_.of(op);
  if (!view) return cost;
  cost.bytes_sent = most_sent(*view);
  cost.messages = 1;
  if (prices_ == nullptr) return cost;
  cost.seconds = prices_->cost(op).seconds;
  cost.sent = sent_bytes(*view);
  return cost;
}

/// Checks whether the op communicates, calls a function or has regions.
bool Costs::has_cost(OpId op) const {
  return views_.communicates(op) || module_.is(op, OpKind::FuncCall) ||
         !module_.regions(op).empty();
}

/// Returns the cost of the op's regions, of its callee, or of the collective itself. Excludes
/// operands and results.
DeviceCost Costs::inner_cost(OpId op) const {
  if (module_.is(op, OpKind::FuncCall)) {
    const auto callee = ir::callee_of(module_, op);
    const auto found = callee ? inner_.find(*callee) : inner_.end();
    return found == inner_.end() ? DeviceCost{{.peak_bytes = kNothing}} : found->second;
  }
  const auto found = inner_.find(op);
  return found == inner_.end() ? communication(op) : found->second;
}

// ---- Blocks -------------------------------------------------------------------------------------

/// A walk over a block that tracks live bytes.
class BlockCost {
 public:
  BlockCost(Costs& costs, BlockId block, Scope scope)
      : costs_(costs), module_(costs.module_), block_(block) {
    if (costs.counted_ == CountedValues::Unfused) find_fused();
    take_arguments(scope);
    if (scope == Scope::Function) cost_.peak_bytes = live_;
  }

  DeviceCost run() {
    for (const OpId op : module_.ops(block_)) {
      const bool enters =
          module_.is(op, OpKind::FuncCall) || module_.has_trait(op, ir::kControlFlow);
      enters ? enter(op) : compute(op);
    }
    return cost_;
  }
  const Peak& peak() const { return peak_; }

 private:
  void take_arguments(Scope scope) {
    for (const ValueId arg : module_.args(block_)) {
      if (scope == Scope::Condition || module_.num_uses(arg) == 0) continue;
      if (scope == Scope::Function) live_ += bytes_of(module_, arg);
      free_after_last_use(arg);
    }
  }

  /// Maps fused values to the last op that computes their elements. Visits users before operands.
  void find_fused() {
    const auto& ops = module_.ops(block_);
    const std::vector<OpId> in_order(ops.begin(), ops.end());
    for (auto op = in_order.rbegin(); op != in_order.rend(); ++op) {
      if (module_.num_results(*op) != 1 || !is_fused(module_, module_.result(*op))) continue;
      OpId last;
      for (const ir::Use& use : module_.uses(module_.result(*op))) {
        const OpId user = last_fused_user(use.op);
        if (!last.valid() || module_.is_before(last, user)) last = user;
      }
      costs_.fused_[op->index()] = last;
    }
  }

  /// Returns the last op that computes elements of the op's fused result; the op itself if its
  /// result is not fused.
  OpId last_fused_user(OpId op) const { return is_fused_op(op) ? costs_.fused_[op.index()] : op; }
  bool is_fused_op(OpId op) const {
    return !costs_.fused_.empty() && costs_.fused_[op.index()].valid();
  }

  int64_t bytes(ValueId value) const {
    const OpId op = module_.defining_op(value);
    return op.valid() && is_fused_op(op) ? 0 : bytes_of(module_, value);
  }

  void free_after_last_use(ValueId value) {
    OpId last;
    bool is_inside = false;
    for (const ir::Use& use : module_.uses(value)) {
      OpId user = use.op;
      while (module_.parent_block(user) != block_) user = module_.parent_op(user);
      const bool is_nested = user != use.op;
      if (!is_nested) user = last_fused_user(user);
      const bool is_later = !last.valid() || module_.is_before(last, user);
      if (is_later) is_inside = false;
      if (is_later) last = user;
      if (user == last) is_inside = is_inside || is_nested;
    }
    Costs::FreedBytes& freed = freed_at(last);
    (is_inside ? freed.captured : freed.operands) += bytes(value);
  }

  Costs::FreedBytes& freed_at(OpId op) { return costs_.freed_[op.index()]; }

  void update_peak(OpId op, bool is_inside, int64_t live) {
    if (live <= cost_.peak_bytes) return;
    cost_.peak_bytes = live;
    peak_ = {op, is_inside};
  }

  void add_traffic(const DeviceCost& inner) { shardy::partitioning::add_traffic(cost_, inner, 1); }

  /// Counts an op whose operands and results are live at the same time.
  void compute(OpId op) {
    if (costs_.has_cost(op)) add_traffic(costs_.inner_cost(op));
    int64_t unused = 0;
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      const ValueId result = module_.result(op, index);
      live_ += bytes(result);
      if (module_.num_uses(result) == 0) unused += bytes_of(module_, result);
    }
    // A barrier returns the buffers of its operands.
    const bool allocates =
        !module_.has_trait(op, ir::kTerminator) && !module_.is(op, OpKind::OptimizationBarrier);
    if (allocates) update_peak(op, false, live_);
    const Costs::FreedBytes freed = freed_at(op);
    live_ -= unused + freed.operands + freed.captured;
    keep_results(op);
  }

  /// Counts an op with regions or a call. Operands that die at this op are freed before its regions
  /// run. Loop-carried values stay live.
  void enter(OpId op) {
    const DeviceCost inner = costs_.inner_cost(op);
    add_traffic(inner);
    const Costs::FreedBytes freed = freed_at(op);
    live_ -= freed.operands;
    int64_t carried = 0;
    if (module_.is(op, OpKind::While)) {
      for (const ValueId result : module_.results(op)) carried += bytes_of(module_, result);
    }
    if (inner.peak_bytes > kNothing) update_peak(op, true, live_ + carried + inner.peak_bytes);
    for (const ValueId result : module_.results(op)) {
      if (module_.num_uses(result) > 0) live_ += bytes_of(module_, result);
    }
    live_ -= freed.captured;
    keep_results(op);
  }

  void keep_results(OpId op) {
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      const ValueId result = module_.result(op, index);
      if (module_.num_uses(result) > 0) free_after_last_use(result);
    }
  }

  Costs& costs_;
  const Module& module_;
  BlockId block_;
  int64_t live_ = 0;
  DeviceCost cost_{{.peak_bytes = kNothing}};
  Peak peak_;
};

// ---- Programs -----------------------------------------------------------------------------------

Scope Costs::scope_of(OpId owner, std::size_t region) const {
  if (module_.is(owner, OpKind::Func)) return Scope::Function;
  if (!module_.is(owner, OpKind::While)) return Scope::Branch;
  return region == 0 ? Scope::Condition : Scope::Body;
}

/// Returns the number of runs of a region in one run of its op. If the op is a loop with a known
/// trip count: the trip count for the body, and one more for the condition. Otherwise 1.
int64_t runs_of(const Module& module, OpId owner, std::size_t region) {
  const std::optional<int64_t> trips = ir::trip_count(module, owner);
  if (!trips) return 1;
  return region == 0 ? saturating_add(*trips, 1) : *trips;
}

/// Returns the cost of an op with its regions.
DeviceCost Costs::cost_of(OpId owner) {
  DeviceCost all = communication(owner);
  const bool runs = module_.is(owner, OpKind::Func) || module_.has_trait(owner, ir::kControlFlow);
  if (!runs) return all;  // reducer and comparator regions: their cost is part of the op
  for (std::size_t region = 0; region < module_.regions(owner).size(); ++region) {
    for (const BlockId block : module_.blocks(module_.regions(owner)[region])) {
      BlockCost walk(*this, block, scope_of(owner, region));
      const DeviceCost cost = walk.run();
      add_traffic(all, cost, runs_of(module_, owner, region));
      if (cost.peak_bytes <= all.peak_bytes) continue;
      all.peak_bytes = cost.peak_bytes;
      peaks_[owner] = walk.peak();
    }
  }
  return all;
}

DeviceCost Costs::run() {
  for (const OpId function : ir::functions_in_post_order(module_)) {
    if (module_.is_external(function)) continue;
    std::vector<OpId> owners = {function};
    for (const OpId op : ir::pre_order(module_, module_.entry(function))) {
      if (!module_.regions(op).empty()) owners.push_back(op);
    }
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) {
      inner_[*owner] = cost_of(*owner);
    }
  }
  const auto found = main_ ? inner_.find(*main_) : inner_.end();
  return found == inner_.end() ? DeviceCost() : found->second;
}

PeakPlace Costs::peak_place() const {
  PeakPlace place;
  std::optional<OpId> owner = main_;
  while (owner) {
    const auto found = peaks_.find(*owner);
    place.is_at_entry = found == peaks_.end() || !found->second.op.valid();
    if (place.is_at_entry) break;
    const OpId op = found->second.op;
    place.path.push_back(op);
    if (!found->second.is_inside) break;
    owner = module_.is(op, OpKind::FuncCall) ? ir::callee_of(module_, op) : std::optional(op);
  }
  return place;
}

}  // namespace

PeakPlace peak_place(const Module& program) {
  Costs costs(program, CountedValues::All);
  const ProgramCost cost = costs.run();
  PeakPlace place = costs.peak_place();
  place.bytes = cost.peak_bytes;
  return place;
}

ProgramCost program_cost(const Module& program) { return Costs(program, CountedValues::All).run(); }

ProgramCost program_cost(const Module& program, const CostModel& model) {
  const CollectivePrices prices(program, model);
  DeviceCost cost = Costs(program, CountedValues::All, &prices).run();
  cost.bytes_sent = cost.sent.most();
  return cost;
}

int64_t fused_peak_bytes(const Module& program) {
  return Costs(program, CountedValues::Unfused).run().peak_bytes;
}

}  // namespace shardy::partitioning
