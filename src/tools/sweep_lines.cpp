#include "tools/sweep_lines.hpp"

#include <fmt/format.h>

#include <utility>

#include "text/error_places.hpp"
#include "text/json_document.hpp"
#include "tools/json_report.hpp"

namespace shardy::tools {

namespace {

using report::Setting;
using report::Strategy;
using report::StrategyResult;
using text::JsonDocument;
using text::JsonNode;
using text::JsonWriter;

constexpr JsonDocument::Limits kLineLimits = {.max_depth = 8, .max_errors = 1};

Error at_line(std::size_t number, Error error) {
  error.message = fmt::format("line {}: {}", number, error.message);
  error.location.clear();
  return error;
}

/// Places in the line, of which the notes speak, say little.
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

/// Calls `visit` with each line that has an end, or is the last and has none; and its number.
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
  out.key("seconds").number(result.seconds);
  out.key("collective_seconds").number(result.cost.seconds);
  add(out, "peak_bytes", result.cost.peak_bytes, "bytes", result.cost.bytes);
  out.key("operations").number(result.cost.operations);
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

void add_error(JsonWriter& out, const Diagnostic& error) {
  const std::string place = error.location.empty() ? "" : text::place_text(error.location) + ": ";
  add(out, "error", place + error.message, "notes", error.notes);
}

}  // namespace

namespace {

/// All that does not depend on the result; the object is not at its end.
void begin_line(JsonWriter& out, std::size_t index, const Strategy& strategy,
                std::string_view sweep) {
  out.begin_object();
  add(out, "strategy", index, "name", strategy.name, "sweep", sweep);
  out.key("set").begin_object();
  for (const Setting& setting : strategy.set) add(out, setting.value, setting.sharding);
  out.end_object();
}

JsonWriter line_writer() { return JsonWriter(std::size_t{1} << 40, true); }  // all on one line

}  // namespace

SweptStrategy line_of(const StrategyResult& result, const Strategy& strategy,
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
          .line = out.take()};
}

// ---- Reading ------------------------------------------------------------------------------------

namespace {

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

/// std::nullopt: the line is not a result of that strategy.
std::optional<SweptStrategy> read_result(JsonNode line, const Strategy& strategy) {
  const auto index = line.find("strategy");
  const bool is_it = index && index->integer() && is_text(line.find("name"), strategy.name) &&
                     has_settings(line.find("set"), strategy.set);
  if (!is_it) return std::nullopt;
  SweptStrategy read;
  read.index = static_cast<std::size_t>(*index->integer());
  if (line.find("error")) return read;
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
  return read;
}

/// Returns whether a sweep that ended while it wrote the line of a strategy can have left `text`.
bool is_torn_line(std::string_view text, std::size_t index, const Strategy& strategy,
                  std::string_view sweep) {
  JsonWriter out = line_writer();
  begin_line(out, index, strategy, sweep);
  out.end_object();
  std::string start = out.take();
  start.pop_back();  // the end of the object
  return text.substr(0, start.size()) == std::string_view(start).substr(0, text.size());
}

Error not_of_strategy(std::size_t index) {
  return {fmt::format("not the result of strategy {} of this sweep", index),
          {},
          {"remove the file, or leave out --resume and give another --output"}};
}

}  // namespace

Result<std::vector<SweptStrategy>> read_lines(std::string_view text,
                                              std::span<const Strategy> strategies,
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

namespace {

Status read_settings(JsonNode node, Strategy& strategy) {
  for (const JsonNode& setting : node) {
    if (!setting.is_string()) {
      return fail("expected the text of a sharding, found " + setting.description());
    }
    strategy.set.push_back({std::string(setting.key()), std::string(setting.string())});
  }
  return {};
}

Result<Strategy> read_strategy(JsonNode node, std::string name) {
  Strategy strategy{std::move(name), {}};
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

}  // namespace

Result<std::vector<Strategy>> read_strategies(std::string_view text) {
  std::vector<Strategy> all;
  const Status status =
      for_each_line(text, [&](auto line, std::size_t number, bool /*is_whole*/) -> Status {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
        SHARDY_TRY(const JsonDocument document, read_object(line, number));
        SHARDY_TRY(Strategy strategy,
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

std::string fingerprint(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace shardy::tools
