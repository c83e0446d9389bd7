// Names of values in the text of a program, and lookup of values by the names that users write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/ir/module.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::text {

// Names of values in the text of a program.

/// Names of values in a source text. `%x` is the name of all results of an op, `%x#1` of one
/// result, or `%x` of an argument. Different functions and sibling regions may use one name for
/// different values.
class WrittenNames {
 public:
  /// Consecutive values that share one name.
  struct ValueGroup {
    ir::ValueId first;   // first value
    uint32_t count = 1;  // number of values

    /// Checks whether the group contains the value.
    bool holds(ir::ValueId value) const { return value.value - first.value < count; }
    friend bool operator==(const ValueGroup&, const ValueGroup&) = default;
  };

  /// Returns the names stored in a module.
  static WrittenNames of(const ir::Module& module);

  /// Adds a name without `%`. If a value has several names, name() returns the one added last.
  /// Requires: ids below 2^27.
  void add(std::string_view name, ValueGroup values);
  /// Adds an alternative name, which name() returns for values without another name. Requires: ids
  /// below 2^27.
  void add_other(std::string_view name, ValueGroup values);

  /// Returns `%x` or `%x#1`; empty if the text has no name for the value.
  std::string name(ir::ValueId value) const;
  /// Returns the values named `%x` or `%x#1`, where `%` is optional. The result has one group per
  /// definition of the name.
  std::vector<ValueGroup> find(std::string_view name) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct GroupName {
    std::string name;
    ValueGroup values;
    uint32_t earlier = kNone;  // the last entry before this one in the same bucket
  };

  void reserve_values(std::size_t end);
  void add_entry(std::string_view name, ValueGroup values);
  void index_entry(uint32_t entry);
  std::size_t bucket_of(std::string_view name) const;

  std::vector<GroupName> entries_;
  std::vector<uint32_t> buckets_;   // the last entry by the hash of its name
  std::vector<uint32_t> entry_of_;  // index of the entry for each value id
};

// Lookup of values by the names that users write.

/// The values of a program with their names in its text.
class WrittenValues {
 public:
  using ValueGroup = WrittenNames::ValueGroup;  // consecutive values with one name

  /// Uses the names `written`. `module` is the parsed program of that text.
  WrittenValues(ir::Module module, WrittenNames written);
  /// Uses the names that the module stores. Values without one, for example in a program made by
  /// GraphBuilder, get the names of MLIR text that is printed with names.
  explicit WrittenValues(const ir::Module& module);

  /// Returns `%12` or `%12#1`; for a value without a name `result 0 of stablehlo.add at 5:3`.
  std::string operator()(ir::ValueId value) const;
  /// Returns the scope of a value: `@f/%3/1` is region 1 of op `%3` in function `f`, with one such
  /// pair for each region around the value.
  std::string scope(ir::ValueId value) const;
  /// Returns the values named `%12`, one group per definition. Names are looked up in this order:
  /// names in the text; names that JAX gives to arguments, `params['w']`; names of the printed
  /// program; names derived from a value's name, such as `%16_gathered`.
  std::vector<ValueGroup> find(std::string_view name) const;
  /// Returns the results of the ops at a location: `model.py:31`, `12:7`, `/functions/0/body/3`, or
  /// a name of a location, such as `embed`.
  std::vector<ValueGroup> find_place(std::string_view place) const;
  /// Returns the values that a user names by `question`: a name as for find, with or without scope
  /// (`%12`, `@f:%12`, `@f/%3/1:%12`), or a location. If `function` is not empty, returns only
  /// values in that function; `@` is optional.
  std::vector<ValueGroup> find_meant(std::string_view question,
                                     std::string_view function = {}) const;
  /// Returns scope and name: `@f/%3/1:%12`. For a group, returns the name of all its values.
  std::string full_name(const ValueGroup& group) const;
  /// Returns the name in `full_names` that is directly in the main function; std::nullopt if none
  /// or several are. A name without a scope refers to that value.
  std::optional<std::string> directly_in_main(const std::vector<std::string>& full_names) const;
  /// Returns the name of the function that contains the value, without `@`.
  std::string function_of(ir::ValueId value) const;

  /// Returns the program with the named values.
  const ir::Module& module() const { return module_; }

 private:
  std::string op_text(ir::OpId op) const;
  std::vector<ValueGroup> find_in(std::string_view scope, std::string_view name) const;
  std::vector<ValueGroup> find_argument(std::string_view name) const;
  std::vector<ValueGroup> find_printed(std::string_view name) const;
  std::vector<ValueGroup> find_origin(std::string_view name) const;
  ir::OpId op_around(ir::ValueId value) const;

  /// Names of the printed program and locations, for lookups that do not walk the program.
  struct Index;
  const Index& index() const;

  ir::Module module_;
  WrittenNames written_;
  std::unordered_map<ir::RegionId, std::size_t> region_numbers_;  // number of each region in its op
  std::shared_ptr<Index> index_;  // shared by copies; filled by the first lookup
};

/// Returns the first 20 items. If items are omitted, their number is the last item.
std::vector<std::string> shortened(std::vector<std::string> all);

/// Returns notes for an unknown name: `did you mean %4?`, and `NOUN: ` with the known names.
std::vector<std::string> known_names(std::string_view wanted, std::string_view noun,
                                     const std::vector<std::string>& known);

}  // namespace shardy::text
