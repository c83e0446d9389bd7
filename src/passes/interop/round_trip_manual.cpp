// Import of the manual computations of the round trip, which has four generations. Spec: interop
// 3.3, 6.6.
//
//   %1 = custom_call @xla.sdy.GlobalToLocalShape(%0)           %3 = sdy.manual_computation(%0)
//     {xla.sdy.in_shardings, xla.sdy.manual_axes}        ->           in_shardings, out_shardings,
//   %2 = call @xla.sdy.manual_computation_body(%1)                    manual_axes={"x"} (%1) {
//   %3 = custom_call @xla.sdy.LocalToGlobalShape(%2)             body
//     {xla.sdy.out_shardings, xla.sdy.manual_axes}             }
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/hlo_leaves.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

/// A call of a body and the custom calls around it. The custom calls may be missing; in the oldest
/// generation, the call itself has their attributes.
struct BodyCall {
  OpId call;
  OpId enter = {}, leave = {};
};

/// The in_shardings and out_shardings of a body.
struct BodyShardings {
  ir::Attribute in, out;  // resolved or unresolved lists
  std::vector<std::string> axes = {};
};

class ManualImporter {
 public:
  ManualImporter(Module& module, ImportedShardings& counts)
      : module_(module), counts_(counts), bodies_(module) {}

  /// Returns the location of the first call without in_shardings.
  const Location& first_reconstructed() const { return first_reconstructed_; }

  Status run() {
    for (const OpId op : ir::pre_order(module_)) {
      if (!calls_target(module_, op, target::kManual)) continue;
      SHARDY_TRY_STATUS(name_callee(op));
    }
    for (const OpId call : body_calls(ir::call_graph(module_).calls)) {
      SHARDY_TRY_STATUS(import_call(call));
    }
    bodies_.erase_taken();
    erase_strays();
    return {};
  }

 private:
  std::vector<OpId> body_calls(const std::vector<OpId>& ops) const {
    std::vector<OpId> calls;
    for (const OpId op : ops) {
      const auto* callee = module_.attribute<ir::SymbolAttr>(op, ir::attr::kCallee);
      const bool is_body = callee != nullptr && callee->name.find(kManualBody) != std::string::npos;
      if (is_body) calls.push_back(op);
    }
    return calls;
  }

  /// Converts a call of the oldest generation, which names its body in `called_computations`.
  Status name_callee(OpId op) {
    const auto* list = module_.attribute<ir::ArrayAttr>(op, ir::attr::kCalledComputations);
    const auto* symbol = list != nullptr && list->elements.size() == 1
                             ? list->elements[0].as<ir::SymbolAttr>()
                             : nullptr;
    if (symbol == nullptr) {
      return fail_at_place(module_, {op},
                           "expected one called computation of " + place_text(module_, {op}));
    }
    const ir::SymbolAttr name = *symbol;
    ir::OpSpec spec{.kind = OpKind::FuncCall};
    spec.operands = module_.operands(op);
    spec.result_types = ir::detail::result_types(module_, op);
    spec.attributes.set(ir::attr::kCallee, name);
    if (const ir::AttributeMap* entries = frontend(module_.attributes(op))) {
      spec.attributes.set(kFrontendAttr, *entries);
    }
    oldest_.insert(replace_op(module_, op, std::move(spec)));
    bodies_.add_call(name.name);
    return {};
  }

  std::string callee_text(OpId call) const {
    return symbol_text(module_.attribute<ir::SymbolAttr>(call, ir::attr::kCallee)->name);
  }

  // ---- Custom calls around a call
  // -----------------------------------------------------------------

  Result<BodyCall> around(OpId call) const {
    BodyCall found{.call = call};
    if (oldest_.contains(call)) return found;
    for (const ValueId operand : module_.operands(call)) {
      const OpId maker = module_.defining_op(operand);
      if (!maker.valid() || !module_.is(maker, OpKind::CustomCall)) continue;
      found.enter = maker;
      break;
    }
    const bool enters =
        found.enter.valid() && calls_target(module_, found.enter, target::kGlobalToLocal);
    if (module_.num_operands(call) > 0 && !enters) {
      return fail_at_place(module_, {call},
                           "expected at least one operand of " + callee_text(call) +
                               " to be produced by a xla.sdy.GlobalToLocalShape CustomCallOp");
    }
    for (const ValueId result : module_.results(call)) {
      const std::vector<ir::Use> uses = module_.uses(result);
      if (uses.empty()) continue;
      found.leave = uses.back().op;  // the first one in program order
      break;
    }
    const bool leaves =
        found.leave.valid() && calls_target(module_, found.leave, target::kLocalToGlobal);
    if (module_.num_results(call) > 0 && !leaves) {
      return fail_at_place(module_, {call},
                           "expected the first use of " + callee_text(call) +
                               " to be a xla.sdy.LocalToGlobalShape CustomCallOp");
    }
    return found;
  }

  // ---- Attributes of the custom calls
  // -------------------------------------------------------------

  bool has(OpId op, std::string_view name) const {
    return op.valid() && frontend_entry(module_.attributes(op), name) != nullptr;
  }

  Result<std::vector<std::string>> axes_of(OpId op) const {
    return frontend_value<ManualAxes>(module_, {op}, key::kManualAxes, "manual axes");
  }

  Result<ir::Attribute> list_of(OpId op, std::string_view name) const {
    SHARDY_TRY(UnresolvedShardings list,
               frontend_value<UnresolvedShardings>(module_, {op}, name, "#sdy.sharding_per_value"));
    return ir::Attribute(ir::UnresolvedShardingList{std::move(list)});
  }

  Result<BodyShardings> read_keys(const BodyCall& body, OpId on_enter, OpId on_leave) const {
    BodyShardings read{.in = ir::UnresolvedShardingList{}, .out = ir::UnresolvedShardingList{}};
    if (has(on_enter, key::kIn)) {
      SHARDY_TRY(read.in, list_of(on_enter, key::kIn));
    }
    if (has(on_leave, key::kOut)) {
      SHARDY_TRY(read.out, list_of(on_leave, key::kOut));
    }
    const OpId first = has(on_enter, key::kManualAxes) ? on_enter : on_leave;
    if (!has(first, key::kManualAxes)) {
      return fail_at_place(module_, {body.call},
                           "the call of " + callee_text(body.call) + " names no manual axes");
    }
    SHARDY_TRY(read.axes, axes_of(first));
    if (has(on_enter, key::kManualAxes) && has(on_leave, key::kManualAxes)) {
      SHARDY_TRY(const std::vector<std::string> other, axes_of(on_leave));
      if (other != read.axes) {
        return fail_at_place(module_, {body.call},
                             "the borders of " + callee_text(body.call) +
                                 " disagree on the manual axes: " + manual_axes_text(read.axes) +
                                 " and " + manual_axes_text(other));
      }
    }
    return read;
  }

  bool has_any_key(OpId op) const {
    return has(op, key::kIn) || has(op, key::kOut) || has(op, key::kManualAxes);
  }

  Result<BodyShardings> shardings_of(const BodyCall& body) {
    if (has_any_key(body.enter) || has_any_key(body.leave)) {
      return read_keys(body, body.enter, body.leave);
    }
    if (has_any_key(body.call)) return read_keys(body, body.call, body.call);
    return reconstruct(body);
  }

  // ---- Without attributes: reconstruction from shapes
  // ---------------------------------------------

  /// Returns the shardings of a custom call's results, and appends their manual axes to `manual`.
  Result<std::vector<TensorSharding>> own_shardings(OpId op, std::vector<std::string>& manual) {
    std::vector<TensorSharding> shardings;
    if (!op.valid()) return shardings;
    if (const auto* list = module_.attribute<ir::ShardingList>(op, ir::kShardingAttr)) {
      return list->shardings;
    }
    LeafReader reader(module_);
    SHARDY_TRY(const auto leaves, reader.leaves_at({op}));
    if (!leaves) {
      return fail_at_place(module_, {op}, place_text(module_, {op}) + " carries no shardings");
    }
    for (std::size_t index = 0; index < leaves->size(); ++index) {
      const bool is_named = std::holds_alternative<NamedHloSharding>((*leaves)[index]);
      if (!is_named) {
        return fail_at_place(module_, {op},
                             place_text(module_, {op}) + " carries a sharding without axes");
      }
      SHARDY_TRY(const LeafSharding read,
                 reader.read({op}, (*leaves)[index], module_.type(module_.result(op, index))));
      for (const std::string& axis : read.manual) {
        if (std::ranges::find(manual, axis) == manual.end()) manual.push_back(axis);
      }
      shardings.push_back(read.sharding);
    }
    return shardings;
  }

  std::vector<std::string> written_axes(OpId op) const {
    if (!op.valid()) return {};
    const ir::Attribute* attribute = module_.attributes(op).find(key::kManualAxes);
    if (attribute == nullptr) return {};
    if (const auto* axes = attribute->as<ir::ManualAxesAttr>()) return axes->names;
    const auto* opaque = attribute->as<ir::OpaqueAttr>();
    const auto parsed = opaque != nullptr ? parse_attribute(opaque->text) : fail("");
    const auto* names = parsed ? std::get_if<ManualAxes>(&*parsed) : nullptr;
    return names != nullptr ? *names : std::vector<std::string>();
  }

  /// Adds axes of the sharding whose product is the ratio of global and local dims.
  static void add_explaining(const TensorSharding& sharding, const Type& global, const Type& local,
                             std::vector<std::string>& axes) {
    for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
      if (local.dim(dim) == 0) continue;
      int64_t ratio = global.dim(dim) / local.dim(dim);
      for (const AxisRef& ref : sharding.dim(dim).axes) {
        if (ratio == 1 || !sharding.mesh().is_full(ref) || ratio % ref.size != 0) break;
        ratio /= ref.size;
        const std::string& name = sharding.mesh().axis_name(ref.axis);
        if (std::ranges::find(axes, name) == axes.end()) axes.push_back(name);
      }
    }
  }

  Result<BodyShardings> reconstruct(const BodyCall& body) {
    if (!body.enter.valid() && !body.leave.valid() && module_.num_operands(body.call) == 0) {
      return BodyShardings{.in = ir::ShardingList{}, .out = ir::ShardingList{}};
    }
    std::vector<std::string> named;
    SHARDY_TRY(const std::vector<TensorSharding> out, own_shardings(body.leave, named));
    SHARDY_TRY(const std::vector<TensorSharding> local, own_shardings(body.enter, named));
    std::vector<std::string> axes = written_axes(body.enter);
    if (axes.empty()) axes = written_axes(body.leave);
    if (axes.empty()) axes = named;
    for (std::size_t index = 0; axes.empty() && index < out.size(); ++index) {
      const Type& global = module_.type(module_.result(body.leave, index));
      if (!global.is_tensor()) continue;
      std::vector<std::string> found;
      add_explaining(out[index], global, module_.type(module_.operand(body.leave, index)), found);
      named.insert(named.end(), found.begin(), found.end());
    }
    if (axes.empty()) axes = named;
    const std::vector<TensorSharding>& some = local.empty() ? out : local;
    if (some.empty()) {
      return fail_at_place(module_, {body.call},
                           "the call of " + callee_text(body.call) + " names no manual axes");
    }
    axes = in_mesh_order(some.front().mesh(), std::move(axes));
    ir::ShardingList in;
    for (std::size_t index = 0; index < local.size(); ++index) {
      SHARDY_TRY(TensorSharding one, with_manual(body.enter, index, local[index], axes));
      in.shardings.push_back(std::move(one));
    }
    if (!local.empty() && counts_.reconstructed++ == 0) {
      first_reconstructed_ = module_.source_location(body.call);
    }
    return BodyShardings{.in = std::move(in), .out = ir::ShardingList{out}, .axes = axes};
  }

  static std::vector<std::string> in_mesh_order(const Mesh& mesh, std::vector<std::string> axes) {
    std::vector<std::string> sorted;
    for (const MeshAxis& axis : mesh.axes()) {
      if (std::ranges::find(axes, axis.name) != axes.end()) sorted.push_back(axis.name);
    }
    return sorted;
  }

  /// Adds manual axes to a local sharding such that the sharded type has the global shape.
  Result<TensorSharding> with_manual(OpId enter, std::size_t index, const TensorSharding& local,
                                     const std::vector<std::string>& axes) const {
    const Type& outside = module_.type(module_.operand(enter, index));
    const Type& inside = module_.type(module_.result(enter, index));
    if (local.mesh().is_maximal() || !outside.is_tensor()) return local;
    const Mesh& mesh = local.mesh();
    AxisList rest;
    for (const std::string& name : axes) {
      if (const auto axis = mesh.find_axis(name)) rest.push_back(mesh.full_axis(*axis));
    }
    std::vector<DimSharding> dims;
    for (std::size_t dim = 0; dim < local.rank(); ++dim) {
      int64_t ratio = inside.dim(dim) == 0 ? 1 : outside.dim(dim) / inside.dim(dim);
      DimSharding made = local.dim(dim);
      AxisList taken;
      for (const AxisRef& ref : AxisList(rest)) {
        if (ratio == 1 || ref.size == 1 || ratio % ref.size != 0) continue;
        ratio /= ref.size;
        taken.push_back(ref);
        std::erase(rest, ref);
      }
      made.axes.insert(made.axes.begin(), taken.begin(), taken.end());
      dims.push_back(std::move(made));
    }
    AxisList replicated = local.replicated_axes();
    append(replicated, rest);
    Result<TensorSharding> made =
        TensorSharding::make(mesh, local.mesh_name(), std::move(dims), std::move(replicated),
                             local.unreduced_axes(), local.reduction_op());
    if (made) return made;
    return fail_at_place(module_, {enter},
                         "cannot infer the in_shardings of " + place_text(module_, {enter}) +
                             " from its shapes: " + made.error().message);
  }

  // ---- Replacing --------------------------------------------------------------------------------

  Status import_call(OpId call) {
    const std::vector<ValueId> results = module_.results(call);
    const bool is_used =
        std::ranges::any_of(results, [&](ValueId result) { return module_.num_uses(result) > 0; });
    if (!results.empty() && !is_used) {
      module_.erase(call);
      return {};
    }
    SHARDY_TRY(const BodyCall body, around(call));
    SHARDY_TRY(BodyShardings shardings, shardings_of(body));
    SHARDY_TRY(const OpId computation, make_computation(body, std::move(shardings)));
    const OpId giver = body.leave.valid() ? body.leave : call;
    for (std::size_t index = 0; index < module_.num_results(giver); ++index) {
      module_.replace_all_uses(module_.result(giver, index), module_.result(computation, index));
    }
    if (body.leave.valid()) module_.erase(body.leave);
    module_.erase(call);
    if (body.enter.valid() && is_dead(body.enter)) module_.erase(body.enter);
    ++counts_.shard_maps;
    return {};
  }

  /// Creates the computation before the call, with the body of the callee. Errors: a missing
  /// function, a function with other types.
  Result<OpId> make_computation(const BodyCall& body, BodyShardings shardings) {
    const auto callee = ir::callee_of(module_, body.call);
    if (!callee)
      return fail_at_place(module_, {body.call}, "no function " + callee_text(body.call));
    ManualRegion region;
    region.operands = module_.operands(body.enter.valid() ? body.enter : body.call);
    region.arg_types = body.enter.valid() ? ir::detail::result_types(module_, body.enter)
                                          : module_.arg_types(*callee);
    region.result_types =
        ir::detail::result_types(module_, body.leave.valid() ? body.leave : body.call);
    region.manual_axes = std::move(shardings.axes);
    std::vector<std::size_t> kept(region.result_types.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    if (module_.function(*callee).result_types.size() != kept.size()) {
      return fail_at_place(module_, {body.call},
                           "the body " + callee_text(body.call) +
                               " gives another number of values than " +
                               std::string(target::kLocalToGlobal) + " takes");
    }
    const OpId computation =
        make_manual_computation(module_, std::move(region), module_.location(body.call));
    module_.attributes(computation).set(ir::attr::kInShardings, std::move(shardings.in));
    module_.attributes(computation).set(ir::attr::kOutShardings, std::move(shardings.out));
    module_.insert_before(body.call, computation);
    SHARDY_TRY_STATUS(bodies_.take(body.call, module_.block(computation), kept));
    return computation;
  }

  bool is_dead(OpId op) const {
    return std::ranges::none_of(module_.results(op),
                                [&](ValueId result) { return module_.num_uses(result) > 0; });
  }

  void erase_strays() {
    for (const OpId op : ir::pre_order(module_)) {
      if (module_.is_erased(op)) continue;
      const std::string_view name = call_target(module_, op);
      const bool is_border = name == target::kGlobalToLocal || name == target::kLocalToGlobal;
      if (is_border && is_dead(op)) module_.erase(op);
    }
  }

  Module& module_;
  ImportedShardings& counts_;
  Location first_reconstructed_ = {};
  RegionBodies bodies_;
  std::set<OpId> oldest_;  // calls of the oldest generation, which have no custom calls around them
};

}  // namespace

Diagnostics import_round_trip_manual(Module& module, ImportedShardings& counts,
                                     Location* reconstructed) {
  ManualImporter importer(module, counts);
  if (Status status = importer.run(); !status) return {std::move(status).error()};
  if (reconstructed != nullptr) *reconstructed = importer.first_reconstructed();
  return ir::resolve(module);
}

}  // namespace shardy::passes
