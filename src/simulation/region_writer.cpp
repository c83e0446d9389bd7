// Loops, branches and computations as jumps.
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "simulation/code_writer.hpp"

namespace shardy::simulation {

// ---- Loops -------------------------------------------------------------------------------------

Status CodeWriter::open_loop(ir::OpId op) {
  if (module_.regions(op).size() != 2) return error(op, "needs a condition and a body");
  SHARDY_TRY(const ir::BlockId condition, only_block(op, 0));
  SHARDY_TRY(const ir::BlockId body, only_block(op, 1));
  const std::vector<ir::ValueId> operands = module_.operands(op);
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(condition)));
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(body)));
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.results(op)));
  SHARDY_TRY(std::vector<Slot> initial, use(op, operands));
  OpenBlock block{.role = Role::Condition, .owner = op};
  block.handed_on = new_slots(operands.size());
  keep_alive(block.handed_on);
  emit_move(op, std::move(initial), block.handed_on);
  emit(Instruction::Kind::EnterLoop, op);
  block.start = here();
  const std::vector<Slot> carried = block.handed_on;
  push(std::move(block), condition);
  define_all(module_.args(condition), carried, false);
  return {};
}

Status CodeWriter::close_condition(ir::OpId terminator) {
  OpenBlock block = open_.back();
  const std::vector<ir::ValueId> predicate = module_.operands(terminator);
  if (predicate.size() != 1) return error(terminator, "a condition returns one i1");
  SHARDY_TRY_STATUS(expect_scalar(terminator, predicate[0], true));
  SHARDY_TRY(std::vector<Slot> read, use(terminator, predicate));
  block.exit = here();
  emit(Instruction::Kind::JumpUnless, block.owner).operands = std::move(read);
  open_.pop_back();
  block.role = Role::LoopBody;
  const ir::BlockId body = module_.block(block.owner, 1);
  const std::vector<Slot> carried = block.handed_on;
  push(std::move(block), body);
  define_all(module_.args(body), carried);
  return {};
}

Status CodeWriter::close_loop(ir::OpId terminator) {
  const OpenBlock block = open_.back();
  const std::vector<ir::ValueId> next = module_.operands(terminator);
  SHARDY_TRY_STATUS(expect_types(terminator, next, module_.results(block.owner)));
  SHARDY_TRY(std::vector<Slot> read, use(terminator, next));
  emit_move(block.owner, std::move(read), block.handed_on);
  emit(Instruction::Kind::NextIteration, block.owner).index = block.start;
  instructions_[block.exit].index = here();
  last_instruction_[block.owner] = here();
  Instruction& leave = emit(Instruction::Kind::LeaveLoop, block.owner);
  for (std::size_t index = 0; index < block.handed_on.size(); ++index) {
    const bool is_used = module_.num_uses(module_.result(block.owner, index)) > 0;
    if (!is_used) leave.released.push_back(block.handed_on[index]);
  }
  open_.pop_back();
  finish_op(block.handed_on);
  return {};
}

// ---- Branches ----------------------------------------------------------------------------------

Status CodeWriter::open_choice(ir::OpId op) {
  const bool is_if = module_.is(op, ir::OpKind::If);
  const std::size_t num_branches = module_.regions(op).size();
  if (num_branches == 0 || (is_if && num_branches != 2) || module_.num_operands(op) != 1) {
    return error(op, "needs one operand and its branches");
  }
  SHARDY_TRY_STATUS(expect_scalar(op, module_.operand(op, 0), is_if));
  SHARDY_TRY(std::vector<Slot> read, use(op, module_.operands(op)));
  OpenBlock choice{.role = Role::Branch, .owner = op};
  choice.start = here();
  choice.handed_on = new_slots(module_.num_results(op));
  emit(is_if ? Instruction::Kind::BranchIf : Instruction::Kind::Branch, op).operands =
      std::move(read);
  return open_branch(std::move(choice));
}

Status CodeWriter::open_branch(OpenBlock choice) {
  SHARDY_TRY(const ir::BlockId body, only_block(choice.owner, choice.branch));
  if (!module_.args(body).empty()) return error(choice.owner, "branches take no arguments");
  instructions_[choice.start].targets.push_back(here());
  push(std::move(choice), body);
  return {};
}

Status CodeWriter::close_branch(ir::OpId terminator) {
  const std::vector<ir::ValueId> returned = module_.operands(terminator);
  SHARDY_TRY_STATUS(expect_types(terminator, returned, module_.results(open_.back().owner)));
  SHARDY_TRY(std::vector<Slot> read, use(terminator, returned));
  OpenBlock block = std::move(open_.back());  // with the jumps of all branches before
  open_.pop_back();
  emit_move(block.owner, std::move(read), block.handed_on);
  if (++block.branch < module_.regions(block.owner).size()) {
    block.jumps.push_back(here());
    emit(Instruction::Kind::Jump, block.owner);
    return open_branch(std::move(block));
  }
  for (const uint32_t jump : block.jumps) instructions_[jump].index = here();
  last_instruction_[block.owner] = here();
  emit(Instruction::Kind::Move, block.owner);  // frees what the branches used from outside
  finish_op(block.handed_on);
  return {};
}

// ---- Computations ------------------------------------------------------------------------------

namespace {

std::vector<std::string> manual_axes_of(const ir::Module& module, ir::OpId op) {
  const auto* manual = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  return manual == nullptr ? std::vector<std::string>() : manual->names;
}

/// Returns the manual axes of all manual computations around an op.
std::vector<std::string> outer_manual_axes(const ir::Module& module, ir::OpId op) {
  std::vector<std::string> axes;
  for (ir::OpId outer = module.parent_op(op); outer.valid(); outer = module.parent_op(outer)) {
    if (!module.is(outer, ir::OpKind::SdyManualComputation)) continue;
    const std::vector<std::string> names = manual_axes_of(module, outer);
    axes.insert(axes.end(), names.begin(), names.end());
  }
  return axes;
}

}  // namespace

Status CodeWriter::open_computation(ir::OpId op) {
  if (manual_axes_of(module_, op).empty()) return open_inlined(op);
  const std::vector<std::string> outer = outer_manual_axes(module_, op);
  if (outer.empty()) return write_compute(op);
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(Collective together, make_nested_manual(request, outer));
  return write_collective(request, std::move(together));
}

/// The body runs where it starts; the future is its result. Spec: stablehlo 28.
Status CodeWriter::open_async(ir::OpId op) {
  SHARDY_TRY(const ir::BlockId body, only_block(op, 0));
  const ir::OpId terminator = module_.last_op(body);
  if (module_.num_results(op) != 1) return error(op, "has one result, a future");
  if (terminator.valid() && module_.num_operands(terminator) == 1) return open_inlined(op);
  return error(op, "unsupported type " + ir::to_string(module_.type(module_.result(op))));
}

Status CodeWriter::write_await(ir::OpId op) {
  const ir::OpId start = module_.defining_op(module_.operand(op, 0));
  if (!start.valid() || !module_.is(start, ir::OpKind::AsyncStart)) {
    return error(op, "takes the result of an async_start");
  }
  const std::vector<ir::ValueId> awaited = module_.operands(module_.last_op(module_.block(start)));
  SHARDY_TRY_STATUS(expect_types(op, awaited, module_.results(op)));
  SHARDY_TRY(std::vector<Slot> read, use(op, module_.operands(op)));
  const std::vector<Slot> results = new_slots(module_.num_results(op));
  emit_move(op, std::move(read), results);
  finish_op(results);
  return {};
}

Status CodeWriter::open_inlined(ir::OpId op) {
  SHARDY_TRY(const ir::BlockId body, only_block(op, 0));
  const std::vector<ir::ValueId> operands = module_.operands(op);
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(body)));
  SHARDY_TRY(std::vector<Slot> read, use(op, operands));
  const std::vector<Slot> arguments = new_slots(operands.size());
  emit_move(op, std::move(read), arguments);
  OpenBlock block{.role = Role::Inlined, .owner = op};
  block.handed_on = new_slots(module_.num_results(op));
  push(std::move(block), body);
  define_all(module_.args(body), arguments);
  return {};
}

Status CodeWriter::close_inlined(ir::OpId terminator) {
  const OpenBlock block = open_.back();
  const std::vector<ir::ValueId> returned = module_.operands(terminator);
  if (!module_.is(block.owner, ir::OpKind::AsyncStart)) {
    SHARDY_TRY_STATUS(expect_types(terminator, returned, module_.results(block.owner)));
  }
  SHARDY_TRY(std::vector<Slot> read, use(terminator, returned));
  last_instruction_[block.owner] = here();
  emit_move(block.owner, std::move(read), block.handed_on);
  open_.pop_back();
  finish_op(block.handed_on);
  return {};
}

}  // namespace shardy::simulation
