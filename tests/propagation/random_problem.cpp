#include "propagation/random_problem.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "propagation/program.hpp"

namespace shardy::propagation::testing {
namespace {

/// The axes of a mesh, some of them split, in random order.
AxisList random_parts(Random& random, const Mesh& mesh) {
  AxisList parts;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const AxisRef full = mesh.full_axis(axis);
    std::vector<int64_t> divisors;
    for (int64_t divisor = 2; divisor < full.size; ++divisor) {
      if (full.size % divisor == 0) divisors.push_back(divisor);
    }
    if (divisors.empty() || random.chance(50)) {
      parts.push_back(full);
      continue;
    }
    const int64_t divisor = random.pick(divisors);
    parts.push_back({axis, 1, divisor});
    parts.push_back({axis, divisor, full.size / divisor});
  }
  random.shuffle(parts);
  return parts;
}

void append_merged(AxisList& axes, const AxisRef& axis) {
  if (!axes.empty() && can_merge(axes.back(), axis)) {
    axes.back() = merge(axes.back(), axis);
  } else {
    axes.push_back(axis);
  }
}

AxisList sorted_and_merged(AxisList axes) {
  std::ranges::sort(axes);
  AxisList merged;
  for (const AxisRef& axis : axes) append_merged(merged, axis);
  return merged;
}

TensorMapping random_mapping(Random& random, std::size_t rank, std::size_t num_factors,
                             const std::vector<int64_t>& sizes, bool has_compound_dims) {
  std::vector<int32_t> factors;
  for (std::size_t f = 0; f < num_factors; ++f) factors.push_back(static_cast<int32_t>(f));
  random.shuffle(factors);
  TensorMapping mapping;
  mapping.dims.resize(rank);
  std::size_t next = 0;
  for (std::size_t dim = 0; dim < rank; ++dim) mapping.dims[dim].push_back(factors[next++]);
  for (; has_compound_dims && rank > 0 && next < num_factors && random.chance(40); ++next) {
    DimMapping& dim = mapping.dims[random.below(rank)];
    const auto size = [&](int32_t f) { return sizes[static_cast<std::size_t>(f)]; };
    if (size(factors[next]) == 1 || size(dim.front()) == 1) continue;
    dim.push_back(factors[next]);
  }
  return mapping;
}

/// Fills in one random problem.
class RandomBuilder {
 public:
  RandomBuilder(uint64_t seed, const RandomOptions& options)
      : random_(seed), options_(options), mesh_(random_mesh(random_, options)) {}

  RandomProblem build();

 private:
  SlotId add_slot(std::size_t rank, std::size_t percent_sharded, SlotId shares = {});
  SlotId pick_operand(const std::vector<TensorUse>& taken);
  RuleId add_rule(const OpShardingRule& rule);
  RuleId add_rule(const NodeSpec& spec);
  std::size_t rank(SlotId slot) const { return ranks_[slot.index()]; }
  void add_operands(std::size_t count, bool same_rank, NodeSpec& spec);
  void add_op();
  void add_edge();
  void add_barrier();
  void add_group();
  void add_function_result();

  Random random_;
  RandomOptions options_;
  Mesh mesh_;
  ProblemBuilder builder_;
  std::vector<SlotId> slots_;
  std::vector<std::size_t> ranks_;
  std::vector<SlotId> storages_;
  std::vector<bool> is_grouped_;
  std::vector<OpShardingRule> rules_;
};

SlotId RandomBuilder::add_slot(std::size_t rank, std::size_t percent_sharded, SlotId shares) {
  SlotSpec spec;
  spec.shape.assign(rank, 8);
  spec.shares = shares;
  if (!shares.valid() && random_.chance(percent_sharded)) {
    spec.sharding = random_sharding(random_, mesh_, rank, options_.with_priorities);
  }
  const SlotId slot = builder_.add_slot(spec).value();
  slots_.push_back(slot);
  ranks_.push_back(rank);
  storages_.push_back(shares.valid() ? shares : slot);
  is_grouped_.push_back(false);
  return slot;
}

SlotId RandomBuilder::pick_operand(const std::vector<TensorUse>& taken) {
  const SlotId slot = slots_[random_.below(slots_.size())];
  const bool repeats = std::ranges::any_of(taken, [&](const TensorUse& use) {
    return storages_[use.slot.index()] == storages_[slot.index()];
  });
  return repeats && !options_.repeats_operands ? add_slot(rank(slot), 50) : slot;
}

RuleId RandomBuilder::add_rule(const OpShardingRule& rule) {
  const RuleId id = builder_.add_rule(rule).value();
  if (id.index() == rules_.size()) rules_.push_back(rule);
  return id;
}

RuleId RandomBuilder::add_rule(const NodeSpec& spec) {
  std::vector<std::size_t> operand_ranks;
  std::vector<std::size_t> result_ranks;
  for (const TensorUse& use : spec.operands) operand_ranks.push_back(rank(use.slot));
  for (const TensorUse& use : spec.results) result_ranks.push_back(rank(use.slot));
  return add_rule(random_rule(random_, operand_ranks, result_ranks, options_));
}

void RandomBuilder::add_operands(std::size_t count, bool same_rank, NodeSpec& spec) {
  spec.operands = {{pick_operand({})}};
  const std::size_t first_rank = rank(spec.operands.front().slot);
  while (spec.operands.size() < count) {
    const SlotId slot = pick_operand(spec.operands);
    const bool fits = !same_rank || rank(slot) == first_rank;
    spec.operands.push_back({fits ? slot : add_slot(first_rank, 50)});
  }
}

void RandomBuilder::add_op() {
  constexpr PriorityClass kClasses[] = {PriorityClass::Pointwise, PriorityClass::DynamicSlice,
                                        PriorityClass::Broadcast, PriorityClass::Other};
  NodeSpec spec;
  const bool is_identity = random_.chance(40);
  add_operands(1 + random_.below(3), is_identity, spec);
  const std::size_t first_rank = rank(spec.operands.front().slot);
  std::vector<SlotId> results;
  const std::size_t num_results = random_.chance(80) ? 1 : 2;
  for (std::size_t i = 0; i < num_results; ++i) {
    results.push_back(add_slot(is_identity ? first_rank : random_.below(4), 25));
    spec.results.push_back({results.back()});
  }
  const std::vector<int64_t> shape(first_rank, 8);
  spec.rule = is_identity
                  ? add_rule(OpShardingRule::identity(shape, spec.operands.size(), num_results))
                  : add_rule(spec);
  spec.priority = random_.pick(kClasses);
  spec.is_elementwise = random_.chance(40);
  spec.is_conservative = random_.chance(15);
  spec.is_removable = options_.has_dead_ops && random_.chance(60);
  builder_.add_node(spec).value();
  if (!builder_.add_siblings(results)) throw std::logic_error("siblings");
}

void RandomBuilder::add_edge() {
  NodeSpec spec;
  add_operands(1 + random_.below(3), /*same_rank=*/true, spec);
  const std::vector<TensorUse>& sources = spec.operands;
  const std::size_t of_rank = rank(sources.front().slot);
  const SlotId target = add_slot(of_rank, 25);
  const std::vector<int64_t> shape(of_rank, 8);
  add_rule(OpShardingRule::identity(shape, sources.size(), 1));
  builder_.add_edge(sources, {target}).value();
  while (random_.chance(40)) add_slot(of_rank, 0, target);
}

void RandomBuilder::add_barrier() {
  constexpr Direction kDirections[] = {Direction::None, Direction::Forward, Direction::Backward};
  const SlotId operand = pick_operand({});
  const SlotId result = add_slot(rank(operand), 25);
  const std::vector<int64_t> shape(rank(operand), 8);
  add_rule(OpShardingRule::identity(shape, 1, 1));
  builder_.add_barrier(operand, result, random_.pick(kDirections)).value();
}

void RandomBuilder::add_group() {
  std::vector<SlotId> members;
  const std::size_t of_rank = random_.below(4);
  for (const SlotId slot : slots_) {
    if (rank(slot) != of_rank || is_grouped_[slot.index()] || random_.chance(60)) continue;
    members.push_back(slot);
    is_grouped_[slot.index()] = true;
  }
  if (!members.empty()) builder_.add_group(members).value();
}

void RandomBuilder::add_function_result() {
  const SlotId returned = pick_operand({});
  const SlotId result = add_slot(rank(returned), 60);
  const std::vector<int64_t> shape(rank(returned), 8);
  add_rule(OpShardingRule::identity(shape, 1, 1));
  builder_.add_function_result(returned, result).value();
}

RandomProblem RandomBuilder::build() {
  for (std::size_t i = 0; i < 3; ++i) add_slot(random_.below(4), 80);
  for (std::size_t i = 0; i < options_.num_ops; ++i) {
    const std::size_t kind = random_.below(10);
    if (kind < 7) {
      add_op();
    } else if (kind < 9) {
      add_edge();
    } else {
      add_barrier();
    }
  }
  if (options_.has_groups && random_.chance(30)) add_group();
  while (options_.has_function_results && random_.chance(50)) add_function_result();
  return {std::move(builder_).build().value(), rules_};
}

}  // namespace

Mesh random_mesh(Random& random, const RandomOptions& options) {
  constexpr int64_t kSizes[] = {1, 2, 2, 3, 4, 6, 8, 12};
  constexpr const char* kNames[] = {"c", "a", "b"};  // not in byte order
  std::vector<MeshAxis> axes;
  const std::size_t num_axes = 1 + random.below(3);
  for (std::size_t i = 0; i < num_axes; ++i) {
    int64_t size = random.pick(kSizes);
    if (size == 1 && !options.has_unit_sizes) size = 5;
    if (size % 6 == 0 && !options.has_mixed_splits) size = 16;
    axes.push_back({kNames[i], size});
  }
  return Mesh::make(axes).value();
}

TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               bool with_priorities) {
  std::vector<DimSharding> dims(rank);
  AxisList replicated;
  AxisList unreduced;
  for (const AxisRef& axis : random_parts(random, mesh)) {
    const std::size_t place = random.below(100);
    if (place < 60 && rank > 0) {
      append_merged(dims[random.below(rank)].axes, axis);
    } else if (place < 68) {
      replicated.push_back(axis);
    } else if (place < 74) {
      unreduced.push_back(axis);
    }
  }
  for (DimSharding& dim : dims) {
    dim.is_closed = random.chance(25);
    const bool may_have_priority = !dim.is_closed || !dim.axes.empty();
    if (with_priorities && may_have_priority && random.chance(30)) {
      dim.priority = static_cast<int64_t>(random.below(4));
    }
  }
  return TensorSharding::make(mesh, "mesh", dims, sorted_and_merged(replicated),
                              sorted_and_merged(unreduced))
      .value();
}

OpShardingRule random_rule(Random& random, const std::vector<std::size_t>& operand_ranks,
                           const std::vector<std::size_t>& result_ranks,
                           const RandomOptions& options) {
  constexpr int64_t kSizes[] = {0, 1, 2, 2, 3, 4, 6, 8, 12};
  std::size_t num_factors = 0;
  for (const auto* ranks : {&operand_ranks, &result_ranks}) {
    for (const std::size_t rank : *ranks) num_factors = std::max(num_factors, rank);
  }
  num_factors += random.below(3);
  std::vector<int64_t> sizes;
  for (std::size_t f = 0; f < num_factors; ++f) {
    const int64_t size = random.pick(kSizes);
    sizes.push_back(size == 0 && !options.has_unit_sizes ? 5 : size);
  }
  OpShardingRule::Parts parts;
  for (const std::size_t rank : operand_ranks) {
    parts.operand_mappings.push_back(
        random_mapping(random, rank, num_factors, sizes, options.has_compound_dims));
  }
  for (const std::size_t rank : result_ranks) {
    parts.result_mappings.push_back(
        random_mapping(random, rank, num_factors, sizes, options.has_compound_dims));
  }
  // Unused factors are dropped, the others renumbered.
  std::vector<int32_t> new_index(num_factors, -1);
  for (auto* mappings : {&parts.operand_mappings, &parts.result_mappings}) {
    for (TensorMapping& mapping : *mappings) {
      for (DimMapping& dim : mapping.dims) {
        for (int32_t& factor : dim) {
          const auto old = static_cast<std::size_t>(factor);
          if (new_index[old] < 0) {
            new_index[old] = static_cast<int32_t>(parts.factor_sizes.size());
            parts.factor_sizes.push_back(sizes[old]);
          }
          factor = new_index[old];
        }
      }
    }
  }
  for (int32_t f = 0; f < static_cast<int32_t>(parts.factor_sizes.size()); ++f) {
    const bool in_result = std::ranges::any_of(
        parts.result_mappings, [&](const auto& mapping) { return contains_factor(mapping, f); });
    if (random.chance(15)) {
      parts.need_replication.push_back(f);
    } else if (random.chance(15)) {
      parts.permutation.push_back(f);
    } else if (!in_result && random.chance(60)) {
      parts.reduction.push_back(f);
    }
    if (random.chance(10)) parts.blocked.push_back(f);
  }
  return OpShardingRule::make(parts).value();
}

RandomProblem random_problem(uint64_t seed, const RandomOptions& options) {
  return RandomBuilder(seed, options).build();
}

std::string to_text(const RandomProblem& random) {
  const Problem& problem = random.problem;
  std::string text;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    const SlotId storage = problem.slot(SlotId(slot)).storage;
    text += "%" + std::to_string(slot) + " " + to_text(problem.sharding(SlotId(slot)));
    if (storage.value != slot) text += " shares %" + std::to_string(storage.value);
    if (problem.slot(SlotId(slot)).group.valid()) text += " grouped";
    text += "\n";
  }
  for (uint32_t node = 0; node < problem.num_nodes(); ++node) {
    const Node& of = problem.node(NodeId(node));
    for (const TensorUse& use : problem.results(NodeId(node))) {
      text += "%" + std::to_string(use.slot.value) + " ";
    }
    text += "= node";
    for (const TensorUse& use : problem.operands(NodeId(node))) {
      text += " %" + std::to_string(use.slot.value);
    }
    text += of.is_elementwise ? " elementwise" : "";
    text += of.is_conservative ? " conservative" : "";
    text += of.is_function_result ? " function result" : "";
    text += of.is_removable ? " removable" : "";
    text += " class " + std::to_string(static_cast<int>(of.priority)) + " direction " +
            std::to_string(static_cast<int>(of.direction)) + " rule\n";
    const OpShardingRule& rule = random.rules[of.rule.index()];
    for (std::size_t t = 0; t < rule.num_tensors(); ++t) {
      text += t == rule.operands().size() ? " -> [" : " [";
      for (const DimMapping& dim : rule.tensor(t).dims) {
        for (const int32_t f : dim) text += " " + std::to_string(f);
        text += ",";
      }
      text += "]";
    }
    for (const int64_t size : rule.factor_sizes()) text += " " + std::to_string(size);
    text += "\n";
  }
  return text;
}

}  // namespace shardy::propagation::testing
