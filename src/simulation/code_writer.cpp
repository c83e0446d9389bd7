#include "simulation/code_writer.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

/// Bytes of all tensors among the results, or the largest number if they do not fit.
int64_t result_bytes(const ir::Module& module, ir::OpId op) {
  int64_t total = 0;
  for (const ir::ValueId result : module.results(op)) {
    const ir::Type& type = module.type(result);
    if (!type.is_static_tensor()) continue;  // tokens and tuples hold what is there already
    total = checked_add(total, type.num_bytes()).value_or(std::numeric_limits<int64_t>::max());
  }
  return total;
}

}  // namespace

// ---- Whole functions ---------------------------------------------------------------------------

Result<Code> CodeWriter::write_function(ir::OpId function) {
  if (module_.is_external(function)) return error(function, "the function has no body");
  SHARDY_TRY(const ir::BlockId body, only_block(function, 0));
  push({.role = Role::Body, .owner = function}, body);
  const std::vector<Slot> arguments = new_slots(module_.args(body).size());
  define_all(module_.args(body), arguments);
  SHARDY_TRY_STATUS(write_all());
  return finish(arguments);
}

Result<Code> CodeWriter::write_region(ir::RegionId region, std::span<const ir::ValueId> captured) {
  const ir::OpId owner = module_.parent_op(region);
  if (module_.blocks(region).size() != 1) return error(owner, "unsupported control flow");
  const ir::BlockId body = module_.blocks(region).front();
  push({.role = Role::Body, .owner = owner}, body);
  std::vector<ir::ValueId> values(module_.args(body).begin(), module_.args(body).end());
  values.insert(values.end(), captured.begin(), captured.end());
  const std::vector<Slot> arguments = new_slots(values.size());
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

CodeWriter::BlockCloser CodeWriter::closer_of(Role role) {
  switch (role) {
    case Role::Condition:
      return &CodeWriter::close_condition;
    case Role::LoopBody:
      return &CodeWriter::close_loop;
    case Role::Branch:
      return &CodeWriter::close_branch;
    case Role::Inlined:
      return &CodeWriter::close_inlined;
    case Role::Body:
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
  SHARDY_TRY(std::vector<Slot> returned, use(terminator, module_.operands(terminator)));
  emit(Instruction::Kind::Return, terminator).operands = std::move(returned);
  open_.pop_back();
  return {};
}

// ---- Single ops --------------------------------------------------------------------------------

namespace {

/// With those that its regions use from outside.
std::vector<ir::ValueId> operands_of(const KernelRequest& request) {
  std::vector<ir::ValueId> values = request.module.operands(request.op);
  values.insert(values.end(), request.captured.begin(), request.captured.end());
  return values;
}

}  // namespace

Status CodeWriter::write_compute(ir::OpId op) {
  const ir::OpKind kind = module_.kind(op);
  const bool needs_device =
      has_trait(kind, ir::kPlace) || kind == ir::OpKind::InterpreterRunParallel;
  if (!program_.options.may_communicate && needs_device) {
    return error(op, "cannot be used in a region that an op runs by itself");
  }
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(Kernel kernel, make_kernel(request));
  SHARDY_TRY(std::vector<Slot> operands, use(op, operands_of(request)));
  const std::vector<Slot> results = new_slots(module_.num_results(op));
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
    return error(op, "cannot be used in a region that an op runs by itself");
  }
  const KernelRequest request = kernel_request(module_, op, program_.options);
  SHARDY_TRY(Collective collective, make_collective(request));
  return write_collective(request, std::move(collective));
}

Status CodeWriter::write_collective(const KernelRequest& request, Collective collective) {
  const ir::OpId op = request.op;
  SHARDY_TRY(std::vector<Slot> operands, use(op, operands_of(request)));
  const std::vector<Slot> results = new_slots(module_.num_results(op));
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
    return error(op, "there is no function @" + (callee == nullptr ? "" : callee->name));
  }
  if (module_.is_external(*function)) return error(op, "the called function has no body");
  SHARDY_TRY_STATUS(expect_types(op, module_.operands(op), module_.args(module_.entry(*function))));
  const std::vector<ir::ValueId> values = module_.results(op);
  const bool fits = std::ranges::equal(
      values, module_.function(*function).result_types,
      [&](ir::ValueId value, const ir::Type& type) { return module_.type(value) == type; });
  if (!fits) return error(op, "the result types are not those of the called function");
  SHARDY_TRY(std::vector<Slot> operands, use(op, module_.operands(op)));
  const std::vector<Slot> results = new_slots(values.size());
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
    return error(op, "hands on " + std::to_string(from.size()) + " values where " +
                         std::to_string(to.size()) + " are expected");
  }
  for (std::size_t index = 0; index < from.size(); ++index) {
    const ir::Type& given = module_.type(from[index]);
    const ir::Type& expected = module_.type(to[index]);
    if (given == expected) continue;
    return error(op, "hands on " + ir::to_string(given) + " where " + ir::to_string(expected) +
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

void CodeWriter::emit_move(ir::OpId op, std::vector<Slot> from, const std::vector<Slot>& to) {
  Instruction& move = emit(Instruction::Kind::Move, op);
  move.operands = std::move(from);
  move.results = to;
}

std::vector<Slot> CodeWriter::new_slots(std::size_t count) {
  std::vector<Slot> slots;
  for (std::size_t index = 0; index < count; ++index) slots.push_back(new_slot());
  is_read_.resize(num_slots_, false);
  return slots;
}

void CodeWriter::define(ir::ValueId value, Slot slot, bool is_released) {
  Value made;
  made.slot = slot;
  made.depth = open_.size();
  made.block = open_.back().number;
  made.is_released = is_released;
  values_[value] = made;
}

void CodeWriter::define_all(std::span<const ir::ValueId> values, std::span<const Slot> slots,
                            bool is_released) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    define(values[index], slots[index], is_released);
  }
}

bool CodeWriter::is_visible(const Value& value) const {
  return value.depth <= open_.size() && open_[value.depth - 1].number == value.block;
}

Result<std::vector<Slot>> CodeWriter::use(ir::OpId op, std::span<const ir::ValueId> values) {
  std::vector<Slot> slots;
  for (const ir::ValueId id : values) {
    const auto found = values_.find(id);
    if (found == values_.end() || !is_visible(found->second)) {
      return error(op, "uses a value that is not defined before it");
    }
    Value& value = found->second;
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

void CodeWriter::finish_op(std::span<const Slot> results) {
  const ir::OpId op = open_.back().current;
  define_all(module_.results(op), results);
  open_.back().current = module_.next(op);
}

void CodeWriter::keep_alive(std::span<const Slot> slots) {
  for (const Slot slot : slots) is_read_[slot] = true;
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
    for (Slot& slot : instruction.results) {
      if (!is_read_[slot]) slot = kNoSlot;
    }
  }
}

Code CodeWriter::finish(std::vector<Slot> arguments) {
  release_values();
  drop_unused_results();
  for (Slot& slot : arguments) {
    if (!is_read_[slot]) slot = kNoSlot;
  }
  Code code{std::move(instructions_), std::move(arguments), num_slots_};
  allocate_registers(code);
  return code;
}

}  // namespace shardy::simulation
