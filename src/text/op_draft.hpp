// An op while it is read from JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"
#include "text/json_sharding.hpp"

namespace shardy::text {

/// One result as far as the text says something of it.
struct ResultDraft {
  JsonNode node;
  std::optional<std::string> name = std::nullopt;
  std::optional<ir::Type> type = std::nullopt;
  std::optional<JsonNode> sharding = std::nullopt;
};

/// Everything of an op but its operands and regions, which need the program around it.
struct OpDraft {
  JsonNode node;
  std::string op_name = {};                              // with dialect
  std::optional<std::string> name = {};                  // of all results
  std::optional<std::vector<ResultDraft>> results = {};  // nothing: to be inferred
  std::optional<JsonNode> sharding = {};                 // of the only result
  std::optional<std::string> location = {};
  ir::OpSpec spec = {};
  bool broken = false;  // has an error, or an operand that has one
};

/// Errors: what can be wrong with the op alone.
Result<OpDraft> read_op_draft(JsonNode node, const NamedMeshes& meshes);
/// Returns the kind that "op" names, and its full name. Errors: a name without dialect that is not
/// a StableHLO op.
Result<ir::OpKind> read_op_kind(JsonNode node, std::string& full_name);
/// How "op" spells that op, so that it reads back.
std::string op_name_text(ir::OpKind kind, std::string_view name);

/// Sets the result types, inferring what the text leaves out. Requires: operands and regions are
/// set.
Status settle_types(OpDraft& draft, const ir::Module& module, const NamedMeshes& meshes);
/// Puts the shardings of the results where the op keeps them. Requires: types are settled.
Status settle_shardings(OpDraft& draft, const NamedMeshes& meshes);
/// Puts the attributes that the op knows into the form in which it keeps them. Errors: a required
/// one is missing, one is something else. Requires: shardings are settled.
Status settle_attributes(OpDraft& draft);

/// Returns the attribute that holds the sharding of the op's result if it is not a list:
/// "sharding", ir::attr::kOutSharding, or empty. Spec: dialect 2.2.
std::string_view own_sharding_attribute(std::string_view op_name);
/// Returns the terminator that "return" means in the regions of that op.
std::optional<ir::OpKind> implied_terminator(std::string_view op_name);

}  // namespace shardy::text
