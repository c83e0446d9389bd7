// Docstrings of the classes of records. One text documents a class and its members.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "report/records.hpp"
#include "shardy/report/report.hpp"

namespace shardy::python {

/// Holds the docstring of a class, followed by a line `name: text` per member.
class Docs {
 public:
  explicit Docs(std::string_view text) : text_(text) {}

  /// The docstring of the class.
  std::string of_class() const { return std::string(text_.substr(0, text_.find('\n'))); }
  /// Returns the docstring of a member; empty if the text does not have one.
  std::string of(std::string_view member) const {
    const std::size_t begin = text_.find("\n" + std::string(member) + ": ");
    if (begin == std::string_view::npos) return {};
    const std::string_view rest = text_.substr(begin + member.size() + 3);
    return std::string(rest.substr(0, rest.find('\n')));
  }

 private:
  std::string_view text_;
};

/// Returns a dict from axes to bytes.
inline pybind11::dict python_value(const std::vector<report::AxisBytes>& axes) {
  pybind11::dict bytes;
  for (const report::AxisBytes& each : axes) bytes[pybind11::str(each.axis)] = each.bytes;
  return bytes;
}
inline const std::string& python_value(const Location& location) { return location.text(); }
template <class T>
const T& python_value(const T& value) {
  return value;
}

/// Defines a read-only property for each member in the table.
template <class Record, class Table>
void bind_members(pybind11::class_<Record>& type, const Table& members, const Docs& docs) {
  report::visit_members(members, [&](const char* name, auto get) {
    using Value = std::invoke_result_t<decltype(get), const Record&>;
    const std::string doc = docs.of(name);
    if constexpr (std::is_reference_v<Value>) {
      type.def_property_readonly(
          name,
          [get](const Record& record) -> decltype(auto) {
            return python_value(std::invoke(get, record));
          },
          doc.c_str());
    } else if constexpr (!std::is_pointer_v<Value>) {
      type.def_property_readonly(name, get, doc.c_str());
    }
  });
}
/// Defines the class of a record that has a table of members.
template <report::Record Record>
pybind11::class_<Record> bind_record(pybind11::module_& module, const char* name,
                                     const Docs& docs) {
  pybind11::class_<Record> type(module, name, docs.of_class().c_str());
  using report::members_of;  // with the members_of of the record's namespace
  bind_members(type, members_of(static_cast<const Record*>(nullptr)), docs);
  return type;
}

}  // namespace shardy::python
