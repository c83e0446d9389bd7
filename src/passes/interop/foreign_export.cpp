// Helpers of both exports: calls of bodies, sharding texts, marks of other pipelines, warnings.
//
//   %0 = sdy.manual_computation(%a) (%b) {         %0 = call @xla.sdy.inlinable_..body(%a)
//     %1 = negate %b                          ->   func.func @xla.sdy.inlinable_..body(%b) {
//     sdy.return %1                                  %1 = negate %b
//   }   (local types equal the global ones)          return %1
#include "passes/interop/foreign_export.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/hlo_named.hpp"
#include "shardy/algebra/hlo_conversion.hpp"
#include "shardy/algebra/hlo_sharding.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Bodies of manual computations and their calls ----------------------------------------------

ir::OpSpec marker_call(const Module& module, std::string_view target, ValueId operand,
                       ir::Type result) {
  ir::OpSpec spec{.kind = OpKind::CustomCall, .operands = {operand}};
  spec.result_types = {std::move(result)};
  spec.attributes.set(ir::attr::kCallTargetName, std::string(target));
  const OpId maker = module.defining_op(operand);
  if (maker.valid()) spec.location = module.location(maker);
  return spec;
}

void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding) {
  const bool is_partial = sharding_size(sharding.unreduced_axes()) > 1;
  if (is_partial) spec.attributes.set(ir::attr::kHasSideEffect, true);
}

namespace {

/// Replaces the computation by a call of the function that contains its body.
Status replace_by_call(Module& module, OpId computation, SymbolTable& symbols) {
  const std::vector<ir::Type> outside = ir::detail::result_types(module, computation);
  std::vector<ir::Type> args, results;
  for (const ValueId arg : module.args(module.block(computation))) {
    args.push_back(module.type(arg));
  }
  for (const ValueId value : module.operands(module.last_op(module.block(computation)))) {
    results.push_back(module.type(value));
  }
  std::vector<ir::Type> operands;
  for (const ValueId operand : module.operands(computation)) {
    operands.push_back(module.type(operand));
  }
  if (operands != args || outside != results) {
    return fail_at_place(module, {computation},
                         "the manual computation has local shapes inside alone: it cannot become "
                         "a plain function");
  }
  const std::vector<ValueId> values = module.operands(computation);
  const OpId function = outline_body(module, computation, symbols, kInlinableBody);
  ir::OpSpec call{.kind = OpKind::FuncCall, .operands = values, .result_types = outside};
  call.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  replace_op(module, computation, std::move(call));
  return {};
}

}  // namespace

Diagnostics erase_manual_computations(Module& module) {
  SymbolTable symbols(module);
  for (const OpId op : manual_computations(module)) {
    if (Status status = replace_by_call(module, op, symbols); !status) {
      return {std::move(status).error()};
    }
  }
  return {};
}

void export_constants(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyConstant)) continue;
    ir::OpSpec spec{.kind = OpKind::Constant,
                    .result_types = ir::detail::result_types(module, op),
                    .attributes = module.attributes(op)};
    replace_op(module, op, std::move(spec));
  }
}

// ---- Shardings as text --------------------------------------------------------------------------

namespace {

std::string_view metadata_name(ReductionOp reduction) {
  if (reduction == ReductionOp::Sum) return "SUM";
  return reduction == ReductionOp::Max ? "MAX" : "MIN";
}

Result<std::string> device_text(const TensorSharding& sharding,
                                std::span<const std::string> manual) {
  const ReductionOp reduction = sharding.reduction_op();
  if (!manual.empty() && !sharding.unreduced_axes().empty()) {
    return fail("a sharding with unreduced axes inside of a manual computation has no text");
  }
  const TensorSharding sum =
      reduction == ReductionOp::Sum
          ? sharding
          : sharding.with_unreduced(sharding.unreduced_axes(), ReductionOp::Sum);
  SHARDY_TRY(HloSharding hlo, export_hlo(sum, manual));
  if (sharding_size(sharding.unreduced_axes()) > 1) {
    SHARDY_TRY(hlo, hlo.with_metadata(std::string("op_type=\"sdy::reduction_op\" op_name=\"") +
                                      std::string(metadata_name(reduction)) + "\""));
  }
  return to_string(hlo);
}

}  // namespace

std::string ShardingStrings::replicated() const {
  return with_names ? "{mesh[], replicated}" : "{replicated}";
}

Result<std::string> ShardingStrings::of(const TensorSharding& sharding,
                                        std::span<const std::string> manual) const {
  if (!with_names) return device_text(sharding, manual);
  const bool is_plain = sharding.is_fully_replicated() && sharding.unreduced_axes().empty() &&
                        sharding.is_fully_closed() && manual.empty();
  if (simplifies_replicated && is_plain && !sharding.mesh().is_maximal()) return replicated();
  UnresolvedAxisList axes;
  for (const std::string& name : manual) axes.push_back({name, std::nullopt});
  return to_string(named_hlo_of(sharding, axes));
}

Result<std::string> ShardingStrings::of(std::span<const TensorSharding> shardings,
                                        std::span<const std::string> manual) const {
  if (shardings.size() == 1) return of(shardings[0], manual);
  std::string text;
  for (std::size_t index = 0; index < shardings.size(); ++index) {
    SHARDY_TRY(const std::string one, of(shardings[index], manual));
    if (index > 0) text += ", ";
    if (index > 0 && index % 5 == 0) text += "/*index=" + std::to_string(index) + "*/";
    text += one;
  }
  return "{" + text + "}";
}

// ---- Marks of other pipelines -------------------------------------------------------------------
// Replaces marks of other pipelines: sdy.constant ops and stablehlo.mesh attributes.
//
//   %0 = sdy.constant 1.0                            ->   %0 = stablehlo.constant 1.0
//   sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = ..} ->   sdy.mesh @mesh = <["x"=2]>

namespace {

constexpr std::string_view kMeshCopy = "stablehlo.mesh";

}  // namespace

ProgramMarks marks_of(const ir::Module& module) {
  ProgramMarks marks;
  const std::vector<ir::OpId> meshes = module.meshes();
  marks.mesh_copies = std::ranges::any_of(
      meshes, [&](ir::OpId mesh) { return module.attributes(mesh).contains(kMeshCopy); });
  const std::vector<ir::OpId> ops = ir::pre_order(module);
  marks.constants =
      std::ranges::any_of(ops, [&](ir::OpId op) { return module.is(op, ir::OpKind::SdyConstant); });
  return marks;
}

void drop_marks(ir::Module& module, const ProgramMarks& kept) {
  if (!kept.constants) export_constants(module);
  if (kept.mesh_copies) return;
  for (const ir::OpId mesh : module.meshes()) module.attributes(mesh).erase(kMeshCopy);
}

// ---- Unsupported features -----------------------------------------------------------------------

namespace {

/// The owner of a feature, for diagnostics.
struct FeatureOwner {
  std::string text;  // `argument 0 of @main` or the name of the op
  Location location = {};
  DiagnosticSubject subject = {};
};

struct UnsupportedFeature {
  std::string_view what;
  int64_t count = 0;
  FeatureOwner first = {};
};

void lose(UnsupportedFeature& lost, int64_t count, const FeatureOwner& owner) {
  if (count == 0) return;
  if (lost.count == 0) lost.first = owner;
  lost.count += count;
}

FeatureOwner owner_at(const Module& module, const AttributePlace& place) {
  return {place_text(module, place), module.source_location(place.op), subject_of(place)};
}

FeatureOwner owner_of(const Module& module, ValueId value) {
  if (!value.valid()) return {"a function result"};
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) return owner_at(module, {owner.op});
  const OpId parent = module.parent_op(owner.block);
  if (!module.is(parent, OpKind::Func)) {
    return {std::string(module.name(parent)), module.source_location(parent)};
  }
  return owner_at(module, {parent, AttributePlace::Kind::Argument, owner.index});
}

/// Checks whether the form records open dims of the value as unspecified dims. True for constraints
/// and manual computations.
bool keeps_openness(const Module& module, ValueId value) {
  if (!value.valid()) return false;
  const ir::ValueOwner owner = module.owner(value);
  const OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  return module.is(op, OpKind::SdyShardingConstraint) ||
         module.is(op, OpKind::SdyManualComputation);
}

/// The numbers of occurrences of features that a form does not support.
struct UnsupportedFeatures {
  UnsupportedFeature open = {"open dims"};
  UnsupportedFeature priorities = {"priorities"};
  UnsupportedFeature replicated = {"explicit replicated axes"};
  UnsupportedFeature groups = {"sharding groups"};
  UnsupportedFeature barriers = {"barriers"};
  UnsupportedFeature rules = {"sharding rules"};
};

void lose_of_shardings(const Module& module, bool has_names, UnsupportedFeatures& lost) {
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId value) {
    const FeatureOwner owner = owner_of(module, value);
    const auto open = std::ranges::count_if(sharding.dims(),
                                            [](const DimSharding& dim) { return !dim.is_closed; });
    const auto priorities = std::ranges::count_if(
        sharding.dims(), [](const DimSharding& dim) { return dim.priority.has_value(); });
    if (!has_names && !keeps_openness(module, value)) lose(lost.open, open, owner);
    lose(lost.priorities, priorities, owner);
    if (!has_names && !sharding.replicated_axes().empty()) lose(lost.replicated, 1, owner);
  });
}

void lose_of_ops(const Module& module, bool is_gspmd, bool has_names, UnsupportedFeatures& lost) {
  for (const OpId op : ir::pre_order(module)) {
    const auto lose_one = [&](UnsupportedFeature& part) { lose(part, 1, owner_at(module, {op})); };
    if (is_gspmd && module.is(op, OpKind::SdyShardingGroup)) lose_one(lost.groups);
    if (is_gspmd && module.is(op, OpKind::SdyPropagationBarrier)) lose_one(lost.barriers);
    if (!has_names && module.attributes(op).contains(ir::kShardingRuleAttr)) lose_one(lost.rules);
  }
}

}  // namespace

Diagnostics unsupported_features(const Module& module, ExportForm form) {
  if (form == ExportForm::Sdy || form == ExportForm::RoundTrip) return {};
  const bool is_gspmd = form == ExportForm::Gspmd || form == ExportForm::GspmdNamed;
  const bool has_names = form != ExportForm::Gspmd;
  UnsupportedFeatures parts;
  lose_of_shardings(module, has_names, parts);
  lose_of_ops(module, is_gspmd, has_names, parts);
  Diagnostics diagnostics;
  for (const UnsupportedFeature& lost : {parts.open, parts.priorities, parts.replicated,
                                         parts.groups, parts.barriers, parts.rules}) {
    if (lost.count == 0) continue;
    diagnostics.push_back({.message = "mhlo.sharding cannot express " + std::string(lost.what) +
                                      ": " + std::to_string(lost.count) + " lost, the first of " +
                                      lost.first.text,
                           .location = lost.first.location,
                           .notes = {"--shardings=sdy and --shardings=sdy-round-trip keep them"},
                           .severity = Severity::Warning,
                           .subject = lost.first.subject});
  }
  return diagnostics;
}

}  // namespace shardy::passes
