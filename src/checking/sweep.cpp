// Checking a program under many shardings.
#include "shardy/checking/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/number_runs.hpp"
#include "checking/reduce_ops.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::Module;
using simulation::Fill;
using simulation::Tensors;
using simulation::Traffic;

namespace {

/// Inputs that a program is tried with before rounding is to blame.
constexpr uint64_t kOtherInputs = 3;

/// The most that a device did of each kind.
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

/// Programs that check themselves may have no results.
bool is_as_unsharded(const CheckReport& report) {
  return report.equal() && report.sharded.checks.passed();
}

std::string difference_text(const CheckReport& report) {
  std::string text = comparison_text(report);
  for (const simulation::FailedCheck& failed : report.sharded.checks.failed) {
    text += fmt::format("{}: on device {}: {}\n", failed.location, failed.device, failed.message);
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

/// One program after the other, against results that all of them must have.
class Sweep {
 public:
  Sweep(const Module& program, const Tensors& inputs, const SweepOptions& options,
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
    if (check.exact) exact_.emplace(program_, inputs_, Numbers::Exact, check, context_);
    if (check.wide && gains_by_width(program_)) {
      wide_.emplace(program_, inputs_, Numbers::Wide, check, context_);
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
  /// Refuses programs that depend on their process: they are partitioned already.
  Status expect_one_program() const {
    for (const ir::OpId op : ir::pre_order(program_)) {
      if (!program_.is(op, ir::OpKind::InterpreterRunParallel)) continue;
      return fail_at(program_.location_text(op), "the program is one per process already");
    }
    return {};
  }

  CheckOptions options_of(uint64_t seed) const {
    CheckOptions check = options_.check;
    check.run.kernels.fill = seed % 2 == 0 ? Fill::Poison : Fill::OtherPoison;
    return check;
  }

  /// Returns false for a case that was cancelled: it counts for nothing.
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

  /// With the other poison, so that each case has both.
  void compare_numbers(CheckOptions check, CheckReport& report) const {
    Fill& fill = check.run.kernels.fill;
    fill = fill == Fill::Poison ? Fill::OtherPoison : Fill::Poison;
    if (exact_) report.exact = exact_->compare(report.compiled.program, check);
    if (wide_) compare_wide(*wide_, reference_, check, report);
  }

  /// A comparison of floats that are equal but for rounding goes one way or the other, as the order
  /// of sums has it. Other inputs are not on that edge; a fault would show with them as well. Who
  /// gives a tolerance wants to see what is beyond it.
  bool is_rounding_choice(const Module& sharded, const CheckReport& report,
                          CheckOptions check) const {
    const bool numbers_agree = report.exact.done && report.wide.done && report.exact.equal() &&
                               report.wide.equal() && report.sharded.checks.passed();
    if (!numbers_agree || check.tolerance) return false;
    check.exact = false;  // both have been done
    check.progress = {};
    for (uint64_t other = 1; other <= kOtherInputs; ++other) {
      const auto inputs = random_inputs(program_, options_.seed + other);
      if (!inputs) return false;
      const auto again = checking::check(sharded, *inputs, check, context_);
      if (!again || !is_as_unsharded(*again)) return false;
    }
    return true;
  }

  /// What is wrong with a part of the failing program is what was wrong with all of it: a
  /// difference, or an error of the same kind. It shows as `check` runs the part by itself.
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

  /// A program that needs the inputs that it was given to fail brings them along.
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
  const SweepOptions& options_;
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

Result<SweepReport> sweep(const Module& program, const Tensors& inputs, const SweepOptions& options,
                          const Context& context) {
  return Sweep(program, inputs, options, context).run();
}

}  // namespace shardy::checking
