// Python bindings of reports, sweeps and checks.
#include "checking/check_steps.hpp"
#include "python/bindings.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/report/report.hpp"
#include "support/quantities.hpp"

namespace shardy::python {

namespace py = pybind11;

namespace {

void bind_parts(py::module_& module) {
  bind_record<report::Collective>(module, "Collective")
      .def("__repr__", [](const report::Collective& row) {
        return "<shardy.Collective " + row.kind + " " + row.axes + " of " + row.type + ", " +
               bytes_text(row.bytes) + ", " + grouped(row.times.count) + " times>";
      });
  bind_record<report::Total>(module, "Total")
      .def_readonly("messages", &report::Total::messages)
      .def("__repr__", [](const report::Total& total) {
        return "<shardy.Total " + total.name + ": " + grouped(total.count) + " times, " +
               bytes_text(total.bytes) + ">";
      });
  bind_record<report::LiveValue>(module, "LiveValue");
  bind_record<report::MemoryPeak>(module, "MemoryPeak");
  bind_record<report::Value>(module, "ReportedValue");
}

Diagnostics notes_of(const report::Report& report) {
  Diagnostics notes;
  for (const auto& note : report.notes) notes.push_back(partitioning::diagnostic_of(note));
  return notes;
}

void bind_report(py::module_& module) {
  using report::Report;
  auto type = bind_record<Report>(module, "Report");
  bind_members(type, report::traffic_members_of(static_cast<const Report*>(nullptr)));
  type.def_property_readonly("notes", &notes_of).def("__repr__", [](const Report& report) {
    return "<shardy.Report: " + grouped(report.work.devices) + " devices, " +
           grouped(report.all.count) + " collectives, " + bytes_text(report.all.bytes) +
           " sent, peak memory " + bytes_text(report.peak.bytes) + ">";
  });
}

void bind_check(py::module_& module) {
  using checking::CheckReport;
  py::class_<CheckReport>(module, "Check")
      .def_property_readonly("equal", &CheckReport::equal)
      .def_property_readonly("largest_difference", &CheckReport::largest_difference)
      .def_property_readonly("exact", [](const CheckReport& check) { return check.exact.done; })
      .def_property_readonly("f64", [](const CheckReport& check) { return check.wide.done; })
      .def_readonly("num_values", &CheckReport::num_values)
      .def_readonly("num_sharded_values", &CheckReport::num_sharded_values)
      .def("__bool__", &CheckReport::equal)
      .def("__str__",
           [](const CheckReport& check) {
             return checking::comparison_text(check) + (check.equal()
                                                            ? "equal to the unsharded run"
                                                            : "NOT EQUAL to the unsharded run");
           })
      .def("__repr__", [](const CheckReport& check) {
        return std::string("<shardy.Check: ") + (check.equal() ? "equal" : "NOT EQUAL") + ">";
      });
}

}  // namespace

void bind_reports(py::module_& module) {
  bind_parts(module);
  bind_report(module);
  bind_check(module);
}

}  // namespace shardy::python
