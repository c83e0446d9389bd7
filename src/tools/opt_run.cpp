#include "tools/opt_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "shardy/ir/verify.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

using Clock = std::chrono::steady_clock;

text::MlirPrintOptions print_options(const OptOptions& options) {
  return {.generic = options.generic || options.properties,
          .properties = options.properties,
          .locations = options.locations};
}

/// The plan up to the limit.
std::vector<passes::PlannedPass> planned_passes(const passes::PassRegistry& registry,
                                                const OptOptions& options) {
  auto planned = passes::plan_passes(registry, options.passes);
  SHARDY_ASSERT(planned.has_value());
  if (!planned) return {};
  if (options.bisect_limit && planned->size() > *options.bisect_limit) {
    planned->resize(*options.bisect_limit);
  }
  return *std::move(planned);
}

}  // namespace

OptRun::OptRun(const passes::PassRegistry& registry, const OptOptions& options)
    : options_(options), planned_(planned_passes(registry, options)) {}

tl::expected<ir::Module, Diagnostics> OptRun::read(std::string_view text, Format format) const {
  if (format == Format::Json) return text::parse_json(text);
  return text::parse_mlir(text, {.allow_unregistered = options_.allow_unregistered});
}

OptResult OptRun::run(std::string_view text, Format format) {
  OptResult result;
  const Clock::time_point begin = Clock::now();
  auto module = read(text, format);
  add_time("Parser", begin);
  if (!module) {
    result.said = std::move(module).error();
    result.num_of_input = result.said.size();
    result.has_failed = true;
    return result;
  }
  passes::PassErrors errors = run_passes(*module, result);
  if (!errors.empty()) {
    std::ranges::move(errors, std::back_inserter(result.said));
    result.has_failed = true;
    return result;
  }
  const Clock::time_point printing = Clock::now();
  result.output = print(*module, format);
  add_time("Output", printing);
  return result;
}

passes::PassErrors OptRun::run_passes(ir::Module& module, OptResult& result) {
  passes::PipelineHooks hooks;
  hooks.rules = &options_.context.ops.rules;
  hooks.parts = &options_.context.parts;
  Clock::time_point begin;
  hooks.sinks.diagnose = [&](const Diagnostic& each) { result.said.push_back(each); };
  hooks.sinks.save = [](const std::string& path, const ir::Module& saved) {
    return write_file(path, text::to_mlir(saved));
  };
  hooks.before = [&](const passes::Pass&, const ir::Module&) { begin = Clock::now(); };
  hooks.after = [&](const passes::Pass& pass, const ir::Module& changed) {
    add_time(pass.name, begin);
    return after_pass(pass, changed);
  };
  return passes::run_passes(module, planned_, hooks);
}

passes::PassErrors OptRun::after_pass(const passes::Pass& pass, const ir::Module& module) {
  ++num_dumps_;
  const bool prints = options_.print_after_all || !options_.dump_dir.empty();
  const std::string text = prints ? text::to_mlir(module, print_options(options_)) : "";
  if (options_.print_after_all) {
    print_text(stderr,
               fmt::format("// -----// IR Dump After {} //----- //\n{}\n\n", pass.name, text));
  }
  if (!options_.dump_dir.empty()) {
    const std::string path =
        fmt::format("{}/{:02}.{}.mlir", options_.dump_dir, num_dumps_, pass.name);
    const Status written = write_file(path, text);
    if (!written) return {written.error()};
  }
  if (!options_.verify_each) return {};
  const Clock::time_point begin = Clock::now();
  passes::PassErrors errors = ir::verify(module);
  add_time("Verifier", begin);
  for (Error& error : errors) error.notes.push_back("after the pass " + pass.name);
  return errors;
}

std::string OptRun::print(const ir::Module& module, Format format) const {
  const bool is_json = options_.emit.empty()
                           ? format_of(options_.output).value_or(format) == Format::Json
                           : options_.emit == "json";
  const text::MlirPrintOptions options = print_options(options_);
  return is_json && !options.generic ? text::to_json(module) : text::to_mlir(module, options);
}

void OptRun::add_time(std::string name, Clock::time_point begin) {
  times_.emplace_back(std::move(name), Clock::now() - begin);
}

std::string OptRun::timing_table() const {
  constexpr std::string_view kRule =
      "===-------------------------------------------------------------------------===\n";
  Seconds total{0};
  for (const auto& time : times_) total += time.second;
  std::string text = fmt::format(
      "{}                         ... Execution time report ...\n{}  Total Execution Time: {:.4f} "
      "seconds\n\n  ----Wall Time----  ----Name----\n",
      kRule, kRule, total.count());
  const auto add_line = [&](const std::string& name, Seconds time) {
    const double share = total.count() > 0 ? 100 * time.count() / total.count() : 100;
    text += fmt::format("  {:8.4f} ({:5.1f}%)  {}\n", time.count(), share, name);
  };
  for (const auto& time : times_) add_line(time.first, time.second);
  add_line("Total", total);
  return text;
}

}  // namespace shardy::tools
