// The programs of regions that kernels run, each compiled once.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "simulation/program.hpp"

namespace shardy::simulation {

/// Compiled regions. Without it, functions that call one another from such regions would be
/// compiled once per call path, and the number of call paths may be exponential.
class RegionPrograms {
 public:
  struct Entry {
    std::shared_ptr<const Program> program;
    int height = 0;  // regions inside of regions below it
  };

  /// Null if it has not been compiled for such options.
  const Entry* find(ir::RegionId region, const ProgramOptions& options) const {
    const auto found = entries_.find(key_of(region, options));
    return found == entries_.end() ? nullptr : &found->second;
  }
  void add(ir::RegionId region, const ProgramOptions& options, Entry entry) {
    entries_.emplace(key_of(region, options), std::move(entry));
  }

  /// The greatest depth of a region met since it was set.
  int deepest = 0;

 private:
  /// With the options in which the programs of one run differ.
  using Key = std::tuple<ir::RegionId, int64_t, int64_t, bool, bool>;

  static Key key_of(ir::RegionId region, const ProgramOptions& options) {
    return {region, options.grid.num_replicas, options.grid.num_partitions, options.may_communicate,
            options.in_run_parallel};
  }

  std::map<Key, Entry> entries_;
};

}  // namespace shardy::simulation
