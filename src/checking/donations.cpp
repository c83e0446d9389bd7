#include "checking/donations.hpp"

#include <optional>
#include <string>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::checking {

namespace {

using OptionalSharding = std::optional<TensorSharding>;

bool are_alike(const OptionalSharding& a, const OptionalSharding& b) {
  if (a && b) return is_equivalent(*a, *b);
  const OptionalSharding& one = a ? a : b;
  return !one || sharding_size(one->dim_axes()) == 1;
}

std::string text_of(const OptionalSharding& sharding) {
  return sharding ? attribute_text(*sharding) : "none";
}

}  // namespace

bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result) {
  const ir::OpId main = *program.main_function();
  return program.arg_types(main)[argument] == program.function(main).result_types[result] &&
         are_alike(ir::arg_sharding(program, main, argument),
                   ir::result_sharding(program, main, result));
}

Diagnostics donation_notes(const ir::Module& program) {
  Diagnostics notes;
  const std::optional<ir::OpId> main = program.main_function();
  if (!main) return notes;
  const ir::FunctionData& data = program.function(*main);
  const std::vector<ir::Type> args = program.arg_types(*main);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    const auto* alias =
        data.arg_attributes[index].get<ir::IntegerAttr>(passes::kAliasingOutputAttr);
    const bool is_result = alias != nullptr && alias->value >= 0 &&
                           static_cast<std::size_t>(alias->value) < data.result_types.size();
    if (!is_result) continue;
    const auto result = static_cast<std::size_t>(alias->value);
    if (can_take_buffer(program, index, result)) continue;
    const OptionalSharding given = ir::arg_sharding(program, *main, index);
    const OptionalSharding taken = ir::result_sharding(program, *main, result);
    const ir::Type& type = data.result_types[result];
    notes.push_back({.message = "result " + std::to_string(result) + " of " +
                                symbol_text(program.symbol_name(*main)) +
                                " cannot take the buffer of argument " + std::to_string(index) +
                                ": a device has " + ir::to_string(args[index]) + " by " +
                                text_of(given) + " of one, " + ir::to_string(type) + " by " +
                                text_of(taken) + " of the other",
                     .location = program.source_location(*main),
                     .severity = Severity::Note});
  }
  return notes;
}

namespace {

/// Returns the name of the memory in a custom call: from JAX's frontend attribute, or else from the
/// call's own attribute.
std::string memory_of(const ir::Module& module, ir::OpId call, const std::string& target) {
  const auto* frontend = module.attribute<ir::AttributeMap>(call, "mhlo.frontend_attributes");
  const auto* named =
      frontend != nullptr ? frontend->get<std::string>("_xla_buffer_placement") : nullptr;
  if (named != nullptr) return *named;
  if (target == "MoveToHost") return "host";
  return target == "MoveToDevice" ? "device" : "";
}

}  // namespace

Diagnostics placement_notes(const ir::Module& program) {
  Diagnostics notes;
  for (const ir::OpId op : ir::pre_order(program)) {
    if (!program.is(op, ir::OpKind::CustomCall) || program.num_results(op) != 1) continue;
    const auto* target = program.attribute<std::string>(op, ir::attr::kCallTargetName);
    if (target == nullptr || !passes::only_places(*target)) continue;
    const std::string memory = memory_of(program, op, *target);
    if (memory.empty()) continue;
    const ir::Type& type = program.type(program.result(op));
    notes.push_back({.message = std::string(program.name(op)) + ": " + symbol_text(*target) +
                                " places " + ir::to_string(type) + " of each device in " + memory +
                                " memory; runs and the peak count it as device memory",
                     .location = program.source_location(op),
                     .code = "N_PLACEMENT",
                     .severity = Severity::Note});
  }
  return notes;
}

}  // namespace shardy::checking
