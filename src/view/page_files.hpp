// Files of the page, which the build puts into the library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace shardy::view {

/// A file of the page, with the digest by which the policy of the page allows it.
struct PageFile {
  std::string_view name;    // `page.html`, `outline.js`, `page.css`, `library/d3.min.js`
  std::string_view bytes;   // its content; of a library with its licence as a comment
  std::string_view sha256;  // of the content, in hexadecimal digits

  bool is_library() const { return name.starts_with("library/"); }
  bool is_script() const { return name.ends_with(".js"); }
  bool is_style() const { return name.ends_with(".css"); }
};

/// Returns the template, then styles and scripts in their order. Libraries that the build did not
/// find are missing.
std::span<const PageFile> page_files();

/// Packages that the build did not find: "node-d3", "node-dagre-layout".
std::span<const std::string_view> missing_packages();

}  // namespace shardy::view
