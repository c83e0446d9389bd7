// Finds the choices of common recipes.
//
//   %0 = dot %x, %w1; %1 = dot %0, %w2    classes: rows of %x, %0, %1; columns of %w1, ...
//   class of the rows: each op has strategies with sharded rows only -> batch on all axes
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "autoshard/network_solver.hpp"
#include "autoshard/search_setup.hpp"
#include "shardy/algebra/tensor_sharding.hpp"

namespace shardy::autoshard {

using Kind = ModelNode::Kind;

namespace {

/// The classes of the dims that nodes use and make.
class DimClasses {
 public:
  explicit DimClasses(const ProgramModel& model) : model_(model) {
    for (const ModelNode& node : model.nodes()) {
      first_.emplace_back();
      for (uint32_t port = 0; port < num_ports(node); ++port) {
        first_.back().push_back(parent_.size());
        for (std::size_t dim = 0; dim < rank_of(node, port); ++dim) {
          parent_.push_back(parent_.size());
        }
      }
    }
    for (std::size_t node = 0; node < first_.size(); ++node) join_node(node);
    for (const ModelLink& link : model.links()) {
      const auto source = static_cast<std::size_t>(link.source);
      const auto reader = static_cast<std::size_t>(link.reader);
      const uint32_t output = num_inputs(model.nodes()[source]) + link.output;
      for (std::size_t dim = 0; dim < rank_of(model.nodes()[reader], link.input); ++dim) {
        join(first_[source][output] + dim, first_[reader][link.input] + dim);
      }
    }
    for (std::size_t& parent : parent_) parent = parent_[parent];  // the first of the class
  }

  /// Returns the classes with the most dims of ops, the largest first.
  std::vector<std::size_t> largest(std::size_t most) const {
    std::map<std::size_t, int64_t> counts;
    for (std::size_t node = 0; node < first_.size(); ++node) {
      if (model_.nodes()[node].kind != Kind::Op) continue;
      for_each_dim(node, [&](std::size_t dim) { ++counts[root(dim)]; });
    }
    std::vector<std::size_t> classes(counts.size());
    std::ranges::transform(counts, classes.begin(), [](const auto& entry) { return entry.first; });
    std::ranges::stable_sort(classes, std::greater(),
                             [&](std::size_t number) { return counts.at(number); });
    classes.resize(std::min(most, classes.size()));
    return classes;
  }

  /// Checks whether a strategy shards only dims of the class.
  bool shards_only(std::size_t node, int32_t choice, std::size_t of_class) const {
    bool is_only = true;
    for_each_sharded(node, choice, [&](std::size_t dim) { is_only &= root(dim) == of_class; });
    return is_only;
  }

 private:
  static uint32_t num_inputs(const ModelNode& node) {
    return static_cast<uint32_t>(node.states.num_operands);
  }
  static uint32_t num_ports(const ModelNode& node) {
    return num_inputs(node) + static_cast<uint32_t>(node.states.num_results);
  }

  ir::ValueId value_of(const ModelNode& node, uint32_t port) const {
    if (node.kind != Kind::Op) return node.value;
    const uint32_t inputs = num_inputs(node);
    return port < inputs ? model_.module().operand(node.op, port)
                         : model_.module().result(node.op, port - inputs);
  }
  std::size_t rank_of(const ModelNode& node, uint32_t port) const {
    return model_.module().type(value_of(node, port)).dims().size();
  }
  const TensorSharding& state_of(std::size_t number, int32_t choice, uint32_t port) const {
    const ModelNode& node = model_.nodes()[number];
    const auto at = static_cast<int32_t>(number);
    const uint32_t inputs = num_inputs(node);
    const ir::ValueId value = value_of(node, port);
    return port < inputs ? model_.input_state(at, choice, port, value)
                         : model_.output_state(at, choice, port - inputs, value);
  }

  template <class Visit>
  void for_each_dim(std::size_t node, Visit visit) const {
    for (uint32_t port = 0; port < first_[node].size(); ++port) {
      const std::size_t rank = rank_of(model_.nodes()[node], port);
      for (std::size_t dim = 0; dim < rank; ++dim) visit(first_[node][port] + dim);
    }
  }
  template <class Visit>
  void for_each_sharded(std::size_t node, int32_t choice, Visit visit) const {
    for (uint32_t port = 0; port < first_[node].size(); ++port) {
      const TensorSharding& state = state_of(node, choice, port);
      for (std::size_t dim = 0; dim < state.rank(); ++dim) {
        if (!state.dim(dim).axes.empty()) visit(first_[node][port] + dim);
      }
    }
  }

  /// Returns the axis of a strategy that shards along one axis only, else nullptr.
  const AxisRef* only_axis(std::size_t node, int32_t choice) const {
    const AxisRef* axis = nullptr;
    for (uint32_t port = 0; port < first_[node].size(); ++port) {
      const TensorSharding& state = state_of(node, choice, port);
      for (std::size_t dim = 0; dim < state.rank(); ++dim) {
        for (const AxisRef& each : state.dim(dim).axes) {
          if (axis != nullptr && each != *axis) return nullptr;
          axis = &each;
        }
      }
    }
    return axis;
  }

  /// Joins the dims that a strategy with one sharded dim per tensor shards along the same axis.
  void join_node(std::size_t node) {
    const auto count = static_cast<int32_t>(model_.nodes()[node].states.size());
    for (int32_t choice = 0; choice < count; ++choice) {
      if (only_axis(node, choice) == nullptr) continue;
      std::vector<std::size_t> dims;
      for_each_sharded(node, choice, [&](std::size_t dim) { dims.push_back(dim); });
      for (const std::size_t dim : dims) join(dims.front(), dim);
    }
  }

  std::size_t root(std::size_t dim) const { return parent_[dim]; }
  std::size_t find(std::size_t dim) {
    while (parent_[dim] != dim) dim = parent_[dim] = parent_[parent_[dim]];
    return dim;
  }
  void join(std::size_t one, std::size_t other) {
    one = find(one);
    other = find(other);
    parent_[std::max(one, other)] = std::min(one, other);
  }

  const ProgramModel& model_;
  std::vector<std::vector<std::size_t>> first_;  // by node, then port: inputs, then outputs
  std::vector<std::size_t> parent_;              // per dim: an earlier one of its class
};

/// Forbids the strategies of ops that shard dims of other classes.
void forbid_others(const ProgramModel& model, const DimClasses& classes, std::size_t of_class,
                   CostNetwork& network) {
  for (std::size_t node = 0; node < model.nodes().size(); ++node) {
    if (model.nodes()[node].kind != Kind::Op) continue;
    const auto first = static_cast<std::size_t>(network.first_choice[node]);
    const int32_t count = network.num_choices(static_cast<int32_t>(node));
    for (int32_t choice = 0; choice < count; ++choice) {
      if (classes.shards_only(node, choice, of_class)) continue;
      network.unary[first + static_cast<std::size_t>(choice)] = kForbidden;
    }
  }
}

}  // namespace

std::vector<std::vector<int32_t>> recipe_choices(const ProgramModel& model,
                                                 const CostNetwork& network, std::size_t most,
                                                 const SolveOptions& options) {
  const DimClasses classes(model);
  std::vector<std::vector<int32_t>> found;
  for (const std::size_t of_class : classes.largest(most)) {
    CostNetwork only = network;
    forbid_others(model, classes, of_class, only);
    for (const int64_t limit : {kUnlimited, network.limit}) {
      if (options.stop.stop_requested()) return found;
      only.limit = limit;
      const NetworkSolution solution = NetworkSolver(only, options, false).run();
      if (solution.choice.empty()) break;
      found.push_back(solution.choice);
      if (peak_of(network, solution.choice).bytes <= network.limit) break;
    }
  }
  return found;
}

}  // namespace shardy::autoshard
