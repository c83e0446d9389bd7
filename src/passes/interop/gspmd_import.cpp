// Import of GSPMD shardings: functions, regions and custom calls. Spec: interop 5.5, 5.6.
//
//   %0 = custom_call @Sharding(%a)
//     {backend_config = "unspecified_dims=[1]",
//      mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : tensor<16x8xf32>
//   ->
//   sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>
//   %0 = sdy.sharding_constraint %a <@mesh, [{"_axis_0"}, {?}]> : tensor<16x8xf32>
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/hlo_conversion.hpp"
#include "shardy/algebra/hlo_sharding.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

// ---- Functions ----------------------------------------------------------------------------------

Status GspmdImporter::visit_function(OpId function, const NameList& manual) {
  SHARDY_TRY_STATUS(convert_signature(function, manual));
  if (module_.is_external(function)) return {};
  blocks_.push_back({module_.entry(function), manual});
  while (!blocks_.empty()) {
    const ManualBlock next = std::move(blocks_.back());
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

Status GspmdImporter::visit_block(const ManualBlock& block) {
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

Status GspmdImporter::visit_call(OpId call, const NameList& manual) {
  const auto callee = ir::callee_of(module_, call);
  if (!callee) return {};
  const auto [first, is_new] = first_manual_.emplace(*callee, manual);
  if (is_new) functions_.emplace_back(*callee, manual);
  if (!is_new && first->second != manual) other_calls_.emplace_back(call, manual);
  return {};
}

/// Checks calls of functions visited under other manual axes. A function whose `mhlo.sharding`
/// attributes do not name manual axes from outside may be called in any manual computation.
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

Status GspmdImporter::convert_op(OpId op, const NameList& manual) {
  if (module_.is(op, OpKind::SdyManualComputation)) {
    const auto* own = module_.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
    NameList inside = manual;
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

Status GspmdImporter::convert_sharding_call(OpId call, const NameList& manual) {
  if (module_.num_results(call) != 1) {
    return fail_at_place(module_, {call}, "expected CustomCallOp with exactly one result");
  }
  if (module_.num_operands(call) != 1) {
    return fail_at_place(module_, {call}, "expected CustomCallOp with exactly one operand");
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

Status GspmdImporter::visit_waiting() {
  while (!functions_.empty()) {
    const auto next = std::move(functions_.back());
    functions_.pop_back();
    if (module_.is_erased(next.first)) continue;
    SHARDY_TRY_STATUS(visit_function(next.first, next.second));
  }
  return {};
}

Status GspmdImporter::run() {
  std::set<OpId> called;
  for (const OpId call : ir::call_graph(module_).calls) {
    if (const auto callee = ir::callee_of(module_, call)) called.insert(*callee);
  }
  const std::vector<OpId> all = module_.functions();
  const auto visit_all = [&](bool roots) -> Status {
    for (const OpId function : all) {
      if (module_.is_erased(function) || (roots && called.contains(function))) continue;
      if (!first_manual_.emplace(function, NameList()).second) continue;
      functions_.emplace_back(function, NameList());
      SHARDY_TRY_STATUS(visit_waiting());
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

// ---- Texts at arguments, results and ops --------------------------------------------------------
// Import of mhlo.sharding texts on arguments, results and ops. Spec: interop 5.4.
//
//   sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>, found by leaf_reader.cpp
//   %a: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}
//   ->
//   %a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}

// ---- Leaves -------------------------------------------------------------------------------------

Result<LeafSharding> GspmdImporter::leaf_in(const AttributePlace& place, const HloLeaf& leaf,
                                            const ir::Type& type, const NameList& manual) {
  SHARDY_TRY(LeafSharding read, reader_.read(place, leaf, type));
  if (read.manual.empty()) return read;
  NameList around = manual;
  std::ranges::sort(around);
  NameList own = read.manual;
  std::ranges::sort(own);
  if (own == around) return read;
  std::string text;
  if (const auto* hlo = std::get_if<HloSharding>(&leaf)) text = to_string(*hlo);
  if (const auto* named = std::get_if<NamedHloSharding>(&leaf)) text = to_string(*named);
  if (manual.empty()) {
    return fail_at_place(module_, place,
                         "manual sharding of " + place_text(module_, place) +
                             " outside a manual computation in " + in_quotes(text));
  }
  return fail_at_place(module_, place,
                       "manual sharding of " + place_text(module_, place) + " is over " +
                           manual_axes_text(own) + ", the manual computation around it over " +
                           manual_axes_text(around) + " in " + in_quotes(text));
}

void GspmdImporter::add_group(ValueId value, const LeafSharding& leaf, OpId before) {
  if (!leaf.group) return;
  if (leaf.group->kind == HloShardGroup::Kind::Like) {
    ++counts_.likes;
    return;
  }
  ++counts_.groups;
  ir::OpSpec spec{.kind = OpKind::SdyShardingGroup, .operands = {value}};
  spec.attributes.set(ir::attr::kGroupId, ir::IntegerAttr{leaf.group->id, ir::ElementType::I64});
  spec.location = module_.location(before);
  module_.insert_before(before, module_.create(std::move(spec)));
}

// ---- Texts at arguments and results -------------------------------------------------------------

namespace {

bool is_open_at(const std::vector<bool>& open, std::size_t index) {
  if (open.size() == 1) return open[0];
  return index < open.size() && open[index];
}

/// Checks whether both shardings place the same elements on each device.
bool means_the_same(const TensorSharding& a, const TensorSharding& b) {
  if (is_equivalent(a, b)) return true;
  const auto one = export_hlo(a);
  const auto two = export_hlo(b);
  return one && two && *one == *two;
}

}  // namespace

Status GspmdImporter::convert_signature_place(const AttributePlace& place, const ir::Type& type,
                                              ValueId value, bool is_open, const NameList& manual) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at(place));
  if (!leaves) return {};
  const HloLeaf leaf = leaves->front();
  ir::AttributeMap& attributes = attributes_at(module_, place);
  if (options_.has_placeholders && LeafReader::is_replicated(leaf)) {
    ++counts_.placeholders;
    erase_mhlo_sharding(attributes);
    return {};
  }
  SHARDY_TRY(LeafSharding read, leaf_in(place, leaf, type, manual));
  erase_mhlo_sharding(attributes);
  ++(place.kind == AttributePlace::Kind::Argument ? counts_.arguments : counts_.results);
  if (is_open) read.sharding = read.sharding.open_like();
  if (const auto* own = attributes.get<TensorSharding>(ir::kShardingAttr)) {
    if (means_the_same(*own, read.sharding)) return {};
    return fail_at_place(module_, place,
                         place_text(module_, place) + " has both " + attribute_text(*own) +
                             " and another mhlo.sharding, which is " +
                             attribute_text(read.sharding));
  }
  attributes.set(ir::kShardingAttr, read.sharding);
  if (!value.valid()) return {};
  const ir::BlockId entry = module_.entry(place.op);
  add_group(value, read,
            place.kind == AttributePlace::Kind::Argument ? module_.first_op(entry)
                                                         : module_.last_op(entry));
  return {};
}

Status GspmdImporter::convert_signature(OpId function, const NameList& manual) {
  const bool is_external = module_.is_external(function);
  const bool is_main = module_.main_function() == function;
  const std::vector<ir::Type> args = module_.arg_types(function);
  for (std::size_t index = 0; index < module_.function(function).arg_attributes.size(); ++index) {
    const ValueId value = is_external ? ValueId() : module_.args(module_.entry(function))[index];
    SHARDY_TRY_STATUS(
        convert_signature_place({function, AttributePlace::Kind::Argument, index}, args[index],
                                value, is_main && is_open_at(options_.open_args, index), manual));
  }
  const std::vector<ir::Type> results = module_.function(function).result_types;
  const std::vector<ValueId> returned =
      is_external ? std::vector<ValueId>() : module_.returned_values(function);
  const std::size_t num_results = module_.function(function).result_attributes.size();
  for (std::size_t index = 0; index < num_results; ++index) {
    SHARDY_TRY_STATUS(
        convert_signature_place({function, AttributePlace::Kind::Result, index}, results[index],
                                index < returned.size() ? returned[index] : ValueId(),
                                is_main && is_open_at(options_.open_results, index), manual));
  }
  return {};
}

// ---- Texts at ops -------------------------------------------------------------------------------

Status GspmdImporter::convert_without_results(OpId op) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at({op}));
  SHARDY_TRY(const LeafSharding read, reader_.read({op}, leaves->front(), ir::Type()));
  erase_mhlo_sharding(module_.attributes(op));
  if (!read.manual.empty()) return {};  // the text only marks an op of a manual region
  ++counts_.ops;
  module_.attributes(op).set(ir::kShardingAttr, ir::ShardingList{{read.sharding}});
  return {};
}

Status GspmdImporter::convert_results(OpId op, const NameList& manual) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at({op}));
  if (options_.has_placeholders && std::ranges::all_of(*leaves, &LeafReader::is_replicated)) {
    ++counts_.placeholders;
    erase_mhlo_sharding(module_.attributes(op));
    return {};
  }
  std::vector<LeafSharding> read;
  for (std::size_t index = 0; index < leaves->size(); ++index) {
    const ir::Type& type = module_.type(module_.result(op, index));
    SHARDY_TRY(LeafSharding one, leaf_in({op}, (*leaves)[index], type, manual));
    read.push_back(std::move(one));
  }
  if (options_.has_placeholders) open_placeholders(op, *leaves, read);
  erase_mhlo_sharding(module_.attributes(op));
  ++counts_.ops;
  ir::ShardingList list;
  for (const LeafSharding& one : read) list.shardings.push_back(one.sharding);
  if (module_.attributes(op).contains(ir::kShardingAttr)) return expect_own(op, list);
  module_.attributes(op).set(ir::kShardingAttr, std::move(list));
  for (std::size_t index = 0; index < read.size(); ++index) {
    add_group(module_.result(op, index), read[index], module_.next(op));
  }
  return {};
}

/// Sets fully open shardings, on the mesh of another leaf, for the leaves of a tuple whose
/// `{replicated}` means that they have no sharding.
void GspmdImporter::open_placeholders(OpId op, const std::vector<HloLeaf>& leaves,
                                      std::vector<LeafSharding>& read) {
  const auto with_mesh = std::ranges::find_if(read, [](const LeafSharding& one) {
    return !one.sharding.mesh().is_maximal() && !one.sharding.mesh().empty();
  });
  if (with_mesh == read.end()) return;
  const TensorSharding like = with_mesh->sharding;
  for (std::size_t index = 0; index < read.size(); ++index) {
    if (!LeafReader::is_replicated(leaves[index])) continue;
    ++counts_.placeholders;
    read[index].sharding = TensorSharding::fully_open(
        like.mesh(), like.mesh_name(), ir::sharding_rank(module_.type(module_.result(op, index))));
  }
}

/// Checks that the op's existing shardings equal the shardings in its text.
Status GspmdImporter::expect_own(OpId op, const ir::ShardingList& list) const {
  const auto* own = module_.attribute<ir::ShardingList>(op, ir::kShardingAttr);
  for (std::size_t index = 0; own != nullptr && index < list.shardings.size(); ++index) {
    const bool is_same = index < own->shardings.size() &&
                         means_the_same(own->shardings[index], list.shardings[index]);
    if (is_same) continue;
    return fail_at_place(module_, {op},
                         place_text(module_, {op}) +
                             " has both sdy.sharding and another mhlo.sharding, which is " +
                             attribute_text(list.shardings[index]));
  }
  return {};
}

}  // namespace shardy::passes
