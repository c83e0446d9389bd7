// The shardings that a manual computation can have along its free axes, and their prices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "autoshard/op_strategies.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.2.

namespace shardy::autoshard {

/// Returns a program with the shardings of all values; std::nullopt if it cannot be propagated.
using PropagateProgram = std::function<std::optional<ir::Module>(const ir::Module&)>;

/// Closed shardings of the operands and results of a manual computation.
struct ManualVariant {
  std::vector<TensorSharding> in;
  std::vector<TensorSharding> out;
  double seconds = 0;
};

/// Returns the shardings of the operands, then of the results, of a manual computation.
std::vector<TensorSharding> manual_shardings(const ir::Module& module, ir::OpId op);
/// Sets the shardings of the operands, then of the results, of a manual computation. Requires: one
/// per operand and result.
void set_manual_shardings(ir::Module& module, ir::OpId op, std::span<const TensorSharding> all);

/// Finds the variants of manual computations of one module.
class ManualVariants {
 public:
  /// The arguments must outlive this object. Without `propagate`, a computation has only its
  /// declared shardings; without `seconds_of`, only its operations have a price.
  ManualVariants(const ir::Module& module, const MeshAtoms& atoms,
                 const SecondsOfProgram& seconds_of, const PropagateProgram& propagate,
                 double operations_per_second);

  /// Returns the declared shardings, and those that propagation finds if free axes shard some open
  /// dims. At most kMostVariants. Equal computations are compiled once. Requires: the op has a
  /// sharding per operand and result.
  const std::vector<ManualVariant>& of(ir::OpId op);

 private:
  using Lists = std::vector<TensorSharding>;  // of operands, then of results

  std::vector<Lists> all_lists(ir::OpId op, const Lists& declared) const;
  std::optional<Lists> propagated(ir::OpId op, const Lists& declared, const Lists& lists) const;
  ir::Module program_of(ir::OpId op, std::span<const TensorSharding> lists) const;
  double seconds(ir::OpId op, std::span<const TensorSharding> lists) const;

  const ir::Module& module_;
  const MeshAtoms& atoms_;
  const SecondsOfProgram& seconds_of_;
  const PropagateProgram& propagate_;
  double operations_per_second_;
  std::map<std::string, std::vector<ManualVariant>> known_;  // by the text of the program
};

}  // namespace shardy::autoshard
