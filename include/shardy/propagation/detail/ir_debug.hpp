// The debug attributes of propagation: origins of axes, and the ops that moved them.
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

/// Attributes to write.
struct IrDebugOptions {
  bool sharding_origins = false;   // `sdy.sharding_origins` of values
  bool propagation_edges = false;  // `sdy.propagation_edges` of ops
};

/// An observer that writes the debug attributes into the module in the end.
///
/// Step numbers continue after the largest number in the module. Spec: propagation 16.
class DebugAttributes : public LoggingObserver {
 public:
  /// Records the origin of each axis. Requires: the module is the one that is propagated.
  DebugAttributes(const ir::Module& module, const IrDebugOptions& options);

  void attach(const ModuleProblem& solved) override;
  void finish(const ModuleProblem& solved, ir::Module& module) override;
  /// Writes the origins of the initial shardings only.
  void write_sources(ir::Module& module) const;

 private:
  /// A sharding of the input program, and the recorded origin of its axes.
  struct Source {
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
  std::vector<Source> sources_;
  std::vector<std::pair<ir::OpId, std::string>> names_;  // of constraints, manual computations
  Origins origins_;
  std::map<SlotId, Mesh> meshes_;  // of the sources
};

/// Writes the origins of the shardings of a module before propagation. Spec: passes 4.8.
void write_sharding_origins(ir::Module& module);

/// Writes for each of these ops a step in which its operand got the axes of its result, for applied
/// constraints.
void write_backward_steps(ir::Module& module, std::span<const ir::OpId> ops);

}  // namespace shardy::propagation
