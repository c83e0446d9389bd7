// Families of programs: one text on many meshes, in several element types, with even and uneven
// shards. Each member must send at most 1.1 times a formula. With one annotation moved, it must not
// send more than before the first rewrite for such families.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// One member of a family.
struct Setting {
  int64_t x = 1;  // size of the mesh axis "x"
  int64_t y = 1;  // size of the mesh axis "y"; 1: the mesh has no such axis
  std::string element = "f32";
  int64_t bytes = 4;  // of an element
  bool is_even = true;

  int64_t devices() const { return x * y; }
  /// Returns the axis "y" as text; empty if the mesh has no such axis.
  std::string second() const { return y > 1 ? R"("y")" : ""; }
  /// Returns all axes as text.
  std::string all() const { return y > 1 ? R"("x", "y")" : R"("x")"; }
  /// Returns a size that is divisible by the shards, or one less.
  int64_t sharded_size(int64_t shards, int64_t each) const {
    return shards * each - (is_even ? 0 : 1);
  }
};

/// Element types, and their sizes in bytes.
using Elements = std::vector<std::pair<std::string, int64_t>>;
inline const Elements kAllElements = {{"f32", 4}, {"bf16", 2}, {"i32", 4}};

inline std::vector<Setting> all_settings(const Elements& elements) {
  std::vector<Setting> all;
  for (const auto& [x, y] : std::vector<std::pair<int64_t, int64_t>>{
           {2, 1}, {3, 1}, {4, 1}, {6, 1}, {8, 1}, {2, 2}, {2, 4}, {4, 4}}) {
    for (const auto& [element, bytes] : elements) {
      for (const bool is_even : {true, false}) all.push_back({x, y, element, bytes, is_even});
    }
  }
  return all;
}

/// A number and its name in the text of a program.
struct Size {
  std::string name;
  int64_t value;
};

/// Returns the program of a setting: ELEMENT, ZERO (0 as an element), AXES (all axes), Y (the
/// second axis) and the names of sizes are replaced.
inline std::string filled(const Setting& setting, std::string text,
                          const std::vector<Size>& sizes) {
  std::vector<std::pair<std::string, std::string>> names = {
      {"ELEMENT", setting.element},
      {"ZERO", setting.element[0] == 'i' ? "0" : "0.0"},
      {"{AXES}", "{" + setting.all() + "}"},
      {"{Y}", "{" + setting.second() + "}"}};
  for (const Size& size : sizes) names.emplace_back(size.name, std::to_string(size.value));
  for (const auto& [name, by] : names) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size())) {
      text.replace(at, name.size(), by);
    }
  }
  const std::string second = setting.y > 1 ? ", \"y\"=" + std::to_string(setting.y) : "";
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(setting.x) + second + "]>\n" + text;
}

/// Returns the bytes that the busiest device sends. Checks that the run equals the unsharded run.
inline int64_t bytes_of_family(const std::string& text) {
  const auto module = shardy::text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  shardy::checking::CheckOptions options;
  options.run.kernels.fill = shardy::simulation::Fill::Poison;
  options.run.num_workers = 1;
  const auto report = shardy::checking::check(*module, small_integers(*module, 7), options);
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  return most_bytes_sent(report->sharded);
}

// ---- Moved annotations --------------------------------------------------------------------------

/// Returns the program with the dims of the sharding number `index` of its text rotated by one, so
/// that axes move to the next dim; empty if the text has fewer shardings.
inline std::string with_moved_annotation(std::string text, std::size_t index) {
  const std::string start = "<@mesh, [";
  std::size_t begin = text.find(start);
  for (; index > 0 && begin != std::string::npos; --index) begin = text.find(start, begin + 1);
  if (begin == std::string::npos) return {};
  begin += start.size();
  const std::size_t end = text.find(']', begin);
  const std::size_t last = text.rfind('{', end);
  if (last == begin) return text;  // one dim
  const std::string rotated =
      text.substr(last, end - last) + ", " + text.substr(begin, last - 2 - begin);
  return text.replace(begin, end - begin, rotated);
}

/// Returns the bytes that programs with a moved annotation sent before the first rewrite for these
/// families, by name.
inline const std::map<std::string, int64_t>& bytes_before() {
  static const std::map<std::string, int64_t> bytes = [] {
    std::map<std::string, int64_t> read;
    std::ifstream file(SHARDY_MOVED_ANNOTATIONS);
    std::string name;
    int64_t sent = 0;
    while (file >> name >> sent) read.emplace(name, sent);
    return read;
  }();
  return bytes;
}

/// Checks that the program with each of its annotations moved sends at most the bytes of
/// tests/checking/moved_annotations.txt. If SHARDY_MOVED_FOLDER is set, writes these programs into
/// that folder instead.
inline void check_moved_annotations(const std::string& family, const Setting& setting,
                                    const std::string& text) {
  const char* const folder = std::getenv("SHARDY_MOVED_FOLDER");
  for (std::size_t index = 0;; ++index) {
    const std::string moved = with_moved_annotation(text, index);
    if (moved.empty()) break;
    if (moved == text) continue;
    const std::string name = family + "-" + std::to_string(setting.x) + "x" +
                             std::to_string(setting.y) + "-" + std::to_string(index);
    if (folder != nullptr) {
      std::ofstream(std::string(folder) + "/" + name + ".mlir") << moved;
      continue;
    }
    INFO(name);
    const auto before = bytes_before().find(name);
    REQUIRE(before != bytes_before().end());
    CHECK(bytes_of_family(moved) <= before->second);
  }
}

/// Checks all members of the family of this name. `program` makes the text, `formula` the bytes.
template <typename Program, typename Formula>
void check_family(const std::string& family, const Program& program, const Formula& formula,
                  const Elements& elements = kAllElements) {
  for (const Setting& setting : all_settings(elements)) {
    CAPTURE(family, setting.x, setting.y, setting.element, setting.is_even);
    const std::string text = program(setting);
    const int64_t most = formula(setting);
    CHECK(10 * bytes_of_family(text) <= 11 * most);
    const bool is_last = setting.element == elements.back().first;
    if (is_last && setting.is_even) check_moved_annotations(family, setting, text);
  }
}

}  // namespace shardy_test
