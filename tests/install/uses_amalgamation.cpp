// One header, in two sources of a program: a product of matrices is propagated.
#include <cstdio>

#include "shardy_propagation.hpp"

#if SHARDY_VERSION < 100
#error "the header defines its version"
#endif

using shardy::Mesh;
using shardy::Result;
using shardy::TensorSharding;
namespace propagation = shardy::propagation;

const char* mesh_text_of_other_source();

namespace {

/// The sharding of the result of `... i k, k j -> ... i j`, of which the left operand is sharded.
Result<std::string> propagated() {
  SHARDY_TRY(const Mesh mesh, Mesh::make({{"x", 2}, {"y", 4}}));
  SHARDY_TRY(const auto einsum, shardy::parse_einsum_rule("i k, k j -> i j reduction={k}"));
  const std::vector<std::vector<int64_t>> operands = {{8, 16}, {16, 6}};
  const std::vector<std::vector<int64_t>> results = {{8, 6}};
  SHARDY_TRY(const auto rule, shardy::resolve(einsum, operands, results));
  SHARDY_TRY(const TensorSharding sharding,
             TensorSharding::make(mesh, "mesh",
                                  {{.axes = {mesh.full_axis(0)}}, {.axes = {mesh.full_axis(1)}}}));

  propagation::ProblemBuilder builder;
  SHARDY_TRY(const auto lhs, builder.add_slot({.shape = operands[0], .sharding = sharding}));
  SHARDY_TRY(const auto rhs, builder.add_slot({.shape = operands[1]}));
  SHARDY_TRY(const auto product, builder.add_slot({.shape = results[0]}));
  propagation::NodeSpec node;
  SHARDY_TRY(node.rule, builder.add_rule(rule));
  node.operands = {{lhs}, {rhs}};
  node.results = {{product}};
  SHARDY_TRY(const auto id, builder.add_node(node));
  static_cast<void>(id);
  SHARDY_TRY(propagation::Problem problem, std::move(builder).build());
  SHARDY_TRY(const propagation::ProblemReport report, propagation::propagate(problem));
  static_cast<void>(report);
  return shardy::to_string(*problem.sharding(product)) + " and " +
         shardy::to_string(*problem.sharding(rhs));
}

}  // namespace

int main() {
  const Result<std::string> text = propagated();
  const std::string got = text ? *text : text.error().message;
  const std::string wanted = "<@mesh, [{\"x\", ?}, {?}]> and <@mesh, [{\"y\", ?}, {?}]>";
  if (got != wanted) std::printf("wanted %s, got %s\n", wanted.c_str(), got.c_str());
  return got == wanted && mesh_text_of_other_source() == std::string("<[\"x\"=2]>") ? 0 : 1;
}
