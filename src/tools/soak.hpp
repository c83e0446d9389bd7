// soak: random programs, and those of files, under random shardings, by the million.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardy::tools {

/// Random programs: a mixture, or those of one part of the generator.
enum class SoakKind : uint8_t { Mixed, ManualAxes, ManualCollectives, Meshes, BatchNorms };

struct SoakOrder {
  std::vector<std::string> files;  // besides random programs
  uint64_t first = 0;              // seed of the first case; the others have the next ones
  int64_t cases = 100000;
  int64_t max_devices = 12;
  int64_t threads = 1;
  SoakKind kind = SoakKind::Mixed;  // of random programs
  std::string findings;             // folder for programs that fail; empty: none
};

/// Prints a line for every 10,000 cases, a verdict, and with which seed to go on. Returns the exit
/// status.
int soak_command(const SoakOrder& order);

}  // namespace shardy::tools
