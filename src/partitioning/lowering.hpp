// The state of the lowering of one function, and building blocks for all op families.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "partitioning/emitter.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/resharding/detail/halo_plan.hpp"
#include "shardy/resharding/detail/nesting.hpp"
#include "shardy/resharding/detail/quasi_affine.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// The reduction that a partial value still needs. Spec: partitioning 5.8.
struct PartialResult {
  AxisList axes;                         // the axes to reduce over
  ir::OpKind reducer = ir::OpKind::Add;  // the combiner of the op that made the value partial
  ir::ValueId init;  // combined with the result once after the reduction; invalid: none
};

using PlaceRef = std::shared_ptr<const DeviceOrder>;

/// The per-device form of a value of the input program. Spec: partitioning 3.
struct PartitionedValue {
  ir::ValueId value;                                // in the per-device program
  ir::Type global;                                  // type in the input program
  std::vector<AxisList> axes;                       // per dim; empty for non-tensors
  std::vector<std::optional<ir::Literal>> padding;  // per dim: the value of its padding, if known
  PlaceRef place;                                   // the mesh to which `axes` and `partial` refer
  std::optional<PartialResult> partial;  // the actual state; the declared state may differ
  // For a maximal sharding: the position of the device along the free axes.
  std::optional<int64_t> device = {};

  int64_t dim(std::size_t index) const { return global.dim(index); }
  Tiling tiling(std::size_t dim) const {
    return Tiling::of(global.dim(dim), sharding_size(axes[dim]));
  }
  const AxisList& partial_axes() const;
};

/// A layout of a value on the devices of a mesh: axes per dim and unreduced axes. Spec:
/// partitioning 3.
struct Layout {
  PlaceRef place;
  std::vector<AxisList> axes;
  AxisList unreduced;                    // axes over which the value is partial
  ir::OpKind reducer = ir::OpKind::Add;  // reduces partial values

  /// Checks whether the value is replicated. The device order of such a value does not matter.
  bool place_is_free() const;
};

/// Returns the axes of a mesh whose size is greater than 1.
AxisList full_axes(const Mesh& mesh);

/// Checks whether two reducers give equal results for the element type. A sum of booleans is an
/// `or`.
bool same_reducer(ir::OpKind a, ir::OpKind b, ir::ElementType element);

/// The largest supported dim size; larger sizes could overflow index arithmetic.
inline constexpr int64_t kMaxDim = int64_t{1} << 40;

/// Returns the attributes that remain valid for the op on local shards.
ir::AttributeMap local_attributes(const ir::AttributeMap& attributes);

class Lowering {
 public:
  /// The arguments must outlive this object.
  Lowering(const ir::Module& input, const PartitionOptions& options, const ForeignOps& foreign);

  const ir::Module& input() const { return *input_; }
  ir::Module& output() { return output_; }
  Emitter& emit() { return emit_; }
  const PartitionOptions& options() const { return *options_; }
  const rules::Registry& rules() const { return foreign_->rules; }
  /// Returns the sharding rule of an op of the input. Equal ops with a rule that depends only on
  /// types and attributes share one rule object.
  rules::RuleResult rule_of(ir::OpId op) const;
  const ForeignLowerings& lowerings() const { return foreign_->lowerings; }
  const DeviceOrder& place() const { return *place_; }
  const PlaceRef& place_ref() const { return place_; }

  // ---- Values ----
  const PartitionedValue& local(ir::ValueId value) const { return *locals_[value.index()]; }
  std::vector<PartitionedValue> operands(ir::OpId op) const;
  /// Binds the result of an input op to its local value.
  void bind(ir::ValueId value, PartitionedValue local);
  /// Returns the axes per dim of a value's sharding in the input program; empty lists if the value
  /// has no sharding.
  std::vector<AxisList> axes_of(ir::ValueId value) const;
  /// Returns the axes per dim of a type under a sharding.
  static std::vector<AxisList> axes_under(const ir::Type& type,
                                          const std::optional<TensorSharding>& sharding);
  std::vector<int64_t> local_dims(const ir::Type& global, std::span<const AxisList> axes) const;
  ir::Type local_type(const ir::Type& global, std::span<const AxisList> axes) const;
  /// Returns a local value with these axes and unknown padding.
  PartitionedValue make(ir::ValueId value, ir::Type global, std::vector<AxisList> axes) const;
  /// Binds the only result of `op` to `value`, which has the layout of the input program.
  void finish(ir::OpId op, ir::ValueId value);
  /// Binds the only result of `op`, a tensor with zero elements.
  Status finish_empty(ir::OpId op);

  // ---- Building blocks ----
  /// Returns an i1 mask in the local shape that is false in the padding of the listed dims. Invalid
  /// if these dims have no padding.
  ir::ValueId valid_elements(const PartitionedValue& value, std::span<const std::size_t> dims);
  /// Replaces the padding of the listed dims by `fill`, a scalar computed at run time.
  ir::ValueId filled(const PartitionedValue& value, std::span<const std::size_t> dims,
                     ir::ValueId fill);
  /// Replaces the padding of the listed dims by `fill`, a constant scalar. This is MASK of
  /// partitioning 5.1.
  PartitionedValue mask(PartitionedValue value, std::span<const std::size_t> dims,
                        const ir::Literal& fill);
  /// A request for a halo exchange. Elements outside the dim get the value `fill`; std::nullopt:
  /// they are undefined.
  struct Halo {
    std::size_t dim = 0;
    QuasiAffine start;
    int64_t length = 0;
    std::optional<ir::ValueId> fill;
    int64_t receivers = 0;
    std::size_t operand = 0;  // index of the operand of the current op that has the dim
    std::optional<NeededRange> wanted = {};     // elements that must be correct; std::nullopt: all
    std::optional<HaloStrategy> strategy = {};  // overrides the strategy of the options
  };
  HaloPlan plan(const Tiling& tiling, const Halo& want) const;
  /// Returns the kinds of plans that the strategy allows. The default is the strategy of the
  /// options.
  HaloKinds halo_kinds(std::optional<HaloStrategy> strategy = std::nullopt) const;
  /// Exchanges halos along a dim of `value` that is sharded over `axes` with `tiling`. This is HALO
  /// of partitioning 5.5.
  ir::ValueId exchange_halo(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                            const Halo& want);
  /// A halo exchange of reshaped dims in flat, row-major order, with their present and target
  /// tilings.
  struct FlatHalo {
    std::size_t dim = 0;
    int64_t size = 0;  // of the flattened dim over all shards
    FlatTiling from;
    FlatTiling to;
  };
  /// Exchanges halos along the flattened dim. Padding gets arbitrary values. Spec: partitioning 8.3
  /// c, d.
  ir::ValueId exchange_flat_halo(ir::ValueId value, const FlatHalo& flat);
  /// Gathers a dim that is sharded along `axes`, then slices it along `kept`.
  ir::ValueId retiled(ir::ValueId value, std::size_t dim, int64_t size,
                      std::span<const AxisRef> axes, std::span<const AxisRef> kept, int64_t tile);
  /// Returns a halo exchange of the dim such that each shard along the axes other than `minor` is
  /// split into equal shards along `minor`. std::nullopt if the shards are already nested so, or if
  /// a gather of the full dim costs less. Spec: partitioning 6.
  std::optional<FlatHalo> nesting(const PartitionedValue& value, std::size_t dim,
                                  std::span<const AxisRef> minor) const;
  /// Checks whether a gather along `minor` gathers the full dim. True if the result's shards are
  /// not unions of the value's shards and a halo exchange costs more.
  bool gathers_whole_dim(const PartitionedValue& value, std::size_t dim,
                         std::span<const AxisRef> minor) const;
  /// Returns the halo exchange that gives each shard of a dim the size of `parts` shards of the
  /// finer tiling. std::nullopt if a pad is enough or if a gather of the full dim costs less.
  std::optional<Halo> widening(const PartitionedValue& value, std::size_t dim, int64_t parts) const;
  /// Gives each shard of a dim the size of `parts` shards of the finer tiling, by a pad, a halo
  /// exchange or a gather. Spec: partitioning 6.
  ir::ValueId widened(const PartitionedValue& value, std::size_t dim, int64_t parts);
  /// Gathers a dim along its minor axes `gathered`. Spec: partitioning 6.
  PartitionedValue gather(PartitionedValue value, std::size_t dim,
                          std::span<const AxisRef> gathered);
  /// Slices a dim along additional minor axes. Spec: partitioning 6.
  PartitionedValue slice(PartitionedValue value, std::size_t dim, std::span<const AxisRef> sliced);
  /// Reshards to the given dim axes: gathers dims that differ, then slices them. Adds notes, in
  /// which `tensor` names the value. If `tensor` is empty, the name is the operand or result of
  /// `op` that has this value.
  PartitionedValue reshard_to(ir::OpId op, PartitionedValue value, std::span<const AxisList> axes,
                              std::string tensor = {});
  ir::ValueId gathered_block(ir::ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                             int64_t size);
  /// Returns this device's block of an unsharded dim: a slice, or the operand of the all-gather
  /// that joined the blocks.
  ir::ValueId block(ir::ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                    int64_t size);

  // ---- States of values (states.cpp; partitioning 3.1) ----
  /// Checks whether a device has less than the full value.
  static bool is_sharded(const PartitionedValue& value);
  /// Checks whether devices may have different data. Devices that differ along bound axes of manual
  /// computations always may.
  bool is_distributed(const PartitionedValue& value) const;
  /// Returns the layout of a value in the input program. A value without a sharding is replicated.
  Layout layout_of(ir::ValueId value) const;
  Layout layout_under(const ir::Type& type, const std::optional<TensorSharding>& sharding) const;
  /// Returns a local value with the given layout.
  PartitionedValue make(ir::ValueId value, ir::Type global, Layout layout) const;
  /// Permutes the value to the device order of the mesh `place`.
  PartitionedValue moved(PartitionedValue value, const PlaceRef& place);
  /// Reduces a partial value over `axes`; the value stays partial over its other axes.
  PartitionedValue combined(PartitionedValue value, std::span<const AxisRef> axes);
  /// Reduces a partial operand that `op` cannot use in partial form, and adds a note.
  PartitionedValue combined_first(ir::OpId op, PartitionedValue value,
                                  std::span<const AxisRef> axes, std::string tensor = {});
  /// Combines the initial value with the reduced value. Spec: partitioning 5.8.
  PartitionedValue with_init(PartitionedValue value);
  /// Makes a value partial: one device of each group over `axes` keeps the value, the others get
  /// the neutral element.
  PartitionedValue as_summands(PartitionedValue value, const AxisList& axes, ir::OpKind reducer);
  /// Reshards a value to the given layout.
  PartitionedValue reshard_to_layout(ir::OpId op, PartitionedValue value, const Layout& layout);

  // ---- Ops ----
  /// Clones an op with other operands and result types and without shardings. Its regions are
  /// copied and use replicated values.
  ir::OpId clone(ir::OpId op, std::vector<ir::ValueId> operands, std::vector<ir::Type> types);
  /// Clones an op without its regions, which the caller creates.
  ir::OpId clone(ir::OpId op, std::vector<ir::ValueId> operands, std::vector<ir::Type> types,
                 std::vector<ir::RegionId> regions);
  /// Appends the ops of a region of `op` to `block`; `block` has values that replace the region's
  /// arguments. Returns the values that the region returns. Values captured by the region are
  /// replicated.
  std::vector<ir::ValueId> inlined(ir::OpId op, std::size_t region, ir::BlockId block,
                                   std::span<const ir::ValueId> args);
  tl::unexpected<Error> error(ir::OpId op, std::string_view code, const std::string& message) const;

  // ---- Notes (lowering.cpp; partitioning 5.10) --------------------------------------------------
  /// Sets the op being lowered.
  void set_op(ir::OpId op) {
    op_ = op;
    bound_ = scopes_.at(op);
    body_place_ = body_place_at(op);
  }
  /// Returns the axes that collectives for this op must not use.
  const BoundAxes& bound() const { return bound_; }
  /// Returns the mesh that all values have under bound axes: the mesh of the outermost manual
  /// computation. Such values are not sent to another device order, because devices outside of it
  /// may run another branch. Null without bound axes.
  const PlaceRef& body_place() const { return body_place_; }
  /// Returns body_place() for an op, which may be in a function that a manual computation calls;
  /// null without bound axes.
  PlaceRef body_place_at(ir::OpId op) const;
  /// Returns the mesh of the body of a manual computation.
  PlaceRef place_in_manual(ir::OpId manual) const;
  /// Checks whether the op is in a manual computation or in a function called from one.
  bool in_manual_body() const { return scopes_.in_body(op_); }
  struct Replicated {
    Replication kind = Replication::Gathered;
    std::string tensor = {};
    std::vector<std::size_t> dims = {};
    AxisList axes = {};
    std::string reason = {};
    // For Gathered: the first op of the per-device program after the gather.
    std::size_t first_op = 0;
    int64_t bytes_moved = 0;  // for Gathered: computed at the end
    int64_t bytes_held = 0;

    void add(std::size_t dim, std::span<const AxisRef> along) {
      dims.push_back(dim);
      axes.insert(axes.end(), along.begin(), along.end());
    }
  };
  /// Adds a note for `op`; a nonempty `name` replaces the op's name.
  void note(ir::OpId op, const Replicated& what, const std::string& name = {});
  /// Returns a text such as "operand 1"; empty for a value that is not an operand of the op.
  std::string tensor_name(ir::OpId op, ir::ValueId value) const;

  /// Starts a function: ops are appended to `block`, and coordinates refer to `place`.
  void start_function(PlaceRef place, ir::BlockId block);
  void set_place(PlaceRef place) { place_ = std::move(place); }
  /// Returns the notes, except notes of unused or duplicate gathers.
  std::vector<ReplicationNote> take_notes();

 private:
  ir::ValueId named_source(ir::ValueId value) const;
  void hand_name_on(ir::ValueId value, ir::ValueId old);
  void note_computed(ir::OpId op, const PartitionedValue& made, std::span<const AxisList> sharded);
  std::string result_name(ir::OpId op, const PartitionedValue& made) const;
  void note_halo(const Halo& want, std::span<const AxisRef> axes, ir::ValueId whole);
  ir::ValueId gathered_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Halo& want,
                              const HaloPlan& plan);
  ir::ValueId hull_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Halo& want,
                          const HaloPlan& plan, bool masks);
  ir::ValueId hull_window(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                          const Halo& want, const HaloPlan& plan);
  ir::ValueId compact_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                             const Halo& want, const HaloPlan& plan);
  ir::ValueId compact_pieces(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                             const Halo& want, const HaloPlan& plan);
  ir::ValueId by_residue(std::span<const AxisRef> axes, int64_t residues,
                         const std::function<ir::ValueId(int64_t)>& part);
  /// Permutes the piece to all shards that need the piece.
  ir::ValueId moved(ir::ValueId value, std::span<const AxisRef> axes, const HaloPiece& piece);
  // Masks (states.cpp).
  ir::ValueId where(ir::ValueId holds, ir::ValueId value, ir::ValueId fill);
  /// Replaces the padding of a dim with `fill`. Requires: only the last shard has padding.
  ir::ValueId masked_end(ir::ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                         const Tiling& tiling, ir::ValueId fill);
  /// Checks whether each piece of a window is masked, rather than the full window.
  static bool masks_pieces(const Halo& want, const HaloPlan& plan);
  ir::ValueId tile_mask(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                        const Halo& want, const HaloPlan& plan);
  /// Masks a piece received over `hop` shards: the result is `fill` if the sending shard does not
  /// exist.
  ir::ValueId piece_mask(ir::ValueId piece, std::span<const AxisRef> axes, int64_t hop,
                         ir::ValueId fill);
  ir::ValueId halo_mask(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                        const Halo& want);
  ScalarIndex start_of(std::span<const AxisRef> axes, const QuasiAffine& start);
  /// Replicates the values that regions of `op` capture. Returns their previous local values, to be
  /// restored.
  std::vector<std::pair<ir::ValueId, PartitionedValue>> whole_captures(ir::OpId op);
  void copy_region(ir::RegionId from, ir::RegionId to);
  struct RegionCopy {
    std::map<ir::ValueId, ir::ValueId> values;                   // old to new values
    std::vector<std::pair<ir::RegionId, ir::RegionId>> pending;  // regions to be copied
  };
  void copy_op(ir::OpId op, ir::BlockId block, RegionCopy& copy);
  ir::ValueId copied(ir::ValueId value, const RegionCopy& copy) const;
  void copy_pending(RegionCopy& copy);

  const ir::Module* input_;
  const PartitionOptions* options_;
  const ForeignOps* foreign_;
  ir::Module output_;
  Emitter emit_;
  PlaceRef place_ = std::make_shared<const DeviceOrder>();
  std::vector<std::optional<PartitionedValue>> locals_;
  ir::ManualScopes scopes_;
  ir::OpId op_;
  BoundAxes bound_ = BoundAxes::none();  // bound axes of `op_`
  PlaceRef body_place_;                  // device order of the body of `op_`
  /// The ops of the per-device program that contain the gathers of a note.
  struct OpSpan {
    std::size_t first, last;
  };
  std::vector<ReplicationNote> notes_;
  std::vector<OpSpan> ops_of_notes_;  // one element per note
  // Cached rules; never iterated.
  mutable std::unordered_map<ir::OpId, rules::RuleResult, rules::OpSignature, rules::OpSignature>
      plain_rules_;
};

/// A lowering of one op: emits local ops and binds the results. Each row of partitioning 8 has one.
using LowerOp = Status(Lowering& lowering, ir::OpId op);

}  // namespace shardy::partitioning
