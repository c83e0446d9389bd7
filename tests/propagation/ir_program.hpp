#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "propagation/program.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/propagation/ir_adapter.hpp"

// A small language in which the tests write modules with one function. One statement per line:
//
//   mesh a=2 b=4                     the mesh (named "mesh"; a=2 b=2 c=2 if absent); `mesh @M a=2`
//   x: 8x4 [{a,?},{}] rep={b}        an argument and its sharding; `@M` at the end: its mesh
//   r = add x y [{a},{?}]            an op, its own sharding; kinds: see kKinds in ir_program.cpp
//   r = reshape x -> 2x6             with the shape of the result
//   r s = op x y -> 8x4 8 : ([i,j],[i,j])->([i,j],[i]) {i=8,j=4}     an op with a rule attached
//   w = while x : it                 ... `yield n`; the condition is a constant
//   w = case i -> 8                  ... `yield u` ... `yield v`
//   w = opt x                        an optimization barrier
//   w = named x : arg                ... `yield n`
//   w = manual x -> 32x32 : arg 16x32 | a | [{a},{?}] | [{a,?},{?}]      ... `yield n`
//   group x 0
//   return x [{a}] as o              a result of the function
//
// Unused values are returned at the end. Data-flow edges are inserted, as the import passes do.

namespace shardy::propagation::testing {

struct IrProgram {
  ir::Module module;
  std::map<std::string, ir::ValueId> values;
  std::map<std::string, std::size_t> results;  // of the function, by the name after `as`

  /// Sharding of a value or function result; `-`: none; `erased`: its op was erased.
  std::string operator[](const std::string& name) const;
  bool is_erased(const std::string& name) const;
};

/// Throws if `text` is not a program.
IrProgram parse_ir_program(std::string_view text);

/// Inserts an edge op for every data-flow edge. Spec: dialect 5.3.
void add_data_flow_edges(ir::Module& module);

}  // namespace shardy::propagation::testing
