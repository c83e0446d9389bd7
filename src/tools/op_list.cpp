#include "tools/op_list.hpp"

#include <fmt/format.h>

#include "shardy/ir/op_definition.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

std::string attribute_line(const ir::AttributeDefinition& attribute) {
  return fmt::format(
      "\t{}\t{}\t{}\t{}\t{}\t{}\n", attribute.name, definition_of(attribute.kind).name,
      attribute.words ? attribute.words->kind : "", attribute.words ? attribute.words->words : "",
      attribute.required ? "required" : "", attribute.default_value);
}

}  // namespace

std::string op_list() {
  std::string text;
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const auto kind = static_cast<ir::OpKind>(index);
    const ir::OpDefinition& op = ir::definition_of(kind);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", ir::info(kind).name, op.operands, op.results,
                        op.regions, op.types_given ? "given" : "");
    for (const ir::AttributeDefinition& attribute : op.attributes) {
      text += attribute_line(attribute);
    }
  }
  return text;
}

int op_list_command() { return write_file("-", op_list()) ? kDone : kFailed; }

}  // namespace shardy::tools
