// Calls become named computations, whose body is that of the function. Spec: passes 4.10.
//
//   %0 = call @f(%a) [{"y"}]                  %0 = sdy.named_computation<"f">(%a)
//                                                    in_shardings=[[{"x"}]]
//   func.func private @f(%x [{"x"}]) {   ->          out_shardings=[[{"y"}]] (%x) {
//     %1 = negate %x                              %1 = negate %x
//     return %1                                   sdy.return %1
//   }                                           }
//
// With data-flow edges, sdy.data_flow_edge ops follow the block arguments and the results.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
#include "passes/common/symbols.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/edge_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ShardingList;
using ir::ValueId;

namespace {

class Importer {
 public:
  Importer(Module& module, const ImportFuncCallsOptions& options)
      : module_(module), options_(options) {}

  Status run() {
    SHARDY_TRY(const ir::CallGraph graph, verified_calls_with_bodies(module_));
    SHARDY_TRY_STATUS(expect_few_copies(module_, graph));
    for (std::size_t index = 0; index < graph.calls.size(); ++index) {
      import_call(graph.calls[index], graph.callees[index]);
    }
    for (const OpId function : called_) module_.erase(function);
    if (options_.add_data_flow_edges_on_named_computations) add_edges();
    return {};
  }

 private:
  ir::AttributeMap attributes(OpId call, OpId function) const {
    ir::AttributeMap result;
    for (const ir::NamedAttribute& entry : module_.attributes(call)) {
      if (entry.name == ir::attr::kCallee || entry.name == ir::kShardingAttr) continue;
      result.set(entry.name, entry.value);
    }
    result.set(ir::attr::kName, original_name(module_, function));
    if (auto in = ir::func_arg_shardings(module_, function)) {
      result.set(ir::attr::kInShardings, ShardingList{*std::move(in)});
    }
    if (const auto* out = module_.attribute<ShardingList>(call, ir::kShardingAttr)) {
      result.set(ir::attr::kOutShardings, *out);
    }
    if (const ir::Attribute* thread = module_.attributes(function).find("execution_thread")) {
      result.set("execution_thread", *thread);
    }
    return result;
  }

  /// Creates the named computation with an empty block.
  OpId make_computation(OpId call, OpId function) {
    ir::OpSpec spec{.kind = OpKind::SdyNamedComputation};
    spec.operands = module_.operands(call);
    for (const ValueId result : module_.results(call)) {
      spec.result_types.push_back(module_.type(result));
    }
    spec.attributes = attributes(call, function);
    spec.location = module_.location(call);
    const ir::RegionId region = module_.new_region();
    const std::vector<ir::Type> types = ir::detail::operand_types(module_, call);
    module_.new_block(region, types);
    spec.regions = {region};
    const OpId computation = module_.create(std::move(spec));
    module_.insert_before(call, computation);
    for (std::size_t index = 0; index < module_.num_results(call); ++index) {
      module_.replace_all_uses(module_.result(call, index), module_.result(computation, index));
    }
    return computation;
  }

  void import_call(OpId call, OpId function) {
    const OpId computation = make_computation(call, function);
    const BlockId body = module_.block(computation);
    const auto moved = bodies_.find(function);
    if (moved == bodies_.end()) {
      move_body(function, body);
      bodies_.emplace(function, body);
      called_.push_back(function);
    } else {
      warn_of_copy(call, function);
      copy_body(moved->second, body);
    }
    module_.erase(call);
  }

  void move_body(OpId function, BlockId body) {
    const BlockId entry = module_.entry(function);
    for (std::size_t index = 0; index < module_.args(entry).size(); ++index) {
      module_.replace_all_uses(module_.args(entry)[index], module_.args(body)[index]);
    }
    module_.splice(entry, body);
    const OpId last = module_.last_op(body);
    ir::OpSpec spec{.kind = OpKind::SdyReturn};
    spec.operands = module_.operands(last);
    spec.attributes = module_.attributes(last);
    spec.location = module_.location(last);
    module_.erase(last);
    module_.append(body, module_.create(std::move(spec)));
  }

  void copy_body(BlockId from, BlockId to) {
    ValueMap map;
    for (std::size_t index = 0; index < module_.args(from).size(); ++index) {
      map[module_.args(from)[index]] = module_.args(to)[index];
    }
    clone_ops(module_, from, to, map);
  }

  void warn_of_copy(OpId call, OpId function) {
    if (has_warned_ || !options_.warn) return;
    has_warned_ = true;
    options_.warn(call,
                  "function @" + std::string(module_.symbol_name(function)) +
                      " has multiple call ops, we need to clone the function body for each "
                      "call",
                  "this is not an error: each call can have its own shardings; "
                  "sdy-flatten-call-graph makes each copy a function");
  }

  void add_edges() {
    for (const OpId op : ir::post_order(module_)) {
      if (module_.is(op, OpKind::SdyNamedComputation)) ir::insert_data_flow_edges(module_, op);
    }
  }

  Module& module_;
  const ImportFuncCallsOptions& options_;
  std::unordered_map<OpId, BlockId> bodies_;  // of functions called so far; later calls copy it
  std::vector<OpId> called_;
  bool has_warned_ = false;
};

}  // namespace

PassErrors import_func_calls(Module& module, const ImportFuncCallsOptions& options) {
  Status status = Importer(module, options).run();
  if (status) return {};
  return {std::move(status).error()};
}

}  // namespace shardy::passes
