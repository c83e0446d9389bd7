// batch_norm_inference, batch_norm_training, batch_norm_grad: elementwise ops and sums, each step
// rounded. Spec: stablehlo 30.
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/composed.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

using ir::ValueId;
using Values = std::vector<ValueId>;
using Dims = std::vector<int64_t>;

/// Steps on values of the shape of the operand and on values of one element per feature.
class FeatureSteps {
 public:
  FeatureSteps(ir::GraphBuilder& graph, const OpReader& reader, int64_t feature, double epsilon)
      : graph_(graph),
        type_(reader.operand(0)),
        features_(reader.operand(1)),
        feature_(feature),
        epsilon_(epsilon) {}

  /// A value per feature in the shape of the operand.
  ValueId spread(ValueId value) {
    return graph_.broadcast_in_dim(value, {type_.dims().begin(), type_.dims().end()}, {feature_});
  }
  /// Over all dims but that of the features, in row-major order from 0.
  ValueId sum(ValueId value) {
    Dims dims;
    for (int64_t dim = 0; dim < type_.rank(); ++dim) {
      if (dim != feature_) dims.push_back(dim);
    }
    return graph_.reduce_sum(value, dims);
  }
  /// Elements per feature, as a value of that type.
  ValueId count(const ir::Type& type) {
    int64_t count = 1;
    for (int64_t dim = 0; dim < type_.rank(); ++dim) {
      if (dim != feature_) count *= type_.dim(static_cast<std::size_t>(dim));
    }
    return graph_.int_splat(type, count);
  }
  ValueId mean(ValueId value) { return graph_.divide(sum(value), count(features_)); }
  /// Per feature.
  ValueId deviation_squared(ValueId variance) {
    return graph_.add(variance, graph_.splat(features_, epsilon_));
  }
  ValueId normalized(ValueId x, ValueId scale, ValueId offset, const Values& moments) {
    const ValueId centered = graph_.subtract(x, spread(moments[0]));
    const ValueId deviation = graph_.sqrt(deviation_squared(moments[1]));
    const ValueId unit = graph_.divide(centered, spread(deviation));
    return graph_.add(graph_.multiply(spread(scale), unit), spread(offset));
  }
  const ir::Type& type() const { return type_; }

 private:
  ir::GraphBuilder& graph_;
  ir::Type type_;
  ir::Type features_;
  int64_t feature_;
  double epsilon_;
};

Values inference(ir::GraphBuilder& graph, FeatureSteps& steps, const Values& operands) {
  static_cast<void>(graph);
  return {steps.normalized(operands[0], operands[1], operands[2], {operands[3], operands[4]})};
}

Values training(ir::GraphBuilder& graph, FeatureSteps& steps, const Values& operands) {
  const ValueId mean = steps.mean(operands[0]);
  const ValueId centered = graph.subtract(operands[0], steps.spread(mean));
  const ValueId variance = steps.mean(graph.multiply(centered, centered));
  return {steps.normalized(operands[0], operands[1], operands[2], {mean, variance}), mean,
          variance};
}

/// Operands: x, scale, mean, variance, gradient of the result.
Values gradient(ir::GraphBuilder& graph, FeatureSteps& steps, const Values& operands) {
  const ValueId grad = operands[4];
  const ValueId centered = graph.subtract(operands[0], steps.spread(operands[2]));
  const ValueId squared = steps.deviation_squared(operands[3]);
  const ValueId deviation = graph.sqrt(squared);
  const ValueId count = steps.count(steps.type());
  const ValueId grad_offset = steps.sum(grad);
  const ValueId unit = graph.divide(centered, steps.spread(deviation));
  const ValueId grad_scale = steps.sum(graph.multiply(grad, unit));
  const ValueId along_mean = graph.subtract(graph.multiply(grad, count), steps.spread(grad_offset));
  const ValueId covariance = steps.spread(steps.sum(graph.multiply(grad, centered)));
  const ValueId along_variance =
      graph.divide(graph.multiply(covariance, centered), steps.spread(squared));
  const ValueId factor =
      graph.divide(graph.divide(steps.spread(operands[1]), steps.spread(deviation)), count);
  return {graph.multiply(factor, graph.subtract(along_mean, along_variance)), grad_scale,
          grad_offset};
}

template <Values (*kSteps)(ir::GraphBuilder&, FeatureSteps&, const Values&)>
Result<Kernel> make_batch_norm(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::BatchNormOp>();
  return composed_kernel(request, [&](ir::GraphBuilder& graph, const Values& operands) {
    FeatureSteps steps(graph, reader, view.feature_index, view.epsilon->value);
    return kSteps(graph, steps, operands);
  });
}

}  // namespace

SHARDY_KERNEL(BatchNormGrad, make_batch_norm<&gradient>)
SHARDY_KERNEL(BatchNormInference, make_batch_norm<&inference>)
SHARDY_KERNEL(BatchNormTraining, make_batch_norm<&training>)

}  // namespace shardy::simulation
