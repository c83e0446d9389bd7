#include "simulation/kernels/elementwise.hpp"

#include <algorithm>

namespace shardy::simulation {
namespace {

Status verify_loop(const OpReader& reader, bool has_loop) {
  const ir::ElementType from = reader.operand().element();
  const ir::ElementType to = reader.result().element();
  if (!has_loop && from == to) return reader.unsupported_element(from);
  if (!has_loop) {
    return reader.fail("no kernel from " + std::string(to_string(from)) + " to " +
                       std::string(to_string(to)));
  }
  return reader.expect_result(reader.operand().dims(), to);
}

std::size_t count_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.num_elements());
}

}  // namespace

Result<Kernel> elementwise_kernel(const OpReader& reader, UnaryLoop loop) {
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return [loop, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    loop(x.data(), out.data(), count_of(x));
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> elementwise_kernel(const OpReader& reader, BinaryLoop loop) {
  SHARDY_TRY_STATUS(
      reader.expect(reader.operand(0) == reader.operand(1), "operands must have equal types"));
  SHARDY_TRY_STATUS(verify_loop(reader, loop != nullptr));
  return [loop, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, x.type())));
    loop(x.data(), call.operands[1].data(), out.data(), count_of(x));
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace shardy::simulation
