// The pipelines, as lists of pass calls. Spec: passes 7.
#pragma once

#include <cstdint>
#include <functional>
#include <shardy/passes/pass.hpp>
#include <string>
#include <vector>

namespace shardy::passes {

/// Spec: passes 7.3.
struct ExportOptions {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  std::string dump_directory = {};
  int64_t dump_index = 0;  // number of the first module that is saved
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives = false;
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};
  bool keep_sharding_rules = false;
  bool dump_sharding_origins = false;
  bool dump_propagation_edges = false;
  bool update_non_divisible_input_output_shardings = true;
  bool inline_meshes = true;
};

/// From propagated shardings to a program that can be partitioned.
std::vector<PassCall> export_pipeline(const ExportOptions& options = {});

/// Spec: passes 7.4; what it lists as ignored is left out.
struct PipelineOptions {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  bool keep_sharding_rules = false;
  std::string dump_directory = {};
  bool conservative_propagation = false;
  bool debug_sharding_origins = false;
  bool debug_propagation_edge_sharding = false;
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives = false;
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  bool dedup_functions_fully = false;
  bool update_non_divisible_input_output_shardings = true;
  bool enable_explicit_gather_scatter_batching = false;
  bool inline_meshes = true;
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};
  bool enable_auto_partitioning = false;
  /// The passes that choose shardings behind propagation. The pipeline fails without it if
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
