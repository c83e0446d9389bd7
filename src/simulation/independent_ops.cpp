#include "simulation/independent_ops.hpp"

#include <algorithm>
#include <set>

#include "shardy/support/math.hpp"

namespace shardy::simulation {
namespace {

/// Bytes read and written that are worth a thread.
constexpr int64_t kWorthAThread = int64_t{1} << 17;
constexpr std::size_t kMostTogether = 8;

bool is_large(const ir::Module& module, const Instruction& instruction) {
  int64_t bytes = instruction.result_bytes;
  for (const ir::ValueId operand : module.operands(instruction.op)) {
    const ir::Type& type = module.type(operand);
    if (!type.is_static_tensor()) continue;
    bytes = checked_add(bytes, type.num_bytes()).value_or(kWorthAThread);
  }
  return bytes >= kWorthAThread;
}

}  // namespace

void find_independent_ops(const Program& program, Code& code) {
  std::vector<Instruction>& all = code.instructions;
  std::vector<bool> fits(all.size());
  for (std::size_t at = 0; at < all.size(); ++at) {
    fits[at] = all[at].kind == Instruction::Kind::Compute &&
               program.kernels[all[at].index].same_on_all_devices &&
               is_large(*program.module, all[at]);
  }
  for (std::size_t first = 0; first < all.size(); ++first) {
    std::set<Slot> written;
    std::size_t end = first;
    while (end < all.size() && fits[end] && end - first < kMostTogether) {
      const bool waits =
          std::ranges::any_of(all[end].operands, [&](Slot slot) { return written.contains(slot); });
      if (waits) break;
      written.insert(all[end].results.begin(), all[end].results.end());
      ++end;
    }
    all[first].num_together = static_cast<uint32_t>(std::max<std::size_t>(end - first, 1));
  }
}

}  // namespace shardy::simulation
