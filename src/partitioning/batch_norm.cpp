// batch_norm_training and batch_norm_grad with sharded dims: devices reduce sums per feature.
// Spec: partitioning 8.24, stablehlo 30.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0:3 = batch_norm_training %a, %scale, %offset, feature_index = 1
//     : tensor<8x4xf32> [{"x"}, {}]
//   ->
//   %1 = reduce add %a, dimensions = [0]        : tensor<4x4xf32> -> tensor<4xf32>
//   %2 = spmd.all_reduce add %1 {"x"}           mean = %2 / 8
//   %3 = reduce add (%a - mean)^2, dimensions = [0]
//   %4 = spmd.all_reduce add %3 {"x"}           variance = %4 / 8
//   %0 = batch_norm_inference %a, %scale, %offset, mean, variance
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

namespace {

/// Emits the steps of the drawing on local values of the operand's shape and on vectors with one
/// element per local feature.
class Normalization {
 public:
  Normalization(Lowering& lowering, OpId op, const OpLayout& layout)
      : lowering_(lowering), emit_(lowering.emit()), op_(op), layout_(layout) {
    feature_ = static_cast<std::size_t>(ir::view<ir::BatchNormOp>(input(), op).feature_index);
    const Type& type = input().type(input().operand(op, 0));
    for (std::size_t dim = 0; dim < static_cast<std::size_t>(type.rank()); ++dim) {
      if (dim == feature_) continue;
      others_.push_back(dim);
      count_ *= type.dim(dim);
      for (const AxisRef& axis : layout.operands.front()[dim]) axes_.push_back(axis);
    }
    axes_ = sort_and_merge(std::move(axes_));
  }

  void lower_training();
  void lower_grad();

 private:
  const ir::Module& input() const { return lowering_.input(); }
  PartitionedValue operand(std::size_t index) const {
    return lowering_.reshard_to(op_, lowering_.local(input().operand(op_, index)),
                                layout_.operands[index]);
  }
  ValueId unary(OpKind kind, ValueId value) {
    return emit_.builder().create_value(kind, {value}, lowering_.output().type(value));
  }
  ValueId number(ValueId like, double value) {
    const Type& type = lowering_.output().type(like);
    return emit_.splat({type.dims().begin(), type.dims().end()},
                       ir::splat_literal(Type::tensor({}, type.element()), value));
  }
  ValueId count(ValueId like);
  ValueId spread(ValueId vector, ValueId like) {
    const std::vector<int64_t> dims(emit_.dims(like).begin(), emit_.dims(like).end());
    return emit_.broadcast(vector, dims, std::vector<int64_t>{static_cast<int64_t>(feature_)});
  }
  /// Sets the padding of the reduced dims to zero.
  ValueId without_padding(ValueId value) {
    PartitionedValue local =
        lowering_.make(value, input().type(input().operand(op_, 0)), layout_.operands.front());
    const Type scalar = Type::tensor({}, local.global.element());
    return lowering_.mask(std::move(local), others_, ir::splat_literal(scalar, 0)).value;
  }
  ValueId local_sum(ValueId value) {
    const Type scalar = Type::tensor({}, lowering_.output().type(value).element());
    const ValueId zero = emit_.splat({}, ir::splat_literal(scalar, 0));
    return emit_.reduce(value, others_, OpKind::Add, zero);
  }
  std::vector<ValueId> sums(std::vector<ValueId> values);
  ValueId centered(ValueId x, ValueId mean) {
    return emit_.binary(OpKind::Subtract, x, spread(mean, x));
  }
  ValueId normalized(ValueId x, ValueId mean, ValueId variance);
  void bind(std::size_t index, ValueId value);

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  const OpLayout& layout_;
  std::size_t feature_ = 0;
  std::vector<std::size_t> others_;  // all dims except the feature dim
  AxisList axes_;                    // axes that shard these dims
  int64_t count_ = 1;                // global number of elements per feature
};

/// Returns the global number of elements per feature, as a scalar of the element type. The number
/// is first an integer constant if the element type cannot represent it exactly, or if it is the
/// largest value of the type, which some types use as infinity (stablehlo 37); the program then
/// converts it.
ValueId Normalization::count(ValueId like) {
  const Type type = lowering_.output().type(like);
  const Type scalar = Type::tensor({}, type.element());
  const ir::Literal literal = ir::int_splat_literal(scalar, count_);
  const auto value = static_cast<double>(count_);
  const bool is_held = ir::decode_double(literal.element_bytes(0), type.element()) == value;
  if (is_held && value != ir::greatest_value(type.element())) return number(like, value);
  const Type integer = Type::tensor({}, ElementType::I64);
  const ValueId whole = emit_.constant(ir::int_splat_literal(integer, count_));
  const ValueId rounded = emit_.builder().create_value(OpKind::Convert, {whole}, scalar);
  return emit_.broadcast(rounded, type.dims(), {});
}

/// Sums the values over all devices in a single all-reduce.
std::vector<ValueId> Normalization::sums(std::vector<ValueId> values) {
  for (ValueId& value : values) value = local_sum(without_padding(value));
  const int64_t size = emit_.dim(values.front(), 0);
  const std::size_t count = values.size();
  ValueId all = emit_.concatenate(std::move(values), 0);
  all = emit_.all_reduce(all, lowering_.place(), axes_, OpKind::Add);
  std::vector<ValueId> parts;
  for (std::size_t index = 0; index < count; ++index) {
    const auto begin = static_cast<int64_t>(index) * size;
    parts.push_back(emit_.slice(all, 0, begin, begin + size));
  }
  return parts;
}

void Normalization::bind(std::size_t index, ValueId value) {
  const ValueId result = input().result(op_, index);
  PartitionedValue made = lowering_.make(value, input().type(result), layout_.results[index]);
  lowering_.bind(result, lowering_.reshard_to(op_, std::move(made), lowering_.axes_of(result)));
}

/// Normalizes with the global mean and variance: each device runs batch_norm_inference on its
/// shard.
ValueId Normalization::normalized(ValueId x, ValueId mean, ValueId variance) {
  ir::OpSpec spec{.kind = OpKind::BatchNormInference};
  spec.operands = {x, operand(1).value, operand(2).value, mean, variance};
  spec.result_types = {lowering_.output().type(x)};
  spec.attributes = local_attributes(input().attributes(op_));
  return lowering_.output().result(emit_.builder().create(std::move(spec)));
}

void Normalization::lower_training() {
  const ValueId x = operand(0).value;
  const auto mean_of = [&](ValueId value) {
    const ValueId sum = sums({value}).front();
    return emit_.binary(OpKind::Divide, sum, count(sum));
  };
  const ValueId mean = mean_of(x);
  const ValueId distance = centered(x, mean);
  const ValueId variance = mean_of(emit_.binary(OpKind::Multiply, distance, distance));
  bind(0, normalized(x, mean, variance));
  bind(1, mean);
  bind(2, variance);
}

/// Lowers batch_norm_grad, whose operands are x, scale, mean, variance and the gradient of the
/// result.
void Normalization::lower_grad() {
  const ValueId x = operand(0).value;
  const ValueId grad = operand(4).value;
  const ValueId distance = centered(x, operand(2).value);
  const ValueId variance = operand(3).value;
  const double epsilon = ir::view<ir::BatchNormOp>(input(), op_).epsilon->value;
  const ValueId squared = emit_.binary(OpKind::Add, variance, number(variance, epsilon));
  const ValueId deviation = unary(OpKind::Sqrt, squared);
  const std::vector<ValueId> all = sums({grad, emit_.binary(OpKind::Multiply, grad, distance)});
  const ValueId size = count(x);
  const ValueId along_mean =
      emit_.binary(OpKind::Subtract, emit_.binary(OpKind::Multiply, grad, size), spread(all[0], x));
  const ValueId along_variance =
      emit_.binary(OpKind::Divide, emit_.binary(OpKind::Multiply, spread(all[1], x), distance),
                   spread(squared, x));
  const ValueId scale =
      emit_.binary(OpKind::Divide, spread(operand(1).value, x), spread(deviation, x));
  const ValueId factor = emit_.binary(OpKind::Divide, scale, size);
  bind(0, emit_.binary(OpKind::Multiply, factor,
                       emit_.binary(OpKind::Subtract, along_mean, along_variance)));
  bind(1, emit_.binary(OpKind::Divide, all[1], deviation));
  bind(2, all[0]);
}

/// Lowers the op by `steps_of` if a dim other than the feature dim is sharded. Otherwise, each
/// device runs the op on its shard.
Status lower(Lowering& lowering, OpId op, void (Normalization::*steps_of)()) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op);
  if (!layout) return lower_replicated(lowering, op);
  const std::vector<AxisList>& axes = layout->operands.front();
  const auto feature =
      static_cast<std::size_t>(ir::view<ir::BatchNormOp>(lowering.input(), op).feature_index);
  bool is_dim_sharded = false;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    is_dim_sharded = is_dim_sharded || (dim != feature && sharding_size(axes[dim]) > 1);
  }
  if (!is_dim_sharded) return lower_laid_out(lowering, op, *layout);
  Normalization steps(lowering, op, *layout);
  (steps.*steps_of)();
  return {};
}

}  // namespace

Status lower_batch_norm_training(Lowering& lowering, OpId op) {
  return lower(lowering, op, &Normalization::lower_training);
}

Status lower_batch_norm_grad(Lowering& lowering, OpId op) {
  return lower(lowering, op, &Normalization::lower_grad);
}

}  // namespace shardy::partitioning
