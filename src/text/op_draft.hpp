// An op that is being read from JSON, and the visible names of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "text/json_attribute.hpp"
#include "text/json_document.hpp"
#include "text/scoped_names.hpp"

namespace shardy::text {

// Names of values and their scopes.

/// Reads a name from a string or a number, without its `%`. Errors: an empty name, a name with a
/// `#`.
Result<std::string> read_value_name(JsonNode node);

/// A use of a value, such as `%x` or `%x#1`.
struct ValueUse {
  std::string name;
  uint32_t index = 0;
};
Result<ValueUse> read_value_use(JsonNode node);

/// The values of a name; their ids are consecutive. `first` is invalid if the op that defines the
/// name failed to parse; uses of the name are then not reported.
struct NamedValues {
  JsonNode node;  // the node that defines the name
  ir::ValueId first = ir::ValueId();
  uint32_t count = 0;

  bool is_broken() const { return !first.valid(); }
};

/// The names that are visible at the current position.
class ValueNames {
 public:
  /// Makes scopes whose `define` records names in `module` and in `written`, which may be null.
  ValueNames(ir::Module& module, WrittenNames* written) : module_(module), written_(written) {}

  void open_scope(bool isolated) { names_.open_scope(isolated); }
  void close_scope() { names_.close_scope(); }

  /// Defines a name. Error: the name is already visible.
  Status define(const std::string& name, NamedValues values);
  /// Returns the values of the name in this scope; null if it is not visible.
  const NamedValues* find(const std::string& name) const { return names_.find(name); }
  /// Finds values like find, and also by names that isolated scopes hide.
  const NamedValues* find_hidden(const std::string& name) const { return names_.find_hidden(name); }
  std::vector<std::string_view> visible() const { return names_.visible(); }

 private:
  ir::Module& module_;
  WrittenNames* written_;
  ScopedNames<std::string, NamedValues> names_;
};

// Ops that are being read from JSON.

/// The members of one result in the text.
struct ResultDraft {
  JsonNode node;
  std::optional<std::string> name = std::nullopt;
  std::optional<ir::Type> type = std::nullopt;
  std::optional<JsonNode> sharding = std::nullopt;
};

/// An op without its operands and regions, so that it does not depend on the rest of the program.
struct OpDraft {
  JsonNode node;
  std::string op_name = {};                              // including the dialect
  std::optional<std::string> name = {};                  // common name of all results
  std::optional<std::vector<ResultDraft>> results = {};  // std::nullopt: inferred
  std::optional<JsonNode> sharding = {};                 // sharding of the only result
  std::optional<std::string> location = {};
  ir::OpSpec spec = {};
  bool broken = false;  // the op has an error, or uses a result of a dropped op
};

/// Reads an op. Reports only errors that are visible without the other ops.
Result<OpDraft> read_op_draft(JsonNode node, const NamedMeshes& meshes);
/// Returns the op kind that "op" names, and sets `full_name`. Error: a name without dialect that is
/// not a StableHLO op.
Result<ir::OpKind> read_op_kind(JsonNode node, std::string& full_name);
/// Returns the JSON string for the member "op", such as `add` or `sdy.reshard`.
std::string op_name_text(ir::OpKind kind, std::string_view name);

/// Sets the result types. Infers types that the text omits. Requires: operands and regions are set.
Status resolve_types(OpDraft& draft, const ir::Module& module, const NamedMeshes& meshes);
/// Stores the shardings of the results in the attributes of the op. Requires: resolve_types was
/// called.
Status set_result_shardings(OpDraft& draft, const NamedMeshes& meshes);
/// Converts the attributes in the op's definition to their stored form. Errors: a required
/// attribute is missing, an attribute has the wrong kind. Requires: set_result_shardings was
/// called.
Status convert_attributes(OpDraft& draft);

/// Returns the op's own attribute for the sharding of its single result: "sharding" or
/// ir::attr::kOutSharding; empty if the op has none. Spec: dialect 2.2.
std::string_view own_sharding_attribute(std::string_view op_name);
/// Returns the terminator that "return" represents in the regions of the op.
std::optional<ir::OpKind> implied_terminator(std::string_view op_name);

}  // namespace shardy::text
