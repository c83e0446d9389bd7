// Ops and values of a source program as pages number them, and the cost of each op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/view/program.hpp"

namespace shardy::view {

/// Costs of the ops of the per-device program that an op of the source program became.
struct OpCost {
  int64_t bytes = 0;           // sent per device, in all runs
  int64_t collectives = 0;     // number of runs of collectives
  double seconds = 0;          // of collectives
  double compute_seconds = 0;  // of operations
  int64_t peak_bytes = 0;      // of its values that are live at the peak

  OpCost& operator+=(const OpCost& other);
};

/// The value of the source program that a collective moves.
struct MovedValue {
  ir::ValueId value = {};  // invalid: unknown
  bool is_result = false;  // of the op that the collective serves
};

/// Numbers of the values of a source program, and the ops of the source program from which ops of
/// the per-device program come.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramData& data);

  const ir::Module& module() const { return module_; }
  /// All ops in program order.
  const std::vector<ir::OpId>& ops() const { return ops_; }
  /// Values in program order: results of an op, then arguments of its regions.
  const std::vector<ir::ValueId>& values() const { return values_; }
  /// Returns the number of a value; -1 for an invalid id.
  int64_t number_of(ir::ValueId value) const;

  /// Returns the op of the source program; invalid if it is unknown.
  ir::OpId origin(ir::OpId per_device) const;
  /// Returns the first op of the source program at a location; invalid without one.
  ir::OpId op_at(const std::string& location) const;
  /// Returns the value that a collective of the report moves.
  MovedValue moved_by(const report::Collective& row) const;
  /// Returns the costs of ops; by the index of their ids.
  std::vector<OpCost> costs() const;

 private:
  void find_origins();
  void find_origins_of_copies();
  ir::ValueId source_argument(ir::ValueId per_device) const;

  const ProgramData& data_;
  const ir::Module& module_;
  std::vector<ir::OpId> ops_;
  std::vector<ir::ValueId> values_;
  std::vector<int64_t> numbers_;                      // by value id
  std::vector<ir::OpId> origins_;                     // by id of the per-device op
  std::unordered_map<std::string, ir::OpId> places_;  // first op by location; for look-ups only
  bool has_unique_places_ = true;
};

}  // namespace shardy::view
