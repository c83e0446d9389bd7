// Named computations become private functions and calls. Spec: passes 5.9.
//
//   %0 = sdy.named_computation<"f">(%a) (%x) {         %0 = call @f(%a) [{"x", ?}]
//     %1 = sdy.data_flow_edge %x [{"x", ?}]
//     %2 = negate %1 [{"x", ?}]                        func.func private @f(%x [{"x", ?}]) {
//     sdy.return %2                                ->    %2 = negate %x [{"x", ?}]
//   }                                                    return %2
//   %3 = sdy.data_flow_edge %0 [{"x", ?}]              }
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
#include "passes/common/symbols.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/edge_shardings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::EdgeOwners;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Returns the shardings of the edges if any edge has one; else those of the op's own attribute.
std::optional<ir::ShardingList> shardings(const Module& module, OpId op, EdgeOwners which) {
  const std::vector<ValueId> owners = ir::edge_owners(module, op, which);
  const TensorSharding* first = nullptr;
  std::vector<const TensorSharding*> of_edges;
  for (const ValueId owner : owners) {
    const auto edge = ir::edge_op_of_owner(module, owner);
    of_edges.push_back(edge ? module.attribute<TensorSharding>(*edge, ir::attr::kSharding)
                            : nullptr);
    if (first == nullptr) first = of_edges.back();
  }
  if (first == nullptr) {
    const auto* stored = module.attribute<ir::ShardingList>(
        op, which == EdgeOwners::BlockArgs ? ir::attr::kInShardings : ir::attr::kOutShardings);
    return stored != nullptr ? std::optional(*stored) : std::nullopt;
  }
  ir::ShardingList list;
  for (std::size_t index = 0; index < owners.size(); ++index) {
    list.shardings.push_back(of_edges[index] != nullptr
                                 ? *of_edges[index]
                                 : ir::open_sharding_of(module, owners[index], *first));
  }
  return list;
}

void remove_edges(Module& module, const std::vector<ValueId>& owners) {
  for (const ValueId owner : owners) {
    for (const ir::Use& use : module.uses(owner)) {
      if (!module.is(use.op, OpKind::SdyDataFlowEdge)) continue;
      module.replace_all_uses(module.result(use.op), owner);
      module.erase(use.op);
    }
  }
}

OpId outline(Module& module, OpId op, SymbolTable& symbols) {
  const auto* name = module.attribute<std::string>(op, ir::attr::kName);
  const std::string original = name != nullptr ? *name : std::string();
  const auto in = shardings(module, op, EdgeOwners::BlockArgs);
  const OpId function = outline_body(module, op, symbols, original);
  ir::AttributeMap& attributes = module.attributes(function);
  attributes.set(kOriginalFuncNameAttr, original);
  if (const ir::Attribute* thread = module.attributes(op).find("execution_thread")) {
    attributes.set("execution_thread", *thread);
  }
  const auto args = module.args(module.entry(function));
  remove_edges(module, {args.begin(), args.end()});
  for (std::size_t index = 0; in && index < in->shardings.size(); ++index) {
    ir::set_arg_sharding(module, function, index, in->shardings[index]);
  }
  return function;
}

OpId replace_by_call(Module& module, OpId op, SymbolTable& symbols) {
  auto out = shardings(module, op, EdgeOwners::Results);
  const OpId function = outline(module, op, symbols);
  ir::OpSpec spec{.kind = OpKind::FuncCall};
  spec.operands = module.operands(op);
  spec.result_types = ir::detail::result_types(module, op);
  spec.attributes = module.attributes(op);
  for (const std::string_view own :
       {ir::attr::kName, ir::attr::kInShardings, ir::attr::kOutShardings,
        std::string_view("execution_thread")}) {
    spec.attributes.erase(own);
  }
  spec.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  if (out) spec.attributes.set(ir::kShardingAttr, *std::move(out));
  spec.location = module.location(op);
  const OpId call = module.create(std::move(spec));
  module.insert_before(op, call);
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    module.replace_all_uses(module.result(op, index), module.result(call, index));
  }
  module.erase(op);
  return call;
}

}  // namespace

void export_named_computations(Module& module) {
  SymbolTable symbols(module);
  std::vector<OpId> calls;
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::SdyNamedComputation)) continue;
    calls.push_back(replace_by_call(module, op, symbols));
  }
  for (const OpId call : calls) remove_edges(module, module.results(call));
}

}  // namespace shardy::passes
