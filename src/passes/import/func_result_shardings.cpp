// Custom calls in which exported programs carry the shardings of function results.
// Spec: passes 4.15.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "passes/common/sdy_ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/algebra/any_attribute.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Use;
using ir::ValueId;

namespace {

constexpr std::string_view kTarget = "xla.sdy.FuncResultSharding";

bool is_carrier(const Module& module, OpId op) {
  if (!module.is(op, OpKind::CustomCall)) return false;
  const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
  return target != nullptr && *target == kTarget && module.num_operands(op) == 1 &&
         module.num_results(op) == 1 &&
         module.type(module.operand(op, 0)) == module.type(module.result(op));
}

/// What the call carries; nothing if that is nothing.
std::optional<std::string> carried_text(const Module& module, OpId call) {
  const auto* attributes = module.attribute<ir::AttributeMap>(call, "mhlo.frontend_attributes");
  const auto* text = attributes ? attributes->get<std::string>("xla.sdy.sharding") : nullptr;
  return text != nullptr ? std::optional(*text) : std::nullopt;
}

/// Older exporters escape the text once more than its reader takes back.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape = text[at] == '\\' && at + 1 < text.size();
    if (is_escape) ++at;
    plain += text[at];
  }
  return plain;
}

Result<TensorSharding> read_sharding(const Module& module, OpId call, const std::string& text) {
  SHARDY_TRY(const SdyAttribute attribute, parse_attribute(unescaped(text)));
  const auto* list = std::get_if<SpelledShardings>(&attribute);
  if (list == nullptr || list->size() != 1) {
    return fail("expected #sdy.sharding_per_value with one sharding, got: " + text);
  }
  const SpelledSharding& spelled = list->front();
  SHARDY_TRY(const Mesh mesh,
             mesh_of(spelled, [&](const std::string& name) { return module.find_mesh(name); }));
  const ir::TypeShape shape(module.type(module.result(call)));
  return resolve(spelled, mesh, shape.view());
}

class ResultShardingImporter {
 public:
  ResultShardingImporter(Module& module, const FuncResultShardingsOptions& options)
      : module_(module), options_(options) {}

  /// In place of the call stands its operand, and the sharding where it belongs.
  void import_call(OpId call) {
    const std::optional<std::string> text = carried_text(module_, call);
    if (text) {
      const Result<TensorSharding> sharding = read_sharding(module_, call, *text);
      if (sharding) {
        place(call, *sharding);
      } else if (options_.warn) {
        options_.warn(call,
                      "the sharding of a function result that a custom call carries is left "
                      "out: " +
                          sharding.error().message);
      }
    }
    keep_for_collective(call);
    module_.replace_all_uses(module_.result(call), module_.operand(call, 0));
    module_.erase(call);
  }

 private:
  /// A result of a function.
  using Place = std::pair<OpId, std::size_t>;

  /// Without users those of the operand count: who made the call dead left its operand in place.
  std::vector<Use> users(OpId call) const {
    std::vector<Use> uses = module_.uses(module_.result(call));
    if (!uses.empty() || !module_.defining_op(module_.operand(call, 0)).valid()) return uses;
    uses = module_.uses(module_.operand(call, 0));
    std::erase_if(uses, [&](const Use& use) { return !module_.is(use.op, OpKind::FuncReturn); });
    return uses;
  }

  bool accepts(const Use& use, const TensorSharding& sharding) const {
    if (!module_.is(use.op, OpKind::FuncReturn)) return false;
    const Place place{module_.parent_op(use.op), use.operand};
    const auto own = ir::result_sharding(module_, place.first, place.second);
    return placed_.contains(place) || !own || *own == sharding;
  }

  void place(OpId call, const TensorSharding& sharding) {
    const std::vector<Use> uses = users(call);
    const bool is_result =
        std::ranges::all_of(uses, [&](const Use& use) { return accepts(use, sharding); });
    if (!is_result) return constrain(call, sharding);
    for (const Use& use : uses) {
      const Place place{module_.parent_op(use.op), use.operand};
      // Of several in a row the one before the return counts.
      if (!placed_.insert(place).second) continue;
      ir::set_result_sharding(module_, place.first, place.second, sharding);
    }
  }

  /// The function was inlined, or has a sharding of its own.
  void constrain(OpId call, const TensorSharding& sharding) {
    ir::OpSpec spec = unary_op(module_, OpKind::SdyShardingConstraint, module_.operand(call, 0));
    spec.attributes.set(ir::attr::kSharding, sharding.open_like());
    spec.location = module_.location(call);
    const OpId constraint = module_.create(std::move(spec));
    module_.insert_before(call, constraint);
    module_.set_operand(call, 0, module_.result(constraint));
  }

  /// A collective that reads the result finds what it had before.
  void keep_for_collective(OpId call) {
    const auto whole = whole_for_collective(module_, module_.result(call));
    if (!whole) return;
    const TensorSharding had = ir::get_sharding(module_, module_.result(call)).value_or(*whole);
    if (ir::get_sharding(module_, module_.operand(call, 0)) == had) return;
    insert_before_use(module_, {call, 0}, reshard_op(module_, module_.operand(call, 0), had));
  }

  Module& module_;
  const FuncResultShardingsOptions& options_;
  std::set<Place> placed_;
};

}  // namespace

PassErrors import_func_result_shardings(Module& module, const FuncResultShardingsOptions& options) {
  ResultShardingImporter importer(module, options);
  std::vector<OpId> order = ir::pre_order(module);
  std::ranges::reverse(order);
  for (const OpId op : order) {
    if (is_carrier(module, op)) importer.import_call(op);
  }
  return {};
}

}  // namespace shardy::passes
