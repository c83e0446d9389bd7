// Transposes and reductions as ratios to memcpy, measured in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "one_op.hpp"
#include "simulation/buffer_pool.hpp"
#include "thread_clock.hpp"

namespace {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::OpKind;
using shardy::ir::Type;
using shardy::simulation::Tensor;
using shardy::simulation::TensorWriter;

/// Moves the bytes of a tensor by memcpy alone.
using Move = std::function<void(const std::byte* from, std::byte* to)>;

struct Matrix {
  int64_t rows;
  int64_t columns;
  int64_t element_bytes;
};

/// A copy whose size is known is no call.
template <int64_t kBytes>
void copy_piece(const std::byte* from, std::byte* to, int64_t bytes) {
  if (bytes == kBytes) {
    std::memcpy(to, from, kBytes);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

/// What a transpose has to move, in an order that it can have: rows of a block to where caches hold
/// them, and from there, not turned, to where the rows of the turned block go.
template <int64_t kBlockBytes>
void move_blocks(const Matrix& matrix, const std::byte* from, std::byte* to) {
  constexpr int64_t kPitch = kBlockBytes + 64;  // rows a power of 2 apart share few sets of a cache
  const int64_t size = kBlockBytes / matrix.element_bytes;
  static std::vector<std::byte> scratch(static_cast<std::size_t>(kBlockBytes * kPitch));
  for (int64_t row = 0; row < matrix.rows; row += size) {
    const int64_t num_rows = std::min(size, matrix.rows - row);
    for (int64_t column = 0; column < matrix.columns; column += size) {
      const int64_t num_columns = std::min(size, matrix.columns - column);
      for (int64_t at = 0; at < num_rows; ++at) {
        const int64_t place = (row + at) * matrix.columns + column;
        copy_piece<kBlockBytes>(from + place * matrix.element_bytes, scratch.data() + at * kPitch,
                                num_columns * matrix.element_bytes);
      }
      for (int64_t at = 0; at < num_columns; ++at) {
        const int64_t place = (column + at) * matrix.rows + row;
        copy_piece<kBlockBytes>(scratch.data() + at * kPitch, to + place * matrix.element_bytes,
                                num_rows * matrix.element_bytes);
      }
    }
  }
}

template <int64_t... kBlockBytes>
std::vector<Move> block_moves(const Matrix& matrix) {
  return {[matrix](const std::byte* from, std::byte* to) {
    move_blocks<kBlockBytes>(matrix, from, to);
  }...};
}

/// Seconds of a move of a tensor.
double move_time(const Move& move, const Tensor& x, TensorWriter& to) {
  const auto begin = Clock::now();
  move(x.data(), to.data());
  benchmark::DoNotOptimize(to.data());
  const std::chrono::duration<double> gone = Clock::now() - begin;
  return gone.count();
}

/// Reports how long the fastest of the moves takes, in shares of what the op takes, and how long a
/// memcpy of the operand as a whole does.
void against_moves(benchmark::State& state, const OneOp& op, std::vector<Move> moves) {
  const Tensor& x = op.operands.front();
  moves.emplace_back([&](const std::byte* from, std::byte* to) {
    std::memcpy(to, from, static_cast<std::size_t>(x.num_bytes()));
  });
  const shardy::simulation::KeptBuffers kept;  // as in a run
  // Memory of its own: what the op writes past the caches would have to be fetched for the copy.
  auto to = TensorWriter::make(x.type());
  if (!to) std::abort();
  // First, both get their memory from the system.
  op.run();
  move_time(moves.back(), x, *to);
  Times op_time;
  std::vector<Times> times(moves.size());
  for (auto _ : state) {
    op_time.add(op.run());
    for (std::size_t at = 0; at < moves.size(); ++at) {
      times[at].add(move_time(moves[at], x, *to));
    }
  }
  std::vector<double> seconds;
  for (Times& each : times) seconds.push_back(each.typical());
  state.counters["of_copy"] = seconds.back() / op_time.typical();
  if (seconds.size() > 1) seconds.pop_back();
  state.counters["ratio"] = *std::ranges::min_element(seconds) / op_time.typical();
}

/// Claim: at least 0.7 of what moves blocks of the matrix.
void transpose_ratio_to_memcpy(benchmark::State& state) {
  const auto element = static_cast<ElementType>(state.range(0));
  const Type type = Type::tensor({state.range(1), state.range(2)}, element);
  const Matrix matrix = {state.range(1), state.range(2), type.num_bytes() / type.num_elements()};
  against_moves(state,
                *one_op({type},
                        [](GraphBuilder& graph, const Values& arguments) {
                          return graph.transpose(arguments[0], {1, 0});
                        }),
                block_moves<64, 128, 256, 512, 1024>(matrix));
}

/// Beyond near caches, and beyond shared ones: 256 MiB or a little less.
void transposed_matrices(benchmark::internal::Benchmark* matrices) {
  const auto add = [&](ElementType element, int64_t rows, int64_t columns) {
    matrices->Args({static_cast<int64_t>(element), rows, columns});
  };
  for (const ElementType element : {ElementType::I8, ElementType::BF16, ElementType::F32,
                                    ElementType::F64, ElementType::Complex128}) {
    add(element, 1024, 2048);
  }
  add(ElementType::I8, 16384, 16384);
  add(ElementType::BF16, 8192, 16384);
  add(ElementType::F32, 8192, 8192);
  add(ElementType::F64, 4096, 8192);
  add(ElementType::Complex128, 4096, 4096);
  // Rows that are no whole cache lines.
  add(ElementType::BF16, 1000, 2040);
  add(ElementType::F32, 1001, 2001);
  add(ElementType::BF16, 8000, 16360);
  add(ElementType::F32, 8001, 8005);
}

/// The heads of attention. Claim: at least 0.7 of what moves their rows.
void transpose_inner_ratio_to_memcpy(benchmark::State& state) {
  constexpr int64_t kTokens = 256;
  constexpr int64_t kHeads = 16;
  constexpr int64_t kRow = 64;
  const int64_t batch = state.range(0);
  const auto move_rows = [&](const std::byte* from, std::byte* to) {
    constexpr int64_t kBytes = kRow * int64_t{sizeof(float)};
    for (int64_t head = 0; head < batch * kHeads; ++head) {
      for (int64_t token = 0; token < kTokens; ++token) {
        const int64_t row = (head / kHeads * kTokens + token) * kHeads + head % kHeads;
        std::memcpy(to, from + row * kBytes, kBytes);
        to += kBytes;
      }
    }
  };
  against_moves(state,
                *one_op({Type::tensor({batch, kTokens, kHeads, kRow}, ElementType::F32)},
                        [](GraphBuilder& graph, const Values& arguments) {
                          return graph.transpose(arguments[0], {0, 2, 1, 3});
                        }),
                {move_rows});
}

/// Claim: at least 0.7 of a copy of the operand.
void reduce_ratio_to_memcpy(benchmark::State& state) {
  const Type type = Type::tensor({state.range(2), 1024}, ElementType::F32);
  const auto combiner = static_cast<OpKind>(state.range(1));
  against_moves(state,
                *one_op({type, Type::tensor({}, ElementType::F32)},
                        [&](GraphBuilder& graph, const Values& arguments) {
                          return graph.reduce(arguments[0], arguments[1], {state.range(0)},
                                              combiner);
                        }),
                {});
}

}  // namespace

BENCHMARK(transpose_ratio_to_memcpy)
    ->ArgNames({"element", "rows", "columns"})
    ->Apply(transposed_matrices)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(transpose_inner_ratio_to_memcpy)
    ->ArgName("batch")
    ->Arg(8)
    ->Arg(256)  // beyond shared caches
    ->Unit(benchmark::kMillisecond);
BENCHMARK(reduce_ratio_to_memcpy)
    ->ArgNames({"dim", "combiner", "rows"})
    ->ArgsProduct({{0, 1},
                   {static_cast<int64_t>(OpKind::Add), static_cast<int64_t>(OpKind::Maximum),
                    static_cast<int64_t>(OpKind::Minimum), static_cast<int64_t>(OpKind::Multiply)},
                   {int64_t{1} << 11, int64_t{1} << 16}})  // beyond near, beyond shared caches
    ->Unit(benchmark::kMillisecond);
