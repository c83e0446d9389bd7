// Calls that once made values that do not exist, or read memory of others: each ends in the handler
// of contracts or in an error.
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/propagation/problem_builder.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/rules/shape.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::wrong_calls_test {
namespace {

struct Violated {
  std::string condition;
};

/// While it lives, a call that a caller got wrong throws.
class ThrowingHandler {
 public:
  ThrowingHandler()
      : former_(set_contract_handler(
            [](const ContractViolation& violation) { throw Violated{violation.condition}; })) {}
  ~ThrowingHandler() { set_contract_handler(former_); }
  ThrowingHandler(const ThrowingHandler&) = delete;
  ThrowingHandler& operator=(const ThrowingHandler&) = delete;

 private:
  ContractHandler former_;
};

Mesh mesh() { return *Mesh::make({{"x", 2}, {"y", 4}}, {}); }
TensorSharding open_sharding() { return TensorSharding::fully_open(mesh(), "m", 2); }

TEST_CASE("a sharding cannot use an axis twice") {
  const ThrowingHandler handler;
  const AxisRef x{0, 1, 2};
  CHECK_THROWS_AS(open_sharding().with_dim_axes({{x}, {x}}), Violated);
  CHECK_THROWS_AS(TensorSharding::closed({mesh(), "m"}, {{x}, {x}}), Violated);
  CHECK_NOTHROW(open_sharding().with_dim_axes({{x}, {}}));
}

TEST_CASE("a sharding cannot use axes outside of its mesh") {
  const ThrowingHandler handler;
  CHECK_THROWS_AS(TensorSharding::closed({mesh(), "m"}, {{AxisRef{7, 1, 2}}}), Violated);
  CHECK_THROWS_AS(TensorSharding::closed({mesh(), "m"}, {{AxisRef{0, 1, 3}}}), Violated);
  CHECK_THROWS_AS(open_sharding().with_replicated({AxisRef{-1, 1, 2}}), Violated);
}

TEST_CASE("dims that a sharding lacks are contract violations") {
  const ThrowingHandler handler;
  const std::size_t seven[] = {7};
  CHECK_THROWS_AS(open_sharding().with_closed_dims(seven), Violated);
  CHECK_THROWS_AS(open_sharding().with_open_dims(seven), Violated);
  CHECK_THROWS_AS(open_sharding().with_dim(9, {}), Violated);
  CHECK_THROWS_AS(open_sharding().dim(2), Violated);
  const int64_t shape[] = {8, 8, 8};
  CHECK_THROWS_AS(open_sharding().local_shape(shape), Violated);
}

TEST_CASE("axes and devices that a mesh lacks are contract violations") {
  const ThrowingHandler handler;
  CHECK_THROWS_AS(mesh().device_at(99), Violated);
  CHECK_THROWS_AS(mesh().device_at(-1), Violated);
  CHECK_THROWS_AS(mesh().axis_size(9), Violated);
  CHECK(mesh().device_at(7) == 7);
}

TEST_CASE("numbers near the limits of int64 do not overflow") {
  const ThrowingHandler handler;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  CHECK(saturating_add(kMost, 1) == kMost);
  CHECK(saturating_add(kLeast, -1) == kLeast);
  CHECK(saturating_add(kMost, kLeast) == -1);

  CHECK_THROWS_AS((Range{kLeast, 1}.size()), Violated);
  CHECK(Range{1, kMost}.size() == kMost - 1);
  CHECK((simulation::DeviceBlock{kMost - 1, kMost}.contains(kMost - 1)));
  CHECK_FALSE((simulation::DeviceBlock{kMost - 1, kMost}.contains(kLeast)));
  CHECK_FALSE((simulation::DeviceBlock{5, 0}.contains(5)));
  CHECK_FALSE((simulation::DeviceBlock{5, -1}.contains(5)));

  CHECK(ir::window_count(8, {.size = kLeast}) == ir::kDynamicDim);
  CHECK(ir::window_count(kMost, {.size = 1, .low = kMost}) == ir::kDynamicDim);
  CHECK(ir::window_count(8, {.size = 3}) == 6);

  CHECK_THROWS_AS(coordinate(mesh(), 0, {std::numeric_limits<int32_t>::max(), 1, 1}), Violated);
  CHECK_THROWS_AS(coordinate(mesh(), 0, {-1, 1, 1}), Violated);
  const AxisRef y{1, 1, 4};
  const AxisRef often[] = {{0, 1, kMost}, {0, 1, kMost}, y};
  CHECK_THROWS_AS(shard_index(mesh(), often, 7), Violated);
  CHECK_THROWS_AS(merge({0, 1, 2}, {0, 2, kMost}), Violated);
  CHECK(merge({0, 1, 2}, {0, 2, 4}) == AxisRef{0, 1, 8});
}

TEST_CASE("a step whose byte count overflows int64 has the largest cost") {
  const TensorSharding whole = TensorSharding::closed({mesh(), "m"}, {{}, {}});
  const TensorSharding sharded = TensorSharding::closed({mesh(), "m"}, {{{0, 1, 2}}, {}});
  const int64_t sizes[] = {int64_t{1} << 31U, int64_t{1} << 31U};
  const TensorSize huge{.shape = sizes, .element_bytes = 1};
  const ReshardStep gather{
      .kind = StepKind::AllGather, .dim_axes = {{{0, 1, 2}}, {}}, .out = whole};
  const StepCost once = plan_cost(huge, sharded, std::vector{gather});
  CHECK(once.live_bytes == (int64_t{1} << 62U) + (int64_t{1} << 61U));
  CHECK(least_bytes(huge, sharded, whole) == int64_t{1} << 61U);
  const int64_t none_left[] = {int64_t{1} << 40U, int64_t{1} << 40U, 0};
  const TensorSize none{.shape = none_left, .element_bytes = 8};
  const TensorSharding three = TensorSharding::closed({mesh(), "m"}, {{}, {}, {}});
  CHECK(least_bytes(none, three, three) == 0);
}

ReshardStep gather_step() {
  return {.kind = StepKind::AllGather,
          .dim_axes = {{{0, 1, 2}}, {}},
          .out = TensorSharding::closed({mesh(), "m"}, {{}, {}})};
}

TEST_CASE("costs that are negative, infinite or NaN are errors") {
  const ThrowingHandler handler;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TensorSharding sharded = TensorSharding::closed({mesh(), "m"}, {{{0, 1, 2}}, {}});
  const TensorSharding whole = TensorSharding::closed({mesh(), "m"}, {{}, {}});
  const int64_t shape[] = {8, 8};
  const int64_t targets[] = {1, 0, 2, 3, 4, 5, 6, 7};
  const AxisRef x{0, 1, 2};
  const auto check = [&](const AxisCost& cost, const std::string& message) {
    CAPTURE(message);
    const CostModel model{.other = {}, .axes = {{"x", cost}}};
    CHECK(check_costs(model).error().message == "axis \"x\": " + message);
    CHECK_FALSE(check_costs({.other = cost, .axes = {}}));
    const auto plan =
        plan_best_reshard({shape, 4}, sharded, whole, BoundAxes::none(), {.model = model});
    REQUIRE_FALSE(plan);
    CHECK(plan.error().message == "axis \"x\": " + message);
    CHECK_FALSE(compare_reshards({shape, 4}, sharded, whole, BoundAxes::none(), {.model = model}));
    CHECK_THROWS_AS(step_cost({shape, 4}, sharded, gather_step(), model), Violated);
    CHECK_THROWS_AS(plan_cost({shape, 4}, sharded, {}, model), Violated);
    CHECK_THROWS_AS(exchange_cost(StepKind::AllGather, 8, mesh(), AxisList{x}, model), Violated);
    CHECK_THROWS_AS(permute_cost(8, mesh(), targets, model), Violated);
  };
  const std::string bandwidth = "; it must be finite and at least 1";
  check({.bytes_per_second = kNan}, "bandwidth nan B/s" + bandwidth);
  check({.bytes_per_second = -5}, "bandwidth -5.000000 B/s" + bandwidth);
  check({.bytes_per_second = 0}, "bandwidth 0.000000 B/s" + bandwidth);
  check({.bytes_per_second = kInfinity}, "bandwidth inf B/s" + bandwidth);
  check({.latency_seconds = kNan}, "latency nan s; it must be finite and at least 0");
  check({.latency_seconds = -1}, "latency -1.000000 s; it must be finite and at least 0");
  check({.topology = static_cast<Topology>(4)}, "topology 4; it must be an enumerator of Topology");
  CHECK(check_costs({}).has_value());
}

TEST_CASE("invalid enumerators are contract violations") {
  const ThrowingHandler handler;
  const AxisRef x{0, 1, 2};
  CHECK_THROWS_AS(op_name(static_cast<StepKind>(8)), Violated);
  CHECK_THROWS_AS(to_string(static_cast<Topology>(4)), Violated);
  for (const StepKind kind : {StepKind::AllSlice, StepKind::CollectivePermute,
                              static_cast<StepKind>(8), static_cast<StepKind>(-1)}) {
    CHECK_THROWS_AS(exchange_cost(kind, 8, mesh(), AxisList{x}), Violated);
  }
  CHECK_THROWS_AS(exchange_cost(StepKind::AllGather, -8, mesh(), AxisList{x}), Violated);
  CHECK(op_name(StepKind::ReplicatedToUnreduced) == "sdy.replicated_to_unreduced");
}

TEST_CASE("an axis whose number of device pairs overflows int64 is handled") {
  const int64_t size = int64_t{1} << 33U;
  const Mesh long_axis = *Mesh::make({{"x", size}}, {});
  const CostModel line{.other = {.topology = Topology::Line, .bytes_per_second = 1}, .axes = {}};
  const AxisRef all{0, 1, size};
  // One byte per pair: each of the first half sends one to each of the second half.
  const StepCost cost = exchange_cost(StepKind::AllToAll, size, long_axis, AxisList{all}, line);
  CHECK(cost.axis_bytes.front() == std::numeric_limits<int64_t>::max());  // 2^64 do not fit
  CHECK(cost.seconds == Approx(static_cast<double>(size / 2) * static_cast<double>(size / 2)));
}

TEST_CASE("a moved-from value is a contract violation") {
  const ThrowingHandler handler;
  Mesh first = mesh();
  const Mesh second = std::move(first);
  CHECK(second.num_devices() == 8);
  CHECK_THROWS_AS(first.num_devices(), Violated);  // NOLINT(bugprone-use-after-move)
  first = second;
  CHECK(first.num_devices() == 8);
}

TEST_CASE("a slot of another problem is a contract violation") {
  const ThrowingHandler handler;
  propagation::ProblemBuilder builder;
  REQUIRE(builder.add_slot({.shape = {4, 4}}));
  const auto problem = std::move(builder).build();
  REQUIRE(problem);
  CHECK_FALSE(problem->sharding(propagation::SlotId(0)));
  CHECK_THROWS_AS(problem->sharding(propagation::SlotId(5)), Violated);
  CHECK_THROWS_AS(problem->slot(propagation::SlotId()), Violated);
}

TEST_CASE("concatenate_rule rejects a dim outside of the shape") {
  const int64_t shape[] = {4, 4};
  CHECK_FALSE(rules::concatenate_rule(shape, {.dim = 5, .num_operands = 2}));
}

TEST_CASE("set_contract_handler returns the previous handler") {
  const ContractHandler mine = [](const ContractViolation&) { throw Violated{}; };
  const ContractHandler first = set_contract_handler(mine);
  CHECK(first != nullptr);
  CHECK(set_contract_handler(first) == mine);
  CHECK(set_contract_handler(nullptr) == first);
}

}  // namespace
}  // namespace shardy::wrong_calls_test
