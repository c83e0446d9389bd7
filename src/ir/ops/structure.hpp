// Sorting, random numbers, tuples, tokens, calls of others.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kStructureOps[] = {
    {.kind = Sort,
     .operands = "inputs+",
     .results = "results+",
     .regions = "comparator",
     .terminator = StablehloReturn,
     .infer = &infer_sort,
     .attributes = "dimension:i64?;is_stable:bool?"},
    {.kind = Map,
     .operands = "inputs+",
     .regions = "computation",
     .terminator = StablehloReturn,
     .infer = &infer_map,
     .attributes = "dimensions:array"},
    {.kind = Rng,
     .operands = "a b shape",
     .infer = &infer_written,
     .attributes = "rng_distribution:enum distribution",
     .form = " %, %, %, distribution = $rng_distribution A : FUNC"},
    {.kind = RngBitGenerator,
     .operands = "initial_state",
     .results = "output_state output",
     .types_given = true,
     .infer = &infer_written,
     .attributes = "rng_algorithm:enum algorithm",
     .form = " %, algorithm = $rng_algorithm A : FUNC"},
    {.kind = UniformDequantize,
     .operands = "operand",
     .types_given = true,
     .infer = &infer_written,
     .form = " % A : SAME"},
    {.kind = UniformQuantize,
     .operands = "operand",
     .types_given = true,
     .infer = &infer_written,
     .form = " % A : SAME"},
    {.kind = Tuple, .operands = "operands*", .infer = &infer_tuple, .form = " * A : TUPLE"},
    {.kind = GetTupleElement,
     .operands = "operand",
     .infer = &infer_get_tuple_element,
     .attributes = "index:i32",
     .form = " %[$index] A : FUNC"},
    {.kind = AfterAll, .operands = "tokens*", .infer = &infer_token, .form = " * A : SAME"},
    {.kind = CreateToken, .operands = "", .infer = &infer_token, .form = " A : RESULT"},
    {.kind = Composite,
     .operands = "operands*",
     .results = "results*",
     .regions = "decompositions*",
     .terminator = StablehloReturn,
     .infer = &infer_written,
     .attributes =
         "composite_attributes:dict={};decomposition:symbol;name:string;version:i32=0 : i32",
     .form = " $name * A : FUNC",
     .syntax = Syntax::Composite},
    {.kind = CustomCall,
     .operands = "operands*",
     .results = "results*",
     .infer = &infer_written,
     .attributes = "api_version:i32=1 : i32;backend_config:any?;call_target_name:at;"
                   "called_computations:list=[];has_side_effect:bool=false;operand_layouts:list?;"
                   "output_operand_aliases:list=[];result_layouts:list?;result_tilings:any?",
     .form = " $call_target_name(*) A : FUNC"},
};

}  // namespace shardy::ir
