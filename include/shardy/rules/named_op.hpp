// Sharding rules of ops by name, for compilers whose programs are not modules of this library.
#pragma once

#include <shardy/ir/attribute.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <vector>

namespace shardy::rules {

/// An op outside of a program: its name, and the types of its tensors in order.
struct NamedOp {
  std::string name;                     // `stablehlo.dot_general`
  std::vector<ir::Type> operands = {};  // ir::Type::tensor(shape, element)
  std::vector<ir::Type> results = {};   // in the same form
  /// Attributes of the op; text::parse_attributes reads them from text.
  ir::AttributeMap attributes = {};
  /// The op that the body of a scatter applies to an element and its update: `stablehlo.add`.
  /// Empty: another body, such as one that returns the update.
  std::string combiner = {};
};

/// Returns the rule that Registry::rule_for returns for that op in a program; std::nullopt for an
/// op without one. If the rule depends on other ops, the operands of the op count as arguments: an
/// update at starts that are not constant, a concatenation of values that are not slices.
///
/// Example: `stablehlo.transpose` of 3x4 to 4x3 with `permutation = array<i64: 1, 0>`:
/// `([j, i])->([i, j]) {i=4, j=3}`. Errors: those of Registry::rule_for; a name or a combiner that
/// neither the library nor the registry has.
RuleResult rule_of(const NamedOp& op, const RuleOptions& options = {},
                   const Registry& registry = {});

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>
#include <shardy/ir/builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/detail/quote.hpp>
#include <span>
#include <string_view>
#include <utility>

namespace shardy::rules::detail {

SHARDY_INLINE Error unknown_op(std::string_view what, const std::string& name) {
  std::vector<std::string_view> names;
  for (const ir::OpInfo& info : ir::kOps) names.push_back(info.name);
  Error error{what.empty() ? "unknown op: " + name : std::string(what) + ": unknown op: " + name};
  if (const auto meant = closest(name, names))
    error.notes.push_back("did you mean " + *meant + "?");
  return error;
}

/// Adds a body that applies the op to each element of an input and its update.
SHARDY_INLINE ir::RegionId add_combiner(ir::Module& module, ir::OpKind combiner,
                                        std::span<const ir::Type> inputs) {
  const ir::RegionId region = module.new_region();
  const ir::BlockId body = module.new_block(region);
  std::vector<ir::ValueId> old_elements;
  std::vector<ir::ValueId> new_elements;
  for (std::vector<ir::ValueId>* side : {&old_elements, &new_elements}) {
    for (const ir::Type& input : inputs) {
      const ir::TensorType* tensor = input.tensor();
      const ir::ElementType element = tensor != nullptr ? tensor->element : ir::ElementType::F32;
      side->push_back(module.add_argument(body, ir::Type::tensor({}, element)));
    }
  }
  ir::Builder builder(module, body);
  std::vector<ir::ValueId> combined;
  for (std::size_t index = 0; index < old_elements.size(); ++index) {
    const ir::OpId op = builder.create({.kind = combiner,
                                        .operands = {old_elements[index], new_elements[index]},
                                        .result_types = {module.type(old_elements[index])}});
    combined.push_back(module.result(op));
  }
  builder.create({.kind = ir::OpKind::StablehloReturn, .operands = std::move(combined)});
  return region;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult rule_of(const NamedOp& op, const RuleOptions& options,
                                 const Registry& registry) {
  ir::Module module;
  const ir::BlockId block = module.entry(module.add_function("main", op.operands, {}));
  ir::OpSpec spec{.kind = ir::find_op(op.name), .name = op.name, .attributes = op.attributes};
  if (spec.kind != ir::OpKind::Unknown) spec.name.clear();
  const auto arguments = module.args(block);
  spec.operands.assign(arguments.begin(), arguments.end());
  spec.result_types = op.results;
  if (!op.combiner.empty()) {
    const ir::OpKind combiner = ir::find_op(op.combiner);
    if (combiner == ir::OpKind::Unknown) {
      return tl::unexpected(detail::unknown_op("combiner", op.combiner));
    }
    if (!ir::has_trait(combiner, ir::kElementwise)) {
      return fail("combiner: " + op.combiner + " is not elementwise");
    }
    const std::span<const ir::Type> inputs(op.operands);
    spec.regions = {detail::add_combiner(module, combiner, inputs.first(inputs.size() / 2))};
  }
  const OpView view(module, ir::Builder(module, block).create(std::move(spec)));
  if (!registry.knows(view) && view.kind() == ir::OpKind::Unknown) {
    return tl::unexpected(detail::unknown_op({}, op.name));
  }
  return registry.rule_for(view, options);
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
