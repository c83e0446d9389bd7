// A program as a cost network: nodes, edges and usages with their values and ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autoshard/op_strategies.hpp"
#include "autoshard/state_space.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/device_time.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2 to U.4.

namespace shardy::autoshard {

/// A node of the network and its states. Inputs are the values it reads, outputs the values that
/// other nodes read from it.
struct ModelNode {
  /// Role of the node in the program.
  enum class Kind : uint8_t {
    Argument,
    Op,
    Copies,   // a value as all its readers have it
    Carried,  // a value that a loop carries, or that branches or a barrier return
    Result
  };

  Kind kind = Kind::Op;
  ir::OpId op = {};        // of Op and Carried
  uint32_t index = 0;      // of Argument, Carried and Result
  ir::ValueId value = {};  // of all but Op
  int64_t time = 0;        // time point of the node
  OpStrategies states = {};
  int32_t loop = -1;  // outermost loop of the program that contains the node; -1: none
};

/// A value on its way from one node to another.
struct ModelLink {
  ir::ValueId value = {};
  int32_t source = 0;   // node
  uint32_t output = 0;  // of the source
  int32_t reader = 0;   // node
  uint32_t input = 0;   // of the reader
  ir::Use use = {};     // the use; invalid op: the link to a copies node
  int64_t time = 0;     // time point at which the reader needs the value last
  int64_t runs = 1;     // of the reshard in one run of the program
};

/// A result of main in the buffer of an argument, with its sharding.
struct ModelTie {
  uint32_t argument = 0;
  uint32_t result = 0;
};

/// Returns a price times a number of runs, below kForbidden unless the price is not.
inline int64_t times_runs(int64_t price, int64_t runs) {
  if (price >= kForbidden || price <= 0) return price;
  return runs > (kForbidden - 1) / price ? kForbidden - 1 : price * runs;
}

/// Options of a model.
struct ModelOptions {
  CostModel costs = {};             // overrides the axis costs of the mesh
  PlanKind plans = PlanKind::Best;  // of reshards
  report::DeviceRates rates = {};
  bool all_orders = true;
  int64_t limit = kUnlimited;  // of live bytes
  std::vector<ModelTie> ties = {};
  double feed_bytes_per_second = 0;  // of arguments without a tie; 0: free
  /// Returns the seconds of a program by its report, hidden ones included, for the bodies of manual
  /// computations; std::nullopt: it does not compile. Empty: their operations alone count.
  std::function<std::optional<double>(const ir::Module&)> seconds_of = {};
  std::stop_token stop = {};  // ends the making of a model with an error
};

/// A program, its nodes and its network.
class ProgramModel {
 public:
  /// Makes the model of main, with inlined calls. Annotations are pinned: closed dims keep their
  /// axes, open dims may get more. Errors: no main, no mesh with axes or several; ops that the
  /// model does not have; values that are not static tensors; an annotation that no state fulfills.
  /// `rules` must outlive the call.
  static Result<ProgramModel> make(const ir::Module& module, const rules::Registry& rules,
                                   const ModelOptions& options);

  /// Returns the program whose calls are inlined; ops and values of main keep their ids.
  const ir::Module& module() const { return *module_; }
  const CostNetwork& network() const { return network_; }
  const std::vector<ModelNode>& nodes() const { return nodes_; }
  const std::vector<ModelLink>& links() const { return links_; }
  const MeshRef& mesh() const { return atoms_->mesh; }
  /// False: some ops have more strategies than the network.
  bool is_complete() const { return is_complete_; }

  /// Returns the sharding that a choice gives to output `output` of a node.
  const TensorSharding& output_state(int32_t node, int32_t choice, uint32_t output,
                                     ir::ValueId value) const;
  /// Returns the sharding in which a choice reads input `input` of a node.
  const TensorSharding& input_state(int32_t node, int32_t choice, uint32_t input,
                                    ir::ValueId value) const;

 private:
  friend class ModelBuilder;
  ProgramModel() = default;

  std::unique_ptr<ir::Module> module_;
  std::unique_ptr<MeshAtoms> atoms_;
  std::map<std::pair<std::vector<int64_t>, int64_t>, std::unique_ptr<StateSpace>> spaces_;
  std::vector<StateSpace*> space_of_;  // by value
  std::vector<ModelNode> nodes_;
  std::vector<ModelLink> links_;
  CostNetwork network_;
  bool is_complete_ = true;
};

}  // namespace shardy::autoshard
