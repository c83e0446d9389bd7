// Python bindings of pages and pictures: `Program.view()` and `show()`.
#include "tools/view.hpp"

#include <algorithm>
#include <utility>

#include "python/bindings.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/view/page.hpp"
#include "shardy/view/picture.hpp"
#include "tools/files.hpp"

namespace shardy::python {

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
