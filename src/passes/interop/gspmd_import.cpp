// Import of GSPMD's shardings: the walk over functions and regions, and custom calls.
// Spec: interop 5.5, 5.6.
//
//   %0 = custom_call @Sharding(%a)
//     {backend_config = "unspecified_dims=[1]",
//      mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : tensor<16x8xf32>
//   ->
//   sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>
//   %0 = sdy.sharding_constraint %a <@mesh, [{"_axis_0"}, {?}]> : tensor<16x8xf32>
#include "passes/interop/gspmd_import.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

// ---- Functions ----------------------------------------------------------------------------------

Status GspmdImporter::visit_function(OpId function, const Axes& manual) {
  SHARDY_TRY_STATUS(convert_signature(function, manual));
  if (module_.is_external(function)) return {};
  blocks_.push_back({module_.entry(function), manual});
  while (!blocks_.empty()) {
    const Block next = std::move(blocks_.back());
    blocks_.pop_back();
    SHARDY_TRY_STATUS(visit_block(next));
  }
  return {};
}

namespace {

/// Returns the ops of a block and of nested regions, except bodies of manual computations.
std::vector<OpId> ops_outside_of_regions(const Module& module, ir::BlockId block) {
  return ir::pre_order(module, block,
                       [&](OpId op) { return !module.is(op, OpKind::SdyManualComputation); });
}

}  // namespace

Status GspmdImporter::visit_block(const Block& block) {
  SHARDY_TRY_STATUS(
      convert_region_calls(ops_outside_of_regions(module_, block.block), block.manual));
  SHARDY_TRY_STATUS(convert_inline_regions(block.block, block.manual));
  for (const OpId op : ops_outside_of_regions(module_, block.block)) {
    if (module_.is_erased(op)) continue;
    if (module_.is(op, OpKind::FuncCall)) {
      SHARDY_TRY_STATUS(visit_call(op, block.manual));
    }
    SHARDY_TRY_STATUS(convert_op(op, block.manual));
  }
  return {};
}

Status GspmdImporter::visit_call(OpId call, const Axes& manual) {
  const auto callee = ir::callee_of(module_, call);
  if (!callee) return {};
  const auto [first, is_new] = first_manual_.emplace(*callee, manual);
  if (is_new) functions_.emplace_back(*callee, manual);
  if (!is_new && first->second != manual) other_calls_.emplace_back(call, manual);
  return {};
}

/// Functions without outer manual axes may be called in any manual computation.
Status GspmdImporter::check_calls() const {
  for (const auto& [call, manual] : other_calls_) {
    const auto callee = module_.is_erased(call) ? std::nullopt : ir::callee_of(module_, call);
    if (!callee || !with_manual_.contains(*callee)) continue;
    return fail_at_place(module_, {call},
                         "function " + symbol_text(module_.symbol_name(*callee)) +
                             " has manual shardings, and is called with the manual axes " +
                             manual_axes_text(first_manual_.at(*callee)) + " and " +
                             manual_axes_text(manual) + " around it");
  }
  return {};
}

// ---- Ops ----------------------------------------------------------------------------------------

Status GspmdImporter::convert_op(OpId op, const Axes& manual) {
  if (module_.is(op, OpKind::SdyManualComputation)) {
    const auto* own = module_.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
    Axes inside = manual;
    if (own != nullptr) inside.insert(inside.end(), own->names.begin(), own->names.end());
    if (!module_.blocks(module_.regions(op)[0]).empty()) {
      blocks_.push_back({module_.block(op), std::move(inside)});
    }
  }
  const std::string_view name = call_target(module_, op);
  const bool is_copy =
      is_mhlo_copy(module_, op) && mhlo_sharding(module_.attributes(op)) != nullptr;
  if (name == target::kSharding || is_copy) return convert_sharding_call(op, manual);
  if (name == target::kFullToShard || name == target::kShardToFull) {
    return fail_at_place(module_, {op},
                         symbol_text(name) + " is not at a boundary of a manual computation");
  }
  if (mhlo_sharding(module_.attributes(op)) == nullptr) return {};
  return module_.num_results(op) == 0 ? convert_without_results(op) : convert_results(op, manual);
}

// ---- Custom calls -------------------------------------------------------------------------------

Result<std::vector<std::size_t>> unspecified_dims(const Module& module, OpId call) {
  std::vector<std::size_t> dims;
  const ir::Attribute* config = module.attributes(call).find(ir::attr::kBackendConfig);
  if (config == nullptr) return dims;
  const auto* text = config->as<std::string>();
  const auto refuse = [&] {
    return fail_at_place(module, {call},
                         "cannot read backend_config " + in_quotes(*text) + " of " +
                             symbol_text(call_target(module, call)));
  };
  if (text == nullptr) {
    return fail_at_place(
        module, {call},
        "backend_config of " + symbol_text(call_target(module, call)) + " is not a string");
  }
  if (text->empty()) return dims;
  Scanner scanner(*text);
  if (!scanner.eat("unspecified_dims") || !scanner.eat('=') || !scanner.eat('[')) return refuse();
  const Status read = read_list(scanner, "]", [&]() -> Status {
    SHARDY_TRY(const int64_t dim, scanner.decimal());
    dims.push_back(static_cast<std::size_t>(dim));
    return {};
  });
  if (!read || !scanner.at_end()) return refuse();
  const std::size_t rank = ir::sharding_rank(module.type(module.result(call)));
  for (const std::size_t dim : dims) {
    if (dim < rank) continue;
    return fail_at_place(module, {call},
                         "unspecified dim " + std::to_string(dim) + " of " +
                             symbol_text(call_target(module, call)) + " is out of range in " +
                             in_quotes(*text));
  }
  std::ranges::sort(dims);
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return dims;
}

Status GspmdImporter::convert_sharding_call(OpId call, const Axes& manual) {
  if (module_.num_results(call) != 1 || module_.num_operands(call) != 1) {
    return fail_at_place(module_, {call}, "expected CustomCallOp with exactly one result");
  }
  const ValueId operand = module_.operand(call, 0);
  const ValueId result = module_.result(call);
  if (module_.type(result) != module_.type(operand)) {
    return fail_at_place(module_, {call}, "@Sharding changes the type of its operand");
  }
  SHARDY_TRY(const auto leaves, reader_.leaves_at({call}));
  const auto* own = module_.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (!leaves && own == nullptr) {
    return fail_at_place(module_, {call}, "expected CustomCallOp with a sharding attribute");
  }
  std::optional<LeafSharding> read;
  if (leaves) {
    SHARDY_TRY(read, leaf_in({call}, leaves->front(), module_.type(result), manual));
  }
  SHARDY_TRY(const std::vector<std::size_t> open, unspecified_dims(module_, call));
  ValueId value = operand;
  const bool is_group_alone = own == nullptr && read->group && read->is_unknown;
  if (!is_group_alone && !module_.type(operand).is_token()) {
    ++counts_.constraints;
    TensorSharding sharding = own != nullptr ? own->shardings.front() : read->sharding;
    if (sharding.rank() > 0) sharding = sharding.with_open_dims(open);
    ir::OpSpec spec{.kind = OpKind::SdyShardingConstraint,
                    .operands = {operand},
                    .result_types = {module_.type(operand)}};
    spec.attributes.set(ir::attr::kSharding, std::move(sharding));
    spec.location = module_.location(call);
    const OpId constraint = module_.create(std::move(spec));
    module_.insert_before(call, constraint);
    value = module_.result(constraint);
  }
  if (read) add_group(value, *read, call);
  module_.replace_all_uses(result, value);
  module_.erase(call);
  return {};
}

// ---- Entry point --------------------------------------------------------------------------------

Status GspmdImporter::run() {
  std::set<OpId> called;
  for (const OpId call : ir::call_graph(module_).calls) {
    if (const auto callee = ir::callee_of(module_, call)) called.insert(*callee);
  }
  const std::vector<OpId> all = module_.functions();
  const auto visit_all = [&](bool roots) -> Status {
    for (const OpId function : all) {
      if (module_.is_erased(function) || (roots && called.contains(function))) continue;
      if (!first_manual_.emplace(function, Axes()).second) continue;
      functions_.emplace_back(function, Axes());
      while (!functions_.empty()) {
        const auto next = std::move(functions_.back());
        functions_.pop_back();
        if (module_.is_erased(next.first)) continue;
        SHARDY_TRY_STATUS(visit_function(next.first, next.second));
      }
    }
    return {};
  };
  SHARDY_TRY_STATUS(visit_all(true));
  bodies_.erase_taken();
  SHARDY_TRY_STATUS(visit_all(false));
  return check_calls();
}

Status import_gspmd(Module& module, const GspmdImportOptions& options, ImportedShardings& counts) {
  flatten_tuples(module);
  LeafReader reader(module);
  SHARDY_TRY_STATUS(reader.collect());
  GspmdImportOptions own = options;
  own.has_placeholders = own.has_placeholders || reader.found_named();
  SHARDY_TRY_STATUS(reader.choose_mesh());
  if (reader.found_any() && reader.mesh()) {
    counts.mesh = symbol_text(*reader.mesh()->name) + " = " + to_string(reader.mesh()->mesh);
  }
  return GspmdImporter(module, own, reader, counts).run();
}

}  // namespace shardy::passes
