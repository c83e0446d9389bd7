// Allocates the registers (slots) of a function: values whose live ranges are disjoint share one.
#include <algorithm>
#include <limits>

#include "simulation/code_writer.hpp"

namespace shardy::simulation {
namespace {

/// First and last instruction that names a slot; arguments are there from the start.
struct Lifetime {
  std::size_t first = std::numeric_limits<std::size_t>::max();
  std::size_t last = 0;
};

template <class Visit>
void for_each_slot(Instruction& instruction, Visit visit) {
  for (auto* slots : {&instruction.operands, &instruction.results, &instruction.released}) {
    for (Slot& slot : *slots) {
      if (slot != kNoSlot) visit(slot);
    }
  }
}

std::vector<Lifetime> lifetimes(Code& code) {
  std::vector<Lifetime> found(code.num_slots);
  for (const Slot slot : code.arguments) {
    if (slot != kNoSlot) found[slot].first = 0;
  }
  for (std::size_t at = 0; at < code.instructions.size(); ++at) {
    for_each_slot(code.instructions[at], [&](Slot slot) {
      found[slot].first = std::min(found[slot].first, at);
      found[slot].last = at;
    });
  }
  return found;
}

}  // namespace

// A value that is defined outside of a loop and used inside is named again after the loop, where
// it is released; so is what a loop carries. So the range of instructions from first to last name
// covers all times at which a slot is in use, whichever way jumps go.
void allocate_registers(Code& code) {
  const std::vector<Lifetime> live = lifetimes(code);
  std::vector<std::vector<Slot>> starting(code.instructions.size());
  std::vector<std::vector<Slot>> ending(code.instructions.size());
  for (Slot slot = 0; slot < live.size(); ++slot) {
    if (live[slot].first > live[slot].last) continue;
    starting[live[slot].first].push_back(slot);
    ending[live[slot].last].push_back(slot);
  }
  std::vector<Slot> number(code.num_slots, kNoSlot);
  std::vector<Slot> free;
  Slot next = 0;
  for (std::size_t at = 0; at < code.instructions.size(); ++at) {
    for (const Slot slot : starting[at]) {
      number[slot] = free.empty() ? next++ : free.back();
      if (!free.empty()) free.pop_back();
    }
    for (const Slot slot : ending[at]) free.push_back(number[slot]);
  }
  for (Slot& slot : code.arguments) slot = slot == kNoSlot ? kNoSlot : number[slot];
  for (Instruction& instruction : code.instructions) {
    for_each_slot(instruction, [&](Slot& slot) { slot = number[slot]; });
  }
  code.num_slots = next;
}

}  // namespace shardy::simulation
