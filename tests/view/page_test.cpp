// Pages as HTML: names are text, data is data, and no script runs that is not ours.
#include "shardy/view/page.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "support/catch.hpp"
#include "text/bytes_text.hpp"
#include "text/json_document.hpp"
#include "view/html_tokens.hpp"
#include "view/page_files.hpp"
#include "view/viewed_program.hpp"

namespace shardy_test::page_test {
namespace {

using namespace shardy;

/// Names that end strings, elements and comments, or that act on terminals and readers.
const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"</script><script>alert(1)</script>",
                                                 "<!--",
                                                 "-->",
                                                 "]]>",
                                                 "\" onload=\"alert(1)",
                                                 "' x='",
                                                 "&lt;b&gt;&amp;",
                                                 "<img src=x onerror=alert(1)>",
                                                 "</style><svg/onload=alert(1)>",
                                                 "a\x01\x1B[31mred",
                                                 std::string("nul\0byte", 8),
                                                 "\xE2\x80\xAEright to left",
                                                 "\xE2\x80\xA8line",
                                                 "not utf8 \xFF\xC0\x80",
                                                 "javascript:alert(1)",
                                                 "\\u003cscript\\u003e",
                                                 "${alert(1)}",
                                                 "`+alert(1)+`",
                                                 "\xEF\xBF\xBE\xEF\xBF\xBF",
                                                 "\r\n\t ",
                                                 "<!--TITLE--><!--DATA-->"};
  return names;
}

/// Checks the elements of a page: no event handlers, no sources, no scripts but ours.
void check_page(const std::string& html) {
  const auto elements = html_elements(html);
  REQUIRE(elements);
  std::size_t scripts = 0;
  std::size_t expected = 0;
  for (const view::PageFile& file : view::page_files()) expected += file.is_script() ? 1 : 0;
  std::set<std::string_view> ours;
  for (const view::PageFile& file : view::page_files()) ours.insert(file.bytes);
  for (const HtmlElement& element : *elements) {
    for (const auto& [name, value] : element.attributes) {
      CHECK_FALSE(name.starts_with("on"));
      CHECK(name != "src");
    }
    if (element.name == "img" || element.name == "svg" || element.name == "b") FAIL(element.name);
    if (element.name != "script") continue;
    if (element.attributes.contains("data-part")) {
      CHECK(text::from_base64(element.text).has_value());
    } else {
      CHECK(ours.contains(element.text));
      ++scripts;
    }
  }
  CHECK(scripts == expected);
}

TEST_CASE("text in HTML is escaped", "[page]") {
  CHECK(view::html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(view::html_text("\x01\xE2\x80\xAE\xFF") == "\\01\\E2\\80\\AE\\FF");
  CHECK(view::html_text("\xEF\xBF\xBF") == "\\EF\\BF\\BF");
  CHECK(view::html_text("\xC3\xA9") == "\xC3\xA9");
}

TEST_CASE("a document has its parts as JSON members and inner documents as JSON objects",
          "[page]") {
  const std::vector<view::PagePart> parts = {{"head", "1"},
                                             {"before.head", "2"},
                                             {"before.text", "3"},
                                             {"after.head", "4"},
                                             {"diff", "5"}};
  CHECK(view::document_json(parts) ==
        "{\"head\":1,\n\"before\":{\"head\":2,\n\"text\":3},\n\"after\":{\"head\":4},\n\"diff\":5}"
        "\n");
  CHECK(view::document_json(std::vector<view::PagePart>{{"a.b", "1"}}) == "{\"a\":{\"b\":1}}\n");
  CHECK(view::document_json({}) == "{}\n");
}

TEST_CASE("names in static tables are escaped as text", "[page]") {
  for (const std::string& name : hostile_names()) {
    const view::TextTable table{name, {name}, {{name}}};
    const std::vector<view::TextRow> totals = {{name, name}};
    const std::string html = view::static_html(totals, std::vector<view::TextTable>{table});
    const auto elements = html_elements(html);
    REQUIRE(elements);
    std::vector<std::string> tags;
    for (const HtmlElement& element : *elements) {
      if (!element.name.starts_with('/')) tags.push_back(element.name);
    }
    CHECK(tags == std::vector<std::string>{"dl", "dt", "dd", "table", "caption", "thead", "tr",
                                           "th", "tbody", "tr", "td"});
  }
}

TEST_CASE("malicious titles and data are escaped as text", "[page]") {
  if (!view::expect_page()) {
    WARN("built without the packages of pages");
    return;
  }
  for (const std::string& name : hostile_names()) {
    const std::string json = "\"</script><script>alert(1)</script>\"";
    const auto html =
        view::to_html({.title = name, .parts = {{"head", json}, {"x", "{}"}}, .static_html = {}});
    REQUIRE(html);
    check_page(*html);
    CHECK(html->find("alert(1)</script>") == std::string::npos);
  }
  const auto html =
      view::to_html({.title = std::string(1U << 20U, '<'), .parts = {}, .static_html = {}});
  REQUIRE(html);
  check_page(*html);
}

TEST_CASE("the content policy allows the page's scripts by digest, and no network", "[page]") {
  if (!view::expect_page()) return;
  const auto html = view::to_html({.title = "t", .parts = {}, .static_html = {}});
  REQUIRE(html);
  const std::size_t at = html->find("Content-Security-Policy");
  REQUIRE(at != std::string::npos);
  const std::string policy = html->substr(at, html->find('>', at) - at);
  CHECK(policy.find("default-src 'none'") != std::string::npos);
  std::size_t digests = 0;
  for (std::size_t from = policy.find("'sha256-"); from != std::string::npos;
       from = policy.find("'sha256-", from + 1)) {
    ++digests;
  }
  std::size_t scripts = 0;
  for (const view::PageFile& file : view::page_files()) scripts += file.is_script() ? 1 : 0;
  CHECK(digests == scripts);
  CHECK(policy.find("unsafe-eval") == std::string::npos);
}

/// Gives values, functions, meshes and locations of a program hostile names.
void rename_all(ir::Module& module, checking::Random& random) {
  const std::vector<std::string>& names = hostile_names();
  const auto name = [&](const std::string& suffix) { return random.pick(names) + suffix; };
  for (std::size_t value = 0; value < module.num_values(); ++value) {
    module.set_value_name(ir::ValueId(static_cast<uint32_t>(value)), name(std::to_string(value)));
  }
  std::size_t number = 0;
  for (const ir::OpId op : ir::pre_order(module)) {
    ++number;
    if (random.chance(2)) continue;
    module.set_location(op,
                        module.add_location("loc(\"" + name("/") + std::to_string(number) + "\")"));
  }
}

TEST_CASE("names of random programs never become markup", "[page][random]") {
  if (!view::expect_page()) return;
  const char* const asked = std::getenv("SHARDY_HOSTILE_CASES");
  const uint64_t cases = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 100;
  uint64_t shown = 0;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    checking::Random random(seed);
    ir::Module module =
        checking::random_program(seed, {.max_depth = static_cast<int64_t>(seed % 2)}).module;
    rename_all(module, random);
    INFO("seed " << seed);
    const auto program = viewed(module);
    if (program == nullptr) continue;
    ++shown;
    program->texts.title = random.pick(hostile_names());
    const view::ProgramData data = program->data();
    view::Page page{.title = program->texts.title,
                    .parts = view::program_parts(data, program->texts),
                    .static_html = {}};
    for (const view::PagePart& part : page.parts) {
      CHECK(std::ranges::all_of(part.json,
                                [](char c) { return c == '\n' || (c >= ' ' && c < '\x7F'); }));
    }
    CHECK(text::JsonDocument::parse(view::document_json(page.parts),
                                    {.max_depth = 64, .max_errors = 1}));
    std::vector<view::TextRow> rows;
    for (const report::Collective& row : program->report.collectives) {
      rows.push_back({row.kind, row.axes, row.serves, to_string(row.location)});
    }
    page.static_html = view::static_html(
        {}, std::vector<view::TextTable>{{"collectives", {"kind", "axes", "for", "at"}, rows}});
    const auto html = view::to_html(page);
    REQUIRE(html);
    check_page(*html);
    const std::string dot = view::to_dot(data);
    CHECK(std::ranges::none_of(
        dot, [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7F'; }));
    CHECK(text::JsonDocument::parse(view::to_model_explorer(data, page.title),
                                    {.max_depth = 64, .max_errors = 1}));
  }
  CHECK(shown * 10 > cases * 8);
}

}  // namespace
}  // namespace shardy_test::page_test
