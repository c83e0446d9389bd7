#include <string>
#include <utility>
#include <vector>

#include "report/parts.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/math.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

class Values {
 public:
  Values(const Module& module, const RunTimes& times, bool is_per_device)
      : module_(module), times_(times), is_per_device_(is_per_device) {}

  std::vector<Value> all() {
    values_.reserve(module_.num_values());
    for (const OpId op : ir::pre_order(module_)) {
      const ir::BlockId block = module_.parent_block(op);
      const bool runs = block.valid() && times_.of(block).count > 0;
      for (const ValueId result : module_.results(op)) {
        if (runs) add(result);
      }
      for (const ir::RegionId region : module_.regions(op)) {
        for (const ir::BlockId inner : module_.blocks(region)) {
          if (times_.of(inner).count == 0) continue;
          for (const ValueId arg : module_.args(inner)) add(arg);
        }
      }
    }
    return std::move(values_);
  }

 private:
  void add(ValueId value) {
    const ir::Type& type = module_.type(value);
    if (!type.is_static_tensor()) return;
    Value row{.made_by = maker_of(module_, value),
              .location = place_of(module_, value),
              .type = ir::to_string(type),
              .sharding = {},
              .local_type = {},
              .local_bytes = type.num_bytes()};
    row.local_type = row.type;
    const auto sharding = ir::get_sharding(module_, value);
    if (!is_per_device_ && sharding && sharding->rank() == type.dims().size()) {
      row.sharding = to_string(*sharding);
      const ir::Type local = type.with_dims(sharding->local_shape(type.dims()));
      int64_t shards = 1;
      for (const DimSharding& dim : sharding->dims()) shards *= dim.sharded_size();
      row.local_type = ir::to_string(local);
      row.local_bytes = local.num_bytes();
      row.padding_bytes = local.num_bytes() - type.num_bytes() / shards;
    }
    values_.push_back(std::move(row));
  }

  const Module& module_;
  const RunTimes& times_;
  bool is_per_device_;
  std::vector<Value> values_;
};

}  // namespace

std::vector<Value> values_of(const Module& program, const RunTimes& times, bool is_per_device) {
  return Values(program, times, is_per_device).all();
}

}  // namespace shardy::report
