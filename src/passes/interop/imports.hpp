// Import of GSPMD shardings (`mhlo.sharding` and custom calls), of the round trip of sdy by XLA
// (frontend attributes, custom calls and bodies), and of tuples. Spec: interop 2, 5, 6.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/hlo_leaves.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

// ---- Sharding texts on one common mesh of the module --------------------------------------------

/// The sharding of one leaf of a text.
struct LeafSharding {
  TensorSharding sharding;
  std::vector<std::string> manual;  // in mesh order
  std::optional<HloShardGroup> group;
  bool is_unknown = false;  // no sharding is known
};

/// Collects the sharding texts of all places, finds their common mesh and converts the texts to
/// shardings.
class LeafReader {
 public:
  explicit LeafReader(ir::Module& module) : module_(module) {}

  /// Reads all `mhlo.sharding` texts. Errors: an invalid text; a text that does not have one leaf
  /// per value.
  Status collect();
  /// Chooses the common mesh and inserts it into the module, with maximal meshes. `mesh_wanted`:
  /// inserts a mesh even if no text has axes. Error: no mesh fits all texts.
  Status choose_mesh();

  bool found_any() const { return num_texts_ > 0; }
  bool found_named() const { return found_named_; }
  /// Returns the mesh of shardings with device arrays; std::nullopt without texts.
  const std::optional<MeshRef>& mesh() const { return mesh_; }

  /// Returns the leaves of a sharding site, one per value; std::nullopt if the site has no text.
  /// Errors: those of collect.
  Result<std::optional<std::vector<HloLeaf>>> leaves_at(const AttributePlace& place);
  /// Returns the sharding of a leaf for a value of the type. Error: the leaf does not fit the type.
  Result<LeafSharding> read(const AttributePlace& place, const HloLeaf& leaf,
                            const ir::Type& type) const;

  static bool is_replicated(const HloLeaf& leaf);

 private:
  Result<const HloLeaves*> parse(const AttributePlace& place, const std::string& text);
  void note_leaf(const AttributePlace& place, const HloLeaf& leaf);
  Status check_counts() const;
  Status find_mesh();
  std::optional<MeshRef> declared_mesh() const;
  void add_mesh(const Mesh& mesh);
  void add_maximal_meshes();
  Result<LeafSharding> read_devices(const HloSharding& hlo, const ir::Type& type) const;
  Result<LeafSharding> read_named(const NamedHloSharding& named, const ir::Type& type) const;
  MeshRef maximal(int64_t device) const;
  void find_partitions();
  bool is_only_device(int64_t device) const { return has_one_partition_ && device == 0; }

  ir::Module& module_;
  std::unordered_map<std::string, HloLeaves> parsed_;
  std::size_t num_texts_ = 0;
  bool found_named_ = false;
  int64_t num_named_devices_ =
      0;  // size of the largest named mesh, or the highest device id plus 1
  std::vector<DeviceArray> arrays_;           // distinct arrays in text order
  std::vector<AttributePlace> array_places_;  // first place of each array
  std::map<int64_t, std::string> single_;     // from the device of a maximal leaf to its mesh
  bool has_one_partition_ = false;            // all values are on device 0
  std::optional<MeshRef> mesh_;
};

// ---- Functions and ops --------------------------------------------------------------------------

struct GspmdImportOptions {
  /// Per argument and per result of main: whether propagation may shard it further. A single entry
  /// applies to all.
  std::vector<bool> open_args = {}, open_results = {};
  /// The round trip writes `{replicated}` for values without a sharding.
  bool has_placeholders = false;
};

Status import_gspmd(ir::Module& module, const GspmdImportOptions& options,
                    ImportedShardings& counts);

/// Parses `unspecified_dims=[0,2]` of a custom call. Errors: other text; dims out of range.
Result<std::vector<std::size_t>> unspecified_dims(const ir::Module& module, ir::OpId call);

/// The operands, types and shardings of a manual computation during its construction.
struct ManualRegion {
  std::vector<ir::ValueId> operands;   // operands of the computation
  std::vector<ir::Type> arg_types;     // argument types of the body
  std::vector<ir::Type> result_types;  // result types of the computation
  std::vector<TensorSharding> in, out;
  std::vector<std::string> manual_axes;
};

/// Creates a manual computation whose body has block arguments and no ops. It is in no block yet.
ir::OpId make_manual_computation(ir::Module& module, ManualRegion region, ir::LocationId location);

/// The functions that are bodies of manual computations. Each body is moved into its last caller
/// and copied into the others.
class RegionBodies {
 public:
  explicit RegionBodies(ir::Module& module);

  /// Moves or copies the body of the callee into the block and adds an sdy.return. `kept` has the
  /// indices of the returned values to keep. Errors: too many copied ops; no body.
  Status take(ir::OpId call, ir::BlockId block, const std::vector<std::size_t>& kept);
  /// Counts a call that replaces another op.
  void add_call(const std::string& callee) { ++calls_[callee]; }
  /// Erases functions without calls.
  void erase_taken();

 private:
  void count_calls(ir::BlockId block);

  ir::Module& module_;
  CallTrees trees_;
  CopySize copied_;
  std::map<std::string, std::size_t, std::less<>> calls_;  // by callee
  std::vector<ir::OpId> taken_;
};

/// Returns the ops that depend on shards within their manual region: ops on local values, and the
/// custom calls that end the region.
std::set<ir::OpId> ops_in_regions(const ir::Module& module, ir::BlockId block);

/// Converts functions one by one, with the manual regions in them.
class GspmdImporter {
 public:
  GspmdImporter(ir::Module& module, const GspmdImportOptions& options, LeafReader& reader,
                ImportedShardings& counts)
      : module_(module), options_(options), reader_(reader), counts_(counts), bodies_(module) {}

  Status run();

 private:
  using NameList = std::vector<std::string>;
  struct ManualBlock {
    ir::BlockId block;
    NameList manual;
  };

  // Functions and ops.
  Status visit_function(ir::OpId function, const NameList& manual);
  /// Visits the functions of the list, and those that are added meanwhile.
  Status visit_waiting();
  Status visit_block(const ManualBlock& block);
  Status visit_call(ir::OpId call, const NameList& manual);
  Status check_calls() const;
  Status convert_op(ir::OpId op, const NameList& manual);
  Status convert_sharding_call(ir::OpId call, const NameList& manual);

  // Conversion of texts.
  Status convert_signature(ir::OpId function, const NameList& manual);
  Status convert_signature_place(const AttributePlace& place, const ir::Type& type,
                                 ir::ValueId value, bool is_open, const NameList& manual);
  Status convert_results(ir::OpId op, const NameList& manual);
  void open_placeholders(ir::OpId op, const std::vector<HloLeaf>& leaves,
                         std::vector<LeafSharding>& read);
  Status expect_own(ir::OpId op, const ir::ShardingList& list) const;
  Status convert_without_results(ir::OpId op);
  /// Returns the sharding without the manual axes around the place. Error: the sharding has other
  /// manual axes.
  Result<LeafSharding> leaf_in(const AttributePlace& place, const HloLeaf& leaf,
                               const ir::Type& type, const NameList& manual);
  void add_group(ir::ValueId value, const LeafSharding& leaf, ir::OpId before);

  // Manual regions with calls are imported in gspmd_manual.cpp.
  Status convert_region_calls(const std::vector<ir::OpId>& ops, const NameList& manual);
  bool is_region_call(ir::OpId call, const std::set<ir::OpId>& local) const;
  /// Adds a captured value, which is replicated in the body. Error: the value is sharded.
  Status add_outside(ir::ValueId value, ir::OpId reader, ManualRegion& region);
  Status convert_region_call(ir::OpId call, const NameList& manual);
  Status add_entry(ir::OpId enter, const NameList& manual, ManualRegion& region,
                   std::optional<NameList>& axes);
  Status add_exit(ir::OpId leave, const NameList& manual, ManualRegion& region,
                  std::optional<NameList>& axes);
  Status add_replicated(const ir::Type& type, std::vector<TensorSharding>& list);
  /// Reads the manual axes of `mark`, without those around it, to `axes`. Error: they differ from
  /// earlier `axes`.
  Status agree(ir::OpId mark, const NameList& manual, std::optional<NameList>& axes);
  Result<TensorSharding> global_sharding(ir::OpId call, const NameList& manual);
  void queue_body(ir::OpId computation, const NameList& manual, const NameList& own);
  void erase_unused(ir::OpId op);

  // Manual regions without calls are imported in gspmd_manual.cpp.
  struct InlineRegion;
  Status convert_inline_regions(ir::BlockId block, const NameList& manual);
  Status convert_inline_region(const std::vector<ir::OpId>& ops, const NameList& manual);
  /// Reads operands, results and manual axes from the custom calls at the region boundary. Error: a
  /// SPMDShardToFullShape precedes the last SPMDFullToShardShape.
  Result<ManualRegion> read_borders(const InlineRegion& inlined, const NameList& manual);
  /// Moves the ops, and copies of the constants that they use, into the body.
  void fill_body(ir::OpId computation, const InlineRegion& inlined);
  Status read_outside(const std::vector<ir::OpId>& ops, InlineRegion& inlined,
                      ManualRegion& region);
  Result<ir::OpId> op_before(const InlineRegion& inlined) const;
  void erase_inlined(const InlineRegion& inlined, ir::OpId computation);

  ir::Module& module_;
  const GspmdImportOptions& options_;
  LeafReader& reader_;
  ImportedShardings& counts_;
  RegionBodies bodies_;
  std::vector<std::pair<ir::OpId, NameList>> functions_;  // functions to be visited
  std::map<ir::OpId, NameList> first_manual_;  // manual axes at the first visit of each function
  std::vector<std::pair<ir::OpId, NameList>>
      other_calls_;                  // calls of visited functions under other manual axes
  std::set<ir::OpId> with_manual_;   // functions whose texts contain the outer manual axes
  std::vector<ManualBlock> blocks_;  // blocks to be visited
};

struct RoundTripAttrsOptions {
  /// True: keeps the shardings of ops. False: drops them, except on ops whose purpose is a
  /// sharding, and reports these ops.
  bool keep_ops = true;
  std::vector<ir::OpId>* dropped = nullptr;
};

/// Converts frontend attributes to meshes, shardings and rules. Results of functions get the
/// shardings of custom calls. Spec: interop 6.2, 6.3.
Diagnostics import_round_trip_attrs(ir::Module& module, const RoundTripAttrsOptions& options,
                                    ImportedShardings& counts);

/// Replaces bodies between custom calls by manual computations. `reconstructed` gets the location
/// of the first call without in_shardings. Spec: interop 6.6.
Diagnostics import_round_trip_manual(ir::Module& module, ImportedShardings& counts,
                                     Location* reconstructed = nullptr);

/// Replaces the other custom calls by constraints, groups and barriers. Spec: interop 6.7.
Diagnostics import_round_trip_calls(ir::Module& module, ImportedShardings& counts);

/// Erases custom calls that have the shardings of function results. Spec: interop 6.3.
Status import_func_results(ir::Module& module, ImportedShardings& counts);

/// Replaces `stablehlo.constant` by `sdy.constant`.
Diagnostics import_constants(ir::Module& module);

/// Makes loops use each captured value through a fully open constraint. Spec: interop 6.7.
Diagnostics open_while_free_vars(ir::Module& module);

/// Merges meshes with equal devices. Shardings are rewritten to axes and sub-axes of one of these
/// meshes. Error: a manual axis would become a sub-axis. Spec: interop 6.5.
Diagnostics fold_meshes(ir::Module& module);

/// Returns true for attributes, call targets, function names or texts of the round trip.
bool carries_round_trip(const ir::Module& module);
/// Returns true for `mhlo.sharding` or custom calls of GSPMD.
bool carries_gspmd(const ir::Module& module);

// ---- Steps of XLA's pipelines that are not about shardings. Spec: interop 6.1, 7.1 --------------

/// Gives each call of a manual computation's body, except the first one, a copy of the body.
/// Errors: too many copied ops; recursion.
Diagnostics clone_manual_bodies(ir::Module& module);

/// Adds a dummy result, which can have a sharding, to Python callbacks that have no results or an
/// unused empty tuple.
Diagnostics import_callbacks(ir::Module& module);

/// Makes Python callbacks return a tuple of their result, as XLA expects. Drops a result without
/// uses. Callbacks with several results stay.
Diagnostics export_callbacks(ir::Module& module);

/// Replaces tuples of functions, calls, custom calls, loops, branches and barriers by several
/// arguments, results and operands. Splits the `mhlo.sharding` of a tuple into its leaves. Error: a
/// tuple anywhere else; the module is then partly changed. Spec: interop 6.8.
Diagnostics tuples_to_values(ir::Module& module);

/// Checks whether any argument or result is a tuple.
bool has_tuples(const ir::Module& module);

/// Replaces tuples of custom calls by several operands and results.
void flatten_tuples(ir::Module& module);

}  // namespace shardy::passes
