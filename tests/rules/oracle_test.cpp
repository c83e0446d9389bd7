// Rules against the meaning of the ops: one factor is cut into pieces, the op runs on the pieces,
// and the results must be the pieces of the whole (pass-through) or add up to it (reduction).
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "rules/op_maker.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

namespace shardy::rules {
namespace {

using ir::ElementType;
using ir::OpKind;

using Shapes = std::vector<Sizes>;
using Values = std::vector<std::vector<double>>;
using MakeAttributes =
    std::function<ir::AttributeMap(const Shapes& operands, const Shapes& results)>;

/// An op and whole operands for it. Unless values are given, elements are 1, 2, 3, ...
struct Subject {
  std::string name;
  OpKind kind = OpKind::Add;
  Shapes operands;
  Shapes results;
  MakeAttributes attributes = [](const Shapes&, const Shapes&) { return ir::AttributeMap(); };
  std::vector<ElementType> operand_elements = {};  // missing ones: f32
  ElementType result_element = ElementType::F32;
  Values values = {};    // of the operands; empty ones are counted
  bool adds_up = false;  // has a region that adds
};

ElementType element_of(const Subject& subject, std::size_t operand) {
  const auto& elements = subject.operand_elements;
  return operand < elements.size() ? elements[operand] : ElementType::F32;
}

std::vector<ir::Type> operand_types(const Subject& subject, const Shapes& shapes) {
  std::vector<ir::Type> types;
  for (std::size_t operand = 0; operand < shapes.size(); ++operand) {
    types.push_back(ir::Type::tensor(shapes[operand], element_of(subject, operand)));
  }
  return types;
}

void add_sum_region(ir::Module& module, ir::OpSpec& spec, std::size_t num_results) {
  const ir::Type scalar = ir::Type::tensor({}, ElementType::F32);
  spec.regions.push_back(module.new_region());
  const ir::BlockId body =
      module.new_block(spec.regions.front(), std::vector<ir::Type>(2 * num_results, scalar));
  ir::Builder builder(module, body);
  std::vector<ir::ValueId> sums;
  for (std::size_t result = 0; result < num_results; ++result) {
    const auto args = module.args(body);
    sums.push_back(
        builder.create_value(OpKind::Add, {args[result], args[result + num_results]}, scalar));
  }
  builder.create({.kind = OpKind::StablehloReturn, .operands = sums});
}

/// A function of that one op, on operands and results of these shapes.
ir::Module module_of(const Subject& subject, const Shapes& operands, const Shapes& results) {
  std::vector<ir::Type> result_types;
  for (const Sizes& shape : results) {
    result_types.push_back(ir::Type::tensor(shape, subject.result_element));
  }
  ir::Module module;
  const ir::BlockId entry =
      module.entry(module.add_function("main", operand_types(subject, operands), result_types));
  const auto args = module.args(entry);
  ir::OpSpec spec{.kind = subject.kind,
                  .operands = {args.begin(), args.end()},
                  .result_types = result_types,
                  .attributes = subject.attributes(operands, results)};
  if (subject.adds_up) add_sum_region(module, spec, results.size());
  const ir::OpId op = ir::Builder(module, entry).create(std::move(spec));
  ir::Builder(module, entry).create({.kind = OpKind::FuncReturn, .operands = module.results(op)});
  return module;
}

Values run(const Subject& subject, const Shapes& operands, const Shapes& results,
           const Values& inputs) {
  const ir::Module module = module_of(subject, operands, results);
  const std::vector<ir::Type> types = operand_types(subject, operands);
  simulation::Tensors tensors;
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    tensors.push_back(simulation::Tensor::from_doubles(types[operand], inputs[operand]).value());
  }
  const auto outputs = simulation::run_global(module, "main", tensors);
  REQUIRE(shardy_test::message_of(outputs) == "(no error)");
  Values values;
  for (const simulation::Tensor& output : outputs->outputs) values.push_back(output.to_doubles());
  return values;
}

/// How one tensor is cut along one factor: as rows of [outer, factor, inner] elements.
struct Cut {
  bool is_cut = false;
  int64_t outer = 1, size = 1, inner = 1;

  Cut(const OpShardingRule& rule, const TensorMapping& mapping, int32_t factor) {
    for (const DimMapping& dim : mapping.dims) {
      for (const int32_t each : dim) {
        if (each == factor) {
          is_cut = true;
          size = rule.factor_size(each);
        } else {
          (is_cut ? inner : outer) *= rule.factor_size(each);
        }
      }
    }
  }

  std::vector<double> piece(const std::vector<double>& whole, int64_t shards, int64_t shard) const {
    if (!is_cut) return whole;
    std::vector<double> part;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      if (shard_of(at, shards) == shard) part.push_back(whole[at]);
    }
    return part;
  }
  int64_t shard_of(std::size_t at, int64_t shards) const {
    return static_cast<int64_t>(at) / inner % size / (size / shards);
  }
};

/// Whether the factors of every dim of the tensor make up its size: then it can be cut.
bool is_exact(const OpShardingRule& rule, const TensorMapping& mapping, const Sizes& shape) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t size = 1;
    for (const int32_t factor : mapping.dims[dim]) size *= rule.factor_size(factor);
    if (size != shape[dim]) return false;
  }
  return true;
}

/// Shapes of the pieces. Dims whose factors do not make up their size are left as they are.
Shapes piece_shapes(std::span<const TensorMapping> mappings, Shapes shapes, int32_t factor,
                    int64_t shards) {
  for (std::size_t tensor = 0; tensor < shapes.size(); ++tensor) {
    for (std::size_t dim = 0; dim < shapes[tensor].size(); ++dim) {
      if (contains_factor(mappings[tensor].dims[dim], factor)) shapes[tensor][dim] /= shards;
    }
  }
  return shapes;
}

std::vector<Cut> cuts_of(const OpShardingRule& rule, std::span<const TensorMapping> mappings,
                         const Shapes& shapes, int32_t factor) {
  std::vector<Cut> cuts;
  for (std::size_t tensor = 0; tensor < mappings.size(); ++tensor) {
    Cut cut(rule, mappings[tensor], factor);
    if (cut.is_cut && !is_exact(rule, mappings[tensor], shapes[tensor])) {
      // Only one dim of factors matters here; count its elements by the real sizes instead.
      cut.outer = cut.inner = 1;
      bool is_after = false;
      for (std::size_t dim = 0; dim < shapes[tensor].size(); ++dim) {
        const bool is_here = contains_factor(mappings[tensor].dims[dim], factor);
        if (is_here) is_after = true;
        if (!is_here) (is_after ? cut.inner : cut.outer) *= shapes[tensor][dim];
      }
    }
    cuts.push_back(cut);
  }
  return cuts;
}

void check_factor(const Subject& subject, const OpShardingRule& rule, int32_t factor,
                  int64_t shards, const Values& inputs, const Values& whole) {
  CAPTURE(factor_symbol(factor), shards);
  const Shapes operands = piece_shapes(rule.operands(), subject.operands, factor, shards);
  const Shapes results = piece_shapes(rule.results(), subject.results, factor, shards);
  const auto operand_cuts = cuts_of(rule, rule.operands(), subject.operands, factor);
  const auto result_cuts = cuts_of(rule, rule.results(), subject.results, factor);
  const bool is_sum = rule.factor_kind(factor) == FactorKind::Reduction;
  Values sums;
  for (const std::vector<double>& result : whole) sums.emplace_back(result.size(), 0);
  for (int64_t shard = 0; shard < shards; ++shard) {
    Values pieces;
    for (std::size_t operand = 0; operand < inputs.size(); ++operand) {
      pieces.push_back(operand_cuts[operand].piece(inputs[operand], shards, shard));
    }
    const Values part = run(subject, operands, results, pieces);
    for (std::size_t result = 0; result < whole.size(); ++result) {
      if (!is_sum) CHECK(part[result] == result_cuts[result].piece(whole[result], shards, shard));
      for (std::size_t at = 0; is_sum && at < whole[result].size(); ++at) {
        sums[result][at] += part[result][at];
      }
    }
  }
  if (is_sum) CHECK(sums == whole);
}

bool is_in_results(const OpShardingRule& rule, int32_t factor) {
  return std::ranges::any_of(rule.results(), [&](const TensorMapping& mapping) {
    return contains_factor(mapping, factor);
  });
}

/// Returns how many factors were checked.
int check_rule(const Subject& subject) {
  CAPTURE(subject.name);
  const ir::Module module = module_of(subject, subject.operands, subject.results);
  const ir::OpId op = module.first_op(module.entry(*module.main_function()));
  const auto rule = Registry().rule_for(OpView(module, op));
  REQUIRE(rule);
  REQUIRE(*rule);
  Values inputs = subject.values;
  inputs.resize(subject.operands.size());
  for (std::size_t operand = 0; operand < inputs.size(); ++operand) {
    if (!inputs[operand].empty()) continue;
    inputs[operand].resize(static_cast<std::size_t>(product(subject.operands[operand])));
    std::iota(inputs[operand].begin(), inputs[operand].end(), 1 + 100 * static_cast<int>(operand));
  }
  const Values whole = run(subject, subject.operands, subject.results, inputs);
  int num_checked = 0;
  for (int32_t factor = 0; factor < (*rule)->num_factors(); ++factor) {
    const FactorKind kind = (*rule)->factor_kind(factor);
    const bool passes = kind == FactorKind::PassThrough && is_in_results(**rule, factor);
    if (!passes && kind != FactorKind::Reduction) continue;
    for (const int64_t shards : {2, 3}) {
      if ((*rule)->factor_size(factor) % shards != 0) continue;
      check_factor(subject, **rule, factor, shards, inputs, whole);
      ++num_checked;
    }
  }
  return num_checked;
}

ir::AttributeMap whole_slices(const Sizes& starts, const Sizes& limits) {
  return attributes({{"start_indices", integers(starts)},
                     {"limit_indices", integers(limits)},
                     {"strides", integers(Sizes(starts.size(), 1))}});
}

MakeAttributes fixed(ir::AttributeMap map) {
  return [map](const Shapes&, const Shapes&) { return map; };
}

std::vector<Subject> subjects() {
  const auto permutation = fixed(attributes({{"permutation", integers({2, 0, 1})}}));
  const auto first_dim = fixed(attributes({{"dimensions", integers({0})}}));
  const auto dot = fixed(attributes({{"dot_dimension_numbers", ir::DotDims{{0}, {1}, {2}, {2}}}}));
  const auto less = fixed(
      attributes({{"comparison_direction", ir::EnumAttr{"stablehlo.comparison_direction", "LT"}}}));
  const auto padding = fixed(attributes({{"edge_padding_low", integers({0, 1})},
                                         {"edge_padding_high", integers({0, 2})},
                                         {"interior_padding", integers({0, 1})}}));
  const auto starts = std::vector{ElementType::F32, ElementType::I32, ElementType::I32};
  return {
      {.name = "add", .kind = OpKind::Add, .operands = {{6, 4}, {6, 4}}, .results = {{6, 4}}},
      {.name = "clamp",
       .kind = OpKind::Clamp,
       .operands = {{}, {6, 4}, {}},
       .results = {{6, 4}},
       .values = {{3}, {}, {9}}},
      {.name = "select",
       .kind = OpKind::Select,
       .operands = {{6}, {6}, {6}},
       .results = {{6}},
       .operand_elements = {ElementType::I1},
       .values = {{1, 0, 0, 1, 1, 0}, {}, {}}},
      {.name = "select by one",
       .kind = OpKind::Select,
       .operands = {{}, {6}, {6}},
       .results = {{6}},
       .operand_elements = {ElementType::I1},
       .values = {{1}, {}, {}}},
      {.name = "compare",
       .kind = OpKind::Compare,
       .operands = {{6}, {6}},
       .results = {{6}},
       .attributes = less,
       .result_element = ElementType::I1,
       .values = {{1, 5, 3, 2, 6, 4}, {2, 4, 6, 1, 3, 5}}},
      {.name = "convert",
       .kind = OpKind::Convert,
       .operands = {{6, 2}},
       .results = {{6, 2}},
       .result_element = ElementType::I32},
      {.name = "broadcast_in_dim",
       .kind = OpKind::BroadcastInDim,
       .operands = {{1, 6}},
       .results = {{4, 3, 6}},
       .attributes = fixed(attributes({{"broadcast_dimensions", integers({0, 2})}}))},
      {.name = "transpose",
       .kind = OpKind::Transpose,
       .operands = {{3, 4, 6}},
       .results = {{6, 3, 4}},
       .attributes = permutation},
      {.name = "reverse",
       .kind = OpKind::Reverse,
       .operands = {{4, 6}},
       .results = {{4, 6}},
       .attributes = first_dim},
      {.name = "reduce",
       .kind = OpKind::Reduce,
       .operands = {{6, 4}, {}},
       .results = {{4}},
       .attributes = first_dim,
       .values = {{}, {0}},
       .adds_up = true},
      {.name = "reduce of two",
       .kind = OpKind::Reduce,
       .operands = {{6, 4}, {6, 4}, {}, {}},
       .results = {{4}, {4}},
       .attributes = first_dim,
       .values = {{}, {}, {0}, {0}},
       .adds_up = true},
      {.name = "dot_general",
       .kind = OpKind::DotGeneral,
       .operands = {{3, 4, 6}, {2, 3, 6}},
       .results = {{3, 4, 2}},
       .attributes = dot},
      {.name = "slice",
       .kind = OpKind::Slice,
       .operands = {{6, 5}},
       .results = {{6, 3}},
       .attributes =
           [](const Shapes& operands, const Shapes&) {
             return whole_slices({0, 1}, {operands[0][0], 4});
           }},
      {.name = "dynamic_slice",
       .kind = OpKind::DynamicSlice,
       .operands = {{6, 5}, {}, {}},
       .results = {{6, 3}},
       .attributes =
           [](const Shapes&, const Shapes& results) {
             return attributes({{"slice_sizes", integers(results[0])}});
           },
       .operand_elements = starts,
       .values = {{}, {0}, {1}}},
      {.name = "dynamic_update_slice",
       .kind = OpKind::DynamicUpdateSlice,
       .operands = {{6, 5}, {6, 3}, {}, {}},
       .results = {{6, 5}},
       .operand_elements = {ElementType::F32, ElementType::F32, ElementType::I32, ElementType::I32},
       .values = {{}, {}, {0}, {1}}},
      {.name = "concatenate",
       .kind = OpKind::Concatenate,
       .operands = {{6, 3}, {6, 5}},
       .results = {{6, 8}},
       .attributes = fixed(attributes({{"dimension", integer(1)}}))},
      {.name = "pad",
       .kind = OpKind::Pad,
       .operands = {{6, 3}, {}},
       .results = {{6, 8}},
       .attributes = padding},
      {.name = "reshape that splits",
       .kind = OpKind::Reshape,
       .operands = {{12}},
       .results = {{2, 6}}},
      {.name = "reshape that merges",
       .kind = OpKind::Reshape,
       .operands = {{2, 3, 4}},
       .results = {{6, 4}}},
      {.name = "reshape that does both",
       .kind = OpKind::Reshape,
       .operands = {{4, 6, 6}},
       .results = {{8, 18}}},
  };
}

TEST_CASE("what a rule lets pass is what the op does piece by piece", "[rules][oracle]") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    CHECK(check_rule(subject) > 0);
  }
}

}  // namespace
}  // namespace shardy::rules
