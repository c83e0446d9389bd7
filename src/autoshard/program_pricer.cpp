// Computes the prices of annotated programs.
#include "autoshard/program_pricer.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "checking/compile_stages.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::autoshard {

namespace {

/// Checks whether a result of a propagated program has the axes of its argument.
bool holds(const ir::Module& module, const ModelTie& tie) {
  const ir::OpId main = *module.main_function();
  const auto argument = ir::arg_sharding(module, main, tie.argument);
  const auto result = ir::result_sharding(module, main, tie.result);
  const auto axes = [](const std::optional<TensorSharding>& sharding, std::size_t dim) {
    return sharding && dim < sharding->rank() ? sharding->dim(dim).axes : AxisList();
  };
  const std::size_t rank = std::max(argument ? argument->rank() : 0, result ? result->rank() : 0);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (axes(argument, dim) != axes(result, dim)) return false;
  }
  return true;
}

}  // namespace

/// Returns the time in which the host transfers a device its part of the arguments.
double ProgramPricer::feed_seconds(const ir::Module& program) const {
  const auto main = program.main_function();
  if (options_.feed_bytes_per_second == 0 || !main) return 0;
  double bytes = 0;
  const auto args = program.args(program.entry(*main));
  for (uint32_t index = 0; index < args.size(); ++index) {
    const ir::Type& type = program.type(args[index]);
    const bool is_tied = std::ranges::find(ties_, index, &ModelTie::argument) != ties_.end();
    const bool is_fed = !is_tied && type.is_static_tensor();
    if (is_fed) bytes += static_cast<double>(type.num_bytes());
  }
  return bytes / options_.feed_bytes_per_second;
}

ProgramPrice ProgramPricer::price_of(const checking::CompiledProgram& compiled) const {
  const report::Cost cost = report::cost_of(report::make_cost_report(compiled, options_.model));
  const double feed = feed_seconds(compiled.program);
  const double run = report::device_time(compiled, options_.model, options_.rates).total();
  return {cost, run + feed, feed};
}

void ProgramPricer::set_base(std::span<const SourceChange> changes) {
  ir::Module module = searched_;
  apply_changes(module, changes);
  auto program = checking::propagate_program(module, options_.compile, context_);
  if (program) base_ = std::move(program->module);
}

std::optional<ProgramPrice> ProgramPricer::price(std::span<const SourceChange> changes) {
  ir::Module module = searched_;
  apply_changes(module, changes);
  auto program = checking::propagate_program(module, options_.compile, context_);
  if (!program) return std::nullopt;
  const auto is_held = [&](const ModelTie& tie) { return holds(program->module, tie); };
  if (!std::ranges::all_of(ties_, is_held)) return std::nullopt;
  std::optional<report::ModuleChanges> differences;
  if (base_) differences.emplace(*base_, program->module);
  if (differences) {
    if (const auto known = known_.find(*differences)) return *known;
  }
  const auto compiled =
      checking::lower_program(*std::move(program), options_.compile, context_, &plans_);
  std::optional<ProgramPrice> found;
  if (compiled) found = price_of(*compiled);
  if (differences) known_.add(*std::move(differences), found);
  return found;
}

std::vector<std::optional<ProgramPrice>> ProgramPricer::price_all(
    std::span<const std::vector<SourceChange>> lists) {
  std::vector<std::optional<ProgramPrice>> prices(lists.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < lists.size(); at = next++) {
      if (at > 0 && options_.stop.stop_requested()) return;
      prices[at] = price(lists[at]);
      ++done;
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t threads = report::threads_for(options_.num_threads, lists.size());
  for (std::size_t count = 1; count < threads; ++count) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins the threads
  num_programs_ += done;
  const auto priced =
      std::ranges::count_if(prices, [](const auto& price) { return price.has_value(); });
  num_refused_ += done - static_cast<std::size_t>(priced);
  return prices;
}

}  // namespace shardy::autoshard
