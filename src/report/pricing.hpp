// Prices of variants of one program. Variants that are equal after propagation are priced once.
//
//   %w [{"x"}, {}]  removed   --propagate-->  %w [{"x"}, {}], as in the program    ->  known price
//   %w [{}, {"y"}]  instead   --propagate-->  %w [{}, {"y"}]                       ->  lowered
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/cost.hpp"

namespace shardy::report {

/// Returns the members of make_report on which costs depend: the collectives with their totals, the
/// bytes of the peak, the operations per device. Other members are empty.
Report make_cost_report(const checking::CompiledProgram& compiled, const CostModel& model);

/// The differences of a module from a base module. Two modules with equal differences from one base
/// are equal, including ids and the order of uses.
class ModuleChanges {
 public:
  /// Computes the differences. Cost: linear in both modules.
  ModuleChanges(const ir::Module& base, const ir::Module& module);

  std::size_t size() const { return ops_.size(); }
  std::size_t hash() const { return hash_; }
  friend bool operator==(const ModuleChanges&, const ModuleChanges&) = default;

 private:
  struct ChangedValue {
    ir::ValueId id = {};
    ir::Type type = {};
    std::string name = {};
    std::vector<ir::Use> uses = {};
    bool operator==(const ChangedValue&) const = default;
  };
  struct ChangedBlock {
    ir::BlockId id = {};
    ir::OpId first = {};
    std::size_t num_args = 0;
    bool operator==(const ChangedBlock&) const = default;
  };
  struct ChangedOp {
    ir::OpId id = {};
    bool is_erased = false;
    std::string name = {};
    std::string location = {};
    std::vector<ir::ValueId> operands = {};
    std::vector<ChangedValue> values = {};  // results, then arguments of blocks
    ir::AttributeMap attributes = {};
    ir::BlockId parent = {};
    ir::OpId next = {};
    std::vector<ir::RegionId> regions = {};
    std::vector<ChangedBlock> blocks = {};
    ir::FunctionData function = {};
    bool operator==(const ChangedOp&) const = default;
  };

  static ChangedValue read_value(const ir::Module& module, ir::ValueId value);
  static ChangedOp read(const ir::Module& module, ir::OpId op);
  static bool is_same(const ir::Module& a, const ir::Module& b, ir::OpId op);
  void add(ChangedOp op);

  ir::AttributeMap attributes_;  // attributes of the module
  std::size_t num_ops_ = 0;
  std::size_t num_values_ = 0;
  std::size_t num_blocks_ = 0;
  ir::OpId first_;              // first op of the module
  std::vector<ChangedOp> ops_;  // ops that differ
  std::size_t hash_ = 0;
};

/// Stores answers for modules by their differences from one base. Thread-safe.
template <class Answer>
class ResultsByModule {
 public:
  std::optional<Answer> find(const ModuleChanges& changes) const {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = answers_.equal_range(changes.hash());
    for (auto each = begin; each != end; ++each) {
      if (each->second.first == changes) return each->second.second;
    }
    return std::nullopt;
  }

  /// Stores the answer unless the store is full.
  void add(ModuleChanges changes, const Answer& answer) {
    const std::lock_guard lock(mutex_);
    if (num_ops_ + changes.size() > kMostOps) return;
    num_ops_ += changes.size();
    const std::size_t hash = changes.hash();
    answers_.emplace(hash, std::pair(std::move(changes), answer));
  }

 private:
  static constexpr std::size_t kMostOps = 500'000;  // about 200 MB

  mutable std::mutex mutex_;  // guards the other members
  std::unordered_multimap<std::size_t, std::pair<ModuleChanges, Answer>> answers_;
  std::size_t num_ops_ = 0;
};

}  // namespace shardy::report
