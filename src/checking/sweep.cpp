#include "shardy/checking/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/ir_names.hpp"
#include "checking/reduce_ops.hpp"
#include "checking/substituted_runs.hpp"
#include "ir/program_facts.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using simulation::Fill;
using simulation::Tensors;
using simulation::Traffic;

// The program with other shardings.

namespace {

// ---- Annotations of the program -----------------------------------------------------------------

/// Checks whether ops of the program refer to their mesh.
bool has_own_mesh(const Module& module, std::span<const OpId> ops) {
  return std::ranges::any_of(ops, [&](OpId op) {
    return module.is(op, OpKind::SdyManualComputation) || ir::is_sdy_collective(module.kind(op));
  });
}

bool only_carries_sharding(OpKind kind) {
  return kind == OpKind::SdyShardingConstraint || kind == OpKind::SdyReshard ||
         kind == OpKind::SdyDataFlowEdge || kind == OpKind::SdyFuncDataFlowEdge;
}

void drop_signature_shardings(Module& module, OpId function) {
  ir::FunctionData& data = module.function(function);
  for (AttributeMap& attributes : data.arg_attributes) attributes.erase(ir::kShardingAttr);
  for (AttributeMap& attributes : data.result_attributes) attributes.erase(ir::kShardingAttr);
}

void drop_shardings(Module& module, std::span<const OpId> ops) {
  for (const OpId op : ops) {
    if (only_carries_sharding(module.kind(op))) {
      module.replace_all_uses(module.result(op), module.operand(op, 0));
      module.erase(op);
    } else if (module.is(op, OpKind::SdyShardingGroup) || module.is(op, OpKind::SdyMesh)) {
      module.erase(op);
    } else {
      AttributeMap& attributes = module.attributes(op);
      attributes.erase(ir::kShardingAttr);
      if (module.is(op, OpKind::SdyNamedComputation)) {
        attributes.erase(ir::attr::kInShardings);
        attributes.erase(ir::attr::kOutShardings);
      }
      if (module.is(op, OpKind::Func)) drop_signature_shardings(module, op);
    }
  }
}

std::string free_name(const Module& module, const std::string& wanted) {
  std::string name = wanted;
  for (int next = 0; module.find_symbol(name); ++next) name = wanted + "_" + std::to_string(next);
  return name;
}

// ---- New shardings ------------------------------------------------------------------------------

/// Returns true for ops whose regions are part of the program; other regions are functions of
/// elements.
bool is_transparent(OpKind kind) {
  return kind == OpKind::While || kind == OpKind::Case || kind == OpKind::If ||
         kind == OpKind::SdyNamedComputation || kind == OpKind::SdyManualComputation;
}

class RandomSharder {
 public:
  RandomSharder(Module program, uint64_t seed)
      : random_(seed), other_meshes_(~seed), module_(std::move(program)), scopes_(module_) {}

  Module run(int64_t max_devices) && {
    const std::vector<OpId> ops = ir::pre_order(module_);
    if (has_own_mesh(module_, ops)) {
      keep_meshes();
    } else {
      drop_shardings(module_, ops);
      add_meshes(max_devices);
    }
    if (meshes_.empty()) return std::move(module_);
    collect_values();
    wrap_some_op();
    add_group();
    shard_signature();
    for (int64_t count = random_.between(0, 4); count > 0; --count) constrain_some_value();
    if (other_meshes_.chance(3)) add_unused_mesh();
    if (other_meshes_.chance(3)) use_empty_mesh();
    return std::move(module_);
  }

 private:
  // ---- Meshes ----
  void keep_meshes() {
    if (auto mesh = ir::mesh_of_program(module_)) meshes_.push_back(*std::move(mesh));
  }
  void add_meshes(int64_t max_devices) {
    add_mesh("mesh", random_mesh(random_, max_devices));
    if (random_.chance(4)) add_mesh("other", other_order(random_, meshes_[0].mesh));
  }
  void add_mesh(const std::string& wanted, const Mesh& mesh) {
    const std::string name = free_name(module_, wanted);
    module_.add_mesh(name, mesh);
    meshes_.push_back({mesh, name});
  }

  // ---- Values ----
  bool can_be_sharded(ValueId value) const {
    const Type& type = module_.type(value);
    return type.is_tensor() && ir::has_static_shape(type) && !feeds_collective(value) &&
           !holds_summands(value);
  }
  /// Checks whether the value is unreduced. Only programs that keep their meshes have such values.
  bool holds_summands(ValueId value) const {
    const auto sharding = ir::get_sharding(module_, value);
    return sharding && !sharding->unreduced_axes().empty();
  }
  bool feeds_collective(ValueId value) const {
    const OpId definition = module_.defining_op(value);
    if (definition.valid() && ir::is_sdy_collective(module_.kind(definition))) return true;
    return std::ranges::any_of(module_.uses(value), [&](const ir::Use& use) {
      return ir::is_sdy_collective(module_.kind(use.op)) ||
             module_.is(use.op, OpKind::SdyShardingGroup);
    });
  }
  void collect_values() {
    const auto enters = [&](OpId op) {
      return module_.is(op, OpKind::Func) || is_transparent(module_.kind(op));
    };
    for (const OpId op : ir::pre_order(module_, module_.body(), enters)) {
      for (const ValueId result : module_.results(op)) {
        if (can_be_sharded(result)) values_.push_back(result);
      }
    }
  }
  /// Removes a value from the list and returns it.
  ValueId take_value() {
    const auto index =
        static_cast<std::size_t>(random_.between(0, static_cast<int64_t>(values_.size()) - 1));
    const ValueId value = values_[index];
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(index));
    return value;
  }

  /// Returns the axes that manual computations bind around the value and around calls of its
  /// function.
  BoundAxes bound_at(ValueId value) const {
    const OpId op = module_.defining_op(value);
    return op.valid() ? scopes_.at(op) : BoundAxes::none();  // an argument of main
  }

  // ---- Shardings ----
  TensorSharding any_sharding(ValueId value, Summands summands = Summands::None) {
    const MeshRef& ref = random_.pick(meshes_);
    const auto rank = module_.type(value).dims().size();
    TensorSharding sharding =
        random_sharding(random_, ref.mesh, rank, bound_at(value), summands).with_mesh(ref);
    if (!random_.chance(3)) return sharding;
    std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
    for (DimSharding& dim : dims) {
      if (!dim.is_closed || !dim.empty()) dim.priority = random_.between(0, 2);
    }
    return sharding.with_dims(std::move(dims));
  }

  void shard_signature() {
    const std::optional<OpId> main = module_.main_function();
    if (!main || module_.is_external(*main)) return;
    const BlockId entry = module_.entry(*main);
    for (std::size_t index = 0; index < module_.args(entry).size(); ++index) {
      const ValueId arg = module_.args(entry)[index];
      if (can_be_sharded(arg) && !random_.chance(4)) {
        ir::set_arg_sharding(module_, *main, index, any_sharding(arg));
      }
    }
    const std::vector<ValueId> results = module_.returned_values(*main);
    for (std::size_t index = 0; index < results.size(); ++index) {
      if (can_be_sharded(results[index]) && random_.chance(2)) {
        ir::set_result_sharding(module_, *main, index, any_sharding(results[index]));
      }
    }
  }

  ValueId constrained(ValueId value, TensorSharding sharding) {
    const OpId op = module_.defining_op(value);
    ir::Builder builder = ir::Builder::after(module_, op);
    builder.set_location(module_.location(op));
    AttributeMap attributes;
    attributes.set(ir::attr::kSharding, std::move(sharding));
    const ValueId made = builder.create_value(OpKind::SdyShardingConstraint, {value},
                                              module_.type(value), std::move(attributes));
    module_.replace_all_uses(value, made);
    module_.set_operand(module_.defining_op(made), 0, value);
    return made;
  }

  /// Checks whether devices may have partial sums of the value: integer sums do not depend on the
  /// order. An op without results cannot forward partial sums, and a reduction in the program
  /// combines them with its own reducer.
  bool may_be_summands(ValueId value) const {
    const auto passes_them_on = [&](const ir::Use& use) {
      const OpKind kind = module_.kind(use.op);
      return module_.num_results(use.op) > 0 && kind != OpKind::AllReduce &&
             kind != OpKind::ReduceScatter;
    };
    return ir::is_integer(module_.type(value).element()) &&
           std::ranges::all_of(module_.uses(value), passes_them_on);
  }

  /// Makes partial sums the result of an open constraint, so that only users of a second constraint
  /// use them. Spec: passes 5.13.
  void constrain_some_value() {
    if (values_.empty()) return;
    const ValueId value = take_value();
    TensorSharding sharding =
        any_sharding(value, may_be_summands(value) ? Summands::Some : Summands::None);
    if (sharding.unreduced_axes().empty()) {
      constrained(value, std::move(sharding));
      return;
    }
    const ValueId open = constrained(value, sharding.fully_open_like());
    constrained(open, std::move(sharding));
  }

  /// Returns the next unused group id. A program that keeps its meshes keeps its groups, too.
  int64_t free_group() const {
    int64_t group = 0;
    for (const OpId op : ir::pre_order(module_)) {
      if (!module_.is(op, OpKind::SdyShardingGroup)) continue;
      const auto* id = module_.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
      if (id != nullptr) group = std::max(group, id->value + 1);
    }
    return group;
  }

  /// Puts two values with equal shapes into a group and removes them from the list, because a group
  /// requires one sharding. The group does not cross a manual computation, directly or through a
  /// call.
  void add_group() {
    if (values_.size() < 2 || !random_.chance(3)) return;
    const ValueId first = take_value();
    const auto second = std::ranges::find_if(values_, [&](ValueId value) {
      return std::ranges::equal(module_.type(value).dims(), module_.type(first).dims()) &&
             bound_at(value).empty() && bound_at(first).empty();
    });
    if (second == values_.end()) return;
    const int64_t group = free_group();
    for (const ValueId member : {first, *second}) {
      AttributeMap attributes;
      attributes.set(ir::attr::kGroupId, ir::IntegerAttr{group, ir::ElementType::I64});
      OpSpec spec{.kind = OpKind::SdyShardingGroup};
      spec.operands = {member};
      spec.attributes = std::move(attributes);
      ir::Builder::after(module_, module_.defining_op(member)).create(std::move(spec));
    }
    values_.erase(second);
  }

  // ---- Other meshes ----
  /// Adds a larger, unused mesh before or after the used meshes.
  void add_unused_mesh() {
    const int64_t devices = meshes_.front().mesh.num_devices();
    const auto mesh = Mesh::make({{"unused", 2 * devices + other_meshes_.between(0, 3)}});
    const OpId made = module_.add_mesh(free_name(module_, "larger"), *mesh);
    if (!other_meshes_.chance(2)) return;
    module_.remove(made);
    module_.insert_before(module_.first_op(module_.body()), made);
  }

  TensorSharding on_empty_mesh(ValueId value, const MeshRef& empty) {
    const std::size_t rank = module_.type(value).dims().size();
    std::vector<DimSharding> dims(rank);
    for (DimSharding& dim : dims) dim.is_closed = !other_meshes_.chance(4);
    return TensorSharding::fully_closed(empty.mesh, empty.name, rank).with_dims(std::move(dims));
  }

  /// Moves arguments, results and one other value to a mesh without axes, on which they are
  /// replicated.
  void use_empty_mesh() {
    const std::optional<OpId> main = module_.main_function();
    if (!main || module_.is_external(*main)) return;
    const MeshRef empty{Mesh(), free_name(module_, "empty_mesh")};
    module_.add_mesh(*empty.name, empty.mesh);
    const BlockId entry = module_.entry(*main);
    for (std::size_t index = 0; index < module_.args(entry).size(); ++index) {
      const ValueId arg = module_.args(entry)[index];
      if (!can_be_sharded(arg) || !other_meshes_.chance(2)) continue;
      ir::set_arg_sharding(module_, *main, index, on_empty_mesh(arg, empty));
    }
    const std::vector<ValueId> results = module_.returned_values(*main);
    for (std::size_t index = 0; index < results.size(); ++index) {
      if (!can_be_sharded(results[index]) || !other_meshes_.chance(3)) continue;
      ir::set_result_sharding(module_, *main, index, on_empty_mesh(results[index], empty));
    }
    if (values_.empty() || other_meshes_.chance(2)) return;
    const ValueId value = other_meshes_.pick(values_);
    if (bound_at(value).empty()) constrained(value, on_empty_mesh(value, empty));
  }

  // ---- Manual computations ----
  /// Shards each free axis along a dim that it divides.
  std::optional<TensorSharding> manual_sharding(const Type& type, const BoundAxes& bound,
                                                std::vector<std::string>& axes) {
    const MeshRef& ref = meshes_.front();
    std::vector<AxisList> dims(type.dims().size());
    std::vector<int64_t> sizes(type.dims().begin(), type.dims().end());
    for (int32_t axis = 0; axis < ref.mesh.num_axes() && !dims.empty(); ++axis) {
      const auto dim =
          static_cast<std::size_t>(random_.between(0, static_cast<int64_t>(dims.size()) - 1));
      const int64_t size = ref.mesh.axis_size(axis);
      const bool is_free = !bound.has(ref.mesh, ref.mesh.full_axis(axis));
      if (!is_free || size < 2 || sizes[dim] % size != 0) continue;
      sizes[dim] /= size;
      dims[dim].push_back(ref.mesh.full_axis(axis));
      axes.push_back(ref.mesh.axis_name(axis));
    }
    if (axes.empty()) return std::nullopt;
    return TensorSharding::closed(ref, std::move(dims));
  }

  bool can_be_manual(OpId op) const {
    if (!module_.has_trait(op, ir::kElementwise) || module_.num_operands(op) == 0) return false;
    const Type& result = module_.type(module_.result(op));
    return module_.num_results(op) == 1 && !feeds_collective(module_.result(op)) &&
           std::ranges::all_of(module_.operands(op), [&](ValueId operand) {
             return module_.type(operand).is_tensor() && !feeds_collective(operand) &&
                    std::ranges::equal(module_.type(operand).dims(), result.dims());
           });
  }

  /// Wraps one elementwise op in a manual computation.
  void wrap_some_op() {
    std::vector<ValueId> results;
    std::ranges::copy_if(values_, std::back_inserter(results),
                         [&](ValueId value) { return can_be_manual(module_.defining_op(value)); });
    if (results.empty() || !random_.chance(3)) return;
    const ValueId result = random_.pick(results);
    std::vector<std::string> axes;
    const auto sharding = manual_sharding(module_.type(result), bound_at(result), axes);
    if (!sharding) return;
    std::erase(values_, result);
    wrap(module_.defining_op(result), *sharding, std::move(axes));
  }

  void wrap(OpId op, const TensorSharding& sharding, std::vector<std::string> axes) {
    const ValueId result = module_.result(op);
    const std::vector<ValueId> operands = module_.operands(op);
    const auto local = [&](ValueId value) {
      const Type& type = module_.type(value);
      return Type::tensor(sharding.local_shape({type.dims().begin(), type.dims().end()}),
                          type.element());
    };
    OpSpec manual{.kind = OpKind::SdyManualComputation};
    manual.operands = operands;
    manual.result_types = {module_.type(result)};
    manual.attributes.set(ir::attr::kInShardings,
                          ir::ShardingList{std::vector(operands.size(), sharding)});
    manual.attributes.set(ir::attr::kOutShardings, ir::ShardingList{{sharding}});
    manual.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{std::move(axes)});
    manual.regions = {module_.new_region()};
    std::vector<Type> types;
    std::ranges::transform(operands, std::back_inserter(types), local);
    const BlockId body = module_.new_block(manual.regions[0], types);
    OpSpec inner{.kind = module_.kind(op)};
    inner.operands.assign(module_.args(body).begin(), module_.args(body).end());
    inner.result_types = {local(result)};
    inner.attributes = module_.attributes(op);
    ir::Builder builder(module_, body);
    builder.set_location(module_.location(op));
    OpSpec end{.kind = OpKind::SdyReturn};
    end.operands = {module_.result(builder.create(std::move(inner)))};
    builder.create(std::move(end));
    ir::Builder outer = ir::Builder::before(module_, op);
    outer.set_location(module_.location(op));
    module_.replace_all_uses(result, module_.result(outer.create(std::move(manual))));
    module_.erase(op);
  }

  Random random_;
  Random other_meshes_;  // a separate stream, so that it does not affect other choices
  Module module_;
  ir::ManualScopes scopes_;  // scopes of the module
  std::vector<MeshRef> meshes_;
  std::vector<ValueId> values_;  // values without a sharding
};

}  // namespace

Module shard_at_random(const Module& program, uint64_t seed, int64_t max_devices) {
  return RandomSharder(program, seed).run(max_devices);
}

// A check of a program under many shardings.

namespace {

/// The number of other inputs that are tried before a difference counts as rounding.
constexpr uint64_t kOtherInputs = 3;

/// Returns the largest traffic of a device per kind of op.
std::map<ir::OpKind, Traffic> busiest(const std::vector<simulation::DeviceAccount>& devices) {
  std::map<ir::OpKind, Traffic> most;
  for (const simulation::DeviceAccount& device : devices) {
    for (const auto& [kind, traffic] : device.traffic) {
      Traffic& kept = most[kind];
      kept.count = std::max(kept.count, traffic.count);
      kept.bytes_sent = std::max(kept.bytes_sent, traffic.bytes_sent);
    }
  }
  return most;
}

void add_case(SweepReport& sum, const CheckReport& report) {
  sum.num_values += report.num_values;
  sum.num_sharded_values += report.num_sharded_values;
  sum.num_notes += std::ssize(report.compiled.notes);
  sum.largest_difference = std::max(sum.largest_difference, report.largest_difference());
  sum.exact.add(report.exact);
  sum.wide.add(report.wide);
  for (const auto& [kind, traffic] : busiest(report.sharded.devices)) {
    sum.collectives[kind].count += traffic.count;
    sum.collectives[kind].bytes_sent += traffic.bytes_sent;
  }
}

/// Checks that the results equal the results of the unsharded run. A program that checks itself may
/// have no results.
bool is_as_unsharded(const CheckReport& report) {
  return report.equal() && report.sharded.checks.passed();
}

std::string difference_text(const CheckReport& report) {
  std::string text = comparison_text(report);
  for (const simulation::FailedCheck& failed : report.sharded.checks.failed) {
    text += fmt::format("{}: on device {}: {}\n", failed.location.text(), failed.device,
                        failed.message);
  }
  return text;
}

/// Returns the kind of an error: its code, or its message without numbers and names.
std::string kind_of(const Error& error) {
  if (!error.code.empty()) return std::string(error.code);
  std::string kind;
  char quote = '\0';
  for (const char c : error.message) {
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c < '0' || c > '9') {
      kind += c;
    }
  }
  return kind;
}

/// Checks programs one after the other against the results of the unsharded run.
class Sweep {
 public:
  Sweep(const Module& program, const Tensors& inputs, const CaseSweepOptions& options,
        const Context& context)
      : program_(program), inputs_(inputs), options_(options), context_(context) {}

  Result<SweepReport> run() {
    const CheckOptions& check = options_.check;
    SHARDY_TRY_STATUS(expect_one_program());
    SHARDY_TRY(reference_, run_unsharded(program_, inputs_, check, context_));
    if (!reference_.checks.passed()) {
      const simulation::FailedCheck& first = reference_.checks.failed.front();
      return fail_at(first.location, "fails unsharded: " + first.message);
    }
    if (check.exact) exact_.emplace(program_, inputs_, NumberDomain::Exact, check, context_);
    if (check.wide && gains_by_width(program_)) {
      wide_.emplace(program_, inputs_, NumberDomain::Wide, check, context_);
    }
    for (int64_t index = 0; index < options_.cases && report_.passed(); ++index) {
      if (!run_case(options_.seed + static_cast<uint64_t>(index))) {
        report_.stopped = true;
        break;
      }
      ++report_.cases;
      if (options_.progress && !options_.progress(report_)) {
        report_.stopped = index + 1 < options_.cases;
        break;
      }
    }
    return std::move(report_);
  }

 private:
  /// Returns an error for a program that depends on its process id, because it is already
  /// partitioned.
  Status expect_one_program() const {
    for (const ir::OpId op : ir::pre_order(program_)) {
      if (!program_.is(op, ir::OpKind::InterpreterRunParallel)) continue;
      return fail_at(program_.source_location(op), "the program is already a per-device program");
    }
    return {};
  }

  CheckOptions options_of(uint64_t seed) const {
    CheckOptions check = options_.check;
    check.run.kernels.fill = seed % 2 == 0 ? Fill::Poison : Fill::OtherPoison;
    return check;
  }

  /// Runs a case. Returns false if the case was cancelled; cancelled cases are not counted.
  bool run_case(uint64_t seed) {
    Module sharded = shard_at_random(program_, seed, options_.max_devices);
    const CheckOptions check = options_of(seed);
    auto report = run_sharded(sharded, inputs_, check, context_);
    if (report && report->cancelled) return false;
    if (!report) {
      report_.failure =
          SweepFailure{.seed = seed, .program = {}, .errors = report.error(), .difference = {}};
    } else {
      compare_with(reference_, sharded, check, context_, *report);
      compare_numbers(check, *report);
      if (is_cancelled(check)) return false;
      add_case(report_, *report);
      const std::string wrong = inspected(*report);
      if (wrong.empty() && is_as_unsharded(*report)) return true;
      if (wrong.empty() && is_rounding_choice(sharded, *report, check)) {
        ++report_.num_rounding_choices;
        return true;
      }
      report_.failure = SweepFailure{.seed = seed,
                                     .program = {},
                                     .errors = {},
                                     .difference = difference_text(*report) + wrong};
    }
    report_.failure->program = options_.reduce ? reduced(std::move(sharded)) : std::move(sharded);
    return true;
  }

  std::string inspected(const CheckReport& report) const {
    return options_.inspect ? options_.inspect(report) : std::string();
  }

  /// Compares with the other padding, so that each case is checked with both.
  void compare_numbers(CheckOptions check, CheckReport& report) const {
    Fill& fill = check.run.kernels.fill;
    fill = fill == Fill::Poison ? Fill::OtherPoison : Fill::Poison;
    if (exact_) report.exact = exact_->compare(report.compiled.program, check);
    if (wide_) compare_wide(*wide_, reference_, check, report);
  }

  /// Checks whether a difference is a comparison of floats that differ only by rounding, which
  /// depends on the order of sums. Other inputs avoid such a comparison, but show a fault again.
  /// With a tolerance of the user, all larger differences are reported.
  bool is_rounding_choice(const Module& sharded, const CheckReport& report,
                          CheckOptions check) const {
    const bool numbers_agree = report.exact.done && report.wide.done && report.exact.equal() &&
                               report.wide.equal() && report.sharded.checks.passed();
    if (!numbers_agree || check.tolerance) return false;
    check.exact = false;  // both comparisons were made before
    check.progress = {};
    for (uint64_t other = 1; other <= kOtherInputs; ++other) {
      const auto inputs = random_inputs(program_, options_.seed + other);
      if (!inputs) return false;
      const auto again = checking::check(sharded, *inputs, check, context_);
      if (!again || !is_as_unsharded(*again)) return false;
    }
    return true;
  }

  /// Checks whether a part of the failing program fails in the same way if only the part is
  /// checked: by a difference, or by an error of the same kind.
  bool fails(const Module& part) const {
    const Diagnostics& errors = report_.failure->errors;
    const auto inputs = random_inputs(part, options_.seed);
    if (!inputs) return false;
    const auto report = checking::check(part, *inputs, options_.check, context_);
    if (!report) {
      return !errors.empty() && kind_of(report.error().front()) == kind_of(errors.front());
    }
    return errors.empty() && (!is_as_unsharded(*report) || !inspected(*report).empty());
  }

  /// Reduces the program. If it fails only with the given inputs, these become constants.
  Module reduced(Module sharded) const {
    if (!fails(sharded)) {
      Module fixed = with_inputs(sharded);
      if (!fails(fixed)) return sharded;
      sharded = std::move(fixed);
    }
    ReduceOptions reduction = options_.reduction;
    reduction.compile = options_.check.compile;
    reduction.context = context_;
    return reduce_program(
        sharded, [&](const Module& part) { return fails(part); }, reduction);
  }
  Module with_inputs(Module sharded) const {
    std::vector<ir::Literal> literals;
    for (const simulation::Tensor& input : inputs_) {
      auto literal = ir::Literal::make(input.type(), {input.bytes().begin(), input.bytes().end()});
      if (!literal) return sharded;
      literals.push_back(*std::move(literal));
    }
    fix_arguments(sharded, *sharded.main_function(), literals);
    return sharded;
  }

  const Module& program_;
  const Tensors& inputs_;
  const CaseSweepOptions& options_;
  const Context& context_;
  simulation::GlobalResult reference_;
  std::optional<NumberRuns> exact_;
  std::optional<NumberRuns> wide_;
  SweepReport report_;
};

}  // namespace

void NumberCases::add(const NumberCheck& check) {
  if (check.done) ++cases;
  if (!check.impossible.empty()) impossible = check.impossible;
}

Result<SweepReport> sweep(const Module& program, const Tensors& inputs,
                          const CaseSweepOptions& options, const Context& context) {
  return Sweep(program, inputs, options, context).run();
}

}  // namespace shardy::checking
