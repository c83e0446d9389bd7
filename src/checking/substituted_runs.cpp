#include "checking/substituted_runs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "checking/check_steps.hpp"
#include "checking/ir_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/contract.hpp"

namespace shardy::checking {

using simulation::Tensor;
using simulation::Tensors;

namespace {

/// The limit of iterations. A loop that waits for a float to become small may not end with
/// substituted numbers.
constexpr int64_t kMaxIterations = int64_t{1} << 16U;

/// The allowed ratio of the difference of results to their measured rounding errors.
constexpr double kErrorMultiple = 2;

/// The allowed ratio of the errors of the sharded and of the unsharded run if terms cancel and the
/// sum is small compared with the rounding of the terms.
constexpr double kCancelledMultiple = 8;

Result<Tensor> input_with(const Tensor& input, NumberDomain numbers, uint64_t seed) {
  return numbers == NumberDomain::Exact ? exact_input(input, seed) : with_numbers(input, numbers);
}

/// Checks whether the run reached a limit. Its results are then unknown.
bool is_limit(const Error& error) {
  return error.code == "E_STEP_LIMIT" || error.code == "E_MEMORY_LIMIT" ||
         error.code == "E_CANCELLED";
}

/// Checks whether the type cannot represent kErrorMultiple times the number.
bool is_near_end(double magnitude, ir::ElementType element) {
  const double more = kErrorMultiple * magnitude;
  const double held = ir::decode_double(ir::encode(more, element), element);
  return std::isfinite(more) && (!std::isfinite(held) || held < magnitude);
}

/// Returns the largest |got - want| of finite elements, divided by the largest |want|.
double relative_error(const Tensor& got, const Tensor& want) {
  const double error = largest_error(got, want);
  const double scale = largest_magnitude(want);
  return error == 0 ? 0 : error / (scale == 0 ? 1 : scale);
}

}  // namespace

namespace {

/// The ops of the main function on which each result depends, with all ops in their regions. Ops of
/// other functions count for all results.
class Dependences {
 public:
  explicit Dependences(const Module& program) : program_(program), main_(*program.main_function()) {
    for (const ir::ValueId value : program.returned_values(main_)) {
      std::vector<bool> needed(program.num_values());
      needed[value.index()] = true;
      std::vector<ir::OpId> ops;
      for (const ir::OpId op : program.ops(program.entry(main_))) ops.push_back(op);
      std::ranges::reverse(ops);
      for (const ir::OpId op : ops) {
        if (has_needed_result(op, needed)) mark_operands(op, needed);
      }
      needed_.push_back(std::move(needed));
    }
  }

  bool has(std::size_t result, ir::OpId op) const {
    ir::OpId around = op;
    while (program_.parent_block(around) != program_.entry(main_)) {
      around = program_.parent_op(around);
      if (!around.valid() || program_.is(around, ir::OpKind::Func)) return true;
    }
    return has_needed_result(around, needed_[result]);
  }

 private:
  bool has_needed_result(ir::OpId op, const std::vector<bool>& needed) const {
    return std::ranges::any_of(program_.results(op),
                               [&](ir::ValueId value) { return needed[value.index()]; });
  }
  void mark_operands(ir::OpId op, std::vector<bool>& needed) const {
    for (const ir::ValueId operand : program_.operands(op)) needed[operand.index()] = true;
    for (const ir::RegionId region : program_.regions(op)) {
      for (const ir::BlockId block : program_.blocks(region)) {
        for (const ir::OpId inner : ir::pre_order(program_, block)) {
          for (const ir::ValueId operand : program_.operands(inner)) needed[operand.index()] = true;
        }
      }
    }
  }

  const Module& program_;
  ir::OpId main_;
  std::vector<std::vector<bool>> needed_;  // by result, then value
};

}  // namespace

namespace {

/// Checks whether all devices have a shard without padding.
bool is_divided_evenly(const simulation::WholeValue& value, int64_t num_devices) {
  if (!value.sharding) return true;
  const TensorSharding& sharding = *value.sharding;
  if (sharding.mesh().is_maximal() || sharding.mesh().num_devices() != num_devices) return false;
  if (sharding.rank() != value.type.dims().size()) return false;
  for (std::size_t dim = 0; dim < value.type.dims().size(); ++dim) {
    if (value.type.dim(dim) % sharding.dim(dim).sharded_size() != 0) return false;
  }
  return true;
}

}  // namespace

bool has_undefined_elements(const Module& program) {
  const std::optional<ir::OpId> main = program.main_function();
  if (!main) return true;
  const int64_t num_devices = simulation::num_devices(program, *main);
  const auto is_even = [&](const simulation::WholeValue& value) {
    return is_divided_evenly(value, num_devices);
  };
  if (!std::ranges::all_of(simulation::whole_arguments(program, *main), is_even)) return true;
  for (std::size_t index = 0; index < program.num_ops(); ++index) {
    const ir::OpId op(static_cast<uint32_t>(index));
    if (!program.is_erased(op) && program.is(op, ir::OpKind::SpmdUndef)) return true;
  }
  return false;
}

NumberRuns::NumberRuns(const Module& module, const Tensors& inputs, NumberDomain numbers,
                       const CheckOptions& options, Context context)
    : numbers_(numbers), context_(std::move(context)) {
  int64_t& iterations = context_.runs.limits.max_iterations;
  if (numbers == NumberDomain::Exact) iterations = std::min(iterations, kMaxIterations);
  if (const Status status = run(module, inputs, options); !status) {
    impossible_ = status.error().message;
  }
}

Status NumberRuns::run(const Module& module, const Tensors& inputs, const CheckOptions& options) {
  SHARDY_TRY(const Module with, with_numbers(module, numbers_));
  const std::optional<ir::OpId> main = with.main_function();
  if (!main) return fail("the program has no main function to run");
  main_ = with.symbol_name(*main);
  uint64_t seed = options.run.kernels.seed.value_or(0);
  for (const Tensor& input : inputs) {
    SHARDY_TRY(Tensor made, input_with(input, numbers_, ++seed));
    inputs_.push_back(std::move(made));
  }
  CheckOptions printing = options;
  printing.run.print = printer(with, seen_);
  SHARDY_TRY(simulation::GlobalResult reference, run_unsharded(with, inputs_, printing, context_));
  reference_ = std::move(reference.outputs);
  tolerances_.resize(reference_.size());
  if (numbers_ == NumberDomain::Wide) {
    tolerances_ = result_tolerances(with, *main, context_.ops.rules);
  }
  return {};
}

simulation::Printer NumberRuns::printer(const Module& module, CheckOperands& seen) {
  return [&module, &seen](ir::OpId op, const Tensor& value) {
    seen[module.location_text(op)].push_back(value);
  };
}

/// Checks for each op that the values of each device occur in the unsharded run at the same op. In
/// a loop, an op may have many values. Returns the first difference; empty if none exists.
std::string NumberRuns::unseen_before(const CheckOperands& seen) const {
  for (const auto& [place, expected] : seen_) {
    const auto found = seen.find(place);
    if (found == seen.end()) return place + ": no value is checked here";
    const auto among = [](const Tensors& values, const Tensors& others) {
      return std::ranges::all_of(values, [&](const Tensor& value) {
        return std::ranges::find(others, value) != others.end();
      });
    };
    if (!among(found->second, expected) || !among(expected, found->second)) {
      return place + ": other values are checked here than by the unsharded run";
    }
  }
  return {};
}

NumberCheck NumberRuns::compare(const Module& program, const CheckOptions& options,
                                Tensors* outputs) const {
  if (!impossible_.empty()) return {.impossible = impossible_};
  const auto with = with_numbers(program, numbers_);
  if (!with) return {.impossible = with.error().message};
  simulation::RunOptions unobserved = options.run;
  unobserved.observer = {};
  CheckOperands seen;
  unobserved.print = printer(*with, seen);
  const auto sharded = simulation::run_global(*with, main_, inputs_, unobserved, context_.runs);
  if (!sharded && is_limit(sharded.error())) return {.impossible = sharded.error().message};
  if (!sharded) return {.done = true, .failure = sharded.error().headline()};
  NumberCheck check{.done = true};
  if (numbers_ == NumberDomain::Exact) check.failure = unseen_before(seen);
  for (std::size_t index = 0; index < reference_.size(); ++index) {
    check.results.push_back(
        {tolerances_[index],
         checking::compare(sharded->outputs[index], reference_[index], tolerances_[index])});
  }
  if (outputs != nullptr) *outputs = sharded->outputs;
  return check;
}

void NumberRuns::allow_cancellation(const Tensors& sharded_wide, const Tensors& unsharded,
                                    const std::vector<ResultCheck>& narrow,
                                    NumberCheck& check) const {
  for (std::size_t index = 0; index < sharded_wide.size(); ++index) {
    const double coarse = narrow[index].tolerance.relative;
    if (coarse == 0) continue;
    ResultCheck& result = check.results[index];
    const double finer = result.tolerance.relative / coarse;
    const double error = largest_error(unsharded[index], reference_[index]);
    result.tolerance.least = kCancelledMultiple * error * finer;
    result.difference = checking::compare(sharded_wide[index], reference_[index], result.tolerance);
  }
}

void NumberRuns::tighten(const Tensors& sharded, const Tensors& sharded_wide,
                         const Tensors& unsharded, std::vector<ResultCheck>& results) const {
  for (std::size_t index = 0; index < sharded_wide.size(); ++index) {
    ResultCheck& result = results[index];
    if (result.tolerance.relative == 0) continue;
    const double error = largest_error(unsharded[index], reference_[index]);
    const double rounding = largest_error(sharded[index], sharded_wide[index]) + error;
    const double in_f64 = tolerances_[index].allowed(largest_magnitude(reference_[index]));
    result.tolerance.absolute = kErrorMultiple * rounding + in_f64;
    result.tolerance.least = kCancelledMultiple * error;
    result.difference = checking::compare(sharded[index], unsharded[index], result.tolerance);
  }
}

std::vector<FloatTerms> NumberRuns::terms(const Module& program,
                                          const CheckOptions& options) const {
  std::vector<FloatTerms> terms(reference_.size());
  const auto with = with_numbers(program, numbers_);
  if (!with || !impossible_.empty()) return terms;
  const Dependences dependences(program);
  const auto add = [&](ir::OpId op, ir::ValueId value, const Tensor& wide) {
    const ir::Type& type = program.type(value);
    if (!type.is_static_tensor() || !ir::is_float(type.element())) return;
    const double largest = largest_magnitude(wide);
    for (std::size_t result = 0; result < terms.size(); ++result) {
      if (!dependences.has(result, op)) continue;
      terms[result].largest = std::max(terms[result].largest, largest);
      terms[result].near_end = terms[result].near_end || is_near_end(largest, type.element());
    }
  };
  simulation::RunOptions observed = options.run;
  observed.observer = [&](const simulation::OpEvent& event) {
    if (event.op.index() >= program.num_ops()) return;
    const std::size_t num_operands =
        std::min(event.operands.size(), program.num_operands(event.op));
    for (std::size_t index = 0; index < num_operands; ++index) {
      add(event.op, program.operand(event.op, index), event.operands[index]);
    }
    for (std::size_t index = 0; index < event.results.size(); ++index) {
      add(event.op, program.result(event.op, index), event.results[index]);
    }
  };
  static_cast<void>(simulation::run_global(*with, main_, inputs_, observed, context_.runs));
  return terms;
}

void NumberRuns::add_accuracy(const Tensors& sharded, const Tensors& unsharded,
                              NumberCheck& check) const {
  if (!check.done) return;
  for (std::size_t index = 0; index < reference_.size(); ++index) {
    check.accuracy.push_back({relative_error(sharded[index], reference_[index]),
                              relative_error(unsharded[index], reference_[index])});
  }
}

// ---- Runs beside the caller's runs --------------------------------------------------------------

RunsAhead::RunsAhead(std::vector<Run> runs, int64_t num_workers, std::stop_token cancel)
    : on_cancel_(std::move(cancel), [this] { stop_.request_stop(); }) {
  for (Run& run : runs) {
    tasks_.emplace_back([run = std::move(run), stop = stop_.get_token()] { return run(stop); });
    results_.push_back(tasks_.back().get_future());
  }
  const bool has_cores =
      num_workers == 0 ? std::thread::hardware_concurrency() > 1 : num_workers > 1;
  if (!has_cores || tasks_.empty()) return;
  thread_ = std::jthread([this, handler = ContractScope::handler()] {
    const ContractScope scope(handler);
    for (auto& task : tasks_) task();
  });
}

NumberRuns RunsAhead::take() {
  SHARDY_EXPECTS(num_taken_ < tasks_.size());
  if (!thread_.joinable()) tasks_[num_taken_]();
  return results_[num_taken_++].get();
}

}  // namespace shardy::checking
