// sdy-per-instruction-partitioning: each selected op becomes a separate manual computation. Spec:
// passes 5.19.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = negate %a : tensor<6xf32> [{"x"}]
//   ->
//   %1 = pad %a, low = [0], high = [2]                             : tensor<8xf32> [{"x"}]
//   %2 = sdy.manual_computation(%1) in_shardings=[[{"x"}]] out_shardings=[[{"x"}]]
//                                   manual_axes={"x"} (%b: tensor<2xf32>) {
//     %3 = negate %b
//     sdy.return %3
//   }
//   %0 = slice %2 [0:6]                                            : tensor<6xf32> [{"x"}]
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "ir/process_groups.hpp"
#include "ir/program_facts.hpp"
#include "partitioning/control_flow.hpp"
#include "partitioning/reference/pad_for_divisibility.hpp"
#include "partitioning/reference/passes.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

using passes::PassContext;

// ---- Filter -------------------------------------------------------------------------------------

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\n");
  return end == text.npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

void add(InstructionFilter& filter, std::string_view token) {
  constexpr std::string_view kLow = "selectLow=";
  constexpr std::string_view kHigh = "selectHigh=";
  constexpr std::string_view kFunction = "func=";
  const auto bound = [&](std::string_view name, std::optional<int64_t>& slot) {
    if (const auto number = number_of(token.substr(name.size()))) slot = number;
  };
  if (token.starts_with(kLow)) {
    bound(kLow, filter.low);
  } else if (token.starts_with(kHigh)) {
    bound(kHigh, filter.high);
  } else if (token.starts_with(kFunction)) {
    filter.functions.emplace_back(token.substr(kFunction.size()));
  } else if (!token.empty()) {
    filter.parts.emplace_back(token);
  }
}

}  // namespace

bool InstructionFilter::takes(int64_t number, std::string_view name,
                              std::string_view function) const {
  if ((low && number < *low) || (high && number > *high)) return false;
  if (!functions.empty() && std::ranges::find(functions, function) == functions.end()) return false;
  return parts.empty() || std::ranges::any_of(parts, [&](const std::string& part) {
           return name.find(part) != name.npos;
         });
}

InstructionFilter read_instruction_filter(std::string_view text) {
  InstructionFilter filter;
  text = unquoted(trimmed(text));
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(filter, trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return filter;
}

// ---- Obstacles ----------------------------------------------------------------------------------

namespace {

bool is_defined_inside(const Module& module, OpId op, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  OpId outer = owner.is_result() ? module.parent_op(owner.op)
                                 : module.parent_op(module.parent_region(owner.block));
  while (outer.valid() && outer != op) outer = module.parent_op(outer);
  return outer == op;
}

/// Returns the operands, and the other values that the regions use from outside, in order of first
/// use.
std::vector<ValueId> inputs_of(const Module& module, OpId op) {
  std::vector<ValueId> inputs = module.operands(op);
  std::unordered_set<ValueId> seen(inputs.begin(), inputs.end());
  const auto add = [&](ValueId value) {
    if (!is_defined_inside(module, op, value) && seen.insert(value).second) inputs.push_back(value);
  };
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) {
        for (const ValueId value : module.operands(inner)) add(value);
      }
    }
  }
  return inputs;
}

/// Checks whether a collective reduces partial results of the op. In a separate manual computation,
/// the results would be complete, even if they are declared unreduced.
bool gives_partial_results_to_collective(const Module& module, OpId op) {
  return std::ranges::any_of(module.results(op), [&](ValueId result) {
    const auto sharding = ir::get_sharding(module, result);
    const bool is_unreduced = sharding && !sharding->unreduced_axes().empty();
    return std::ranges::any_of(module.uses(result), [&](const ir::Use& use) {
      const OpKind kind = module.kind(use.op);
      return ir::completes_reduction(kind) || (is_unreduced && ir::is_sdy_collective(kind));
    });
  });
}

/// Returns true for shardings in regions that would be copied unchanged, such as reducers.
bool copies_sharded_regions(const Module& module, OpId op) {
  if (ControlFlow::owns_walked_regions(module.kind(op))) return false;
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      const bool is_sharded = std::ranges::any_of(ir::pre_order(module, block), [&](OpId inner) {
        return module.has_trait(inner, ir::kSdyAnnotation) ||
               ir::is_sdy_collective(module.kind(inner));
      });
      if (is_sharded) return true;
    }
  }
  return false;
}

/// Returns the reason why the op cannot be partitioned alone; empty if no reason is known.
std::string obstacle(const Module& module, OpId op) {
  if (module.is(op, OpKind::FuncCall)) return "it calls a function";
  if (gives_partial_results_to_collective(module, op)) {
    return "a collective combines its partial results";
  }
  if (copies_sharded_regions(module, op)) return "its regions contain shardings";
  const auto is_dynamic = [&](ValueId value) {
    return module.type(value).is_tensor() && !module.type(value).is_static_tensor();
  };
  const bool has_dynamic = std::ranges::any_of(inputs_of(module, op), is_dynamic) ||
                           std::ranges::any_of(module.results(op), is_dynamic);
  return has_dynamic ? "it has dynamic shapes" : "";
}

}  // namespace

// ---- Shardy's passes ----------------------------------------------------------------------------

namespace {

Diagnostics lower(Module& alone, const InstructionOptions& options, const rules::Registry& rules) {
  Diagnostics errors = resolve_permutation_factors(
      alone, {.enable_halo_exchange = options.enable_halo_exchange, .processes = options.processes},
      rules);
  if (!errors.empty()) return errors;
  passes::InsertExplicitReshardsOptions reshards;
  reshards.enable_full_version = true;
  errors = passes::insert_explicit_reshards(alone, reshards, rules);
  if (!errors.empty()) return errors;
  errors = passes::reshard_to_collectives(alone);
  if (!errors.empty()) return errors;
  errors = pad_for_divisibility(alone, FunctionIo::Grows);
  if (errors.empty()) errors = ir::verify(alone);  // checks that shard sizes are consistent
  if (!errors.empty()) return errors;
  errors = convert_global_to_local(alone, {.processes = options.processes}, rules);
  if (!errors.empty()) return errors;
  passes::drop_sharding_and_mesh(alone);
  return ir::verify(alone);
}

/// Adds `by` to the channels of `alone`, which start with 1, because the module may use these
/// channels.
void move_channels(Module& alone, int64_t by) {
  for (const OpId op : ir::pre_order(alone)) {
    const int64_t channel = ir::channel_of(alone, op);
    if (channel == 0 || by == 0) continue;
    alone.attributes(op).set(ir::attr::kChannelHandle, channel_handle(channel + by));
  }
}

/// Lowers a module with one function and one op to a per-device program. Uneven dims are rounded
/// up, with undefined elements at the high end; the passes get the true sizes and mask the
/// padding. New channels are greater than `last_channel`. Errors: those of the passes.
DiagnosedResult<Module> lowered_by_reference(Module alone, const InstructionOptions& options,
                                             const rules::Registry& rules, int64_t last_channel) {
  Diagnostics errors = lower(alone, options, rules);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  move_channels(alone, last_channel);
  return alone;
}

}  // namespace

// ---- Meshes -------------------------------------------------------------------------------------

namespace {

/// The mesh ops of a module, collected once.
class MeshOps {
 public:
  explicit MeshOps(ir::Module& module) : module_(module) {
    for (const ir::OpId op : module.meshes()) {
      const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
      if (mesh == nullptr) continue;
      names_.emplace(*mesh, module.symbol_name(op));
    }
    if (const auto mesh = ir::mesh_of_program(module)) first_ = *mesh->name;
  }

  /// Returns the name of the mesh op with the given mesh; creates the op if none exists.
  std::string name_of(const Mesh& mesh) {
    const auto found = names_.find(mesh);
    if (found != names_.end()) return found->second;
    std::string name = passes::SymbolTable(module_).unique_name("mesh");
    const ir::OpId made = module_.add_mesh(name, mesh);
    module_.remove(made);
    module_.insert_before(module_.first_op(module_.body()), made);
    if (!mesh.axes().empty()) first_ = name;
    names_.emplace(mesh, name);
    return name;
  }
  /// Returns the name of the program's first mesh, used for values without a sharding; empty
  /// without meshes.
  const std::string& first() const { return first_; }

 private:
  ir::Module& module_;
  std::map<Mesh, std::string> names_;
  std::string first_;
};

}  // namespace

namespace {

// ---- Candidates ---------------------------------------------------------------------------------

bool is_split(const Module& module, ValueId value) {
  const std::optional<TensorSharding> sharding = ir::get_sharding(module, value);
  return sharding && !(sharding->is_fully_replicated() && sharding->unreduced_axes().empty());
}

bool only_moves(OpKind kind) {
  return kind == OpKind::SdyAllGather || kind == OpKind::SdyAllSlice ||
         kind == OpKind::SdyAllToAll || kind == OpKind::SdyCollectivePermute;
}

bool is_skipped(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyManualComputation:
    case OpKind::SdyPropagationBarrier:
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyShardingGroup:
      return true;
    case OpKind::CustomCall: {
      const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
      return target != nullptr && (*target == "Sharding" || *target == "mhlo.sharding");
    }
    default:
      return module.has_trait(op, ir::kTerminator) || module.has_trait(op, ir::kEdge) ||
             (ir::is_sdy_collective(module.kind(op)) && !only_moves(module.kind(op)));
  }
}

bool is_candidate(const Module& module, OpId op) {
  if (is_skipped(module, op)) return false;
  const auto sharded = [&](ValueId value) { return is_split(module, value); };
  return std::ranges::any_of(module.operands(op), sharded) ||
         std::ranges::any_of(module.results(op), sharded);
}

std::vector<OpId> chosen_ops(const Module& module, const InstructionFilter& filter) {
  std::vector<OpId> chosen;
  int64_t number = 0;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    for (const OpId op : module.ops(module.entry(function))) {
      const std::string_view name = module.symbol_name(function);
      if (is_candidate(module, op) && filter.takes(number++, module.name(op), name)) {
        chosen.push_back(op);
      }
    }
  }
  return chosen;
}

// ---- Boundary of the manual computation --------------------------------------------------------

/// The shardings and types of an op's tensors at the boundary of its manual computation.
struct Border {
  std::vector<ValueId> inputs;  // operands and values that the regions use
  std::vector<TensorSharding> in, out;
  std::vector<std::string> manual_axes = {};  // in order of first use
  std::set<std::string> meshes;               // names of meshes that the shardings and the op use
};

std::vector<TensorSharding> border_shardings(const Module& module,
                                             const std::vector<ValueId>& values,
                                             const MeshRef& mesh) {
  std::vector<TensorSharding> shardings;
  for (const ValueId value : values) {
    const std::optional<TensorSharding> have = ir::get_sharding(module, value);
    shardings.push_back(have ? have->with_mesh(mesh)
                             : TensorSharding::fully_closed(mesh.mesh, mesh.name,
                                                            ir::sharding_rank(module.type(value))));
  }
  return shardings;
}

void add_axes(const TensorSharding& sharding, std::vector<std::string>& names) {
  sharding.for_each_axis([&](const AxisRef& axis) {
    const std::string& name = sharding.mesh().axes()[static_cast<std::size_t>(axis.axis)].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  });
}

/// Returns the boundary; std::nullopt if the shardings have no common mesh.
std::optional<Border> border_of(const Module& module, OpId op, MeshOps& meshes) {
  std::vector<ValueId> inputs = inputs_of(module, op);
  std::vector<std::optional<TensorSharding>> all;
  all.reserve(inputs.size() + module.num_results(op));
  for (const ValueId value : inputs) all.push_back(ir::get_sharding(module, value));
  for (const ValueId value : module.results(op)) all.push_back(ir::get_sharding(module, value));
  std::optional<MeshRef> mesh = common_mesh(all);
  if (!mesh) return std::nullopt;
  if (!mesh->name) mesh->name = meshes.name_of(mesh->mesh);
  Border border{.inputs = inputs,
                .in = border_shardings(module, inputs, *mesh),
                .out = border_shardings(module, module.results(op), *mesh),
                .meshes = {meshes.first(), *mesh->name}};
  for (const auto& sharding : all) {
    if (sharding && sharding->mesh_name()) border.meshes.insert(*sharding->mesh_name());
  }
  for (TensorSharding& sharding : border.out) sharding = sharding.with_unreduced({});
  for (const TensorSharding& sharding : border.in) add_axes(sharding, border.manual_axes);
  for (const TensorSharding& sharding : border.out) add_axes(sharding, border.manual_axes);
  return border;
}

// ---- Module with one op -------------------------------------------------------------------------

/// Gives names to the inlined meshes of `alone`, because per-device ops reference meshes by name.
/// Adds the mesh ops to `alone` and to the module.
void name_meshes(Module& alone, MeshOps& meshes) {
  std::map<Mesh, std::string> names;
  passes::for_each_sharding(alone, [&](const TensorSharding& sharding, ValueId) {
    if (!sharding.mesh_name() && !sharding.mesh().empty()) names[sharding.mesh()];
  });
  for (auto& [mesh, name] : names) {
    name = meshes.name_of(mesh);
    if (!alone.find_symbol(name)) alone.add_mesh(name, mesh);
  }
  passes::transform_shardings(alone, [&](const TensorSharding& sharding) {
    const auto named = sharding.mesh_name() ? names.end() : names.find(sharding.mesh());
    return named == names.end() ? sharding : sharding.with_mesh({named->first, named->second});
  });
}

/// Adds the meshes that the op may reference, in program order. These are all meshes if the op has
/// regions or is a collective, whose groups may be along the axes of any mesh.
void add_meshes(const Module& module, OpId op, const Border& border, Module& alone) {
  std::vector<OpId> meshes;
  if (!module.regions(op).empty() || module.attributes(op).contains(ir::attr::kReplicaGroups)) {
    meshes = module.meshes();
  } else {
    for (const std::string& name : border.meshes) {
      const std::optional<OpId> mesh = module.find_symbol(name);
      if (mesh && module.is(*mesh, OpKind::SdyMesh)) meshes.push_back(*mesh);
    }
    std::ranges::sort(meshes, [&](OpId a, OpId b) { return module.is_before(a, b); });
  }
  for (const OpId mesh : meshes) {
    alone.add_mesh(std::string(module.symbol_name(mesh)),
                   *module.attribute<Mesh>(mesh, ir::attr::kMesh));
  }
}

/// Returns a module that contains only the op and its meshes.
Module outline(const Module& module, OpId op, const Border& border) {
  Module alone;
  add_meshes(module, op, border, alone);
  std::vector<Type> types;
  for (const ValueId value : border.inputs) types.push_back(module.type(value));
  const OpId function =
      alone.add_function("outlined_op", types, ir::detail::result_types(module, op));
  const ir::BlockId entry = alone.entry(function);
  for (std::size_t index = 0; index < border.in.size(); ++index) {
    ir::set_arg_sharding(alone, function, index, border.in[index]);
  }
  for (std::size_t index = 0; index < border.out.size(); ++index) {
    ir::set_result_sharding(alone, function, index, border.out[index]);
  }
  passes::ValueMap map;
  for (std::size_t index = 0; index < border.inputs.size(); ++index) {
    map[border.inputs[index]] = alone.args(entry)[index];
  }
  const OpId copy = passes::clone_op_into(alone, module, op, map);
  alone.append(entry, copy);
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    alone.set_operand(copy, index, alone.args(entry)[index]);
  }
  ir::OpSpec last{.kind = OpKind::FuncReturn};
  last.operands = alone.results(copy);
  alone.append(entry, alone.create(std::move(last)));
  return alone;
}

/// Copies scalar constants, such as init values, into `alone`; passes must recognize these as
/// constants.
void bring_constants(const Module& module, const std::vector<ValueId>& inputs, Module& alone) {
  const ir::BlockId entry = alone.entry(*alone.main_function());
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const OpId definition = module.defining_op(inputs[index]);
    const bool is_scalar_constant = definition.valid() && module.is(definition, OpKind::Constant) &&
                                    module.type(module.result(definition)).rank() == 0;
    if (!is_scalar_constant) continue;
    passes::ValueMap map;
    const OpId copy = passes::clone_op_into(alone, module, definition, map);
    alone.attributes(copy).erase(ir::kShardingAttr);
    alone.insert_before(alone.first_op(entry), copy);
    alone.replace_all_uses(alone.args(entry)[index], alone.result(copy));
  }
}

/// State shared by all ops of a module.
struct InstructionLowering {
  const InstructionOptions& options;
  const ForeignOps& foreign;
  MeshOps& meshes;
};

DiagnosedResult<Module> lowered(Module alone, const InstructionLowering& lowering) {
  name_meshes(alone, lowering.meshes);
  Diagnostics errors =
      passes::run_pipeline(alone, passes::built_in_passes(), passes::lowering_pipeline(),
                           {.rules = &lowering.foreign.rules});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  PartitionOptions options;
  options.io_padding = IoPadding::Padded;
  auto local = partition(alone, options, lowering.foreign);
  if (!local) return tl::unexpected(std::move(local).error());
  return std::move(local->module);
}

/// Returns the per-device program of the op. Emits a warning and returns std::nullopt if
/// partitioning fails.
std::optional<Module> partition_alone(const Module& module, OpId op, const Border& border,
                                      const InstructionLowering& lowering, PassContext& context) {
  std::string why = obstacle(module, op);
  if (why.empty()) {
    Module alone = outline(module, op, border);
    if (lowering.options.by_reference) bring_constants(module, border.inputs, alone);
    auto local = lowering.options.by_reference
                     ? lowered_by_reference(std::move(alone), lowering.options,
                                            lowering.foreign.rules, last_channel(module))
                     : lowered(std::move(alone), lowering);
    if (local) return *std::move(local);
    why = local.error().front().message;
  }
  context.warn(
      module, op, "'" + std::string(module.name(op)) + "' stays global: " + why,
      lowering.options.by_reference
          ? "lowering=native supports more ops; or replicate the operands and results of this op"
          : "shardy partition lowers the whole program and reports the cause");
  return std::nullopt;
}

// ---- Insertion into the module ------------------------------------------------------------------

/// Replaces a reshard by a reshard of a padded shape that both shardings divide. A pad precedes it
/// and a slice follows it.
OpId widen_reshard(Module& module, OpId op, const Border& border) {
  const ValueId operand = module.operand(op, 0);
  const Type type = module.type(operand);
  if (!type.is_static_tensor()) return op;
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
    dims.push_back(std::max(padded_type(type, border.in[0]).dim(dim),
                            padded_type(type, border.out[0]).dim(dim)));
  }
  const Type wide = Type::tensor(std::move(dims), type.element());
  if (wide == type) return op;
  Emitter emit(module);
  emit.start_before(op);
  const ValueId filled = pad_to(emit, operand, wide, border.in[0]);
  ir::OpSpec spec{.kind = OpKind::SdyReshard};
  spec.operands = {filled};
  spec.result_types = {wide};
  spec.attributes = module.attributes(op);
  const OpId made = emit.builder().create(std::move(spec));
  const ValueId sliced = slice_to(emit, module.result(made), type, border.out[0]);
  module.replace_all_uses(module.result(op), sliced);
  module.erase(op);
  return made;
}

class Embedding {
 public:
  Embedding(Module& module, OpId op, const Border& border)
      : module_(module), op_(op), border_(border), emit_(module) {
    emit_.start_before(op);
  }

  void run(const Module& local) {
    std::vector<ValueId> operands;
    for (std::size_t index = 0; index < border_.in.size(); ++index) {
      // The padding is undefined. The partitioner gets the true sizes and masks the padding
      // (deviation 19).
      const ValueId operand = border_.inputs[index];
      operands.push_back(pad_to(emit_, operand,
                                padded_type(module_.type(operand), border_.in[index]),
                                border_.in[index]));
    }
    const OpId manual = make_computation(local, std::move(operands));
    for (std::size_t index = 0; index < border_.out.size(); ++index) {
      const ValueId old = module_.result(op_, index);
      drop_propagation_edges(old);
      module_.replace_all_uses(old, slice_to(emit_, module_.result(manual, index),
                                             module_.type(old), border_.out[index]));
    }
    module_.erase(op_);
  }

 private:
  /// Erases propagation edges, because these refer to sources by number and the sources changed.
  void drop_propagation_edges(ValueId owner) {
    for (const ir::Use& use : module_.uses(owner)) {
      if (module_.is(use.op, OpKind::SdyDataFlowEdge)) {
        module_.attributes(use.op).erase("sdy.propagation_edges");
      }
    }
  }

  OpId make_computation(const Module& local, std::vector<ValueId> operands) {
    const OpId function = *local.main_function();
    ir::OpSpec spec{.kind = OpKind::SdyManualComputation};
    spec.operands = std::move(operands);
    for (std::size_t index = 0; index < border_.out.size(); ++index) {
      spec.result_types.push_back(
          padded_type(module_.type(module_.result(op_, index)), border_.out[index]));
    }
    spec.attributes.set(ir::attr::kInShardings, ir::ShardingList{border_.in});
    spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{border_.out});
    spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{border_.manual_axes});
    const ir::RegionId region = module_.new_region();
    const ir::BlockId body = module_.new_block(region, local.arg_types(function));
    spec.regions = {region};
    copy_body(local, function, body);
    return emit_.builder().create(std::move(spec));
  }

  void copy_body(const Module& local, OpId function, ir::BlockId body) {
    passes::ValueMap map;
    const auto args = local.args(local.entry(function));
    for (std::size_t index = 0; index < args.size(); ++index) {
      map[args[index]] = module_.args(body)[index];
    }
    for (const OpId op : local.ops(local.entry(function))) {
      if (!local.is(op, OpKind::FuncReturn)) {
        module_.append(body, passes::clone_op_into(module_, local, op, map));
        continue;
      }
      ir::OpSpec last{.kind = OpKind::SdyReturn};
      for (const ValueId value : local.operands(op)) last.operands.push_back(map.at(value));
      module_.append(body, module_.create(std::move(last)));
    }
  }

  Module& module_;
  OpId op_;
  const Border& border_;
  Emitter emit_;
};

}  // namespace

Diagnostics partition_instructions(Module& module, const ForeignLowerings& lowerings,
                                   PassContext& context) {
  const std::string& lowering = context.text("lowering");
  if (lowering != "native" && lowering != "reference") {
    return {Error{"lowering: expected native or reference, got: " + lowering}};
  }
  const InstructionOptions options = {
      .filter = read_instruction_filter(context.text("filter")),
      .by_reference = lowering == "reference",
      .enable_halo_exchange = context.flag("enable-halo-exchange"),
      .processes = {context.number("replica-count"), context.number("partition-count")}};
  Diagnostics errors = verify_processes(options.processes);
  return errors.empty() ? partition_instructions(module, options, lowerings, context) : errors;
}

Diagnostics partition_instructions(Module& module, const InstructionOptions& options,
                                   const ForeignLowerings& lowerings, PassContext& context) {
  MeshOps meshes(module);
  const ForeignOps foreign{context.rules(), lowerings};
  const InstructionLowering lowering{options, foreign, meshes};
  for (const OpId chosen : chosen_ops(module, options.filter)) {
    OpId op = chosen;
    std::optional<Border> border = border_of(module, op, meshes);
    if (!border) {
      return {passes::error_at(module, op,
                               "'" + std::string(module.name(op)) +
                                   "' op has operands and results without a common mesh")};
    }
    if (module.is(op, OpKind::SdyReshard)) {
      op = widen_reshard(module, op, *border);
      border->inputs = module.operands(op);
    }
    const std::optional<Module> local = partition_alone(module, op, *border, lowering, context);
    if (local) Embedding(module, op, *border).run(*local);
  }
  return {};
}

}  // namespace shardy::partitioning
