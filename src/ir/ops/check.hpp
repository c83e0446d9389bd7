// What test programs are made of. Spec: stablehlo 12, 31.4, 32.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kCheckOps[] = {
    {.kind = CheckExpectAlmostEq,
     .operands = "lhs rhs",
     .results = "",
     .infer = &infer_check,
     .attributes = "tolerance:f64=1.000000e-04 : f64",
     .form = " %, %{, tolerance = $tolerance} A : ONE"},
    {.kind = CheckExpectAlmostEqConst,
     .operands = "operand",
     .results = "",
     .infer = &infer_check,
     .attributes = "tolerance:f64=1.000000e-04 : f64;value:literal",
     .form = " %, $value{, tolerance = $tolerance} A : VALUE0"},
    {.kind = CheckExpectClose,
     .operands = "actual expected",
     .results = "",
     .infer = &infer_check,
     .attributes = "max_ulp_difference:ui64=1 : ui64;min_ulp_difference:ui64=0 : ui64",
     .form = " %, %{, max_ulp_difference = $max_ulp_difference}{, min_ulp_difference = "
             "$min_ulp_difference} : CLOSE"},
    {.kind = CheckExpectEq,
     .operands = "lhs rhs",
     .results = "",
     .infer = &infer_check,
     .form = " %, % A : ONE"},
    {.kind = CheckExpectEqConst,
     .operands = "operand",
     .results = "",
     .infer = &infer_check,
     .attributes = "value:literal",
     .form = " %, $value A : VALUE0"},
    {.kind = CheckExpectSerializedEq,
     .operands = "operand",
     .results = "",
     .infer = &infer_nothing,
     .attributes = "iter:ui32;probe_id:string",
     .form = " %, probe_id = $probe_id, iter = $iter A : ONE"},
    {.kind = InterpreterPrint,
     .operands = "operand",
     .results = "",
     .infer = &infer_nothing,
     .form = " % A : ONE"},
    {.kind = InterpreterProbe,
     .operands = "operand",
     .infer = &infer_operand_types,
     .attributes = "probe_id:string",
     .form = " %, probe_id = $probe_id A : ONESAME"},
    {.kind = InterpreterRunParallel,
     .operands = "operands*",
     .results = "results*",
     .infer = &infer_written,
     .attributes = "infeed:list?;programs:list"},
};

}  // namespace shardy::ir
