// The HTML page of a program: its data as JSON parts, and the parts in one HTML file.
#pragma once

#include <shardy/support/result.hpp>
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

}  // namespace shardy::view
