// Measures `stablehlo.dot` on one device, beside the product of Eigen.
//
//     matrix_product
//
// Both libraries multiply two matrices of N x N elements on one thread. This file is compiled for
// the machine that builds it, so Eigen has the widest vectors and fused multiply-adds. The kernel
// of `dot` chooses its vectors at run time, and rounds each product and each sum.
//
// Columns: 10^9 operations per second of CPU time, the best of some rounds; the kernel's time
// relative to Eigen's time; the number of elements in which the two results differ. The last column
// compares Eigen's product with a product that Eigen computes in parts, an eighth of the rows or
// columns each, as devices do: the number of elements that differ.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cpu_time.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"

namespace {

using shardy::ir::Module;
using shardy::simulation::Tensor;
using shardy_benchmarks::cpu_seconds;
using shardy_benchmarks::refuse;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int64_t kSizes[] = {256, 512, 1024};
constexpr int kNumRounds = 7;

/// Returns the least seconds that one call of `work` takes, over rounds of several calls.
template <class Work>
double least_seconds(int64_t calls, Work work) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kNumRounds; ++round) {
    const double begin = cpu_seconds();
    for (int64_t call = 0; call < calls; ++call) work();
    least = std::min(least, (cpu_seconds() - begin) / static_cast<double>(calls));
  }
  return least;
}

Module product_program(const std::string& type) {
  const std::string text = fmt::format(
      "func.func @main(%x: {0}, %y: {0}) -> {0} {{\n"
      "  %0 = stablehlo.dot %x, %y : ({0}, {0}) -> {0}\n"
      "  return %0 : {0}\n}}\n",
      type);
  auto module = shardy::text::parse_mlir(text);
  if (!module) refuse(shardy::text::error_text("dot", text, module.error()));
  return *std::move(module);
}

/// Returns values whose products are rounded.
std::vector<double> values(int64_t count, double seed) {
  std::vector<double> all(static_cast<std::size_t>(count));
  for (std::size_t index = 0; index < all.size(); ++index) {
    all[index] = 1 / (seed + static_cast<double>(index * 7 % 1009));
  }
  return all;
}

template <class T>
Matrix<T> matrix(const std::vector<double>& numbers, int64_t size) {
  return Eigen::Map<const Matrix<double>>(numbers.data(), size, size).template cast<T>();
}

/// Returns the number of elements that differ.
template <class T>
int64_t differences(const Matrix<T>& a, const Matrix<T>& b) {
  return (a.array() != b.array()).count();
}

template <class T>
void print_row(const char* name, shardy::ir::ElementType element, int64_t size) {
  const Module program = product_program(fmt::format("tensor<{0}x{0}x{1}>", size, name));
  const shardy::ir::Type type = shardy::ir::Type::tensor({size, size}, element);
  const std::vector<double> x = values(size * size, 1);
  const std::vector<double> y = values(size * size, 3);
  const shardy::simulation::Tensors arguments = {*Tensor::from_doubles(type, x),
                                                 *Tensor::from_doubles(type, y)};
  const int64_t calls = std::max<int64_t>(1, (int64_t{1} << 26U) / (size * size * size));
  shardy::simulation::Tensors product;
  const double kernel = least_seconds(calls, [&] {
    auto result = shardy::simulation::run(program, "main", {arguments}, {.num_workers = 1});
    if (!result) refuse(result.error().headline());
    product = std::move(result->outputs.front());
  });
  const Matrix<T> ours = Eigen::Map<const Matrix<T>>(
      reinterpret_cast<const T*>(product.front().bytes().data()), size, size);
  const Matrix<T> a = matrix<T>(x, size);
  const Matrix<T> b = matrix<T>(y, size);
  Matrix<T> theirs(size, size);
  const double eigen = least_seconds(calls, [&] { theirs.noalias() = a * b; });
  Matrix<T> rows(size, size);
  Matrix<T> columns(size, size);
  const int64_t part = size / 8;
  for (int64_t begin = 0; begin < size; begin += part) {
    rows.middleRows(begin, part).noalias() = a.middleRows(begin, part) * b;
    columns.middleCols(begin, part).noalias() = a * b.middleCols(begin, part);
  }
  const double operations = 2e-9 * static_cast<double>(size * size * size);
  fmt::print("{:<6}{:>6}{:>10.1f}{:>10.1f}{:>10.2f}{:>10}{:>10}{:>10}\n", name, size,
             operations / kernel, operations / eigen, kernel / eigen, differences(ours, theirs),
             differences(theirs, rows), differences(theirs, columns));
  std::fflush(stdout);
}

}  // namespace

int main() {
  fmt::print("{:<6}{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "type", "N", "kernel", "Eigen",
             "ratio", "differ", "by rows", "by cols");
  for (const int64_t size : kSizes) {
    print_row<float>("f32", shardy::ir::ElementType::F32, size);
    print_row<double>("f64", shardy::ir::ElementType::F64, size);
  }
  return 0;
}
