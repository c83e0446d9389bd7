// Writes the HTML of a page: the template with scripts, styles, libraries and compressed data.
#include "shardy/view/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#ifdef SHARDY_HAS_ZLIB
#include <zlib.h>
#endif

#include "text/bytes_text.hpp"
#include "text/json_writer.hpp"
#include "view/page_files.hpp"

namespace shardy::view {

// ---- Text ---------------------------------------------------------------------------------------

namespace {

/// Replaces U+FFFE and U+FFFF, which are not characters of XML, by escapes such as `\EF\BF\BE`.
std::string without_noncharacters(std::string text) {
  for (const std::string_view point : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = text.find(point); at != std::string::npos; at = text.find(point, at)) {
      text.replace(at, point.size(), point.back() == '\xBE' ? "\\EF\\BF\\BE" : "\\EF\\BF\\BF");
    }
  }
  return text;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : without_noncharacters(text::printable_line(text))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

/// Checks whether a text is a number, also with a unit; locations such as `5:10` are not.
bool is_number(std::string_view text) {
  constexpr std::string_view kFirst = "0123456789+-=";
  return !text.empty() && kFirst.find(text.front()) != std::string_view::npos &&
         text.find(':') == std::string_view::npos;
}

/// Checks for each column whether it has only numbers, which are aligned at the right.
std::vector<bool> number_columns(const TextTable& table) {
  std::vector<bool> columns(table.head.size(), true);
  for (const TextRow& row : table.rows) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      columns[column] = columns[column] && column < row.size() && is_number(row[column]);
    }
  }
  return columns;
}

/// Returns a row of cells; `element` is `td` or `th`.
std::string row_html(std::string_view element, const TextRow& row,
                     const std::vector<bool>& numbers) {
  std::string out = "<tr>";
  for (std::size_t column = 0; column < row.size(); ++column) {
    const bool is_number = column < numbers.size() && numbers[column];
    out += fmt::format("<{0}{1}{2}>{3}</{0}>", element, element == "th" ? " scope=\"col\"" : "",
                       is_number ? " class=\"number\"" : "", html_text(row[column]));
  }
  return out + "</tr>\n";
}

}  // namespace

std::string static_html(std::span<const TextRow> totals, std::span<const TextTable> tables) {
  std::string out = totals.empty() ? "" : "<dl>\n";
  for (const TextRow& row : totals) {
    SHARDY_EXPECTS(row.size() == 2);
    out += "<dt>" + html_text(row[0]) + "</dt><dd>" + html_text(row[1]) + "</dd>\n";
  }
  if (!totals.empty()) out += "</dl>\n";
  for (const TextTable& table : tables) {
    if (table.rows.empty()) continue;
    const std::vector<bool> numbers = number_columns(table);
    out += "<table>\n<caption>" + html_text(table.caption) + "</caption>\n<thead>" +
           row_html("th", table.head, numbers) + "</thead>\n<tbody>\n";
    for (const TextRow& row : table.rows) out += row_html("td", row, numbers);
    out += "</tbody>\n</table>\n";
  }
  return out;
}

// ---- The document -------------------------------------------------------------------------------

std::string document_json(std::span<const PagePart> parts) {
  std::string out = "{";
  std::string_view inner;  // name of the open inner document
  for (const PagePart& part : parts) {
    const std::string_view name = part.name;
    const std::size_t dot = name.find('.');
    const std::string_view document = dot == std::string_view::npos ? "" : name.substr(0, dot);
    if (document != inner) {
      if (!inner.empty()) out += "}";
      if (out.back() != '{') out += ",\n";
      if (!document.empty()) out += text::quoted_json(document, true) + ":{";
      inner = document;
    } else if (out.back() != '{') {
      out += ",\n";
    }
    const std::string_view key = dot == std::string_view::npos ? name : name.substr(dot + 1);
    out += text::quoted_json(key, true) + ":" + part.json;
  }
  return out + (inner.empty() ? "}\n" : "}}\n");
}

// ---- HTML ---------------------------------------------------------------------------------------

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

#ifdef SHARDY_HAS_ZLIB

/// Compresses text by raw deflate, the form that browsers decompress.
std::string deflated(std::string_view text) {
  z_stream stream{};
  constexpr int kRawWindow = -15;
  constexpr int kMemory = 9;
  const int begun = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRawWindow, kMemory,
                                 Z_DEFAULT_STRATEGY);
  SHARDY_EXPECTS(begun == Z_OK);  // fails only if memory is exhausted
  std::string out;
  std::array<unsigned char, 1U << 16U> buffer{};
  constexpr std::size_t kMost = std::size_t{1} << 30U;  // zlib counts in 32 bits
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::string_view piece = text.substr(0, kMost);
    text.remove_prefix(piece.size());
    // zlib does not write to its input.
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<unsigned>(piece.size());
    do {
      stream.next_out = buffer.data();
      stream.avail_out = static_cast<unsigned>(buffer.size());
      state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0 && state != Z_STREAM_END);
  }
  deflateEnd(&stream);
  return out;
}

constexpr bool kHasDeflate = true;
#else
std::string deflated(std::string_view text) { return std::string(text); }
constexpr bool kHasDeflate = false;
#endif

/// Returns the digest as a source of the content security policy: `'sha256-BASE64'`.
std::string source_of(const PageFile& file) {
  const auto digest = text::from_hex_digits(file.sha256);
  SHARDY_ASSERT(digest.has_value());
  return " 'sha256-" + text::to_base64(*digest) + "'";
}

/// Returns the content security policy: allows the page's scripts by their digests, allows styles,
/// forbids network access.
std::string policy_html() {
  std::string sources;
  for (const PageFile& file : page_files()) {
    if (file.is_script()) sources += source_of(file);
  }
  return "<meta name=\"generator\" content=\"shardy view\">\n<meta "
         "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src" +
         sources +
         "; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; "
         "base-uri 'none'; form-action 'none'\">";
}

std::string styles_html() {
  std::string out;
  for (const PageFile& file : page_files()) {
    if (file.is_style()) out += "<style>" + std::string(file.bytes) + "</style>\n";
  }
  return out;
}

std::string scripts_html(bool is_library) {
  std::string out;
  for (const PageFile& file : page_files()) {
    if (!file.is_script() || file.is_library() != is_library) continue;
    const std::string_view library = file.name.substr(file.name.rfind('/') + 1);
    out += is_library ? "<script data-library=\"" +
                            std::string(library.substr(0, library.find('.'))) + "\">"
                      : std::string("<script>");
    out += std::string(file.bytes) + "</script>\n";
  }
  return out;
}

std::string data_html(std::span<const PagePart> parts) {
  std::string out;
  for (const PagePart& part : parts) {
    out += "<script type=\"application/octet-stream+base64\" data-part=\"" + html_text(part.name) +
           "\">" + text::to_base64(bytes_of(deflated(part.json))) + "</script>\n";
  }
  return out;
}

/// Returns the template in which texts replace the markers. Makes one pass, so replaced text is not
/// searched.
std::string filled(std::string_view html,
                   std::span<const std::pair<std::string_view, std::string>> markers) {
  std::string out;
  while (true) {
    const std::size_t begin = html.find("<!--");
    if (begin == std::string_view::npos) return out.append(html);
    out.append(html.substr(0, begin));
    html.remove_prefix(begin);
    const auto marker = std::ranges::find_if(
        markers, [&](const auto& each) { return html.starts_with(each.first); });
    const bool is_marker = marker != markers.end();
    out += is_marker ? marker->second : "<!--";
    html.remove_prefix(is_marker ? marker->first.size() : 4);
  }
}

}  // namespace

Status expect_page() {
  std::vector<std::string> packages(missing_packages().begin(), missing_packages().end());
  if (!kHasDeflate) packages.emplace_back("zlib1g-dev");
  if (packages.empty()) return {};
  std::string names;
  for (const std::string& package : packages) names += " " + package;
  return tl::unexpected(
      Error{.message = "shardy was built without packages that pages need:" + names,
            .notes = {"install them (apt-get install" + names + ") and build shardy again",
                      "--format=json, dot and model-explorer need none of them"}});
}

Result<std::string> to_html(const Page& page) {
  SHARDY_TRY_STATUS(expect_page());
  const PageFile& html = page_files().front();
  const std::pair<std::string_view, std::string> markers[] = {
      {"<!--TITLE-->", html_text(page.title)}, {"<!--POLICY-->", policy_html()},
      {"<!--STYLES-->", styles_html()},        {"<!--STATIC-->", page.static_html},
      {"<!--DATA-->", data_html(page.parts)},  {"<!--LIBRARIES-->", scripts_html(true)},
      {"<!--SCRIPTS-->", scripts_html(false)},
  };
  return filled(html.bytes, markers);
}

}  // namespace shardy::view
