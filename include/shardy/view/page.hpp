// The page that shows a program: its data as JSON parts, and the parts in one HTML file.
#pragma once

#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::view {

/// A part of the document of a page. docs/view.schema.json describes the parts.
struct Part {
  std::string name;  // `report`; of a document in a comparison `before.report`
  std::string json;  // its value, ASCII text
};

/// Returns the document of the parts as one JSON object. `before.report` becomes member `report` of
/// member `before`. Requires: parts of one inner document follow one another.
std::string document_json(std::span<const Part> parts);

/// A page before it becomes HTML.
struct Page {
  std::string title;        // title of the window
  std::vector<Part> parts;  // data that the scripts show
  std::string static_html;  // what readers without scripts see, by static_html
};

/// Cells of a row.
using TextRow = std::vector<std::string>;

/// A table for readers without scripts.
struct TextTable {
  std::string caption;        // title of the table
  TextRow head;               // titles of the columns
  std::vector<TextRow> rows;  // as many cells as titles
};

/// Returns HTML of a list of totals, each a name and a text, and of tables; all texts are escaped.
std::string static_html(std::span<const TextRow> totals, std::span<const TextTable> tables);

/// Returns `text` as HTML text, also in an attribute with double quotes: markup and characters that
/// HTML refuses or that reorder text are escaped.
std::string html_text(std::string_view text);

/// Returns one self-contained HTML file with scripts, styles and libraries. The policy of the page
/// allows no scripts but these, and no network. Errors: the library was built without zlib, d3 or
/// dagre; the notes list the packages to install.
Result<std::string> to_html(const Page& page);

/// Checks whether to_html can succeed. Errors: those of to_html.
Status expect_page();

}  // namespace shardy::view
