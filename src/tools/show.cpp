#include "tools/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/bytes_text.hpp"
#include "tools/explain_select.hpp"
#include "tools/explained_program.hpp"
#include "tools/grid_text.hpp"
#include "tools/json_report.hpp"
#include "tools/output.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

namespace {

using propagation::ExplainedValue;

/// A grid, and the line above it.
struct TitledGrid {
  std::string title;
  ShardGrid grid;
  std::vector<int64_t> steps = {};  // of propagation that changed the value, in order
};

/// `24x24`, with or without an element type; empty: no dims.
Result<std::vector<int64_t>> read_shape(const std::string& text) {
  const bool is_typed = text.find_first_not_of("0123456789x?") != std::string::npos;
  const std::string sizes = text.empty() ? "f32" : text + "xf32";
  SHARDY_TRY(const ir::Type type, ir::parse_type("tensor<" + (is_typed ? text : sizes) + ">"));
  if (!type.is_static_tensor()) return fail("expected a static shape like 24x24, got: " + text);
  return std::vector<int64_t>(type.dims().begin(), type.dims().end());
}

/// Returns the grid of a sharding on the command line.
Result<TitledGrid> written_grid(const ShowQuestion& question) {
  if (question.mesh.empty() || question.sharding.empty()) {
    return tl::unexpected(
        Error{"expected a FILE and --value, or --mesh, --shape and --sharding",
              {},
              {"for example: shardy show --mesh '<[\"x\"=2, \"y\"=3]>' --shape 24x24 "
               "--sharding '[{\"x\"}, {\"y\"}]'"}});
  }
  const auto of = [](const char* option) {
    return [option](Error error) { return in_option(option, std::move(error)); };
  };
  SHARDY_TRY(const Mesh mesh, parse_mesh(question.mesh).map_error(of("--mesh")));
  SHARDY_TRY(std::vector<int64_t> shape, read_shape(question.shape).map_error(of("--shape")));
  SHARDY_TRY(
      const SpelledSharding spelled,
      parse_any_sharding(question.sharding, "mesh", shape.size()).map_error(of("--sharding")));
  SHARDY_TRY(TensorSharding sharding, resolve(spelled, mesh).map_error(of("--sharding")));
  std::string title =
      "tensor of " + (shape.empty() ? "no dims" : question.shape) + ", " + to_string(sharding);
  SHARDY_TRY(ShardGrid grid, ShardGrid::make(std::move(sharding), std::move(shape)));
  return TitledGrid{std::move(title), std::move(grid)};
}

// ---- Values of programs -------------------------------------------------------------------------

/// Steps that changed the value, in order.
std::vector<int64_t> steps_of(const ExplainedValue& value) {
  std::vector<int64_t> steps;
  for (const propagation::ExplainedAxis& axis : value.axes) {
    for (const propagation::AxisArrival& arrival : axis.arrivals) {
      if (arrival.step >= 0) steps.push_back(arrival.step);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string title_of(const ExplainedValue& value, const std::optional<TensorSharding>& sharding,
                     const ShowQuestion& question) {
  std::string title = fmt::format("{}: {} {}", value.name, value.type,
                                  sharding ? to_string(*sharding) : "without a sharding");
  if (question.step) {
    title += *question.step < 0 ? ", before propagation"
                                : fmt::format(", after step {}", *question.step);
  }
  if (!value.calls.empty()) title += fmt::format(", called by {}", fmt::join(value.calls, ", "));
  if (!value.user.empty()) title += ", copy for " + value.user;
  return title;
}

Result<TitledGrid> grid_of(const ExplainedValue& value, const ShowQuestion& question) {
  if (!value.sharding) {
    return tl::unexpected(Error{value.name + " has no sharding: each device holds all of it",
                                {},
                                {"shardy explain --value tells why"}});
  }
  const std::optional<TensorSharding> then =
      question.step ? sharding_after(value, *question.step) : value.sharding;
  SHARDY_TRY(const ir::Type type, ir::parse_type(value.type));
  // Without a sharding all devices of the mesh hold all of it.
  SHARDY_TRY(ShardGrid grid, ShardGrid::make(then.value_or(value.sharding->fully_open_like()),
                                             {type.dims().begin(), type.dims().end()}));
  return TitledGrid{title_of(value, then, question), std::move(grid), steps_of(value)};
}

/// Refuses a step that propagation does not take.
Status expect_step(const ShowQuestion& question, int64_t num_steps) {
  if (question.step.value_or(-1) < num_steps) return {};
  return tl::unexpected(
      Error{fmt::format("--step {}: propagation has {} step{}", *question.step, num_steps,
                        num_steps == 1 ? "" : "s"),
            {},
            {num_steps == 0 ? "--step start draws the value before propagation"
                            : fmt::format("allowed: start, 0 to {}", num_steps - 1)}});
}

/// Returns the grids of the selected values; several are copies, or results of one op.
/// std::nullopt: the error was reported.
std::optional<std::vector<TitledGrid>> grids_of_program(const ShowQuestion& question,
                                                        Source& source, Reporter& reporter) {
  const auto refuse = [&](const Error& error) {
    reporter.refuse({error});
    return std::nullopt;
  };
  if (question.program.value.empty()) {
    return refuse({"expected --value, the value of the program to draw",
                   {},
                   {"for example: shardy show model.mlir --value %16"}});
  }
  const auto program = explain_program(source, reporter, question.program);
  if (!program) return std::nullopt;
  const auto values =
      select_values(program->explanation.values,
                    {question.program.value, question.program.function, false}, program->names);
  if (!values) return refuse(values.error());
  if (const Status step = expect_step(question, program->num_steps); !step) {
    return refuse(step.error());
  }
  std::vector<TitledGrid> grids;
  for (const ExplainedValue* value : *values) {
    auto grid = grid_of(*value, question);
    if (!grid) return refuse(grid.error());
    grids.push_back(*std::move(grid));
  }
  return grids;
}

std::string text_of(const TitledGrid& titled, const GridView& view) {
  std::string out = text::printable_text(titled.title) + "\n";
  if (!titled.steps.empty()) {
    out += fmt::format("changed by step{} {}\n", titled.steps.size() == 1 ? "" : "s",
                       fmt::join(titled.steps, ", "));
  }
  return out + grid_text(titled.grid, view);
}

std::string json_of(const std::vector<TitledGrid>& grids, const Diagnostics& said) {
  text::JsonWriter out = report_writer();
  begin_report(out, "show");
  out.key("values").begin_array(text::JsonWriter::Layout::Broken);
  for (const TitledGrid& each : grids) {
    out.begin_object(text::JsonWriter::Layout::Broken);
    add(out, "title", each.title);
    out.key("steps").begin_array();
    for (const int64_t step : each.steps) out.integer(step);
    out.end_array();
    write_grid(out, each.grid);
    out.end_object();
  }
  out.end_array();
  add(out, "diagnostics", said);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace

int show_command(const ShowQuestion& question) {
  const CommandOptions& program = question.program;
  Source source{program.file};
  Reporter reporter(source, program.json);
  std::vector<TitledGrid> grids;
  if (program.file.empty()) {
    auto grid = written_grid(question);
    if (!grid) return reporter.refuse({grid.error()});
    grids.push_back(*std::move(grid));
  } else if (!question.mesh.empty() || !question.sharding.empty() || !question.shape.empty()) {
    return reporter.refuse({Error{"--mesh, --shape and --sharding are for a call without FILE"}});
  } else {
    auto found = grids_of_program(question, source, reporter);
    if (!found) return kBadInput;
    grids = *std::move(found);
  }
  std::string out;
  const GridView view{question.limit, shows_colours(stdout)};
  for (const TitledGrid& each : grids) out += (out.empty() ? "" : "\n") + text_of(each, view);
  if (program.json) out = json_of(grids, reporter.said());
  std::fwrite(out.data(), 1, out.size(), stdout);  // with colours; names in it are spelled
  return kDone;
}

}  // namespace shardy::tools
