// Export of sdy shardings as mhlo.sharding and custom calls of GSPMD. Spec: interop 7.1.
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   %1 = sdy.sharding_constraint %0 [{"x"}, {?}]   ->  %1 = mhlo.copy %0 {sdy.sharding = ..}
//   %2 = sdy.all_gather [{}, {"y"}] %1             ->  %2 = mhlo.copy %1 {sdy.sharding = ..}
//   [{"y"}, {"x"}]                                 ->  "{devices=[4,2]<=[2,4]T(1,0)}"
//
//   %1 = sdy.manual_computation(%0)                    %1 = mhlo.copy %0
//     manual_axes={"x"} (%x) { body }                  %2 = custom_call @SPMDFullToShardShape(%1)
//                                                  ->  %3 = call @..manual_computation_body(%2)
//                                                      %4 = mhlo.copy %3
//                                                      %5 = custom_call @SPMDShardToFullShape(%4)
#include <optional>
#include <set>
#include <utility>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/interop/foreign_export.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

// ---- Ops ----------------------------------------------------------------------------------------

namespace {

std::optional<std::string> dims_text(const TensorSharding& sharding) {
  std::string text;
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    if (!sharding.is_closed(dim)) text += (text.empty() ? "" : ",") + std::to_string(dim);
  }
  if (text.empty()) return std::nullopt;
  return "unspecified_dims=[" + text + "]";
}

/// Returns a `@Sharding` call or a copy with the sharding. Only calls record open dims.
ir::OpSpec constraint_spec(const Module& module, ValueId operand, const TensorSharding& sharding,
                           bool is_call) {
  ir::OpSpec spec = marker_call(module, target::kSharding, operand, module.type(operand));
  const auto dims = dims_text(sharding);
  if (is_call && dims) spec.attributes.set(ir::attr::kBackendConfig, *dims);
  if (!is_call) {
    spec.kind = OpKind::Unknown;
    spec.name = kMhloCopy;
    spec.attributes = {};
  }
  return spec;
}

void replace_by_operand(Module& module, OpId op) {
  module.replace_all_uses(module.result(op), module.operand(op, 0));
  module.erase(op);
}

bool holds_partial_values(const Module& module, OpId op) {
  const auto of = [&](ValueId value) {
    const auto sharding = ir::get_sharding(module, value);
    return sharding && !sharding->unreduced_axes().empty();
  };
  return of(module.operand(op, 0)) || of(module.result(op));
}

Status export_op(Module& module, OpId op, bool keeps_constraints) {
  const OpKind kind = module.kind(op);
  if (kind == OpKind::SdyPropagationBarrier) {
    replace_by_operand(module, op);
    return {};
  }
  if (kind == OpKind::SdyShardingGroup) {
    module.erase(op);
    return {};
  }
  if (kind == OpKind::SdyDataFlowEdge || kind == OpKind::SdyFuncDataFlowEdge ||
      kind == OpKind::SdyNamedComputation) {
    return fail_at_place(module, {op},
                         std::string(module.name(op)) + " is not part of the form of GSPMD");
  }
  const bool is_collective = ir::is_sdy_collective(kind);
  const bool is_annotation = kind == OpKind::SdyReshard || kind == OpKind::SdyShardingConstraint;
  if (!is_collective && !is_annotation) return {};
  if (is_collective && holds_partial_values(module, op)) {
    return fail_at_place(
        module, {op},
        std::string(module.name(op)) + " of partial values is not part of the form of GSPMD");
  }
  if (kind == OpKind::SdyAllReduce) {
    replace_by_operand(module, op);
    return {};
  }
  const auto sharding = ir::get_sharding(module, module.result(op));
  if (!sharding) return {};
  const bool is_call = keeps_constraints && is_annotation;
  ir::OpSpec spec = constraint_spec(module, module.operand(op, 0), *sharding, is_call);
  spec.attributes.set(ir::kShardingAttr, ir::ShardingList{{*sharding}});
  if (is_call) keep_unreduced(spec, *sharding);
  replace_op(module, op, std::move(spec));
  return {};
}

}  // namespace

Diagnostics export_gspmd_ops(Module& module, bool keeps_constraints) {
  export_constants(module);
  for (const OpId op : ir::pre_order(module)) {
    if (Status status = export_op(module, op, keeps_constraints); !status) {
      return {std::move(status).error()};
    }
  }
  return {};
}

// ---- Strings ------------------------------------------------------------------------------------

namespace {

using NameList = std::vector<std::string>;

Status export_list(Module& module, OpId op, const ShardingStrings& strings,
                   const NameList& manual) {
  ir::AttributeMap& attributes = module.attributes(op);
  const auto* list = attributes.get<ir::ShardingList>(ir::kShardingAttr);
  if (list == nullptr || list->shardings.empty()) return {};
  const bool has_axes = !list->shardings[0].empty_axes();
  if (module.num_results(op) == 0 && has_axes) {
    return fail_at_place(module, {op},
                         place_text(module, {op}) + " has no results, and a sharding with axes");
  }
  const Result<std::string> text = strings.of(list->shardings, manual);
  if (!text) {
    return fail_at_place(module, {op}, place_text(module, {op}) + ": " + text.error().message);
  }
  attributes.erase(ir::kShardingAttr);
  auto* inner = attributes.edit<ir::AttributeMap>(kMhloAttributesAttr);
  const std::string_view name = call_target(module, op);
  if (inner != nullptr && (name == "mhlo.erf" || name == "mhlo.topk")) {
    inner->set(kMhloShardingAttr, *text);
  } else {
    attributes.set(kMhloShardingAttr, *text);
  }
  return {};
}

Status export_signature(Module& module, OpId function, const ShardingStrings& strings,
                        const NameList& manual) {
  const auto export_place = [&](const AttributePlace& place) -> Status {
    ir::AttributeMap& attributes = attributes_at(module, place);
    const auto* sharding = attributes.get<TensorSharding>(ir::kShardingAttr);
    if (sharding == nullptr) return {};
    const Result<std::string> text = strings.of(*sharding, manual);
    if (!text) {
      return fail_at_place(module, place, place_text(module, place) + ": " + text.error().message);
    }
    attributes.erase(ir::kShardingAttr);
    attributes.set(kMhloShardingAttr, *text);
    return {};
  };
  const ir::FunctionData& data = module.function(function);
  const std::size_t num_args = data.arg_attributes.size();
  const std::size_t num_results = data.result_attributes.size();
  for (std::size_t index = 0; index < num_args; ++index) {
    SHARDY_TRY_STATUS(export_place({function, AttributePlace::Kind::Argument, index}));
  }
  for (std::size_t index = 0; index < num_results; ++index) {
    SHARDY_TRY_STATUS(export_place({function, AttributePlace::Kind::Result, index}));
  }
  return {};
}

bool is_control_flow(OpKind kind) {
  return kind == OpKind::While || kind == OpKind::Case || kind == OpKind::If;
}

/// Adds replicated shardings to control flow and host calls without a sharding.
void add_missing(Module& module, OpId op, const ShardingStrings& strings) {
  if (mhlo_sharding(module.attributes(op)) != nullptr) return;
  const OpKind kind = module.kind(op);
  const bool is_host = kind == OpKind::Send || kind == OpKind::Recv || kind == OpKind::CreateToken;
  if (is_host) module.attributes(op).set(kMhloShardingAttr, std::string("{maximal device=0}"));
  if (!is_control_flow(kind) || module.num_results(op) == 0) return;
  module.attributes(op).set(kMhloShardingAttr, strings.replicated());
}

}  // namespace

Diagnostics export_gspmd_strings(Module& module, const GspmdStringsOptions& options) {
  remove_propagation_debug_info(module);  // it refers to the removed shardings
  for (const OpId op : ir::pre_order(module)) {
    const NameList manual =
        module.is(op, OpKind::Func) ? NameList() : manual_axes_around(module, op);
    Status status = module.is(op, OpKind::Func) ? export_signature(module, op, options.strings, {})
                                                : export_list(module, op, options.strings, manual);
    if (!status) return {std::move(status).error()};
    if (options.clears_reverse && module.is(op, OpKind::Reverse)) {
      erase_mhlo_sharding(module.attributes(op));
    }
    if (options.adds_missing) add_missing(module, op, options.strings);
  }
  if (Status status = export_module_lists(module, options.strings); !status) {
    return {std::move(status).error()};
  }
  if (options.erases_meshes) erase_unused_meshes(module);
  return {};
}

// ---- Manual computations ------------------------------------------------------------------------

namespace {

/// The manual axes of a computation, of its parents, and of both.
struct ManualBorder {
  NameList axes;
  NameList around;
  NameList inside;
};

class ManualExporter {
 public:
  ManualExporter(Module& module, bool makes_constraints, const ShardingStrings& strings)
      : module_(module),
        symbols_(module),
        makes_constraints_(makes_constraints),
        strings_(strings) {}

  Status export_computation(OpId op) {
    const auto* own = module_.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
    const auto* in = module_.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
    const auto* out = module_.attribute<ir::ShardingList>(op, ir::attr::kOutShardings);
    if (own == nullptr || in == nullptr || out == nullptr) {
      return fail_at_place(module_, {op}, "the manual computation lacks its shardings");
    }
    if (in->shardings.empty() && out->shardings.empty()) {
      inline_body(module_, op);
      return {};
    }
    const NameList around = manual_axes_around(module_, op);
    ManualBorder border{own->names, around, around};
    border.inside.insert(border.inside.end(), own->names.begin(), own->names.end());
    const std::vector<TensorSharding> ins = in->shardings;
    const std::vector<TensorSharding> outs = out->shardings;
    const MeshRef mesh = ins.empty() ? outs.front().mesh_ref() : ins.front().mesh_ref();

    const OpId function = outline_body(module_, op, symbols_, kInlinableBody);
    ir::OpSpec call{.kind = OpKind::FuncCall};
    for (std::size_t index = 0; index < ins.size(); ++index) {
      const ir::Type local = module_.arg_types(function)[index];
      SHARDY_TRY(const ValueId entered,
                 enter(op, module_.operand(op, index), local, ins[index], border));
      call.operands.push_back(entered);
    }
    call.attributes.set(ir::attr::kCallee,
                        ir::SymbolAttr{std::string(module_.symbol_name(function))});
    call.result_types = module_.function(function).result_types;
    call.location = module_.location(op);
    const OpId made = module_.create(std::move(call));
    module_.insert_before(op, made);
    SHARDY_TRY_STATUS(mark_call(made, border, outs));
    for (std::size_t index = 0; index < outs.size(); ++index) {
      SHARDY_TRY(const ValueId left,
                 leave(op, module_.result(made, index), index, outs[index], border));
      module_.replace_all_uses(module_.result(op, index), left);
    }
    module_.erase(op);
    return mark_body(function, border, mesh, ins, outs);
  }

 private:
  Result<std::string> text(OpId op, const TensorSharding& sharding, const NameList& manual) const {
    Result<std::string> made = strings_.of(sharding, manual);
    if (made) return made;
    return fail_at_place(module_, {op},
                         std::string(module_.name(op)) + ": " + made.error().message);
  }

  Result<ValueId> mark(OpId before, ir::OpSpec spec, const TensorSharding& sharding,
                       const NameList& manual) {
    SHARDY_TRY(const std::string written, text(before, sharding, manual));
    spec.attributes.set(kMhloShardingAttr, written);
    spec.location = module_.location(before);
    const OpId made = module_.create(std::move(spec));
    module_.insert_before(before, made);
    return module_.result(made);
  }

  Result<ValueId> enter(OpId op, ValueId operand, const ir::Type& local, const TensorSharding& in,
                        const ManualBorder& border) {
    if (module_.type(operand).is_token()) return operand;
    SHARDY_TRY(
        const ValueId marked,
        mark(op, constraint_spec(module_, operand, in, makes_constraints_), in, border.around));
    ir::OpSpec spec = marker_call(module_, target::kFullToShard, marked, local);
    copy_dims(in, spec);
    return mark(op, std::move(spec), erase_manual(in, border.axes), border.inside);
  }

  Result<ValueId> leave(OpId op, ValueId local, std::size_t index, const TensorSharding& out,
                        const ManualBorder& border) {
    if (module_.type(local).is_token()) return local;
    const TensorSharding free = erase_manual(out, border.axes);
    ir::OpSpec copy = constraint_spec(module_, local, out, makes_constraints_);
    SHARDY_TRY(const ValueId marked, mark(op, std::move(copy), free, border.inside));
    ir::OpSpec spec =
        marker_call(module_, target::kShardToFull, marked, module_.type(module_.result(op, index)));
    copy_dims(out, spec);
    return mark(op, std::move(spec), out, border.around);
  }

  void copy_dims(const TensorSharding& sharding, ir::OpSpec& spec) const {
    const auto dims = dims_text(sharding);
    if (makes_constraints_ && dims) spec.attributes.set(ir::attr::kBackendConfig, *dims);
  }

  /// Writes the manual axes around the body to its arguments, results and ops.
  Status mark_body(OpId function, const ManualBorder& border, const MeshRef& mesh,
                   const std::vector<TensorSharding>& ins,
                   const std::vector<TensorSharding>& outs) {
    for (std::size_t index = 0; index < ins.size(); ++index) {
      ir::set_arg_sharding(module_, function, index, erase_manual(ins[index], border.axes));
    }
    for (std::size_t index = 0; index < outs.size(); ++index) {
      ir::set_result_sharding(module_, function, index, erase_manual(outs[index], border.axes));
    }
    SHARDY_TRY_STATUS(export_signature(module_, function, strings_, border.inside));
    SHARDY_TRY_STATUS(mark_ops(function, border.inside, mesh));
    return mark_callees(function, border.inside, mesh);
  }

  /// Marks the results of the call as local to the body.
  Status mark_call(OpId call, const ManualBorder& border, const std::vector<TensorSharding>& outs) {
    ir::ShardingList list;
    for (const TensorSharding& out : outs) list.shardings.push_back(erase_manual(out, border.axes));
    module_.attributes(call).set(ir::kShardingAttr, std::move(list));
    return export_list(module_, call, strings_, border.inside);
  }

  /// Checks whether the op calls an inner body. The results of such a call are local to the inner
  /// body.
  bool calls_body(OpId op) const {
    const auto* callee = module_.attribute<ir::SymbolAttr>(op, ir::attr::kCallee);
    return callee != nullptr && callee->name.starts_with(kInlinableBody);
  }

  Status mark_ops(OpId function, const NameList& inside, const MeshRef& mesh) {
    for (const OpId op : ir::pre_order(module_, module_.entry(function))) {
      const bool is_marked = mhlo_sharding(module_.attributes(op)) != nullptr;
      if (is_marked || module_.num_results(op) == 0 || calls_body(op)) continue;
      if (!module_.attributes(op).contains(ir::kShardingAttr)) {
        ir::ShardingList list;
        for (const ValueId result : module_.results(op)) {
          list.shardings.push_back(TensorSharding::fully_closed(
              mesh.mesh, mesh.name, ir::sharding_rank(module_.type(result))));
        }
        module_.attributes(op).set(ir::kShardingAttr, std::move(list));
      }
      SHARDY_TRY_STATUS(export_list(module_, op, strings_, inside));
    }
    return {};
  }

  /// Marks each function that a body calls once, with the axes of the first body that calls it.
  Status mark_callees(OpId function, const NameList& inside, const MeshRef& mesh) {
    std::vector<OpId> open = {function};
    while (!open.empty()) {
      const OpId caller = open.back();
      open.pop_back();
      for (const OpId op : ir::pre_order(module_, module_.entry(caller))) {
        const auto callee =
            module_.is(op, OpKind::FuncCall) ? ir::callee_of(module_, op) : std::nullopt;
        const bool is_new = callee && !module_.is_external(*callee) && *callee != function &&
                            !calls_body(op) && marked_.insert(*callee).second;
        if (!is_new) continue;
        SHARDY_TRY_STATUS(export_signature(module_, *callee, strings_, inside));
        SHARDY_TRY_STATUS(mark_ops(*callee, inside, mesh));
        open.push_back(*callee);
      }
    }
    return {};
  }

  Module& module_;
  SymbolTable symbols_;
  bool makes_constraints_;
  const ShardingStrings& strings_;
  std::set<OpId> marked_;
};

}  // namespace

Diagnostics export_gspmd_manual(Module& module, bool makes_constraints,
                                const ShardingStrings& strings) {
  const std::vector<OpId> computations = manual_computations(module);
  // Propagation edges refer to shardings, which become texts in the bodies.
  if (!computations.empty()) remove_propagation_debug_info(module);
  ManualExporter exporter(module, makes_constraints, strings);
  for (const OpId op : computations) {
    if (Status status = exporter.export_computation(op); !status) {
      return {std::move(status).error()};
    }
  }
  return {};
}

}  // namespace shardy::passes
