// Classes of dims whose sizes ops require to be equal, and programs in which such dims are smaller
// or removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::checking {

struct ValueDim {
  ir::ValueId value;
  std::size_t dim = 0;
};

/// Classes of dims with equal sizes: dims that consist of one factor of a sharding rule, dims of
/// one value that is passed through regions and calls, and dims of the members of a sharding group.
class DimClasses {
 public:
  DimClasses(const ir::Module& module, const rules::Registry& rules);

  std::size_t size() const { return members_.size(); }
  const std::vector<ValueDim>& members(std::size_t index) const { return members_[index]; }
  /// Returns the class of a dim of a value with a static shape.
  std::size_t class_of(ir::ValueId value, std::size_t dim) const {
    return class_of_[first_[value.index()] + dim];
  }

 private:
  void join(const ir::Module& module, ir::ValueId a, ir::ValueId b);
  void join(const ir::Module& module, ValueDim a, ValueDim b);
  void join_by_rule(const ir::Module& module, ir::OpId op, const OpShardingRule& rule);
  void join_call(const ir::Module& module, ir::OpId op);
  void join_edges(const ir::Module& module, ir::OpId op);
  void join_groups(const ir::Module& module);
  void number_classes(const ir::Module& module);
  std::size_t find(std::size_t at);

  std::vector<std::size_t> first_;  // index of dim 0 of each value in parent_
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> class_of_;
  std::vector<std::vector<ValueDim>> members_;
};

/// Reduces all dims of a class to `size`, which is at most their current size, and resizes dims of
/// other classes that depend on them. Returns false if that is not possible; the module is then
/// partly changed.
bool resize_dims(ir::Module& module, const DimClasses& classes, std::size_t which, int64_t size);

/// Removes all dims of a class. Returns false if an op needs one of them; the module is then partly
/// changed.
bool drop_dims(ir::Module& module, const DimClasses& classes, std::size_t which);

/// Returns the first elements along each dim. Requires: equal ranks, and no dim of `type` is
/// larger.
ir::Literal first_elements(const ir::Literal& literal, const ir::Type& type);

}  // namespace shardy::checking
