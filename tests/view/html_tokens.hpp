// A small tokenizer of HTML, for checks that names never become markup.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardy_test {

/// A tag and the text up to the next tag. The text of a script or style goes on to its end tag. An
/// end tag or a declaration has the name `/div` or `!doctype html`, and no attributes.
struct HtmlElement {
  std::string name;
  std::map<std::string, std::string> attributes = {};
  std::string text = {};
};

/// Reads the tags of a page as a browser does: names in lower case, scripts and styles up to
/// their end tag. Returns std::nullopt for an open comment, quote or tag, a lone `<`,
/// and an attribute value without double quotes.
inline std::optional<std::vector<HtmlElement>> html_elements(std::string_view html) {
  std::vector<HtmlElement> elements;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto lower = [](std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
  };
  std::size_t at = 0;
  while (true) {
    const std::size_t tag = html.find('<', at);
    if (!elements.empty())
      elements.back().text += html.substr(at, tag == html.npos ? tag : tag - at);
    if (tag == html.npos) return elements;
    at = tag + 1;
    if (html.substr(at, 3) == "!--") {
      const std::size_t end = html.find("-->", at);
      if (end == html.npos) return std::nullopt;
      at = end + 3;
      continue;
    }
    if (at < html.size() && (html[at] == '/' || html[at] == '!')) {
      const std::size_t end = html.find('>', at);
      if (end == html.npos) return std::nullopt;
      elements.push_back(
          {std::string(html.substr(at, 1)) + lower(html.substr(at + 1, end - at - 1))});
      at = end + 1;
      continue;
    }
    if (at >= html.size() || !is_letter(html[at])) return std::nullopt;  // a lone `<`
    std::size_t end = html.find_first_of(" \t\n\r\f/>", at);
    if (end == html.npos) return std::nullopt;
    HtmlElement element{lower(html.substr(at, end - at))};
    at = end;
    while (true) {
      at = html.find_first_not_of(" \t\n\r\f/", at);
      if (at == html.npos) return std::nullopt;
      if (html[at] == '>') break;
      end = html.find_first_of("= \t\n\r\f/>", at);
      if (end == html.npos) return std::nullopt;
      const std::string name = lower(html.substr(at, end - at));
      std::string value;
      at = end;
      if (html[at] == '=') {
        const char quote = at + 1 < html.size() ? html[at + 1] : ' ';
        if (quote != '"') return std::nullopt;  // ours are all in double quotes
        end = html.find('"', at + 2);
        if (end == html.npos) return std::nullopt;
        value = html.substr(at + 2, end - at - 2);
        at = end + 1;
      }
      element.attributes[name] = value;
    }
    ++at;
    if (element.name == "script" || element.name == "style") {
      const std::string close = "</" + element.name;
      end = html.find(close, at);
      if (end == html.npos) return std::nullopt;
      element.text = html.substr(at, end - at);
      at = end;
    }
    elements.push_back(std::move(element));
  }
}

}  // namespace shardy_test
