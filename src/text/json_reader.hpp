// Builds a module from a JSON document.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "text/json_attribute.hpp"
#include "text/json_document.hpp"
#include "text/op_draft.hpp"

namespace shardy::text {

/// Reads one document, op by op, with an explicit stack instead of recursion. Drops each op with an
/// error, and drops the ops that use its results without further errors.
class JsonReader {
 public:
  /// `names` receives the names of the values; null: no names are recorded.
  JsonReader(const JsonDocument& document, std::size_t max_errors, WrittenNames* names)
      : document_(document), max_errors_(max_errors), names_(module_, names) {}

  /// Returns the module, with unresolved shardings. JSON pointers are the locations of its ops.
  DiagnosedResult<ir::Module> read();
  /// Returns the locations given in the text, which replace the pointers.
  const std::vector<std::pair<ir::OpId, std::string>>& given_locations() const {
    return given_locations_;
  }

 private:
  /// A block to be read.
  struct BlockDraft {
    ir::RegionId region;
    JsonNode node;
    std::string pointer;
    bool is_entry = false;  // of a function; exists already, with its arguments
    bool is_first = true;   // first block of its region
    bool is_last = true;
  };
  /// The items of a block that have not been read.
  struct BlockTask {
    ir::BlockId block;
    std::string owner;    // name of the op around the block
    std::string pointer;  // pointer of the block
    std::vector<JsonNode> items;
    std::size_t next = 0;
    std::optional<JsonNode> returns = std::nullopt;
    bool ends_region = true;
  };
  /// The blocks of an op or function that have not been read. An op is created after its blocks, a
  /// function before.
  struct OpTask {
    OpDraft draft;
    std::string pointer;
    std::vector<BlockDraft> blocks = {};
    std::size_t next = 0;
    std::size_t num_broken = 0;  // num_broken_ before the op
    std::optional<ir::OpId> function = std::nullopt;
  };

  bool full() const { return errors_.size() >= max_errors_; }
  /// Returns true if `status` is not an error; otherwise records the error.
  bool passes(Status status);
  template <class T>
  bool passes(const Result<T>& result) {
    if (!result) errors_.push_back(result.error());
    return result.has_value();
  }

  // The program.
  static Status check_version(JsonNode root);
  void read_program(JsonNode root);
  void read_functions(JsonNode list);
  void run_tasks();
  void read_item(JsonNode item, ir::BlockId block, const std::string& pointer);
  void locate(ir::OpId op, const std::string& pointer, const std::optional<std::string>& given);

  // Meshes and functions are read in json_reader_function.cpp.
  void read_meshes(JsonNode root);
  Status add_mesh(JsonNode node, bool is_keyed, ir::BlockId block, const std::string& pointer);
  void start_function(JsonNode node, ir::BlockId block, const std::string& pointer,
                      std::vector<OpTask>& tasks);
  Result<OpTask> make_function(JsonNode node, ir::BlockId block, const std::string& pointer);
  Result<ir::AttributeMap> function_attributes(JsonNode node) const;
  Result<ir::AttributeMap> value_attributes(JsonNode node, const ir::Type& type) const;
  Status read_function_args(JsonNode node, ir::OpId function);
  Status read_function_results(JsonNode node, ir::OpId function,
                               const std::vector<ir::Type>* returned);
  Status define_function_args(JsonNode node, ir::BlockId entry);
  Status finish_function(const OpTask& task);

  // Blocks.
  static Result<std::vector<BlockDraft>> blocks_of(JsonNode node, ir::RegionId region,
                                                   const std::string& pointer, bool is_function);
  void start_block(const BlockDraft& draft, const OpTask& task);
  Status start_arguments(const BlockDraft& draft, const OpTask& task, ir::BlockId block);
  Status read_block_args(JsonNode list, ir::BlockId block);
  void finish_block(const BlockTask& task);
  Status make_terminator(const BlockTask& task);

  // Ops.
  Result<OpTask> start_op(JsonNode node, const std::string& pointer);
  Result<std::vector<ir::ValueId>> read_operands(JsonNode list, JsonNode op, bool& broken) const;
  Error unknown_value(JsonNode node, JsonNode op, const std::string& name) const;
  Status build_reducer(JsonNode node, OpTask& task);
  void finish_op(OpTask task);
  Status make_op(OpDraft& draft, ir::BlockId block, const std::string& pointer);
  bool calls_broken(const OpDraft& draft) const;
  Status check_callee(const OpDraft& draft) const;
  Status define_results(const OpDraft& draft, ir::OpId op);
  void leave_out(JsonNode op);

  const JsonDocument& document_;
  std::size_t max_errors_;
  ir::Module module_;
  NamedMeshes meshes_;
  ValueNames names_;
  std::vector<std::variant<BlockTask, OpTask>> tasks_;
  std::size_t num_broken_ = 0;              // number of dropped ops
  std::set<std::string> broken_functions_;  // functions with an error in their signature
  // Functions without declared result types; the types of the returned values become the result
  // types.
  std::set<std::string> pending_functions_;
  std::vector<std::pair<ir::OpId, std::string>> given_locations_;
  Diagnostics errors_;
};

}  // namespace shardy::text
