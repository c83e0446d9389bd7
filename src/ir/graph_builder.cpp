#include "shardy/ir/graph_builder.hpp"

#include <algorithm>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy::ir {

// ---- Errors -------------------------------------------------------------------------------------

void GraphBuilder::fail_with(std::string_view op_name, Error error) {
  if (error_) return;
  error_ = with_prefix("'" + std::string(op_name) + "' op ", std::move(error));
  error_->location = module_.location_text(location_);
}

void GraphBuilder::fail_with(OpKind kind, std::string message) {
  fail_with(info(kind).name, Error{std::move(message), {}, {}});
}

bool GraphBuilder::check_place(std::string_view op_name) {
  if (error_) return false;
  if (block_.valid()) return true;
  fail_with(op_name, Error{"stands in no function: call function() first", {}, {}});
  return false;
}

bool GraphBuilder::check_operands(std::string_view op_name, std::span<const ValueId> operands) {
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (is_value(operands[index])) continue;
    fail_with(op_name,
              Error{"operand " + std::to_string(index) + " is no value of this builder", {}, {}});
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

void GraphBuilder::location(std::string text) { location_ = module_.add_location(std::move(text)); }

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
  std::vector<Error> errors = verify(module);
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
    error_->location = module_.location_text(location_);
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
    return fail("sharding names no mesh, and there is none: call mesh() first");
  }
  const Result<SpelledSharding> spelled =
      parse_any_sharding(text, first_mesh_.value_or(""), sharding_rank(type));
  if (!spelled) {
    return fail("sharding " + text + ": " + spelled.error().location + ": " +
                spelled.error().message);
  }
  const auto lookup = [&](const std::string& name) { return module_.find_mesh(name); };
  SHARDY_TRY(const Mesh mesh, mesh_of(*spelled, lookup));
  return shardy::resolve(*spelled, mesh, shape.view());
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

namespace {

/// `[{}, {"x", "y":(1)2}, {}]`, closed.
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

}  // namespace

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

namespace {

/// Returns the type of the shard of a value on one device along the manual axes.
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

}  // namespace

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

}  // namespace shardy::ir
