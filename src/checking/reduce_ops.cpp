#include "checking/reduce_ops.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "checking/ir_names.hpp"
#include "passes/common/functions.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ShardingOwner = ShardingPlace::ShardingOwner;

// ---- Places ------------------------------------------------------------------------------------

namespace {

void add_places(const AttributeMap& attributes, ShardingPlace place,
                std::vector<ShardingPlace>& places) {
  for (const ir::NamedAttribute& each : attributes) {
    const auto* list = each.value.as<ir::ShardingList>();
    const bool is_one = each.value.as<TensorSharding>() != nullptr;
    const std::size_t count = is_one ? 1 : list == nullptr ? 0 : list->shardings.size();
    place.name = each.name;
    for (place.entry = 0; place.entry < count; ++place.entry) places.push_back(place);
  }
}

const AttributeMap* attributes_at(const Module& module, const ShardingPlace& place) {
  if (module.is_erased(place.op)) return nullptr;
  if (place.side == ShardingOwner::Op) return &module.attributes(place.op);
  const ir::FunctionData& data = module.function(place.op);
  const auto& all =
      place.side == ShardingOwner::Argument ? data.arg_attributes : data.result_attributes;
  return place.index < all.size() ? &all[place.index] : nullptr;
}

}  // namespace

std::vector<ShardingPlace> sharding_places(const Module& module) {
  std::vector<ShardingPlace> places;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::Func)) {
      const ir::FunctionData& data = module.function(op);
      for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
        add_places(data.arg_attributes[index], {op, ShardingOwner::Argument, index, {}, 0}, places);
      }
      for (std::size_t index = 0; index < data.result_attributes.size(); ++index) {
        add_places(data.result_attributes[index], {op, ShardingOwner::Result, index, {}, 0},
                   places);
      }
    }
    add_places(module.attributes(op), {op, ShardingOwner::Op, 0, {}, 0}, places);
  }
  return places;
}

const TensorSharding* sharding_at(const Module& module, const ShardingPlace& place) {
  const AttributeMap* attributes = attributes_at(module, place);
  if (attributes == nullptr) return nullptr;
  if (const auto* one = attributes->get<TensorSharding>(place.name)) return one;
  const auto* list = attributes->get<ir::ShardingList>(place.name);
  const bool has = list != nullptr && place.entry < list->shardings.size();
  return has ? &list->shardings[place.entry] : nullptr;
}

void set_sharding_at(Module& module, const ShardingPlace& place, TensorSharding sharding) {
  ir::FunctionData* data = place.side == ShardingOwner::Op ? nullptr : &module.function(place.op);
  AttributeMap& attributes = data == nullptr ? module.attributes(place.op)
                             : place.side == ShardingOwner::Argument
                                 ? data->arg_attributes[place.index]
                                 : data->result_attributes[place.index];
  if (auto* list = attributes.edit<ir::ShardingList>(place.name)) {
    list->shardings[place.entry] = std::move(sharding);
  } else {
    attributes.set(place.name, std::move(sharding));
  }
}

// ---- Shardings ---------------------------------------------------------------------------------

namespace {

class Smaller {
 public:
  explicit Smaller(const TensorSharding& sharding)
      : sharding_(sharding), dims_(sharding.dims().begin(), sharding.dims().end()) {}

  std::vector<TensorSharding> run() {
    if (!sharding_.unreduced_axes().empty()) add(dims_, sharding_.replicated_axes(), {});
    if (!sharding_.replicated_axes().empty()) add(dims_, {}, sharding_.unreduced_axes());
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
      const DimSharding& now = dims_[dim];
      if (!now.axes.empty()) add_dim(dim, DimSharding{{}, now.is_closed, std::nullopt});
      for (std::size_t axis = 0; now.axes.size() > 1 && axis < now.axes.size(); ++axis) {
        DimSharding fewer = now;
        fewer.axes.erase(fewer.axes.begin() + static_cast<std::ptrdiff_t>(axis));
        add_dim(dim, std::move(fewer));
      }
      if (now.priority) add_dim(dim, now.drop_priority());
      if (!now.is_closed) add_dim(dim, DimSharding{now.axes, true, std::nullopt});
    }
    return std::move(made_);
  }

 private:
  void add_dim(std::size_t dim, DimSharding with) {
    std::vector<DimSharding> dims = dims_;
    dims[dim] = std::move(with);
    add(std::move(dims), sharding_.replicated_axes(), sharding_.unreduced_axes());
  }
  void add(std::vector<DimSharding> dims, AxisList replicated, AxisList unreduced) {
    const ReductionOp op = unreduced.empty() ? ReductionOp::Sum : sharding_.reduction_op();
    auto made = TensorSharding::make(sharding_.mesh(), sharding_.mesh_name(), std::move(dims),
                                     std::move(replicated), std::move(unreduced), op);
    if (made) made_.push_back(*std::move(made));
  }

  const TensorSharding& sharding_;
  std::vector<DimSharding> dims_;
  std::vector<TensorSharding> made_;
};

}  // namespace

std::vector<TensorSharding> smaller_shardings(const TensorSharding& sharding) {
  return Smaller(sharding).run();
}

// ---- Meshes ------------------------------------------------------------------------------------

std::vector<MeshAxis> mesh_axes(const Module& module) {
  std::vector<MeshAxis> axes;
  for (const OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) {
      const auto known = std::ranges::find(axes, axis.name, &MeshAxis::name);
      if (known == axes.end()) {
        axes.push_back(axis);
      } else {
        known->size = std::max(known->size, axis.size);
      }
    }
  }
  return axes;
}

namespace {

/// Changes the size of an axis and removes sub-axes that the new size does not have.
class AxisResizer {
 public:
  AxisResizer(std::string_view name, int64_t size) : name_(name), size_(size) {}

  bool run(Module& module) const {
    for (const OpId op : ir::pre_order(module)) {
      spell_all(module.attributes(op));
      if (!module.is(op, OpKind::Func)) continue;
      for (AttributeMap& each : module.function(op).arg_attributes) spell_all(each);
      for (AttributeMap& each : module.function(op).result_attributes) spell_all(each);
    }
    for (const OpId op : module.meshes()) {
      const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
      if (mesh == nullptr || !mesh->find_axis(name_)) continue;
      std::vector<MeshAxis> axes(mesh->axes().begin(), mesh->axes().end());
      if (size_ == 0) {
        std::erase_if(axes, [&](const MeshAxis& axis) { return axis.name == name_; });
      } else {
        std::ranges::find(axes, name_, &MeshAxis::name)->size = size_;
      }
      auto made = Mesh::make(std::move(axes));
      if (!made) return false;
      module.attributes(op).set(ir::attr::kMesh, *std::move(made));
    }
    return ir::resolve(module).empty();
  }

 private:
  void spell_all(AttributeMap& attributes) const {
    std::vector<ir::NamedAttribute> unresolved;
    for (const ir::NamedAttribute& entry : attributes) {
      if (const auto* sharding = entry.value.as<TensorSharding>()) {
        unresolved.push_back({entry.name, respelled(*sharding)});
      } else if (const auto* list = entry.value.as<ir::ShardingList>()) {
        ir::UnresolvedShardingList all;
        for (const TensorSharding& each : list->shardings) {
          all.shardings.push_back(respelled(each));
        }
        unresolved.push_back({entry.name, std::move(all)});
      } else if (const auto* manual = entry.value.as<ir::ManualAxesAttr>(); size_ == 0 && manual) {
        ir::ManualAxesAttr fewer = *manual;
        std::erase(fewer.names, name_);
        unresolved.push_back({entry.name, std::move(fewer)});
      }
    }
    for (ir::NamedAttribute& entry : unresolved) attributes.set(entry.name, std::move(entry.value));
  }

  UnresolvedSharding respelled(const TensorSharding& sharding) const {
    UnresolvedSharding unresolved = spell(sharding);
    for (UnresolvedDim& dim : unresolved.dims) {
      drop_parts(dim.axes);
      if (dim.axes.empty() && dim.is_closed) dim.priority.reset();
    }
    drop_parts(unresolved.replicated);
    drop_parts(unresolved.unreduced);
    if (unresolved.unreduced.empty()) unresolved.reduction_op = ReductionOp::Sum;
    return unresolved;
  }

  void drop_parts(UnresolvedAxisList& axes) const {
    std::erase_if(axes, [&](const UnresolvedAxisRef& axis) {
      if (axis.name != name_) return false;
      return size_ == 0 || (axis.sub && size_ % (axis.sub->pre * axis.sub->size) != 0);
    });
  }

  std::string name_;
  int64_t size_;
};

}  // namespace

bool resize_axis(Module& module, std::string_view name, int64_t size) {
  return AxisResizer(name, size).run(module);
}

bool drop_device_ids(Module& module) {
  bool changed = false;
  std::vector<ShardingPlace> places = sharding_places(module);
  const auto without = [&](const Mesh& mesh) {
    return *Mesh::make({mesh.axes().begin(), mesh.axes().end()});
  };
  for (const OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->is_maximal() || mesh->device_ids().empty()) continue;
    module.attributes(op).set(ir::attr::kMesh, without(*mesh));
    changed = true;
  }
  for (const ShardingPlace& place : places) {
    const TensorSharding* sharding = sharding_at(module, place);
    if (sharding->mesh().is_maximal() || sharding->mesh().device_ids().empty()) continue;
    set_sharding_at(module, place,
                    sharding->with_mesh({without(sharding->mesh()), sharding->mesh_name()}));
  }
  return changed;
}

std::vector<OpId> ops_of(const Module& module, OpId function) {
  const auto enters = [&](OpId op) {
    return module.is(op, OpKind::While) || module.is(op, OpKind::Case) || module.is(op, OpKind::If);
  };
  std::vector<OpId> ops = ir::pre_order(module, module.entry(function), enters);
  std::erase_if(ops, [&](OpId op) { return module.num_results(op) == 0; });
  return ops;
}

std::vector<ValueId> values_of(const Module& module) {
  std::vector<ValueId> values;
  for (const OpId op : ir::pre_order(module)) {
    for (const ValueId result : module.results(op)) values.push_back(result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const BlockId block : module.blocks(region)) {
        for (const ValueId arg : module.args(block)) values.push_back(arg);
      }
    }
  }
  return values;
}

bool keep_result(Module& module, OpId function, std::size_t kept) {
  const OpId end = module.last_op(module.entry(function));
  const ValueId value = module.operand(end, kept);
  module.set_operands(end, std::vector<ValueId>{value});
  ir::FunctionData& data = module.function(function);
  data.result_types = {data.result_types[kept]};
  if (kept < data.result_attributes.size()) {
    data.result_attributes = {data.result_attributes[kept]};
  }
  return true;
}

bool return_value(Module& module, OpId function, std::size_t index, ValueId value) {
  module.set_operand(module.last_op(module.entry(function)), index, value);
  ir::FunctionData& data = module.function(function);
  data.result_types[index] = module.type(value);
  if (index < data.result_attributes.size()) {
    data.result_attributes[index].erase(ir::kShardingAttr);
  }
  return true;
}

bool return_only(Module& module, OpId function, ValueId value) {
  const OpId end = module.last_op(module.entry(function));
  if (!module.type(value).is_tensor() || module.operands(end) == std::vector<ValueId>{value}) {
    return false;
  }
  module.set_operands(end, std::vector<ValueId>{value});
  ir::FunctionData& data = module.function(function);
  data.result_types = {module.type(value)};
  data.result_attributes.clear();
  for (const OpId op : effects_of(module, function)) module.erase(op);
  return true;
}

std::vector<OpId> effects_of(const Module& module, OpId function) {
  std::vector<OpId> ops;
  for (const OpId op : module.ops(module.entry(function))) {
    if (module.num_results(op) == 0 && !module.has_trait(op, ir::kTerminator)) ops.push_back(op);
  }
  return ops;
}

void replace_by_arguments(Module& module, OpId function, OpId op) {
  if (module.is_erased(op)) return;  // erased with its enclosing op
  for (const ValueId result : module.results(op)) {
    if (module.num_uses(result) == 0) continue;
    const BlockId entry = module.entry(function);
    const auto sharding = ir::get_sharding(module, result);
    const ValueId argument = module.add_argument(entry, module.type(result));
    auto& attributes = module.function(function).arg_attributes;
    attributes.resize(module.args(entry).size());
    if (sharding) attributes.back().set(ir::kShardingAttr, *sharding);
    module.replace_all_uses(result, argument);
  }
  module.erase(op);
}

bool pass_by_all(Module& module, OpId op) {
  const std::size_t count = module.num_results(op);
  if (count < 2 || count > module.num_operands(op)) return false;
  for (std::size_t index = 0; index < count; ++index) {
    if (module.type(module.operand(op, index)) != module.type(module.result(op, index))) {
      return false;
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    module.replace_all_uses(module.result(op, index), module.operand(op, index));
  }
  module.erase(op);
  return true;
}

namespace {

/// Returns the block that replaces the op.
std::optional<BlockId> body_of(const Module& module, OpId op, std::size_t body) {
  switch (module.kind(op)) {
    case OpKind::While:
      return module.block(op, 1);
    case OpKind::Case:
    case OpKind::If:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyManualComputation:
      return module.block(op, body);
    case OpKind::FuncCall: {
      const std::optional<OpId> callee = ir::callee_of(module, op);
      if (!callee || module.is_external(*callee)) return std::nullopt;
      return module.entry(*callee);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::size_t num_bodies(const Module& module, OpId op) {
  if (module.is_erased(op)) return 0;
  const bool branches = module.is(op, OpKind::Case) || module.is(op, OpKind::If);
  if (branches) return module.regions(op).size();
  return body_of(module, op, 0) ? 1 : 0;
}

bool inline_body(Module& module, OpId op, std::size_t body) {
  const std::optional<BlockId> block = body_of(module, op, body);
  if (!block) return false;
  const std::vector<ValueId> args(module.args(*block).begin(), module.args(*block).end());
  if (args.size() > module.num_operands(op)) return false;
  passes::ValueMap map;
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ValueId operand = module.operand(op, index);
    if (module.type(operand) != module.type(args[index])) return false;
    map.emplace(args[index], operand);
  }
  std::vector<OpId> ops;
  for (const OpId inner : module.ops(*block)) ops.push_back(inner);
  const OpId end = ops.back();
  ops.pop_back();
  for (const OpId inner : ops) module.insert_before(op, passes::clone_op(module, inner, map));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId made = passes::mapped(map, module.operand(end, index));
    if (module.type(made) != module.type(module.result(op, index))) return false;
    module.replace_all_uses(module.result(op, index), made);
  }
  module.erase(op);
  return true;
}

bool drop_sharding_at(Module& module, const ShardingPlace& place) {
  if (place.side == ShardingPlace::ShardingOwner::Op) {
    return place.name == ir::kShardingAttr && module.attributes(place.op).erase(place.name);
  }
  ir::FunctionData& data = module.function(place.op);
  const bool is_arg = place.side == ShardingPlace::ShardingOwner::Argument;
  return (is_arg ? data.arg_attributes : data.result_attributes)[place.index].erase(place.name);
}

std::vector<ir::Literal> simpler_literals(const ir::Literal& literal) {
  if (literal.num_elements() == 0) return {};
  std::vector<ir::Literal> simpler;
  const auto is_known = [&](const ir::Literal& other) { return other == literal; };
  for (const double value : {0.0, 1.0}) {
    auto made =
        ir::Literal::make_splat(literal.type(), ir::encode(value, literal.type().element()));
    if (!made) continue;
    if (is_known(*made)) return {};
    simpler.push_back(*std::move(made));
  }
  if (!literal.is_splat()) {
    const std::span<const std::byte> first = literal.element_bytes(0);
    simpler.push_back(
        *ir::Literal::make_splat(literal.type(), std::vector(first.begin(), first.end())));
    if (is_known(simpler.back())) simpler.pop_back();
  }
  return simpler;
}

void fix_arguments(Module& module, OpId function, const std::vector<ir::Literal>& literals) {
  const BlockId entry = module.entry(function);
  for (std::size_t index = literals.size(); index-- > 0;) {
    const ValueId argument = module.args(entry)[index];
    ir::OpSpec spec{.kind = OpKind::Constant, .result_types = {module.type(argument)}};
    spec.attributes.set(ir::attr::kValue, literals[index]);
    const OpId constant = module.create(std::move(spec));
    module.insert_before(module.first_op(entry), constant);
    if (const auto sharding = ir::arg_sharding(module, function, index)) {
      ir::set_sharding(module, module.result(constant), *sharding);
    }
    module.replace_all_uses(argument, module.result(constant));
    module.erase_argument(entry, index);
    auto& attributes = module.function(function).arg_attributes;
    if (index < attributes.size()) {
      attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }
}

}  // namespace shardy::checking
