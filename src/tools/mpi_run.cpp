#include "tools/mpi_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "report/program_analysis.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"
#include "simulation/rank_link.hpp"
#include "tools/files.hpp"
#include "tools/interpret.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

using simulation::DeviceAccount;
using simulation::RankOptions;
using simulation::RankResult;
using simulation::Traffic;

// The summary of a run on several ranks, which rank 0 prints.

namespace {

/// The combined accounts of all ranks.
struct Summary {
  int64_t num_devices = 0;
  int64_t peak_bytes = 0;
  // Per kind of op, the largest count and bytes of a device.
  std::map<std::string, simulation::Traffic> busiest;
  std::vector<simulation::RankTraffic> ranks;
  std::vector<checking::TensorDifference> results;  // empty if results were not compared
  bool resharded_reference = false;                 // the reference is a run under other shardings
  Diagnostics failed_checks;

  bool is_equal() const;
};

bool Summary::is_equal() const {
  return std::ranges::all_of(
      results, [](const checking::TensorDifference& each) { return each.mismatches == 0; });
}

/// Serializes the account of a rank, which is sent to rank 0.
std::vector<std::byte> account_of(const RankResult& result,
                                  const std::vector<checking::TensorDifference>& differences) {
  simulation::ByteWriter out;
  out.number(std::ssize(result.run.devices));
  for (const DeviceAccount& device : result.run.devices) {
    out.number(device.peak_live_bytes).number(std::ssize(device.traffic));
    for (const auto& [kind, traffic] : device.traffic) {
      out.text(ir::info(kind).name).number(traffic.count).number(traffic.bytes_sent);
    }
  }
  out.number(result.traffic.messages_sent).number(result.traffic.bytes_sent);
  out.number(std::ssize(differences));
  for (const checking::TensorDifference& each : differences) {
    out.number(each.mismatches);
    out.number(static_cast<int64_t>(std::bit_cast<uint64_t>(each.largest)));
    out.number(static_cast<int64_t>(std::bit_cast<uint64_t>(each.magnitude)));
  }
  out.number(std::ssize(result.run.checks.failed));
  for (const simulation::FailedCheck& check : result.run.checks.failed) {
    out.number(check.device).text(check.message).text(check.location.text());
  }
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

/// Adds the serialized account of a rank to the summary.
void add_account(std::span<const std::byte> bytes, Summary& summary) {
  simulation::ByteReader in(bytes);
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    ++summary.num_devices;
    summary.peak_bytes = std::max(summary.peak_bytes, in.number());
    for (int64_t kinds = in.count(); kinds > 0 && in.ok(); --kinds) {
      Traffic& most = summary.busiest[in.text()];
      most.count = std::max(most.count, in.number());
      most.bytes_sent = std::max(most.bytes_sent, in.number());
    }
  }
  simulation::RankTraffic& traffic = summary.ranks.emplace_back();
  traffic.messages_sent = in.number();
  traffic.bytes_sent = in.number();
  const int64_t num_results = in.count();
  summary.results.resize(static_cast<std::size_t>(num_results));
  for (checking::TensorDifference& each : summary.results) {
    each.mismatches += in.number();
    const auto number = [&in] { return std::bit_cast<double>(static_cast<uint64_t>(in.number())); };
    each.largest = std::max(each.largest, number());
    each.magnitude = std::max(each.magnitude, number());
  }
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    const std::string device = "on device " + std::to_string(in.number());
    std::string message = in.text();
    summary.failed_checks.push_back({std::move(message), in.text(), {device}});
  }
}

simulation::RankTraffic busiest(const Summary& summary) {
  simulation::RankTraffic most;
  for (const simulation::RankTraffic& each : summary.ranks) {
    most.messages_sent = std::max(most.messages_sent, each.messages_sent);
    most.bytes_sent = std::max(most.bytes_sent, each.bytes_sent);
  }
  return most;
}

/// Returns the summary as text. `compared`: the results were compared with a reference run.
std::string summary_table(const Summary& summary, bool compared) {
  std::string text = summary_row("devices", summary.num_devices) +
                     summary_row("ranks", std::ssize(summary.ranks)) +
                     peak_row(summary.peak_bytes) + traffic_head();
  for (const auto& [kind, traffic] : summary.busiest) {
    text += traffic_row(kind, traffic.count, traffic.bytes_sent);
  }
  const simulation::RankTraffic most = busiest(summary);
  text += fmt::format("{:<24}{:>12}{:>23}\n", "between ranks", "messages", "bytes sent per rank");
  text += traffic_row("busiest rank", most.messages_sent, most.bytes_sent);
  for (std::size_t index = 0; index < summary.results.size(); ++index) {
    const checking::TensorDifference& each = summary.results[index];
    text += fmt::format("result {}: {} (largest difference {:.3g})\n", index,
                        each.mismatches == 0 ? "equal" : "DIFFERENT", each.largest);
  }
  if (compared) {
    text += fmt::format("{} to the {}\n", summary.is_equal() ? "equal" : "NOT EQUAL",
                        summary.resharded_reference ? "run sharded by rows" : "unsharded run");
  }
  return text;
}

std::string summary_json(const Summary& summary, bool compared, const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "mpi_run");
  add(out, "devices", summary.num_devices, "ranks", std::ssize(summary.ranks),
      "peak_bytes_per_device", summary.peak_bytes);
  add_traffic(out, summary.busiest);
  add(out, "between_ranks", summary.ranks);
  if (compared) add(out, "equal", summary.is_equal());
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

/// The time that other ranks wait before they report an error, so that rank 0 reports it and ends
/// the job first.
constexpr auto kOthersWait = std::chrono::milliseconds(500);
/// The time for a launcher to forward the output that it has read; MPI_Abort also ends the
/// launcher.
constexpr auto kLauncherWait = std::chrono::milliseconds(200);

// The text before and after the events of a trace.
constexpr std::string_view kTraceBegin = R"({"displayTimeUnit":"ns","traceEvents":[)"
                                         "\n";
constexpr std::string_view kTraceEnd = "\n]}\n";

/// Checks for errors that other ranks may not have. Such ranks would wait for this one, so the job
/// must be aborted.
bool ends_job(const Error& error) {
  constexpr std::array<std::string_view, 4> kOfRanks = {"E_RANK_LOST", "E_TRANSPORT",
                                                        "E_RANKS_DIFFER", "E_CANCELLED"};
  return error.code.empty() || std::ranges::find(kOfRanks, error.code) != kOfRanks.end();
}

class MpiRun {
 public:
  MpiRun(simulation::MpiSession& session, const CommandOptions& options)
      : session_(session),
        options_(options),
        source_{options.file},
        reporter_(source_, options.json),
        rank_(session.transport().rank()),
        ranks_(session.transport().ranks()) {}

  int run() {
    if (const Status valid = check_options(); !valid) return refuse({valid.error()}, kBadInput);
    if (!read_program() || !compile()) return kBadInput;
    trace_ = std::make_unique<Trace>(options_.max_trace_bytes);
    rank_options_ = rank_options();
    const ir::OpId main = *program_.main_function();
    const int64_t devices = simulation::num_devices(program_, main);
    rank_options_.num_devices = devices;
    if (ranks_ > devices) {
      return refuse({Error{.message = fmt::format("{} ranks for {} devices", ranks_, devices),
                           .notes = {fmt::format("mpirun -n {} at most", devices)}}},
                    kBadInput);
    }
    const auto block = simulation::devices_of_rank(devices, rank_, ranks_);
    auto arguments = read_shards(program_, main, block, options_);
    if (!arguments) return refuse({arguments.error()}, kBadInput);
    auto result =
        simulation::run_on_rank(program_, program_.symbol_name(main), *std::move(arguments),
                                session_.transport(), rank_options_, options_.context.runs);
    if (!result) {
      if (ends_job(result.error())) return refuse({result.error()}, kFailed);
      // All ranks have the same error.
      return rank_ == 0 ? reporter_.refuse({result.error()}, kFailed) : kFailed;
    }
    return print_result(*result);
  }

 private:
  // ---- Before the run ---------------------------------------------------------------------------

  /// Prints an error of this rank and aborts the job.
  int refuse(const Diagnostics& diagnostics, int status) {
    if (rank_ != 0) std::this_thread::sleep_for(kOthersWait);
    Diagnostics with_rank = diagnostics;
    with_rank.front().notes.push_back(fmt::format("reported by rank {} of {}", rank_, ranks_));
    reporter_.refuse(with_rank, status);
    static_cast<void>(finish_output());
    wait_until_read();
    std::this_thread::sleep_for(kLauncherWait);
    session_.abort(status);
    std::_Exit(status);  // if MPI_Abort returns, destructors would wait for the other ranks
  }

  Status check_options() const {
    const bool by_device = std::ranges::any_of(options_.inputs, [](const std::string& path) {
      return path.find("{device}") != std::string::npos;
    });
    if (options_.check_by_rows && by_device) {
      return tl::unexpected(
          Error{.message = "--check-by-rows needs global inputs, which it shards by rows",
                .notes = {"a file per device holds one shard"}});
    }
    const char* const option = options_.reference       ? "--reference"
                               : options_.local_buffers ? "--buffers=local"
                               : options_.split         ? "--split-input-file"
                               : options_.file == "-"   ? "standard input"
                                                        : nullptr;
    if (option == nullptr) return {};
    return fail(std::string(option) + " does not go with --engine=mpi");
  }

  bool read_program() {
    if (const Status read = read_source(source_); !read) {
      refuse({read.error()}, kBadInput);
      return false;
    }
    auto module = parse_source(source_);
    if (!module) {
      refuse(module.error(), kBadInput);
      return false;
    }
    module_ = *std::move(module);
    const auto note = passes::enter_module(module_);
    if (note && rank_ == 0) reporter_.emit({*note});
    if (const auto imported = passes::import_shardings(module_, options_.import_form); !imported) {
      refuse(imported.error(), kBadInput);
      return false;
    }
    if (const auto resized = resize_meshes(module_, options_.devices); !resized) {
      refuse(resized.error(), kBadInput);
      return false;
    }
    if (module_.main_function()) return true;
    refuse({Error{"the program has no main function to run"}}, kBadInput);
    return false;
  }

  bool compile() {
    if (report::is_one_per_device(module_)) {
      if (options_.check_by_rows) {
        refuse({Error{"--check-by-rows needs a global program; a per-device program has no other "
                      "shardings"}},
               kBadInput);
        return false;
      }
      if (const Status valid = check_device_options(options_); !valid) {
        refuse({valid.error()}, kBadInput);
        return false;
      }
      program_ = module_;
      return true;
    }
    auto compiled = checking::compile(module_, options_.stages.compile, options_.context);
    if (!compiled) {
      refuse(compiled.error(), kFailed);
      return false;
    }
    program_ = std::move(compiled->program);
    if (rank_ == 0) reporter_.emit(compiled->diagnostics);
    return !options_.check_by_rows || compile_by_rows();
  }

  /// Compiles the reference program, which is sharded by rows. The main program is run later,
  /// because this compilation may fail.
  bool compile_by_rows() {
    const auto results = simulation::whole_results(program_, *program_.main_function());
    const auto other = checking::sharded_by_rows(module_, results);
    if (!other) {
      refuse({other.error()}, kBadInput);
      return false;
    }
    auto compiled = checking::compile(*other, options_.stages.compile, options_.context);
    if (!compiled) {
      refuse(compiled.error(), kFailed);
      return false;
    }
    resharded_ = std::move(compiled->program);
    return true;
  }

  RankOptions rank_options() {
    RankOptions ranks;
    ranks.run = options_.stages.run;
    if (!options_.trace.empty()) trace_->watch(ranks.run);
    ranks.patience = std::chrono::seconds(std::max<int64_t>(options_.rank_timeout, 1));
    ranks.start_patience = std::max<std::chrono::milliseconds>(6 * ranks.patience, ranks.patience);
    ranks.agreements = {{"the text of the program", simulation::hash_of_text(source_.text)},
                        {"the options", simulation::hash_of_text(options_.flags)},
                        {"the inputs", simulation::hash_of_text(inputs_text())}};
    return ranks;
  }

  /// Returns the seed, and the path and the first 4 KiB of each input file. Ranks compare a hash of
  /// this text.
  std::string inputs_text() const {
    std::string text = std::to_string(options_.stages.run.kernels.seed.value_or(0));
    for (const std::string& path : options_.inputs) {
      const auto header = read_beginning(path, std::size_t{1} << 12);
      text += " " + path + " " + (header ? *header : "");
    }
    return text;
  }

  // ---- After the run ----------------------------------------------------------------------------

  checking::Tolerance asked_for(checking::Tolerance tolerance) const {
    if (options_.stages.tolerance && tolerance.relative > 0) {
      tolerance.relative = *options_.stages.tolerance;
    }
    return tolerance;
  }

  bool compares() const { return options_.stages.compare || options_.check_by_rows; }

  /// Returns the differences to a run on the same devices under other shardings. The tolerance
  /// depends on the largest elements of all ranks, so rank 0 applies it later.
  Result<std::vector<checking::TensorDifference>> differences_to_resharded(
      const RankResult& result) {
    const auto values = simulation::whole_results(program_, *program_.main_function());
    const ir::OpId main = *resharded_.main_function();
    SHARDY_TRY(auto arguments, read_shards(resharded_, main, result.devices, options_));
    RankOptions alone = patient();
    alone.run.observer = {};  // it observes the main run only
    SHARDY_TRY(
        const RankResult reference,
        simulation::run_on_rank(resharded_, resharded_.symbol_name(main), std::move(arguments),
                                session_.transport(), alone, options_.context.runs));
    std::vector<checking::TensorDifference> all;
    for (std::size_t index = 0; index < values.size(); ++index) {
      SHARDY_TRY(auto difference, compare_shards(values[index], result, index, reference));
      all.push_back(difference);
    }
    return all;
  }

  /// Applies tolerances to the comparison with the reference sharded by rows. Both runs round, so
  /// twice the tolerance is allowed.
  void judge_by_rows(Summary& summary) const {
    summary.resharded_reference = true;
    const auto tolerances =
        checking::result_tolerances(module_, *module_.main_function(), options_.context.ops.rules);
    for (std::size_t index = 0; index < summary.results.size(); ++index) {
      checking::TensorDifference& each = summary.results[index];
      const double allowed = 2 * asked_for(tolerances[index]).allowed(each.magnitude);
      if (each.largest <= allowed && allowed > 0) each.mismatches = 0;
    }
  }

  Result<std::vector<checking::TensorDifference>> differences(const RankResult& result) {
    if (options_.check_by_rows) return differences_to_resharded(result);
    if (!options_.stages.compare) return std::vector<checking::TensorDifference>();
    const ir::OpId main = *module_.main_function();
    SHARDY_TRY(const simulation::Tensors inputs, read_arguments(module_, main, options_));
    SHARDY_TRY(const auto reference,
               checking::run_unsharded(module_, inputs, options_.stages, options_.context));
    auto tolerances = checking::result_tolerances(module_, main, options_.context.ops.rules);
    const auto values = simulation::whole_results(program_, *program_.main_function());
    std::vector<checking::TensorDifference> all;
    for (std::size_t index = 0; index < values.size(); ++index) {
      checking::Tolerance tolerance = asked_for(tolerances[index]);
      const simulation::Tensor& whole = reference.outputs[index];
      // The tolerance depends on the largest element of the global value, not of a shard.
      const double allowed = tolerance.allowed(checking::largest_magnitude(whole));
      if (tolerance.relative > 0) tolerance = {std::numeric_limits<double>::min(), allowed};
      SHARDY_TRY(auto difference, compare_shards(values[index], result, index, whole, tolerance));
      all.push_back(difference);
    }
    return all;
  }

  Result<Summary> summarize(const RankResult& result) {
    SHARDY_TRY(const auto compared, differences(result));
    SHARDY_TRY(const auto accounts,
               simulation::gather_on_rank_0(session_.transport(), account_of(result, compared),
                                            patient()));
    Summary summary;
    for (const auto& each : accounts) add_account(each, summary);
    if (options_.check_by_rows) judge_by_rows(summary);
    return summary;
  }

  /// Returns options with a start timeout of one hour, for ranks that wait while others compute a
  /// reference or write files.
  RankOptions patient() const {
    RankOptions options = rank_options_;
    options.start_patience = std::chrono::hours(1);
    return options;
  }

  /// Writes the shards of this rank. Rank 0 creates the folder and its files before any rank
  /// writes.
  Status write_results(const RankResult& result) {
    if (options_.output_dir.empty()) return {};
    const ir::OpId main = *program_.main_function();
    if (rank_ == 0) {
      SHARDY_TRY_STATUS(make_result_files(program_, main, options_));
    }
    if (const auto made = simulation::gather_on_rank_0(session_.transport(), {}, patient());
        !made) {
      return tl::unexpected<Error>(made.error());
    }
    return write_shards(program_, main, result, options_);
  }

  /// Returns the events of this rank as text, without the text around them. Writes and removes a
  /// temporary file.
  Result<std::string> own_events() const {
    const std::string path = fmt::format("{}.rank{}", options_.trace, rank_);
    SHARDY_TRY_STATUS(trace_->write(path, program_));
    auto text = read_file(path);
    std::error_code error;
    std::filesystem::remove(path, error);
    SHARDY_TRY(std::string events, std::move(text));
    const std::size_t begin = std::min(events.find('\n'), events.size() - 1) + 1;
    const std::size_t end = std::max(events.rfind(kTraceEnd), begin);
    return events.substr(begin, end - begin);
  }

  Status write_trace() {
    if (options_.trace.empty()) return {};
    SHARDY_TRY(const std::string own, own_events());
    const std::span<const char> text(own);
    SHARDY_TRY(const auto all,
               simulation::gather_on_rank_0(session_.transport(), std::as_bytes(text), patient()));
    if (rank_ != 0) return {};
    std::string events;
    for (const auto& each : all) {
      if (each.empty()) continue;
      events += events.empty() ? "" : ",\n";
      events.append(reinterpret_cast<const char*>(each.data()), each.size());
    }
    return write_file(options_.trace, std::string(kTraceBegin) + events + std::string(kTraceEnd));
  }

  int print_result(const RankResult& result) {
    if (const Status written = write_results(result); !written) {
      return refuse({written.error()}, kBadInput);
    }
    if (const Status written = write_trace(); !written) {
      return refuse({written.error()}, kBadInput);
    }
    const auto summary = summarize(result);
    if (!summary) return refuse({summary.error()}, kFailed);
    if (rank_ != 0) return kDone;
    reporter_.emit(summary->failed_checks);
    const bool compared = compares();
    print_text(stdout, options_.json ? summary_json(*summary, compared, reporter_.diagnostics())
                                     : summary_table(*summary, compared));
    return summary->is_equal() && summary->failed_checks.empty() ? kDone : kFailed;
  }

  simulation::MpiSession& session_;
  const CommandOptions& options_;
  Source source_;
  Reporter reporter_;
  const int64_t rank_;
  const int64_t ranks_;
  ir::Module module_;
  ir::Module program_;
  ir::Module resharded_;  // the reference sharded by rows; empty if not requested
  std::unique_ptr<Trace> trace_;
  RankOptions rank_options_;
};

}  // namespace

int run_on_mpi(const CommandOptions& options) {
  const auto session = begin_mpi();
  if (!session) {
    print_error(session.error());
    return kBadInput;
  }
  return MpiRun(**session, options).run();
}

}  // namespace shardy::tools
