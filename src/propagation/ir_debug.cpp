#include "shardy/propagation/detail/ir_debug.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/propagation_edges.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::propagation {

namespace {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

constexpr std::string_view kOriginName = "sdy.sharding_origin_name";
constexpr std::string_view kOrigins = "sdy.sharding_origins";
constexpr std::string_view kEdges = "sdy.propagation_edges";

// ---- Numbers of steps ---------------------------------------------------------------------------

std::optional<PropagationEdges> edges_of(const ir::Attribute* attribute) {
  const auto* text = attribute != nullptr ? attribute->as<ir::OpaqueAttr>() : nullptr;
  if (text == nullptr) return std::nullopt;
  Result<PropagationEdges> edges = parse_value<PropagationEdges>(text->text);
  return edges ? std::optional(*std::move(edges)) : std::nullopt;
}

void raise_step(int64_t& next, const ir::Attribute* attribute) {
  const std::optional<PropagationEdges> edges = edges_of(attribute);
  if (!edges) return;
  for (const PropagationStepEdges& step : edges->steps) next = std::max(next, step.step + 1);
}

/// Returns one more than the largest step number in the debug attributes of the module.
int64_t first_step(const Module& module) {
  int64_t next = 0;
  for (const OpId op : ir::pre_order(module)) {
    raise_step(next, module.attributes(op).find(kEdges));
    for (const std::string_view name :
         {"sdy.block_arg_propagation_edges", "sdy.result_propagation_edges"}) {
      const auto* list = module.attribute<ir::ArrayAttr>(op, name);
      if (list == nullptr) continue;
      for (const ir::Attribute& each : list->elements) raise_step(next, &each);
    }
    if (!module.is(op, OpKind::Func)) continue;
    for (const ir::AttributeMap& result : module.function(op).result_attributes) {
      raise_step(next, result.find(kEdges));
    }
  }
  return next;
}

// ---- Attributes ---------------------------------------------------------------------------------

/// Returns an axis or sub-axis as a dictionary key without quotes, such as `a` or `c:(1)4`.
std::string key_of(const Mesh& mesh, const AxisRef& axis) {
  const UnresolvedAxisRef unresolved = spell(mesh, axis);
  return unresolved.sub ? unresolved.name + ":" + to_string(*unresolved.sub) : unresolved.name;
}

/// Appends the new edges to the old ones. If two edges describe an equal move, the older edge
/// stays. Spec: propagation 16.2.
PropagationEdges merged(PropagationEdges old, const PropagationEdges& added) {
  using Move = std::tuple<UnresolvedAxisRef, EdgeValueRef, EdgeValueRef>;
  std::set<Move> seen;
  for (const PropagationStepEdges& step : old.steps) {
    for (const AxisEdge& edge : step.edges) {
      for (const EdgeValueRef& target : edge.targets) seen.emplace(edge.axis, edge.source, target);
    }
  }
  for (PropagationStepEdges step : added.steps) {
    for (AxisEdge& edge : step.edges) {
      std::erase_if(edge.targets, [&](const EdgeValueRef& target) {
        return seen.contains(Move(edge.axis, edge.source, target));
      });
    }
    std::erase_if(step.edges, [](const AxisEdge& edge) { return edge.targets.empty(); });
    if (!step.edges.empty()) old.steps.push_back(std::move(step));
  }
  return old;
}

void add_edges(ir::AttributeMap& attributes, const PropagationEdges& added) {
  const PropagationEdges all =
      merged(edges_of(attributes.find(kEdges)).value_or(PropagationEdges()), added);
  if (all.steps.empty()) return;
  attributes.set(kEdges, ir::OpaqueAttr{"#sdy.propagation_edges" + to_string(all)});
}

std::string numbered(std::string_view kind, std::size_t index) {
  return std::string(kind) + ": " + std::to_string(index);
}

/// Returns whether `mesh` has the axes of the sharding's mesh, so that axis refs mean the same in
/// both. Device ids may differ.
bool has_axes_of(const TensorSharding& sharding, const Mesh& mesh) {
  return sharding.mesh().equals_ignoring_device_ids(mesh);
}

/// The origins of the axes stored at a value, and the mesh of their axes.
struct ValueOrigins {
  Mesh mesh;
  Origins::SlotOrigins axes;
};

/// Writes dictionaries of origins. In the dictionary of a value, axes that the value's own
/// annotation gave have the origin `self`.
class OriginWriter {
 public:
  /// `origins`: the origins of the values that store a sharding.
  OriginWriter(const Module& module, std::map<ValueId, ValueOrigins> origins)
      : module_(module), origins_(std::move(origins)) {}

  /// Returns an empty dictionary if the value has no origins or if another value stores its
  /// sharding.
  ir::AttributeMap of(ValueId value, std::string_view self = {}) const {
    return ir::shardable_value(module_, value) == value ? dictionary(value, self)
                                                        : ir::AttributeMap();
  }
  /// Returns the origins of a function result, also if the returned value shares the storage of
  /// another value. If the result is on another mesh than the returned value, all axes of its own
  /// sharding have the origin `self`.
  ir::AttributeMap of_result(OpId function, std::size_t index, ValueId value) const {
    const std::optional<ValueId> stored = ir::shardable_value(module_, value);
    if (!stored) return {};
    const auto own = ir::result_sharding(module_, function, index);
    const auto found = origins_.find(*stored);
    if (!own || found == origins_.end() || has_axes_of(*own, found->second.mesh)) {
      return dictionary(*stored, numbered("output", index));
    }
    ir::AttributeMap entries;
    own->for_each_axis(
        [&](const AxisRef& axis) { entries.set(key_of(own->mesh(), axis), std::string("self")); });
    return entries;
  }

 private:
  ir::AttributeMap dictionary(ValueId stored, std::string_view self) const {
    ir::AttributeMap entries;
    const auto found = origins_.find(stored);
    if (found == origins_.end()) return entries;
    for (const auto& [axis, origin] : found->second.axes) {
      entries.set(key_of(found->second.mesh, axis), origin == self ? std::string("self") : origin);
    }
    return entries;
  }

  const Module& module_;
  std::map<ValueId, ValueOrigins> origins_;
};

/// Returns the origins of a solved problem by value. `meshes`: the mesh of the origins of each slot
/// that had a source before propagation.
std::map<ValueId, ValueOrigins> origins_by_value(const ModuleProblem& solved,
                                                 const Origins& origins,
                                                 const std::map<SlotId, Mesh>& meshes) {
  std::map<ValueId, ValueOrigins> by_value;
  for (uint32_t index = 0; index < solved.values.size(); ++index) {
    const SlotId slot(index);
    const ValueId value = solved.values[index];
    if (!value.valid() || solved.problem.slot(slot).storage != slot) continue;
    if (origins.of(slot).empty()) continue;
    const std::optional<TensorSharding>& sharding = solved.problem.sharding(slot);
    const bool has_mesh = sharding && sharding->mesh().num_axes() > 0;
    const auto known = meshes.find(slot);
    if (known != meshes.end()) {
      if (has_mesh && !has_axes_of(*sharding, known->second))
        continue;  // now on a mesh with other axes: the axis refs could mean axes of either mesh
      by_value.emplace(value, ValueOrigins{known->second, origins.of(slot)});
    } else if (has_mesh) {
      by_value.emplace(value, ValueOrigins{sharding->mesh(), origins.of(slot)});
    }
  }
  return by_value;
}

/// Returns the origin of the axes that a manual computation gives to its block argument or result
/// `owner`: `mc_0_input: 1`, `mc_0_output: 0`. Empty if `owner` belongs to another op, or if the
/// computation has no name.
std::string name_on_edge(const Module& module, ValueId owner) {
  const OpId op = ir::detail::data_flow_op(module, owner);
  if (!op.valid() || !module.is(op, OpKind::SdyManualComputation)) return {};
  const auto* name = module.attribute<std::string>(op, kOriginName);
  if (name == nullptr) return {};
  const ir::ValueOwner place = module.owner(owner);
  return numbered(*name + (place.is_result() ? "_output" : "_input"), place.index);
}

void write_function(Module& module, OpId function, const OriginWriter& writer) {
  if (module.is_external(function)) return;
  ir::FunctionData& data = module.function(function);
  const auto put = [](std::vector<ir::AttributeMap>& all, std::size_t index,
                      ir::AttributeMap entries) {
    if (entries.empty()) return;
    if (all.size() <= index) all.resize(index + 1);
    all[index].set(kOrigins, std::move(entries));
  };
  const auto args = module.args(module.entry(function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    put(data.arg_attributes, index, writer.of(args[index], numbered("input", index)));
  }
  const auto last = ir::return_op(module, module.entry(function));
  for (std::size_t index = 0; last && index < module.num_operands(*last); ++index) {
    put(data.result_attributes, index,
        writer.of_result(function, index, module.operand(*last, index)));
  }
}

void write_op(Module& module, OpId op, const OriginWriter& writer) {
  const OpKind kind = module.kind(op);
  const bool is_edge = ir::has_trait(kind, ir::kEdge);
  if (is_edge || kind == OpKind::SdyShardingConstraint) {
    if (module.num_results(op) == 0) return;
    const auto* own = module.attribute<std::string>(op, kOriginName);
    const std::string name = is_edge ? name_on_edge(module, module.operand(op, 0))
                                     : (own != nullptr ? *own : std::string());
    ir::AttributeMap entries = writer.of(module.result(op), name);
    if (!entries.empty()) module.attributes(op).set(kOrigins, std::move(entries));
    return;
  }
  ir::ArrayAttr all;
  bool has_any = false;
  for (const ValueId result : module.results(op)) {
    ir::AttributeMap entries = writer.of(result, name_on_edge(module, result));
    has_any = has_any || !entries.empty();
    all.elements.emplace_back(std::move(entries));
  }
  if (has_any) module.attributes(op).set(kOrigins, std::move(all));
}

void write_all(Module& module, const OriginWriter& writer) {
  for (const OpId op : ir::pre_order(module)) {
    module.is(op, OpKind::Func) ? write_function(module, op, writer) : write_op(module, op, writer);
  }
}

}  // namespace

// ---- Where axes come from -----------------------------------------------------------------------

DebugAttributes::DebugAttributes(const Module& module, const IrDebugOptions& options)
    : LoggingObserver(options.propagation_edges ? first_step(module) : 0), options_(options) {
  if (options_.sharding_origins) add_sources(module);
}

void DebugAttributes::add_source(const Module& module, ValueId value, const std::string& origin) {
  const std::optional<TensorSharding> sharding = ir::get_sharding(module, value);
  if (sharding) sources_.push_back({value, *sharding, origin});
}

void DebugAttributes::add_constraint(const Module& module, OpId op, const std::string& name) {
  add_source(module, module.result(op), name);
  add_source(module, module.operand(op, 0), name);
  names_.emplace_back(op, name);
}

void DebugAttributes::add_computation(const Module& module, OpId op, const std::string& name) {
  const auto* in = module.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
  const std::vector<ValueId> args = ir::block_arg_edge_owners(module, op);
  for (std::size_t index = 0; in != nullptr && index < args.size(); ++index) {
    const std::string origin = numbered(name + "_input", index);
    if (index < in->shardings.size()) {
      sources_.push_back({args[index], in->shardings[index], origin});
    }
    if (index < module.num_operands(op)) add_source(module, module.operand(op, index), origin);
  }
  const auto* out = module.attribute<ir::ShardingList>(op, ir::attr::kOutShardings);
  for (std::size_t index = 0; out != nullptr && index < module.num_results(op); ++index) {
    if (index >= out->shardings.size()) break;
    sources_.push_back(
        {module.result(op, index), out->shardings[index], numbered(name + "_output", index)});
  }
  names_.emplace_back(op, name);
}

void DebugAttributes::add_function(const Module& module, OpId function) {
  if (module.is_external(function)) return;
  const auto args = module.args(module.entry(function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    add_source(module, args[index], numbered("input", index));
  }
  const auto last = ir::return_op(module, module.entry(function));
  for (std::size_t index = 0; last && index < module.num_operands(*last); ++index) {
    const auto sharding = ir::result_sharding(module, function, index);
    if (!sharding) continue;
    sources_.push_back({module.operand(*last, index), *sharding, numbered("output", index)});
  }
}

/// Adds the sources in the order constraints, manual computations (inner ones first), functions. An
/// axis with several origins keeps the first one. Spec: propagation 16.1.
void DebugAttributes::add_sources(const Module& module) {
  const std::vector<OpId> order = ir::post_order(module);
  std::size_t count = 0;
  for (const OpId op : order) {
    if (!module.is(op, OpKind::SdyShardingConstraint)) continue;
    add_constraint(module, op, "constraint_" + std::to_string(count++));
  }
  count = 0;
  for (const OpId op : order) {
    if (!module.is(op, OpKind::SdyManualComputation)) continue;
    add_computation(module, op, "mc_" + std::to_string(count++));
  }
  for (const OpId function : module.functions()) add_function(module, function);
}

void DebugAttributes::attach(const ModuleProblem& solved) {
  const Problem& problem = solved.problem;
  std::map<ValueId, SlotId> stored;
  for (uint32_t index = 0; index < solved.values.size(); ++index) {
    if (solved.values[index].valid()) {
      stored.emplace(solved.values[index], problem.slot(SlotId(index)).storage);
    }
  }
  for (const ShardingSource& source : sources_) {
    const auto slot = stored.find(source.value);
    if (slot == stored.end() || !slot->second.valid()) continue;
    // A source contributes no axes if its sharding is on another mesh than the value. The sharding
    // of a function result may be.
    const std::optional<TensorSharding>& own = problem.sharding(slot->second);
    const Mesh& here = own && own->mesh().num_axes() > 0 ? own->mesh() : source.sharding.mesh();
    const Mesh& mesh = meshes_.emplace(slot->second, here).first->second;
    if (!has_axes_of(source.sharding, mesh)) continue;
    source.sharding.for_each_axis(
        [&](const AxisRef& axis) { origins_.add(slot->second, axis, source.origin); });
  }
  for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
    const auto tensors = problem.tensors(NodeId(index));
    if (solved.ops[index].valid() || tensors.size() != 2) continue;
    origins_.share(tensors[1].slot, problem.slot(tensors[0].slot).storage);
  }
}

// ---- Attributes ---------------------------------------------------------------------------------

void DebugAttributes::finish(const ModuleProblem& solved, Module& module) {
  if (options_.sharding_origins) write_origins(solved, module);
  if (options_.propagation_edges) write_edges(solved, module);
}

void DebugAttributes::write_names(ir::Module& module) const {
  for (const auto& [op, name] : names_) {
    if (!module.is_erased(op)) module.attributes(op).set(kOriginName, name);
  }
}

void DebugAttributes::write_origins(const ModuleProblem& solved, Module& module) {
  write_names(module);
  origins_.follow(solved.problem, log());
  write_all(module, OriginWriter(module, origins_by_value(solved, origins_, meshes_)));
}

void DebugAttributes::write_sources(Module& module) const {
  write_names(module);
  std::map<ValueId, ValueOrigins> origins;
  for (const ShardingSource& source : sources_) {
    const std::optional<ValueId> stored = ir::shardable_value(module, source.value);
    if (!stored) continue;
    const std::optional<TensorSharding> own = ir::get_sharding(module, *stored);
    const Mesh& here = own && own->mesh().num_axes() > 0 ? own->mesh() : source.sharding.mesh();
    ValueOrigins& of_value = origins.try_emplace(*stored, ValueOrigins{here, {}}).first->second;
    if (!has_axes_of(source.sharding, of_value.mesh)) continue;
    source.sharding.for_each_axis(
        [&](const AxisRef& axis) { of_value.axes.emplace(axis, source.origin); });
  }
  write_all(module, OriginWriter(module, std::move(origins)));
}

void DebugAttributes::write_edges(const ModuleProblem& solved, Module& module) const {
  const std::vector<PropagationEdges> edges = propagation_edges(solved.problem, log());
  std::unordered_map<std::size_t, const ModuleProblem::FunctionResult*> result_of_slot;
  for (const ModuleProblem::FunctionResult& result : solved.function_results) {
    result_of_slot.try_emplace(result.slot.index(), &result);
  }
  for (uint32_t index = 0; index < edges.size(); ++index) {
    const OpId op = solved.ops[index];
    if (op.valid() && !module.is_erased(op)) add_edges(module.attributes(op), edges[index]);
    if (op.valid() || edges[index].steps.empty()) continue;
    const SlotId slot = solved.problem.tensors(NodeId(index))[1].slot;
    const ModuleProblem::FunctionResult* const result = result_of_slot.find(slot.index())->second;
    auto& all = module.function(result->function).result_attributes;
    if (all.size() <= result->index) all.resize(result->index + 1);
    add_edges(all[result->index], edges[index]);
  }
}

// ---- Without propagation ------------------------------------------------------------------------

void write_sharding_origins(ir::Module& module) {
  const DebugAttributes writer(module, {.sharding_origins = true});
  writer.write_sources(module);
}

void write_backward_steps(Module& module, std::span<const OpId> ops) {
  int64_t next = first_step(module);
  for (const OpId op : ops) {
    const std::optional<TensorSharding> sharding = ir::get_sharding(module, module.result(op));
    if (!sharding) continue;
    const Mesh& mesh = sharding->mesh();
    AxisList axes = sharding->dim_axes();
    if (axes.empty()) continue;
    std::ranges::sort(
        axes, {}, [&](const AxisRef& axis) { return std::pair(mesh.name_rank(axis.axis), axis); });
    PropagationStepEdges step{.step = next++, .edges = {}};
    for (const AxisRef& axis : axes) {
      step.edges.push_back({.axis = spell(mesh, axis),
                            .source = {EdgeValueRef::Kind::Result, 0},
                            .targets = {{EdgeValueRef::Kind::Operand, 0}}});
    }
    add_edges(module.attributes(op), {{std::move(step)}});
  }
}

}  // namespace shardy::propagation
