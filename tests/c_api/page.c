/* The code of docs/c_api.md: C99, and nothing but shardy.h. */
#include <shardy/shardy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [errors] */
/* Prints the diagnostics and exits. */
static void expect_ok(shardy_status status, shardy_diagnostics* diagnostics) {
  if (status != SHARDY_OK) {
    fprintf(stderr, "%s\n%s", shardy_status_text(status), shardy_diagnostics_text(diagnostics));
    exit(1);
  }
  shardy_diagnostics_destroy(diagnostics); /* warnings and notes, if any */
}
/* [errors] */

/* [program] */
static const char* const kText =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>},\n"
    "                %b: tensor<16x6xf32>) -> tensor<8x6xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "      : (tensor<8x16xf32>, tensor<16x6xf32>) -> tensor<8x6xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<8x6xf32>\n"
    "  return %1 : tensor<8x6xf32>\n"
    "}\n";

static shardy_program* read_program(void) {
  shardy_program* program = NULL;
  shardy_diagnostics* diagnostics = NULL;
  const shardy_status status =
      shardy_program_parse(kText, strlen(kText), "model.mlir", SHARDY_AUTO, &program, &diagnostics);
  expect_ok(status, diagnostics);
  return program;
}
/* [program] */

/* [stages] */
static void print_stages(const shardy_program* program) {
  shardy_program* propagated = NULL;
  shardy_program* per_device = NULL;
  shardy_text* text = NULL;
  shardy_diagnostics* diagnostics = NULL;
  expect_ok(shardy_program_propagate(program, &propagated, &diagnostics), diagnostics);
  printf("result: %s\n", shardy_program_result_sharding(propagated, 0));

  const shardy_options options = {.size = sizeof options, .axis_cost = "x=ring:100GB/s:1us"};
  expect_ok(shardy_program_partition(program, &options, &per_device, &diagnostics), diagnostics);
  printf("argument 0 of a device: %s\n", shardy_program_argument_type(per_device, 0));
  expect_ok(shardy_program_print(per_device, SHARDY_MLIR, &text, &diagnostics), diagnostics);
  printf("%s", shardy_text_data(text));

  shardy_text_destroy(text);
  shardy_program_destroy(per_device);
  shardy_program_destroy(propagated);
}
/* [stages] */

/* [explain] */
/* Prints the decisions that led to each axis of each value, the annotation last. */
static void print_explanation(const shardy_program* program) {
  shardy_explanation* why = NULL;
  shardy_diagnostics* diagnostics = NULL;
  expect_ok(shardy_program_explain(program, &why, &diagnostics), diagnostics);
  for (size_t value = 0; value < shardy_explanation_num_values(why); ++value) {
    printf("%s: %s\n", shardy_explanation_value(why, value, SHARDY_VALUE_NAME),
           shardy_explanation_value(why, value, SHARDY_VALUE_SHARDING));
    for (size_t axis = 0; axis < shardy_explanation_num_axes(why, value); ++axis) {
      printf("  dim %zu has %s:", shardy_explanation_axis_dim(why, value, axis),
             shardy_explanation_axis(why, value, axis));
      const size_t count = shardy_explanation_num_decisions(why, value, axis);
      for (size_t decision = 0; decision < count; ++decision) {
        printf(" %s %s",
               shardy_explanation_decision(why, value, axis, decision, SHARDY_DECISION_KIND),
               shardy_explanation_decision(why, value, axis, decision, SHARDY_DECISION_FROM));
      }
      printf("\n");
    }
  }
  shardy_explanation_destroy(why);
}
/* [explain] */

/* [reshard] */
static void print_plan(void) {
  const shardy_reshard reshard = {.size = sizeof reshard,
                                  .mesh = "<[\"x\"=2, \"y\"=4]>",
                                  .type = "tensor<24x24xf32>",
                                  .from = "[{\"x\"}, {\"y\"}]",
                                  .to = "[{\"y\"}, {}]"};
  shardy_plan* plan = NULL;
  shardy_diagnostics* diagnostics = NULL;
  expect_ok(shardy_plan_reshard(&reshard, NULL, &plan, &diagnostics), diagnostics);
  for (size_t step = 0; step < shardy_plan_num_steps(plan); ++step) {
    printf("%s\n  %s, %lld bytes sent\n", shardy_plan_step(plan, step),
           shardy_plan_step_type(plan, step), (long long)shardy_plan_step_cost(plan, step).bytes);
  }
  shardy_plan_destroy(plan);
}
/* [reshard] */

/* [run] */
/* Runs the program on eight simulated devices; it has one result. */
static void run(const shardy_program* program) {
  float a[8 * 16];
  float b[16 * 6];
  for (int i = 0; i < 8 * 16; ++i) a[i] = (float)(i % 7) / 8;
  for (int i = 0; i < 16 * 6; ++i) b[i] = (float)(i % 5) / 8;
  shardy_tensor* inputs[2] = {NULL, NULL};
  shardy_tensor* output = NULL;
  shardy_diagnostics* diagnostics = NULL;
  expect_ok(shardy_tensor_make("8x16xf32", a, sizeof a, &inputs[0], &diagnostics), diagnostics);
  expect_ok(shardy_tensor_make("16x6xf32", b, sizeof b, &inputs[1], &diagnostics), diagnostics);
  expect_ok(shardy_program_run(program, (const shardy_tensor* const*)inputs, 2, NULL, &output, 1,
                               &diagnostics),
            diagnostics);
  const float* const values = shardy_tensor_data(output);
  printf("%s, the first is %.3f\n", shardy_tensor_type(output), (double)values[0]);
  shardy_tensor_destroy(output);
  shardy_tensor_destroy(inputs[0]);
  shardy_tensor_destroy(inputs[1]);
}
/* [run] */

/* [check] */
/* Checks the results against the unsharded run. */
static int check(const shardy_program* program) {
  shardy_tensor* inputs[2] = {NULL, NULL};
  shardy_check* result = NULL;
  shardy_diagnostics* diagnostics = NULL;
  expect_ok(shardy_program_random_inputs(program, 1, inputs, 2, &diagnostics), diagnostics);
  expect_ok(shardy_program_check(program, (const shardy_tensor* const*)inputs, 2, NULL, &result,
                                 &diagnostics),
            diagnostics);
  const int is_equal = shardy_check_is_equal(result);
  printf("%zu devices, equal to the unsharded run: %s\n", shardy_check_num_devices(result),
         is_equal ? "yes" : "no");
  shardy_check_destroy(result);
  shardy_tensor_destroy(inputs[0]);
  shardy_tensor_destroy(inputs[1]);
  return is_equal;
}
/* [check] */

int main(void) {
  shardy_program* const program = read_program();
  print_stages(program);
  print_explanation(program);
  print_plan();
  run(program);
  const int is_equal = check(program);
  shardy_program_destroy(program);
  return is_equal ? 0 : 1;
}
