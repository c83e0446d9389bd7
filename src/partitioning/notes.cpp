// Notes on ops that replicate more than their shardings require. Spec: partitioning 5.10.
#include <algorithm>
#include <utility>

#include "partitioning/lowering.hpp"
#include "shardy/algebra/spelled.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

void Lowering::note(OpId op, const Replicated& what, const std::string& name) {
  ReplicationNote note{.kind = what.kind,
                       .op = name.empty() ? std::string(input_->name(op)) : name,
                       .location = input_->location_text(op),
                       .tensor = what.tensor,
                       .dims = {what.dims.begin(), what.dims.end()},
                       .axes = to_string(place_->mesh, sort_and_merge(what.axes)),
                       .reason = what.reason,
                       .bytes_moved = what.bytes_moved,
                       .bytes_held = what.bytes_held};
  notes_.push_back({std::move(note), what.first_op, output_.num_ops()});
}

std::vector<ReplicationNote> Lowering::take_notes() {
  std::vector<ReplicationNote> notes;
  for (MadeNote& made : notes_) {
    ReplicationNote& note = made.note;
    for (std::size_t index = made.first_op;
         note.kind == Replication::Gathered && index < made.last_op; ++index) {
      const OpId op(static_cast<uint32_t>(index));
      if (output_.is_erased(op) || !output_.is(op, OpKind::SpmdAllGather)) continue;
      note.bytes_moved += output_.type(output_.result(op)).num_bytes() -
                          output_.type(output_.operand(op, 0)).num_bytes();
    }
    if (note.kind != Replication::Gathered || note.bytes_moved > 0)
      notes.push_back(std::move(note));
  }
  return notes;
}

std::string Lowering::tensor_name(OpId op, ValueId value) const {
  const std::vector<ValueId> operands = input_->operands(op);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const std::optional<PartitionedValue>& bound = locals_[operands[index].index()];
    if (bound && bound->value == value) return "operand " + std::to_string(index);
  }
  return {};
}

namespace {

bool holds_its_data(OpKind kind) { return kind == OpKind::Constant || kind == OpKind::SdyConstant; }

bool makes_random_bits(OpKind kind) {
  return kind == OpKind::RngBitGenerator || kind == OpKind::Rng;
}

}  // namespace

/// Notes results of the current op of which devices compute more than they keep.
void Lowering::note_computed(OpId op, const PartitionedValue& made, std::span<const AxisList> cut) {
  const OpKind kind = input_->kind(op);
  if (op != op_ || holds_its_data(kind)) return;
  Replicated what{.kind = Replication::Computed,
                  .reason = "the op does not shard its result along this dim"};
  if (makes_random_bits(kind)) {
    what.kind = Replication::RandomBits;
    what.reason = "bits depend on their index in the global tensor";
  }
  for (std::size_t dim = 0; dim < cut.size(); ++dim) {
    if (sharding_size(cut[dim]) > 1) what.add(dim, cut[dim]);
  }
  if (what.dims.empty()) return;
  what.tensor = result_name(op, made);
  what.bytes_held = output_.type(made.value).num_bytes();
  note(op, what);
}

/// Returns the name of the first unbound result of that type.
std::string Lowering::result_name(OpId op, const PartitionedValue& made) const {
  const std::vector<ValueId> results = input_->results(op);
  for (std::size_t index = 0; index < results.size(); ++index) {
    const bool is_bound = locals_[results[index].index()].has_value();
    if (!is_bound && input_->type(results[index]) == made.global) {
      return "result " + std::to_string(index);
    }
  }
  return "a result";
}

/// Adds a note directly after the gather.
void Lowering::note_halo(const Halo& want, std::span<const AxisRef> axes, ValueId whole) {
  Replicated what{.reason = "halos would not send fewer bytes"};
  what.tensor = "operand " + std::to_string(want.operand);
  what.add(want.dim, axes);
  what.first_op = output_.defining_op(whole).index();
  what.bytes_held = output_.type(whole).num_bytes();
  note(op_, what);
}

}  // namespace shardy::partitioning
