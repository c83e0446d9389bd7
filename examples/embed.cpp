// A compiler with its own IR calls the propagator. The example needs no ir::Module, no compiled
// library and no exceptions.
#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/dot.hpp>
#include <shardy/rules/shape.hpp>
#include <string>
#include <vector>

namespace {

using shardy::Result;
using shardy::Status;
using shardy::TensorSharding;
namespace propagation = shardy::propagation;

// [ir]
/// The foreign IR: a list of instructions, each with one result. The position of an instruction is
/// its name.
struct Instruction {
  enum class Kind { Input, MatMul, Add, Relu } kind = Kind::Input;
  std::vector<std::size_t> operands;
  std::vector<int64_t> shape;
  std::optional<TensorSharding> sharding;
};
using Tape = std::vector<Instruction>;
// [ir]

// [rules]
/// Returns the sharding rule of an instruction, which depends on shapes only.
Result<shardy::OpShardingRule> rule_of(const Tape& tape, const Instruction& instruction) {
  if (instruction.kind == Instruction::Kind::MatMul) {
    return shardy::rules::dot_rule(tape[instruction.operands[0]].shape,
                                   tape[instruction.operands[1]].shape,
                                   {.lhs_contracting = {1}, .rhs_contracting = {0}});
  }
  const std::vector<std::size_t> ranks(instruction.operands.size(), instruction.shape.size());
  return shardy::rules::pointwise_rule(ranks, instruction.shape);
}
// [rules]

// [propagate]
/// Propagates the shardings of the program.
Status propagate(Tape& tape) {
  propagation::ProblemBuilder builder;
  std::vector<propagation::SlotId> slots;
  for (const Instruction& instruction : tape) {
    SHARDY_TRY(const auto slot,
               builder.add_slot({.shape = instruction.shape, .sharding = instruction.sharding}));
    slots.push_back(slot);
    if (instruction.kind == Instruction::Kind::Input) continue;
    SHARDY_TRY(const shardy::OpShardingRule rule, rule_of(tape, instruction));
    const bool elementwise = instruction.kind != Instruction::Kind::MatMul;
    std::vector<propagation::SlotId> operands;
    for (const std::size_t operand : instruction.operands) operands.push_back(slots[operand]);
    propagation::NodeSpec node{.is_elementwise = elementwise};
    if (elementwise) node.priority = propagation::PriorityClass::Pointwise;
    SHARDY_TRY_STATUS(builder.add_op(rule, operands, {&slot, 1}, node));
  }
  SHARDY_TRY(propagation::Problem problem, std::move(builder).build());
  SHARDY_TRY(const propagation::ProblemReport report, propagation::propagate(problem));
  fmt::print("{} steps changed something\n", report.num_updates);
  for (std::size_t index = 0; index < tape.size(); ++index) {
    tape[index].sharding = problem.sharding(slots[index]);
  }
  return {};
}
// [propagate]

TensorSharding sharding(const shardy::Mesh& mesh, const std::string& text) {
  return *TensorSharding::parse(mesh, "<@mesh, " + text + ">");
}

}  // namespace

int main() {
  const shardy::Mesh mesh = *shardy::Mesh::make({{"data", 4}, {"model", 2}});
  using Kind = Instruction::Kind;
  Tape tape = {{Kind::Input, {}, {16, 8}, sharding(mesh, R"([{"data"}, {?}])")},
               {Kind::Input, {}, {8, 32}, sharding(mesh, R"([{?}, {"model"}])")},
               {Kind::Input, {}, {32, 8}, std::nullopt},
               {Kind::MatMul, {0, 1}, {16, 32}, std::nullopt},
               {Kind::Relu, {3}, {16, 32}, std::nullopt},
               {Kind::MatMul, {4, 2}, {16, 8}, std::nullopt},
               {Kind::Add, {0, 5}, {16, 8}, std::nullopt}};
  if (const Status status = propagate(tape); !status) {
    fmt::print("{}\n", status.error().message);
    return 1;
  }
  for (std::size_t index = 0; index < tape.size(); ++index) {
    const auto& found = tape[index].sharding;
    fmt::print("%{} {}\n", index, found ? to_string(*found) : "unsharded");
  }
}
