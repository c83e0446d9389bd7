// Compares rules with the behaviour of ops. One factor is split into blocks, and the op runs on
// each block. The results must be the blocks of the full result (pass-through) or add up to it
// (reduction). For factors of other kinds they must be neither, so a rule may not have too weak a
// kind either.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/oracle_subject.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

namespace shardy::rules::oracle_test {
namespace {

using ir::OpKind;

/// A factor whose kind in the rule differs from the behaviour of the op, as docs/spec/rules.md
/// specifies.
struct Exception {
  const char* subject;
  const char* factor;
  const char* section;
  const char* reason;
};

constexpr Exception kExceptions[] = {
    {"gather of windows", "k", "rules 8.16",
     "indices count in the whole table: the lowering masks those of other pieces"},
    {"gather with batching dims", "l", "rules 8.16",
     "indices count in the whole table: the lowering masks those of other pieces"},
    {"scatter that adds", "k", "rules 8.16",
     "indices count in the whole input: the lowering drops those of other pieces"},
    {"pad that shifts", "i", "rules 8.17",
     "a dim that keeps its size counts as untouched: the lowering moves the elements"},
    {"dynamic_update_slice", "j", "rules 8.14",
     "start indices count in the whole tensor: the lowering moves them"},
    {"rng_bit_generator", "j", "rules 8.22", "bits depend on their place in the whole result"},
    {"rng_bit_generator", "k", "rules 8.22", "bits depend on their place in the whole result"},
    {"triangular_solve", "k", "rules 8.27",
     "columns of b are solved apart, but the reference replicates them"},
};

bool is_exception(const Subject& subject, int32_t factor) {
  return std::ranges::any_of(kExceptions, [&](const Exception& each) {
    return subject.name == each.subject && factor_symbol(factor) == each.factor;
  });
}

/// Returns the results as numbers; std::nullopt if the op is invalid for these shapes.
std::optional<Values> run(const Subject& subject, const Shapes& operands, const Shapes& results,
                          const Values& inputs) {
  const ir::Module module = module_of(subject, operands, results);
  if (!ir::verify(module).empty()) return std::nullopt;
  const std::vector<ir::Type> types = operand_types(subject, operands);
  simulation::Tensors tensors;
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    tensors.push_back(simulation::Tensor::from_doubles(types[operand], inputs[operand]).value());
  }
  const auto outputs = simulation::run_global(module, "main", tensors);
  if (!outputs) return std::nullopt;
  Values values;
  for (const simulation::Tensor& output : outputs->outputs) values.push_back(output.to_doubles());
  return values;
}

/// A tensor as [outer, factor, inner] elements, which can be split into blocks along the factor.
struct FactorBlock {
  bool is_sharded = false;
  int64_t outer = 1, size = 1, inner = 1;

  FactorBlock(const OpShardingRule& rule, const TensorMapping& mapping, int32_t factor) {
    for (const DimMapping& dim : mapping.dims) {
      for (const int32_t each : dim) {
        if (each == factor) {
          is_sharded = true;
          size = rule.factor_size(each);
        } else {
          (is_sharded ? inner : outer) *= rule.factor_size(each);
        }
      }
    }
  }

  std::vector<double> piece(const std::vector<double>& whole, int64_t shards, int64_t shard) const {
    if (!is_sharded) return whole;
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

/// Checks whether the size of every dim is the product of its factors, so that the tensor can be
/// split.
bool is_exact(const OpShardingRule& rule, const TensorMapping& mapping, const Sizes& shape) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t size = 1;
    for (const int32_t factor : mapping.dims[dim]) size *= rule.factor_size(factor);
    if (size != shape[dim]) return false;
  }
  return true;
}

/// Returns the shapes of the blocks. Only dims with the factor are smaller.
Shapes piece_shapes(std::span<const TensorMapping> mappings, Shapes shapes, int32_t factor,
                    int64_t shards) {
  for (std::size_t tensor = 0; tensor < shapes.size(); ++tensor) {
    for (std::size_t dim = 0; dim < shapes[tensor].size(); ++dim) {
      if (contains_factor(mappings[tensor].dims[dim], factor)) shapes[tensor][dim] /= shards;
    }
  }
  return shapes;
}

std::vector<FactorBlock> blocks_of(const OpShardingRule& rule,
                                   std::span<const TensorMapping> mappings, const Shapes& shapes,
                                   int32_t factor) {
  std::vector<FactorBlock> blocks;
  for (std::size_t tensor = 0; tensor < mappings.size(); ++tensor) {
    FactorBlock block(rule, mappings[tensor], factor);
    if (block.is_sharded && !is_exact(rule, mappings[tensor], shapes[tensor])) {
      // If factors do not multiply to the dim sizes, the elements are counted by the dim sizes.
      block.outer = block.inner = 1;
      bool is_after = false;
      for (std::size_t dim = 0; dim < shapes[tensor].size(); ++dim) {
        const bool is_here = contains_factor(mappings[tensor].dims[dim], factor);
        if (is_here) {
          is_after = true;
          block.size = shapes[tensor][dim];
        }
        if (!is_here) (is_after ? block.inner : block.outer) *= shapes[tensor][dim];
      }
    }
    blocks.push_back(block);
  }
  return blocks;
}

/// The full operands and results of a subject, with its rule.
struct Whole {
  const Subject& subject;
  OpShardingRule rule;
  Values inputs;
  Values results;
};

/// Compares bits, so that NaN equals NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  });
}

/// Checks whether the op's results on the blocks are the blocks of the full results, or add up to
/// them.
bool holds(const Whole& whole, int32_t factor, int64_t shards, bool adds_up) {
  const Subject& subject = whole.subject;
  const OpShardingRule& rule = whole.rule;
  const Shapes operands = piece_shapes(rule.operands(), subject.operands, factor, shards);
  const Shapes results = piece_shapes(rule.results(), subject.results, factor, shards);
  const auto operand_blocks = blocks_of(rule, rule.operands(), subject.operands, factor);
  const auto result_blocks = blocks_of(rule, rule.results(), subject.results, factor);
  Values sums;
  for (const std::vector<double>& result : whole.results) sums.emplace_back(result.size(), 0);
  for (int64_t shard = 0; shard < shards; ++shard) {
    Values pieces;
    for (std::size_t operand = 0; operand < whole.inputs.size(); ++operand) {
      pieces.push_back(operand_blocks[operand].piece(whole.inputs[operand], shards, shard));
      if (static_cast<int64_t>(pieces.back().size()) != product(operands[operand])) return false;
    }
    const std::optional<Values> part = run(subject, operands, results, pieces);
    if (!part) return false;
    for (std::size_t result = 0; result < whole.results.size(); ++result) {
      const std::vector<double>& of_part = (*part)[result];
      if (!adds_up) {
        if (!same(of_part, result_blocks[result].piece(whole.results[result], shards, shard))) {
          return false;
        }
        continue;
      }
      for (std::size_t at = 0; at < of_part.size(); ++at) sums[result][at] += of_part[at];
    }
  }
  return !adds_up || sums == whole.results;
}

bool is_in(std::span<const TensorMapping> mappings, int32_t factor) {
  return std::ranges::any_of(
      mappings, [&](const TensorMapping& mapping) { return contains_factor(mapping, factor); });
}

Whole whole_of(const Subject& subject) {
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
  const Diagnostics errors = ir::verify(module);
  INFO((errors.empty() ? std::string("valid") : errors.front().message));
  const auto results = run(subject, subject.operands, subject.results, inputs);
  REQUIRE(results);
  return {subject, **rule, inputs, *results};
}

/// Checks whether `shards` divides the sizes of all dims with the factor.
bool divides(std::span<const TensorMapping> mappings, const Shapes& shapes, int32_t factor,
             int64_t shards) {
  for (std::size_t tensor = 0; tensor < shapes.size(); ++tensor) {
    for (std::size_t dim = 0; dim < shapes[tensor].size(); ++dim) {
      if (contains_factor(mappings[tensor].dims[dim], factor) &&
          shapes[tensor][dim] % shards != 0) {
        return false;
      }
    }
  }
  return true;
}

/// Checks all factors of a rule. Returns the number of checked factors.
int check_rule(const Subject& subject) {
  const Whole whole = whole_of(subject);
  const OpShardingRule& rule = whole.rule;
  int num_checked = 0;
  for (int32_t factor = 0; factor < rule.num_factors(); ++factor) {
    const FactorKind kind = rule.factor_kind(factor);
    const bool claims = kind == FactorKind::Reduction ||
                        (kind == FactorKind::PassThrough && is_in(rule.results(), factor));
    const bool relates = is_in(rule.results(), factor) && is_in(rule.operands(), factor);
    const bool denies = kind != FactorKind::PassThrough && !claims && relates;
    for (const int64_t shards : {2, 3}) {
      if ((!claims && !denies) || rule.factor_size(factor) % shards != 0) continue;
      const bool can_be_sharded = divides(rule.operands(), subject.operands, factor, shards) &&
                                  divides(rule.results(), subject.results, factor, shards);
      if (!can_be_sharded) continue;
      CAPTURE(factor_symbol(factor), shards);
      const bool is_true = holds(whole, factor, shards, kind == FactorKind::Reduction);
      CHECK(is_true == (claims != is_exception(subject, factor)));
      ++num_checked;
    }
  }
  return num_checked;
}

/// Ops that have a rule, but that this test cannot run on one device.
constexpr OpKind kNotOnOneDevice[] = {
    OpKind::AllGather,
    OpKind::AllReduce,
    OpKind::AllToAll,
    OpKind::CollectiveBroadcast,
    OpKind::CollectivePermute,
    OpKind::CrossReplicaSum,
    OpKind::ReduceScatter,
    OpKind::SdyShardingConstraint,  // has a mesh, and is the identity
    OpKind::CustomCall,             // has a rule per target, see custom_call_subjects
};

std::vector<Subject> all_subjects() {
  std::vector<Subject> all = subjects();
  for (Subject& subject : elementwise_subjects()) all.push_back(std::move(subject));
  for (Subject& subject : custom_call_subjects()) all.push_back(std::move(subject));
  return all;
}

TEST_CASE("an op computed shard by shard agrees with its rule", "[rules][oracle]") {
  for (const Subject& subject : all_subjects()) {
    if (!simulation::has_kernel(subject.kind)) continue;
    CAPTURE(subject.name);
    CHECK(check_rule(subject) > 0);
  }
}

TEST_CASE("the oracle covers every op with a rule and a kernel", "[rules][oracle]") {
  std::set<OpKind> covered(std::begin(kNotOnOneDevice), std::end(kNotOnOneDevice));
  for (const Subject& subject : all_subjects()) covered.insert(subject.kind);
  for (const ir::OpInfo& op : ir::kOps) {
    if (built_in_rule(op.kind) == nullptr) continue;
    CAPTURE(op.name, simulation::has_kernel(op.kind));
    CHECK(covered.contains(op.kind));
  }
}

TEST_CASE("the oracle covers every custom call with a rule and a kernel", "[rules][oracle]") {
  std::set<std::string> covered;
  for (const Subject& subject : custom_call_subjects()) covered.insert(subject.name);
  for (const detail::TargetRow& row : detail::kTargetRows) {
    const std::string target(row.target);
    CAPTURE(target);
    const Subject subject = call_of(target);
    const ir::Module module = module_of(subject, subject.operands, subject.results);
    const auto operand = simulation::Tensor::from_doubles(
        operand_types(subject, subject.operands)[0], std::vector<double>(24, 1));
    const auto outputs = simulation::run_global(module, "main", std::vector{operand.value()});
    const bool is_unknown =
        !outputs && outputs.error().message.find("unsupported custom call") != std::string::npos;
    CHECK(covered.contains(target) == !is_unknown);
  }
}

TEST_CASE("every exception of the oracle refers to a factor of a tested op", "[rules][oracle]") {
  for (const Exception& each : kExceptions) {
    CAPTURE(each.subject, each.factor, each.section, each.reason);
    const std::vector<Subject> all = subjects();
    const auto subject = std::ranges::find(all, each.subject, &Subject::name);
    REQUIRE(subject != all.end());
    const ir::Module module = module_of(*subject, subject->operands, subject->results);
    const ir::OpId op = module.first_op(module.entry(*module.main_function()));
    const auto rule = Registry().rule_for(OpView(module, op));
    REQUIRE(rule);
    REQUIRE(*rule);
    CHECK(is_exception(*subject, each.factor[0] - 'i'));
    CHECK((*rule)->num_factors() > each.factor[0] - 'i');
  }
}

}  // namespace
}  // namespace shardy::rules::oracle_test
