// Random shapes and numbers for laws, and tensors as plain index -> number maps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "simulation/programs.hpp"

namespace shardy_test {

/// Seeded by Catch: `--rng-seed` repeats a run.
class Random {
 public:
  Random() : engine_(Catch::rngSeed()) {}
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(between(0, std::ssize(items) - 1))];
  }
  template <typename T>
  std::vector<T> shuffled(std::vector<T> items) {
    std::shuffle(items.begin(), items.end(), engine_);
    return items;
  }
  Dims shape(int64_t max_rank, int64_t max_size) {
    Dims dims(static_cast<std::size_t>(between(0, max_rank)));
    for (int64_t& dim : dims) dim = between(0, max_size);
    return dims;
  }
  Tensor numbers(ElementType element, const Dims& dims, int64_t low = -8, int64_t high = 8) {
    std::vector<double> values;
    for (int64_t index = 0; index < shardy::product(dims); ++index) {
      values.push_back(static_cast<double>(between(low, high)));
    }
    return tensor(element, dims, values);
  }

 private:
  std::mt19937_64 engine_;
};

/// A tensor one can index; nothing clever.
struct Grid {
  Dims dims;
  std::vector<double> values;

  Grid() = default;
  explicit Grid(Dims sizes)
      : dims(std::move(sizes)), values(static_cast<std::size_t>(shardy::product(dims))) {}
  explicit Grid(const Tensor& tensor)
      : dims(tensor.type().dims().begin(), tensor.type().dims().end()),
        values(tensor.to_doubles()) {}

  double& at(const Dims& index) {
    int64_t position = 0;
    for (std::size_t dim = 0; dim < dims.size(); ++dim)
      position = position * dims[dim] + index[dim];
    return values[static_cast<std::size_t>(position)];
  }
  double at(const Dims& index) const { return const_cast<Grid*>(this)->at(index); }
  Tensor as(ElementType element) const { return tensor(element, dims, values); }
};

/// Calls `visit` with each index of a shape, row-major.
inline void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& visit) {
  const int64_t count = shardy::product(dims);
  for (int64_t position = 0; position < count; ++position) {
    Dims index(dims.size());
    int64_t rest = position;
    for (std::size_t dim = dims.size(); dim-- > 0;) {
      index[dim] = rest % dims[dim];
      rest /= dims[dim];
    }
    visit(index);
  }
}

/// The grid with that shape whose elements `value_at` gives.
inline Grid grid_of(const Dims& dims, const std::function<double(const Dims&)>& value_at) {
  Grid grid(dims);
  for_each_index(dims, [&](const Dims& index) { grid.at(index) = value_at(index); });
  return grid;
}

}  // namespace shardy_test
