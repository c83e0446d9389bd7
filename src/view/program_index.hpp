// The numbers of a source program's ops and values on pages, and the cost of each op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/view/page.hpp"

namespace shardy::view {

/// The costs of an op of the source program: costs of the per-device ops that it became.
struct OpCost {
  int64_t bytes = 0;           // bytes sent per device, in all runs
  int64_t collectives = 0;     // number of runs of collectives
  double seconds = 0;          // time of collectives
  double compute_seconds = 0;  // time of operations
  int64_t peak_bytes = 0;      // bytes of its values that are live at the peak

  OpCost& operator+=(const OpCost& other);
};

/// The value of the source program that a collective moves.
struct MovedValue {
  ir::ValueId value = {};  // invalid if unknown
  bool is_result = false;  // the value is a result of the op for which the collective runs
};

/// The numbers of a source program's values, and the source ops of per-device ops.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramData& data);

  const ir::Module& module() const { return module_; }
  /// Returns all ops in program order.
  const std::vector<ir::OpId>& ops() const { return ops_; }
  /// Returns the values in program order: results of an op, then arguments of its regions.
  const std::vector<ir::ValueId>& values() const { return values_; }
  /// Returns the number of a value; -1 for an invalid id.
  int64_t number_of(ir::ValueId value) const;

  /// Returns the op of the source program; invalid if it is unknown.
  ir::OpId origin(ir::OpId per_device) const;
  /// Returns the first op of the source program at a location; invalid if none exists.
  ir::OpId op_at(const std::string& location) const;
  /// Returns the op with a location of the numbered program; invalid for other locations.
  ir::OpId numbered_op(const std::string& place) const;
  /// Returns the value that a collective of the report moves.
  MovedValue moved_by(const report::Collective& row) const;
  /// Returns the costs of ops by op id.
  std::vector<OpCost> costs() const;

 private:
  void find_origins();
  void find_origins_of_copies();
  ir::ValueId source_argument(ir::ValueId per_device) const;

  const ProgramData& data_;
  const ir::Module& module_;
  std::vector<ir::OpId> all_ops_;  // includes meshes
  std::vector<ir::OpId> ops_;
  std::vector<ir::ValueId> values_;
  std::vector<int64_t> numbers_;                      // by value id
  std::vector<ir::OpId> origins_;                     // by id of the per-device op
  std::unordered_map<std::string, ir::OpId> places_;  // first op at a location; never iterated
};

}  // namespace shardy::view
