// rng: numbers of a hidden state, which a seed makes repeatable. Spec: stablehlo 27.3,
// partitioning 8.20.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <string>

#include "ir/draw_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/structure_ops.hpp"
#include "shardy/support/prime_field.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/rng_bit_generator.hpp"

namespace shardy::simulation {
namespace {

/// 64 random bits per index, the same wherever and in whatever order they are asked for.
class Stream {
 public:
  /// For the op of that name.
  Stream(uint64_t seed, std::string_view name) : key_(seed) { mix(name); }

  /// Goes to another stream, for one execution of the op.
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
  /// In [0, 1).
  double unit(uint64_t index) const {
    return std::ldexp(static_cast<double>(bits(index) >> 11U), -53);
  }

 private:
  uint64_t key_;
};

/// Numbers a and b of the op, and the type to draw in.
struct Draw {
  ir::ElementType element;
  std::span<const std::byte> a;
  std::span<const std::byte> b;
};

/// a + (b - a) u, below b in spite of rounding.
void draw_uniform_float(const Draw& draw, const Stream& stream, uint64_t index,
                        std::span<std::byte> out) {
  const double low = ir::decode_double(draw.a, draw.element);
  const double high = ir::decode_double(draw.b, draw.element);
  ir::encode_into(out, low + (high - low) * stream.unit(index), draw.element);
  if (ir::decode_double(out, draw.element) >= high) ir::encode_into(out, low, draw.element);
}

/// a if there is nothing between a and b.
void draw_uniform_integer(const Draw& draw, const Stream& stream, uint64_t index,
                          std::span<std::byte> out) {
  const int64_t low = ir::decode_int(draw.a, draw.element);
  const uint64_t range =
      static_cast<uint64_t>(ir::decode_int(draw.b, draw.element)) - static_cast<uint64_t>(low);
  const uint64_t offset = range == 0 ? 0 : stream.bits(index) % range;
  const auto value = static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
  ir::encode_int_into(out, value, draw.element);
}

/// By Box and Muller, of two numbers.
void draw_normal(const Draw& draw, const Stream& stream, uint64_t index, std::span<std::byte> out) {
  const double mean = ir::decode_double(draw.a, draw.element);
  const double deviation = ir::decode_double(draw.b, draw.element);
  const double radius = std::sqrt(-2 * std::log(1 - stream.unit(2 * index)));
  const double angle = 2 * std::numbers::pi * stream.unit(2 * index + 1);
  ir::encode_into(out, mean + deviation * radius * std::cos(angle), draw.element);
}

/// As uniform floats, where u is any element. Spec: stablehlo 37.
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

/// Loops around the op in its function.
std::size_t num_loops(const ir::Module& module, ir::OpId op) {
  std::size_t count = 0;
  for (op = module.parent_op(op); op.valid(); op = module.parent_op(op)) {
    if (module.is(op, ir::OpKind::While)) ++count;
  }
  return count;
}

/// The stream of one execution, whose path has the iteration of each loop and each call around it.
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
    return fail_at(request.module.location_text(request.op), "stablehlo.rng is not deterministic");
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

SHARDY_KERNEL(Rng, make_rng)

}  // namespace shardy::simulation
