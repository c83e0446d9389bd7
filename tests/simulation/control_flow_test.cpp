// Loops, branches, calls, values that only pass through, custom calls, and what is refused.
// Spec: stablehlo 28, 32, 36.
#include "simulation/run_text.hpp"

namespace shardy_test::control_flow_test {
namespace {

using shardy::fail;
using shardy::Result;
using shardy::simulation::ForeignCall;
using shardy::simulation::RunContext;
using shardy::simulation::RunOptions;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;

TEST_CASE("case runs the branch of its index, or the last branch if out of range",
          "[simulation][control]") {
  const auto [index, value] = GENERATE(table<std::string, std::string>(
      {{"0", "10"}, {"1", "11"}, {"2", "12"}, {"3", "12"}, {"-1", "12"}, {"-2147483648", "12"}}));
  CAPTURE(index);
  check_passes(main_of("  %i = stablehlo.constant dense<" + index + "> : tensor<i32>\n" + R"(
  %a = stablehlo.constant dense<10> : tensor<i64>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<i64>
  }, {
    %c = stablehlo.constant dense<11> : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }, {
    %c = stablehlo.constant dense<12> : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }) : (tensor<i32>) -> tensor<i64>
)" + "  check.expect_eq_const %0, dense<" +
                       value + "> : tensor<i64>\n"),
               1);
}

TEST_CASE("branches may use outer values and may be nested", "[simulation][control]") {
  check_passes(main_of(R"(
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0:2 = "stablehlo.if"(%true) ({
    %1 = "stablehlo.if"(%false) ({
      stablehlo.return %x : tensor<2xi32>
    }, {
      %2 = stablehlo.add %x, %x : tensor<2xi32>
      stablehlo.return %2 : tensor<2xi32>
    }) : (tensor<i1>) -> tensor<2xi32>
    stablehlo.return %1, %x : tensor<2xi32>, tensor<2xi32>
  }, {
    stablehlo.return %x, %x : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<i1>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[1, 2]> : tensor<2xi32>
)"),
               2);
}

TEST_CASE("a loop carries the values that its body returns", "[simulation][control]") {
  // Fibonacci numbers, the carried values change places.
  check_passes(main_of(R"(
  %c0 = stablehlo.constant dense<0> : tensor<i64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<50> : tensor<i64>
  %0:3 = stablehlo.while(%i = %c0, %a = %c0, %b = %c1) : tensor<i64>, tensor<i64>, tensor<i64> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c1 : tensor<i64>
    %2 = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %1, %b, %2 : tensor<i64>, tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %0#1, dense<12586269025> : tensor<i64>
)"),
               1);
}

TEST_CASE("loops may be nested and may swap carried values", "[simulation][control]") {
  // x, y: 1, 0; 0, 2; 2, 0; 0, 16; 16, 0.
  check_passes(main_of(R"(
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %x = %c1, %y = %c0) : tensor<i32>, tensor<i32>, tensor<i32> cond {
    %1 = stablehlo.compare LT, %i, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %c0, %s = %x) : tensor<i32>, tensor<i32> cond {
      %3 = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.add %j, %c1 : tensor<i32>
      %4 = stablehlo.add %s, %s : tensor<i32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
    }
    %2 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %2, %y, %1#1 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#0, dense<4> : tensor<i32>
  check.expect_eq_const %0#1, dense<16> : tensor<i32>
  check.expect_eq_const %0#2, dense<0> : tensor<i32>
)"),
               3);
}

TEST_CASE("a loop ends at its iteration limit with an error", "[simulation][control]") {
  const std::string text = main_of(R"(
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.while(%i = %c0) : tensor<i32> cond {
    %1 = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  check.expect_eq_const %0, dense<5> : tensor<i32>
)");
  check_passes(text, 1, {}, {.limits = {.max_iterations = 5}});
  CHECK(error_of(text, {}, {.limits = {.max_iterations = 4}}) ==
        "6:8: E_STEP_LIMIT: while exceeded 4 iterations");
}

TEST_CASE("a composite runs its decomposition", "[simulation][control]") {
  check_passes(R"(
func.func private @twice(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %x, %y : tensor<2xi32>
  %1 = stablehlo.add %0, %y : tensor<2xi32>
  return %1 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %0 = stablehlo.composite "my.op" %x, %y {composite_attributes = {n = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[21, 42]> : tensor<2xi32>
  return
}
)",
               1);
}

TEST_CASE("a composite without decomposition is an error", "[simulation][control]") {
  CHECK(error_of(main_of(R"(
  %x = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.composite "my.op" %x {decomposition = @nowhere} : (tensor<i32>) -> tensor<i32>
)")) == "4:8: stablehlo.composite: unknown function @nowhere");
}

TEST_CASE("regions may call functions", "[simulation][control]") {
  check_passes(R"(
func.func private @more(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %b : tensor<i32>
  %1 = stablehlo.multiply %0, %b : tensor<i32>
  return %1 : tensor<i32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %1 = func.call @more(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  check.expect_eq_const %0, dense<27> : tensor<i32>
  return
}
)",
               1);  // (0 + 1) 1 = 1, (1 + 2) 2 = 6, (6 + 3) 3 = 27
}

TEST_CASE("tuples and tokens pass through calls, loops and barriers", "[simulation][control]") {
  check_passes(R"(
func.func private @swap(%t: tuple<tensor<i32>, tensor<2xf32>>, %k: !stablehlo.token) -> (tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token) {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<2xf32>
  %2 = stablehlo.tuple %1, %0 : tuple<tensor<2xf32>, tensor<i32>>
  return %2, %k : tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token
}
func.func @main() {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %k = stablehlo.create_token : !stablehlo.token
  %t = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<2xf32>>
  %0:2 = call @swap(%t, %k) : (tuple<tensor<i32>, tensor<2xf32>>, !stablehlo.token) -> (tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token)
  %1 = stablehlo.after_all %0#1, %k : !stablehlo.token
  %2:2 = stablehlo.optimization_barrier %0#0, %1 : tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token
  %3 = stablehlo.get_tuple_element %2#0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %3, dense<7> : tensor<i32>
  return
}
)",
               1);
}

TEST_CASE("a future has the result of its body", "[simulation][control]") {
  check_passes(main_of(R"(
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%arg0: tensor<2xi32>):
    %2 = stablehlo.add %arg0, %arg0 : tensor<2xi32>
    stablehlo.return %2 : tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[2, 4]> : tensor<2xi32>
)"),
               1);
}

// ---- Custom calls ------------------------------------------------------------------------------

// 0.1 is 0x3FB999999999999A; the f32 below is 0x3DCCCCCD, which is 1.4901161194e-9 too large.
TEST_CASE("64-bit integers are split into words, and 64-bit floats into f32 pairs",
          "[simulation][control]") {
  check_passes(main_of(R"(
  %i = stablehlo.constant dense<[-1, 4294967298]> : tensor<2xi64>
  %il = stablehlo.custom_call @X64SplitLow(%i) : (tensor<2xi64>) -> tensor<2xui32>
  %ih = stablehlo.custom_call @X64SplitHigh(%i) : (tensor<2xi64>) -> tensor<2xui32>
  check.expect_eq_const %il, dense<[4294967295, 2]> : tensor<2xui32>
  check.expect_eq_const %ih, dense<[4294967295, 1]> : tensor<2xui32>
  %ic = stablehlo.custom_call @X64Combine(%il, %ih) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi64>
  check.expect_eq %ic, %i : tensor<2xi64>
  %f = stablehlo.constant dense<[0x3FB999999999999A, 0x7FF0000000000000]> : tensor<2xf64>
  %fl = stablehlo.custom_call @X64SplitLow(%f) : (tensor<2xf64>) -> tensor<2xui32>
  %fh = stablehlo.custom_call @X64SplitHigh(%f) : (tensor<2xf64>) -> tensor<2xui32>
  check.expect_eq_const %fl, dense<[2576980378, 0]> : tensor<2xui32>
  check.expect_eq_const %fh, dense<[1069128089, 2146435072]> : tensor<2xui32>
  %fc = stablehlo.custom_call @X64Combine(%fl, %fh) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xf64>
  check.expect_eq %fc, %f : tensor<2xf64>
  %gl = stablehlo.custom_call @X64SplitLow(%f) : (tensor<2xf64>) -> tensor<2xf32>
  %gh = stablehlo.custom_call @X64SplitHigh(%f) : (tensor<2xf64>) -> tensor<2xf32>
  check.expect_eq_const %gh, dense<[0x3DCCCCCD, 0x7F800000]> : tensor<2xf32>
  check.expect_eq_const %gl, dense<[0xB0CCCCCD, 0]> : tensor<2xf32>
  %gc = stablehlo.custom_call @X64Combine(%gl, %gh) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  check.expect_almost_eq %gc, %f : tensor<2xf64>
)"),
               9);
}

TEST_CASE("known custom calls have kernels", "[simulation][control]") {
  check_passes(main_of(R"(
  %x = stablehlo.constant dense<[1, 4294967295]> : tensor<2xui32>
  %y = stablehlo.constant dense<[0, 2]> : tensor<2xui32>
  %0 = stablehlo.custom_call @X64Combine(%x, %y) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  check.expect_eq_const %0, dense<[1, 12884901887]> : tensor<2xui64>
  %1 = stablehlo.custom_call @X64SplitLow(%0) : (tensor<2xui64>) -> tensor<2xui32>
  %2 = stablehlo.custom_call @X64SplitHigh(%0) : (tensor<2xui64>) -> tensor<2xui32>
  check.expect_eq %1, %x : tensor<2xui32>
  check.expect_eq %2, %y : tensor<2xui32>
  %3 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xui32>) -> tensor<2xui32>
  %4 = stablehlo.custom_call @annotate_device_placement(%3) : (tensor<2xui32>) -> tensor<2xui32>
  check.expect_eq %4, %x : tensor<2xui32>
  %5 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%4) {has_side_effect = true} : (tensor<2xui32>) -> tensor<2xui32>
  check.expect_eq %5, %x : tensor<2xui32>
)"),
               5);
}

TEST_CASE("a false shape assertion ends the run with its message", "[simulation][control]") {
  const auto asserting = [](const std::string& operands, const std::string& types,
                            const std::string& message) {
    return main_of(R"(
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<-7> : tensor<i64>
  %y = stablehlo.constant dense<8> : tensor<i32>
  %z = stablehlo.constant dense<1.5> : tensor<f32>
  %none = stablehlo.constant dense<> : tensor<0xi64>
  stablehlo.custom_call @shape_assertion()" +
                   operands + ") {api_version = 2 : i32" + message +
                   ", has_side_effect = true} : (" + types + R"() -> ()
  check.expect_eq_const %y, dense<8> : tensor<i32>
)");
  };
  const std::string message = R"(, error_message = "b >= 1, not {0}; {1} of {0}, {2}")";
  const std::string types = "tensor<i1>, tensor<i64>, tensor<i32>";
  check_passes(asserting("%true, %x, %y", types, message), 1);
  CHECK(error_of(asserting("%false, %x, %y", types, message)) ==
        "9:3: E_KERNEL: shape_assertion: b >= 1, not -7; 8 of -7, {2}");
  CHECK(error_of(asserting("%false", "tensor<i1>", R"(, error_message = "no")")) ==
        "9:3: E_KERNEL: shape_assertion: no");
  const std::string unlike =
      "9:3: stablehlo.custom_call: takes a tensor<i1> and integers of rank 0";
  CHECK(error_of(asserting("", "", message)) == unlike);
  CHECK(error_of(asserting("%x", "tensor<i64>", message)) == unlike);
  CHECK(error_of(asserting("%true, %z", "tensor<i1>, tensor<f32>", message)) == unlike);
  CHECK(error_of(asserting("%true, %none", "tensor<i1>, tensor<0xi64>", message)) == unlike);
  CHECK(error_of(asserting("%true", "tensor<i1>", "")) ==
        "9:3: stablehlo.custom_call: requires attribute 'error_message'");
}

TEST_CASE("the embedder can add kernels of custom calls", "[simulation][control]") {
  RunContext context;
  context.kernels.custom_calls["double"] = [](const ForeignCall& call) -> Result<Tensors> {
    if (call.operands.size() != 1) return fail("takes one operand");
    std::vector<double> values = call.operands[0].to_doubles();
    for (double& value : values) value *= 2;
    const auto result = Tensor::from_doubles(call.result_types[0], values);
    if (!result) return tl::unexpected(result.error());
    return Tensors{*result};
  };
  const std::string text = main_of(R"(
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[2.0, 4.0]> : tensor<2xf32>
)");
  check_passes(text, 1, {}, context);
  CHECK(error_of(text) == "4:8: unsupported custom call: double");
}

TEST_CASE("an unknown custom call without results is skipped", "[simulation][control]") {
  const std::string text = main_of(R"(
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  check.expect_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32>
)");
  check_passes(text, 1);
  RunContext context;
  int64_t calls = 0;
  context.kernels.custom_calls["log"] = [&](const ForeignCall& call) -> Result<Tensors> {
    calls += static_cast<int64_t>(call.operands.size());
    return Tensors{};
  };
  check_passes(text, 1, {}, context);
  CHECK(calls == 1);
}

TEST_CASE("the result of a custom call must have the declared types", "[simulation][control]") {
  RunContext context;
  context.kernels.custom_calls["same"] = [](const ForeignCall& call) -> Result<Tensors> {
    return Tensors(call.operands.begin(), call.operands.end());
  };
  CHECK(error_of(main_of(R"(
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @same(%x) : (tensor<2xf32>) -> tensor<2xf64>
)"),
                 {}, context) ==
        "4:8: E_KERNEL: stablehlo.custom_call: the kernel of same gave results of other types "
        "than declared");
}

// ---- Dynamic ops with static types -------------------------------------------------------------

TEST_CASE("dynamic ops with static results run as the static ops", "[simulation][control]") {
  check_passes(main_of(R"(
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [1, 2], [1, 2]]> : tensor<3x2xi32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %1, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  %t = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %2 = stablehlo.dynamic_reshape %1, %t : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %2, dense<[[0, 0, 1], [1, 2, 2]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %high = stablehlo.constant dense<-1> : tensor<1xi64>
  %mid = stablehlo.constant dense<2> : tensor<1xi64>
  %3 = stablehlo.dynamic_pad %x, %v, %low, %high, %mid : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi32>
  check.expect_eq_const %3, dense<[9, 1, 9, 9]> : tensor<4xi32>
)"),
               4);
}

TEST_CASE("the shape operand must equal the static shape", "[simulation][control]") {
  const std::string error = error_of(main_of(R"(
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<3x2xi32>
)"));
  CHECK(error ==
        "4:8: E_KERNEL: stablehlo.dynamic_iota: the shape operand is not that of the result type "
        "tensor<3x2xi32>");
}

// ---- Out of scope ------------------------------------------------------------------------------

TEST_CASE("an unsupported op is an error with its name and location", "[simulation][control]") {
  const auto [body, message] = GENERATE(table<std::string, std::string>({
      {"%0 = stablehlo.create_token : !stablehlo.token\n"
       "  %1 = \"stablehlo.send\"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
       "type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token\n",
       "3:8: stablehlo.send: host transfer is not supported"},
      {"%0 = stablehlo.create_token : !stablehlo.token\n"
       "  %1:2 = \"stablehlo.infeed\"(%0) <{infeed_config = \"\"}> : (!stablehlo.token) -> "
       "(tensor<i32>, !stablehlo.token)\n",
       "3:10: stablehlo.infeed: host transfer is not supported"},
      {"%0 = \"my.op\"() : () -> tensor<i32>\n", "2:8: unsupported op my.op"},
      {"%0 = stablehlo.custom_call @unknown() : () -> tensor<i32>\n",
       "2:8: unsupported custom call: unknown"},
  }));
  CAPTURE(body);
  CHECK(error_of(main_of("  " + body)) == message);
}

TEST_CASE("exceeding the memory limit is an error of the op", "[simulation][control]") {
  CHECK(error_of(main_of("  %0 = stablehlo.iota dim = 0 : tensor<1000xf32>\n"), {},
                 {.limits = {.max_bytes = 1000}}) ==
        "2:8: E_MEMORY_LIMIT: more than 1000 bytes are live");
}

}  // namespace
}  // namespace shardy_test::control_flow_test
