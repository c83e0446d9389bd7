// The command sweep: computes the costs of many annotations of one program.

#include "shardy/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "shardy/resharding/cost.hpp"
#include "shardy/support/result.hpp"
#include "shardy/view/page.hpp"
#include "support/quantities.hpp"
#include "text/bytes_text.hpp"
#include "text/error_places.hpp"
#include "text/json_document.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/view.hpp"

namespace shardy::tools {

using report::Setting;
using report::StrategyResult;
using report::SweepStrategy;
using text::JsonDocument;
using text::JsonNode;
using text::JsonWriter;

// The lines of a sweep: reads strategies, and writes and resumes results.

namespace {

/// The data of a line that the summary of a sweep uses.
struct SweptStrategy {
  std::size_t index = 0;
  bool is_measured = false;
  bool is_wrong = false;  // the check failed
  double seconds = 0;
  int64_t peak_bytes = 0;
  int64_t bytes = 0;
  double collective_seconds = 0;
  double operations = 0;
  std::optional<bool> equal = {};
  std::string error = {};  // reason why the strategy was rejected
  std::string line = {};   // without the end of line
};

constexpr JsonDocument::JsonLimits kLineLimits = {.max_depth = 8, .max_errors = 1};

Error at_line(std::size_t number, Error error) {
  error.message = fmt::format("line {}: {}", number, error.message);
  error.location = {};
  return error;
}

/// Removes the notes, whose positions are relative to the line.
Error in_line(std::size_t number, Error error) {
  error.notes.clear();
  return at_line(number, std::move(error));
}

Result<JsonDocument> read_object(std::string_view line, std::size_t number) {
  auto document = JsonDocument::parse(line, kLineLimits);
  if (!document) return tl::unexpected(in_line(number, document.error().front()));
  if (!document->root().is_object()) {
    return tl::unexpected(
        at_line(number, {"expected an object, found " + document->root().description()}));
  }
  return *std::move(document);
}

/// Calls `visit` with each line, including an incomplete last line, and with its number.
template <class Visit>
Status for_each_line(std::string_view text, Visit visit) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool is_whole = end != std::string_view::npos;
    std::string_view line = text.substr(0, is_whole ? end : text.size());
    text.remove_prefix(is_whole ? end + 1 : text.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    SHARDY_TRY_STATUS(visit(line, ++number, is_whole));
  }
  return {};
}

// ---- Writing ------------------------------------------------------------------------------------

void add_costs(JsonWriter& out, const StrategyResult& result) {
  add_members(out, result);
  out.key("collectives").begin_object();
  for (const report::Total& kind : result.by_kind) {
    out.key(kind.name).begin_object();
    add(out, "count", kind.count, "bytes", kind.bytes);
    out.end_object();
  }
  out.end_object();
  if (result.equal) add(out, "equal", *result.equal);
  if (result.shardings.empty()) return;
  out.key("shardings").begin_object();
  for (const report::PlacedSharding& each : result.shardings) add(out, each.value, each.sharding);
  out.end_object();
}

std::string error_line(const Diagnostic& error) {
  const std::string place = error.location.empty() ? "" : text::place_text(error.location) + ": ";
  return place + error.message;
}

void add_error(JsonWriter& out, const Diagnostic& error) {
  add(out, "error", error_line(error), "notes", error.notes);
}

/// Writes the members that do not depend on the result. Keeps the object open.
void begin_line(JsonWriter& out, std::size_t index, const SweepStrategy& strategy,
                std::string_view sweep) {
  out.begin_object();
  add(out, "strategy", index, "name", strategy.name, "sweep", sweep);
  out.key("set").begin_object();
  for (const Setting& setting : strategy.set) add(out, setting.value, setting.sharding);
  out.end_object();
}

// All members on one line.
JsonWriter line_writer() { return JsonWriter(std::size_t{1} << 40, true); }

/// Returns the line of a result: the strategy, then its cost or its error. `sweep` identifies the
/// sweep.
SweptStrategy line_of(const StrategyResult& result, const SweepStrategy& strategy,
                      std::string_view sweep) {
  JsonWriter out = line_writer();
  begin_line(out, result.index, strategy, sweep);
  if (result.is_measured()) {
    add_costs(out, result);
  } else {
    add_error(out, result.errors.front());
  }
  out.end_object();
  return {.index = result.index,
          .is_measured = result.is_measured(),
          .is_wrong = result.equal == false,
          .seconds = result.seconds,
          .peak_bytes = result.cost.peak_bytes,
          .bytes = result.cost.bytes,
          .collective_seconds = result.cost.seconds,
          .operations = result.cost.operations,
          .equal = result.equal,
          .error = result.is_measured() ? std::string() : error_line(result.errors.front()),
          .line = out.take()};
}

// ---- Reading ------------------------------------------------------------------------------------

bool is_text(std::optional<JsonNode> node, std::string_view wanted) {
  return node && node->is_string() && node->string() == wanted;
}

bool has_settings(std::optional<JsonNode> node, std::span<const Setting> settings) {
  if (!node || !node->is_object() || node->size() != settings.size()) return false;
  std::size_t at = 0;
  for (const JsonNode& member : *node) {
    const Setting& wanted = settings[at++];
    if (member.key() != wanted.value || !is_text(member, wanted.sharding)) return false;
  }
  return true;
}

/// Returns the result of a line; std::nullopt if the line is not a result of the strategy.
std::optional<SweptStrategy> read_result(JsonNode line, const SweepStrategy& strategy) {
  const auto index = line.find("strategy");
  const bool is_it = index && index->integer() && is_text(line.find("name"), strategy.name) &&
                     has_settings(line.find("set"), strategy.set);
  if (!is_it) return std::nullopt;
  SweptStrategy read;
  read.index = static_cast<std::size_t>(*index->integer());
  if (const auto error = line.find("error")) {
    if (error->is_string()) read.error = error->string();
    return read;
  }
  const auto seconds = line.find("seconds");
  const auto peak = line.find("peak_bytes");
  const auto bytes = line.find("bytes");
  if (!seconds || !seconds->is_number() || !peak || !peak->integer()) return std::nullopt;
  if (!bytes || !bytes->integer()) return std::nullopt;
  const auto equal = line.find("equal");
  read.is_measured = true;
  read.is_wrong = equal && equal->is_boolean() && !equal->boolean();
  read.seconds = seconds->number();
  read.peak_bytes = *peak->integer();
  read.bytes = *bytes->integer();
  if (equal && equal->is_boolean()) read.equal = equal->boolean();
  const auto number_of = [&](std::string_view name) {
    const auto member = line.find(name);
    return member && member->is_number() ? member->number() : 0;
  };
  read.collective_seconds = number_of("collective_seconds");
  read.operations = number_of("operations");
  return read;
}

/// Returns whether `text` can be the start of a strategy's line, written by a sweep that was
/// interrupted.
bool is_torn_line(std::string_view text, std::size_t index, const SweepStrategy& strategy,
                  std::string_view sweep) {
  JsonWriter out = line_writer();
  begin_line(out, index, strategy, sweep);
  out.end_object();
  std::string start = out.take();
  start.pop_back();  // removes the end of the object
  return text.substr(0, start.size()) == std::string_view(start).substr(0, text.size());
}

Error not_of_strategy(std::size_t index) {
  return {fmt::format("not the result of strategy {} of this sweep", index),
          {},
          {"remove the file, or leave out --resume and give another --output"}};
}

/// Returns the lines in the output of an interrupted sweep: the lines of the first
/// strategies, in order. Drops an incomplete last line. Errors: lines of another program or of
/// other strategies.
Result<std::vector<SweptStrategy>> read_lines(std::string_view text,
                                              std::span<const SweepStrategy> strategies,
                                              std::string_view sweep) {
  std::vector<SweptStrategy> all;
  const auto read_line = [&](auto line, std::size_t number, bool is_whole) -> Status {
    const std::size_t index = all.size();
    if (!is_whole) {
      const bool is_torn =
          index < strategies.size() && is_torn_line(line, index, strategies[index], sweep);
      return is_torn ? Status() : tl::unexpected(at_line(number, not_of_strategy(index)));
    }
    SHARDY_TRY(const JsonDocument document, read_object(line, number));
    if (!is_text(document.root().find("sweep"), sweep)) {
      return tl::unexpected(
          at_line(number, {"a result of another program, or with other options",
                           {},
                           {"remove the file, or leave out --resume and give another --output"}}));
    }
    std::optional<SweptStrategy> read;
    if (index < strategies.size()) read = read_result(document.root(), strategies[index]);
    if (!read || read->index != index)
      return tl::unexpected(at_line(number, not_of_strategy(index)));
    read->line = line;
    all.push_back(*std::move(read));
    return {};
  };
  const Status status = for_each_line(text, read_line);
  if (!status) return tl::unexpected(status.error());
  return all;
}

Status read_settings(JsonNode node, SweepStrategy& strategy) {
  for (const JsonNode& setting : node) {
    if (!setting.is_string()) {
      return fail("expected the text of a sharding, found " + setting.description());
    }
    strategy.set.push_back({std::string(setting.key()), std::string(setting.string())});
  }
  return {};
}

Result<SweepStrategy> read_strategy(JsonNode node, std::string name) {
  SweepStrategy strategy{std::move(name), {}};
  for (const JsonNode& member : node) {
    if (member.key() == "name" && member.is_string()) {
      strategy.name = member.string();
    } else if (member.key() == "set" && member.is_object()) {
      SHARDY_TRY_STATUS(read_settings(member, strategy));
    } else {
      return tl::unexpected(Error{"unexpected member: " + std::string(member.key()),
                                  {},
                                  {R"(a strategy is {"name": "...", "set": {"%arg0": "..."}})"}});
    }
  }
  return strategy;
}

/// Parses strategies, one per line: `{"name": ..., "set": {"%arg0": "[{\"x\"}, {}]", ...}}`.
/// Ignores empty lines. Error: other text, with the line number.
Result<std::vector<SweepStrategy>> read_strategies(std::string_view text) {
  std::vector<SweepStrategy> all;
  const Status status =
      for_each_line(text, [&](auto line, std::size_t number, bool /*is_whole*/) -> Status {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
        SHARDY_TRY(const JsonDocument document, read_object(line, number));
        SHARDY_TRY(SweepStrategy strategy,
                   read_strategy(document.root(), fmt::format("line {}", number))
                       .map_error([&](Error error) { return at_line(number, std::move(error)); }));
        if (all.size() == report::kMaxStrategies) {
          return fail(fmt::format("more than {} strategies", report::kMaxStrategies));
        }
        all.push_back(std::move(strategy));
        return {};
      });
  if (!status) return tl::unexpected(status.error());
  return all;
}

/// Returns a hash of the text as 16 hexadecimal digits.
std::string fingerprint(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a hash
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

// ---- Annotations to sweep ---------------------------------------------------------------------

Error of_file(const std::string& path, Error error) {
  error.message = path + ": " + error.message;
  return error;
}

/// Returns the combinations of --set, then the strategies of the file, then random ones.
Result<std::vector<SweepStrategy>> strategies_of(const SweepOrder& order,
                                                 const ir::Module& module) {
  SHARDY_TRY(std::vector<SweepStrategy> all, report::all_choices(order.set));
  if (!order.strategies.empty()) {
    SHARDY_TRY(const std::string text, read_file(order.strategies));
    SHARDY_TRY(std::vector<SweepStrategy> read, read_strategies(text).map_error([&](Error error) {
      return of_file(order.strategies, std::move(error));
    }));
    std::ranges::move(read, std::back_inserter(all));
  }
  if (order.random > 0) {
    SHARDY_TRY(std::vector<SweepStrategy> random,
               report::random_strategies(module, order.random, order.seed));
    std::ranges::move(random, std::back_inserter(all));
  }
  if (!all.empty() && order.options.equal_layers) {
    return report::with_equal_layers(module, std::move(all));
  }
  if (!all.empty()) return all;
  return tl::unexpected(Error{"expected strategies: --set, --strategies or --random",
                              {},
                              {"for example: --set '%arg0=[{\"x\"}, {}]' --set '%arg0=none'"}});
}

// ---- Lines --------------------------------------------------------------------------------------

/// Writes lines one at a time, so that a sweep can be resumed.
class LineFile {
 public:
  LineFile() = default;
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }

  /// Opens the file and keeps its first `kept` bytes.
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

/// Returns the contents of the file of lines; empty if the file does not exist.
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
  Sweep(const SweepOrder& order, std::vector<SweepStrategy> strategies, std::string sweep)
      : order_(order), strategies_(std::move(strategies)), sweep_(std::move(sweep)) {}

  /// Resumes the sweep after the existing lines.
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
      if (result.is_folded) ++num_folded_;
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

  /// Returns the Pareto front, fastest first.
  std::vector<const SweptStrategy*> front() const {
    std::vector<const SweptStrategy*> front;
    for (const auto& [seconds, best] : best_) front.push_back(&done_[best]);
    return front;
  }

  std::string summary() const;

  /// Returns the strategies so far as the table of a page.
  view::SweepTable table() const {
    view::SweepTable table{.title = "sweep of " + order_.program.file,
                           .command = "shardy sweep " + order_.program.file + order_.flags,
                           .program = order_.program.file,
                           .strategies = strategies_,
                           .rows = {},
                           .front = {}};
    for (const SweptStrategy& each : done_) {
      const bool is_named = each.is_measured || !each.error.empty();
      table.rows.push_back({.seconds = each.seconds,
                            .collective_seconds = each.collective_seconds,
                            .peak_bytes = each.peak_bytes,
                            .bytes = each.bytes,
                            .operations = each.operations,
                            .equal = each.equal,
                            .error = is_named ? each.error : "refused"});
    }
    for (const auto& [seconds, best] : best_) table.front.push_back(best);
    return table;
  }

 private:
  /// Records a strategy. Keeps only lines on the front, because a sweep may have a million lines.
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

  /// Returns whether no earlier result is both as fast and as small.
  bool is_on_front(const SweptStrategy& swept) const {
    if (!swept.is_measured || swept.is_wrong) return false;
    const auto slower = best_.upper_bound(swept.seconds);
    return slower == best_.begin() ||
           done_[std::prev(slower)->second].peak_bytes > swept.peak_bytes;
  }

  std::string progress_text() const {
    const std::size_t here = done_.size() - first_;
    const std::size_t left = strategies_.size() - done_.size();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    const double seconds_left =
        elapsed.count() / static_cast<double>(here) * static_cast<double>(left);
    return fmt::format("{} of {} strategies, {} left", grouped_size(done_.size()),
                       grouped_size(strategies_.size()), time_text(seconds_left));
  }
  static std::string grouped_size(std::size_t count) {
    return grouped(static_cast<int64_t>(count));
  }
  std::string strategy_text(const SweptStrategy& swept) const;

  const SweepOrder& order_;
  std::vector<SweepStrategy> strategies_;
  std::string sweep_;
  LineFile lines_;
  std::vector<SweptStrategy> done_;
  std::map<double, std::size_t> best_;  // the front so far, by seconds
  std::size_t first_ = 0;               // index of the first strategy without a result
  std::size_t num_folded_ = 0;          // number of strategies compiled with few layers in this run
  std::chrono::steady_clock::time_point begin_;
};

/// Returns the name and the settings of a strategy in one line.
std::string Sweep::strategy_text(const SweptStrategy& swept) const {
  constexpr std::size_t kLongest = 100;
  const SweepStrategy& strategy = strategies_[swept.index];
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
  if (order_.options.equal_layers) {
    out += fmt::format("compiled with few layers: {} of {}\n", grouped_size(num_folded_),
                       grouped_size(done_.size() - first_));
  }
  const std::vector<const SweptStrategy*> rows = front();
  if (rows.empty()) return out;
  out += fmt::format("\n{:>15}  {:>19}  {:>16}  Pareto front of time and peak memory\n",
                     "time per device", "peak memory (bytes)", "bytes sent");
  const std::size_t shown = std::min(rows.size(), kFrontRows);
  for (const SweptStrategy* row : std::span(rows).first(shown)) {
    out += fmt::format("{:>15}  {:>19}  {:>16}  {}\n", time_text(row->seconds),
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

/// Writes the page of a sweep.
Status write_page(const SweepOrder& order, const Sweep& sweep) {
  if (order.view.empty()) return {};
  SHARDY_TRY(const std::string html, view::to_html(sweep_page(sweep.table())));
  return write_file(order.view, html);
}

/// Returns an error if two outputs are one file, or if one cannot be written.
Status expect_outputs(const SweepOrder& order) {
  for (const auto& [name, path] : {std::pair("--front", &order.front), {"--view", &order.view}}) {
    if (path->empty()) continue;
    if (*path == order.output) {
      return fail(std::string(name) + " and --output are one file: " + *path);
    }
    SHARDY_TRY_STATUS(expect_writable(*path));
  }
  if (order.view.empty()) return {};
  if (order.view == order.front) return fail("--front and --view are one file: " + order.view);
  return view::expect_page();
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
  Status status = expect_outputs(order);
  if (status) status = sweep.resume();
  if (status) status = sweep.run(*module, std::move(options));
  if (status) status = write_front(order, sweep);
  if (status) status = write_page(order, sweep);
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
