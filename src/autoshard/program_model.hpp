// A program as a cost network: nodes, edges and usages, with their values and ops.
//
// A node is an op, an argument or result of main, or another value that gets one sharding
// (ModelNode::Kind). A state is a sharding of a value. A strategy of a node is one state per input
// and output of the node. The choices of a node are the numbers of its strategies; a choice of the
// network is one choice per node. An edge connects two nodes and has the prices of the reshards
// between them, for each pair of their choices. A usage is the bytes of a value in a range of time
// points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "autoshard/op_strategies.hpp"
#include "autoshard/reshard_prices.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2 to U.4.

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
  std::vector<Lists> seeded_lists(ir::OpId op, const Lists& lists, const AxisRef& atom) const;
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

/// A node of the network and its strategies. Inputs are the values that the node uses. Outputs are
/// the values that other nodes, its users, get from it.
struct ModelNode {
  /// The role of the node in the program.
  enum class Kind : uint8_t {
    Argument,
    Op,
    Copies,   // a copy of a value for all its users, or for a group of them
    Carried,  // a value that a loop carries, or that branches or a barrier return
    Result
  };

  Kind kind = Kind::Op;
  ir::OpId op = {};        // for Op and Carried
  uint32_t index = 0;      // for Argument, Carried and Result; for Copies: number of the group
  ir::ValueId value = {};  // for all kinds except Op
  int64_t time = 0;        // time of the node
  OpStrategies states = {};
  int32_t loop = -1;  // outermost loop that contains the node; -1: none
  /// For Carried by an outermost loop: the time of the end of the loop; else -1.
  int64_t loop_end = -1;
  /// For Op: the last earlier node of an equal op with the same strategies, or -1. Partitioning
  /// merges both ops if their choices are equal.
  int32_t equal_to = -1;

  /// How a copies node of a phase gets its copy, and what stays live after it.
  struct CopyRole {
    bool is_kept = false;    // the copy of the phase before, else a new one of the value
    bool is_needed = false;  // a later phase makes its copy of the value
  };
  /// For Copies: a role per equally long part of `states`; empty: the value has one phase.
  std::vector<CopyRole> roles = {};
  uint32_t phase = 0;  // number of the phase

  CopyRole role_of(int32_t choice) const {
    const std::size_t length = states.size() / std::max<std::size_t>(1, roles.size());
    return roles.empty() ? CopyRole() : roles[static_cast<std::size_t>(choice) / length];
  }
};

/// A use of an output of one node by another node.
struct ModelLink {
  /// The meaning of a link to a copies node of a phase after the first one.
  enum class Kind : uint8_t {
    Use,   // all other links
    Make,  // from the value: a new copy
    Keep,  // from the copies node of the phase before
  };
  ir::ValueId value = {};
  int32_t source = 0;   // node
  uint32_t output = 0;  // output of `source`
  int32_t reader = 0;   // node
  uint32_t input = 0;   // input of `reader`
  ir::Use use = {};     // invalid op: the user is a copies node
  int64_t time = 0;     // last time at which the user needs the value
  int64_t runs = 1;     // number of reshards in one run of the program
  Kind kind = Kind::Use;
};

/// A tie: a result of main that reuses the buffer of an argument and has its sharding.
struct ModelTie {
  uint32_t argument = 0;
  uint32_t result = 0;
};

/// Returns a price times a number of runs. The product is below kForbidden unless the price is
/// forbidden.
inline int64_t times_runs(int64_t price, int64_t runs) {
  if (price >= kForbidden || price <= 0) return price;
  return runs > (kForbidden - 1) / price ? kForbidden - 1 : price * runs;
}

/// The options of a model.
struct ModelOptions {
  CostModel costs = {};             // overrides the axis costs of the mesh
  PlanKind plans = PlanKind::Best;  // kind of the plans of reshards
  report::DeviceRates rates = {};
  bool all_orders = true;
  double uneven = 0;  // largest share of padding in a dim
  /// Copies of a value may be dropped and made again for users that are far apart. This saves
  /// memory, not time.
  bool has_phases = false;
  int64_t limit = kUnlimited;  // limit of live bytes
  std::vector<ModelTie> ties = {};
  double feed_bytes_per_second = 0;  // rate for arguments without a tie; 0: free
  /// Returns the seconds of a program according to its report, including hidden ones; std::nullopt
  /// if the program does not compile. Used for the bodies of manual computations. Empty: only the
  /// operations of these bodies count.
  SecondsOfProgram seconds_of = {};
  /// Used to shard manual computations along free axes. Empty: they have their declared shardings.
  PropagateProgram propagate = {};
  /// seconds_of without rewrites of collectives, used for ops whose devices exchange data. Empty:
  /// these exchanges are not in the model.
  SecondsOfProgram plain_seconds_of = {};
  std::stop_token stop = {};  // ends the construction of the model with an error
  /// Called after a stop with a lower bound: the sum of the least prices of the nodes so far.
  std::function<void(int64_t bound_fs)> on_stop = {};
};

/// A program, its nodes and its network.
class ProgramModel {
 public:
  /// Builds the model of main with inlined calls. Annotations must hold: closed dims keep their
  /// axes, open dims may get more. Errors: no main function; no mesh with axes, or several; ops
  /// that the model does not support; values that are not static tensors; an annotation that no
  /// state satisfies. `rules` must outlive the call.
  static Result<ProgramModel> make(const ir::Module& module, const rules::Registry& rules,
                                   const ModelOptions& options);

  /// Returns the program with inlined calls. Ops and values of main keep their ids.
  const ir::Module& module() const { return *module_; }
  /// Returns the network. Its unit is 1 fs unless the largest sum of prices would exceed kMaxTotal;
  /// then the unit is a power of two, and prices are rounded down to units.
  const CostNetwork& network() const { return network_; }
  /// Returns the network without choices that make a second copy of a value; std::nullopt if it has
  /// no such choices. Its bounds are closer to its prices.
  std::optional<CostNetwork> network_of_kept_copies() const;
  const std::vector<ModelNode>& nodes() const { return nodes_; }
  const std::vector<ModelLink>& links() const { return links_; }
  const MeshRef& mesh() const { return atoms_->mesh; }
  /// Returns false if some ops have strategies that are not in the network.
  bool is_complete() const { return is_complete_; }

  /// Returns the sharding that a choice gives to output `output` of a node.
  const TensorSharding& output_state(int32_t node, int32_t choice, uint32_t output,
                                     ir::ValueId value) const;
  /// Returns the sharding with which a choice reads input `input` of a node.
  const TensorSharding& input_state(int32_t node, int32_t choice, uint32_t input,
                                    ir::ValueId value) const;

 private:
  friend class ModelBuilder;
  ProgramModel() = default;

  std::unique_ptr<ir::Module> module_;
  std::unique_ptr<MeshAtoms> atoms_;
  std::map<std::pair<std::vector<int64_t>, int64_t>, std::unique_ptr<StateSpace>> spaces_;
  std::vector<StateSpace*> space_of_;  // by value id
  std::vector<ModelNode> nodes_;
  std::vector<ModelLink> links_;
  CostNetwork network_;
  bool is_complete_ = true;
};

}  // namespace shardy::autoshard
