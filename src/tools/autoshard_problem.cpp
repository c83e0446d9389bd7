// The command autoshard --problem: finds the cheapest choice of a problem in JSON, or the price of
// a given choice.
#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/autoshard/problem.hpp"
#include "shardy/autoshard/solve.hpp"
#include "support/quantities.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/problem_files.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

using autoshard::CostNetwork;
using autoshard::kForbidden;
using autoshard::kUnlimited;
using autoshard::NetworkSolution;
using autoshard::SolveStatus;

namespace {

constexpr double kPercent = 100;

std::string limit_text(const CostNetwork& network) {
  return network.limit == kUnlimited ? "" : fmt::format(" of {}", grouped(network.limit));
}

std::string solution_text(const CostNetwork& network, const NetworkSolution& found, bool is_given) {
  const auto row = [](const char* name, const std::string& value) {
    return fmt::format("{:<24}{}\n", name, value);
  };
  std::string out = row("nodes", grouped(network.num_nodes()));
  if (found.choice.empty()) {
    return out + row("price", fmt::format("none within {}; {}", grouped(network.limit),
                                          to_string(found.status)));
  }
  out += row("price", grouped(found.price_fs));
  if (!is_given) {
    out += row("bound", fmt::format("{}; {}, gap {:.2f} %", grouped(found.bound_fs),
                                    to_string(found.status), kPercent * gap_of(found)));
  }
  out += row("peak", grouped(found.peak_bytes) + limit_text(network));
  return out + "\n" + autoshard::write_choice(found.choice) + "\n";
}

std::string solution_json(const CostNetwork& network, const NetworkSolution& found,
                          const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "autoshard_problem");
  add(out, "nodes", network.num_nodes(), "status", to_string(found.status), "found",
      !found.choice.empty(), "price", found.choice.empty() ? 0 : found.price_fs, "bound",
      found.bound_fs, "gap", gap_of(found), "peak", found.peak_bytes, "sweeps", found.sweeps,
      "choice", found.choice, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

/// Reads the problem, and sets `source` to its text, to which errors refer.
Result<CostNetwork> read_network(const CommandOptions& options, Source& source) {
  SHARDY_TRY(source.text, read_file(source.path));
  SHARDY_TRY(CostNetwork network, autoshard::read_problem(source.text));
  if (options.autoshard.memory) network.limit = *options.autoshard.memory;
  return network;
}

/// Searches the cheapest choice. Ctrl-C ends the search with the best choice so far.
Result<NetworkSolution> search(const CostNetwork& network, int64_t effort) {
  const InterruptGuard guard;
  Progress progress;
  autoshard::SolveOptions solving{.effort = effort, .stop = guard.token()};
  solving.on_progress = [&](const autoshard::SolveProgress& at) {
    const bool has_choice = at.price_fs < autoshard::kNoPrice;
    progress.stage(fmt::format("sweep {}: best {}, bound {}", grouped(at.sweeps),
                               has_choice ? grouped(at.price_fs) : "none yet",
                               grouped(at.bound_fs)));
  };
  progress.stage("reading the problem");
  return autoshard::solve(network, solving);
}

/// Returns the prices of the choice in a file.
Result<NetworkSolution> given_solution(const CostNetwork& network, const std::string& path) {
  SHARDY_TRY(const std::vector<int32_t> choice, read_solution(path, network));
  NetworkSolution given;
  given.price_fs = autoshard::price_of(network, choice);
  if (given.price_fs >= kForbidden) return fail(path + ": the choice is forbidden");
  given.peak_bytes = autoshard::peak_of(network, choice).bytes;
  given.choice = choice;
  given.status = SolveStatus::Bounded;
  return given;
}

}  // namespace

double gap_of(const NetworkSolution& found) {
  if (found.choice.empty() || found.price_fs <= 0) return 0;
  return static_cast<double>(found.price_fs - found.bound_fs) / static_cast<double>(found.price_fs);
}

Result<std::vector<int32_t>> read_solution(const std::string& path, const CostNetwork& network) {
  SHARDY_TRY(const std::string text, read_file(path));
  auto choice = autoshard::read_choice(text, network);
  if (choice) return choice;
  Error error = with_prefix(path + ":" + choice.error().location.text() + ": ", choice.error());
  error.location = {};
  return tl::unexpected(std::move(error));
}

Status export_problem(const ProblemFiles& files, const CostNetwork& network) {
  if (!files.export_problem.empty()) {
    SHARDY_TRY_STATUS(write_file(files.export_problem, autoshard::write_problem(network)));
  }
  if (files.export_lp.empty()) return {};
  SHARDY_TRY(const std::string text, autoshard::write_lp(network));
  return write_file(files.export_lp, text);
}

int problem_command(const CommandOptions& options) {
  Source source{options.problem.problem};
  Reporter reporter(source, options.json);
  const auto network = read_network(options, source);
  if (!network) return reporter.refuse({network.error()});
  if (const Status done = export_problem(options.problem, *network); !done) {
    return reporter.refuse({done.error()});
  }
  const bool is_given = !options.problem.solution.empty();
  const auto found = is_given ? given_solution(*network, options.problem.solution)
                              : search(*network, options.autoshard.effort);
  if (!found) return reporter.refuse({found.error()});
  print_text(stdout, options.json ? solution_json(*network, *found, reporter.diagnostics())
                                  : solution_text(*network, *found, is_given));
  if (options.output != "-" && !found->choice.empty()) {
    const std::string text = autoshard::write_choice(found->choice) + "\n";
    if (const Status done = write_file(options.output, text); !done) {
      return reporter.refuse({done.error()});
    }
  }
  const bool fits = !found->choice.empty() && found->peak_bytes <= network->limit;
  return fits ? kDone : kFailed;
}

}  // namespace shardy::tools
