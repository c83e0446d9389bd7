// Writes a module as JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/text/json.hpp"
#include "text/chosen_names.hpp"
#include "text/json_sharding.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

struct NameCounts {
  std::size_t args = 0;
  std::size_t ops = 0;
};

/// The names that the printer gives: `arg0` and on to arguments, `0` and on to ops, both counted
/// anew in each function; or those of the source.
class NamePrinter {
 public:
  NamePrinter(const ir::Module& module, bool keeps_names) : module_(module) {
    if (keeps_names && module.has_value_names()) {
      chosen_.emplace(module, ChosenNames::Characters::Any);
    }
  }

  /// Starts to count anew; gives the old counts, to go on with later.
  NameCounts restart(NameCounts counts = {}) { return std::exchange(counts_, counts); }

  std::string name_argument(ir::ValueId value) {
    if (chosen_) return spelled_name(chosen_->name(value));
    return names_[value] = "arg" + std::to_string(counts_.args++);
  }
  /// The value is called as in the source.
  bool keeps(ir::ValueId value) const { return chosen_ && module_.has_value_name(value); }
  /// The results have a name each.
  bool names_each_result(ir::OpId op) const {
    return chosen_ && module_.num_results(op) > 1 && !chosen_->names_group(op);
  }
  /// The name of all results together.
  std::string name_results(const std::vector<ir::ValueId>& results) {
    if (chosen_) return spelled_name(chosen_->group_name(results[0]));
    std::string name = std::to_string(counts_.ops++);
    for (std::size_t index = 0; index < results.size(); ++index) {
      names_[results[index]] = results.size() == 1 ? name : name + "#" + std::to_string(index);
    }
    return name;
  }
  /// A value without a definition before its use (in invalid programs only) gets a name that no
  /// other value has.
  std::string name_of(ir::ValueId value) const {
    if (chosen_) return spelled_name(chosen_->name(value));
    const auto found = names_.find(value);
    return found == names_.end() ? "?" + std::to_string(value.value) : found->second;
  }

 private:
  /// Readers take a `%` in front for that of MLIR text.
  static std::string spelled_name(const std::string& name) {
    return name.starts_with('%') ? "%" + name : name;
  }

  const ir::Module& module_;
  std::optional<ChosenNames> chosen_;
  std::unordered_map<ir::ValueId, std::string> names_;
  NameCounts counts_;
};

/// Prints a module with a stack of what is left to do: nothing recurses.
class JsonPrinter {
 public:
  JsonPrinter(const ir::Module& module, const JsonPrintOptions& options)
      : module_(module), options_(options), writer_(options.width), names_(module, options.names) {
    for (const ir::OpId mesh : module.meshes()) {
      if (const auto* value = module.attribute<Mesh>(mesh, ir::attr::kMesh)) {
        meshes_.emplace_back(module.symbol_name(mesh), *value);
      }
    }
    if (has_one_mesh()) implied_mesh_ = &meshes_.front();
  }

  std::string print();

 private:
  using Task = std::function<void()>;

  void later(std::vector<Task> in_order);
  void run();

  void print_program();
  void print_items(ir::OpId first, ir::OpId end);
  void print_item(ir::OpId op);
  void print_meshes(ir::OpId first, ir::OpId end);
  void print_mesh(ir::OpId op);
  void print_function(ir::OpId op);
  void print_value(const ir::Type& type, const ir::AttributeMap& attributes,
                   const std::string& name);
  void print_values(std::string_view key, const std::vector<ir::Type>& types,
                    const std::vector<ir::AttributeMap>& attributes,
                    const std::vector<std::string>& names);
  void print_blocks(ir::RegionId region, const std::string& owner, bool of_function);
  void print_block(ir::BlockId block, const std::string& owner, bool with_args);
  void print_block_args(ir::BlockId block);
  void print_body(ir::BlockId block, const std::string& owner);

  // Ops: json_printer_op.cpp.
  void print_op(ir::OpId op);
  void print_op_parts(ir::OpId op);
  void print_regions(ir::OpId op);
  bool is_flat(ir::OpId op) const;
  void print_operands(std::string_view key, ir::OpId op);
  void print_attributes(const ir::AttributeMap& attributes, std::string_view owner,
                        std::optional<ir::Type> result_type = std::nullopt);
  void print_location(ir::OpId op);

  std::optional<ir::OpKind> reducer(ir::OpId op) const;
  void print_reducer(ir::OpId op, const std::string& name);
  bool is_implied_terminator(ir::OpId op, std::string_view owner) const;
  bool is_plain_mesh(ir::OpId op) const;
  bool has_one_mesh() const;
  bool fit_short_form(ir::OpId first, ir::OpId end) const;
  bool shows_location(ir::OpId op) const {
    return options_.locations && !module_.location_text(op).empty();
  }

  const ir::Module& module_;
  const JsonPrintOptions& options_;
  JsonWriter writer_;
  NamedMeshes meshes_;
  ImpliedMesh implied_mesh_ = nullptr;
  NamePrinter names_;
  std::vector<Task> tasks_;
};

}  // namespace shardy::text
