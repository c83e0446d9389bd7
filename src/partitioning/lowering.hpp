// The state of lowering one function, and the building blocks that all op families share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/manual_scopes.hpp"
#include "partitioning/emitter.hpp"
#include "partitioning/fetch_plan.hpp"
#include "partitioning/flat_fetch.hpp"
#include "partitioning/quasi_affine.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// Partial results that a collective still has to combine, and how. Spec: partitioning 5.8.
struct PartialResult {
  AxisList axes;                         // over which the local values are to be combined
  ir::OpKind reducer = ir::OpKind::Add;  // the op's own combiner
  ir::ValueId init;                      // folded in once at the end; invalid: nothing to fold
};

using PlaceRef = std::shared_ptr<const Place>;

/// A value of the input program as the device holds it. Spec: partitioning 3.
struct LocalValue {
  ir::ValueId value;                                // of the per-device program
  ir::Type global;                                  // type in the input program
  std::vector<AxisList> axes;                       // per dim; no entry for non-tensors
  std::vector<std::optional<ir::Literal>> padding;  // per dim: what padding holds, where known
  PlaceRef place;                                   // whose coordinates `axes` and `partial` mean
  std::optional<PartialResult> partial;             // what the devices hold, whatever is declared
  std::optional<int64_t> device = {};  // its position along the free axes; others have no value

  int64_t dim(std::size_t index) const { return global.dim(index); }
  Tiling tiling(std::size_t dim) const {
    return Tiling::of(global.dim(dim), sharding_size(axes[dim]));
  }
  const AxisList& partial_axes() const;
};

/// How the devices of a mesh are to hold a value. Spec: partitioning 3.
struct Layout {
  PlaceRef place;
  std::vector<AxisList> axes;
  AxisList unreduced;                    // over which they hold summands of it
  ir::OpKind reducer = ir::OpKind::Add;  // what "summand" means

  /// All devices hold all of it, so their order does not matter.
  bool place_is_free() const;
};

/// Returns the axes of a mesh with more than one device.
AxisList full_axes(const Mesh& mesh);

/// Returns whether two reducers do the same; on booleans a sum is an or.
bool same_reducer(ir::OpKind a, ir::OpKind b, ir::ElementType element);

/// Sizes beyond this are refused, so that index arithmetic cannot overflow.
inline constexpr int64_t kMaxDim = int64_t{1} << 40;

/// Returns the attributes that remain valid when values become local.
ir::AttributeMap local_attributes(const ir::AttributeMap& attributes);

class Lowering {
 public:
  /// The three must outlive it.
  Lowering(const ir::Module& input, const PartitionOptions& options, const ForeignOps& foreign);

  const ir::Module& input() const { return *input_; }
  ir::Module& output() { return output_; }
  Emitter& emit() { return emit_; }
  const PartitionOptions& options() const { return *options_; }
  const rules::Registry& rules() const { return foreign_->rules; }
  const ForeignLowerings& lowerings() const { return foreign_->lowerings; }
  const Place& place() const { return *place_; }
  const PlaceRef& place_ref() const { return place_; }

  // ---- Values ----
  const LocalValue& local(ir::ValueId value) const { return *locals_[value.index()]; }
  std::vector<LocalValue> operands(ir::OpId op) const;
  /// Binds the result of an input op to its local value.
  void bind(ir::ValueId value, LocalValue local);
  /// Axes per dim that the input program gives a value; empty lists where it gives none.
  std::vector<AxisList> axes_of(ir::ValueId value) const;
  /// The same for a type under a sharding.
  static std::vector<AxisList> axes_under(const ir::Type& type,
                                          const std::optional<TensorSharding>& sharding);
  std::vector<int64_t> local_dims(const ir::Type& global, std::span<const AxisList> axes) const;
  ir::Type local_type(const ir::Type& global, std::span<const AxisList> axes) const;
  /// A local value of that layout whose padding is unknown.
  LocalValue make(ir::ValueId value, ir::Type global, std::vector<AxisList> axes) const;
  /// Binds the only result of `op`, laid out as the input program says.
  void finish(ir::OpId op, ir::ValueId value);

  // ---- Building blocks ----
  /// Returns an i1 mask in the local shape: true outside of the padding of the listed dims;
  /// invalid: no padding.
  ir::ValueId valid_elements(const LocalValue& value, std::span<const std::size_t> dims);
  /// The value with a run-time `fill` (rank 0) for the padding of the listed dims.
  ir::ValueId filled(const LocalValue& value, std::span<const std::size_t> dims, ir::ValueId fill);
  /// MASK: padding of the listed dims becomes `fill` (rank 0). Spec: partitioning 5.1.
  LocalValue mask(LocalValue value, std::span<const std::size_t> dims, const ir::Literal& fill);
  /// Request of a halo exchange; `fill` is the value outside of the dim, none: undefined.
  struct Fetch {
    std::size_t dim = 0;
    QuasiAffine start;
    int64_t length = 0;
    std::optional<ir::ValueId> fill;
    int64_t receivers = 0;
    std::size_t operand = 0;                     // of the op that is lowered: whose dim it is
    std::optional<Wanted> wanted = {};           // elements that count; none: all
    std::optional<FetchStrategy> strategy = {};  // instead of that of the options
  };
  FetchPlan plan(const Tiling& tiling, const Fetch& want) const;
  /// FETCH along a dim of `value` that is distributed over `axes` as `tiling`. Spec: partitioning
  /// 5.5.
  ir::ValueId fetch(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                    const Fetch& want);
  /// A dim that holds a group of reshaped dims in flat order, with its present and wanted sharding.
  struct FlatFetch {
    std::size_t dim = 0;
    int64_t size = 0;  // elements of all shards
    FlatTiling from;
    FlatTiling to;
  };
  /// FETCH along such a dim; padding may be anything. Spec: partitioning 8.3 c, d.
  ir::ValueId fetch_flat(ir::ValueId value, const FlatFetch& flat);
  /// Removes the minor axes `gathered` from a dim. Spec: partitioning 6.
  LocalValue gather(LocalValue value, std::size_t dim, std::span<const AxisRef> gathered);
  /// Appends minor axes to a dim. Spec: partitioning 6.
  LocalValue slice(LocalValue value, std::size_t dim, std::span<const AxisRef> sliced);
  /// Any sharding of dims to any other, dim by dim: gather what differs, then slice. Leaves notes,
  /// in which `tensor` names the value; empty: the operand of `op` that it is, or a result.
  LocalValue conform(ir::OpId op, LocalValue value, std::span<const AxisList> axes,
                     std::string tensor = {});
  /// Keeps the own block of a whole dim.
  ir::ValueId block(ir::ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                    int64_t size);

  // ---- States of values (states.cpp; partitioning 3.1) ----
  /// Checks whether a device holds less than all of it.
  static bool is_sharded(const LocalValue& value);
  /// Checks whether devices hold different data: along axes that manual computations around bind
  /// they always may.
  bool is_distributed(const LocalValue& value) const;
  /// How the input program says that a value is held; whole where it says nothing.
  Layout layout_of(ir::ValueId value) const;
  Layout layout_under(const ir::Type& type, const std::optional<TensorSharding>& sharding) const;
  /// A local value that is held in that way.
  LocalValue make(ir::ValueId value, ir::Type global, Layout layout) const;
  /// The same elements on devices in the order of another mesh.
  LocalValue moved(LocalValue value, const PlaceRef& place);
  /// Reduces a partial value over `axes`; it stays partial over others.
  LocalValue combined(LocalValue value, std::span<const AxisRef> axes);
  /// The same for an operand of `op`, which should not have to: leaves a note.
  LocalValue combined_first(ir::OpId op, LocalValue value, std::span<const AxisRef> axes,
                            std::string tensor = {});
  /// The op's init value enters once, after everything is combined. Spec: partitioning 5.8.
  LocalValue with_init(LocalValue value);
  /// One device of each group over `axes` keeps the value, the others get what adds nothing.
  LocalValue as_summands(LocalValue value, const AxisList& axes, ir::OpKind reducer);
  /// Any layout to any other.
  LocalValue conform_to(ir::OpId op, LocalValue value, const Layout& layout);

  // ---- Ops ----
  /// Copies an op with other operands and result types; regions are copied and see whole values,
  /// shardings are not copied.
  ir::OpId clone(ir::OpId op, std::vector<ir::ValueId> operands, std::vector<ir::Type> types);
  /// The same, but for regions that the caller fills.
  ir::OpId clone(ir::OpId op, std::vector<ir::ValueId> operands, std::vector<ir::Type> types,
                 std::vector<ir::RegionId> regions);
  /// Puts the ops of a region of `op` at the end of `block`, with other values in place of its
  /// arguments; gives what the region returns. The region sees whole values.
  std::vector<ir::ValueId> inlined(ir::OpId op, std::size_t region, ir::BlockId block,
                                   std::span<const ir::ValueId> args);
  tl::unexpected<Error> error(ir::OpId op, std::string_view code, const std::string& message) const;

  // ---- Notes (notes.cpp; partitioning 5.10) ----
  /// The op that is lowered from now on.
  void set_op(ir::OpId op) {
    op_ = op;
    bound_ = scopes_.at(op);
    body_place_ = body_place_at(op);
  }
  /// Returns the axes that collectives for this op may not use.
  const BoundAxes& bound() const { return bound_; }
  /// Returns the mesh of all values under bound axes, that of the outermost manual computation:
  /// data is not sent to another order of devices, which may run another branch. Null without bound
  /// axes.
  const PlaceRef& body_place() const { return body_place_; }
  /// Returns body_place() of an op, or of what calls a function; null without bound axes.
  PlaceRef body_place_at(ir::OpId op) const;
  /// Returns the mesh of the body of a manual computation.
  PlaceRef place_in_manual(ir::OpId manual) const;
  /// Returns whether the op is in a manual computation, also in a function that a body calls.
  bool in_manual_body() const { return scopes_.in_body(op_); }
  struct Replicated {
    Replication kind = Replication::Gathered;
    std::string tensor = {};
    std::vector<std::size_t> dims = {};
    AxisList axes = {};
    std::string reason = {};
    std::size_t first_op = 0;  // Gathered: of the program, since when it was made
    int64_t bytes_moved = 0;   // set for Gathered when all is made
    int64_t bytes_held = 0;

    void add(std::size_t dim, std::span<const AxisRef> along) {
      dims.push_back(dim);
      axes.insert(axes.end(), along.begin(), along.end());
    }
  };
  /// Adds a note for `op`, or for another op of that name.
  void note(ir::OpId op, const Replicated& what, const std::string& name = {});
  /// Returns "operand 1"; empty for a value that is not an operand of the op.
  std::string tensor_name(ir::OpId op, ir::ValueId value) const;

  /// Ops go to the end of `block`, coordinates are those of `place`.
  void start_function(PlaceRef place, ir::BlockId block);
  void set_place(PlaceRef place) { place_ = std::move(place); }
  /// Returns the notes without unused and duplicate gathers.
  std::vector<ReplicationNote> take_notes();

 private:
  ir::ValueId named_source(ir::ValueId value) const;
  void hand_name_on(ir::ValueId value, ir::ValueId old);
  void note_computed(ir::OpId op, const LocalValue& made, std::span<const AxisList> cut);
  std::string result_name(ir::OpId op, const LocalValue& made) const;
  void note_fetch(const Fetch& want, std::span<const AxisRef> axes, ir::ValueId whole);
  ir::ValueId gathered_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Fetch& want,
                              const FetchPlan& plan);
  ir::ValueId hull_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Fetch& want,
                          const FetchPlan& plan, bool masks);
  ir::ValueId hull_window(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                          const Fetch& want, const FetchPlan& plan);
  ir::ValueId compact_buffer(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                             const Fetch& want, const FetchPlan& plan);
  ir::ValueId compact_pieces(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                             const Fetch& want, const FetchPlan& plan);
  ir::ValueId by_residue(std::span<const AxisRef> axes, int64_t residues,
                         const std::function<ir::ValueId(int64_t)>& part);
  /// The piece, sent to the shards that lack it or to the only one that needs it.
  ir::ValueId moved(ir::ValueId value, std::span<const AxisRef> axes, const FetchPiece& piece);
  // Masks (masks.cpp).
  ir::ValueId where(ir::ValueId holds, ir::ValueId value, ir::ValueId fill);
  /// Masks a dim of which only the last shard has padding with `fill`.
  ir::ValueId masked_end(ir::ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                         const Tiling& tiling, ir::ValueId fill);
  /// Returns whether the pieces of a window are masked, each by itself, rather than the window.
  static bool masks_pieces(const Fetch& want, const FetchPlan& plan);
  ir::ValueId tile_mask(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                        const Fetch& want, const FetchPlan& plan);
  /// Masks a piece received from `hop` shards down: `fill` if that shard does not exist.
  ir::ValueId piece_mask(ir::ValueId piece, std::span<const AxisRef> axes, int64_t hop,
                         ir::ValueId fill);
  ir::ValueId fetch_mask(ir::ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                         const Fetch& want);
  Index start_of(std::span<const AxisRef> axes, const QuasiAffine& start);
  /// Makes whole what the regions of `op` use from outside; returns what was bound before.
  std::vector<std::pair<ir::ValueId, LocalValue>> whole_captures(ir::OpId op);
  void copy_region(ir::RegionId from, ir::RegionId to);
  struct RegionCopy {
    std::map<ir::ValueId, ir::ValueId> values;                   // those made so far
    std::vector<std::pair<ir::RegionId, ir::RegionId>> pending;  // not yet copied
  };
  void copy_op(ir::OpId op, ir::BlockId block, RegionCopy& copy);
  ir::ValueId copied(ir::ValueId value, const RegionCopy& copy) const;
  void copy_pending(RegionCopy& copy);

  const ir::Module* input_;
  const PartitionOptions* options_;
  const ForeignOps* foreign_;
  ir::Module output_;
  Emitter emit_;
  PlaceRef place_ = std::make_shared<const Place>();
  std::vector<std::optional<LocalValue>> locals_;
  ir::ManualScopes scopes_;
  ir::OpId op_;
  BoundAxes bound_ = BoundAxes::none();  // at `op_`
  PlaceRef body_place_;                  // at `op_`
  struct MadeNote {
    ReplicationNote note;
    std::size_t first_op, last_op;  // of the program: among them are its gathers
  };
  std::vector<MadeNote> notes_;
};

/// A lowering of one op: emits local ops and binds the results. One per row of partitioning 8.
using LowerOp = Status (*)(Lowering&, ir::OpId);

}  // namespace shardy::partitioning
