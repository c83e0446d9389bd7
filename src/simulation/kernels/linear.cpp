// Kernels of decompositions, solvers, and batch_norm_*. Each elementwise op and sum of a batch norm
// is rounded. Spec: stablehlo 26, 30.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

using Index = std::size_t;

double conjugate(double x) { return x; }
template <Complex T>
T conjugate(T x) {
  return {x.real(), -x.imag()};
}

/// The smallest number of multiplications that is worth a separate thread.
constexpr int64_t kSolveGrain = int64_t{1} << 14;

/// Calls `body(begin, end)` for ranges of matrices, each of which takes `products` multiplications.
template <class Body>
void for_batches(ThreadPool* pool, Index num_batches, Index num_products, const Body& body) {
  const auto products = static_cast<int64_t>(num_products);
  for_ranges(pool, static_cast<int64_t>(num_batches), kSolveGrain / (products + 1) + 1,
             [&](int64_t begin, int64_t end) {
               body(static_cast<Index>(begin), static_cast<Index>(end));
             });
}

// ---- cholesky: in f64, rounded once ----------------------------------------------------------

/// A square matrix of f64 or complex f64 in row-major order.
template <class T>
class LinearFactor {
 public:
  LinearFactor(T* elements, Index size, bool lower)
      : elements_(elements), size_(size), lower_(lower) {}

  /// Computes the factor column by column in place, then clears the other triangle.
  void run() {
    for (Index column = 0; column < size_; ++column) {
      const double pivot = std::real(rest(column, column));
      const double root = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<double>::quiet_NaN();
      set(column, column, T(root));
      for (Index row = column + 1; row < size_; ++row) set(row, column, rest(row, column) / root);
    }
    for (Index row = 0; row < size_; ++row) {
      for (Index column = row + 1; column < size_; ++column) {
        (lower_ ? elements_[row * size_ + column] : elements_[column * size_ + row]) = T(0);
      }
    }
  }

 private:
  /// Returns an element of the lower factor, whose adjoint is the upper factor. Requires: row >=
  /// column.
  T at(Index row, Index column) const {
    return lower_ ? elements_[row * size_ + column] : conjugate(elements_[column * size_ + row]);
  }
  void set(Index row, Index column, T value) {
    if (lower_) {
      elements_[row * size_ + column] = value;
    } else {
      elements_[column * size_ + row] = conjugate(value);
    }
  }
  T rest(Index row, Index column) const {
    T value = at(row, column);
    for (Index k = 0; k < column; ++k) value -= at(row, k) * conjugate(at(column, k));
    return value;
  }

  T* elements_;
  Index size_;
  bool lower_;
};

struct CholeskyPlan {
  Conversion widen;
  Conversion narrow;
  ir::Type type;
  bool lower;
};

template <class T>
Result<Tensors> run_cholesky(const CholeskyPlan& plan, const KernelCall& call) {
  const auto size = static_cast<Index>(plan.type.dims().back());
  std::vector<T> wide(static_cast<Index>(plan.type.num_elements()));
  plan.widen.run(call.operands[0].data(), reinterpret_cast<std::byte*>(wide.data()), wide.size());
  const Index matrix = size * size;
  for_batches(call.pool, matrix == 0 ? 0 : wide.size() / matrix, matrix * size,
              [&](Index begin, Index end) {
                for (Index at = begin; at < end; ++at) {
                  LinearFactor<T>(wide.data() + at * matrix, size, plan.lower).run();
                }
              });
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.type));
  plan.narrow.run(reinterpret_cast<const std::byte*>(wide.data()), out.data(), wide.size());
  return Tensors{std::move(out).finish()};
}

/// Makes the kernel for batches of square matrices.
Result<Kernel> make_cholesky(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& type = reader.operand();
  if (ir::is_exact(type.element())) return exact_matrix_function(request);
  const bool is_complex = ir::is_complex(type.element());
  const ir::ElementType wide = is_complex ? ir::ElementType::Complex128 : ir::ElementType::F64;
  const CholeskyPlan plan{*Conversion::pick(type.element(), wide),
                          *Conversion::pick(wide, type.element()), type,
                          reader.view<ir::CholeskyOp>().lower};
  if (is_complex) {
    return
        [plan](const KernelCall& call) { return run_cholesky<std::complex<double>>(plan, call); };
  }
  return [plan](const KernelCall& call) { return run_cholesky<double>(plan, call); };
}

// ---- triangular_solve: every step rounded in the element type --------------------------------

struct SolveShape {
  Index size;         // number of rows of the matrix
  Index num_systems;  // number of right-hand sides
  bool left_side;
  bool lower;  // shape of the matrix after its transposition
  bool unit_diagonal;
  bool transposed;
  bool adjoint;
};

template <Float T>
T conjugate(T x) {
  return x;
}
template <TinyFloat T>
T conjugate(T x) {
  return x;
}
Prime conjugate(Prime x) { return x; }
PrimePair conjugate(PrimePair x) { return {x.real, {prime_field::negate(x.imag.raw)}}; }

/// The arithmetic of a solution. Each step is rounded.
template <class T>
struct SolveSteps {
  static T subtract(T x, T y) { return Subtract::apply(x, y); }
  static T multiply(T x, T y) { return Multiply::apply(x, y); }
  static T divide(T x, T y) { return Divide::apply(x, y); }
};
template <TinyFloat T>
struct SolveSteps<T> {
  static T subtract(T x, T y) { return rounded(wide(x) - wide(y)); }
  static T multiply(T x, T y) { return rounded(wide(x) * wide(y)); }
  static T divide(T x, T y) { return rounded(wide(x) / wide(y)); }

 private:
  static double wide(T x) { return ir::decode_bits(x.raw, ir::float_format(T::kElement)); }
  static T rounded(double x) {
    return {static_cast<uint8_t>(ir::encode_bits(x, ir::float_format(T::kElement)))};
  }
};

/// One matrix and all its right-hand sides.
template <class T>
class TriangularSystem {
 public:
  TriangularSystem(const T* a, T* x, const SolveShape& shape) : a_(a), x_(x), shape_(shape) {}

  /// Solves in place: `x` contains the right-hand sides, then the solutions.
  void run() const {
    const bool ascending = shape_.lower == shape_.left_side;
    for (Index system = 0; system < shape_.num_systems; ++system) {
      for (Index step = 0; step < shape_.size; ++step) solve(system, step, ascending);
    }
  }

 private:
  using Steps = SolveSteps<T>;

  void solve(Index system, Index step, bool ascending) const {
    const auto place = [&](Index order) { return ascending ? order : shape_.size - 1 - order; };
    const Index row = place(step);
    T value = unknown(system, row);
    for (Index solved = 0; solved < step; ++solved) {
      const Index column = place(solved);
      value = Steps::subtract(value, product(row, column, unknown(system, column)));
    }
    unknown(system, row) =
        shape_.unit_diagonal ? value : Steps::divide(value, coefficient(row, row));
  }
  /// Returns one product of the sum: op(a)_ij x_j for op(a) x = b, and x_j op(a)_ji for x op(a) =
  /// b.
  T product(Index row, Index column, T solved) const {
    return shape_.left_side ? Steps::multiply(coefficient(row, column), solved)
                            : Steps::multiply(solved, coefficient(column, row));
  }
  T coefficient(Index row, Index column) const {
    const T value =
        shape_.transposed ? a_[column * shape_.size + row] : a_[row * shape_.size + column];
    return shape_.adjoint ? conjugate(value) : value;
  }
  T& unknown(Index system, Index row) const {
    return shape_.left_side ? x_[row * shape_.num_systems + system]
                            : x_[system * shape_.size + row];
  }

  const T* a_;
  T* x_;
  const SolveShape& shape_;
};

using SolveLoop = void (*)(const std::byte* a, std::byte* x, Index num_batches,
                           const SolveShape& shape);

template <class T>
void solve_loop(const std::byte* a, std::byte* x, Index num_batches, const SolveShape& shape) {
  const auto* matrix = reinterpret_cast<const T*>(a);
  auto* sides = reinterpret_cast<T*>(x);
  for (Index batch = 0; batch < num_batches; ++batch) {
    TriangularSystem<T>(matrix, sides, shape).run();
    matrix += shape.size * shape.size;
    sides += shape.size * shape.num_systems;
  }
}

SolveLoop pick_solve(ir::ElementType type) {
  return with_any_element(type, []<class T>(Tag<T>) -> SolveLoop {
    if constexpr (Float<T> || TinyFloat<T> || Complex<T> || Exactly<T>) {
      return &solve_loop<T>;
    } else {
      return nullptr;
    }
  });
}

Result<SolveShape> read_solve(const OpReader& reader) {
  const auto view = reader.view<ir::TriangularSolveOp>();
  const std::string_view form = view.transpose_a.value_or("NO_TRANSPOSE");
  SHARDY_TRY_STATUS(reader.expect(form != "TRANSPOSE_INVALID", "the transposition is invalid"));
  SolveShape shape{};
  shape.left_side = view.left_side;
  shape.transposed = form == "TRANSPOSE" || form == "ADJOINT";
  shape.adjoint = form == "ADJOINT";
  shape.lower = view.lower != shape.transposed;
  shape.unit_diagonal = view.unit_diagonal;
  const auto b = reader.operand(1).dims();
  shape.size = static_cast<Index>(reader.operand(0).dims().back());
  shape.num_systems = static_cast<Index>(shape.left_side ? b.back() : b[b.size() - 2]);
  return shape;
}

Result<Kernel> make_triangular_solve(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(const SolveShape shape, read_solve(reader));
  const ir::Type& type = reader.operand(1);
  const SolveLoop loop = pick_solve(type.element());
  if (loop == nullptr) return reader.unsupported_element(type.element());
  const Index matrix = shape.size * shape.size;
  const Index num_batches =
      matrix == 0 ? 0 : static_cast<Index>(reader.operand(0).num_elements()) / matrix;
  return [shape, loop, matrix, num_batches, type](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    std::ranges::copy(call.operands[1].bytes(), out.data());
    const Index bytes = ir::size_bytes(type.element());
    for_batches(call.pool, num_batches, matrix * shape.num_systems, [&](Index begin, Index end) {
      loop(call.operands[0].data() + begin * matrix * bytes,
           out.data() + begin * shape.size * shape.num_systems * bytes, end - begin, shape);
    });
    return Tensors{std::move(out).finish()};
  };
}

using ir::ValueId;
using Values = std::vector<ValueId>;
using Dims = std::vector<int64_t>;

/// Builds the steps of a batch norm, on values of the operand's shape and on values with one
/// element per feature.
class FeatureSteps {
 public:
  FeatureSteps(ir::GraphBuilder& graph, const OpReader& reader, int64_t feature, double epsilon)
      : graph_(graph),
        type_(reader.operand(0)),
        features_(reader.operand(1)),
        feature_(feature),
        epsilon_(epsilon) {}

  /// Broadcasts a value per feature to the shape of the operand.
  ValueId spread(ValueId value) {
    return graph_.broadcast_in_dim(value, {type_.dims().begin(), type_.dims().end()}, {feature_});
  }
  /// Sums over all dims except the feature dim, in row-major order from 0.
  ValueId sum(ValueId value) {
    Dims dims;
    for (int64_t dim = 0; dim < type_.rank(); ++dim) {
      if (dim != feature_) dims.push_back(dim);
    }
    return graph_.reduce_sum(value, dims);
  }
  /// Returns the number of elements per feature as a value of the type.
  ValueId count(const ir::Type& type) {
    int64_t count = 1;
    for (int64_t dim = 0; dim < type_.rank(); ++dim) {
      if (dim != feature_) count *= type_.dim(static_cast<std::size_t>(dim));
    }
    return graph_.int_splat(type, count);
  }
  ValueId mean(ValueId value) { return graph_.divide(sum(value), count(features_)); }
  /// Returns the squared standard deviation per feature.
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

/// Builds the gradient. The operands are x, scale, mean, variance and the gradient of the result.
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

SHARDY_KERNEL(Cholesky, make_cholesky)
SHARDY_KERNEL(TriangularSolve, make_triangular_solve)

SHARDY_KERNEL(BatchNormGrad, make_batch_norm<&gradient>)
SHARDY_KERNEL(BatchNormInference, make_batch_norm<&inference>)
SHARDY_KERNEL(BatchNormTraining, make_batch_norm<&training>)

}  // namespace shardy::simulation
