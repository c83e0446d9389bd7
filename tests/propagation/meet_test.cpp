// Common shardings of the tensors of one op: each device computes an op on its shards, and the sum
// over the partial axes is the op on the whole tensors.
#include "shardy/propagation/meet.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/rules/dot.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::meet_test {
namespace {

using testing::make_mesh;
using testing::parse_rule;
using testing::parse_sharding;
using testing::to_text;

const Mesh& mesh() {
  static const Mesh kMesh = make_mesh("x=2 y=2 z=4");
  return kMesh;
}

std::vector<TensorSharding> shardings(const std::vector<std::string>& texts) {
  std::vector<TensorSharding> all;
  for (const std::string& text : texts) all.push_back(parse_sharding(mesh(), text));
  return all;
}

std::string text_of(const CommonShardings& common) {
  std::string text;
  for (const TensorSharding& each : common.operands) text += to_text(each) + " ";
  text += "->";
  for (const TensorSharding& each : common.results) text += " " + to_text(each);
  return text;
}

constexpr std::string_view kDot = "([i,k],[k,j])->([i,j]) {i=8,j=8,k=8} reduction={k}";

// ---- The oracle: einsums of small integers ------------------------------------------------------

/// A tensor as a map of indices.
using Values = std::map<std::vector<int64_t>, int64_t>;

/// Index of a dim, from those of its factors, major to minor.
std::vector<int64_t> index_of(const OpShardingRule& rule, const TensorMapping& mapping,
                              const std::vector<int64_t>& factors) {
  std::vector<int64_t> index;
  for (const DimMapping& dim : mapping.dims) {
    int64_t at = 0;
    for (const int32_t factor : dim) {
      at = at * rule.factor_size(factor) + factors[static_cast<std::size_t>(factor)];
    }
    index.push_back(at);
  }
  return index;
}

template <class Visit>
void for_each_point(const OpShardingRule& rule, Visit visit) {
  std::vector<int64_t> point(static_cast<std::size_t>(rule.num_factors()), 0);
  while (true) {
    visit(point);
    std::size_t factor = point.size();
    while (factor > 0 &&
           ++point[factor - 1] == rule.factor_size(static_cast<int32_t>(factor - 1))) {
      point[--factor] = 0;
    }
    if (factor == 0) return;
  }
}

int64_t value_at(std::size_t tensor, const std::vector<int64_t>& index) {
  int64_t value = static_cast<int64_t>(tensor) + 3;
  for (const int64_t each : index) value = value * 7 % 31 + each;
  return value % 11 + 1;
}

bool holds(const TensorSharding& sharding, const std::vector<int64_t>& shape,
           const std::vector<int64_t>& index, int64_t device) {
  const std::vector<Range> slice = device_slice(sharding, shape, device);
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    if (index[dim] < slice[dim].begin || index[dim] >= slice[dim].end) return false;
  }
  return true;
}

std::vector<int64_t> shape_of(const OpShardingRule& rule, const TensorMapping& mapping) {
  std::vector<int64_t> shape;
  for (const DimMapping& dim : mapping.dims) {
    int64_t size = 1;
    for (const int32_t factor : dim) size *= rule.factor_size(factor);
    shape.push_back(size);
  }
  return shape;
}

/// The result on one device: the sum over the points whose operands it has.
Values result_of(const OpShardingRule& rule, const CommonShardings* common, int64_t device) {
  Values result;
  for_each_point(rule, [&](const std::vector<int64_t>& point) {
    int64_t product = 1;
    for (std::size_t tensor = 0; tensor < rule.operands().size(); ++tensor) {
      const TensorMapping& mapping = rule.operands()[tensor];
      const std::vector<int64_t> index = index_of(rule, mapping, point);
      product *= value_at(tensor, index);
      if (common != nullptr &&
          !holds(common->operands[tensor], shape_of(rule, mapping), index, device)) {
        return;
      }
    }
    const std::vector<int64_t> index = index_of(rule, rule.results()[0], point);
    const std::vector<int64_t> shape = shape_of(rule, rule.results()[0]);
    if (common == nullptr || holds(common->results[0], shape, index, device)) {
      result[index] += product;
    }
  });
  return result;
}

/// Compares the sum over groups of the partial axes with the op on the whole tensors.
void check_results(const OpShardingRule& rule, const CommonShardings& common) {
  const Values whole = result_of(rule, nullptr, 0);
  const std::vector<int64_t> shape = shape_of(rule, rule.results()[0]);
  for (const std::vector<int64_t>& group : replica_groups(mesh(), common.partial)) {
    Values sum;
    for (const int64_t device : group) {
      for (const auto& [index, value] : result_of(rule, &common, device)) sum[index] += value;
    }
    for (const auto& [index, value] : whole) {
      if (holds(common.results[0], shape, index, group.front())) CHECK(sum[index] == value);
    }
  }
}

}  // namespace

TEST_CASE("common shardings of dot operands use the factors of dot", "[meet]") {
  const OpShardingRule dot = parse_rule(kDot);
  const auto met = [&](const std::vector<std::string>& operands,
                       const std::vector<std::string>& results = {},
                       MeetPolicy policy = MeetPolicy::MostShards) {
    return meet(dot, shardings(operands), shardings(results), policy).value();
  };
  const CommonShardings example = met({"[{x},{y}]", "[{y},{}]"});
  CHECK(text_of(example) == "[{x},{y}] [{y},{}] -> [{x},{}] unr={y}");
  CHECK(to_text(mesh(), example.partial) == "y");
  CHECK(example.is_resharded == std::vector<bool>{false, false, false});

  // "x" shards i and j: the first operand keeps it, or the result decides.
  CHECK(text_of(met({"[{x},{}]", "[{},{x}]"})) == "[{x},{}] [{},{}] -> [{x},{}]");
  CHECK(text_of(met({"[{x},{}]", "[{},{x}]"}, {"[{},{x}]"}, MeetPolicy::ResultsFirst)) ==
        "[{},{}] [{},{x}] -> [{},{x}]");
  CHECK(met({"[{x},{}]", "[{},{x}]"}).is_resharded == std::vector<bool>{false, true, false});
  // Four shards before two; then the rest of the axes.
  CHECK(text_of(met({"[{x},{}]", "[{z},{x}]"})) == "[{x},{z}] [{z},{}] -> [{x},{}] unr={z}");
  CHECK(text_of(met({"[{},{x}]", "[{z},{}]"})) == "[{},{z}] [{z},{}] -> [{},{}] unr={z}");
  CHECK(text_of(met({"[{},{x}]", "[{z},{}]"}, {}, MeetPolicy::OperandsFirst)) ==
        "[{},{x}] [{x},{}] -> [{},{}] unr={x}");
  // A partial operand is reduced, and explicit replication has no axis.
  const CommonShardings reduced = met({"[{x},{}] unr={y}", "[{},{}] rep={y}"});
  CHECK(text_of(reduced) == "[{x},{}] [{},{}] -> [{x},{}]");
  CHECK(reduced.is_resharded == std::vector<bool>{true, false, false});
}

TEST_CASE("factors that an op cannot shard get no axes", "[meet]") {
  const auto met = [](std::string_view rule, const std::vector<std::string>& operands) {
    return text_of(meet(parse_rule(rule), shardings(operands)).value());
  };
  CHECK(met("([i,j])->([i,j]) {i=8,j=8} need_replication={j}", {"[{x},{y}]"}) ==
        "[{x},{}] -> [{x},{}]");
  CHECK(met("([i,j])->([i,j]) {i=8,j=8} permutation={i}", {"[{x},{y}]"}) == "[{},{y}] -> [{},{y}]");
  CHECK(met("([i,j])->([i,j]) {i=8,j=8} blocked={j}", {"[{x},{y}]"}) == "[{x},{}] -> [{x},{}]");
  // A reshape: the minor factor only with the whole major one.
  CHECK(met("([ij])->([i,j]) {i=2,j=8}", {"[{x,y}]"}) == "[{x,y}] -> [{x},{y}]");
  CHECK(met("([i,j])->([ij]) {i=4,j=8}", {"[{x},{y}]"}) == "[{x},{}] -> [{x}]");
  CHECK(met("([i,j])->([ij]) {i=3,j=8}", {"[{x},{}]"}) == "[{},{}] -> [{}]");
  // Parts of one axis that no device order has both.
  CHECK(met("([i],[j])->([i,j]) {i=8,j=8}", {"[{z:(1)2}]", "[{z:(2)2}]"}) ==
        "[{z:(1)2}] [{z:(2)2}] -> [{z:(1)2},{z:(2)2}]");
}

TEST_CASE("shardings that do not fit the rule are errors", "[meet]") {
  const OpShardingRule dot = parse_rule(kDot);
  const auto refused = [&](const std::vector<TensorSharding>& operands,
                           const std::vector<TensorSharding>& results = {}) {
    return shardy_test::message_of(meet(dot, operands, results));
  };
  CHECK(refused(shardings({"[{x},{}]"})) == "the rule has 2 operands, got 1 sharding");
  CHECK(refused(shardings({"[{x},{}]", "[{}]"})) ==
        "operand 1: the sharding has 1 dim, the rule 2");
  CHECK(refused(shardings({"[{},{}]", "[{},{}]"}), shardings({"[{},{}]", "[{},{}]"})) ==
        "the rule has 1 result, got 2 shardings");
  std::vector<TensorSharding> mixed = shardings({"[{x},{}]"});
  mixed.push_back(parse_sharding(make_mesh("x=2"), "[{},{}]"));
  CHECK(refused(mixed) == "operand 1: the sharding is on another mesh");
  const auto policy = static_cast<MeetPolicy>(7);
  CHECK_FALSE(meet(dot, shardings({"[{},{}]", "[{},{}]"}), {}, policy));
}

TEST_CASE("operands without a sharding are unsharded", "[meet]") {
  const OpShardingRule rule = parse_rule(kDot);
  const auto given = shardings({"[{?},{?}]", "[{y},{x}]"});
  const std::vector<std::optional<TensorSharding>> operands = {std::nullopt, given[1]};
  const CommonShardings common = meet(rule, operands).value();
  CHECK(text_of(common) == text_of(meet(rule, given).value()));
  CHECK(common.is_resharded == meet(rule, given)->is_resharded);
  const std::vector<std::optional<TensorSharding>> none(2);
  CHECK(meet(rule, none).error().message == "no operand has a sharding, so the op has no mesh");
  const std::vector<std::optional<TensorSharding>> three = {given[0], std::nullopt, std::nullopt};
  CHECK(meet(rule, three).error().message == "the rule has 2 operands, got 3 shardings");
}

TEST_CASE("the shards of the common shardings compute the op", "[meet][random]") {
  const std::vector<std::string> rules = {
      "([i,k],[k,j])->([i,j]) {i=4,j=6,k=8} reduction={k}",
      "([i,j])->([ij]) {i=4,j=6}",
      "([ij],[i])->([j]) {i=4,j=5} reduction={i}",
      "([i,j],[j])->([j,i]) {i=5,j=8}",
      "([i,j])->([i]) {i=8,j=8} reduction={j}",
  };
  const std::vector<std::string> axes = {"", "x", "y", "z", "x,y", "z:(1)2", "z:(2)2", "y,x"};
  std::mt19937 random(Catch::rngSeed());
  int checked = 0;
  for (int run = 0; run < 400; ++run) {
    const OpShardingRule rule = parse_rule(rules[random() % rules.size()]);
    std::vector<TensorSharding> given;
    for (std::size_t tensor = 0; tensor < rule.operands().size(); ++tensor) {
      std::vector<DimSharding> dims;
      for (std::size_t dim = 0; dim < rule.operands()[tensor].dims.size(); ++dim) {
        dims.push_back(
            {.axes = testing::parse_axes(mesh(), "{" + axes[random() % axes.size()] + "}"),
             .is_closed = true});
      }
      auto sharding = TensorSharding::make(mesh(), "mesh", std::move(dims));
      if (sharding) given.push_back(*std::move(sharding));
    }
    if (given.size() != rule.operands().size()) continue;
    const auto policy = static_cast<MeetPolicy>(random() % 3);
    const CommonShardings common = meet(rule, given, {}, policy).value();
    CAPTURE(run, text_of(common));
    check_results(rule, common);
    // Common shardings stay as they are.
    CHECK(text_of(meet(rule, common.operands, {}, policy).value()) == text_of(common));
    ++checked;
  }
  CHECK(checked > 200);
}

}  // namespace shardy::propagation::meet_test
