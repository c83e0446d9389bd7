#include "report/change_folding.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

bool is_annotation_op(const Module& module, OpId op) {
  return module.is(op, ir::OpKind::SdyShardingConstraint) || module.is(op, ir::OpKind::SdyReshard);
}

std::size_t hash_of_sharding(const ir::AttributeMap& attributes,
                             std::string_view name = ir::kShardingAttr) {
  const ir::Attribute* sharding = attributes.find(name);
  return sharding != nullptr ? ir::hash_of_attribute(*sharding) : 0;
}

/// Finds the layers of main, and the annotations of each.
class LayerFinder {
 public:
  explicit LayerFinder(const Module& module)
      : module_(module), main_(*module.main_function()), entry_(module.entry(main_)) {}

  /// Returns false if main has no repeated layers.
  bool run() {
    number_ops();
    constexpr std::size_t kMostRuns = 16;
    const RepeatedBlocks found = repeated_blocks(
        sequence_, [&](std::size_t at) { return linked(ops_[at]); }, kMostRuns);
    if (found.num_runs == 0) return false;
    for (std::size_t at = 0; at < ops_.size(); ++at) {
      if (found.positions[at].block >= 0) place(ops_[at], found.positions[at]);
    }
    annotations_.resize(static_cast<std::size_t>(count_));
    num_members_ = static_cast<int32_t>(found.num_members);
    for (const OpId op : module_.ops(entry_)) {
      if (is_annotation_op(module_, op)) place_constraint(op);
    }
    for (const auto& [op, position] : placed_) {
      const bool is_own = is_annotation_op(module_, op);
      annotate(position, hash_of_sharding(module_.attributes(op),
                                          is_own ? ir::attr::kSharding : ir::kShardingAttr));
    }
    add_arguments_and_results();
    return true;
  }

  const std::vector<PlacedOp>& placed() const { return placed_; }
  /// Returns a hash of the annotations per layer.
  const std::vector<std::size_t>& annotations() const { return annotations_; }

 private:
  void number_ops() {
    const OpId end = module_.last_op(entry_);
    for (const OpId op : module_.ops(entry_)) {
      if (op == end || is_annotation_op(module_, op)) continue;
      index_.emplace(op, ops_.size());
      ops_.push_back(op);
    }
    sequence_ = numbers_of(module_, ops_);
  }

  /// Returns the op of a value before its constraints; invalid for arguments.
  OpId maker_of(ValueId value) const {
    OpId op = module_.defining_op(value);
    while (op.valid() && is_annotation_op(module_, op)) {
      op = module_.defining_op(module_.operand(op, 0));
    }
    return op;
  }

  std::vector<std::size_t> linked(OpId op) const {
    std::vector<std::size_t> found;
    const auto add = [&](OpId other) {
      const auto at = index_.find(other);
      if (at != index_.end()) found.push_back(at->second);
    };
    for (const ValueId value : module_.operands(op)) add(maker_of(value));
    for (const ValueId value : module_.results(op)) {
      for (const ir::Use& use : module_.uses(value)) add(use.op);
    }
    return found;
  }

  void place(OpId op, BlockPosition position) {
    placed_.emplace_back(op, position);
    positions_.emplace(op, position);
    count_ = std::max(count_, position.block + 1);
  }

  BlockPosition position(OpId op) const {
    const auto found = positions_.find(op);
    return found == positions_.end() ? BlockPosition() : found->second;
  }

  /// Adds a constraint to the layer of its operand, or of the user of its result.
  void place_constraint(OpId op) {
    const OpId maker = module_.defining_op(module_.operand(op, 0));
    BlockPosition near = maker.valid() ? position(maker) : BlockPosition();
    const bool is_of_user = !maker.valid() && module_.num_uses(module_.result(op)) > 0;
    if (is_of_user) near = position(module_.uses(module_.result(op)).back().op);
    if (near.block < 0) return;
    const auto index = maker.valid() ? module_.owner(module_.operand(op, 0)).index : 0;
    const int32_t ordinal = constraints_[{near.block, near.member, index, is_of_user}]++;
    const int32_t member =
        members_.try_emplace({near.member, index, is_of_user, ordinal}, num_members_).first->second;
    num_members_ = std::max(num_members_, member + 1);
    place(op, {near.block, member});
  }

  void annotate(BlockPosition position, std::size_t sharding) {
    if (position.block < 0 || sharding == 0) return;
    const std::size_t member = std::hash<int32_t>()(position.member);
    annotations_[static_cast<std::size_t>(position.block)] += hash_combine(member, sharding);
  }

  void add_arguments_and_results() {
    const ir::FunctionData& main = module_.function(main_);
    const auto& args = module_.args(entry_);
    for (std::size_t index = 0; index < args.size(); ++index) {
      if (index >= main.arg_attributes.size() || module_.num_uses(args[index]) == 0) continue;
      const std::size_t sharding = hash_of_sharding(main.arg_attributes[index]);
      annotate(position(module_.uses(args[index]).back().op), sharding);
    }
    const OpId end = module_.last_op(entry_);
    for (std::size_t index = 0; index < main.result_attributes.size(); ++index) {
      const OpId maker = maker_of(module_.operand(end, index));
      if (maker.valid()) {
        annotate(position(maker), hash_of_sharding(main.result_attributes[index]) * 3);
      }
    }
  }

  const Module& module_;
  OpId main_;
  ir::BlockId entry_;
  std::vector<OpId> ops_;  // ops of the sequence
  std::vector<int32_t> sequence_;
  std::unordered_map<OpId, std::size_t> index_;        // in ops_; never iterated
  std::unordered_map<OpId, BlockPosition> positions_;  // never iterated
  std::vector<PlacedOp> placed_;
  std::vector<std::size_t> annotations_;
  std::map<std::tuple<int32_t, int32_t, uint32_t, bool>, int32_t> constraints_;
  std::map<std::tuple<int32_t, uint32_t, bool, int32_t>, int32_t> members_;
  int32_t num_members_ = 0;
  int32_t count_ = 0;  // number of layers
};

/// Returns the most frequent element of the list without its ends.
std::size_t usual(const std::vector<std::size_t>& all) {
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t at = 1; at + 1 < all.size(); ++at) ++counts[all[at]];
  return std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
}

/// Returns the layers to keep, except for the model: the first, the last, unusual layers and their
/// neighbours.
std::vector<bool> unusual_layers(const std::vector<std::size_t>& annotations) {
  const std::size_t count = annotations.size();
  const std::size_t expected = usual(annotations);
  std::vector<bool> is_kept(count, false);
  is_kept.front() = is_kept.back() = true;
  for (std::size_t layer = 1; layer + 1 < count; ++layer) {
    if (annotations[layer] == expected) continue;
    is_kept[layer - 1] = is_kept[layer] = is_kept[layer + 1] = true;
  }
  return is_kept;
}

}  // namespace

std::optional<Layers> find_layers(const Module& whole) {
  const auto main = whole.main_function();
  if (!main || whole.is_external(*main)) return std::nullopt;
  LayerFinder finder(whole);
  if (!finder.run()) return std::nullopt;
  return Layers{finder.placed(), finder.annotations()};
}

std::optional<ChangeFolding> ChangeFolding::make(const Module& whole) {
  const auto layers = find_layers(whole);
  if (!layers) return std::nullopt;
  std::vector<bool> is_kept = unusual_layers(layers->annotations);
  const auto model = std::ranges::find(is_kept, false);
  if (model == is_kept.end()) return std::nullopt;
  *model = true;
  const auto number = static_cast<int32_t>(model - is_kept.begin());
  auto folded = FoldedModule::make(whole, layers->placed, is_kept);
  if (!folded || folded->module().num_ops() * 2 > whole.num_ops()) return std::nullopt;
  return ChangeFolding(whole, *std::move(folded), std::move(is_kept), number);
}

ChangeFolding::ChangeFolding(const Module& whole, FoldedModule folded, std::vector<bool> is_kept,
                             int32_t model)
    : whole_(&whole),
      folded_(std::move(folded)),
      module_(folded_.module()),
      is_kept_(std::move(is_kept)),
      model_(model) {
  for (std::size_t layer = 0; layer < is_kept_.size(); ++layer) {
    if (is_kept_[layer]) kept_.push_back(static_cast<int32_t>(layer));
  }
  mark_ops();
}

/// Gives each op its own location, by which the collectives of the per-device program are counted,
/// and stores the part of each op.
void ChangeFolding::mark_ops() {
  parts_.assign(module_.num_ops(), kept_.size());
  for (const OpId op : ir::pre_order(*whole_, whole_->entry(*whole_->main_function()))) {
    const OpId kept = folded_.folded_op(op);
    if (!kept.valid()) continue;
    const int32_t layer = folded_.position(op).block;
    const OpId around = module_.parent_op(module_.parent_block(kept));
    parts_[kept.index()] = parts_[around.index()];
    if (layer < 0) continue;
    parts_[kept.index()] =
        static_cast<std::size_t>(std::ranges::lower_bound(kept_, layer) - kept_.begin());
  }
  for (const OpId op : ir::pre_order(module_)) {
    module_.set_location(op, module_.add_location(static_cast<uint32_t>(op.index()) + 1, 1));
  }
}

std::size_t ChangeFolding::part_of(const Location& location) const {
  const std::size_t line = location.line();
  return line == 0 || line > parts_.size() ? kept_.size() : parts_[line - 1];
}

/// Adds the seconds of a collective to its part. A combined collective has operands of several
/// parts; each gets the share of its bytes.
void ChangeFolding::add_collective(const Module& program, OpId op, double all,
                                   std::vector<double>& seconds) const {
  double bytes = 0;
  std::vector<std::pair<std::size_t, double>> shares;
  for (const ValueId value : program.operands(op)) {
    const OpId maker = program.defining_op(value);
    const ir::Type& type = program.type(value);
    const double share = type.is_static_tensor() ? static_cast<double>(type.num_bytes()) : 0;
    shares.emplace_back(part_of(program.source_location(maker.valid() ? maker : op)), share);
    bytes += share;
  }
  if (shares.size() < 2 || bytes == 0) {
    seconds[part_of(program.source_location(op))] += all;
    return;
  }
  for (const auto& [part, share] : shares) seconds[part] += all * share / bytes;
}

std::vector<double> ChangeFolding::seconds_of_parts(const checking::CompiledProgram& compiled,
                                                    const Report& report,
                                                    double operations_per_second) const {
  std::vector<double> seconds(kept_.size() + 1, 0);
  const Module& program = compiled.program;
  for (const Collective& row : report.collectives) {
    const double all = static_cast<double>(row.times.count) * row.seconds;
    add_collective(program, row.op, all, seconds);
  }
  const RunTimes times(program);
  for (const OpId op : ir::pre_order(program)) {
    const ir::BlockId block = program.parent_block(op);
    const double runs = block.valid() ? times.parts_of(block) : 0;
    const double operations = runs > 0 ? runs * flops_of_op(program, op) : 0;
    if (operations > 0) {
      seconds[part_of(program.source_location(op))] += operations / operations_per_second;
    }
  }
  return seconds;
}

std::vector<double> ChangeFolding::weights(int32_t layer) const {
  std::vector<double> weights(kept_.size() + 1, 0);
  weights.back() = 1;
  const int32_t changed = layer >= 0 && !is_kept_[static_cast<std::size_t>(layer)] ? model_ : layer;
  for (std::size_t at = 0; at < is_kept_.size(); ++at) {
    const auto each = static_cast<int32_t>(at);
    int32_t part = is_kept_[at] ? each : model_;
    if (each == layer) {
      part = changed;
    } else if (part == model_ && changed == model_) {
      // The changed model cannot represent an unchanged layer: the nearest other kept layer does.
      part = each;
      do part += each < layer ? -1 : 1;
      while (part == model_ || !is_kept_[static_cast<std::size_t>(part)]);
    }
    weights[static_cast<std::size_t>(std::ranges::lower_bound(kept_, part) - kept_.begin())] += 1;
  }
  return weights;
}

// ---- Places -------------------------------------------------------------------------------------

/// Returns the layer of the op of a value, or of the first user of an argument; -1: none.
int32_t ChangeFolding::layer_of(ValueId value) const {
  const OpId maker = whole_->defining_op(value);
  if (maker.valid()) return folded_.position(maker).block;
  return whole_->num_uses(value) > 0 ? folded_.position(whole_->uses(value).back().op).block : -1;
}

int32_t ChangeFolding::layer_of(const AnnotationPlace& place) const {
  const OpId main = *whole_->main_function();
  if (place.kind == AnnotationPlace::Kind::Result) {
    if (place.function != main) return -1;
    return layer_of(whole_->operand(whole_->last_op(whole_->entry(main)), place.index));
  }
  return layer_of(place.value);
}

/// Returns the op itself, or the corresponding op of the model; invalid without one.
OpId ChangeFolding::model_of(OpId op) const {
  const BlockPosition position = folded_.position(op);
  return folded_.is_removed(position.block) ? folded_.op_at({model_, position.member}) : op;
}

ValueId ChangeFolding::model_of(ValueId value) const {
  if (folded_.folded_value(*whole_, value).valid()) return value;
  const ir::ValueOwner owner = whole_->owner(value);
  if (owner.is_result()) {
    const OpId op = model_of(owner.op);
    return op.valid() && op != owner.op ? whole_->result(op, owner.index) : ValueId();
  }
  if (whole_->num_uses(value) == 0) return {};
  const ir::Use use = whole_->uses(value).back();
  const OpId user = model_of(use.op);
  return user.valid() && user != use.op ? whole_->operand(user, use.operand) : ValueId();
}

/// Returns the number of a result of main in the folded program.
std::optional<uint32_t> ChangeFolding::folded_result(uint32_t result) const {
  const OpId end = whole_->last_op(whole_->entry(*whole_->main_function()));
  const ValueId value = model_of(whole_->operand(end, result));
  if (!value.valid()) return std::nullopt;
  std::optional<uint32_t> index = folded_.folded_result(result);
  for (const ir::Use& use : whole_->uses(value)) {
    if (!index && use.op == end) index = folded_.folded_result(use.operand);
  }
  return index;
}

std::optional<AnnotationPlace> ChangeFolding::folded(const AnnotationPlace& place) const {
  using Kind = AnnotationPlace::Kind;
  AnnotationPlace found = place;
  if (place.function.valid()) found.function = folded_.folded_op(place.function);
  if (place.kind == Kind::Use) return std::nullopt;
  if (place.kind == Kind::Result) {
    if (place.function != *whole_->main_function()) return found;
    const auto index = folded_result(place.index);
    if (!index) return std::nullopt;
    found.index = *index;
    return found;
  }
  const ValueId value = model_of(place.value);
  if (!value.valid() || !(whole_->type(value) == whole_->type(place.value))) return std::nullopt;
  found.value = folded_.folded_value(*whole_, value);
  if (!found.value.valid()) return std::nullopt;
  const bool is_argument = !module_.owner(found.value).is_result();
  if (place.kind == Kind::Argument) {
    if (!is_argument) return std::nullopt;
    found.index = module_.owner(found.value).index;
  }
  return found;
}

std::optional<FoldedChange> ChangeFolding::fold(const AnnotationChange& change) const {
  FoldedChange made{{.place = {}, .sharding = change.sharding}, layer_of(change.place)};
  const auto place = folded(change.place);
  if (!place) return std::nullopt;
  made.change.place = *place;
  for (const AnnotationPlace& each : change.tied) {
    const auto tied = folded(each);
    if (!tied) return std::nullopt;
    made.change.tied.push_back(*tied);
  }
  return made;
}

}  // namespace shardy::report
