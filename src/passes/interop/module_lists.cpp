// Shardings of a per-device program as attributes of the module. Spec: interop 2.5, 7.1.
//
//   func.func @main(%a: tensor<4xf32> {sdy.sharding = [{"x"}], spmd.global_type = tensor<8xf32>})
//   ->
//   module {mhlo.spmd_parameters_shardings = ["{devices=[2]<=[2]}"],
//           mhlo.spmd_output_sharding = .., mhlo.num_partitions = 2}
//   func.func @main(%a: tensor<4xf32> {spmd.global_type = tensor<8xf32>})
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ir_names.hpp"
#include "passes/interop/foreign_export.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/hlo_leaves.hpp"
#include "shardy/algebra/hlo_sharding.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

constexpr std::string_view kSdyParameters = "sdy.parameters_shardings";
constexpr std::string_view kSdyOutputs = "sdy.output_shardings";

using Shardings = std::vector<TensorSharding>;

/// Writes one text per argument. Writes no attribute if main has no arguments.
Status write_parameters(Module& module, const ShardingStrings& strings, const Shardings& all) {
  ir::ArrayAttr texts;
  for (const TensorSharding& sharding : all) {
    SHARDY_TRY(std::string text, strings.of(sharding, {}));
    texts.elements.emplace_back(std::move(text));
  }
  module.module_attributes().set(kSpmdParametersAttr, std::move(texts));
  return {};
}

/// Writes one text, which is a tuple for several results.
Status write_outputs(Module& module, const ShardingStrings& strings, const Shardings& all) {
  if (all.empty()) return {};
  SHARDY_TRY(std::string text, strings.of(all, {}));
  module.module_attributes().set(kSpmdOutputAttr, std::move(text));
  return {};
}

// ---- Per-device programs ------------------------------------------------------------------------

/// Removes the sharding attributes and returns the shardings. Values without one are replicated.
Shardings take_shardings(std::vector<ir::AttributeMap>& all, const std::vector<Type>& types) {
  all.resize(types.size());
  Shardings taken;
  for (std::size_t index = 0; index < types.size(); ++index) {
    const auto* own = all[index].get<TensorSharding>(ir::kShardingAttr);
    taken.push_back(own != nullptr ? *own
                                   : TensorSharding::fully_closed(Mesh(), std::nullopt,
                                                                  ir::sharding_rank(types[index])));
    all[index].erase(ir::kShardingAttr);
  }
  return taken;
}

/// Sets `mhlo.num_partitions`. If no text has axes, only this attribute has the number of devices.
void set_num_partitions(Module& module) {
  if (module.module_attributes().contains(kNumPartitionsAttr)) return;
  int64_t count = 1;
  for (const OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh != nullptr) count = std::max(count, mesh->num_devices());
  }
  module.module_attributes().set(kNumPartitionsAttr, ir::IntegerAttr{count, ir::ElementType::I32});
}

// ---- Attributes of the module -------------------------------------------------------------------

Result<std::optional<Shardings>> read_list(const Module& module, std::string_view name,
                                           const std::vector<Type>& types) {
  const ir::Attribute* attribute = module.module_attributes().find(name);
  if (attribute == nullptr) return std::nullopt;
  if (const auto* known = attribute->as<ir::ShardingList>()) return known->shardings;
  const auto* list = attribute->as<ir::UnresolvedShardingList>();
  if (list == nullptr || list->shardings.size() != types.size()) {
    return fail(std::string(name) + " of the module: expected " + std::to_string(types.size()) +
                " shardings");
  }
  Shardings shardings;
  for (std::size_t index = 0; index < types.size(); ++index) {
    const UnresolvedSharding& unresolved = list->shardings[index];
    const auto find = [&](const std::string& mesh) { return module.find_mesh(mesh); };
    const ir::TypeShape shape(types[index]);
    SHARDY_TRY(const Mesh mesh, mesh_of(unresolved, find));
    SHARDY_TRY(TensorSharding sharding, resolve(unresolved, mesh, shape.view()));
    shardings.push_back(std::move(sharding));
  }
  return shardings;
}

// ---- Import -------------------------------------------------------------------------------------

bool has_sharding(const std::vector<ir::AttributeMap>& all) {
  return std::ranges::any_of(all, [](const ir::AttributeMap& attributes) {
    return attributes.contains(ir::kShardingAttr) || mhlo_sharding(attributes) != nullptr ||
           frontend_entry(attributes, key::kSharding) != nullptr;
  });
}

Status place_texts(std::vector<ir::AttributeMap>& all, const std::vector<std::string>& texts,
                   std::string_view name, std::size_t count) {
  if (texts.size() != count) {
    return fail(std::string(name) + " of the module has " + std::to_string(texts.size()) +
                " shardings for " + std::to_string(count));
  }
  all.resize(count);
  for (std::size_t index = 0; index < count; ++index) {
    all[index].set(kMhloShardingAttr, texts[index]);
  }
  return {};
}

Result<std::vector<std::string>> texts_of(const ir::Attribute& attribute, std::string_view name) {
  const auto* array = attribute.as<ir::ArrayAttr>();
  std::vector<std::string> texts;
  for (const ir::Attribute& element : array != nullptr ? array->elements : std::vector{attribute}) {
    const auto* text = element.as<std::string>();
    if (text == nullptr) return fail(std::string(name) + " of the module holds no texts");
    texts.push_back(*text);
  }
  return texts;
}

/// Splits the text of a tuple into leaves. The outer braces are optional for one result.
Result<std::vector<std::string>> leaf_texts(const std::string& text, std::size_t count) {
  const Result<HloLeaves> leaves = parse_hlo_leaves(text);
  if (!leaves) {
    return fail(std::string(kSpmdOutputAttr) + " of the module: " + leaves.error().message +
                " in " + in_quotes(text));
  }
  if (!leaves->is_tuple) return std::vector<std::string>(count, text);
  std::vector<std::string> texts;
  for (const HloLeaf& leaf : leaves->leaves) {
    texts.push_back(std::visit([](const auto& each) { return to_string(each); }, leaf));
  }
  return texts;
}

}  // namespace

bool is_device_program(const Module& module) {
  const std::optional<OpId> main = module.main_function();
  if (!main || module.is_external(*main)) return false;
  const auto has_type_attribute = [](const ir::AttributeMap& attributes) {
    return attributes.contains(kGlobalTypeAttr);
  };
  const ir::FunctionData& data = module.function(*main);
  return module.attributes(*main).contains(kPerDeviceAttr) ||
         std::ranges::any_of(data.arg_attributes, has_type_attribute) ||
         std::ranges::any_of(data.result_attributes, has_type_attribute);
}

Status export_device_program(Module& module, const ShardingStrings& strings) {
  SHARDY_TRY(const OpId main, require_main_function(module));
  set_num_partitions(module);
  const std::vector<Type> args = module.arg_types(main);
  ir::FunctionData& data = module.function(main);
  SHARDY_TRY_STATUS(write_parameters(module, strings, take_shardings(data.arg_attributes, args)));
  return write_outputs(module, strings, take_shardings(data.result_attributes, data.result_types));
}

void erase_device_shardings(Module& module) {
  const std::optional<OpId> main = module.main_function();
  if (!main) return;
  ir::FunctionData& data = module.function(*main);
  for (ir::AttributeMap& attributes : data.arg_attributes) attributes.erase(ir::kShardingAttr);
  for (ir::AttributeMap& attributes : data.result_attributes) attributes.erase(ir::kShardingAttr);
}

Status export_module_lists(Module& module, const ShardingStrings& strings) {
  const std::optional<OpId> main = module.main_function();
  if (!main) return {};
  SHARDY_TRY(const auto parameters, read_list(module, kSdyParameters, module.arg_types(*main)));
  SHARDY_TRY(const auto outputs,
             read_list(module, kSdyOutputs, module.function(*main).result_types));
  if (parameters) {
    SHARDY_TRY_STATUS(write_parameters(module, strings, *parameters));
  }
  if (outputs) {
    SHARDY_TRY_STATUS(write_outputs(module, strings, *outputs));
  }
  module.module_attributes().erase(kSdyParameters);
  module.module_attributes().erase(kSdyOutputs);
  return {};
}

Status place_module_lists(Module& module) {
  const ir::AttributeMap& attributes = module.module_attributes();
  const ir::Attribute* parameters = attributes.find(kSpmdParametersAttr);
  const ir::Attribute* output = attributes.find(kSpmdOutputAttr);
  if ((parameters == nullptr && output == nullptr) || !is_device_program(module)) return {};
  const OpId main = *module.main_function();
  ir::FunctionData& data = module.function(main);
  if (has_sharding(data.arg_attributes) || has_sharding(data.result_attributes)) return {};
  if (parameters != nullptr) {
    SHARDY_TRY(const auto texts, texts_of(*parameters, kSpmdParametersAttr));
    SHARDY_TRY_STATUS(place_texts(data.arg_attributes, texts, kSpmdParametersAttr,
                                  module.arg_types(main).size()));
  }
  if (output != nullptr) {
    SHARDY_TRY(const auto all, texts_of(*output, kSpmdOutputAttr));
    const std::size_t count = data.result_types.size();
    SHARDY_TRY(const auto texts, leaf_texts(all.empty() ? "" : all.front(), count));
    SHARDY_TRY_STATUS(place_texts(data.result_attributes, texts, kSpmdOutputAttr, count));
  }
  module.module_attributes().erase(kSpmdParametersAttr);
  module.module_attributes().erase(kSpmdOutputAttr);
  return {};
}

}  // namespace shardy::passes
