// Ops with regions, functions and their calls, sharding groups.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::checking {

using ir::BlockId;
using ir::ElementType;
using ir::IntegerAttr;
using ir::OpId;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

namespace {

/// Of values that come from elsewhere nothing is known, so nothing is summed up.
constexpr Known kUnknown{false, 0};

}  // namespace

// ---- Bodies -------------------------------------------------------------------------------------

/// Fills a block with ops on its arguments, and on what is visible around it if that is not closed
/// off; `finish` ends it.
template <class Finish>
void RandomMaker::fill_block(BlockId block, bool is_isolated, const Finish& finish) {
  const std::vector<ValueId> outer_values = values_;
  const ir::Builder outer = *builder_;
  if (is_isolated) values_.clear();
  const std::vector<ValueId> args(module_.args(block).begin(), module_.args(block).end());
  for (const ValueId arg : args) remember(arg, kUnknown);
  builder_.emplace(module_, block);
  ++depth_;
  add_steps(random_.between(1, 4));
  finish();
  --depth_;
  values_ = outer_values;
  builder_ = outer;
}

void RandomMaker::end_block(OpKind kind, std::vector<ValueId> values) {
  OpSpec terminator{.kind = kind};
  terminator.operands = std::move(values);
  builder_->create(std::move(terminator));
}

/// Visible values, each of the type of one of these.
std::vector<ValueId> RandomMaker::any_like_all(const std::vector<ValueId>& models) {
  std::vector<ValueId> found;
  found.reserve(models.size());
  for (const ValueId model : models) found.push_back(*any_like(model));
  return found;
}

std::vector<ValueId> RandomMaker::any_values(int64_t most) {
  std::vector<ValueId> chosen;
  for (int64_t count = random_.between(1, most); count > 0; --count) chosen.push_back(any());
  return chosen;
}

std::vector<Type> RandomMaker::types_of(const std::vector<ValueId>& values) const {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const ValueId value : values) types.push_back(type(value));
  return types;
}

ir::ShardingList RandomMaker::random_shardings(const std::vector<ValueId>& values) {
  ir::ShardingList list;
  for (const ValueId value : values) {
    list.shardings.push_back(any_sharding(value));
  }
  return list;
}

/// Makes an op with regions; shardings of its results come and go.
void RandomMaker::emit_region_op(OpSpec spec, std::string_view shardings,
                                 const std::vector<ValueId>& models) {
  spec.result_types = types_of(models);
  if (!is_manual_ && random_.chance(2)) spec.attributes.set(shardings, random_shardings(models));
  const OpId op = builder_->create(std::move(spec));
  for (const ValueId result : module_.results(op)) remember(result, kUnknown);
}

// ---- Control flow -------------------------------------------------------------------------------

bool RandomMaker::add_case() {
  const std::vector<ValueId> models = any_values(2);
  const bool is_if = random_.chance(3);
  OpSpec spec{.kind = is_if ? OpKind::If : OpKind::Case};
  spec.operands = {is_if ? scalar(ElementType::I1, random_.between(0, 1))
                         : scalar(ElementType::I32, random_.between(-1, 3))};
  const int64_t branches = is_if ? 2 : random_.between(1, 3);
  for (int64_t branch = 0; branch < branches; ++branch) {
    spec.regions.push_back(module_.new_region());
    const BlockId block = module_.new_block(spec.regions.back());
    fill_block(block, false, [&] { end_block(OpKind::StablehloReturn, any_like_all(models)); });
  }
  emit_region_op(std::move(spec), ir::kShardingAttr, models);
  return true;
}

/// A loop of few rounds that counts in its first value.
bool RandomMaker::add_while() {
  std::vector<ValueId> operands = any_values(2);
  operands.insert(operands.begin(), scalar(ElementType::I32, 0));
  const std::vector<Type> types = types_of(operands);
  OpSpec spec{.kind = OpKind::While};
  spec.operands = operands;
  spec.regions = {module_.new_region(), module_.new_region()};
  const BlockId condition = module_.new_block(spec.regions[0], types);
  const BlockId body = module_.new_block(spec.regions[1], types);
  const int64_t rounds = random_.between(0, 3);
  fill_block(condition, false, [&] {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kComparisonDirection,
                   ir::EnumAttr{"stablehlo.comparison_direction", "LT"});
    const ValueId limit = scalar(ElementType::I32, rounds);
    end_block(OpKind::StablehloReturn,
              {builder_->create_value(OpKind::Compare, {module_.args(condition)[0], limit},
                                      Type::tensor({}, ElementType::I1), std::move(attributes))});
  });
  fill_block(body, false, [&] {
    std::vector<ValueId> returned = any_like_all({operands.begin() + 1, operands.end()});
    const ValueId one = scalar(ElementType::I32, 1);
    returned.insert(returned.begin(),
                    builder_->create_value(OpKind::Add, {module_.args(body)[0], one}, types[0]));
    end_block(OpKind::StablehloReturn, std::move(returned));
  });
  emit_region_op(std::move(spec), ir::kShardingAttr, operands);
  return true;
}

// ---- Computations -------------------------------------------------------------------------------

bool RandomMaker::add_named() {
  const std::vector<ValueId> operands = any_values(2);
  OpSpec spec{.kind = OpKind::SdyNamedComputation};
  spec.operands = operands;
  // What has one name is taken to have one body. Spec: passes 5.11.
  spec.attributes.set(ir::attr::kName, "named_" + std::to_string(num_named_++));
  if (!is_manual_ && random_.chance(2)) {
    spec.attributes.set(ir::attr::kInShardings, random_shardings(operands));
  }
  spec.regions = {module_.new_region()};
  std::vector<ValueId> returned;
  fill_block(module_.new_block(spec.regions[0], types_of(operands)), true, [&] {
    returned = any_values(2);
    end_block(OpKind::SdyReturn, returned);
  });
  emit_region_op(std::move(spec), ir::attr::kOutShardings, returned);
  return true;
}

/// Whole axes on dims that they divide, one sharding for all operands and results.
std::optional<TensorSharding> RandomMaker::manual_sharding(ValueId value,
                                                           std::vector<std::string>& axes) {
  std::vector<DimSharding> dims(rank(value));
  std::vector<int64_t> sizes = dims_of(value);
  for (DimSharding& dim : dims) dim.is_closed = true;
  for (int32_t axis = 0; axis < mesh_.num_axes() && !dims.empty(); ++axis) {
    const auto dim =
        static_cast<std::size_t>(random_.between(0, static_cast<int64_t>(dims.size()) - 1));
    if (mesh_.axis_size(axis) < 2 || sizes[dim] % mesh_.axis_size(axis) != 0) continue;
    sizes[dim] /= mesh_.axis_size(axis);
    dims[dim].axes.push_back(mesh_.full_axis(axis));
    axes.push_back(mesh_.axis_name(axis));
  }
  if (axes.empty()) return std::nullopt;
  const auto sharding = TensorSharding::make(mesh_, "mesh", std::move(dims));
  return sharding ? std::optional(*sharding) : std::nullopt;
}

bool RandomMaker::add_manual() {
  if (is_manual_) return false;
  const ValueId value = any();
  std::vector<std::string> axes;
  const std::optional<TensorSharding> sharding = manual_sharding(value, axes);
  if (!sharding) return false;
  OpSpec spec{.kind = OpKind::SdyManualComputation};
  spec.operands = {value, *any_like(value)};
  spec.attributes.set(ir::attr::kInShardings, ir::ShardingList{{*sharding, *sharding}});
  spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{{*sharding}});
  if (random_.chance(2)) std::ranges::reverse(axes);
  spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{axes});
  const Type local = Type::tensor(sharding->local_shape(dims_of(value)), element(value));
  spec.result_types = {type(value)};
  spec.regions = {module_.new_region()};
  const BlockId body = module_.new_block(spec.regions[0], std::vector<Type>{local, local});
  is_manual_ = true;
  fill_block(body, true, [&] { end_block(OpKind::SdyReturn, {*any_like(module_.args(body)[0])}); });
  is_manual_ = false;
  remember(module_.result(builder_->create(std::move(spec))), kUnknown);
  return true;
}

// ---- Functions ----------------------------------------------------------------------------------

/// A private function on values like these; what it calls was made before it.
OpId RandomMaker::make_function(const std::vector<ValueId>& models) {
  const std::string name =
      "f" + std::to_string(functions_.size()) + std::string(static_cast<std::size_t>(depth_), 'i');
  const OpId function = module_.add_function(name, types_of(models), {});
  module_.attributes(function).set("sym_visibility", "private");
  for (std::size_t index = 0; index < models.size(); ++index) {
    if (random_.chance(2)) continue;
    ir::set_arg_sharding(module_, function, index, any_sharding(models[index]));
  }
  fill_block(module_.entry(function), true, [&] {
    const std::vector<ValueId> returned = any_values(2);
    module_.function(function).result_types = types_of(returned);
    module_.function(function).result_attributes.resize(returned.size());
    for (std::size_t index = 0; index < returned.size(); ++index) {
      if (random_.chance(2)) continue;
      ir::set_result_sharding(module_, function, index, any_sharding(returned[index]));
    }
    end_block(OpKind::FuncReturn, returned);
  });
  functions_.push_back(function);
  return function;
}

bool RandomMaker::add_call() {
  if (is_manual_) return false;
  OpId callee;
  std::vector<ValueId> operands;
  if (!functions_.empty() && random_.chance(2)) {
    callee = random_.pick(functions_);
    for (const Type& wanted : module_.arg_types(callee)) {
      const auto found =
          std::ranges::find_if(values_, [&](ValueId value) { return type(value) == wanted; });
      if (found == values_.end()) return false;
      operands.push_back(*any_like(*found));
    }
  } else {
    operands = any_values(2);
    callee = make_function(operands);
  }
  OpSpec spec{.kind = OpKind::FuncCall};
  spec.operands = std::move(operands);
  spec.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module_.symbol_name(callee))});
  emit_region_op(std::move(spec), ir::kShardingAttr, module_.returned_values(callee));
  return true;
}

/// Members of a group have one shape, and one of them stands in a manual computation if all do.
/// None may be read as summands: the others would have to be summands, too (passes 4.8, 5.13). What
/// a collective takes and gives has the sharding that it says, which no group can change.
bool RandomMaker::add_group() {
  if (is_manual_) return false;
  const ValueId value = any();
  if (std::ranges::find(ungrouped_, value) != ungrouped_.end()) return false;
  const std::vector<int64_t> shape = dims_of(value);
  auto found = std::ranges::find(group_shapes_, shape);
  if (found == group_shapes_.end()) found = group_shapes_.insert(found, shape);
  const int64_t id = 2 * (found - group_shapes_.begin()) + random_.between(0, 1);
  OpSpec spec{.kind = OpKind::SdyShardingGroup};
  spec.operands = {value};
  spec.attributes.set(ir::attr::kGroupId, IntegerAttr{id, ElementType::I64});
  builder_->create(std::move(spec));
  return true;
}

bool RandomMaker::add_structure() {
  constexpr std::array<Step, 7> kSteps = {&RandomMaker::add_call,  &RandomMaker::add_call,
                                          &RandomMaker::add_case,  &RandomMaker::add_while,
                                          &RandomMaker::add_named, &RandomMaker::add_manual,
                                          &RandomMaker::add_group};
  const Step step = random_.pick(std::span<const Step>(kSteps));
  if (depth_ >= options_.max_depth && step != &RandomMaker::add_group) return false;
  return (this->*step)();
}

}  // namespace shardy::checking
