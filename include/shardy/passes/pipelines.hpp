// The pipelines, as lists of pass calls. Spec: passes 7.
#pragma once

#include <cstdint>
#include <functional>
#include <shardy/passes/pass.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <string>
#include <vector>

namespace shardy::passes {

/// Debugging output of the stages of a pipeline.
struct DebugOptions {
  std::string dump_directory = {};  // of modules between passes; empty: none is saved
  /// Tell in `sdy.sharding_origins` which annotation each axis came from.
  bool sharding_origins = false;
  bool propagation_edges = false;  // tell in `sdy.propagation_edges` which ops each axis went along
};

/// Spec: passes 7.1.
struct ImportOptions {
  bool dedup_functions_fully = false;  // also merge copies of a function whose shardings differ
  /// Batch dims of gathers and scatters that follow an iota become explicit.
  bool enable_explicit_gather_scatter_batching = false;
  bool composites_to_calls = false;  // partitioning knows calls
};

/// How reshards become collectives.
struct ReshardChoice {
  PlanKind plans = PlanKind::Reference;        // how each reshard is planned
  PlanKind common_axes = PlanKind::Reference;  // where the tensors of an op meet
  std::string axis_costs = {};  // as parse_cost_model reads it; empty: what the meshes say
};

/// Spec: passes 7.3.
struct ExportOptions {
  /// Devices are replicas of the same program; at most one of the two is more than 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // devices are partitions of one program
  /// Keep the shardings that a later partitioner asks for.
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives = false;  // reshards become explicit, then collectives
  /// Rules by which the partitioner lowers ops, for explicit reshards and for propagation before.
  bool lowering_rules = false;
  /// Removes an all-gather after a reduce-scatter that belong together.
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  /// Hand single ops to the partitioner instead of whole functions.
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};  // names of the ops; empty: all
  bool keep_sharding_rules = false;                      // leave `sdy.sharding_rule` on ops
  /// Cut uneven shardings of arguments and results until they divide.
  bool update_non_divisible_input_output_shardings = true;
  bool inline_meshes = true;      // meshes stand in the shardings, not in symbols
  ReshardChoice resharding = {};  // how reshards become collectives
};

/// From propagated shardings to a program that can be partitioned. `dump_index` is the number of
/// the first module that is saved.
std::vector<PassCall> export_pipeline(const ExportOptions& options = {},
                                      const DebugOptions& debug = {}, int64_t dump_index = 0);

/// Spec: passes 7.4; what it lists as ignored is left out. One part for each stage.
struct PipelineOptions {
  DebugOptions debug = {};       // what is said and saved for debugging
  ImportOptions importing = {};  // of the stage before propagation
  bool conservative_propagation =
      false;                     // only steps whose axes fit without sub-axes and conflicts
  ExportOptions exporting = {};  // of the stage after propagation
  bool enable_auto_partitioning = false;  // choose shardings with auto_partitioner
  /// The passes that choose shardings after propagation. The pipeline fails without it if
  /// auto-partitioning is enabled. Spec: propagation 17.
  std::function<std::vector<PassCall>(const PipelineOptions&)> auto_partitioner = {};
};

/// From a program as it is written to one that propagation takes. `dump_index` is the number of
/// the module that is saved. Spec: passes 7.1.
std::vector<PassCall> import_pipeline(const PipelineOptions& options = {}, int64_t dump_index = 0);

/// All of it: import, propagation, export. Spec: passes 7.2.
std::vector<PassCall> propagation_pipeline(const PipelineOptions& options = {});

/// `sdy-import-pipeline`, `sdy-propagation-pipeline` and `sdy-export-pipeline`, if there are none
/// of these names; register_export_passes does it.
void register_export_pipelines(PassRegistry& registry);

}  // namespace shardy::passes
