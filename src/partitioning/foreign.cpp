// Ops of an embedder are lowered by the embedder's callback.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = "example.rotary"(%a) : 8x4 [{"x"}, {}]
//   ->  callback: operand(0, axes) : 4x4, clone or other ops, set_result(0, value, axes)
//   %1 = "example.rotary"(%a) : 4x4, resharded to [{"x"}, {}] if axes differ
#include "shardy/partitioning/foreign.hpp"

#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

OpLowering::OpLowering(Lowering& lowering, OpId op)
    : lowering_(&lowering), op_(op), results_(lowering.input().num_results(op)) {}

const ir::Module& OpLowering::program() const { return lowering_->input(); }
const Type& OpLowering::operand_type(std::size_t index) const {
  return program().type(program().operand(op_, index));
}
const Type& OpLowering::result_type(std::size_t index) const {
  return program().type(program().result(op_, index));
}

OpLowering::Axes OpLowering::operand_axes(std::size_t index) const {
  return lowering_->local(program().operand(op_, index)).axes;
}
OpLowering::Axes OpLowering::result_axes(std::size_t index) const {
  return lowering_->axes_of(program().result(op_, index));
}

ValueId OpLowering::operand(std::size_t index, const Axes& axes,
                            const std::optional<ir::Literal>& padding) {
  PartitionedValue value = lowering_->local(program().operand(op_, index));
  value = lowering_->reshard_to(op_, std::move(value), axes);
  if (!padding) return value.value;
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) dims.push_back(dim);
  return lowering_->mask(std::move(value), dims, *padding).value;
}

ir::Module& OpLowering::local_program() { return lowering_->output(); }
ir::Builder& OpLowering::builder() { return lowering_->emit().builder(); }

ValueId OpLowering::coordinate(std::span<const AxisRef> axes) { return tile_begin(axes, 1); }

ValueId OpLowering::tile_begin(std::span<const AxisRef> axes, int64_t size) {
  Emitter& emit = lowering_->emit();
  const int64_t tile = ceil_div(size, sharding_size(axes));
  const ScalarIndex begin = emit.multiply(emit.coord(lowering_->place(), axes), tile);
  return emit.scalar(begin);
}

ValueId OpLowering::all_reduce(ValueId value, std::span<const AxisRef> axes, OpKind reducer) {
  return lowering_->emit().all_reduce(value, lowering_->place(), axes, reducer);
}

ValueId OpLowering::all_gather(ValueId value, std::span<const AxisRef> axes, std::size_t dim) {
  return lowering_->emit().all_gather(value, lowering_->place(), axes, dim);
}

OpId OpLowering::clone(std::vector<ValueId> operands, std::span<const Axes> results) {
  std::vector<Type> types;
  for (std::size_t index = 0; index < results.size(); ++index) {
    types.push_back(lowering_->local_type(result_type(index), results[index]));
  }
  return lowering_->clone(op_, std::move(operands), std::move(types));
}

void OpLowering::set_result(std::size_t index, ValueId value, const Axes& axes) {
  results_[index].emplace(value, axes);
}

tl::unexpected<Error> OpLowering::error(const std::string& message) const {
  return lowering_->error(op_, "E_UNSUPPORTED_OP", message);
}

Status OpLowering::finish() {
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const std::string name = "result " + std::to_string(index);
    if (!results_[index]) return error("its lowering gave no " + name);
    const auto& [value, axes] = *results_[index];
    const Type wanted = lowering_->local_type(result_type(index), axes);
    const Type& given = lowering_->output().type(value);
    if (given != wanted) {
      return error("its lowering gave " + name + " as " + ir::to_string(given) + ", not " +
                   ir::to_string(wanted));
    }
    const ValueId result = program().result(op_, index);
    PartitionedValue made = lowering_->make(value, result_type(index), axes);
    lowering_->bind(result,
                    lowering_->reshard_to(op_, std::move(made), lowering_->axes_of(result)));
  }
  return {};
}

const ForeignLowering* find_foreign_lowering(const ForeignLowerings& known,
                                             const ir::Module& module, OpId op) {
  const OpKind kind = module.kind(op);
  if (kind != OpKind::Unknown && kind != OpKind::CustomCall) return nullptr;
  const bool is_call = kind == OpKind::CustomCall;
  const ForeignLowerings::ByName& rows = is_call ? known.custom_calls : known.ops;
  const auto found =
      rows.find(is_call ? rules::call_target(rules::OpView(module, op)) : module.name(op));
  return found != rows.end() ? &found->second : nullptr;
}

Status lower_foreign(Lowering& lowering, OpId op, const ForeignLowering& lower) {
  OpLowering view(lowering, op);
  SHARDY_TRY_STATUS(lower(view));
  return view.finish();
}

}  // namespace shardy::partitioning
