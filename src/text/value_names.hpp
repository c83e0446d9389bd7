// Names of values and where they are visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_names.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

/// A name without its `%`, from a string or a number. Errors: an empty name, one with a `#`.
Result<std::string> read_value_name(JsonNode node);

/// A use of a value: `%x` or `%x#1`.
struct ValueUse {
  std::string name;
  uint32_t index = 0;
};
Result<ValueUse> read_value_use(JsonNode node);

/// The values of a name, whose ids are consecutive. Without a first one: the results of an op with
/// an error, whose uses cause no further errors.
struct NamedValues {
  JsonNode node;  // that defines it
  ir::ValueId first = ir::ValueId();
  uint32_t count = 0;

  bool is_broken() const { return !first.valid(); }
};

/// The names that are visible at one place, by nested scopes. A name is visible from its definition
/// to the end of its scope, and inside of it unless a scope is isolated.
class ValueNames {
 public:
  /// `module` gets all of them; `written`, too, if not null.
  ValueNames(ir::Module& module, WrittenNames* written) : module_(module), written_(written) {}

  void open_scope(bool isolated) { scopes_.push_back({{}, isolated}); }
  void close_scope() { scopes_.pop_back(); }

  /// Errors: the name is visible already.
  Status define(const std::string& name, NamedValues values);
  /// Returns the values of the name in this scope, or null.
  const NamedValues* find(const std::string& name) const { return find_from(name, false); }
  /// The same, but isolated scopes hide nothing.
  const NamedValues* find_hidden(const std::string& name) const { return find_from(name, true); }
  std::vector<std::string_view> visible() const;

 private:
  struct Scope {
    std::unordered_map<std::string, NamedValues> names;
    bool isolated;
  };
  const NamedValues* find_from(const std::string& name, bool everywhere) const;

  ir::Module& module_;
  WrittenNames* written_;
  std::vector<Scope> scopes_;
};

}  // namespace shardy::text
