#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/random_maker.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::checking {

namespace {

template <typename T>
void shuffle(Random& random, std::vector<T>& items) {
  for (std::size_t last = items.size(); last > 1; --last) {
    const auto other = static_cast<std::size_t>(random.between(0, static_cast<int64_t>(last) - 1));
    std::swap(items[last - 1], items[other]);
  }
}

/// Adds the full axis, or two sub-axes split at a divisor.
void add_pieces(Random& random, AxisRef axis, AxisList& pieces) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 2; divisor < axis.size; ++divisor) {
    if (axis.size % divisor == 0) divisors.push_back(divisor);
  }
  if (divisors.empty() || !random.chance(3)) {
    pieces.push_back(axis);
    return;
  }
  const int64_t major = random.pick(divisors);
  pieces.push_back({axis.axis, axis.pre, major});
  pieces.push_back({axis.axis, axis.pre * major, axis.size / major});
}

}  // namespace

Mesh random_mesh(Random& random, int64_t max_devices) {
  constexpr std::array<int64_t, 6> kSizes = {1, 2, 2, 3, 4, 6};
  std::vector<MeshAxis> axes;
  int64_t devices = 1;
  const int64_t num_axes = random.between(1, 3);
  for (const char* name : {"x", "a", "m"}) {  // not in alphabetical order
    if (std::ssize(axes) == num_axes) break;
    int64_t size = random.pick(std::span<const int64_t>(kSizes));
    if (devices * size > max_devices) size = 1;
    devices *= size;
    axes.push_back({name, size});
  }
  std::vector<int64_t> ids;
  if (random.chance(4)) {
    for (int64_t device = 0; device < devices; ++device) ids.push_back(device);
    shuffle(random, ids);
  }
  const Result<Mesh> mesh = Mesh::make(std::move(axes), std::move(ids));
  SHARDY_ASSERT(mesh.has_value());
  return mesh ? *mesh : Mesh();
}

Mesh random_manual_mesh(Random& random, int64_t max_devices) {
  constexpr std::array<int64_t, 4> kSizes = {2, 2, 3, 4};
  std::vector<MeshAxis> axes;
  int64_t devices = 1;
  const int64_t num_axes = random.between(2, 4);
  for (const char* name : {"p", "x", "a", "m"}) {
    if (std::ssize(axes) == num_axes) break;
    int64_t size = random.pick(std::span<const int64_t>(kSizes));
    if (devices * size > max_devices) size = devices * 2 > max_devices ? 1 : 2;
    devices *= size;
    axes.push_back({name, size});
  }
  const Result<Mesh> mesh = Mesh::make(std::move(axes));
  SHARDY_ASSERT(mesh.has_value());
  return mesh ? *mesh : Mesh();
}

Mesh other_order(Random& random, const Mesh& mesh) {
  std::vector<int64_t> ids;
  for (int64_t device = 0; device < mesh.num_devices(); ++device) ids.push_back(device);
  shuffle(random, ids);
  const Result<Mesh> other = Mesh::make({mesh.axes().begin(), mesh.axes().end()}, std::move(ids));
  SHARDY_ASSERT(other.has_value());
  return other ? *other : mesh;
}

TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               const BoundAxes& bound, Summands summands) {
  SHARDY_EXPECTS(rank <= kMaxRank);
  if (mesh.is_maximal()) return TensorSharding::fully_closed(mesh, std::nullopt, rank);
  AxisList pieces;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    if (!bound.has(mesh, mesh.full_axis(axis))) add_pieces(random, mesh.full_axis(axis), pieces);
  }
  shuffle(random, pieces);
  std::vector<DimSharding> dims(rank);
  AxisList replicated;
  AxisList unreduced;
  for (const AxisRef& piece : pieces) {
    const int64_t fate = random.between(0, 9);
    if (fate == 0) replicated.push_back(piece);
    if (fate == 1 && summands == Summands::Some) unreduced.push_back(piece);
    if (fate < 4 || rank == 0) continue;
    const auto dim = static_cast<std::size_t>(random.between(0, static_cast<int64_t>(rank) - 1));
    append_or_merge(dims[dim].axes, piece);
  }
  for (DimSharding& dim : dims) dim.is_closed = random.chance(2);
  const Result<TensorSharding> sharding =
      TensorSharding::make(mesh, "mesh", std::move(dims), sort_and_merge(std::move(replicated)),
                           sort_and_merge(std::move(unreduced)));
  SHARDY_ASSERT(sharding.has_value());
  return sharding ? *sharding : TensorSharding::fully_open(mesh, "mesh", rank);
}

namespace {

/// Sizes that manual axes divide.
const std::vector<int64_t> kDivisibleDims = {2, 3, 4, 4, 6, 6, 8, 12};

double exact_limit(ElementType element) {
  if (element == ElementType::F32) return 0x1p24;
  if (element == ElementType::F64) return 0x1p53;
  if (!ir::is_float(element)) return HUGE_VAL;
  return std::ldexp(1.0, ir::float_format(element).mantissa_bits + 1);
}

}  // namespace

bool RandomMaker::fits(ElementType element, double bound) { return bound < exact_limit(element); }

Type RandomMaker::random_type() {
  std::vector<int64_t> dims;
  const int64_t rank = random_.between(0, options_.max_rank);
  int64_t elements = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = random_.between(1, options_.max_dim);
    if (options_.free_axes) size = random_.pick(kDivisibleDims);
    if (elements * size > 3000) size = 2;
    elements *= size;
    dims.push_back(size);
  }
  return Type::tensor(std::move(dims), random_element());
}

ElementType RandomMaker::random_element() {
  if (options_.small_floats && random_.chance(2)) {
    return random_.pick(std::span<const ElementType>(kSmallFloats));
  }
  return random_.pick(std::span<const ElementType>(kElements));
}

TensorSharding RandomMaker::any_sharding(ValueId value, Summands summands) {
  TensorSharding sharding = random_sharding(random_, mesh_, rank(value), bound_, summands);
  if (!other_mesh_ || random_.chance(2)) return sharding;
  return sharding.with_mesh({*other_mesh_, "other"});
}

/// Returns another value of the same type; the value itself if no other exists.
std::optional<ValueId> RandomMaker::any_like(ValueId model) {
  std::vector<ValueId> alike;
  for (const ValueId value : values_) {
    if (type(value) == type(model)) alike.push_back(value);
  }
  return random_.pick(alike);
}

bool RandomMaker::emit(OpSpec spec, ValueRange known) {
  const auto types = ir::infer_result_types(module_, spec);
  if (!types) return false;
  spec.result_types = *types;
  for (const Type& type : spec.result_types) {
    if (type.num_elements() > 20000) return false;
  }
  const ir::OpId op = builder_->create(std::move(spec));
  for (const ValueId result : module_.results(op)) remember(result, known);
  return true;
}

ValueId RandomMaker::remember(ValueId value, ValueRange known) {
  known_.resize(module_.num_values());
  known_[value.index()] = known;
  values_.push_back(value);
  return value;
}

bool RandomMaker::emit_simple(OpKind kind, std::vector<ValueId> operands, ValueRange known,
                              AttributeMap attributes) {
  OpSpec spec{.kind = kind};
  spec.operands = std::move(operands);
  spec.attributes = std::move(attributes);
  return emit(std::move(spec), known);
}

ValueId RandomMaker::scalar(ElementType element, int64_t number) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, ir::int_splat_literal(Type::tensor({}, element), number));
  const ValueId value = builder_->create_value(OpKind::Constant, {}, Type::tensor({}, element),
                                               std::move(attributes));
  known_.resize(module_.num_values());
  known_[value.index()] = {true, static_cast<double>(std::abs(number))};
  return value;
}

ir::RegionId RandomMaker::reducer(OpKind kind, ElementType element) {
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> args(2, Type::tensor({}, element));
  const ir::BlockId block = module_.new_block(region, args);
  ir::Builder body(module_, block);
  const ValueId lhs = module_.args(block)[0];
  const ValueId rhs = module_.args(block)[1];
  OpSpec terminator{.kind = OpKind::StablehloReturn};
  const bool sets = kind == OpKind::Unknown;
  terminator.operands = {sets ? rhs : body.create_value(kind, {lhs, rhs}, args.front())};
  body.create(std::move(terminator));
  return region;
}

/// Adds a sharding constraint. Integers may also become partial, as the result of an open
/// constraint: only users of a second constraint then use the partial value. Spec: passes 5.13.
bool RandomMaker::add_constraint() {
  if (!may_shard()) return false;
  ValueId value = any();
  const Summands summands = known(value).integral ? Summands::Some : Summands::None;
  TensorSharding sharding = any_sharding(value, summands);
  const ValueRange same = known(value);
  const auto constrain = [&](TensorSharding to) {
    AttributeMap attributes;
    attributes.set(ir::attr::kSharding, std::move(to));
    return emit_simple(OpKind::SdyShardingConstraint, {value}, same, std::move(attributes));
  };
  if (sharding.unreduced_axes().empty()) return constrain(std::move(sharding));
  if (!constrain(sharding.fully_open_like())) return false;
  ungrouped_.insert(ungrouped_.end(), {value, values_.back()});
  value = values_.back();
  if (!constrain(std::move(sharding))) return false;
  ungrouped_.push_back(values_.back());
  return true;
}

// ---- Program ---------------------------------------------------------------------------------

void RandomMaker::add_arguments(ir::OpId function) {
  const ir::BlockId entry = module_.entry(function);
  for (std::size_t index = 0; index < module_.args(entry).size(); ++index) {
    const ValueId arg = remember(module_.args(entry)[index], {});
    inputs_.push_back(random_tensor(random_, type(arg)));
    if (random_.chance(4)) continue;
    ir::set_arg_sharding(module_, function, index, any_sharding(arg));
  }
}

void RandomMaker::add_ops() { add_steps(random_.between(options_.min_ops, options_.max_ops)); }

/// Adds an op without regions and indices. Returns false if no op was added.
bool RandomMaker::add_plain_op() {
  constexpr std::array<Step, 20> kSteps = {
      &RandomMaker::add_unary,    &RandomMaker::add_function,  &RandomMaker::add_binary,
      &RandomMaker::add_binary,   &RandomMaker::add_compare,   &RandomMaker::add_select,
      &RandomMaker::add_clamp,    &RandomMaker::add_convert,   &RandomMaker::add_iota,
      &RandomMaker::add_constant, &RandomMaker::add_broadcast, &RandomMaker::add_reshape,
      &RandomMaker::add_reshape,  &RandomMaker::add_transpose, &RandomMaker::add_reduce,
      &RandomMaker::add_dot,      &RandomMaker::add_slice,     &RandomMaker::add_concatenate,
      &RandomMaker::add_pad,      &RandomMaker::add_constraint};
  constexpr std::array<Step, 2> kRare = {&RandomMaker::add_reverse,
                                         &RandomMaker::add_integer_binary};
  if (options_.windows && random_.chance(3)) return add_window();
  if (options_.whole_dims && random_.chance(3)) return add_whole_dim();
  if (options_.batch_norms && random_.chance(3)) return add_batch_norm();
  const Step step = random_.chance(8) ? random_.pick(std::span<const Step>(kRare))
                                      : random_.pick(std::span<const Step>(kSteps));
  return (this->*step)();
}

/// Adds an op of one of the enabled kinds. Returns false if no op was added.
bool RandomMaker::add_step() {
  if (options_.free_axes && random_.chance(3)) {
    return bound_.empty() ? add_manual() : add_constraint();
  }
  if (options_.manual_collectives && random_.chance(bound_.empty() ? 4 : 2)) {
    return bound_.empty() ? add_manual() : add_process_collective();
  }
  if (options_.max_depth > 0 && random_.chance(4)) return add_structure();
  if (options_.indexed && random_.chance(3)) return add_indexed();
  if (random_.chance(4) && add_annotation()) return true;
  return add_plain_op();
}

void RandomMaker::add_steps(int64_t wanted) {
  for (int64_t tries = 0; wanted > 0 && tries < 200; ++tries) {
    if (add_step()) --wanted;
  }
}

void RandomMaker::add_results(ir::OpId function) {
  OpSpec terminator{.kind = OpKind::FuncReturn};
  const auto num_results = std::min<int64_t>(random_.between(1, 3), std::ssize(values_));
  ir::FunctionData& data = module_.function(function);
  for (int64_t index = 0; index < num_results; ++index) {
    const ValueId value = index == 0 ? values_.back() : any();
    terminator.operands.push_back(value);
    data.result_types.push_back(type(value));
    data.result_attributes.emplace_back();
  }
  for (std::size_t index = 0; index < terminator.operands.size(); ++index) {
    if (random_.chance(2)) continue;
    ir::set_result_sharding(module_, function, index, any_sharding(terminator.operands[index]));
  }
  builder_->create(std::move(terminator));
}

RandomProgram RandomMaker::make() {
  module_.add_mesh("mesh", mesh_);
  if (other_mesh_) module_.add_mesh("other", *other_mesh_);
  std::vector<Type> args;
  for (int64_t count = random_.between(1, 3); count > 0; --count) args.push_back(random_type());
  const ir::OpId function = module_.add_function("main", args, {});
  builder_.emplace(module_, module_.entry(function));
  add_arguments(function);
  add_ops();
  add_results(function);
  if (options_.collectives) {
    const Diagnostics errors = passes::reshard_to_collectives(module_, {});
    SHARDY_ASSERT(errors.empty());
  }
  return {std::move(module_), std::move(inputs_)};
}

simulation::Tensor random_tensor(Random& random, const Type& type) {
  std::vector<int64_t> numbers(static_cast<std::size_t>(type.num_elements()));
  const bool boolean = type.element() == ElementType::I1;
  const bool natural = ir::is_unsigned_integer(type.element());
  for (int64_t& number : numbers) {
    number = boolean ? random.between(0, 1) : random.between(natural ? 0 : -3, 3);
  }
  const auto tensor = simulation::Tensor::from_integers(type, numbers);
  return tensor ? *tensor : simulation::Tensor();
}

RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options) {
  SHARDY_EXPECTS(options.min_ops >= 0 && options.max_ops >= options.min_ops);
  SHARDY_EXPECTS(options.max_ops <= 1 << 20 && options.max_rank >= 1 && options.max_rank <= 8);
  SHARDY_EXPECTS(options.max_dim >= 1 && options.max_dim <= 1 << 10);
  SHARDY_EXPECTS(options.max_devices >= 1 && options.max_devices <= 1 << 16);
  return RandomMaker(seed, options).make();
}

}  // namespace shardy::checking
