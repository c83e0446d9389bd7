// Names of values in the text of a program.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

/// Names of the source. A name refers to the results of one op, `%x` to all of them and `%x#1` to
/// one, or to one argument; other functions and sibling regions may reuse it.
class WrittenNames {
 public:
  /// Consecutive values with one name.
  struct Group {
    ir::ValueId first;   // first value
    uint32_t count = 1;  // number of values

    /// Checks whether the group contains the value.
    bool holds(ir::ValueId value) const { return value.value - first.value < count; }
    friend bool operator==(const Group&, const Group&) = default;
  };

  /// Returns the names stored in a module.
  static WrittenNames of(const ir::Module& module);

  /// Adds a name without `%`. If a value has several, name() returns the last one. Requires: ids
  /// below 2^27.
  void add(std::string_view name, Group values);
  /// Adds an alternative name, which name() returns for values without another name. Requires: ids
  /// below 2^27.
  void add_other(std::string_view name, Group values);

  /// Returns `%x` or `%x#1`; empty if the text does not name the value.
  std::string name(ir::ValueId value) const;
  /// Returns the values of `%x` or `%x#1` (`%` is optional): one group per definition of the name.
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
