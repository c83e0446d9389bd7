// Kernels of rng, whose numbers depend on a hidden state with a seed, and of rng_bit_generator.
// Spec: stablehlo 27, partitioning 8.20.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <string_view>

#include "ir/program_facts.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

using ThreeFryBlock = std::array<uint32_t, 2>;
using PhiloxBlock = std::array<uint32_t, 4>;

/// Returns the block of threefry2x32 with 20 rounds.
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

/// Returns the block of philox4x32 with 10 rounds.
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

uint32_t low_word(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high_word(uint64_t x) { return static_cast<uint32_t>(x >> 32U); }

/// Writes random words as elements of one type.
class BitWriter {
 public:
  explicit BitWriter(const ir::Type& type)
      : element_(type.element()), bytes_(ir::size_bytes(element_)) {}

  std::size_t bytes() const { return bytes_; }
  /// Writes the low bits of `word` as element `index`.
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

/// The dim along which the two words of a block are adjacent: the first dim of even size, else the
/// first of the largest size. The shape around this dim is (outer, size, inner).
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

/// Fills the tensor with words of at most 32 bits. Returns the number of blocks used.
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

/// A 128-bit counter. In a state of two words, the last word is the low word of the counter; the
/// key is also its high word.
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
  SHARDY_TRY_STATUS(reader.expect(
      fits, "the state has the type " + ir::to_string(state) + "; " + std::string(row->name) +
                (row->name == "THREE_FRY" ? " takes tensor<2xui64>"
                                          : " takes tensor<2xui64> or tensor<3xui64>")));
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

/// A stream with 64 random bits per index. The bits depend neither on the order nor on the device
/// of the requests.
class Stream {
 public:
  /// Starts the stream of the op with this name.
  Stream(uint64_t seed, std::string_view name) : key_(seed) { mix(name); }

  /// Switches to another stream, for one execution of the op.
  void mix(uint64_t value) { key_ = bits(value); }
  void mix(std::string_view text) {
    for (const char letter : text) mix(static_cast<unsigned char>(letter));
  }

  uint64_t bits(uint64_t index) const {
    const std::array<uint32_t, 2> key = {static_cast<uint32_t>(key_),
                                         static_cast<uint32_t>(key_ >> 32U)};
    const ThreeFryBlock block =
        threefry2x32(key, {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32U)});
    return uint64_t{block[1]} << 32U | block[0];
  }
  /// Returns a number in [0, 1).
  double unit(uint64_t index) const {
    return std::ldexp(static_cast<double>(bits(index) >> 11U), -53);
  }

 private:
  uint64_t key_;
};

/// The operands a and b of the op, and the type in which numbers are drawn.
struct Draw {
  ir::ElementType element;
  std::span<const std::byte> a;
  std::span<const std::byte> b;
};

/// Draws a + (b - a) u for u in [0, 1). The result is less than b in spite of rounding.
void draw_uniform_float(const Draw& draw, const Stream& stream, uint64_t index,
                        std::span<std::byte> out) {
  const double low = ir::decode_double(draw.a, draw.element);
  const double high = ir::decode_double(draw.b, draw.element);
  ir::encode_into(out, low + (high - low) * stream.unit(index), draw.element);
  if (ir::decode_double(out, draw.element) >= high) ir::encode_into(out, low, draw.element);
}

/// Draws from [a, b); returns a if the interval is empty.
void draw_uniform_integer(const Draw& draw, const Stream& stream, uint64_t index,
                          std::span<std::byte> out) {
  const int64_t low = ir::decode_int(draw.a, draw.element);
  const uint64_t range =
      static_cast<uint64_t>(ir::decode_int(draw.b, draw.element)) - static_cast<uint64_t>(low);
  const uint64_t offset = range == 0 ? 0 : stream.bits(index) % range;
  const auto value = static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
  ir::encode_int_into(out, value, draw.element);
}

/// Draws a normal number by the Box-Muller method from two uniform ones.
void draw_normal(const Draw& draw, const Stream& stream, uint64_t index, std::span<std::byte> out) {
  const double mean = ir::decode_double(draw.a, draw.element);
  const double deviation = ir::decode_double(draw.b, draw.element);
  const double radius = std::sqrt(-2 * std::log(1 - stream.unit(2 * index)));
  const double angle = 2 * std::numbers::pi * stream.unit(2 * index + 1);
  ir::encode_into(out, mean + deviation * radius * std::cos(angle), draw.element);
}

/// Draws a + (b - a) u, where u is any element of the field. Spec: stablehlo 37.
void draw_exact(const Draw& draw, const Stream& stream, uint64_t index, std::span<std::byte> out) {
  uint64_t a = 0;
  uint64_t b = 0;
  std::memcpy(&a, draw.a.data(), sizeof(a));
  std::memcpy(&b, draw.b.data(), sizeof(b));
  const uint64_t u = prime_field::reduced(stream.bits(index));
  const uint64_t drawn = prime_field::add(a, prime_field::multiply(prime_field::subtract(b, a), u));
  std::memcpy(out.data(), &drawn, sizeof(drawn));
}

using DrawOne = void (*)(const Draw&, const Stream&, uint64_t, std::span<std::byte>);

Result<DrawOne> pick_draw(const OpReader& reader) {
  const ir::ElementType element = reader.result().element();
  SHARDY_TRY(const auto view, reader.read_view<ir::RngOp>());
  const bool is_normal = view.distribution == "NORMAL";
  if (element == ir::ElementType::Exact) return &draw_exact;
  if (ir::is_float(element)) return is_normal ? &draw_normal : &draw_uniform_float;
  if (!is_normal && (ir::is_integer(element) || ir::is_boolean(element))) {
    return &draw_uniform_integer;
  }
  return reader.unsupported_element(element);
}

/// Returns the number of loops around the op in its function.
std::size_t num_loops(const ir::Module& module, ir::OpId op) {
  std::size_t count = 0;
  for (op = module.parent_op(op); op.valid(); op = module.parent_op(op)) {
    if (module.is(op, ir::OpKind::While)) ++count;
  }
  return count;
}

/// Returns the stream of one execution, which the iterations of the loops and the calls around the
/// op determine.
Stream stream_at(Stream stream, const ir::Module& module, const ir::DrawNames& names, ir::OpId op,
                 std::span<const int64_t> path) {
  while (!path.empty()) {
    const std::size_t loops = std::min(num_loops(module, op), path.size());
    for (std::size_t loop = 0; loop < loops; ++loop) {
      stream.mix(static_cast<uint64_t>(path.back()));
      path = path.first(path.size() - 1);
    }
    if (path.empty()) break;
    op = ir::OpId(static_cast<uint32_t>(path.back()));
    path = path.first(path.size() - 1);
    stream.mix(names.of(op));
  }
  return stream;
}

Result<Kernel> make_rng(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(3, 1));
  if (!request.options.seed) {
    return fail_at(request.module.source_location(request.op),
                   "stablehlo.rng is not deterministic");
  }
  const ir::Type& type = reader.result();
  for (std::size_t index = 0; index < 2; ++index) {
    SHARDY_TRY_STATUS(reader.expect(reader.operand(index) == type.with_dims({}),
                                    "takes two numbers of the element type"));
  }
  SHARDY_TRY(const DrawOne draw_one, pick_draw(reader));
  const auto names = request.draw_names != nullptr
                         ? request.draw_names
                         : std::make_shared<const ir::DrawNames>(request.module);
  const Stream first(*request.options.seed, names->of(request.op));
  return [type, draw_one, first, names, module = &request.module,
          op = request.op](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    const Stream stream = stream_at(first, *module, *names, op, call.path);
    const Draw draw{type.element(), call.operands[0].bytes(), call.operands[1].bytes()};
    const std::size_t size = ir::size_bytes(type.element());
    for (int64_t index = 0; index < type.num_elements(); ++index) {
      const auto place = static_cast<std::size_t>(index);
      draw_one(draw, stream, place, out.bytes().subspan(place * size, size));
    }
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace

SHARDY_KERNEL(RngBitGenerator, make_rng_bit_generator)

SHARDY_KERNEL(Rng, make_rng)

}  // namespace shardy::simulation
