#include "passes/common/same_body.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/common/bodies.hpp"
#include "shardy/ir/attribute_hash.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/hash.hpp"

namespace shardy::passes {

using ir::BlockId;
using ir::Module;
using ir::NamedAttribute;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Checks whether propagation wrote the attribute. Shardings of constraints and reshards are the
/// user's.
bool is_annotation(const Module& module, OpId op, const NamedAttribute& entry) {
  if (has_part(entry.name, "sharding_origin") || has_part(entry.name, "propagation_edges")) {
    return true;
  }
  if (module.is(op, OpKind::SdyShardingConstraint) || module.is(op, OpKind::SdyReshard)) {
    return false;
  }
  const ir::Attribute& value = entry.value;
  return value.as<TensorSharding>() != nullptr || value.as<ir::ShardingList>() != nullptr ||
         value.as<OpShardingRule>() != nullptr;
}

std::vector<const NamedAttribute*> compared_attributes(const Module& module, OpId op) {
  std::vector<const NamedAttribute*> compared;
  const bool is_call = module.is(op, OpKind::FuncCall);
  for (const NamedAttribute& entry : module.attributes(op)) {
    if (is_annotation(module, op, entry) || (is_call && entry.name == ir::attr::kCallee)) continue;
    compared.push_back(&entry);
  }
  return compared;
}

bool same_attributes(const Module& module, OpId a, OpId b) {
  const auto same = [](const NamedAttribute* x, const NamedAttribute* y) {
    return x->name == y->name && x->value == y->value;
  };
  return std::ranges::equal(compared_attributes(module, a), compared_attributes(module, b), same);
}

/// A comparison op by op that maps the values of one body to those of the other.
class BodyComparison {
 public:
  explicit BodyComparison(const Module& module) : module_(module) {}

  /// Binds the arguments.
  bool same_arguments(BlockId a, BlockId b) { return bind(module_.args(a), module_.args(b)); }

  /// Binds the results and the arguments of the blocks inside.
  bool same_op(OpId a, OpId b) {
    return module_.name(a) == module_.name(b) && same_operands(a, b) &&
           same_attributes(module_, a, b) && bind(module_.results(a), module_.results(b)) &&
           same_regions(a, b);
  }

 private:
  template <class Values>
  bool bind(const Values& a, const Values& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (module_.type(a[index]) != module_.type(b[index])) return false;
      counterparts_[a[index]] = b[index];
    }
    return true;
  }

  bool same_operands(OpId a, OpId b) const {
    if (module_.num_operands(a) != module_.num_operands(b)) return false;
    for (std::size_t index = 0; index < module_.num_operands(a); ++index) {
      if (mapped(counterparts_, module_.operand(a, index)) != module_.operand(b, index)) {
        return false;
      }
    }
    return true;
  }

  bool same_regions(OpId a, OpId b) {
    const auto left = module_.regions(a);
    const auto right = module_.regions(b);
    if (left.size() != right.size()) return false;
    for (std::size_t region = 0; region < left.size(); ++region) {
      const auto blocks = module_.blocks(left[region]);
      const auto others = module_.blocks(right[region]);
      if (blocks.size() != others.size()) return false;
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (!same_arguments(blocks[block], others[block])) return false;
      }
    }
    return true;
  }

  const Module& module_;
  ValueMap counterparts_;
};

}  // namespace

std::size_t hash_of_body(const Module& module, OpId function) {
  if (module.is_external(function)) return 0;
  std::unordered_map<ValueId, std::size_t> numbers;  // of values, in the order of their definitions
  std::size_t hash = 0;
  const auto define = [&](const auto& values) {
    for (const ValueId value : values) {
      numbers.emplace(value, numbers.size() + 1);
      hash = hash_combine(hash, ir::hash_of_type(module.type(value)));
    }
  };
  define(module.args(module.entry(function)));
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    hash = hash_combine(hash, hash_of(module.name(op)));
    for (const ValueId operand : module.operands(op)) {
      const auto number = numbers.find(operand);
      hash = hash_combine(hash, number != numbers.end() ? number->second : 0);
    }
    for (const NamedAttribute* entry : compared_attributes(module, op)) {
      hash = hash_combine(hash, ir::hash_of_attribute(entry->value));
    }
    define(module.results(op));
    for (const ir::RegionId region : module.regions(op)) {
      for (const BlockId block : module.blocks(region)) define(module.args(block));
    }
  }
  return hash;
}

bool have_same_body(const Module& module, OpId a, OpId b,
                    const std::function<bool(OpId, OpId)>& same_callee) {
  if (a == b) return true;
  if (module.is_external(a) || module.is_external(b)) return false;
  if (module.function(a).result_types != module.function(b).result_types) return false;
  BodyComparison comparison(module);
  if (!comparison.same_arguments(module.entry(a), module.entry(b))) return false;
  return std::ranges::equal(ir::pre_order(module, module.entry(a)),
                            ir::pre_order(module, module.entry(b)), [&](OpId x, OpId y) {
                              const bool is_call = module.is(x, OpKind::FuncCall);
                              return comparison.same_op(x, y) && (!is_call || same_callee(x, y));
                            });
}

}  // namespace shardy::passes
