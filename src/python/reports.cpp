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
  bind_record<report::Collective>(
      module, "Collective",
      Docs(R"(A collective of the per-device program. Costs are per execution of the collective.
kind: As `spmd.all_gather`.
axes: The axes of its groups, as `{"x"}`.
type: The type of the operand, per device.
serves: The op of the source program that needs it; empty if unknown.
location: The place of that op.
times: Executions in one run of the program.
times_known: True if this number is known statically.
bytes: Sent per device.
messages: Messages that a device sends in sequence.
seconds: Modelled time.
axis_bytes: Bytes by axis, over its busiest link.
)"))
      .def("__repr__", [](const report::Collective& row) {
        return "<shardy.Collective " + row.kind + " " + row.axes + " of " + row.type + ", " +
               bytes_text(row.bytes) + ", " + grouped(row.times.count) + " times>";
      });
  bind_record<report::Total>(module, "Total", Docs(R"(The cost of several collectives over all runs.
name: A kind, an axis or a place.
count: Number of runs.
bytes: Sent per device.
seconds: Modelled time.
)"))
      .def_readonly("messages", &report::Total::messages,
                    "Messages that a device sends in sequence.")
      .def("__repr__", [](const report::Total& total) {
        return "<shardy.Total " + total.name + ": " + grouped(total.count) + " times, " +
               bytes_text(total.bytes) + ">";
      });
  bind_record<report::LiveValue>(module, "LiveValue", Docs(R"(A value that is live at the peak.
made_by: The op that defines it, or `argument 2 of @main`.
type: The type per device.
location: The place of the op.
bytes: Per device.
)"));
  bind_record<report::MemoryPeak>(module, "MemoryPeak", Docs(R"(The peak memory of a device.
bytes: Live bytes.
op: The op at the peak; empty before the first one.
location: The place of the op.
live: Live values, the largest first.
)"));
  bind_record<report::ReportedValue>(module, "ReportedValue",
                                     Docs(R"(A value of the propagated program and its shard.
made_by: The op that defines it, or `argument 2 of @main`.
location: The place of the op.
type: The global type.
sharding: The text of the sharding.
local_type: The type per device, with padding.
local_bytes: Bytes per device.
padding_bytes: Bytes of padding, the average of devices.
)"));
}

Diagnostics notes_of(const report::Report& report) {
  Diagnostics notes;
  for (const auto& note : report.notes) notes.push_back(partitioning::diagnostic_of(note));
  return notes;
}

void bind_report(py::module_& module) {
  using report::Report;
  const Docs docs(R"(The costs of a sharded program.
devices: Number of devices.
bytes: Sent per device.
collectives_run: Number of runs of collectives.
seconds: Modelled time of all collectives.
operations_once: Operations of the source program.
operations_per_device: Operations of a device.
efficiency: Useful operations divided by operations of all devices.
collectives: In program order.
by_kind: Collectives by kind, most bytes first.
by_axis: Collectives by mesh axis, most bytes first.
by_location: Collectives by the place of the op that needs them, most bytes first.
peak: The peak memory of a device.
values: Values of the propagated program.
)");
  auto type = bind_record<Report>(module, "Report", docs);
  bind_members(type, report::traffic_members_of(static_cast<const Report*>(nullptr)), docs);
  type.def_property_readonly("notes", &notes_of, "Notes about replicated tensors.")
      .def("__repr__", [](const Report& report) {
        return "<shardy.Report: " + grouped(report.work.devices) + " devices, " +
               grouped(report.all.count) + " collectives, " + bytes_text(report.all.bytes) +
               " sent, peak memory " + bytes_text(report.peak.bytes) + ">";
      });
}

void bind_check(py::module_& module) {
  using checking::CheckReport;
  py::class_<CheckReport>(module, "Check", "A comparison of the sharded with the unsharded run.")
      .def_property_readonly("equal", &CheckReport::equal, "All comparisons found equal results.")
      .def_property_readonly("largest_difference", &CheckReport::largest_difference,
                             "The largest difference of two elements.")
      .def_property_readonly(
          "exact", [](const CheckReport& check) { return check.exact.done; },
          "The comparison over a prime field was run.")
      .def_property_readonly(
          "f64", [](const CheckReport& check) { return check.wide.done; },
          "The comparison in f64 was run.")
      .def_readonly("num_values", &CheckReport::num_values, "Number of values of the program.")
      .def_readonly("num_sharded_values", &CheckReport::num_sharded_values,
                    "Number of values that are sharded.")
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
