// The partitioner: lowers one function after the other, checks the divisibility of arguments and
// results, and reports replication. Also the passes that use it.
//
//   sdy.mesh @mesh = <["x"=2]>
//   func.func @main(%a: tensor<8x4xf32> [{"x"}, {}]) {       func.func @main(%a: tensor<4x4xf32>) {
//     %0 = negate %a                      [{"x"}, {}]          %0 = negate %a : 4x4
//     %1 = sdy.all_gather [{"x"}, {}] %0  [{}, {}]       ->    %1 = spmd.all_gather %0 {"x"}, dim 0
//     return %1                                                return %1 : 8x4
//   }                                                        }
#include "shardy/partitioning/partition.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/op_facts.hpp"
#include "ir/program_facts.hpp"
#include "partitioning/control_flow.hpp"
#include "partitioning/emitter.hpp"
#include "partitioning/families.hpp"
#include "partitioning/lowering.hpp"
#include "partitioning/operand_states.hpp"
#include "partitioning/program_rewrites.hpp"
#include "partitioning/reference/passes.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

// ---- Arguments and results ----------------------------------------------------------------------

// Divisibility of the dims of arguments and results. Spec: partitioning 1.2 I7.

namespace {

constexpr std::string_view kNonDivisibleIo = "E_NON_DIVISIBLE_IO";

/// Returns an error for the first dim that the number of its shards does not divide; `what` names
/// the value. Requires: a static tensor with the rank of the sharding.
Status check_divisible(const ir::Type& type, const TensorSharding& sharding,
                       const std::string& what) {
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    const int64_t shards = sharding.dim(dim).sharded_size();
    if (type.dim(dim) % shards == 0) continue;
    return fail(what + ": dim " + std::to_string(dim) + " with size " +
                std::to_string(type.dim(dim)) + " is not divisible by " + std::to_string(shards) +
                " shards; use io-padding=padded");
  }
  return {};
}

}  // namespace

Diagnostics non_divisible_io(const ir::Module& module) {
  Diagnostics errors;
  const std::optional<ir::OpId> main = module.main_function();
  if (!main) return errors;
  using Kind = DiagnosticSubject::Kind;
  const auto check = [&](const std::vector<ir::Type>& types, auto sharding_of, Kind kind) {
    const std::string what = kind == Kind::Argument ? "argument " : "result ";
    for (std::size_t index = 0; index < types.size(); ++index) {
      const std::optional<TensorSharding> sharding = sharding_of(module, *main, index);
      if (!sharding || sharding->mesh().is_maximal() || !types[index].is_static_tensor()) continue;
      Status status = check_divisible(types[index], *sharding, what + std::to_string(index));
      if (status) continue;
      Error error = std::move(status).error();
      error.code = kNonDivisibleIo;
      error.message.insert(0, "func.func: ");
      error.location = module.source_location(*main);
      error.subject = {.kind = kind, .is_sharding = true, .index = static_cast<uint32_t>(index)};
      errors.push_back(std::move(error));
    }
  };
  check(module.arg_types(*main), ir::arg_sharding, Kind::Argument);
  check(module.function(*main).result_types, ir::result_sharding, Kind::Result);
  return errors;
}

// ---- Partitioning -------------------------------------------------------------------------------

namespace {

/// Checks for ops that forward values between devices. Their lowerings check the states of the
/// values.
bool passes_values_on(OpKind kind) {
  return find_lowering(kind) != nullptr &&
         (ir::has_trait(kind, ir::kCollective) || kind == OpKind::OptimizationBarrier ||
          kind == OpKind::SdyPropagationBarrier || kind == OpKind::SdyReshard);
}

/// Returns true for partial sums of a type that cannot represent zero. Spec: partitioning 5.8.
bool is_sum_without_zero(const Module& input, ValueId value) {
  if (ir::has_zero(input.type(value).element())) return false;
  const auto sharding = ir::get_sharding(input, value);
  return sharding && sharding->reduction_op() == ReductionOp::Sum &&
         sharding_size(sharding->unreduced_axes()) > 1;
}

/// Returns true for quantized and unranked tensors, whose dims lowerings cannot access.
bool computes_on_foreign_elements(const Module& input, OpId op) {
  const auto is_foreign = [&](ValueId value) {
    return input.type(value).as<ir::OpaqueType>() != nullptr;
  };
  return input.has_trait(op, ir::kPure) && (std::ranges::any_of(input.operands(op), is_foreign) ||
                                            std::ranges::any_of(input.results(op), is_foreign));
}

/// Returns an error if a value's type gives its dims only as text, such as a quantized type. No
/// shard type can be computed from such text.
Status check_has_shards(const Type& type, const std::optional<TensorSharding>& sharding,
                        const std::string& what) {
  if (type.as<ir::OpaqueType>() == nullptr || !sharding || sharding->is_fully_replicated()) {
    return {};
  }
  return fail(what + " of type " + ir::to_string(type) +
              " is sharded, but values of quantized and other foreign types are partitioned only "
              "if they are replicated");
}

const ir::AttributeMap& attributes_at(const std::vector<ir::AttributeMap>& attributes,
                                      std::size_t index) {
  static const ir::AttributeMap none;
  return index < attributes.size() ? attributes[index] : none;
}

/// Lowers the functions of a module one by one.
class Partitioner {
 public:
  Partitioner(const Module& input, const PartitionOptions& options, const ForeignOps& foreign)
      : input_(input), options_(options), lowering_(input, options, foreign), flow_(lowering_) {}

  DiagnosedResult<PartitionResult> run();

 private:
  bool may_continue();
  void lower_function(OpId function);
  void lower_op(OpId op);
  Status lower_checked(OpId op);
  Status lower_with_states(OpId op);
  Status lower_alone(OpId op);
  Status lower_call(OpId op);
  Status lower_return(OpId op, OpId function);
  Status check_types(OpId op) const;
  Status check_type(OpId op, ValueId value) const;
  Status check_meshes(OpId op) const;
  Status check_mesh(OpId op, const std::optional<TensorSharding>& sharding,
                    const std::string& what) const;
  Status check_partials(OpId op) const;
  Status check_devices(OpId op) const;
  Status check_io(OpId function, const Type& type, const std::optional<TensorSharding>& sharding,
                  const std::string& what) const;
  PlaceRef place_for(OpId op) const;
  PlaceRef default_place(OpId function) const;
  void add_meshes();
  void settle_results(OpId op, const AxisList& passed);
  void give_up(OpId op);
  void add_io(OpId function, OpId local);

  const Module& input_;
  const PartitionOptions& options_;
  Lowering lowering_;
  ControlFlow flow_;
  PlaceRef module_place_ = std::make_shared<const DeviceOrder>();
  PlaceRef function_place_;
  Diagnostics errors_;
};

/// Returns false, with an error, once a limit is exceeded.
bool Partitioner::may_continue() {
  LimitChecker* limits = options_.limits;
  if (limits == nullptr) return true;
  if (limits->may_continue() && limits->may_hold(ir::program_bytes(lowering_.output()))) {
    return true;
  }
  errors_ = {limits->status("partitioning").error()};
  return false;
}

PlaceRef place_of(const MeshRef& mesh) {
  return std::make_shared<const DeviceOrder>(DeviceOrder{mesh.mesh, mesh.name.value_or("")});
}
PlaceRef place_of(const TensorSharding& sharding) { return place_of(sharding.mesh_ref()); }

/// Returns the mesh of the first distributed operand, else of the first distributed result, else of
/// the function. Under bound axes, returns the mesh of the manual body.
PlaceRef Partitioner::place_for(OpId op) const {
  if (lowering_.body_place()) return lowering_.body_place();
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    const PartitionedValue& value = lowering_.local(input_.operand(op, index));
    if (lowering_.is_distributed(value)) return value.place;
  }
  for (std::size_t index = 0; index < input_.num_results(op); ++index) {
    const auto sharding = ir::get_sharding(input_, input_.result(op, index));
    const bool asks = sharding && !sharding->mesh().axes().empty() &&
                      !(sharding->is_fully_replicated() && sharding->unreduced_axes().empty());
    if (asks && !(sharding->mesh() == function_place_->mesh)) return place_of(*sharding);
  }
  return function_place_;
}

PlaceRef Partitioner::default_place(OpId function) const {
  if (PlaceRef body = lowering_.body_place_at(function)) return body;
  const std::size_t num_args =
      input_.is_external(function) ? 0 : input_.args(input_.entry(function)).size();
  for (std::size_t index = 0; index < num_args; ++index) {
    const auto sharding = ir::get_sharding(input_, input_.args(input_.entry(function))[index]);
    if (sharding && !sharding->mesh().axes().empty()) return place_of(*sharding);
  }
  const std::optional<MeshRef> own = ir::mesh_of(input_, {function});
  return own ? place_of(*own) : module_place_;
}

Status Partitioner::check_types(OpId op) const {
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    SHARDY_TRY_STATUS(check_type(op, input_.operand(op, index)));
  }
  for (std::size_t index = 0; index < input_.num_results(op); ++index) {
    SHARDY_TRY_STATUS(check_type(op, input_.result(op, index)));
  }
  return {};
}

Status Partitioner::check_type(OpId op, ValueId value) const {
  const Type& type = input_.type(value);
  if (!type.is_tensor()) return {};
  if (!type.is_static_tensor()) {
    return lowering_.error(op, "E_DYNAMIC_DIM", "every dim must have a known size");
  }
  if (std::ranges::any_of(type.dims(), [](int64_t dim) { return dim > kMaxDim; })) {
    return lowering_.error(op, "E_UNSUPPORTED_OP", "a dim is larger than 2^40");
  }
  if (is_sum_without_zero(input_, value)) {
    return lowering_.error(
        op, "E_UNSUPPORTED_OP",
        ir::to_string(type) + " is unreduced: its type has no zero for devices without a summand");
  }
  return {};
}

/// Checks I2: the meshes of an op's values may differ in their device order, but not in their axes.
/// Also checks that the shards of each value can be computed.
Status Partitioner::check_meshes(OpId op) const {
  for (std::size_t index = 0; index < input_.num_results(op); ++index) {
    const ValueId value = input_.result(op, index);
    const auto sharding = ir::get_sharding(input_, value);
    const std::string what = "result " + std::to_string(index);
    SHARDY_TRY_STATUS(check_mesh(op, sharding, what));
    const Status has_shards = check_has_shards(input_.type(value), sharding, what);
    if (!has_shards) {
      return lowering_.error(op, "E_UNSUPPORTED_OP", has_shards.error().message);
    }
  }
  return {};
}

Status Partitioner::check_mesh(OpId op, const std::optional<TensorSharding>& sharding,
                               const std::string& what) const {
  if (!sharding || sharding->mesh().axes().empty()) return {};
  if (sharding->mesh().equals_ignoring_device_ids(function_place_->mesh)) return {};
  return lowering_.error(op, "E_MESH_MISMATCH",
                         what + " is on the mesh " + to_string(sharding->mesh()) +
                             ", others are on " + to_string(function_place_->mesh) +
                             "; all meshes of a function must have equal axes");
}

/// Checks I5: partial results reach a collective that reduces them, or are declared unreduced.
Status Partitioner::check_partials(OpId op) const {
  if (ir::completes_reduction(input_.kind(op))) return {};
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    const ValueId operand = input_.operand(op, index);
    const PartitionedValue& value = lowering_.local(operand);
    if (!value.partial) continue;
    const auto sharding = ir::get_sharding(input_, operand);
    const AxisList declared = sharding ? sharding->unreduced_axes() : AxisList();
    // Axes of size 1 need no reduction.
    const auto is_real = [](const AxisRef& axis) { return axis.size > 1; };
    if (std::ranges::any_of(set_difference(value.partial->axes, declared), is_real)) {
      return lowering_.error(op, "E_MISSING_REDUCTION",
                             "an operand holds partial results that no collective combines");
    }
  }
  return {};
}

/// Checks ops on a single device: they must not be collectives, and only ops on that device and
/// reshards may use their values.
Status Partitioner::check_devices(OpId op) const {
  const OpKind kind = input_.kind(op);
  if (kind == OpKind::SdyReshard) return {};
  if (is_on_one_device(input_, op)) {
    const bool computes = ir::has_trait(kind, ir::kPure) && !ir::has_trait(kind, ir::kCollective) &&
                          !ir::has_trait(kind, ir::kTerminator) && !ir::is_spmd(kind);
    if (computes || kind == OpKind::CustomCall) return {};
    return lowering_.error(op, "E_UNSUPPORTED_OP", "only ops that compute run on a single device");
  }
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    if (!lowering_.local(input_.operand(op, index)).device) continue;
    return lowering_.error(op, "E_UNSUPPORTED_OP",
                           "reads a value of a single device; a reshard must bring it to all");
  }
  return {};
}

Status Partitioner::lower_call(OpId op) {
  const auto* callee = input_.attribute<ir::SymbolAttr>(op, ir::attr::kCallee);
  const std::optional<OpId> function =
      callee ? input_.find_symbol(callee->name) : std::optional<OpId>();
  if (!function || !input_.is(*function, OpKind::Func) || input_.is_external(*function)) {
    return lowering_.error(op, "E_UNSUPPORTED_OP", "the callee has no body");
  }
  const PlaceRef body = lowering_.body_place() ? default_place(*function) : nullptr;
  if (body) lowering_.set_place(body);
  std::vector<ValueId> operands;
  const auto args = input_.args(input_.entry(*function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    PartitionedValue value = lowering_.local(input_.operand(op, index));
    Layout wanted = lowering_.layout_of(args[index]);
    if (body) wanted.place = body;
    operands.push_back(lowering_.reshard_to_layout(op, std::move(value), wanted).value);
  }
  std::vector<Layout> made;
  std::vector<Type> types;
  for (std::size_t index = 0; index < input_.num_results(op); ++index) {
    const Type& global = input_.type(input_.result(op, index));
    made.push_back(lowering_.layout_under(global, ir::result_sharding(input_, *function, index)));
    if (body) made.back().place = body;
    types.push_back(lowering_.local_type(global, made.back().axes));
  }
  const OpId local = lowering_.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input_.num_results(op); ++index) {
    const ValueId result = input_.result(op, index);
    PartitionedValue value = lowering_.make(lowering_.output().result(local, index),
                                            input_.type(result), std::move(made[index]));
    lowering_.bind(result,
                   lowering_.reshard_to_layout(op, std::move(value), lowering_.layout_of(result)));
  }
  return {};
}

Status Partitioner::lower_return(OpId op, OpId function) {
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    PartitionedValue value = lowering_.local(input_.operand(op, index));
    const Layout layout =
        lowering_.layout_under(value.global, ir::result_sharding(input_, function, index));
    operands.push_back(lowering_.reshard_to_layout(op, std::move(value), layout).value);
  }
  lowering_.clone(op, std::move(operands), {});
  return {};
}

Status Partitioner::lower_checked(OpId op) {
  SHARDY_TRY_STATUS(check_types(op));
  SHARDY_TRY_STATUS(check_meshes(op));
  SHARDY_TRY_STATUS(check_partials(op));
  SHARDY_TRY_STATUS(check_devices(op));
  const OpKind kind = input_.kind(op);
  if (is_on_one_device(input_, op)) return lower_on_one_device(lowering_, op);
  if (ir::is_spmd(kind)) {
    return lowering_.error(op, "E_UNSUPPORTED_OP", "the program is already a per-device program");
  }
  const bool is_return = ir::has_trait(kind, ir::kReturnLike);
  if (is_return && input_.is(input_.parent_op(op), OpKind::Func)) {
    return lower_return(op, input_.parent_op(op));
  }
  if (kind == OpKind::FuncCall) return lower_call(op);
  if (ControlFlow::owns_walked_regions(kind)) return flow_.enter(op);
  if (is_return) return flow_.leave(op);
  if (passes_values_on(kind)) return find_lowering(kind)(lowering_, op);
  return lower_with_states(op);
}

Status Partitioner::lower_with_states(OpId op) {
  const OperandStates states(lowering_, op);
  SHARDY_TRY_STATUS(lower_alone(op));
  settle_results(op, states.passed());
  return {};
}

/// Lowers one op, whose operands are in states that the op accepts.
Status Partitioner::lower_alone(OpId op) {
  const OpKind kind = input_.kind(op);
  if (needs_missing_zero(input_, op) || computes_on_foreign_elements(input_, op)) {
    return lower_replicated(lowering_, op);
  }
  if (LowerOp* const lower = find_lowering(kind)) return lower(lowering_, op);
  if (ir::has_trait(kind, ir::kSdyAnnotation)) {
    return lowering_.error(op, "E_UNRESOLVED_OP",
                           "run the export passes first: only collectives may remain");
  }
  const bool computes = ir::has_trait(kind, ir::kPure) && !ir::has_trait(kind, ir::kCollective) &&
                        !ir::has_trait(kind, ir::kTerminator);
  if (computes) return lower_by_rule(lowering_, op);
  return lowering_.error(op, "E_UNSUPPORTED_OP", "no lowering to a per-device program");
}

namespace {

/// Checks whether partial results keep the op's own reducer although another reducer may be
/// declared.
/// True if collectives reduce all these results.
bool keeps_reducer(const Module& input, ValueId result, const PartitionedValue& value,
                   const Layout& layout) {
  if (!value.partial || layout.unreduced.empty()) return false;
  AxisList all = layout.unreduced;
  append(all, set_difference(value.partial_axes(), all));
  return is_reduced_by_users(input, result, all);
}

/// Checks whether a complete value becomes partial by its bit pattern: the addition of zero would
/// change a signalling NaN to a quiet one.
bool moves_bits(const Module& input, ValueId result, const PartitionedValue& value,
                const Layout& layout) {
  const ir::ElementType element = value.global.element();
  if (value.partial || layout.unreduced.empty() || !has_hidden_bits(element)) return false;
  if (exact_combiner(element) != OpKind::Or) return false;
  return is_reduced_by_users(input, result, layout.unreduced);
}

}  // namespace

/// Reshards results to their declared shardings: to their mesh, and partial along unreduced axes.
/// The collective after the op reduces other partial results (I5).
void Partitioner::settle_results(OpId op, const AxisList& passed) {
  for (const ValueId result : input_.results(op)) {
    PartitionedValue value = lowering_.local(result);
    if (!value.global.is_tensor()) continue;
    Layout layout = lowering_.layout_of(result);
    const bool is_kept = passed.empty() && keeps_reducer(input_, result, value, layout);
    if (is_kept) layout.reducer = value.partial->reducer;
    const bool other_kind =
        value.partial && !layout.unreduced.empty() &&
        !same_reducer(value.partial->reducer, layout.reducer, value.global.element());
    if (other_kind) {
      const AxisList all = value.partial_axes();
      value = lowering_.combined(std::move(value), all);
    }
    if (!passed.empty()) {
      if (!value.partial) value.partial = PartialResult{{}, layout.reducer, ValueId()};
      AxisList& axes = value.partial->axes;
      append(axes, set_difference(passed, axes));
      axes = sort_and_merge(std::move(axes));
    }
    if (lowering_.is_distributed(value) && !layout.place_is_free()) {
      value = lowering_.moved(std::move(value), layout.place);
    }
    const AxisList missing = set_difference(layout.unreduced, value.partial_axes());
    if (moves_bits(input_, result, value, layout)) layout.reducer = OpKind::Or;
    lowering_.bind(result, lowering_.as_summands(std::move(value), missing, layout.reducer));
  }
}

/// Binds placeholders to the results of an op that failed, so that later errors are found, too.
void Partitioner::give_up(OpId op) {
  for (const ValueId result : input_.results(op)) {
    const std::vector<AxisList> axes = lowering_.axes_of(result);
    const Type& type = input_.type(result);
    lowering_.bind(result, lowering_.make(ValueId(), type, axes));
  }
}

void Partitioner::lower_op(OpId op) {
  for (std::size_t index = 0; index < input_.num_operands(op); ++index) {
    if (!lowering_.local(input_.operand(op, index)).value.valid()) return give_up(op);
  }
  lowering_.set_op(op);
  lowering_.set_place(place_for(op));
  const Location location = input_.source_location(op);
  lowering_.emit().set_location(location.empty() ? ir::LocationId()
                                                 : lowering_.output().add_location(location));
  Status status = lower_checked(op);
  if (status) return;
  errors_.push_back(std::move(status).error());
  if (errors_.back().location.empty()) errors_.back().location = location;
  give_up(op);
}

Status Partitioner::check_io(OpId function, const Type& type,
                             const std::optional<TensorSharding>& sharding,
                             const std::string& what) const {
  if (!sharding) return {};
  if (sharding->mesh().is_maximal()) {
    return lowering_.error(function, "E_UNSUPPORTED_OP", what + " is on a single device");
  }
  if (!type.is_static_tensor()) {
    if (type.is_tensor()) return lowering_.error(function, "E_DYNAMIC_DIM", what);
    return {};
  }
  if (options_.io_padding == IoPadding::Padded) return {};
  const Status divides = check_divisible(type, *sharding, what);
  return divides ? divides : lowering_.error(function, kNonDivisibleIo, divides.error().message);
}

/// Copies types, shardings, global types and other attributes of the arguments and results of a
/// function.
void Partitioner::add_io(OpId function, OpId local) {
  Module& output = lowering_.output();
  const bool entry = input_.main_function() == function;
  const std::string symbol = "@" + std::string(input_.symbol_name(function));
  const auto add = [&](ir::AttributeMap& attributes, const ir::AttributeMap& written,
                       const Type& type, const std::optional<TensorSharding>& sharding,
                       DiagnosticSubject::Kind kind, std::size_t index) {
    const bool is_argument = kind == DiagnosticSubject::Kind::Argument;
    const std::string what = (is_argument ? "argument " : "result ") + std::to_string(index);
    attributes = local_attributes(written);
    if (sharding) attributes.set("sdy.sharding", *sharding);
    attributes.set("spmd.global_type", ir::TypeAttr{type});
    Status status = check_mesh(function, sharding, what + " of " + symbol);
    if (status) {
      status = check_has_shards(type, sharding, what + " of " + symbol);
      if (!status) {
        status = lowering_.error(function, "E_UNSUPPORTED_OP", status.error().message);
      }
    }
    if (status && entry) status = check_io(function, type, sharding, what);
    if (status) return;
    errors_.push_back(status.error());
    errors_.back().subject = {
        .kind = kind, .is_sharding = true, .index = static_cast<uint32_t>(index)};
  };
  const ir::FunctionData& data = input_.function(function);
  const auto args = input_.args(input_.entry(function));
  if (entry && args.empty() && data.result_types.empty()) {
    output.attributes(local).set("spmd.per_device", ir::UnitAttr());
  }
  for (std::size_t index = 0; index < args.size(); ++index) {
    add(output.function(local).arg_attributes[index], attributes_at(data.arg_attributes, index),
        input_.type(args[index]), ir::get_sharding(input_, args[index]),
        DiagnosticSubject::Kind::Argument, index);
  }
  for (std::size_t index = 0; index < data.result_types.size(); ++index) {
    add(output.function(local).result_attributes[index],
        attributes_at(data.result_attributes, index), data.result_types[index],
        ir::result_sharding(input_, function, index), DiagnosticSubject::Kind::Result, index);
  }
}

void Partitioner::lower_function(OpId function) {
  if (input_.is_external(function)) {
    errors_.push_back(
        lowering_.error(function, "E_UNSUPPORTED_OP", "a function without a body").value());
    return;
  }
  lowering_.set_op(function);
  function_place_ = default_place(function);
  lowering_.set_place(function_place_);
  Module& output = lowering_.output();
  std::vector<Type> args;
  for (const ValueId arg : input_.args(input_.entry(function))) {
    args.push_back(lowering_.local_type(input_.type(arg), lowering_.axes_of(arg)));
  }
  std::vector<Type> results;
  for (std::size_t index = 0; index < input_.function(function).result_types.size(); ++index) {
    const Type& type = input_.function(function).result_types[index];
    const auto sharding = ir::result_sharding(input_, function, index);
    results.push_back(lowering_.local_type(type, lowering_.axes_under(type, sharding)));
  }
  const OpId local =
      output.add_function(std::string(input_.symbol_name(function)), args, std::move(results));
  for (const ir::NamedAttribute& entry : input_.attributes(function)) {
    output.attributes(local).set(entry.name, entry.value);
  }
  add_io(function, local);
  lowering_.start_function(function_place_, output.entry(local));
  const auto global_args = input_.args(input_.entry(function));
  for (std::size_t index = 0; index < global_args.size(); ++index) {
    const ValueId arg = global_args[index];
    lowering_.bind(arg, lowering_.make(output.args(output.entry(local))[index], input_.type(arg),
                                       lowering_.layout_of(arg)));
  }
  flow_.start(input_.entry(function), output.entry(local));
  for (OpId op = flow_.next(); op.valid() && may_continue(); op = flow_.next()) lower_op(op);
  if (!errors_.empty()) return;
  // Inner blocks come first: dead ops there may be the last users of ops in outer blocks.
  for (auto block = flow_.made_blocks().rbegin(); block != flow_.made_blocks().rend(); ++block) {
    clean_up(output, *block);
  }
  clean_up(output, output.entry(local));
}

/// Adds the meshes in use. The mesh of the program comes first, because it determines the devices
/// of a main function whose ops reference no mesh.
void Partitioner::add_meshes() {
  Module& output = lowering_.output();
  const std::optional<MeshRef> first = ir::mesh_of_program(input_);
  if (first) {
    output.add_mesh(*first->name, first->mesh);
    module_place_ = place_of(*first);
  }
  for (const OpId op : ir::meshes_in_use(input_, input_.functions())) {
    const std::string name(input_.symbol_name(op));
    if (first && name == *first->name) continue;
    output.add_mesh(name, *input_.attribute<Mesh>(op, ir::attr::kMesh));
  }
}

DiagnosedResult<PartitionResult> Partitioner::run() {
  lowering_.output().module_attributes() = input_.module_attributes();
  add_meshes();
  for (const OpId function : input_.functions()) {
    if (may_continue()) lower_function(function);
  }
  if (errors_.empty()) errors_ = wrong_device_counts(lowering_.output());
  if (errors_.empty()) errors_ = divergent_collectives(lowering_.output());
  if (!errors_.empty()) return tl::unexpected(std::move(errors_));
  std::vector<ReplicationNote> notes = lowering_.take_notes();  // before the program is moved
  return PartitionResult{std::move(lowering_.output()), std::move(notes)};
}

}  // namespace

DiagnosedResult<PartitionResult> partition(const Module& module, const PartitionOptions& options,
                                           const ForeignOps& foreign) {
  if (ir::has_unnamed_draws(module)) {
    Module named = module;
    ir::name_draws(named);
    return partition(named, options, foreign);
  }
  auto result = Partitioner(module, options, foreign).run();
  if (!result || !options.stablehlo) return result;
  Diagnostics errors = to_stablehlo_form(result->module, *options.stablehlo);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return result;
}

// ---- Notes --------------------------------------------------------------------------------------

std::string_view to_string(Replication kind) {
  switch (kind) {
    case Replication::Computed:
      return "computed whole";
    case Replication::RandomBits:
      return "random bits";
    case Replication::Combined:
      return "combined";
    default:
      return "gathered";
  }
}

Diagnostic diagnostic_of(const ReplicationNote& note) {
  std::string what = note.op + ": " + note.tensor;
  for (std::size_t index = 0; index < note.dims.size(); ++index) {
    what += index > 0 ? ", " : note.dims.size() > 1 ? ", dims " : ", dim ";
    what += std::to_string(note.dims[index]);
  }
  what += note.dims.size() > 1 ? " are " : " is ";
  what += note.kind == Replication::Combined   ? "combined along "
          : note.kind == Replication::Gathered ? "gathered along "
                                               : "computed replicated along ";
  what += note.axes + ": " + note.reason + " (" + std::to_string(note.bytes_moved) +
          " bytes to each device, which then holds " + std::to_string(note.bytes_held) + ")";
  return {.message = std::move(what),
          .location = note.location,
          .code = "N_REPLICATED",
          .severity = Severity::Note};
}

// ---- Passes -------------------------------------------------------------------------------------
// Registry rows of the passes that use the partitioner. Spec: partitioning 4.4, 10.

using passes::OptionType;

namespace {

Diagnostics stablehlo_form(ir::Module& module, passes::PassContext& context) {
  const bool by_mesh = context.flag("mesh-groups");
  return to_stablehlo_form(module,
                           {.groups = by_mesh ? ReplicaGroupsForm::Mesh : ReplicaGroupsForm::List,
                            .replica_count = context.number("replica-count"),
                            .partition_count = context.number("partition-count")});
}

}  // namespace

void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings) {
  register_reference_passes(registry, std::move(lowerings));
  static_cast<void>(registry.add({
      .name = "spmd-to-stablehlo",
      .summary = "turns the spmd ops of a per-device program into plain StableHLO",
      .phase = passes::PassPhase::Export,
      .options = {{"mesh-groups", OptionType::Bool, "false",
                   "replica groups name axes of a mesh instead of devices"},
                  {"replica-count", OptionType::Int, "1", "number of replicas"},
                  {"partition-count", OptionType::Int, "1", "number of partitions"}},
      .run = &stablehlo_form,
  }));
}

passes::PassRegistry all_passes(ForeignLowerings lowerings) {
  passes::PassRegistry registry = passes::built_in_passes();
  register_partitioning_passes(registry, std::move(lowerings));
  return registry;
}

}  // namespace shardy::partitioning
