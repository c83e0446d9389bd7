#include "shardy/propagation/detail/ir_written_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::propagation {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr const char* kOriginAttr = "shardy.origin";

/// Returns the position of `item` in `all`. Requires: `all` contains `item`.
template <class Id>
std::size_t position(std::span<const Id> all, Id item) {
  return static_cast<std::size_t>(std::ranges::find(all, item) - all.begin());
}

}  // namespace

WrittenProgram::WrittenProgram(Module module, ValueNamer names)
    : module_(std::move(module)), names_(std::move(names)), functions_(module_.num_ops()) {
  for (const OpId function : module_.functions()) {
    functions_[function.index()] = function;
    if (module_.is_external(function)) continue;
    for (const OpId op : ir::pre_order(module_, module_.entry(function))) {
      functions_[op.index()] = function;
    }
  }
}

void mark_origins(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    module.attributes(op).set(kOriginAttr, ir::IntegerAttr{static_cast<int64_t>(op.index())});
  }
}

std::optional<OpId> WrittenProgram::origin(const Module& changed, OpId op) const {
  const auto* mark = changed.attribute<ir::IntegerAttr>(op, kOriginAttr);
  if (mark == nullptr) return std::nullopt;
  const OpId written(static_cast<uint32_t>(mark->value));
  return written.index() < module_.num_ops() ? std::optional(written) : std::nullopt;
}

std::optional<ValueId> WrittenProgram::origin(const Module& changed, ValueId value) const {
  const ir::ValueOwner owner = changed.owner(value);
  const OpId op = owner.is_result() ? owner.op : changed.parent_op(owner.block);
  const std::optional<OpId> written = op.valid() ? origin(changed, op) : std::nullopt;
  if (!written) return std::nullopt;
  if (!owner.is_result()) return argument(*written, changed, owner);
  if (owner.index >= module_.num_results(*written)) return std::nullopt;
  return module_.result(*written, owner.index);
}

std::optional<ValueId> WrittenProgram::argument(OpId written, const Module& changed,
                                                const ir::ValueOwner& owner) const {
  std::optional<ir::BlockId> block;
  if (module_.is(written, OpKind::FuncCall)) {
    const auto* callee = module_.attribute<ir::SymbolAttr>(written, ir::attr::kCallee);
    const auto function = callee != nullptr ? module_.find_symbol(callee->name) : std::nullopt;
    if (function) block = ir::entry_block(module_, *function);
  } else {
    const ir::RegionId region = changed.parent_region(owner.block);
    const auto at = position<ir::RegionId>(changed.regions(changed.parent_op(region)), region);
    const auto in_region = position<ir::BlockId>(changed.blocks(region), owner.block);
    const auto regions = module_.regions(written);
    if (at < regions.size() && in_region < module_.blocks(regions[at]).size()) {
      block = module_.blocks(regions[at])[in_region];
    }
  }
  if (!block || owner.index >= module_.args(*block).size()) return std::nullopt;
  return module_.args(*block)[owner.index];
}

std::string WrittenProgram::function_of(OpId written) const {
  const OpId function = function_around(written);
  return function.valid() ? std::string(module_.symbol_name(function)) : std::string();
}

}  // namespace shardy::propagation
