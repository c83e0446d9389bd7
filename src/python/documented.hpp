// Docstrings of classes of records: one text for the class and its members.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "report/records.hpp"
#include "shardy/report/report.hpp"

namespace shardy::python {

/// The docstring of a class, then a line `name: text` per member.
class Docs {
 public:
  explicit Docs(std::string_view text) : text_(text) {}

  /// The docstring of the class.
  std::string of_class() const { return std::string(text_.substr(0, text_.find('\n'))); }
  /// The docstring of a member; empty if the text has none.
  std::string of(std::string_view member) const {
    const std::size_t begin = text_.find("\n" + std::string(member) + ": ");
    if (begin == std::string_view::npos) return {};
    const std::string_view rest = text_.substr(begin + member.size() + 3);
    return std::string(rest.substr(0, rest.find('\n')));
  }

 private:
  std::string_view text_;
};

/// Bytes by axis.
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

/// Read-only properties, by a table of members.
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
/// The class of a record with a table of members.
template <report::Record Record>
pybind11::class_<Record> bind_record(pybind11::module_& module, const char* name,
                                     const Docs& docs) {
  pybind11::class_<Record> type(module, name, docs.of_class().c_str());
  using report::members_of;  // and those of the namespace of the record
  bind_members(type, members_of(static_cast<const Record*>(nullptr)), docs);
  return type;
}

}  // namespace shardy::python
