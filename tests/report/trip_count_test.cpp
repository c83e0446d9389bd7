// Loops whose trip counts follow from their text: equal to the count of a run.
#include <optional>
#include <string>
#include <vector>

#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace trip_count_test {
namespace {

struct Loop {
  std::string type;  // of the counter
  std::string start;
  std::string test;  // of %i and %end
  std::string end;
  std::string step;  // of %i and %by
  std::string by;
};

ir::Module program(const Loop& loop) {
  const std::string type = "tensor<" + loop.type + ">";
  const std::string text =
      "func.func @main() -> " + type + " {\n  %start = stablehlo.constant dense<" + loop.start +
      "> : " + type + "\n  %limit = stablehlo.constant dense<" + loop.end + "> : " + type +
      "\n  %0:2 = stablehlo.while(%i = %start, %end = %limit) : " + type + ", " + type +
      "\n  cond {\n    %t = stablehlo.compare " + loop.test + " : (" + type + ", " + type +
      ") -> tensor<i1>\n    stablehlo.return %t : tensor<i1>\n  } do {\n    %by = "
      "stablehlo.constant dense<" +
      loop.by + "> : " + type + "\n    %n = stablehlo." + loop.step + " : " + type +
      "\n    stablehlo.return %n, %end : " + type + ", " + type + "\n  }\n  return %0#0 : " + type +
      "\n}\n";
  auto module = text::parse_mlir(text);
  INFO(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

std::optional<int64_t> counted(const ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::While)) return ir::trip_count(module, op);
  }
  return std::nullopt;
}

/// The additions that a run does, if it ends.
std::optional<int64_t> run(const ir::Module& module) {
  int64_t steps = 0;
  simulation::RunOptions options{.num_workers = 1};
  options.observer = [&](const simulation::OpEvent& event) {
    const ir::OpKind kind = module.kind(event.op);
    if (kind == ir::OpKind::Add || kind == ir::OpKind::Subtract) ++steps;
  };
  simulation::RunContext context;
  context.limits.max_iterations = 1000;
  if (!simulation::run_global(module, "main", {}, options, context)) return std::nullopt;
  return steps;
}

TEST_CASE("a counting loop runs its modelled trip count", "[report][trip_count]") {
  int known = 0;
  for (const std::string type : {"i32", "ui8", "i8"}) {
    for (const std::string direction : {"LT", "LE", "GT", "GE", "NE", "EQ"}) {
      for (const bool is_left : {true, false}) {
        for (const int start : {0, 3, 10}) {
          for (const int end : {0, 3, 9, 10}) {
            for (const int by : {0, 1, 3}) {
              for (const std::string step : {"add %i, %by", "add %by, %i", "subtract %i, %by"}) {
                const Loop loop{type,
                                std::to_string(start),
                                direction + (is_left ? ", %i, %end" : ", %end, %i"),
                                std::to_string(end),
                                step,
                                std::to_string(by)};
                const ir::Module module = program(loop);
                const auto modelled = counted(module);
                const auto ran = run(module);
                CAPTURE(type, loop.test, start, end, step, by);
                if (modelled) {
                  CHECK(ran == modelled);
                  ++known;
                } else {
                  // Only loops that never end, or wrap around before they do, have no trip count.
                  const int64_t last = start + (step[0] == 'a' ? by : -by) * ran.value_or(0);
                  const int64_t least = type == "ui8" ? 0 : type == "i8" ? -128 : INT32_MIN;
                  const int64_t most = type == "ui8" ? 255 : type == "i8" ? 127 : INT32_MAX;
                  CHECK((!ran || last < least || last > most));
                }
              }
            }
          }
        }
      }
    }
  }
  CHECK(known > 1000);
}

TEST_CASE("loops without a counter have no trip count", "[report][trip_count]") {
  const std::vector<Loop> loops = {
      {"f32", "0.0", "LT, %i, %end", "4.0", "add %i, %by", "1.0"},
      {"i32", "1", "LT, %i, %end", "9", "multiply %i, %by", "2"},
      {"i32", "0", "LT, %end, %end", "9", "add %i, %by", "2"},
      {"i32", "0", "LT, %i, %end", "9", "subtract %by, %i", "2"},
  };
  for (const Loop& loop : loops) {
    CAPTURE(loop.test, loop.step);
    CHECK_FALSE(counted(program(loop)).has_value());
  }
}

}  // namespace

}  // namespace trip_count_test
