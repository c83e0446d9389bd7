// Import of GSPMD's shardings: `mhlo.sharding` and custom calls. Spec: interop 5.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/call_copies.hpp"
#include "passes/common/symbols.hpp"
#include "passes/interop/carriers.hpp"
#include "passes/interop/leaf_reader.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"

namespace shardy::passes {

struct GspmdImportOptions {
  /// For arguments and results of main: whether propagation may shard them further. One entry
  /// counts for all.
  std::vector<bool> open_args = {}, open_results = {};
  /// `{replicated}` is what the round trip has written where there was nothing.
  bool has_placeholders = false;
};

Status import_gspmd(ir::Module& module, const GspmdImportOptions& options,
                    ImportedShardings& counts);

/// Several operands and results instead of tuples around custom calls that carry shardings.
void flatten_tuples(ir::Module& module);

/// `unspecified_dims=[0,2]` of a custom call. Errors: other text; dims that the value has not.
Result<std::vector<std::size_t>> unspecified_dims(const ir::Module& module, ir::OpId call);

/// The pieces of a manual computation as they are found.
struct ManualRegion {
  std::vector<ir::ValueId> operands;   // of the computation
  std::vector<ir::Type> arg_types;     // of its body
  std::vector<ir::Type> result_types;  // of the computation
  std::vector<TensorSharding> in, out;
  std::vector<std::string> manual_axes;
};

/// Creates a manual computation with an empty body that has the arguments, outside of all blocks.
ir::OpId make_manual_computation(ir::Module& module, ManualRegion region, ir::LocationId location);

/// Functions of manual regions, each moved into its last caller and copied for the others.
class RegionBodies {
 public:
  explicit RegionBodies(ir::Module& module);

  /// Puts the body of the callee, with a return of `sdy`, into the block. `kept`: which of the
  /// values that it returns. Errors: all copies are too many ops; no body.
  Status take(ir::OpId call, ir::BlockId block, const std::vector<std::size_t>& kept);
  /// One more call, that was made from an op of another kind.
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

/// Ops that values of a shard reach without leaving their manual region: those that are local to a
/// device, and the ways out.
std::set<ir::OpId> ops_in_regions(const ir::Module& module, ir::BlockId block);

/// Turns functions, and the regions of manual computations in them, one after the other.
class GspmdImporter {
 public:
  GspmdImporter(ir::Module& module, const GspmdImportOptions& options, LeafReader& reader,
                ImportedShardings& counts)
      : module_(module), options_(options), reader_(reader), counts_(counts), bodies_(module) {}

  Status run();

 private:
  using Axes = std::vector<std::string>;
  struct Block {
    ir::BlockId block;
    Axes manual;
  };

  // Functions and ops, gspmd_import.cpp.
  Status visit_function(ir::OpId function, const Axes& manual);
  Status visit_block(const Block& block);
  Status visit_call(ir::OpId call, const Axes& manual);
  Status check_calls() const;
  Status convert_op(ir::OpId op, const Axes& manual);
  Status convert_sharding_call(ir::OpId call, const Axes& manual);

  // Conversion of texts, gspmd_places.cpp.
  Status convert_signature(ir::OpId function, const Axes& manual);
  Status convert_signature_place(const Place& place, const ir::Type& type, ir::ValueId value,
                                 bool is_open, const Axes& manual);
  Status convert_results(ir::OpId op, const Axes& manual);
  void open_placeholders(ir::OpId op, const std::vector<HloLeaf>& leaves,
                         std::vector<LeafSharding>& read);
  Status expect_own(ir::OpId op, const ir::ShardingList& list) const;
  Status convert_without_results(ir::OpId op);
  /// Without the manual axes around. Errors: others.
  Result<LeafSharding> leaf_in(const Place& place, const HloLeaf& leaf, const ir::Type& type,
                               const Axes& manual);
  void add_group(ir::ValueId value, const LeafSharding& leaf, ir::OpId before);

  // Manual regions, manual_calls.cpp.
  Status convert_region_calls(const std::vector<ir::OpId>& ops, const Axes& manual);
  bool is_region_call(ir::OpId call, const std::set<ir::OpId>& local) const;
  /// Adds a value from outside, which each device reads whole. Errors: it is sharded.
  Status add_outside(ir::ValueId value, ir::OpId reader, ManualRegion& region);
  Status convert_region_call(ir::OpId call, const Axes& manual);
  Status add_entry(ir::OpId enter, const Axes& manual, ManualRegion& region,
                   std::optional<Axes>& axes);
  Status add_exit(ir::OpId leave, const Axes& manual, ManualRegion& region,
                  std::optional<Axes>& axes);
  Status add_replicated(const ir::Type& type, std::vector<TensorSharding>& list);
  /// The manual axes that `mark` says are there, but for those around it; they agree with `axes`.
  Status agree(ir::OpId mark, const Axes& manual, std::optional<Axes>& axes);
  Result<TensorSharding> global_sharding(ir::OpId call, const Axes& manual);
  void queue_body(ir::OpId computation, const Axes& manual, const Axes& own);
  void erase_unused(ir::OpId op);

  // Without a call, inline_regions.cpp.
  struct InlineRegion;
  Status convert_inline_regions(ir::BlockId block, const Axes& manual);
  Status convert_inline_region(const std::vector<ir::OpId>& ops, const Axes& manual);
  /// The operands, results and manual axes that the ways in and out say. Errors: a way out in front
  /// of the last way in.
  Result<ManualRegion> read_borders(const InlineRegion& inlined, const Axes& manual);
  /// Puts the ops, and copies of the constants that they read, into the body.
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
  std::vector<std::pair<ir::OpId, Axes>> functions_;    // to visit
  std::map<ir::OpId, Axes> first_manual_;               // with which a function was met first
  std::vector<std::pair<ir::OpId, Axes>> other_calls_;  // of functions met before, with others
  std::set<ir::OpId> with_manual_;  // functions that say which axes are manual around them
  std::vector<Block> blocks_;       // to visit
};

}  // namespace shardy::passes
