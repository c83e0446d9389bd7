// A writer of the instructions of one function. Regions become jumps, and values get slots.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "simulation/program.hpp"

namespace shardy::simulation {

/// Visits nested blocks in program order with an explicit stack. A value lives from its definition
/// to its last use. If the last use is in a nested region, the value lives to the end of the op
/// that owns the region.
class CodeWriter {
 public:
  using FunctionIndex = std::function<uint32_t(ir::OpId function)>;

  /// Adds kernels and collectives to `program`.
  CodeWriter(Program& program, FunctionIndex function_index)
      : program_(program), module_(*program.module), function_index_(std::move(function_index)) {}

  Result<Code> write_function(ir::OpId function);
  Result<Code> write_region(ir::RegionId region, std::span<const ir::ValueId> captured);

 private:
  enum class BlockRole : uint8_t { Body, Condition, LoopBody, Branch, Inlined };

  /// A block that is being written, and the state needed at its end.
  struct OpenBlock {
    BlockRole role = BlockRole::Body;
    ir::OpId owner = {};
    ir::OpId current = {};                  // the op that is being written
    uint32_t number = 0;                    // unique number of the block
    std::vector<SlotIndex> handed_on = {};  // slots for the terminator's operands
    uint32_t start = 0;  // loop: first instruction of the condition; branch: the branch instruction
    uint32_t exit = 0;   // loop: the jump out of the loop
    std::size_t branch = 0;            // index of the branch
    std::vector<uint32_t> jumps = {};  // branch: jumps to the end of the last branch
  };
  struct WrittenValue {
    SlotIndex slot = kNoSlot;
    std::size_t depth = 0;    // number of enclosing blocks
    uint32_t block = 0;       // `number` of the innermost enclosing block
    bool is_released = true;  // false for values carried by a loop, inside its condition
    ir::OpId last_user;       // the op in the value's block that contains or is the last use
    uint32_t last_instruction = 0;
    bool used_inside = false;  // the last use is in a region of last_user
  };
  using OpWriter = Status (CodeWriter::*)(ir::OpId op);
  using BlockCloser = Status (CodeWriter::*)(ir::OpId terminator);

  static OpWriter writer_of(ir::OpKind kind);
  static BlockCloser closer_of(BlockRole role);
  Status write_all();
  Status close(ir::OpId terminator);

  Status write_compute(ir::OpId op);
  Status write_communicate(ir::OpId op);
  Status write_collective(const KernelRequest& request, CollectiveKernel collective);
  Status write_call(ir::OpId op);
  Status open_loop(ir::OpId op);
  Status open_choice(ir::OpId op);
  Status open_computation(ir::OpId op);
  Status open_branch(OpenBlock choice);
  Status open_inlined(ir::OpId op);
  Status open_async(ir::OpId op);
  Status write_await(ir::OpId op);
  Status close_body(ir::OpId terminator);
  Status close_condition(ir::OpId terminator);
  Status close_loop(ir::OpId terminator);
  Status close_branch(ir::OpId terminator);
  Status close_inlined(ir::OpId terminator);

  // ---- Parts ---------------------------------------------------------------------------------
  tl::unexpected<Error> error(ir::OpId op, std::string_view message) const;
  /// Returns the only block of a region. Error: several blocks.
  Result<ir::BlockId> only_block(ir::OpId op, std::size_t region) const;
  Status expect_types(ir::OpId op, std::span<const ir::ValueId> from,
                      std::span<const ir::ValueId> to) const;
  Status expect_scalar(ir::OpId op, ir::ValueId value, bool is_predicate) const;
  uint32_t here() const { return static_cast<uint32_t>(instructions_.size()); }
  Instruction& emit(Instruction::Kind kind, ir::OpId op);
  void emit_move(ir::OpId op, std::vector<SlotIndex> from, const std::vector<SlotIndex>& to);
  SlotIndex new_slot() { return num_slots_++; }
  std::vector<SlotIndex> new_slots(std::size_t count);
  /// Defines the value in the innermost open block.
  void define(ir::ValueId value, SlotIndex slot, bool is_released = true);
  void define_all(std::span<const ir::ValueId> values, std::span<const SlotIndex> slots,
                  bool is_released = true);
  bool is_visible(const WrittenValue& value) const;
  /// Returns the slots of values that the next instruction reads.
  Result<std::vector<SlotIndex>> use(ir::OpId op, std::span<const ir::ValueId> values);
  void push(OpenBlock block, ir::BlockId body);
  /// Finishes the current op of the innermost block: defines its results and continues after it.
  void finish_op(std::span<const SlotIndex> results);
  void keep_alive(std::span<const SlotIndex> slots);
  Code finish(std::vector<SlotIndex> arguments);
  void release_values();
  void drop_unused_results();

  Program& program_;
  const ir::Module& module_;
  FunctionIndex function_index_;
  std::vector<OpenBlock> open_;
  std::vector<Instruction> instructions_;
  std::map<ir::ValueId, WrittenValue> values_;
  std::map<ir::OpId, uint32_t> last_instruction_;  // per op with regions
  std::vector<bool> is_read_;                      // per slot
  SlotIndex num_slots_ = 0;
  uint32_t num_blocks_ = 0;
};

/// Gives slots that are never in use at the same time one number.
void allocate_registers(Code& code);

}  // namespace shardy::simulation
