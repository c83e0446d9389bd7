// Elementwise ops of two operands.
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/families.hpp"

namespace shardy::simulation {
namespace {

constexpr KernelRow kArithmeticRows[] = {
    {ir::OpKind::Add, &make_binary<Add>},
    {ir::OpKind::And, &make_binary<And>},
    {ir::OpKind::Atan2, &make_binary<Atan2>},
    {ir::OpKind::Complex, &make_binary<MakeComplex>},
    {ir::OpKind::Divide, &make_binary<Divide>},
    {ir::OpKind::Maximum, &make_binary<Maximum>},
    {ir::OpKind::Minimum, &make_binary<Minimum>},
    {ir::OpKind::Multiply, &make_binary<Multiply>},
    {ir::OpKind::Or, &make_binary<Or>},
    {ir::OpKind::Power, &make_binary<Power>},
    {ir::OpKind::Remainder, &make_binary<Remainder>},
    {ir::OpKind::ShiftLeft, &make_binary<ShiftLeft>},
    {ir::OpKind::ShiftRightArithmetic, &make_binary<ShiftRightArithmetic>},
    {ir::OpKind::ShiftRightLogical, &make_binary<ShiftRightLogical>},
    {ir::OpKind::Subtract, &make_binary<Subtract>},
    {ir::OpKind::Xor, &make_binary<Xor>},
    {ir::OpKind::SpmdFloorDiv, &make_binary<FloorDivide>},
    {ir::OpKind::SpmdFloorMod, &make_binary<FloorModulo>},
};

}  // namespace

std::span<const KernelRow> arithmetic_kernels() { return kArithmeticRows; }

}  // namespace shardy::simulation
