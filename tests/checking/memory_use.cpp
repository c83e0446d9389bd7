#include "checking/memory_use.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

using namespace shardy;

namespace shardy_test {
namespace {

/// Returns the bytes of the largest shard.
int64_t shard_bytes(const ir::Module& module, ir::ValueId value) {
  const ir::Type& type = module.type(value);
  if (!type.is_static_tensor()) return 0;
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  if (const auto sharding = ir::get_sharding(module, value)) {
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const int64_t shards = sharding_size(sharding->dims()[dim].axes);
      dims[dim] = (dims[dim] + shards - 1) / shards;
    }
  }
  return type.with_dims(dims).num_bytes();
}

/// Returns the op of `block` that is `op` or contains `op`.
ir::OpId op_of_block(const ir::Module& module, ir::OpId op, ir::BlockId block) {
  while (module.parent_block(op) != block) op = module.parent_op(op);
  return op;
}

/// Returns the peak of the live bytes of main. A value is live from its op to its last reader, in
/// the order of the ops. Values in regions are left out, which makes the check stricter.
int64_t live_peak(const ir::Module& module) {
  const ir::BlockId body = module.entry(*module.main_function());
  std::map<ir::OpId, int64_t> place;
  for (const ir::OpId op : module.ops(body)) place.emplace(op, std::ssize(place));
  std::vector<int64_t> change(place.size() + 1);  // change of the live bytes at each op
  const auto count = [&](ir::ValueId value, int64_t first) {
    int64_t last = -1;
    for (const ir::Use& use : module.uses(value)) {
      last = std::max(last, place.at(op_of_block(module, use.op, body)));
    }
    if (last < 0) return;
    change[static_cast<std::size_t>(first)] += shard_bytes(module, value);
    change[static_cast<std::size_t>(last) + 1] -= shard_bytes(module, value);
  };
  for (const ir::ValueId arg : module.args(body)) count(arg, 0);
  for (const auto& [op, at] : place) {
    for (const ir::ValueId result : module.results(op)) count(result, at);
  }
  int64_t live = 0;
  int64_t peak = 0;
  for (const int64_t bytes : change) peak = std::max(peak, live += bytes);
  return peak;
}

}  // namespace

double MemoryUse::ratio() const {
  return static_cast<double>(peak) / static_cast<double>(std::max({exchanged, own, int64_t{1}}));
}

MemoryUse memory_use(const checking::CheckReport& report) {
  const ir::Module& program = report.compiled.program;
  const ir::OpId main = *program.main_function();
  int64_t bytes = 0;
  for (const ir::Type& type : program.arg_types(main)) bytes += type.num_bytes();
  for (const ir::Type& type : program.function(main).result_types) bytes += type.num_bytes();
  MemoryUse use;
  use.exchanged = bytes + most_bytes_sent(report.sharded);
  use.own = live_peak(report.compiled.propagated);
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    use.peak = std::max(use.peak, device.peak_live_bytes);
  }
  return use;
}

}  // namespace shardy_test
