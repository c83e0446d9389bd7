// bitcast_convert: the same bits under another element type. Spec: stablehlo 19.
#include <algorithm>
#include <cstdint>

#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

/// Elements of fewer than 8 bits take a byte each, which the significant bits do not fill.
bool is_sub_byte(ir::ElementType type) { return ir::info(type).bits < 8; }

/// The low `bits` bits of a byte as a canonical element.
std::byte canonical(uint64_t pattern, ir::ElementType type) {
  const auto unused = static_cast<unsigned>(64 - ir::info(type).bits);
  const uint64_t shifted = pattern << unused;
  const uint64_t value = ir::is_signed_integer(type)
                             ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                             : shifted >> unused;
  return std::byte{static_cast<uint8_t>(value)};
}

/// One of the two types has elements of 2, 4 or 6 bits: the bits pass through a queue.
struct Repacking {
  ir::ElementType from;
  ir::ElementType to;

  void run(std::span<const std::byte> x, std::span<std::byte> out) const {
    const auto in_bits = static_cast<unsigned>(std::min(ir::info(from).bits, 8));
    const auto out_bits = static_cast<unsigned>(std::min(ir::info(to).bits, 8));
    uint64_t queue = 0;
    unsigned num_queued = 0;
    std::size_t next = 0;
    for (std::byte& element : out) {
      for (; num_queued < out_bits; num_queued += in_bits) {
        const uint64_t bits = std::to_integer<uint64_t>(x[next++]) & ((1U << in_bits) - 1);
        queue |= bits << num_queued;
      }
      element = canonical_byte(queue & ((1U << out_bits) - 1));
      queue >>= out_bits;
      num_queued -= out_bits;
    }
  }

 private:
  std::byte canonical_byte(uint64_t bits) const {
    return is_sub_byte(to) ? canonical(bits, to) : std::byte{static_cast<uint8_t>(bits)};
  }
};

Result<Kernel> make_bitcast_convert(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::ElementType from = reader.operand().element();
  const ir::ElementType to = reader.result().element();
  if (!is_sub_byte(from) && !is_sub_byte(to)) {
    return [type = reader.result()](const KernelCall& call) -> Result<Tensors> {
      return Tensors{call.operands[0].reshaped(type)};
    };
  }
  return [repacking = Repacking{from, to},
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    repacking.run(call.operands[0].bytes(), out.bytes());
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace

SHARDY_KERNEL(BitcastConvert, make_bitcast_convert)

}  // namespace shardy::simulation
