#include "shardy/ir/graph_builder.hpp"

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {
namespace {

/// Returns the text of a closed list of dims in which at most one dim is sharded, such as `[{},
/// {"x", "y":(1)2}, {}]`.
std::string dims_text(std::size_t rank, std::optional<std::size_t> split_dim,
                      const std::vector<std::string>& axes) {
  std::string text = "[";
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (dim > 0) text += ", ";
    text += "{";
    for (std::size_t axis = 0; split_dim == dim && axis < axes.size(); ++axis) {
      if (axis > 0) text += ", ";
      text += axes[axis].starts_with('"') ? axes[axis] : in_quotes(axes[axis]);
    }
    text += "}";
  }
  return text + "]";
}

/// Returns the type of the shard that one device holds if a value is split along the manual axes.
Result<Type> manual_type(const Type& global, const TensorSharding& sharding, AxisNames manual) {
  if (!global.is_tensor() || sharding.rank() != global.dims().size()) return global;
  std::vector<int64_t> dims(global.dims().begin(), global.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t parts = manual_size(sharding.mesh(), sharding.dim(dim).axes, manual);
    if (dims[dim] == kDynamicDim) continue;
    if (dims[dim] % parts != 0) {
      return fail("operand dimension size " + std::to_string(dims[dim]) +
                  " is not divisible by the manual axes size " + std::to_string(parts));
    }
    dims[dim] /= parts;
  }
  return Type::make_tensor(std::move(dims), global.element());
}

Attribute i64(int64_t value) { return IntegerAttr{value, ElementType::I64}; }
Attribute i64_array(std::vector<int64_t> values) {
  return DenseArrayAttr{ElementType::I64, std::move(values)};
}

}  // namespace

// ---- Errors -------------------------------------------------------------------------------------

void GraphBuilder::fail_with(std::string_view op_name, Error error) {
  if (error_) return;
  error_ = with_prefix("'" + std::string(op_name) + "' op ", std::move(error));
  error_->location = module_.source_location(location_);
}

void GraphBuilder::fail_with(OpKind kind, std::string message) {
  fail_with(info(kind).name, Error{std::move(message), {}, {}});
}

bool GraphBuilder::check_place(std::string_view op_name) {
  if (error_) return false;
  if (block_.valid()) return true;
  fail_with(op_name, Error{"is outside of a function: call function() first", {}, {}});
  return false;
}

bool GraphBuilder::check_operands(std::string_view op_name, std::span<const ValueId> operands) {
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (is_value(operands[index])) continue;
    fail_with(
        op_name,
        Error{"operand " + std::to_string(index) + " is not a value of this builder", {}, {}});
    return false;
  }
  return true;
}

// ---- Program ------------------------------------------------------------------------------------

void GraphBuilder::mesh(std::string name, std::vector<MeshAxis> axes,
                        std::vector<int64_t> device_ids) {
  if (error_) return;
  const Result<Mesh> made = Mesh::make(std::move(axes), std::move(device_ids));
  if (!made) return fail_with(info(OpKind::SdyMesh).name, made.error());
  mesh(std::move(name), *made);
}

void GraphBuilder::mesh(std::string name, const Mesh& mesh) {
  if (error_) return;
  if (!first_mesh_) first_mesh_ = name;
  module_.set_location(module_.add_mesh(std::move(name), mesh), location_);
}

OpId GraphBuilder::function(std::string name, bool is_private) {
  if (error_) return {};
  function_ = module_.add_function(std::move(name), {}, {});
  if (is_private) module_.attributes(function_).set("sym_visibility", std::string("private"));
  module_.set_location(function_, location_);
  block_ = module_.entry(function_);
  return function_;
}

ValueId GraphBuilder::argument(const Type& type, const ShardingSpec& sharding) {
  if (!check_place(info(OpKind::Func).name)) return {};
  const std::optional<TensorSharding> resolved = resolve(info(OpKind::Func).name, sharding, type);
  if (error_) return {};
  const BlockId entry = module_.entry(function_);
  const std::size_t index = module_.args(entry).size();
  const ValueId value = module_.add_argument(entry, type);
  module_.function(function_).arg_attributes.resize(index + 1);
  if (resolved) set_arg_sharding(module_, function_, index, *resolved);
  return value;
}

void GraphBuilder::ret(const Values& values, const std::vector<ShardingSpec>& shardings) {
  const std::string_view name = info(OpKind::FuncReturn).name;
  if (!check_place(name) || !check_operands(name, values)) return;
  if (!shardings.empty() && shardings.size() != values.size()) {
    return fail_with(OpKind::FuncReturn, "needs one sharding for each value, or none: " +
                                             std::to_string(shardings.size()) + " shardings vs " +
                                             std::to_string(values.size()) + " values");
  }
  FunctionData& data = module_.function(function_);
  data.result_types = types_of(values);
  data.result_attributes.resize(values.size());
  for (std::size_t index = 0; index < shardings.size(); ++index) {
    const auto sharding = resolve(name, shardings[index], module_.type(values[index]));
    if (sharding) set_result_sharding(module_, function_, index, *sharding);
  }
  op({.kind = OpKind::FuncReturn, .operands = values});
  block_ = BlockId();
}

void GraphBuilder::location(const Location& at) { location_ = module_.add_location(at); }

void GraphBuilder::set_attribute(ValueId value, std::string_view name, Attribute attribute) {
  if (error_ || !check_operands("set_attribute", std::span(&value, 1))) return;
  const OpId op = module_.defining_op(value);
  if (op.valid()) {
    module_.attributes(op).set(name, std::move(attribute));
    return;
  }
  fail_with("set_attribute", Error{"operand 0 is an argument: no op defines it", {}, {}});
}

Result<Module> GraphBuilder::finish() {
  const std::optional<Error> error = std::exchange(error_, std::nullopt);
  Module module = std::exchange(module_, Module());
  *this = GraphBuilder();
  if (error) return tl::unexpected(*error);
  Diagnostics errors = verify(module);
  if (errors.empty()) return module;
  if (errors.size() > 1) {
    const std::size_t others = errors.size() - 1;
    errors.front().notes.push_back("and " + std::to_string(others) +
                                   (others == 1 ? " more error" : " more errors"));
  }
  return tl::unexpected(std::move(errors.front()));
}

// ---- Any op -------------------------------------------------------------------------------------

std::vector<Type> GraphBuilder::types_of(std::span<const ValueId> values) const {
  std::vector<Type> types;
  for (const ValueId value : values) types.push_back(type(value));
  return types;
}

GraphBuilder::Values GraphBuilder::op(OpSpec spec) {
  const std::string name(spec.kind == OpKind::Unknown ? spec.name : info(spec.kind).name);
  if (!check_place(name) || !check_operands(name, spec.operands)) return {};
  Result<std::vector<Type>> types = infer_result_types(module_, spec);
  if (!types) {
    error_ = std::move(types).error();
    error_->location = module_.source_location(location_);
    return {};
  }
  spec.result_types = *std::move(types);
  if (!spec.location.valid()) spec.location = location_;
  const OpId made = module_.create(std::move(spec));
  module_.append(block_, made);
  return module_.results(made);
}

ValueId GraphBuilder::value_of(OpSpec spec) {
  const Values results = op(std::move(spec));
  return results.size() == 1 ? results.front() : ValueId();
}

GraphBuilder::Values GraphBuilder::custom(std::string name, Values operands,
                                          std::vector<Type> result_types, AttributeMap attributes) {
  return op({.kind = OpKind::Unknown,
             .name = std::move(name),
             .operands = std::move(operands),
             .result_types = std::move(result_types),
             .attributes = std::move(attributes)});
}

RegionId GraphBuilder::region(std::span<const Type> args, const Body& body, OpKind terminator) {
  if (error_) return {};
  const RegionId made = module_.new_region();
  const BlockId block = module_.new_block(made, args);
  const BlockId outer = std::exchange(block_, block);
  const auto span = module_.args(block);
  const Values yielded = body(Values(span.begin(), span.end()));
  block_ = block;
  op({.kind = terminator, .operands = yielded});
  block_ = outer;
  return made;
}

// ---- Shardings ----------------------------------------------------------------------------------

Result<TensorSharding> GraphBuilder::resolved(const ShardingSpec& spec, const Type& type) const {
  const TypeShape shape(type);
  if (const TensorSharding* sharding = spec.sharding()) {
    SHARDY_TRY_STATUS(verify_sharding_for_shape(*sharding, shape.view()));
    return *sharding;
  }
  const std::string& text = *spec.text();
  if (!names_mesh(text) && !first_mesh_) {
    return fail("sharding has no mesh name, and the module has no mesh: call mesh() first");
  }
  const Result<UnresolvedSharding> unresolved =
      parse_any_sharding(text, first_mesh_.value_or(""), sharding_rank(type));
  if (!unresolved) {
    return fail("sharding " + text + ": " + unresolved.error().location.text() + ": " +
                unresolved.error().message);
  }
  const auto lookup = [&](const std::string& name) { return module_.find_mesh(name); };
  SHARDY_TRY(const Mesh mesh, mesh_of(*unresolved, lookup));
  return shardy::resolve(*unresolved, mesh, shape.view());
}

std::optional<TensorSharding> GraphBuilder::resolve(std::string_view op_name,
                                                    const ShardingSpec& spec, const Type& type) {
  if (error_ || spec.empty()) return std::nullopt;
  Result<TensorSharding> sharding = resolved(spec, type);
  if (sharding) return *std::move(sharding);
  fail_with(op_name, std::move(sharding).error());
  return std::nullopt;
}

void GraphBuilder::annotate(ValueId value, const ShardingSpec& sharding) {
  if (error_ || !check_operands("annotate", std::span(&value, 1))) return;
  const auto resolved = resolve("annotate", sharding, module_.type(value));
  if (resolved) set_sharding(module_, value, *resolved);
}

ValueId GraphBuilder::annotated(OpKind kind, ValueId x, const ShardingSpec& sharding) {
  const std::string_view name = info(kind).name;
  if (!check_place(name) || !check_operands(name, std::span(&x, 1))) return {};
  if (sharding.empty()) {
    fail_with(kind, "needs a sharding");
    return {};
  }
  const auto resolved = resolve(name, sharding, module_.type(x));
  if (!resolved) return {};
  OpSpec spec{.kind = kind, .operands = {x}};
  spec.attributes.set(attr::kSharding, *resolved);
  return value_of(std::move(spec));
}

ValueId GraphBuilder::sharding_constraint(ValueId x, const ShardingSpec& sharding) {
  return annotated(OpKind::SdyShardingConstraint, x, sharding);
}

ValueId GraphBuilder::reshard(ValueId x, const ShardingSpec& sharding) {
  return annotated(OpKind::SdyReshard, x, sharding);
}

ValueId GraphBuilder::replicate(ValueId x) {
  return sharding_constraint(x, dims_text(sharding_rank(type(x)), std::nullopt, {}));
}

ValueId GraphBuilder::split(ValueId x, int64_t dim, const std::vector<std::string>& axes) {
  const std::size_t rank = sharding_rank(type(x));
  if (is_value(x) && (dim < 0 || dim >= static_cast<int64_t>(rank))) {
    fail_with(OpKind::SdyShardingConstraint, "dim to split must be in range [0, " +
                                                 std::to_string(rank) + "), got " +
                                                 std::to_string(dim));
    return {};
  }
  return sharding_constraint(x, dims_text(rank, static_cast<std::size_t>(dim), axes));
}

// ---- Manual computations ------------------------------------------------------------------------

std::vector<TensorSharding> GraphBuilder::resolve_all(OpKind kind,
                                                      const std::vector<ShardingSpec>& specs,
                                                      std::span<const Type> types) {
  std::vector<TensorSharding> shardings;
  if (specs.size() != types.size()) {
    fail_with(kind, "shardings don't match number of values: " + std::to_string(specs.size()) +
                        " shardings vs " + std::to_string(types.size()) + " values");
  }
  for (std::size_t index = 0; index < specs.size() && !error_; ++index) {
    if (specs[index].empty()) fail_with(kind, "needs a sharding for each value");
    const auto sharding = resolve(info(kind).name, specs[index], types[index]);
    if (sharding) shardings.push_back(*sharding);
  }
  return shardings;
}

GraphBuilder::Values GraphBuilder::manual_computation(const Values& operands,
                                                      const ManualShardings& shardings,
                                                      const Body& body) {
  const OpKind kind = OpKind::SdyManualComputation;
  if (!check_place(info(kind).name) || !check_operands(info(kind).name, operands)) return {};
  const std::vector<Type> global = types_of(operands);
  const std::vector<TensorSharding> in = resolve_all(kind, shardings.in, global);
  if (error_) return {};
  std::vector<Type> local;
  for (std::size_t index = 0; index < in.size(); ++index) {
    Result<Type> type = manual_type(global[index], in[index], shardings.manual_axes);
    if (!type) {
      fail_with(info(kind).name, std::move(type).error());
      return {};
    }
    local.push_back(*std::move(type));
  }
  OpSpec spec{.kind = kind, .operands = operands};
  spec.regions = {region(local, body, OpKind::SdyReturn)};
  if (error_) return {};
  const OpId last = module_.last_op(module_.blocks(spec.regions.front()).front());
  const std::vector<Type> returned = types_of(module_.operands(last));
  spec.attributes.set(attr::kInShardings, ShardingList{in});
  spec.attributes.set(attr::kOutShardings,
                      ShardingList{resolve_all(kind, shardings.out, returned)});
  spec.attributes.set(attr::kManualAxes, ManualAxesAttr{shardings.manual_axes});
  return op(std::move(spec));
}

/// Returns the type of an operand for ops whose result type the builder computes itself.
std::optional<Type> GraphBuilder::tensor_type(OpKind kind, ValueId value) {
  const std::string_view name = info(kind).name;
  if (!check_place(name) || !check_operands(name, std::span(&value, 1))) return std::nullopt;
  const Type& found = module_.type(value);
  if (found.is_tensor()) return found;
  fail_with(kind, "operand 0 must be a tensor");
  return std::nullopt;
}

std::optional<Type> GraphBuilder::make_type(OpKind kind, Dims dims, ElementType element) {
  if (error_) return std::nullopt;
  Result<Type> made = Type::make_tensor(std::move(dims), element);
  if (made) return *std::move(made);
  fail_with(info(kind).name, std::move(made).error());
  return std::nullopt;
}

// ---- Constants ----------------------------------------------------------------------------------

ValueId GraphBuilder::constant(Literal value) {
  OpSpec spec{.kind = OpKind::Constant};
  spec.attributes.set(attr::kValue, std::move(value));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::splat(const Type& type, double value) {
  if (error_) return {};
  if (type.is_static_tensor()) return constant(splat_literal(type, value));
  fail_with(OpKind::Constant, "needs a static tensor type");
  return {};
}

ValueId GraphBuilder::int_splat(const Type& type, int64_t value) {
  if (error_) return {};
  if (type.is_static_tensor()) return constant(int_splat_literal(type, value));
  fail_with(OpKind::Constant, "needs a static tensor type");
  return {};
}

ValueId GraphBuilder::constant(const Type& type, std::span<const double> values) {
  if (error_) return {};
  const bool fits =
      type.is_static_tensor() && type.num_elements() == static_cast<int64_t>(values.size());
  if (fits) return constant(literal_from(type, values));
  fail_with(OpKind::Constant, "needs a static tensor type with one element for each of the " +
                                  std::to_string(values.size()) + " values");
  return {};
}

ValueId GraphBuilder::constant(const Type& type, std::initializer_list<double> values) {
  return constant(type, std::span<const double>(values.begin(), values.size()));
}

ValueId GraphBuilder::iota(const Type& type, int64_t dim) {
  OpSpec spec{.kind = OpKind::Iota, .result_types = {type}};
  spec.attributes.set(attr::kIotaDimension, i64(dim));
  return value_of(std::move(spec));
}

// ---- Elementwise --------------------------------------------------------------------------------

ValueId GraphBuilder::compare(ValueId a, ValueId b, std::string direction, std::string type) {
  OpSpec spec{.kind = OpKind::Compare, .operands = {a, b}};
  spec.attributes.set(attr::kComparisonDirection,
                      EnumAttr{"stablehlo.comparison_direction", std::move(direction)});
  if (!type.empty()) {
    spec.attributes.set(attr::kCompareType, EnumAttr{"stablehlo.comparison_type", std::move(type)});
  }
  return value_of(std::move(spec));
}

ValueId GraphBuilder::convert(ValueId x, ElementType element) {
  const std::optional<Type> operand = tensor_type(OpKind::Convert, x);
  if (!operand) return {};
  const auto type =
      make_type(OpKind::Convert, {operand->dims().begin(), operand->dims().end()}, element);
  if (!type) return {};
  return value_of({.kind = OpKind::Convert, .operands = {x}, .result_types = {*type}});
}

ValueId GraphBuilder::reduce_precision(ValueId x, int64_t exponent_bits, int64_t mantissa_bits) {
  OpSpec spec{.kind = OpKind::ReducePrecision, .operands = {x}};
  spec.attributes.set(attr::kExponentBits, IntegerAttr{exponent_bits, ElementType::I32});
  spec.attributes.set(attr::kMantissaBits, IntegerAttr{mantissa_bits, ElementType::I32});
  return value_of(std::move(spec));
}

// ---- Shapes -------------------------------------------------------------------------------------

ValueId GraphBuilder::broadcast_in_dim(ValueId x, Dims result_shape, Dims dims) {
  const std::optional<Type> operand = tensor_type(OpKind::BroadcastInDim, x);
  if (!operand) return {};
  const auto type = make_type(OpKind::BroadcastInDim, std::move(result_shape), operand->element());
  if (!type) return {};
  OpSpec spec{.kind = OpKind::BroadcastInDim, .operands = {x}, .result_types = {*type}};
  spec.attributes.set(attr::kBroadcastDimensions, i64_array(std::move(dims)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::reshape(ValueId x, Dims shape) {
  const std::optional<Type> operand = tensor_type(OpKind::Reshape, x);
  if (!operand) return {};
  const auto type = make_type(OpKind::Reshape, std::move(shape), operand->element());
  if (!type) return {};
  return value_of({.kind = OpKind::Reshape, .operands = {x}, .result_types = {*type}});
}

ValueId GraphBuilder::transpose(ValueId x, Dims permutation) {
  OpSpec spec{.kind = OpKind::Transpose, .operands = {x}};
  spec.attributes.set(attr::kPermutation, i64_array(std::move(permutation)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::reverse(ValueId x, Dims dims) {
  OpSpec spec{.kind = OpKind::Reverse, .operands = {x}};
  spec.attributes.set(attr::kDimensions, i64_array(std::move(dims)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::slice(ValueId x, Dims starts, Dims limits, Dims strides) {
  if (strides.empty()) strides.assign(starts.size(), 1);
  const SliceOp view{.starts = starts, .limits = limits, .strides = strides};
  return value_of({.kind = OpKind::Slice, .operands = {x}, .attributes = view.attributes()});
}

ValueId GraphBuilder::concatenate(const Values& values, int64_t dim) {
  OpSpec spec{.kind = OpKind::Concatenate, .operands = values};
  spec.attributes.set(attr::kDimension, i64(dim));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::pad(ValueId x, ValueId value, Dims low, Dims high, Dims interior) {
  if (interior.empty()) interior.assign(low.size(), 0);
  const PadOp view{.low = low, .high = high, .interior = interior};
  return value_of({.kind = OpKind::Pad, .operands = {x, value}, .attributes = view.attributes()});
}

ValueId GraphBuilder::dynamic_slice(ValueId x, const Values& starts, Dims sizes) {
  OpSpec spec{.kind = OpKind::DynamicSlice, .operands = {x}};
  spec.operands.insert(spec.operands.end(), starts.begin(), starts.end());
  spec.attributes = DynamicSliceOp{.sizes = sizes}.attributes();
  return value_of(std::move(spec));
}

ValueId GraphBuilder::dynamic_update_slice(ValueId x, ValueId update, const Values& starts) {
  OpSpec spec{.kind = OpKind::DynamicUpdateSlice, .operands = {x, update}};
  spec.operands.insert(spec.operands.end(), starts.begin(), starts.end());
  return value_of(std::move(spec));
}

// ---- Contractions and reductions ----------------------------------------------------------------

ValueId GraphBuilder::dot_general(ValueId lhs, ValueId rhs, const DotDims& dims,
                                  std::optional<ElementType> element) {
  OpSpec spec{.kind = OpKind::DotGeneral, .operands = {lhs, rhs}};
  // The shape follows from the operands, so the type is written only for its element type.
  if (element) spec.result_types = {Type::tensor({}, *element)};
  spec.attributes = DotGeneralOp{.dims = dims}.attributes();
  return value_of(std::move(spec));
}

ValueId GraphBuilder::dot(ValueId lhs, ValueId rhs) {
  const std::optional<Type> type = tensor_type(OpKind::DotGeneral, lhs);
  if (!type) return {};
  DotDims dims;
  dims.lhs_contracting = {type->rank() - 1};
  dims.rhs_contracting = {0};
  return dot_general(lhs, rhs, dims);
}

GraphBuilder::Values GraphBuilder::reduce(const Values& inputs, const Values& inits, Dims dims,
                                          const Body& body) {
  const std::string_view name = info(OpKind::Reduce).name;
  if (!check_place(name) || !check_operands(name, inits)) return {};
  const std::vector<Type> scalars = types_of(inits);
  std::vector<Type> args = scalars;
  args.insert(args.end(), scalars.begin(), scalars.end());
  OpSpec spec{.kind = OpKind::Reduce, .operands = inputs};
  spec.operands.insert(spec.operands.end(), inits.begin(), inits.end());
  spec.attributes.set(attr::kDimensions, i64_array(std::move(dims)));
  spec.regions = {region(args, body, OpKind::StablehloReturn)};
  return op(std::move(spec));
}

ValueId GraphBuilder::reduce(ValueId x, ValueId init, Dims dims, OpKind combiner) {
  const Values results =
      reduce({x}, {init}, std::move(dims), [&](std::span<const ValueId> args) -> Values {
        return {binary(combiner, args[0], args[1])};
      });
  return results.size() == 1 ? results.front() : ValueId();
}

ValueId GraphBuilder::reduce_from(ValueId x, Dims dims, OpKind combiner, InitialValue initial) {
  const std::optional<Type> type = tensor_type(OpKind::Reduce, x);
  if (!type) return {};
  const double value = initial(type->element());
  return reduce(x, splat(Type::tensor({}, type->element()), value), std::move(dims), combiner);
}

ValueId GraphBuilder::reduce_sum(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Add, [](ElementType) { return 0.0; });
}
ValueId GraphBuilder::reduce_product(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Multiply, [](ElementType) { return 1.0; });
}
ValueId GraphBuilder::reduce_max(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Maximum, &least_value);
}
ValueId GraphBuilder::reduce_min(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Minimum, &greatest_value);
}
ValueId GraphBuilder::reduce_or(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Or, [](ElementType) { return 0.0; });
}
ValueId GraphBuilder::reduce_and(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::And, [](ElementType element) {
    // For an integer, returns the value whose bits are all set.
    return is_signed_integer(element) ? -1.0 : greatest_value(element);
  });
}

// ---- Control flow -------------------------------------------------------------------------------

GraphBuilder::Values GraphBuilder::while_loop(const Values& inits, const Body& condition,
                                              const Body& body) {
  const std::string_view name = info(OpKind::While).name;
  if (!check_place(name) || !check_operands(name, inits)) return {};
  const std::vector<Type> carried = types_of(inits);
  const RegionId cond_region = region(carried, condition, OpKind::StablehloReturn);
  const RegionId body_region = region(carried, body, OpKind::StablehloReturn);
  return op({.kind = OpKind::While, .operands = inits, .regions = {cond_region, body_region}});
}

GraphBuilder::Values GraphBuilder::case_of(ValueId index,
                                           const std::vector<std::function<Values()>>& branches) {
  if (!check_place(info(OpKind::Case).name)) return {};
  OpSpec spec{.kind = OpKind::Case, .operands = {index}};
  for (const auto& branch : branches) {
    const Body body = [&](std::span<const ValueId>) { return branch(); };
    spec.regions.push_back(region({}, body, OpKind::StablehloReturn));
  }
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::if_else(ValueId predicate,
                                           const std::function<Values()>& on_true,
                                           const std::function<Values()>& on_false) {
  if (!check_place(info(OpKind::If).name)) return {};
  OpSpec spec{.kind = OpKind::If, .operands = {predicate}};
  for (const auto* branch : {&on_true, &on_false}) {
    const Body body = [&](std::span<const ValueId>) { return (*branch)(); };
    spec.regions.push_back(region({}, body, OpKind::StablehloReturn));
  }
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::call(const std::string& callee, const Values& operands) {
  OpSpec spec{.kind = OpKind::FuncCall, .operands = operands};
  spec.attributes.set(attr::kCallee, SymbolAttr{callee});
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::optimization_barrier(const Values& operands) {
  return op({.kind = OpKind::OptimizationBarrier, .operands = operands});
}

// ---- sdy ----------------------------------------------------------------------------------------

void GraphBuilder::sharding_group(ValueId x, int64_t group_id) {
  OpSpec spec{.kind = OpKind::SdyShardingGroup, .operands = {x}};
  spec.attributes.set(attr::kGroupId, i64(group_id));
  op(std::move(spec));
}

ValueId GraphBuilder::propagation_barrier(ValueId x, std::string direction) {
  OpSpec spec{.kind = OpKind::SdyPropagationBarrier, .operands = {x}};
  spec.attributes.set(attr::kAllowedDirection,
                      EnumAttr{"sdy.propagation_direction", std::move(direction)});
  return value_of(std::move(spec));
}

GraphBuilder::Values GraphBuilder::named_computation(std::string name, const Values& operands,
                                                     const Body& body) {
  const std::string_view op_name = info(OpKind::SdyNamedComputation).name;
  if (!check_place(op_name) || !check_operands(op_name, operands)) return {};
  OpSpec spec{.kind = OpKind::SdyNamedComputation, .operands = operands};
  spec.attributes.set(attr::kName, std::move(name));
  spec.regions = {region(types_of(operands), body, OpKind::SdyReturn)};
  return op(std::move(spec));
}

}  // namespace shardy::ir
