#include "passes/interop/sharding_attributes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::AttributeMap;
using ir::Module;
using ir::OpId;
using ir::OpKind;

std::string place_text(const Module& module, const AttributePlace& place) {
  if (place.kind == AttributePlace::Kind::Op) {
    const std::string_view target = call_target(module, place.op);
    if (!target.empty()) return "custom call " + symbol_text(target);
    return std::string(module.name(place.op));
  }
  return (place.kind == AttributePlace::Kind::Argument ? "argument " : "result ") +
         std::to_string(place.index) + " of " + symbol_text(module.symbol_name(place.op));
}

const AttributeMap& attributes_at(const Module& module, const AttributePlace& place) {
  static const AttributeMap kNone;
  if (place.kind == AttributePlace::Kind::Op) return module.attributes(place.op);
  const ir::FunctionData& function = module.function(place.op);
  const auto& all = place.kind == AttributePlace::Kind::Argument ? function.arg_attributes
                                                                 : function.result_attributes;
  return place.index < all.size() ? all[place.index] : kNone;
}

AttributeMap& attributes_at(Module& module, const AttributePlace& place) {
  if (place.kind == AttributePlace::Kind::Op) return module.attributes(place.op);
  ir::FunctionData& function = module.function(place.op);
  auto& all = place.kind == AttributePlace::Kind::Argument ? function.arg_attributes
                                                           : function.result_attributes;
  if (place.index >= all.size()) all.resize(place.index + 1);
  return all[place.index];
}

tl::unexpected<Error> fail_at_place(const Module& module, const AttributePlace& place,
                                    std::string message) {
  return fail_at(module.location_text(place.op), std::move(message));
}

std::vector<AttributePlace> all_places(const Module& module) {
  std::vector<AttributePlace> places;
  for (const OpId top : module.ops(module.body())) {
    if (module.is(top, OpKind::Func)) {
      const ir::FunctionData& function = module.function(top);
      for (std::size_t index = 0; index < function.arg_attributes.size(); ++index) {
        places.push_back({top, AttributePlace::Kind::Argument, index});
      }
      for (std::size_t index = 0; index < function.result_attributes.size(); ++index) {
        places.push_back({top, AttributePlace::Kind::Result, index});
      }
    }
    places.push_back({top});
    for (const ir::RegionId region : module.regions(top)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const OpId op : ir::pre_order(module, block)) places.push_back({op});
      }
    }
  }
  return places;
}

const ir::Attribute* mhlo_sharding(const AttributeMap& attributes) {
  if (attributes.empty()) return nullptr;
  if (const ir::Attribute* outer = attributes.find(kMhloShardingAttr)) return outer;
  const auto* inner = attributes.get<AttributeMap>(kMhloAttributesAttr);
  return inner != nullptr ? inner->find(kMhloShardingAttr) : nullptr;
}

void erase_mhlo_sharding(AttributeMap& attributes) {
  attributes.erase(kMhloShardingAttr);
  auto* inner = attributes.edit<AttributeMap>(kMhloAttributesAttr);
  if (inner != nullptr) inner->erase(kMhloShardingAttr);
}

const AttributeMap* frontend(const AttributeMap& attributes) {
  return attributes.empty() ? nullptr : attributes.get<AttributeMap>(kFrontendAttr);
}

const ir::Attribute* frontend_entry(const AttributeMap& attributes, std::string_view key) {
  const AttributeMap* entries = frontend(attributes);
  return entries != nullptr ? entries->find(key) : nullptr;
}

void erase_frontend(AttributeMap& attributes, std::string_view key) {
  if (frontend_entry(attributes, key) == nullptr) return;
  auto* entries = attributes.edit<AttributeMap>(kFrontendAttr);
  entries->erase(key);
  if (entries->empty()) attributes.erase(kFrontendAttr);
}

void set_frontend(AttributeMap& attributes, std::string_view key, std::string value) {
  if (frontend(attributes) == nullptr) attributes.set(kFrontendAttr, AttributeMap());
  attributes.edit<AttributeMap>(kFrontendAttr)->set(key, std::move(value));
}

std::string_view call_target(const Module& module, OpId op) {
  if (!module.is(op, OpKind::CustomCall)) return {};
  const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
  return target != nullptr ? std::string_view(*target) : std::string_view();
}

bool is_callback(std::string_view target) {
  constexpr std::array<std::string_view, 4> kCallbacks = {
      "xla_python_cpu_callback", "xla_python_gpu_callback", "xla_ffi_python_cpu_callback",
      "xla_ffi_python_gpu_callback"};
  return std::ranges::find(kCallbacks, target) != kCallbacks.end();
}

bool is_mhlo_copy(const Module& module, OpId op) {
  return module.is(op, OpKind::Unknown) && module.name(op) == kMhloCopy &&
         module.num_operands(op) == 1 && module.num_results(op) == 1;
}

std::vector<std::string> manual_axes_around(const Module& module, OpId op) {
  std::vector<std::string> axes;
  for (OpId parent = module.parent_op(op); parent.valid(); parent = module.parent_op(parent)) {
    if (!module.is(parent, OpKind::SdyManualComputation)) continue;
    const auto* own = module.attribute<ir::ManualAxesAttr>(parent, ir::attr::kManualAxes);
    if (own != nullptr) axes.insert(axes.begin(), own->names.begin(), own->names.end());
  }
  return axes;
}

}  // namespace shardy::passes
