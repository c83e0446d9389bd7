#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <string>
#include <string_view>
#include <vector>

// A small language in which the tests write propagation problems. One statement per line:
//
//   mesh a=2 b=4                      the mesh (named "mesh"); the first statement
//   mesh @M a=2 ids=1,0               another mesh, named "M"
//   x: 8x4 [{a:(1)2,?}p1,{}] rep={b}  a slot; without a list: no sharding
//   x: 8x4 [{a},{}] @M                a slot with a sharding on the mesh M
//   x: 8x4 shares y                   a slot that shares the storage of y
//   x: 8x4 unstored                   a slot that cannot have a sharding
//   r = add x y                       a node; kinds: see kKinds in program.cpp
//   r s = other x y : ([i],[j])->([i,j],[i]) {i=8,j=4} reduction={} blocked={j}
//   r = add x y | conservative        flags: conservative, removable, in=p
//   r = add x y | in=p                the node is in a region of the node with first result p
//   r = barrier forward x             or backward, both, none
//   e = edge x n                      a data-flow edge
//   e = edge x n | put={a} [{a},{?}]  a data-flow edge with a view of its target
//   use x                             a node without results
//   return x -> o                     a function result
//   group x y
//   siblings x y

namespace shardy::propagation::testing {

struct Program {
  Problem problem;
  std::map<std::string, SlotId> slots;
  std::map<std::string, NodeId> nodes;  // by first result; `use` nodes by first operand + "'"

  /// Returns the sharding of a slot in the notation above; `-`: none.
  std::string operator[](const std::string& name) const;
  const std::string& name_of(NodeId node) const;
};

/// Fails the test that calls it if `text` is not a program.
Program parse_program(std::string_view text);
/// Returns the builder's error; std::nullopt: none.
std::optional<Error> program_error(std::string_view text);

Mesh make_mesh(std::string_view text);
TensorSharding parse_sharding(const Mesh& mesh, std::string_view text,
                              const std::string& mesh_name = "mesh");
std::string to_text(const std::optional<TensorSharding>& sharding);
OpShardingRule parse_rule(std::string_view text);
AxisList parse_axes(const Mesh& mesh, std::string_view text);
std::string to_text(const Mesh& mesh, AxisSpan axes);

/// Returns a copy of the program after one algorithm.
Program after(const Program& program, const ProblemOptions& options);
Program after_basic(std::string_view text);
Program after_aggressive(std::string_view text);
Program after_op_priority(std::string_view text);
Program after_user_priority(std::string_view text);

}  // namespace shardy::propagation::testing
