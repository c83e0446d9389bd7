// rng_bit_generator. Spec: stablehlo 27.
#include "simulation/kernels/rng_bit_generator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

ThreeFryBlock threefry2x32(const std::array<uint32_t, 2>& key, ThreeFryBlock counter) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<uint32_t, 3> keys = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAU};
  auto [x0, x1] = counter;
  x0 += keys[0];
  x1 += keys[1];
  for (std::size_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + static_cast<uint32_t>(group) + 1;
  }
  return {x0, x1};
}

PhiloxBlock philox4x32(std::array<uint32_t, 2> key, PhiloxBlock counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{counter[0]} * 0xD2511F53U;
    const uint64_t q = uint64_t{counter[2]} * 0xCD9E8D57U;
    counter = {static_cast<uint32_t>(q >> 32U) ^ counter[1] ^ key[0], static_cast<uint32_t>(q),
               static_cast<uint32_t>(p >> 32U) ^ counter[3] ^ key[1], static_cast<uint32_t>(p)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

namespace {

uint32_t low_word(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high_word(uint64_t x) { return static_cast<uint32_t>(x >> 32U); }

/// Random words as elements of one type.
class BitWriter {
 public:
  explicit BitWriter(const ir::Type& type)
      : element_(type.element()), bytes_(ir::size_bytes(element_)) {}

  std::size_t bytes() const { return bytes_; }
  /// The low bits of `word`, as element `index`.
  void write(std::byte* out, int64_t index, uint64_t word) const {
    const int bits = ir::info(element_).bits;
    if (bits < 8) {
      const auto unused = static_cast<unsigned>(64 - bits);
      word = ir::is_signed_integer(element_)
                 ? static_cast<uint64_t>(static_cast<int64_t>(word << unused) >> unused)
                 : word << unused >> unused;
    }
    std::memcpy(out + static_cast<std::size_t>(index) * bytes_, &word, bytes_);
  }

 private:
  ir::ElementType element_;
  std::size_t bytes_;
};

// ---- THREE_FRY -------------------------------------------------------------------------------

uint64_t threefry_words(uint64_t key, uint64_t counter) {
  const ThreeFryBlock words =
      threefry2x32({low_word(key), high_word(key)}, {low_word(counter), high_word(counter)});
  return words[0] | uint64_t{words[1]} << 32U;
}

/// Both words of a block stand side by side along one dim: the first of even size, else the first
/// of the largest size. The shape seen from there: (outer, size, inner).
struct Halves {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;

  explicit Halves(std::span<const int64_t> dims) {
    if (dims.empty()) return;
    auto split = std::ranges::find_if(dims, [](int64_t dim) { return dim % 2 == 0; });
    if (split == dims.end()) split = std::ranges::max_element(dims);
    const auto dim = static_cast<std::size_t>(split - dims.begin());
    outer = product(dims.first(dim));
    size = dims[dim];
    inner = product(dims.subspan(dim + 1));
  }
  int64_t half() const { return (size + 1) / 2; }
};

/// Words of at most 32 bits. Returns how many blocks were used.
int64_t fill_halves(const ir::Type& type, uint64_t key, uint64_t counter, std::byte* out) {
  const BitWriter writer(type);
  const Halves halves(type.dims());
  const int64_t num_blocks = halves.outer * halves.half() * halves.inner;
  for (int64_t block = 0; block < num_blocks; ++block) {
    const uint64_t words = threefry_words(key, counter + static_cast<uint64_t>(block));
    const int64_t inner = block % halves.inner;
    const int64_t place = block / halves.inner % halves.half() * 2;
    const int64_t row = block / halves.inner / halves.half() * halves.size;
    writer.write(out, (row + place) * halves.inner + inner, low_word(words));
    if (place + 1 == halves.size) continue;
    writer.write(out, (row + place + 1) * halves.inner + inner, high_word(words));
  }
  return num_blocks;
}

void fill_three_fry(const ir::Type& type, std::span<uint64_t> state, std::byte* out) {
  const uint64_t counter = state[1];
  if (ir::size_bytes(type.element()) < 8) {
    state[1] += static_cast<uint64_t>(fill_halves(type, state[0], counter, out));
    return;
  }
  const BitWriter writer(type);
  for (int64_t index = 0; index < type.num_elements(); ++index) {
    writer.write(out, index, threefry_words(state[0], counter + static_cast<uint64_t>(index)));
  }
  state[1] += static_cast<uint64_t>(type.num_elements());
}

// ---- PHILOX ----------------------------------------------------------------------------------

/// A counter of 128 bits; a state of two words has its low word last and its key as the high one.
struct PhiloxCounter {
  uint64_t low;
  uint64_t high;

  PhiloxCounter after(uint64_t blocks) const {
    const uint64_t sum = low + blocks;
    return {sum, high + (sum < low ? 1 : 0)};
  }
  PhiloxBlock block(uint64_t key) const {
    return philox4x32({low_word(key), high_word(key)},
                      {low_word(low), high_word(low), low_word(high), high_word(high)});
  }
};

void fill_philox(const ir::Type& type, std::span<uint64_t> state, std::byte* out) {
  const PhiloxCounter start{state[1], state.size() == 3 ? state[2] : state[0]};
  const BitWriter writer(type);
  const int64_t words_each = writer.bytes() == 8 ? 2 : 1;
  const int64_t per_block = 4 / words_each;
  const int64_t count = type.num_elements();
  const auto num_blocks = static_cast<uint64_t>(count / per_block + (count % per_block != 0));
  for (uint64_t block = 0; block < num_blocks; ++block) {
    const PhiloxBlock words = start.after(block).block(state[0]);
    const int64_t first = static_cast<int64_t>(block) * per_block;
    for (int64_t index = first; index < std::min(first + per_block, count); ++index) {
      const auto at = static_cast<std::size_t>((index - first) * words_each);
      const uint64_t upper = words_each == 2 ? uint64_t{words[at + 1]} << 32U : 0;
      writer.write(out, index, words[at] | upper);
    }
  }
  const PhiloxCounter end = start.after(num_blocks);
  state[1] = end.low;
  if (state.size() == 3) state[2] = end.high;
}

// ---- The op ----------------------------------------------------------------------------------

using FillLoop = void (*)(const ir::Type& type, std::span<uint64_t> state, std::byte* out);

struct AlgorithmRow {
  std::string_view name;
  FillLoop fill;
};
constexpr AlgorithmRow kAlgorithms[] = {
    {"DEFAULT", &fill_philox}, {"PHILOX", &fill_philox}, {"THREE_FRY", &fill_three_fry}};

Result<Kernel> make_rng_bit_generator(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 2));
  SHARDY_TRY(const auto view, reader.read_view<ir::RngBitGeneratorOp>());
  const auto* const row = std::ranges::find(kAlgorithms, view.algorithm, &AlgorithmRow::name);
  SHARDY_TRY_STATUS(reader.expect(row != std::end(kAlgorithms), "unknown algorithm"));
  const ir::Type& state = reader.operand();
  const bool is_wide = ir::is_integer(state.element()) && ir::size_bytes(state.element()) == 8;
  const bool fits = is_wide && state.rank() == 1 &&
                    (state.dim(0) == 2 || (state.dim(0) == 3 && row->name != "THREE_FRY"));
  SHARDY_TRY_STATUS(reader.expect(fits, "the state does not fit the algorithm"));
  SHARDY_TRY_STATUS(reader.expect_result(state.dims(), state.element(), 0));
  const ir::Type& result = reader.result(1);
  if (ir::is_boolean(result.element()) || ir::is_complex(result.element())) {
    return reader.unsupported_element(result.element());
  }
  return [fill = row->fill, state, result](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter next, TensorWriter::make(state));
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    std::ranges::copy(call.operands[0].bytes(), next.data());
    fill(result, next.elements<uint64_t>(), out.data());
    Tensor new_state = std::move(next).finish();
    return Tensors{std::move(new_state), std::move(out).finish()};
  };
}

}  // namespace

SHARDY_KERNEL(RngBitGenerator, make_rng_bit_generator)

}  // namespace shardy::simulation
