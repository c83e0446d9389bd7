// Sharding groups that share a value become one group; ids count from 0. Spec: passes 4.12.
//
//   sdy.sharding_group %a group_id=40              sdy.sharding_group %a group_id=0
//   sdy.sharding_group %b group_id=9         ->    sdy.sharding_group %b group_id=0
//   sdy.sharding_group %b group_id=40              sdy.sharding_group %c group_id=1
//   sdy.sharding_group %c group_id=3
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

int64_t group_id(const Module& module, OpId op) {
  const auto* id = module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
  return id ? id->value : 0;
}

OpId enclosing_manual(const Module& module, OpId op) {
  do {
    op = module.parent_op(op);
  } while (op.valid() && !module.is(op, OpKind::SdyManualComputation));
  return op;
}

std::vector<int64_t> shape_of(const Module& module, ValueId value) {
  const ir::TypeShape shape(module.type(value));
  return {shape.dims().begin(), shape.dims().end()};
}

/// The group ops of one value, in program order.
struct Members {
  ValueId value;
  std::vector<OpId> ops;
};

/// Type and manual computation of a group, taken from its first op.
struct GroupFacts {
  OpId manual;
  std::vector<int64_t> shape;
};

/// A union-find over group ids. The leader of a merged class is that of the class merged first.
class Classes {
 public:
  void unite(int64_t a, int64_t b) {
    const int64_t leader = add(a);
    const int64_t other = add(b);
    parents_[other] = leader;
  }

  /// Numbers the classes from 0, in the order in which their leaders were added.
  std::unordered_map<int64_t, int64_t> numbers() {
    std::unordered_map<int64_t, int64_t> of_leader;
    for (const int64_t id : order_) {
      const auto next = static_cast<int64_t>(of_leader.size());
      if (find(id) == id) of_leader.emplace(id, next);
    }
    std::unordered_map<int64_t, int64_t> of_id;
    for (const int64_t id : order_) of_id.emplace(id, of_leader[find(id)]);
    return of_id;
  }

 private:
  int64_t add(int64_t id) {
    if (parents_.emplace(id, id).second) order_.push_back(id);
    return find(id);
  }

  int64_t find(int64_t id) {
    while (parents_[id] != id) {
      parents_[id] = parents_[parents_[id]];  // path halving
      id = parents_[id];
    }
    return id;
  }

  std::unordered_map<int64_t, int64_t> parents_;
  std::vector<int64_t> order_;
};

class Groups {
 public:
  explicit Groups(Module& module) : module_(module) {}

  Status collect() {
    for (const OpId op : ir::pre_order(module_)) {
      if (!module_.is(op, OpKind::SdyShardingGroup)) continue;
      Status status = check(op);
      if (!status) {
        status.error().location = module_.location_text(op);
        return status;
      }
      add(op);
    }
    return {};
  }

  void renumber() {
    Classes classes;
    for (const Members& members : values_) {
      const int64_t first = group_id(module_, members.ops.front());
      for (const OpId op : members.ops) classes.unite(first, group_id(module_, op));
    }
    const auto numbers = classes.numbers();
    for (const Members& members : values_) {
      std::vector<int64_t> seen;  // ids of one value; few
      for (const OpId op : members.ops) {
        const int64_t id = numbers.at(group_id(module_, op));
        if (std::ranges::find(seen, id) != seen.end()) {
          module_.erase(op);
          continue;
        }
        seen.push_back(id);
        module_.attributes(op).set(ir::attr::kGroupId, ir::IntegerAttr{id, ir::ElementType::I64});
      }
    }
  }

 private:
  Status check(OpId op) {
    const int64_t id = group_id(module_, op);
    const GroupFacts facts{enclosing_manual(module_, op),
                           shape_of(module_, module_.operand(op, 0))};
    const GroupFacts& first = facts_.emplace(id, facts).first->second;
    if (first.manual != facts.manual) {
      return fail(
          "ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: " +
          std::to_string(id));
    }
    if (first.shape != facts.shape) {
      return fail("ShardingGroupOps values must have the same shape for groupId: " +
                  std::to_string(id));
    }
    return {};
  }

  void add(OpId op) {
    const ValueId value = module_.operand(op, 0);
    const auto [found, is_new] = positions_.emplace(value, values_.size());
    if (is_new) values_.push_back(Members{value, {}});
    values_[found->second].ops.push_back(op);
  }

  Module& module_;
  std::map<int64_t, GroupFacts> facts_;
  std::unordered_map<ValueId, std::size_t> positions_;
  std::vector<Members> values_;  // in the order of their first group op
};

}  // namespace

PassErrors sharding_group_import(Module& module) {
  Groups groups(module);
  Status status = groups.collect();
  if (!status) return {std::move(status).error()};
  groups.renumber();
  return {};
}

}  // namespace shardy::passes
