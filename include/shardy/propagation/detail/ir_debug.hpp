// The debug attributes of propagation: origins of axes, and the steps that moved axes.
#pragma once

#include <cstdint>
#include <map>
#include <shardy/algebra/mesh.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/propagation/detail/ir_problem.hpp>
#include <shardy/propagation/detail/origins.hpp>
#include <shardy/propagation/ir_adapter.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::propagation {

/// Debug attributes to write.
struct IrDebugOptions {
  bool sharding_origins = false;   // write `sdy.sharding_origins` of values
  bool propagation_edges = false;  // write `sdy.propagation_edges` of ops
};

/// An observer that writes the debug attributes into the module after propagation.
///
/// Step numbers continue after the largest step number in the module. Spec: propagation 16.
class DebugAttributes : public LoggingObserver {
 public:
  /// Records the origin of each axis before propagation. Requires: `module` is the module to be
  /// propagated.
  DebugAttributes(const ir::Module& module, const IrDebugOptions& options);

  void attach(const ModuleProblem& solved) override;
  void finish(const ModuleProblem& solved, ir::Module& module) override;
  /// Writes only the origins of the shardings before propagation.
  void write_sources(ir::Module& module) const;

 private:
  /// A sharding of the input program, and the origin to record for its axes.
  struct ShardingSource {
    ir::ValueId value;
    TensorSharding sharding;
    std::string origin;
  };

  void add_source(const ir::Module& module, ir::ValueId value, const std::string& origin);
  void add_sources(const ir::Module& module);
  void add_constraint(const ir::Module& module, ir::OpId op, const std::string& name);
  void add_computation(const ir::Module& module, ir::OpId op, const std::string& name);
  void add_function(const ir::Module& module, ir::OpId function);
  void write_names(ir::Module& module) const;
  void write_origins(const ModuleProblem& solved, ir::Module& module);
  void write_edges(const ModuleProblem& solved, ir::Module& module) const;

  IrDebugOptions options_;
  std::vector<ShardingSource> sources_;
  // Names of sharding constraints and manual computations.
  std::vector<std::pair<ir::OpId, std::string>> names_;
  Origins origins_;
  std::map<SlotId, Mesh> meshes_;  // meshes of the recorded shardings
};

/// Writes the origins of the shardings of a module that was not yet propagated. Spec: passes 4.8.
void write_sharding_origins(ir::Module& module);

/// Writes a propagation step for each of `ops`, in which the operand got the axes of the result.
/// Used for sharding constraints that a pass applied to their operand.
void write_backward_steps(ir::Module& module, std::span<const ir::OpId> ops);

}  // namespace shardy::propagation
