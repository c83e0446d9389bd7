#include "simulation/code_writer.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

/// The first and the last instruction that use a slot. The slots of arguments are in use from the
/// start.
struct Lifetime {
  std::size_t first = std::numeric_limits<std::size_t>::max();
  std::size_t last = 0;
};

template <class Visit>
void for_each_slot(Instruction& instruction, Visit visit) {
  for (auto* slots : {&instruction.operands, &instruction.results, &instruction.released}) {
    for (SlotIndex& slot : *slots) {
      if (slot != kNoSlot) visit(slot);
    }
  }
}

std::vector<Lifetime> lifetimes(Code& code) {
  std::vector<Lifetime> found(code.num_slots);
  for (const SlotIndex slot : code.arguments) {
    if (slot != kNoSlot) found[slot].first = 0;
  }
  for (std::size_t at = 0; at < code.instructions.size(); ++at) {
    for_each_slot(code.instructions[at], [&](SlotIndex slot) {
      found[slot].first = std::min(found[slot].first, at);
      found[slot].last = at;
    });
  }
  return found;
}

/// Bytes of all tensors among the results, or the largest number if they do not fit. A barrier
/// forwards the buffers of its operands.
int64_t result_bytes(const ir::Module& module, ir::OpId op) {
  int64_t total = 0;
  if (module.is(op, ir::OpKind::OptimizationBarrier)) return total;
  for (const ir::ValueId result : module.results(op)) {
    const ir::Type& type = module.type(result);
    if (!type.is_static_tensor()) continue;  // tokens and tuples have no buffers
    total = checked_add(total, type.num_bytes()).value_or(std::numeric_limits<int64_t>::max());
  }
  return total;
}

/// Returns the operands of the op and the outer values that its regions use.
std::vector<ir::ValueId> operands_of(const KernelRequest& request) {
  std::vector<ir::ValueId> values = request.module.operands(request.op);
  values.insert(values.end(), request.captured.begin(), request.captured.end());
  return values;
}

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

// A value that is defined outside of a loop and used inside is also released by an instruction
// after the loop; so are loop-carried values. The range from the first to the last instruction that
// uses a slot therefore covers all times at which the slot is in use, for any jumps.
void allocate_registers(Code& code) {
  const std::vector<Lifetime> live = lifetimes(code);
  std::vector<std::vector<SlotIndex>> starting(code.instructions.size());
  std::vector<std::vector<SlotIndex>> ending(code.instructions.size());
  for (SlotIndex slot = 0; slot < live.size(); ++slot) {
    if (live[slot].first > live[slot].last) continue;
    starting[live[slot].first].push_back(slot);
    ending[live[slot].last].push_back(slot);
  }
  std::vector<SlotIndex> number(code.num_slots, kNoSlot);
  std::vector<SlotIndex> free;
  SlotIndex next = 0;
  for (std::size_t at = 0; at < code.instructions.size(); ++at) {
    for (const SlotIndex slot : starting[at]) {
      number[slot] = free.empty() ? next++ : free.back();
      if (!free.empty()) free.pop_back();
    }
    for (const SlotIndex slot : ending[at]) free.push_back(number[slot]);
  }
  for (SlotIndex& slot : code.arguments) slot = slot == kNoSlot ? kNoSlot : number[slot];
  for (Instruction& instruction : code.instructions) {
    for_each_slot(instruction, [&](SlotIndex& slot) { slot = number[slot]; });
  }
  code.num_slots = next;
}

// ---- Whole functions ---------------------------------------------------------------------------

Result<Code> CodeWriter::write_function(ir::OpId function) {
  if (module_.is_external(function)) return error(function, "the function has no body");
  SHARDY_TRY(const ir::BlockId body, only_block(function, 0));
  push({.role = BlockRole::Body, .owner = function}, body);
  const std::vector<SlotIndex> arguments = new_slots(module_.args(body).size());
  define_all(module_.args(body), arguments);
  SHARDY_TRY_STATUS(write_all());
  return finish(arguments);
}

Result<Code> CodeWriter::write_region(ir::RegionId region, std::span<const ir::ValueId> captured) {
  const ir::OpId owner = module_.parent_op(region);
  if (module_.blocks(region).size() != 1) return error(owner, "unsupported control flow");
  const ir::BlockId body = module_.blocks(region).front();
  push({.role = BlockRole::Body, .owner = owner}, body);
  std::vector<ir::ValueId> values(module_.args(body).begin(), module_.args(body).end());
  values.insert(values.end(), captured.begin(), captured.end());
  const std::vector<SlotIndex> arguments = new_slots(values.size());
  define_all(values, arguments);
  SHARDY_TRY_STATUS(write_all());
  return finish(arguments);
}

Status CodeWriter::write_all() {
  while (!open_.empty()) {
    const ir::OpId op = open_.back().current;
    if (!op.valid()) return error(open_.back().owner, "a block does not end in a return");
    if (module_.has_trait(op, ir::kReturnLike)) {
      SHARDY_TRY_STATUS((this->*closer_of(open_.back().role))(op));
      continue;
    }
    SHARDY_TRY_STATUS((this->*writer_of(module_.kind(op)))(op));
  }
  return {};
}

CodeWriter::OpWriter CodeWriter::writer_of(ir::OpKind kind) {
  switch (kind) {
    case ir::OpKind::While:
      return &CodeWriter::open_loop;
    case ir::OpKind::Case:
    case ir::OpKind::If:
      return &CodeWriter::open_choice;
    case ir::OpKind::SdyNamedComputation:
    case ir::OpKind::SdyManualComputation:
      return &CodeWriter::open_computation;
    case ir::OpKind::FuncCall:
    case ir::OpKind::Composite:
      return &CodeWriter::write_call;
    case ir::OpKind::AsyncStart:
      return &CodeWriter::open_async;
    case ir::OpKind::AsyncDone:
      return &CodeWriter::write_await;
    default:
      return is_communication(kind) ? &CodeWriter::write_communicate : &CodeWriter::write_compute;
  }
}

CodeWriter::BlockCloser CodeWriter::closer_of(BlockRole role) {
  switch (role) {
    case BlockRole::Condition:
      return &CodeWriter::close_condition;
    case BlockRole::LoopBody:
      return &CodeWriter::close_loop;
    case BlockRole::Branch:
      return &CodeWriter::close_branch;
    case BlockRole::Inlined:
      return &CodeWriter::close_inlined;
    case BlockRole::Body:
      break;
  }
  return &CodeWriter::close_body;
}

Status CodeWriter::close_body(ir::OpId terminator) {
  const ir::OpId owner = open_.back().owner;
  if (module_.is(owner, ir::OpKind::Func)) {
    const std::vector<ir::Type>& declared = module_.function(owner).result_types;
    const bool fits = std::ranges::equal(
        module_.operands(terminator), declared,
        [&](ir::ValueId value, const ir::Type& type) { return module_.type(value) == type; });
    if (!fits) return error(terminator, "the returned types are not those of the function");
  }
  SHARDY_TRY(std::vector<SlotIndex> returned, use(terminator, module_.operands(terminator)));
  emit(Instruction::Kind::Return, terminator).operands = std::move(returned);
  open_.pop_back();
  return {};
}

// ---- Single ops --------------------------------------------------------------------------------

Status CodeWriter::write_compute(ir::OpId op) {
  const ir::OpKind kind = module_.kind(op);
  const bool needs_device =
      has_trait(kind, ir::kPlace) || kind == ir::OpKind::InterpreterRunParallel;
  if (!program_.options.may_communicate && needs_device) {
    return error(op, "cannot be used in a region that an op executes");
  }
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(Kernel kernel, make_kernel(request));
  SHARDY_TRY(std::vector<SlotIndex> operands, use(op, operands_of(request)));
  const std::vector<SlotIndex> results = new_slots(module_.num_results(op));
  Instruction& instruction = emit(Instruction::Kind::Compute, op);
  instruction.index = static_cast<uint32_t>(program_.kernels.size());
  instruction.operands = std::move(operands);
  instruction.results = results;
  instruction.result_bytes = result_bytes(module_, op);
  program_.kernels.push_back(
      {std::move(kernel), !has_trait(kind, ir::kPlace) && !has_trait(kind, ir::kEffects)});
  finish_op(results);
  return {};
}

Status CodeWriter::write_communicate(ir::OpId op) {
  if (!program_.options.may_communicate) {
    return error(op, "cannot be used in a region that an op executes");
  }
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(CollectiveKernel collective, make_collective(request));
  return write_collective(request, std::move(collective));
}

Status CodeWriter::write_collective(const KernelRequest& request, CollectiveKernel collective) {
  const ir::OpId op = request.op;
  SHARDY_TRY(std::vector<SlotIndex> operands, use(op, operands_of(request)));
  const std::vector<SlotIndex> results = new_slots(module_.num_results(op));
  Instruction& instruction = emit(Instruction::Kind::Communicate, op);
  instruction.index = static_cast<uint32_t>(program_.collectives.size());
  instruction.operands = std::move(operands);
  instruction.results = results;
  instruction.result_bytes = result_bytes(module_, op);
  program_.collectives.push_back(std::move(collective));
  finish_op(results);
  return {};
}

Status CodeWriter::write_call(ir::OpId op) {
  const bool is_composite = module_.is(op, ir::OpKind::Composite);
  const auto* callee = module_.attribute<ir::SymbolAttr>(
      op, is_composite ? ir::attr::kDecomposition : ir::attr::kCallee);
  const std::optional<ir::OpId> function =
      callee == nullptr ? std::nullopt : module_.find_symbol(callee->name);
  if (!function || !module_.is(*function, ir::OpKind::Func)) {
    return error(op, "unknown function @" + (callee == nullptr ? "" : callee->name));
  }
  if (module_.is_external(*function)) return error(op, "the called function has no body");
  SHARDY_TRY_STATUS(expect_types(op, module_.operands(op), module_.args(module_.entry(*function))));
  const std::vector<ir::ValueId> values = module_.results(op);
  const bool fits = std::ranges::equal(
      values, module_.function(*function).result_types,
      [&](ir::ValueId value, const ir::Type& type) { return module_.type(value) == type; });
  if (!fits) return error(op, "the result types are not those of the called function");
  SHARDY_TRY(std::vector<SlotIndex> operands, use(op, module_.operands(op)));
  const std::vector<SlotIndex> results = new_slots(values.size());
  Instruction& instruction = emit(Instruction::Kind::Call, op);
  instruction.index = function_index_(*function);
  instruction.operands = std::move(operands);
  instruction.results = results;
  finish_op(results);
  return {};
}

// ---- Parts -------------------------------------------------------------------------------------

tl::unexpected<Error> CodeWriter::error(ir::OpId op, std::string_view message) const {
  return op_fail(module_, op, message);
}

Result<ir::BlockId> CodeWriter::only_block(ir::OpId op, std::size_t region) const {
  const auto regions = module_.regions(op);
  if (region >= regions.size() || module_.blocks(regions[region]).size() != 1) {
    return error(op, "unsupported control flow");
  }
  return module_.blocks(regions[region]).front();
}

Status CodeWriter::expect_types(ir::OpId op, std::span<const ir::ValueId> from,
                                std::span<const ir::ValueId> to) const {
  if (from.size() != to.size()) {
    return error(op, "passes " + std::to_string(from.size()) + " values where " +
                         std::to_string(to.size()) + " are expected");
  }
  for (std::size_t index = 0; index < from.size(); ++index) {
    const ir::Type& given = module_.type(from[index]);
    const ir::Type& expected = module_.type(to[index]);
    if (given == expected) continue;
    return error(op, "passes " + ir::to_string(given) + " where " + ir::to_string(expected) +
                         " is expected");
  }
  return {};
}

Status CodeWriter::expect_scalar(ir::OpId op, ir::ValueId value, bool is_predicate) const {
  const ir::Type& type = module_.type(value);
  const bool fits =
      type.is_static_tensor() && type.rank() == 0 &&
      (is_predicate ? ir::is_boolean(type.element()) : ir::is_integer(type.element()));
  if (fits) return {};
  return error(op, "needs a rank-0 " + std::string(is_predicate ? "i1" : "integer") +
                       ", got: " + ir::to_string(type));
}

Instruction& CodeWriter::emit(Instruction::Kind kind, ir::OpId op) {
  instructions_.push_back({.kind = kind, .op = op});
  return instructions_.back();
}

void CodeWriter::emit_move(ir::OpId op, std::vector<SlotIndex> from,
                           const std::vector<SlotIndex>& to) {
  Instruction& move = emit(Instruction::Kind::Move, op);
  move.operands = std::move(from);
  move.results = to;
}

std::vector<SlotIndex> CodeWriter::new_slots(std::size_t count) {
  std::vector<SlotIndex> slots;
  for (std::size_t index = 0; index < count; ++index) slots.push_back(new_slot());
  is_read_.resize(num_slots_, false);
  return slots;
}

void CodeWriter::define(ir::ValueId value, SlotIndex slot, bool is_released) {
  WrittenValue made;
  made.slot = slot;
  made.depth = open_.size();
  made.block = open_.back().number;
  made.is_released = is_released;
  values_[value] = made;
}

void CodeWriter::define_all(std::span<const ir::ValueId> values, std::span<const SlotIndex> slots,
                            bool is_released) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    define(values[index], slots[index], is_released);
  }
}

bool CodeWriter::is_visible(const WrittenValue& value) const {
  return value.depth <= open_.size() && open_[value.depth - 1].number == value.block;
}

Result<std::vector<SlotIndex>> CodeWriter::use(ir::OpId op, std::span<const ir::ValueId> values) {
  std::vector<SlotIndex> slots;
  for (const ir::ValueId id : values) {
    const auto found = values_.find(id);
    if (found == values_.end() || !is_visible(found->second)) {
      return error(op, "uses a value that is not defined before it");
    }
    WrittenValue& value = found->second;
    value.last_user = open_[value.depth - 1].current;
    value.last_instruction = here();
    value.used_inside = value.depth < open_.size();
    is_read_[value.slot] = true;
    slots.push_back(value.slot);
  }
  return slots;
}

void CodeWriter::push(OpenBlock block, ir::BlockId body) {
  block.current = module_.first_op(body);
  block.number = ++num_blocks_;
  open_.push_back(std::move(block));
}

void CodeWriter::finish_op(std::span<const SlotIndex> results) {
  const ir::OpId op = open_.back().current;
  define_all(module_.results(op), results);
  open_.back().current = module_.next(op);
}

void CodeWriter::keep_alive(std::span<const SlotIndex> slots) {
  for (const SlotIndex slot : slots) is_read_[slot] = true;
}

// ---- Lifetimes ---------------------------------------------------------------------------------

void CodeWriter::release_values() {
  for (const auto& [id, value] : values_) {
    if (!value.is_released || !value.last_user.valid()) continue;
    const uint32_t at =
        value.used_inside ? last_instruction_[value.last_user] : value.last_instruction;
    instructions_[at].released.push_back(value.slot);
  }
}

void CodeWriter::drop_unused_results() {
  for (Instruction& instruction : instructions_) {
    for (SlotIndex& slot : instruction.results) {
      if (!is_read_[slot]) slot = kNoSlot;
    }
  }
}

Code CodeWriter::finish(std::vector<SlotIndex> arguments) {
  release_values();
  drop_unused_results();
  for (SlotIndex& slot : arguments) {
    if (!is_read_[slot]) slot = kNoSlot;
  }
  Code code{std::move(instructions_), std::move(arguments), num_slots_};
  allocate_registers(code);
  return code;
}

// ---- Loops -------------------------------------------------------------------------------------

Status CodeWriter::open_loop(ir::OpId op) {
  if (module_.regions(op).size() != 2) return error(op, "needs a condition and a body");
  SHARDY_TRY(const ir::BlockId condition, only_block(op, 0));
  SHARDY_TRY(const ir::BlockId body, only_block(op, 1));
  const std::vector<ir::ValueId> operands = module_.operands(op);
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(condition)));
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(body)));
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.results(op)));
  SHARDY_TRY(std::vector<SlotIndex> initial, use(op, operands));
  OpenBlock block{.role = BlockRole::Condition, .owner = op};
  block.handed_on = new_slots(operands.size());
  keep_alive(block.handed_on);
  emit_move(op, std::move(initial), block.handed_on);
  emit(Instruction::Kind::EnterLoop, op);
  block.start = here();
  const std::vector<SlotIndex> carried = block.handed_on;
  push(std::move(block), condition);
  define_all(module_.args(condition), carried, false);
  return {};
}

Status CodeWriter::close_condition(ir::OpId terminator) {
  OpenBlock block = open_.back();
  const std::vector<ir::ValueId> predicate = module_.operands(terminator);
  if (predicate.size() != 1) return error(terminator, "a condition returns one i1");
  SHARDY_TRY_STATUS(expect_scalar(terminator, predicate[0], true));
  SHARDY_TRY(std::vector<SlotIndex> read, use(terminator, predicate));
  block.exit = here();
  emit(Instruction::Kind::JumpUnless, block.owner).operands = std::move(read);
  open_.pop_back();
  block.role = BlockRole::LoopBody;
  const ir::BlockId body = module_.block(block.owner, 1);
  const std::vector<SlotIndex> carried = block.handed_on;
  push(std::move(block), body);
  define_all(module_.args(body), carried);
  return {};
}

Status CodeWriter::close_loop(ir::OpId terminator) {
  const OpenBlock block = open_.back();
  const std::vector<ir::ValueId> next = module_.operands(terminator);
  SHARDY_TRY_STATUS(expect_types(terminator, next, module_.results(block.owner)));
  SHARDY_TRY(std::vector<SlotIndex> read, use(terminator, next));
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
  SHARDY_TRY(std::vector<SlotIndex> read, use(op, module_.operands(op)));
  OpenBlock choice{.role = BlockRole::Branch, .owner = op};
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
  SHARDY_TRY(std::vector<SlotIndex> read, use(terminator, returned));
  OpenBlock block = std::move(open_.back());  // with the jumps of all previous branches
  open_.pop_back();
  emit_move(block.owner, std::move(read), block.handed_on);
  if (++block.branch < module_.regions(block.owner).size()) {
    block.jumps.push_back(here());
    emit(Instruction::Kind::Jump, block.owner);
    return open_branch(std::move(block));
  }
  for (const uint32_t jump : block.jumps) instructions_[jump].index = here();
  last_instruction_[block.owner] = here();
  emit(Instruction::Kind::Move, block.owner);  // frees the outer values that the branches use
  finish_op(block.handed_on);
  return {};
}

// ---- Computations ------------------------------------------------------------------------------

Status CodeWriter::open_computation(ir::OpId op) {
  if (manual_axes_of(module_, op).empty()) return open_inlined(op);
  const std::vector<std::string> outer = outer_manual_axes(module_, op);
  if (outer.empty()) return write_compute(op);
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(CollectiveKernel together, make_nested_manual(request, outer));
  return write_collective(request, std::move(together));
}

/// Compiles an async op: the body runs at the start op, and its result is the future. Spec:
/// stablehlo 28.
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
  SHARDY_TRY(std::vector<SlotIndex> read, use(op, module_.operands(op)));
  const std::vector<SlotIndex> results = new_slots(module_.num_results(op));
  emit_move(op, std::move(read), results);
  finish_op(results);
  return {};
}

Status CodeWriter::open_inlined(ir::OpId op) {
  SHARDY_TRY(const ir::BlockId body, only_block(op, 0));
  const std::vector<ir::ValueId> operands = module_.operands(op);
  SHARDY_TRY_STATUS(expect_types(op, operands, module_.args(body)));
  SHARDY_TRY(std::vector<SlotIndex> read, use(op, operands));
  const std::vector<SlotIndex> arguments = new_slots(operands.size());
  emit_move(op, std::move(read), arguments);
  OpenBlock block{.role = BlockRole::Inlined, .owner = op};
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
  SHARDY_TRY(std::vector<SlotIndex> read, use(terminator, returned));
  last_instruction_[block.owner] = here();
  emit_move(block.owner, std::move(read), block.handed_on);
  open_.pop_back();
  finish_op(block.handed_on);
  return {};
}

}  // namespace shardy::simulation
