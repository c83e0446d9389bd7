#include "passes/common/reshard_cause.hpp"

#include <utility>

namespace shardy::passes {

using ir::Module;
using ir::OpId;

void set_cause(Module& module, OpId op, const ReshardCause& cause) {
  ir::ArrayAttr parts;
  for (const std::string* part : {&cause.op, &cause.tensor, &cause.reason}) {
    parts.elements.emplace_back(*part);
  }
  module.attributes(op).set(kCauseAttr, std::move(parts));
}

std::optional<ReshardCause> cause_of(const Module& module, OpId op) {
  const auto* parts = module.attribute<ir::ArrayAttr>(op, kCauseAttr);
  if (parts == nullptr || parts->elements.size() != 3) return std::nullopt;
  const auto* name = parts->elements[0].as<std::string>();
  const auto* tensor = parts->elements[1].as<std::string>();
  const auto* reason = parts->elements[2].as<std::string>();
  if (name == nullptr || tensor == nullptr || reason == nullptr) return std::nullopt;
  return ReshardCause{*name, *tensor, *reason};
}

void copy_cause(Module& module, OpId from, OpId to) {
  const ir::Attribute* cause = module.attributes(from).find(kCauseAttr);
  if (cause != nullptr) module.attributes(to).set(kCauseAttr, ir::Attribute(*cause));
}

}  // namespace shardy::passes
