// Elementwise ops of two operands.
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {}  // namespace

SHARDY_KERNEL(Add, make_binary<Add>)
SHARDY_KERNEL(And, make_binary<And>)
SHARDY_KERNEL(Atan2, make_binary<Atan2>)
SHARDY_KERNEL(Complex, make_binary<MakeComplex>)
SHARDY_KERNEL(Divide, make_binary<Divide>)
SHARDY_KERNEL(Maximum, make_binary<Maximum>)
SHARDY_KERNEL(Minimum, make_binary<Minimum>)
SHARDY_KERNEL(Multiply, make_binary<Multiply>)
SHARDY_KERNEL(Or, make_binary<Or>)
SHARDY_KERNEL(Power, make_binary<Power>)
SHARDY_KERNEL(Remainder, make_binary<Remainder>)
SHARDY_KERNEL(ShiftLeft, make_binary<ShiftLeft>)
SHARDY_KERNEL(ShiftRightArithmetic, make_binary<ShiftRightArithmetic>)
SHARDY_KERNEL(ShiftRightLogical, make_binary<ShiftRightLogical>)
SHARDY_KERNEL(Subtract, make_binary<Subtract>)
SHARDY_KERNEL(Xor, make_binary<Xor>)
SHARDY_KERNEL(SpmdFloorDiv, make_binary<FloorDivide>)
SHARDY_KERNEL(SpmdFloorMod, make_binary<FloorModulo>)

}  // namespace shardy::simulation
