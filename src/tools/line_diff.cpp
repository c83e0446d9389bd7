// Finds the fewest lines to drop and to add (Myers, 1986).
//
//   a b c     drop b, add d      @@ -2 +2 @@
//   a d c         ->             -b
//                                +d
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files.hpp"

namespace shardy::tools {

namespace {

using Lines = std::vector<std::string_view>;

/// Splits a text after its newlines.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// The lines [from, from_end) of the old text become the lines [to, to_end) of the new text.
struct Hunk {
  std::size_t from = 0;
  std::size_t from_end = 0;
  std::size_t to = 0;
  std::size_t to_end = 0;
};

/// Finds the shortest list of steps: a step drops a line of `before` or adds one of `after`. Entry
/// d of `reached_` has, for each difference x - y from -d to d in steps of 2, the largest number x
/// of lines of `before` that d steps reach; y is the number of lines of `after`.
class ShortestSteps {
 public:
  ShortestSteps(std::span<const std::string_view> before, std::span<const std::string_view> after)
      : before_(before), after_(after) {}

  /// Returns the hunks in order. All lines are one hunk if more steps than `most` are needed.
  std::vector<Hunk> run(int64_t most) {
    const auto rows = static_cast<int64_t>(before_.size());
    const auto columns = static_cast<int64_t>(after_.size());
    for (int64_t steps = 0; steps <= most; ++steps) {
      std::vector<int64_t>& reached = reached_.emplace_back();
      for (int64_t difference = -steps; difference <= steps; difference += 2) {
        int64_t x = first_reached(steps, difference);
        while (x < rows && x - difference < columns && x >= difference &&
               before_[static_cast<std::size_t>(x)] ==
                   after_[static_cast<std::size_t>(x - difference)]) {
          ++x;
        }
        reached.push_back(x);
        if (x >= rows && x - difference >= columns) return hunks(steps, difference);
      }
    }
    return {{0, before_.size(), 0, after_.size()}};
  }

 private:
  int64_t reached(int64_t steps, int64_t difference) const {
    return reached_[static_cast<std::size_t>(steps)]
                   [static_cast<std::size_t>((difference + steps) / 2)];
  }
  /// Checks whether the last of the steps to a difference adds a line, instead of dropping one.
  bool adds(int64_t steps, int64_t difference) const {
    if (difference == -steps) return true;
    return difference != steps &&
           reached(steps - 1, difference - 1) < reached(steps - 1, difference + 1);
  }
  int64_t first_reached(int64_t steps, int64_t difference) const {
    if (steps == 0) return 0;
    return adds(steps, difference) ? reached(steps - 1, difference + 1)
                                   : reached(steps - 1, difference - 1) + 1;
  }

  /// Returns the steps to a difference, from the first one, with neighbors merged.
  std::vector<Hunk> hunks(int64_t steps, int64_t difference) const {
    std::vector<Hunk> found;
    for (; steps > 0; --steps) {
      const auto x = static_cast<std::size_t>(first_reached(steps, difference));
      const auto y = static_cast<std::size_t>(first_reached(steps, difference) - difference);
      const bool is_added = adds(steps, difference);
      const Hunk step = is_added ? Hunk{x, x, y - 1, y} : Hunk{x - 1, x, y, y};
      if (!found.empty() && found.back().from == step.from_end && found.back().to == step.to_end) {
        found.back().from = step.from;
        found.back().to = step.to;
      } else {
        found.push_back(step);
      }
      difference += is_added ? 1 : -1;
    }
    std::ranges::reverse(found);
    return found;
  }

  std::span<const std::string_view> before_;
  std::span<const std::string_view> after_;
  std::vector<std::vector<int64_t>> reached_;
};

/// Returns the text of a range in a hunk: `4`, `4,2`, or `3,0` for no line after line 3.
std::string range_text(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return fmt::format("{}", end);
  return fmt::format("{},{}", begin == end ? begin : begin + 1, end - begin);
}

void add_lines(std::string& out, char sign, std::span<const std::string_view> lines) {
  for (const std::string_view line : lines) {
    out += sign;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  constexpr int64_t kMostSteps = 2000;
  const Lines from = lines_of(before);
  const Lines to = lines_of(after);
  const std::size_t shorter = std::min(from.size(), to.size());
  std::size_t head = 0;
  while (head < shorter && from[head] == to[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) ++tail;
  const std::span<const std::string_view> old(from.data() + head, from.size() - head - tail);
  const std::span<const std::string_view> fresh(to.data() + head, to.size() - head - tail);
  if (old.empty() && fresh.empty()) return {};
  std::string out = fmt::format("--- {}\n+++ {}\n", name, name);
  for (const Hunk& hunk : ShortestSteps(old, fresh).run(kMostSteps)) {
    out += fmt::format("@@ -{} +{} @@\n", range_text(head + hunk.from, head + hunk.from_end),
                       range_text(head + hunk.to, head + hunk.to_end));
    add_lines(out, '-', old.subspan(hunk.from, hunk.from_end - hunk.from));
    add_lines(out, '+', fresh.subspan(hunk.to, hunk.to_end - hunk.to));
  }
  return out;
}

}  // namespace shardy::tools
