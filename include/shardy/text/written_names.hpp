// The names that a text gives to the values of its program.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

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

}  // namespace shardy::text
