// Computes the prices of annotated programs.
#include "autoshard/program_pricer.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "autoshard/program_ops.hpp"
#include "report/pricing.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/hash.hpp"

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

std::size_t hash_of_sharding(const std::optional<TensorSharding>& sharding) {
  return sharding ? std::hash<TensorSharding>()(*sharding) : 0;
}

/// Computes the digest of a propagated program whose source has `num_ops` op ids.
ShardingDigest digest_of(const ir::Module& program, std::size_t num_ops) {
  ShardingDigest digest(num_ops, 0);
  const ir::OpId main = *program.main_function();
  for (uint32_t index = 0; index < program.arg_types(main).size(); ++index) {
    digest.push_back(hash_of_sharding(ir::arg_sharding(program, main, index)));
  }
  for (uint32_t index = 0; index < program.function(main).result_types.size(); ++index) {
    digest.push_back(hash_of_sharding(ir::result_sharding(program, main, index)));
  }
  const auto hash_of_values = [&](std::size_t hash, const std::vector<ir::ValueId>& values) {
    for (const ir::ValueId value : values) {
      hash = hash_combine(hash, hash_of_sharding(ir::get_sharding(program, value)));
    }
    return hash;
  };
  std::size_t constraints = 0;
  for (const ir::OpId op : ir::pre_order(program)) {
    if (op.index() < num_ops) {
      digest[op.index()] =
          hash_of_values(hash_of_values(1, program.operands(op)), program.results(op));
      continue;
    }
    if (!is_annotation(program, op)) continue;
    const ir::ValueId operand = program.operand(op, 0);
    const std::size_t from = hash_of_values(0, {operand});
    const std::size_t to = hash_of_values(0, program.results(op));
    if (from == to) continue;
    for (const std::size_t part : {std::size_t{operand.index()}, from, to}) {
      constraints = hash_combine(constraints, part);
    }
  }
  digest.push_back(constraints);
  return digest;
}

/// Calls `work` with the numbers below `count`, on several threads. After a stop, skips all numbers
/// but 0. Returns how many were not skipped.
template <class Work>
std::size_t for_each_number(std::size_t count, const AutoshardOptions& options, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto run = [&] {
    for (std::size_t at = next++; at < count; at = next++) {
      if (at > 0 && options.stop.stop_requested()) return;
      work(at);
      ++done;
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t threads = report::threads_for(options.num_threads, count);
  for (std::size_t each = 1; each < threads; ++each) helpers.emplace_back(run);
  run();
  helpers.clear();  // joins the threads
  return done;
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

std::optional<checking::PropagatedProgram> ProgramPricer::propagated(
    std::span<const SourceChange> changes) const {
  ir::Module module = searched_;
  apply_changes(module, changes);
  auto program = checking::propagate_program(module, options_.compile, context_, true);
  if (!program) return std::nullopt;
  return *std::move(program);
}

bool ProgramPricer::holds_ties(const ir::Module& program) const {
  return std::ranges::all_of(ties_, [&](const ModelTie& tie) { return holds(program, tie); });
}

std::optional<ProgramPrice> ProgramPricer::lowered(checking::PropagatedProgram program) const {
  const auto compiled =
      checking::lower_program(std::move(program), options_.compile, context_, {&plans_});
  if (!compiled) return std::nullopt;
  return price_of(*compiled);
}

std::vector<std::optional<ProgramPrice>> ProgramPricer::price_all(
    std::span<const std::vector<SourceChange>> lists, bool is_exact) {
  std::vector<std::optional<ProgramPrice>> prices;
  for (const PricedChanges& each : price_each(lists, is_exact)) prices.push_back(each.price);
  return prices;
}

/// Lowers the programs with the given numbers, and remembers their prices.
void ProgramPricer::lower_all(std::span<const std::size_t> numbers,
                              std::vector<DigestedProgram>& programs,
                              std::vector<std::optional<ProgramPrice>>& prices) {
  num_programs_ += for_each_number(numbers.size(), options_, [&](std::size_t at) {
    prices[numbers[at]] = lowered(*std::move(programs[numbers[at]].program));
  });
  for (const std::size_t number : numbers) {
    if (!prices[number] && options_.stop.stop_requested()) continue;
    if (!prices[number]) ++num_refused_;
    known_[programs[number].digest] = prices[number];
  }
}

std::vector<PricedChanges> ProgramPricer::price_each(
    std::span<const std::vector<SourceChange>> lists, bool is_exact) {
  std::vector<DigestedProgram> programs(lists.size());
  std::vector<std::optional<ProgramPrice>> prices(lists.size());
  const std::size_t done = for_each_number(lists.size(), options_, [&](std::size_t at) {
    auto program = propagated(lists[at]);
    if (!program || !holds_ties(program->module)) return;
    programs[at].digest = digest_of(program->module, searched_.num_ops());
    programs[at].program = std::move(program);
  });
  std::map<ShardingDigest, std::size_t> first;
  std::vector<std::size_t> asked;
  std::size_t refused = done;
  for (std::size_t at = 0; at < lists.size(); ++at) {
    if (!programs[at].program) continue;
    --refused;
    const auto known = known_.find(programs[at].digest);
    const bool is_known = !is_exact && known != known_.end();
    programs[at].first = first.try_emplace(programs[at].digest, at).first->second;
    if (is_known) prices[at] = known->second;
    if (!is_known && (is_exact || programs[at].first == at)) asked.push_back(at);
  }
  num_programs_ += refused;
  num_refused_ += refused;
  lower_all(asked, programs, prices);
  std::vector<PricedChanges> priced;
  priced.reserve(lists.size());
  for (std::size_t at = 0; at < lists.size(); ++at) {
    DigestedProgram& program = programs[at];
    const std::size_t from = program.digest.empty() || is_exact ? at : program.first;
    priced.push_back({prices[from], std::move(program.digest)});
  }
  return priced;
}

std::vector<std::optional<ShardingDigest>> ProgramPricer::digest_all(
    std::span<const std::vector<SourceChange>> lists) {
  std::vector<std::optional<ShardingDigest>> digests(lists.size());
  for_each_number(lists.size(), options_, [&](std::size_t at) {
    const auto program = propagated(lists[at]);
    if (program) digests[at] = digest_of(program->module, searched_.num_ops());
  });
  return digests;
}

}  // namespace shardy::autoshard
