// Text of the outcome of a check.
#include <fmt/format.h>

#include <string>

#include "checking/check_steps.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

namespace {

/// More than this part of a result may be lost without notice.
constexpr double kLoose = 0.05;

std::string mismatch_text(const ResultCheck& result) {
  return fmt::format("{} elements differ, the first at position {}\n", result.difference.mismatches,
                     *result.difference.first_mismatch);
}

std::string result_text(std::size_t index, const ResultCheck& result) {
  const std::string text =
      fmt::format("result {}: {} (largest difference {:.3g}, allowed {:.3g})\n", index,
                  result.equal() ? "equal" : "DIFFERENT", result.difference.largest,
                  result.tolerance.allowed(result.difference.magnitude));
  return result.equal() ? text : text + "  " + mismatch_text(result);
}

/// The bound is so wide that other comparisons must decide.
std::string looseness_text(const CheckReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    const ResultCheck& result = report.results[index];
    const double magnitude = result.difference.magnitude;
    const double allowed = result.tolerance.allowed(magnitude);
    if (magnitude == 0 || allowed < kLoose * magnitude) continue;
    text += fmt::format("result {}: the bound is loose: {:.2g} of the largest element{}\n", index,
                        allowed / magnitude, report.wide.done ? "; the run in f64 tells more" : "");
  }
  return text;
}

std::string accuracy_text(const NumberCheck& wide) {
  std::string text;
  for (std::size_t index = 0; index < wide.accuracy.size(); ++index) {
    const Accuracy& accuracy = wide.accuracy[index];
    text += fmt::format("result {}: error {:.2g} sharded, {:.2g} unsharded, relative to f64\n",
                        index, accuracy.sharded, accuracy.unsharded);
  }
  return text;
}

std::string number_text(std::string_view name, const NumberCheck& check) {
  if (!check.impossible.empty()) return fmt::format("{}: not done: {}\n", name, check.impossible);
  if (!check.done) return {};
  if (check.equal()) return fmt::format("{}: equal\n", name);
  if (!check.failure.empty()) return fmt::format("{}: DIFFERENT: {}\n", name, check.failure);
  std::string text = fmt::format("{}: DIFFERENT\n", name);
  for (std::size_t index = 0; index < check.results.size(); ++index) {
    const ResultCheck& result = check.results[index];
    if (!result.equal()) text += fmt::format("  result {}: {}", index, mismatch_text(result));
  }
  return text;
}

std::string reducer_names() {
  std::string names;
  for (const ir::OpKind kind : ir::kReducers) {
    names.append(names.empty() ? "" : ", ").append(ir::info(kind).name);
  }
  return names;
}

std::string reducer_text(const CheckReport& report) {
  if (report.equal()) return {};
  std::string text;
  for (const Diagnostic& note : open_reducers(report.compiled.propagated)) {
    text += note.headline() + "\n";
  }
  return text;
}

/// The count of values that a region of the op reduces; 0 for ops that reduce none.
std::size_t num_reduced(const ir::Module& module, ir::OpId op) {
  switch (module.kind(op)) {
    case ir::OpKind::AllReduce:
    case ir::OpKind::Reduce:
    case ir::OpKind::ReduceScatter:
    case ir::OpKind::ReduceWindow:
    case ir::OpKind::Scatter:
      return module.num_results(op);
    default:
      return 0;
  }
}

}  // namespace

Diagnostics open_reducers(const ir::Module& module) {
  Diagnostics notes;
  for (const ir::OpId op : ir::pre_order(module)) {
    const std::size_t count = num_reduced(module, op);
    if (count == 0 || ir::recognized_reducers(module, op, count)) continue;
    notes.push_back({.message = fmt::format(
                         "{}: the reducer is not known to be a monoid ({}); if it is not "
                         "associative and commutative with the initial value as its identity, "
                         "StableHLO leaves the result open, and both runs are right",
                         module.name(op), reducer_names()),
                     .location = module.location_text(op),
                     .severity = Severity::Note});
  }
  return notes;
}

std::string comparison_text(const CheckReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    text += result_text(index, report.results[index]);
  }
  return text + looseness_text(report) + accuracy_text(report.wide) +
         number_text("in f64", report.wide) +
         number_text("exactly, over a prime field", report.exact) + reducer_text(report);
}

}  // namespace shardy::checking
