// Names that the text of a program gives to its values, and how users call these values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::text {

// The names that a text gives to the values of its program.

/// Names of the source. A name refers to the results of one op, `%x` to all of them and
/// `%x#1` for one, or for one argument; names may repeat in other functions and in sibling regions.
class WrittenNames {
 public:
  /// Values that follow each other and have one name.
  struct Group {
    ir::ValueId first;   // the first of them
    uint32_t count = 1;  // how many they are

    /// Returns whether the value is one of them.
    bool holds(ir::ValueId value) const { return value.value - first.value < count; }
    friend bool operator==(const Group&, const Group&) = default;
  };

  /// The names that the values of a module have kept.
  static WrittenNames of(const ir::Module& module);

  /// `name` without its `%`. A later name of the same value is the one that name() tells.
  /// Requires: ids below 2^27.
  void add(std::string_view name, Group values);
  /// Another name, which name() tells of those that have no other. Requires: ids
  /// below 2^27.
  void add_other(std::string_view name, Group values);

  /// `%x` or `%x#1`; empty if the text does not name the value.
  std::string name(ir::ValueId value) const;
  /// Returns the values of `%x` or `%x#1` (the `%` is optional): one group for each definition of
  /// the name in the text.
  std::vector<Group> find(std::string_view name) const;

 private:
  struct Entry {
    std::string name;
    Group values;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void reserve_values(std::size_t end);

  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_;  // by value
};

// How users call the values of the program that they wrote.

/// Names of the values of a program, as its text gives them.
class WrittenValues {
 public:
  using Group = WrittenNames::Group;  // values that follow each other and have one name

  /// `module` is what the text holds.
  WrittenValues(ir::Module module, WrittenNames written);
  /// With the names that the module has kept; values that have none, as all of a program that was
  /// built, are called what MLIR text with names calls them.
  explicit WrittenValues(const ir::Module& module);

  /// `%12`, `%12#1`; of a value without a name `result 0 of stablehlo.add at 5:3`.
  std::string operator()(ir::ValueId value) const;
  /// Returns the scope of a value, `@f/%3/1`: the function, then the op and the number of each
  /// region around the value.
  std::string scope(ir::ValueId value) const;
  /// Returns the values of the name `%12`, one group per definition. The name is one of the text,
  /// else one that JAX gives to an argument, `params['w']`, else one of the printed program, else
  /// it is derived from the name of a value, as `%16_gathered`.
  std::vector<Group> find(std::string_view name) const;
  /// The results of the ops of a place: `model.py:31`, `12:7`, `/functions/0/body/3`, or a name
  /// that locations have, `embed`.
  std::vector<Group> find_place(std::string_view place) const;
  /// Returns the values of a name as above, with or without its scope, `%12`, `@f:%12`,
  /// `@f/%3/1:%12`, or of a place. Only those of `function`, with or without @, unless it is empty.
  std::vector<Group> find_meant(std::string_view question, std::string_view function = {}) const;
  /// Returns scope and name, `@f/%3/1:%12`; a group has the name of all its values.
  std::string full_name(const Group& group) const;
  /// A name without a scope refers to the main function: returns the one of these full names that
  /// is directly in it, if it is the only one.
  std::optional<std::string> directly_in_main(const std::vector<std::string>& full_names) const;
  /// Returns the function, without @, that contains a value.
  std::string function_of(ir::ValueId value) const;

  /// The program whose values have the names.
  const ir::Module& module() const { return module_; }

 private:
  std::string op_text(ir::OpId op) const;
  std::vector<Group> find_in(std::string_view scope, std::string_view name) const;
  std::vector<Group> find_argument(std::string_view name) const;
  std::vector<Group> find_printed(std::string_view name) const;
  std::vector<Group> find_origin(std::string_view name) const;
  ir::OpId op_around(ir::ValueId value) const;

  ir::Module module_;
  WrittenNames written_;
  std::unordered_map<ir::RegionId, std::size_t> region_numbers_;  // inside of the op
};

/// The first 20 of a list, and how many more there are.
std::vector<std::string> shortened(std::vector<std::string> all);

/// Returns notes for an unknown name: `did you mean %4?`, and `NOUN: ` with the known ones.
std::vector<std::string> known_names(std::string_view wanted, std::string_view noun,
                                     const std::vector<std::string>& known);

}  // namespace shardy::text
