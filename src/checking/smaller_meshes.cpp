#include "checking/smaller_meshes.hpp"

#include <algorithm>
#include <utility>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using Side = ShardingPlace::Side;

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
  if (place.side == Side::Op) return &module.attributes(place.op);
  const ir::FunctionData& data = module.function(place.op);
  const auto& all = place.side == Side::Argument ? data.arg_attributes : data.result_attributes;
  return place.index < all.size() ? &all[place.index] : nullptr;
}

}  // namespace

std::vector<ShardingPlace> sharding_places(const Module& module) {
  std::vector<ShardingPlace> places;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::Func)) {
      const ir::FunctionData& data = module.function(op);
      for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
        add_places(data.arg_attributes[index], {op, Side::Argument, index, {}, 0}, places);
      }
      for (std::size_t index = 0; index < data.result_attributes.size(); ++index) {
        add_places(data.result_attributes[index], {op, Side::Result, index, {}, 0}, places);
      }
    }
    add_places(module.attributes(op), {op, Side::Op, 0, {}, 0}, places);
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
  ir::FunctionData* data = place.side == Side::Op ? nullptr : &module.function(place.op);
  AttributeMap& attributes = data == nullptr                ? module.attributes(place.op)
                             : place.side == Side::Argument ? data->arg_attributes[place.index]
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

/// Spells shardings without what an axis of another size does not have.
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
    std::vector<ir::NamedAttribute> spelled;
    for (const ir::NamedAttribute& entry : attributes) {
      if (const auto* sharding = entry.value.as<TensorSharding>()) {
        spelled.push_back({entry.name, respelled(*sharding)});
      } else if (const auto* list = entry.value.as<ir::ShardingList>()) {
        ir::SpelledShardingList all;
        for (const TensorSharding& each : list->shardings) {
          all.shardings.push_back(respelled(each));
        }
        spelled.push_back({entry.name, std::move(all)});
      } else if (const auto* manual = entry.value.as<ir::ManualAxesAttr>(); size_ == 0 && manual) {
        ir::ManualAxesAttr fewer = *manual;
        std::erase(fewer.names, name_);
        spelled.push_back({entry.name, std::move(fewer)});
      }
    }
    for (ir::NamedAttribute& entry : spelled) attributes.set(entry.name, std::move(entry.value));
  }

  SpelledSharding respelled(const TensorSharding& sharding) const {
    SpelledSharding spelled = spell(sharding);
    for (SpelledDim& dim : spelled.dims) {
      drop_parts(dim.axes);
      if (dim.axes.empty() && dim.is_closed) dim.priority.reset();
    }
    drop_parts(spelled.replicated);
    drop_parts(spelled.unreduced);
    if (spelled.unreduced.empty()) spelled.reduction_op = ReductionOp::Sum;
    return spelled;
  }

  void drop_parts(SpelledAxisList& axes) const {
    std::erase_if(axes, [&](const SpelledAxisRef& axis) {
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

}  // namespace shardy::checking
