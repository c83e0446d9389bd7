#include <algorithm>
#include <shardy/propagation/detail/factor_axes.hpp>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::strategy_test {
namespace {

constexpr Direction kNone = Direction::None;
constexpr Direction kForward = Direction::Forward;
constexpr Direction kBackward = Direction::Backward;
constexpr Direction kBoth = Direction::Both;

TEST_CASE("forward and backward join to both directions and meet in none",
          "[propagation][strategy]") {
  const std::vector<Direction> all = {kNone, kForward, kBackward, kBoth};
  for (const Direction a : all) {
    for (const Direction b : all) {
      const bool are_opposite =
          (a == kForward && b == kBackward) || (a == kBackward && b == kForward);
      CHECK((a | b) == (are_opposite ? kBoth : std::max(a, b)));
      CHECK((a & b) == (are_opposite ? kNone : std::min(a, b)));
    }
  }
}

/// One op with its strategy, on shardings given as text; returns the shardings of all tensors.
struct Op {
  std::string mesh;
  std::string rule;
  std::vector<Direction> directions;
  bool is_elementwise = false;
  bool is_conservative = false;

  std::vector<std::string> run(FactorStrategy strategy,
                               const std::vector<std::string>& shardings) const {
    const Mesh of_mesh = make_mesh(mesh);
    const FlatRule layout(parse_rule(rule));
    Projection projection;
    projection.reset(layout);
    std::vector<TensorSharding> before;
    for (std::size_t t = 0; t < shardings.size(); ++t) {
      before.push_back(parse_sharding(of_mesh, shardings[t]));
      project(layout, t, before.back(), projection);
    }
    StrategyScratch scratch;
    const FactorProblem problem{.layout = layout,
                                .directions = directions,
                                .is_elementwise = is_elementwise,
                                .conservative_mesh = is_conservative ? &of_mesh : nullptr};
    if (strategy == FactorStrategy::Basic) {
      run_basic_strategy(problem, projection, scratch);
    } else {
      run_aggressive_strategy(problem, projection, scratch);
    }
    std::vector<std::string> after;
    for (std::size_t t = 0; t < shardings.size(); ++t) {
      const TensorSharding now = before[t].with_dims(back_project(layout, t, projection));
      CHECK((now != before[t]) == (scratch.is_updated[t] != 0));
      after.push_back(to_text(now));
    }
    return after;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("axes of all tensors combine to their common prefix", "[propagation][strategy]") {
  struct {
    std::vector<const char*> lists;  // of operands
    const char* combined;
  } const rows[] = {
      {{"{a}", "{}", "{a,b,c}", "{a,b,d}"}, "a,b"},
      {{"{x:(1)2}", "{x:(1)4}"}, "x:(1)4"},
      {{"{x:(1)2,b}", "{x:(1)4}"}, "x:(1)2"},
      {{"{x:(1)4}", "{x:(1)2,b}"}, "x:(1)2"},
      {{"{x:(1)4,b}", "{x:(1)2}"}, "x:(1)4,b"},
      {{"{a}", "{b}"}, ""},
      {{"{a,b}", "{a,c}", "{a,b}"}, "a"},  // a conflict is never forgotten
      {{"{a}", "{b}", "{c}"}, ""},
      {{"{x:(1)2}", "{x:(2)2}"}, ""},
      {{"{y:(1)2}", "{y:(1)3}"}, "y:(1)3"},  // a prefix by position
      {{"{}", "{}"}, ""},
  };
  const Mesh mesh = make_mesh("a=2 b=2 c=2 d=2 x=8 y=6");
  for (const auto& row : rows) {
    AxisList combined;
    bool may_expand = true;
    std::string lists;
    for (const char* list : row.lists) {
      lists += list;
      may_expand = combine_axes(combined, parse_axes(mesh, list), may_expand).may_expand;
    }
    CAPTURE(lists);
    CHECK(to_text(mesh, combined) == row.combined);
  }
}

TEST_CASE("a direction selects the tensors that give axes, not the tensors that receive axes",
          "[propagation][strategy]") {
  // One factor per direction: forward, backward, both, none.
  const Op op{.mesh = "a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2",
              .rule = "([i,j,k,l],[i,j,k,l])->([i,j,k,l],[i,j,k,l]) {i=8,j=8,k=8,l=8}",
              .directions = {kForward, kBackward, kBoth, kNone}};
  for (const FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    CHECK(op.run(strategy, {"[{a,?},{b,?},{c,?},{d,?}]", "[{?},{?},{?},{?}]", "[{?},{?},{?},{?}]",
                            "[{?},{?},{?},{?}]"}) ==
          Texts{"[{a,?},{b,?},{c,?},{d,?}]", "[{a,?},{?},{c,?},{?}]", "[{a,?},{?},{c,?},{?}]",
                "[{a,?},{?},{c,?},{?}]"});
    CHECK(op.run(strategy, {"[{?},{?},{?},{?}]", "[{?},{?},{?},{?}]", "[{a,?},{b,?},{c,?},{d,?}]",
                            "[{?},{?},{?},{?}]"}) ==
          Texts{"[{?},{b,?},{c,?},{?}]", "[{?},{b,?},{c,?},{?}]", "[{a,?},{b,?},{c,?},{d,?}]",
                "[{?},{b,?},{c,?},{?}]"});
    // Both sides have axes, and the side that may not contribute still limits the other one.
    CHECK(op.run(strategy, {"[{a,?},{b,?},{c,?},{d,?}]", "[{?},{?},{?},{?}]",
                            "[{a,e,?},{b,f,?},{c,g,?},{d,h,?}]", "[{?},{?},{?},{?}]"}) ==
          Texts{"[{a,?},{b,f,?},{c,g,?},{d,?}]", "[{a,?},{b,f,?},{c,g,?},{?}]",
                "[{a,e,?},{b,f,?},{c,g,?},{d,h,?}]", "[{a,?},{b,f,?},{c,g,?},{?}]"});
    CHECK(op.run(strategy, {"[{a,?},{?},{?},{?}]", "[{?},{?},{?},{?}]", "[{e,?},{?},{?},{?}]",
                            "[{?},{?},{?},{?}]"}) ==
          Texts{"[{a,?},{?},{?},{?}]", "[{?},{?},{?},{?}]", "[{e,?},{?},{?},{?}]",
                "[{?},{?},{?},{?}]"});
  }
}

TEST_CASE("the basic strategy checks tensors without the factor, the aggressive one does not",
          "[propagation][strategy]") {
  const Op op{
      .mesh = "a=2 b=2", .rule = "([i],[j])->([i]) {i=8,j=8}", .directions = {kBoth, kBoth}};
  CHECK(op.run(FactorStrategy::Basic, {"[{a,?}]", "[{a}]", "[{?}]"}) ==
        Texts{"[{a,?}]", "[{a}]", "[{?}]"});
  CHECK(op.run(FactorStrategy::Aggressive, {"[{a,?}]", "[{a}]", "[{?}]"}) ==
        Texts{"[{a,?}]", "[{a}]", "[{a,?}]"});
}

TEST_CASE("a closed empty dim blocks its factor for the whole op only in the basic strategy",
          "[propagation][strategy]") {
  const Op op{.mesh = "a=2", .rule = "([i],[i])->([i]) {i=8}", .directions = {kBoth}};
  CHECK(op.run(FactorStrategy::Basic, {"[{a}]", "[{}]", "[{?}]"}) ==
        Texts{"[{a}]", "[{}]", "[{?}]"});
  CHECK(op.run(FactorStrategy::Aggressive, {"[{a}]", "[{}]", "[{?}]"}) ==
        Texts{"[{a}]", "[{}]", "[{a,?}]"});
}

// The size that counts is that of the factors, here 2 * 64 against 8 * 8.
TEST_CASE("the largest source tensor has the largest product of factor sizes",
          "[propagation][strategy]") {
  const Op op{.mesh = "a=2",
              .rule = "([i,j],[k,l])->([i,k]) {i=8,j=8,k=2,l=64}",
              .directions = {kBoth, kBoth, kBoth, kBoth}};
  CHECK(op.run(FactorStrategy::Aggressive, {"[{a},{?}]", "[{a},{?}]", "[{?},{?}]"})[2] ==
        "[{?},{a,?}]");
}

TEST_CASE("conservative propagation never propagates a sub-axis", "[propagation][strategy]") {
  Op op{.mesh = "a=4 b=2", .rule = "([i],[i])->([i]) {i=8}", .directions = {kBoth}};
  const Texts before = {"[{b,a:(1)2}]", "[{?}]", "[{?}]"};
  for (const FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    op.is_conservative = false;
    CHECK(op.run(strategy, before) == Texts{"[{b,a:(1)2}]", "[{b,a:(1)2,?}]", "[{b,a:(1)2,?}]"});
    op.is_conservative = true;
    CHECK(op.run(strategy, before) == Texts{"[{b,a:(1)2}]", "[{b,?}]", "[{b,?}]"});
  }
}

TEST_CASE("strategies change nothing for scalars and blocked factors", "[propagation][strategy]") {
  const Op scalar{.mesh = "a=2", .rule = "([],[])->([]) {}", .directions = {}};
  const Op blocked{.mesh = "a=2", .rule = "([i])->([i]) {i=4}", .directions = {kNone}};
  for (const FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    const Texts scalars = {"[] rep={a}", "[]", "[]"};
    CHECK(scalar.run(strategy, scalars) == scalars);
    CHECK(blocked.run(strategy, {"[{a}]", "[{?}]"}) == Texts{"[{a}]", "[{?}]"});
  }
}

TEST_CASE("op priorities have the directions of the table", "[propagation][op_priority]") {
  struct {
    PriorityClass priority;
    FactorKind kind;
    std::vector<Direction> levels;
  } const rows[] = {
      {PriorityClass::Pointwise, FactorKind::PassThrough, {kBoth, kBoth, kBoth, kBoth, kBoth}},
      {PriorityClass::Pointwise, FactorKind::Reduction, {kBoth, kBoth, kBoth, kBoth, kBoth}},
      {PriorityClass::DynamicSlice,
       FactorKind::PassThrough,
       {kForward, kForward, kBoth, kBoth, kBoth}},
      {PriorityClass::DynamicSlice,
       FactorKind::Permutation,
       {kForward, kForward, kForward, kBoth, kBoth}},
      {PriorityClass::Broadcast,
       FactorKind::PassThrough,
       {kNone, kNone, kBackward, kBackward, kBoth}},
      {PriorityClass::Broadcast, FactorKind::Permutation, {kNone, kNone, kNone, kBackward, kBoth}},
      {PriorityClass::Other, FactorKind::PassThrough, {kNone, kNone, kBoth, kBoth, kBoth}},
      {PriorityClass::Other, FactorKind::Reduction, {kNone, kNone, kNone, kBoth, kBoth}},
      {PriorityClass::Other, FactorKind::NeedReplication, {kNone, kNone, kNone, kBoth, kBoth}},
      {PriorityClass::Other, FactorKind::Permutation, {kNone, kNone, kNone, kBoth, kBoth}},
      {PriorityClass::Always, FactorKind::PassThrough, {kBoth, kBoth, kBoth, kBoth, kBoth}},
  };
  for (const auto& row : rows) {
    for (int level = 0; level <= kLastLevel; ++level) {
      CAPTURE(static_cast<int>(row.priority), static_cast<int>(row.kind), level);
      CHECK(direction_at(row.priority, level, row.kind) ==
            row.levels[static_cast<std::size_t>(level)]);
    }
  }
  CHECK(waits_for_single_use(PriorityClass::Pointwise));
  CHECK(waits_for_single_use(PriorityClass::DynamicSlice));
  CHECK_FALSE(waits_for_single_use(PriorityClass::Broadcast));
  CHECK_FALSE(waits_for_single_use(PriorityClass::Always));
  CHECK((kForward | kBackward) == kBoth);
  CHECK((kForward & kBackward) == kNone);
}

TEST_CASE("the first level with the directions of a level has them for all factors",
          "[propagation][strategy]") {
  constexpr FactorKind kKinds[] = {FactorKind::PassThrough, FactorKind::Reduction,
                                   FactorKind::NeedReplication, FactorKind::Permutation};
  for (int number = 0; number <= static_cast<int>(PriorityClass::Always); ++number) {
    const auto priority = static_cast<PriorityClass>(number);
    for (int level = 0; level <= kLastLevel; ++level) {
      const int first = first_level_like(priority, level);
      CAPTURE(number, level, first);
      REQUIRE((0 <= first && first <= level));
      const auto are_equal = [&](int a, int b) {
        return std::ranges::all_of(kKinds, [&](FactorKind kind) {
          return direction_at(priority, a, kind) == direction_at(priority, b, kind);
        });
      };
      const bool has_direction = std::ranges::any_of(
          kKinds, [&](FactorKind kind) { return direction_at(priority, level, kind) != kNone; });
      CHECK(may_propagate(priority, level) == has_direction);
      CHECK(are_equal(first, level));
      CHECK((first == 0 || !are_equal(first - 1, level)));
    }
  }
}

}  // namespace shardy::propagation::testing::strategy_test
