// Python bindings of reports, sweeps and checks, and of pages and pictures.
#include <algorithm>
#include <utility>

#include "checking/check_steps.hpp"
#include "python/bindings.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/view/page.hpp"
#include "shardy/view/picture.hpp"
#include "support/quantities.hpp"
#include "tools/files.hpp"
#include "tools/view.hpp"

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

// ---- Pages and pictures: `Program.view()` and `show()` ------------------------------------------

namespace py = pybind11;

namespace {

/// The HTML page of a program.
struct View {
  std::string html;
};

/// Returns an iframe with the page for a notebook. In the frame the page keeps its own styles and
/// its content security policy.
std::string frame_html(const View& view) {
  std::string page;  // the page, escaped for an attribute in double quotes
  for (const char c : view.html) {
    if (c == '&') {
      page += "&amp;";
    } else if (c == '"') {
      page += "&quot;";
    } else {
      page += c;
    }
  }
  return "<iframe title=\"shardy view\" style=\"width:100%;height:720px;border:0\" srcdoc=\"" +
         page + "\"></iframe>";
}

Refused refusal(const Diagnostics& diagnostics) {
  const auto error = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
  return Refused(error != diagnostics.end() ? *error : Error{.message = "no error"});
}

View view_of(const PythonProgram& program, const std::string& title, const std::string& axis_cost,
             bool with_hints) {
  const py::gil_scoped_release released;
  tools::CommandOptions options;
  options.file = title;
  options.with_hints = with_hints;
  options.stages.compile.pipeline.exporting.resharding.axis_costs = axis_cost;
  const CostModel model = value_or_throw(parse_cost_model(axis_cost));
  throw_error(view::expect_page());
  auto compiled = report::compile_for_report(program.module(), options.stages.compile);
  if (!compiled) throw refusal(compiled.error());
  const Diagnostics diagnostics = compiled->diagnostics;
  const auto shown =
      tools::show_program(options, {title}, {program.module(), *std::move(compiled), model},
                          text::WrittenNames::of(program.module()), diagnostics);
  if (!shown) throw refusal(shown.error());
  return {value_or_throw(view::to_html(tools::page_of(*shown, options)))};
}

/// A picture of the devices.
struct PythonPicture {
  view::TitledGrid titled;
  std::string svg() const { return view::to_svg(std::span(&titled, 1)); }
};

PythonPicture picture_of(const py::object& value, const py::object& given_shape) {
  const bool is_sharding = py::isinstance<TensorSharding>(value);
  const py::object sharding = is_sharding ? value : py::object(value.attr("sharding"));
  const py::object shape =
      given_shape.is_none() && !is_sharding ? py::object(value.attr("shape")) : given_shape;
  if (sharding.is_none()) {
    throw Refused({.message = "the value has no sharding: each device holds all of it"});
  }
  if (shape.is_none()) {
    throw Refused({.message = "a picture of a sharding needs a shape",
                   .notes = {"for example: shardy.show(sharding, (24, 24))"}});
  }
  const auto read = sharding.cast<TensorSharding>();
  auto grid = value_or_throw(ShardGrid::make(read, shape.cast<std::vector<int64_t>>()));
  const std::string name =
      py::hasattr(value, "name") ? std::string(py::str(value.attr("name"))) + ": " : "";
  return {{name + to_string(read), std::move(grid)}};
}

std::string picture_text(const PythonPicture& picture) {
  std::string text = picture.titled.title + "\n";
  for (const std::string& line : view::lines_of(picture.titled.grid)) text += line + "\n";
  return text;
}

void save(const std::string& path, const std::string& content) {
  throw_error(tools::write_file(path, content));
}

}  // namespace

void bind_views(py::module_& module) {
  py::class_<View>(module, "View", "A page that shows a program; a notebook displays it.")
      .def_readonly("html", &View::html, "The page, one self-contained file.")
      .def(
          "save", [](const View& view, const py::object& path) { save(py::str(path), view.html); },
          "Writes the page to a file.", py::arg("path"))
      .def("_repr_html_", &frame_html)
      .def("__repr__", [](const View& view) {
        return "<shardy.View: " + std::to_string(view.html.size()) + " bytes of HTML>";
      });
  py::class_<PythonPicture>(module, "Picture", "A device picture; a notebook displays it.")
      .def_property_readonly("svg", &PythonPicture::svg, "The picture, one SVG document.")
      .def(
          "save",
          [](const PythonPicture& picture, const py::object& path) {
            save(py::str(path), picture.svg());
          },
          "Writes the picture to a file.", py::arg("path"))
      .def("_repr_svg_", &PythonPicture::svg)
      .def("__str__", &picture_text)
      .def("__repr__", [](const PythonPicture& picture) {
        return "<shardy.Picture " + picture.titled.title + ">";
      });
  module.def("show", &picture_of,
             "Returns the picture of a sharding of a shape, or of an argument or result.",
             py::arg("value"), py::arg("shape") = py::none());
  auto program = py::reinterpret_borrow<py::class_<PythonProgram>>(module.attr("Program"));
  program.def(
      "view",
      [](const PythonProgram& self, const std::string& title, const std::string& axis_cost,
         bool hints) { return view_of(self, title, axis_cost, hints); },
      "Returns a page with the shardings, collectives, time and memory of the program.",
      py::kw_only(), py::arg("title") = "program", py::arg("axis_cost") = "",
      py::arg("hints") = false);
}

}  // namespace shardy::python
