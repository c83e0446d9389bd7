// Measures the cost of including a header: the compiler's processor time for a file that contains
// only the include. The cost is a ratio to a list of standard headers with fmt and expected. Usage:
// `include_time [HEADER...]`; all public headers by default.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Headers = std::vector<std::string>;

const Headers kStandard = {"vector",        "string",       "optional",       "variant",
                           "unordered_map", "functional",   "algorithm",      "ranges",
                           "span",          "fmt/format.h", "tl/expected.hpp"};

/// The headers that a source file of a compiler with its own IR includes.
const Headers kEmbedder = {"shardy/algebra.hpp", "shardy/propagation.hpp", "shardy/resharding.hpp"};

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Returns the least time of three compilations; std::nullopt if the header does not compile.
std::optional<double> cost(const Headers& headers) {
  const std::string source = std::string(SHARDY_SCRATCH) + "/include_time_unit.cpp";
  std::ofstream file(source);
  for (const std::string& header : headers) file << "#include <" << header << ">\n";
  file.close();
  const std::string command = fmt::format("{} -std=c++20 -O2 -c -o /dev/null -I{} {}",
                                          SHARDY_COMPILER, SHARDY_INCLUDE, source);
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double before = seconds_of_children();
    if (std::system(command.c_str()) != 0) return std::nullopt;
    best = std::min(best, seconds_of_children() - before);
  }
  return best;
}

/// Returns all headers outside `detail/`, sorted by name.
Headers public_headers() {
  Headers headers;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(SHARDY_INCLUDE)) {
    const std::string name = fs::relative(entry.path(), SHARDY_INCLUDE).string();
    if (entry.is_regular_file() && name.find("/detail/") == std::string::npos)
      headers.push_back(name);
  }
  std::ranges::sort(headers);
  return headers;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<double> standard = cost(kStandard);
  if (!standard) return 1;
  fmt::print("{:>6.2f}  seconds: the standard headers, = 1\n", *standard);
  int failed = 0;
  const auto print = [&](const Headers& headers, const std::string& title) {
    const std::optional<double> seconds = cost(headers);
    failed += seconds ? 0 : 1;
    fmt::print("{:>6.2f}  {}\n", seconds.value_or(0) / *standard, title);
  };
  const Headers asked(argv + 1, argv + argc);
  if (asked.empty()) print(kEmbedder, "algebra, propagation and resharding together");
  for (const std::string& header : asked.empty() ? public_headers() : asked)
    print({header}, header);
  return failed == 0 ? 0 : 1;
}
