#pragma once

#include <cstdint>
#include <random>
#include <shardy/propagation/problem_builder.hpp>
#include <string>
#include <vector>

namespace shardy::propagation::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound).
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

struct RandomOptions {
  std::size_t num_ops = 6;
  bool with_priorities = true;
  bool repeats_operands = true;  // a value may be several operands of one op
  bool has_function_results = true;
  bool has_groups = true;
  bool has_compound_dims = true;  // of several factors
  bool has_unit_sizes = true;     // mesh axes of size 1, factors of size 0
  bool has_dead_ops = false;      // erased once their results are unused
  bool has_mixed_splits = true;   // one axis of size 6 split at 2 here and at 3 there
};

Mesh random_mesh(Random& random, const RandomOptions& options = {});
TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               bool with_priorities);
/// Each tensor has the given rank. Every factor is used.
OpShardingRule random_rule(Random& random, const std::vector<std::size_t>& operand_ranks,
                           const std::vector<std::size_t>& result_ranks,
                           const RandomOptions& options = {});

struct RandomProblem {
  Problem problem;
  std::vector<OpShardingRule> rules;  // by RuleId
};

/// Ops, edges, barriers, groups and function results over few values on one mesh.
RandomProblem random_problem(uint64_t seed, const RandomOptions& options = {});

/// All nodes with their tensors, for failure messages.
std::string to_text(const RandomProblem& random);

}  // namespace shardy::propagation::testing
