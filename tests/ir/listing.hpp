// The ops of a function, one line each, to compare before and after a rewrite.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/module_maker.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy_test {

/// Names values in the order in which it meets them: %0, %1, ...
class Listing {
 public:
  explicit Listing(const Module& module) : module_(module) {}

  /// "%2 = sdy.reshard(%0) <@m, [{}]>", in pre-order; what the blocks of regions take is in front:
  /// "^(%3, %4)".
  std::vector<std::string> lines(BlockId block) {
    std::vector<std::string> lines;
    name_all(module_.args(block));
    for (const OpId op : pre_order(module_, block)) {
      if (module_.name(op) == "test.make") continue;
      lines.push_back(line(op));
    }
    return lines;
  }

 private:
  std::string name(ValueId value) {
    const auto known = names_.try_emplace(value.index(), names_.size()).first;
    return "%" + std::to_string(known->second);
  }
  template <class Values>
  std::string name_all(const Values& values) {
    std::string text;
    for (const ValueId value : values) text += (text.empty() ? "" : ", ") + name(value);
    return text;
  }

  std::string line(OpId op) {
    const std::string operands = name_all(module_.operands(op));
    const std::string results = name_all(module_.results(op));
    std::string text = (results.empty() ? "" : results + " = ") + std::string(module_.name(op)) +
                       "(" + operands + ")";
    for (const NamedAttribute& entry : module_.attributes(op)) {
      if (const auto* one = entry.value.as<TensorSharding>()) text += " " + to_string(*one);
      if (const auto* list = entry.value.as<ShardingList>()) {
        text += " " + std::string(entry.name) + "=[";
        for (const TensorSharding& each : list->shardings) text += to_string(each);
        text += "]";
      }
    }
    for (const RegionId region : module_.regions(op)) {
      for (const BlockId block : module_.blocks(region)) {
        text += " ^(" + name_all(module_.args(block)) + ")";
      }
    }
    return text;
  }

  const Module& module_;
  std::map<std::size_t, std::size_t> names_;
};

/// Listing of @main.
inline std::vector<std::string> listing(const ModuleMaker& m) {
  return Listing(m.module).lines(m.module.entry(m.main));
}

}  // namespace shardy_test
