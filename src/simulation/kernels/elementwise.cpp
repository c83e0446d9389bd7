#include "simulation/kernels/elementwise.hpp"

#include <algorithm>
#include <optional>

#include "simulation/kernels/convert.hpp"
#include "simulation/tiny_float.hpp"

namespace shardy::simulation {
namespace {

using ir::ElementType;

Status verify_loop(const OpReader& reader, bool has_loop) {
  const ElementType from = reader.operand().element();
  const ElementType to = reader.result().element();
  if (!has_loop && from == to) return reader.unsupported_element(from);
  if (has_loop) return {};
  return reader.fail("no kernel from " + std::string(to_string(from)) + " to " +
                     std::string(to_string(to)));
}

std::size_t operand_bytes(const OpReader& reader) {
  return ir::size_bytes(reader.operand().element());
}

Kernel unary_kernel(const OpReader& reader, UnaryLoop loop) {
  return [loop, bytes = operand_bytes(reader),
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
      loop(x.data() + first * bytes, to, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

Kernel binary_kernel(const OpReader& reader, BinaryLoop loop) {
  return [loop, bytes = operand_bytes(reader),
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
      loop(x.data() + first * bytes, call.operands[1].data() + first * bytes, to, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

// ---- Floats of one byte ----------------------------------------------------------------------

/// Returns the result type of the loop over f64: the same type or, for predicates, i1.
ElementType wide_result(const OpReader& reader) {
  const bool is_predicate = reader.result().element() == ElementType::I1;
  return is_predicate ? ElementType::I1 : ElementType::F64;
}

Status verify_tiny(const OpReader& reader, bool has_loop) {
  const ElementType to = reader.result().element();
  const bool fits = to == ElementType::I1 || to == reader.operand().element();
  return verify_loop(reader, has_loop && fits);
}

using WideChunk = std::array<double, 256>;

std::byte* bytes_of(WideChunk& chunk) { return reinterpret_cast<std::byte*>(chunk.data()); }

/// A loop over f64 between conversions, chunk by chunk.
struct TinyBinary {
  Conversion widen;
  BinaryLoop loop;
  std::optional<Conversion> narrow;  // nullopt: the loop gives bytes

  void run(const std::byte* x, const std::byte* y, std::byte* out, std::size_t count) const {
    WideChunk left;
    WideChunk right;
    for (std::size_t done = 0; done < count; done += left.size()) {
      const std::size_t size = std::min(left.size(), count - done);
      widen.run(x + done, bytes_of(left), size);
      widen.run(y + done, bytes_of(right), size);
      loop(bytes_of(left), bytes_of(right), narrow ? bytes_of(left) : out + done, size);
      if (narrow) narrow->run(bytes_of(left), out + done, size);
    }
  }
};

Result<Kernel> tiny_binary_kernel(const OpReader& reader, BinaryPick pick) {
  const ElementType from = reader.operand().element();
  const ElementType to = wide_result(reader);
  const BinaryLoop loop = pick(ElementType::F64, to);
  SHARDY_TRY_STATUS(verify_tiny(reader, loop != nullptr));
  TinyBinary plan{*Conversion::pick(from, ElementType::F64), loop, std::nullopt};
  if (to == ElementType::F64) plan.narrow = Conversion::pick(ElementType::F64, from);
  return [plan, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* place) {
      plan.run(x.data() + first, call.operands[1].data() + first, place, count);
    });
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace

Kernel table_kernel(const ir::Type& result, const ByteTable& table) {
  return [table, type = result](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    for_results(call, out, [&](std::size_t first, std::size_t count, std::byte* to) {
      std::ranges::transform(x.bytes().subspan(first, count), to,
                             [&](std::byte raw) { return table[std::to_integer<uint8_t>(raw)]; });
    });
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> tiny_kernel(const OpReader& reader, std::span<const UnaryPick> steps) {
  const ElementType from = reader.operand().element();
  const ElementType to = wide_result(reader);
  ByteTable table;
  for (std::size_t raw = 0; raw < table.size(); ++raw) {
    table[raw] = std::byte{static_cast<uint8_t>(raw)};
  }
  WideChunk wide;
  for (const UnaryPick step : steps) {
    Conversion::pick(from, ElementType::F64)->run(table.data(), bytes_of(wide), wide.size());
    const UnaryLoop loop = step(ElementType::F64, to);
    SHARDY_TRY_STATUS(verify_tiny(reader, loop != nullptr));
    loop(bytes_of(wide), to == ElementType::F64 ? bytes_of(wide) : table.data(), wide.size());
    if (to != ElementType::F64) continue;
    Conversion::pick(ElementType::F64, from)->run(bytes_of(wide), table.data(), wide.size());
  }
  return table_kernel(reader.result(), table);
}

Result<Kernel> elementwise_kernel(const OpReader& reader, UnaryPick pick) {
  const ElementType from = reader.operand().element();
  if (is_tiny_float(from)) return tiny_kernel(reader, {&pick, 1});
  const UnaryLoop loop = pick(from, reader.result().element());
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return unary_kernel(reader, loop);
}

Result<Kernel> elementwise_kernel(const OpReader& reader, BinaryPick pick) {
  const ElementType from = reader.operand().element();
  if (is_tiny_float(from)) return tiny_binary_kernel(reader, pick);
  const BinaryLoop loop = pick(from, reader.result().element());
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return binary_kernel(reader, loop);
}

}  // namespace shardy::simulation
