// Pages: the documents of a program and of a sweep as JSON parts, the parts in one HTML file, and
// the graph of a program for other viewers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/propagation/ir_adapter.hpp>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::view {

/// A part of the document of a page. docs/view.schema.json describes the parts.
struct PagePart {
  std::string name;  // name of the member: `report`; in a comparison `before.report`
  std::string json;  // JSON value of the member, ASCII text
};

/// Returns the parts as one JSON object. A part `before.report` becomes member `report` of the
/// object in member `before`. Requires: parts of one inner object are consecutive.
std::string document_json(std::span<const PagePart> parts);

/// The content of a page.
struct Page {
  std::string title;            // window title
  std::vector<PagePart> parts;  // data for the scripts of the page
  std::string static_html;      // HTML for browsers without scripts, from static_html
};

/// Cells of a row.
using TextRow = std::vector<std::string>;

/// A table for browsers without scripts.
struct TextTable {
  std::string caption;        // title of the table
  TextRow head;               // titles of the columns
  std::vector<TextRow> rows;  // rows with as many cells as `head`
};

/// Returns HTML of a list of totals, which are pairs of name and text, and of tables. All texts are
/// escaped.
std::string static_html(std::span<const TextRow> totals, std::span<const TextTable> tables);

/// Returns `text` escaped for HTML text and for attributes in double quotes. Escaped are markup,
/// and characters that HTML does not allow or that reorder text.
std::string html_text(std::string_view text);

/// Returns one self-contained HTML file with scripts, styles and libraries. The content security
/// policy of the page allows only these scripts, and no network access. Errors: the library was
/// built without zlib, d3 or dagre; notes list the packages to install.
Result<std::string> to_html(const Page& page);

/// Checks whether to_html can succeed. Errors: those of to_html.
Status expect_page();

/// A program with its propagation, compilation and costs. All referenced objects must outlive the
/// view.
struct ProgramData {
  const text::WrittenValues& names;  // names of the values, with the source program
  /// Explanation of the propagation of the source program.
  const propagation::Explanation& explanation;
  const checking::CompiledProgram& compiled;  // result of report::compile_for_report
  const report::Report& report;               // report of the compiled program
  const checking::CompileOptions& options;    // options of the compilation
  const checking::Context& context;           // context of the compilation
  /// Explanation of numbered(program), in which each op has its own location. Null: links of a
  /// decision lead to the first op at the location of the decision.
  const propagation::Explanation* numbered = nullptr;
  int64_t num_steps = 0;                          // number of propagation steps
  std::vector<report::TimelineEvent> timeline{};  // timeline of the compiled program
};

/// A figure of the header, as a number and as text of the report.
struct TotalRow {
  std::string id;        // id of the figure: `bytes`, `peak`
  std::string label;     // label: `bytes sent per device`
  std::string text;      // text: `936 bytes in 6 collectives`
  double value = 0;      // value in bytes, seconds or operations
  bool is_count = true;  // true if the value is an integer
};

/// The hints of a program as `shardy hints` prints them.
struct HintTexts {
  std::string document;                          // JSON document of all hints
  std::vector<std::vector<ir::ValueId>> values;  // values that each hint changes
  std::vector<std::string> patches;              // patch of each hint, as text
};

/// Texts of the reports on a program, which a page shows unchanged.
struct ProgramTexts {
  std::string title;             // page title
  std::string file;              // path of the program file
  std::string command;           // command line that wrote the page
  std::string source;            // text of the program; empty: the program is printed
  bool is_json = false;          // true if `source` is JSON
  std::vector<TotalRow> totals;  // figures of the header
  Diagnostics notes;             // warnings and notes with locations
  std::string report;            // JSON document of the report
  std::string conflicts;         // JSON list of the conflicts of the explanation
  /// Index in the explanation for each conflict of the list.
  std::vector<std::size_t> conflict_order;
  std::string missing_rules;           // JSON list of ops without a rule
  std::vector<std::string> decisions;  // text of each decision of the explanation
  std::vector<std::string> absences;   // text of each missing axis, value by value
  std::optional<HintTexts> hints;      // std::nullopt: no hints
};

/// Returns the parts of the document of a program. docs/view.schema.json describes them. Cost:
/// linear in the program; a second compilation if several ops have one location.
std::vector<PagePart> program_parts(const ProgramData& data, const ProgramTexts& texts);

/// Checks whether all ops except functions have different locations.
bool has_unique_places(const ir::Module& module);
/// Returns the program with the number of each op as its location. Use it if ops share locations,
/// such as layers that were traced from one line.
ir::Module numbered(const ir::Module& module);

/// Returns, for each value of the report of a source program, its number in the document of the
/// program; -1 for values that compilation added.
std::vector<int64_t> value_numbers(const ir::Module& module, const report::Report& report);

/// One pair of values per row of Difference::shardings. -1: no value.
struct ValuePairs {
  std::vector<int64_t> before;  // numbers of values in the document of the first program
  std::vector<int64_t> after;   // numbers of values in the document of the second program
};

/// Returns the values of two programs whose sharding differs.
ValuePairs changed_values(const ir::Module& before, const report::Report& report_before,
                          const ir::Module& after, const report::Report& report_after);

/// Returns the graph of the program in Graphviz format. Ops are nodes, in clusters by function and
/// name scope. Values are edges, in the colours of the axes that shard them.
std::string to_dot(const ProgramData& data);

/// Returns the graph of the program in the JSON format of Model Explorer.
std::string to_model_explorer(const ProgramData& data, std::string_view title);

/// Costs of one strategy, or its error.
struct SweepRow {
  double seconds = 0;              // modelled time
  double collective_seconds = 0;   // modelled time of collectives
  int64_t peak_bytes = 0;          // peak memory per device
  int64_t bytes = 0;               // bytes sent per device
  double operations = 0;           // operations per device
  std::optional<bool> equal = {};  // whether results equal the unsharded run, if checked
  /// Error of a strategy that does not compile, whose other members are unset; else empty.
  std::string error = {};
  /// Options of the search that finds the program, if its annotations alone do not give it, such as
  /// `--memory=4096`. Else empty.
  std::vector<std::string> search_options = {};
};

/// A sweep with all data of its page.
struct SweepTable {
  std::string title;                                    // page title
  std::string command;                                  // command line of the sweep
  std::string program;                                  // file of the annotated program
  std::span<const report::SweepStrategy> strategies{};  // strategies by number
  /// Rows of the first strategies; there may be fewer rows than strategies.
  std::vector<SweepRow> rows;
  std::vector<std::size_t> front;  // numbers of the strategies of the Pareto front, fastest first
};

/// Returns the parts of the document of a sweep. docs/view.schema.json describes them.
std::vector<PagePart> sweep_parts(const SweepTable& table);

/// Returns the command that shows the program with the annotations of a strategy: `shardy view
/// model.mlir --after '%arg0=[{"x"}, {}]'`. Empty for a strategy without annotations.
std::string view_command(const std::string& program, const report::SweepStrategy& strategy);

}  // namespace shardy::view
