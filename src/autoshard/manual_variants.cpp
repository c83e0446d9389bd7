// Finds the shardings of manual computations along free axes. A seed is one atom in one open dim;
// propagation extends it to the other operands and results.
//
//   manual_computation(%x [{"m", ?}, {?}], %w [{?}, {?}]) -> [{"m", ?}, {?}], manual axes "m"
//     declared          [{"m"}, {}],    [{}, {}]    -> [{"m"}, {}]
//     "a" in %x dim 1   [{"m"}, {"a"}], [{"a"}, {}] -> [{"m"}, {}]
//     "a" in %w dim 1   [{"m"}, {}],    [{}, {"a"}] -> [{"m"}, {"a"}]
#include <algorithm>
#include <cstdint>
#include <utility>

#include "autoshard/op_strategies.hpp"
#include "autoshard/program_model.hpp"
#include "passes/common/functions.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;

namespace {

/// The most variants of a computation, and the most programs that are propagated to find them.
constexpr std::size_t kMostVariants = 32;
constexpr int kMostPropagated = 256;

TensorSharding closed(const MeshRef& mesh, const TensorSharding& sharding) {
  std::vector<AxisList> axes;
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) axes.push_back(sharding.dim(dim).axes);
  return TensorSharding::closed(mesh, std::move(axes));
}

/// Returns the lists with an atom after the axes of an open dim; std::nullopt if the dim is closed
/// or cannot be divided.
std::optional<std::vector<TensorSharding>> with_seed(const std::vector<TensorSharding>& lists,
                                                     std::size_t tensor, std::size_t dim,
                                                     const AxisRef& atom, int64_t size) {
  const TensorSharding& sharding = lists[tensor];
  const bool is_used =
      overlaps(atom, sharding.dim_axes()) || overlaps(atom, sharding.replicated_axes());
  if (sharding.is_closed(dim) || is_used) return std::nullopt;
  AxisList axes = sharding.dim(dim).axes;
  append_or_merge(axes, atom);
  if (size % sharding_size(axes) != 0) return std::nullopt;
  std::vector<AxisList> dims;
  for (std::size_t each = 0; each < sharding.rank(); ++each) {
    dims.push_back(each == dim ? axes : sharding.dim(each).axes);
  }
  std::vector<TensorSharding> seeded = lists;
  seeded[tensor] = sharding.with_dim_axes(std::move(dims));
  return seeded;
}

}  // namespace

std::vector<TensorSharding> manual_shardings(const Module& module, OpId op) {
  std::vector<TensorSharding> all = passes::shardings_in(module, op, ir::attr::kInShardings);
  const auto out = passes::shardings_in(module, op, ir::attr::kOutShardings);
  all.insert(all.end(), out.begin(), out.end());
  return all;
}

void set_manual_shardings(Module& module, OpId op, std::span<const TensorSharding> all) {
  const std::size_t count = module.num_operands(op);
  const auto list = [](std::span<const TensorSharding> part) {
    return ir::ShardingList{std::vector<TensorSharding>(part.begin(), part.end())};
  };
  module.attributes(op).set(ir::attr::kInShardings, list(all.first(count)));
  module.attributes(op).set(ir::attr::kOutShardings, list(all.subspan(count)));
}

ManualVariants::ManualVariants(const Module& module, const MeshAtoms& atoms,
                               const SecondsOfProgram& seconds_of,
                               const PropagateProgram& propagate, double operations_per_second)
    : module_(module),
      atoms_(atoms),
      seconds_of_(seconds_of),
      propagate_(propagate),
      operations_per_second_(operations_per_second) {}

Module ManualVariants::program_of(OpId op, std::span<const TensorSharding> lists) const {
  const std::size_t count = module_.num_operands(op);
  Module program = program_of_op(module_, op, lists.first(count), lists.subspan(count));
  for (const OpId each : program.ops(program.entry(*program.main_function()))) {
    if (program.is(each, ir::OpKind::SdyManualComputation)) {
      set_manual_shardings(program, each, lists);
    }
  }
  return program;
}

double ManualVariants::seconds(OpId op, std::span<const TensorSharding> lists) const {
  const auto found = seconds_of_ ? seconds_of_(program_of(op, lists)) : std::nullopt;
  if (found) return *found;
  double flops = 0;
  for (const OpId inner : ir::pre_order(module_)) {
    const ir::BlockId block = module_.parent_block(inner);
    if (!block.valid() || module_.parent_op(block) != op) continue;
    flops += report::flops_of_op(module_, inner);
  }
  return flops / operations_per_second_;
}

/// Returns the lists with the axes that propagation adds to them.
std::optional<ManualVariants::Lists> ManualVariants::propagated(OpId op, const Lists& declared,
                                                                const Lists& lists) const {
  const auto program = propagate_(program_of(op, lists));
  if (!program) return std::nullopt;
  const auto computations = passes::manual_computations(*program);
  if (computations.empty()) return std::nullopt;
  const Lists found = manual_shardings(*program, computations.back());  // inner ones come first
  if (found.size() != declared.size()) return std::nullopt;
  Lists extended;
  for (std::size_t tensor = 0; tensor < found.size(); ++tensor) {
    std::vector<AxisList> axes;
    for (std::size_t dim = 0; dim < found[tensor].rank(); ++dim) {
      axes.push_back(found[tensor].dim(dim).axes);
    }
    extended.push_back(declared[tensor].with_dim_axes(std::move(axes)));
  }
  return extended;
}

/// Returns the lists with one more axis in one dim, where it fits.
std::vector<ManualVariants::Lists> ManualVariants::seeded_lists(OpId op, const Lists& lists,
                                                                const AxisRef& atom) const {
  std::vector<Lists> seeded;
  const std::size_t operands = module_.num_operands(op);
  for (std::size_t tensor = 0; tensor < lists.size(); ++tensor) {
    const ir::ValueId value =
        tensor < operands ? module_.operand(op, tensor) : module_.result(op, tensor - operands);
    const auto sizes = module_.type(value).dims();
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      auto with_axis = with_seed(lists, tensor, dim, atom, sizes[dim]);
      if (with_axis) seeded.push_back(*std::move(with_axis));
    }
  }
  return seeded;
}

std::vector<ManualVariants::Lists> ManualVariants::all_lists(OpId op, const Lists& declared) const {
  std::vector<Lists> all = {declared};
  if (!propagate_) return all;
  const auto* manual = module_.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  int left = kMostPropagated;
  for (const AxisRef& atom : atoms_.atoms) {
    const std::string& name = atoms_.mesh.mesh.axis_name(atom.axis);
    if (manual != nullptr && std::ranges::find(manual->names, name) != manual->names.end()) {
      continue;
    }
    const std::size_t num_without = all.size();
    for (std::size_t at = 0; at < num_without; ++at) {
      for (const Lists& seeded : seeded_lists(op, all[at], atom)) {
        if (all.size() == kMostVariants || left-- <= 0) return all;
        auto lists = propagated(op, declared, seeded);
        const bool is_new = lists && std::ranges::find(all, *lists) == all.end();
        if (is_new) all.push_back(*std::move(lists));
      }
    }
  }
  return all;
}

const std::vector<ManualVariant>& ManualVariants::of(OpId op) {
  const Lists declared = manual_shardings(module_, op);
  const auto [known, is_new] = known_.try_emplace(text::to_mlir(program_of(op, declared)));
  if (!is_new) return known->second;
  const auto count = static_cast<std::ptrdiff_t>(module_.num_operands(op));
  for (const Lists& lists : all_lists(op, declared)) {
    Lists all;
    for (const TensorSharding& sharding : lists) all.push_back(closed(atoms_.mesh, sharding));
    const double price = seconds(op, all);
    known->second.push_back(
        {Lists(all.begin(), all.begin() + count), Lists(all.begin() + count, all.end()), price});
  }
  return known->second;
}

}  // namespace shardy::autoshard
