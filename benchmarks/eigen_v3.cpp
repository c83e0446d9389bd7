#include "eigen_v3.hpp"

// A name of its own: other sources build the same templates for another machine.
#define Eigen EigenV3
#include <Eigen/Core>

namespace {

template <class T>
void product(const T* x, const T* y, T* out, int64_t size) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> left(x, size, size);
  const Eigen::Map<const Matrix> right(y, size, size);
  Eigen::Map<Matrix> result(out, size, size);
  result.noalias() = left * right;
}

}  // namespace

void eigen_v3_product(const float* x, const float* y, float* out, int64_t size) {
  product(x, y, out, size);
}
void eigen_v3_product(const double* x, const double* y, double* out, int64_t size) {
  product(x, y, out, size);
}
