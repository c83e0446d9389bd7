// Import of mhlo.sharding texts at arguments, results and ops. Spec: interop 5.4.
//
//   sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>, found by leaf_reader.cpp
//   %a: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}
//   ->
//   %a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "passes/interop/gspmd_import.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/algebra/hlo_export.hpp"
#include "shardy/algebra/hlo_sharding.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

// ---- Leaves -------------------------------------------------------------------------------------

Result<LeafSharding> GspmdImporter::leaf_in(const AttributePlace& place, const HloLeaf& leaf,
                                            const ir::Type& type, const Axes& manual) {
  SHARDY_TRY(LeafSharding read, reader_.read(place, leaf, type));
  if (read.manual.empty()) return read;
  Axes around = manual;
  std::ranges::sort(around);
  Axes own = read.manual;
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

// ---- Arguments and results ----------------------------------------------------------------------

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
                                              ValueId value, bool is_open, const Axes& manual) {
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

Status GspmdImporter::convert_signature(OpId function, const Axes& manual) {
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

// ---- Ops ----------------------------------------------------------------------------------------

Status GspmdImporter::convert_without_results(OpId op) {
  SHARDY_TRY(const auto leaves, reader_.leaves_at({op}));
  SHARDY_TRY(const LeafSharding read, reader_.read({op}, leaves->front(), ir::Type()));
  erase_mhlo_sharding(module_.attributes(op));
  if (!read.manual.empty()) return {};  // only marks an op of a manual region
  ++counts_.ops;
  module_.attributes(op).set(ir::kShardingAttr, ir::ShardingList{{read.sharding}});
  return {};
}

Status GspmdImporter::convert_results(OpId op, const Axes& manual) {
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

/// Makes placeholders in a tuple open, on the mesh of another leaf.
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

/// Checks that the op's existing shardings equal those of its text.
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
