// Random programs that move values back and forth, for rewrites of collectives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shardy/checking/sweep.hpp"
#include "shardy/ir/graph_builder.hpp"

namespace shardy_test {

/// Integers of all widths under elementwise ops, transposes, reshapes, converts, products and sums,
/// held in another way every few ops. Sums of integers are the same in any order.
class CollectiveProgram {
 public:
  explicit CollectiveProgram(uint64_t seed)
      : random_(seed), mesh_(shardy::checking::random_mesh(random_, 12)) {
    graph_.mesh("mesh", mesh_);
    graph_.function("main");
    for (int64_t& size : sizes_) size = random_size();
    add_leaf();
    add_leaf();
    for (int64_t steps = random_.between(2, 9); steps > 0; --steps) add_step();
    finish();
  }

  const shardy::ir::Module& module() const { return module_; }

 private:
  using ValueId = shardy::ir::ValueId;
  using ElementType = shardy::ir::ElementType;
  using OpKind = shardy::ir::OpKind;
  using Type = shardy::ir::Type;

  /// Mostly such that all meshes divide it.
  int64_t random_size() {
    const std::vector<int64_t> sizes = {12, 12, 24, 12, 24, 6, 5, 1, 7};
    return random_.pick(sizes);
  }
  shardy::ir::ShardingSpec sharding(std::size_t rank) {
    if (random_.chance(3)) return shardy::TensorSharding::fully_closed(mesh_, "mesh", rank);
    return shardy::checking::random_sharding(random_, mesh_, rank, shardy::BoundAxes::none())
        .closed_like()
        .with_replicated({});
  }
  ValueId argument(std::vector<int64_t> dims, ElementType element) {
    const auto rank = dims.size();
    return graph_.argument(Type::tensor(std::move(dims), element), sharding(rank));
  }
  std::vector<int64_t> dims_of(ValueId value) const {
    const auto dims = graph_.type(value).dims();
    return {dims.begin(), dims.end()};
  }
  /// An argument, or a product or sum over a dim that may be sharded.
  void add_leaf() {
    const ElementType element = random_.chance(3) ? ElementType::I16 : ElementType::I32;
    switch (random_.between(0, 3)) {
      case 0:
        return keep(argument({sizes_[0], sizes_[1]}, element));
      case 1:
        return keep(graph_.reduce(argument({sizes_[0], sizes_[2], sizes_[1]}, element),
                                  graph_.int_splat(Type::tensor({}, element), 0), {1},
                                  OpKind::Add));
      case 2:
        return keep(graph_.reduce_max(argument({sizes_[0], sizes_[2], sizes_[1]}, element), {1}));
      default:
        return keep(graph_.dot(argument({sizes_[0], sizes_[2]}, element),
                               argument({sizes_[2], sizes_[1]}, element)));
    }
  }
  /// Products or greatest elements that are held alike, put together or not.
  void add_pair() {
    const std::vector<int64_t> left = {sizes_[0], sizes_[2]};
    const std::vector<int64_t> right = {sizes_[2], sizes_[1]};
    const std::vector<int64_t> all = {sizes_[0], sizes_[2], sizes_[1]};
    const shardy::ir::ShardingSpec of_left = sharding(2);
    const shardy::ir::ShardingSpec of_right = sharding(2);
    const shardy::ir::ShardingSpec of_all = sharding(3);
    const bool is_sum = random_.chance(2);
    const auto make = [&] {
      const auto argument = [&](std::vector<int64_t> dims, const shardy::ir::ShardingSpec& held) {
        return graph_.argument(Type::tensor(std::move(dims), ElementType::I32), held);
      };
      if (!is_sum) return graph_.reduce_max(argument(all, of_all), {1});
      return graph_.dot(argument(left, of_left), argument(right, of_right));
    };
    const ValueId first = make();
    const ValueId second = make();
    keep(first);
    keep(second);
    if (!random_.chance(3)) {
      keep(graph_.binary(is_sum ? OpKind::Add : OpKind::Maximum, first, second));
    }
  }
  void keep(ValueId value) {
    if (value.valid()) values_.push_back(value);
  }
  /// Mostly one of the newest, so that chains are long.
  ValueId any() {
    const auto last = static_cast<int64_t>(values_.size()) - 1;
    return values_[static_cast<std::size_t>(random_.between(std::max<int64_t>(0, last - 2), last))];
  }
  /// Another value like `like`; itself if none exists.
  ValueId partner(ValueId like) {
    std::vector<ValueId> fitting;
    for (const ValueId value : values_) {
      if (graph_.type(value) == graph_.type(like) && !(value == like)) fitting.push_back(value);
    }
    return fitting.empty() ? like : random_.pick(fitting);
  }
  void add_binary() {
    const std::vector<OpKind> kinds = {OpKind::Add, OpKind::Subtract, OpKind::Multiply,
                                       OpKind::Maximum, OpKind::Minimum};
    const ValueId value = any();
    keep(graph_.binary(random_.pick(kinds), value, partner(value)));
  }
  void add_reshape() {
    const ValueId value = any();
    const std::vector<int64_t> dims = dims_of(value);
    if (dims.size() == 2 && random_.chance(2))
      return keep(graph_.reshape(value, {dims[0] * dims[1]}));
    if (dims.size() == 2 && dims[0] % 2 == 0) {
      return keep(graph_.reshape(value, {2, dims[0] / 2, dims[1]}));
    }
    const int64_t all = sizes_[0] * sizes_[1];
    if (graph_.type(value).num_elements() == all) {
      keep(graph_.reshape(value, {sizes_[0], sizes_[1]}));
    }
  }
  void add_transpose() {
    const ValueId value = any();
    const std::vector<int64_t> dims = dims_of(value);
    if (dims.size() == 2) keep(graph_.transpose(value, {1, 0}));
    if (dims.size() == 3) keep(graph_.transpose(value, {2, 0, 1}));
  }
  void add_convert() {
    const std::vector<ElementType> elements = {ElementType::I8, ElementType::I16, ElementType::I32,
                                               ElementType::I64};
    keep(graph_.convert(any(), random_.pick(elements)));
  }
  void add_broadcast() {
    const ValueId value = any();
    const std::vector<int64_t> dims = dims_of(value);
    if (dims.size() != 2) return;
    const ValueId row = graph_.reduce_max(value, {0});
    keep(graph_.add(value, graph_.broadcast_in_dim(row, dims, {1})));
  }
  void add_move() {
    const ValueId value = any();
    keep(graph_.sharding_constraint(value, sharding(graph_.type(value).dims().size())));
    if (random_.chance(2)) values_.push_back(value);  // moved again
  }
  void add_step() {
    switch (random_.between(0, 12)) {
      case 0:
        return add_leaf();
      case 1:
        return keep(graph_.negate(any()));
      case 2:
      case 3:
        return add_binary();
      case 4:
        return add_reshape();
      case 5:
        return add_transpose();
      case 6:
        return add_convert();
      case 7:
        return add_broadcast();
      case 8:
        return add_pair();
      default:
        return add_move();
    }
  }
  void finish() {
    std::vector<ValueId> results = {values_.back()};
    if (random_.chance(2)) results.push_back(any());
    std::vector<shardy::ir::ShardingSpec> shardings;
    for (const ValueId value : results) {
      shardings.push_back(sharding(graph_.type(value).dims().size()));
    }
    graph_.ret(results, shardings);
    module_ = graph_.finish().value();
  }

  shardy::checking::Random random_;
  shardy::Mesh mesh_;
  shardy::ir::GraphBuilder graph_;
  std::vector<int64_t> sizes_ = {0, 0, 0};
  std::vector<ValueId> values_;
  shardy::ir::Module module_;
};

}  // namespace shardy_test
