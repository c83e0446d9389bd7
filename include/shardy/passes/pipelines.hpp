// Pipelines as lists of pass calls. Spec: passes 7.
#pragma once

#include <cstdint>
#include <functional>
#include <shardy/passes/pass.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <string>
#include <vector>

namespace shardy::passes {

/// Debug output of a pipeline.
struct DebugOptions {
  std::string dump_directory = {};  // for modules between passes; empty: none
  /// Record in `sdy.sharding_origins` the annotation that each axis came from.
  bool sharding_origins = false;
  bool propagation_edges =
      false;  // record in `sdy.propagation_edges` the ops that each axis passed
};

/// Options of the import phase. Spec: passes 7.1.
struct ImportOptions {
  bool dedup_functions_fully = false;  // also merge copies of a function with different shardings
  /// Make batch dims of gathers and scatters explicit that are encoded as iota in the indices.
  bool enable_explicit_gather_scatter_batching = false;
  bool composites_to_calls = false;  // for partitioning, which lowers calls
};

/// Options for the planning of reshards.
struct ReshardChoice {
  PlanKind plans = PlanKind::Reference;        // plan of each reshard
  PlanKind common_axes = PlanKind::Reference;  // common axes of the tensors of an op
  std::string axis_costs = {};  // text for parse_cost_model; empty: costs of the meshes
};

/// Options of the export phase. Spec: passes 7.3.
struct ExportOptions {
  /// Number of replicas if devices are replicas of one program; at most one of the two is more than
  /// 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions if devices are partitions of one program
  /// Keep constraints and groups for a later propagation.
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives =
      false;  // make reshards explicit and lower them to collectives
  /// Use the rules by which partitioning lowers ops, for explicit reshards and for propagation.
  bool lowering_rules = false;
  /// Leave all-gathers before and reduce-scatters after dots to the backend.
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  /// Partition ops one by one instead of whole functions.
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};  // filter of ops; empty: all
  bool keep_sharding_rules = false;                      // keep `sdy.sharding_rule` attributes
  /// Drop axes that do not divide arguments and results.
  bool update_non_divisible_input_output_shardings = true;
  bool inline_meshes = true;      // inline meshes into shardings
  ReshardChoice resharding = {};  // planning of reshards
};

/// Returns the pipeline from propagated shardings to a program that can be partitioned.
/// `dump_index`: number of the first saved module.
std::vector<PassCall> export_pipeline(const ExportOptions& options = {},
                                      const DebugOptions& debug = {}, int64_t dump_index = 0);

/// Options of all phases. Spec: passes 7.4, without the options that it ignores.
struct PipelineOptions {
  DebugOptions debug = {};                // debug output
  ImportOptions importing = {};           // of the phase before propagation
  bool conservative_propagation = false;  // only axes that fit without sub-axes and conflicts
  ExportOptions exporting = {};           // of the phase after propagation
  bool enable_auto_partitioning = false;  // run auto_partitioner
  /// Returns the passes that choose shardings after propagation. The pipeline fails without it if
  /// auto-partitioning is enabled. Spec: propagation 17.
  std::function<std::vector<PassCall>(const PipelineOptions&)> auto_partitioner = {};
};

/// Returns the pipeline from the source program to propagation. `dump_index`: number of the saved
/// module. Spec: passes 7.1.
std::vector<PassCall> import_pipeline(const PipelineOptions& options = {}, int64_t dump_index = 0);

/// Returns the pipeline of import, propagation and export. Spec: passes 7.2.
std::vector<PassCall> propagation_pipeline(const PipelineOptions& options = {});

/// Registers `sdy-import-pipeline`, `sdy-propagation-pipeline` and `sdy-export-pipeline` if they do
/// not exist; register_export_passes calls it.
void register_export_pipelines(PassRegistry& registry);

}  // namespace shardy::passes
