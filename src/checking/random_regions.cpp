// Adds random ops with regions, functions and their calls, and sharding groups.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::checking {

namespace {

/// The range of outer values is unknown, so they are not summed.
constexpr ValueRange kUnknown{false, 0};

}  // namespace

// ---- Bodies -------------------------------------------------------------------------------------

/// Fills a block with ops on its arguments and on visible values of outer regions. `finish` adds
/// the terminator.
template <class Finish>
void RandomMaker::fill_block(BlockId block, const Finish& finish) {
  fill_block(block, std::vector<ValueRange>(module_.args(block).size(), kUnknown), finish);
}

/// Fills a block whose arguments have the known properties `args`.
template <class Finish>
void RandomMaker::fill_block(BlockId block, const std::vector<ValueRange>& args,
                             const Finish& finish) {
  const std::vector<ValueId> outer_values = values_;
  const ir::Builder outer = *builder_;
  for (std::size_t index = 0; index < args.size(); ++index) {
    remember(module_.args(block)[index], args[index]);
  }
  builder_.emplace(module_, block);
  ++depth_;
  add_steps(random_.between(1, options_.free_axes && !bound_.empty() ? 6 : 4));
  finish();
  --depth_;
  values_ = outer_values;
  builder_ = outer;
}

/// Fills the body of an op whose regions cannot use outer values.
template <class Finish>
void RandomMaker::fill_isolated(BlockId block, const std::vector<ValueId>& operands,
                                const Finish& finish) {
  std::vector<ValueRange> args(operands.size(), kUnknown);
  for (std::size_t index = 0; options_.free_axes && index < operands.size(); ++index) {
    args[index] = known(operands[index]);
  }
  const std::vector<ValueId> outer = std::exchange(values_, {});
  fill_block(block, args, finish);
  values_ = outer;
}

/// Returns the range of a result whose body returns the value. Programs with free axes add such
/// values.
ValueRange RandomMaker::known_outside(ValueId returned) const {
  return options_.free_axes ? known(returned) : kUnknown;
}

void RandomMaker::end_block(OpKind kind, std::vector<ValueId> values) {
  OpSpec terminator{.kind = kind};
  terminator.operands = std::move(values);
  builder_->create(std::move(terminator));
}

/// Returns visible values, one with the type of each model.
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

/// Creates an op with regions. Its results sometimes have shardings.
void RandomMaker::emit_region_op(OpSpec spec, std::string_view shardings,
                                 const std::vector<ValueId>& models) {
  spec.result_types = types_of(models);
  if (may_shard() && random_.chance(2)) spec.attributes.set(shardings, random_shardings(models));
  const bool is_call = spec.kind == OpKind::FuncCall;
  const OpId op = builder_->create(std::move(spec));
  for (std::size_t index = 0; index < models.size(); ++index) {
    remember(module_.result(op, index), is_call ? known_outside(models[index]) : kUnknown);
  }
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
    fill_block(block, [&] { end_block(OpKind::StablehloReturn, any_like_all(models)); });
  }
  emit_region_op(std::move(spec), ir::kShardingAttr, models);
  return true;
}

/// Adds a loop with few iterations, whose first carried value counts the iterations.
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
  fill_block(condition, [&] {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kComparisonDirection,
                   ir::EnumAttr{"stablehlo.comparison_direction", "LT"});
    const ValueId limit = scalar(ElementType::I32, rounds);
    end_block(OpKind::StablehloReturn,
              {builder_->create_value(OpKind::Compare, {module_.args(condition)[0], limit},
                                      Type::tensor({}, ElementType::I1), std::move(attributes))});
  });
  fill_block(body, [&] {
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
  // Computations with one name are assumed to have one body. Spec: passes 5.11.
  spec.attributes.set(ir::attr::kName, "named_" + std::to_string(num_named_++));
  if (may_shard() && random_.chance(2)) {
    spec.attributes.set(ir::attr::kInShardings, random_shardings(operands));
  }
  spec.regions = {module_.new_region()};
  std::vector<ValueId> returned;
  fill_isolated(module_.new_block(spec.regions[0], types_of(operands)), operands, [&] {
    returned = any_values(2);
    end_block(OpKind::SdyReturn, returned);
  });
  emit_region_op(std::move(spec), ir::attr::kOutShardings, returned);
  return true;
}

/// Returns some axes that are not bound yet: all, or at least one and not all.
std::vector<std::string> RandomMaker::manual_axes() {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh_.axes()) {
    const bool is_bound = std::ranges::find(bound_.names(), axis.name) != bound_.names().end();
    if (!is_bound && axis.size >= 2) axes.push_back(axis.name);
  }
  if (!options_.free_axes || axes.empty()) return axes;
  const auto most = static_cast<std::size_t>(random_.between(1, std::ssize(axes)));
  while (axes.size() > most) {
    axes.erase(axes.begin() + random_.between(0, std::ssize(axes) - 1));
  }
  return axes;
}

/// Returns a sharding along the axes that divide a dim. Drops other axes.
std::optional<TensorSharding> RandomMaker::manual_sharding(ValueId value,
                                                           std::vector<std::string>& axes) {
  std::vector<DimSharding> dims(rank(value));
  std::vector<int64_t> sizes = dims_of(value);
  for (DimSharding& dim : dims) dim.is_closed = true;
  std::vector<std::string> used;
  for (int32_t axis = 0; axis < mesh_.num_axes() && !dims.empty(); ++axis) {
    if (std::ranges::find(axes, mesh_.axis_name(axis)) == axes.end()) continue;
    const auto dim =
        static_cast<std::size_t>(random_.between(0, static_cast<int64_t>(dims.size()) - 1));
    if (mesh_.axis_size(axis) < 2 || sizes[dim] % mesh_.axis_size(axis) != 0) continue;
    sizes[dim] /= mesh_.axis_size(axis);
    dims[dim].axes.push_back(mesh_.full_axis(axis));
    used.push_back(mesh_.axis_name(axis));
  }
  axes = std::move(used);
  if (axes.empty()) return std::nullopt;
  const auto sharding = TensorSharding::make(mesh_, "mesh", std::move(dims));
  return sharding ? std::optional(*sharding) : std::nullopt;
}

/// Returns a sharding with the manual axes of each dim, followed by free axes.
TensorSharding RandomMaker::with_free_axes(const TensorSharding& manual, AxisNames axes) {
  if (!options_.free_axes || random_.chance(2)) return manual;
  std::vector<std::string> bound(bound_.names().begin(), bound_.names().end());
  bound.insert(bound.end(), axes.begin(), axes.end());
  const TensorSharding free =
      random_sharding(random_, mesh_, manual.rank(), BoundAxes::of(bound)).with_replicated({});
  return ir::add_free(manual, free, axes);
}

bool RandomMaker::add_manual() {
  if (!may_shard()) return false;
  const ValueId value = any();
  std::vector<std::string> axes = manual_axes();
  const std::optional<TensorSharding> sharding = manual_sharding(value, axes);
  if (!sharding) return false;
  OpSpec spec{.kind = OpKind::SdyManualComputation};
  spec.operands = {value, *any_like(value)};
  const Type local = Type::tensor(sharding->local_shape(dims_of(value)), element(value));
  std::vector<Type> types = {local, local};
  ir::ShardingList in{{with_free_axes(*sharding, axes), with_free_axes(*sharding, axes)}};
  if (options_.free_axes && random_.chance(2)) {  // equal on all devices along manual axes
    spec.operands.push_back(any());
    types.push_back(type(spec.operands.back()));
    in.shardings.push_back(with_free_axes(
        TensorSharding::fully_closed(mesh_, "mesh", types.back().dims().size()), axes));
  }
  spec.attributes.set(ir::attr::kInShardings, std::move(in));
  spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{{with_free_axes(*sharding, axes)}});
  const BoundAxes outer = bound_;
  std::vector<std::string> bound(bound_.names().begin(), bound_.names().end());
  bound.insert(bound.end(), axes.begin(), axes.end());
  if (random_.chance(2)) std::ranges::reverse(axes);
  spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{axes});
  spec.result_types = {type(value)};
  spec.regions = {module_.new_region()};
  const BlockId body = module_.new_block(spec.regions[0], types);
  bound_ = BoundAxes::of(bound);
  ValueId returned;
  fill_isolated(body, spec.operands, [&] {
    returned = *any_like(module_.args(body)[0]);
    end_block(OpKind::SdyReturn, {returned});
  });
  bound_ = outer;
  remember(module_.result(builder_->create(std::move(spec))), known_outside(returned));
  return true;
}

// ---- Functions ----------------------------------------------------------------------------------

/// Creates a private function on values with the types of the models. Its callees exist already.
OpId RandomMaker::make_function(const std::vector<ValueId>& models) {
  const std::string name =
      "f" + std::to_string(functions_.size()) + std::string(static_cast<std::size_t>(depth_), 'i');
  const OpId function = module_.add_function(name, types_of(models), {});
  module_.attributes(function).set("sym_visibility", "private");
  for (std::size_t index = 0; index < models.size(); ++index) {
    if (random_.chance(2)) continue;
    ir::set_arg_sharding(module_, function, index, any_sharding(models[index]));
  }
  fill_isolated(module_.entry(function), models, [&] {
    const std::vector<ValueId> returned = any_values(2);
    module_.function(function).result_types = types_of(returned);
    module_.function(function).result_attributes.resize(returned.size());
    for (std::size_t index = 0; index < returned.size(); ++index) {
      if (random_.chance(2)) continue;
      ir::set_result_sharding(module_, function, index, any_sharding(returned[index]));
    }
    end_block(OpKind::FuncReturn, returned);
  });
  Callee callee{function, {}, bound_};
  for (const ValueId model : models) callee.args.push_back(known(model));
  functions_.push_back(std::move(callee));
  return function;
}

/// Checks that the shardings in the function use no axes that are bound at the current position.
bool RandomMaker::can_call(const Callee& callee) const {
  return std::ranges::all_of(bound_.names(), [&](const std::string& axis) {
    return std::ranges::find(callee.bound.names(), axis) != callee.bound.names().end();
  });
}

/// Returns values with the types of the function's arguments and at least their required
/// properties.
std::optional<std::vector<ValueId>> RandomMaker::any_arguments(const Callee& callee) {
  std::vector<ValueId> operands;
  for (const Type& wanted : module_.arg_types(callee.function)) {
    const auto found =
        std::ranges::find_if(values_, [&](ValueId value) { return type(value) == wanted; });
    if (found == values_.end()) return std::nullopt;
    operands.push_back(*any_like(*found));
    const ValueRange& assumed = callee.args[operands.size() - 1];
    const ValueRange have = known(operands.back());
    const bool is_known = (have.integral || !assumed.integral) && have.bound <= assumed.bound;
    if (options_.free_axes && assumed.integral && !is_known) return std::nullopt;
  }
  return operands;
}

bool RandomMaker::add_call() {
  if (!may_shard()) return false;
  OpId callee;
  std::vector<ValueId> operands;
  if (!functions_.empty() && random_.chance(2)) {
    const Callee& chosen = random_.pick(functions_);
    auto arguments = can_call(chosen) ? any_arguments(chosen) : std::nullopt;
    if (!arguments) return false;
    callee = chosen.function;
    operands = *std::move(arguments);
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

/// Adds a sharding group. Its members have one shape, and all or none of them are in manual
/// computations. No member may be used as a partial value, because all members would have to be
/// partial (passes 4.8, 5.13). Operands and results of a collective cannot be members, because the
/// collective declares their shardings.
bool RandomMaker::add_group() {
  if (!bound_.empty()) return false;
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
