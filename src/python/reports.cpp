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
  py::class_<report::Collective>(module, "Collective")
      .def_readonly("kind", &report::Collective::kind)
      .def_readonly("axes", &report::Collective::axes)
      .def_readonly("type", &report::Collective::type)
      .def_readonly("serves", &report::Collective::serves)
      .def_readonly("location", &report::Collective::location)
      .def_property_readonly("times", [](const report::Collective& row) { return row.times.count; })
      .def_property_readonly("times_known",
                             [](const report::Collective& row) { return row.times.is_exact; })
      .def_readonly("bytes", &report::Collective::bytes)
      .def_readonly("messages", &report::Collective::messages)
      .def_readonly("seconds", &report::Collective::seconds)
      .def_property_readonly("axis_bytes",
                             [](const report::Collective& row) {
                               py::dict bytes;
                               for (const report::AxisBytes& each : row.axis_bytes) {
                                 bytes[py::str(each.axis)] = each.bytes;
                               }
                               return bytes;
                             })
      .def("__repr__", [](const report::Collective& row) {
        return "<shardy.Collective " + row.kind + " " + row.axes + " of " + row.type + ", " +
               bytes_text(row.bytes) + ", " + grouped(row.times.count) + " times>";
      });
  py::class_<report::Total>(module, "Total")
      .def_readonly("name", &report::Total::name)
      .def_readonly("count", &report::Total::count)
      .def_readonly("bytes", &report::Total::bytes)
      .def_readonly("messages", &report::Total::messages)
      .def_readonly("seconds", &report::Total::seconds)
      .def("__repr__", [](const report::Total& total) {
        return "<shardy.Total " + total.name + ": " + grouped(total.count) + " times, " +
               bytes_text(total.bytes) + ">";
      });
  py::class_<report::LiveValue>(module, "LiveValue")
      .def_readonly("made_by", &report::LiveValue::made_by)
      .def_readonly("type", &report::LiveValue::type)
      .def_readonly("location", &report::LiveValue::location)
      .def_readonly("bytes", &report::LiveValue::bytes);
  py::class_<report::MemoryPeak>(module, "MemoryPeak")
      .def_readonly("bytes", &report::MemoryPeak::bytes)
      .def_readonly("op", &report::MemoryPeak::op)
      .def_readonly("location", &report::MemoryPeak::location)
      .def_readonly("live", &report::MemoryPeak::live);
  py::class_<report::Value>(module, "ReportedValue")
      .def_readonly("made_by", &report::Value::made_by)
      .def_readonly("location", &report::Value::location)
      .def_readonly("type", &report::Value::type)
      .def_readonly("sharding", &report::Value::sharding)
      .def_readonly("local_type", &report::Value::local_type)
      .def_readonly("local_bytes", &report::Value::local_bytes)
      .def_readonly("padding_bytes", &report::Value::padding_bytes);
}

Diagnostics notes_of(const report::Report& report) {
  Diagnostics notes;
  for (const auto& note : report.notes) notes.push_back(partitioning::diagnostic_of(note));
  return notes;
}

void bind_report(py::module_& module) {
  using report::Report;
  py::class_<Report>(module, "Report")
      .def_property_readonly("devices", [](const Report& report) { return report.work.devices; })
      .def_property_readonly("bytes", [](const Report& report) { return report.all.bytes; })
      .def_property_readonly("collectives_run",
                             [](const Report& report) { return report.all.count; })
      .def_property_readonly("seconds", [](const Report& report) { return report.all.seconds; })
      .def_property_readonly("operations_once",
                             [](const Report& report) { return report.work.once; })
      .def_property_readonly("operations_per_device",
                             [](const Report& report) { return report.work.per_device; })
      .def_property_readonly("efficiency",
                             [](const Report& report) { return report.work.efficiency(); })
      .def_readonly("collectives", &Report::collectives)
      .def_readonly("by_kind", &Report::by_kind)
      .def_readonly("by_axis", &Report::by_axis)
      .def_readonly("by_location", &Report::by_location)
      .def_readonly("peak", &Report::peak)
      .def_readonly("values", &Report::values)
      .def_property_readonly("notes", &notes_of)
      .def("__repr__", [](const Report& report) {
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
