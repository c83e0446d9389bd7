/* Every function of shardy.h, called wrongly and rightly: what is wrong ends in a status. C99. */
#include <shardy/shardy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(claim)                                                   \
  do {                                                                 \
    if (!(claim)) {                                                    \
      printf("%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #claim); \
      ++failures;                                                      \
    }                                                                  \
  } while (0)

/* ---- Helpers --------------------------------------------------------------------------------- */

static const char* const kProgram =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>},\n"
    "                %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>})\n"
    "    -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "      : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>\n"
    "  return %0 : tensor<8x8xf32>\n"
    "}\n";

static shardy_program* program_of(const char* text) {
  shardy_program* program = NULL;
  shardy_diagnostics* diagnostics = NULL;
  if (shardy_program_parse(text, strlen(text), NULL, SHARDY_AUTO, &program, &diagnostics) !=
      SHARDY_OK) {
    printf("%s", shardy_diagnostics_text(diagnostics));
    ++failures;
  }
  shardy_diagnostics_destroy(diagnostics);
  return program;
}

/* That status, with a message that has `part`; the list is ended. */
static void expect(int line, shardy_status got, shardy_status wanted,
                   shardy_diagnostics* diagnostics, const char* part) {
  const size_t count = shardy_diagnostics_count(diagnostics);
  const char* const message = count == 0 ? "" : shardy_diagnostics_message(diagnostics, count - 1);
  const int is_said = strstr(message, part) != NULL;
  if (got != wanted || count == 0 || !is_said) {
    printf("%s:%d: wanted %s with \"%s\", got %s: %s\n", __FILE__, line, shardy_status_text(wanted),
           part, shardy_status_text(got), message);
    ++failures;
  }
  shardy_diagnostics_destroy(diagnostics);
}
#define EXPECT(wanted, part, ...)                     \
  do {                                                \
    shardy_diagnostics* diagnostics = NULL;           \
    const shardy_status got = (__VA_ARGS__);          \
    expect(__LINE__, got, wanted, diagnostics, part); \
  } while (0)

/* A place that is not empty, to see that it is emptied. */
static void* const kOccupied = (void*)0x10000000;

static void* dead_program(void) {
  shardy_program* const program = program_of(kProgram);
  shardy_program_destroy(program);
  return program;
}

/* ---- Versions, statuses ---------------------------------------------------------------------- */

static void test_versions(void) {
  char text[64];
  CHECK(shardy_c_api_version() == SHARDY_C_API_VERSION);
  CHECK(shardy_version() == SHARDY_VERSION);
  CHECK(strcmp(shardy_version_text(), SHARDY_VERSION_STRING) == 0);
  snprintf(text, sizeof text, "%d.%d.%d", SHARDY_VERSION / 10000, SHARDY_VERSION / 100 % 100,
           SHARDY_VERSION % 100);
  CHECK(strcmp(text, SHARDY_VERSION_STRING) == 0);
  CHECK(strcmp(shardy_status_text(SHARDY_OK), "ok") == 0);
  CHECK(strcmp(shardy_status_text((shardy_status)77), "unknown status") == 0);
  for (int status = 0; status <= SHARDY_INTERNAL; ++status) {
    CHECK(strcmp(shardy_status_text((shardy_status)status), "unknown status") != 0);
  }
}

/* ---- Parsing and printing -------------------------------------------------------------------- */

static void test_texts_that_are_no_programs(void) {
  shardy_program* out = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL",
         shardy_program_parse("", 0, NULL, SHARDY_AUTO, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "text is NULL",
         shardy_program_parse(NULL, 5, NULL, SHARDY_AUTO, &out, &diagnostics));
  CHECK(out == NULL);
  EXPECT(SHARDY_BAD_ARGUMENT, "no such format: 9",
         shardy_program_parse("{}", 2, NULL, (shardy_format)9, &out, &diagnostics));
  EXPECT(SHARDY_REFUSED, "is empty",
         shardy_program_parse("", 0, NULL, SHARDY_AUTO, &out, &diagnostics));
  EXPECT(SHARDY_REFUSED, "HLO text",
         shardy_program_parse("HloModule m", 11, "m.hlo", SHARDY_AUTO, &out, &diagnostics));
  EXPECT(SHARDY_REFUSED, "", shardy_program_parse("{", 1, NULL, SHARDY_JSON, &out, &diagnostics));
  EXPECT(SHARDY_REFUSED, "",
         shardy_program_parse("\0\1\2", 3, NULL, SHARDY_MLIR, &out, &diagnostics));
  CHECK(out == NULL);
  /* The diagnostics are optional. */
  CHECK(shardy_program_parse("", 0, NULL, SHARDY_AUTO, &out, NULL) == SHARDY_REFUSED);
}

static void test_diagnostics(void) {
  const char* const text = "func.func @f() {\n  %0 = stablehlo.sinus %1\n  return\n}\n";
  shardy_program* out = NULL;
  shardy_diagnostics* diagnostics = NULL;
  CHECK(shardy_program_parse(text, strlen(text), "m.mlir", SHARDY_AUTO, &out, &diagnostics) ==
        SHARDY_REFUSED);
  CHECK(shardy_diagnostics_count(diagnostics) >= 1);
  CHECK(shardy_diagnostics_severity(diagnostics, 0) == SHARDY_ERROR);
  CHECK(strcmp(shardy_diagnostics_location(diagnostics, 0), "2:8") == 0);
  CHECK(strcmp(shardy_diagnostics_code(diagnostics, 0), "") == 0);
  CHECK(shardy_diagnostics_num_notes(diagnostics, 0) == 1);
  CHECK(strcmp(shardy_diagnostics_note(diagnostics, 0, 0), "did you mean stablehlo.sine?") == 0);
  CHECK(strstr(shardy_diagnostics_text(diagnostics), "m.mlir:2:8: error: ") != NULL);
  /* Beyond the end. */
  CHECK(strcmp(shardy_diagnostics_message(diagnostics, 999), "") == 0);
  CHECK(strcmp(shardy_diagnostics_note(diagnostics, 0, 999), "") == 0);
  CHECK(strcmp(shardy_diagnostics_note(diagnostics, (size_t)-1, 0), "") == 0);
  CHECK(shardy_diagnostics_num_notes(diagnostics, 999) == 0);
  CHECK(shardy_diagnostics_severity(diagnostics, 999) == SHARDY_ERROR);
  shardy_diagnostics_destroy(diagnostics);
  CHECK(shardy_diagnostics_count(diagnostics) == 0); /* ended */
  CHECK(strcmp(shardy_diagnostics_text(diagnostics), "") == 0);
  shardy_diagnostics_destroy(diagnostics);
  shardy_diagnostics_destroy(NULL);
}

/* Printed text reads back as the same program, which prints as the same text. */
static void test_round_trips(void) {
  const shardy_format formats[] = {SHARDY_MLIR, SHARDY_JSON, SHARDY_GENERIC_MLIR};
  shardy_program* const program = program_of(kProgram);
  for (size_t index = 0; index < 3; ++index) {
    shardy_text* first = NULL;
    shardy_text* second = NULL;
    CHECK(shardy_program_print(program, formats[index], &first, NULL) == SHARDY_OK);
    CHECK(shardy_text_size(first) == strlen(shardy_text_data(first)));
    shardy_program* const again = program_of(shardy_text_data(first));
    CHECK(shardy_program_print(again, formats[index], &second, NULL) == SHARDY_OK);
    CHECK(shardy_text_size(first) > 100);
    CHECK(strcmp(shardy_text_data(first), shardy_text_data(second)) == 0);
    shardy_text_destroy(first);
    shardy_text_destroy(second);
    shardy_program_destroy(again);
  }
  shardy_text* out = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "choose the format",
         shardy_program_print(program, SHARDY_AUTO, &out, &diagnostics));
  CHECK(out == NULL);
  EXPECT(SHARDY_BAD_ARGUMENT, "no such format",
         shardy_program_print(program, (shardy_format)-1, &out, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL",
         shardy_program_print(program, SHARDY_MLIR, NULL, &diagnostics));
  shardy_program_destroy(program);
}

static void test_ports(void) {
  shardy_program* const program = program_of(kProgram);
  CHECK(shardy_program_num_arguments(program) == 2);
  CHECK(shardy_program_num_results(program) == 1);
  CHECK(strcmp(shardy_program_argument_name(program, 1), "%b") == 0);
  CHECK(strcmp(shardy_program_argument_type(program, 0), "tensor<8x16xf32>") == 0);
  CHECK(strcmp(shardy_program_argument_sharding(program, 0), "<@mesh, [{\"x\"}, {\"y\"}]>") == 0);
  CHECK(strcmp(shardy_program_result_type(program, 0), "tensor<8x8xf32>") == 0);
  CHECK(strcmp(shardy_program_result_sharding(program, 0), "") == 0);
  CHECK(strcmp(shardy_program_argument_name(program, 2), "") == 0);
  CHECK(strcmp(shardy_program_result_type(program, 1), "") == 0);
  shardy_program_destroy(program);
}

/* ---- Handles --------------------------------------------------------------------------------- */

/* Functions that take a program, with one that is none. */
static void expect_no_program(const void* bad) {
  const shardy_program* const program = bad;
  shardy_program* made = kOccupied;
  shardy_text* text = kOccupied;
  shardy_explanation* why = kOccupied;
  shardy_check* check = kOccupied;
  shardy_tensor* tensor = NULL;
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_print(program, SHARDY_MLIR, &text, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_propagate(program, &made, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_partition(program, NULL, &made, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_autoshard(program, NULL, NULL, &made, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program", shardy_program_explain(program, &why, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_random_inputs(program, 1, &tensor, 1, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_run(program, NULL, 0, NULL, &tensor, 1, &diagnostics));
  EXPECT(SHARDY_BAD_HANDLE, "not a program",
         shardy_program_check(program, NULL, 0, NULL, &check, &diagnostics));
  CHECK(made == NULL && text == NULL && why == NULL && check == NULL && tensor == NULL);
  CHECK(shardy_program_num_arguments(program) == 0);
  CHECK(shardy_program_num_results(program) == 0);
  CHECK(strcmp(shardy_program_argument_name(program, 0), "") == 0);
  CHECK(strcmp(shardy_program_argument_type(program, 0), "") == 0);
  CHECK(strcmp(shardy_program_argument_sharding(program, 0), "") == 0);
  CHECK(strcmp(shardy_program_result_type(program, 0), "") == 0);
  CHECK(strcmp(shardy_program_result_sharding(program, 0), "") == 0);
}

/* Functions that only read, with what is none of their type. */
static void expect_empty(const void* bad) {
  CHECK(shardy_diagnostics_count(bad) == 0);
  CHECK(shardy_diagnostics_severity(bad, 0) == SHARDY_ERROR);
  CHECK(strcmp(shardy_diagnostics_message(bad, 0), "") == 0);
  CHECK(strcmp(shardy_diagnostics_location(bad, 0), "") == 0);
  CHECK(strcmp(shardy_diagnostics_code(bad, 0), "") == 0);
  CHECK(shardy_diagnostics_num_notes(bad, 0) == 0);
  CHECK(strcmp(shardy_diagnostics_note(bad, 0, 0), "") == 0);
  CHECK(strcmp(shardy_diagnostics_text(bad), "") == 0);
  CHECK(strcmp(shardy_text_data(bad), "") == 0);
  CHECK(shardy_text_size(bad) == 0);
  CHECK(shardy_explanation_num_values(bad) == 0);
  CHECK(strcmp(shardy_explanation_value(bad, 0, SHARDY_VALUE_NAME), "") == 0);
  CHECK(shardy_explanation_num_axes(bad, 0) == 0);
  CHECK(strcmp(shardy_explanation_axis(bad, 0, 0), "") == 0);
  CHECK(shardy_explanation_axis_dim(bad, 0, 0) == 0);
  CHECK(shardy_explanation_num_decisions(bad, 0, 0) == 0);
  CHECK(strcmp(shardy_explanation_decision(bad, 0, 0, 0, SHARDY_DECISION_KIND), "") == 0);
  CHECK(shardy_explanation_decision_step(bad, 0, 0, 0) == 0);
  CHECK(shardy_explanation_num_conflicts(bad) == 0);
  CHECK(strcmp(shardy_explanation_conflict(bad, 0, SHARDY_CONFLICT_OP), "") == 0);
  CHECK(shardy_plan_num_steps(bad) == 0);
  CHECK(strcmp(shardy_plan_step(bad, 0), "") == 0);
  CHECK(strcmp(shardy_plan_step_type(bad, 0), "") == 0);
  CHECK(shardy_plan_step_cost(bad, 0).bytes == 0);
  CHECK(shardy_plan_cost(bad).bytes == 0);
  CHECK(shardy_plan_is_proven(bad) == 0);
  CHECK(strcmp(shardy_tensor_type(bad), "") == 0);
  CHECK(shardy_tensor_rank(bad) == 0);
  CHECK(shardy_tensor_dim(bad, 0) == 0);
  CHECK(shardy_tensor_data(bad) == NULL);
  CHECK(shardy_tensor_size(bad) == 0);
  CHECK(shardy_check_is_equal(bad) == 0);
  CHECK(shardy_check_largest_difference(bad) == 0);
  CHECK(shardy_check_num_devices(bad) == 0);
  CHECK(strcmp(shardy_check_text(bad), "") == 0);
}

static void destroy_as_everything(void* bad) {
  shardy_diagnostics_destroy(bad);
  shardy_text_destroy(bad);
  shardy_explanation_destroy(bad);
  shardy_plan_destroy(bad);
  shardy_tensor_destroy(bad);
  shardy_check_destroy(bad);
}

static void test_handles_that_are_none(void) {
  int on_the_stack = 0;
  shardy_program* const program = program_of(kProgram);
  void* const none[] = {NULL, dead_program(), &on_the_stack, (void*)1, (void*)(uintptr_t)-1};
  for (size_t index = 0; index < sizeof none / sizeof *none; ++index) {
    expect_no_program(none[index]);
    expect_empty(none[index]);
    destroy_as_everything(none[index]);
    shardy_program_destroy(none[index]);
  }
  /* One of another type: it is not ended, either. */
  expect_empty(program);
  destroy_as_everything(program);
  CHECK(shardy_program_num_arguments(program) == 2);
  shardy_text* text = NULL;
  CHECK(shardy_program_print(program, SHARDY_MLIR, &text, NULL) == SHARDY_OK);
  expect_no_program(text);
  shardy_program_destroy((shardy_program*)(void*)text);
  CHECK(shardy_text_size(text) > 0);
  shardy_text_destroy(text);
  shardy_program_destroy(program);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void test_options(void) {
  shardy_program* const program = program_of(kProgram);
  shardy_program* out = kOccupied;
  shardy_options options;
  memset(&options, 0, sizeof options);
  EXPECT(SHARDY_BAD_ARGUMENT, "size of shardy_options is 0",
         shardy_program_partition(program, &options, &out, &diagnostics));
  CHECK(out == NULL);
  options.size = sizeof options + 8;
  EXPECT(SHARDY_BAD_ARGUMENT, "size of shardy_options",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.size = sizeof options;
  options.axis_cost = "x=triangle";
  EXPECT(SHARDY_REFUSED,
         "axis_cost: ", shardy_program_partition(program, &options, &out, &diagnostics));
  options.axis_cost = NULL;
  options.max_steps = -1;
  EXPECT(SHARDY_BAD_ARGUMENT, "max_steps is negative: -1",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.max_steps = 0;
  options.num_threads = -3;
  EXPECT(SHARDY_BAD_ARGUMENT, "num_threads is negative",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.num_threads = 0;
  options.max_bytes = INT64_MIN;
  EXPECT(SHARDY_BAD_ARGUMENT, "max_bytes is negative",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.max_bytes = 0;
  options.max_live_bytes = -1;
  EXPECT(SHARDY_BAD_ARGUMENT, "max_live_bytes is negative",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.max_live_bytes = 0;
  options.tolerance = -0.5;
  EXPECT(SHARDY_BAD_ARGUMENT, "tolerance",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.tolerance = 0;
  options.compile_seconds = -1;
  EXPECT(SHARDY_BAD_ARGUMENT, "compile_seconds",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.compile_seconds = 1e-9;
  EXPECT(SHARDY_REFUSED, "import did not end before its deadline",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.compile_seconds = 3600;
  options.compile_bytes = -1;
  EXPECT(SHARDY_BAD_ARGUMENT, "compile_bytes is negative",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.compile_bytes = 1;
  EXPECT(SHARDY_REFUSED, "import needs more than 1 bytes",
         shardy_program_partition(program, &options, &out, &diagnostics));
  options.compile_bytes = 0;
  options.compile_seconds = 0;
  shardy_search search = {.size = sizeof search, .memory = -1};
  EXPECT(SHARDY_BAD_ARGUMENT, "memory is negative: -1",
         shardy_program_autoshard(program, &search, &options, &out, NULL, &diagnostics));
  search.memory = 0;
  search.operations_per_second = 0.5;
  EXPECT(SHARDY_BAD_ARGUMENT, "operations_per_second",
         shardy_program_autoshard(program, &search, &options, &out, NULL, &diagnostics));
  search.operations_per_second = 0;
  search.size = 1;
  EXPECT(SHARDY_BAD_ARGUMENT, "size of shardy_search",
         shardy_program_autoshard(program, &search, &options, &out, NULL, &diagnostics));
  search.size = sizeof search;
  search.ignore_annotations = 1;
  shardy_search_result result;
  CHECK(shardy_program_autoshard(program, &search, &options, &out, &result, NULL) == SHARDY_OK);
  CHECK(result.is_proven == 1 && result.fits == 1 && result.is_changed == 1);
  CHECK(result.seconds < result.seconds_before && result.bound_seconds <= result.model_seconds);
  shardy_program_destroy(out);
  CHECK(shardy_program_partition(program, &options, &out, NULL) == SHARDY_OK);
  shardy_program_destroy(out);
  /* The struct of an older header ends earlier. */
  options.size = offsetof(shardy_options, strict);
  options.tolerance = -1;
  CHECK(shardy_program_partition(program, &options, &out, NULL) == SHARDY_OK);
  shardy_program_destroy(out);
  shardy_program_destroy(program);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static void test_stages(void) {
  shardy_program* const program = program_of(kProgram);
  shardy_program* propagated = NULL;
  shardy_program* per_device = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL", shardy_program_propagate(program, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL",
         shardy_program_partition(program, NULL, NULL, &diagnostics));
  CHECK(shardy_program_propagate(program, &propagated, NULL) == SHARDY_OK);
  CHECK(strcmp(shardy_program_result_sharding(propagated, 0), "<@mesh, [{\"x\"}, {}]>") == 0);
  CHECK(shardy_program_partition(program, NULL, &per_device, NULL) == SHARDY_OK);
  CHECK(strcmp(shardy_program_argument_type(per_device, 0), "tensor<4x4xf32>") == 0);
  /* A program outlives the one that it was made of. */
  shardy_program_destroy(program);
  shardy_text* text = NULL;
  CHECK(shardy_program_print(per_device, SHARDY_MLIR, &text, NULL) == SHARDY_OK);
  CHECK(strstr(shardy_text_data(text), "tensor<4x4xf32>") != NULL);
  shardy_text_destroy(text);
  shardy_program_destroy(per_device);
  shardy_program_destroy(propagated);
}

/* A value that is replicated although its annotation shards it is an error in strict mode. */
static void test_a_stage_that_refuses(void) {
  shardy_program* const program = program_of(
      "sdy.mesh @mesh = <[\"x\"=2]>\n"
      "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})\n"
      "    -> tensor<8xf32> {\n"
      "  %0 = \"foreign.op\"(%a) : (tensor<8xf32>) -> tensor<8xf32>\n"
      "  return %0 : tensor<8xf32>\n"
      "}\n");
  shardy_program* out = kOccupied;
  EXPECT(SHARDY_REFUSED, "foreign.op", shardy_program_partition(program, NULL, &out, &diagnostics));
  CHECK(out == NULL);
  shardy_program_destroy(program);
}

/* ---- Explanations ---------------------------------------------------------------------------- */

static size_t find_value(const shardy_explanation* why, const char* name) {
  const size_t count = shardy_explanation_num_values(why);
  for (size_t value = 0; value < count; ++value) {
    if (strcmp(shardy_explanation_value(why, value, SHARDY_VALUE_NAME), name) == 0) return value;
  }
  return count;
}

static void test_explanations(void) {
  shardy_program* const program = program_of(kProgram);
  shardy_explanation* why = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL", shardy_program_explain(program, NULL, &diagnostics));
  CHECK(shardy_program_explain(program, &why, NULL) == SHARDY_OK);
  shardy_program_destroy(program);
  const size_t dot = find_value(why, "%0");
  CHECK(strcmp(shardy_explanation_value(why, dot, SHARDY_VALUE_TYPE), "tensor<8x8xf32>") == 0);
  CHECK(strcmp(shardy_explanation_value(why, dot, SHARDY_VALUE_OP), "stablehlo.dot_general") == 0);
  CHECK(strcmp(shardy_explanation_value(why, dot, SHARDY_VALUE_LOCATION), "5:8") == 0);
  CHECK(strcmp(shardy_explanation_value(why, dot, SHARDY_VALUE_FUNCTION), "main") == 0);
  CHECK(strcmp(shardy_explanation_value(why, dot, SHARDY_VALUE_WRITTEN), "") == 0);
  CHECK(strstr(shardy_explanation_value(why, dot, SHARDY_VALUE_SHARDING), "{\"x\"") != NULL);
  CHECK(shardy_explanation_num_axes(why, dot) == 1);
  CHECK(strcmp(shardy_explanation_axis(why, dot, 0), "\"x\"") == 0);
  CHECK(shardy_explanation_axis_dim(why, dot, 0) == 0);
  const size_t last = shardy_explanation_num_decisions(why, dot, 0) - 1;
  CHECK(last == 1);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, 0, SHARDY_DECISION_KIND), "step") == 0);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, 0, SHARDY_DECISION_OP),
               "stablehlo.dot_general") == 0);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, 0, SHARDY_DECISION_DIRECTION), "forward") ==
        0);
  CHECK(shardy_explanation_decision_step(why, dot, 0, 0) >= 0);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, last, SHARDY_DECISION_KIND),
               "annotation") == 0);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, last, SHARDY_DECISION_FROM), "%a") == 0);
  CHECK(shardy_explanation_num_conflicts(why) >= 1);
  CHECK(strcmp(shardy_explanation_conflict(why, 0, SHARDY_CONFLICT_AXIS), "\"x\"") == 0);
  CHECK(strcmp(shardy_explanation_conflict(why, 0, SHARDY_CONFLICT_REASON), "") != 0);
  /* Beyond the end, and fields that there are not. */
  CHECK(strcmp(shardy_explanation_value(why, dot, (shardy_value_field)-1), "") == 0);
  CHECK(strcmp(shardy_explanation_value(why, dot, (shardy_value_field)99), "") == 0);
  CHECK(strcmp(shardy_explanation_value(why, 999, SHARDY_VALUE_NAME), "") == 0);
  CHECK(strcmp(shardy_explanation_axis(why, dot, 999), "") == 0);
  CHECK(shardy_explanation_num_axes(why, (size_t)-1) == 0);
  CHECK(shardy_explanation_num_decisions(why, dot, 999) == 0);
  CHECK(strcmp(shardy_explanation_decision(why, dot, 0, 999, SHARDY_DECISION_OP), "") == 0);
  CHECK(strcmp(shardy_explanation_conflict(why, 999, SHARDY_CONFLICT_OP), "") == 0);
  shardy_explanation_destroy(why);
}

/* ---- Reshards -------------------------------------------------------------------------------- */

static void test_plans_that_are_refused(void) {
  const shardy_reshard good = {.size = sizeof good,
                               .mesh = "<[\"x\"=2]>",
                               .type = "8x8xf32",
                               .from = "[{\"x\"}, {}]",
                               .to = "[{}, {\"x\"}]"};
  shardy_reshard bad = good;
  shardy_plan* out = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL", shardy_plan_reshard(&good, NULL, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "reshard is NULL",
         shardy_plan_reshard(NULL, NULL, &out, &diagnostics));
  CHECK(out == NULL);
  bad.size = 3;
  EXPECT(SHARDY_BAD_ARGUMENT, "size of shardy_reshard is 3",
         shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.mesh = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "mesh is NULL", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.type = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "type is NULL", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.from = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "from is NULL", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.to = NULL;
  EXPECT(SHARDY_BAD_ARGUMENT, "to is NULL", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.mesh = "<[\"x\"=0]>";
  EXPECT(SHARDY_REFUSED, "mesh: ", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.to_mesh = "x";
  EXPECT(SHARDY_REFUSED, "to_mesh: ", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.type = "?x8xf32";
  EXPECT(SHARDY_REFUSED, "type: ", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.type = "tensor<8";
  EXPECT(SHARDY_REFUSED, "type: ", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.from = "[{\"z\"}, {}]";
  EXPECT(SHARDY_REFUSED, "from: ", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  bad = good, bad.to = "[{\"x\"}]";
  EXPECT(SHARDY_REFUSED, "", shardy_plan_reshard(&bad, NULL, &out, &diagnostics));
  const shardy_options tight = {.size = sizeof tight, .max_live_bytes = 1};
  EXPECT(SHARDY_REFUSED, "", shardy_plan_reshard(&good, &tight, &out, &diagnostics));
  CHECK(out == NULL);
}

static void test_plans(void) {
  const shardy_reshard reshard = {.size = sizeof reshard,
                                  .mesh = "<[\"x\"=2]>",
                                  .type = "tensor<8x8xf32>",
                                  .from = "[{\"x\"}, {}]",
                                  .to = "[{}, {\"x\"}]"};
  shardy_plan* plan = NULL;
  CHECK(shardy_plan_reshard(&reshard, NULL, &plan, NULL) == SHARDY_OK);
  CHECK(shardy_plan_num_steps(plan) == 1);
  CHECK(strstr(shardy_plan_step(plan, 0), "sdy.all_to_all") != NULL);
  CHECK(strcmp(shardy_plan_step_type(plan, 0), "tensor<8x4xf32>") == 0);
  CHECK(shardy_plan_step_cost(plan, 0).bytes == 64); /* half of what a device holds */
  CHECK(shardy_plan_cost(plan).bytes == 64);
  CHECK(shardy_plan_cost(plan).seconds > 0);
  CHECK(shardy_plan_cost(plan).live_bytes >= 128);
  CHECK(shardy_plan_is_proven(plan) == 1);
  CHECK(strcmp(shardy_plan_step(plan, 1), "") == 0);
  CHECK(shardy_plan_step_cost(plan, 1).bytes == 0);
  shardy_plan_destroy(plan);
  CHECK(shardy_plan_num_steps(plan) == 0);
}

/* ---- Tensors and runs ------------------------------------------------------------------------ */

static void test_tensors(void) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  const unsigned char truth[2] = {1, 7};
  shardy_tensor* tensor = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL",
         shardy_tensor_make("2x3xf32", values, sizeof values, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "type is NULL",
         shardy_tensor_make(NULL, values, sizeof values, &tensor, &diagnostics));
  CHECK(tensor == NULL);
  EXPECT(SHARDY_BAD_ARGUMENT, "bytes is NULL",
         shardy_tensor_make("2x3xf32", NULL, sizeof values, &tensor, &diagnostics));
  EXPECT(SHARDY_REFUSED, "", shardy_tensor_make("2x3xf32", values, 7, &tensor, &diagnostics));
  EXPECT(SHARDY_REFUSED, "", shardy_tensor_make("2x3xf32", NULL, 0, &tensor, &diagnostics));
  EXPECT(SHARDY_REFUSED, "type: expected a type of known sizes",
         shardy_tensor_make("2x?xf32", values, sizeof values, &tensor, &diagnostics));
  EXPECT(SHARDY_REFUSED, "type: expected",
         shardy_tensor_make("9999999999x9999999999xf32", values, 4, &tensor, &diagnostics));
  EXPECT(SHARDY_REFUSED, "", shardy_tensor_make("2xi1", truth, 2, &tensor, &diagnostics));
  CHECK(shardy_tensor_make("2x3xf32", values, sizeof values, &tensor, NULL) == SHARDY_OK);
  CHECK(strcmp(shardy_tensor_type(tensor), "tensor<2x3xf32>") == 0);
  CHECK(shardy_tensor_rank(tensor) == 2);
  CHECK(shardy_tensor_dim(tensor, 0) == 2 && shardy_tensor_dim(tensor, 1) == 3);
  CHECK(shardy_tensor_dim(tensor, 2) == 0);
  CHECK(shardy_tensor_size(tensor) == sizeof values);
  CHECK(memcmp(shardy_tensor_data(tensor), values, sizeof values) == 0);
  CHECK(shardy_tensor_data(tensor) != (const void*)values); /* a copy */
  shardy_tensor_destroy(tensor);
  CHECK(shardy_tensor_make("0xf32", NULL, 0, &tensor, NULL) == SHARDY_OK);
  CHECK(shardy_tensor_size(tensor) == 0);
  shardy_tensor_destroy(tensor);
}

static void test_runs_that_are_refused(void) {
  shardy_program* const program = program_of(kProgram);
  shardy_tensor* inputs[3] = {NULL, NULL, NULL};
  shardy_tensor* outputs[2] = {NULL, NULL};
  const shardy_tensor* const* const given = (const shardy_tensor* const*)inputs;
  EXPECT(SHARDY_BAD_ARGUMENT, "room for 3 tensors, the program has 2 arguments",
         shardy_program_random_inputs(program, 1, inputs, 3, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "the list of tensors is NULL",
         shardy_program_random_inputs(program, 1, NULL, 2, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "room for 0 tensors",
         shardy_program_random_inputs(program, 1, NULL, 0, &diagnostics));
  CHECK(shardy_program_random_inputs(program, 1, inputs, 2, NULL) == SHARDY_OK);
  outputs[0] = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "room for 2 tensors, the program has 1 results",
         shardy_program_run(program, given, 2, NULL, outputs, 2, &diagnostics));
  CHECK(outputs[0] == NULL);
  EXPECT(SHARDY_BAD_ARGUMENT, "the list of tensors is NULL",
         shardy_program_run(program, given, 2, NULL, NULL, 1, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "the program has 2 arguments, got 1 inputs",
         shardy_program_run(program, given, 1, NULL, outputs, 1, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "inputs is NULL",
         shardy_program_run(program, NULL, 2, NULL, outputs, 1, &diagnostics));
  shardy_check* check = kOccupied;
  EXPECT(SHARDY_BAD_ARGUMENT, "out is NULL",
         shardy_program_check(program, given, 2, NULL, NULL, &diagnostics));
  EXPECT(SHARDY_BAD_ARGUMENT, "got 0 inputs",
         shardy_program_check(program, given, 0, NULL, &check, &diagnostics));
  CHECK(check == NULL);
  const shardy_options bad = {.size = sizeof bad, .num_threads = -1};
  EXPECT(SHARDY_BAD_ARGUMENT, "num_threads",
         shardy_program_run(program, given, 2, &bad, outputs, 1, &diagnostics));
  const shardy_options few = {.size = sizeof few, .max_bytes = 8};
  EXPECT(SHARDY_REFUSED, "", shardy_program_run(program, given, 2, &few, outputs, 1, &diagnostics));
  /* Inputs in the wrong order have wrong types. */
  shardy_tensor* const swapped[2] = {inputs[1], inputs[0]};
  EXPECT(SHARDY_REFUSED, "",
         shardy_program_run(program, (const shardy_tensor* const*)swapped, 2, NULL, outputs, 1,
                            &diagnostics));
  shardy_tensor* const dead = inputs[1];
  shardy_tensor_destroy(dead);
  EXPECT(SHARDY_BAD_HANDLE, "not a tensor: no live handle",
         shardy_program_run(program, given, 2, NULL, outputs, 1, &diagnostics));
  inputs[1] = NULL;
  EXPECT(SHARDY_BAD_HANDLE, "not a tensor: it is NULL",
         shardy_program_check(program, given, 2, NULL, &check, &diagnostics));
  shardy_tensor_destroy(inputs[0]);
  shardy_program_destroy(program);
}

/* A loop without an end stops at the limit, with its code. */
static void test_limits(void) {
  shardy_program* const program = program_of(
      "func.func @main(%a: tensor<i32>) -> tensor<i32> {\n"
      "  %0 = stablehlo.while(%i = %a) : tensor<i32>\n"
      "    cond {\n"
      "      %t = stablehlo.constant dense<true> : tensor<i1>\n"
      "      stablehlo.return %t : tensor<i1>\n"
      "    } do {\n"
      "      stablehlo.return %i : tensor<i32>\n"
      "    }\n"
      "  return %0 : tensor<i32>\n"
      "}\n");
  const int zero = 0;
  shardy_tensor* input = NULL;
  shardy_tensor* output = NULL;
  shardy_diagnostics* diagnostics = NULL;
  const shardy_options options = {.size = sizeof options, .max_steps = 1000};
  CHECK(shardy_tensor_make("i32", &zero, sizeof zero, &input, NULL) == SHARDY_OK);
  CHECK(shardy_program_run(program, (const shardy_tensor* const*)&input, 1, &options, &output, 1,
                           &diagnostics) == SHARDY_REFUSED);
  CHECK(strcmp(shardy_diagnostics_code(diagnostics, 0), "E_STEP_LIMIT") == 0);
  CHECK(output == NULL);
  shardy_diagnostics_destroy(diagnostics);
  shardy_tensor_destroy(input);
  shardy_program_destroy(program);
}

/* The sharded run, the run of the per-device program and a loop in C give the same. */
static void test_runs(void) {
  float a[8 * 16];
  float b[16 * 8];
  for (int i = 0; i < 8 * 16; ++i) a[i] = b[i] = (float)(i % 11 - 5);
  shardy_program* const program = program_of(kProgram);
  shardy_program* per_device = NULL;
  shardy_tensor* inputs[2] = {NULL, NULL};
  shardy_tensor* outputs[2] = {NULL, NULL};
  const shardy_tensor* const* const given = (const shardy_tensor* const*)inputs;
  CHECK(shardy_program_partition(program, NULL, &per_device, NULL) == SHARDY_OK);
  CHECK(shardy_tensor_make("8x16xf32", a, sizeof a, &inputs[0], NULL) == SHARDY_OK);
  CHECK(shardy_tensor_make("16x8xf32", b, sizeof b, &inputs[1], NULL) == SHARDY_OK);
  CHECK(shardy_program_run(program, given, 2, NULL, &outputs[0], 1, NULL) == SHARDY_OK);
  CHECK(shardy_program_run(per_device, given, 2, NULL, &outputs[1], 1, NULL) == SHARDY_OK);
  for (int each = 0; each < 2; ++each) {
    const float* const values = shardy_tensor_data(outputs[each]);
    CHECK(strcmp(shardy_tensor_type(outputs[each]), "tensor<8x8xf32>") == 0);
    for (int row = 0; values != NULL && row < 8; ++row) {
      for (int column = 0; column < 8; ++column) {
        float sum = 0; /* of small integers: exact in any order */
        for (int k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[k * 8 + column];
        CHECK(values[row * 8 + column] == sum);
      }
    }
  }
  shardy_check* check = NULL;
  EXPECT(SHARDY_REFUSED, "a check needs the program before partitioning",
         shardy_program_check(per_device, given, 2, NULL, &check, &diagnostics));
  const shardy_options thorough = {.size = sizeof thorough, .exact = 1, .wide = 1};
  CHECK(shardy_program_check(program, given, 2, &thorough, &check, NULL) == SHARDY_OK);
  CHECK(shardy_check_is_equal(check) == 1);
  CHECK(shardy_check_largest_difference(check) == 0);
  CHECK(shardy_check_num_devices(check) == 8);
  CHECK(strstr(shardy_check_text(check), "result 0: equal") != NULL);
  shardy_check_destroy(check);
  for (int each = 0; each < 2; ++each) {
    shardy_tensor_destroy(inputs[each]);
    shardy_tensor_destroy(outputs[each]);
  }
  shardy_program_destroy(per_device);
  shardy_program_destroy(program);
}

/* A `check` op that does not hold. */
static void test_failing_checks(void) {
  shardy_program* const program = program_of(
      "func.func @main() {\n"
      "  %0 = stablehlo.constant dense<1> : tensor<i32>\n"
      "  check.expect_eq_const %0, dense<2> : tensor<i32>\n"
      "  return\n"
      "}\n");
  shardy_diagnostics* diagnostics = NULL;
  CHECK(shardy_program_run(program, NULL, 0, NULL, NULL, 0, &diagnostics) == SHARDY_REFUSED);
  CHECK(strcmp(shardy_diagnostics_location(diagnostics, 0), "3:3") == 0);
  shardy_diagnostics_destroy(diagnostics);
  shardy_program_destroy(program);
}

static void test_no_main_function(void) {
  shardy_program* const program =
      program_of("func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}\n");
  CHECK(shardy_program_num_arguments(program) == 0);
  EXPECT(SHARDY_REFUSED, "the module has no main function",
         shardy_program_run(program, NULL, 0, NULL, NULL, 0, &diagnostics));
  EXPECT(SHARDY_REFUSED, "the module has no main function",
         shardy_program_random_inputs(program, 1, NULL, 0, &diagnostics));
  shardy_program_destroy(program);
}

int main(void) {
  test_versions();
  test_texts_that_are_no_programs();
  test_diagnostics();
  test_round_trips();
  test_ports();
  test_handles_that_are_none();
  test_options();
  test_stages();
  test_a_stage_that_refuses();
  test_explanations();
  test_plans_that_are_refused();
  test_plans();
  test_tensors();
  test_runs_that_are_refused();
  test_limits();
  test_runs();
  test_failing_checks();
  test_no_main_function();
  if (failures == 0) puts("all checks of shardy.h hold");
  return failures == 0 ? 0 : 1;
}
