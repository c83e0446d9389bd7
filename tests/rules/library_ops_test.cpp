// Rules that the registry makes of ops with structured attributes.
#include <cstring>
#include <string>
#include <vector>

#include "rules/op_maker.hpp"
#include "rules/rule_text.hpp"
#include "shardy/rules/registry.hpp"
#include "support/catch.hpp"

namespace shardy::rules::library_ops_test {
namespace {

using ir::ElementType;
using ir::OpKind;

std::string rule_of(OpMaker& make, OpKind kind, std::vector<ir::ValueId> operands,
                    std::vector<Sizes> results, ir::AttributeMap map = {},
                    bool conservative = false) {
  const ir::OpId op = make.op(kind, std::move(operands), std::move(results), std::move(map));
  return text_of(Registry().rule_for(make.view(op), {.conservative = conservative}));
}

ir::Literal padding(const Sizes& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const auto rank = static_cast<int64_t>(numbers.size() / 2);
  return ir::Literal::make(ir::Type::tensor({rank, 2}, ElementType::I64), std::move(bytes)).value();
}

TEST_CASE("collectives of the input program have rules", "[rules][registry]") {
  OpMaker make;
  CHECK(rule_of(make, OpKind::AllGather, {make.arg({4, 6})}, {{4, 24}},
                attributes({{"all_gather_dim", integer(1)}})) ==
        "([i, j])->([i, k]) {i=4, j=6, k=24} need_replication={j, k}");
  CHECK(rule_of(make, OpKind::ReduceScatter, {make.arg({6, 8})}, {{6, 2}},
                attributes({{"scatter_dimension", integer(1)}})) ==
        "([i, j])->([i, k]) {i=6, j=8, k=2} need_replication={j, k}");
  CHECK(rule_of(make, OpKind::AllToAll, {make.arg({4, 6, 8})}, {{4, 12, 4}},
                attributes({{"split_dimension", integer(2)}, {"concat_dimension", integer(1)}})) ==
        "([i, l, j])->([i, m, k]) {i=4, j=8, k=4, l=6, m=12} need_replication={j, k, l, m}");
  for (const OpKind kind : {OpKind::AllReduce, OpKind::CollectiveBroadcast,
                            OpKind::CollectivePermute, OpKind::CrossReplicaSum}) {
    CAPTURE(ir::info(kind).name);
    CHECK(rule_of(make, kind, {make.arg({4, 6})}, {{4, 6}}) == "([i, j])->([i, j]) {i=4, j=6}");
  }
  CHECK(rule_of(make, OpKind::AllReduce, {make.arg({4, 6}), make.arg({4})}, {{4, 6}, {4}}) ==
        "([i, j], [i])->([i, j], [i]) {i=4, j=6}");
}

TEST_CASE("dense linear algebra reads its attributes", "[rules][registry]") {
  OpMaker make;
  CHECK(rule_of(make, OpKind::Dot, {make.arg({7}), make.arg({7, 3})}, {{3}}) ==
        "([j], [j, i])->([i]) {i=3, j=7} reduction={j}");
  CHECK(rule_of(make, OpKind::Cholesky, {make.arg({6, 4, 4})}, {{6, 4, 4}}) ==
        "([i, j, k])->([i, j, k]) {i=6, j=4, k=4} need_replication={j, k}");
  const auto solve = [&](const char* transpose) {
    return rule_of(make, OpKind::TriangularSolve, {make.arg({6, 4, 4}), make.arg({6, 4, 7})},
                   {{6, 4, 7}},
                   attributes({{"left_side", true},
                               {"transpose_a", ir::EnumAttr{"stablehlo.transpose", transpose}}}));
  };
  const std::string plain =
      "([i, j, l], [i, j, k])->([i, l, k]) {i=6, j=4, k=7, l=4} need_replication={j, k, l}";
  const std::string transposed =
      "([i, l, j], [i, j, k])->([i, l, k]) {i=6, j=4, k=7, l=4} need_replication={j, k, l}";
  CHECK(solve("NO_TRANSPOSE") == plain);
  CHECK(solve("TRANSPOSE") == transposed);
  CHECK(solve("ADJOINT") == transposed);
  CHECK(rule_of(make, OpKind::Fft, {make.arg({3, 10, 12})}, {{3, 10, 7}},
                attributes({{"fft_length", integers({10, 12})}})) ==
        "([i, j, k])->([i, j, k]) {i=3, j=10, k=12} need_replication={j, k} "
        "blocked_propagation={k}");
  CHECK(rule_of(make, OpKind::BatchNormInference,
                {make.arg({4, 8}), make.arg({8}), make.arg({8}), make.arg({8}), make.arg({8})},
                {{4, 8}}, attributes({{"feature_index", integer(1)}})) ==
        "([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=8}");
  CHECK(rule_of(make, OpKind::BitcastConvert, {make.arg({4, 6})}, {{4, 6, 2}}) ==
        "([i, j])->([i, j, k]) {i=4, j=6, k=2} need_replication={k}");
  CHECK(rule_of(make, OpKind::RngBitGenerator, {make.arg({2})}, {{2}, {6, 7}}) ==
        "([i])->([i], [j, k]) {i=2, j=6, k=7} need_replication={i} blocked_propagation={i}");
}

TEST_CASE("rules of convolutions use their dims and groups", "[rules][registry]") {
  OpMaker make;
  const ir::ConvolutionDims dims = channels_last_dims();
  const auto groups = [&](int64_t batch, int64_t feature) {
    return attributes({{"dimension_numbers", dims},
                       {"batch_group_count", integer(batch)},
                       {"feature_group_count", integer(feature)}});
  };
  const std::vector<ir::ValueId> operands = {make.arg({4, 16, 6}), make.arg({5, 6, 10})};
  CHECK(rule_of(make, OpKind::Convolution, operands, {{4, 12, 10}}, groups(1, 1)) ==
        "([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=12, k=6, l=10, m=1} reduction={k} "
        "permutation={j}");
  CHECK(rule_of(make, OpKind::Convolution, operands, {{4, 12, 10}}, groups(1, 1), true) ==
        "([i, l, j], [m, j, k])->([i, n, k]) {i=4, j=6, k=10, l=1, m=1, n=1} reduction={j}");
  CHECK(rule_of(make, OpKind::Convolution, {make.arg({4, 16, 6}), make.arg({5, 1, 6})},
                {{4, 12, 6}}, groups(1, 6)) ==
        "([i, j, k], [m, l, k])->([i, j, k]) {i=4, j=12, k=6, l=1, m=1} reduction={l} "
        "permutation={j}");
  CHECK(rule_of(make, OpKind::Convolution, {make.arg({12, 16, 6}), make.arg({5, 6, 9})},
                {{4, 12, 9}}, groups(3, 1)) ==
        "([ij, k, l], [n, l, im])->([j, k, im]) {i=3, j=4, k=12, l=6, m=3, n=1} reduction={l} "
        "permutation={k}");
}

TEST_CASE("dims of a window with default attributes are pass_through", "[rules][registry]") {
  OpMaker make;
  const auto window = [&](ir::AttributeMap map, bool conservative = false) {
    return rule_of(make, OpKind::ReduceWindow, {make.arg({32, 6}), make.arg({})}, {{16, 6}},
                   std::move(map), conservative);
  };
  const std::string moved = "([i, j], [])->([i, j]) {i=16, j=6} permutation={i}";
  const auto halving =
      attributes({{"window_dimensions", integers({2, 1})}, {"window_strides", integers({2, 1})}});
  CHECK(window(halving) == moved);
  CHECK(window(halving, true) == moved + " blocked_propagation={i}");
  CHECK(window(attributes({{"window_dimensions", integers({1, 1})}})) ==
        "([i, j], [])->([i, j]) {i=16, j=6}");
  CHECK(window(attributes(
            {{"window_dimensions", integers({1, 1})}, {"padding", padding({0, 0, 0, 1})}})) ==
        "([i, j], [])->([i, j]) {i=16, j=6} permutation={j}");
  CHECK(window(attributes({{"window_dimensions", integers({1})}})) ==
        "error: 'stablehlo.reduce_window' op window_dimensions must hold 2 positive numbers, got "
        "[1]");
  const std::vector<ir::ValueId> operands = {make.arg({16, 8}), make.arg({8, 8}), make.arg({})};
  const std::string scattered =
      "([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j}";
  CHECK(rule_of(make, OpKind::SelectAndScatter, operands, {{16, 8}}, halving) == scattered);
  CHECK(rule_of(make, OpKind::SelectAndScatter, operands, {{16, 8}}, halving, true) ==
        scattered + " blocked_propagation={i, j}");
  CHECK(rule_of(make, OpKind::SelectAndScatter, operands, {{16, 8}}) ==
        "([i, j], [i, j], [])->([i, j]) {i=16, j=8}");
}

TEST_CASE("a sort dim can be negative", "[rules][registry]") {
  OpMaker make;
  const std::string last = "([i, j])->([i, j]) {i=4, j=8} need_replication={j}";
  const auto sort = [&](ir::AttributeMap map) {
    return rule_of(make, OpKind::Sort, {make.arg({4, 8})}, {{4, 8}}, std::move(map));
  };
  CHECK(sort({}) == last);
  CHECK(sort(attributes({{"dimension", integer(-1)}})) == last);
  CHECK(sort(attributes({{"dimension", integer(1)}})) == last);
  CHECK(sort(attributes({{"dimension", integer(0)}})) ==
        "([i, j])->([i, j]) {i=4, j=8} need_replication={i}");
  CHECK(sort(attributes({{"dimension", integer(-3)}})) ==
        "error: 'stablehlo.sort' op dimension has no such dim: -1, rank 2");
}

TEST_CASE("rules of gathers use their dims", "[rules][registry]") {
  OpMaker make;
  const ir::GatherDims dims{.offset_dims = {2},
                            .collapsed_slice_dims = {0},
                            .operand_batching_dims = {},
                            .start_indices_batching_dims = {},
                            .start_index_map = {0},
                            .index_vector_dim = 2};
  CHECK(rule_of(make, OpKind::Gather, {make.arg({1000, 64}), make.arg({8, 32})}, {{8, 32, 64}},
                attributes({{"dimension_numbers", dims}, {"slice_sizes", integers({1, 64})}})) ==
        "([l, k], [i, j])->([i, j, k]) {i=8, j=32, k=64, l=1000} reduction={l}");
  CHECK(rule_of(make, OpKind::Gather, {make.arg({1000, 64}), make.arg({8, 32})}, {{8, 32, 64}}) ==
        "error: 'stablehlo.gather' op requires attribute 'dimension_numbers'");
}

/// The body of a scatter. Result i applies `kinds[i]` to argument i (the input) and argument
/// `kinds.size() + i` (the update).
struct Body {
  std::vector<OpKind> kinds;
  ElementType element = ElementType::F32;
  bool swaps = false;     // update first
  bool captures = false;  // a value from outside instead of the update
  bool returns_update = false;
};

ir::RegionId make_body(OpMaker& make, const Body& body, ir::ValueId outside) {
  ir::Module& module = make.module();
  const std::size_t num_inputs = body.kinds.size();
  const ir::RegionId region = module.new_region();
  const ir::Type scalar = ir::Type::tensor({}, body.element);
  const ir::BlockId block = module.new_block(region, std::vector<ir::Type>(2 * num_inputs, scalar));
  ir::Builder builder(module, block);
  std::vector<ir::ValueId> results;
  for (std::size_t input = 0; input < num_inputs; ++input) {
    ir::ValueId lhs = module.args(block)[input];
    ir::ValueId rhs = body.captures ? outside : module.args(block)[num_inputs + input];
    if (body.swaps) std::swap(lhs, rhs);
    results.push_back(
        body.returns_update ? rhs : builder.create_value(body.kinds[input], {lhs, rhs}, scalar));
  }
  builder.create({.kind = OpKind::StablehloReturn, .operands = results});
  return region;
}

/// Checks whether the rule has a reduction factor for the dim over which updates are combined.
bool reduces(const Body& body) {
  OpMaker make;
  const ir::ScatterDims dims{.update_window_dims = {1},
                             .inserted_window_dims = {0},
                             .input_batching_dims = {},
                             .scatter_indices_batching_dims = {},
                             .scatter_dims_to_operand_dims = {0},
                             .index_vector_dim = 1};
  const std::size_t num_inputs = body.kinds.size();
  std::vector<ir::ValueId> operands(num_inputs, make.arg({100, 64}));
  operands.push_back(make.arg({8, 1}));
  operands.resize(2 * num_inputs + 1, make.arg({8, 64}));
  const ir::RegionId region = make_body(make, body, make.arg({}));
  const ir::OpId op =
      make.op({.kind = OpKind::Scatter,
               .operands = operands,
               .result_types = std::vector<ir::Type>(num_inputs, OpMaker::type({100, 64})),
               .attributes = attributes({{"scatter_dimension_numbers", dims}}),
               .regions = {region}});
  const auto rule = Registry().rule_for(make.view(op));
  REQUIRE(rule);
  return (*rule)->factor_kind(0) == FactorKind::Reduction;
}

TEST_CASE("reducing scatter bodies are recognized", "[rules][registry]") {
  for (const OpKind kind : {OpKind::Add, OpKind::Multiply, OpKind::Maximum, OpKind::Minimum}) {
    CAPTURE(ir::info(kind).name);
    CHECK(reduces({.kinds = {kind}}));
    CHECK(reduces({.kinds = {kind}, .swaps = true}));
    CHECK(reduces({.kinds = {kind, kind}}));
  }
  CHECK(reduces({.kinds = {OpKind::And}, .element = ElementType::I1}));
  CHECK(reduces({.kinds = {OpKind::Or}, .element = ElementType::I1}));
  CHECK_FALSE(reduces({.kinds = {OpKind::And}, .element = ElementType::I32}));
  CHECK_FALSE(reduces({.kinds = {OpKind::Xor}, .element = ElementType::I1}));
  CHECK_FALSE(reduces({.kinds = {OpKind::Subtract}}));
  CHECK_FALSE(reduces({.kinds = {OpKind::Add, OpKind::Multiply}}));
  CHECK_FALSE(reduces({.kinds = {OpKind::Add}, .captures = true}));
  CHECK_FALSE(reduces({.kinds = {OpKind::Add}, .returns_update = true}));
}

TEST_CASE("ops that differ in one attribute do not share a rule", "[rules][table]") {
  OpMaker make;
  const auto x = make.arg({4, 4, 4});
  const auto solve = [&](bool left_side, const char* transpose) {
    return make.op(OpKind::TriangularSolve, {x, x}, {{4, 4, 4}},
                   attributes({{"left_side", left_side},
                               {"transpose_a", ir::EnumAttr{"stablehlo.transpose", transpose}}}));
  };
  const Registry registry;
  const std::vector<ir::OpId> ops = {solve(true, "TRANSPOSE"), solve(true, "NO_TRANSPOSE"),
                                     solve(false, "TRANSPOSE"), solve(true, "TRANSPOSE")};
  RuleTable table(make.module(), registry, {});
  std::vector<std::optional<uint32_t>> found;
  for (const ir::OpId op : ops) found.push_back(table.find(op).value());
  CHECK(found[0] == found[3]);
  CHECK(found[0] != found[1]);
  CHECK(found[0] != found[2]);
}

}  // namespace
}  // namespace shardy::rules::library_ops_test
