// Searches for shardings.
#include <cmath>
#include <string>
#include <utility>

#include "c_api/call_result.hpp"
#include "c_api/program.hpp"
#include "shardy/autoshard/autoshard.hpp"

namespace shardy::c_api {

namespace {

/// Checks an integer option. Errors: the value is negative.
CallResult<int64_t> expect_count(int64_t value, const char* name) {
  if (value >= 0) return value;
  return bad_argument(std::string(name) + " is negative: " + std::to_string(value));
}

CallResult<autoshard::AutoshardOptions> search_options(const shardy_search* search,
                                                       const shardy_options* options) {
  SHARDY_TRY(const shardy_search given, known_fields(search, "shardy_search"));
  SHARDY_TRY(const CallOptions stages, read_options(options));
  SHARDY_TRY(const shardy_options general, known_fields(options, "shardy_options"));
  SHARDY_TRY(const int64_t memory, expect_count(given.memory, "memory"));
  SHARDY_TRY(const int64_t effort, expect_count(given.effort, "effort"));
  SHARDY_TRY(const int64_t candidates, expect_count(given.candidates, "candidates"));
  const double rate = given.operations_per_second;
  if (rate != 0 && !(std::isfinite(rate) && rate >= 1)) {
    return bad_argument("operations_per_second must be 0 or a finite number from 1 on");
  }
  autoshard::AutoshardOptions asked;
  asked.compile = stages.check.compile;
  asked.model = stages.costs;
  asked.ignore_annotations = given.ignore_annotations != 0;
  asked.num_threads = general.num_threads;
  if (memory > 0) asked.memory = memory;
  if (effort > 0) asked.effort = effort;
  if (candidates > 0) asked.candidates = static_cast<std::size_t>(candidates);
  if (rate != 0) asked.rates.operations_per_second = rate;
  return asked;
}

shardy_search_result result_of(const autoshard::FoundSharding& found) {
  constexpr double kFemto = 1e-15;
  const bool is_proven = found.model.status == autoshard::SolveStatus::Proven && found.is_complete;
  const bool has_choice = !found.model.choice.empty();
  return {.seconds_before = found.before.seconds,
          .peak_bytes_before = found.before.cost.peak_bytes,
          .seconds = found.after.seconds,
          .peak_bytes = found.after.cost.peak_bytes,
          .model_seconds = has_choice ? static_cast<double>(found.model.price_fs) * kFemto : 0,
          .bound_seconds = static_cast<double>(found.model.bound_fs) * kFemto,
          .is_proven = is_proven ? 1 : 0,
          .is_changed = found.is_changed ? 1 : 0,
          .fits = found.fits ? 1 : 0};
}

}  // namespace

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): functions of the C API

shardy_status shardy_program_autoshard(const shardy_program* program, const shardy_search* search,
                                       const shardy_options* options, shardy_program** out,
                                       shardy_search_result* result,
                                       shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_program * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const auto asked, search_options(search, options));
    auto found = shardy::autoshard::autoshard(*read->module, asked);
    if (!found) return refused(std::move(found).error(), read->source);
    if (result != nullptr) *result = result_of(*found);
    *place = make_handle(make_program(std::move(found->program), read->source, read->marks));
    return Diagnosed{std::move(found->diagnostics), read->source};
  });
}
