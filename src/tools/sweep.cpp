#include "tools/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "shardy/resharding/cost_text.hpp"
#include "text/bytes_text.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/numbers.hpp"
#include "tools/output.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/sweep_lines.hpp"

namespace shardy::tools {

namespace {

using report::Strategy;
using report::StrategyResult;

// ---- What there is to sweep ---------------------------------------------------------------------

Error of_file(const std::string& path, Error error) {
  error.message = path + ": " + error.message;
  return error;
}

/// Choices of --set, then those of the file, then random ones.
Result<std::vector<Strategy>> strategies_of(const SweepOrder& order, const ir::Module& module) {
  SHARDY_TRY(std::vector<Strategy> all, report::all_choices(order.set));
  if (!order.strategies.empty()) {
    SHARDY_TRY(const std::string text, read_file(order.strategies));
    SHARDY_TRY(std::vector<Strategy> read, read_strategies(text).map_error([&](Error error) {
      return of_file(order.strategies, std::move(error));
    }));
    std::ranges::move(read, std::back_inserter(all));
  }
  if (order.random > 0) {
    SHARDY_TRY(std::vector<Strategy> random,
               report::random_strategies(module, order.random, order.seed));
    std::ranges::move(random, std::back_inserter(all));
  }
  if (!all.empty()) return all;
  return tl::unexpected(Error{"expected strategies: --set, --strategies or --random",
                              {},
                              {"for example: --set '%arg0=[{\"x\"}, {}]' --set '%arg0=none'"}});
}

// ---- Lines --------------------------------------------------------------------------------------

/// Output of lines, one at a time, so that a sweep can be resumed.
class LineFile {
 public:
  LineFile() = default;
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }

  /// `kept`: bytes of the file that stay.
  Status open(const std::string& path, std::size_t kept) {
    path_ = path;
    if (path == "-") {
      file_ = stdout;
      return {};
    }
    SHARDY_TRY_STATUS(expect_writable(path));
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      std::filesystem::resize_file(path, kept, error);
      if (error) return cannot(error.value());
    }
    file_ = std::fopen(path.c_str(), "ab");
    return file_ != nullptr ? Status() : cannot(errno);
  }

  Status write(const std::string& line) {
    const std::string whole = line + "\n";
    const bool is_written = std::fwrite(whole.data(), 1, whole.size(), file_) == whole.size();
    if (is_written && std::fflush(file_) == 0) return {};
    return cannot(errno);
  }

 private:
  tl::unexpected<Error> cannot(int error) const {
    const std::string where = path_ == "-" ? "standard output" : path_;
    return fail("cannot write " + where + ": " + std::generic_category().message(error));
  }

  std::FILE* file_ = nullptr;
  std::string path_;
};

/// Returns the content of a file of lines; empty without a file.
Result<std::string> lines_so_far(const SweepOrder& order) {
  std::error_code error;
  const bool is_there =
      order.output != "-" && std::filesystem::is_regular_file(order.output, error);
  if (!is_there) {
    if (order.resume && order.output == "-") return fail("--resume goes on with a file: --output");
    return std::string();
  }
  SHARDY_TRY(std::string text, read_file(order.output));
  if (order.resume || text.empty()) return text;
  return tl::unexpected(Error{order.output + " has results already",
                              {},
                              {"--resume goes on with them; to begin anew, remove the file"}});
}

// ---- The sweep ----------------------------------------------------------------------------------

class Sweep {
 public:
  Sweep(const SweepOrder& order, std::vector<Strategy> strategies, std::string sweep)
      : order_(order), strategies_(std::move(strategies)), sweep_(std::move(sweep)) {}

  /// Resumes after the existing lines.
  Status resume() {
    SHARDY_TRY(const std::string text, lines_so_far(order_));
    SHARDY_TRY(auto read, read_lines(text, strategies_, sweep_).map_error([&](Error error) {
      return of_file(order_.output, std::move(error));
    }));
    for (SweptStrategy& each : read) keep(std::move(each));
    first_ = done_.size();
    return lines_.open(order_.output, text.rfind('\n') + 1);  // npos + 1 is 0
  }

  Status run(const ir::Module& module, report::SweepOptions options) {
    const InterruptGuard guard;
    Progress progress;
    begin_ = std::chrono::steady_clock::now();
    options.first = first_;
    Status written;
    options.on_result = [&](const StrategyResult& result) {
      SweptStrategy swept = line_of(result, strategies_[result.index], sweep_);
      written = lines_.write(swept.line);
      keep(std::move(swept));
      progress.stage(progress_text());
      return written && !was_interrupted();
    };
    SHARDY_TRY_STATUS(report::sweep(module, strategies_, options, order_.program.context));
    return written;
  }

  bool is_done() const { return done_.size() == strategies_.size(); }
  std::size_t num_measured() const {
    return static_cast<std::size_t>(std::ranges::count(done_, true, &SweptStrategy::is_measured));
  }
  std::size_t num_wrong() const {
    return static_cast<std::size_t>(std::ranges::count(done_, true, &SweptStrategy::is_wrong));
  }

  /// The fastest first.
  std::vector<const SweptStrategy*> front() const {
    std::vector<const SweptStrategy*> front;
    for (const auto& [seconds, best] : best_) front.push_back(&done_[best]);
    return front;
  }

  std::string summary() const;

 private:
  /// Only lines of the front stay: there may be a million of them.
  void keep(SweptStrategy swept) {
    const std::size_t index = done_.size();
    done_.push_back(std::move(swept));
    if (!is_on_front(done_.back())) {
      done_.back().line = {};
      return;
    }
    const auto at = best_.insert_or_assign(done_.back().seconds, index).first;
    for (auto next = std::next(at); next != best_.end();) {
      if (done_[next->second].peak_bytes < done_.back().peak_bytes) break;
      done_[next->second].line = {};
      next = best_.erase(next);
    }
  }

  /// Returns whether none so far is as fast and as small.
  bool is_on_front(const SweptStrategy& swept) const {
    if (!swept.is_measured || swept.is_wrong) return false;
    const auto slower = best_.upper_bound(swept.seconds);
    return slower == best_.begin() ||
           done_[std::prev(slower)->second].peak_bytes > swept.peak_bytes;
  }

  std::string progress_text() const {
    const std::size_t here = done_.size() - first_;
    const std::size_t left = strategies_.size() - done_.size();
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
    const double seconds_left =
        gone.count() / static_cast<double>(here) * static_cast<double>(left);
    return fmt::format("{} of {} strategies, {:.0f} s left", grouped_size(done_.size()),
                       grouped_size(strategies_.size()), seconds_left);
  }
  static std::string grouped_size(std::size_t count) {
    return grouped(static_cast<int64_t>(count));
  }
  std::string strategy_text(const SweptStrategy& swept) const;

  const SweepOrder& order_;
  std::vector<Strategy> strategies_;
  std::string sweep_;
  LineFile lines_;
  std::vector<SweptStrategy> done_;
  std::map<double, std::size_t> best_;  // the front so far: of those done, by seconds
  std::size_t first_ = 0;               // that was not done before
  std::chrono::steady_clock::time_point begin_;
};

/// Its name and what it sets, in a line.
std::string Sweep::strategy_text(const SweptStrategy& swept) const {
  constexpr std::size_t kLongest = 100;
  const Strategy& strategy = strategies_[swept.index];
  std::string text = strategy.name + ":";
  for (const report::Setting& each : strategy.set) text += " " + each.value + "=" + each.sharding;
  text = text::printable_text(text);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

std::string Sweep::summary() const {
  constexpr std::size_t kFrontRows = 20;
  std::string out =
      fmt::format("{} of {} strategies: {} measured, {} refused", grouped_size(done_.size()),
                  grouped_size(strategies_.size()), grouped_size(num_measured()),
                  grouped_size(done_.size() - num_measured()));
  if (order_.options.check) out += fmt::format(", {} wrong", grouped_size(num_wrong()));
  out += "\n";
  const std::vector<const SweptStrategy*> rows = front();
  if (rows.empty()) return out;
  out += fmt::format("\n{:>12} {:>16} {:>16}  Pareto front of time and peak memory\n", "time",
                     "peak bytes", "bytes sent");
  const std::size_t shown = std::min(rows.size(), kFrontRows);
  for (const SweptStrategy* row : std::span(rows).first(shown)) {
    out += fmt::format("{:>12} {:>16} {:>16}  {}\n", time_text(row->seconds),
                       grouped(row->peak_bytes), grouped(row->bytes), strategy_text(*row));
  }
  return out + more_text(shown, rows.size());
}

Status write_front(const SweepOrder& order, const Sweep& sweep) {
  if (order.front.empty()) return {};
  std::string text;
  for (const SweptStrategy* each : sweep.front()) text += each->line + "\n";
  return write_file(order.front, text);
}

}  // namespace

int sweep_command(const SweepOrder& order) {
  Source source{order.program.file};
  Reporter reporter(source);
  auto module = read_program(source);
  if (!module) return reporter.refuse(module.error());
  if (!reporter.import(*module, order.program.import_form)) return kBadInput;
  auto strategies = strategies_of(order, *module);
  if (!strategies) return reporter.refuse({strategies.error()});
  report::SweepOptions options = order.options;
  options.compile = order.program.stages.compile;
  options.input_seed = order.seed;
  const auto model = parse_cost_model(options.compile.pipeline.exporting.resharding.axis_costs);
  if (!model) return reporter.refuse({model.error()});
  options.model = *model;
  Sweep sweep(order, *std::move(strategies), fingerprint(source.text + order.flags));
  if (!order.front.empty() && order.front == order.output) {
    return reporter.refuse({Error{"--front and --output are one file: " + order.front}});
  }
  Status status = order.front.empty() ? Status() : expect_writable(order.front);
  if (status) status = sweep.resume();
  if (status) status = sweep.run(*module, std::move(options));
  if (status) status = write_front(order, sweep);
  if (!status) return reporter.refuse({status.error()});
  std::FILE* const to = order.output == "-" ? stderr : stdout;
  print_text(to, sweep.summary());
  if (!sweep.is_done()) {
    print_text(to, order.output == "-" ? "interrupted\n" : "interrupted; --resume goes on\n");
  }
  const bool is_good = sweep.is_done() && sweep.num_measured() > 0 && sweep.num_wrong() == 0;
  return is_good ? kDone : kFailed;
}

}  // namespace shardy::tools
