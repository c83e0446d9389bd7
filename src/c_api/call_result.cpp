#include "c_api/call_result.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "shardy/resharding/cost.hpp"
#include "shardy/text/mlir.hpp"
#include "text/error_places.hpp"

namespace shardy::c_api {

// ---- Handles ------------------------------------------------------------------------------------

namespace handles {

namespace {

struct LiveHandle {
  HandleKind kind = HandleKind::Text;
  std::shared_ptr<const void> object;
};

struct HandleTable {
  std::mutex mutex;
  std::unordered_map<uintptr_t, LiveHandle> entries;
  uintptr_t last = 0;
};

/// Returns the table of handles, which is never destroyed: handles may be used until the process
/// ends.
HandleTable& table() {
  static HandleTable& instance = *std::make_unique<HandleTable>().release();
  return instance;
}

}  // namespace

uintptr_t add(HandleKind kind, std::shared_ptr<const void> object) {
  constexpr uintptr_t kStep = 16;  // distance between handles, as between pointers to objects
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  all.last += kStep;
  all.entries.emplace(all.last, LiveHandle{kind, std::move(object)});
  return all.last;
}

std::shared_ptr<const void> find(uintptr_t handle, HandleKind kind) {
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.entries.find(handle);
  if (found == all.entries.end() || found->second.kind != kind) return nullptr;
  return found->second.object;
}

void remove(uintptr_t handle, HandleKind kind) {
  std::shared_ptr<const void> last_owner;  // destroyed after the lock is released
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.entries.find(handle);
  if (found == all.entries.end() || found->second.kind != kind) return;
  last_owner = std::move(found->second.object);
  all.entries.erase(found);
}

}  // namespace handles

// ---- Answers ------------------------------------------------------------------------------------

namespace {

bool is_no_error(const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; }

/// Returns all diagnostics in order. The diagnostics before an error come first.
DiagnosticList list_of(Diagnostics diagnostics, const SourceText* source) {
  DiagnosticList list;
  std::stable_partition(diagnostics.begin(), diagnostics.end(), is_no_error);
  if (source != nullptr) {
    diagnostics = source->format == text::Format::Json
                      ? text::with_json_places(source->text, std::move(diagnostics))
                      : text::with_mlir_places(source->text, std::move(diagnostics));
  }
  for (const Diagnostic& each : diagnostics) list.codes.emplace_back(each.code);
  list.text = source == nullptr ? text::error_text({}, {}, diagnostics)
                                : text::error_text(source->name, source->text, diagnostics);
  // The position is in a value rather than in a text.
  if (list.text.starts_with(':')) list.text.erase(0, 1);
  list.diagnostics = std::move(diagnostics);
  return list;
}

CallResult<int64_t> count_of(int64_t value, const char* name) {
  if (value >= 0) return value;
  return bad_argument(std::string(name) + " is negative: " + std::to_string(value));
}

}  // namespace

void give_diagnostics(Diagnostics diagnostics, const SourceText* source,
                      shardy_diagnostics** out) noexcept {
  if (out == nullptr || diagnostics.empty()) return;
  try {
    *out = make_handle(list_of(std::move(diagnostics), source));
  } catch (...) {
    *out = nullptr;  // out of memory; the status reports the failure
  }
}

void throw_violation(const ContractViolation& violation) {
  throw std::logic_error(std::string(violation.file) + ":" + std::to_string(violation.line) + ": " +
                         violation.function + ": violated contract: " + violation.condition +
                         "; please report it");
}

CallFailure failure_in_flight() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return {SHARDY_NO_MEMORY, {Error{"out of memory"}}, {}};
    } catch (const std::exception& error) {
      return {SHARDY_INTERNAL, {Error{std::string("internal error: ") + error.what()}}, {}};
    } catch (...) {
      return {SHARDY_INTERNAL, {Error{"internal error"}}, {}};
    }
  } catch (...) {
    return {SHARDY_NO_MEMORY, {}, {}};
  }
}

CallResult<std::string> string_of(const char* text, const char* name) {
  if (text == nullptr) return bad_argument(std::string(name) + " is NULL");
  return std::string(text);
}

CallResult<CallOptions> read_options(const shardy_options* options) {
  SHARDY_TRY(const shardy_options given, known_fields(options, "shardy_options"));
  CallOptions read;
  const std::string axis_cost = given.axis_cost == nullptr ? "" : given.axis_cost;
  Result<CostModel> costs = parse_cost_model(axis_cost);
  if (!costs) return refused(with_prefix("axis_cost: ", std::move(costs).error()));
  read.costs = *std::move(costs);
  checking::CheckOptions& check = read.check;
  check.compile.pipeline.exporting.resharding.axis_costs = axis_cost;
  check.compile.strict = given.strict != 0;
  check.exact = given.exact != 0;
  check.wide = given.wide != 0;
  SHARDY_TRY(read.max_live_bytes, count_of(given.max_live_bytes, "max_live_bytes"));
  SHARDY_TRY(check.run.num_workers, count_of(given.num_threads, "num_threads"));
  simulation::RunLimits& limits = read.context.runs.limits;
  SHARDY_TRY(const int64_t max_steps, count_of(given.max_steps, "max_steps"));
  SHARDY_TRY(const int64_t max_bytes, count_of(given.max_bytes, "max_bytes"));
  if (max_steps != 0) limits.max_steps = max_steps;
  if (max_bytes != 0) limits.max_bytes = max_bytes;
  if (!std::isfinite(given.compile_seconds) || given.compile_seconds < 0) {
    return bad_argument("compile_seconds has to be a number that is not negative");
  }
  WorkLimits& compile_limits = check.compile.limits;
  if (given.compile_seconds != 0) {
    compile_limits.deadline_ns = steady_time_ns(given.compile_seconds);
  }
  SHARDY_TRY(const int64_t compile_bytes, count_of(given.compile_bytes, "compile_bytes"));
  if (compile_bytes != 0) compile_limits.max_bytes = compile_bytes;
  if (!std::isfinite(given.tolerance) || given.tolerance < 0) {
    return bad_argument("tolerance has to be a number that is not negative");
  }
  if (given.tolerance != 0) check.tolerance = given.tolerance;
  return read;
}

}  // namespace shardy::c_api

using shardy::c_api::DiagnosticList;
using shardy::c_api::element;
using shardy::c_api::read_or;
using shardy::c_api::string_or_empty;

// ---- Versions ----------------------------------------------------------------------------------

int shardy_c_api_version(void) { return SHARDY_C_API_VERSION; }
int shardy_version(void) { return SHARDY_VERSION; }
const char* shardy_version_text(void) { return SHARDY_VERSION_STRING; }

const char* shardy_status_text(shardy_status status) {
  switch (static_cast<int>(status)) {
    case SHARDY_OK:
      return "ok";
    case SHARDY_REFUSED:
      return "refused";
    case SHARDY_BAD_ARGUMENT:
      return "bad argument";
    case SHARDY_BAD_HANDLE:
      return "bad handle";
    case SHARDY_NO_MEMORY:
      return "no memory";
    case SHARDY_INTERNAL:
      return "internal error";
    default:
      return "unknown status";
  }
}

// ---- Diagnostics -------------------------------------------------------------------------------

size_t shardy_diagnostics_count(const shardy_diagnostics* diagnostics) {
  return read_or<DiagnosticList>(diagnostics, size_t{0},
                                 [](const auto& list) { return list.diagnostics.size(); });
}

shardy_severity shardy_diagnostics_severity(const shardy_diagnostics* diagnostics, size_t index) {
  return read_or<DiagnosticList>(diagnostics, SHARDY_ERROR, [&](const auto& list) {
    const auto* const each = element(list.diagnostics, index);
    return each == nullptr ? SHARDY_ERROR : static_cast<shardy_severity>(each->severity);
  });
}

const char* shardy_diagnostics_message(const shardy_diagnostics* diagnostics, size_t index) {
  return string_or_empty<DiagnosticList>(diagnostics, [&](const auto& list) {
    const auto* const each = element(list.diagnostics, index);
    return each == nullptr ? nullptr : &each->message;
  });
}

const char* shardy_diagnostics_location(const shardy_diagnostics* diagnostics, size_t index) {
  return string_or_empty<DiagnosticList>(diagnostics, [&](const auto& list) {
    const auto* const each = element(list.diagnostics, index);
    return each == nullptr ? nullptr : &each->location.text();
  });
}

const char* shardy_diagnostics_code(const shardy_diagnostics* diagnostics, size_t index) {
  return string_or_empty<DiagnosticList>(
      diagnostics, [&](const auto& list) { return element(list.codes, index); });
}

size_t shardy_diagnostics_num_notes(const shardy_diagnostics* diagnostics, size_t index) {
  return read_or<DiagnosticList>(diagnostics, size_t{0}, [&](const auto& list) {
    const auto* const each = element(list.diagnostics, index);
    return each == nullptr ? 0 : each->notes.size();
  });
}

const char* shardy_diagnostics_note(const shardy_diagnostics* diagnostics, size_t index,
                                    size_t note) {
  return string_or_empty<DiagnosticList>(diagnostics, [&](const auto& list) {
    const auto* const each = element(list.diagnostics, index);
    return each == nullptr ? nullptr : element(each->notes, note);
  });
}

const char* shardy_diagnostics_text(const shardy_diagnostics* diagnostics) {
  return string_or_empty<DiagnosticList>(diagnostics, [](const auto& list) { return &list.text; });
}

void shardy_diagnostics_destroy(shardy_diagnostics* diagnostics) {
  shardy::c_api::destroy<DiagnosticList>(diagnostics);
}

// ---- Texts -------------------------------------------------------------------------------------

const char* shardy_text_data(const shardy_text* text) {
  return string_or_empty<shardy::c_api::TextObject>(text,
                                                    [](const auto& each) { return &each.text; });
}

size_t shardy_text_size(const shardy_text* text) {
  return read_or<shardy::c_api::TextObject>(text, size_t{0},
                                            [](const auto& each) { return each.text.size(); });
}

void shardy_text_destroy(shardy_text* text) {
  shardy::c_api::destroy<shardy::c_api::TextObject>(text);
}
