// The files of the page, which the build embeds in the library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace shardy::view {

/// A file of the page, with its digest for the content security policy.
struct PageFile {
  std::string_view name;    // such as `page.html`, `outline.js`, `page.css`, `library/d3.min.js`
  std::string_view bytes;   // the content; for a library, with its licence as a comment
  std::string_view sha256;  // hexadecimal digits

  bool is_library() const { return name.starts_with("library/"); }
  bool is_script() const { return name.ends_with(".js"); }
  bool is_style() const { return name.ends_with(".css"); }
};

/// Returns the template, then styles and scripts in their order. Does not contain libraries that
/// the build did not find.
std::span<const PageFile> page_files();

/// Returns the packages that the build did not find, such as "node-d3" or "node-dagre-layout".
std::span<const std::string_view> missing_packages();

}  // namespace shardy::view
