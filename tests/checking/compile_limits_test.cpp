// Cancellation, deadline and memory of a compilation, in all of its phases.
#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/propagation/problem.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::checking::compile_limits_test {
namespace {

/// A chain of products, each with a transposed result, under annotations that need reshards.
ir::Module chain(int layers) {
  const std::string x = "tensor<64x128xf32>";
  const std::string w = "tensor<128x128xf32>";
  const std::string shardings[] = {R"([{?}, {"y", ?}])", R"([{"y", ?}, {"z", ?}])", R"([{?}, {?}])",
                                   R"([{"z", ?}, {?}])"};
  std::string text = R"(sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%m: )" +
                     x + R"( {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})";
  for (int layer = 0; layer < layers; ++layer) {
    text += ", %w" + std::to_string(layer) + ": " + w + " {sdy.sharding = #sdy.sharding<@mesh, " +
            shardings[layer % 4] + ">}";
  }
  text += ") -> " + x + " {\n";
  std::string last = "%m";
  for (int layer = 0; layer < layers; ++layer) {
    const std::string number = std::to_string(layer);
    text += "%d" + number + " = stablehlo.dot_general " + last + ", %w" + number +
            ", contracting_dims = [1] x [0] : (" + x + ", " + w + ") -> " + x + "\n%t" + number +
            " = stablehlo.transpose %d" + number + ", dims = [1, 0] : (" + x +
            ") -> tensor<128x64xf32>\n%r" + number + " = stablehlo.reshape %t" + number +
            " : (tensor<128x64xf32>) -> " + x + "\n%s" + number + " = stablehlo.add %r" + number +
            ", " + last + " : " + x + "\n";
    last = "%s" + number;
  }
  return text::parse_mlir(text + "return " + last + " : " + x + "\n}").value();
}

/// The code and the message of the error; "(no error)" without one.
std::string error_of(const DiagnosedResult<CompiledProgram>& result) {
  return result ? "(no error)" : result.error().front().headline();
}

std::string error_of(const ir::Module& module, const WorkLimits& limits,
                     const Context& context = {}) {
  return error_of(compile(module, {.limits = limits}, context));
}

TEST_CASE("limits that are not exceeded do not change the compiled program", "[checking][limits]") {
  const ir::Module module = chain(4);
  const std::atomic<bool> cancel = false;
  const auto plain = compile(module);
  const auto limited = compile(module, {.limits = {.cancel = &cancel,
                                                   .deadline_ns = steady_time_ns(3600),
                                                   .max_bytes = int64_t{1} << 40}});
  REQUIRE(plain);
  REQUIRE(limited);
  CHECK(text::to_mlir(plain->program) == text::to_mlir(limited->program));
  CHECK(plain->rewrites == limited->rewrites);
}

TEST_CASE("a cancelled compilation names the phase in which it ended", "[checking][limits]") {
  const ir::Module module = chain(4);
  std::atomic<bool> cancel = false;
  const auto cancelled = [&](const std::function<void(Context&)>& extend) {
    cancel = false;
    Context context;
    extend(context);
    return error_of(module, {.cancel = &cancel}, context);
  };
  CHECK(cancelled([](Context&) {}) == "(no error)");
  CHECK(cancelled([&](Context&) { cancel = true; }) == "E_CANCELLED: import was cancelled");
  CHECK(cancelled([&](Context& context) {
          context.extensions.propagation.compatible_axes =
              [&](const propagation::FactorQuery& query) {
                cancel = true;
                return propagation::default_compatible_axes(query);
              };
        }) == "E_CANCELLED: propagation was cancelled");
  CHECK(cancelled([&](Context& context) {
          context.extensions.plan_reshard = [&](const TensorSize& tensor,
                                                const TensorSharding& from,
                                                const TensorSharding& to, const BoundAxes&) {
            cancel = true;
            return plan_reshard(tensor.shape, from, to);
          };
        }) == "E_CANCELLED: planning of collectives was cancelled");
}

TEST_CASE("a lowering that cancels the compilation ends it during partitioning",
          "[checking][limits]") {
  const ir::Module module = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = "test.same"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})")
                                .value();
  std::atomic<bool> cancel = false;
  Context context;
  const Status added =
      context.add_op({.name = "test.same",
                      .rule = rules::einsum_maker("i -> i").value(),
                      .lower = [&](partitioning::OpLowering& op) -> Status {
                        cancel = true;
                        op.set_result(0, op.operand(0, op.operand_axes(0)), op.operand_axes(0));
                        return {};
                      }});
  REQUIRE(added);
  CHECK(error_of(module, {}, context) == "(no error)");
  cancel = false;
  CHECK(error_of(module, {.cancel = &cancel}, context) ==
        "E_CANCELLED: partitioning was cancelled");
}

TEST_CASE("another thread cancels a compilation", "[checking][limits]") {
  const ir::Module module = chain(1000);
  std::atomic<bool> has_begun = false;
  std::atomic<bool> cancel = false;
  std::atomic<int64_t> cancelled_ns = 0;
  Context context;
  context.extensions.propagation.compatible_axes = [&](const propagation::FactorQuery& query) {
    has_begun = true;
    return propagation::default_compatible_axes(query);
  };
  std::thread other([&] {
    while (!has_begun) std::this_thread::yield();
    cancelled_ns = steady_time_ns();
    cancel = true;
  });
  const std::string error = error_of(module, {.cancel = &cancel}, context);
  const int64_t ended_ns = steady_time_ns();
  other.join();
  CHECK(error.starts_with("E_CANCELLED: "));
  // Some milliseconds; the bound leaves room for sanitizers and busy machines.
  CHECK(ended_ns - cancelled_ns < int64_t{2'000'000'000});
}

TEST_CASE("a compilation ends soon after its deadline", "[checking][limits]") {
  const ir::Module module = chain(1000);
  const int64_t begun_ns = steady_time_ns();
  REQUIRE(compile(module));
  const int64_t whole_ns = steady_time_ns() - begun_ns;
  CHECK(error_of(module, {.deadline_ns = steady_time_ns()}) ==
        "E_DEADLINE: import did not end before its deadline");
  const int64_t limited_ns = steady_time_ns();
  const std::string error = error_of(module, {.deadline_ns = limited_ns + whole_ns / 4});
  CHECK(error.starts_with("E_DEADLINE: "));
  CHECK(steady_time_ns() - limited_ns < whole_ns);
}

TEST_CASE("a compilation that exceeds its memory limit names the phase", "[checking][limits]") {
  const ir::Module module = chain(50);
  std::set<std::string> errors;
  bool has_ended = false;
  for (int64_t bytes = 1000; bytes < int64_t{1} << 30; bytes += bytes / 5) {
    CAPTURE(bytes);
    const std::string error = error_of(module, {.max_bytes = bytes});
    if (error == "(no error)") {
      has_ended = true;
      continue;
    }
    CHECK(!has_ended);  // a larger limit suffices as well
    const std::string end =
        " needs more than " + std::to_string(bytes) + " bytes; the limit is max_bytes";
    REQUIRE(error.ends_with(end));
    errors.insert(error.substr(0, error.size() - end.size()));
  }
  CHECK(has_ended);
  CHECK(errors.contains("E_MEMORY_LIMIT: import"));
  CHECK(errors.contains("E_MEMORY_LIMIT: optimization"));
  CHECK(errors.size() >= 3);
}

TEST_CASE("the search for a reshard plan ends at its limits", "[checking][limits]") {
  const Mesh mesh = Mesh::make({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}}).value();
  const auto sharding = [&](const char* text) { return TensorSharding::parse(mesh, text).value(); };
  const std::vector<int64_t> shape = {16, 16, 16};
  const TensorSize tensor{shape, 4};
  const auto plan = [&](const WorkLimits& limits) {
    LimitChecker checker(limits);
    const auto found =
        plan_best_reshard(tensor, sharding("P(('a', 'b'), 'c', 'd')"),
                          sharding("P('d', ('b', 'c'), 'a')"), BoundAxes::none(), {}, &checker);
    return found ? "(no error)" : found.error().headline();
  };
  const std::atomic<bool> cancel = true;
  CHECK(plan({}) == "(no error)");
  CHECK(plan({.cancel = &cancel}) == "E_CANCELLED: planning of collectives was cancelled");
  CHECK(plan({.max_bytes = 1}) ==
        "E_MEMORY_LIMIT: planning of collectives needs more than 1 bytes; the limit is max_bytes");
}

TEST_CASE("a permute, 100,000 ops and an all-to-all are compiled", "[checking][limits]") {
  const std::string type = " : tensor<8x8xf32>\n";
  std::string text = R"(sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
%v0 = sdy.sharding_constraint %a <@m, [{"y"}, {}]>)" +
                     type;
  constexpr int kOps = 100'000;
  for (int op = 0; op < kOps; ++op) {
    text += "%v" + std::to_string(op + 1) + " = stablehlo.tanh %v" + std::to_string(op) + type;
  }
  text += "%r = sdy.sharding_constraint %v" + std::to_string(kOps) + " <@m, [{\"y\"}, {}]>" + type;
  const auto module = text::parse_mlir(text + "return %r" + type + "}");
  REQUIRE(module.has_value());
  const auto compiled = compile(*module);
  REQUIRE(compiled.has_value());
  CHECK(compiled->program.num_ops() > kOps);
}

}  // namespace
}  // namespace shardy::checking::compile_limits_test
